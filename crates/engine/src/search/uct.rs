//! [`Uct`]: upper confidence bounds applied to trees (L. Kocsis and C. Szepesvári, 2006; paper 003, §2.5 and Algorithm 1).
//!
//! ```text
//! Q⊕(s,a) = Q(s,a) + c·√(ln N(s) / N(s,a))        a* = argmaxₐ Q⊕(s,a)
//! ```
//!
//! A move that was never tried has no mean; it counts as the constant first-play urgency (Y. Wang and
//! S. Gelly, 2007). Paper 000, §4.5, has 1 for it and for c, as the original MoGo; paper 003 tells neither.

use super::selection::{Edge, Selection};
use serde::{Deserialize, Serialize};

/// The move with the best upper confidence bound.
///
/// ```
/// use afterstate_engine::search::Uct;
/// use afterstate_engine::search::selection::{Edge, Selection};
/// let rule = Uct { exploration: 0.5, ..Uct::default() };
/// let edge = Edge { visits: 4.0, wins: 1.0, amaf_visits: 0.0, amaf_wins: 0.0 };
/// let bonus = 0.5 * (100f32.ln() / 4.0).sqrt();
/// assert!((rule.score(rule.common(|| 100.0), edge) - (0.25 + bonus)).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Uct {
    /// c, how much uncertainty adds. Default 1.
    pub exploration: f32,
    /// What a move without any visit counts as. Default 1.
    pub first_play_urgency: f32,
}

impl Default for Uct {
    fn default() -> Self {
        Uct { exploration: 1.0, first_play_urgency: 1.0 }
    }
}

impl Selection for Uct {
    const AMAF: bool = false;
    /// c·√(ln N(s)).
    type Common = f32;

    #[inline(always)]
    fn common(&self, visits: impl FnOnce() -> f32) -> f32 {
        bonus(self.exploration, visits)
    }

    #[inline(always)]
    fn score(&self, bonus: f32, edge: Edge) -> f32 {
        if edge.visits > 0.0 { edge.mean() + bonus / edge.visits.sqrt() } else { self.first_play_urgency }
    }
}

/// c·√(ln N(s)): the part of the bonus that all moves of a position share.
#[inline(always)]
pub(super) fn bonus(exploration: f32, visits: impl FnOnce() -> f32) -> f32 {
    if exploration == 0.0 { 0.0 } else { exploration * visits().max(1.0).ln().sqrt() }
}
