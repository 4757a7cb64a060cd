//! The vital point of a small eye space: a stone there keeps it from becoming two eyes (nakade).

use super::{Board, Color, at};
use crate::go::point::Point;

/// The largest space that has such a point.
const LARGEST: usize = 6;

impl Board {
    /// The vital point of the empty region around the empty `point`, if stones of one colour alone surround it and it has
    /// three to six points: the middle of three, of a pyramid, of a bulky five or a cross, and of a rabbity six.
    ///
    /// ```
    /// use afterstate_games::Side;
    /// use afterstate_games::go::{Board, Point};
    /// let mut board = Board::new(9);
    /// // Black surrounds A1, B1 and C1.
    /// for (x, y) in [(0, 1), (1, 1), (2, 1), (3, 0)] {
    ///     board.play(Point::at(x, y, 9), Side::First);
    /// }
    /// assert_eq!(board.vital_point(Point::at(0, 0, 9)), Some(Point::at(1, 0, 9)));
    /// assert_eq!(board.vital_point(Point::at(8, 8, 9)), None);
    /// ```
    pub fn vital_point(&self, point: Point) -> Option<Point> {
        let mut region = [point.0; LARGEST];
        let (mut looked, mut count, mut owner) = (0, 1, Color::Empty);
        while looked < count {
            for n in self.neighbours(region[looked]) {
                match self.cells[at(n)].color {
                    Color::Border => {}
                    Color::Empty => {
                        if !region[..count].contains(&n) {
                            if count == LARGEST {
                                return None;
                            }
                            region[count] = n;
                            count += 1;
                        }
                    }
                    color => {
                        if owner == Color::Empty {
                            owner = color;
                        } else if owner != color {
                            return None;
                        }
                    }
                }
            }
            looked += 1;
        }
        let region = &region[..count];
        let beside = |p: u16| self.neighbours(p).iter().filter(|n| region.contains(n)).count();
        let best = *region.iter().max_by_key(|&&p| beside(p))?;
        let others = |wanted: usize| region.iter().filter(|&&p| beside(p) == wanted).count();
        let vital = match (count, beside(best)) {
            (3, _) => true,
            // Not four in a row or a bend, which are alive, nor a square, which is dead as it is.
            (4, 3) => true,
            (5, 4) => true,
            // The bulky five has a square, so only one of its points has a single neighbour.
            (5, 3) => others(1) == 1,
            // The rabbity six: a square with two more points beside one of its corners.
            (6, 4) => others(2) == 3,
            _ => false,
        };
        vital.then_some(Point(best))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Side;

    /// A board of five lines, the highest first.
    fn board(rows: [&str; 5]) -> Board {
        let mut board = Board::new(5);
        for (y, row) in rows.iter().rev().enumerate() {
            for (x, symbol) in row.bytes().enumerate() {
                match symbol {
                    b'X' => _ = board.play(Point::at(x, y, 5), Side::First),
                    b'O' => _ = board.play(Point::at(x, y, 5), Side::Second),
                    _ => {}
                }
            }
        }
        board
    }

    #[track_caller]
    fn assert_vital(rows: [&str; 5], vital: Option<(usize, usize)>) {
        let board = board(rows);
        for (y, row) in rows.iter().rev().enumerate() {
            for (x, symbol) in row.bytes().enumerate() {
                if symbol == b'-' {
                    let found = board.vital_point(Point::at(x, y, 5)).map(|point| point.column_row(5));
                    assert_eq!(found, vital, "from {x}, {y}");
                }
            }
        }
    }

    #[test]
    fn spaces_that_one_stone_spoils_have_a_vital_point() {
        assert_vital(["X---X", "XXXXX", ".....", ".....", "....."], Some((2, 4)));
        assert_vital(["X--XX", "XX-XX", "XXXXX", ".....", "....."], Some((2, 4)));
        assert_vital(["X---X", "XX-XX", "XXXXX", ".....", "....."], Some((2, 4)));
        assert_vital(["XX-XX", "X---X", "XX-XX", "XXXXX", "....."], Some((2, 3)));
        assert_vital(["--XXX", "---XX", "XXXX.", ".....", "....."], Some((1, 3)));
        assert_vital(["XX-XX", "X---X", "X--XX", "XXXXX", "....."], Some((2, 3)));
    }

    #[test]
    fn other_spaces_have_none() {
        // Two points, four in a row, a bend, a square, five in a row, and a space of seven.
        assert_vital(["X--XX", "XXXXX", ".....", ".....", "....."], None);
        assert_vital(["----X", "XXXXX", ".....", ".....", "....."], None);
        assert_vital(["---XX", "XX-XX", "XXXXX", ".....", "....."], None);
        assert_vital(["--XXX", "--XXX", "XXXXX", ".....", "....."], None);
        assert_vital(["-----", "XXXXX", ".....", ".....", "....."], None);
        assert_vital(["----X", "---XX", "XXXXX", ".....", "....."], None);
        // Stones of both colours stand around it.
        assert_vital(["X---O", "XXXXX", ".....", ".....", "....."], None);
    }
}
