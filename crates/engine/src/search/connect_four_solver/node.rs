//! [`Node`]: a position of Connect Four as the side to move sees it, and the questions that a solver asks of it.
//!
//! A column takes seven bits, as in [`ConnectFour`]: whole lines are found by shifts, and no shift runs from one column
//! into the next because the seventh bit stays empty. Rows are counted from 1 at the bottom here, as the theory of the
//! game does: what is odd and what is even decides it.

use afterstate_games::connect_four::{COLUMNS, ROWS};
use afterstate_games::{ConnectFour, Side};

/// Bits from one column to the next.
const STRIDE: usize = ROWS + 1;
/// The lowest square of every column.
const BOTTOM: u64 = 0x0000_0408_1020_4081;
/// Every square.
const BOARD: u64 = BOTTOM * ((1 << ROWS) - 1);
/// Rows 1, 3 and 5: what is left to a side whose opponent always answers on top of its disc.
const ODD_ROWS: u64 = BOTTOM * 0b01_0101;
/// Rows 2, 4 and 6: what that opponent gets.
const EVEN_ROWS: u64 = BOTTOM * 0b10_1010;
/// How many squares there are.
pub(super) const SQUARES: i32 = (COLUMNS * ROWS) as i32;

/// The squares of a column.
#[inline(always)]
pub(super) const fn column(index: usize) -> u64 {
    ((1 << ROWS) - 1) << (index * STRIDE)
}

/// The squares that make four in a row together with three of `discs`, taken ones among them.
#[inline(always)]
const fn completing(discs: u64) -> u64 {
    // Upwards the fourth square is on top of three discs.
    let mut squares = discs << 1 & discs << 2 & discs << 3;
    // Across and along both diagonals it is at either end, or in one of the two gaps.
    let shifts = [STRIDE, STRIDE - 1, STRIDE + 1];
    let mut i = 0;
    while i < shifts.len() {
        let shift = shifts[i];
        let two_before = discs << shift & discs << (2 * shift);
        let two_after = discs >> shift & discs >> (2 * shift);
        squares |= two_before & (discs << (3 * shift) | discs >> shift);
        squares |= two_after & (discs >> (3 * shift) | discs << shift);
        i += 1;
    }
    squares & BOARD
}

/// Whether four in a row are among `discs`.
#[inline(always)]
const fn has_four(discs: u64) -> bool {
    let shifts = [1, STRIDE, STRIDE - 1, STRIDE + 1];
    let mut i = 0;
    while i < shifts.len() {
        let pairs = discs & discs >> shifts[i];
        if pairs & pairs >> (2 * shifts[i]) != 0 {
            return true;
        }
        i += 1;
    }
    false
}

/// What a strategy that needs no search proves of a score (see [`Node::by_parity`]), as the side to move sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Parity {
    /// It is this or more.
    AtLeast(i32),
    /// It is this or less.
    AtMost(i32),
}

/// A position that is not over, as the side to move sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Node {
    /// The discs of the side to move.
    own: u64,
    /// The discs of both.
    taken: u64,
}

impl Node {
    /// `game` with `side` to move.
    pub(super) fn new(game: &ConnectFour, side: Side) -> Node {
        Node { own: game.discs(side), taken: game.discs(Side::First) | game.discs(Side::Second) }
    }

    /// How many discs have been played.
    #[inline(always)]
    pub(super) const fn discs(self) -> i32 {
        self.taken.count_ones() as i32
    }

    #[inline(always)]
    const fn theirs(self) -> u64 {
        self.own ^ self.taken
    }

    #[inline(always)]
    const fn empty(self) -> u64 {
        BOARD & !self.taken
    }

    /// A number below 2⁴⁹ that no other position has (J. Tromp's: where a column's discs end shows by the carry).
    #[inline(always)]
    pub(super) const fn key(self) -> u64 {
        self.own + self.taken + BOTTOM
    }

    /// The least of the keys of this position and of its mirror image.
    #[inline(always)]
    pub(super) const fn key_of_both_images(self) -> u64 {
        let (key, mirrored) = (self.key(), mirror(self.key()));
        if key < mirrored { key } else { mirrored }
    }

    /// The lowest free square of each column that has one.
    #[inline(always)]
    pub(super) const fn moves(self) -> u64 {
        (self.taken + BOTTOM) & BOARD
    }

