//! [`Linear`]: the value as a linear function of features, squashed or not.

use super::features::Features;
use super::function::{Value, ValueFunction};
use super::weights::Weights;
use afterstate_games::Game;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What makes a value of φ·θ.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Squash {
    /// V = σ(φ·θ), σ(x) = 1/(1+e⁻ˣ).
    #[default]
    Logistic,
    /// V = ½ + φ·θ. The offset makes exchanging the colours take V to 1 − V, as the logistic form does by itself.
    Linear,
}

impl Squash {
    /// The value that belongs to a sum of weights.
    #[inline(always)]
    pub fn value(self, sum: f32) -> Value {
        Value(match self {
            Squash::Logistic => 1.0 / (1.0 + (-sum).exp()),
            Squash::Linear => 0.5 + sum,
        })
    }

    /// What searches cut sums to, either way, so that no estimate is as good as a sure result: 99 % of a linear value's range
    /// (paper 002, §5: 9900 of 9999). Logistic values need no limit.
    pub const fn limit(self) -> f32 {
        match self {
            Squash::Logistic => f32::INFINITY,
            Squash::Linear => 0.99 * 0.5,
        }
    }
}

/// A value function V(s) = squash(φ(s)·θ) (paper 000, §2.4).
pub struct Linear<F> {
    /// φ.
    pub features: Arc<F>,
    /// θ.
    pub weights: Arc<Weights>,
    /// σ, or nothing.
    pub squash: Squash,
}

/// The same features and weights, not copies of them.
impl<F> Clone for Linear<F> {
    fn clone(&self) -> Self {
        Linear { features: self.features.clone(), weights: self.weights.clone(), squash: self.squash }
    }
}

impl<G: Game, F: Features<G>> ValueFunction<G> for Linear<F> {
    fn value(&self, game: &G) -> Value {
        self.squash.value(self.features.sum(game, &*self.weights))
    }
}
