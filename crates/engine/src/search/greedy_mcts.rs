//! [`GreedyMcts`]: the simplest tree policy (paper 003, §2.4).
//!
//! ```text
//! a* = argmaxₐ Q(s,a)
//! ```

use super::selection::{Edge, Selection};
use serde::{Deserialize, Serialize};

/// The move with the best mean outcome so far, without any bonus.
///
/// ```
/// use afterstate_engine::search::selection::{Edge, Selection};
/// use afterstate_engine::search::GreedyMcts;
/// let rule = GreedyMcts::default();
/// let edge = Edge { visits: 8.0, wins: 2.0, amaf_visits: 0.0, amaf_wins: 0.0 };
/// assert_eq!(rule.score(rule.common(|| 8.0), edge), 0.25);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct GreedyMcts {
    /// What a move without any visit counts as. Default 1: every move is tried once.
    pub first_play_urgency: f32,
}

impl Default for GreedyMcts {
    fn default() -> Self {
        GreedyMcts { first_play_urgency: 1.0 }
    }
}

impl Selection for GreedyMcts {
    const AMAF: bool = false;
    type Common = ();

    #[inline(always)]
    fn common(&self, _visits: impl FnOnce() -> f32) {}

    #[inline(always)]
    fn score(&self, (): (), edge: Edge) -> f32 {
        if edge.visits > 0.0 { edge.mean() } else { self.first_play_urgency }
    }
}
