//! Small games on a grid learnt over their shapes, as a [`GridRecipe`] says: from self-play, or from searches.

use crate::feature_learner::{Choosers, FeatureLearner, Learning, weights_of};
use crate::grid_recipe::{GridGame, GridRecipe};
use crate::lesson::Described;
use crate::search_learning::{SearchLearning, adam_of};
use afterstate_engine::learning::{Dyna2Settings, PlainDyna2Player, Training, TrainingTotals};
use afterstate_engine::search::PlayOut;
use afterstate_engine::value::{Checkpoint, GridAgent, GridShapes, Squash};
use afterstate_games::UniformPlayout;
use anyhow::Result;
use std::sync::Arc;

/// Learns the shapes of a grid.
pub type GridLearner<G> = FeatureLearner<G, GridShapes, GridAgent>;

/// A learner that goes on from a checkpoint, or from nothing.
pub fn grid_learner<G: GridGame>(recipe: &GridRecipe, last: Option<&Checkpoint<GridAgent>>) -> Result<GridLearner<G>> {
    let start = G::first();
    let features = Arc::new(GridShapes::new(&start, recipe.features.sizes));
    let weights = weights_of(last, features.weight_count());
    let GridRecipe { seed, threads, annealing, opening_moves, .. } = *recipe;
    let squash = recipe.td.squash;
    let Some(rule) = recipe.learner.clone() else {
        let choosers = recipe.dyna_2.as_ref().map(|settings| choosers(&start, &features, squash, settings));
        let (td, self_play) = (recipe.td.clone(), recipe.self_play.clone());
        let training = Training { start, features, weights, td, self_play, seed, threads };
        return Ok(GridLearner::new(Learning::SelfPlay(training, choosers)));
    };
    let adam = adam_of(last.map_or(&[], |last| &last.memory), weights.len())?;
    let search = recipe.search.clone();
    Ok(GridLearner::new(Learning::Search(SearchLearning {
        start,
        opening_moves,
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

/// Dyna-2, with what is learnt as its long-term memory.
fn choosers<G: GridGame>(
    start: &G,
    features: &Arc<GridShapes>,
    squash: Squash,
    settings: &Dyna2Settings,
) -> Choosers<G> {
    let short = Arc::new(GridShapes::new(start, settings.sizes));
    let (long, settings) = (features.clone(), settings.clone());
    Box::new(move || {
        let leaf = PlayOut(UniformPlayout::default());
        Box::new(PlainDyna2Player::new(long.clone(), short.clone(), squash, leaf, &settings))
    })
}

impl Described for GridAgent {
    const FIXED: &'static [&'static str] = &["grid-game", "sizes", "squash"];
    const MOST: [u64; 2] = [1 << 20, 1 << 50];

    fn progress(&self) -> (u64, TrainingTotals) {
        (self.games, self.since_milestone)
    }

    fn at(&self, games: u64, since_milestone: TrainingTotals) -> Self {
        GridAgent { games, since_milestone, ..self.clone() }
    }
}
