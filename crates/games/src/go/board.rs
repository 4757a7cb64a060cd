//! Stones on a grid: chains, liberties, captures and simple ko, kept up to date move by move.
//!
//! Every chain is a circular list of its stones, and every stone knows its chain's name, the point
//! of one of its stones. Liberties are counted once per adjacent stone ("pseudo-liberties"), which
//! makes them additive: one 64-bit word per chain holds their number, the sum of their points and
//! the sum of the points' squares. Placing or lifting a stone adds or subtracts a single constant;
//! zero means captured, and `number · squares = sum²` holds exactly when all of them are one point,
//! so atari and the last liberty come for free.

mod color;
mod common_fate;
mod legality;
mod liberties;
mod nakade;
mod tactics;

use super::point::{AREA, Point};
use crate::Side;
use crate::rng::mix;
use liberties::Liberties;

pub use color::Color;

/// Hears of every stone that appears on a board and disappears from it. `()` does not listen, at no cost.
pub(crate) trait Watcher {
    /// A stone of `color` is put on `point` of a board of `size`.
    #[inline(always)]
    fn appears(&mut self, _point: Point, _color: Color, _size: usize) {}

    /// A stone of `color` is lifted from `point` of a board of `size`.
    #[inline(always)]
    fn disappears(&mut self, _point: Point, _color: Color, _size: usize) {}
}

impl Watcher for () {}

/// What surrounds a point: three counts in one word, border counting as a stone of both colours.
/// Black in bits 0–3, White in bits 4–7, empty in bits 8–11.
type Around = u16;
const AROUND_EMPTY: Around = 1 << 8;

#[inline(always)]
const fn around_unit(color: Color) -> Around {
    1 << (4 * (color as u16 & 1))
}

/// The change to a neighbour's [`Around`] when a stone appears: one more of its colour, one empty less.
#[inline(always)]
const fn around_delta(color: Color) -> Around {
    around_unit(color).wrapping_sub(AROUND_EMPTY)
}

/// A point as an index. [`AREA`] is a power of two, so the mask makes bounds checks unnecessary
/// and changes nothing for points of any board.
#[inline(always)]
const fn at(p: u16) -> usize {
    p as usize & (AREA - 1)
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    /// The point that names this stone's chain; an empty or border cell names itself.
    chain: u16,
    /// The next stone of the chain, round in a circle.
    next: u16,
    around: Around,
    color: Color,
}

/// The stones of a position, without whose turn it is.
///
/// ```
/// use afterstate_games::Side;
/// use afterstate_games::go::{Board, Point};
/// let mut board = Board::new(9);
/// board.play(Point::at(0, 0, 9), Side::First);
/// board.play(Point::at(1, 0, 9), Side::Second);
/// assert_eq!(board.play(Point::at(0, 1, 9), Side::Second), 1);
/// assert!(board.is_empty(Point::at(0, 0, 9)));
/// ```
pub struct Board {
    cells: [Cell; AREA],
    /// [`Liberties::of`] an empty point, else 0: what the point gives to a stone beside it.
    liberty: [u64; AREA],
    /// By the name of the chain; other entries are scratch.
    liberties: [Liberties; AREA],
    /// Stones of a chain, by its name; other entries are scratch.
    chain_size: [u16; AREA],
    /// The empty points, in an order that depends on what was played.
    empty: [u16; AREA],
    /// Where an empty point stands in `empty`.
    slot: [u16; AREA],
    empty_count: u16,
    stones: [u16; 2],
    size: u16,
    /// The point that simple ko forbids to whoever moves next; 0 for none.
    ko: u16,
    hash: u64,
}

/// A pseudo-random number for a stone of `color` on point `p`.
#[inline(always)]
fn stone_hash(color: Color, p: u16) -> u64 {
    STONE_HASH[color as usize & 1][at(p)]
}

static STONE_HASH: [[u64; AREA]; 2] = {
    let mut table = [[0; AREA]; 2];
    let mut i = 0;
    while i < AREA {
        table[0][i] = mix(0x5109_0000 + i as u64);
        table[1][i] = mix(0xb10c_0000_0000 + i as u64);
        i += 1;
    }
    table
};

