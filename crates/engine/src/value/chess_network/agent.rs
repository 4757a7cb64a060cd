//! [`ChessNetworkAgent`]: what a checkpoint of a network of chess says about itself.

use super::ChessNetwork;
use crate::learning::TrainingTotals;
use crate::value::{Checkpoint, CheckpointError, ShapeAgent};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Where the weights come from and how to use them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChessNetworkAgent {
    /// Hidden units.
    pub chess_hidden: usize,
    /// Training games behind these weights.
    pub games: u64,
    /// What the last of these games add up to: those since the milestone before this checkpoint.
    pub since_milestone: TrainingTotals,
    /// The version and settings that made them, as text for people.
    pub origin: String,
}

impl ChessNetworkAgent {
    /// Finds and reads a checkpoint by the name of a file, a run's folder, or `folder@games`: see [`ShapeAgent::find`].
    pub fn load(name: &str) -> Result<Checkpoint<ChessNetworkAgent>, CheckpointError> {
        Self::read(&ShapeAgent::find(name)?)
    }

    /// Reads a checkpoint file and checks that weights and description belong together.
    pub fn read(path: &Path) -> Result<Checkpoint<ChessNetworkAgent>, CheckpointError> {
        let checkpoint = Checkpoint::<ChessNetworkAgent>::load(path)?;
        let (found, hidden) = (checkpoint.weights.len(), checkpoint.about.chess_hidden);
        if !ChessNetwork::can_have(hidden) || found != ChessNetwork::count(hidden) {
            let problem = format!("{found} weights, which is no network of {hidden} hidden units");
            return Err(CheckpointError::invalid(path, &problem, "use the version that wrote it"));
        }
        Ok(checkpoint)
    }
}

impl Checkpoint<ChessNetworkAgent> {
    /// The network.
    ///
    /// # Panics
    ///
    /// If there are not as many weights as the network has. [`ChessNetworkAgent::read`] has looked.
    pub fn network(&self) -> ChessNetwork {
        let network = ChessNetwork::from_weights(self.about.chess_hidden, self.weights.clone());
        network.expect("the weights are those of the network")
    }
}
