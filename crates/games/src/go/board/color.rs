//! What stands on a point.

use crate::Side;

/// What stands on a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Color {
    /// A stone of the first player.
    Black = 0,
    /// A stone of the second player.
    White = 1,
    /// Nothing.
    Empty = 2,
    /// Not on the board.
    Border = 3,
}

impl Color {
    /// The colour of a side's stones.
    #[inline(always)]
    pub const fn of(side: Side) -> Color {
        match side {
            Side::First => Color::Black,
            Side::Second => Color::White,
        }
    }

    /// Whose stone it is.
    pub const fn side(self) -> Option<Side> {
        match self {
            Color::Black => Some(Side::First),
            Color::White => Some(Side::Second),
            _ => None,
        }
    }
}
