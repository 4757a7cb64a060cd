//! [`NetworkTraces`]: eligibility traces of a network's weights, one for each output.
//!
//! They fade without being touched: what is kept is e / c with one c for all, c ← λ c. Rows of inputs that have not been other than 0
//! in a game have no trace and cost nothing.

use crate::value::perceptron::{Activation, Layers, Perceptron, SparseInputs, Turned};

/// Below this c is made 1 again, so that e / c stays in the range of a float.
const SMALL: f32 = 1e-6;

/// eₖ for each output k.
#[derive(Clone, Debug)]
pub(super) struct NetworkTraces {
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
    /// What traces are multiplied by, by seat.
    factors: Vec<f32>,
    /// ∂yₖ by the sum of each hidden unit, for one output after the other.
    slopes: Vec<f32>,
}

impl NetworkTraces {
    /// No credit for anything yet.
    pub(super) fn new(layers: Layers) -> NetworkTraces {
        let Layers { inputs, hidden, outputs } = layers;
        NetworkTraces {
            rows: vec![0.0; (inputs + 1) * outputs * hidden],
            last: vec![0.0; outputs * outputs * (hidden + 1)],
            seats: (0..outputs).map(|output| (output, 1.0)).collect(),
            scale: 1.0,
            awake: Vec::new(),
            is_awake: vec![false; inputs + 1],
            factors: vec![0.0; outputs],
            slopes: vec![0.0; hidden],
        }
    }

    /// eₖ ← 0.
    pub(super) fn clear(&mut self) {
        let block = self.rows.len() / self.is_awake.len();
        for row in self.awake.drain(..) {
            self.rows[row * block..(row + 1) * block].fill(0.0);
            self.is_awake[row] = false;
        }
        self.last.fill(0.0);
        self.scale = 1.0;
        // Sums are taken in the order of seats: a game must not depend on how the one before it left them.
        self.seats.iter_mut().enumerate().for_each(|(output, seat)| *seat = (output, 1.0));
    }

    /// w ← w + α Σₖ δₖ eₖ.
    pub(super) fn update(&mut self, network: &mut Perceptron, errors: &[f32], step_size: f32) {
        let layers = network.layers();
        for (&(seat, sign), error) in self.seats.iter().zip(errors) {
            self.factors[seat] = step_size * self.scale * sign * error;
        }
        let (weights, outputs) = network.weights_mut().split_at_mut(layers.first_output());
        for &row in &self.awake {
            let block = row * layers.hidden;
            let traces = &self.rows[block * layers.outputs..(block + layers.hidden) * layers.outputs];
            add_all(&mut weights[block..block + layers.hidden], traces, &self.factors);
        }
        add_all(outputs, &self.last, &self.factors);
    }

    /// eₖ ← λ eₖ, the other side looking at them: see [`Turned`].
    pub(super) fn turn(&mut self, turned: &[Turned], lambda: f32) {
        // Turning twice changes nothing, so that outputs change places in pairs.
        for output in 0..turned.len() {
            let Turned { from, sign, .. } = turned[output];
            if from > output {
                self.seats.swap(output, from);
            }
            if from >= output {
                self.seats[output].1 *= sign;
            }
            if from > output {
                self.seats[from].1 *= turned[from].sign;
            }
        }
        self.scale *= lambda;
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

    /// eₖ ← eₖ + fₖ ∇yₗ, `terms` being l and fₖ for each output k.
    pub(super) fn add(
        &mut self,
        network: &Perceptron,
        inputs: &SparseInputs,
        activation: &Activation,
        terms: impl Iterator<Item = (usize, f32)>,
    ) {
        let Layers { inputs: biases, hidden, outputs } = network.layers();
        for row in inputs.iter().map(|(index, _)| index).chain([biases]) {
            if !self.is_awake[row] {
                self.is_awake[row] = true;
                self.awake.push(row);
            }
        }
        let weights = &network.weights()[network.layers().first_output()..];
        for (&(seat, sign), (from, factor)) in self.seats.iter().zip(terms) {
            let (own, y) = (from * (hidden + 1), activation.outputs[from]);
            let slope = factor * sign / self.scale * y * (1.0 - y);
            let traces = &mut self.last[seat * outputs * (hidden + 1) + own..][..hidden + 1];
            for (trace, h) in traces.iter_mut().zip(activation.hidden.iter().chain([&1.0])) {
                *trace += slope * h;
            }
            for ((to, h), weight) in self.slopes.iter_mut().zip(&activation.hidden).zip(&weights[own..]) {
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
