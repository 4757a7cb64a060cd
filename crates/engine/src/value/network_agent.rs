//! [`NetworkAgent`]: what a checkpoint of a backgammon network says about itself.

use super::backgammon_inputs::InputSet;
use super::backgammon_network::{BackgammonNetwork, OUTPUTS};
use super::checkpoint::{Checkpoint, CheckpointError};
use super::perceptron::{Layers, Perceptron};
use super::shape_agent::ShapeAgent;
use crate::learning::TrainingTotals;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The largest network that is read.
pub const MAX_HIDDEN: usize = 10_000;

/// Where the weights come from and how to use them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NetworkAgent {
    /// Which inputs it has; files that do not say have TD-Gammon's.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub inputs: InputSet,
    /// Hidden units.
    pub hidden: usize,
    /// Training games behind these weights.
    pub games: u64,
    /// What the last of these games add up to: those since the milestone before this checkpoint.
    pub since_milestone: TrainingTotals,
    /// The version and settings that made them, as text for people.
    pub origin: String,
}

fn is_usual(inputs: &InputSet) -> bool {
    *inputs == InputSet::default()
}

impl NetworkAgent {
    /// Finds and reads a checkpoint by the name of a file, a run's folder, or `folder@games`: see [`ShapeAgent::find`].
    pub fn load(name: &str) -> Result<Checkpoint<NetworkAgent>, CheckpointError> {
        Self::read(&ShapeAgent::find(name)?)
    }

    /// Reads a checkpoint file and checks that weights and description belong together.
    pub fn read(path: &Path) -> Result<Checkpoint<NetworkAgent>, CheckpointError> {
        let checkpoint = Checkpoint::<NetworkAgent>::load(path)?;
        let (found, about) = (checkpoint.weights.len(), &checkpoint.about);
        let fits = (1..=MAX_HIDDEN).contains(&about.hidden) && found == about.layers().weights();
        if !fits {
            let problem = format!("{found} weights, which is no network of {} hidden units", about.hidden);
            return Err(CheckpointError::invalid(path, &problem, "use the version that wrote it"));
        }
        Ok(checkpoint)
    }

    /// How large the network is.
    pub fn layers(&self) -> Layers {
        Layers { inputs: self.inputs.count(), hidden: self.hidden, outputs: OUTPUTS }
    }
}

impl Checkpoint<NetworkAgent> {
    /// The network.
    ///
    /// # Panics
    ///
    /// If there are not as many weights as the network has. [`NetworkAgent::read`] has looked.
    pub fn network(&self) -> BackgammonNetwork {
        let network = Perceptron::from_weights(self.about.layers(), self.weights.clone());
        BackgammonNetwork::new(network.expect("the weights are those of the network"))
    }
}
