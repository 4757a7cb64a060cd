//! The same network written as plainly as possible, in 64 bits and with nothing folded: what the fast one is tested
//! against.

use crate::architecture::{Architecture, ConvNorm, Linear};
use crate::training::Batch;
use crate::{FoldedNetwork, Trainer, UNKNOWN};
use rand::{RngExt, SeedableRng};

/// `[channel][cell]`
type Board = Vec<Vec<f64>>;
type Boards = Vec<Board>;

/// `boards[position][channel][cell]`
fn convolve(architecture: &Architecture, weights: &[f64], at: &ConvNorm, boards: &Boards, side: isize) -> Boards {
    let (height, width) = (architecture.height as isize, architecture.width as isize);
    let reach = side / 2;
    let one = |board: &Vec<Vec<f64>>| {
        let filter = |output: usize| {
            let cell = |cell: isize| {
                let (row, column) = (cell / width, cell % width);
                let mut sum = 0.0;
                for input in 0..at.inputs {
                    for (down, right) in (0..side).flat_map(|down| (0..side).map(move |right| (down, right))) {
                        let (y, x) = (row + down - reach, column + right - reach);
                        if (0..height).contains(&y) && (0..width).contains(&x) {
                            let tap = (down * side + right) as usize;
                            let weight =
                                weights[at.weight.start + (output * at.inputs + input) * (side * side) as usize + tap];
                            sum += weight * board[input][(y * width + x) as usize];
                        }
                    }
                }
                sum
            };
            (0..height * width).map(cell).collect()
        };
        (0..at.outputs).map(filter).collect()
    };
    boards.iter().map(one).collect()
}

/// In training by the batch's own statistics, else by the running ones.
fn normalise(weights: &[f64], at: &ConvNorm, boards: &Boards, training: bool) -> Boards {
    let mut result = boards.clone();
    for channel in 0..at.outputs {
        let all: Vec<f64> = boards.iter().flat_map(|board| board[channel].iter().copied()).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let variance = all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / all.len() as f64;
        let of = |range: &std::ops::Range<usize>| weights[range.start + channel];
        let (mean, variance) = if training { (mean, variance) } else { (of(&at.mean), of(&at.variance)) };
        for x in result.iter_mut().flat_map(|board| board[channel].iter_mut()) {
            *x = of(&at.scale) * (*x - mean) / (variance + 1e-5).sqrt() + of(&at.bias);
        }
    }
    result
}

fn relu(mut boards: Boards) -> Boards {
    boards.iter_mut().flatten().flatten().for_each(|x| *x = x.max(0.0));
    boards
}

fn linear(weights: &[f64], at: &Linear, input: &[f64]) -> Vec<f64> {
    let output = |output: usize| {
        let row = &weights[at.weight.start + output * at.inputs..][..at.inputs];
        weights[at.bias.start + output] + row.iter().zip(input).map(|(a, b)| a * b).sum::<f64>()
    };
    (0..at.outputs).map(output).collect()
}

/// Logits, value and ownership of each position.
type Answer = (Vec<f64>, f64, Vec<f64>);

