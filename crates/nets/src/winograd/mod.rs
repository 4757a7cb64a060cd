//! [`Winograd`]: a 3×3 convolution with 16 multiplications where a plain one has 36, or 25 where it has 81.
//!
//! ```text
//! Y = Aᵀ [ (G g Gᵀ) ⊙ (Bᵀ d B) ] A        F(2×2, 3×3) and F(3×3, 3×3)
//! ```
//!
//! d is a patch of 4×4 or 5×5 cells, g the 3×3 weights, and Y the 2×2 or 3×3 cells in the middle of the patch. Patches overlap, the cells
//! in their middle do not. ⊙ multiplies number by number for one input and one filter; for all of them it is a product of
//! matrices for each of the patch's numbers. (A. Lavin and S. Gray, *Fast algorithms for convolutional neural networks*, CVPR 2016,
//! §4.1.) Larger patches have fewer multiplications for a cell, but reach further beyond the border.

/// Calls a function for the patches of a cut, with as many of them at once.
macro_rules! cut_up {
    ($cut:expr, $rows:expr, $function:ident $arguments:tt) => {
        match ($cut, $rows) {
            (Cut::Two, 4) => $function::<OfFour, 2, 4, 4> $arguments,
            (Cut::Two, 5) => $function::<OfFour, 2, 4, 5> $arguments,
            (Cut::Two, _) => $function::<OfFour, 2, 4, 6> $arguments,
            (Cut::Three, 4) => $function::<OfFive, 3, 5, 4> $arguments,
            (Cut::Three, 5) => $function::<OfFive, 3, 5, 5> $arguments,
            (Cut::Three, _) => $function::<OfFive, 3, 5, 6> $arguments,
        }
    };
}

mod gradients;
mod patch;
#[cfg(test)]
mod tests;

use crate::grid::Grid;
use crate::tile::{Finish, Lane, PANEL, multiply_add};
pub(crate) use gradients::add_weight_gradients;
use multiversion::multiversion;
use multiversion::target::target_cfg_f;
use patch::{OfFive, OfFour, Patch, combine};

/// How a board is cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cut {
    /// Into patches for 2×2 cells.
    Two,
    /// Into patches for 3×3 cells.
    Three,
}

impl Cut {
    /// The one that needs fewer multiplications.
    fn of(grid: Grid) -> Cut {
        let products = |cells: usize| {
            let patches = patches(grid, cells);
            patches.next_multiple_of(rows(patches)) * (cells + 2).pow(2)
        };
        if products(3) < products(2) { Cut::Three } else { Cut::Two }
    }

    /// Cells in a row in the middle of a patch.
    const fn cells(self) -> usize {
        match self {
            Cut::Two => 2,
            Cut::Three => 3,
        }
    }

    /// Numbers of a patch, before and after it is transformed.
    const fn numbers(self) -> usize {
        (self.cells() + 2).pow(2)
    }
}

/// Sixteen channels of `N` transformed patches: each number of all of them, then the next.
type Block<const SIDE: usize, const N: usize> = [[[Lane; N]; SIDE]; SIDE];
/// Weights between sixteen inputs and sixteen filters.
type Square = [Lane; PANEL];

/// Patches of one board, with so many cells in a row in their middle.
const fn patches(grid: Grid, cells: usize) -> usize {
    grid.height.div_ceil(cells) * grid.width.div_ceil(cells)
}

/// How many patches are multiplied at once, so that six at most, and few that are none.
fn rows(patches: usize) -> usize {
    (4..=6).rev().min_by_key(|rows| patches.next_multiple_of(*rows)).expect("there is a choice")
}

/// What is computed on the way, to be used again and again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    /// Blocks of inputs, `[groups of patches][inputs / 16]`.
    inputs: Vec<f32>,
    /// Blocks of sums, or of errors.
    outputs: Vec<f32>,
}

/// Blocks in numbers that are as many at least.
fn blocks<const SIDE: usize, const N: usize>(numbers: &mut Vec<f32>, count: usize) -> &mut [Block<SIDE, N>] {
    let length = count * SIDE * SIDE * N * PANEL;
    if numbers.len() < length {
        numbers.resize(length, 0.0);
    }
    let (lanes, _) = numbers[..length].as_chunks_mut::<PANEL>();
    let (rows, _) = lanes.as_chunks_mut::<N>();
    let (lines, _) = rows.as_chunks_mut::<SIDE>();
    lines.as_chunks_mut::<SIDE>().0
}

/// Weights of a 3×3 convolution of boards of one size, transformed.
#[derive(Clone, Debug)]
pub(crate) struct Winograd {
    /// `[outputs / 16][numbers of a patch][inputs / 16]`
    squares: Vec<Square>,
    grid: Grid,
    cut: Cut,
    inputs: usize,
    outputs: usize,
}

