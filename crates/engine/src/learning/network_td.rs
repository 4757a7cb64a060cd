//! [`NetworkTd`]: TD(λ) with eligibility traces for a network, move by move (R. Sutton 1988; G. Tesauro 1992).
//!
//! ```text
//! eₖ ← λ eₖ + ∇yₖ(sₜ)                  for each output k
//! w  ← w + α Σₖ (yₖ(sₜ₊₁) − yₖ(sₜ)) eₖ        the outcome stands for y after the last position
//! ```
//!
//! A network may see each position with the eyes of the side to move. What it says of the next position is then turned
//! around ([`Turned`]) before it is compared, and so are the traces.
//!
//! Traces fade without being touched: what is kept is e / c with one c for all, c ← λ c. Rows of inputs that have not been other
//! than 0 in a game have no trace and cost nothing.

use crate::value::perceptron::{Activation, Layers, Perceptron, SparseInputs, Turned};
use serde::{Deserialize, Serialize};

/// Settings of TD(λ) for a network.
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

/// Below this c is made 1 again, so that e / c stays in the range of a float.
const SMALL: f32 = 1e-6;

/// The rule at work on one game after the other.
#[derive(Clone, Debug)]
pub struct NetworkTd {
    settings: NetworkTdSettings,
    turned: Vec<Turned>,
    /// For each input and then the biases, for each seat: the trace of the weights to the hidden units, over c.
    rows: Vec<f32>,
    /// For each seat the traces of all outputs' own weights, over c: a trace that was turned around is one of another output.
    last: Vec<f32>,
    /// Where each output's trace is, and its sign there: turning traces around moves none of their numbers.
    seats: Vec<(usize, f32)>,
    /// c.
    scale: f32,
    /// Rows that may have traces.
    awake: Vec<usize>,
    is_awake: Vec<bool>,
    /// Of the position that learns next, if there is one.
    activation: Activation,
    /// Of the position that learns now.
    before: Activation,
    /// Its inputs, without traces.
    inputs: SparseInputs,
    has_begun: bool,
    /// δₖ.
    errors: Vec<f32>,
    /// What traces are multiplied by, by seat.
    factors: Vec<f32>,
    /// ∂yₖ by the sum of each hidden unit, for one output after the other.
    slopes: Vec<f32>,
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
        let Layers { inputs, hidden, outputs } = layers;
        assert_eq!(turned.len(), outputs, "each output reads somehow with the other side's eyes");
        NetworkTd {
            settings,
            turned,
            rows: vec![0.0; (inputs + 1) * outputs * hidden],
            last: vec![0.0; outputs * outputs * (hidden + 1)],
            seats: (0..outputs).map(|output| (output, 1.0)).collect(),
            scale: 1.0,
            awake: Vec::new(),
            is_awake: vec![false; inputs + 1],
            activation: Activation::default(),
            before: Activation::default(),
            inputs: SparseInputs::default(),
            has_begun: false,
            errors: vec![0.0; outputs],
            factors: vec![0.0; outputs],
            slopes: vec![0.0; hidden],
        }
    }

    /// Steps have another size from now on.
    pub fn set_step_size(&mut self, step_size: f32) {
        self.settings.step_size = step_size;
    }

    /// Forgets all that belongs to a game: the next position is the first of another.
    pub fn begin(&mut self) {
        let block = self.rows.len() / self.is_awake.len();
        for row in self.awake.drain(..) {
            self.rows[row * block..(row + 1) * block].fill(0.0);
            self.is_awake[row] = false;
        }
        self.last.fill(0.0);
        self.scale = 1.0;
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
            self.turn();
        }
        network.evaluate(inputs, &mut self.activation);
        if self.settings.lambda > 0.0 {
            self.trace(network, inputs);
        } else {
            self.inputs.clone_from(inputs);
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
        if self.settings.lambda == 0.0 {
            return self.step(network);
        }
        let layers = network.layers();
        for (&(seat, sign), error) in self.seats.iter().zip(&self.errors) {
            self.factors[seat] = self.settings.step_size * self.scale * sign * error;
        }
        let (weights, outputs) = network.weights_mut().split_at_mut(layers.first_output());
        for &row in &self.awake {
            let block = row * layers.hidden;
            let traces = &self.rows[block * layers.outputs..(block + layers.hidden) * layers.outputs];
            add_all(&mut weights[block..block + layers.hidden], traces, &self.factors);
        }
        add_all(outputs, &self.last, &self.factors);
    }

    /// The same with λ = 0: the traces are the gradients of one position, so that all outputs are one step of backpropagation.
    fn step(&mut self, network: &mut Perceptron) {
        let Layers { inputs: biases, hidden, .. } = network.layers();
        let (rows, outputs) = network.weights_mut().split_at_mut((biases + 1) * hidden);
        self.slopes.fill(0.0);
        for ((weights, error), y) in outputs.chunks_exact_mut(hidden + 1).zip(&self.errors).zip(&self.before.outputs) {
            let slope = self.settings.step_size * error * y * (1.0 - y);
            let (own, bias) = weights.split_at_mut(hidden);
            for ((sum, weight), h) in self.slopes.iter_mut().zip(own).zip(&self.before.hidden) {
                *sum += slope * *weight;
                *weight += slope * h;
            }
            bias[0] += slope;
        }
        for (slope, h) in self.slopes.iter_mut().zip(&self.before.hidden) {
            *slope *= h * (1.0 - h);
        }
        for (row, input) in self.inputs.iter().chain([(biases, 1.0)]) {
            for (weight, slope) in rows[row * hidden..(row + 1) * hidden].iter_mut().zip(&self.slopes) {
                *weight += input * slope;
            }
        }
    }

    /// The other side looks at the traces, and they fade.
    fn turn(&mut self) {
        if self.settings.lambda == 0.0 {
            return;
        }
        // Turning twice changes nothing, so that outputs change places in pairs.
        for output in 0..self.turned.len() {
            let Turned { from, sign, .. } = self.turned[output];
            if from > output {
                self.seats.swap(output, from);
            }
            if from >= output {
                self.seats[output].1 *= sign;
            }
            if from > output {
                self.seats[from].1 *= self.turned[from].sign;
            }
        }
        self.scale *= self.settings.lambda;
        if self.scale < SMALL {
            let scale = self.scale;
            let block = self.rows.len() / self.is_awake.len();
            for &row in &self.awake {
                self.rows[row * block..(row + 1) * block].iter_mut().for_each(|trace| *trace *= scale);
            }
            self.last.iter_mut().for_each(|trace| *trace *= scale);
            self.scale = 1.0;
        }
    }

    /// eₖ ← eₖ + ∇yₖ.
    fn trace(&mut self, network: &Perceptron, inputs: &SparseInputs) {
        let Layers { inputs: biases, hidden, outputs } = network.layers();
        for row in inputs.iter().map(|(index, _)| index).chain([biases]) {
            if !self.is_awake[row] {
                self.is_awake[row] = true;
                self.awake.push(row);
            }
        }
        let weights = &network.weights()[network.layers().first_output()..];
        for (output, (&(seat, sign), y)) in self.seats.iter().zip(&self.activation.outputs).enumerate() {
            let own = output * (hidden + 1);
            let slope = sign / self.scale * y * (1.0 - y);
            let traces = &mut self.last[seat * outputs * (hidden + 1) + own..][..hidden + 1];
            for (trace, h) in traces.iter_mut().zip(self.activation.hidden.iter().chain([&1.0])) {
                *trace += slope * h;
            }
            for ((to, h), weight) in self.slopes.iter_mut().zip(&self.activation.hidden).zip(&weights[own..]) {
                *to = slope * weight * h * (1.0 - h);
            }
            for (row, input) in inputs.iter().chain([(biases, 1.0)]) {
                let traces = &mut self.rows[(row * outputs + seat) * hidden..][..hidden];
                for (trace, slope) in traces.iter_mut().zip(&self.slopes) {
                    *trace += input * slope;
                }
            }
        }
    }
}

/// Adds to `weights` each of the `traces`, which lie one behind the other, times its factor.
#[inline(always)]
fn add_all(weights: &mut [f32], traces: &[f32], factors: &[f32]) {
    for (trace, &factor) in traces.chunks_exact(weights.len()).zip(factors) {
        for (weight, trace) in weights.iter_mut().zip(trace) {
            *weight += factor * trace;
        }
    }
}
