//! Recipes of playout policies for Go, which are learnt by imitation and by simulation balancing.

use crate::agent::{Agent, AgentSpec};
use crate::balance_learner::BalanceLearner;
use crate::lesson::{Lesson, Plan};
use crate::recipe::{self, CheckpointSettings, EvaluationSettings};
use crate::registry::GoSearcher;
use crate::sources::Sources;
use afterstate_arena::mcts_player::TeacherSettings;
use afterstate_arena::{GoConduct, MctsPlayer, MctsPlayerSettings, Player};
use afterstate_engine::learning::{BalancingSettings, ImitationSettings, TrainingTotals};
use afterstate_engine::search::{Experience, FuegoPrior, GoOwnership, McRave, Mcts, MctsSettings, PlayOut};
use afterstate_engine::value::{Checkpoint, CheckpointError, PlayoutAgent};
use afterstate_games::go::{Go, Komi, MAX_SIZE, MIN_SIZE};
use anyhow::{Context, Result, ensure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How such a recipe says what it is: `learner = "simulation-balancing"`.
pub const LEARNER: &str = "simulation-balancing";

/// The learner of such a recipe. It has to be named: without it a recipe of Go is one of local shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BalanceLearnerName {
    /// Simulation balancing, after imitation.
    #[default]
    SimulationBalancing,
}

/// What `train` does for playouts. Every other key has a default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct BalanceRecipe {
    /// How it learns.
    pub learner: BalanceLearnerName,
    /// The game whose playouts are learnt.
    pub game: recipe::LearntGame,
    /// Points along one edge.
    pub board_size: usize,
    /// White's compensation.
    #[schemars(with = "f64")]
    pub komi: Komi,
    /// Games of the teacher.
    pub games: u64,
    /// Game number i draws from a stream of its own of this seed.
    pub seed: u64,
    /// Threads that play; they change nothing else.
    pub threads: usize,
    /// Who plays the games and says what positions are worth: a tree search.
    pub teacher: String,
    /// How it plays.
    pub teaching: TeacherSettings,
    /// After each of the first so many games, moves are imitated; after the others, values are balanced.
    pub imitated_games: u64,
    /// Steps of either kind after each game.
    pub steps_per_game: u32,
    /// Learning to play what the teacher plays.
    pub imitation: ImitationSettings,
    /// Learning to end as often as positions are worth.
    pub balancing: BalancingSettings,
    /// If it is not 0, balancing's steps after n games of it are shorter by the factor 1 / (1 + n / `annealing`).
    pub annealing: u64,
    /// When weights are saved.
    pub checkpoints: CheckpointSettings,
    /// How progress is measured at each checkpoint, in games of MC-RAVE with 100 simulations for a move.
    pub evaluation: EvaluationSettings,
}

impl Default for BalanceRecipe {
    fn default() -> Self {
        BalanceRecipe {
            learner: BalanceLearnerName::SimulationBalancing,
            game: recipe::LearntGame::Go,
            board_size: 9,
            komi: Komi::DEFAULT,
            games: 1_500,
            seed: 1,
            threads: 1,
            teacher: "mc-rave,solver=true".to_string(),
            teaching: TeacherSettings::default(),
            imitated_games: 500,
            steps_per_game: 1,
            imitation: ImitationSettings::default(),
            balancing: BalancingSettings::default(),
            annealing: 500,
            checkpoints: CheckpointSettings::default(),
            evaluation: EvaluationSettings { games: 0, ..EvaluationSettings::default() },
        }
    }
}

impl BalanceRecipe {
    /// Reads the text of a recipe.
    pub fn parse(text: &str) -> Result<BalanceRecipe> {
        let recipe = recipe::from_toml_over(text, &BalanceRecipe::default())?;
        recipe.check()?;
        Ok(recipe)
    }

    fn check(&self) -> Result<()> {
        let size = self.board_size;
        ensure!((MIN_SIZE..=MAX_SIZE).contains(&size), "board-size = {size}: expected {MIN_SIZE} to {MAX_SIZE}");
        ensure!((1..=1024).contains(&self.threads), "threads = {}: expected 1 to 1024", self.threads);
        ensure!((1..1_000_000).contains(&self.games), "games = {}: expected 1 to 999,999", self.games);
        ensure!(self.steps_per_game <= 1000, "steps-per-game = {}: expected 0 to 1000", self.steps_per_game);
        let TeacherSettings { quick, deep, deep_share, opening_moves, wandering, decided } = self.teaching;
        for (name, simulations) in [("quick", quick), ("deep", deep)] {
            let known = (1..=1_000_000_000).contains(&simulations);
            ensure!(known, "teaching.{name} = {simulations}: expected 1 to 1,000,000,000 simulations");
        }
        recipe::unit("teaching.deep-share", deep_share)?;
        recipe::unit("teaching.wandering", wandering)?;
        ensure!((0.0..0.5).contains(&decided), "teaching.decided = {decided}: expected 0 to below 0.5");
        ensure!(opening_moves <= 1000, "teaching.opening-moves = {opening_moves}: expected 0 to 1000");
        for (name, number) in [
            ("imitation.batch", self.imitation.batch),
            ("balancing.batch", self.balancing.batch),
            ("balancing.playouts", self.balancing.playouts),
            ("balancing.gradient-playouts", self.balancing.gradient_playouts),
        ] {
            ensure!((1..=1_000_000).contains(&number), "{name} = {number}: expected 1 to 1,000,000");
        }
        for (name, step) in
            [("imitation.step-size", self.imitation.step_size), ("balancing.step-size", self.balancing.step_size)]
        {
            ensure!(step.is_finite() && step > 0.0, "{name} = {step}: expected a positive number");
        }
        self.teacher_agent()?;
        self.checkpoints.check(self.games)
    }

