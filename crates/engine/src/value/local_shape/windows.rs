//! Where local shapes are looked for: every k×k window of the board, and how each is read as a number.
//!
//! A window's content is a number in base 3 (empty 0, black 1, white 2). The digits of a window are
//! not ordered by its own rows but by those of its *representative*, the first window among its
//! images under the board's eight symmetries. All images of a shape then have the same number, and
//! one small table serves eight windows.

use afterstate_games::go::{Board, MAX_SIZE, Point, board::Color};
use std::sync::{Mutex, OnceLock};

/// Windows of the largest board with all three sizes.
pub const MAX_WINDOWS: usize = 19 * 19 + 18 * 18 + 17 * 17;

/// Which window sizes are used: 1×1, 2×2, 3×3.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
pub struct WindowSizes([bool; 3]);

impl WindowSizes {
    /// 1×1, 2×2 and 3×3: the paper's default.
    pub const ALL: WindowSizes = WindowSizes([true; 3]);
    /// 3×3 alone.
    pub const THREE: WindowSizes = WindowSizes([false, false, true]);

    /// The given sizes; `None` unless each is 1, 2 or 3 and there is at least one.
    ///
    /// ```
    /// use afterstate_engine::value::WindowSizes;
    /// assert_eq!(WindowSizes::new(&[1, 2, 3]), Some(WindowSizes::ALL));
    /// assert_eq!(WindowSizes::new(&[4]), None);
    /// ```
    pub fn new(sizes: &[usize]) -> Option<WindowSizes> {
        let mut chosen = [false; 3];
        for &size in sizes {
            *chosen.get_mut(size.checked_sub(1)?)? = true;
        }
        (!sizes.is_empty()).then_some(WindowSizes(chosen))
    }

    /// The sizes in ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (1..=3).filter(move |k| self.0[k - 1])
    }
}

impl TryFrom<Vec<u8>> for WindowSizes {
    type Error = String;
    fn try_from(sizes: Vec<u8>) -> Result<Self, String> {
        let wide: Vec<usize> = sizes.iter().map(|&size| usize::from(size)).collect();
        WindowSizes::new(&wide).ok_or_else(|| format!("window sizes {sizes:?}: expected some of 1, 2, 3"))
    }
}

impl From<WindowSizes> for Vec<u8> {
    fn from(sizes: WindowSizes) -> Vec<u8> {
        sizes.iter().map(|k| k as u8).collect()
    }
}

/// One of the eight symmetries of the square: bit 0 mirrors columns, bit 1 mirrors rows, bit 2 swaps them afterwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symmetry(pub(crate) u8);

impl Symmetry {
    pub(crate) const ALL: [Symmetry; 8] = {
        let mut all = [Symmetry(0); 8];
        let mut i = 0;
        while i < 8 {
            all[i] = Symmetry(i as u8);
            i += 1;
        }
        all
    };

    /// The image of (x, y) in a square of `n` by `n` cells.
    pub(crate) fn apply(self, (mut x, mut y): (usize, usize), n: usize) -> (usize, usize) {
        if self.0 & 1 != 0 {
            x = n - 1 - x;
        }
        if self.0 & 2 != 0 {
            y = n - 1 - y;
        }
        if self.0 & 4 != 0 { (y, x) } else { (x, y) }
    }
}

/// A k×k window of the board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// Its edge, k.
    pub(crate) k: usize,
    /// Its lower left cell: column and row.
    pub(crate) anchor: (usize, usize),
    /// Among windows of its size, which one it is: `y * (n - k + 1) + x`.
    pub(crate) ordinal: usize,
    /// The number of its orbit (windows that are images of each other) among those of its size.
    pub(crate) orbit: usize,
    /// The symmetry that takes it to its representative.
    pub(crate) to_representative: Symmetry,
}

/// A window that contains a given point, and what a black stone there adds to the window's number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cover {
    pub(crate) window: u16,
    /// 3^d, d being the digit that stands for the point.
    pub(crate) unit: u16,
}

/// All windows of chosen sizes on a board, and which of them contain which point.
#[derive(Debug)]
pub struct Windows {
    board_size: usize,
    sizes: WindowSizes,
    windows: Vec<Window>,
    covers: Vec<Cover>,
    /// Where the covers of the point with this index begin; one more entry closes the last.
    cover_start: Vec<u16>,
}

