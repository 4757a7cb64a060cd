//! What a training run needs to know of what it learns: [`Lesson`], which recipes are, and [`Learner`], which carries it out.

use crate::recipe::{CheckpointSettings, EvaluationSettings};
use crate::sources::Sources;
use crate::training_run::RECIPE;
use crate::watch::Milestone;
use afterstate_arena::{Player, RandomPlayer};
use afterstate_engine::learning::TrainingTotals;
use afterstate_engine::value::{Checkpoint, CheckpointError, Weights};
use afterstate_games::Game;
use anyhow::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The player at the bottom of the scale.
pub const RANDOM: &str = "random";

/// What a checkpoint says of how far its run had come.
pub trait Described: Clone + Serialize + DeserializeOwned + Send {
    /// Keys that are the same in all checkpoints of a run.
    const FIXED: &'static [&'static str];

    /// Training games behind the weights, and what those since the last milestone add up to.
    fn progress(&self) -> (u64, TrainingTotals);

    /// The same run after so many games.
    fn at(&self, games: u64, since_milestone: TrainingTotals) -> Self;

    /// The learner's rating among its partners, in Elo, if it has any.
    fn rating(&self) -> Option<f64> {
        None
    }

    /// The most that the sums of one game can plausibly be: moves, and evaluations.
    const MOST: [u64; 2];
}

/// Plays games and learns from them.
pub trait Learner: Send + Sync {
    /// What checkpoints say of themselves.
    type About: Described;

    /// Whether it may be stopped at any moment, and not only when it tells of progress: of what it is stopped in it learns nothing, so that
    /// a run that goes on is the same. Who plays long games should not have to end them first.
    const STOPS_AT_ONCE: bool = false;

    /// Plays the games with numbers in `games`, or fewer, the first of them, if `stop` is set meanwhile or there is a
    /// [`Learner::hindrance`]. `progress` is told of the totals so far.
    ///
    /// # Errors
    ///
    /// If something that it needs on disk cannot be read or written.
    fn run(
        &self,
        games: Range<u64>,
        stop: &AtomicBool,
        progress: &(dyn Fn(TrainingTotals) + Sync),
    ) -> Result<TrainingTotals>;

    /// What is learnt.
    fn weights(&self) -> &Weights;

    /// What it must remember besides, to go on as if it had not been interrupted.
    fn memory(&self) -> Vec<f32> {
        Vec::new()
    }

    /// Saves what a checkpoint of now needs besides itself, before that is written.
    fn save_beside(&self) -> Result<()> {
        Ok(())
    }

    /// A checkpoint of now is safely there: removes what only earlier ones needed.
    fn saved(&self) {}

    /// Its weights were measured at a milestone, now or in an earlier part of the run: for a record of its own, if it keeps one.
    fn measured(&self, milestone: &Milestone) -> Result<()> {
        let _ = milestone;
        Ok(())
    }

    /// How it is doing at the moment, in a few whole lines, for who watches; nothing if it has nothing to say.
    fn status(&self) -> String {
        String::new()
    }

    /// Why it cannot go on, if something besides it has failed for good. What it has learnt until then is worth keeping.
    fn hindrance(&self) -> Option<String> {
        None
    }

    /// What went wrong on the way and did not end the run, a line for each.
    fn mishaps(&self) -> Vec<String> {
        Vec::new()
    }

    /// The description with what the learner knows besides its weights.
    fn describe(&self, about: Self::About) -> Self::About {
        about
    }
}

/// The name of a player that others are measured by, and how it is made.
pub type Yardstick<G> = (String, Box<dyn Fn() -> Box<dyn Player<G>>>);

/// What every recipe has.
pub struct Plan<'a> {
    /// Games of training, or whatever else it is counted in.
    pub games: u64,
    /// What it is counted in, in the plural.
    pub unit: &'static str,
    /// Seeds everything that is random.
    pub seed: u64,
    /// Threads that play.
    pub threads: usize,
    /// When weights are saved.
    pub checkpoints: &'a CheckpointSettings,
    /// How progress is measured.
    pub evaluation: &'a EvaluationSettings,
}

/// A recipe: what is learnt, how, and how it is watched.
pub trait Lesson: Clone + Serialize + PartialEq + Send {
    /// The game that is learnt.
    type Game: Game;
    /// What checkpoints say of themselves.
    type About: Described;
    /// Who carries it out.
    type Learner: Learner<About = Self::About>;

    /// Reads a recipe file.
    fn load(path: &Path) -> Result<Self>;

    /// What it has in common with every other recipe.
    fn plan(&self) -> Plan<'_>;

    /// The same with everything that may differ between the parts of a run as it is in all of them: how long it is, by how
    /// many threads, and how it is watched.
    fn essence(&self) -> Self;

    /// Whether runs of both learn the same.
    fn learns_like(&self, other: &Self) -> bool {
        self.essence() == other.essence()
    }

    /// Whether the run in a folder says that it was learnt like this.
    fn is_of(&self, folder: &Path) -> bool {
        Self::load(&folder.join(RECIPE)).is_ok_and(|before| before.learns_like(self))
    }

    /// Where the games of evaluations begin.
    fn start(&self) -> Self::Game;

    /// The description of weights that no game has changed yet.
    fn about(&self) -> Result<Self::About>;

    /// What it learns from besides its own games after `done` of them.
    fn sources(&self, done: u64) -> Sources {
        let _ = done;
        Sources::default()
    }

    /// The learner of a run in `folder`, with a checkpoint to go on from if there is one.
    fn learner(&self, last: Option<&Checkpoint<Self::About>>, folder: &Path) -> Result<Self::Learner>;

    /// Reads a checkpoint of such a run.
    fn read(path: &Path) -> Result<Checkpoint<Self::About>, CheckpointError>;

    /// Who plays with a checkpoint's weights in evaluations.
    ///
    /// # Errors
    ///
    /// If the checkpoint does not fit, or what it needs is not there.
    fn player(&self, checkpoint: &Checkpoint<Self::About>) -> Result<Box<dyn Player<Self::Game>>>;

    /// So many of these players, who play at the same time.
    fn players(&self, checkpoint: &Checkpoint<Self::About>, number: usize) -> Result<Vec<Box<dyn Player<Self::Game>>>> {
        (0..number).map(|_| self.player(checkpoint)).collect()
    }

    /// Who else checkpoints play against, by name. The first is the bottom of the scale.
    fn yardsticks(&self) -> Vec<Yardstick<Self::Game>> {
        vec![(RANDOM.to_string(), Box::new(|| Box::new(RandomPlayer::default())))]
    }

    /// How to play with what was learnt in `folder`: purposes, and arguments of this program.
    fn uses(&self, folder: &str) -> Vec<(&'static str, String)>;

    /// The numbers of games after which weights are saved and evaluated; the last is that of all.
    fn milestones(&self) -> Vec<u64> {
        let Plan { games, checkpoints: settings, .. } = self.plan();
        let mut milestones = Vec::new();
        if settings.every > 0 {
            milestones.extend((1..).map(|n| n * settings.every).take_while(|&milestone| milestone < games));
            milestones.push(games);
            return milestones;
        }
        for step in 0.. {
            let factor = 10f64.powf(f64::from(step) / f64::from(settings.per_decade));
            let milestone = (settings.first as f64 * factor).round() as u64;
            if milestone >= games {
                break;
            }
            if milestones.last() != Some(&milestone) {
                milestones.push(milestone);
            }
        }
        milestones.push(games);
        milestones
    }
}
