//! [`MctsExpert`]: a player by tree search whose games a network learns from, and the positions of whose trees.

use super::{Conduct, MctsPlayer, MctsPlayerSettings, MonteCarlo};
use crate::player::Player;
use afterstate_engine::search::{Proof, SearchReport, VisitedPosition};
use afterstate_engine::zero::{Expert, Played, Trajectory, decided};
use afterstate_engine::{Budget, Decision};
use afterstate_games::rng::unit;
use afterstate_games::{Game, IndexedMoves, Record, Rng, Turn, stream};
use std::sync::atomic::{AtomicBool, Ordering};

/// How an [`MctsExpert`] makes examples of its searches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpertSettings {
    /// τ of π ∝ N^(1/τ), and of the moves that are drawn from it.
    pub temperature: f32,
    /// So many moves of a trajectory are drawn, later ones are what the player decides for.
    pub sampled_moves: u32,
    /// Probability that a trajectory may end early, as [`ActorSettings::early_end`](afterstate_engine::zero::ActorSettings).
    pub early_end: f32,
    /// Positions beside the game are learnt from, too, that a search visited so often; never if it is 0. Most of them follow bad moves,
    /// as most positions do that a search has to value (paper 002, §4).
    pub least_visits: u32,
}

/// Plays as an [`MctsPlayer`] does, but for the first moves, and remembers how often each move was visited.
///
/// ```
/// use afterstate_arena::mcts_player::{ExpertSettings, MctsExpert};
/// use afterstate_engine::search::{Mcts, MctsSettings, PlayOut, Uct};
/// use afterstate_engine::zero::Expert;
/// use afterstate_games::{TicTacToe, UniformPlayout};
/// use std::sync::atomic::AtomicBool;
/// let settings = MctsSettings { simulations: 100, memory_mib: 1, ..MctsSettings::default() };
/// let search = Mcts::new(Uct::default(), PlayOut(UniformPlayout::default()), settings);
/// let settings = ExpertSettings { temperature: 1.0, sampled_moves: 2, early_end: 0.0, least_visits: 10 };
/// let mut expert = MctsExpert::new(Box::new(search), (), settings);
/// let all = expert.play(&TicTacToe::default(), &[], 7, 1, &AtomicBool::new(false)).unwrap();
/// let played = &all.trajectories[0];
/// assert_eq!((played.number, played.policies.len()), (7, played.way.len()));
/// // In the first position there were nine moves, and all simulations began with one of them.
/// assert_eq!(played.policies[0].len(), 9);
/// assert!((played.policies[0].iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-5);
/// // About ten of the first hundred simulations went through each position after one move: some of them are learnt from.
/// assert!(all.sides.iter().any(|side| side.way.len() == 1));
/// ```
pub struct MctsExpert<G: Game, C: Conduct<G>>
where
    C::Observer: 'static,
{
    player: MctsPlayer<G, C>,
    settings: ExpertSettings,
}

impl<G: Game, C: Conduct<G>> MctsExpert<G, C> {
    /// Plays what `search` finds. It searches each position as long as its settings say, and gives no game up.
    pub fn new(mut search: Box<dyn MonteCarlo<G, C::Observer>>, conduct: C, settings: ExpertSettings) -> Self {
        // What it visits is learnt, not only what it visits most.
        search.set_early_stop(false);
        MctsExpert { player: MctsPlayer::new(search, conduct, MctsPlayerSettings::default()), settings }
    }
}

impl<G: IndexedMoves, C: Conduct<G>> Expert<G> for MctsExpert<G, C> {
    fn play(&mut self, first: &G, way: &[u16], number: u64, seed: u64, stop: &AtomicBool) -> Option<Played> {
        const ALONE: &str = "it does not ponder, so its search is there";
        let mut record = Record::new(first.clone());
        for &index in way {
            record.play(record.position().move_at(usize::from(index)));
        }
        let mut played = Trajectory { number, way: way.to_vec(), opening: way.len() as u16, ..Trajectory::default() };
        let mut sides = Vec::new();
        self.player.new_game(&record, seed).expect(ALONE);
        let rng = &mut stream(seed, 1);
        let may_end_early = self.settings.early_end > 0.0 && unit(rng) < self.settings.early_end;
        let outcome = loop {
            if let Turn::Over(outcome) = record.turn() {
                break outcome.first_player_score();
            }
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let decision = self.player.choose(&record, &Budget::default()).expect(ALONE);
            let report = self.player.report().expect(ALONE);
            let policy = policy(&record, &decision, &report, self.settings.temperature);
            if let Some(value) = decision.value.filter(|&value| may_end_early && decided(value)) {
                played.policies.push(policy);
                played.values.push((decision.effort > 0).then_some(value.0));
                break value.0;
            }
            let index = if played.policies.len() < self.settings.sampled_moves as usize {
                draw(&policy, rng)
            } else {
                record.position().move_index(decision.best.expect("it gives no game up")) as u16
            };
            // Where manners choose without a search, the tree is an older position's, and the value nobody's.
            let searched = decision.effort > 0;
            if self.settings.least_visits > 0 && searched {
                // What lies behind the move is known to the next search, and comes later.
                let without = Some(record.position().move_at(usize::from(index)));
                let visited = self.player.visited_positions(self.settings.least_visits, without).expect(ALONE);
                sides.extend(visited.iter().map(|visited| side(&record, &played, visited, self.settings.temperature)));
            }
            played.way.push(index);
            played.policies.push(policy);
            played.values.push(decision.value.filter(|_| searched).map(|value| value.0));
            record.play(record.position().move_at(usize::from(index)));
            self.player.move_played(&record).expect(ALONE);
        };
        Some(Played { trajectories: vec![Trajectory { outcome, ..played }], sides, met: Vec::new() })
    }
}