impl Winograd {
    /// Transforms the weights that `weight` has for tap, input and output. There are multiples of [`PANEL`] of both.
    pub fn new(grid: Grid, inputs: usize, outputs: usize, weight: impl Fn(usize, usize, usize) -> f32) -> Winograd {
        Winograd::cut(Cut::of(grid), grid, inputs, outputs, weight)
    }

    fn cut(
        cut: Cut,
        grid: Grid,
        inputs: usize,
        outputs: usize,
        weight: impl Fn(usize, usize, usize) -> f32,
    ) -> Winograd {
        let squares = match cut {
            Cut::Two => squares::<OfFour, 2, 4>(inputs, outputs, weight),
            Cut::Three => squares::<OfFive, 3, 5>(inputs, outputs, weight),
        };
        Winograd { squares, grid, cut, inputs, outputs }
    }

    /// Convolves boards that stand behind each other. Only the cells of `output` are written, not the zeros around.
    pub fn apply(&self, boards: &[f32], finish: Finish<'_>, room: &mut Room, output: &mut [f32]) {
        let (read, written) = (self.grid.len() * self.inputs, self.grid.len() * self.outputs);
        let rows = rows(patches(self.grid, self.cut.cells()));
        // One by one, so that what is computed on the way stays near.
        for (board, output) in boards.chunks_exact(read).zip(output.chunks_exact_mut(written)) {
            cut_up!(self.cut, rows, convolve(board, self, finish, room, output));
        }
    }
}

/// G g Gᵀ of all weights.
fn squares<P: Patch<CELLS, SIDE>, const CELLS: usize, const SIDE: usize>(
    inputs: usize,
    outputs: usize,
    weight: impl Fn(usize, usize, usize) -> f32,
) -> Vec<Square> {
    let panels = inputs / PANEL;
    let numbers = SIDE * SIDE;
    let mut squares = vec![[[0.0; PANEL]; PANEL]; outputs / PANEL * numbers * panels];
    for (output, input) in (0..outputs).flat_map(|output| (0..inputs).map(move |input| (output, input))) {
        let taps: [f32; 9] = std::array::from_fn(|tap| weight(tap, input, output));
        let columns: [[f32; SIDE]; 3] =
            std::array::from_fn(|right| P::spread_weights([taps[right], taps[3 + right], taps[6 + right]]));
        let transformed = (0..SIDE).flat_map(|down| P::spread_weights(columns.map(|column| column[down])));
        for (number, weight) in transformed.enumerate() {
            let square = (output / PANEL * numbers + number) * panels + input / PANEL;
            squares[square][input % PANEL][output % PANEL] = weight;
        }
    }
    squares
}

// What follows has no closures: they would not be compiled for the processor that the function around them is for.

/// Where the cells of the patch in this row and column stand. Behind the border its cells are zeros of the border again.
#[inline(always)]
fn places<const CELLS: usize, const SIDE: usize>(grid: Grid, row: usize, column: usize) -> [[usize; SIDE]; SIDE] {
    let mut places = [[0; SIDE]; SIDE];
    for (down, places) in places.iter_mut().enumerate() {
        for (right, place) in places.iter_mut().enumerate() {
            let (down, right) =
                ((CELLS * row + down).min(grid.height + 1), (CELLS * column + right).min(grid.width + 1));
            *place = down * grid.stride() + right;
        }
    }
    places
}

/// Where the cells in the middle of the patch in this row and column stand. Behind the border there are none.
#[inline(always)]
fn middle<const CELLS: usize>(grid: Grid, row: usize, column: usize) -> [[Option<usize>; CELLS]; CELLS] {
    let mut places = [[None; CELLS]; CELLS];
    for (down, places) in places.iter_mut().enumerate() {
        for (right, place) in places.iter_mut().enumerate() {
            let (row, column) = (CELLS * row + down, CELLS * column + right);
            if row < grid.height && column < grid.width {
                *place = Some(grid.at(row, column));
            }
        }
    }
    places
}

#[inline(always)]
fn lane(numbers: &[f32], at: usize) -> &Lane {
    numbers[at..].first_chunk().expect("sixteen channels")
}

