//! Liberties before and after a move: atari, self-atari, chains with two liberties, rescues and captures.
//!
//! Pseudo-liberties of the chain that a move would make are those of its parts added up, so whether it would be
//! in atari is known without visiting its stones, unless the move captures.

use super::liberties::Liberties;
use super::{AROUND_EMPTY, Board, Color, at};
use crate::Side;
use crate::go::point::Point;

impl Board {
    /// The last liberty of the chain that a legal stone of `side` on the empty `point` would make, if that
    /// chain would be left with a single one; `None` if it would have more, and of a lone stone that captures,
    /// which starts a ko or gives one stone for several.
    ///
    /// ```
    /// use afterstate_games::{Side, go::{Board, Point}};
    /// let mut board = Board::new(5);
    /// board.play(Point::at(1, 0, 5), Side::Second);
    /// let corner = Point::at(0, 0, 5);
    /// assert_eq!(board.liberty_left(corner, Side::First), Some(Point::at(0, 1, 5)));
    /// assert_eq!(board.liberty_left(corner, Side::Second), None);
    /// ```
    #[inline]
    pub fn liberty_left(&self, point: Point, side: Side) -> Option<Point> {
        let p = point.0;
        // Two empty neighbours are two liberties.
        if self.cells[at(p)].around >= 2 * AROUND_EMPTY {
            return None;
        }
        let own = Color::of(side);
        let liberty = self.liberty[at(p)];
        let (mut joined, mut total, mut captures) = ([0; 4], 0u64, false);
        for (i, n) in self.neighbours(p).into_iter().enumerate() {
            let cell = &self.cells[at(n)];
            total = total.wrapping_add(self.liberty[at(n)]);
            if cell.color == own {
                total = total.wrapping_sub(liberty);
                if !joined.contains(&cell.chain) {
                    total = total.wrapping_add(self.liberties[at(cell.chain)].0);
                    joined[i] = cell.chain;
                }
            } else if cell.color != Color::Empty && cell.color != Color::Border {
                captures |= self.liberties[at(cell.chain)].only_at(liberty);
            }
        }
        if captures { self.liberty_left_by_capture(p, own, joined) } else { Liberties(total).single().map(Point) }
    }

    /// Whether a legal stone of `side` on the empty `point` would put its own chain in atari; see
    /// [`Board::liberty_left`].
    #[inline]
    pub fn is_self_atari(&self, point: Point, side: Side) -> bool {
        self.liberty_left(point, side).is_some()
    }

    /// Whether a legal stone of `side` on the empty `point` would put its own chain in atari for nothing: what handcrafted priors
    /// call bad. A lone stone beside a chain of the other side with two liberties is not, for it may be a throw-in, or the
    /// stone that a snapback gives away.
    ///
    /// ```
    /// use afterstate_games::{Side, go::{Board, Point}};
    /// let mut board = Board::new(5);
    /// for (x, y, side) in [(0, 0, Side::First), (1, 0, Side::Second), (1, 1, Side::Second)] {
    ///     board.play(Point::at(x, y, 5), side);
    /// }
    /// // Black's A1 and A2 would be two stones with the liberty A3.
    /// assert!(board.is_bad_self_atari(Point::at(0, 1, 5), Side::First));
    /// ```
    pub fn is_bad_self_atari(&self, point: Point, side: Side) -> bool {
        if !self.is_self_atari(point, side) {
            return false;
        }
        let around = self.neighbours(point.0);
        let alone = around.iter().all(|&n| self.cells[at(n)].color != Color::of(side));
        !(alone && self.puts_in_atari(point, side))
    }

    /// [`Board::liberty_left`] of a move that captures and joins the chains with the names `joined`, 0 for none.
    fn liberty_left_by_capture(&self, p: u16, own: Color, joined: [u16; 4]) -> Option<Point> {
        if joined == [0; 4] {
            return None;
        }
        let liberty = self.liberty[at(p)];
        let mut left = None;
        let mut breathes_at = |n: u16| {
            let cell = &self.cells[at(n)];
            let free = match cell.color {
                Color::Empty => n != p,
                Color::Border => false,
                color => color != own && self.liberties[at(cell.chain)].only_at(liberty),
            };
            free && *left.get_or_insert(n) != n
        };
        if self.neighbours(p).into_iter().any(&mut breathes_at) {
            return None;
        }
        for chain in joined.into_iter().filter(|&chain| chain != 0) {
            for stone in self.chain_stones(Point(chain)) {
                if self.neighbours(stone.0).into_iter().any(&mut breathes_at) {
                    return None;
                }
            }
        }
        left.map(Point)
    }

    /// Whether a stone of `side` on the empty `point` would put a chain of the other side in atari: one of the two
    /// liberties of a chain.
    ///
    /// ```
    /// use afterstate_games::Side;
    /// use afterstate_games::go::{Board, Point};
    /// let mut board = Board::new(9);
    /// board.play(Point::at(0, 0, 9), Side::Second);
    /// assert!(board.puts_in_atari(Point::at(1, 0, 9), Side::First));
    /// assert!(!board.puts_in_atari(Point::at(2, 0, 9), Side::First));
    /// ```
    pub fn puts_in_atari(&self, point: Point, side: Side) -> bool {
        let enemy = Color::of(side.other());
        self.neighbours(point.0)
            .into_iter()
            .any(|n| self.cells[at(n)].color == enemy && self.two_liberties(Point(n)).is_some())
    }

