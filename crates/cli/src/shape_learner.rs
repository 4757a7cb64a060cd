//! Go learnt by self-play over local shapes, with TD or with Dyna-2.

use crate::lesson::{Described, Learner};
use crate::recipe::Recipe;
use afterstate_engine::learning::{Chooser, Dyna2Player, Dyna2Settings, Training, TrainingTotals};
use afterstate_engine::search::PlayOut;
use afterstate_engine::value::{Checkpoint, Features, LocalShapes, ShapeAgent, TrackedGo, Weights};
use afterstate_games::go::FuegoPlayout;
use anyhow::Result;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Self-play as a recipe says.
pub struct ShapeLearner {
    training: Training<TrackedGo, LocalShapes>,
    /// How Dyna-2 chooses the moves, if it does.
    dyna_2: Option<Dyna2Settings>,
}

impl ShapeLearner {
    /// A learner that goes on from a checkpoint, or from nothing.
    pub fn new(recipe: &Recipe, last: Option<&Checkpoint<ShapeAgent>>) -> ShapeLearner {
        let shapes = Arc::new(recipe.shapes());
        let nothing = || Weights::zeros(Features::<TrackedGo>::count(&*shapes));
        let weights = last.map_or_else(nothing, |last| Weights::from_values(&last.weights));
        ShapeLearner {
            training: Training {
                start: shapes.track(recipe.start()),
                features: shapes,
                weights: Arc::new(weights),
                td: recipe.td.clone(),
                self_play: recipe.self_play.clone(),
                seed: recipe.seed,
                threads: recipe.threads,
            },
            dyna_2: recipe.dyna_2.clone(),
        }
    }
}

impl Learner for ShapeLearner {
    type About = ShapeAgent;

    fn run(
        &self,
        games: Range<u64>,
        stop: &AtomicBool,
        progress: &(dyn Fn(TrainingTotals) + Sync),
    ) -> Result<TrainingTotals> {
        let training = &self.training;
        let chooser = self.dyna_2.as_ref().map(|settings| {
            move || -> Box<dyn Chooser<TrackedGo>> {
                let leaf = PlayOut(FuegoPlayout::default());
                Box::new(Dyna2Player::new(training.features.clone(), training.td.squash, leaf, settings))
            }
        });
        let chooser = chooser.as_ref().map(|chooser| chooser as &(dyn Fn() -> _ + Sync));
        Ok(training.run_by(chooser, games, stop, progress))
    }

    fn weights(&self) -> &Weights {
        &self.training.weights
    }
}

impl Described for ShapeAgent {
    const FIXED: &'static [&'static str] = &["board-size", "komi", "sizes", "sharing", "squash"];
    const MOST: [u64; 2] = [1 << 20, 1 << 30];

    fn progress(&self) -> (u64, TrainingTotals) {
        (self.games, self.since_milestone)
    }

    fn at(&self, games: u64, since_milestone: TrainingTotals) -> Self {
        ShapeAgent { games, since_milestone, ..self.clone() }
    }
}
