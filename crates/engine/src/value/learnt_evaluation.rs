//! [`LearntEvaluation`]: what a checkpoint of chess says of positions, whatever it learnt.

use super::chess_network::{ChessNetworkAgent, QuantizedNetwork};
use super::{Checkpoint, CheckpointError, FrozenTerms, ShapeAgent, TermAgent};
use crate::search::ChessEvaluation;
use afterstate_games::Chess;
use afterstate_games::chess::cozy_chess::Board;
use std::path::Path;

/// An evaluation that was learnt.
#[derive(Clone)]
pub enum LearntEvaluation {
    /// A sum of weights of terms.
    Terms(FrozenTerms),
    /// A network.
    Network(QuantizedNetwork),
}

impl LearntEvaluation {
    /// Finds and reads a checkpoint by the name of a file, a run's folder, or `folder@games`: see [`ShapeAgent::find`].
    pub fn load(name: &str) -> Result<LearntEvaluation, CheckpointError> {
        let path = ShapeAgent::find(name)?;
        Ok(if is_network(&path)? {
            LearntEvaluation::Network(QuantizedNetwork::new(&ChessNetworkAgent::read(&path)?.network()))
        } else {
            LearntEvaluation::Terms(TermAgent::read(&path)?.evaluation())
        })
    }

    /// How many games are behind a checkpoint.
    pub fn games(path: &Path) -> Result<u64, CheckpointError> {
        Ok(if is_network(path)? {
            ChessNetworkAgent::read(path)?.about.games
        } else {
            TermAgent::read(path)?.about.games
        })
    }
}

/// Whether a checkpoint, of whatever it may be, is one of a network of chess.
fn is_network(path: &Path) -> Result<bool, CheckpointError> {
    let about = Checkpoint::<serde_json::Value>::load(path)?.about;
    Ok(about.get("chess-hidden").is_some())
}

impl ChessEvaluation for LearntEvaluation {
    #[inline]
    fn evaluate(&mut self, game: &Chess) -> i32 {
        match self {
            LearntEvaluation::Terms(terms) => terms.evaluate(game),
            LearntEvaluation::Network(network) => network.evaluate(game),
        }
    }

    #[inline]
    fn growth(&self, board: &Board) -> i32 {
        match self {
            LearntEvaluation::Terms(terms) => terms.growth(board),
            LearntEvaluation::Network(network) => network.growth(board),
        }
    }
}
