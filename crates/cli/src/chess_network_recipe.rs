//! Recipes of chess with a network, learnt from games that the tournament search plays against itself.

use crate::chess_network_learner::ChessNetworkLearner;
use crate::lesson::{Lesson, Plan};
use crate::recipe::{self, CheckpointSettings, EvaluationSettings};
use crate::search_recipe::{SearchedGame, annealed_step, uses_of_chess};
use crate::sources::Sources;
use afterstate_arena::{Player, TournamentPlayer};
use afterstate_engine::learning::{OutcomeStrapSettings, TournamentSelfPlaySettings, TrainingTotals};
use afterstate_engine::value::chess_network::{ChessNetwork, GROUP, MOST_BUCKETS, MOST_HIDDEN};
use afterstate_engine::value::{Checkpoint, CheckpointError, ChessNetworkAgent, QuantizedNetwork};
use afterstate_games::{Chess, stream};
use anyhow::{Result, ensure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Positions that stand for a game where games are replayed: about as many as are worth learning in one.
pub const REPLAYED: usize = 50;

/// What `train` does for a network of chess. Every key but `game` and `hidden` has a default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ChessNetworkRecipe {
    /// The game that is learnt.
    pub game: SearchedGame,
    /// Hidden units, a multiple of 16.
    pub hidden: usize,
    /// Buckets of positions by how many men are left, each with outputs of its own.
    pub buckets: usize,
    /// Games of self-play.
    pub games: u64,
    /// Game number i draws from stream i of this seed.
    pub seed: u64,
    /// Games at once; with one it is reproducible to the bit.
    pub threads: usize,
    /// Who plays the first games, from which the network learns what it begins with: a run that learnt chess, named as agents name
    /// theirs. Nobody: the network itself, which knows nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taught_by: Option<String>,
    /// How many games, the first ones, those of `taught-by` are.
    pub taught_games: u64,
    /// The folder of a run for a network of chess, whatever its shape. The first games are not played: the positions that this run has
    /// [kept](ChessNetworkRecipe::kept_positions) are learnt in their place, the oldest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replays: Option<PathBuf>,
    /// How many games, the first ones, come from `replays`, 50 positions each.
    pub replayed_games: u64,
    /// So many of the last positions stay beside the checkpoints, for other runs to learn from; in any case those of the window.
    pub kept_positions: usize,
    /// How games are played.
    pub self_play: TournamentSelfPlaySettings,
    /// How they are learnt from.
    pub learner: OutcomeStrapSettings,
    /// After so many games the step size is half of what it was at first, after twice as many a third, and so on; 0: it stays.
    pub annealing: u64,
    /// What is saved and played with are the means of the weights over about so many games.
    pub averaging: u64,
    /// When weights are saved.
    pub checkpoints: CheckpointSettings,
    /// How progress is measured at each checkpoint.
    pub evaluation: EvaluationSettings,
    /// Positions that tournament search looks at for a move of these games.
    pub evaluation_nodes: u64,
}

impl Default for ChessNetworkRecipe {
    fn default() -> Self {
        ChessNetworkRecipe {
            game: SearchedGame::Chess,
            hidden: 64,
            buckets: 8,
            games: 500_000,
            seed: 1,
            threads: 1,
            taught_by: None,
            taught_games: 0,
            replays: None,
            replayed_games: 0,
            kept_positions: 0,
            self_play: TournamentSelfPlaySettings::default(),
            learner: OutcomeStrapSettings::default(),
            annealing: 200_000,
            averaging: 1_000,
            checkpoints: CheckpointSettings { first: 1_000, ..CheckpointSettings::default() },
            evaluation: EvaluationSettings { games: 40, opening_moves: 4, ..EvaluationSettings::default() },
            evaluation_nodes: 2_000,
        }
    }
}

impl ChessNetworkRecipe {
    /// Reads the text of a recipe.
    pub fn parse(text: &str) -> Result<ChessNetworkRecipe> {
        let recipe = recipe::from_toml_over(text, &ChessNetworkRecipe::default())?;
        recipe.check()?;
        Ok(recipe)
    }

