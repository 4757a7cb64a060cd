//! Gradients of the weights of a [`Winograd`](super::Winograd): Gᵀ [ (A ∂Y Aᵀ) ⊙ (Bᵀ d B) ] G, added up over patches before the last
//! transform.

use super::patch::{OfFive, OfFour, Patch};
use super::{Block, Cut, Room, Square, blocks, lane, middle, patches, rows, transform_inputs};
use crate::grid::Grid;
use crate::tile::{INPUTS, PANEL, add_products};
use multiversion::multiversion;
use multiversion::target::target_cfg_f;

/// Adds to `gradients`, `[9][inputs][outputs]`, those of the weights of a convolution that made outputs of `boards` when these
/// have the gradients `errors`: the errors of a patch's sums are A ∂Y Aᵀ.
pub(crate) fn add_weight_gradients(
    grid: Grid,
    boards: (&[f32], usize),
    errors: (&[f32], usize),
    room: &mut Room,
    gradients: &mut [f32],
) {
    add_gradients_by(Cut::of(grid), grid, boards, errors, room, gradients);
}

/// The same, of boards that are cut like this.
pub(super) fn add_gradients_by(
    cut: Cut,
    grid: Grid,
    (boards, inputs): (&[f32], usize),
    (errors, outputs): (&[f32], usize),
    room: &mut Room,
    gradients: &mut [f32],
) {
    let rows = rows(patches(grid, cut.cells()));
    // `[numbers of a patch][outputs / 16][inputs / 16]`
    let mut squares = vec![[[0.0; PANEL]; PANEL]; cut.numbers() * inputs / PANEL * outputs / PANEL];
    let (read, written) = (grid.len() * inputs, grid.len() * outputs);
    for (board, errors) in boards.chunks_exact(read).zip(errors.chunks_exact(written)) {
        cut_up!(cut, rows, add_gradients(grid, (board, inputs), (errors, outputs), room, &mut squares));
    }
    match cut {
        Cut::Two => add_taps::<OfFour, 2, 4>(&squares, inputs, outputs, gradients),
        Cut::Three => add_taps::<OfFive, 3, 5>(&squares, inputs, outputs, gradients),
    }
}

/// Adds Gᵀ U G of all weights to `gradients`, `[9][inputs][outputs]`.
fn add_taps<P: Patch<CELLS, SIDE>, const CELLS: usize, const SIDE: usize>(
    squares: &[Square],
    inputs: usize,
    outputs: usize,
    gradients: &mut [f32],
) {
    let plane = squares.len() / (SIDE * SIDE);
    for (output, input) in (0..outputs).flat_map(|output| (0..inputs).map(move |input| (output, input))) {
        let square = output / PANEL * (inputs / PANEL) + input / PANEL;
        let number = |number: usize| squares[number * plane + square][input % PANEL][output % PANEL];
        let columns: [[f32; 3]; SIDE] =
            std::array::from_fn(|right| P::gather_weights(std::array::from_fn(|down| number(SIDE * down + right))));
        let taps = (0..3).flat_map(|down| P::gather_weights(columns.map(|column| column[down])));
        for (tap, gradient) in taps.enumerate() {
            gradients[(tap * inputs + input) * outputs + output] += gradient;
        }
    }
}

/// A ∂Y Aᵀ of all patches of a board and all channels.
#[inline(always)]
fn transform_errors<P: Patch<CELLS, SIDE>, const CELLS: usize, const SIDE: usize, const N: usize>(
    grid: Grid,
    errors: &[f32],
    channels: usize,
    blocks: &mut [Block<SIDE, N>],
) {
    let (columns, panels) = (grid.width.div_ceil(CELLS), channels / PANEL);
    for patch in 0..patches(grid, CELLS) {
        let middle = middle::<CELLS>(grid, patch / columns, patch % columns);
        for (panel, block) in blocks[patch / N * panels..][..panels].iter_mut().enumerate() {
            let mut columns = [[[0.0; PANEL]; SIDE]; CELLS];
            for right in 0..CELLS {
                let mut line = [&[0.0; PANEL]; CELLS];
                for down in 0..CELLS {
                    if let Some(place) = middle[down][right] {
                        line[down] = lane(errors, place * channels + panel * PANEL);
                    }
                }
                columns[right] = P::spread_errors(line);
            }
            for down in 0..SIDE {
                let mut line = [&[0.0; PANEL]; CELLS];
                for right in 0..CELLS {
                    line[right] = &columns[right][down];
                }
                let row = P::spread_errors(line);
                for right in 0..SIDE {
                    block[down][right][patch % N] = row[right];
                }
            }
        }
    }
}

/// Adds to `squares` the gradients of the transformed weights.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn add_gradients<P: Patch<CELLS, SIDE>, const CELLS: usize, const SIDE: usize, const N: usize>(
    grid: Grid,
    board: (&[f32], usize),
    errors: (&[f32], usize),
    room: &mut Room,
    squares: &mut [Square],
) {
    if target_cfg_f!(any(target_feature = "fma", target_feature = "neon")) {
        add_gradients_with::<true, P, CELLS, SIDE, N>(grid, board, errors, room, squares);
    } else {
        add_gradients_with::<false, P, CELLS, SIDE, N>(grid, board, errors, room, squares);
    }
}

#[inline(always)]
fn add_gradients_with<
    const FUSED: bool,
    P: Patch<CELLS, SIDE>,
    const CELLS: usize,
    const SIDE: usize,
    const N: usize,
>(
    grid: Grid,
    (board, inputs): (&[f32], usize),
    (errors, outputs): (&[f32], usize),
    room: &mut Room,
    squares: &mut [Square],
) {
    let groups = patches(grid, CELLS).div_ceil(N);
    let (inputs, outputs) = (inputs / PANEL, outputs / PANEL);
    let seen = blocks::<SIDE, N>(&mut room.inputs, groups * inputs);
    let blame = blocks::<SIDE, N>(&mut room.outputs, groups * outputs);
    // What fills the last group is no patch.
    for block in seen[(groups - 1) * inputs..].iter_mut().chain(&mut blame[(groups - 1) * outputs..]) {
        *block = [[[[0.0; PANEL]; N]; SIDE]; SIDE];
    }
    transform_inputs::<P, CELLS, SIDE, N>(grid, board, inputs * PANEL, seen);
    transform_errors::<P, CELLS, SIDE, N>(grid, errors, outputs * PANEL, blame);
    for (number, squares) in squares.chunks_exact_mut(inputs * outputs).enumerate() {
        for (filters, squares) in squares.chunks_exact_mut(inputs).enumerate() {
            for (panel, square) in squares.iter_mut().enumerate() {
                for first in (0..PANEL).step_by(INPUTS) {
                    let mut sums = [[0.0; PANEL]; INPUTS];
                    for group in 0..groups {
                        let seen = &seen[group * inputs + panel][number / SIDE][number % SIDE];
                        let blame = &blame[group * outputs + filters][number / SIDE][number % SIDE];
                        for row in 0..N {
                            let input = seen[row][first..].first_chunk().expect("a part of the lane");
                            add_products::<FUSED>(input, &blame[row], &mut sums);
                        }
                    }
                    for input in 0..INPUTS {
                        for lane in 0..PANEL {
                            square[first + input][lane] += sums[input][lane];
                        }
                    }
                }
            }
        }
    }
}
