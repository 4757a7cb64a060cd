//! Recipes of backgammon: a network that teaches itself, as TD-Gammon did.

use crate::lesson::{Described, Learner, Lesson, Plan};
use crate::recipe::{self, CheckpointSettings, EvaluationSettings};
use afterstate_arena::{ExpectimaxPlayer, Player};
use afterstate_engine::learning::{NetworkTdSettings, TdGammonTraining, TrainingTotals};
use afterstate_engine::search::ExpectimaxSettings;
use afterstate_engine::value::backgammon_network::BackgammonNetwork;
use afterstate_engine::value::{Checkpoint, CheckpointError, NetworkAgent, Weights};
use afterstate_games::backgammon::Backgammon;
use afterstate_games::stream;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The game of such a recipe. It has to be named: without it a recipe is one of Go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkGame {
    /// Backgammon.
    #[default]
    Backgammon,
}

/// What `train` does for backgammon. Every other key has a default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct NetworkRecipe {
    /// The game that is learnt.
    pub game: NetworkGame,
    /// Games of self-play.
    pub games: u64,
    /// Game number i draws from stream i of this seed.
    pub seed: u64,
    /// Threads that share what they learn; one is reproducible to the bit.
    pub threads: usize,
    /// Hidden units.
    pub hidden: usize,
    /// The learning rule.
    pub td: NetworkTdSettings,
    /// If it is not 0, the steps of game n are shorter by the factor 1 / (1 + n / `annealing`).
    pub annealing: u64,
    /// When weights are saved.
    pub checkpoints: CheckpointSettings,
    /// How progress is measured at each checkpoint.
    pub evaluation: EvaluationSettings,
}

impl Default for NetworkRecipe {
    fn default() -> Self {
        NetworkRecipe {
            game: NetworkGame::Backgammon,
            games: 100_000,
            seed: 1,
            threads: 1,
            hidden: 80,
            td: NetworkTdSettings::default(),
            annealing: 0,
            checkpoints: CheckpointSettings { first: 1000, ..CheckpointSettings::default() },
            evaluation: EvaluationSettings { opening_moves: 0, ..EvaluationSettings::default() },
        }
    }
}

impl NetworkRecipe {
    /// Reads the text of a recipe.
    pub fn parse(text: &str) -> Result<NetworkRecipe> {
        let recipe: NetworkRecipe = recipe::from_toml(text)?;
        recipe.check()?;
        Ok(recipe)
    }

    fn check(&self) -> Result<()> {
        ensure!((1..=1024).contains(&self.threads), "threads = {}: expected 1 to 1024", self.threads);
        ensure!((1..1_000_000_000).contains(&self.games), "games = {}: expected 1 to 999,999,999", self.games);
        ensure!((1..=1000).contains(&self.hidden), "hidden = {}: expected 1 to 1000", self.hidden);
        recipe::unit("td.lambda", self.td.lambda)?;
        let step = self.td.step_size;
        ensure!(step.is_finite() && step > 0.0, "td.step-size = {step}: expected a positive number");
        self.checkpoints.check()
    }

    fn first_network(&self) -> BackgammonNetwork {
        // A stream that no game draws from.
        BackgammonNetwork::random(self.hidden, &mut stream(self.seed, u64::MAX))
    }
}

impl Lesson for NetworkRecipe {
    type Game = Backgammon;
    type About = NetworkAgent;
    type Learner = NetworkLearner;

    fn load(path: &Path) -> Result<NetworkRecipe> {
        recipe::read_file(path, NetworkRecipe::parse)
    }

    fn plan(&self) -> Plan<'_> {
        let NetworkRecipe { games, seed, checkpoints, evaluation, .. } = self;
        Plan { games: *games, unit: "games", seed: *seed, checkpoints, evaluation }
    }

    fn essence(&self) -> NetworkRecipe {
        let (checkpoints, evaluation) = Default::default();
        NetworkRecipe { games: 1, threads: 1, checkpoints, evaluation, ..self.clone() }
    }

    fn start(&self) -> Backgammon {
        Backgammon::new()
    }

    fn about(&self) -> Result<NetworkAgent> {
        Ok(NetworkAgent {
            hidden: self.hidden,
            games: 0,
            since_milestone: TrainingTotals::default(),
            origin: format!("afterstate {}\n{}", env!("CARGO_PKG_VERSION"), toml::to_string(self)?),
        })
    }

    fn learner(&self, last: Option<&Checkpoint<NetworkAgent>>, _folder: &Path) -> Result<NetworkLearner> {
        let network = last.map_or_else(|| self.first_network(), Checkpoint::network);
        let network = network.perceptron();
        Ok(NetworkLearner(TdGammonTraining {
            layers: network.layers(),
            weights: Weights::from_values(network.weights()),
            td: self.td,
            annealing: self.annealing,
            seed: self.seed,
            threads: self.threads,
        }))
    }

    fn read(path: &Path) -> Result<Checkpoint<NetworkAgent>, CheckpointError> {
        NetworkAgent::read(path)
    }

    fn player(&self, checkpoint: &Checkpoint<NetworkAgent>) -> Box<dyn Player<Backgammon>> {
        let greedy = ExpectimaxSettings { plies: 1, ..ExpectimaxSettings::default() };
        Box::new(ExpectimaxPlayer::new(checkpoint.network(), greedy))
    }

    fn uses(&self, folder: &str) -> Vec<(&'static str, String)> {
        vec![
            ("Play against it here", format!("play --game backgammon --agent expectimax:{folder}")),
            ("Measure it", format!("match --game backgammon greedy:{folder} random --games 1000")),
        ]
    }
}

/// Self-play as a recipe says.
pub struct NetworkLearner(TdGammonTraining);

impl Learner for NetworkLearner {
    type About = NetworkAgent;

    fn run(
        &self,
        games: Range<u64>,
        stop: &AtomicBool,
        progress: &(dyn Fn(TrainingTotals) + Sync),
    ) -> Result<TrainingTotals> {
        Ok(self.0.run(games, stop, progress))
    }

    fn weights(&self) -> &Weights {
        &self.0.weights
    }
}

impl Described for NetworkAgent {
    const FIXED: &'static [&'static str] = &["hidden"];
    const MOST: [u64; 2] = [1 << 20, 1 << 30];

    fn progress(&self) -> (u64, TrainingTotals) {
        (self.games, self.since_milestone)
    }

    fn at(&self, games: u64, since_milestone: TrainingTotals) -> Self {
        NetworkAgent { games, since_milestone, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_that_only_names_its_game_is_td_gammons() {
        let recipe = NetworkRecipe::parse("game = \"backgammon\"").unwrap();
        assert_eq!(recipe, NetworkRecipe::default());
        assert_eq!((recipe.hidden, recipe.td.lambda, recipe.td.step_size), (80, 0.7, 0.1));
        assert_eq!(NetworkRecipe::parse(&toml::to_string(&recipe).unwrap()).unwrap(), recipe);
    }

    #[test]
    fn mistakes_are_named_in_one_line() {
        for (text, part) in [
            ("hidden = 0", "expected 1 to 1000"),
            ("[td]\nlambda = 2.0", "td.lambda"),
            ("[td]\nstep-size = -1.0", "positive"),
            ("threads = 0", "threads"),
            ("games = 0", "games"),
            ("hiden = 3", "hiden"),
        ] {
            let message = format!("{:#}", NetworkRecipe::parse(text).unwrap_err());
            assert!(message.contains(part) && !message.contains('\n'), "{text}: {message}");
        }
    }
}
