//! Moves compared by a player that only ever chooses among all of them: each is played, and the player asked what it thinks of
//! the position that it leads to. So every player obeys `searchmoves`, and has something to say for `MultiPV`.

use super::info::{Info, Line};
use super::limits::GoLimits;
use super::player::{PlayerThinker, line};
use super::position::playable;
use afterstate_arena::PlayerError;
use afterstate_engine::{Budget, Decision, Value};
use afterstate_games::chess::Move;
use afterstate_games::{Chess, Record, Turn};
use std::time::{Duration, Instant};

/// What each move has at first where time is what ends the search, or nothing; twice as long the next time, and so on. So short that
/// hardly any search ends before all moves were looked at.
const FIRST_ROUND: Duration = Duration::from_millis(2);
/// The number of times that the time doubles.
const MOST_DOUBLINGS: u32 = 20;

impl PlayerThinker {
    /// The best of `moves`, which must not be empty; the best lines are reported after every round. `None` if the player does
    /// not say what positions are worth.
    pub(super) fn weigh(
        &mut self,
        record: &Record<Chess>,
        limits: &GoLimits,
        moves: &[Move],
        report: &mut dyn FnMut(&Info),
    ) -> Result<Option<Decision<Move>>, PlayerError> {
        let record = playable(record);
        let side = record.position().side_to_move();
        // What is as good as won is better the sooner it is, and what is lost the later.
        let rank = |decision: &Decision<Move>| {
            let chance = decision.value.map_or(0.0, |value| value.seen_by(side));
            let plies = i64::from(decision.plies_to_end.unwrap_or(u32::MAX));
            let order = match chance {
                1.0.. => -plies,
                ..=0.0 => plies,
                _ => 0,
            };
            (chance, order)
        };
        let mut weighed: Vec<Decision<Move>> = Vec::new();
        let mut effort = 0;
        // What ends the game costs no time, and should not be missed for want of it.
        let mut moves = moves.to_vec();
        moves.sort_by_key(|&mv| {
            let mut behind = record.clone();
            behind.play(mv);
            !matches!(behind.turn(), Turn::Over(_))
        });
        for round in 0.. {
            // Whether every look ended before its time was up: then more time shows nothing more.
            let mut exhausted = true;
            for (i, &mv) in moves.iter().enumerate() {
                let known = weighed.iter().position(|known| known.best == Some(mv));
                let Some(budget) = part(limits, moves.len(), i, round, known.is_some()) else { break };
                let after = match self.look_behind(&record, mv, &budget) {
                    Err(PlayerError::Interrupted) => break,
                    other => other?,
                };
                // A look that was cut short says less than the one before, or nothing.
                let cut = limits.stopped();
                if after.value.is_none() && !cut {
                    return Ok(None);
                }
                exhausted &= budget.deadline.is_none_or(|deadline| Instant::now() < deadline);
                effort += after.effort;
                match known {
                    Some(known) if !cut => weighed[known] = after,
                    None if after.value.is_some() => weighed.push(after),
                    _ => {}
                }
            }
            weighed.sort_by(|a, b| {
                let ((one, plies_of_one), (other, plies_of_other)) = (rank(a), rank(b));
                other.total_cmp(&one).then(plies_of_other.cmp(&plies_of_one))
            });
            // Whatever ends the next round, it has had the best moves.
            let place = |mv: &Move| weighed.iter().position(|known| known.best == Some(*mv)).unwrap_or(weighed.len());
            moves.sort_by_key(place);
            let several = self.lines > 1;
            for (i, decision) in weighed.iter().take(self.lines).enumerate() {
                let rank = several.then_some(i as u32 + 1);
                let found = Decision { effort, ..decision.clone() };
                report(&Info::Line(Line { rank, ..line(record.position(), &found) }));
            }
            if exhausted || limits.stopped() || !has_rounds(limits) || is_over(limits) {
                break;
            }
        }
        if weighed.len() < moves.len() {
            report(&Info::Text(format!("{} of {} moves were looked at", weighed.len(), moves.len())));
        }
        let best = weighed.into_iter().next();
        Ok(Some(Decision { effort, ..best.unwrap_or_else(|| Decision::play(moves[0])) }))
    }

