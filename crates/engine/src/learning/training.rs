//! Many games of self-play, by one thread or several that share the weights.

use super::self_play::{Chooser, SelfPlay, SelfPlaySettings};
use super::td::TdSettings;
use crate::value::{Features, Weights};
use afterstate_games::{Game, stream};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// What self-play learns, and how.
pub struct Training<G, F> {
    /// Where every game begins.
    pub start: G,
    /// φ.
    pub features: Arc<F>,
    /// θ, shared by all threads.
    pub weights: Arc<Weights>,
    /// The learning rule.
    pub td: TdSettings,
    /// The policy.
    pub self_play: SelfPlaySettings,
    /// Game number i draws from stream i of this seed, whichever thread plays it.
    pub seed: u64,
    /// Learner threads. With one, the result is reproducible to the bit. With several and λ = 0, online, each learns on
    /// a copy of the weights and tells the others every few games; otherwise they change the same weights at once.
    pub threads: usize,
}

/// Sums of squared errors are multiples of one part in so many.
const GRAIN: f64 = (1u64 << 28) as f64;

/// Sums over the games of a stretch of training. All are exact, so that they come out the same in whatever parts
/// and by however many threads the same games are summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TrainingTotals {
    /// Games played.
    pub games: u64,
    /// Moves played, passes included.
    pub moves: u64,
    /// Afterstates evaluated.
    pub evaluations: u64,
    /// Sum over games of the mean squared error of what learnt (TD-error, loss), each rounded to a multiple of 2⁻²⁸ (exact below 2²⁵).
    pub squared_error: f64,
    /// Sum over games of the first player's score.
    pub first_player_score: f64,
}

impl TrainingTotals {
    /// A number of one game as it may be added to others without an error: rounded to a multiple of 2⁻²⁸ (exact below 2²⁵).
    pub fn exact(number: f64) -> f64 {
        (number * GRAIN).round() / GRAIN
    }

    /// Adds the sums of other games.
    pub fn add(&mut self, other: &TrainingTotals) {
        self.games += other.games;
        self.moves += other.moves;
        self.evaluations += other.evaluations;
        self.squared_error += other.squared_error;
        self.first_player_score += other.first_player_score;
    }
}

/// Games after which a thread tells the others what it learnt. Rarely enough to cost little, often enough that what
/// the others do not know yet is a small part of a percent of what any of them has learnt from.
const EXCHANGE: u64 = 20;

/// What one thread does of a training.
pub(super) trait Worker {
    /// Plays a game and learns from it. Returns what it adds to the totals.
    fn play(&mut self, number: u64) -> TrainingTotals;

    /// Tells the others what was learnt since the last time, and learns what they did. With one thread it is never called.
    fn exchange(&mut self);

    /// Makes what was learnt known: for a worker that is alone.
    fn publish(&mut self);
}

/// Plays the games with numbers in `games`, or fewer if `stop` is set meanwhile, by so many threads with a worker each.
/// `progress` is told of the totals so far whenever a worker has played `report_every` games more.
pub(super) fn in_threads<W: Worker>(
    threads: usize,
    make: impl Fn() -> W + Sync,
    games: Range<u64>,
    report_every: u64,
    stop: &AtomicBool,
    progress: &(dyn Fn(TrainingTotals) + Sync),
) -> TrainingTotals {
    let next = AtomicU64::new(games.start);
    let totals = Mutex::new(TrainingTotals::default());
    let work = || {
        let mut worker = make();
        let (mut played, mut unreported) = (0u64, TrainingTotals::default());
        let report = |unreported: &mut TrainingTotals| {
            let mut totals = totals.lock().expect("no thread panics with the totals");
            totals.add(unreported);
            *unreported = TrainingTotals::default();
            progress(*totals);
        };
        while !stop.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= games.end {
                break;
            }
            unreported.add(&worker.play(number));
            played += 1;
            if threads > 1 && played.is_multiple_of(EXCHANGE) {
                worker.exchange();
            }
            if unreported.games == report_every {
                report(&mut unreported);
            }
        }
        if threads > 1 {
            worker.exchange();
        } else {
            worker.publish();
        }
        report(&mut unreported);
    };
    if threads <= 1 {
        work();
    } else {
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        });
    }
    totals.into_inner().expect("no thread panics with the totals")
}

/// One learner that plays itself.
struct SelfPlayer<'a, G: Game, F: Features<G>> {
    training: &'a Training<G, F>,
    learner: SelfPlay<G, F>,
    chooser: Option<Box<dyn Chooser<G>>>,
    turn: &'a Mutex<()>,
}

impl<G: Game, F: Features<G>> Worker for SelfPlayer<'_, G, F> {
    fn play(&mut self, number: u64) -> TrainingTotals {
        // A boxed chooser as one that is lent.
        let chooser = self.chooser.as_mut().map(|chooser| &mut **chooser as &mut dyn Chooser<G>);
        let Training { start, seed, .. } = self.training;
        let episode = self.learner.play_by(chooser, start, &mut stream(*seed, number));
        TrainingTotals {
            games: 1,
            moves: episode.moves as u64,
            evaluations: episode.evaluations,
            squared_error: TrainingTotals::exact(episode.squared_error),
            first_player_score: f64::from(episode.outcome.first_player_score()),
        }
    }

    fn exchange(&mut self) {
        self.learner.exchange(self.turn);
    }

    fn publish(&mut self) {
        self.learner.publish();
    }
}

impl<G: Game, F: Features<G>> Training<G, F> {
    /// Plays the games with numbers in `games`, or fewer if `stop` is set meanwhile (games in progress
    /// are finished). `progress` is told of the totals so far, about every hundred games.
    ///
    /// The games that were played are always the first of the range, so that training can go on
    /// from the number after them.
    pub fn run(
        &self,
        games: Range<u64>,
        stop: &AtomicBool,
        progress: &(dyn Fn(TrainingTotals) + Sync),
    ) -> TrainingTotals {
        self.run_by(None, games, stop, progress)
    }

    /// The same with moves that choosers choose; `choosers` makes one for each thread.
    pub fn run_by(
        &self,
        choosers: Option<&(dyn Fn() -> Box<dyn Chooser<G>> + Sync)>,
        games: Range<u64>,
        stop: &AtomicBool,
        progress: &(dyn Fn(TrainingTotals) + Sync),
    ) -> TrainingTotals {
        let turn = Mutex::new(());
        let make = || SelfPlayer {
            training: self,
            learner: SelfPlay::new(
                self.features.clone(),
                self.weights.clone(),
                self.td.clone(),
                self.self_play.clone(),
            ),
            chooser: choosers.map(|make| make()),
            turn: &turn,
        };
        in_threads(self.threads, make, games, if choosers.is_some() { 1 } else { 100 }, stop, progress)
    }
}