/// A position below the one where a game stands, as an example.
fn side<G: IndexedMoves>(
    record: &Record<G>,
    played: &Trajectory,
    visited: &VisitedPosition<G::Move>,
    temperature: f32,
) -> Trajectory {
    let mut way = played.way.clone();
    let mut game = record.position().clone();
    for &mv in &visited.way {
        way.push(game.move_index(mv) as u16);
        game.play(mv);
    }
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let visits = |mv| visited.moves.iter().find(|(known, _)| *known == mv).map_or(0, |(_, visits)| *visits);
    let policy = by_visits(&game, moves.into_iter().map(|mv| (mv, visits(mv))), temperature);
    let opening = way.len() as u16;
    Trajectory {
        number: played.number,
        way,
        opening,
        policies: vec![policy],
        values: Vec::new(),
        outcome: visited.value.0,
    }
}

/// π ∝ N^(1/τ).
fn by_visits<G: IndexedMoves>(
    game: &G,
    visits: impl Iterator<Item = (G::Move, u32)> + Clone,
    temperature: f32,
) -> Vec<(u16, f32)> {
    let most = visits.clone().map(|(_, visits)| visits).max().unwrap_or(0).max(1) as f32;
    let weight = |visits: u32| (visits as f32 / most).powf(1.0 / temperature);
    let mut policy: Vec<(u16, f32)> = visits.map(|(mv, visits)| (game.move_index(mv) as u16, weight(visits))).collect();
    let sum: f32 = policy.iter().map(|(_, weight)| weight).sum();
    policy.iter_mut().for_each(|(_, weight)| *weight /= sum);
    policy
}

/// π of all legal moves, by their visits; or all of it on a move that was not found by visiting it: manners chose it, there was no
/// other, or it is proved to win.
fn policy<G: IndexedMoves>(
    record: &Record<G>,
    decision: &Decision<G::Move>,
    report: &SearchReport<G::Move>,
    temperature: f32,
) -> Vec<(u16, f32)> {
    let mut moves = Vec::new();
    record.legal_moves(&mut moves);
    let found = decision.effort > 0
        && report
            .moves
            .first()
            .is_some_and(|best| Some(best.mv) == decision.best && best.visits > 0 && best.proof == Proof::Open);
    let visits = |mv: G::Move| match report.moves.iter().find(|known| known.mv == mv) {
        _ if !found => u32::from(Some(mv) == decision.best),
        Some(known) => known.visits,
        None => 0,
    };
    by_visits(record.position(), moves.into_iter().map(|mv| (mv, visits(mv))), temperature)
}

