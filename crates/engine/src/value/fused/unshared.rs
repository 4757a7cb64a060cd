//! Local shapes that share no weights, folded fast enough to do it at every move of a game.
//!
//! Weights move in every search, so what folds them has to cost little beside it. Every 1×1 window is divided among the
//! 2×2 windows that contain it. A 3×3 window then holds four 2×2 windows: with r₀, r₁, r₂ for what its rows show,
//!
//! ```text
//! sum(r₀, r₁, r₂) = A(r₀, r₁) + B(r₁, r₂)         A: the lower two of the 2×2 windows, B: the upper two
//! ```
//!
//! so that an entry of the table costs two additions, and not one for each of the windows that it is made of.

use super::{FusedShapes, SHAPES, containing};
use crate::value::linear::Squash;
use crate::value::local_shape::{Window, WindowSizes, Windows};

/// How many different things a row of three points can show, and a window of 2×2.
const ROWS: usize = 27;
const BLOCKS: usize = 81;

/// What a 2×2 window is worth, by what it shows.
type Block = [f32; BLOCKS];

impl FusedShapes {
    /// Sums of 0 for a board of `board_size`.
    ///
    /// # Panics
    ///
    /// If `board_size` is not between 5 and 19.
    pub fn zeros(board_size: usize, squash: Squash) -> FusedShapes {
        FusedShapes::laid_out(Windows::of(board_size, WindowSizes::THREE), |window| window, squash)
    }

    /// The same sums, with a row of the table for every window, so that
    /// [`FusedShapes::add_unshared`] can add to each.
    pub fn unshared(&self) -> FusedShapes {
        let mut all = FusedShapes::zeros(self.board_size(), self.squash);
        for (sums, &row) in all.table.as_chunks_mut::<SHAPES>().0.iter_mut().zip(&self.row) {
            sums.copy_from_slice(&self.table[row as usize..row as usize + SHAPES]);
        }
        all
    }

    /// Adds weights that are not shared: those of each of `windows` in turn, in the order of what it shows.
    ///
    /// ```
    /// use afterstate_engine::value::{FusedShapes, Squash, WindowSizes, Windows};
    /// use afterstate_games::{Game, go::{Go, Move, Point}};
    /// let points = Windows::of(5, WindowSizes::new(&[1]).unwrap());
    /// let mut fused = FusedShapes::zeros(5, Squash::Linear);
    /// // A black stone is worth 2 wherever it is, a white one −1.
    /// fused.add_unshared(points, &[0.0, 2.0, -1.0].repeat(25));
    /// let mut game = Go::new(5);
    /// game.play(Move::play(Point::at(2, 1, 5)));
    /// game.play(Move::play(Point::at(0, 0, 5)));
    /// assert_eq!(fused.sum(&fused.track(game)), 1.0);
    /// ```
    ///
    /// # Panics
    ///
    /// If `windows` belong to a board of another size, `weights` are not as many as these windows have, or rows of the
    /// table are shared: see [`FusedShapes::unshared`].
    pub fn add_unshared(&mut self, windows: &Windows, weights: &[f32]) {
        let size = self.board_size();
        assert_eq!(windows.board_size(), size, "windows of another board size");
        assert_eq!(self.table.len(), self.row.len() * SHAPES + 1, "windows share rows of the table");
        let mut blocks = vec![[0.0; BLOCKS]; (size - 1) * (size - 1)];
        let mut rest = weights;
        for window in windows.all() {
            let (own, others) = rest.split_at(3usize.pow((window.k * window.k) as u32));
            rest = others;
            match window.k {
                1 => add_point(&mut blocks, size, window.anchor, own),
                2 => add_block(&mut blocks[window.ordinal], window, own),
                _ => {
                    let row = self.row[window.ordinal] as usize;
                    add(&mut self.table[row..row + SHAPES], own);
                }
            }
        }
        assert!(rest.is_empty(), "{} weights too many", rest.len());
        if windows.sizes() == WindowSizes::THREE {
            return;
        }
        for (window, sums) in self.windows.all().iter().zip(self.table.as_chunks_mut::<SHAPES>().0) {
            add_blocks(sums, window, &blocks, size);
        }
    }
}

