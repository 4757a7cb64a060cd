//! Connect Four on 7 columns and 6 rows, as two 64-bit words.
//!
//! Every column takes seven bits: six for its rows from the bottom, and one that stays empty, so that
//! shifted lines never run from the top of a column into the next.

use crate::rng::mix;
use crate::{Deterministic, Game, IndexedMoves, Notation, NotationError, Outcome, Side, Turn};

/// How many columns there are.
pub const COLUMNS: usize = 7;
/// How many rows there are.
pub const ROWS: usize = 6;

/// Bits from one column to the next.
const STRIDE: usize = ROWS + 1;
/// The lowest square of every column.
const BOTTOM: u64 = 0x0000_0408_1020_4081;

/// A move: a disc into a column, counted from 0 at the left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Column(u8);

impl Column {
    /// Column number `index`, from 0; `None` beyond the board.
    pub const fn new(index: usize) -> Option<Column> {
        if index < COLUMNS { Some(Column(index as u8)) } else { None }
    }

    /// Its number, from 0 at the left.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The highest square of the column.
    const fn top(self) -> u64 {
        1 << (self.index() * STRIDE + ROWS - 1)
    }
}

/// A position of Connect Four.
///
/// ```
/// use afterstate_games::{ConnectFour, Game, Notation, Side, Turn};
/// let mut game = ConnectFour::new();
/// for text in ["4", "1", "4", "1", "4", "1", "4"] {
///     let column = game.parse_move(text)?;
///     game.play(column);
/// }
/// assert!(matches!(game.turn(), Turn::Over(outcome) if outcome.winner == Some(Side::First)));
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ConnectFour {
    discs: [u64; 2],
}

/// Whether four discs in a row are among `discs`.
const fn has_four(discs: u64) -> bool {
    // Vertical, horizontal, and the two diagonals.
    let shifts = [1, STRIDE, STRIDE - 1, STRIDE + 1];
    let mut i = 0;
    while i < 4 {
        let pairs = discs & (discs >> shifts[i]);
        if pairs & (pairs >> (2 * shifts[i])) != 0 {
            return true;
        }
        i += 1;
    }
    false
}

impl ConnectFour {
    /// The empty board, the first player to move.
    pub fn new() -> ConnectFour {
        ConnectFour::default()
    }

    /// The discs of `side`, one bit a square: bit `7 * column + row`, rows counted from 0 at the bottom.
    ///
    /// ```
    /// use afterstate_games::{ConnectFour, Game, Side, connect_four::Column};
    /// let mut game = ConnectFour::new();
    /// game.play(Column::new(3).unwrap());
    /// assert_eq!(game.discs(Side::First), 1 << 21);
    /// ```
    #[inline]
    pub fn discs(&self, side: Side) -> u64 {
        self.discs[side.index()]
    }

    #[inline]
    fn taken(&self) -> u64 {
        self.discs[0] | self.discs[1]
    }

    #[inline]
    fn to_move(self) -> Side {
        if self.taken().count_ones().is_multiple_of(2) { Side::First } else { Side::Second }
    }

    #[inline]
    pub(crate) fn holds(&self, side: Side, column: usize, row: usize) -> bool {
        self.discs[side.index()] & 1 << (column * STRIDE + row) != 0
    }

    /// What stands in `column` and `row` (from the bottom).
    fn symbol(&self, column: usize, row: usize) -> char {
        match 1u64 << (column * STRIDE + row) {
            bit if self.discs[0] & bit != 0 => 'X',
            bit if self.discs[1] & bit != 0 => 'O',
            _ => '.',
        }
    }
}

impl Game for ConnectFour {
    type Move = Column;

    #[inline]
    fn turn(&self) -> Turn {
        let to_move = self.to_move();
        // Only the side that has just moved can have completed a line.
        if has_four(self.discs[to_move.other().index()]) {
            Turn::Over(Outcome::win(to_move.other()))
        } else if self.taken().count_ones() as usize == COLUMNS * ROWS {
            Turn::Over(Outcome::DRAW)
        } else {
            Turn::Player(to_move)
        }
    }

