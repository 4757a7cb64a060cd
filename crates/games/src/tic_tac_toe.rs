//! Tic-tac-toe: the smallest complete game, written to be copied.
//!
//! A game needs three things: a move type, a position type that implements [`Game`], and
//! [`Notation`] so that people and files can speak of both. Then put it through
//! [`crate::conformance::check`], and count its moves with [`crate::perft`].

use crate::rng::mix;
use crate::{Deterministic, Game, IndexedMoves, Notation, NotationError, Outcome, Side, Turn};

/// A move: a mark on one of the nine squares, numbered 0 to 8 row by row from the upper left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square(u8);

impl Square {
    /// The square in `column` and `row`, both 0 to 2, counted from the upper left; `None` if there is none.
    pub fn at(column: usize, row: usize) -> Option<Square> {
        (column < 3 && row < 3).then_some(Square((3 * row + column) as u8))
    }

    fn bit(self) -> u16 {
        1 << self.0
    }
}

/// A position: the squares of each side, one bit each. Whose turn it is follows from their number.
///
/// ```
/// use afterstate_games::{Game, Notation, TicTacToe, Turn};
/// let mut game = TicTacToe::new();
/// for text in ["5", "1", "3", "2", "7"] {
///     let square = game.parse_move(text)?;
///     game.play(square);
/// }
/// assert!(matches!(game.turn(), Turn::Over(outcome) if outcome.first_player_score() == 1.0));
/// assert_eq!(game.diagram(), "O O X\n. X .\nX . .\n");
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TicTacToe {
    marks: [u16; 2],
}

/// Every square taken.
const FULL: u16 = 0o777;

/// The eight lines of three: rows, columns, diagonals.
const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

impl TicTacToe {
    /// The empty board, `X` to move.
    pub fn new() -> TicTacToe {
        TicTacToe::default()
    }

    fn taken(&self) -> u16 {
        self.marks[0] | self.marks[1]
    }

    fn has_line(&self, side: Side) -> bool {
        LINES.iter().any(|line| self.marks[side.index()] & line == *line)
    }

    fn to_move(self) -> Side {
        if self.taken().count_ones().is_multiple_of(2) { Side::First } else { Side::Second }
    }

    pub(crate) fn holds(&self, side: Side, column: usize, row: usize) -> bool {
        self.marks[side.index()] & Square((3 * row + column) as u8).bit() != 0
    }

    fn symbol(&self, square: Square) -> char {
        match square.bit() {
            bit if self.marks[0] & bit != 0 => 'X',
            bit if self.marks[1] & bit != 0 => 'O',
            _ => '.',
        }
    }
}

impl Game for TicTacToe {
    type Move = Square;

    fn turn(&self) -> Turn {
        if self.has_line(Side::First) {
            Turn::Over(Outcome::win(Side::First))
        } else if self.has_line(Side::Second) {
            Turn::Over(Outcome::win(Side::Second))
        } else if self.taken() == FULL {
            Turn::Over(Outcome::DRAW)
        } else {
            Turn::Player(self.to_move())
        }
    }

    fn legal_moves(&self, moves: &mut Vec<Square>) {
        moves.clear();
        if let Turn::Player(_) = self.turn() {
            moves.extend((0..9).map(Square).filter(|square| self.taken() & square.bit() == 0));
        }
    }

    fn play(&mut self, square: Square) {
        self.marks[self.to_move().index()] |= square.bit();
    }

    fn key(&self) -> u64 {
        mix(u64::from(self.marks[0]) << 16 | u64::from(self.marks[1]))
    }
}

impl Deterministic for TicTacToe {}

impl IndexedMoves for TicTacToe {
    fn move_index(&self, square: Square) -> usize {
        usize::from(square.0)
    }

    fn move_at(&self, index: usize) -> Square {
        Square(index as u8)
    }

    fn index_count(&self) -> usize {
        9
    }
}

impl Notation for TicTacToe {
    const NAME: &'static str = "tic-tac-toe";

    /// A digit, from `1` at the upper left to `9` at the lower right.
    fn move_text(&self, square: Square) -> String {
        (square.0 + 1).to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Square, NotationError> {
        match text.as_bytes() {
            [digit @ b'1'..=b'9'] => Ok(Square(digit - b'1')),
            _ => Err(NotationError::new("move", text, "a square from 1 (upper left) to 9 (lower right)")),
        }
    }

    /// Three rows from the top with `X`, `O` and `.`: `XO./.X./...`.
    fn position_text(&self) -> String {
        let row = |y: u8| (0..3).map(|x| self.symbol(Square(3 * y + x))).collect::<String>();
        format!("{}/{}/{}", row(0), row(1), row(2))
    }

    fn parse_position(text: &str) -> Result<TicTacToe, NotationError> {
        let error = |expected: &str| NotationError::new("position", text, expected);
        let rows: Vec<&str> = text.split('/').collect();
        if rows.len() != 3 || rows.iter().any(|row| row.len() != 3) {
            return Err(error("three rows of three squares, such as 'XO./.X./...'"));
        }
        let mut game = TicTacToe::new();
        for (i, symbol) in rows.concat().chars().enumerate() {
            match symbol {
                'X' => game.marks[0] |= 1 << i,
                'O' => game.marks[1] |= 1 << i,
                '.' => {}
                _ => return Err(error("only 'X', 'O' and '.'")),
            }
        }
        let [x, o] = game.marks.map(u16::count_ones);
        if x != o && x != o + 1 {
            return Err(error("as many X as O, or one more"));
        }
        // Whoever completes a line ends the game, so the other side did not move after it.
        if game.has_line(Side::First) && x == o || game.has_line(Side::Second) && x != o {
            return Err(error("a line of three only for the side that moved last"));
        }
        Ok(game)
    }

    fn diagram(&self) -> String {
        let mut text = String::new();
        for i in 0..9 {
            text.push(self.symbol(Square(i)));
            text.push(if i % 3 == 2 { '\n' } else { ' ' });
        }
        text
    }
}
