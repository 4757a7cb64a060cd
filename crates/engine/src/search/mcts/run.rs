//! The loop around simulations: limits, threads, memory, reports.

use super::report::{self, SearchReport};
use super::settings::{FinalMove, Parallelisation};
use super::worker::Task;
use super::{IndexedMoves, Mcts, Watch};
use crate::search::Budget;
use crate::search::early_stop::{lead, left_by_time};
use crate::search::leaf::{Leaf, PlayoutObserver};
use crate::search::looks::Looks;
use crate::search::mcts_solver::Proof;
use crate::search::prior::Prior;
use crate::search::selection::Selection;
use crate::search::tree::{Apart, ROOT, Statistic, Tree};
use afterstate_games::{Deterministic, Rng, Side, Turn, stream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// So many simulations pass between two looks at whether the decision is settled.
const SETTLED_EVERY: u64 = 64;

/// Collecting garbage may take one part in so many of the time that is left.
const COLLECTING: u32 = 4;
/// How long that takes for each node, as long as nobody has measured it.
pub(super) const FIRST_COLLECTING: Duration = Duration::from_nanos(50);

/// So many simulations a thread takes at a time, when there are several.
const SHARE: u64 = 8;

/// What the threads of a search tell each other.
struct Progress<'a> {
    budget: &'a Budget,
    /// At most so many simulations.
    limit: u64,
    /// How many simulations threads have taken upon them, and given back since.
    taken: Apart<AtomicU64>,
    /// Everybody shall stop.
    stop: AtomicBool,
    /// Going on would change nothing.
    finished: AtomicBool,
    /// A tree has no room left.
    full: AtomicBool,
    start: Instant,
}

/// Stops the other threads if this one panics: who waits for them would wait for ever.
struct StopsIfPanicking<'a>(&'a AtomicBool);

impl Drop for StopsIfPanicking<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

impl Progress<'_> {
    /// Takes up to `share` simulations that nobody else will do.
    fn take(&self, share: u64) -> u64 {
        let before = self.taken.0.fetch_add(share, Ordering::Relaxed);
        let granted = share.min(self.limit.saturating_sub(before));
        self.give_back(share - granted);
        granted
    }

    /// Gives back what was not done.
    fn give_back(&self, share: u64) {
        if share > 0 {
            self.taken.0.fetch_sub(share, Ordering::Relaxed);
        }
    }

    /// How many simulations may still come. `waiting`: so many threads may have taken upon them and not begun.
    fn left(&self, waiting: u64) -> u64 {
        self.limit.saturating_sub(self.taken.0.load(Ordering::Relaxed)).saturating_add(waiting)
    }

    /// How many will hardly come before the deadline.
    fn left_by_time(&self) -> u64 {
        left_by_time(self.budget, self.start, self.taken.0.load(Ordering::Relaxed).max(1))
    }
}

