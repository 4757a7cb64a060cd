//! [`Perceptron`]: a network with one hidden layer, for games whose positions have few inputs that are not 0.
//!
//! ```text
//! hⱼ = σ(Σᵢ vᵢⱼ xᵢ + v₀ⱼ)        yₖ = σ(Σⱼ wₖⱼ hⱼ + wₖ₀)        σ(a) = 1 / (1 + e⁻ᵃ)
//! ```
//!
//! That is TD-Gammon's network (G. Tesauro, *Temporal difference learning and TD-Gammon*, CACM 38(3), 1995). The weights of one
//! input lie side by side, so that inputs of 0 cost nothing.

use afterstate_games::rng::{Rng, unit};

/// The inputs of a position that are not 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseInputs(Vec<(u32, f32)>);

impl SparseInputs {
    /// Makes all inputs 0.
    #[inline]
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Input number `index`, which was 0, is `value`.
    #[inline]
    pub fn push(&mut self, index: usize, value: f32) {
        self.0.push((index as u32, value));
    }

    /// All that is there moves so many inputs further on.
    #[inline]
    pub fn shift(&mut self, by: usize) {
        self.0.iter_mut().for_each(|(index, _)| *index += by as u32);
    }

    /// The inputs that are not 0, and what they are.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        self.0.iter().map(|&(index, value)| (index as usize, value))
    }
}

/// How large a network is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layers {
    /// Inputs.
    pub inputs: usize,
    /// Hidden units.
    pub hidden: usize,
    /// Outputs.
    pub outputs: usize,
}

impl Layers {
    /// How many weights such a network has: one between each pair of units of adjacent layers, and a bias for each unit.
    pub fn weights(self) -> usize {
        (self.inputs + 1) * self.hidden + (self.hidden + 1) * self.outputs
    }

    /// Where the weights of the outputs begin.
    #[inline]
    pub(crate) fn first_output(self) -> usize {
        (self.inputs + 1) * self.hidden
    }
}

/// What the units of a network are for one position. It is kept between evaluations, so that these allocate nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Activation {
    /// hⱼ.
    pub hidden: Vec<f32>,
    /// yₖ, 0 to 1.
    pub outputs: Vec<f32>,
}

/// How an output reads with the other side's eyes: `offset + sign · y` of the output `from`. Turning twice changes nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turned {
    /// Which output says it.
    pub from: usize,
    /// 1, or −1 if the one is small when the other is large.
    pub sign: f32,
    /// 1 for a probability that becomes that of the opposite, else 0.
    pub offset: f32,
}

/// A network.
///
/// ```
/// use afterstate_engine::value::perceptron::{Activation, Layers, Perceptron, SparseInputs};
/// // One input, one hidden unit, one output; the weights are v₁₁, v₀₁, w₁₁ and w₁₀.
/// let network = Perceptron::from_weights(Layers { inputs: 1, hidden: 1, outputs: 1 }, vec![2.0, -1.0, 3.0, 0.5]).unwrap();
/// let (mut inputs, mut activation) = (SparseInputs::default(), Activation::default());
/// inputs.push(0, 0.5);
/// network.evaluate(&inputs, &mut activation);
/// assert_eq!(activation.hidden, [0.5]);
/// assert!((activation.outputs[0] - 0.880797).abs() < 1e-6);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Perceptron {
    layers: Layers,
    /// For each input and then the bias what it gives to each hidden unit; for each output what each hidden unit and then the
    /// bias gives to it.
    weights: Vec<f32>,
}

impl Perceptron {
    /// A network with small random weights, between −0.1 and 0.1.
    pub fn random(layers: Layers, rng: &mut Rng) -> Perceptron {
        let weights = (0..layers.weights()).map(|_| 0.2 * (unit(rng) - 0.5)).collect();
        Perceptron { layers, weights }
    }

    /// A network with these weights; `None` if there are not as many as it has.
    pub fn from_weights(layers: Layers, weights: Vec<f32>) -> Option<Perceptron> {
        (weights.len() == layers.weights()).then_some(Perceptron { layers, weights })
    }

    /// The same network with so many inputs in all; those that are new come behind the others and say nothing yet.
    ///
    /// # Panics
    ///
    /// If it has more already.
    pub fn with_inputs(mut self, inputs: usize) -> Perceptron {
        let Layers { inputs: before, hidden, .. } = self.layers;
        assert!(before <= inputs, "a network of {before} inputs cannot have {inputs}");
        let biases = before * hidden;
        self.weights.splice(biases..biases, std::iter::repeat_n(0.0, (inputs - before) * hidden));
        self.layers.inputs = inputs;
        self
    }

    /// The same network with its inputs so many times: each copy says what they said.
    pub fn with_copies(mut self, copies: usize) -> Perceptron {
        let biases = self.layers.inputs * self.layers.hidden;
        let repeated = self.weights[..biases].repeat(copies);
        self.weights.splice(..biases, repeated);
        self.layers.inputs *= copies;
        self
    }

    /// Its size.
    #[inline]
    pub fn layers(&self) -> Layers {
        self.layers
    }

    /// All weights: input by input those to the hidden units, with the biases of these last; output by output those from the
    /// hidden units, each with its bias last.
    #[inline]
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn weights_mut(&mut self) -> &mut [f32] {
        &mut self.weights
    }

    /// Computes all units for a position.
    pub fn evaluate(&self, inputs: &SparseInputs, activation: &mut Activation) {
        self.sums(inputs, &mut activation.hidden);
        self.finish(activation);
    }

