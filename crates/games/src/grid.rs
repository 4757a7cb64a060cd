//! [`Grid`]: games whose positions are stones on a grid.

use crate::go::{Go, Point};
use crate::{ConnectFour, Game, Side, TicTacToe};

/// A game on a rectangle of points, each of which is empty or holds a stone of one side: what features that look at
/// windows of the board need to know.
///
/// ```
/// use afterstate_games::{ConnectFour, Game, Grid, Side, connect_four::Column};
/// let mut game = ConnectFour::new();
/// game.play(Column::new(3).unwrap());
/// assert_eq!((game.columns(), game.rows()), (7, 6));
/// assert_eq!((game.stone(3, 0), game.stone(3, 1)), (Some(Side::First), None));
/// ```
pub trait Grid: Game {
    /// How many columns there are, the same in every position of a game.
    fn columns(&self) -> usize;

    /// How many rows there are.
    fn rows(&self) -> usize;

    /// Whose stone stands there; both are counted from 0, in the order of the game's own coordinates.
    fn stone(&self, column: usize, row: usize) -> Option<Side>;
}

/// Rows are counted from the upper edge, as its squares are.
impl Grid for TicTacToe {
    fn columns(&self) -> usize {
        3
    }

    fn rows(&self) -> usize {
        3
    }

    fn stone(&self, column: usize, row: usize) -> Option<Side> {
        [Side::First, Side::Second].into_iter().find(|&side| self.holds(side, column, row))
    }
}

/// Rows are counted from the bottom.
impl Grid for ConnectFour {
    fn columns(&self) -> usize {
        crate::connect_four::COLUMNS
    }

    fn rows(&self) -> usize {
        crate::connect_four::ROWS
    }

    fn stone(&self, column: usize, row: usize) -> Option<Side> {
        [Side::First, Side::Second].into_iter().find(|&side| self.holds(side, column, row))
    }
}

/// Rows are counted from the bottom.
impl Grid for Go {
    fn columns(&self) -> usize {
        self.size()
    }

    fn rows(&self) -> usize {
        self.size()
    }

    fn stone(&self, column: usize, row: usize) -> Option<Side> {
        self.board().color(Point::at(column, row, self.size())).side()
    }
}