    /// What the player thinks of the position behind `mv`, as a decision for `mv`.
    fn look_behind(
        &mut self,
        record: &Record<Chess>,
        mv: Move,
        budget: &Budget,
    ) -> Result<Decision<Move>, PlayerError> {
        let (mut behind, mut line, mut replies) = (record.clone(), Vec::new(), vec![mv]);
        // Whoever has a single reply makes it without a thought of what it is worth: the position behind that says it.
        while let [only] = replies[..] {
            behind.play(only);
            line.push(only);
            if let Turn::Over(outcome) = behind.turn() {
                let plies_to_end = outcome.winner.is_some().then_some(line.len() as u32);
                let found = Decision { value: Some(Value::from(outcome)), effort: 1, ..Decision::play(mv) };
                return Ok(Decision { principal_variation: line, plies_to_end, ..found });
            }
            behind.legal_moves(&mut replies);
        }
        self.introduce(&behind)?;
        let answer = self.player.choose(&behind, budget)?;
        let before = line.len() as u32;
        let depth = answer.depth.map(|depth| depth + before);
        let plies_to_end = answer.plies_to_end.map(|plies| plies + before);
        line.extend(&answer.principal_variation);
        Ok(Decision { best: Some(mv), principal_variation: line, depth, plies_to_end, ..answer })
    }
}

/// Whether the search goes on until its time is up, or without end.
fn has_rounds(limits: &GoLimits) -> bool {
    let Budget { simulations, depth, deadline, .. } = limits.budget();
    limits.infinite || limits.pondering() || simulations.is_none() && depth.is_none() && deadline.is_some()
}

/// Whether there is no time left.
fn is_over(limits: &GoLimits) -> bool {
    limits.budget().deadline.is_some_and(|end| Instant::now() >= end)
}

/// What one of `moves` may use, `done` of which had their part of this round before it. `None`: there is no time for it, or, where it is
/// `known` already, no more than it has had.
fn part(limits: &GoLimits, moves: usize, done: usize, round: u32, known: bool) -> Option<Budget> {
    if limits.stopped() {
        return None;
    }
    let whole = limits.budget();
    let now = Instant::now();
    let left = whole.deadline.map(|end| end.saturating_duration_since(now));
    let deadline = if has_rounds(limits) {
        let look = FIRST_ROUND * (1 << round.min(MOST_DOUBLINGS));
        match left {
            Some(left) if known && left < look => return None,
            // Before the first round has ended each of the others has a part of what is left.
            Some(left) if !known => Some(now + look.min(left / (moves - done) as u32)),
            _ => Some(now + look),
        }
    } else {
        left.map(|left| now + left / (moves - done) as u32)
    };
    Some(Budget {
        simulations: whole.simulations.map(|all| (all / moves as u64).max(1)),
        depth: whole.depth.map(|depth| depth.saturating_sub(1).max(1)),
        deadline,
        ..whole
    })
}

#[cfg(test)]
mod tests {
    use super::super::info::Score;
    use super::super::limits::Signals;
    use super::super::thinker::Thinker;
    use super::*;
    use afterstate_arena::{AlphaBetaPlayer, MctsPlayer, MctsPlayerSettings, Player, RandomPlayer};
    use afterstate_engine::search::{AlphaBeta, AlphaBetaSettings, Mcts, MctsSettings, PlayOut, Uct};
    use afterstate_engine::value::Indifferent;
    use afterstate_games::{Game, Notation, UniformPlayout};
    use std::sync::{Arc, Mutex};

    /// White mates on a8.
    const MATE: &str = "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1";

    fn looking_ahead() -> PlayerThinker {
        looking_ahead_by(AlphaBetaSettings::default())
    }

    fn looking_ahead_by(settings: AlphaBetaSettings) -> PlayerThinker {
        let search = AlphaBeta::new(Arc::new(Indifferent), settings);
        PlayerThinker::new(Box::new(AlphaBetaPlayer::new(search, Chess::clone)))
    }

    fn think(thinker: &mut PlayerThinker, place: &str, limits: &GoLimits) -> (Decision<Move>, Vec<Info>) {
        let record = Record::new(Chess::parse_position(place).unwrap());
        let mut told = Vec::new();
        let decision = thinker.think(&record, limits, &mut |info| told.push(info.clone()));
        (decision, told)
    }