impl Board {
    /// An empty board.
    ///
    /// # Panics
    ///
    /// If `size` is not between 5 and 19.
    pub fn new(size: usize) -> Board {
        assert!((super::MIN_SIZE..=super::MAX_SIZE).contains(&size), "board size {size}: expected 5 to 19");
        let border = Cell { chain: 0, next: 0, around: 0, color: Color::Border };
        let mut board = Board {
            cells: [border; AREA],
            liberty: [0; AREA],
            liberties: [Liberties::NONE; AREA],
            chain_size: [0; AREA],
            empty: [0; AREA],
            slot: [0; AREA],
            empty_count: 0,
            stones: [0; 2],
            size: size as u16,
            ko: 0,
            hash: 0,
        };
        for (i, point) in Point::all(size).enumerate() {
            let p = point.0;
            board.cells[at(point.0)] = Cell { chain: p, next: p, around: 0, color: Color::Empty };
            board.liberty[point.index()] = Liberties::of(p);
            board.empty[i] = p;
            board.slot[at(point.0)] = i as u16;
        }
        board.empty_count = (size * size) as u16;
        for point in Point::all(size) {
            let around = board.neighbours(point.0).map(|n| match board.cells[at(n)].color {
                Color::Border => around_unit(Color::Black) + around_unit(Color::White),
                _ => AROUND_EMPTY,
            });
            board.cells[at(point.0)].around = around.iter().sum();
        }
        board
    }

    /// Points along one edge.
    #[inline(always)]
    pub fn size(&self) -> usize {
        usize::from(self.size)
    }

    /// What stands on `point`.
    #[inline(always)]
    pub fn color(&self, point: Point) -> Color {
        self.cells[at(point.0)].color
    }

    /// Whether nothing stands on `point`.
    #[inline(always)]
    pub fn is_empty(&self, point: Point) -> bool {
        self.color(point) == Color::Empty
    }

    /// The empty points, in an order that depends on what was played.
    #[inline(always)]
    pub fn empty_points(&self) -> impl ExactSizeIterator<Item = Point> + Clone {
        self.empty[..at(self.empty_count)].iter().map(|&p| Point(p))
    }

    /// How many points are empty.
    #[inline(always)]
    pub fn empty_count(&self) -> usize {
        usize::from(self.empty_count)
    }

    /// Stones of `side` on the board.
    #[inline(always)]
    pub fn stone_count(&self, side: Side) -> usize {
        usize::from(self.stones[side.index()])
    }

    /// A hash of the stones, whoever is to move: what positional superko compares.
    #[inline(always)]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The point that simple ko forbids to whoever moves next.
    #[inline(always)]
    pub fn ko(&self) -> Option<Point> {
        (self.ko != 0).then_some(Point(self.ko))
    }

    /// Forgets the ko, as a pass does.
    #[inline(always)]
    pub fn lift_ko(&mut self) {
        self.ko = 0;
    }

    /// The four neighbours of `point`, the border included.
    #[inline(always)]
    pub fn neighbours_of(&self, point: Point) -> [Point; 4] {
        self.neighbours(point.0).map(Point)
    }

    #[inline(always)]
    fn neighbours(&self, p: u16) -> [u16; 4] {
        let stride = self.size + 1;
        [p - stride, p - 1, p + 1, p + stride]
    }

    #[inline(always)]
    fn diagonals(&self, p: u16) -> [u16; 4] {
        let stride = self.size + 1;
        [p - stride - 1, p - stride + 1, p + stride - 1, p + stride + 1]
    }

    /// A name for the chain that a stone belongs to, the same for all its stones.
    #[inline(always)]
    pub fn chain(&self, stone: Point) -> Point {
        Point(self.cells[at(stone.0)].chain)
    }

    /// How many stones the chain of `stone` has.
    #[inline(always)]
    pub fn chain_len(&self, stone: Point) -> usize {
        usize::from(self.chain_size[at(self.chain(stone).0)])
    }

