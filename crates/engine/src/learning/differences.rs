//! The temporal differences of one game, from which TD-directed(λ) and TDLeaf(λ) learn when it is over (paper 001, §2).
//!
//! ```text
//! dₜ = V(xₜ₊₁) − V(xₜ)                                      V(x_N) = the outcome
//! θ ← θ + α Σₜ ∇V(xₜ) Σ over j ≥ t of λ^(j−t) dⱼ              t = 1 … N−1
//! ```
//!
//! All values are seen by the learner's side, and x₁ … x_N are positions in which it is to move, or leaves of its searches. Where a
//! clock, a resignation or a program's fault ended the game there is no last difference, as in KnightCap.

use super::adam::SharedAdam;
use super::search_learner::SquaredErrors;
use super::steps::{Stepper, Steps};
use crate::value::{ActiveSet, Squash, Weights};
use afterstate_games::{Outcome, Side};
use serde::{Deserialize, Serialize};

/// Settings of TD-directed(λ) and TDLeaf(λ); the defaults are KnightCap's, but for the step, which is that of paper 002, §6, for
/// linear values.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct DifferenceSettings {
    /// α, or Adam's.
    pub step_size: f32,
    /// How far the positions of a game move a weight.
    pub steps: Steps,
    /// λ, from 0 (the next value alone) to 1 (the outcome alone).
    pub lambda: f32,
    /// Whether differences that are good for the learner do not count when the opponent's move had not been predicted: its
    /// blunders are no merit. The last difference, if it is good, never counts then. For opponents other than oneself.
    pub drop_unpredicted: bool,
    /// A leaf does not learn whose value, seen again, differs by more from that of the search, 0 to 1.
    pub tolerance: f32,
    /// Shorter games teach nothing; in moves of the learner.
    pub least_moves: usize,
}

impl Default for DifferenceSettings {
    fn default() -> Self {
        DifferenceSettings {
            step_size: 1e-5,
            steps: Steps::Equal,
            lambda: 0.7,
            drop_unpredicted: false,
            tolerance: 0.025,
            least_moves: 3,
        }
    }
}

/// One position of a game.
#[derive(Clone, Debug)]
struct Moment {
    /// φ of the position that learns; `None` if it must not.
    set: Option<ActiveSet>,
    /// V, seen by the learner's side.
    value: f32,
    predicted: bool,
}

/// A game so far.
#[derive(Debug)]
pub(super) struct Differences {
    pub(super) settings: DifferenceSettings,
    stepper: Stepper,
    side: Side,
    moments: Vec<Moment>,
    errors: SquaredErrors,
}

impl Differences {
    pub(super) fn new(settings: DifferenceSettings, adam: SharedAdam) -> Differences {
        Differences {
            stepper: Stepper::new(settings.steps, adam),
            settings,
            side: Side::First,
            moments: Vec::new(),
            errors: SquaredErrors::default(),
        }
    }

    pub(super) fn begin(&mut self) {
        self.moments.clear();
        self.errors = SquaredErrors::default();
    }

    /// How far values were from their λ-returns: Σ over j ≥ t of λ^(j−t) dⱼ.
    pub(super) fn errors(&self) -> SquaredErrors {
        self.errors
    }

    /// The learner's side came to a position of which it thinks this.
    pub(super) fn reached(&mut self, side: Side, value: f32, set: Option<ActiveSet>, predicted: bool) {
        self.side = side;
        self.moments.push(Moment { set, value, predicted });
    }

    /// The game is over: its positions learn. Without an outcome there is no last difference.
    pub(super) fn learn(&mut self, outcome: Option<Outcome>, squash: Squash, weights: &Weights) {
        if self.moments.len() < self.settings.least_moves {
            return;
        }
        let DifferenceSettings { step_size, lambda, drop_unpredicted, .. } = self.settings;
        let Some(last) = self.moments.last() else { return };
        // The last difference is dropped whenever it is good, as in KnightCap (td.c): a win by a blunder is no merit.
        let won = outcome.map_or(last.value, |outcome| crate::Value::from(outcome).seen_by(self.side));
        let mut next = (won, false);
        let mut sum = 0.0;
        for moment in self.moments.iter().rev() {
            let mut difference = next.0 - moment.value;
            if drop_unpredicted && !next.1 && difference > 0.0 {
                difference = 0.0;
            }
            sum = difference + lambda * sum;
            if let Some(set) = &moment.set {
                let slope = match squash {
                    Squash::Linear => 1.0,
                    Squash::Logistic => moment.value * (1.0 - moment.value),
                };
                let sign = match self.side {
                    Side::First => 1.0,
                    Side::Second => -1.0,
                };
                self.errors.add(sum);
                self.stepper.add(weights, set, sign * slope * sum);
            }
            next = (moment.value, moment.predicted);
        }
        self.stepper.step(weights, step_size);
    }
}
