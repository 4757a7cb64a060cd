//! [`GridAgent`]: what a checkpoint of weights for the shapes of a grid says about itself.

use super::checkpoint::{Checkpoint, CheckpointError};
use super::shape_agent::ShapeAgent;
use super::{GridShapes, Linear, Squash, Weights, WindowSizes};
use crate::learning::TrainingTotals;
use afterstate_games::{Grid, Notation};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// Where the weights come from and how to use them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GridAgent {
    /// The game's name.
    pub grid_game: String,
    /// Window sizes.
    pub sizes: WindowSizes,
    /// What makes a value of the sum.
    pub squash: Squash,
    /// Training games behind these weights.
    pub games: u64,
    /// What the last of these games add up to: those since the milestone before this checkpoint.
    pub since_milestone: TrainingTotals,
    /// The version and settings that made them, as text for people.
    pub origin: String,
}

impl GridAgent {
    /// Finds and reads a checkpoint by the name of a file, a run's folder, or `folder@games`: see [`ShapeAgent::find`].
    pub fn load(name: &str) -> Result<Checkpoint<GridAgent>, CheckpointError> {
        Self::read(&ShapeAgent::find(name)?)
    }

    /// Reads a checkpoint file. Whether the weights fit a game is known when there is one: [`Checkpoint::value_in`].
    pub fn read(path: &Path) -> Result<Checkpoint<GridAgent>, CheckpointError> {
        Checkpoint::load(path)
    }
}

impl Checkpoint<GridAgent> {
    /// The value function for games from `start`; what is wrong if the weights belong to another game.
    ///
    /// ```
    /// use afterstate_engine::learning::TrainingTotals;
    /// use afterstate_engine::value::{Checkpoint, GridAgent, Squash, Value, ValueFunction, WindowSizes};
    /// use afterstate_games::{ConnectFour, TicTacToe};
    /// let about = GridAgent {
    ///     grid_game: "tic-tac-toe".into(),
    ///     sizes: WindowSizes::new(&[1]).unwrap(),
    ///     squash: Squash::Logistic,
    ///     games: 0,
    ///     since_milestone: TrainingTotals::default(),
    ///     origin: String::new(),
    /// };
    /// let checkpoint = Checkpoint::new(about, vec![0.0; 27]);
    /// assert_eq!(checkpoint.value_in(&TicTacToe::new()).unwrap().value(&TicTacToe::new()), Value::EVEN);
    /// assert!(checkpoint.value_in(&ConnectFour::new()).is_err());
    /// ```
    pub fn value_in<G: Grid + Notation>(&self, start: &G) -> Result<Linear<GridShapes>, String> {
        let GridAgent { grid_game, sizes, squash, .. } = &self.about;
        if grid_game != G::NAME {
            return Err(format!("its game is {grid_game}, not {}", G::NAME));
        }
        let shapes = GridShapes::new(start, *sizes);
        let (found, expected) = (self.weights.len(), shapes.weight_count());
        if found != expected {
            return Err(format!("{found} weights, expected {expected}: use the version that wrote it"));
        }
        let weights = Arc::new(Weights::from_values(&self.weights));
        Ok(Linear { features: Arc::new(shapes), weights, squash: *squash })
    }
}