impl<G, S, L, P, O> Mcts<G, S, L, P, O>
where
    G: IndexedMoves + Deterministic,
    S: Selection,
    L: Leaf<G>,
    P: Prior<G>,
    O: PlayoutObserver<G>,
{
    /// Simulates until the budget is used up or the decision settled.
    pub(super) fn run(
        &mut self,
        root: &G,
        side: Side,
        budget: &Budget,
        rng: &mut Rng,
        mut watch: Option<Watch<'_, G::Move>>,
    ) {
        let progress = Progress {
            budget,
            limit: budget.simulations_or(self.settings.simulations),
            taken: Apart(AtomicU64::new(0)),
            stop: AtomicBool::new(false),
            finished: AtomicBool::new(false),
            full: AtomicBool::new(false),
            start: Instant::now(),
        };
        let mut next_report = watch.as_ref().map(|watch| progress.start + watch.every);
        let mut rngs: Vec<Rng> = self.thread_streams(rng);
        self.simulations = 0;
        let mut least_visits = 2;
        let mut growing = true;
        loop {
            progress.full.store(false, Ordering::Relaxed);
            self.round(root, side, &progress, growing, rng, &mut rngs, &mut watch, &mut next_report);
            if !growing || !progress.full.load(Ordering::Relaxed) || progress.stop.load(Ordering::Relaxed) {
                break;
            }
            // Without new positions the rest of the time is still of use, as it would not be for collecting.
            growing = self.can_collect(budget) && self.forget_least_visited(&mut least_visits);
        }
        self.finished = progress.finished.load(Ordering::Relaxed);
        let template = &mut self.observer;
        for worker in &mut self.workers {
            let fresh = template.fork();
            template.join(std::mem::replace(&mut worker.observer, fresh));
        }
    }

    /// One stream for each thread beside the first, which uses the caller's.
    fn thread_streams(&self, rng: &mut Rng) -> Vec<Rng> {
        let others = self.settings.threads.saturating_sub(1);
        if others == 0 {
            return Vec::new();
        }
        let seed = u64::from(afterstate_games::rng::below(rng, u32::MAX));
        (1..=u64::from(others)).map(|thread| stream(seed, thread)).collect()
    }

    /// Simulates on all threads until the end, or until a tree is full if it should be `growing`.
    #[allow(clippy::too_many_arguments)]
    fn round(
        &mut self,
        root: &G,
        side: Side,
        progress: &Progress<'_>,
        growing: bool,
        rng: &mut Rng,
        rngs: &mut [Rng],
        watch: &mut Option<Watch<'_, G::Move>>,
        next_report: &mut Option<Instant>,
    ) {
        let threads = rngs.len() + 1;
        let task = Task {
            rule: &self.rule,
            settings: &self.settings,
            root,
            side,
            history: &self.history,
            shared: threads > 1 && self.settings.parallelisation == Parallelisation::Tree,
            full: &progress.full,
        };
        let (trees, settings, before) = (&self.trees[..], &self.settings, &self.observer);
        let goes_on = || !(progress.stop.load(Ordering::Relaxed) || growing && progress.full.load(Ordering::Relaxed));
        let share = if threads > 1 { SHARE } else { 1 };
        let (own, others) = self.workers[..threads].split_at_mut(1);
        std::thread::scope(|scope| {
            for ((i, worker), rng) in others.iter_mut().enumerate().zip(rngs) {
                let tree = trees.get(i + 1).unwrap_or(&trees[0]);
                let (goes_on, task) = (&goes_on, &task);
                scope.spawn(move || {
                    // On this thread's stack, where nothing of other threads is near.
                    let mut own_rng = rng.clone();
                    let (mut left, mut looks) = (0, Looks::new());
                    while goes_on() {
                        if left == 0 {
                            left = progress.take(share);
                            if left == 0 {
                                break;
                            }
                        }
                        worker.simulate(task, tree, &mut own_rng);
                        left -= 1;
                        // The first thread, which looks at all limits, may have done its part.
                        if looks.is_due() && progress.budget.expired() {
                            progress.stop.store(true, Ordering::Relaxed);
                        }
                    }
                    progress.give_back(left);
                    *rng = own_rng;
                });
            }
            let _stops = StopsIfPanicking(&progress.stop);
            let (mut left, mut own_count, mut looks) = (0, 0u64, Looks::new());
            while goes_on() {
                if left == 0 {
                    left = progress.take(share);
                    if left == 0 {
                        break;
                    }
                }
                own[0].simulate(&task, &trees[0], rng);
                left -= 1;
                own_count += 1;
                let looks = looks.is_due();
                let roots = || trees.iter().map(|tree| tree.node(ROOT));
                let mut finished = roots().any(|root| root.outcomes().count() >= Statistic::MOST)
                    || settings.solver && roots().any(|root| root.proof() != Proof::Open);
                let mut settled = false;
                if settings.early_stop && own_count.is_multiple_of(SETTLED_EVERY) {
                    let lead = lead_of(trees, settings.final_move);
                    finished |= lead > progress.left(threads as u64 * (share - 1));
                    settled = lead > progress.left_by_time();
                }
                if finished || settled || looks && progress.budget.expired() {
                    progress.finished.store(finished, Ordering::Relaxed);
                    progress.stop.store(true, Ordering::Relaxed);
                }
                if let (Some(watch), Some(at)) = (watch.as_mut(), next_report.as_mut())
                    && looks
                    && Instant::now() >= *at
                {
                    let taken = progress.taken.0.load(Ordering::Relaxed);
                    let mut found = report(trees, root, settings.final_move, taken);
                    found.ownership = own[0].observer.ownership().or_else(|| before.ownership());
                    (watch.report)(found);
                    *at = Instant::now() + watch.every;
                }
            }
            progress.give_back(left);
        });
        self.simulations = progress.taken.0.load(Ordering::Relaxed);
    }

    /// Whether enough time is left to collect garbage.
    fn can_collect(&self, budget: &Budget) -> bool {
        let nodes: usize = self.trees.iter().map(Tree::used).sum();
        let takes = self.collecting.mul_f64(nodes as f64);
        budget.deadline.is_none_or(|deadline| takes <= deadline.saturating_duration_since(Instant::now()) / COLLECTING)
    }

    /// Cuts off what lies below the least visited positions until half of each tree is free; false if that would
    /// leave hardly anything.
    fn forget_least_visited(&mut self, least_visits: &mut u32) -> bool {
        let (begin, nodes) = (Instant::now(), self.trees.iter().map(Tree::used).sum::<usize>());
        let done = self.halve(least_visits);
        self.collecting = begin.elapsed().div_f64(nodes.max(1) as f64);
        done
    }

    fn halve(&mut self, least_visits: &mut u32) -> bool {
        for tree in &mut self.trees {
            while tree.used() > tree.capacity() / 2 {
                tree.keep(ROOT, *least_visits);
                if tree.used() > tree.capacity() / 2 {
                    if *least_visits >= tree.node(ROOT).visits() {
                        return false;
                    }
                    *least_visits = least_visits.saturating_mul(2);
                }
            }
        }
        true
    }
}

