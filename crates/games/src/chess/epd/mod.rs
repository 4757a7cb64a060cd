//! Positions with what is known of them, as EPD (Extended Position Description; S. Edwards 1994, section 16.2 of the PGN
//! standard): suites of tests, openings, counts of perft. [`EpdReader`] reads a stream of them, [`Epd`] reads and writes itself.
//!
//! A line holds a position in four fields, then operations, each an opcode with its operands and a semicolon:
//!
//! ```text
//! 2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; acd 9; id "WAC.001";
//! rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400 ;D3 8902
//! ```
//!
//! The second line shows what many files have: a whole FEN in place of four fields, and semicolons where no operation is.

mod operation;
mod read;

pub use operation::{Operand, Operation};
pub use read::{EpdError, EpdReader, LONGEST_LINE};

use super::{Chess, Move};
use crate::{Notation, NotationError};
use std::fmt;
use std::str::FromStr;

/// A position with operations.
///
/// ```
/// use afterstate_games::chess::epd::Epd;
/// let epd: Epd = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4 e3; acd 12; ce +35; id \"pawn\"; zz top;".parse()?;
/// assert_eq!(epd.moves("bm").map(|mv| mv.to_string()).collect::<Vec<_>>(), ["e2e4", "e2e3"]);
/// assert_eq!((epd.integer("acd"), epd.integer("ce"), epd.text("id")), (Some(12), Some(35), Some("pawn")));
/// assert_eq!(epd.to_string(), "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4 e3; acd 12; ce 35; id \"pawn\"; zz top;");
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Epd {
    /// The position. The opcodes `hmvc` and `fmvn` (the clock of the fifty-move rule and the number of the move) belong to it
    /// and are not among the operations.
    pub position: Chess,
    /// Everything else, in the order of the line.
    pub operations: Vec<Operation>,
}

impl Epd {
    /// A position of which nothing is said.
    pub fn new(position: Chess) -> Epd {
        Epd { position, operations: Vec::new() }
    }

    /// The same with one more operation.
    ///
    /// ```
    /// use afterstate_games::Chess;
    /// use afterstate_games::chess::epd::{Epd, Operand};
    /// let epd = Epd::new(Chess::new()).with("acd", [Operand::Integer(7)]);
    /// assert_eq!(epd.to_string(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - acd 7;");
    /// ```
    pub fn with(mut self, opcode: &str, operands: impl Into<Vec<Operand>>) -> Epd {
        self.operations.push(Operation { opcode: opcode.into(), operands: operands.into() });
        self
    }

    /// The operands of the first operation with this opcode, if there is one.
    pub fn operands(&self, opcode: &str) -> Option<&[Operand]> {
        self.operations.iter().find(|operation| operation.opcode == opcode).map(|found| &found.operands[..])
    }

    /// The moves of an operation: all of them good ones (`bm`) or bad ones (`am`) of this position, or a line (`pv`).
    pub fn moves(&self, opcode: &str) -> impl Iterator<Item = Move> + '_ {
        self.operands(opcode).unwrap_or_default().iter().filter_map(|operand| match operand {
            Operand::Move(mv) => Some(*mv),
            _ => None,
        })
    }

    /// The number of an operation such as `acd`, `ce` or `dm`.
    pub fn integer(&self, opcode: &str) -> Option<i64> {
        self.operands(opcode)?.iter().find_map(|operand| match operand {
            Operand::Integer(number) => Some(*number),
            _ => None,
        })
    }

    /// The text of an operation such as `id` or `c0`.
    pub fn text(&self, opcode: &str) -> Option<&str> {
        self.operands(opcode)?.iter().find_map(|operand| match operand {
            Operand::Text(text) | Operand::Symbol(text) => Some(&text[..]),
            _ => None,
        })
    }

    /// Depths with their counts, of suites for perft: `D1 20; D2 400;`.
    ///
    /// ```
    /// use afterstate_games::{Chess, chess::epd::Epd, perft};
    /// let epd: Epd = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400".parse()?;
    /// assert!(epd.perft().all(|(depth, count)| perft::paths(&epd.position, depth) == count));
    /// # Ok::<(), afterstate_games::NotationError>(())
    /// ```
    pub fn perft(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.operations.iter().filter_map(|operation| match operation.operands[..] {
            [Operand::Integer(count)] => Some((operation.depth_of_perft()?, u64::try_from(count).ok()?)),
            _ => None,
        })
    }
}

impl FromStr for Epd {
    type Err = NotationError;

    /// Reads one line.
    fn from_str(line: &str) -> Result<Epd, NotationError> {
        read::line(line)
    }
}

impl fmt::Display for Epd {
    /// One line, without its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.position.position_text();
        let board = self.position.board();
        let fields: Vec<&str> = text.split(' ').take(4).collect();
        write!(f, "{}", fields.join(" "))?;
        if board.halfmove_clock() > 0 {
            write!(f, " hmvc {};", board.halfmove_clock())?;
        }
        if board.fullmove_number() > 1 {
            write!(f, " fmvn {};", board.fullmove_number())?;
        }
        self.operations.iter().try_for_each(|operation| write!(f, " {}", operation.text(&self.position)))
    }
}
