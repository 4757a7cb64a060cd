//! [`AveragedWeights`]: the mean of the weights that a learner came through (B. Polyak and A. Juditsky, *Acceleration of
//! stochastic approximation by averaging*, SIAM Journal on Control and Optimization 30, 1992).
//!
//! ```text
//! θ̄ ← θ̄ + (θ − θ̄) / min(n, N)          after the n-th game
//! ```
//!
//! Weights that learn go to and fro around what they learn, by the more the longer their steps are; their mean does not. So steps
//! may be long, and what is played with is the mean.

use crate::value::Weights;

/// A mean over about the last N games.
///
/// ```
/// use afterstate_engine::{learning::AveragedWeights, value::Weights};
/// let (weights, average) = (Weights::zeros(1), AveragedWeights::new(&[0.0], 2));
/// for (game, weight) in [(1, 4.0), (2, 6.0), (3, 1.0)] {
///     weights.set(0, weight);
///     average.learnt(&weights, game);
/// }
/// // 4, the mean of 4 and 6, and half way from there to 1.
/// assert_eq!(average.mean().values(), [3.0]);
/// ```
#[derive(Debug)]
pub struct AveragedWeights {
    mean: Weights,
    horizon: u64,
}

impl AveragedWeights {
    /// Begins with `mean`, θ̄, and looks back over about `horizon` games, N, at least 1.
    pub fn new(mean: &[f32], horizon: u64) -> AveragedWeights {
        AveragedWeights { mean: Weights::from_values(mean), horizon: horizon.max(1) }
    }

    /// `weights`, θ, are what is known after so many games, n, the first from which something was learnt being 1. Nobody else may tell it of other games meanwhile.
    ///
    /// # Panics
    ///
    /// If they are not as many as before.
    pub fn learnt(&self, weights: &Weights, games: u64) {
        assert_eq!(weights.len(), self.mean.len(), "a mean of the same weights");
        let part = 1.0 / games.clamp(1, self.horizon) as f32;
        for index in 0..weights.len() {
            let mean = self.mean.get(index);
            self.mean.set(index, mean + part * (weights.get(index) - mean));
        }
    }

    /// θ̄.
    pub fn mean(&self) -> &Weights {
        &self.mean
    }
}