    /// The position after a disc on `square`, one of [`Node::moves`].
    #[inline(always)]
    pub(super) const fn after(self, square: u64) -> Node {
        Node { own: self.theirs(), taken: self.taken | square }
    }

    /// Whether the side to move can complete four in a row with its next disc.
    #[inline(always)]
    pub(super) const fn wins_at_once(self) -> bool {
        completing(self.own) & self.moves() != 0
    }

    /// The moves after which the other side does not win at once. The side to move can't win at once itself.
    #[inline(always)]
    pub(super) const fn sound_moves(self) -> u64 {
        let threats = completing(self.theirs());
        let (moves, forced) = (self.moves(), threats & self.moves());
        if forced & forced.wrapping_sub(1) != 0 {
            return 0;
        }
        (if forced == 0 { moves } else { forced }) & !(threats >> 1)
    }

    /// How promising a disc on `square` is: what counts are the threats that there are then, more so on the rows where
    /// its side is likely to get the square in the end: the odd ones for the first player, the even ones for the
    /// second. To play just below an own threat gives it away.
    #[inline(always)]
    pub(super) const fn promise(self, square: u64) -> i32 {
        let threats = completing(self.own | square) & self.empty() & !square;
        let rows = if self.discs() % 2 == 0 { ODD_ROWS } else { EVEN_ROWS };
        let given_away = completing(self.own) & square << 1 != 0;
        4 * threats.count_ones() as i32 + 2 * (threats & rows).count_ones() as i32 - given_away as i32
    }

    /// Whether the side to move would have four in a row if it got all empty squares.
    #[inline(always)]
    pub(super) const fn can_win(self) -> bool {
        has_four(self.own | self.empty())
    }

    /// Whether the other side would.
    #[inline(always)]
    pub(super) const fn can_lose(self) -> bool {
        has_four(self.theirs() | self.empty())
    }

    /// What a side can be sure of that answers every disc with one on top of it ("follow-up" or "claimeven": V. Allis,
    /// A knowledge-based approach of Connect-Four, 1988). It gets all even rows and leaves the odd ones to the other.
    ///
    /// * The second player can do so when all columns have an even number of empty squares, or will after its move.
    /// * The first player can do so if one square is left over with a threat of its own above it: the other side must
    ///   go there in the end.
    #[inline(always)]
    pub(super) const fn by_parity(self) -> Option<Parity> {
        let odd_columns = self.moves() & EVEN_ROWS;
        let empty = self.empty();
        if self.discs() % 2 == 0 {
            return match odd_columns == 0 && !has_four(self.own | empty & ODD_ROWS) {
                // The least of all losses, for nobody knows how long it takes.
                true if has_four(self.theirs() | empty & EVEN_ROWS) => Some(Parity::AtMost(-1)),
                true => Some(Parity::AtMost(0)),
                false => None,
            };
        }
        // The number of empty squares is odd, so that there is at least one.
        if odd_columns & (odd_columns - 1) != 0 {
            return None;
        }
        if !has_four(self.theirs() | empty & ODD_ROWS) {
            return Some(Parity::AtLeast(has_four(self.own | empty & EVEN_ROWS) as i32));
        }
        if completing(self.theirs()) & odd_columns << 1 == 0 {
            return None;
        }
        let column = column(odd_columns.trailing_zeros() as usize / STRIDE);
        let beaten = !has_four(self.own | empty & ODD_ROWS & !column | odd_columns);
        if beaten { Some(Parity::AtMost(-1)) } else { None }
    }
}

/// The same with the columns in reverse: of keys and of squares.
#[inline(always)]
pub(super) const fn mirror(bits: u64) -> u64 {
    const COLUMN: u64 = (1 << STRIDE) - 1;
    (bits & COLUMN) << (6 * STRIDE)
        | (bits & COLUMN << STRIDE) << (4 * STRIDE)
        | (bits & COLUMN << (2 * STRIDE)) << (2 * STRIDE)
        | bits & COLUMN << (3 * STRIDE)
        | bits >> (2 * STRIDE) & COLUMN << (2 * STRIDE)
        | bits >> (4 * STRIDE) & COLUMN << STRIDE
        | bits >> (6 * STRIDE)
}
