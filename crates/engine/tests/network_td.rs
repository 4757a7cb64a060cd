//! TD(λ) for networks: against a 2-2-1 network computed by hand, against plain traces, and its gradients against finite
//! differences.

use afterstate_engine::learning::{NetworkTd, NetworkTdSettings};
use afterstate_engine::value::perceptron::{Activation, Layers, Perceptron, SparseInputs, Turned};
use afterstate_games::rng::unit;
use afterstate_games::stream;

fn sparse(values: &[f32]) -> SparseInputs {
    let mut inputs = SparseInputs::default();
    values.iter().enumerate().filter(|(_, value)| **value != 0.0).for_each(|(index, value)| inputs.push(index, *value));
    inputs
}

/// A network in 64 bits, written as its formula is, with full traces.
struct Plain {
    layers: Layers,
    weights: Vec<f64>,
    turned: Vec<Turned>,
    traces: Vec<Vec<f64>>,
}

impl Plain {
    fn new(network: &Perceptron, turned: &[Turned]) -> Plain {
        let weights: Vec<f64> = network.weights().iter().map(|&weight| f64::from(weight)).collect();
        let traces = vec![vec![0.0; weights.len()]; network.layers().outputs];
        Plain { layers: network.layers(), weights, turned: turned.to_vec(), traces }
    }

    fn outputs(&self, values: &[f32]) -> Vec<f64> {
        let Layers { inputs, hidden, outputs } = self.layers;
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let h: Vec<f64> = (0..hidden)
            .map(|unit| {
                let sum: f64 = (0..inputs).map(|i| f64::from(values[i]) * self.weights[i * hidden + unit]).sum();
                sigmoid(sum + self.weights[inputs * hidden + unit])
            })
            .collect();
        (0..outputs)
            .map(|output| {
                let weights = &self.weights[(inputs + 1) * hidden + output * (hidden + 1)..];
                sigmoid((0..hidden).map(|unit| h[unit] * weights[unit]).sum::<f64>() + weights[hidden])
            })
            .collect()
    }

    /// ∇yₖ by central differences.
    fn gradient(&mut self, values: &[f32], output: usize) -> Vec<f64> {
        const STEP: f64 = 1e-6;
        (0..self.weights.len())
            .map(|index| {
                let weight = self.weights[index];
                let mut at = |weight: f64| {
                    self.weights[index] = weight;
                    self.outputs(values)[output]
                };
                let slope = (at(weight + STEP) - at(weight - STEP)) / (2.0 * STEP);
                self.weights[index] = weight;
                slope
            })
            .collect()
    }

    /// The rule, step by step.
    fn play(&mut self, game: &[Vec<f32>], outcome: &[f32], step_size: f64, lambda: f64) {
        self.traces.iter_mut().for_each(|trace| trace.fill(0.0));
        for (time, values) in game.iter().enumerate() {
            let before = self.outputs(values);
            for output in 0..self.layers.outputs {
                let gradient = self.gradient(values, output);
                self.traces[output]
                    .iter_mut()
                    .zip(gradient)
                    .for_each(|(trace, slope)| *trace = *trace * lambda + slope);
            }
            let targets: Vec<f64> = match game.get(time + 1) {
                Some(next) => {
                    let next = self.outputs(next);
                    let seen = |turned: &Turned| f64::from(turned.offset) + f64::from(turned.sign) * next[turned.from];
                    self.turned.iter().map(seen).collect()
                }
                None => outcome.iter().map(|&z| f64::from(z)).collect(),
            };
            for output in 0..self.layers.outputs {
                let factor = step_size * (targets[output] - before[output]);
                self.weights.iter_mut().zip(&self.traces[output]).for_each(|(weight, trace)| *weight += factor * trace);
            }
            let old = self.traces.clone();
            for (output, turned) in self.turned.iter().enumerate() {
                self.traces[output] = old[turned.from].iter().map(|trace| f64::from(turned.sign) * trace).collect();
            }
        }
    }
}

fn learn(network: &mut Perceptron, rule: &mut NetworkTd, game: &[Vec<f32>], outcome: &[f32]) {
    for values in game {
        rule.reached(network, &sparse(values));
    }
    rule.ended(network, outcome);
}

fn assert_same(network: &Perceptron, plain: &Plain, tolerance: f64) {
    for (index, (found, expected)) in network.weights().iter().zip(&plain.weights).enumerate() {
        assert!((f64::from(*found) - expected).abs() < tolerance, "weight {index}: {found} is not {expected}");
    }
}

