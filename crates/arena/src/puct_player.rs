//! [`PuctPlayer`]: a search that a network leads, as a player.

use crate::clock::Clock;
use crate::player::{Player, PlayerError, random_candidate};
use crate::time_manager::{TimeSettings, plan};
use afterstate_engine::search::{Proof, Puct, PuctSettings, Situation};
use afterstate_engine::zero::{Network, Question};
use afterstate_engine::{Budget, Decision};
use afterstate_games::{Deterministic, IndexedMoves, Outcome, Record, Rng, Side, Turn, stream};
use std::time::Instant;

/// How a [`PuctPlayer`] plays.
#[derive(Clone, PartialEq, Debug)]
pub struct PuctPlayerSettings {
    /// The search.
    pub search: PuctSettings,
    /// Simulations for a move, if the budget says nothing else. By the clock there are as many as its part of the time allows.
    pub iterations: u64,
    /// Whether what was learnt below the moves that were played is kept for the next search, beside which as many simulations
    /// are made as without. Default true.
    pub reuse_tree: bool,
    /// How much memory the tree may take, in MiB; a search that has used it up ends. Default 1024.
    pub memory_mib: usize,
    /// How thinking time is shared out.
    pub time: TimeSettings,
}

impl Default for PuctPlayerSettings {
    fn default() -> Self {
        let search = PuctSettings { solver: true, ..PuctSettings::default() };
        PuctPlayerSettings {
            search,
            iterations: 100,
            reuse_tree: true,
            memory_mib: 1024,
            time: TimeSettings::default(),
        }
    }
}

/// Plays the move that PUCT visits most, without noise.
///
/// A clock is shared out as [`MctsPlayer`](crate::MctsPlayer) does it: a search by the clock ends early when the most visited
/// move cannot be overtaken any more, and takes longer while another one is worth more.
///
/// ```
/// use afterstate_arena::{Player, PuctPlayer, PuctPlayerSettings};
/// use afterstate_engine::Budget;
/// use afterstate_engine::zero::Uniform;
/// use afterstate_games::{Notation, Record, TicTacToe};
/// let game = Record::new(TicTacToe::parse_position("XX./OO./...").unwrap());
/// let mut player = PuctPlayer::new(Uniform, PuctPlayerSettings::default());
/// let decision = player.choose(&game, &Budget::default()).unwrap();
/// assert_eq!(game.position().move_text(decision.best.unwrap()), "3");
/// ```
pub struct PuctPlayer<G: Deterministic + IndexedMoves, N> {
    network: N,
    settings: PuctPlayerSettings,
    search: Puct<G>,
    question: Option<Question<G>>,
    rng: Rng,
    clocks: Option<[Clock; 2]>,
    proved: Option<Outcome>,
}

impl<G: Deterministic + IndexedMoves, N: Network<G>> PuctPlayer<G, N> {
    /// Plays with a network.
    pub fn new(network: N, settings: PuctPlayerSettings) -> Self {
        let search = Puct::new(settings.search);
        PuctPlayer { network, settings, search, question: None, rng: stream(0, 0), clocks: None, proved: None }
    }

    /// How long this move may take.
    fn limits(&self, record: &Record<G>, side: Side, budget: &Budget) -> Limits {
        let begin = Instant::now();
        let clock = self.clocks.as_ref().map(|clocks| &clocks[side.index()]);
        // A clock knows more than the deadline that was made of it.
        let plan = clock.and_then(|clock| plan(clock, record.moves().len(), &self.settings.time));
        let mut budget = budget.clone();
        if let Some(plan) = plan {
            budget.deadline = Some(begin + plan.share);
        }
        let longest = plan.filter(|plan| plan.longest > plan.share).map(|plan| begin + plan.longest);
        let most = match budget.simulations {
            Some(simulations) => simulations,
            None if budget.deadline.is_some() => u64::MAX,
            None => self.settings.iterations,
        };
        Limits { begin, budget, longest, by_clock: plan.is_some(), most: most.max(1) }
    }

    /// Simulates as long as the limits allow, and says how often.
    fn simulate(&mut self, record: &Record<G>, side: Side, mut limits: Limits) -> u64 {
        let question = self.question.get_or_insert_with(|| Question::new(record.position().clone()));
        let room = self.settings.memory_mib.saturating_mul(1 << 20);
        let mut done = 0;
        while done < limits.most {
            if self.search.gather(question) {
                self.network.evaluate(&mut [question]);
                self.search.apply(question);
            }
            done += 1;
            if self.settings.search.solver && self.search.best().is_some_and(|best| best.proof == Proof::win(side)) {
                break;
            }
            if !done.is_multiple_of(BETWEEN_LOOKS) {
                continue;
            }
            if limits.by_clock && is_settled(&self.search, &limits, done) || self.search.memory() > room {
                break;
            }
            if limits.budget.expired() {
                let Some(longest) = limits.longest.take().filter(|_| is_unstable(&self.search)) else { break };
                limits.budget.deadline = Some(longest);
                // Somebody may have asked to stop.
                if limits.budget.expired() {
                    break;
                }
            }
        }
        done
    }
}

