//! Go learnt over local shapes: by self-play with TD or with Dyna-2, or from searches.

use crate::feature_learner::{Choosers, FeatureLearner, Learning, weights_of};
use crate::lesson::Described;
use crate::recipe::Recipe;
use crate::search_learning::{SearchLearning, adam_of};
use afterstate_engine::learning::{Chooser, Dyna2Player, Training, TrainingTotals};
use afterstate_engine::search::PlayOut;
use afterstate_engine::value::{Checkpoint, Features, LocalShapes, ShapeAgent, TrackedGo};
use afterstate_games::go::FuegoPlayout;
use anyhow::Result;
use std::sync::Arc;

/// Learns local shapes of Go.
pub type ShapeLearner = FeatureLearner<TrackedGo, LocalShapes, ShapeAgent>;

/// Random moves at the beginning of a game that is learnt from by search, which plays the same game from the same position.
const OPENING_MOVES: usize = 2;

/// A learner that goes on from a checkpoint, or from nothing.
pub fn shape_learner(recipe: &Recipe, last: Option<&Checkpoint<ShapeAgent>>) -> Result<ShapeLearner> {
    let features = Arc::new(recipe.shapes());
    let weights = weights_of(last, Features::<TrackedGo>::count(&*features));
    let Recipe { seed, threads, annealing, .. } = *recipe;
    let (start, squash) = (features.track(recipe.start()), recipe.td.squash);
    let Some(rule) = recipe.learner.clone() else {
        let choosers = recipe.dyna_2.clone().map(|settings| {
            let shapes = features.clone();
            let make = move || -> Box<dyn Chooser<TrackedGo>> {
                let leaf = PlayOut(FuegoPlayout::default());
                Box::new(Dyna2Player::new(shapes.clone(), squash, leaf, &settings))
            };
            Box::new(make) as Choosers<TrackedGo>
        });
        let (td, self_play) = (recipe.td.clone(), recipe.self_play.clone());
        let training = Training { start, features, weights, td, self_play, seed, threads };
        return Ok(ShapeLearner::new(Learning::SelfPlay(training, choosers)));
    };
    let adam = adam_of(last.map_or(&[], |last| &last.memory), weights.len())?;
    let search = recipe.training_search();
    Ok(ShapeLearner::new(Learning::Search(SearchLearning {
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
    })))
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
