//! [`SearchLimits`]: when a tournament search ends; [`Clock`]: how it notices.

use crate::Budget;
use afterstate_games::chess::Move;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long a tournament search may go on, and among which moves it chooses. Whatever limit is reached first ends it.
///
/// ```
/// use afterstate_engine::Budget;
/// use afterstate_engine::search::SearchLimits;
/// let limits = SearchLimits::from(Budget { depth: Some(6), ..Budget::default() });
/// assert_eq!((limits.multi_pv, limits.budget.depth), (1, Some(6)));
/// ```
#[derive(Clone, Debug)]
pub struct SearchLimits {
    /// The hard limits. `simulations` are nodes: positions that moves were played to.
    pub budget: Budget,
    /// No iteration is begun after about this moment: earlier if the best move has long been the same, later, but within
    /// the hard limit, if it has just changed or the score drops. The same as the hard one: time for this move alone, which is
    /// used up.
    pub soft_deadline: Option<Instant>,
    /// While this is set neither deadline counts (UCI's `go ponder`; `ponderhit` clears it).
    pub pondering: Option<Arc<AtomicBool>>,
    /// Moves to choose among (UCI's `searchmoves`); empty for all legal ones. Illegal ones are ignored.
    pub root_moves: Vec<Move>,
    /// Lines to search: the best move, the second best, and so on. 0 counts as 1.
    pub multi_pv: usize,
    /// End as soon as a mate in so many moves of the side that mates is known, whichever side that is.
    pub mate: Option<u32>,
    /// Whether one thread searches alone, however many there are: what a limited strength was measured with.
    pub alone: bool,
}

impl Default for SearchLimits {
    fn default() -> Self {
        SearchLimits {
            budget: Budget::default(),
            soft_deadline: None,
            pondering: None,
            root_moves: Vec::new(),
            multi_pv: 1,
            mate: None,
            alone: false,
        }
    }
}

impl From<Budget> for SearchLimits {
    /// These hard limits and no others.
    fn from(budget: Budget) -> SearchLimits {
        SearchLimits { budget, ..SearchLimits::default() }
    }
}

/// Nodes between two looks at the clock, a power of two: a fraction of a millisecond.
const NODES_BETWEEN_LOOKS: u64 = 1_024;
/// Several threads together exceed a limit of nodes by one part in so many at most, unless it is very small.
const EXCESS: u64 = 8;

/// What the threads of one search share: its limits, whether to stop, and how much was done.
pub(super) struct Clock {
    pub limits: SearchLimits,
    pub begin: Instant,
    stop: AtomicBool,
    /// Whether enough was found out while pondering.
    enough: AtomicBool,
    /// By thread, nodes so far, not always up to date.
    nodes: Vec<AtomicU64>,
    /// A thread looks at the others and at the time when its number of nodes has none of these bits.
    between_looks: u64,
}

impl Clock {
    pub(super) fn new(limits: &SearchLimits, threads: usize) -> Clock {
        let nodes = (0..threads).map(|_| AtomicU64::new(0)).collect();
        let most = match limits.budget.simulations {
            Some(limit) if threads > 1 => limit / (EXCESS * threads as u64),
            _ => NODES_BETWEEN_LOOKS,
        };
        let between = 1 << most.clamp(1, NODES_BETWEEN_LOOKS).ilog2();
        Clock {
            limits: limits.clone(),
            begin: Instant::now(),
            stop: AtomicBool::new(false),
            enough: AtomicBool::new(false),
            nodes,
            between_looks: between - 1,
        }
    }

    /// Thread `number` has searched so many nodes. Whether it should stop now. A single thread stops at the very node.
    #[inline(always)]
    pub(super) fn expired(&self, number: usize, nodes: u64) -> bool {
        // Not before the first: a bad move for want of half a millisecond would be dear.
        let looks = nodes > 0 && nodes & self.between_looks == 0;
        (looks && self.look(number, nodes))
            || (number == 0 && self.limits.budget.simulations.is_some_and(|limit| nodes >= limit))
    }

    #[cold]
    #[inline(never)]
    fn look(&self, number: usize, nodes: u64) -> bool {
        self.nodes[number].store(nodes, Relaxed);
        let budget = &self.limits.budget;
        let over = self.stop.load(Relaxed)
            || budget.stop.as_ref().is_some_and(|stop| stop.load(Relaxed))
            || budget.simulations.is_some_and(|limit| self.total_nodes() >= limit)
            || (!self.ponders()
                && (self.enough.load(Relaxed) || budget.deadline.is_some_and(|deadline| Instant::now() >= deadline)));
        if over {
            self.stop();
        }
        over
    }

    /// Ends the search of all threads.
    pub(super) fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Thread `number` has searched so many nodes.
    pub(super) fn report(&self, number: usize, nodes: u64) {
        self.nodes[number].store(nodes, Relaxed);
    }

    /// Nodes of all threads.
    pub(super) fn total_nodes(&self) -> u64 {
        self.nodes.iter().map(|nodes| nodes.load(Relaxed)).sum()
    }

    fn ponders(&self) -> bool {
        self.limits.pondering.as_ref().is_some_and(|pondering| pondering.load(Relaxed))
    }

    /// Whether the time is this move's alone: what it does not use is lost.
    fn is_exact(&self) -> bool {
        self.limits.soft_deadline == self.limits.budget.deadline
    }

    /// Whether time is shared out, and so should not be spent on what is certain.
    pub(super) fn saves_time(&self) -> bool {
        self.limits.soft_deadline.is_some() && !self.is_exact()
    }

    /// Whether the search ends if it knows `enough`. While it ponders it goes on, and ends in the middle of an iteration when the
    /// opponent has moved: an iteration that the clock would not have begun should not use it up.
    pub(super) fn ends(&self, enough: bool) -> bool {
        let ponders = self.ponders();
        self.enough.store(enough && ponders && !self.is_exact(), Relaxed);
        enough && !ponders
    }

    /// Whether no more iteration should begin by the clock: the soft deadline is past, if the time for it is scaled by `share` where time
    /// can be saved.
    pub(super) fn is_late(&self, share: f64) -> bool {
        let Some(deadline) = self.limits.soft_deadline else { return false };
        let planned: Duration = deadline.saturating_duration_since(self.begin);
        let share = if self.is_exact() { 1.0 } else { share };
        self.begin.elapsed() >= planned.mul_f64(share)
    }
}
