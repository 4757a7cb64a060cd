//! Recipes of small games on a grid whose shapes are learnt: from self-play by TD(λ), or from searches by one of the rules of
//! [`LearnerSettings`].

use crate::grid_learner::{GridLearner, grid_learner};
use crate::lesson::{Lesson, Plan};
use crate::recipe::{self, CheckpointSettings, EvaluationSettings};
use crate::registry::Playable;
use crate::search_recipe;
use afterstate_arena::{AlphaBetaPlayer, Player, ValuePlayer};
use afterstate_engine::learning::{Dyna2Settings, LearnerSettings, SelfPlaySettings, TdSettings, TrainingTotals};
use afterstate_engine::search::{AlphaBeta, AlphaBetaSettings, TrainingSearchSettings};
use afterstate_engine::value::{Checkpoint, CheckpointError, GridAgent, WindowSizes};
use afterstate_games::{ConnectFour, Deterministic, Grid, IndexedMoves, Tactics, TicTacToe};
use anyhow::{Result, ensure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

/// Games that are learnt so. Go has [`recipes`](crate::recipe::Recipe) of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GridGameName {
    /// Tic-tac-toe.
    TicTacToe,
    /// Connect Four.
    #[default]
    ConnectFour,
}

/// Which shapes have weights: each place for itself, and nothing is shared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct GridFeatures {
    /// Window sizes, some of 1, 2, 3.
    pub sizes: WindowSizes,
}

impl Default for GridFeatures {
    fn default() -> Self {
        GridFeatures { sizes: WindowSizes::ALL }
    }
}

/// What `train` does for such a game. A recipe that has neither `features` nor `td` nor `learner` is one of AlphaZero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct GridRecipe {
    /// The game that is learnt.
    pub game: GridGameName,
    /// Games of training.
    pub games: u64,
    /// Game number i draws from stream i of this seed.
    pub seed: u64,
    /// Threads that share the weights; one is reproducible to the bit.
    pub threads: usize,
    /// How many plies alpha-beta looks ahead with what was learnt, in evaluations; 1 is the greedy player.
    pub evaluation_depth: u32,
    /// With a `learner`: random moves of both sides at the beginning of a game.
    pub opening_moves: usize,
    /// With a `learner`: after so many games its step size is half of what it was at first, after twice as many a third, and so on;
    /// 0: it stays.
    pub annealing: u64,
    /// What is seen of a position.
    pub features: GridFeatures,
    /// The rule that learns from self-play. With a `learner` only its `squash` counts.
    pub td: TdSettings,
    /// The policy that plays, without a `learner`.
    pub self_play: SelfPlaySettings,
    /// If it is there, moves of self-play are chosen by Dyna-2, with the weights that are learnt as its long-term memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dyna_2: Option<Dyna2Settings>,
    /// If it is there, a rule that learns from searches instead, and plays by them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learner: Option<LearnerSettings>,
    /// The search of a `learner`.
    pub search: TrainingSearchSettings,
    /// When weights are saved.
    pub checkpoints: CheckpointSettings,
    /// How progress is measured at each checkpoint.
    pub evaluation: EvaluationSettings,
}

impl Default for GridRecipe {
    fn default() -> Self {
        GridRecipe {
            game: GridGameName::ConnectFour,
            games: 50_000,
            seed: 1,
            threads: 1,
            evaluation_depth: 1,
            opening_moves: 2,
            annealing: 0,
            features: GridFeatures::default(),
            td: TdSettings::default(),
            self_play: SelfPlaySettings::default(),
            dyna_2: None,
            learner: None,
            search: TrainingSearchSettings { depth: 4, nodes: 0, table_mib: 1, ..TrainingSearchSettings::default() },
            checkpoints: CheckpointSettings::default(),
            evaluation: EvaluationSettings { opening_moves: 2, ..EvaluationSettings::default() },
        }
    }
}

impl GridRecipe {
    /// Reads the text of a recipe.
    pub fn parse(text: &str) -> Result<GridRecipe> {
        let recipe = recipe::from_toml_over(text, &GridRecipe::default())?;
        recipe.check()?;
        Ok(recipe)
    }

