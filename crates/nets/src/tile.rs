//! The inner loops of a network's first convolution, six cells by sixteen filters at a time, and what those of the
//! [others](crate::winograd) have in common with them.
//!
//! A convolution multiplies matrices. Sums of six by sixteen stay in registers while the inputs stream by (K. Goto and R. van de Geijn, *Anatomy of
//! high-performance matrix multiplication*, 2008). Each function is compiled for several kinds of processor, and
//! the best that this one has is chosen when the program runs.

use crate::grid::Grid;
use multiversion::multiversion;
use multiversion::target::target_cfg_f;

/// Filters of a tile.
pub(crate) const PANEL: usize = crate::architecture::FILTER_STEP;
/// Cells of a tile.
const CELLS: usize = 6;
/// Inputs of a tile of weight gradients.
pub(crate) const INPUTS: usize = 4;

/// Sixteen filters.
pub(crate) type Lane = [f32; PANEL];

/// `sum + a·b`, fused where the processor can: where it cannot, the fused form is a slow call.
#[inline(always)]
pub(crate) fn multiply_add<const FUSED: bool>(a: f32, b: f32, sum: f32) -> f32 {
    if FUSED { a.mul_add(b, sum) } else { sum + a * b }
}

/// What is done with the sums of a convolution.
#[derive(Clone, Copy)]
pub(crate) struct Finish<'a> {
    /// Added to each filter.
    pub bias: &'a [f32],
    /// Whether the sums are added to what the output holds, which is then the skip connection.
    pub onto: bool,
    /// Whether negative sums become 0.
    pub relu: bool,
}

impl Finish<'_> {
    /// Makes `output` of sums that have their bias.
    #[inline(always)]
    pub fn write(&self, mut sums: Lane, output: &mut Lane) {
        if self.onto {
            sums.iter_mut().zip(&*output).for_each(|(sum, skip)| *sum += skip);
        }
        if self.relu {
            sums.iter_mut().for_each(|sum| *sum = sum.max(0.0));
        }
        *output = sums;
    }
}

/// A 3×3 convolution of one board. `panels` holds, for each sixteen filters, a [`Lane`] for each of the inputs of the nine
/// neighbours, from upper left to lower right.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub(crate) fn convolve(
    grid: Grid,
    board: &[f32],
    inputs: usize,
    panels: &[Lane],
    finish: Finish<'_>,
    output: &mut [f32],
) {
    if target_cfg_f!(any(target_feature = "fma", target_feature = "neon")) {
        convolve_with::<true>(grid, board, inputs, panels, finish, output);
    } else {
        convolve_with::<false>(grid, board, inputs, panels, finish, output);
    }
}

#[inline(always)]
fn convolve_with<const FUSED: bool>(
    grid: Grid,
    board: &[f32],
    inputs: usize,
    panels: &[Lane],
    finish: Finish<'_>,
    output: &mut [f32],
) {
    let row = 3 * inputs;
    let outputs = panels.len() / (3 * row) * PANEL;
    for (panel, weights) in panels.chunks_exact(3 * row).enumerate() {
        let bias: Lane = *finish.bias[panel * PANEL..].first_chunk().expect("a bias for each filter");
        let mut tile = [0; CELLS];
        let mut filled = 0;
        let mut left = grid.cells();
        for place in grid.places() {
            tile[filled] = place;
            (filled, left) = (filled + 1, left - 1);
            if filled < CELLS && left > 0 {
                continue;
            }
            // What is left over of a short tile computes an earlier cell again.
            tile[filled..].fill(place);
            let mut sums = [bias; CELLS];
            for (down, weights) in weights.chunks_exact(row).enumerate() {
                let rows = tile.map(|place| {
                    let begin = (place - 1 + down * grid.stride() - grid.stride()) * inputs;
                    &board[begin..begin + row]
                });
                multiply::<FUSED>(rows, weights, &mut sums);
            }
            for (&place, sum) in tile[..filled].iter().zip(sums) {
                let at = place * outputs + panel * PANEL;
                finish.write(sum, output[at..].first_chunk_mut().expect("a board of the same size"));
            }
            filled = 0;
        }
    }
}

