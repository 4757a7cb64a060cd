//! The bounds between which alpha-beta searches.

use crate::search::score::Score;
use afterstate_games::Side;

/// Between what bounds a score still matters.
#[derive(Clone, Copy)]
pub(super) struct Window {
    /// The first player is sure of this elsewhere.
    pub(super) at_least: Score,
    /// The second player is sure of this elsewhere.
    pub(super) at_most: Score,
}

impl Window {
    /// The bounds as `side` sees them: what it is sure of, and what the opponent will not exceed.
    #[inline]
    pub(super) fn seen_by(self, side: Side) -> (f32, f32) {
        match side {
            Side::First => (self.at_least.seen_by(side), self.at_most.seen_by(side)),
            Side::Second => (self.at_most.seen_by(side), self.at_least.seen_by(side)),
        }
    }

    /// The inverse of [`Window::seen_by`].
    #[inline]
    pub(super) fn of(side: Side, low: f32, high: f32) -> Window {
        let (low, high) = (Score::of(side, low), Score::of(side, high));
        match side {
            Side::First => Window { at_least: low, at_most: high },
            Side::Second => Window { at_least: high, at_most: low },
        }
    }
}