    /// What the hidden units of a position sum up.
    pub fn sums(&self, inputs: &SparseInputs, sums: &mut Vec<f32>) {
        sums.clear();
        sums.extend_from_slice(self.row(self.layers.inputs));
        self.add_rows(inputs, sums);
    }

    /// Computes all units for a position whose inputs are those behind `sums` with `changes` added: what differs little from
    /// another position costs little.
    pub fn evaluate_changed(&self, sums: &[f32], changes: &SparseInputs, activation: &mut Activation) {
        activation.hidden.clear();
        activation.hidden.extend_from_slice(sums);
        self.add_rows(changes, &mut activation.hidden);
        self.finish(activation);
    }

    #[inline]
    fn row(&self, index: usize) -> &[f32] {
        let hidden = self.layers.hidden;
        &self.weights[index * hidden..(index + 1) * hidden]
    }

    #[inline]
    fn add_rows(&self, inputs: &SparseInputs, sums: &mut [f32]) {
        for (index, value) in inputs.iter() {
            for (sum, weight) in sums.iter_mut().zip(self.row(index)) {
                *sum += value * weight;
            }
        }
    }

    /// From the sums of the hidden units to the outputs.
    fn finish(&self, activation: &mut Activation) {
        activation.hidden.iter_mut().for_each(|sum| *sum = sigmoid(*sum));
        activation.outputs.clear();
        for weights in self.weights[self.layers.first_output()..].chunks_exact(self.layers.hidden + 1) {
            let (&bias, weights) = weights.split_last().unwrap_or((&0.0, &[]));
            activation.outputs.push(sigmoid(bias + dot(weights, &activation.hidden)));
        }
    }
}

/// Σ aᵢ bᵢ, in eight partial sums, so that additions need not wait for each other.
#[inline]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut partial = [0.0f32; 8];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in partial.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    partial.iter().sum::<f32>() + rest
}

/// σ. Written without branches and calls, so that the compiler computes several at a time: e⁻ˣ is 2ⁿ eʳ with |r| ≤ ½ ln 2, and eʳ a
/// polynomial (S. Moshier's Cephes library, `expf`).
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    /// Adding it rounds to an integer, which is then in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    /// ln 2 in two parts, the first of which times a small integer is exact.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let x = (-x).clamp(-87.0, 87.0);
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    let r = x - n * LN_2[0] - n * LN_2[1];
    let polynomial = [1.987_569_1e-4, 1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_65, 0.5];
    let tail = polynomial.iter().fold(0.0, |sum, coefficient| sum * r + coefficient);
    let power = f32::from_bits((rounded.to_bits() << 23).wrapping_add(0x3f80_0000));
    1.0 / (1.0 + (1.0 + r + r * r * tail) * power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::stream;

    #[test]
    fn the_sigmoid_is_that_of_the_standard_library() {
        for step in -2000..=2000 {
            let x = step as f32 * 0.05;
            let expected = 1.0 / (1.0 + (-f64::from(x)).exp());
            let found = f64::from(sigmoid(x));
            assert!((found - expected).abs() < 2e-7, "{x}: {found} is not {expected}");
        }
        assert_eq!((sigmoid(0.0), sigmoid(1e9) > 0.999, sigmoid(-1e9) < 1e-30), (0.5, true, true));
    }

    #[test]
    fn new_inputs_say_nothing_yet() {
        let network = Perceptron::random(Layers { inputs: 3, hidden: 4, outputs: 2 }, &mut stream(6, 0));
        let larger = network.clone().with_inputs(5);
        assert_eq!(larger.layers(), Layers { inputs: 5, hidden: 4, outputs: 2 });
        let (mut inputs, mut found, mut expected) = <(SparseInputs, Activation, Activation)>::default();
        inputs.push(2, 0.7);
        network.evaluate(&inputs, &mut expected);
        inputs.push(3, 5.0);
        larger.evaluate(&inputs, &mut found);
        assert_eq!(found, expected);
        let copied = network.with_copies(3);
        inputs.clear();
        inputs.push(2, 0.7);
        inputs.shift(6);
        copied.evaluate(&inputs, &mut found);
        assert_eq!(found, expected);
    }

    #[test]
    fn a_network_computes_what_its_formula_says() {
        let layers = Layers { inputs: 5, hidden: 11, outputs: 3 };
        let network = Perceptron::random(layers, &mut stream(3, 0));
        assert_eq!(network.weights().len(), 6 * 11 + 12 * 3);
        let mut inputs = SparseInputs::default();
        let values = [0.0, 1.0, 0.0, 0.5, -2.0];
        values.iter().enumerate().filter(|(_, value)| **value != 0.0).for_each(|(i, value)| inputs.push(i, *value));
        let mut activation = Activation::default();
        network.evaluate(&inputs, &mut activation);
        let plain = |x: f32| 1.0 / (1.0 + (-x).exp());
        let weight = |row: usize, unit: usize| network.weights()[row * 11 + unit];
        let hidden: Vec<f32> = (0..11)
            .map(|unit| plain((0..5).map(|i| values[i] * weight(i, unit)).sum::<f32>() + weight(5, unit)))
            .collect();
        for output in 0..3 {
            let weights = &network.weights()[66 + 12 * output..];
            let sum = (0..11).map(|unit| hidden[unit] * weights[unit]).sum::<f32>() + weights[11];
            assert!((activation.outputs[output] - plain(sum)).abs() < 1e-6);
        }
    }
}
