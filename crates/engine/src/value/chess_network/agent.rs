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
    /// Buckets of positions by their men. Networks that say nothing of them have one.
    #[serde(default = "one")]
    pub chess_buckets: usize,
    /// Training games behind these weights.
    pub games: u64,
    /// What the last of these games add up to: those since the milestone before this checkpoint.
    pub since_milestone: TrainingTotals,
    /// The version and settings that made them, as text for people.
    pub origin: String,
}

/// As many buckets as networks had before there were any.
fn one() -> usize {
    1
}

impl ChessNetworkAgent {
    /// Finds and reads a checkpoint by the name of a file, a run's folder, or `folder@games`: see [`ShapeAgent::find`].
    pub fn load(name: &str) -> Result<Checkpoint<ChessNetworkAgent>, CheckpointError> {
        Self::read(&ShapeAgent::find(name)?)
    }

    /// Reads a checkpoint file and checks that weights and description belong together.
    pub fn read(path: &Path) -> Result<Checkpoint<ChessNetworkAgent>, CheckpointError> {
        let checkpoint = Checkpoint::<ChessNetworkAgent>::load(path)?;
        let ChessNetworkAgent { chess_hidden: hidden, chess_buckets: buckets, .. } = checkpoint.about;
        let found = checkpoint.weights.len();
        if !ChessNetwork::can_have(hidden, buckets) || found != ChessNetwork::count(hidden, buckets) {
            let problem =
                format!("{found} weights, which is no network of {hidden} hidden units and {buckets} buckets");
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
        let ChessNetworkAgent { chess_hidden, chess_buckets, .. } = self.about;
        let network = ChessNetwork::from_weights(chess_hidden, chess_buckets, self.weights.clone());
        network.expect("the weights are those of the network")
    }
}
