//! [`Adam`]: steps whose size each weight has for itself (D. Kingma and J. Ba, *Adam: a method for stochastic optimization*,
//! ICLR 2015, Algorithm 1).
//!
//! ```text
//! m ← β₁ m + (1−β₁) g        v ← β₂ v + (1−β₂) g²
//! θ ← θ + α (m / (1−β₁ᵗ)) / (√(v / (1−β₂ᵗ)) + ε)
//! ```
//!
//! With one step size for all, a term that is active in every position moves a thousand times as far as one that is active in
//! every thousandth, and what all positions of a game have in common drowns what tells them apart.

use crate::value::Weights;
use std::sync::{Arc, Mutex};

/// β₁, the article's.
const MEAN_DECAY: f32 = 0.9;

/// β₂, the article's.
const SQUARE_DECAY: f32 = 0.999;

/// ε: errors are those of probabilities, and smaller means of them are not worth a whole step.
const SMALL: f32 = 1e-6;

/// After so many steps both means are as good as those of any number, and nobody counts on.
const MANY: u32 = 100_000;

/// What several players that learn the same weights remember together.
pub type SharedAdam = Arc<Mutex<Adam>>;

/// Running means of gradients and of their squares.
///
/// ```
/// use afterstate_engine::{learning::Adam, value::Weights};
/// let weights = Weights::zeros(3);
/// let mut adam = Adam::default();
/// adam.step(&weights, &[0.5, -0.002, 0.0], 0.01);
/// // The first step has the same length for all, whatever their gradients.
/// let moved = weights.values();
/// assert!((moved[0] - 0.01).abs() < 1e-5 && (moved[1] + 0.01).abs() < 1e-5 && moved[2] == 0.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adam {
    /// m and v of each weight; empty before the first step.
    moments: Vec<[f32; 2]>,
    /// t, at most [`MANY`].
    steps: u32,
}

impl Adam {
    /// θ ← θ + a step in the direction of `gradient`, g, one number for each weight.
    ///
    /// # Panics
    ///
    /// If there are not as many numbers as weights.
    pub fn step(&mut self, weights: &Weights, gradient: &[f32], step_size: f32) {
        assert_eq!(gradient.len(), weights.len(), "each weight has a gradient");
        self.moments.resize(weights.len(), [0.0; 2]);
        self.steps = (self.steps + 1).min(MANY);
        let short = |decay: f32| 1.0 - decay.powi(self.steps as i32);
        let (mean_share, square_share) = (short(MEAN_DECAY), short(SQUARE_DECAY));
        for (index, ([mean, square], &gradient)) in self.moments.iter_mut().zip(gradient).enumerate() {
            *mean = MEAN_DECAY * *mean + (1.0 - MEAN_DECAY) * gradient;
            *square = SQUARE_DECAY * *square + (1.0 - SQUARE_DECAY) * gradient * gradient;
            if *square > 0.0 {
                let step = step_size * (*mean / mean_share) / ((*square / square_share).sqrt() + SMALL);
                weights.add_exactly(index, step);
            }
        }
    }

    /// Whether it has taken a step.
    pub fn has_begun(&self) -> bool {
        !self.moments.is_empty()
    }

    /// All that it remembers, to be saved: nothing, or the number of steps, and m and v of each weight in turn.
    pub fn memory(&self) -> Vec<f32> {
        if self.moments.is_empty() {
            return Vec::new();
        }
        [self.steps as f32].into_iter().chain(self.moments.iter().flatten().copied()).collect()
    }

    /// The inverse of [`Adam::memory`]; `None` if that is not a memory of so many weights.
    pub fn from_memory(memory: &[f32], weights: usize) -> Option<Adam> {
        let Some((steps, moments)) = memory.split_first() else { return Some(Adam::default()) };
        let moments = moments.as_chunks::<2>();
        (moments.0.len() == weights && moments.1.is_empty())
            .then(|| Adam { moments: moments.0.to_vec(), steps: *steps as u32 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_steps_are_those_computed_by_hand() {
        let weights = Weights::from_values(&[1.0]);
        let mut adam = Adam::default();
        adam.step(&weights, &[0.5], 0.1);
        // m = 0.05, v = 0.00025; both undo their shares: 0.5 and 0.25.
        assert!((weights.get(0) - 1.1).abs() < 1e-5);
        adam.step(&weights, &[-0.1], 0.1);
        // m = 0.045 − 0.01 = 0.035, over 0.19; v = 0.00024975 + 0.00001 = 0.00025975, over 0.001999.
        let expected = 1.1 + 0.1 * (0.035 / 0.19) / (0.000_259_75f32 / 0.001_999).sqrt();
        assert!((weights.get(0) - expected).abs() < 1e-4, "{} is not {expected}", weights.get(0));
    }

    #[test]
    fn what_is_remembered_comes_back() {
        let weights = Weights::zeros(2);
        let mut adam = Adam::default();
        assert_eq!(Adam::from_memory(&adam.memory(), 2), Some(Adam::default()));
        for i in 0..300 {
            adam.step(&weights, &[i as f32, 0.0], 0.1);
        }
        assert_eq!(Adam::from_memory(&adam.memory(), 2), Some(adam.clone()));
        assert_eq!(Adam::from_memory(&adam.memory(), 3), None);
    }
}
