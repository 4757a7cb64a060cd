//! [`PlayoutAgent`]: what a checkpoint of a learnt playout policy says about itself.

use super::checkpoint::{Checkpoint, CheckpointError};
use super::shape_agent::ShapeAgent;
use crate::learning::TrainingTotals;
use afterstate_games::go::playout::move_features;
use afterstate_games::go::{Komi, SoftmaxPlayout, SoftmaxWeights};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// Where the weights come from. They play on boards of any size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlayoutAgent {
    /// What tells these checkpoints from others: `simulation-balancing`.
    pub learner: String,
    /// Points along one edge of the board on which it was learnt.
    pub board_size: usize,
    /// Komi of the training games.
    pub komi: Komi,
    /// Training games behind these weights.
    pub games: u64,
    /// What the last of these games add up to: those since the milestone before this checkpoint.
    pub since_milestone: TrainingTotals,
    /// The version and settings that made them, as text for people.
    pub origin: String,
}

impl PlayoutAgent {
    /// Finds and reads a checkpoint by the name of a file, a run's folder, or `folder@games`: see [`ShapeAgent::find`].
    pub fn load(name: &str) -> Result<Checkpoint<PlayoutAgent>, CheckpointError> {
        Self::read(&ShapeAgent::find(name)?)
    }

    /// Reads a checkpoint file and checks that weights and description belong together.
    pub fn read(path: &Path) -> Result<Checkpoint<PlayoutAgent>, CheckpointError> {
        let checkpoint = Checkpoint::<PlayoutAgent>::load(path)?;
        let (found, expected) = (checkpoint.weights.len(), move_features::count());
        if found != expected {
            let problem = format!("{found} weights, expected {expected} for the features of moves");
            return Err(CheckpointError::invalid(path, &problem, "use the version that wrote it"));
        }
        Ok(checkpoint)
    }
}

impl Checkpoint<PlayoutAgent> {
    /// The policy.
    ///
    /// # Panics
    ///
    /// If there are not as many weights as features. [`PlayoutAgent::read`] has looked.
    pub fn policy(&self) -> SoftmaxPlayout {
        SoftmaxPlayout::new(Arc::new(SoftmaxWeights::new(self.weights.clone())))
    }
}