    /// The stones of the chain that `stone` belongs to, beginning with `stone`.
    pub fn chain_stones(&self, stone: Point) -> impl Iterator<Item = Point> + '_ {
        let first = stone.0;
        let mut next = Some(first);
        std::iter::from_fn(move || {
            let now = next?;
            let after = self.cells[at(now)].next;
            next = (after != first).then_some(after);
            Some(Point(now))
        })
    }

    /// Whether the chain of `stone` has just one liberty.
    #[inline(always)]
    pub fn is_in_atari(&self, stone: Point) -> bool {
        self.liberties[at(self.chain(stone).0)].is_single()
    }

    /// The last liberty of a stone's chain, if it has just one.
    #[inline]
    pub fn atari_liberty(&self, stone: Point) -> Option<Point> {
        self.liberties[at(self.chain(stone).0)].single().map(Point)
    }

    /// Puts a stone down, lifts what it captures, and returns how many stones that was.
    ///
    /// The move must be legal; on an illegal one the board may contradict itself or this may panic.
    #[inline(always)]
    pub fn play(&mut self, point: Point, side: Side) -> usize {
        self.play_watched(point, side, &mut ())
    }

    /// [`Board::play`], while `watcher` hears of every stone that appears and disappears.
    #[inline(always)]
    pub(crate) fn play_watched(&mut self, point: Point, side: Side, watcher: &mut impl Watcher) -> usize {
        let p = point.0;
        let color = Color::of(side);
        let around = self.cells[at(p)].around;
        self.ko = 0;
        self.hash ^= stone_hash(color, p);
        self.stones[side.index()] += 1;
        self.take_from_empty(p);
        let somebody_out_of_breath = self.place(p, color);
        watcher.appears(point, color, self.size());
        if around >> (4 * side.index()) & 0xf != 0 {
            self.join_neighbours(p, color);
        }
        if somebody_out_of_breath {
            // A stone that fills an enemy eye and lifts a single stone leaves a ko.
            let into_eye = around >> (4 * side.other().index()) & 0xf == 4;
            self.lift_breathless(p, Color::of(side.other()), into_eye, watcher)
        } else {
            0
        }
    }

    #[inline(always)]
    fn take_from_empty(&mut self, p: u16) {
        let slot = self.slot[at(p)];
        self.empty_count -= 1;
        let last = self.empty[at(self.empty_count)];
        self.empty[at(slot)] = last;
        self.slot[at(last)] = slot;
    }

    /// Puts a stone down as a chain of its own and takes a liberty from every chain around it; says
    /// whether one of these may have none left.
    #[inline(always)]
    fn place(&mut self, p: u16, color: Color) -> bool {
        let liberty = self.liberty[at(p)];
        let delta = around_delta(color);
        let (mut own, mut breathless) = (0u64, false);
        for n in self.neighbours(p) {
            let cell = &mut self.cells[at(n)];
            cell.around = cell.around.wrapping_add(delta);
            own += self.liberty[at(n)];
            // Entries that name no chain are scratch, so colours need not be asked here.
            let liberties = &mut self.liberties[at(cell.chain)].0;
            *liberties = liberties.wrapping_sub(liberty);
            breathless |= *liberties == 0;
        }
        self.cells[at(p)].color = color;
        self.liberty[at(p)] = 0;
        self.liberties[at(p)] = Liberties(own);
        self.chain_size[at(p)] = 1;
        breathless
    }

    #[inline(always)]
    fn join_neighbours(&mut self, p: u16, color: Color) {
        let mut mine = p;
        for n in self.neighbours(p) {
            let cell = self.cells[at(n)];
            if cell.color == color && cell.chain != mine {
                mine = if mine == p { self.enter(p, cell.chain) } else { self.join(mine, cell.chain) };
            }
        }
    }

    /// Lifts the chains of `color` around `p` that have no liberty left, and returns their stones.
    #[inline(always)]
    fn lift_breathless(&mut self, p: u16, color: Color, into_eye: bool, watcher: &mut impl Watcher) -> usize {
        let before = self.empty_count;
        for n in self.neighbours(p) {
            let cell = self.cells[at(n)];
            if cell.color == color && self.liberties[at(cell.chain)] == Liberties::NONE {
                self.lift_chain(cell.chain, color, watcher);
            }
        }
        let lifted = self.empty_count - before;
        if into_eye && lifted == 1 {
            self.ko = self.empty[at(before)];
        }
        usize::from(lifted)
    }

    /// Adds a single stone to a chain, whose name is returned.
    #[inline(always)]
    fn enter(&mut self, stone: u16, chain: u16) -> u16 {
        self.chain_size[at(chain)] += 1;
        self.liberties[at(chain)].0 = self.liberties[at(chain)].0.wrapping_add(self.liberties[at(stone)].0);
        self.cells[at(stone)].chain = chain;
        self.cells[at(stone)].next = self.cells[at(chain)].next;
        self.cells[at(chain)].next = stone;
        chain
    }

    /// Makes one chain of two; the smaller takes the name of the larger, which is returned.
    #[inline(always)]
    fn join(&mut self, a: u16, b: u16) -> u16 {
        let (keep, gone) = if self.chain_size[at(a)] >= self.chain_size[at(b)] { (a, b) } else { (b, a) };
        self.chain_size[at(keep)] += self.chain_size[at(gone)];
        self.liberties[at(keep)].0 = self.liberties[at(keep)].0.wrapping_add(self.liberties[at(gone)].0);
        let mut stone = gone;
        loop {
            let cell = &mut self.cells[at(stone)];
            cell.chain = keep;
            if cell.next == gone {
                break;
            }
            stone = cell.next;
        }
        // `stone` is the last of the circle that began at `gone`: splice the circles.
        self.cells[at(stone)].next = self.cells[at(keep)].next;
        self.cells[at(keep)].next = gone;
        keep
    }

    #[inline(always)]
    fn lift_chain(&mut self, chain: u16, color: Color, watcher: &mut impl Watcher) {
        let delta = around_delta(color);
        let mut stone = chain;
        loop {
            let next = self.cells[at(stone)].next;
            self.hash ^= stone_hash(color, stone);
            watcher.disappears(Point(stone), color, self.size());
            self.stones[color as usize & 1] -= 1;
            self.empty[at(self.empty_count)] = stone;
            self.slot[at(stone)] = self.empty_count;
            self.empty_count += 1;
            self.cells[at(stone)].color = Color::Empty;
            self.cells[at(stone)].chain = stone;
            self.cells[at(stone)].next = stone;
            let liberty = Liberties::of(stone);
            self.liberty[at(stone)] = liberty;
            for n in self.neighbours(stone) {
                let cell = &mut self.cells[at(n)];
                cell.around = cell.around.wrapping_sub(delta);
                let liberties = &mut self.liberties[at(cell.chain)];
                liberties.0 = liberties.0.wrapping_add(liberty);
            }
            if next == chain {
                return;
            }
            stone = next;
        }
    }

    /// Empty point number `i` of [`Board::empty_points`].
    #[inline(always)]
    pub(crate) fn empty_at(&self, i: u32) -> Point {
        Point(self.empty[at(i as u16)])
    }

    /// Exchanges two entries of the list of empty points.
    #[inline(always)]
    pub(crate) fn swap_empty(&mut self, i: u32, j: u32) {
        let (i, j) = (i as u16, j as u16);
        let (a, b) = (self.empty[at(i)], self.empty[at(j)]);
        self.empty[at(i)] = b;
        self.empty[at(j)] = a;
        self.slot[at(a)] = j;
        self.slot[at(b)] = i;
    }

    /// Entries of the arrays over points that a board of this size uses.
    #[inline(always)]
    fn used(&self) -> usize {
        let stride = usize::from(self.size) + 1;
        (stride * (stride + 1) + 1).min(AREA)
    }
}

impl Clone for Board {
    fn clone(&self) -> Board {
        Board {
            cells: self.cells,
            liberty: self.liberty,
            liberties: self.liberties,
            chain_size: self.chain_size,
            empty: self.empty,
            slot: self.slot,
            ..*self
        }
    }

    /// Copies only what a board of this size uses, which for 9×9 is a quarter.
    #[inline]
    fn clone_from(&mut self, from: &Board) {
        if self.size != from.size {
            *self = from.clone();
            return;
        }
        let used = self.used();
        self.cells[..used].copy_from_slice(&from.cells[..used]);
        self.liberty[..used].copy_from_slice(&from.liberty[..used]);
        self.liberties[..used].copy_from_slice(&from.liberties[..used]);
        self.chain_size[..used].copy_from_slice(&from.chain_size[..used]);
        self.slot[..used].copy_from_slice(&from.slot[..used]);
        self.empty[..used].copy_from_slice(&from.empty[..used]);
        self.empty_count = from.empty_count;
        self.stones = from.stones;
        self.ko = from.ko;
        self.hash = from.hash;
    }
}
