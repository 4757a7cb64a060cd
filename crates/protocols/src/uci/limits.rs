//! [`GoLimits`]: what `go` said, as a search needs to know it; and what is said to it while it runs.

use afterstate_arena::clock::LONGEST;
use afterstate_arena::time_manager::Plan;
use afterstate_engine::Budget;
use afterstate_games::chess::Move;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How a search is limited. Whatever limit is reached first ends it; the stop flag always does.
///
/// ```
/// use afterstate_protocols::uci::GoLimits;
/// let limits = GoLimits { depth: Some(5), ..GoLimits::default() };
/// assert!(!limits.stopped() && limits.hard_deadline().is_none());
/// ```
#[derive(Clone, Debug)]
pub struct GoLimits {
    /// At most so deep, in plies; at least 1.
    pub depth: Option<u32>,
    /// At most so many positions; at least 1.
    pub nodes: Option<u64>,
    /// Look for a mate in so many own moves, at least 1, and for nothing else.
    pub mate: Option<u32>,
    /// Consider these moves alone, which are legal and all different; empty: all.
    pub search_moves: Vec<Move>,
    /// Until somebody stops it. A search that has come to its end may return earlier; its answer is held back.
    pub infinite: bool,
    /// On one thread, however many there are: a limited strength was measured so.
    pub alone: bool,
    /// `UCI_AnalyseMode`: nobody plays, somebody wants to know.
    pub analyse: bool,
    /// When `go` came in.
    pub began: Instant,
    /// The clock's limits; what they count from is told by [`GoLimits::soft_deadline`] and [`GoLimits::hard_deadline`].
    pub time: Option<Plan>,
    /// What is said to the search while it runs.
    pub signals: Arc<Signals>,
}

impl Default for GoLimits {
    /// No limit at all, from now.
    fn default() -> GoLimits {
        GoLimits {
            depth: None,
            nodes: None,
            mate: None,
            search_moves: Vec::new(),
            infinite: false,
            alone: false,
            analyse: false,
            began: Instant::now(),
            time: None,
            signals: Arc::default(),
        }
    }
}

impl GoLimits {
    /// Whether the search must end now. Cheap enough to ask at every node.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.signals.stop.load(Ordering::Relaxed)
    }

    /// The flag behind [`GoLimits::stopped`], for searches that want one, such as a [`Budget`].
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.signals.stop)
    }

    /// Whether the opponent is still to move, so that no clock of ours runs: until `ponderhit`. May change at any moment.
    #[inline]
    pub fn pondering(&self) -> bool {
        self.signals.pondering.load(Ordering::Acquire)
    }

    /// The flag behind [`GoLimits::pondering`].
    pub fn pondering_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.signals.pondering)
    }

    /// When to stop as a rule; `None` while pondering, and without a clock. Time on the opponent's clock counts: who has
    /// pondered enough may answer a ponderhit at once.
    pub fn soft_deadline(&self) -> Option<Instant> {
        self.time.filter(|_| !self.pondering()).map(|time| self.began + time.share)
    }

    /// When to stop in any case; `None` while pondering, and without a clock. It counts from the ponderhit.
    pub fn hard_deadline(&self) -> Option<Instant> {
        self.time.filter(|_| !self.pondering()).map(|time| self.clock_started() + time.longest)
    }

    /// When our clock began to run.
    fn clock_started(&self) -> Instant {
        self.signals.hit_at.get().copied().unwrap_or(self.began)
    }

    /// The same for searches that take a [`Budget`]: a mate is a depth, and the soft deadline the only one. A deadline that
    /// is set by a ponderhit cannot be in it; the session keeps it for those who say so
    /// ([`Thinker::keeps_time`](super::Thinker::keeps_time)).
    pub fn budget(&self) -> Budget {
        // For ever, to a search that would otherwise go by its own settings.
        let endless = (self.infinite || self.pondering()).then(|| self.began + FOR_EVER);
        let mate = self.mate.map(|moves| moves.saturating_mul(2).saturating_sub(1));
        Budget {
            simulations: self.nodes,
            depth: self.depth.into_iter().chain(mate).min(),
            deadline: self.soft_deadline().or(endless),
            stop: Some(self.stop_flag()),
        }
    }
}