    fn check(&self) -> Result<()> {
        ensure!((1..=1024).contains(&self.threads), "threads = {}: expected 1 to 1024", self.threads);
        ensure!((1..1_000_000_000).contains(&self.games), "games = {}: expected 1 to 999,999,999", self.games);
        let depth = self.evaluation_depth;
        ensure!((1..=64).contains(&depth), "evaluation-depth = {depth}: expected 1 to 64");
        ensure!(self.opening_moves <= 100, "opening-moves = {}: expected 0 to 100", self.opening_moves);
        self.checkpoints.check(self.games)?;
        recipe::check_td(&self.td, &self.self_play)?;
        self.dyna_2.as_ref().map_or(Ok(()), recipe::check_dyna_2)?;
        if let Some(learner) = &self.learner {
            ensure!(
                self.dyna_2.is_none(),
                "dyna-2 chooses moves, and so does the search of learner: leave one of them out"
            );
            let usual = GridRecipe::default();
            ensure!(
                TdSettings { squash: self.td.squash, ..usual.td } == self.td && self.self_play == usual.self_play,
                "td and self-play are for learning without a learner, which has steps and moves of its own: leave all but td.squash out"
            );
            search_recipe::check_learner(learner)?;
            search_recipe::check_search(&self.search, learner, false)?;
            if let LearnerSettings::TdLeaf(settings) | LearnerSettings::TdDirected(settings) = learner {
                let longest: usize = match self.game {
                    GridGameName::TicTacToe => 9,
                    GridGameName::ConnectFour => 42,
                };
                let (least, most) = (settings.least_moves, longest.saturating_sub(self.opening_moves).div_ceil(2));
                ensure!(
                    least <= most,
                    "learner.least-moves = {least}: expected at most {most}, what each side can have behind opening-moves, or nothing \
                     is learnt"
                );
            }
        } else {
            let usual = GridRecipe::default();
            ensure!(
                self.search == usual.search,
                "search is what a learner learns from: name its rule, or leave search out"
            );
            recipe::check_no_annealing(self.annealing)?;
            ensure!(
                self.opening_moves == usual.opening_moves,
                "opening-moves are those of a learner's games: name its rule, or leave opening-moves out"
            );
        }
        Ok(())
    }
}

/// A game that is learnt so, and where it begins.
pub trait GridGame: Grid + Tactics + Deterministic + IndexedMoves + Playable {
    /// The first position.
    fn first() -> Self;
}

impl GridGame for TicTacToe {
    fn first() -> Self {
        TicTacToe::new()
    }
}

impl GridGame for ConnectFour {
    fn first() -> Self {
        ConnectFour::new()
    }
}

/// A recipe for a game that is known.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct GridLesson<G> {
    recipe: GridRecipe,
    #[serde(skip)]
    game: PhantomData<fn() -> G>,
}

impl<G> PartialEq for GridLesson<G> {
    fn eq(&self, other: &Self) -> bool {
        self.recipe == other.recipe
    }
}

impl<G: GridGame> GridLesson<G> {
    /// The lesson of a recipe of this game.
    pub fn new(recipe: GridRecipe) -> Self {
        GridLesson { recipe, game: PhantomData }
    }
}

impl<G: GridGame> Lesson for GridLesson<G> {
    type Game = G;
    type About = GridAgent;
    type Learner = GridLearner<G>;

    fn load(path: &Path) -> Result<Self> {
        recipe::read_file(path, GridRecipe::parse).map(GridLesson::new)
    }

