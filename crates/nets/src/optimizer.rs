//! How weights follow their gradients: [`Adam`] and [`Sgd`], each with the decay of ‖θ‖².
//!
//! Only weights decay that are multiplied with inputs; norms and biases do not (see
//! [`Role`]). Running statistics never move here. (The engine's own Adam moves weights that threads share, and knows of no
//! decay.)

use crate::architecture::{Layout, Role};
use serde::{Deserialize, Serialize};

/// Moves weights against their gradients.
pub trait Optimizer {
    /// One step. `gradients` are of the loss alone: the decay is added here.
    fn step(&mut self, layout: &Layout, weights: &mut [f32], gradients: &[f32]);

    /// What it must remember to go on, in an order of its own.
    fn memory(&self) -> Vec<f32>;
}

/// Which optimiser, and how.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum OptimizerSettings {
    /// Steps of a length of their own for each weight (Adam).
    Adam(AdamSettings),
    /// Stochastic gradient descent with momentum.
    Sgd(SgdSettings),
}

impl Default for OptimizerSettings {
    fn default() -> Self {
        OptimizerSettings::Adam(AdamSettings::default())
    }
}

impl OptimizerSettings {
    /// The optimiser, with the `memory` that it had, if it is not new. `None` if that cannot be its memory.
    pub fn optimizer(self, weights: usize, memory: &[f32]) -> Option<Box<dyn Optimizer + Send + Sync>> {
        match self {
            OptimizerSettings::Adam(settings) => Some(Box::new(Adam::new(settings, weights, memory)?)),
            OptimizerSettings::Sgd(settings) => Some(Box::new(Sgd::new(settings, weights, memory)?)),
        }
    }
}

/// Settings of Adam; the defaults are the paper's.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct AdamSettings {
    /// The step size, which the paper never changes.
    pub step_size: f32,
    /// In how many of its steps, which are batches, the step size halves. If nothing is said, it stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_life: Option<u32>,
    /// c, the weight of ‖θ‖² in the loss.
    pub decay: f32,
    /// β₁: how much of the last mean gradient stays.
    pub first: f32,
    /// β₂: how much of the last mean squared gradient stays.
    pub second: f32,
}

impl Default for AdamSettings {
    fn default() -> Self {
        AdamSettings { step_size: 1e-3, half_life: None, decay: 1e-5, first: 0.9, second: 0.999 }
    }
}

/// Steps by each gradient's mean, divided by its usual size (D. Kingma and J. Ba, *Adam*, 2015).
#[derive(Clone, Debug)]
pub struct Adam {
    settings: AdamSettings,
    /// Mean gradients.
    means: Vec<f32>,
    /// Mean squared gradients.
    squares: Vec<f32>,
    steps: u32,
}

impl Adam {
    /// An optimiser of so many weights that remembers what another one [did](Optimizer::memory), or nothing.
    pub fn new(settings: AdamSettings, weights: usize, memory: &[f32]) -> Option<Adam> {
        match memory {
            [] => Some(Adam { settings, means: vec![0.0; weights], squares: vec![0.0; weights], steps: 0 }),
            [numbers @ .., steps] if numbers.len() == 2 * weights && *steps >= 0.0 => {
                let (means, squares) = numbers.split_at(weights);
                Some(Adam { settings, means: means.to_vec(), squares: squares.to_vec(), steps: steps.to_bits() })
            }
            _ => None,
        }
    }
}

/// The gradient of c‖θ‖² at `weight`, which c gives its weight in the loss.
fn decay(role: Role, weight: f32, c: f32) -> f32 {
    if role == Role::Weight { 2.0 * c * weight } else { 0.0 }
}

impl Optimizer for Adam {
    fn step(&mut self, layout: &Layout, weights: &mut [f32], gradients: &[f32]) {
        const TINY: f32 = 1e-8;
        let AdamSettings { step_size, half_life, decay: c, first, second } = self.settings;
        let lives = half_life.map_or(0.0, |half_life| self.steps as f32 / half_life as f32);
        let step_size = step_size * (-lives).exp2();
        self.steps += 1;
        let [bias1, bias2] = [first, second].map(|keep| 1.0 - keep.powi(self.steps as i32));
        for tensor in layout.tensors().iter().filter(|tensor| tensor.role != Role::Statistic) {
            let range = || tensor.range.clone();
            let means = self.means[range()].iter_mut().zip(&mut self.squares[range()]);
            for ((weight, &gradient), (mean, square)) in weights[range()].iter_mut().zip(&gradients[range()]).zip(means)
            {
                let gradient = gradient + decay(tensor.role, *weight, c);
                *mean = first * *mean + (1.0 - first) * gradient;
                *square = second * *square + (1.0 - second) * gradient * gradient;
                *weight -= step_size * (*mean / bias1) / ((*square / bias2).sqrt() + TINY);
            }
        }
    }

    fn memory(&self) -> Vec<f32> {
        // The number of steps by its bits, so that none is ever rounded away.
        [&self.means[..], &self.squares, &[f32::from_bits(self.steps)]].concat()
    }
}

/// Settings of stochastic gradient descent; the defaults are AlphaGo Zero's.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct SgdSettings {
    /// The step size.
    pub step_size: f32,
    /// c, the weight of ‖θ‖² in the loss.
    pub decay: f32,
    /// How much of the last step is made again.
    pub momentum: f32,
}

