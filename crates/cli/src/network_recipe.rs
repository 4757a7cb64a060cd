//! Recipes of backgammon: a network that teaches itself, as TD-Gammon did, or by games in which it looks ahead.

use crate::lesson::{Described, Learner, Lesson, Plan};
use crate::recipe::{self, CheckpointSettings, EvaluationSettings};
use afterstate_arena::{ExpectimaxPlayer, Player};
use afterstate_engine::learning::{GammonLearner, NetworkTdSettings, TdGammonTraining, TrainingTotals};
use afterstate_engine::search::ExpectimaxSettings;
use afterstate_engine::search::expectimax::{MAX_PLIES, Pruning};
use afterstate_engine::value::backgammon_inputs::InputSet;
use afterstate_engine::value::backgammon_network::BackgammonNetwork;
use afterstate_engine::value::{Checkpoint, CheckpointError, NetworkAgent, Weights};
use afterstate_games::backgammon::Backgammon;
use afterstate_games::stream;
use anyhow::{Context, Result, ensure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The game of such a recipe. It has to be named: without it a recipe is one of Go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkGame {
    /// Backgammon.
    #[default]
    Backgammon,
}

/// What `train` does for backgammon. Every other key has a default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// What the network sees of a position: `td-gammon`, where the men are; `expert`, also what experts count; or
    /// `phases`, the same with weights of their own in each phase of the game.
    pub inputs: InputSet,
    /// Hidden units.
    pub hidden: usize,
    /// A checkpoint whose network it goes on with, named as agents name theirs, and like these found from where the program is run;
    /// none: small random weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_weights: Option<String>,
    /// Which positions learn, and from what.
    pub learner: GammonLearner,
    /// The step size and λ.
    pub td: NetworkTdSettings,
    /// How far the players look ahead. If nothing is said one ply, which is greedy play, or two where the learner needs them.
    pub search: ExpectimaxSettings,
    /// If it is not 0, the steps of game n are shorter by the factor 1 / (1 + n / `annealing`).
    pub annealing: u64,
    /// When weights are saved.
    pub checkpoints: CheckpointSettings,
    /// How progress is measured at each checkpoint.
    pub evaluation: EvaluationSettings,
}

/// One ply, without looking ahead; and the filter for those who look further.
const GREEDY: ExpectimaxSettings = ExpectimaxSettings { plies: 1, keep: 8, margin: 0.16, pruning: Pruning::Star2 };

impl Default for NetworkRecipe {
    fn default() -> Self {
        NetworkRecipe {
            game: NetworkGame::Backgammon,
            games: 100_000,
            seed: 1,
            threads: 1,
            inputs: InputSet::default(),
            hidden: 80,
            first_weights: None,
            learner: GammonLearner::default(),
            td: NetworkTdSettings::default(),
            search: GREEDY,
            annealing: 0,
            checkpoints: CheckpointSettings { first: 1000, ..CheckpointSettings::default() },
            evaluation: EvaluationSettings { opening_moves: 0, ..EvaluationSettings::default() },
        }
    }
}

impl NetworkRecipe {
    /// Reads the text of a recipe.
    pub fn parse(text: &str) -> Result<NetworkRecipe> {
        let mut recipe = recipe::from_toml_over(text, &NetworkRecipe::default())?;
        let table = text.parse::<toml::Table>().unwrap_or_default();
        let says_how_far = table.get("search").is_some_and(|search| search.get("plies").is_some());
        if !says_how_far {
            recipe.search.plies = if recipe.learner == GammonLearner::TdDirected { 1 } else { 2 };
        }
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
        let ExpectimaxSettings { plies, keep, margin, .. } = self.search;
        ensure!((1..=MAX_PLIES).contains(&plies), "search.plies = {plies}: expected 1 to {MAX_PLIES}");
        ensure!((1..=10_000).contains(&keep), "search.keep = {keep}: expected 1 to 10000");
        ensure!((0.0..=6.0).contains(&margin), "search.margin = {margin}: expected 0 to 6 points");
        match self.learner {
            GammonLearner::TreeStrap => {
                ensure!(plies == 2, "search.plies = {plies}: learner = \"tree-strap\" looks 2 plies ahead");
                ensure!(
                    self.td.lambda == NetworkRecipe::default().td.lambda,
                    "td.lambda says nothing to learner = \"tree-strap\", which learns from its searches: leave it out"
                );
            }
            GammonLearner::TdLeaf => {
                ensure!(plies > 1, "search.plies = 1: learner = \"td-leaf\" looks 2 plies ahead, or more")
            }
            GammonLearner::TdDirected => {}
        }
        self.checkpoints.check(self.games)
    }

