//! [`FoldedNetwork`]: a network that only answers, with its norms folded into its convolutions.

use crate::architecture::{Architecture, ConvNorm, Layout, POLICY_FILTERS, VALUE_FILTERS};
use crate::batch_norm::EPSILON;
use crate::convolution::Convolution;
use crate::grid::Grid;
use crate::heads::{dot, linear};
use crate::tile::Finish;
use crate::winograd::Room;

/// A convolution that has its norm within.
#[derive(Clone, Debug)]
struct Folded {
    convolution: Convolution,
    bias: Vec<f32>,
}

/// What a norm makes of a sum: each filter's factor and shift.
pub(crate) fn factor_and_shift<'a>(weights: &'a [f32], norm: &'a ConvNorm) -> impl Fn(usize) -> (f32, f32) + 'a {
    let [scale, bias, mean, variance] =
        [&norm.scale, &norm.bias, &norm.mean, &norm.variance].map(|range| &weights[range.clone()]);
    move |filter| {
        let factor = scale[filter] / (variance[filter] + EPSILON).sqrt();
        (factor, bias[filter] - mean[filter] * factor)
    }
}

impl Folded {
    fn new(grid: Grid, weights: &[f32], layer: &ConvNorm) -> Folded {
        let norm = factor_and_shift(weights, layer);
        let (inputs, outputs) = (layer.inputs, layer.outputs);
        let convolution =
            Convolution::forward(grid, &weights[layer.weight.clone()], inputs, outputs, |filter| norm(filter).0);
        Folded { convolution, bias: (0..outputs).map(|filter| norm(filter).1).collect() }
    }

    /// `output` ← ReLU(what the convolution makes of `board`), with what `output` holds added before if it goes `onto` it.
    fn apply(&self, board: &[f32], onto: bool, room: &mut Room, output: &mut [f32]) {
        self.convolution.apply(board, Finish { bias: &self.bias, onto, relu: true }, room, output);
    }
}

/// A convolution of single cells that has its norm within.
#[derive(Clone, Debug)]
struct Pointwise {
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Pointwise {
    fn new(weights: &[f32], layer: &ConvNorm) -> Pointwise {
        let norm = factor_and_shift(weights, layer);
        let rows = weights[layer.weight.clone()].chunks_exact(layer.inputs).enumerate();
        let weights = rows.flat_map(|(filter, row)| row.iter().map(move |weight| (filter, *weight)));
        let weights = weights.map(|(filter, weight)| weight * norm(filter).0).collect();
        Pointwise { weights, bias: (0..layer.outputs).map(|filter| norm(filter).1).collect() }
    }

    /// What the cells of `board` become, channel by channel.
    fn apply(&self, grid: Grid, board: &[f32], flat: &mut [f32]) {
        let inputs = self.weights.len() / self.bias.len();
        for (cell, place) in grid.places().enumerate() {
            let input = &board[place * inputs..][..inputs];
            for (filter, (weights, bias)) in self.weights.chunks_exact(inputs).zip(&self.bias).enumerate() {
                flat[filter * grid.cells() + cell] = (bias + dot(weights, input)).max(0.0);
            }
        }
    }
}

/// A network at rest. What it answers is the same for the same input, whatever else was asked before.
#[derive(Clone, Debug)]
pub struct FoldedNetwork {
    architecture: Architecture,
    grid: Grid,
    stem: Folded,
    blocks: Vec<[Folded; 2]>,
    policy: Pointwise,
    value: Pointwise,
    /// The linear layers, as they stand among the weights.
    policy_linear: [Vec<f32>; 2],
    value_hidden: [Vec<f32>; 2],
    value_output: [Vec<f32>; 2],
    input: Vec<f32>,
    boards: [Vec<f32>; 2],
    room: Room,
    flat: Vec<f32>,
    hidden: Vec<f32>,
}

impl FoldedNetwork {
    /// A network of this architecture with these weights.
    ///
    /// # Panics
    ///
    /// If there are not as many as its [`Layout`] says.
    pub fn new(architecture: Architecture, weights: &[f32]) -> FoldedNetwork {
        let layout: Layout = architecture.layout();
        assert_eq!(weights.len(), layout.len(), "weights of another architecture");
        let grid = Grid::of(&architecture);
        let linear = |layer: &crate::architecture::Linear| {
            [&layer.weight, &layer.bias].map(|range| weights[range.clone()].to_vec())
        };
        let board = vec![0.0; grid.len() * architecture.filters];
        FoldedNetwork {
            architecture,
            grid,
            stem: Folded::new(grid, weights, &layout.stem),
            blocks: (layout.blocks.iter())
                .map(|block| [0, 1].map(|part| Folded::new(grid, weights, &block[part])))
                .collect(),
            policy: Pointwise::new(weights, &layout.policy),
            value: Pointwise::new(weights, &layout.value),
            policy_linear: linear(&layout.policy_linear),
            value_hidden: linear(&layout.value_hidden),
            value_output: linear(&layout.value_output),
            input: vec![0.0; grid.len() * architecture.planes],
            boards: [board.clone(), board],
            room: Room::default(),
            flat: vec![0.0; POLICY_FILTERS.max(VALUE_FILTERS) * grid.cells()],
            hidden: vec![0.0; architecture.hidden],
        }
    }

    /// How it is built.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The value of the position that `input` shows, from −1 to 1, and the logit of each move.
    ///
    /// # Panics
    ///
    /// If `input` has not [`Architecture::input_len`] numbers, or `logits` not as many as there are moves.
    pub fn evaluate(&mut self, input: &[f32], logits: &mut [f32]) -> f32 {
        assert_eq!(input.len(), self.architecture.input_len(), "planes of another size");
        assert_eq!(logits.len(), self.architecture.moves, "another number of moves");
        let grid = self.grid;
        grid.read(input, self.architecture.planes, &mut self.input);
        let [trunk, between] = &mut self.boards;
        let room = &mut self.room;
        self.stem.apply(&self.input, false, room, trunk);
        for [first, second] in &self.blocks {
            first.apply(trunk, false, room, between);
            second.apply(between, true, room, trunk);
        }
        let flat = &mut self.flat[..POLICY_FILTERS * grid.cells()];
        self.policy.apply(grid, trunk, flat);
        let [weights, bias] = &self.policy_linear;
        linear(weights, bias, flat, logits);
        let flat = &mut self.flat[..VALUE_FILTERS * grid.cells()];
        self.value.apply(grid, trunk, flat);
        let [weights, bias] = &self.value_hidden;
        linear(weights, bias, flat, &mut self.hidden);
        self.hidden.iter_mut().for_each(|unit| *unit = unit.max(0.0));
        let [weights, bias] = &self.value_output;
        (bias[0] + dot(weights, &self.hidden)).tanh()
    }
}