/// Bᵀ d B of all patches of a board and all channels.
#[inline(always)]
fn transform_inputs<P: Patch<CELLS, SIDE>, const CELLS: usize, const SIDE: usize, const N: usize>(
    grid: Grid,
    board: &[f32],
    channels: usize,
    blocks: &mut [Block<SIDE, N>],
) {
    let (columns, panels) = (grid.width.div_ceil(CELLS), channels / PANEL);
    for patch in 0..patches(grid, CELLS) {
        let places = places::<CELLS, SIDE>(grid, patch / columns, patch % columns);
        for (panel, block) in blocks[patch / N * panels..][..panels].iter_mut().enumerate() {
            let mut columns = [[[0.0; PANEL]; SIDE]; SIDE];
            for right in 0..SIDE {
                let mut line = [&[0.0; PANEL]; SIDE];
                for down in 0..SIDE {
                    line[down] = lane(board, places[down][right] * channels + panel * PANEL);
                }
                columns[right] = P::spread_inputs(line);
            }
            for down in 0..SIDE {
                let mut line = [&[0.0; PANEL]; SIDE];
                for right in 0..SIDE {
                    line[right] = &columns[right][down];
                }
                let row = P::spread_inputs(line);
                for right in 0..SIDE {
                    block[down][right][patch % N] = row[right];
                }
            }
        }
    }
}

/// Aᵀ M A of all patches of a board, for sixteen filters that begin at `first` of `channels`, finished.
#[inline(always)]
fn transform_outputs<P: Patch<CELLS, SIDE>, const CELLS: usize, const SIDE: usize, const N: usize>(
    grid: Grid,
    blocks: &[Block<SIDE, N>],
    (first, channels): (usize, usize),
    finish: Finish<'_>,
    board: &mut [f32],
) {
    let columns = grid.width.div_ceil(CELLS);
    let bias = lane(finish.bias, first);
    for patch in 0..patches(grid, CELLS) {
        let middle = middle::<CELLS>(grid, patch / columns, patch % columns);
        let block = &blocks[patch / N];
        let mut columns = [[[0.0; PANEL]; CELLS]; SIDE];
        for right in 0..SIDE {
            let mut line = [&[0.0; PANEL]; SIDE];
            for down in 0..SIDE {
                line[down] = &block[down][right][patch % N];
            }
            columns[right] = P::gather_sums(line);
        }
        for down in 0..CELLS {
            let mut line = [&[0.0; PANEL]; SIDE];
            for right in 0..SIDE {
                line[right] = &columns[right][down];
            }
            let cells = P::gather_sums(line);
            for right in 0..CELLS {
                if let Some(place) = middle[down][right] {
                    let output = board[place * channels + first..].first_chunk_mut();
                    finish.write(combine(&cells[right], 1.0, bias), output.expect("sixteen channels"));
                }
            }
        }
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn convolve<P: Patch<CELLS, SIDE>, const CELLS: usize, const SIDE: usize, const N: usize>(
    board: &[f32],
    by: &Winograd,
    finish: Finish<'_>,
    room: &mut Room,
    output: &mut [f32],
) {
    if target_cfg_f!(any(target_feature = "fma", target_feature = "neon")) {
        convolve_with::<true, P, CELLS, SIDE, N>(board, by, finish, room, output);
    } else {
        convolve_with::<false, P, CELLS, SIDE, N>(board, by, finish, room, output);
    }
}

#[inline(always)]
fn convolve_with<const FUSED: bool, P: Patch<CELLS, SIDE>, const CELLS: usize, const SIDE: usize, const N: usize>(
    board: &[f32],
    by: &Winograd,
    finish: Finish<'_>,
    room: &mut Room,
    output: &mut [f32],
) {
    let panels = by.inputs / PANEL;
    let groups = patches(by.grid, CELLS).div_ceil(N);
    let inputs = blocks::<SIDE, N>(&mut room.inputs, groups * panels);
    let sums = blocks::<SIDE, N>(&mut room.outputs, groups);
    transform_inputs::<P, CELLS, SIDE, N>(by.grid, board, by.inputs, inputs);
    for (filters, squares) in by.squares.chunks_exact(SIDE * SIDE * panels).enumerate() {
        for (number, squares) in squares.chunks_exact(panels).enumerate() {
            for (inputs, sums) in inputs.chunks_exact(panels).zip(&mut *sums) {
                let mut now = [[0.0; PANEL]; N];
                for (block, square) in inputs.iter().zip(squares) {
                    multiply::<FUSED, N>(&block[number / SIDE][number % SIDE], square, &mut now);
                }
                sums[number / SIDE][number % SIDE] = now;
            }
        }
        let filters = (filters * PANEL, by.outputs);
        transform_outputs::<P, CELLS, SIDE, N>(by.grid, sums, filters, finish, output);
    }
}

/// `sums += rows · square`
#[inline(always)]
fn multiply<const FUSED: bool, const N: usize>(rows: &[Lane; N], square: &Square, sums: &mut [Lane; N]) {
    for input in 0..PANEL {
        for row in 0..N {
            for lane in 0..PANEL {
                sums[row][lane] = multiply_add::<FUSED>(rows[row][input], square[input][lane], sums[row][lane]);
            }
        }
    }
}
