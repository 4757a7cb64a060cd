//! [`TdSearch`]: temporal-difference search (paper 000, §4).
//!
//! TD learning applied to the game that begins now: many games are simulated from the position to be decided, and the
//! value function learns from every step of them.
//!
//! ```text
//! θ ← 0 when the real game begins
//! for every real move, in s₀
//!     while there is time
//!         s ← s₀
//!         for t = 1 … T, until the game ends
//!             a ← argmax (Black) or argmin (White) of V(s∘a), with probability ε a random one
//!             s ← s∘a
//!             θ ← θ + α φ(sₜ₋₂)/‖φ(sₜ₋₂)‖² · (V(s) − V(sₜ₋₂))
//!         the same with moves of the default policy, until the game ends with outcome z
//!         move the last two positions towards z in the same way
//!     play argmax (argmin) of V(s₀∘a)
//! ```
//!
//! T changes who chooses, and not what is learnt: simulations learn on after the switch, as the original program's did. A
//! search that stops learning there is worth some hundred Elo less. Its simulations were also less simple than the article's
//! ([`TdSearchSettings`]), and so are the defaults.
//!
//! That is λ = 0; with traces the last line of the loop is that of [`td`](crate::learning::td). The position of a
//! value is the afterstate, so there is no update for s₀ itself. V of a game that is over is its outcome.
//!
//! Weights are kept from move to move: what was learnt is true of the next position too (§4.5.4). With table lookup in
//! place of features, λ = 1 and α = 1/N, this is Monte-Carlo tree search: [`TableLookup`](super::TableLookup).
//!
//! Several threads simulate with a memory each, and these tell each other every few simulations what they learnt
//! ([`ShortTermMemory::meet`]). Nobody waits and nothing is lost; but what a thread learns from depends on the moment, so
//! only one thread repeats itself exactly. With λ > 0 or backward traces all threads change the same weights at once, without locks,
//! and a step may be lost to another's (F. Niu, B. Recht, C. Ré and S. Wright, Hogwild, 2011).
//!
//! Large memories take long to copy and to bring together. Where the clock leaves no more than a few times as long, one thread searches alone.

mod old_values;
mod report;
mod settings;
mod worker;

pub use settings::TdSearchSettings;

use super::leaf::{Leaf, PlayoutObserver};
use super::looks::Looks;
use super::mcts::{SearchReport, Situation, Watch};
use super::short_term_memory::ShortTermMemory;
use super::{Budget, Decision, Search};
use crate::policy;
use afterstate_games::rng::below;
use afterstate_games::{Game, Rng, Side, Turn, stream};
use old_values::OldValues;
use report::{break_ties, sum_up};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use worker::{Root, Worker};

/// Of so many simulations of its own a thread tells the others at once what it learnt: often enough that what they do not
/// know yet is little, rarely enough that it costs little.
const MEET_EVERY: u64 = 32;

/// TD search with memory `M`, default policy `L`, and an observer `O` of what its simulations end in.
///
/// ```
/// use afterstate_engine::learning::TdSettings;
/// use afterstate_engine::search::{FeatureMemory, PlayOut, TdSearch, TdSearchSettings};
/// use afterstate_engine::value::{GridShapes, WindowSizes};
/// use afterstate_engine::{Budget, Search};
/// use afterstate_games::{Notation, TicTacToe, UniformPlayout, stream};
/// // O would complete a line, so X must block it.
/// let game = TicTacToe::parse_position("X../OO./..X").unwrap();
/// let memory = FeatureMemory::new(GridShapes::new(&game, WindowSizes::ALL).into(), TdSettings::default());
/// let mut search = TdSearch::new(memory, PlayOut(UniformPlayout::default()), TdSearchSettings::default());
/// let decision = search.search(&game, &Budget::default(), &mut stream(1, 0));
/// assert_eq!(decision.best.map(|mv| game.move_text(mv)), Some("6".to_string()));
/// ```
pub struct TdSearch<G: Game, M, L, O = ()> {
    /// This thread's worker; the others live as long as a search.
    worker: Worker<G, M, L, O>,
    settings: TdSearchSettings,
    /// What may be played at the root, and how many simulations began with it.
    root_moves: Vec<G::Move>,
    root_visits: Vec<AtomicU32>,
    /// The [`Game::key`] of the root.
    root_key: Option<u64>,
    old_values: OldValues<M>,
    /// How long it took last time to make memories for the other threads, and to bring all together; `None` as long as nobody has measured it.
    sharing: Option<[Duration; 2]>,
    report: SearchReport<G::Move>,
}