/// `sums += rows · weights`
#[inline(always)]
fn multiply<const FUSED: bool>(rows: [&[f32]; CELLS], weights: &[Lane], sums: &mut [Lane; CELLS]) {
    // Slices of one length that the compiler knows, so that no index needs a check.
    let length = weights.len();
    let [a, b, c, d, e, f] = rows;
    let (a, b, c, d, e, f) = (&a[..length], &b[..length], &c[..length], &d[..length], &e[..length], &f[..length]);
    let mut now = *sums;
    for k in 0..length {
        let weight: Lane = weights[k];
        let inputs = [a[k], b[k], c[k], d[k], e[k], f[k]];
        for cell in 0..CELLS {
            for lane in 0..PANEL {
                now[cell][lane] = multiply_add::<FUSED>(inputs[cell], weight[lane], now[cell][lane]);
            }
        }
    }
    *sums = now;
}

/// `sums += input ⊗ error`
#[inline(always)]
pub(crate) fn add_products<const FUSED: bool>(input: &[f32; INPUTS], error: &Lane, sums: &mut [Lane; INPUTS]) {
    for row in 0..INPUTS {
        for lane in 0..PANEL {
            sums[row][lane] = multiply_add::<FUSED>(input[row], error[lane], sums[row][lane]);
        }
    }
}

/// Adds to `gradients`, `[9][inputs][outputs]`, what the weights of a 3×3 convolution of `board` are to blame for when its
/// output is to blame for `errors`.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub(crate) fn weight_gradients(
    grid: Grid,
    board: &[f32],
    inputs: usize,
    errors: &[f32],
    outputs: usize,
    gradients: &mut [f32],
) {
    if target_cfg_f!(any(target_feature = "fma", target_feature = "neon")) {
        weight_gradients_with::<true>(grid, board, inputs, errors, outputs, gradients);
    } else {
        weight_gradients_with::<false>(grid, board, inputs, errors, outputs, gradients);
    }
}

#[inline(always)]
fn weight_gradients_with<const FUSED: bool>(
    grid: Grid,
    board: &[f32],
    inputs: usize,
    errors: &[f32],
    outputs: usize,
    gradients: &mut [f32],
) {
    for (tap, gradients) in gradients.chunks_exact_mut(inputs * outputs).enumerate() {
        let (down, right) = (tap / 3, tap % 3);
        let neighbour = |place: usize| place + down * grid.stride() + right - grid.stride() - 1;
        for panel in (0..outputs).step_by(PANEL) {
            let whole = inputs - inputs % INPUTS;
            for first in (0..whole).step_by(INPUTS) {
                let mut sums = [[0.0; PANEL]; INPUTS];
                for place in grid.places() {
                    let input = board[neighbour(place) * inputs + first..].first_chunk().expect("inputs of a cell");
                    let error = errors[place * outputs + panel..].first_chunk().expect("filters of a cell");
                    add_products::<FUSED>(input, error, &mut sums);
                }
                for (input, sum) in (first..).zip(&sums) {
                    let gradient = &mut gradients[input * outputs + panel..][..PANEL];
                    gradient.iter_mut().zip(sum).for_each(|(gradient, sum)| *gradient += sum);
                }
            }
            for input in whole..inputs {
                let mut sum = [0.0; PANEL];
                for place in grid.places() {
                    let seen = board[neighbour(place) * inputs + input];
                    let error: &Lane = errors[place * outputs + panel..].first_chunk().expect("filters of a cell");
                    for lane in 0..PANEL {
                        sum[lane] = multiply_add::<FUSED>(seen, error[lane], sum[lane]);
                    }
                }
                let gradient = &mut gradients[input * outputs + panel..][..PANEL];
                gradient.iter_mut().zip(&sum).for_each(|(gradient, sum)| *gradient += sum);
            }
        }
    }
}
