//! Handicap stones, placed as the Go Text Protocol (version 2, section 4.1) prescribes, or freely.

use super::board::Color;
use super::point::Point;
use super::rules::Go;
use crate::Side;
use thiserror::Error;

/// A handicap that cannot be given.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HandicapError {
    /// Too few or too many stones.
    #[error("{stones} handicap stones on {size}×{size}: expected 2 to {most}")]
    Count {
        /// How many were asked for.
        stones: usize,
        /// The board's size.
        size: usize,
        /// The most that this kind of handicap allows on it.
        most: usize,
    },
    /// No fixed handicap is defined for the board.
    #[error("no fixed handicap is defined on {0}×{0}: expected a board of 7 or more, or place the stones freely")]
    Board(usize),
    /// Two stones on one point, or a point of another board.
    #[error("handicap stone {0}: expected distinct points of the board")]
    Point(String),
    /// The game has begun.
    #[error("the board is not empty: expected handicap stones before the first move")]
    NotEmpty,
}

/// How far the star points are from the edge, counted from 0; boards below 7 have none.
fn star_lines(size: usize) -> Option<(usize, usize)> {
    let low = match size {
        ..7 => return None,
        7..13 => 2,
        13.. => 3,
    };
    Some((low, size - 1 - low))
}

/// The points that are marked on a board of `size`: four in the corners, and on odd boards of 9 or
/// more also the centre and the middle of the sides.
///
/// ```
/// use afterstate_games::go::{Point, handicap::star_points};
/// assert_eq!(star_points(19).len(), 9);
/// assert!(star_points(9).contains(&Point::at(4, 4, 9)));
/// ```
pub fn star_points(size: usize) -> Vec<Point> {
    match most_fixed(size) {
        0 => Vec::new(),
        most => fixed_handicap(size, most).unwrap_or_default(),
    }
}

/// The most stones of a fixed handicap on a board of `size`; 0 where none is defined.
///
/// ```
/// use afterstate_games::go::handicap::most_fixed;
/// assert_eq!([5, 7, 9, 12, 13, 19].map(most_fixed), [0, 4, 9, 4, 9, 9]);
/// ```
pub fn most_fixed(size: usize) -> usize {
    match size {
        ..7 => 0,
        7 => 4,
        _ if size.is_multiple_of(2) => 4,
        _ => 9,
    }
}

/// Where the stones of a fixed handicap stand, in the order of the protocol's table.
///
/// # Errors
///
/// If the board or the number is not one that the protocol defines.
///
/// ```
/// use afterstate_games::go::handicap::fixed_handicap;
/// let labels: Vec<_> = fixed_handicap(19, 3)?.iter().map(|p| p.label(19)).collect();
/// assert_eq!(labels, ["D4", "Q16", "D16"]);
/// # Ok::<(), afterstate_games::go::HandicapError>(())
/// ```
pub fn fixed_handicap(size: usize, stones: usize) -> Result<Vec<Point>, HandicapError> {
    let most = most_fixed(size);
    let Some((low, high)) = star_lines(size) else { return Err(HandicapError::Board(size)) };
    if !(2..=most).contains(&stones) {
        return Err(HandicapError::Count { stones, size, most });
    }
    let middle = size / 2;
    let centre = (middle, middle);
    let mut places = vec![(low, low), (high, high), (low, high), (high, low)];
    places.extend([(low, middle), (high, middle), (middle, low), (middle, high)]);
    // An odd number from five on has its last stone in the centre.
    let before_centre = if stones >= 5 && stones % 2 == 1 { stones - 1 } else { stones };
    places.truncate(before_centre);
    if before_centre < stones {
        places.push(centre);
    }
    Ok(places.into_iter().map(|(x, y)| Point::at(x, y, size)).collect())
}

/// A free handicap of our own choice: the fixed one as far as it goes, then stones far from the
/// others and from the edge.
///
/// # Errors
///
/// If fewer than 2 stones are asked for, or more than a quarter of the board.
///
/// ```
/// use afterstate_games::go::handicap::free_handicap;
/// assert_eq!(free_handicap(5, 3)?.len(), 3);
/// assert_eq!(free_handicap(19, 12)?.len(), 12);
/// # Ok::<(), afterstate_games::go::HandicapError>(())
/// ```
pub fn free_handicap(size: usize, stones: usize) -> Result<Vec<Point>, HandicapError> {
    let most = size * size / 4;
    if !(2..=most).contains(&stones) {
        return Err(HandicapError::Count { stones, size, most });
    }
    let mut placed = match stones.min(most_fixed(size)) {
        fixed @ 2.. => fixed_handicap(size, fixed)?,
        _ => Vec::new(),
    };
    while placed.len() < stones {
        // A stone on the first or second line is worth little, however much room it has.
        let room = |point: Point| {
            let (x, y) = point.column_row(size);
            let from_edge = x.min(y).min(size - 1 - x).min(size - 1 - y);
            let from_stones = placed.iter().map(|stone: &Point| {
                let (a, b) = stone.column_row(size);
                a.abs_diff(x) + b.abs_diff(y)
            });
            let nearest = from_stones.min().unwrap_or(size);
            (nearest > 0, from_edge.min(2), nearest)
        };
        let Some(best) = Point::all(size).max_by_key(|&point| room(point)) else { break };
        placed.push(best);
    }
    Ok(placed)
}

impl Go {
    /// This position, whose board must be empty, with black handicap stones and White to move.
    ///
    /// # Errors
    ///
    /// If the board is not empty, there are fewer than 2 stones or no empty point is left, or two of
    /// them share a point.
    ///
    /// ```
    /// use afterstate_games::{Side, go::{Go, handicap::fixed_handicap}};
    /// let game = Go::new(9).with_handicap(&fixed_handicap(9, 4)?)?;
    /// assert_eq!((game.handicap(), game.to_move()), (4, Side::Second));
    /// # Ok::<(), afterstate_games::go::HandicapError>(())
    /// ```
    pub fn with_handicap(mut self, stones: &[Point]) -> Result<Go, HandicapError> {
        let size = self.size();
        if self.board.empty_count() != size * size {
            return Err(HandicapError::NotEmpty);
        }
        let most = (size * size - 1).min(usize::from(u8::MAX));
        if !(2..=most).contains(&stones.len()) {
            return Err(HandicapError::Count { stones: stones.len(), size, most });
        }
        for &stone in stones {
            match self.board.color(stone) {
                Color::Empty => self.board.play(stone, Side::First),
                Color::Border => return Err(HandicapError::Point("off the board".to_owned())),
                _ => return Err(HandicapError::Point(stone.label(size))),
            };
        }
        self.handicap = stones.len() as u8;
        Ok(self.with_turn(Side::Second))
    }
}