impl Default for SgdSettings {
    fn default() -> Self {
        SgdSettings { step_size: 1e-2, decay: 1e-4, momentum: 0.9 }
    }
}

/// Stochastic gradient descent with momentum.
#[derive(Clone, Debug)]
pub struct Sgd {
    settings: SgdSettings,
    velocity: Vec<f32>,
}

impl Sgd {
    /// An optimiser of so many weights that remembers what another one [did](Optimizer::memory), or nothing.
    pub fn new(settings: SgdSettings, weights: usize, memory: &[f32]) -> Option<Sgd> {
        match memory.len() {
            0 => Some(Sgd { settings, velocity: vec![0.0; weights] }),
            numbers => (numbers == weights).then(|| Sgd { settings, velocity: memory.to_vec() }),
        }
    }
}

impl Optimizer for Sgd {
    fn step(&mut self, layout: &Layout, weights: &mut [f32], gradients: &[f32]) {
        let SgdSettings { step_size, decay: c, momentum } = self.settings;
        for tensor in layout.tensors().iter().filter(|tensor| tensor.role != Role::Statistic) {
            let range = || tensor.range.clone();
            let steps = self.velocity[range()].iter_mut().zip(&gradients[range()]);
            for (weight, (velocity, &gradient)) in weights[range()].iter_mut().zip(steps) {
                *velocity = momentum * *velocity + gradient + decay(tensor.role, *weight, c);
                *weight -= step_size * *velocity;
            }
        }
    }

    fn memory(&self) -> Vec<f32> {
        self.velocity.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Architecture;

    fn network() -> (Layout, Vec<f32>) {
        let architecture = Architecture {
            planes: 1,
            height: 2,
            width: 2,
            moves: 2,
            blocks: 0,
            filters: 16,
            hidden: 1,
            ownership: false,
        };
        let layout = architecture.layout();
        let weights = vec![0.5; layout.len()];
        (layout, weights)
    }

    #[test]
    fn two_steps_of_adam_by_hand() {
        let (layout, mut weights) = network();
        let settings = AdamSettings { step_size: 0.1, half_life: None, decay: 0.25, first: 0.5, second: 0.75 };
        let mut adam = Adam::new(settings, weights.len(), &[]).unwrap();
        let gradients = vec![1.0; weights.len()];
        adam.step(&layout, &mut weights, &gradients);
        // Whatever the gradient, the first step has the step size's length.
        let (weight, bias, mean) = (layout.stem.weight.start, layout.stem.bias.start, layout.stem.mean.start);
        assert!((weights[weight] - 0.4).abs() < 1e-6 && (weights[bias] - 0.4).abs() < 1e-6);
        assert_eq!(weights[mean], 0.5, "statistics do not move");
        adam = Adam::new(settings, weights.len(), &adam.memory()).unwrap();
        adam.step(&layout, &mut weights, &gradients);
        // The first gradient was 1 + 2·0.25·0.5 = 1.25, the second 1 + 2·0.25·0.4 = 1.2.
        let mean = (0.5 * 0.5 * 1.25 + 0.5 * 1.2) / 0.75;
        let square = (0.75 * 0.25 * 1.25f32.powi(2) + 0.25 * 1.2f32.powi(2)) / (1.0 - 0.5625);
        assert!((weights[weight] - (0.4 - 0.1 * mean / square.sqrt())).abs() < 1e-6);
        assert!((weights[bias] - 0.3).abs() < 1e-6, "biases do not decay");
    }

    #[test]
    fn the_step_size_halves() {
        let (layout, mut weights) = network();
        let settings = AdamSettings { step_size: 0.1, half_life: Some(2), decay: 0.0, ..AdamSettings::default() };
        let mut adam = Adam::new(settings, weights.len(), &[]).unwrap();
        let gradients = vec![1.0; weights.len()];
        // While the gradient is the same, each step has the step size's length.
        let lengths = [0.1, 0.1 / 2f32.sqrt(), 0.05, 0.05 / 2f32.sqrt(), 0.025];
        for length in lengths {
            let before = weights[layout.stem.weight.start];
            adam = Adam::new(settings, weights.len(), &adam.memory()).unwrap();
            adam.step(&layout, &mut weights, &gradients);
            assert!((before - weights[layout.stem.weight.start] - length).abs() < 1e-6);
        }
    }

    #[test]
    fn two_steps_of_gradient_descent_by_hand() {
        let (layout, mut weights) = network();
        let settings = SgdSettings { step_size: 0.1, decay: 0.5, momentum: 0.5 };
        let mut sgd = Sgd::new(settings, weights.len(), &[]).unwrap();
        let gradients = vec![1.0; weights.len()];
        sgd.step(&layout, &mut weights, &gradients);
        sgd = Sgd::new(settings, weights.len(), &sgd.memory()).unwrap();
        sgd.step(&layout, &mut weights, &gradients);
        // 0.5 − 0.1·1.5 = 0.35, and then velocity 0.75 + 1.35.
        assert!((weights[layout.stem.weight.start] - 0.14).abs() < 1e-6);
        // 0.5 − 0.1 = 0.4, and then velocity 0.5 + 1.
        assert!((weights[layout.stem.bias.start] - 0.25).abs() < 1e-6);
    }

    #[test]
    fn a_foreign_memory_is_refused() {
        assert!(Adam::new(AdamSettings::default(), 3, &[0.0; 5]).is_none());
        assert!(Sgd::new(SgdSettings::default(), 3, &[0.0; 5]).is_none());
    }
}
