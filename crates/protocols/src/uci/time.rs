//! How long to think, given what the clock says.
//!
//! ```text
//! k     moves that the time has to last for: movestogo, at most H; H if it is not said
//! r   = time left − 10·overhead, but at least half of (time left − overhead)
//! i   = increment − overhead, at least 0
//!
//! soft = r/(k + ½) + 0.8·i
//! hard = 5·soft, at most r/2 (with one move to go: 0.9·r), plus i/2
//!
//! movetime   soft = hard = movetime − overhead, but at least half of it
//! ```
//!
//! Neither is more than the time left less the overhead, or less than a millisecond. A search that has time of its own to
//! share out ends near the soft limit, and takes up to the hard one while its choice is not settled. The arena's
//! [time manager](afterstate_arena::time_manager) shares out a game whose length is known, as in Go; games of chess have none.

use afterstate_games::Side;
use std::time::Duration;

/// H: as if so many own moves were always to come.
const HORIZON: u32 = 40;

/// Longer times count as this: longer than any game, and far from what overflows.
pub(super) const LONGEST: Duration = Duration::from_secs(1000 * 3600);

const LEAST: Duration = Duration::from_millis(1);

/// What `go` said of the clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GoClock {
    /// `wtime` and `btime`: what is left, by [`Side::index`].
    pub left: [Option<Duration>; 2],
    /// `winc` and `binc`: what every move adds.
    pub increment: [Duration; 2],
    /// `movestogo`: moves until the next time control.
    pub moves_to_go: Option<u32>,
    /// `movetime`: exactly so long.
    pub move_time: Option<Duration>,
}

/// How long to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allotment {
    /// As a rule.
    pub soft: Duration,
    /// While the choice is not settled; never less than `soft`.
    pub hard: Duration,
}

impl GoClock {
    /// What `side` has for its next move, or `None` if no clock of its runs. `overhead` is what every move takes beyond
    /// its thinking.
    ///
    /// ```
    /// use afterstate_games::Side;
    /// use afterstate_protocols::uci::GoClock;
    /// use std::time::Duration;
    /// let minute = Some(Duration::from_secs(60));
    /// let clock = GoClock { left: [minute, minute], ..GoClock::default() };
    /// let time = clock.allot(Side::First, Duration::from_millis(50)).unwrap();
    /// // (60 s − 0.5 s) / 40.5, and five times that.
    /// assert_eq!((time.soft.as_millis(), time.hard.as_millis()), (1469, 7345));
    /// ```
    pub fn allot(&self, side: Side, overhead: Duration) -> Option<Allotment> {
        if let Some(time) = self.move_time {
            let time = (time.saturating_sub(overhead)).max(time / 2).clamp(LEAST, LONGEST);
            return Some(Allotment { soft: time, hard: time });
        }
        let left = self.left[side.index()]?.min(LONGEST);
        let all = left.saturating_sub(overhead);
        let rest = left.saturating_sub(10 * overhead).max(all / 2).as_secs_f64();
        let often = self.increment[side.index()].min(LONGEST).saturating_sub(overhead).as_secs_f64();
        let moves = self.moves_to_go.unwrap_or(HORIZON).clamp(1, HORIZON);
        let soft = rest / (f64::from(moves) + 0.5) + 0.8 * often;
        let most = if moves == 1 { 0.9 * rest } else { rest / 2.0 } + often / 2.0;
        let within = |seconds: f64| Duration::from_secs_f64(seconds).min(all).max(LEAST);
        let hard = within((5.0 * soft).min(most));
        Some(Allotment { soft: within(soft).min(hard), hard })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn allot(left: u64, increment: u64, moves_to_go: Option<u32>) -> (u128, u128) {
        let clock = GoClock {
            left: [None, Some(MS(left))],
            increment: [Duration::ZERO, MS(increment)],
            moves_to_go,
            move_time: None,
        };
        let time = clock.allot(Side::Second, MS(20)).unwrap();
        (time.soft.as_millis(), time.hard.as_millis())
    }

    #[test]
    fn time_is_shared_out() {
        // r = 9800.
        assert_eq!(allot(10_000, 0, None), (241, 1209));
        // 0.8 · 80 more, five times: 241.975 + 64 and 1529.9.
        assert_eq!(allot(10_000, 100, None), (305, 1529));
        // r/20.5 = 478.0; the hard limit is five times that.
        assert_eq!(allot(10_000, 0, Some(20)), (478, 2390));
        // Two moves: r/2.5, and at most half.
        assert_eq!(allot(10_000, 0, Some(2)), (3920, 4900));
        // One: two thirds, and nine tenths.
        assert_eq!(allot(10_000, 0, Some(1)), (6533, 8820));
        assert_eq!(allot(10_000, 0, Some(0)), allot(10_000, 0, Some(1)));
        assert_eq!(allot(10_000, 0, Some(u32::MAX)), allot(10_000, 0, None));
    }

    #[test]
    fn hardly_any_time_is_never_overstepped() {
        assert_eq!(allot(0, 0, None), (1, 1));
        assert_eq!(allot(20, 0, None), (1, 1));
        // All but the overhead: 80, and r is half of that.
        assert_eq!(allot(100, 0, None), (1, 4));
        for left in 0..2000 {
            for increment in [0, 50, 5000] {
                for moves_to_go in [None, Some(1), Some(5)] {
                    let (soft, hard) = allot(left, increment, moves_to_go);
                    assert!(soft <= hard && hard <= u128::from(left.saturating_sub(20).max(1)), "{left} {increment}");
                }
            }
        }
    }

    #[test]
    fn a_time_for_the_move_is_used_but_for_the_overhead() {
        let allot = |time| {
            let clock = GoClock { move_time: Some(time), left: [Some(MS(5)); 2], ..GoClock::default() };
            clock.allot(Side::First, MS(20)).unwrap()
        };
        for (time, used) in [(1000, 980), (30, 15), (0, 1)] {
            assert_eq!(allot(MS(time)), Allotment { soft: MS(used), hard: MS(used) });
        }
    }

    #[test]
    fn other_clocks_do_not_count() {
        let clock = GoClock { left: [Some(MS(1000)), None], ..GoClock::default() };
        assert_eq!(clock.allot(Side::Second, MS(20)), None);
        assert_eq!(GoClock::default().allot(Side::First, MS(20)), None);
        let huge = GoClock { left: [Some(Duration::MAX); 2], increment: [Duration::MAX; 2], ..GoClock::default() };
        assert!(huge.allot(Side::First, MS(20)).unwrap().hard <= LONGEST);
    }
}