    #[inline]
    fn legal_moves(&self, moves: &mut Vec<Column>) {
        moves.clear();
        if let Turn::Player(_) = self.turn() {
            moves.extend((0..COLUMNS as u8).map(Column).filter(|column| self.taken() & column.top() == 0));
        }
    }

    fn is_legal(&self, column: Column) -> bool {
        matches!(self.turn(), Turn::Player(_)) && self.taken() & column.top() == 0
    }

    #[inline]
    fn play(&mut self, column: Column) {
        // Adding the column's lowest square to its taken squares carries into the first free one.
        let bottom = 1u64 << (column.index() * STRIDE);
        let whole = ((1u64 << ROWS) - 1) << (column.index() * STRIDE);
        let disc = (self.taken() + bottom) & whole & !self.taken();
        self.discs[self.to_move().index()] |= disc;
    }

    #[inline]
    fn key(&self) -> u64 {
        // The first player's discs, added to the taken squares and the bottom row, identify the position.
        mix(self.discs[0] + self.taken() + BOTTOM)
    }
}

impl Deterministic for ConnectFour {}

/// Moves are numbered by their columns.
impl IndexedMoves for ConnectFour {
    #[inline]
    fn move_index(&self, column: Column) -> usize {
        column.index()
    }

    #[inline]
    fn move_at(&self, index: usize) -> Column {
        Column(index as u8)
    }

    fn index_count(&self) -> usize {
        COLUMNS
    }
}

impl Notation for ConnectFour {
    const NAME: &'static str = "connect-four";

    /// The column, from `1` at the left to `7`.
    fn move_text(&self, column: Column) -> String {
        (column.0 + 1).to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Column, NotationError> {
        match text.as_bytes() {
            [digit @ b'1'..=b'7'] => Ok(Column(digit - b'1')),
            _ => Err(NotationError::new("move", text, "a column from 1 to 7")),
        }
    }

    /// Six rows from the top with `X`, `O` and `.`, separated by `/`.
    fn position_text(&self) -> String {
        let row = |y| (0..COLUMNS).map(|x| self.symbol(x, y)).collect::<String>();
        (0..ROWS).rev().map(row).collect::<Vec<_>>().join("/")
    }

    fn parse_position(text: &str) -> Result<ConnectFour, NotationError> {
        let error = |expected: &str| NotationError::new("position", text, expected);
        let rows: Vec<&str> = text.split('/').collect();
        if rows.len() != ROWS || rows.iter().any(|row| row.len() != COLUMNS) {
            return Err(error("six rows of seven squares from the top, separated by '/'"));
        }
        let mut game = ConnectFour::new();
        for (y, row) in rows.iter().rev().enumerate() {
            for (x, symbol) in row.chars().enumerate() {
                let bit = 1u64 << (x * STRIDE + y);
                match symbol {
                    'X' => game.discs[0] |= bit,
                    'O' => game.discs[1] |= bit,
                    '.' => continue,
                    _ => return Err(error("only 'X', 'O' and '.'")),
                }
                if y > 0 && game.taken() & bit >> 1 == 0 {
                    return Err(error("every disc at the bottom or on another"));
                }
            }
        }
        let [first, second] = game.discs.map(u64::count_ones);
        if first != second && first != second + 1 {
            return Err(error("as many X as O, or one more"));
        }
        if has_four(game.discs[game.to_move().index()]) {
            return Err(error("four in a row only for the side that moved last"));
        }
        Ok(game)
    }

    fn diagram(&self) -> String {
        let mut text = String::new();
        for y in (0..ROWS).rev() {
            for x in 0..COLUMNS {
                text.push(self.symbol(x, y));
                text.push(if x + 1 == COLUMNS { '\n' } else { ' ' });
            }
        }
        text + "1 2 3 4 5 6 7\n"
    }
}
