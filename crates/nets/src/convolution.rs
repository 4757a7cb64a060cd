//! [`Convolution`]: a 3×3 convolution, with its weights laid out for the inner loops that suit it.

use crate::architecture::ConvNorm;
use crate::grid::Grid;
use crate::tile::{self, Finish, Lane, PANEL};
use crate::winograd::{self, Room, Winograd};

/// Neighbours of a cell, itself included.
pub(crate) const TAPS: usize = 9;

/// Weights of a 3×3 convolution.
#[derive(Clone, Debug)]
pub(crate) enum Convolution {
    /// Of a network's first layer, whose inputs are few.
    Direct(Direct),
    /// Of all others.
    Winograd(Winograd),
}

/// Whether as many inputs fill the lanes of [`Winograd`].
fn fills_lanes(inputs: usize) -> bool {
    inputs.is_multiple_of(PANEL)
}

impl Convolution {
    /// Lays out `weights`, `[outputs][inputs][9]`, each filter times its `scale`, for boards of one size.
    pub fn forward(
        grid: Grid,
        weights: &[f32],
        inputs: usize,
        outputs: usize,
        scale: impl Fn(usize) -> f32,
    ) -> Convolution {
        Convolution::lay_out(grid, inputs, outputs, |tap, input, output| {
            scale(output) * weights[(output * inputs + input) * TAPS + tap]
        })
    }

    /// The convolution that carries errors back from the outputs of one with `weights` to its inputs: what an input did to
    /// the neighbour above comes from the neighbour above.
    pub fn backward(grid: Grid, weights: &[f32], inputs: usize, outputs: usize) -> Convolution {
        Convolution::lay_out(grid, outputs, inputs, |tap, output, input| {
            weights[(output * inputs + input) * TAPS + TAPS - 1 - tap]
        })
    }

    fn lay_out(grid: Grid, inputs: usize, outputs: usize, weight: impl Fn(usize, usize, usize) -> f32) -> Convolution {
        if fills_lanes(inputs) {
            Convolution::Winograd(Winograd::new(grid, inputs, outputs, weight))
        } else {
            Convolution::Direct(Direct::new(grid, inputs, outputs, weight))
        }
    }

    /// Convolves boards that stand behind each other. Only the cells of `output` are written, not the zeros around.
    pub fn apply(&self, boards: &[f32], finish: Finish<'_>, room: &mut Room, output: &mut [f32]) {
        match self {
            Convolution::Direct(direct) => direct.apply(boards, finish, output),
            Convolution::Winograd(winograd) => winograd.apply(boards, finish, room, output),
        }
    }
}

/// Weights of a convolution that multiplies each cell by each weight.
#[derive(Clone, Debug)]
pub(crate) struct Direct {
    panels: Vec<Lane>,
    grid: Grid,
    inputs: usize,
    outputs: usize,
}

impl Direct {
    /// Lays out the weights that `weight` has for tap, input and output.
    pub fn new(grid: Grid, inputs: usize, outputs: usize, weight: impl Fn(usize, usize, usize) -> f32) -> Direct {
        let mut panels = Vec::with_capacity(outputs / PANEL * TAPS * inputs);
        for first in (0..outputs).step_by(PANEL) {
            for tap in 0..TAPS {
                for input in 0..inputs {
                    panels.push(std::array::from_fn(|lane| weight(tap, input, first + lane)));
                }
            }
        }
        Direct { panels, grid, inputs, outputs }
    }

    /// As [`Convolution::apply`].
    pub fn apply(&self, boards: &[f32], finish: Finish<'_>, output: &mut [f32]) {
        let (read, written) = (self.grid.len() * self.inputs, self.grid.len() * self.outputs);
        for (board, output) in boards.chunks_exact(read).zip(output.chunks_exact_mut(written)) {
            tile::convolve(self.grid, board, self.inputs, &self.panels, finish, output);
        }
    }
}

/// Adds to the network's `gradients` those of the weights of the convolution `at` that made outputs of `boards` when these have
/// the gradients `errors`.
pub(crate) fn add_weight_gradients(
    grid: Grid,
    boards: &[f32],
    at: &ConvNorm,
    errors: &[f32],
    room: &mut Room,
    gradients: &mut [f32],
) {
    let (inputs, outputs) = (at.inputs, at.outputs);
    let mut by_tap = vec![0.0; TAPS * inputs * outputs];
    if fills_lanes(inputs) {
        winograd::add_weight_gradients(grid, (boards, inputs), (errors, outputs), room, &mut by_tap);
    } else {
        add_direct_gradients(grid, boards, inputs, errors, outputs, &mut by_tap);
    }
    for (output, gradients) in gradients[at.weight.clone()].chunks_exact_mut(inputs * TAPS).enumerate() {
        for (input, gradients) in gradients.chunks_exact_mut(TAPS).enumerate() {
            for (tap, gradient) in gradients.iter_mut().enumerate() {
                *gradient += by_tap[(tap * inputs + input) * outputs + output];
            }
        }
    }
}

/// The same, `[9][inputs][outputs]`, cell by cell.
pub(crate) fn add_direct_gradients(
    grid: Grid,
    boards: &[f32],
    inputs: usize,
    errors: &[f32],
    outputs: usize,
    by_tap: &mut [f32],
) {
    let pairs = boards.chunks_exact(grid.len() * inputs).zip(errors.chunks_exact(grid.len() * outputs));
    for (board, errors) in pairs {
        tile::weight_gradients(grid, board, inputs, errors, outputs, by_tap);
    }
}