/// Memories are shared if there is so many times as long as that takes.
const WORTH_SHARING: u32 = 4;

impl<G: Game, M: ShortTermMemory<G>, L: Leaf<G>> TdSearch<G, M, L> {
    /// A search that nobody watches.
    pub fn new(memory: M, leaf: L, settings: TdSearchSettings) -> Self {
        TdSearch::with(memory, leaf, (), settings)
    }
}

impl<G: Game, M: ShortTermMemory<G>, L: Leaf<G>, O: PlayoutObserver<G>> TdSearch<G, M, L, O> {
    /// A search whose final positions `observer` sees.
    pub fn with(memory: M, leaf: L, observer: O, settings: TdSearchSettings) -> Self {
        TdSearch {
            worker: Worker::new(memory, leaf, observer),
            old_values: OldValues::new(settings.move_gap),
            settings,
            root_moves: Vec::new(),
            root_visits: Vec::new(),
            root_key: None,
            sharing: None,
            report: SearchReport::default(),
        }
    }

    /// Its settings.
    pub fn settings(&self) -> &TdSearchSettings {
        &self.settings
    }

    /// What it has learnt.
    pub fn memory(&self) -> &M {
        &self.worker.memory
    }

    /// The same, to be changed between searches.
    pub fn memory_mut(&mut self) -> &mut M {
        &mut self.worker.memory
    }

    /// Whether simulations are played to the end, so that whoever watches sees how games end.
    pub fn plays_to_end(&self) -> bool {
        self.worker.leaf.plays_to_end()
    }