/// When a search ends.
struct Limits {
    begin: Instant,
    budget: Budget,
    /// How long an undecided move may take.
    longest: Option<Instant>,
    /// Whether time that is left helps later moves.
    by_clock: bool,
    /// Simulations.
    most: u64,
}

/// Simulations between two looks at the clock.
const BETWEEN_LOOKS: u64 = 8;

/// Whether the most visited move stays the most visited whatever the rest of the time brings.
fn is_settled<G: Deterministic>(search: &Puct<G>, limits: &Limits, done: u64) -> bool {
    let (mut first, mut second) = (0, 0);
    for mv in search.moves() {
        (first, second) = if mv.visits > first { (mv.visits, first) } else { (first, second.max(mv.visits)) };
    }
    let is_proved = search.settings().solver && search.moves().all(|mv| mv.proof != Proof::Open);
    if is_proved || search.moves().count() < 2 {
        return true;
    }
    let Some(deadline) = limits.budget.deadline else { return false };
    let now = Instant::now();
    let rate = done as f64 / now.duration_since(limits.begin).as_secs_f64().max(1e-9);
    // The rate varies: room for a quarter more.
    let left = (1.25 * rate * deadline.saturating_duration_since(now).as_secs_f64()) as u64;
    u64::from(first - second) > left.min(limits.most - done)
}

/// Whether a move that was tried often is worth more than the one that was tried most.
fn is_unstable<G: Deterministic>(search: &Puct<G>) -> bool {
    let Some(best) = search.best() else { return false };
    // Values of few visits say little: a tenth of the most is asked for.
    search.moves().any(|other| other.visits > best.visits / 10 && other.value > best.value)
}

impl<G: Deterministic + IndexedMoves, N: Network<G>> Player<G> for PuctPlayer<G, N> {
    fn new_game(&mut self, _record: &Record<G>, seed: u64) -> Result<(), PlayerError> {
        self.rng = stream(seed, 0);
        self.search.forget();
        (self.clocks, self.proved) = (None, None);
        Ok(())
    }

    fn clocks(&mut self, clocks: &[Clock; 2]) {
        self.clocks = Some(clocks.clone());
    }

    fn choose(&mut self, record: &Record<G>, budget: &Budget) -> Result<Decision<G::Move>, PlayerError> {
        let Turn::Player(side) = record.turn() else { return Ok(Decision::resign()) };
        let limits = self.limits(record, side, budget);
        let mut moves = Vec::new();
        record.legal_moves(&mut moves);
        let situation = Situation::of(record, &moves);
        if self.settings.reuse_tree {
            self.search.go_on(&situation);
        } else {
            self.search.begin(&situation);
        }
        let done = self.simulate(record, side, limits);
        let best = self.search.best().map(|best| best.mv).or_else(|| random_candidate(record, &mut self.rng));
        let proof = self.search.best().map_or(Proof::Open, |best| best.proof);
        self.proved = proof.outcome().filter(|_| self.settings.search.solver && proof == Proof::win(side));
        Ok(Decision {
            best,
            value: proof.value().filter(|_| self.proved.is_some()).or(Some(self.search.value())),
            principal_variation: self.search.principal_variation(),
            effort: done,
            depth: None,
        })
    }

    fn proved(&mut self) -> Option<Outcome> {
        self.proved
    }