impl Windows {
    /// The windows of `sizes` on a board of `board_size`. They are made once and live as long as the program.
    ///
    /// # Panics
    ///
    /// If `board_size` is not between 5 and 19.
    pub fn of(board_size: usize, sizes: WindowSizes) -> &'static Windows {
        static MADE: OnceLock<Mutex<Vec<&'static Windows>>> = OnceLock::new();
        assert!((5..=MAX_SIZE).contains(&board_size), "board size {board_size}: expected 5 to 19");
        let mut made = MADE.get_or_init(Mutex::default).lock().expect("making windows does not panic");
        if let Some(found) = made.iter().find(|w| w.board_size == board_size && w.sizes == sizes) {
            return found;
        }
        let new: &'static Windows = Box::leak(Box::new(Windows::make(board_size, sizes)));
        made.push(new);
        new
    }

    fn make(n: usize, sizes: WindowSizes) -> Windows {
        let mut windows = Vec::new();
        for k in sizes.iter() {
            let across = n - k + 1;
            let mut representatives: Vec<usize> = Vec::new();
            for ordinal in 0..across * across {
                let anchor = (ordinal % across, ordinal / across);
                // A window's image is the window that contains the images of its cells; on the grid of
                // anchors that is the same symmetry of a smaller square.
                let (image, to_representative) = Symmetry::ALL
                    .iter()
                    .map(|&symmetry| {
                        let (x, y) = symmetry.apply(anchor, across);
                        (y * across + x, symmetry)
                    })
                    .min_by_key(|&(image, _)| image)
                    .expect("there are eight symmetries");
                if image == ordinal {
                    representatives.push(image);
                }
                let orbit = representatives.binary_search(&image).expect("the first of an orbit comes first");
                windows.push(Window { k, anchor, ordinal, orbit, to_representative });
            }
        }
        let mut covers = Vec::new();
        let mut cover_start = vec![0u16];
        let last = Point::at(n - 1, n - 1, n).index();
        let mut on_board = vec![None; last + 1];
        for point in Point::all(n) {
            on_board[point.index()] = Some(point.column_row(n));
        }
        for place in on_board {
            if let Some((x, y)) = place {
                for (i, window) in windows.iter().enumerate() {
                    let (ax, ay) = window.anchor;
                    if (ax..ax + window.k).contains(&x) && (ay..ay + window.k).contains(&y) {
                        let (i_image, j_image) = window.to_representative.apply((x - ax, y - ay), window.k);
                        let unit = 3u16.pow((j_image * window.k + i_image) as u32);
                        covers.push(Cover { window: i as u16, unit });
                    }
                }
            }
            cover_start.push(covers.len() as u16);
        }
        Windows { board_size: n, sizes, windows, covers, cover_start }
    }

    /// Points along one edge of the board.
    pub fn board_size(&self) -> usize {
        self.board_size
    }

    /// The window sizes.
    pub fn sizes(&self) -> WindowSizes {
        self.sizes
    }

    /// How many windows there are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.windows.len()
    }

    /// Never: there is always a window.
    pub fn is_empty(&self) -> bool {
        self.windows.is_empty()
    }

    pub(crate) fn all(&self) -> &[Window] {
        &self.windows
    }

    /// The windows that contain `point`.
    #[inline(always)]
    pub(crate) fn covering(&self, point: Point) -> &[Cover] {
        let i = point.index();
        &self.covers[usize::from(self.cover_start[i])..usize::from(self.cover_start[i + 1])]
    }
}

/// Some of the windows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WindowSet([u64; MAX_WINDOWS.div_ceil(64)]);

impl WindowSet {
    /// Adds the window with this index.
    #[inline(always)]
    pub(crate) fn insert(&mut self, window: u16) {
        self.0[usize::from(window / 64)] |= 1 << (window % 64);
    }

    /// The windows in ascending order; all of them are among the first `windows`.
    #[inline(always)]
    pub(crate) fn iter(&self, windows: usize) -> impl Iterator<Item = usize> {
        let words = &self.0[..windows.div_ceil(64).min(self.0.len())];
        let (mut i, mut left) = (0, words.first().copied().unwrap_or(0));
        std::iter::from_fn(move || {
            while left == 0 {
                i += 1;
                left = *words.get(i)?;
            }
            let window = 64 * i + left.trailing_zeros() as usize;
            left &= left - 1;
            Some(window)
        })
    }
}

/// What every window shows in some position, kept up to date stone by stone.
pub struct Patterns {
    numbers: [u16; MAX_WINDOWS],
    len: u16,
}

impl Clone for Patterns {
    fn clone(&self) -> Self {
        Patterns { ..*self }
    }

    /// Copies only the windows that there are.
    #[inline]
    fn clone_from(&mut self, from: &Self) {
        self.len = from.len;
        self.numbers[..usize::from(from.len)].copy_from_slice(from.numbers());
    }
}

impl Patterns {
    /// Reads every window of a board.
    pub fn read(windows: &Windows, board: &Board) -> Patterns {
        let mut patterns = Patterns { numbers: [0; MAX_WINDOWS], len: windows.len() as u16 };
        for point in Point::all(board.size()) {
            match board.color(point) {
                Color::Black => patterns.add(windows, point, 1),
                Color::White => patterns.add(windows, point, 2),
                Color::Empty | Color::Border => {}
            }
        }
        patterns
    }

    /// The number of every window.
    #[inline(always)]
    pub fn numbers(&self) -> &[u16] {
        &self.numbers[..usize::from(self.len)]
    }

    /// A stone appears on an empty point: digit 1 for black, 2 for white.
    #[inline(always)]
    pub(crate) fn add(&mut self, windows: &Windows, point: Point, digit: u16) {
        for cover in windows.covering(point) {
            self.numbers[usize::from(cover.window)] += digit * cover.unit;
        }
    }

    /// A stone disappears.
    #[inline(always)]
    pub(crate) fn remove(&mut self, windows: &Windows, point: Point, digit: u16) {
        for cover in windows.covering(point) {
            self.numbers[usize::from(cover.window)] -= digit * cover.unit;
        }
    }
}

impl PartialEq for Patterns {
    fn eq(&self, other: &Patterns) -> bool {
        self.numbers() == other.numbers()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_windows_lists_each_once_and_in_order() {
        let mut set = WindowSet::default();
        for window in [965, 64, 0, 63, 64, 200, 0] {
            set.insert(window);
        }
        assert_eq!(set.iter(966).collect::<Vec<_>>(), [0, 63, 64, 200, 965]);
        assert_eq!(set.iter(MAX_WINDOWS).count(), 5);
        assert_eq!(WindowSet::default().iter(966).next(), None);
    }
}