/// By how many simulations the most visited move is ahead of all others; 0 where visits do not decide.
fn lead_of(trees: &[Tree], rule: FinalMove) -> u64 {
    let Some((tree, others)) = trees.split_first().filter(|_| rule == FinalMove::Visits) else { return 0 };
    let Some(children) = tree.children(ROOT) else { return 0 };
    lead(tree.block(children).iter().map(|node| {
        let (mut visits, mut proof) = (u64::from(node.visits()), node.proof());
        for other in others {
            let Some(children) = other.children(ROOT) else { continue };
            let block = other.block(children);
            let Some(same) = block.iter().find(|same| same.index() == node.index()) else { continue };
            visits += u64::from(same.visits());
            proof = if proof == Proof::Open { same.proof() } else { proof };
        }
        (visits, proof)
    }))
}

/// What the trees know of `root` together.
pub(super) fn report<G: IndexedMoves>(
    trees: &[Tree],
    root: &G,
    rule: FinalMove,
    simulations: u64,
) -> SearchReport<G::Move> {
    let side = match root.turn() {
        Turn::Player(side) => side,
        _ => Side::First,
    };
    let Some((first, others)) = trees.split_first() else {
        return SearchReport { simulations, ..SearchReport::default() };
    };
    let mut moves = report::children(first, root);
    for tree in others {
        for other in report::children(tree, root) {
            if let Some(known) = moves.iter_mut().find(|known| known.mv == other.mv) {
                report::merge(known, &other);
            }
        }
    }
    report::sort(&mut moves, side, rule);
    for known in &mut moves {
        known.principal_variation = report::line(first, root, known.mv, rule);
    }
    let visits = trees.iter().map(|tree| u64::from(tree.node(ROOT).visits())).sum();
    SearchReport { simulations, visits, value: moves.first().and_then(|best| best.value), moves, ownership: None }
}