    fn check(&self) -> Result<()> {
        ensure!((1..=1024).contains(&self.threads), "threads = {}: expected 1 to 1024", self.threads);
        ensure!((1..1_000_000_000).contains(&self.games), "games = {}: expected 1 to 999,999,999", self.games);
        ensure!(
            ChessNetwork::can_have(self.hidden, 1),
            "hidden = {}: expected a multiple of {GROUP} up to {MOST_HIDDEN}",
            self.hidden
        );
        ensure!(
            ChessNetwork::can_have(self.hidden, self.buckets),
            "buckets = {}: expected 1 to {MOST_BUCKETS}",
            self.buckets
        );
        ensure!(
            self.taught_by.is_some() == (self.taught_games > 0),
            "taught-by and taught-games belong together: name a run and a number of games, or leave both out"
        );
        ensure!(
            self.replays.is_some() == (self.replayed_games > 0),
            "replays and replayed-games belong together: name a run and a number of games, or leave both out"
        );
        ensure!(
            self.taught_games == 0 || self.taught_games > self.replayed_games,
            "taught-games = {}: expected more than the {} replayed-games, or the teacher never plays",
            self.taught_games,
            self.replayed_games
        );
        ensure!(self.replayed_games < 1 << 30, "replayed-games = {}: expected less than 2^30", self.replayed_games);
        let TournamentSelfPlaySettings { nodes, opening_moves, sure, won, uneven, move_limit, table_mib } =
            self.self_play;
        ensure!((1..=1_000_000_000).contains(&nodes), "self-play.nodes = {nodes}: expected 1 to 1e9");
        ensure!(opening_moves <= 100, "self-play.opening-moves = {opening_moves}: expected 0 to 100");
        ensure!(sure > 0, "self-play.sure = 0: expected 1 or more searches");
        ensure!(won > 0, "self-play.won = {won}: expected a number above 0");
        ensure!(uneven > 0, "self-play.uneven = {uneven}: expected a number above 0, or no game is played");
        ensure!(
            (opening_moves as usize + 2..=1_000_000).contains(&move_limit),
            "self-play.move-limit = {move_limit}: expected more than self-play.opening-moves, up to 1,000,000"
        );
        ensure!((1..=65_536).contains(&table_mib), "self-play.table-mib = {table_mib}: expected 1 to 65536");
        let OutcomeStrapSettings { step_size, search_share, batch, reuse, window, first } = self.learner;
        ensure!(
            step_size.is_finite() && step_size > 0.0,
            "learner.step-size = {step_size}: expected a positive number"
        );
        recipe::unit("learner.search-share", search_share)?;
        ensure!((1..=1 << 20).contains(&batch), "learner.batch = {batch}: expected 1 to {}", 1 << 20);
        ensure!((0.0..=1000.0).contains(&reuse), "learner.reuse = {reuse}: expected 0 to 1000");
        ensure!((1..=1 << 30).contains(&window), "learner.window = {window}: expected 1 to {}", 1 << 30);
        ensure!((1..=window).contains(&first), "learner.first = {first}: expected 1 to learner.window, {window}");
        ensure!(self.averaging > 0, "averaging = 0: expected 1 or more games");
        ensure!(
            (1..=1_000_000_000).contains(&self.evaluation_nodes),
            "evaluation-nodes = {}: expected 1 to 1e9",
            self.evaluation_nodes
        );
        self.checkpoints.check(self.games)
    }

    /// The step size in game number `number`, the first being 0.
    pub fn step_size_at(&self, number: u64) -> f32 {
        annealed_step(self.learner.step_size, self.annealing, number)
    }

    /// The network before the first game.
    pub fn first_network(&self) -> ChessNetwork {
        // A stream that no game draws from.
        ChessNetwork::random(self.hidden, self.buckets, &mut stream(self.seed, u64::MAX))
    }
}

impl Lesson for ChessNetworkRecipe {
    type Game = Chess;
    type About = ChessNetworkAgent;
    type Learner = ChessNetworkLearner;

    fn load(path: &Path) -> Result<ChessNetworkRecipe> {
        recipe::read_file(path, ChessNetworkRecipe::parse)
    }