    fn first_network(&self) -> Result<BackgammonNetwork> {
        let Some(name) = &self.first_weights else {
            // A stream that no game draws from.
            return Ok(BackgammonNetwork::random_over(self.inputs, self.hidden, &mut stream(self.seed, u64::MAX)));
        };
        let checkpoint = NetworkAgent::load(name).with_context(|| format!("first-weights = \"{name}\""))?;
        let (hidden, found) = (self.hidden, checkpoint.about.hidden);
        ensure!(found == hidden, "first-weights = \"{name}\": {found} hidden units, the recipe says hidden = {hidden}");
        let network = checkpoint.network();
        let (seen, wanted) = (network.input_set(), self.inputs);
        ensure!(
            seen.count() <= wanted.count(),
            "first-weights = \"{name}\": its inputs are more than the recipe's; say inputs = \"{}\"",
            if seen == InputSet::Expert { "expert" } else { "phases" }
        );
        Ok(BackgammonNetwork::new(wanted.extend(network.perceptron().clone())))
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
        let NetworkRecipe { games, seed, threads, checkpoints, evaluation, .. } = self;
        Plan { games: *games, unit: "games", seed: *seed, threads: *threads, checkpoints, evaluation }
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
            inputs: self.inputs,
            hidden: self.hidden,
            games: 0,
            since_milestone: TrainingTotals::default(),
            origin: format!("afterstate {}\n{}", crate::version::VERSION, toml::to_string(self)?),
        })
    }

    fn learner(&self, last: Option<&Checkpoint<NetworkAgent>>, _folder: &Path) -> Result<NetworkLearner> {
        let network = match last {
            Some(checkpoint) => checkpoint.network(),
            None => self.first_network()?,
        };
        let network = network.perceptron();
        Ok(NetworkLearner(TdGammonTraining {
            layers: network.layers(),
            weights: Weights::from_values(network.weights()),
            learner: self.learner,
            td: self.td,
            search: self.search,
            annealing: self.annealing,
            seed: self.seed,
            threads: self.threads,
        }))
    }

    fn read(path: &Path) -> Result<Checkpoint<NetworkAgent>, CheckpointError> {
        NetworkAgent::read(path)
    }

    fn player(&self, checkpoint: &Checkpoint<NetworkAgent>) -> Result<Box<dyn Player<Backgammon>>> {
        Ok(Box::new(ExpectimaxPlayer::new(checkpoint.network(), GREEDY)))
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
    const FIXED: &'static [&'static str] = &["inputs", "hidden"];
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
        let leaf = NetworkRecipe::parse("game = \"backgammon\"\nlearner = \"td-leaf\"").unwrap();
        assert_eq!((recipe.search.plies, leaf.search.plies), (1, 2));
        let filter = NetworkRecipe::parse("game = \"backgammon\"\n[search]\nkeep = 4").unwrap();
        assert_eq!((filter.search.plies, filter.search.keep), (1, 4));
        assert_eq!(NetworkRecipe::parse(&toml::to_string(&leaf).unwrap()).unwrap(), leaf);
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
            ("learner = \"td-leaf\"\n[search]\nplies = 1", "search.plies"),
            ("learner = \"tree-strap\"\n[search]\nplies = 3", "search.plies = 3"),
            ("[search]\nplies = 9", "expected 1 to 4"),
        ] {
            let message = format!("{:#}", NetworkRecipe::parse(text).unwrap_err());
            assert!(message.contains(part) && !message.contains('\n'), "{text}: {message}");
        }
    }
}