    fn named(place: &str, names: &[&str]) -> Vec<Move> {
        let position = Chess::parse_position(place).unwrap();
        names.iter().map(|name| position.parse_move(name).unwrap()).collect()
    }

    fn lines(told: &[Info]) -> Vec<&Line> {
        told.iter().filter_map(|info| if let Info::Line(line) = info { Some(line) } else { None }).collect()
    }

    #[test]
    fn the_best_of_the_moves_asked_for_is_found_whatever_is_better() {
        let all = think(&mut looking_ahead(), MATE, &GoLimits { depth: Some(3), ..GoLimits::default() }).0;
        assert_eq!(all.best, Some(named(MATE, &["a1a8"])[0]));
        for (asked, best) in [(["h1g1", "a1a8"], 1), (["h1h2", "h1g2"], 0)] {
            let search_moves = named(MATE, &asked);
            let limits = GoLimits { depth: Some(3), search_moves: search_moves.clone(), ..GoLimits::default() };
            let (decision, told) = think(&mut looking_ahead(), MATE, &limits);
            assert_eq!(decision.best, Some(search_moves[best]));
            assert_eq!(lines(&told).len(), 1);
        }
    }

    #[test]
    fn several_lines_are_ranked_by_what_they_are_worth() {
        let mut thinker = looking_ahead();
        thinker.set_option("MultiPV", "3").unwrap();
        let (decision, told) = think(&mut thinker, MATE, &GoLimits { depth: Some(3), ..GoLimits::default() });
        assert_eq!(decision.best, Some(named(MATE, &["a1a8"])[0]));
        let lines = lines(&told);
        assert_eq!(lines.iter().map(|line| line.rank).collect::<Vec<_>>(), [Some(1), Some(2), Some(3)]);
        assert_eq!(decision.best, lines[0].moves.first().copied());
        let centipawns = |line: &Line| match line.score {
            Some(Score::Centipawns(score)) => score,
            Some(Score::Mate(moves)) => 10_000 * moves.signum(),
            None => panic!("no score"),
        };
        assert!(lines.windows(2).all(|pair| centipawns(pair[0]) >= centipawns(pair[1])));
    }

    /// White mates in two or later; Black, to move, is mated in two or later.
    #[test]
    fn a_mate_is_the_better_the_sooner_it_comes() {
        for (place, sign) in [("k7/8/2K5/8/8/8/8/7R w - - 0 1", 1), ("8/k7/2K5/8/8/8/8/7R b - - 0 1", -1)] {
            let limits = GoLimits { depth: Some(7), ..GoLimits::default() };
            let mut thinker = looking_ahead();
            thinker.set_option("MultiPV", "20").unwrap();
            let (decision, told) = think(&mut thinker, place, &limits);
            let lines = lines(&told);
            assert_eq!(decision.best, lines[0].moves.first().copied());
            let mates = lines.into_iter().map_while(|line| match line.score {
                Some(Score::Mate(moves)) if moves.signum() == sign => Some(moves),
                _ => None,
            });
            let mates: Vec<_> = mates.collect();
            assert!(mates.len() > 1 && mates.is_sorted() && mates.first() < mates.last(), "{mates:?}");
            assert!(sign < 0 || mates[0] == 2, "{mates:?}");
        }
    }

    #[test]
    fn an_endless_search_goes_on_until_it_is_stopped() {
        let limits = GoLimits { infinite: true, search_moves: named(MATE, &["a1a8", "h1g1"]), ..GoLimits::default() };
        let record = Record::new(Chess::parse_position(MATE).unwrap());
        let mut rounds = 0;
        let deep = AlphaBetaSettings { depth: 60, ..AlphaBetaSettings::default() };
        let decision = looking_ahead_by(deep).think(&record, &limits, &mut |_| {
            rounds += 1;
            if rounds == 3 {
                limits.signals.stop();
            }
        });
        assert_eq!((rounds, decision.best), (3, Some(limits.search_moves[0])));
    }

