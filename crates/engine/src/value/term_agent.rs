//! [`TermAgent`]: what a checkpoint of chess weights says about itself.

use super::checkpoint::{Checkpoint, CheckpointError};
use super::shape_agent::ShapeAgent;
use super::{ChessTerms, Features, FrozenTerms, Linear, Squash, TermSet, Weights};
use crate::learning::TrainingTotals;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// Where the weights come from and how to use them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TermAgent {
    /// Which terms have weights.
    pub terms: TermSet,
    /// What makes a value of the sum.
    pub squash: Squash,
    /// Training games behind these weights.
    pub games: u64,
    /// What the last of these games add up to: those since the milestone before this checkpoint.
    pub since_milestone: TrainingTotals,
    /// The ratings of the opponents of these games, if there were any, in the recipe's order; the learner's own is the last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ratings: Vec<f64>,
    /// The version and settings that made them, as text for people.
    pub origin: String,
}

impl TermAgent {
    /// Finds and reads a checkpoint by the name of a file, a run's folder, or `folder@games`: see [`ShapeAgent::find`].
    pub fn load(name: &str) -> Result<Checkpoint<TermAgent>, CheckpointError> {
        Self::read(&ShapeAgent::find(name)?)
    }

    /// Reads a checkpoint file and checks that weights and description belong together.
    pub fn read(path: &Path) -> Result<Checkpoint<TermAgent>, CheckpointError> {
        let checkpoint = Checkpoint::<TermAgent>::load(path)?;
        let expected = ChessTerms::new(checkpoint.about.terms).count();
        if checkpoint.weights.len() != expected {
            let problem = format!("{} weights, expected {expected}", checkpoint.weights.len());
            return Err(CheckpointError::invalid(path, &problem, "use the version that wrote it"));
        }
        Ok(checkpoint)
    }
}

impl Checkpoint<TermAgent> {
    /// The value function, for those who learn on.
    pub fn value(&self) -> Linear<ChessTerms> {
        Linear {
            features: Arc::new(ChessTerms::new(self.about.terms)),
            weights: Arc::new(Weights::from_values(&self.weights)),
            squash: self.about.squash,
        }
    }

    /// The evaluation that plays with the weights.
    pub fn evaluation(&self) -> FrozenTerms {
        FrozenTerms::new(ChessTerms::new(self.about.terms), &Weights::from_values(&self.weights))
    }
}