    fn move_played(&mut self, record: &Record<G>) -> Result<(), PlayerError> {
        if let Some(&mv) = record.moves().last().filter(|_| self.settings.reuse_tree) {
            self.search.advance(mv, record.position());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_engine::zero::Uniform;
    use afterstate_games::{ConnectFour, Game, Notation, TicTacToe};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    #[test]
    fn it_never_loses_tic_tac_toe() {
        let settings = PuctPlayerSettings { iterations: 3000, ..PuctPlayerSettings::default() };
        let mut player = PuctPlayer::new(Uniform, settings);
        let mut record = Record::new(TicTacToe::default());
        while let Turn::Player(_) = record.turn() {
            let decision = player.choose(&record, &Budget::default()).unwrap();
            assert_eq!(decision.principal_variation.first(), decision.best.as_ref());
            record.play(decision.best.unwrap());
        }
        assert_eq!(record.position().turn(), Turn::Over(Outcome::DRAW));
    }

    #[test]
    fn a_budget_limits_it() {
        let mut player = PuctPlayer::new(Uniform, PuctPlayerSettings::default());
        let record = Record::new(TicTacToe::default());
        let budget = Budget { simulations: Some(7), ..Budget::default() };
        assert_eq!(player.choose(&record, &budget).unwrap().effort, 7);
        assert_eq!(player.choose(&record, &Budget::default()).unwrap().effort, 100);
    }

    #[test]
    fn without_reuse_every_search_is_the_first_one() {
        let settings = PuctPlayerSettings { iterations: 200, reuse_tree: false, ..PuctPlayerSettings::default() };
        let mut player = PuctPlayer::new(Uniform, settings.clone());
        let mut record = Record::new(ConnectFour::new());
        player.new_game(&record, 1).unwrap();
        for _ in 0..10 {
            let decision = player.choose(&record, &Budget::default()).unwrap();
            assert_eq!(player.search.visits(), 200);
            let mut newcomer = PuctPlayer::new(Uniform, settings.clone());
            assert_eq!(newcomer.choose(&record, &Budget::default()).unwrap(), decision);
            record.play(decision.best.unwrap());
            player.move_played(&record).unwrap();
        }
    }

    #[test]
    fn what_was_found_below_the_moves_played_is_kept() {
        let settings = PuctPlayerSettings { iterations: 200, ..PuctPlayerSettings::default() };
        let mut player = PuctPlayer::new(Uniform, settings);
        let mut record = Record::new(ConnectFour::new());
        player.new_game(&record, 1).unwrap();
        let mut kept = 0;
        for _ in 0..5 {
            let decision = player.choose(&record, &Budget::default()).unwrap();
            assert_eq!((player.search.visits(), decision.effort), (kept + 200, 200), "as many as without, beside them");
            // With both sides' moves, as in a game against somebody else.
            record.play(decision.best.unwrap());
            player.move_played(&record).unwrap();
            let answer = player.search.best().unwrap();
            record.play(answer.mv);
            player.move_played(&record).unwrap();
            kept = answer.visits;
        }
        assert!(kept > 0);
    }

    #[test]
    fn another_game_begins_with_nothing() {
        let settings = PuctPlayerSettings { iterations: 50, ..PuctPlayerSettings::default() };
        let mut player = PuctPlayer::new(Uniform, settings);
        let record = Record::new(ConnectFour::new());
        for _ in 0..3 {
            player.new_game(&record, 1).unwrap();
            player.choose(&record, &Budget::default()).unwrap();
            assert_eq!(player.search.visits(), 50);
        }
    }

    #[test]
    fn clocks_end_the_search_and_so_does_whoever_wants_it_to() {
        let mut player = PuctPlayer::new(Uniform, PuctPlayerSettings::default());
        let record = Record::new(ConnectFour::new());
        player.new_game(&record, 1).unwrap();
        // Without an end of its own the search would go on for good.
        let clock = Clock::new("20ms/move".parse().unwrap(), Duration::ZERO);
        player.clocks(&[clock.clone(), clock]);
        let decision = player.choose(&record, &Budget::default()).unwrap();
        assert!(decision.best.is_some() && decision.effort.is_multiple_of(BETWEEN_LOOKS), "{}", decision.effort);
        let stop = Arc::new(AtomicBool::new(true));
        let budget = Budget { stop: Some(stop), ..Budget::time(Duration::from_secs(1000)) };
        player.new_game(&record, 1).unwrap();
        assert_eq!(player.choose(&record, &budget).unwrap().effort, BETWEEN_LOOKS);
        let clock = Clock::new("100h".parse().unwrap(), Duration::ZERO);
        player.clocks(&[clock.clone(), clock]);
        assert_eq!(
            player.choose(&record, &budget).unwrap().effort,
            BETWEEN_LOOKS,
            "a stretch is not for the impatient"
        );
    }

    #[test]
    fn by_the_clock_no_time_goes_to_what_is_settled() {
        let clock = Clock::new("100h".parse().unwrap(), Duration::ZERO);
        let effort = |position: &str, solver: bool| {
            let search = PuctSettings { solver, ..PuctSettings::default() };
            let mut player = PuctPlayer::new(Uniform, PuctPlayerSettings { search, ..PuctPlayerSettings::default() });
            let record = Record::new(TicTacToe::parse_position(position).unwrap());
            player.new_game(&record, 1).unwrap();
            player.clocks(&[clock.clone(), clock.clone()]);
            player.choose(&record, &Budget::default()).unwrap().effort
        };
        assert_eq!(effort("XOX/XOO/OX.", false), BETWEEN_LOOKS, "the only move");
        // A draw, whatever is played. Without the proof hours would go by.
        assert!(effort(".../.../...", true) < 1_000_000);
    }

    #[test]
    fn a_tree_that_has_no_room_left_ends_the_search() {
        let settings = PuctPlayerSettings { iterations: 1_000_000_000, memory_mib: 1, ..PuctPlayerSettings::default() };
        let mut player = PuctPlayer::new(Uniform, settings);
        let record = Record::new(ConnectFour::new());
        player.new_game(&record, 1).unwrap();
        let decision = player.choose(&record, &Budget::default()).unwrap();
        assert!((1000..1_000_000).contains(&decision.effort), "{}", decision.effort);
    }
}