    #[test]
    fn an_endless_search_that_has_seen_everything_says_so_once() {
        let limits = GoLimits { infinite: true, search_moves: named(MATE, &["a1a8", "h1g1"]), ..GoLimits::default() };
        let shallow = AlphaBetaSettings { depth: 1, ..AlphaBetaSettings::default() };
        let mut rounds = 0;
        let record = Record::new(Chess::parse_position(MATE).unwrap());
        let decision = looking_ahead_by(shallow).think(&record, &limits, &mut |_| rounds += 1);
        assert_eq!((rounds, decision.best), (1, Some(limits.search_moves[0])));
    }

    /// By Monte-Carlo simulation, which thinks of nothing where there is a single move.
    #[test]
    fn a_check_with_a_single_reply_is_weighed_like_others() {
        let settings = MctsSettings { simulations: 50, memory_mib: 4, ..MctsSettings::default() };
        let search = Mcts::new(Uct::default(), PlayOut(UniformPlayout::default()), settings);
        let mut thinker =
            PlayerThinker::new(Box::new(MctsPlayer::new(Box::new(search), (), MctsPlayerSettings::default())));
        thinker.set_option("MultiPV", "50").unwrap();
        let place = "7k/8/5K2/8/8/8/8/6R1 w - - 0 1";
        let limits = GoLimits { nodes: Some(2_000), ..GoLimits::default() };
        let (_, told) = think(&mut thinker, place, &limits);
        let lines = lines(&told);
        let mut moves = Vec::new();
        Chess::parse_position(place).unwrap().legal_moves(&mut moves);
        assert_eq!(lines.len(), moves.len());
        // Kf7 leaves Kh7 alone, and Rh1 is mate.
        let check = named(place, &["f6f7"])[0];
        assert!(lines.iter().any(|line| line.moves.first() == Some(&check) && line.moves.len() > 1));
    }

    #[test]
    fn a_look_that_is_cut_short_takes_nothing_back() {
        let moves = named(MATE, &["h1h2", "h1g1", "h1g2"]);
        let limits = GoLimits { infinite: true, search_moves: moves.clone(), ..GoLimits::default() };
        let asked = Arc::default();
        let player = Interrupted { likes: moves[1], signals: limits.signals.clone(), asked: Arc::clone(&asked) };
        let (decision, told) = think(&mut PlayerThinker::new(Box::new(player)), MATE, &limits);
        assert_eq!(decision.best, Some(moves[1]));
        assert!(told.iter().all(|info| matches!(info, Info::Line(line) if line.moves[0] == moves[1])), "{told:?}");
        // The second round begins with the best of the first.
        assert_eq!(*asked.lock().unwrap(), [moves[0], moves[1], moves[2], moves[1]]);
    }

    /// Is interrupted in its fourth look, and then has nothing to say.
    struct Interrupted {
        likes: Move,
        signals: Arc<Signals>,
        asked: Arc<Mutex<Vec<Move>>>,
    }

    impl Player<Chess> for Interrupted {
        fn new_game(&mut self, _record: &Record<Chess>, _seed: u64) -> Result<(), PlayerError> {
            Ok(())
        }

        fn choose(&mut self, record: &Record<Chess>, budget: &Budget) -> Result<Decision<Move>, PlayerError> {
            let (mut asked, mv) = (self.asked.lock().unwrap(), record.moves()[0]);
            asked.push(mv);
            let mut replies = Vec::new();
            record.legal_moves(&mut replies);
            if asked.len() == 4 {
                self.signals.stop();
                return Ok(Decision::play(replies[0]));
            }
            // Whoever uses all its time may find more with more of it.
            while budget.deadline.is_some_and(|deadline| Instant::now() < deadline) {
                std::thread::yield_now();
            }
            let value = Value(if mv == self.likes { 0.9 } else { 0.2 });
            Ok(Decision { value: Some(value), ..Decision::play(replies[0]) })
        }
    }

    #[test]
    fn who_has_no_opinion_says_that_it_cannot_choose() {
        let limits = GoLimits { search_moves: named(MATE, &["a1a8"]), ..GoLimits::default() };
        let mut thinker = PlayerThinker::new(Box::new(RandomPlayer::default()));
        let (_, told) = think(&mut thinker, MATE, &limits);
        assert!(!told.is_empty());
    }
}
