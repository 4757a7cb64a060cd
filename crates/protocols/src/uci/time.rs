//! [`GoClock`]: what `go` said of the clocks, and how long to think.

use afterstate_arena::time_manager::{Plan, TimeLeft, share_out, use_up};
use afterstate_games::Side;
use std::time::Duration;

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

impl GoClock {
    /// What `side` has for its next move, or `None` if no clock of its runs. `overhead` is what every move takes beyond
    /// its thinking.
    ///
    /// ```
    /// use afterstate_games::Side;
    /// use afterstate_protocols::uci::GoClock;
    /// use std::time::Duration;
    /// let clock = GoClock { move_time: Some(Duration::from_secs(1)), ..GoClock::default() };
    /// let time = clock.allot(Side::First, Duration::from_millis(50)).unwrap();
    /// assert_eq!((time.share.as_millis(), time.longest.as_millis()), (950, 950));
    /// ```
    pub fn allot(&self, side: Side, overhead: Duration) -> Option<Plan> {
        if let Some(time) = self.move_time {
            return Some(use_up(time, overhead));
        }
        let (left, increment) = (self.left[side.index()]?, self.increment[side.index()]);
        Some(share_out(TimeLeft { left, increment, moves_to_go: self.moves_to_go }, overhead))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_side_thinks_by_its_own_clock() {
        let clock = GoClock {
            left: [None, Some(10 * SECOND)],
            increment: [9 * SECOND, SECOND],
            moves_to_go: Some(20),
            move_time: None,
        };
        let left = TimeLeft { left: 10 * SECOND, increment: SECOND, moves_to_go: Some(20) };
        assert_eq!(clock.allot(Side::Second, SECOND / 50), Some(share_out(left, SECOND / 50)));
        assert_eq!(clock.allot(Side::First, SECOND / 50), None);
        assert_eq!(GoClock::default().allot(Side::First, SECOND / 50), None);
        let moved = GoClock { move_time: Some(SECOND), ..clock };
        assert_eq!(moved.allot(Side::First, SECOND / 50), Some(use_up(SECOND, SECOND / 50)));
    }
}
