//! Small games on a grid learnt over their shapes, as a [`GridRecipe`] says: from self-play, or from searches.

use crate::duel::{self, Conditions};
use crate::grid_recipe::{GridGame, GridRecipe};
use crate::learning_games::LearningGames;
use crate::lesson::{Described, Learner};
use afterstate_arena::game_loop::{GameResult, GameRules, play_game};
use afterstate_arena::{LearningPlayer, RulesReferee};
use afterstate_engine::learning::{
    Adam, Chooser, LearnerSettings, PlainDyna2Player, SharedAdam, Training, TrainingTotals,
};
use afterstate_engine::search::{PlayOut, TrainingSearch};
use afterstate_engine::value::{Checkpoint, GridAgent, GridShapes, Weights};
use afterstate_games::UniformPlayout;
use afterstate_games::rng::mix;
use anyhow::{Context, Result};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Plays and learns.
pub struct GridLearner<G> {
    recipe: GridRecipe,
    /// Self-play, and what a learner by search needs of it, too: weights above all.
    training: Training<G, GridShapes>,
    /// What Adam remembers, where a rule that learns from searches has it.
    adam: SharedAdam,
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
        let weights = last.map_or_else(nothing, |last| Weights::from_values(&last.weights));
        let adam = Adam::from_memory(last.map_or(&[][..], |last| &last.memory), weights.len());
        let adam =
            adam.context("the checkpoint's memory is not that of its weights: go on from the checkpoint before it")?;
        Ok(GridLearner {
            training: Training {
                start,
                features: Arc::new(shapes),
                weights: Arc::new(weights),
                td: recipe.td.clone(),
                self_play: recipe.self_play.clone(),
                seed: recipe.seed,
                threads: recipe.threads,
            },
            adam: Arc::new(Mutex::new(adam)),
            recipe: recipe.clone(),
        })
    }

    fn player(&self, rule: &LearnerSettings) -> LearningPlayer<G, GridShapes> {
        let Training { features, weights, td, .. } = &self.training;
        let search = TrainingSearch::new(features.clone(), weights.clone(), td.squash, self.recipe.search.clone());
        LearningPlayer::new(search, rule.build_sharing(&self.adam))
    }

    /// One game between two players that share what they learn. Two games in a row begin alike.
    fn play(&self, number: u64, players: &mut [LearningPlayer<G, GridShapes>; 2]) -> Option<GameResult> {
        let rule = self.recipe.learner_at(number)?;
        players.iter_mut().for_each(|player| player.set_rule(rule.build_sharing(&self.adam)));
        let (start, seed) = (self.training.start.clone(), self.recipe.seed);
        let conditions = Conditions { start, opening_moves: self.recipe.opening_moves, seed };
        let rules = GameRules { seed: mix(seed ^ mix(number)), ..GameRules::default() };
        let [first, second] = players;
        play_game(
            &conditions.start,
            &duel::opening(&conditions, number / 2),
            [first, second],
            &mut RulesReferee,
            &rules,
        )
    }

    fn learn_from_search(
        &self,
        rule: &LearnerSettings,
        games: Range<u64>,
        stop: &AtomicBool,
        progress: &(dyn Fn(TrainingTotals) + Sync),
    ) -> TrainingTotals {
        let games_to_play = LearningGames {
            threads: self.recipe.threads,
            may_go_on: &|| !stop.load(Ordering::Relaxed),
            players: &|| [self.player(rule), self.player(rule)],
            play: &|number, players| self.play(number, players),
            played: progress,
        };
        games_to_play.run(games)
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
        if let Some(rule) = &self.recipe.learner {
            return Ok(self.learn_from_search(rule, games, stop, progress));
        }
        let training = &self.training;
        let chooser = self.recipe.dyna_2.as_ref().map(|settings| {
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
        &self.training.weights
    }

    fn memory(&self) -> Vec<f32> {
        self.adam.lock().expect("no thread panics with the learner's memory").memory()
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
