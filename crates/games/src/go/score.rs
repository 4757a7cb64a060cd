//! Area scoring: stones, and empty regions that reach only one colour.

use super::board::{Board, Color};
use super::point::{Point, PointSet};
use crate::Side;

impl Board {
    /// Black's area minus White's (Tromp-Taylor, every stone counting as alive), without komi.
    ///
    /// ```
    /// use afterstate_games::{Side, go::{Board, Point}};
    /// let mut board = Board::new(5);
    /// assert_eq!(board.area_difference(), 0);
    /// board.play(Point::at(2, 2, 5), Side::First);
    /// assert_eq!(board.area_difference(), 25);
    /// ```
    pub fn area_difference(&self) -> i32 {
        let mut difference = self.stone_count(Side::First) as i32 - self.stone_count(Side::Second) as i32;
        // At the end of a playout almost every empty region is one point: its neighbours decide.
        for point in self.empty_points() {
            match self.surrounding(point) {
                Surrounding::Mixed => {}
                Surrounding::Only(Side::First) => difference += 1,
                Surrounding::Only(Side::Second) => difference -= 1,
                Surrounding::Open => return self.area_by_regions(),
            }
        }
        difference
    }

    /// Who owns each point under area scoring: a stone's side, or the side that alone surrounds the region.
    pub fn owner(&self, point: Point) -> Option<Side> {
        match self.color(point) {
            Color::Empty => self.region_owner(point, &mut PointSet::EMPTY.clone()).1,
            color => color.side(),
        }
    }

    fn area_by_regions(&self) -> i32 {
        let mut difference = self.stone_count(Side::First) as i32 - self.stone_count(Side::Second) as i32;
        let mut seen = PointSet::EMPTY;
        for point in self.empty_points() {
            if seen.contains(point) {
                continue;
            }
            match self.region_owner(point, &mut seen) {
                (area, Some(Side::First)) => difference += area,
                (area, Some(Side::Second)) => difference -= area,
                (_, None) => {}
            }
        }
        difference
    }

    /// Size of the empty region around `start`, and the only colour that it reaches. Adds it to `seen`.
    fn region_owner(&self, start: Point, seen: &mut PointSet) -> (i32, Option<Side>) {
        let mut stack = [start; super::MAX_SIZE * super::MAX_SIZE];
        let (mut depth, mut area, mut reaches) = (1, 0, [false; 2]);
        seen.insert(start);
        while depth > 0 {
            depth -= 1;
            area += 1;
            for n in self.neighbours_of(stack[depth]) {
                match self.color(n) {
                    Color::Black => reaches[0] = true,
                    Color::White => reaches[1] = true,
                    Color::Empty => {
                        if seen.insert(n) {
                            stack[depth] = n;
                            depth += 1;
                        }
                    }
                    Color::Border => {}
                }
            }
        }
        let owner = match reaches {
            [true, false] => Some(Side::First),
            [false, true] => Some(Side::Second),
            _ => None,
        };
        (area, owner)
    }

    fn surrounding(&self, point: Point) -> Surrounding {
        let mut reaches = [false; 2];
        for n in self.neighbours_of(point) {
            match self.color(n) {
                Color::Black => reaches[0] = true,
                Color::White => reaches[1] = true,
                Color::Empty => return Surrounding::Open,
                Color::Border => {}
            }
        }
        match reaches {
            [true, false] => Surrounding::Only(Side::First),
            [false, true] => Surrounding::Only(Side::Second),
            _ => Surrounding::Mixed,
        }
    }
}

enum Surrounding {
    Open,
    Mixed,
    Only(Side),
}
