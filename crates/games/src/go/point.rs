//! Places on a board, and moves.

/// The smallest board.
pub const MIN_SIZE: usize = 5;
/// The largest board.
pub const MAX_SIZE: usize = 19;

/// Entries in an array that is indexed by [`Point`]: the largest board with its border has 421, and
/// a power of two lets indices be masked instead of checked.
pub(crate) const AREA: usize = 512;
const _: () = assert!((MAX_SIZE + 1) * (MAX_SIZE + 2) < AREA);

/// A place on a board of some size, border included.
///
/// Rows are `size + 1` apart: one border column serves as the right edge of a row and as the left
/// edge of the next. The neighbours of a point are therefore always `±1` and `±(size + 1)` away, and
/// small boards use only the front of every array.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Point(pub(crate) u16);

impl Point {
    /// The point in column `x` (0 is A) and row `y` (0 is 1) of a board of `size`.
    ///
    /// # Panics
    ///
    /// In debug builds, if `x` or `y` is not below `size`.
    ///
    /// ```
    /// use afterstate_games::go::Point;
    /// assert_eq!(Point::at(4, 2, 9).column_row(9), (4, 2));
    /// ```
    #[inline]
    pub const fn at(x: usize, y: usize, size: usize) -> Point {
        debug_assert!(x < size && y < size);
        Point(((y + 1) * (size + 1) + x + 1) as u16)
    }

    /// Column and row, counted from 0 at the lower left (A1).
    #[inline]
    pub const fn column_row(self, size: usize) -> (usize, usize) {
        let stride = size + 1;
        (self.0 as usize % stride - 1, self.0 as usize / stride - 1)
    }

    /// The position of this point when the board is read row by row from A1: `y * size + x`.
    #[inline]
    pub const fn ordinal(self, size: usize) -> usize {
        let (x, y) = self.column_row(size);
        y * size + x
    }

    /// The inverse of [`Point::ordinal`].
    #[inline]
    pub const fn from_ordinal(ordinal: usize, size: usize) -> Point {
        Point::at(ordinal % size, ordinal / size, size)
    }

    /// Where the point is, as players say it: column letter (without I) and row.
    ///
    /// ```
    /// use afterstate_games::go::Point;
    /// assert_eq!(Point::at(8, 0, 9).label(9), "J1");
    /// ```
    pub fn label(self, size: usize) -> String {
        let (x, y) = self.column_row(size);
        format!("{}{}", char::from(b"ABCDEFGHJKLMNOPQRST"[x]), y + 1)
    }

    /// An index for arrays over points; below 512 on every board.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Every point of a board, from A1 row by row.
    pub fn all(size: usize) -> impl Iterator<Item = Point> + Clone {
        (0..size).flat_map(move |y| (0..size).map(move |x| Point::at(x, y, size)))
    }
}

/// A move in Go: a stone on a point, or a pass.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move(u16);

impl Move {
    /// No stone.
    pub const PASS: Move = Move(0);

    /// A stone on `point`.
    #[inline(always)]
    pub const fn play(point: Point) -> Move {
        Move(point.0)
    }

    /// Where the stone goes; `None` for a pass.
    #[inline(always)]
    pub const fn point(self) -> Option<Point> {
        if self.0 == 0 { None } else { Some(Point(self.0)) }
    }

    /// The [`Point::index`] of the point, 0 for a pass.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The inverse of [`Move::index`].
    #[inline(always)]
    pub const fn from_index(index: usize) -> Move {
        Move(index as u16)
    }

    /// Whether this is a pass.
    #[inline(always)]
    pub const fn is_pass(self) -> bool {
        self.0 == 0
    }
}

/// A set of points of any board, as a bitmap.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct PointSet([u64; AREA / 64]);

impl PointSet {
    /// No points.
    pub const EMPTY: PointSet = PointSet([0; AREA / 64]);

    /// Adds `point`; `true` if it was not there.
    #[inline]
    pub fn insert(&mut self, point: Point) -> bool {
        let (word, bit) = (point.index() / 64, 1u64 << (point.index() % 64));
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    /// Whether `point` is in the set.
    #[inline]
    pub fn contains(&self, point: Point) -> bool {
        self.0[point.index() / 64] >> (point.index() % 64) & 1 != 0
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }
}
