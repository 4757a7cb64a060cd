//! [`Statistic`]: a count and a mean in one atomic word.

use super::atomic::{AtomicU64, Ordering};

/// Bits of the count; the sum has the others.
const COUNT_BITS: u32 = 27;
const COUNT_MASK: u64 = (1 << COUNT_BITS) - 1;
/// Steps of the sum in 1. A power of two, so that wins, losses and draws are exact.
const STEPS: f32 = 1024.0;

/// How often something was simulated, N, and the mean outcome for the first player, Q.
///
/// Count and sum share one 64-bit word: a simulation is recorded by a single addition, no update is ever
/// lost or seen by halves, and adding and taking back a virtual loss leaves no trace. The sum is kept
/// in steps of 1/1024, which is exact for wins, losses and draws.
///
/// ```
/// use afterstate_engine::search::tree::Statistic;
/// let statistic = Statistic::default();
/// statistic.add(Statistic::outcome(1.0));
/// statistic.add(Statistic::outcome(0.5));
/// assert_eq!((statistic.count(), statistic.mean()), (2, Some(0.75)));
/// ```
#[derive(Debug, Default)]
pub struct Statistic(AtomicU64);

impl Statistic {
    /// The largest count. Searches end before it is reached.
    pub const MOST: u32 = COUNT_MASK as u32 - (1 << 16);

    /// What [`Statistic::add`] adds for one simulation with outcome `z`, between 0 and 1.
    #[inline(always)]
    pub fn outcome(z: f32) -> u64 {
        ((z * STEPS + 0.5) as u64) << COUNT_BITS | 1
    }

    /// What [`Statistic::add`] adds for `count` losses of the first player, or of the second.
    #[inline(always)]
    pub fn losses(count: u32, of_first: bool) -> u64 {
        let sum = if of_first { 0 } else { u64::from(count) * STEPS as u64 };
        sum << COUNT_BITS | u64::from(count)
    }

    /// Adds something, for all threads to see.
    #[inline(always)]
    pub fn add(&self, amount: u64) {
        self.0.fetch_add(amount, Ordering::Relaxed);
    }

    /// Adds something, and cheaper, while no other thread does; if one does, its addition or this one may be lost.
    #[inline(always)]
    pub fn add_alone(&self, amount: u64) {
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(amount), Ordering::Relaxed);
    }

    /// Replaces everything by `count` simulations with outcomes that add up to `sum`.
    pub fn set(&self, count: u32, sum: f32) {
        let steps = (sum.max(0.0) * STEPS + 0.5) as u64;
        self.0.store(steps << COUNT_BITS | u64::from(count), Ordering::Relaxed);
    }

    pub(super) fn copy(&self, other: &Statistic) {
        self.0.store(other.0.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// N: how often.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        (self.0.load(Ordering::Relaxed) & COUNT_MASK) as u32
    }

    /// N, and N·Q: the sum of the outcomes, the first player's wins.
    #[inline(always)]
    pub fn count_and_sum(&self) -> (f32, f32) {
        let word = self.0.load(Ordering::Relaxed);
        // Signed conversions are single instructions.
        ((word & COUNT_MASK) as i32 as f32, (word >> COUNT_BITS) as i64 as f32 * (1.0 / STEPS))
    }

    /// Q: the first player's mean outcome; `None` if there was no simulation.
    #[inline]
    pub fn mean(&self) -> Option<f32> {
        let word = self.0.load(Ordering::Relaxed);
        let count = word & COUNT_MASK;
        (count > 0).then(|| ((word >> COUNT_BITS) as f64 / f64::from(STEPS) / count as f64) as f32)
    }
}