    /// What watched, with all that it saw.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.worker.observer
    }

    /// Finds out how long it takes to share the memory among the threads, for games from `position`, before a clock runs.
    pub fn reserve(&mut self, position: &G) {
        if self.settings.threads > 1 && self.sharing.is_none() {
            self.worker.memory.set_root(position);
            let begin = Instant::now();
            let others = self.worker.memory.share(self.settings.threads as usize - 1);
            let making = begin.elapsed();
            for mut other in others {
                other.meet_finally();
            }
            self.worker.memory.meet_finally();
            self.sharing = Some([making, begin.elapsed() - making]);
        }
    }

    /// Whether there is time for several threads. With a deadline but no measure it is taken for granted.
    fn is_worth_sharing(&self, budget: &Budget) -> bool {
        let (Some(deadline), Some([making, meeting])) = (budget.deadline, self.sharing) else { return true };
        deadline.saturating_duration_since(Instant::now()) >= WORTH_SHARING * (making + meeting)
    }

    /// Forgets what was learnt: a new game.
    pub fn clear(&mut self) {
        self.old_values.clear();
        self.forget();
    }

    /// A move of the real game was played, by either side. Only [`TdSearchSettings::move_gap`] asks.
    pub fn advance(&mut self) {
        self.old_values.advance();
    }

    fn forget(&mut self) {
        self.worker.memory.clear();
        self.root_key = None;
        self.report.moves.clear();
    }

    /// What is known of the position that was searched last, the best move first.
    pub fn report(&self) -> &SearchReport<G::Move> {
        &self.report
    }

    /// Searches among the moves that `situation` allows. Repetition is known at the root only, by these moves.
    pub fn search_situation(
        &mut self,
        situation: &Situation<'_, G>,
        budget: &Budget,
        rng: &mut Rng,
        watch: Option<Watch<'_, G::Move>>,
    ) -> Decision<G::Move> {
        let root = situation.position;
        let Turn::Player(side) = root.turn() else { return Decision::resign() };
        let mut moves = Vec::new();
        match situation.moves {
            Some(allowed) => moves.extend_from_slice(allowed),
            None => root.candidate_moves(&mut moves),
        }
        if moves.is_empty() {
            return Decision::resign();
        }
        // Time for one position may be given in parts.
        if self.settings.reset && self.root_key != Some(root.key()) {
            self.forget();
        }
        // A search of the same position goes on where the last one stopped.
        if self.root_key != Some(root.key()) || self.root_moves != moves {
            self.root_key = Some(root.key());
            self.root_visits.clear();
            self.root_visits.resize_with(moves.len(), AtomicU32::default);
            self.root_moves = moves;
        }
        let limit = budget.simulations_or(self.settings.simulations);
        self.worker.memory.set_root(root);
        let simulations = self.simulate(root, side, budget, limit, rng, watch);
        let Self { worker, old_values, root_moves, root_visits, .. } = self;
        self.report = match old_values.keep(&worker.memory) {
            None => sum_up(&mut worker.memory, root, side, root_moves, root_visits, simulations),
            Some(old) => {
                old.set_root(root);
                sum_up(old, root, side, root_moves, root_visits, simulations)
            }
        };
        self.report.ownership = self.worker.observer.ownership();
        break_ties(&mut self.report.moves, rng);
        let Some(best) = self.report.moves.first() else { return Decision::resign() };
        Decision {
            best: Some(best.mv),
            value: best.value,
            principal_variation: best.principal_variation.clone(),
            effort: simulations,
            depth: None,
            plies_to_end: None,
        }
    }

    /// Simulates until the budget is used up, and returns how often.
    fn simulate(
        &mut self,
        position: &G,
        side: Side,
        budget: &Budget,
        limit: u64,
        rng: &mut Rng,
        watch: Option<Watch<'_, G::Move>>,
    ) -> u64 {
        let others = if self.is_worth_sharing(budget) { self.settings.threads.max(1) - 1 } else { 0 };
        if others == 0 {
            // One time that it took long, by chance, must not decide for good.
            self.sharing.iter_mut().flatten().for_each(|time| *time = *time * 7 / 8);
        }
        let begin = Instant::now();
        let Self { worker, settings, root_moves, root_visits, sharing, .. } = self;
        let root = Root { position, moves: root_moves, visits: root_visits };
        let others = match others {
            0 => Vec::new(),
            others => worker.memory.share(others as usize),
        };
        let alone = others.is_empty();
        let others: Vec<_> = others.into_iter().map(|memory| worker.fork(memory)).collect();
        let making = begin.elapsed();
        let mut budget = budget.clone();
        if let (false, Some(deadline), Some([_, meeting])) = (alone, budget.deadline, *sharing) {
            budget.deadline = deadline.checked_sub(meeting);
        }
        let (begun, expired) = (AtomicU64::new(0), AtomicBool::new(false));
        let run = |worker: &mut Worker<G, M, L, O>, rng: &mut Rng, watch: Option<Watch<'_, G::Move>>| {
            let mut watch = watch.map(|watch| (Instant::now() + watch.every, watch));
            let (mut own, mut looks) = (0u64, Looks::new());
            while !expired.load(Relaxed) {
                if begun.fetch_add(1, Relaxed) >= limit {
                    break;
                }
                worker.simulate(&root, settings, rng);
                own += 1;
                let looks = looks.is_due();
                if looks && budget.expired() {
                    expired.store(true, Relaxed);
                }
                if !alone && own.is_multiple_of(MEET_EVERY) {
                    worker.memory.meet();
                }
                if let Some((at, watch)) = watch.as_mut()
                    && looks
                    && Instant::now() >= *at
                {
                    let so_far = begun.load(Relaxed).min(limit);
                    let ownership = worker.observer.ownership();
                    let to_now = worker.memory.back_to_now();
                    let found = sum_up(&mut worker.memory, position, side, root.moves, root.visits, so_far);
                    to_now(&mut worker.memory);
                    (watch.report)(SearchReport { ownership, ..found });
                    *at = Instant::now() + watch.every;
                }
            }
            own
        };
        if alone {
            return run(worker, rng, watch);
        }
        let seed = u64::from(below(rng, u32::MAX));
        std::thread::scope(|scope| {
            let run = &run;
            let threads = others.into_iter().zip(1..).map(|(mut other, number)| {
                scope.spawn(move || {
                    let own = run(&mut other, &mut stream(seed, number), None);
                    other.memory.meet_finally();
                    (own, other)
                })
            });
            let threads: Vec<_> = threads.collect();
            let mut simulations = run(worker, rng, watch);
            let ended = Instant::now();
            worker.memory.meet_finally();
            for thread in threads {
                let (own, other) = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                simulations += own;
                worker.observer.join(other.observer);
            }
            // All the others have told everything by now.
            worker.memory.meet_finally();
            *sharing = Some([making, ended.elapsed()]);
            simulations
        })
    }
}

impl<G: Game, M: ShortTermMemory<G>, L: Leaf<G>, O: PlayoutObserver<G>> Search<G> for TdSearch<G, M, L, O> {
    fn search(&mut self, root: &G, budget: &Budget, rng: &mut Rng) -> Decision<G::Move> {
        self.search_situation(&Situation::new(root), budget, rng, None)
    }
}