fn add(sums: &mut [f32], more: &[f32]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}

/// Divides what a point is worth among the 2×2 windows that contain it.
fn add_point(blocks: &mut [Block], size: usize, (x, y): (usize, usize), worth: &[f32]) {
    let part = 1.0 / (containing(size, x, 1, 2) * containing(size, y, 1, 2)) as f32;
    for block_y in y.saturating_sub(1)..=y.min(size - 2) {
        for block_x in x.saturating_sub(1)..=x.min(size - 2) {
            let digit = 3usize.pow((2 * (y - block_y) + x - block_x) as u32);
            for (number, sum) in blocks[block_y * (size - 1) + block_x].iter_mut().enumerate() {
                *sum += part * worth[number / digit % 3];
            }
        }
    }
}

/// Adds what a 2×2 window is worth; its numbers are those of its representative, those of `block` go by its own rows.
fn add_block(block: &mut Block, window: &Window, worth: &[f32]) {
    let units = [0, 1, 2, 3].map(|cell| {
        let (i, j) = window.to_representative.apply((cell % 2, cell / 2), 2);
        unit(i, j)
    });
    for (number, sum) in block.iter_mut().enumerate() {
        *sum += worth[renumbered(number, units)];
    }
}

/// What a black stone in this column and row of a 2×2 window adds to the window's number.
fn unit(i: usize, j: usize) -> usize {
    3usize.pow((2 * j + i) as u32)
}

/// The number of what a 2×2 window shows when its cells count as these units.
fn renumbered(number: usize, units: [usize; 4]) -> usize {
    number % 3 * units[0] + number / 3 % 3 * units[1] + number / 9 % 3 * units[2] + number / 27 * units[3]
}

/// Adds to a 3×3 window its part of the four 2×2 windows inside it.
fn add_blocks(sums: &mut [f32; SHAPES], window: &Window, blocks: &[Block], size: usize) {
    // The four as the representative of the window sees them: lower left, lower right, upper left, upper right.
    let mut quarters = [[0.0; BLOCKS]; 4];
    for (right, up) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let (x, y) = (window.anchor.0 + right, window.anchor.1 + up);
        let part = 1.0 / (containing(size, x, 2, 3) * containing(size, y, 2, 3)) as f32;
        let images = [0, 1, 2, 3].map(|cell| window.to_representative.apply((right + cell % 2, up + cell / 2), 3));
        let corner = images.iter().fold((2, 2), |corner, image| (corner.0.min(image.0), corner.1.min(image.1)));
        let units = images.map(|(i, j)| unit(i - corner.0, j - corner.1));
        for (number, worth) in blocks[y * (size - 1) + x].iter().enumerate() {
            quarters[2 * corner.1 + corner.0][renumbered(number, units)] = part * worth;
        }
    }
    // Of two rows: what the left windows and the right windows are worth together.
    let pair = |left: &Block, right: &Block| -> Vec<f32> {
        let worth = |lower: usize, upper: usize| left[lower % 9 + 9 * (upper % 9)] + right[lower / 3 + 9 * (upper / 3)];
        (0..ROWS * ROWS).map(|rows| worth(rows % ROWS, rows / ROWS)).collect()
    };
    let (below, above) = (pair(&quarters[0], &quarters[1]), pair(&quarters[2], &quarters[3]));
    for (rows, sums) in sums.as_chunks_mut::<ROWS>().0.iter_mut().enumerate() {
        let middle = rows % ROWS;
        for (sum, below) in sums.iter_mut().zip(&below[middle * ROWS..]) {
            *sum += below + above[rows];
        }
    }
}
