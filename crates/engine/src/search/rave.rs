//! [`Rave`]: rapid action value estimation alone (paper 003, §4.2, MC-RAVE with β = 1).
//!
//! ```text
//! Q̃(s,a) = mean outcome of the simulations through s in which the side to move played a then or later
//! a* = argmaxₐ Q̃(s,a)
//! ```
//!
//! A pass, which has no Q̃, counts by its own mean.

use super::selection::{Edge, Selection};
use serde::{Deserialize, Serialize};

/// The move with the best all-moves-as-first value.
///
/// ```
/// use afterstate_engine::search::Rave;
/// use afterstate_engine::search::selection::{Edge, Selection};
/// let edge = Edge { visits: 1.0, wins: 0.0, amaf_visits: 10.0, amaf_wins: 6.0 };
/// assert_eq!(Rave::default().score((), edge), 0.6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Rave {
    /// What a move counts as that no simulation has played. Default 1.
    pub first_play_urgency: f32,
}

impl Default for Rave {
    fn default() -> Self {
        Rave { first_play_urgency: 1.0 }
    }
}

impl Selection for Rave {
    const AMAF: bool = true;
    type Common = ();

    #[inline(always)]
    fn common(&self, _visits: impl FnOnce() -> f32) {}

    #[inline(always)]
    fn score(&self, (): (), edge: Edge) -> f32 {
        if edge.amaf_visits > 0.0 {
            edge.amaf_mean()
        } else if edge.visits > 0.0 {
            // A pass.
            edge.mean()
        } else {
            self.first_play_urgency
        }
    }
}
