//! [`ResidualAgent`]: what a checkpoint of a residual network says about itself.

use crate::architecture::{Architecture, MOST_BYTES};
use crate::backend::Backend;
use crate::residual::ResidualPlayer;
use afterstate_engine::learning::TrainingTotals;
use afterstate_engine::value::{Checkpoint, CheckpointError, ShapeAgent};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Larger files are refused: the largest network, and what the file says of it.
const MAX_BYTES: u64 = MOST_BYTES + (1 << 20);

/// Where the weights come from and how to use them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ResidualAgent {
    /// The game, by its name; boards of Go are the network's own.
    pub game: String,
    /// White's compensation, in Go.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub komi: Option<f64>,
    /// How the network is built.
    pub network: Architecture,
    /// Learning steps behind these weights.
    pub steps: u64,
    /// Games of self-play behind them, those of archive actors included.
    pub games: u64,
    /// What the last of these steps add up to: those since the milestone before this checkpoint. A "game" is a step here, its
    /// error the value loss.
    pub since_milestone: TrainingTotals,
    /// The version and settings that made them, as text for people.
    pub origin: String,
}

impl ResidualAgent {
    /// Finds and reads a checkpoint by the name of a file, a run's folder, or `folder@steps`: see [`ShapeAgent::find`].
    pub fn load(name: &str) -> Result<Checkpoint<ResidualAgent>, CheckpointError> {
        Self::read(&ShapeAgent::find(name)?)
    }

    /// Reads a checkpoint file and checks that weights and description belong together.
    pub fn read(path: &Path) -> Result<Checkpoint<ResidualAgent>, CheckpointError> {
        let checkpoint = Checkpoint::<ResidualAgent>::load_up_to(path, MAX_BYTES)?;
        let (found, network) = (checkpoint.weights.len(), &checkpoint.about.network);
        let problem = network.problem().or_else(|| {
            let expected = network.layout().len();
            (found != expected).then(|| format!("{found} weights, expected {expected}"))
        });
        match problem {
            Some(problem) => Err(CheckpointError::invalid(path, &problem, "use the version that wrote it")),
            None => Ok(checkpoint),
        }
    }
}

/// The network of a checkpoint that [`ResidualAgent::read`] has looked at.
///
/// # Panics
///
/// If there are not as many weights as the network has.
pub fn player(checkpoint: &Checkpoint<ResidualAgent>, backend: &Backend) -> ResidualPlayer {
    ResidualPlayer::new(checkpoint.about.network, &checkpoint.weights, backend)
}
