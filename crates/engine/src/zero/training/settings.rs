//! What [`ZeroTraining`](super::ZeroTraining) can be told.

use crate::zero::actor::ActorSettings;
use crate::zero::evaluation_server::ServerSettings;
use crate::zero::start_positions::Keep;
use serde::{Deserialize, Serialize};

/// Which states go into the archive.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interest {
    /// Those visited in training trajectories.
    Visited,
    /// Those met in the searches of archive games.
    Searched,
}

/// Where trajectories start.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ArchiveSettings {
    /// What goes in.
    pub interest: Interest,
    /// What stays.
    pub keep: Keep,
    /// |A|. It means nothing to an archive that keeps all.
    #[serde(default)]
    pub capacity: usize,
    /// λ, the probability that a trajectory starts at the game's first position all the same.
    pub initial: f32,
}

/// How examples become learning steps; the defaults are the paper's.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ReplaySettings {
    /// |B|: examples that are kept.
    pub capacity: usize,
    /// b_step: new examples before a learning step.
    pub step: usize,
    /// Batches of a learning step.
    pub batches: usize,
    /// Examples of a batch; together they are b_batch.
    pub batch: usize,
    /// λ of the [return](crate::zero::Trajectory::lambda_return) that values learn: 1, the paper's, is the outcome alone; less trusts the
    /// searches behind a position, whose values vary less and know less.
    #[serde(skip_serializing_if = "is_one")]
    pub lambda: f32,
    /// Whether games stay in the run's folder when the buffer no longer has them, for statistics.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keep: bool,
}

fn is_one(lambda: &f32) -> bool {
    *lambda == 1.0
}

impl Default for ReplaySettings {
    fn default() -> Self {
        ReplaySettings { capacity: 1 << 17, step: 1 << 12, batches: 8, batch: 512, lambda: 1.0, keep: false }
    }
}

/// How many questions the network answers together. A processor's network answers one as fast as many, and the default is one.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Batching {
    /// Games that a thread plays side by side, whose questions are answered together.
    pub games: usize,
    /// If there is one, it answers all threads with one network; else each thread has a network of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerSettings>,
}

impl Default for Batching {
    fn default() -> Self {
        Batching { games: 1, server: None }
    }
}

/// What is learnt, and how.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ZeroSettings {
    /// How trajectories are played.
    pub self_play: ActorSettings,
    /// Where they start, if not always at the game's first position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<ArchiveSettings>,
    /// How many are played at once.
    pub batching: Batching,
    /// Whether the next step's trajectories are played while a step is learnt, as in the paper's program, where nobody waits. What
    /// leads them is then one step older than it could be. Learning has a thread of its own beside those that play.
    pub play_ahead: bool,
    /// How they become learning steps.
    pub replay: ReplaySettings,
}
