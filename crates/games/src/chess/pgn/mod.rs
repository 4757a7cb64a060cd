//! Games as PGN (Portable Game Notation, S. Edwards 1994): [`PgnReader`] reads a stream of them, [`PgnGame`] writes itself.
//!
//! Variations, comments, numeric glyphs and the evaluations and clocks that programs write into comments are kept.
//! A file of any length is read game by game; limits on the size of one game keep the memory small.

mod annotation;
mod read;
mod tokens;
mod write;

pub use annotation::Evaluation;
pub use read::{LONGEST_GAME, PgnReader};
pub(super) use tokens::text;

use super::{Chess, Move};
use crate::{NotationError, Outcome, Side};
use std::time::Duration;
use thiserror::Error;

/// A game as it stands in a PGN file.
///
/// ```
/// use afterstate_games::chess::pgn::{PgnGame, PgnReader};
/// let text = "[White \"Ada\"]\n\n1. e4 {[%eval 0.3] best by test} e5 (1... c5 $1) 2. Nf3 1/2-1/2";
/// let game = PgnReader::new(text.as_bytes()).next().unwrap()?;
/// assert_eq!((game.tag("White"), game.line.moves.len()), (Some("Ada"), 3));
/// assert_eq!(game.line.moves[1].variations[0].moves[0].nags, [1]);
/// assert!(game.to_string().contains("1. e4 { [%eval 0.30] best by test } 1... e5 (1... c5 $1) 2. Nf3 1/2-1/2"));
/// # Ok::<(), afterstate_games::chess::pgn::PgnError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PgnGame {
    /// Names and values in the order of the file. In writing, `Result` and what tells the first position (`SetUp`, `FEN`, `Variant`)
    /// are those of the other fields.
    pub tags: Vec<(String, String)>,
    /// The first position.
    pub start: Chess,
    /// What was played.
    pub line: PgnLine,
    /// How the game ended; `None` if that is not known, or not yet.
    pub outcome: Option<Outcome>,
}

impl PgnGame {
    /// The value of a tag, if it is there.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The moves that were played, without variations.
    pub fn moves(&self) -> impl Iterator<Item = Move> + '_ {
        self.line.moves.iter().map(|played| played.mv)
    }
}

/// Moves that follow each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PgnLine {
    /// What is said before the first of them.
    pub comment: String,
    /// The moves.
    pub moves: Vec<PgnMove>,
}

/// A move with what was said about it.
#[derive(Clone, Debug, PartialEq)]
pub struct PgnMove {
    /// The move.
    pub mv: Move,
    /// Numeric annotation glyphs: 1 is a good move, 2 a mistake, 4 a blunder.
    pub nags: Vec<u8>,
    /// What is said after it; lines are joined by spaces.
    pub comment: String,
    /// `[%eval …]` of the comment: the position after the move.
    pub evaluation: Option<Evaluation>,
    /// `[%clk …]` of the comment: the time that the player has left.
    pub clock: Option<Duration>,
    /// What could have been played instead.
    pub variations: Vec<PgnLine>,
}

impl PgnMove {
    /// A move about which nothing is said.
    pub fn new(mv: Move) -> PgnMove {
        PgnMove { mv, nags: Vec::new(), comment: String::new(), evaluation: None, clock: None, variations: Vec::new() }
    }
}

/// Why something is not a game in PGN.
#[derive(Debug, Error)]
pub enum PgnError {
    /// The source could not be read.
    #[error("PGN, line {line}: {error}")]
    Read {
        /// The line of the source, from 1.
        line: u64,
        /// What the system says.
        error: std::io::Error,
    },
    /// Something that cannot stand there.
    #[error("PGN, line {line}: found {found}: expected {expected}")]
    Syntax {
        /// The line of the source, from 1.
        line: u64,
        /// What stands there.
        found: String,
        /// What may stand there.
        expected: &'static str,
    },
    /// The first position cannot be played.
    #[error("PGN, line {line}: {error}")]
    Start {
        /// The line of the source at which the moves begin, from 1.
        line: u64,
        /// What is wrong with it.
        error: NotationError,
    },
    /// A move that cannot be played.
    #[error("PGN, line {line}, move {number} of {}: {error}", if *side == Side::First { "White" } else { "Black" })]
    Move {
        /// The line of the source, from 1.
        line: u64,
        /// The number of the move as chess players count.
        number: u16,
        /// Whose move it is.
        side: Side,
        /// What is wrong with it.
        error: NotationError,
    },
}
