//! [`Winograd`]: a 3×3 convolution with 16 multiplications where a plain one has 36.
//!
//! ```text
//! Y = Aᵀ [ (G g Gᵀ) ⊙ (Bᵀ d B) ] A        F(2×2, 3×3)
//! ```
//!
//! d is a patch of 4×4 cells, g the 3×3 weights, and Y the 2×2 cells in the middle of the patch. Patches overlap, the cells in
//! their middle do not. ⊙ multiplies number by number for one input and one filter; for all of them it is a product of
//! matrices for each of the 16 numbers. (A. Lavin and S. Gray, *Fast algorithms for convolutional neural networks*, CVPR 2016,
//! §4.1; S. Winograd, *Arithmetic complexity of computations*, 1980.)

use crate::grid::Grid;
use crate::tile::{Finish, INPUTS, Lane, PANEL, add_products, multiply_add};
use multiversion::multiversion;
use multiversion::target::target_cfg_f;

/// Numbers of a patch, before and after it is transformed.
const PATCH: usize = 16;

/// Sixteen channels of `N` transformed patches: each number of all of them, then the next.
type Block<const N: usize> = [[Lane; N]; PATCH];
/// Weights between sixteen inputs and sixteen filters.
type Square = [Lane; PANEL];

/// Patches of one board.
const fn patches(grid: Grid) -> usize {
    grid.height.div_ceil(2) * grid.width.div_ceil(2)
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
fn blocks<const N: usize>(numbers: &mut Vec<f32>, count: usize) -> &mut [Block<N>] {
    let length = count * PATCH * N * PANEL;
    if numbers.len() < length {
        numbers.resize(length, 0.0);
    }
    let (lanes, _) = numbers[..length].as_chunks_mut::<PANEL>();
    let (rows, _) = lanes.as_chunks_mut::<N>();
    rows.as_chunks_mut::<PATCH>().0
}

/// Weights of a 3×3 convolution, transformed.
#[derive(Clone, Debug)]
pub(crate) struct Winograd {
    /// `[outputs / 16][16 numbers of a patch][inputs / 16]`
    squares: Vec<Square>,
    inputs: usize,
    outputs: usize,
}

impl Winograd {
    /// Transforms the weights that `weight` has for tap, input and output. There are multiples of [`PANEL`] of both.
    pub fn new(inputs: usize, outputs: usize, weight: impl Fn(usize, usize, usize) -> f32) -> Winograd {
        let panels = inputs / PANEL;
        let mut squares = vec![[[0.0; PANEL]; PANEL]; outputs / PANEL * PATCH * panels];
        for (output, input) in (0..outputs).flat_map(|output| (0..inputs).map(move |input| (output, input))) {
            let transformed = transform_weights(std::array::from_fn(|tap| weight(tap, input, output)));
            for (number, weight) in transformed.into_iter().enumerate() {
                let square = (output / PANEL * PATCH + number) * panels + input / PANEL;
                squares[square][input % PANEL][output % PANEL] = weight;
            }
        }
        Winograd { squares, inputs, outputs }
    }

    /// Convolves boards that stand behind each other. Only the cells of `output` are written, not the zeros around.
    pub fn apply(&self, grid: Grid, boards: &[f32], finish: Finish<'_>, room: &mut Room, output: &mut [f32]) {
        let (read, written) = (grid.len() * self.inputs, grid.len() * self.outputs);
        // One by one, so that what is computed on the way stays near.
        for (board, output) in boards.chunks_exact(read).zip(output.chunks_exact_mut(written)) {
            match rows(patches(grid)) {
                4 => convolve::<4>(grid, board, self, finish, room, output),
                5 => convolve::<5>(grid, board, self, finish, room, output),
                _ => convolve::<6>(grid, board, self, finish, room, output),
            }
        }
    }
}

/// Adds to `gradients`, `[9][inputs][outputs]`, those of the weights of a convolution that made outputs of `boards` when these
/// have the gradients `errors`: the errors of a patch's sums are A ∂Y Aᵀ.
pub(crate) fn add_weight_gradients(
    grid: Grid,
    boards: &[f32],
    inputs: usize,
    errors: &[f32],
    outputs: usize,
    room: &mut Room,
    gradients: &mut [f32],
) {
    // `[16 numbers of a patch][outputs / 16][inputs / 16]`
    let mut squares = vec![[[0.0; PANEL]; PANEL]; PATCH * inputs / PANEL * outputs / PANEL];
    let (read, written) = (grid.len() * inputs, grid.len() * outputs);
    for (board, errors) in boards.chunks_exact(read).zip(errors.chunks_exact(written)) {
        add_gradients(grid, (board, inputs), (errors, outputs), room, &mut squares);
    }
    let plane = squares.len() / PATCH;
    for (output, input) in (0..outputs).flat_map(|output| (0..inputs).map(move |input| (output, input))) {
        let square = output / PANEL * (inputs / PANEL) + input / PANEL;
        let number = |number: usize| squares[number * plane + square][input % PANEL][output % PANEL];
        for (tap, gradient) in back_to_weights(std::array::from_fn(number)).into_iter().enumerate() {
            gradients[(tap * inputs + input) * outputs + output] += gradient;
        }
    }
}

/// G g Gᵀ
fn transform_weights(taps: [f32; 9]) -> [f32; PATCH] {
    let side = |[a, b, c]: [f32; 3]| [a, 0.5 * (a + b + c), 0.5 * (a - b + c), c];
    let columns: [[f32; 4]; 3] = std::array::from_fn(|right| side([taps[right], taps[3 + right], taps[6 + right]]));
    let mut transformed = [0.0; PATCH];
    for (down, row) in transformed.chunks_exact_mut(4).enumerate() {
        row.copy_from_slice(&side(columns.map(|column| column[down])));
    }
    transformed
}

/// Gᵀ U G
fn back_to_weights(transformed: [f32; PATCH]) -> [f32; 9] {
    let side = |[a, b, c, d]: [f32; 4]| [a + 0.5 * (b + c), 0.5 * (b - c), 0.5 * (b + c) + d];
    let columns: [[f32; 3]; 4] =
        std::array::from_fn(|right| side(std::array::from_fn(|down| transformed[4 * down + right])));
    let mut taps = [0.0; 9];
    for (down, row) in taps.chunks_exact_mut(3).enumerate() {
        row.copy_from_slice(&side(columns.map(|column| column[down])));
    }
    taps
}

// What follows has no closures: they would not be compiled for the processor that the function around them is for.

/// Where the cells of the patch in this row and column stand. Behind the border its cells are zeros of the border again.
#[inline(always)]
fn patch_places(grid: Grid, row: usize, column: usize) -> [usize; PATCH] {
    let mut places = [0; PATCH];
    for (index, place) in places.iter_mut().enumerate() {
        let (down, right) = ((2 * row + index / 4).min(grid.height + 1), (2 * column + index % 4).min(grid.width + 1));
        *place = down * grid.stride() + right;
    }
    places
}

/// Where the 2×2 cells in the middle of the patch in this row and column stand. Behind the border there are none.
#[inline(always)]
fn middle(grid: Grid, row: usize, column: usize) -> [Option<usize>; 4] {
    let mut places = [None; 4];
    for (index, place) in places.iter_mut().enumerate() {
        let (row, column) = (2 * row + index / 2, 2 * column + index % 2);
        if row < grid.height && column < grid.width {
            *place = Some(grid.at(row, column));
        }
    }
    places
}

/// `a + sign · b`
#[inline(always)]
fn combine(a: &Lane, sign: f32, b: &Lane) -> Lane {
    let mut sum = *a;
    for lane in 0..PANEL {
        sum[lane] += sign * b[lane];
    }
    sum
}

/// Bᵀ (a b c d)ᵀ
#[inline(always)]
fn spread_input(a: &Lane, b: &Lane, c: &Lane, d: &Lane) -> [Lane; 4] {
    [combine(a, -1.0, c), combine(b, 1.0, c), combine(c, -1.0, b), combine(b, -1.0, d)]
}

/// Aᵀ (a b c d)ᵀ
#[inline(always)]
fn gather(a: &Lane, b: &Lane, c: &Lane, d: &Lane) -> [Lane; 2] {
    [combine(&combine(a, 1.0, b), 1.0, c), combine(&combine(b, -1.0, c), -1.0, d)]
}

/// A (a b)ᵀ
#[inline(always)]
fn spread_error(a: &Lane, b: &Lane) -> [Lane; 4] {
    [*a, combine(a, 1.0, b), combine(a, -1.0, b), combine(&[0.0; PANEL], -1.0, b)]
}

#[inline(always)]
fn lane(numbers: &[f32], at: usize) -> &Lane {
    numbers[at..].first_chunk().expect("sixteen channels")
}

/// Bᵀ d B of all patches of a board and all channels.
#[inline(always)]
fn transform_inputs<const N: usize>(grid: Grid, board: &[f32], channels: usize, blocks: &mut [Block<N>]) {
    let (columns, panels) = (grid.width.div_ceil(2), channels / PANEL);
    for patch in 0..patches(grid) {
        let places = patch_places(grid, patch / columns, patch % columns);
        for (panel, block) in blocks[patch / N * panels..][..panels].iter_mut().enumerate() {
            let mut columns = [[[0.0; PANEL]; 4]; 4];
            for right in 0..4 {
                let a = lane(board, places[right] * channels + panel * PANEL);
                let b = lane(board, places[4 + right] * channels + panel * PANEL);
                let c = lane(board, places[8 + right] * channels + panel * PANEL);
                let d = lane(board, places[12 + right] * channels + panel * PANEL);
                columns[right] = spread_input(a, b, c, d);
            }
            let [a, b, c, d] = &columns;
            for down in 0..4 {
                let row = spread_input(&a[down], &b[down], &c[down], &d[down]);
                for right in 0..4 {
                    block[4 * down + right][patch % N] = row[right];
                }
            }
        }
    }
}

/// A ∂Y Aᵀ of all patches of a board and all channels.
#[inline(always)]
fn transform_errors<const N: usize>(grid: Grid, errors: &[f32], channels: usize, blocks: &mut [Block<N>]) {
    let (columns, panels) = (grid.width.div_ceil(2), channels / PANEL);
    for patch in 0..patches(grid) {
        let middle = middle(grid, patch / columns, patch % columns);
        for (panel, block) in blocks[patch / N * panels..][..panels].iter_mut().enumerate() {
            let mut cells = [[0.0; PANEL]; 4];
            for index in 0..4 {
                if let Some(place) = middle[index] {
                    cells[index] = *lane(errors, place * channels + panel * PANEL);
                }
            }
            let [a, b, c, d] = &cells;
            let [a, b] = [spread_error(a, c), spread_error(b, d)];
            for down in 0..4 {
                let row = spread_error(&a[down], &b[down]);
                for right in 0..4 {
                    block[4 * down + right][patch % N] = row[right];
                }
            }
        }
    }
}

/// Aᵀ M A of all patches of a board, for sixteen filters that begin at `first` of `channels`, finished.
#[inline(always)]
fn transform_outputs<const N: usize>(
    grid: Grid,
    blocks: &[Block<N>],
    (first, channels): (usize, usize),
    finish: Finish<'_>,
    board: &mut [f32],
) {
    let columns = grid.width.div_ceil(2);
    let bias = lane(finish.bias, first);
    for patch in 0..patches(grid) {
        let middle = middle(grid, patch / columns, patch % columns);
        let block = &blocks[patch / N];
        let mut columns = [[[0.0; PANEL]; 2]; 4];
        for right in 0..4 {
            let [a, b] = [&block[right][patch % N], &block[4 + right][patch % N]];
            let [c, d] = [&block[8 + right][patch % N], &block[12 + right][patch % N]];
            columns[right] = gather(a, b, c, d);
        }
        let [a, b, c, d] = &columns;
        for down in 0..2 {
            let cells = gather(&a[down], &b[down], &c[down], &d[down]);
            for right in 0..2 {
                if let Some(place) = middle[2 * down + right] {
                    let output = board[place * channels + first..].first_chunk_mut();
                    finish.write(combine(&cells[right], 1.0, bias), output.expect("sixteen channels"));
                }
            }
        }
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn convolve<const N: usize>(
    grid: Grid,
    board: &[f32],
    by: &Winograd,
    finish: Finish<'_>,
    room: &mut Room,
    output: &mut [f32],
) {
    if target_cfg_f!(any(target_feature = "fma", target_feature = "neon")) {
        convolve_with::<true, N>(grid, board, by, finish, room, output);
    } else {
        convolve_with::<false, N>(grid, board, by, finish, room, output);
    }
}

#[inline(always)]
fn convolve_with<const FUSED: bool, const N: usize>(
    grid: Grid,
    board: &[f32],
    by: &Winograd,
    finish: Finish<'_>,
    room: &mut Room,
    output: &mut [f32],
) {
    let panels = by.inputs / PANEL;
    let groups = patches(grid).div_ceil(N);
    let inputs = blocks::<N>(&mut room.inputs, groups * panels);
    let sums = blocks::<N>(&mut room.outputs, groups);
    transform_inputs(grid, board, by.inputs, inputs);
    for (filters, squares) in by.squares.chunks_exact(PATCH * panels).enumerate() {
        for (number, squares) in squares.chunks_exact(panels).enumerate() {
            for (inputs, sums) in inputs.chunks_exact(panels).zip(&mut *sums) {
                let mut now = [[0.0; PANEL]; N];
                for (block, square) in inputs.iter().zip(squares) {
                    multiply::<FUSED, N>(&block[number], square, &mut now);
                }
                sums[number] = now;
            }
        }
        transform_outputs(grid, sums, (filters * PANEL, by.outputs), finish, output);
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

/// Adds to `squares` the gradients of the transformed weights.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx2+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn add_gradients(grid: Grid, board: (&[f32], usize), errors: (&[f32], usize), room: &mut Room, squares: &mut [Square]) {
    if target_cfg_f!(any(target_feature = "fma", target_feature = "neon")) {
        add_gradients_with::<true>(grid, board, errors, room, squares);
    } else {
        add_gradients_with::<false>(grid, board, errors, room, squares);
    }
}

#[inline(always)]
fn add_gradients_with<const FUSED: bool>(
    grid: Grid,
    (board, inputs): (&[f32], usize),
    (errors, outputs): (&[f32], usize),
    room: &mut Room,
    squares: &mut [Square],
) {
    const N: usize = 4;
    let groups = patches(grid).div_ceil(N);
    let (inputs, outputs) = (inputs / PANEL, outputs / PANEL);
    let seen = blocks::<N>(&mut room.inputs, groups * inputs);
    let blame = blocks::<N>(&mut room.outputs, groups * outputs);
    // What fills the last group is no patch.
    for block in seen[(groups - 1) * inputs..].iter_mut().chain(&mut blame[(groups - 1) * outputs..]) {
        *block = [[[0.0; PANEL]; N]; PATCH];
    }
    transform_inputs(grid, board, inputs * PANEL, seen);
    transform_errors(grid, errors, outputs * PANEL, blame);
    for (number, squares) in squares.chunks_exact_mut(inputs * outputs).enumerate() {
        for (filters, squares) in squares.chunks_exact_mut(inputs).enumerate() {
            for (panel, square) in squares.iter_mut().enumerate() {
                for first in (0..PANEL).step_by(INPUTS) {
                    let mut sums = [[0.0; PANEL]; INPUTS];
                    for group in 0..groups {
                        let seen = &seen[group * inputs + panel][number];
                        let blame = &blame[group * outputs + filters][number];
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convolution::{self, Direct};
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn random(count: usize, seed: u64) -> Vec<f32> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        (0..count).map(|_| rng.random_range(-1.0..1.0)).collect()
    }

    /// Boards of random numbers with zeros around.
    fn boards(grid: Grid, count: usize, channels: usize, seed: u64) -> Vec<f32> {
        let mut boards = vec![0.0; count * grid.len() * channels];
        let planes = random(count * grid.cells() * channels, seed);
        let each = boards.chunks_exact_mut(grid.len() * channels).zip(planes.chunks_exact(grid.cells() * channels));
        for (board, planes) in each {
            grid.read(planes, channels, board);
        }
        boards
    }

    fn assert_close(found: &[f32], expected: &[f32]) {
        assert_eq!(found.len(), expected.len());
        for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
            assert!((found - expected).abs() < 1e-4, "{index}: {found} {expected}");
        }
    }

    /// Even and odd sides, one row, and patches that fill their groups and do not.
    const CASES: [(usize, usize, usize); 6] = [(6, 7, 1), (9, 9, 3), (3, 3, 2), (1, 5, 2), (2, 2, 3), (19, 19, 1)];

    #[test]
    fn sums_are_those_of_the_direct_convolution() {
        for (height, width, count) in CASES {
            let grid = Grid { height, width };
            let (inputs, outputs) = (16, 32);
            let weights = random(9 * inputs * outputs, 1);
            let weight = |tap: usize, input: usize, output: usize| weights[(tap * inputs + input) * outputs + output];
            let boards = boards(grid, count, inputs, 2);
            let (bias, held) = (random(outputs, 3), random(count * grid.len() * outputs, 4));
            for (onto, relu) in [(false, false), (true, true)] {
                let finish = Finish { bias: &bias, onto, relu };
                let (mut found, mut expected) = (held.clone(), held.clone());
                Winograd::new(inputs, outputs, weight).apply(grid, &boards, finish, &mut Room::default(), &mut found);
                Direct::new(inputs, outputs, weight).apply(grid, &boards, finish, &mut expected);
                assert_close(&found, &expected);
            }
        }
    }

    #[test]
    fn gradients_are_those_of_the_direct_convolution() {
        for (height, width, count) in CASES {
            let grid = Grid { height, width };
            let (inputs, outputs) = (32, 16);
            let (boards, errors) = (boards(grid, count, inputs, 5), boards(grid, count, outputs, 6));
            let mut found = random(9 * inputs * outputs, 7);
            let mut expected = found.clone();
            add_weight_gradients(grid, &boards, inputs, &errors, outputs, &mut Room::default(), &mut found);
            convolution::add_direct_gradients(grid, &boards, inputs, &errors, outputs, &mut expected);
            assert_close(&found, &expected);
        }
    }
}
