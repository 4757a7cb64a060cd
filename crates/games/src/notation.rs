//! Moves and positions as text, in the notation that players of the game use.

use crate::Game;
use thiserror::Error;

/// Text that is not what the game's notation allows.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{what} '{text}': expected {expected}")]
pub struct NotationError {
    /// What was being read: "move", "position", …
    pub what: &'static str,
    /// The text at fault, cut to a readable length.
    pub text: String,
    /// What would have been right.
    pub expected: String,
}

impl NotationError {
    /// An error about `text`, which is cut after 60 characters.
    pub fn new(what: &'static str, text: &str, expected: impl Into<String>) -> Self {
        let mut shown: String = text.chars().take(60).map(|c| if c.is_control() { '?' } else { c }).collect();
        if text.chars().count() > 60 {
            shown.push('…');
        }
        NotationError { what, text: shown, expected: expected.into() }
    }
}

/// A game whose moves and positions can be written down and read back.
pub trait Notation: Game {
    /// The name by which people and files call the game: lower case, with hyphens.
    const NAME: &'static str;

    /// The move as players write it: `E5`, `pass`, `4`.
    fn move_text(&self, mv: Self::Move) -> String;

    /// Reads a move for this position. A well-formed but illegal move is returned as it is:
    /// legality is the game's question, not the notation's.
    fn parse_move(&self, text: &str) -> Result<Self::Move, NotationError>;

    /// The whole position on one line; [`Notation::parse_position`] reads it back.
    fn position_text(&self) -> String;

    /// Reads what [`Notation::position_text`] wrote.
    fn parse_position(text: &str) -> Result<Self, NotationError>;

    /// The board as several lines for people.
    fn diagram(&self) -> String;
}
