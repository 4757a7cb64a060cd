//! What a softmax policy sees of a move of Go, besides the 3×3 shape around it.
//!
//! Features are numbered: the shapes ([`ShapeClasses`]) first, then the same shapes beside the last move, then those of [`NAMES`].

use super::neighbourhood::surroundings;
use super::ruled::View;
use super::shapes::ShapeClasses;
use crate::Side;
use crate::go::board::{Board, Color};
use crate::go::point::Point;

/// The features that are no shapes, in their order. Sizes of chains are 1, 2, and 3 or more stones.
pub const NAMES: [&str; 29] = [
    "next to the last move",
    "diagonal to the last move",
    "two steps from the last move",
    "next to the last move but one",
    "diagonal to the last move but one",
    "captures the last move's chain of 1",
    "captures the last move's chain of 2",
    "captures the last move's chain of 3",
    "captures a chain of 1",
    "captures a chain of 2",
    "captures a chain of 3",
    "saves a chain of 1 by extension",
    "saves a chain of 2 by extension",
    "saves a chain of 3 by extension",
    "saves a chain of 1 by capture",
    "saves a chain of 2 by capture",
    "saves a chain of 3 by capture",
    "takes a liberty that the last move's chain of 1 or 2, with two, would gain by",
    "takes a liberty that the last move's chain of 3, with two, would gain by",
    "takes another liberty of the last move's chain of 1 or 2, with two",
    "takes another liberty of the last move's chain of 3, with two",
    "gains liberties for a chain of 1 or 2, with two, beside the last move",
    "gains liberties for a chain of 3, with two, beside the last move",
    "plays another liberty of a chain with two beside the last move",
    "plays a vital point beside the last move",
    "puts a lone stone in atari and gives atari",
    "puts a lone stone in atari",
    "puts 2 to 4 stones in atari",
    "puts 5 stones or more in atari",
];

const NEXT: usize = 0;
const DIAGONAL: usize = 1;
const TWO_STEPS: usize = 2;
const NEXT_BUT_ONE: usize = 3;
const DIAGONAL_BUT_ONE: usize = 4;
const CAPTURE_LAST: usize = 5;
const CAPTURE: usize = 8;
const EXTEND: usize = 11;
const SAVE_BY_CAPTURE: usize = 14;
const TAKE_GAIN: usize = 17;
const TAKE_OTHER: usize = 19;
const GIVE_GAIN: usize = 21;
const GIVE_OTHER: usize = 23;
const VITAL: usize = 24;
/// The first of the features of moves into atari, which are the last ones.
pub(super) const SELF_ATARI: usize = 25;

/// How many features there are.
pub fn count() -> usize {
    tactical(NAMES.len())
}

/// The number of a feature of [`NAMES`].
#[inline(always)]
pub(super) fn tactical(index: usize) -> usize {
    2 * ShapeClasses::standard().count() + index
}

/// The feature of a sensible move that leaves its own chain with one liberty.
#[inline(always)]
pub(super) fn self_atari(board: &Board, point: Point, side: Side) -> Option<u16> {
    board.liberty_left(point, side)?;
    let own = Color::of(side);
    let (mut stones, mut seen) = (1, [Point(0); 4]);
    for (i, n) in board.neighbours_of(point).into_iter().enumerate() {
        if board.color(n) == own && !seen.contains(&board.chain(n)) {
            seen[i] = board.chain(n);
            stones += board.chain_len(n);
        }
    }
    let index = match stones {
        1 if board.puts_in_atari(point, side) => 0,
        1 => 1,
        2..=4 => 2,
        _ => 3,
    };
    Some(tactical(SELF_ATARI + index) as u16)
}

#[inline(always)]
fn of_three(stones: usize) -> usize {
    stones.clamp(1, 3) - 1
}

#[inline(always)]
fn of_two(stones: usize) -> usize {
    usize::from(stones > 2)
}

/// Finds the features of the moves in a position, but for shapes and self-atari.
#[derive(Clone, Debug)]
pub(super) struct Observer {
    found: Vec<(Point, u16)>,
    first: usize,
    shapes: usize,
}

impl Default for Observer {
    fn default() -> Self {
        let shapes = ShapeClasses::standard().count();
        Observer { found: Vec::with_capacity(128), first: tactical(0), shapes }
    }
}