    /// The liberties of a stone's chain, if it has exactly two.
    ///
    /// ```
    /// use afterstate_games::{Side, go::{Board, Point}};
    /// let (mut board, corner) = (Board::new(9), Point::at(0, 0, 9));
    /// board.play(corner, Side::First);
    /// assert_eq!(board.two_liberties(corner), Some([Point::at(1, 0, 9), Point::at(0, 1, 9)]));
    /// ```
    #[inline]
    pub fn two_liberties(&self, stone: Point) -> Option<[Point; 2]> {
        let chain = self.cells[at(stone.0)].chain;
        // A liberty has four neighbours, so two liberties are counted eight times at most.
        if self.liberties[at(chain)].0 & 0xfff > 8 {
            return None;
        }
        let mut found = Few::<2>::new();
        self.gather_liberties(chain, 0, &mut found).then_some(())?;
        (found.len == 2).then(|| {
            let [a, b] = found.points;
            [Point(a.min(b)), Point(a.max(b))]
        })
    }

    /// Whether the chain of `stone`, which has two liberties, would have more if its owner played on `liberty`,
    /// one of them (stones that this captures do not count).
    pub fn gains_liberties(&self, stone: Point, liberties: [Point; 2], liberty: Point) -> bool {
        let cell = &self.cells[at(stone.0)];
        let mut found = Few::<2>::new();
        let other = if liberty == liberties[0] { liberties[1] } else { liberties[0] };
        found.add(other.0);
        for n in self.neighbours(liberty.0) {
            let beside = &self.cells[at(n)];
            let fits = match beside.color {
                Color::Empty => found.add(n),
                color if color == cell.color && beside.chain != cell.chain => {
                    self.gather_liberties(beside.chain, liberty.0, &mut found)
                }
                _ => true,
            };
            if !fits {
                return true;
            }
        }
        false
    }

    /// Adds the liberties of `chain` to `found`, but for one; stops and returns `false` when there is no room.
    #[inline]
    fn gather_liberties<const N: usize>(&self, chain: u16, except: u16, found: &mut Few<N>) -> bool {
        let mut stone = chain;
        loop {
            let cell = &self.cells[at(stone)];
            if cell.around >= AROUND_EMPTY {
                for n in self.neighbours(stone) {
                    if self.liberty[at(n)] != 0 && n != except && !found.add(n) {
                        return false;
                    }
                }
            }
            stone = cell.next;
            if stone == chain {
                return true;
            }
        }
    }

    /// Calls `each` with the sensible moves of `side` that take its chain at `stone` out of atari: its last
    /// liberty, if that leaves it with more than one, and captures of its neighbours. A point may come twice.
    #[inline]
    pub(crate) fn for_each_rescue(&self, stone: Point, side: Side, mut each: impl FnMut(Point)) {
        let Some(last) = self.atari_liberty(stone) else { return };
        if self.is_sensible(last, side) && !self.is_self_atari(last, side) {
            each(last);
        }
        let enemy = Color::of(side.other());
        let chain = self.cells[at(stone.0)].chain;
        let mut stone = chain;
        loop {
            let cell = &self.cells[at(stone)];
            if cell.around >> (4 * side.other().index()) & 0xf != 0 {
                for n in self.neighbours(stone) {
                    let beside = &self.cells[at(n)];
                    if beside.color == enemy {
                        // The last liberty has had its turn above.
                        match self.liberties[at(beside.chain)].single() {
                            Some(p) if p != last.0 && self.is_sensible(Point(p), side) => each(Point(p)),
                            _ => {}
                        }
                    }
                }
            }
            stone = cell.next;
            if stone == chain {
                return;
            }
        }
    }

    /// Whether the empty `point` is surrounded by stones of one colour (and the edge), none of them in atari.
    #[inline]
    pub fn is_secured(&self, point: Point) -> bool {
        let around = self.cells[at(point.0)].around;
        (around & 0xf == 4 || around >> 4 & 0xf == 4)
            && !self.neighbours(point.0).iter().any(|&n| {
                let cell = &self.cells[at(n)];
                cell.color != Color::Border && self.liberties[at(cell.chain)].is_single()
            })
    }
}

/// A set of at most `N` points.
struct Few<const N: usize> {
    points: [u16; N],
    len: usize,
}

impl<const N: usize> Few<N> {
    fn new() -> Few<N> {
        Few { points: [0; N], len: 0 }
    }

    /// Adds a point; `false` if it is new and there is no room.
    #[inline(always)]
    fn add(&mut self, point: u16) -> bool {
        if self.points.contains(&point) {
            return true;
        }
        if self.len == N {
            return false;
        }
        self.points[self.len] = point;
        self.len += 1;
        true
    }
}
