//! [`FusedShapes`]: learnt local shapes, frozen and folded into one table for fast search.
//!
//! On boards from 3×3 up, every window of size 1 or 2 lies inside 3×3 windows. Its weight is divided
//! equally among those that contain it, so that the 3×3 windows alone give the same sum: one load for
//! a window instead of up to 28 (one 3×3, four 2×2 and nine 1×1 shapes with two weights each). As
//! equal parts keep the symmetry of the board, one row of the table still serves a whole orbit.

mod unshared;

use super::afterstates::AfterstateValues;
use super::function::{Value, ValueFunction};
use super::linear::{Linear, Squash};
use super::local_shape::{LocalShapes, Sharing, WindowSizes, Windows};
use super::tracked::{TrackedGo, digit};
use super::weights::Weights;
use afterstate_games::Side;
use afterstate_games::go::{Board, Go, MAX_SIZE, Move, Point};

/// How many different things a 3×3 window can show.
const SHAPES: usize = 3usize.pow(9);

/// 3×3 windows of the largest board.
const WINDOWS: usize = (MAX_SIZE - 2) * (MAX_SIZE - 2);

/// The windows that contain a point, padded with one that never changes, so that every point has nine.
#[derive(Clone, Copy, Debug)]
struct Covered {
    window: [u16; 9],
    /// What a black stone adds to each window's number.
    unit: [u16; 9],
}

/// A frozen value function over local shapes with all its weights in one table of 3×3 windows.
///
/// Its positions are read with [`FusedShapes::track`]. Later changes of the weights do not reach it.
///
/// ```
/// use afterstate_engine::value::{FusedShapes, Linear, LocalShapes, Sharing, Squash, ValueFunction, Weights, WindowSizes};
/// use afterstate_games::go::Go;
/// # use afterstate_engine::value::Features;
/// let shapes = LocalShapes::new(9, WindowSizes::ALL, Sharing::Both);
/// let weights = Weights::zeros(Features::<Go>::count(&shapes));
/// let fused = FusedShapes::new(&shapes, &weights, Squash::Logistic);
/// assert_eq!(fused.value(&fused.track(Go::new(9))).0, 0.5);
/// ```
#[derive(Clone, Debug)]
pub struct FusedShapes {
    windows: &'static Windows,
    /// [`SHAPES`] sums for each row, then one 0 for the padding of [`Covered`].
    table: Vec<f32>,
    /// Where each window's row begins.
    row: Vec<u32>,
    /// By the index of a point.
    covered: Vec<Covered>,
    squash: Squash,
}

impl FusedShapes {
    /// Folds `weights` over `shapes`, as they are now.
    pub fn new(shapes: &LocalShapes, weights: &Weights, squash: Squash) -> FusedShapes {
        let size = shapes.windows().board_size();
        let windows = Windows::of(size, WindowSizes::THREE);
        let row_of = |window: usize| match shapes.sharing() {
            Sharing::None => window,
            _ => windows.all()[window].orbit,
        };
        let mut fused = FusedShapes::laid_out(windows, row_of, squash);
        for (row, sums) in fused.table.as_chunks_mut::<SHAPES>().0.iter_mut().enumerate() {
            let example = (0..windows.len()).find(|&window| row_of(window) == row).expect("no row is unused");
            fill_row(shapes, weights, windows, example, sums);
        }
        fused
    }

    /// Sums of 0, with a row of the table for each value of `row_of`.
    fn laid_out(windows: &'static Windows, row_of: impl Fn(usize) -> usize, squash: Squash) -> FusedShapes {
        let size = windows.board_size();
        let rows = 1 + (0..windows.len()).map(&row_of).max().expect("there are windows");
        let last = Point::at(size - 1, size - 1, size).index();
        let unused = Covered { window: [windows.len() as u16; 9], unit: [0; 9] };
        let mut covered = vec![unused; last + 1];
        for point in Point::all(size) {
            let entry = &mut covered[point.index()];
            for (i, cover) in windows.covering(point).iter().enumerate() {
                (entry.window[i], entry.unit[i]) = (cover.window, cover.unit);
            }
        }
        let row = (0..windows.len()).map(|window| (row_of(window) * SHAPES) as u32).collect();
        FusedShapes { windows, table: vec![0.0; rows * SHAPES + 1], row, covered, squash }
    }

    /// Folds a learnt value function.
    pub fn of(learnt: &Linear<LocalShapes>) -> FusedShapes {
        FusedShapes::new(&learnt.features, &learnt.weights, learnt.squash)
    }

    /// The position with its 3×3 windows read: what this function evaluates.
    ///
    /// # Panics
    ///
    /// If the board sizes differ.
    pub fn track(&self, game: Go) -> TrackedGo {
        TrackedGo::read(game, self.windows)
    }

    /// Points along one edge of the board.
    pub fn board_size(&self) -> usize {
        self.windows.board_size()
    }

    /// What makes values of sums.
    pub fn squash(&self) -> Squash {
        self.squash
    }

    /// φ·θ of a position: the logit, where the value is logistic.
    ///
    /// # Panics
    ///
    /// If the position's windows are not those of [`FusedShapes::track`].
    pub fn sum(&self, game: &TrackedGo) -> f32 {
        self.numbers(game)
            .iter()
            .zip(&self.row)
            .map(|(&number, &row)| self.table[row as usize + usize::from(number)])
            .sum()
    }

