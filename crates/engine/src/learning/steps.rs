//! [`Stepper`]: how far the errors that a learner found move its weights, by one step size for all of them as in the papers,
//! or by [`super::Adam`].
//!
//! ```text
//! Δθ = η Σ over the positions s that learn of  δ(s) φ(s)          δ(s): how far H(s) is from its target
//! ```

use super::adam::SharedAdam;
use crate::value::{ActiveSet, Weights};
use serde::{Deserialize, Serialize};
use std::sync::PoisonError;

/// How far errors move a weight.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Steps {
    /// Their sum times the step size, as in the papers.
    #[default]
    Equal,
    /// By [`super::Adam`], whose gradient is their mean over all positions that learn at the same time.
    Adam,
}

/// Settings of a learner that has no others; the defaults are those of RootStrap (paper 002, §6).
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct StepSettings {
    /// η, or Adam's α.
    pub step_size: f32,
    /// How far errors move a weight.
    pub steps: Steps,
}

impl Default for StepSettings {
    fn default() -> Self {
        StepSettings { step_size: 1e-5, steps: Steps::Equal }
    }
}

/// Sums the errors of positions that learn at the same time, and then takes the step.
///
/// ```
/// use afterstate_engine::learning::{SharedAdam, Stepper, Steps};
/// use afterstate_engine::value::{ActiveSet, Share, Weights};
/// let weights = Weights::zeros(2);
/// let (mut one, mut both) = (ActiveSet::default(), ActiveSet::default());
/// one.push(Share::new(0, false));
/// both.push(Share::new(0, false));
/// both.push(Share::new(1, true));
/// let mut stepper = Stepper::new(Steps::Equal, SharedAdam::default());
/// stepper.add(&weights, &one, 0.5);
/// stepper.add(&weights, &both, -0.25);
/// stepper.step(&weights, 0.1);
/// assert_eq!(weights.values(), [0.025, 0.025]);
/// ```
#[derive(Debug)]
pub struct Stepper {
    steps: Steps,
    adam: SharedAdam,
    /// Σ δ(s) φ(s).
    sums: Vec<f32>,
    /// The weights whose sums may not be 0. One that came back to 0 meanwhile may be there twice.
    touched: Vec<u32>,
    positions: u32,
}

impl Stepper {
    /// For one of several players that learn the same weights. What Adam remembers is theirs together; without Adam there is
    /// nothing to share.
    pub fn new(steps: Steps, adam: SharedAdam) -> Stepper {
        Stepper { steps, adam, sums: Vec::new(), touched: Vec::new(), positions: 0 }
    }

    /// A position with features `set` is `error`, δ, below its target.
    #[inline]
    pub fn add(&mut self, weights: &Weights, set: &ActiveSet, error: f32) {
        self.positions += 1;
        if error == 0.0 {
            return;
        }
        // Shares of features that do not count have the index after the last weight.
        self.sums.resize(weights.len() + 1, 0.0);
        for &share in set.shares() {
            let sum = &mut self.sums[share.index()];
            if *sum == 0.0 {
                self.touched.push(share.index() as u32);
            }
            *sum += error * share.sign();
        }
    }

    /// θ ← θ + Δθ, and no position is left to learn.
    pub fn step(&mut self, weights: &Weights, step_size: f32) {
        if self.positions == 0 {
            return;
        }
        self.sums.resize(weights.len() + 1, 0.0);
        match self.steps {
            Steps::Equal => {
                for &index in &self.touched {
                    let sum = std::mem::take(&mut self.sums[index as usize]);
                    if (index as usize) < weights.len() {
                        weights.add_exactly(index as usize, step_size * sum);
                    }
                }
            }
            Steps::Adam => {
                let mean = &mut self.sums[..weights.len()];
                mean.iter_mut().for_each(|sum| *sum /= self.positions as f32);
                self.adam.lock().unwrap_or_else(PoisonError::into_inner).step(weights, mean, step_size);
                self.sums.fill(0.0);
            }
        }
        self.touched.clear();
        self.positions = 0;
    }
}
