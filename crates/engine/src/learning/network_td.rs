//! [`NetworkTd`]: TD(λ) with eligibility traces for a network, move by move (R. Sutton 1988; G. Tesauro 1992).
//!
//! ```text
//! eₖ ← λ eₖ + ∇yₖ(sₜ)                  for each output k
//! w  ← w + α Σₖ (yₖ(sₜ₊₁) − yₖ(sₜ)) eₖ        the outcome stands for y after the last position
//! ```
//!
//! A network may see each position with the eyes of the side to move. What it says of the next position is then turned
//! around ([`Turned`]) before it is compared, and so are the traces (`network_traces`). With λ = 0 these are the gradients of one
//! position, so that a step is one of backpropagation for all outputs together.

use super::network_traces::NetworkTraces;
use crate::value::perceptron::{Activation, Layers, Perceptron, SparseInputs, Turned};
use serde::{Deserialize, Serialize};

/// Settings of TD(λ) for a network.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct NetworkTdSettings {
    /// α.
    pub step_size: f32,
    /// λ.
    pub lambda: f32,
}

impl Default for NetworkTdSettings {
    /// TD-Gammon's (G. Tesauro 1992, §4.1).
    fn default() -> Self {
        NetworkTdSettings { step_size: 0.1, lambda: 0.7 }
    }
}

/// Who gets credit for what happens next.
#[derive(Clone, Debug)]
enum Credit {
    /// With λ = 0 the last position alone, with these inputs; and room for ∂ by the sum of each hidden unit.
    Last(SparseInputs, Vec<f32>),
    /// All positions of the game.
    Traces(Box<NetworkTraces>),
}

/// The rule at work on one game after the other.
#[derive(Clone, Debug)]
pub struct NetworkTd {
    settings: NetworkTdSettings,
    turned: Vec<Turned>,
    credit: Credit,
    /// Of the position that learns next, if there is one.
    activation: Activation,
    /// Of the position that learns now.
    before: Activation,
    has_begun: bool,
    /// δₖ.
    errors: Vec<f32>,
}

impl NetworkTd {
    /// The rule for networks of one size that see all positions with the same eyes.
    pub fn new(layers: Layers, settings: NetworkTdSettings) -> NetworkTd {
        let same = |from| Turned { from, sign: 1.0, offset: 0.0 };
        NetworkTd::turning(layers, settings, (0..layers.outputs).map(same).collect())
    }

    /// The rule for networks that see each position as the side to move does, the sides taking turns.
    ///
    /// # Panics
    ///
    /// If `turned` is not about as many outputs as the network has.
    pub fn turning(layers: Layers, settings: NetworkTdSettings, turned: Vec<Turned>) -> NetworkTd {
        assert_eq!(turned.len(), layers.outputs, "each output reads somehow with the other side's eyes");
        let credit = if settings.lambda == 0.0 {
            Credit::Last(SparseInputs::default(), vec![0.0; layers.hidden])
        } else {
            Credit::Traces(Box::new(NetworkTraces::new(layers)))
        };
        let (activation, before, errors) = (Activation::default(), Activation::default(), vec![0.0; layers.outputs]);
        NetworkTd { settings, turned, credit, activation, before, has_begun: false, errors }
    }

    /// Steps have another size from now on.
    pub fn set_step_size(&mut self, step_size: f32) {
        self.settings.step_size = step_size;
    }

    /// Forgets all that belongs to a game: the next position is the first of another.
    pub fn begin(&mut self) {
        if let Credit::Traces(traces) = &mut self.credit {
            traces.clear();
        }
        self.has_begun = false;
    }

    /// The game has come to a position with these inputs. The positions before it learn what it is worth.
    pub fn reached(&mut self, network: &mut Perceptron, inputs: &SparseInputs) {
        if self.has_begun {
            // By the weights that the position before was valued with.
            std::mem::swap(&mut self.before, &mut self.activation);
            network.evaluate(inputs, &mut self.activation);
            for ((error, turned), before) in self.errors.iter_mut().zip(&self.turned).zip(&self.before.outputs) {
                *error = turned.offset + turned.sign * self.activation.outputs[turned.from] - before;
            }
            self.update(network);
        }
        network.evaluate(inputs, &mut self.activation);
        match &mut self.credit {
            Credit::Last(last, _) => last.clone_from(inputs),
            Credit::Traces(traces) => {
                if self.has_begun {
                    traces.turn(&self.turned, self.settings.lambda);
                }
                traces.add(network, inputs, &self.activation, (0..self.turned.len()).map(|output| (output, 1.0)));
            }
        }
        self.has_begun = true;
    }

    /// The game has ended. `outcome` is what the outputs of its last position should have been.
    pub fn ended(&mut self, network: &mut Perceptron, outcome: &[f32]) {
        if self.has_begun {
            std::mem::swap(&mut self.before, &mut self.activation);
            for ((error, &outcome), output) in self.errors.iter_mut().zip(outcome).zip(&self.before.outputs) {
                *error = outcome - output;
            }
            self.update(network);
        }
        self.begin();
    }

    /// w ← w + α Σₖ δₖ eₖ.
    fn update(&mut self, network: &mut Perceptron) {
        let (errors, step_size) = (&self.errors, self.settings.step_size);
        match &mut self.credit {
            Credit::Last(inputs, slopes) => step(network, inputs, &self.before, errors, step_size, slopes),
            Credit::Traces(traces) => traces.update(network, errors, step_size),
        }
    }
}

/// w ← w + α Σₖ δₖ ∇yₖ: one step of backpropagation. `slopes` is room for a number for each hidden unit.
fn step(
    network: &mut Perceptron,
    inputs: &SparseInputs,
    before: &Activation,
    errors: &[f32],
    step_size: f32,
    slopes: &mut [f32],
) {
    let Layers { inputs: biases, hidden, .. } = network.layers();
    let (rows, outputs) = network.weights_mut().split_at_mut((biases + 1) * hidden);
    slopes.fill(0.0);
    for ((weights, error), y) in outputs.chunks_exact_mut(hidden + 1).zip(errors).zip(&before.outputs) {
        let slope = step_size * error * y * (1.0 - y);
        let (own, bias) = weights.split_at_mut(hidden);
        for ((sum, weight), h) in slopes.iter_mut().zip(own).zip(&before.hidden) {
            *sum += slope * *weight;
            *weight += slope * h;
        }
        bias[0] += slope;
    }
    for (slope, h) in slopes.iter_mut().zip(&before.hidden) {
        *slope *= h * (1.0 - h);
    }
    for (row, input) in inputs.iter().chain([(biases, 1.0)]) {
        for (weight, slope) in rows[row * hidden..(row + 1) * hidden].iter_mut().zip(&*slopes) {
            *weight += input * slope;
        }
    }
}