    /// Replaces the contents of `sums` by φ·θ of the position after each of `moves`.
    ///
    /// # Panics
    ///
    /// If the position's windows are not those of [`FusedShapes::track`].
    pub fn afterstate_sums(&self, game: &TrackedGo, moves: &[Move], sums: &mut Vec<f32>) {
        let numbers = self.numbers(game);
        let table = self.table.as_slice();
        // Of each window, where its sum stands in the table, and that sum; the entry behind the last is the padding.
        let mut at = [0u32; WINDOWS + 1];
        let mut now = [0f32; WINDOWS + 1];
        let mut total = 0.0;
        for (((at, now), &number), &row) in at.iter_mut().zip(&mut now).zip(numbers).zip(&self.row) {
            *at = row + u32::from(number);
            *now = table[*at as usize];
            total += *now;
        }
        at[numbers.len()] = table.len() as u32 - 1;
        let (board, side) = (game.game().board(), game.game().to_move());
        let digit = u32::from(digit(side));
        sums.clear();
        sums.extend(moves.iter().map(|&mv| {
            let Some(point) = mv.point() else { return total };
            if board.captures_something(point, side) {
                return self.sum_after_capture(at, board, point, side);
            }
            let covered = &self.covered[point.index()];
            let mut change = 0.0;
            for (&window, &unit) in covered.window.iter().zip(&covered.unit) {
                let window = usize::from(window).min(WINDOWS);
                change += table[(at[window] + digit * u32::from(unit)) as usize] - now[window];
            }
            total + change
        }));
    }

    /// The sum after a move that captures; `at` says where each window's sum stands now.
    fn sum_after_capture(&self, mut at: [u32; WINDOWS + 1], board: &Board, point: Point, side: Side) -> f32 {
        let mut shift = |point: Point, digit: u32| {
            let covered = &self.covered[point.index()];
            for (&window, &unit) in covered.window.iter().zip(&covered.unit) {
                let at = &mut at[usize::from(window).min(WINDOWS)];
                *at = at.wrapping_add(digit.wrapping_mul(u32::from(unit)));
            }
        };
        shift(point, u32::from(digit(side)));
        let taken = u32::from(digit(side.other())).wrapping_neg();
        board.for_each_capture(point, side, |stone| shift(stone, taken));
        at[..self.row.len()].iter().map(|&at| self.table[at as usize]).sum()
    }

    fn numbers<'a>(&self, game: &'a TrackedGo) -> &'a [u16] {
        assert!(
            std::ptr::eq(game.track().windows, self.windows),
            "the position was read with other windows: read it with FusedShapes::track"
        );
        game.track().patterns.numbers()
    }
}

/// How many windows of size `outer` contain one of size `k` that begins at `a`, along one axis of a board of `size`.
fn containing(size: usize, a: usize, k: usize, outer: usize) -> usize {
    a.min(size - outer) - (a + k).saturating_sub(outer) + 1
}

/// Fills the table's row for `example` and the windows that share it: `sums[number]` is what a window that
/// shows `number` contributes.
fn fill_row(shapes: &LocalShapes, weights: &Weights, windows: &Windows, example: usize, sums: &mut [f32; SHAPES]) {
    let size = windows.board_size();
    let outer = &windows.all()[example];
    // The digit of `example`'s number that stands for a cell of the board.
    let digit_of = |(x, y): (usize, usize)| {
        let (i, j) = outer.to_representative.apply((x - outer.anchor.0, y - outer.anchor.1), 3);
        3 * j + i
    };
    for (inner_index, inner) in shapes.windows().all().iter().enumerate() {
        let (x, y) = inner.anchor;
        let inside = |a: usize, outer: usize| outer <= a && a + inner.k <= outer + 3;
        if !inside(x, outer.anchor.0) || !inside(y, outer.anchor.1) {
            continue;
        }
        let part = 1.0 / (containing(size, x, inner.k, 3) * containing(size, y, inner.k, 3)) as f32;
        // Which digit of the inner number each digit of the outer number is.
        let mut unit = [0usize; 9];
        for cell in 0..inner.k * inner.k {
            let (i, j) = (cell % inner.k, cell / inner.k);
            let (image_i, image_j) = inner.to_representative.apply((i, j), inner.k);
            unit[digit_of((x + i, y + j))] = 3usize.pow((image_j * inner.k + image_i) as u32);
        }
        let mut digits = [0usize; 9];
        let mut number = 0;
        for sum in sums.iter_mut() {
            *sum +=
                part * shapes.shares_of(inner_index, number).iter().map(|&share| weights.shared(share)).sum::<f32>();
            // Count on in base 3, the inner number alongside.
            for (digit, unit) in digits.iter_mut().zip(unit) {
                if *digit < 2 {
                    *digit += 1;
                    number += unit;
                    break;
                }
                *digit = 0;
                number -= 2 * unit;
            }
        }
    }
}

impl ValueFunction<TrackedGo> for FusedShapes {
    fn value(&self, game: &TrackedGo) -> Value {
        self.squash.value(self.sum(game))
    }
}

/// The score is the sum, before squashing.
impl AfterstateValues<TrackedGo> for FusedShapes {
    #[inline]
    fn afterstates(&self, game: &TrackedGo, moves: &[Move], scores: &mut Vec<f32>) {
        self.afterstate_sums(game, moves, scores);
    }

    fn value_of_score(&self, score: f32) -> Value {
        self.squash.value(score)
    }

    fn even_score(&self) -> f32 {
        0.0
    }
}
