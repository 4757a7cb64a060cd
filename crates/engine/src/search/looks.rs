//! [`Looks`]: when a search looks at the clock, which takes longer than a short simulation.

use std::time::{Duration, Instant};

/// So many simulations pass between two looks at the clock at most.
const CLOCK_EVERY: u64 = 16;
/// And hardly more time than this, however long a simulation takes: with a network in it that is more than a clock's margin.
const CLOCK_AFTER: Duration = Duration::from_millis(20);

/// See the head of this file.
pub(crate) struct Looks {
    /// Since the last look.
    since: u64,
    last: Instant,
    /// Whether so many simulations take no time that matters.
    quick: bool,
}

impl Looks {
    /// The clock has just been looked at.
    pub(crate) fn new() -> Looks {
        Looks { since: 0, last: Instant::now(), quick: false }
    }

    /// Whether one is due after another simulation.
    pub(crate) fn is_due(&mut self) -> bool {
        self.since += 1;
        let is_late = || self.last.elapsed() >= CLOCK_AFTER;
        if self.since < CLOCK_EVERY && (self.quick || !is_late()) {
            return false;
        }
        let now = Instant::now();
        self.quick = now.duration_since(self.last) < CLOCK_AFTER / 4;
        (self.since, self.last) = (0, now);
        true
    }
}
