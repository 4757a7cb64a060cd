//! A network of chess learnt as a [`ChessNetworkRecipe`] says: the tournament search plays against itself, and the network learns from
//! what it has seen and how its games ended.

use crate::chess_network_recipe::{ChessNetworkRecipe, REPLAYED};
use crate::learning_games::LearningGames;
use crate::lesson::{Described, Learner};
use crate::position_files::PositionFiles;
use crate::registry;
use afterstate_engine::learning::{
    AveragedWeights, OutcomeStrap, SeenGame, SeenPosition, TournamentSelfPlay, TrainingTotals,
};
use afterstate_engine::value::{
    Checkpoint, ChessNetwork, ChessNetworkAgent, LearntEvaluation, QuantizedNetwork, Weights,
};
use afterstate_engine::zero::REPLAY;
use afterstate_games::{Outcome, Rng, stream};
use anyhow::{Context, Result};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

const NO_MEMORY: &str = "the checkpoint's memory is not that of its weights: go on from the checkpoint before it";

/// Plays games and learns from them.
pub struct ChessNetworkLearner {
    recipe: ChessNetworkRecipe,
    teacher: Option<LearntEvaluation>,
    /// Positions that are learnt instead of those of the first games.
    replayed: Vec<SeenPosition>,
    /// What is played with and saved.
    averaged: AveragedWeights,
    learning: Mutex<Learning>,
    files: PositionFiles,
}

/// What games in progress share.
struct Learning {
    rule: OutcomeStrap,
    /// What the last step found, and is logged.
    squared_error: f32,
    /// Positions that no file holds yet.
    unsaved: Vec<SeenPosition>,
    /// Games that they, or those of the files, come from.
    games: u64,
    /// How many of them came before there was enough to learn from. Their weights, which nothing has changed, have no part in the mean.
    unlearnt: u64,
}

impl ChessNetworkLearner {
    /// A learner that goes on from a checkpoint and the positions beside it, or begins.
    pub fn new(
        recipe: &ChessNetworkRecipe,
        last: Option<&Checkpoint<ChessNetworkAgent>>,
        folder: &Path,
    ) -> Result<ChessNetworkLearner> {
        let first = recipe.first_network();
        let (mean, memory) = last.map_or((first.weights(), &[][..]), |last| (&last.weights[..], &last.memory[..]));
        let (squared_error, memory) = memory.split_first().map_or((0.0, memory), |(error, rest)| (*error, rest));
        let (network, memory) = match last {
            // What is saved is the mean, and the weights themselves are remembered.
            Some(_) => {
                let (weights, memory) = memory.split_at_checked(mean.len()).context(NO_MEMORY)?;
                (
                    ChessNetwork::from_weights(recipe.hidden, recipe.buckets, weights.to_vec()).context(NO_MEMORY)?,
                    memory,
                )
            }
            None => (first.clone(), memory),
        };
        let games = last.map_or(0, |last| last.about.games);
        // Checkpoints of earlier versions do not say how many games were not learnt from, and have them in their mean.
        let is_of_rule = |memory: &[f32]| OutcomeStrap::new(recipe.learner, network.clone(), memory, []).is_some();
        let (unlearnt, memory) = match memory.split_last() {
            Some((unlearnt, rest)) if is_of_rule(rest) => (*unlearnt as u64, rest),
            _ => (0, memory),
        };
        let files = PositionFiles::new(folder, recipe.learner.window, recipe.kept_positions);
        let window = files.read(games)?;
        if games > 0 && window.is_empty() {
            crate::output::tell!(
                "note: none of the positions that this run has learnt from are in {}: it goes on with new ones, and no longer as it \
                 would have without a break",
                folder.join(REPLAY).display()
            );
        }
        Ok(ChessNetworkLearner {
            teacher: recipe.taught_by.as_deref().map(registry::chess_evaluation).transpose().context("taught-by")?,
            averaged: AveragedWeights::new(mean, recipe.averaging),
            learning: Mutex::new(Learning {
                rule: OutcomeStrap::new(recipe.learner, network, memory, window).context(NO_MEMORY)?,
                squared_error,
                unsaved: Vec::new(),
                games,
                unlearnt,
            }),
            replayed: replayed(recipe, games)?,
            files,
            recipe: recipe.clone(),
        })
    }

    fn learning(&self) -> MutexGuard<'_, Learning> {
        self.learning.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What game number `number` is played with.
    fn evaluation(&self, number: u64) -> LearntEvaluation {
        match &self.teacher {
            Some(teacher) if number < self.recipe.taught_games => teacher.clone(),
            _ => {
                let ChessNetworkRecipe { hidden, buckets, .. } = self.recipe;
                let network = ChessNetwork::from_weights(hidden, buckets, self.averaged.mean().values());
                LearntEvaluation::Network(QuantizedNetwork::new(&network.expect("the mean is as long as the weights")))
            }
        }
    }

    /// A game of another run, or one that is played.
    fn game(&self, number: u64, player: &mut TournamentSelfPlay<LearntEvaluation>, rng: &mut Rng) -> SeenGame {
        if number < self.recipe.replayed_games {
            let positions = self.replayed[number as usize * REPLAYED..][..REPLAYED].to_vec();
            return SeenGame { moves: positions.len(), positions, ..SeenGame::default() };
        }
        player.set_evaluation(self.evaluation(number));
        player.play(number, rng)
    }