/// Two inputs, two hidden units, one output; all sums are 0 at first, so that every unit is ½.
#[test]
fn one_step_of_a_small_network_is_that_computed_by_hand() {
    let layers = Layers { inputs: 2, hidden: 2, outputs: 1 };
    // v₁, v₂, v₀ for both hidden units; w₁, w₂, w₀.
    let weights = vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0];
    let mut network = Perceptron::from_weights(layers, weights).unwrap();
    let mut rule = NetworkTd::new(layers, NetworkTdSettings { step_size: 1.0, lambda: 0.7 });
    rule.reached(&mut network, &sparse(&[1.0, 0.0]));
    rule.ended(&mut network, &[1.0]);
    // y = ½, δ = ½, y' = ¼; h' = ¼. By w: ½ · ¼ · ½ = 1/16, by w₀: ⅛; by v: ½ · ¼ · ±1 · ¼ = ±1/32.
    let expected =
        [1.0 / 32.0, -1.0 / 32.0, 0.0, 0.0, 1.0 / 32.0, -1.0 / 32.0, 1.0 + 1.0 / 16.0, -1.0 + 1.0 / 16.0, 0.125];
    for (found, expected) in network.weights().iter().zip(expected) {
        assert!((found - expected).abs() < 1e-7, "{:?}", network.weights());
    }
}

#[test]
fn a_game_of_four_steps_teaches_what_plain_traces_do() {
    let layers = Layers { inputs: 2, hidden: 2, outputs: 1 };
    let game: Vec<Vec<f32>> = vec![vec![1.0, 0.0], vec![0.5, 1.0], vec![0.0, 1.0], vec![0.0, 0.25]];
    for lambda in [0.0, 0.7, 1.0] {
        let weights = vec![0.3, -0.2, 0.5, 0.1, -0.4, 0.2, 0.7, -0.6, 0.1];
        let mut network = Perceptron::from_weights(layers, weights).unwrap();
        let same = [Turned { from: 0, sign: 1.0, offset: 0.0 }];
        let mut plain = Plain::new(&network, &same);
        let mut rule = NetworkTd::new(layers, NetworkTdSettings { step_size: 0.5, lambda });
        for outcome in [1.0, 0.0] {
            learn(&mut network, &mut rule, &game, &[outcome]);
            plain.play(&game, &[outcome], 0.5, f64::from(lambda));
        }
        assert_same(&network, &plain, 1e-6);
    }
}

#[test]
fn sides_that_take_turns_learn_what_plain_traces_teach() {
    // A probability to win, and two of greater wins of either side.
    let layers = Layers { inputs: 6, hidden: 5, outputs: 3 };
    let turned = [
        Turned { from: 0, sign: -1.0, offset: 1.0 },
        Turned { from: 2, sign: 1.0, offset: 0.0 },
        Turned { from: 1, sign: 1.0, offset: 0.0 },
    ];
    for lambda in [0.0, 0.3, 1.0] {
        let mut rng = stream(9, 0);
        let mut network = Perceptron::random(layers, &mut rng);
        let mut plain = Plain::new(&network, &turned);
        let settings = NetworkTdSettings { step_size: 0.3, lambda };
        let mut rule = NetworkTd::turning(layers, settings, turned.to_vec());
        for number in 0..4 {
            let position = |_| (0..6).map(|_| if unit(&mut rng) < 0.5 { 0.0 } else { unit(&mut rng) }).collect();
            let game: Vec<Vec<f32>> = (0..9 + number).map(position).collect();
            let outcome = [1.0, 0.0, if number == 2 { 1.0 } else { 0.0 }];
            learn(&mut network, &mut rule, &game, &outcome);
            plain.play(&game, &outcome, 0.3, f64::from(lambda));
        }
        assert_same(&network, &plain, 2e-5);
    }
}

#[test]
fn long_games_do_not_lose_their_traces_range() {
    let layers = Layers { inputs: 2, hidden: 3, outputs: 1 };
    let mut network = Perceptron::random(layers, &mut stream(2, 0));
    let mut plain = Plain::new(&network, &[Turned { from: 0, sign: 1.0, offset: 0.0 }]);
    let mut rule = NetworkTd::new(layers, NetworkTdSettings { step_size: 0.1, lambda: 0.5 });
    let game: Vec<Vec<f32>> = (0..200).map(|time| vec![(time % 3) as f32, (time % 5) as f32 / 5.0]).collect();
    learn(&mut network, &mut rule, &game, &[1.0]);
    plain.play(&game, &[1.0], 0.1, 0.5);
    assert_same(&network, &plain, 1e-4);
    let mut activation = Activation::default();
    network.evaluate(&sparse(&game[0]), &mut activation);
    assert!(activation.outputs[0].is_finite());
}