/// A move in proportion to its probability.
fn draw(policy: &[(u16, f32)], rng: &mut Rng) -> u16 {
    let mut left = unit(rng);
    let mut last = policy[0].0;
    for &(index, share) in policy.iter().filter(|(_, share)| *share > 0.0) {
        last = index;
        left -= share;
        if left < 0.0 {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GoConduct;
    use afterstate_engine::search::{GoOwnership, Mcts, MctsSettings, PlayOut, Uct};
    use afterstate_games::Notation;
    use afterstate_games::go::{Go, MogoPlayout, Move};

    fn expert(sampled_moves: u32) -> MctsExpert<Go, GoConduct> {
        who_ends_early(sampled_moves, 0.0)
    }

    fn who_ends_early(sampled_moves: u32, early_end: f32) -> MctsExpert<Go, GoConduct> {
        let settings = MctsSettings { simulations: 60, memory_mib: 4, ..MctsSettings::default() };
        let playout = PlayOut(MogoPlayout::default());
        let search = Mcts::with(Uct::default(), playout, (), GoOwnership::default(), settings);
        let settings = ExpertSettings { temperature: 1.0, sampled_moves, early_end, least_visits: 0 };
        MctsExpert::new(Box::new(search), GoConduct, settings)
    }

    /// A game of which every position can be learnt from.
    fn play(expert: &mut MctsExpert<Go, GoConduct>, way: &[u16], seed: u64) -> Trajectory {
        let first = Go::new(5).with_move_limit(50);
        let played = expert.play(&first, way, 3, seed, &AtomicBool::new(false)).unwrap().trajectories.swap_remove(0);
        assert_eq!(played.policies.len(), played.way.len() - way.len());
        assert_eq!(played.values.len(), played.policies.len());
        let mut game = first;
        for (moves, &index) in played.way.iter().enumerate() {
            if let Some(policy) = moves.checked_sub(way.len()).map(|at| &played.policies[at]) {
                let mut legal = Vec::new();
                game.legal_moves(&mut legal);
                assert_eq!(policy.len(), legal.len());
                assert!((policy.iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-5);
                assert!(policy.iter().any(|(known, share)| *known == index && *share > 0.0));
            }
            game.play(game.move_at(usize::from(index)));
        }
        assert_eq!(
            game.turn(),
            Turn::Over(if played.outcome == 1.0 {
                afterstate_games::Outcome::win(afterstate_games::Side::First)
            } else {
                afterstate_games::Outcome::win(afterstate_games::Side::Second)
            })
        );
        played
    }

    #[test]
    fn a_trajectory_depends_on_its_seed_alone() {
        let mut veteran = expert(6);
        let first = play(&mut veteran, &[], 1);
        let other = play(&mut veteran, &[], 2);
        assert_ne!(first.way, other.way);
        assert_eq!(play(&mut veteran, &first.way[..4], 5), play(&mut expert(6), &first.way[..4], 5));
        assert_eq!(play(&mut expert(6), &[], 1), first);
    }

    #[test]
    fn what_manners_choose_is_learnt_as_if_nothing_else_were_possible() {
        let played = play(&mut expert(0), &[], 1);
        // Both sides have passed in the end, the second one because it had won.
        let game = Go::new(5);
        let passes = played.way.iter().filter(|&&index| game.move_at(usize::from(index)) == Move::PASS).count();
        assert!(passes >= 2, "{:?}", played.way);
        assert!(played.policies.last().unwrap().iter().any(|(_, share)| *share == 1.0));
        // What the searches thought is kept: nothing is known of the first move, and the last one wins.
        assert!((0.1..0.9).contains(&played.values[0].unwrap()), "{:?}", played.values);
        assert!((played.values.last().unwrap().unwrap() - played.outcome).abs() < 0.3, "{:?}", played.values);
    }

    #[test]
    fn a_decided_game_may_end_early() {
        let first = Go::new(5).with_move_limit(50);
        let play = |early_end| {
            let mut expert = who_ends_early(0, early_end);
            expert.play(&first, &[], 0, 1, &AtomicBool::new(false)).unwrap().trajectories.swap_remove(0)
        };
        let (whole, early) = (play(0.0), play(1.0));
        assert!(early.way.len() < whole.way.len() && early.policies.len() == early.way.len() + 1);
        assert_eq!(early.values.len(), early.policies.len(), "where it ends early is learnt from, too");
        assert!(decided(afterstate_engine::Value(early.outcome)), "{}", early.outcome);
        assert_eq!(early.way[..], whole.way[..early.way.len()]);
    }

    #[test]
    fn what_trees_know_is_learnt_beside_the_game() {
        let settings = ExpertSettings { temperature: 1.0, sampled_moves: 4, early_end: 0.0, least_visits: 8 };
        let mcts = MctsSettings { simulations: 200, memory_mib: 4, ..MctsSettings::default() };
        let search = Mcts::with(Uct::default(), PlayOut(MogoPlayout::default()), (), GoOwnership::default(), mcts);
        let first = Go::new(5).with_move_limit(50);
        let mut expert = MctsExpert::new(Box::new(search), GoConduct, settings);
        let centre = first.move_index(first.parse_move("C3").unwrap()) as u16;
        let Played { trajectories, sides, .. } = expert.play(&first, &[centre], 3, 1, &AtomicBool::new(false)).unwrap();
        let played = &trajectories[0].way;
        assert!(sides.len() > played.len(), "{} beside {} moves", sides.len(), played.len());
        for side in &sides {
            let Trajectory { number: 3, way, opening, policies, values, outcome } = side else { panic!("{side:?}") };
            assert!(way.len() >= 2 && !played.starts_with(way), "{way:?} is in the game");
            assert_eq!((usize::from(*opening), policies.len(), values.len()), (way.len(), 1, 0));
            assert!((0.0..=1.0).contains(outcome));
            let mut game = first.clone();
            way.iter().for_each(|&index| game.play(game.move_at(usize::from(index))));
            let mut legal = Vec::new();
            game.legal_moves(&mut legal);
            let indices: Vec<u16> = legal.iter().map(|&mv| game.move_index(mv) as u16).collect();
            assert_eq!(policies[0].iter().map(|(index, _)| *index).collect::<Vec<_>>(), indices);
            assert!((policies[0].iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-5);
        }
        // A node is dropped once, when the game goes on elsewhere.
        let ways: std::collections::HashSet<_> = sides.iter().map(|side| &side.way).collect();
        assert_eq!(ways.len(), sides.len());
    }

    #[test]
    fn who_stops_it_gets_nothing() {
        assert_eq!(expert(0).play(&Go::new(5), &[], 0, 1, &AtomicBool::new(true)), None);
    }
}