const FOR_EVER: Duration = LONGEST;

/// What may be said to a search while it runs.
#[derive(Debug, Default)]
pub struct Signals {
    stop: Arc<AtomicBool>,
    pondering: Arc<AtomicBool>,
    hit_at: OnceLock<Instant>,
    /// The answer has been given.
    done: AtomicBool,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Signals {
    /// For a search that begins on the opponent's time, or does not.
    pub fn new(pondering: bool) -> Arc<Signals> {
        Arc::new(Signals { pondering: Arc::new(AtomicBool::new(pondering)), ..Signals::default() })
    }

    /// `stop`: it must end.
    pub fn stop(&self) {
        self.change(|| self.stop.store(true, Ordering::Relaxed));
    }

    /// `ponderhit`: our clock begins to run at `now`. Without effect on who does not ponder.
    pub fn ponder_hit(&self, now: Instant) {
        self.change(|| {
            if self.pondering.load(Ordering::Relaxed) {
                // The time must be there before anybody can see that there is one.
                let _ = self.hit_at.set(now);
                self.pondering.store(false, Ordering::Release);
            }
        });
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(super) fn is_done(&self) -> bool {
        self.done.load(Ordering::Relaxed)
    }

    pub(super) fn finish(&self) {
        self.done.store(true, Ordering::Relaxed);
    }

    /// Waits until an answer may be given: at once unless somebody ponders or thinks without end.
    pub(super) fn wait_for_leave(&self, infinite: bool) {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_stopped() && (infinite || self.pondering.load(Ordering::Relaxed)) {
            guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn change(&self, change: impl FnOnce()) {
        let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        change();
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn limits(pondering: bool) -> GoLimits {
        let time = Some(Plan { share: SECOND, longest: 3 * SECOND });
        GoLimits { time, signals: Signals::new(pondering), ..GoLimits::default() }
    }

    #[test]
    fn deadlines_count_from_the_start() {
        let limits = limits(false);
        assert_eq!(limits.soft_deadline(), Some(limits.began + SECOND));
        assert_eq!(limits.hard_deadline(), Some(limits.began + 3 * SECOND));
        limits.signals.ponder_hit(limits.began + 5 * SECOND);
        assert_eq!(limits.hard_deadline(), Some(limits.began + 3 * SECOND), "a stray ponderhit changes nothing");
        assert_eq!(limits.budget().deadline, limits.soft_deadline());
    }

    #[test]
    fn a_ponderhit_starts_the_clock_but_time_already_used_counts() {
        let limits = limits(true);
        assert_eq!((limits.soft_deadline(), limits.hard_deadline()), (None, None));
        assert!(limits.budget().deadline.unwrap() > limits.began + 100 * SECOND);
        limits.signals.ponder_hit(limits.began + 5 * SECOND);
        limits.signals.ponder_hit(limits.began + 7 * SECOND);
        assert_eq!(limits.soft_deadline(), Some(limits.began + SECOND));
        assert_eq!(limits.hard_deadline(), Some(limits.began + 8 * SECOND));
    }

    #[test]
    fn a_mate_is_a_depth_to_who_knows_no_mates() {
        let budget = |depth, mate| GoLimits { depth, mate, ..GoLimits::default() }.budget().depth;
        assert_eq!(budget(None, Some(3)), Some(5));
        assert_eq!(budget(Some(4), Some(3)), Some(4));
        assert_eq!(budget(Some(9), Some(3)), Some(5));
        assert_eq!(budget(None, Some(u32::MAX)), Some(u32::MAX - 1));
        assert_eq!(budget(None, None), None);
    }

    #[test]
    fn answers_wait_for_leave() {
        for (infinite, pondering, hit) in [(true, false, false), (false, true, false), (false, true, true)] {
            let signals = Signals::new(pondering);
            let waiting = Arc::clone(&signals);
            let thread = std::thread::spawn(move || {
                waiting.wait_for_leave(infinite);
                waiting.is_stopped()
            });
            if hit {
                signals.ponder_hit(Instant::now())
            } else {
                signals.stop()
            }
            assert_eq!(thread.join().unwrap(), !hit);
        }
        Signals::new(false).wait_for_leave(false);
    }
}
