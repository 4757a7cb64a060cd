//! Games as SGF files (Smart Game Format, FF\[4\]): [`GameRecordFile`] reads and writes them, [`annotate`] adds to them.
//!
//! What is read is the first game of a file, along its main line: of several variations the first.
//! The file's outline is read here, without recursion and with fixed limits, so that no input can exhaust the
//! stack or the memory; what stands in a property is `sgf_parse`'s business.

mod annotate;
mod charset;
mod main_line;
mod read;
mod write;

pub use annotate::{Annotation, annotate};
pub use main_line::{LONGEST_MAIN_LINE, LONGEST_TEXT};

use super::point::Move;
use super::rules::{Go, Scoring};
use crate::Side;
use thiserror::Error;

/// A game as it stands in an SGF file.
///
/// ```
/// use afterstate_games::go::{Go, Move, Point, sgf::GameRecordFile};
/// let mut file = GameRecordFile::new(Go::new(9));
/// file.black = "Ada".to_owned();
/// file.moves.push(Move::play(Point::at(4, 4, 9)));
/// file.comments = vec![String::new(), "The centre [tengen].".to_owned()];
///
/// let read = GameRecordFile::read(&file.write())?;
/// assert_eq!((read.black, read.moves, read.comments), (file.black, file.moves, file.comments));
/// # Ok::<(), afterstate_games::go::sgf::SgfError>(())
/// ```
#[derive(Clone)]
pub struct GameRecordFile {
    /// The position before the first move, with its size, komi, handicap, setup stones, scoring and side to move.
    ///
    /// A ko, passes and a move limit in it cannot be written to a file.
    pub start: Go,
    /// The moves, Black and White in turn as the start says. Where a file lets a side move twice in a
    /// row, the other side's pass stands between; where it plays on after two passes, these are left out.
    pub moves: Vec<Move>,
    /// Which of the moves, counted from 0, stand in no file: passes of a side that was left out. Rising.
    pub added_passes: Vec<usize>,
    /// When read, which move of the file each of the moves is, counted from 1: with stones that were read as a handicap and with passes that
    /// are left out here. A pass that stands in no file has the number of the move after it.
    pub move_numbers: Vec<usize>,
    /// How many moves of Black in a file were read as handicap stones of the start.
    pub handicap_moves: usize,
    /// What was said about each position: first about the start, then after each move. When read, one
    /// more than there are moves; when written, missing ones are empty.
    pub comments: Vec<String>,
    /// Black's name (PB); empty if unknown.
    pub black: String,
    /// White's name (PW); empty if unknown.
    pub white: String,
    /// The result (RE) as it was written, usually as in `B+3.5`, `W+Resign`, `0`; empty if unknown.
    pub result: String,
    /// The rules (RU) as they were written. `Chinese` makes the start's scoring [`Scoring::Chinese`], `AGA`
    /// [`Scoring::Aga`], anything else leaves Tromp-Taylor; in writing, the scoring has the last word.
    pub rules: String,
    /// The date (DT), usually as in `2026-11-21`; empty if unknown.
    pub date: String,
    /// The event (EV); empty if unknown.
    pub event: String,
}

impl GameRecordFile {
    /// A game that begins at `start`, without moves, names and result.
    pub fn new(start: Go) -> GameRecordFile {
        GameRecordFile {
            rules: scoring_name(start.scoring()).to_owned(),
            start,
            moves: Vec::new(),
            added_passes: Vec::new(),
            move_numbers: Vec::new(),
            handicap_moves: 0,
            comments: Vec::new(),
            black: String::new(),
            white: String::new(),
            result: String::new(),
            date: String::new(),
            event: String::new(),
        }
    }
}

fn scoring_name(scoring: Scoring) -> &'static str {
    match scoring {
        Scoring::TrompTaylor => "Tromp-Taylor",
        Scoring::Chinese => "Chinese",
        Scoring::Aga => "AGA",
    }
}

/// The result of a game that was counted, as SGF writes it: `B+3.5`, `W+7`, `0` for a draw.
///
/// ```
/// use afterstate_games::go::{Go, sgf::counted_result};
/// assert_eq!(counted_result(&Go::new(9)), "W+7.5");
/// ```
pub fn counted_result(game: &Go) -> String {
    result_of(game.score())
}

/// The same of a score as Black sees it, for who counts otherwise.
pub fn result_of(score: f64) -> String {
    match score {
        score if score > 0.0 => format!("B+{score}"),
        score if score < 0.0 => format!("W+{}", -score),
        _ => "0".to_owned(),
    }
}

/// Why a text is not the record of a game that can be played.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SgfError {
    /// The text is longer than [`LONGEST_TEXT`].
    #[error("SGF: {0} bytes: expected at most {LONGEST_TEXT}; keep one game, with fewer variations")]
    TooLong(usize),
    /// The main line has more than [`LONGEST_MAIN_LINE`] nodes or property values.
    #[error("SGF, line {line}: expected at most {LONGEST_MAIN_LINE} nodes and property values in the main line")]
    TooManyNodes {
        /// The line of the text, from 1.
        line: usize,
    },
    /// The brackets, semicolons and properties are not in order.
    #[error("SGF, line {line}: found {found}: expected {expected}")]
    Outline {
        /// The line of the text, from 1.
        line: usize,
        /// What stands there.
        found: String,
        /// What may stand there.
        expected: &'static str,
    },
    /// A property whose value makes no sense.
    #[error("SGF, line {line}, {property}[{value}]: expected {expected}")]
    Property {
        /// The line of the node that holds the property, from 1.
        line: usize,
        /// The property's name, such as `KM`.
        property: String,
        /// Its value, cut to a readable length.
        value: String,
        /// What would have been right.
        expected: String,
    },
    /// Setup stones that cannot stand.
    #[error("SGF, setup stones (AB, AW, AE): {0}")]
    Setup(#[from] super::SetupError),
    /// A move that the rules forbid.
    #[error("SGF, line {line}, move {number}, {} {mv}: expected a legal move, but {reason}", side_name(*side))]
    IllegalMove {
        /// The line of the node, from 1.
        line: usize,
        /// The move's number in the game, from 1.
        number: usize,
        /// Whose move it is.
        side: Side,
        /// The move as players write it.
        mv: String,
        /// What is wrong with it.
        reason: &'static str,
    },
}

fn side_name(side: Side) -> &'static str {
    match side {
        Side::First => "Black",
        Side::Second => "White",
    }
}