    fn teacher_agent(&self) -> Result<Agent> {
        let named = || format!("teacher = \"{}\"", self.teacher);
        let agent = AgentSpec::parse(&self.teacher).with_context(named)?.agent;
        ensure!(
            matches!(agent, Agent::MonteCarlo(_)) && !self.teacher.starts_with("flat-mc"),
            "{}: expected a tree search: mcts, uct, rave or mc-rave",
            named()
        );
        if let Agent::MonteCarlo(agent) = &agent {
            let threads = agent.search.threads;
            ensure!(
                threads <= 1,
                "{}: with {threads} threads games would not be the same again: leave threads out",
                named()
            );
        }
        Ok(agent)
    }

    /// Makes teachers' searches.
    pub fn searcher(&self) -> Result<GoSearcher> {
        GoSearcher::of(&self.teacher_agent()?, self.board_size)?.context("every Monte-Carlo agent searches")
    }
}

impl Lesson for BalanceRecipe {
    type Game = Go;
    type About = PlayoutAgent;
    type Learner = BalanceLearner;

    fn load(path: &Path) -> Result<BalanceRecipe> {
        recipe::read_file(path, BalanceRecipe::parse)
    }

    fn plan(&self) -> Plan<'_> {
        let BalanceRecipe { games, seed, threads, checkpoints, evaluation, .. } = self;
        Plan { games: *games, unit: "games", seed: *seed, threads: *threads, checkpoints, evaluation }
    }

    fn essence(&self) -> BalanceRecipe {
        let checkpoints = CheckpointSettings::default();
        let evaluation = BalanceRecipe::default().evaluation;
        BalanceRecipe { games: 1, threads: 1, checkpoints, evaluation, ..self.clone() }
    }

    fn start(&self) -> Go {
        let points = (self.board_size * self.board_size) as u16;
        Go::new(self.board_size).with_komi(self.komi).with_move_limit(3 * points)
    }

    fn about(&self) -> Result<PlayoutAgent> {
        Ok(PlayoutAgent {
            learner: LEARNER.to_string(),
            board_size: self.board_size,
            komi: self.komi,
            games: 0,
            since_milestone: TrainingTotals::default(),
            origin: format!("afterstate {}\n{}", crate::version::VERSION, toml::to_string(self)?),
        })
    }

    fn sources(&self, _done: u64) -> Sources {
        Sources::default().with_agent("teacher", &self.teacher)
    }

    fn learner(&self, last: Option<&Checkpoint<PlayoutAgent>>, folder: &Path) -> Result<BalanceLearner> {
        BalanceLearner::open(self, last, folder)
    }

    fn read(path: &Path) -> Result<Checkpoint<PlayoutAgent>, CheckpointError> {
        PlayoutAgent::read(path)
    }

    fn player(&self, checkpoint: &Checkpoint<PlayoutAgent>) -> Result<Box<dyn Player<Go>>> {
        let settings = MctsSettings { simulations: 100, memory_mib: 8, ..MctsSettings::default() };
        let prior = FuegoPrior::new(Experience { monte_carlo: 5, amaf: 9 });
        let playout = PlayOut(checkpoint.policy());
        let search = Mcts::with(McRave::default(), playout, prior, GoOwnership::default(), settings);
        Ok(Box::new(MctsPlayer::new(Box::new(search), GoConduct, MctsPlayerSettings::default())))
    }

    fn uses(&self, folder: &str) -> Vec<(&'static str, String)> {
        let board = recipe::board_options(self.board_size, self.komi);
        vec![
            ("Play against it here", format!("play {board} --agent mc-rave:3000,playout=softmax:{folder}")),
            (
                "Measure it",
                format!("match {board} mc-rave:500,playout=softmax:{folder} mc-rave:500 --games 100 --opening 2"),
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_effective_settings_can_be_read_back() {
        let recipe = BalanceRecipe::parse("learner = \"simulation-balancing\"").unwrap();
        assert_eq!(recipe, BalanceRecipe::default());
        assert_eq!(BalanceRecipe::parse(&toml::to_string(&recipe).unwrap()).unwrap(), recipe);
    }

    #[test]
    fn mistakes_are_named_in_one_line() {
        for (text, part) in [
            ("board-size = 4", "expected 5 to 19"),
            ("games = 0", "games"),
            ("gmaes = 1", "gmaes"),
            ("threads = 0", "threads"),
            ("teacher = \"random\"", "expected a tree search"),
            ("teacher = \"flat-mc:5\"", "expected a tree search"),
            ("teacher = \"mc-rave,nonsense=1\"", "nonsense"),
            ("[teaching]\ndeep-share = 2.0", "teaching.deep-share"),
            ("[teaching]\nquick = 0", "teaching.quick"),
            ("[teaching]\ndecided = 0.5", "teaching.decided"),
            ("[balancing]\nplayouts = 0", "balancing.playouts"),
            ("[balancing]\nstep-size = -1.0", "balancing.step-size"),
            ("[imitation]\nbatch = 0", "imitation.batch"),
        ] {
            let message = format!("{:#}", BalanceRecipe::parse(text).unwrap_err());
            assert!(message.contains(part) && !message.contains('\n'), "{text}: {message}");
        }
    }
}