fn answers(architecture: &Architecture, weights: &[f64], inputs: &[f32], training: bool) -> Vec<Answer> {
    let layout = architecture.layout();
    let plane = |plane: &[f32]| plane.iter().map(|x| f64::from(*x)).collect();
    let board = |input: &[f32]| input.chunks(architecture.cells()).map(plane).collect();
    let boards: Boards = inputs.chunks(architecture.input_len()).map(board).collect();
    let layer = |at: &ConvNorm, boards: &Boards, side| {
        normalise(weights, at, &convolve(architecture, weights, at, boards, side), training)
    };
    let mut trunk = relu(layer(&layout.stem, &boards, 3));
    for [first, second] in &layout.blocks {
        let mut after = layer(second, &relu(layer(first, &trunk, 3)), 3);
        for (x, skip) in after.iter_mut().flatten().flatten().zip(trunk.iter().flatten().flatten()) {
            *x += skip;
        }
        trunk = relu(after);
    }
    let policy = relu(layer(&layout.policy, &trunk, 1));
    let value = relu(layer(&layout.value, &trunk, 1));
    let answer = |((policy, value), trunk): ((&Board, &Board), &Board)| {
        let logits = linear(weights, &layout.policy_linear, &policy.concat());
        let mut hidden = linear(weights, &layout.value_hidden, &value.concat());
        hidden.iter_mut().for_each(|unit| *unit = unit.max(0.0));
        let value = linear(weights, &layout.value_output, &hidden)[0].tanh();
        let owned = |at: &Linear, cell: usize| {
            let channels: Vec<f64> = trunk.iter().map(|channel| channel[cell]).collect();
            linear(weights, at, &channels)[0].tanh()
        };
        let cells = |at| (0..architecture.cells()).map(|cell| owned(at, cell)).collect();
        (logits, value, layout.ownership.as_ref().map_or(Vec::new(), cells))
    };
    policy.iter().zip(&value).zip(&trunk).map(answer).collect()
}

/// The loss of a batch, as its definition says: of policy, value and ownership.
fn loss(architecture: &Architecture, weights: &[f64], batch: &Batch) -> [f64; 3] {
    let answers = answers(architecture, weights, &batch.inputs, true);
    let owned_cells = architecture.cells();
    let (mut sums, mut known) = ([0.0; 3], 0u32);
    for (position, (logits, value, owned)) in answers.iter().enumerate() {
        let target = &batch.policies[position * architecture.moves..][..architecture.moves];
        let legal = || logits.iter().zip(target).filter(|(_, target)| **target >= 0.0);
        let total: f64 = legal().map(|(logit, _)| logit.exp()).sum();
        sums[0] -= legal().map(|(logit, target)| f64::from(*target) * (logit.exp() / total).ln()).sum::<f64>();
        sums[1] += (f64::from(batch.outcomes[position]) - value).powi(2);
        let owners = owned.iter().enumerate().map(|(cell, owned)| (batch.owners[position * owned_cells + cell], owned));
        for (owner, owned) in owners.filter(|(owner, _)| *owner != UNKNOWN) {
            sums[2] += (f64::from(owner) - owned).powi(2);
            known += 1;
        }
    }
    let positions = answers.len() as f64;
    [sums[0] / positions, sums[1] / positions, sums[2] / f64::from(known.max(1))]
}

/// Boards that do not fill the tiles, and more filters than one panel.
fn architectures() -> [Architecture; 4] {
    [
        Architecture { planes: 3, height: 6, width: 7, moves: 7, blocks: 2, filters: 32, hidden: 20, ownership: false },
        Architecture { planes: 5, height: 3, width: 3, moves: 10, blocks: 1, filters: 16, hidden: 5, ownership: false },
        Architecture { planes: 4, height: 2, width: 5, moves: 3, blocks: 0, filters: 16, hidden: 33, ownership: false },
        Architecture { planes: 4, height: 3, width: 4, moves: 13, blocks: 1, filters: 32, hidden: 9, ownership: true },
    ]
}

fn sample(architecture: &Architecture, positions: usize, seed: u64) -> (Vec<f32>, Batch) {
    let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut weights = architecture.random(&mut rng);
    // Norms that do something, and last layers that matter.
    for tensor in architecture.layout().tensors() {
        for weight in &mut weights[tensor.range.clone()] {
            if tensor.shape.len() == 1 {
                *weight += 0.3 * rng.random::<f32>();
            } else if tensor.name.ends_with("linear.weight") || tensor.name.ends_with("output.weight") {
                *weight *= 5.0;
            }
        }
    }
    let mut batch = Batch::default();
    for _ in 0..positions {
        batch.inputs.extend((0..architecture.input_len()).map(|_| f32::from(rng.random_bool(0.4))));
        let legal = (0..architecture.moves).map(|mv| mv == 0 || rng.random_bool(0.7)).collect::<Vec<_>>();
        let weight = 1.0 / legal.iter().filter(|legal| **legal).count() as f32;
        batch.policies.extend(legal.iter().map(|legal| if *legal { weight } else { crate::training::ILLEGAL }));
        batch.outcomes.push([-1.0, 0.0, 1.0][rng.random_range(0..3)]);
    }
    if architecture.ownership {
        let owners = (0..positions * architecture.cells()).map(|_| [-1.0, 0.0, 1.0, UNKNOWN][rng.random_range(0..4)]);
        batch.owners.extend(owners);
    }
    (weights, batch)
}

