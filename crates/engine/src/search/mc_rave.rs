//! [`McRave`]: Monte-Carlo values and rapid ones, weighted by how much is known of each (paper 003, §4.3 to §4.6
//! and Algorithm 2); with an exploration constant it is UCT-RAVE (§4.4).
//!
//! ```text
//! Q*(s,a) = (1−β)·Q(s,a) + β·Q̃(s,a)             a* = argmaxₐ Q*(s,a) + c·√(ln N(s) / N(s,a))
//!
//! hand-selected         β = √( k / (3·N(s) + k) )
//! minimum-MSE           β = Ñ / (N + Ñ + 4·N·Ñ·b̃²)
//! full minimum-MSE      β = Ñ / (N + Ñ + N·Ñ·b̃² / (μ(1−μ)))        N, Ñ of (s,a)
//! ```
//!
//! Rapid values are known early, for every simulation tells something of most moves, but they are biased: b̃ says by
//! how much. The mean μ of the full form is taken as Q*(s,a) of the plain one. The best c was 0 there.
//!
//! S. Gelly and D. Silver first had the bonus inside Q, so that it counts for the part 1−β, and little is explored while rapid
//! values decide (Combining online and offline knowledge in UCT, ICML 2007). Their bonus of rapid values, by the counts of these,
//! which footnote 13 of the paper takes back, is left out:
//!
//! ```text
//! Q⊕(s,a) = (1−β)·(Q(s,a) + c·√(ln N(s) / N(s,a))) + β·Q̃(s,a)
//! ```

use super::selection::{Edge, Selection};
use super::uct::bonus;
use serde::{Deserialize, Serialize};

/// How β is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, tag = "schedule", rename_all = "kebab-case")]
pub enum Schedule {
    /// β falls with the visits of the position (§4.5, equation 19).
    HandSelected {
        /// k: how many visits give both values the same weight. The paper's best was 1000 or more.
        equivalence: f32,
    },
    /// β that makes the mean squared error least, for values near one half (§4.6, equation 47).
    MinimumMse {
        /// b̃: by how much rapid values are off.
        bias: f32,
    },
    /// The same for any value (§4.6, equation 46: before the simplification μ = ½).
    FullMinimumMse {
        /// b̃: by how much rapid values are off.
        bias: f32,
    },
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule::MinimumMse { bias: 0.035 }
    }
}

/// The best combination of Monte-Carlo and rapid values.
///
/// ```
/// use afterstate_engine::search::selection::{Edge, Selection};
/// use afterstate_engine::search::{McRave, Schedule};
/// // N = 10, Ñ = 30, b̃ = 0.1: β = 30 / (10 + 30 + 4·10·30·0.01) = 30/52.
/// let rule = McRave { schedule: Schedule::MinimumMse { bias: 0.1 }, ..McRave::default() };
/// let edge = Edge { visits: 10.0, wins: 5.0, amaf_visits: 30.0, amaf_wins: 24.0 };
/// let beta = 30.0 / 52.0;
/// assert!((rule.score(rule.common(|| 99.0), edge) - ((1.0 - beta) * 0.5 + beta * 0.8)).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct McRave {
    /// How β is chosen. Default: minimum-MSE with b̃ = 0.035, which was no worse than others from 0.01 to 0.08 in games at
    /// 700 simulations, where it mattered little (Fuego 0.1 has 4b̃² = 1/5000, that is 0.007).
    pub schedule: Schedule,
    /// c, how much uncertainty adds; with more than 0 this is UCT-RAVE. Default 0.
    pub exploration: f32,
    /// Whether uncertainty counts for the part 1−β alone. Default no.
    pub weighted_exploration: bool,
    /// What a move counts as that no simulation has played. Default 1.
    pub first_play_urgency: f32,
}

impl Default for McRave {
    fn default() -> Self {
        McRave { schedule: Schedule::default(), exploration: 0.0, weighted_exploration: false, first_play_urgency: 1.0 }
    }
}

/// What the moves of a position share.
#[derive(Clone, Copy, Debug)]
pub struct Common {
    /// β of the hand-selected schedule.
    beta: f32,
    /// c·√(ln N(s)).
    bonus: f32,
}

impl Selection for McRave {
    const AMAF: bool = true;
    type Common = Common;

    #[inline(always)]
    fn common(&self, visits: impl FnOnce() -> f32) -> Common {
        match self.schedule {
            Schedule::HandSelected { equivalence } => {
                let visits = visits();
                let beta = (equivalence / (3.0 * visits + equivalence)).sqrt();
                Common { beta, bonus: bonus(self.exploration, || visits) }
            }
            _ => Common { beta: 0.0, bonus: bonus(self.exploration, visits) },
        }
    }

    #[inline(always)]
    fn score(&self, common: Common, edge: Edge) -> f32 {
        let Edge { visits: n, wins, amaf_visits, amaf_wins } = edge;
        if n + amaf_visits <= 0.0 {
            return self.first_play_urgency;
        }
        let value = match self.schedule {
            // A value that does not exist yet has no say.
            Schedule::HandSelected { .. } if n <= 0.0 => edge.amaf_mean(),
            Schedule::HandSelected { .. } if amaf_visits <= 0.0 => edge.mean(),
            Schedule::HandSelected { .. } => (1.0 - common.beta) * edge.mean() + common.beta * edge.amaf_mean(),
            // (1−β)·Q + β·Q̃ = ((1 + Ñ·e)·N·Q + Ñ·Q̃) / (N + Ñ + N·Ñ·e) with e = 4·b̃²: one division.
            Schedule::MinimumMse { bias } => weigh(n, wins, amaf_visits, amaf_wins, 4.0 * bias * bias),
            Schedule::FullMinimumMse { bias } => {
                let mean = weigh(n, wins, amaf_visits, amaf_wins, 4.0 * bias * bias);
                // Away from 0 and 1, where the variance of an outcome would vanish.
                let variance = (mean * (1.0 - mean)).max(0.01);
                weigh(n, wins, amaf_visits, amaf_wins, bias * bias / variance)
            }
        };
        if common.bonus <= 0.0 {
            return value;
        }
        // A move without visits of its own is as uncertain as one with a single visit.
        let bonus = common.bonus / n.max(1.0).sqrt();
        if self.weighted_exploration { value + (1.0 - self.beta(common, edge)) * bonus } else { value + bonus }
    }
}

impl McRave {
    /// β as its schedule has it for this move, also where one of the values does not exist yet; the full form's by its plain one.
    #[inline]
    fn beta(&self, common: Common, edge: Edge) -> f32 {
        let Edge { visits: n, amaf_visits, .. } = edge;
        match self.schedule {
            Schedule::HandSelected { .. } => common.beta,
            Schedule::MinimumMse { bias } | Schedule::FullMinimumMse { bias } => {
                amaf_visits / (n + amaf_visits + 4.0 * n * amaf_visits * bias * bias)
            }
        }
    }
}

#[inline(always)]
fn weigh(n: f32, wins: f32, amaf_visits: f32, amaf_wins: f32, error: f32) -> f32 {
    let scaled = amaf_visits * error;
    ((1.0 + scaled) * wins + amaf_wins) / (n + amaf_visits + n * scaled)
}
