//! [`Player`]: whoever chooses moves in a real game — a search, a learner that remembers, an external engine.

use afterstate_engine::{Budget, Decision};
use afterstate_games::{Game, Outcome, Record};
use thiserror::Error;

/// Why a player could not answer. It loses the game, and the reason goes into the result.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlayerError {
    /// The engine ended, or closed its output.
    #[error("crashed: {0}")]
    Crashed(String),
    /// No answer within the limit.
    #[error("no answer within {0} s")]
    Hung(u64),
    /// An answer that the protocol does not allow.
    #[error("protocol error: {0}")]
    Garbage(String),
    /// Could not be started.
    #[error("cannot start: {0}")]
    NotStarted(String),
}

/// Someone who plays games of `G`.
///
/// The calls of a game come in this order: `new_game`, then for every move either `choose` and
/// `move_played` or `move_played` alone, then `game_over`.
pub trait Player<G: Game>: Send {
    /// A game begins at `record`'s position (usually without moves; with an opening otherwise).
    fn new_game(&mut self, record: &Record<G>, seed: u64) -> Result<(), PlayerError>;

    /// Chooses a move in the current position of `record`.
    fn choose(&mut self, record: &Record<G>, budget: &Budget) -> Result<Decision<G::Move>, PlayerError>;

    /// A move was played, by either side; `record` already holds it as its last move.
    fn move_played(&mut self, record: &Record<G>) -> Result<(), PlayerError> {
        let _ = record;
        Ok(())
    }

    /// The game has ended.
    fn game_over(&mut self, record: &Record<G>, outcome: Outcome) {
        let _ = (record, outcome);
    }
}
