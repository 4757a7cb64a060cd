//! Go learnt over local shapes: by self-play with TD or with Dyna-2, or from searches.

use crate::lesson::{Described, Learner};
use crate::recipe::Recipe;
use crate::search_learning::{SearchLearning, adam_of};
use afterstate_engine::learning::{Chooser, Dyna2Player, Dyna2Settings, Training, TrainingTotals};
use afterstate_engine::search::PlayOut;
use afterstate_engine::value::{Checkpoint, Features, LocalShapes, ShapeAgent, TrackedGo, Weights};
use afterstate_games::go::FuegoPlayout;
use anyhow::Result;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Plays and learns.
pub enum ShapeLearner {
    /// By TD(λ) from self-play, in which Dyna-2 may choose the moves.
    SelfPlay(Training<TrackedGo, LocalShapes>, Option<Dyna2Settings>),
    /// From searches.
    Search(SearchLearning<TrackedGo, LocalShapes>),
}

/// Random moves at the beginning of a game that is learnt from by search, which plays the same game from the same position.
const OPENING_MOVES: usize = 2;

impl ShapeLearner {
    /// A learner that goes on from a checkpoint, or from nothing.
    pub fn new(recipe: &Recipe, last: Option<&Checkpoint<ShapeAgent>>) -> Result<ShapeLearner> {
        let features = Arc::new(recipe.shapes());
        let nothing = || Weights::zeros(Features::<TrackedGo>::count(&*features));
        let weights = Arc::new(last.map_or_else(nothing, |last| Weights::from_values(&last.weights)));
        let Recipe { seed, threads, annealing, .. } = *recipe;
        let start = features.track(recipe.start());
        let Some(rule) = &recipe.learner else {
            let (td, self_play) = (recipe.td.clone(), recipe.self_play.clone());
            let training = Training { start, features, weights, td, self_play, seed, threads };
            return Ok(ShapeLearner::SelfPlay(training, recipe.dyna_2.clone()));
        };
        let adam = adam_of(last.map_or(&[], |last| &last.memory), weights.len())?;
        let (rule, search, squash) = (rule.clone(), recipe.training_search(), recipe.td.squash);
        Ok(ShapeLearner::Search(SearchLearning {
            start,
            opening_moves: OPENING_MOVES,
            features,
            weights,
            squash,
            rule,
            annealing,
            search,
            seed,
            threads,
            adam,
        }))
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
        let (training, dyna_2) = match self {
            ShapeLearner::Search(learning) => return Ok(learning.run(games, stop, progress)),
            ShapeLearner::SelfPlay(training, dyna_2) => (training, dyna_2),
        };
        let chooser = dyna_2.as_ref().map(|settings| {
            move || -> Box<dyn Chooser<TrackedGo>> {
                let leaf = PlayOut(FuegoPlayout::default());
                Box::new(Dyna2Player::new(training.features.clone(), training.td.squash, leaf, settings))
            }
        });
        let chooser = chooser.as_ref().map(|chooser| chooser as &(dyn Fn() -> _ + Sync));
        Ok(training.run_by(chooser, games, stop, progress))
    }

    fn weights(&self) -> &Weights {
        match self {
            ShapeLearner::SelfPlay(training, _) => &training.weights,
            ShapeLearner::Search(learning) => &learning.weights,
        }
    }

    fn memory(&self) -> Vec<f32> {
        match self {
            ShapeLearner::SelfPlay(..) => Vec::new(),
            ShapeLearner::Search(learning) => learning.memory(),
        }
    }
}

impl Described for ShapeAgent {
    const FIXED: &'static [&'static str] = &["board-size", "komi", "sizes", "sharing", "squash"];
    const MOST: [u64; 2] = [1 << 20, 1 << 50];

    fn progress(&self) -> (u64, TrainingTotals) {
        (self.games, self.since_milestone)
    }

    fn at(&self, games: u64, since_milestone: TrainingTotals) -> Self {
        ShapeAgent { games, since_milestone, ..self.clone() }
    }
}
