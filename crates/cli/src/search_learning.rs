//! [`SearchLearning`]: games of self-play from whose searches a rule learns, in any game with any features.

use crate::duel::{self, Conditions};
use crate::learning_games::LearningGames;
use crate::search_recipe::annealed;
use afterstate_arena::{LearningPlayer, Player};
use afterstate_engine::Budget;
use afterstate_engine::learning::{Adam, LearnerSettings, SharedAdam, SquaredErrors, TrainingTotals};
use afterstate_engine::search::{TrainingSearch, TrainingSearchSettings};
use afterstate_engine::value::{Features, Squash, Weights};
use afterstate_games::rng::mix;
use afterstate_games::{Outcome, Record, Tactics, Turn};
use anyhow::{Context, Result, bail};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// What is learnt, and how. Games in progress share the weights and what the rule remembers.
pub struct SearchLearning<G, F> {
    /// Where every game begins.
    pub start: G,
    /// Random moves of both sides before the players take over; two games in a row begin alike.
    pub opening_moves: usize,
    /// φ.
    pub features: Arc<F>,
    /// θ.
    pub weights: Arc<Weights>,
    /// What makes values of sums.
    pub squash: Squash,
    /// The rule, as it is in the first game.
    pub rule: LearnerSettings,
    /// After so many games its step size is half of that; 0: it stays.
    pub annealing: u64,
    /// The search that it learns from and plays by.
    pub search: TrainingSearchSettings,
    /// Seeds everything that is random.
    pub seed: u64,
    /// Games at once; with one it is reproducible to the bit.
    pub threads: usize,
    /// What Adam remembers.
    pub adam: SharedAdam,
}

/// What Adam remembers of so many weights, from the memory of a checkpoint.
pub fn adam_of(memory: &[f32], weights: usize) -> Result<SharedAdam> {
    let adam = Adam::from_memory(memory, weights)
        .context("the checkpoint's memory is not that of its weights: go on from the checkpoint before it")?;
    Ok(Arc::new(Mutex::new(adam)))
}

impl<G: Tactics, F: Features<G>> SearchLearning<G, F> {
    /// Plays the games with numbers in `games`, or fewer, the first of them, if `stop` is set meanwhile. `progress` is told of the
    /// totals so far.
    pub fn run(
        &self,
        games: Range<u64>,
        stop: &AtomicBool,
        progress: &(dyn Fn(TrainingTotals) + Sync),
    ) -> TrainingTotals {
        let games_to_play = LearningGames {
            threads: self.threads,
            may_go_on: &|| !stop.load(Ordering::Relaxed),
            players: &|| [self.player(), self.player()],
            play: &|number, players| self.play(number, players).ok(),
            played: progress,
        };
        games_to_play.run(games)
    }

    /// What must be remembered besides the weights.
    pub fn memory(&self) -> Vec<f32> {
        self.adam.lock().expect("no thread panics with the learner's memory").memory()
    }

    fn player(&self) -> LearningPlayer<G, F> {
        let search = TrainingSearch::new(self.features.clone(), self.weights.clone(), self.squash, self.search.clone());
        LearningPlayer::new(search, self.rule.build_sharing(&self.adam))
    }

    /// One game between two players that share what they learn.
    fn play(&self, number: u64, players: &mut [LearningPlayer<G, F>; 2]) -> Result<TrainingTotals> {
        let rule = annealed(&self.rule, self.annealing, number);
        let conditions = Conditions { start: self.start.clone(), opening_moves: self.opening_moves, seed: self.seed };
        let mut record = Record::new(self.start.clone());
        for mv in duel::opening(&conditions, number / 2) {
            record.play(mv);
        }
        for player in &mut *players {
            player.set_rule(rule.build_sharing(&self.adam));
            player.new_game(&record, mix(self.seed ^ mix(number)))?;
        }
        let (outcome, positions) = finish(&mut record, players)?;
        players.iter_mut().for_each(|player| player.game_over(&record, outcome));
        Ok(TrainingTotals {
            games: 1,
            moves: record.moves().len() as u64,
            evaluations: positions,
            squared_error: mean_squared_error(players),
            first_player_score: f64::from(outcome.first_player_score()),
        })
    }
}

/// The mean over all positions from which either player has learnt in its last game, as it is added to others'.
pub fn mean_squared_error<G: Tactics, F: Features<G>>(players: &[LearningPlayer<G, F>]) -> f64 {
    let errors = players.iter().map(LearningPlayer::errors).fold(SquaredErrors::default(), SquaredErrors::and);
    TrainingTotals::exact(errors.mean().unwrap_or(0.0))
}

/// Plays a game to its end; how it ended, and at how many positions was looked.
fn finish<G: Tactics, F: Features<G>>(
    record: &mut Record<G>,
    players: &mut [LearningPlayer<G, F>; 2],
) -> Result<(Outcome, u64)> {
    let mut positions = 0;
    loop {
        let side = match record.turn() {
            Turn::Over(outcome) => return Ok((outcome, positions)),
            Turn::Player(side) => side,
            Turn::Chance => bail!("games with dice are not learnt so"),
        };
        let decision = players[side.index()].choose(record, &Budget::default())?;
        positions += decision.effort;
        match decision.best {
            Some(mv) => record.play(mv),
            None => return Ok((Outcome::win(side.other()), positions)),
        }
    }
}