    fn plan(&self) -> Plan<'_> {
        let GridRecipe { games, seed, threads, checkpoints, evaluation, .. } = &self.recipe;
        Plan { games: *games, unit: "games", seed: *seed, threads: *threads, checkpoints, evaluation }
    }

    fn essence(&self) -> Self {
        let (checkpoints, evaluation) = Default::default();
        let recipe = self.recipe.clone();
        GridLesson::new(GridRecipe { games: 1, threads: 1, evaluation_depth: 1, checkpoints, evaluation, ..recipe })
    }

    fn start(&self) -> G {
        G::first()
    }

    fn about(&self) -> Result<GridAgent> {
        Ok(GridAgent {
            grid_game: G::NAME.to_string(),
            sizes: self.recipe.features.sizes,
            squash: self.recipe.td.squash,
            games: 0,
            since_milestone: TrainingTotals::default(),
            origin: format!("afterstate {}\n{}", crate::version::VERSION, toml::to_string(&self.recipe)?),
        })
    }

    fn learner(&self, last: Option<&Checkpoint<GridAgent>>, _folder: &Path) -> Result<GridLearner<G>> {
        grid_learner(&self.recipe, last)
    }

    fn read(path: &Path) -> Result<Checkpoint<GridAgent>, CheckpointError> {
        let checkpoint = GridAgent::read(path)?;
        match checkpoint.value_in(&G::first()) {
            Ok(_) => Ok(checkpoint),
            Err(problem) => Err(CheckpointError::invalid(path, &problem, "expected a checkpoint of this recipe")),
        }
    }

    fn player(&self, checkpoint: &Checkpoint<GridAgent>) -> Result<Box<dyn Player<G>>> {
        let value = checkpoint.value_in(&self.start()).map_err(anyhow::Error::msg)?;
        let (value, depth) = (Arc::new(value), self.recipe.evaluation_depth);
        if depth == 1 {
            return Ok(Box::new(ValuePlayer::new(value)));
        }
        let settings = AlphaBetaSettings { depth, table_mib: 1, ..AlphaBetaSettings::default() };
        Ok(Box::new(AlphaBetaPlayer::new(AlphaBeta::indexed(value, settings), G::clone)))
    }

    fn uses(&self, folder: &str) -> Vec<(&'static str, String)> {
        let game = G::NAME;
        vec![
            ("Play against it here", format!("play --game {game} --agent alpha-beta:{folder}")),
            ("Let it search", format!("play --game {game} --agent dyna-2:2000,memory={folder}")),
            ("Measure it", format!("match --game {game} greedy:{folder} random --games 200")),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_can_be_read_back_and_says_no_more_than_it_has_to() {
        for text in [
            "game = \"connect-four\"\n[features]\n",
            "game = \"tic-tac-toe\"\n[td]\nlambda = 0.5\n[dyna-2]\nsimulations = 9\n",
            "annealing = 7\n[learner]\nrule = \"td-leaf\"\n[search]\ndepth = 3\n",
        ] {
            let recipe = GridRecipe::parse(text).unwrap();
            let written = toml::to_string(&recipe).unwrap();
            assert_eq!(GridRecipe::parse(&written).unwrap(), recipe);
            assert!(recipe.learner.is_some() || !written.contains("learner"));
            let lesson = GridLesson::<ConnectFour>::new(recipe.clone());
            assert!(lesson.learns_like(&GridLesson::new(GridRecipe { games: 3, threads: 2, ..recipe.clone() })));
            assert!(!lesson.learns_like(&GridLesson::new(GridRecipe { seed: 2, ..recipe })));
        }
    }

    #[test]
    fn what_a_table_does_not_say_stays_as_it_is() {
        let usual = GridRecipe::default();
        let text = "[learner]\nrule = \"td-leaf\"\n[search]\ndepth = 2\n[evaluation]\ngames = 7\n";
        let recipe = GridRecipe::parse(text).unwrap();
        assert_eq!(recipe.search, TrainingSearchSettings { depth: 2, ..usual.search });
        assert_eq!(recipe.evaluation, EvaluationSettings { games: 7, ..usual.evaluation });
    }

    #[test]
    fn mistakes_are_named_in_one_line() {
        for (text, part) in [
            ("gmaes = 5", "gmaes"),
            ("annealing = 3\n[td]\nlambda = 0.5", "annealing = 3"),
            ("[td]\nlambda = 0.5\n[search]\ndepth = 3", "search is what a learner learns from"),
            ("game = \"go\"", "connect-four"),
            ("evaluation-depth = 0", "evaluation-depth = 0"),
            ("[features]\nsizes = [4]", "1, 2, 3"),
            ("[td]\nstep-size = -1", "td.step-size"),
            ("[learner]\nrule = \"td-leaf\"\n[dyna-2]", "leave one of them out"),
            ("[learner]\nrule = \"td-leaf\"\n[search]\ndepth = 64\nnodes = 0", "search.nodes = 0"),
            ("[learner]\nrule = \"td-leaf\"\nstep-size = 0.0", "learner.step-size"),
        ] {
            let message = format!("{:#}", GridRecipe::parse(text).unwrap_err());
            assert!(message.contains(part) && !message.contains('\n'), "{text}: {message}");
        }
    }
}
