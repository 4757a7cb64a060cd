//! What a move would do before it is played: whether it is legal, fills an eye, or captures.

use super::{AROUND_EMPTY, Board, Color, at};
use crate::Side;
use crate::go::point::Point;

impl Board {
    /// Whether `side` may put a stone on `point` by the rules without superko: it is empty, not
    /// forbidden by ko, and not suicide.
    #[inline(always)]
    pub fn is_legal(&self, point: Point, side: Side) -> bool {
        let cell = &self.cells[at(point.0)];
        cell.color == Color::Empty
            && point.0 != self.ko
            && (cell.around >= AROUND_EMPTY || self.has_breath(point.0, side))
    }

    /// Whether a stone on a point without empty neighbours would live: it captures, or joins a chain
    /// that has a liberty elsewhere.
    #[inline(always)]
    fn has_breath(&self, p: u16, side: Side) -> bool {
        let own = Color::of(side);
        let liberty = self.liberty[at(p)];
        self.neighbours(p).iter().any(|&n| {
            let cell = &self.cells[at(n)];
            cell.color != Color::Border && (cell.color == own) != self.liberties[at(cell.chain)].only_at(liberty)
        })
    }

    /// Whether `point` is a single-point eye of `side`: all neighbours are its stones, and fewer than
    /// two diagonals are the opponent's (none at all on the edge and in the corner).
    #[inline(always)]
    pub fn is_eye(&self, point: Point, side: Side) -> bool {
        let shift = 4 * side.index();
        self.cells[at(point.0)].around >> shift & 0xf == 4 && self.eye_holds(point.0, side)
    }

    #[inline(always)]
    fn eye_holds(&self, p: u16, side: Side) -> bool {
        let enemy = Color::of(side.other());
        let (mut enemies, mut edge) = (0, 0);
        for d in self.diagonals(p) {
            let color = self.cells[at(d)].color;
            enemies += u32::from(color == enemy);
            edge |= u32::from(color == Color::Border);
        }
        enemies + edge < 2
    }

    /// Whether a stone of `side` on the empty `point` is legal and fills no own eye: the moves of
    /// playouts and of self-play.
    #[inline(always)]
    pub fn is_sensible(&self, point: Point, side: Side) -> bool {
        // Most points have an empty neighbour; they are neither eyes nor suicide.
        point.0 != self.ko
            && (self.cells[at(point.0)].around >= AROUND_EMPTY
                || !self.is_eye(point, side) && self.has_breath(point.0, side))
    }

    /// Whether a stone of `side` on the empty `point` would capture something.
    #[inline]
    pub fn captures_something(&self, point: Point, side: Side) -> bool {
        let around = self.cells[at(point.0)].around;
        if around >> (4 * side.other().index()) & 0xf == 0 {
            return false;
        }
        let enemy = Color::of(side.other());
        self.neighbours(point.0).iter().any(|&n| {
            let cell = &self.cells[at(n)];
            cell.color == enemy && self.liberties[at(cell.chain)].only_at(self.liberty[at(point.0)])
        })
    }

    /// Replaces the contents of `captured` by the stones that a stone of `side` on the empty `point` would capture.
    pub fn captures(&self, point: Point, side: Side, captured: &mut Vec<Point>) {
        captured.clear();
        self.for_each_capture(point, side, |stone| captured.push(stone));
    }

    /// Calls `each` with every stone that a stone of `side` on the empty `point` would capture.
    #[inline]
    pub fn for_each_capture(&self, point: Point, side: Side, mut each: impl FnMut(Point)) {
        let enemy = Color::of(side.other());
        let mut seen = [0; 4];
        for (i, n) in self.neighbours(point.0).into_iter().enumerate() {
            let cell = &self.cells[at(n)];
            if cell.color != enemy
                || seen.contains(&cell.chain)
                || !self.liberties[at(cell.chain)].only_at(self.liberty[at(point.0)])
            {
                continue;
            }
            seen[i] = cell.chain;
            let mut stone = cell.chain;
            loop {
                each(Point(stone));
                stone = self.cells[at(stone)].next;
                if stone == cell.chain {
                    break;
                }
            }
        }
    }
}
