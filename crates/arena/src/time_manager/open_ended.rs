//! [`share_out`]: how long to think about a move of a game of which nobody knows how long it will be, as in chess.
//!
//! ```text
//! k     moves that the time has to last for: those to the next time control, at most H; H if there is none
//! r   = time left − 10·overhead, but at least half of (time left − overhead)
//! i   = increment − overhead, at least 0
//!
//! share   = r/(k + ½) + 0.8·i
//! longest = 5·share, at most r/2 (with one move to go: 0.9·r), plus i/2
//! ```
//!
//! Neither is more than the time left less the overhead, or less than a millisecond. A search that has time of its own to share out
//! ends near its share, and takes up to the longest while its choice is not settled.

use super::Plan;
use crate::clock::LONGEST;
use std::time::Duration;

/// H: as if so many own moves were always to come. Some 120 games of each pair at 1 s + 10 ms showed no difference between 20, 28
/// and 40.
const HORIZON: u32 = 30;

const LEAST: Duration = Duration::from_millis(1);

/// What a clock says to the side whose move it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeLeft {
    /// Until the next time control.
    pub left: Duration,
    /// What every move adds.
    pub increment: Duration,
    /// Own moves until the next time control, this one included; `None`: there is none.
    pub moves_to_go: Option<u32>,
}

/// Plans the next move. `overhead` is what every move takes beyond its thinking.
///
/// ```
/// use afterstate_arena::time_manager::{TimeLeft, share_out};
/// use std::time::Duration;
/// let minute = TimeLeft { left: Duration::from_secs(60), ..TimeLeft::default() };
/// let plan = share_out(minute, Duration::from_millis(50));
/// // (60 s − 0.5 s) / 30.5, and five times that.
/// assert_eq!((plan.share.as_millis(), plan.longest.as_millis()), (1950, 9754));
/// ```
pub fn share_out(TimeLeft { left, increment, moves_to_go }: TimeLeft, overhead: Duration) -> Plan {
    let left = left.min(LONGEST);
    let all = left.saturating_sub(overhead);
    let rest = left.saturating_sub(10 * overhead).max(all / 2).as_secs_f64();
    let often = increment.min(LONGEST).saturating_sub(overhead).as_secs_f64();
    let moves = moves_to_go.unwrap_or(HORIZON).clamp(1, HORIZON);
    let share = rest / (f64::from(moves) + 0.5) + 0.8 * often;
    let most = if moves == 1 { 0.9 * rest } else { rest / 2.0 } + often / 2.0;
    let within = |seconds: f64| Duration::from_secs_f64(seconds).min(all).max(LEAST);
    let longest = within((5.0 * share).min(most));
    Plan { share: within(share).min(longest), longest }
}

/// Plans a move that has a time of its own, which does not come back: all of it but the overhead, and at least half.
pub fn use_up(time: Duration, overhead: Duration) -> Plan {
    let time = time.saturating_sub(overhead).max(time / 2).clamp(LEAST, LONGEST);
    Plan { share: time, longest: time }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn planned(left: u64, increment: u64, moves_to_go: Option<u32>) -> (u128, u128) {
        let plan = share_out(TimeLeft { left: MS(left), increment: MS(increment), moves_to_go }, MS(20));
        (plan.share.as_millis(), plan.longest.as_millis())
    }

    #[test]
    fn time_is_shared_out() {
        // r = 9800.
        assert_eq!(planned(10_000, 0, None), (321, 1606));
        // 0.8 · 80 more, five times: 321.31 + 64 and 1926.6.
        assert_eq!(planned(10_000, 100, None), (385, 1926));
        // r/20.5 = 478.0; the longest is five times that.
        assert_eq!(planned(10_000, 0, Some(20)), (478, 2390));
        // Two moves: r/2.5, and at most half.
        assert_eq!(planned(10_000, 0, Some(2)), (3920, 4900));
        // One: two thirds, and nine tenths.
        assert_eq!(planned(10_000, 0, Some(1)), (6533, 8820));
        assert_eq!(planned(10_000, 0, Some(0)), planned(10_000, 0, Some(1)));
        assert_eq!(planned(10_000, 0, Some(u32::MAX)), planned(10_000, 0, None));
    }

    #[test]
    fn hardly_any_time_is_never_overstepped() {
        assert_eq!(planned(0, 0, None), (1, 1));
        assert_eq!(planned(20, 0, None), (1, 1));
        // All but the overhead: 80, and r is half of that.
        assert_eq!(planned(100, 0, None), (1, 6));
        for left in 0..2000 {
            for increment in [0, 50, 5000] {
                for moves_to_go in [None, Some(1), Some(5)] {
                    let (share, longest) = planned(left, increment, moves_to_go);
                    let most = u128::from(left.saturating_sub(20).max(1));
                    assert!(share <= longest && longest <= most, "{left} {increment}");
                }
            }
        }
        let huge = TimeLeft { left: Duration::MAX, increment: Duration::MAX, moves_to_go: None };
        assert!(share_out(huge, MS(20)).longest <= LONGEST);
    }

    #[test]
    fn a_time_for_the_move_is_used_but_for_the_overhead() {
        for (time, used) in [(1000, 980), (30, 15), (0, 1)] {
            assert_eq!(use_up(MS(time), MS(20)), Plan { share: MS(used), longest: MS(used) });
        }
    }
}
