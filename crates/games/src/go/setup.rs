//! Positions that no game leads to: stones put down by an editor, a problem, or a handicap.

use super::board::{Board, Color};
use super::point::{MAX_SIZE, MIN_SIZE, Point};
use super::rules::Go;
use thiserror::Error;

/// Stones that cannot stand as they were given.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SetupError {
    /// A board that is too small or too large.
    #[error("board size {0}: expected {MIN_SIZE} to {MAX_SIZE}")]
    Size(usize),
    /// A point of some other board.
    #[error("a stone off the {0}×{0} board: expected points of this board only")]
    OffBoard(usize),
    /// A chain that would have been captured.
    #[error("the chain at {0} has no liberty: expected at least one for every chain")]
    NoLiberty(String),
}

impl Go {
    /// A position with these stones, Black to move; points that are not named stay empty, and of several
    /// colours for a point the last counts.
    ///
    /// # Errors
    ///
    /// If the size is not between 5 and 19, a point is not on the board, or a chain has no liberty.
    ///
    /// ```
    /// use afterstate_games::go::{Go, Point, Color};
    /// let game = Go::set_up(9, [(Point::at(4, 4, 9), Color::White)])?;
    /// assert_eq!(game.score(), -88.5);
    /// # Ok::<(), afterstate_games::go::SetupError>(())
    /// ```
    pub fn set_up(size: usize, stones: impl IntoIterator<Item = (Point, Color)>) -> Result<Go, SetupError> {
        if !(MIN_SIZE..=MAX_SIZE).contains(&size) {
            return Err(SetupError::Size(size));
        }
        let mut game = Go::new(size);
        let mut colors = vec![Color::Empty; size * size];
        for (point, color) in stones {
            if game.board.color(point) == Color::Border {
                return Err(SetupError::OffBoard(size));
            }
            colors[point.ordinal(size)] = color;
        }
        if let Some(point) = chain_without_liberty(&game.board, &colors) {
            return Err(SetupError::NoLiberty(point.label(size)));
        }
        // As long as a chain is incomplete it has a liberty where its next stone will stand, so
        // nothing is captured on the way, whatever the order.
        for (ordinal, color) in colors.iter().enumerate() {
            if let Some(side) = color.side() {
                game.board.play(Point::from_ordinal(ordinal, size), side);
            }
        }
        game.board.lift_ko();
        Ok(game)
    }
}

fn chain_without_liberty(board: &Board, colors: &[Color]) -> Option<Point> {
    let size = board.size();
    let color = |p: Point| match board.color(p) {
        Color::Border => Color::Border,
        _ => colors[p.ordinal(size)],
    };
    let mut seen = vec![false; colors.len()];
    for start in Point::all(size) {
        if color(start).side().is_none() || seen[start.ordinal(size)] {
            continue;
        }
        seen[start.ordinal(size)] = true;
        let (mut stack, mut breathes) = (vec![start], false);
        while let Some(stone) = stack.pop() {
            for n in board.neighbours_of(stone) {
                if color(n) == Color::Empty {
                    breathes = true;
                } else if color(n) == color(start) && !seen[n.ordinal(size)] {
                    seen[n.ordinal(size)] = true;
                    stack.push(n);
                }
            }
        }
        if !breathes {
            return Some(start);
        }
    }
    None
}