fn in_64_bits(weights: &[f32]) -> Vec<f64> {
    weights.iter().map(|weight| f64::from(*weight)).collect()
}

#[test]
fn the_folded_network_answers_as_the_plain_one() {
    for architecture in architectures() {
        let (weights, batch) = sample(&architecture, 5, 1);
        let expected = answers(&architecture, &in_64_bits(&weights), &batch.inputs, false);
        let mut network = FoldedNetwork::new(architecture, &weights);
        for (input, (logits, value, _)) in batch.inputs.chunks(architecture.input_len()).zip(expected) {
            let mut found = vec![0.0; architecture.moves];
            let found_value = network.evaluate(input, &mut found);
            assert!((f64::from(found_value) - value).abs() < 1e-4, "{found_value} {value}");
            for (found, expected) in found.iter().zip(logits) {
                assert!((f64::from(*found) - expected).abs() < 1e-3, "{found} {expected}");
            }
        }
    }
}

#[test]
fn gradients_equal_finite_differences() {
    for architecture in architectures() {
        let (mut weights, batch) = sample(&architecture, 4, 2);
        let before = in_64_bits(&weights);
        let mut gradients = Vec::new();
        let found = Trainer::new(architecture).gradients(&mut weights, &batch, &mut gradients);
        let expected = loss(&architecture, &before, &batch);
        assert!((f64::from(found.policy) - expected[0]).abs() < 1e-4, "{found:?} {expected:?}");
        assert!((f64::from(found.value) - expected[1]).abs() < 1e-4, "{found:?} {expected:?}");
        assert!((f64::from(found.ownership) - expected[2]).abs() < 1e-4, "{found:?} {expected:?}");
        let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(3);
        let layout = architecture.layout();
        for tensor in layout.tensors() {
            for _ in 0..6 {
                let index = rng.random_range(tensor.range.clone());
                let step = 1e-5;
                let at = |step: f64| {
                    let mut moved = before.clone();
                    moved[index] += step;
                    loss(&architecture, &moved, &batch).iter().sum::<f64>()
                };
                let expected = (at(step) - at(-step)) / (2.0 * step);
                let expected = if tensor.role == crate::Role::Statistic { 0.0 } else { expected };
                let found = f64::from(gradients[index]);
                assert!((found - expected).abs() < 1e-4 + 1e-3 * expected.abs(), "{}: {found} {expected}", tensor.name);
            }
        }
    }
}

#[test]
fn running_statistics_move_towards_the_batch() {
    let architecture = architectures()[1];
    let (mut weights, batch) = sample(&architecture, 4, 4);
    let before = in_64_bits(&weights);
    let layout = architecture.layout();
    Trainer::new(architecture).gradients(&mut weights, &batch, &mut Vec::new());
    let board = |input: &[f32]| -> Vec<Vec<f64>> {
        input.chunks(architecture.cells()).map(|plane| plane.iter().map(|x| f64::from(*x)).collect()).collect()
    };
    let boards: Boards = batch.inputs.chunks(architecture.input_len()).map(board).collect();
    let raw = convolve(&architecture, &before, &layout.stem, &boards, 3);
    let all: Vec<f64> = raw.iter().flat_map(|board| board[2].iter().copied()).collect();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let variance = all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (all.len() - 1) as f64;
    for (range, measured) in [(&layout.stem.mean, mean), (&layout.stem.variance, variance)] {
        let expected = 0.9 * before[range.start + 2] + 0.1 * measured;
        assert!((f64::from(weights[range.start + 2]) - expected).abs() < 1e-5);
    }
}
