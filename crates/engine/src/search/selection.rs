//! [`Selection`]: which move a simulation follows inside the tree. Each rule has a file of its own.

/// The statistics of a move as the side to move sees them: sums are of its own wins.
///
/// ```
/// use afterstate_engine::search::selection::Edge;
/// let edge = Edge { visits: 4.0, wins: 3.0, amaf_visits: 0.0, amaf_wins: 0.0 };
/// assert_eq!(edge.mean(), 0.75);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// N(s,a), priors included.
    pub visits: f32,
    /// N(s,a)·Q(s,a).
    pub wins: f32,
    /// Ñ(s,a), priors included.
    pub amaf_visits: f32,
    /// Ñ(s,a)·Q̃(s,a).
    pub amaf_wins: f32,
}

impl Edge {
    /// Q(s,a); not a number when N(s,a) is 0.
    #[inline(always)]
    pub fn mean(self) -> f32 {
        self.wins / self.visits
    }

    /// Q̃(s,a); not a number when Ñ(s,a) is 0.
    #[inline(always)]
    pub fn amaf_mean(self) -> f32 {
        self.amaf_wins / self.amaf_visits
    }
}

/// A tree policy: the move with the greatest [`Selection::score`] is followed.
pub trait Selection: Clone + Send + Sync {
    /// Whether the rule looks at all-moves-as-first statistics; if not, they are not kept.
    const AMAF: bool;

    /// What all moves of a position have in common.
    type Common: Copy;

    /// Computes it. `visits` gives N(s) = Σₐ N(s,a); it takes a walk over the moves, so call it only if needed.
    fn common(&self, visits: impl FnOnce() -> f32) -> Self::Common;

    /// How much the side to move wants to follow this move: for most rules its estimated winning probability
    /// and a bonus for exploration.
    fn score(&self, common: Self::Common, edge: Edge) -> f32;
}
