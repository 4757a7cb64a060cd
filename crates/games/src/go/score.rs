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

    /// Calls `each` with every point that a side owns under area scoring, and that side: what [`Board::owner`] says of
    /// all points, with each empty region looked at once.
    ///
    /// ```
    /// use afterstate_games::{Side, go::{Board, Point}};
    /// let mut board = Board::new(5);
    /// board.play(Point::at(2, 2, 5), Side::Second);
    /// let mut owned = 0;
    /// board.for_each_owned(|_, side| owned += usize::from(side == Side::Second));
    /// assert_eq!(owned, 25);
    /// ```
    #[inline]
    pub fn for_each_owned(&self, mut each: impl FnMut(Point, Side)) {
        for point in Point::all(self.size()) {
            if let Some(side) = self.color(point).side() {
                each(point, side);
            }
        }
        let mut seen = PointSet::EMPTY;
        for point in self.empty_points() {
            match self.surrounding(point) {
                Surrounding::Mixed => {}
                Surrounding::Only(side) => each(point, side),
                Surrounding::Open if seen.contains(point) => {}
                Surrounding::Open => {
                    let mut region = [point; super::MAX_SIZE * super::MAX_SIZE];
                    let (size, owner) = self.region(&mut region, &mut seen);
                    if let Some(side) = owner {
                        region[..size].iter().for_each(|&point| each(point, side));
                    }
                }
            }
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
        let (size, owner) = self.region(&mut [start; super::MAX_SIZE * super::MAX_SIZE], seen);
        (size as i32, owner)
    }

    /// The same, with the region's points put at the front of `region`, whose first is the start.
    fn region(
        &self,
        region: &mut [Point; super::MAX_SIZE * super::MAX_SIZE],
        seen: &mut PointSet,
    ) -> (usize, Option<Side>) {
        let (mut done, mut found, mut reaches) = (0, 1, [false; 2]);
        seen.insert(region[0]);
        while done < found {
            for n in self.neighbours_of(region[done]) {
                match self.color(n) {
                    Color::Black => reaches[0] = true,
                    Color::White => reaches[1] = true,
                    Color::Empty => {
                        if seen.insert(n) {
                            region[found] = n;
                            found += 1;
                        }
                    }
                    Color::Border => {}
                }
            }
            done += 1;
        }
        let owner = match reaches {
            [true, false] => Some(Side::First),
            [false, true] => Some(Side::Second),
            _ => None,
        };
        (found, owner)
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