impl Observer {
    /// The features found, each point's in no order.
    #[inline(always)]
    pub(super) fn found(&self) -> &[(Point, u16)] {
        &self.found
    }

    #[inline(always)]
    fn add(&mut self, point: Point, index: usize) {
        self.found.push((point, (self.first + index) as u16));
    }

    /// Adds what two chains, or two stones of one, may have in common.
    #[inline(always)]
    fn add_once(&mut self, point: Point, index: usize) {
        let feature = (self.first + index) as u16;
        if !self.found.contains(&(point, feature)) {
            self.found.push((point, feature));
        }
    }

    /// Looks at a position that `view` has noted.
    #[inline(always)]
    pub(super) fn observe(&mut self, view: &mut View, board: &Board, side: Side, recent: [Option<Point>; 2]) {
        self.found.clear();
        if let Some(last) = recent[0] {
            self.near(view, board, last, side);
            self.answers(view, board, last, side);
        }
        if let Some(before) = recent[1] {
            for (i, n) in surroundings(before, board.size()).into_iter().enumerate() {
                if board.is_empty(n) {
                    self.add(n, if matches!(i, 1 | 3 | 4 | 6) { NEXT_BUT_ONE } else { DIAGONAL_BUT_ONE });
                }
            }
        }
        view.for_each_atari(board, side, |stone, liberty| {
            let last = recent[0].is_some_and(|last| board.chain(last) == board.chain(stone));
            self.add_once(liberty, if last { CAPTURE_LAST } else { CAPTURE } + of_three(board.chain_len(stone)));
        });
    }

    #[inline(always)]
    fn near(&mut self, view: &View, board: &Board, last: Point, side: Side) {
        let size = board.size();
        for (i, n) in surroundings(last, size).into_iter().enumerate() {
            if board.is_empty(n) {
                self.add(n, if matches!(i, 1 | 3 | 4 | 6) { NEXT } else { DIAGONAL });
                self.found.push((n, self.shapes as u16 + ShapeClasses::standard().of(view.code(n), side)));
            }
        }
        let (x, y) = last.column_row(size);
        let (x, y) = (x as isize, y as isize);
        for (dx, dy) in
            [(2, 0), (-2, 0), (0, 2), (0, -2), (1, 2), (1, -2), (-1, 2), (-1, -2), (2, 1), (2, -1), (-2, 1), (-2, -1)]
        {
            let on_board = |v: isize| (0..size as isize).contains(&v);
            if on_board(x + dx) && on_board(y + dy) {
                let point = Point::at((x + dx) as usize, (y + dy) as usize, size);
                if board.is_empty(point) {
                    self.add(point, TWO_STEPS);
                }
            }
        }
    }

    /// What answers the last move.
    #[inline(always)]
    fn answers(&mut self, view: &mut View, board: &Board, last: Point, side: Side) {
        for stone in view.endangered() {
            let size = of_three(board.chain_len(stone));
            let liberty = board.atari_liberty(stone);
            board.for_each_rescue(stone, side, |point| {
                self.add_once(point, if Some(point) == liberty { EXTEND } else { SAVE_BY_CAPTURE } + size);
            });
        }
        if let Some(liberties) = board.two_liberties(last) {
            let long = of_two(board.chain_len(last));
            for liberty in liberties {
                let gains = board.gains_liberties(last, liberties, liberty);
                self.add_once(liberty, if gains { TAKE_GAIN } else { TAKE_OTHER } + long);
            }
        }
        let mut seen = [Point(0); 4];
        for (i, n) in board.neighbours_of(last).into_iter().enumerate() {
            if board.is_empty(n) {
                if let Some(vital) = board.vital_point(n) {
                    self.add_once(vital, VITAL);
                }
            } else if board.color(n) == Color::of(side) && !seen.contains(&board.chain(n)) {
                seen[i] = board.chain(n);
                if let Some(liberties) = board.two_liberties(n) {
                    let long = of_two(board.chain_len(n));
                    for liberty in liberties {
                        let gains = board.gains_liberties(n, liberties, liberty);
                        self.add_once(liberty, if gains { GIVE_GAIN + long } else { GIVE_OTHER });
                    }
                }
            }
        }
    }
}