    fn play(&self, number: u64, player: &mut TournamentSelfPlay<LearntEvaluation>) -> TrainingTotals {
        let mut rng = stream(self.recipe.seed, number);
        let SeenGame { positions, moves, nodes, outcome } = self.game(number, player, &mut rng);
        let mut learning = self.learning();
        learning.rule.set_step_size(self.recipe.step_size_at(number));
        if let Some(squares) = learning.rule.seen(&positions, &mut rng) {
            learning.squared_error = squares as f32;
        }
        learning.unsaved.extend(positions);
        learning.games += 1;
        if learning.rule.has_begun() {
            self.averaged.learnt(learning.rule.weights(), learning.games - learning.unlearnt);
        } else {
            learning.unlearnt = learning.games;
        }
        TrainingTotals {
            games: 1,
            moves: moves as u64,
            evaluations: nodes,
            squared_error: TrainingTotals::exact(f64::from(learning.squared_error)),
            first_player_score: f64::from(outcome.unwrap_or(Outcome::DRAW).first_player_score()),
        }
    }
}

/// What a run that has `games` games behind it may still have to replay.
fn replayed(recipe: &ChessNetworkRecipe, games: u64) -> Result<Vec<SeenPosition>> {
    match &recipe.replays {
        Some(run) if games < recipe.replayed_games => PositionFiles::new(run, 0, 0)
            .oldest(recipe.replayed_games as usize * REPLAYED)
            .with_context(|| {
                format!(
                    "replayed-games = {games}: expected a run that has kept {REPLAYED} positions for each, by kept-positions = {}: \
                     train it to its end first, or leave replays out",
                    recipe.replayed_games as usize * REPLAYED,
                    games = recipe.replayed_games
                )
            }),
        _ => Ok(Vec::new()),
    }
}

impl Learner for ChessNetworkLearner {
    type About = ChessNetworkAgent;

    fn run(
        &self,
        games: Range<u64>,
        stop: &AtomicBool,
        progress: &(dyn Fn(TrainingTotals) + Sync),
    ) -> Result<TrainingTotals> {
        let games_to_play = LearningGames {
            threads: self.recipe.threads,
            may_go_on: &|| !stop.load(Ordering::Relaxed),
            players: &|| TournamentSelfPlay::new(self.evaluation(games.start), self.recipe.self_play),
            play: &|number, player| Some(self.play(number, player)),
            played: progress,
        };
        Ok(games_to_play.run(games.clone()))
    }

    fn weights(&self) -> &Weights {
        self.averaged.mean()
    }

    fn memory(&self) -> Vec<f32> {
        let learning = self.learning();
        let mut memory = vec![learning.squared_error];
        memory.extend_from_slice(learning.rule.network().weights());
        memory.extend(learning.rule.memory());
        // Exact: learning does not wait for 2²⁴ games.
        memory.push(learning.unlearnt as f32);
        memory
    }

    fn save_beside(&self) -> Result<()> {
        let mut learning = self.learning();
        self.files.write(learning.games, &learning.unsaved)?;
        learning.unsaved.clear();
        Ok(())
    }

    fn saved(&self) {
        self.files.remove_what_is_old();
    }
}

impl Described for ChessNetworkAgent {
    const FIXED: &'static [&'static str] = &["chess-hidden", "chess-buckets"];
    const MOST: [u64; 2] = [1 << 20, 1 << 50];

    fn progress(&self) -> (u64, TrainingTotals) {
        (self.games, self.since_milestone)
    }

    fn at(&self, games: u64, since_milestone: TrainingTotals) -> Self {
        ChessNetworkAgent { games, since_milestone, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first weights, from which nothing was learnt, have no part in the mean, however many games were played with them.
    #[test]
    fn the_mean_begins_with_the_first_step() {
        let recipe = "game = \"chess\"\nhidden = 16\naveraging = 1000\n[self-play]\nnodes = 20\nmove-limit = 40\ntable-mib = 1\n\
                      [learner]\nfirst = 60\nbatch = 16\n";
        let (recipe, folder) = (ChessNetworkRecipe::parse(recipe).unwrap(), tempfile::tempdir().unwrap());
        let learner = ChessNetworkLearner::new(&recipe, None, folder.path()).unwrap();
        let first = recipe.first_network();
        let mut unlearnt = 0;
        loop {
            learner.run(unlearnt..unlearnt + 1, &AtomicBool::new(false), &|_| {}).unwrap();
            if learner.learning().rule.has_begun() {
                break;
            }
            assert_eq!(learner.weights().values(), first.weights());
            unlearnt += 1;
        }
        assert!(unlearnt > 0, "some games were not enough");
        let learnt = learner.learning().rule.weights().values();
        let differences =
            |other: &[f32]| learnt.iter().zip(other).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max);
        let (from_mean, from_first) = (differences(&learner.weights().values()), differences(first.weights()));
        assert!(from_mean < 1e-6 && from_first > 1e-4, "{from_mean} {from_first}");
        // A run that goes on remembers how many there were.
        assert_eq!(learner.memory().last(), Some(&(unlearnt as f32)));
    }
}
