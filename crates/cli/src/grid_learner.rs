//! Small games on a grid learnt over their shapes, as a [`GridRecipe`] says: from self-play, or from searches.

use crate::grid_recipe::{GridGame, GridRecipe};
use crate::lesson::{Described, Learner};
use crate::search_learning::{SearchLearning, adam_of};
use afterstate_engine::learning::{Chooser, Dyna2Settings, PlainDyna2Player, Training, TrainingTotals};
use afterstate_engine::search::PlayOut;
use afterstate_engine::value::{Checkpoint, GridAgent, GridShapes, Weights};
use afterstate_games::UniformPlayout;
use anyhow::Result;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Plays and learns.
pub enum GridLearner<G> {
    /// By TD(λ) from self-play, in which Dyna-2 may choose the moves.
    SelfPlay(Training<G, GridShapes>, Option<Dyna2Settings>),
    /// From searches.
    Search(SearchLearning<G, GridShapes>),
}

impl<G: GridGame> GridLearner<G> {
    /// A learner that goes on from a checkpoint, or from nothing.
    pub fn new(
        recipe: &GridRecipe,
        start: G,
        shapes: GridShapes,
        last: Option<&Checkpoint<GridAgent>>,
    ) -> Result<GridLearner<G>> {
        let nothing = || Weights::zeros(shapes.weight_count());
        let weights = Arc::new(last.map_or_else(nothing, |last| Weights::from_values(&last.weights)));
        let GridRecipe { seed, threads, annealing, opening_moves, .. } = *recipe;
        let features = Arc::new(shapes);
        let Some(rule) = &recipe.learner else {
            let (td, self_play) = (recipe.td.clone(), recipe.self_play.clone());
            let training = Training { start, features, weights, td, self_play, seed, threads };
            return Ok(GridLearner::SelfPlay(training, recipe.dyna_2.clone()));
        };
        let adam = adam_of(last.map_or(&[], |last| &last.memory), weights.len())?;
        let (rule, search, squash) = (rule.clone(), recipe.search.clone(), recipe.td.squash);
        Ok(GridLearner::Search(SearchLearning {
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
        }))
    }
}

impl<G: GridGame> Learner for GridLearner<G> {
    type About = GridAgent;

    fn run(
        &self,
        games: Range<u64>,
        stop: &AtomicBool,
        progress: &(dyn Fn(TrainingTotals) + Sync),
    ) -> Result<TrainingTotals> {
        let (training, dyna_2) = match self {
            GridLearner::Search(learning) => return Ok(learning.run(games, stop, progress)),
            GridLearner::SelfPlay(training, dyna_2) => (training, dyna_2),
        };
        let chooser = dyna_2.as_ref().map(|settings| {
            let short = Arc::new(GridShapes::new(&training.start, settings.sizes));
            move || -> Box<dyn Chooser<G>> {
                let (long, leaf) = (training.features.clone(), PlayOut(UniformPlayout::default()));
                Box::new(PlainDyna2Player::new(long, short.clone(), training.td.squash, leaf, settings))
            }
        });
        let chooser = chooser.as_ref().map(|chooser| chooser as &(dyn Fn() -> _ + Sync));
        Ok(training.run_by(chooser, games, stop, progress))
    }

    fn weights(&self) -> &Weights {
        match self {
            GridLearner::SelfPlay(training, _) => &training.weights,
            GridLearner::Search(learning) => &learning.weights,
        }
    }

    fn memory(&self) -> Vec<f32> {
        match self {
            GridLearner::SelfPlay(..) => Vec::new(),
            GridLearner::Search(learning) => learning.memory(),
        }
    }
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