    fn plan(&self) -> Plan<'_> {
        let ChessNetworkRecipe { games, seed, threads, checkpoints, evaluation, .. } = self;
        Plan { games: *games, unit: "games", seed: *seed, threads: *threads, checkpoints, evaluation }
    }

    fn essence(&self) -> ChessNetworkRecipe {
        let (checkpoints, evaluation) = Default::default();
        let (games, threads, kept_positions, evaluation_nodes) = (1, 1, 0, 1);
        ChessNetworkRecipe { games, threads, kept_positions, checkpoints, evaluation, evaluation_nodes, ..self.clone() }
    }

    fn start(&self) -> Chess {
        Chess::new()
    }

    fn about(&self) -> Result<ChessNetworkAgent> {
        Ok(ChessNetworkAgent {
            chess_hidden: self.hidden,
            chess_buckets: self.buckets,
            games: 0,
            since_milestone: TrainingTotals::default(),
            origin: format!("afterstate {}\n{}", crate::version::VERSION, toml::to_string(self)?),
        })
    }

    fn sources(&self, done: u64) -> Sources {
        let teacher = self.taught_by.iter().filter(|_| done < self.taught_games);
        teacher.fold(Sources::default(), |all, name| all.with_weights("taught-by", name))
    }

    fn learner(&self, last: Option<&Checkpoint<ChessNetworkAgent>>, folder: &Path) -> Result<ChessNetworkLearner> {
        ChessNetworkLearner::new(self, last, folder)
    }

    fn read(path: &Path) -> Result<Checkpoint<ChessNetworkAgent>, CheckpointError> {
        ChessNetworkAgent::read(path)
    }

    fn player(&self, checkpoint: &Checkpoint<ChessNetworkAgent>) -> Result<Box<dyn Player<Chess>>> {
        let evaluation = QuantizedNetwork::new(&checkpoint.network());
        Ok(Box::new(TournamentPlayer::new(evaluation, Default::default(), self.evaluation_nodes)))
    }

    fn uses(&self, folder: &str) -> Vec<(&'static str, String)> {
        uses_of_chess(folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_that_names_chess_and_hidden_units_is_complete() {
        let recipe = ChessNetworkRecipe::parse("game = \"chess\"\nhidden = 64\n").unwrap();
        assert_eq!(recipe, ChessNetworkRecipe::default());
        assert_eq!(ChessNetworkRecipe::parse(&toml::to_string(&recipe).unwrap()).unwrap(), recipe);
        assert!(recipe.learns_like(&ChessNetworkRecipe { games: 9, threads: 2, kept_positions: 9, ..recipe.clone() }));
        assert!(!recipe.learns_like(&ChessNetworkRecipe { seed: 9, ..recipe.clone() }));
        assert_eq!((recipe.step_size_at(0), recipe.step_size_at(200_000)), (1e-3, 5e-4));
    }

    #[test]
    fn mistakes_are_named_in_one_line() {
        for (text, part) in [
            ("hidden = 65", "hidden = 65: expected a multiple of 16"),
            ("buckets = 0", "buckets = 0: expected 1 to 31"),
            ("replays = \"runs/chess\"", "replays and replayed-games belong together"),
            ("taught-games = 5", "taught-by and taught-games belong together"),
            ("taught-by = \"runs/chess\"", "taught-by and taught-games belong together"),
            (
                "taught-by = \"a\"\ntaught-games = 5\nreplays = \"b\"\nreplayed-games = 5",
                "taught-games = 5: expected more than the 5 replayed-games",
            ),
            ("[self-play]\nnodes = 0", "self-play.nodes = 0"),
            ("[self-play]\nmove-limit = 8", "self-play.move-limit = 8"),
            ("[learner]\nsearch-share = 1.5", "learner.search-share"),
            ("[learner]\nfirst = 10\nwindow = 5", "learner.first = 10: expected 1 to learner.window, 5"),
            ("[learner]\nlambda = 1", "lambda"),
        ] {
            let message = format!("{:#}", ChessNetworkRecipe::parse(text).unwrap_err());
            assert!(message.contains(part) && !message.contains('\n'), "{text}: {message}");
        }
    }
}
