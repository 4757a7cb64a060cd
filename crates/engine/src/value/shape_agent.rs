//! [`ShapeAgent`]: what a checkpoint of local-shape weights says about itself, and where to find one.

use super::checkpoint::{Checkpoint, CheckpointError};
use super::{Features, Linear, LocalShapes, Sharing, Squash, TrackedGo, Weights, WindowSizes};
use crate::learning::TrainingTotals;
use afterstate_games::go::{Komi, MAX_SIZE, MIN_SIZE};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the weights come from and how to use them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ShapeAgent {
    /// Points along one edge of the board.
    pub board_size: usize,
    /// Komi of the training games.
    pub komi: Komi,
    /// Window sizes.
    pub sizes: WindowSizes,
    /// Which shapes share a weight.
    pub sharing: Sharing,
    /// What makes a value of the sum.
    pub squash: Squash,
    /// Training games behind these weights.
    pub games: u64,
    /// What the last of these games add up to: those since the milestone before this checkpoint. With it
    /// a resumed run logs what an uninterrupted one would have.
    #[serde(default)]
    pub since_milestone: TrainingTotals,
    /// The version and settings that made them, as text for people.
    pub origin: String,
}

/// File name extension of checkpoints.
pub const EXTENSION: &str = "safetensors";

/// The folder of a run in which its checkpoints lie.
pub const CHECKPOINTS: &str = "checkpoints";

/// The name of the checkpoint after so many games: `000010000.safetensors`.
pub fn checkpoint_name(games: u64) -> String {
    format!("{games:09}.{EXTENSION}")
}

/// All checkpoints of a run folder (or of its `checkpoints` folder), by ascending number of games.
pub fn checkpoints_in(folder: &Path) -> std::io::Result<Vec<(u64, PathBuf)>> {
    let inner = folder.join(CHECKPOINTS);
    let mut found = Vec::new();
    for entry in fs::read_dir(if inner.is_dir() { &inner } else { folder })? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == EXTENSION)
            && let Some(games) = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok())
        {
            found.push((games, path));
        }
    }
    found.sort();
    Ok(found)
}

impl ShapeAgent {
    /// The file that a name means: a file itself; a run folder, whose last checkpoint it is; or
    /// `folder@games`, the checkpoint after so many games.
    pub fn find(name: &str) -> Result<PathBuf, CheckpointError> {
        let path = Path::new(name);
        if path.is_file() {
            return Ok(path.to_path_buf());
        }
        let (folder, wanted) = match name.rsplit_once('@') {
            Some((folder, games)) if !path.exists() => (Path::new(folder), Some(games)),
            _ => (path, None),
        };
        let invalid = |problem: String, hint| CheckpointError::invalid(path, &problem, hint);
        let found = checkpoints_in(folder).map_err(|source| match source.kind() {
            ErrorKind::NotFound => CheckpointError::invalid(
                folder,
                "no such file or folder",
                "name a checkpoint or a folder that `train` wrote, or train it first (afterstate train RECIPE --out FOLDER)",
            ),
            _ => CheckpointError::Io { path: folder.to_path_buf(), source },
        })?;
        match wanted {
            None => found
                .last()
                .map(|(_, file)| file.clone())
                .ok_or_else(|| invalid("no checkpoints in this folder".into(), "expected a folder that `train` wrote")),
            Some(games) => {
                let number: Option<u64> = games.replace('_', "").parse().ok();
                found.iter().find(|(games, _)| Some(*games) == number).map(|(_, file)| file.clone()).ok_or_else(|| {
                    let have: Vec<String> = found.iter().map(|(games, _)| games.to_string()).collect();
                    invalid(
                        format!("no checkpoint {games}, only {}", have.join(", ")),
                        "name one of these behind the @",
                    )
                })
            }
        }
    }

    /// Finds and reads a checkpoint; see [`ShapeAgent::find`].
    pub fn load(name: &str) -> Result<Checkpoint<ShapeAgent>, CheckpointError> {
        Self::read(&Self::find(name)?)
    }

    /// Reads a checkpoint file and checks that weights and description belong together.
    pub fn read(path: &Path) -> Result<Checkpoint<ShapeAgent>, CheckpointError> {
        let checkpoint = Checkpoint::<ShapeAgent>::load(path)?;
        let about = &checkpoint.about;
        let invalid = |problem: String| CheckpointError::invalid(path, &problem, "use the version that wrote it");
        if !(MIN_SIZE..=MAX_SIZE).contains(&about.board_size) {
            return Err(invalid(format!("board size {}, expected {MIN_SIZE} to {MAX_SIZE}", about.board_size)));
        }
        let expected = Features::<TrackedGo>::count(&about.features());
        if checkpoint.weights.len() != expected {
            return Err(invalid(format!("{} weights, expected {expected}", checkpoint.weights.len())));
        }
        Ok(checkpoint)
    }

    /// The features that the weights belong to.
    pub fn features(&self) -> LocalShapes {
        LocalShapes::new(self.board_size, self.sizes, self.sharing)
    }
}

impl Checkpoint<ShapeAgent> {
    /// The value function.
    pub fn value(&self) -> Linear<LocalShapes> {
        Linear {
            features: Arc::new(self.about.features()),
            weights: Arc::new(Weights::from_values(&self.weights)),
            squash: self.about.squash,
        }
    }
}
