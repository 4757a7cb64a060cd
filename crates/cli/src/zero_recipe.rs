//! Recipes of AlphaZero and Go-Exploit: a residual network that learns from searches that it leads.
//!
//! A recipe names a preset, one of the paper's learners, and a scale; what it says besides replaces what these say.

use crate::agent::monte_carlo::Method;
use crate::agent::{Agent, AgentSpec};
use crate::lesson::{Lesson, Plan, RANDOM, Yardstick};
use crate::recipe::{self, CheckpointSettings, EvaluationSettings};
use crate::sources::Sources;
use crate::zero_game::{NO_TREE, ZeroGame};
use crate::zero_learner::ZeroLearner;
use crate::zero_presets;
use afterstate_arena::mcts_player::ExpertSettings;
use afterstate_arena::{MctsPlayer, MctsPlayerSettings, Player, RandomPlayer, RecordedGames};
use afterstate_engine::learning::TrainingTotals;
use afterstate_engine::search::{
    FirstPlay, Mcts, MctsSettings, NetworkSearch, NetworkSearchSettings, PlayOut, PuctSettings, Uct,
};
use afterstate_engine::value::{Checkpoint, CheckpointError};
use afterstate_engine::zero::{
    ActorSettings, Branching, EvaluationServer, Interest, KataGoSettings, MakeExpert, Network, PlayoutCap,
    ServerSettings, ZeroSettings,
};
use afterstate_games::go::{Go, Komi, MAX_SIZE, MIN_SIZE};
use afterstate_games::{UniformPlayout, stream};
use afterstate_nets::{Architecture, Backend, DeviceName, NetworkSize, OptimizerSettings, ResidualAgent, agent};
use anyhow::{Context, Result, ensure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A learner of the paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// All trajectories start at the first position.
    #[default]
    Alphazero,
    /// Go-Exploit: visited states, expanding archive.
    Geve,
    /// Go-Exploit: visited states, circular archive.
    Gevc,
    /// Go-Exploit: states met in searches, reservoir.
    Gesr,
    /// Go-Exploit: states met in searches, circular archive.
    Gesc,
    /// AlphaZero with KataGo's trajectory initialisation.
    Akti,
    /// AlphaZero with KataGo's branching.
    Akb,
    /// AlphaZero with both.
    Aktib,
    /// GESC with branching.
    GescKb,
    /// GESC with playout-cap randomisation.
    GescKpcr,
    /// GESC with forced playouts and policy target pruning.
    GescKfp,
    /// GESC with these three.
    #[serde(rename = "gesc-3k")]
    Gesc3k,
}

/// How much of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ZeroScale {
    /// As in the paper, whose program had large GPUs. Unless `device` names one, this runs on the processor, for which it is far too much.
    Paper,
    /// The same on one GPU, for which many games are played at once.
    Gpu,
    /// About an hour on two cores.
    #[default]
    Laptop,
}

/// Games that are learnt so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ZeroGameName {
    /// Tic-tac-toe.
    TicTacToe,
    /// Connect Four.
    #[default]
    ConnectFour,
    /// Go.
    Go,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What `train` does for such a recipe. Every key has a default that preset, scale and game decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ZeroRecipe {
    /// The game that is learnt.
    pub game: ZeroGameName,
    /// Which learner.
    pub preset: Preset,
    /// How much of it.
    pub scale: ZeroScale,
    /// Points along one edge, in Go.
    pub board_size: usize,
    /// White's compensation, in Go.
    #[schemars(with = "f64")]
    pub komi: Komi,
    /// Learning steps.
    pub steps: u64,
    /// All random choices come from it.
    pub seed: u64,
    /// Threads that play; one that plays one game after the other, on the processor, is reproducible to the bit.
    pub threads: usize,
    /// Whether examples are turned and mirrored at random.
    pub augment: bool,
    /// The tree search whose games are learnt from instead of those that the network leads, as for `--agent`. Of `self-play` it takes
    /// `temperature`, `sampled-moves` and `early-end`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expert: Option<String>,
    /// Logs of matches, or folders of them, whose games are learnt from instead, again and again. A path is one from the current folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub games: Vec<PathBuf>,
    /// More of them, of which outcomes are learnt but not the moves: those of weaker players.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes_of: Vec<PathBuf>,
    /// Positions of the expert's trees are learnt from, too, that it visited so often; 0, the default: only those of games.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub expert_visits: u32,
    /// A checkpoint whose weights the network begins with, named as agents name theirs, and like these found from where the program is
    /// run; none: random weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_weights: Option<String>,
    /// Where the network works: `cpu`, or a graphics card.
    #[schemars(with = "String")]
    pub device: DeviceName,
    /// How large the network is.
    pub network: NetworkSize,
    /// How it follows its gradients.
    pub optimizer: OptimizerSettings,
    /// How trajectories are played, where they start, and how they become learning steps.
    #[serde(flatten)]
    pub zero: ZeroSettings,
    /// When weights are saved, in steps.
    pub checkpoints: CheckpointSettings,
    /// How progress is measured at each checkpoint.
    pub evaluation: EvaluationSettings,
    /// Who else is met there: MCTS-Solvers with so many times the learner's simulations for a move.
    pub solvers: Vec<f64>,
}

/// All examples of a step are laid out before it begins.
const MOST_EXAMPLES: usize = 1 << 24;

impl ZeroRecipe {
    /// Reads the text of a recipe: what its preset, scale and game say, and over that what it says itself.
    pub fn parse(text: &str) -> Result<ZeroRecipe> {
        let recipe = zero_presets::read(&recipe::from_toml(text)?)?;
        recipe.check()?;
        Ok(recipe)
    }

    /// Who plays instead of the network, if somebody does.
    pub fn experts<G: ZeroGame>(&self, first: &G) -> Result<Option<MakeExpert<G>>> {
        if !self.games.is_empty() {
            let (start, seed) = (&first.unlimited(), self.seed);
            let mut games = RecordedGames::read(first, start, &self.games, seed).context("games")?;
            if !self.outcomes_of.is_empty() {
                games = games.and_outcomes_of(first, start, &self.outcomes_of, seed).context("outcomes-of")?;
            }
            return Ok(Some(Arc::new(move || Box::new(games.clone()))));
        }
        let Some(expert) = &self.expert else { return Ok(None) };
        let agent = AgentSpec::parse(expert)?.agent;
        let ActorSettings { temperature, sampled_moves, early_end, .. } = self.zero.self_play;
        let least_visits = self.expert_visits;
        let settings = ExpertSettings { temperature, sampled_moves, early_end, least_visits };
        first.experts(&agent, settings).map(Some).with_context(|| format!("expert = \"{expert}\""))
    }

    /// What a network of this `architecture` begins with.
    pub fn first_weights(&self, architecture: &Architecture) -> Result<Vec<f32>> {
        // A stream that no game draws from.
        let random = || architecture.random(&mut stream(self.seed, u64::MAX));
        let Some(name) = &self.first_weights else { return Ok(random()) };
        let checkpoint = ResidualAgent::load(name).with_context(|| format!("first-weights = \"{name}\""))?;
        let about = &checkpoint.about;
        // Another head stands behind all else.
        let begun = Architecture { ownership: about.network.ownership || architecture.ownership, ..about.network };
        ensure!(
            begun == *architecture,
            "first-weights = \"{name}\": a network of {}, for {}; the recipe's is one of {}",
            shape(&about.network),
            about.game,
            shape(architecture)
        );
        let mut weights = random();
        weights[..checkpoint.weights.len()].copy_from_slice(&checkpoint.weights);
        Ok(weights)
    }

    fn check(&self) -> Result<()> {
        let sizes = MIN_SIZE..=MAX_SIZE;
        ensure!(sizes.contains(&self.board_size), "board-size = {}: expected {sizes:?}", self.board_size);
        let usual = zero_presets::recipe(zero_presets::Named::default());
        ensure!(
            self.game == ZeroGameName::Go || (self.board_size, self.komi) == (usual.board_size, usual.komi),
            "board-size and komi are Go's: leave them out, or say game = \"go\""
        );
        ensure!((1..=1024).contains(&self.threads), "threads = {}: expected 1 to 1024", self.threads);
        ensure!((1..1_000_000_000).contains(&self.steps), "steps = {}: expected 1 to 999,999,999", self.steps);
        ensure!(
            !self.network.details || self.game == ZeroGameName::Go,
            "network.details: only positions of Go have some: leave it out"
        );
        if self.network.ownership {
            ensure!(
                self.game == ZeroGameName::Go,
                "network.ownership: only points of Go belong to somebody in the end: leave it out"
            );
            ensure!(
                self.device == DeviceName::Cpu,
                "network.ownership is learnt on the processor: say device = \"cpu\""
            );
        }
        let network = self.network.architecture(&Go::new(self.board_size));
        ensure!(network.problem().is_none(), "network: {}", network.problem().unwrap_or_default());
        let ZeroSettings { self_play, archive, batching, replay, play_ahead: _ } = &self.zero;
        // A tree of more would not fit into memory, and no learner wants as many.
        ensure!(
            (2..=1_000_000).contains(&self_play.iterations),
            "self-play.iterations = {}: expected 2 to 1,000,000",
            self_play.iterations
        );
        recipe::unit("self-play.noise", self_play.noise)?;
        recipe::unit("self-play.early-end", self_play.early_end)?;
        let positive = |name: &str, number: f32| {
            ensure!(number.is_finite() && number > 0.0, "{name} = {number}: expected a positive number");
            Ok(())
        };
        positive("self-play.noise-concentration", self_play.noise_concentration)?;
        positive("self-play.temperature", self_play.temperature)?;
        positive("self-play.puct.exploration", self_play.puct.exploration)?;
        if let FirstPlay::Reduced(reduction) = self_play.puct.first_play {
            ensure!(
                (0.0..=2.0).contains(&reduction),
                "self-play.puct.first-play: reduced = {reduction}: expected 0 to 2"
            );
        }
        let forced = self_play.puct.forced_playouts;
        ensure!((0.0..=1000.0).contains(&forced), "self-play.puct.forced-playouts = {forced}: expected 0 to 1000");
        check_katago(&self_play.katago, self_play.iterations)?;
        if let Some(archive) = archive {
            recipe::unit("archive.initial", archive.initial)?;
            let has_room = archive.capacity > 0 || archive.keep == afterstate_engine::zero::Keep::Expanding;
            ensure!(has_room, "archive.capacity = 0: expected at least 1, or keep = \"expanding\"");
        }
        if let Some(expert) = &self.expert {
            let searched = archive.is_some_and(|archive| archive.interest == Interest::Searched);
            ensure!(!searched, "archive.interest = \"searched\": an expert shows only what it visits; try preset gevc");
            let spec = AgentSpec::parse(expert).with_context(|| format!("expert = \"{expert}\""))?;
            let searches = match &spec.agent {
                Agent::MonteCarlo(agent) => agent.method != Method::Flat,
                Agent::Puct(_) => {
                    ensure!(
                        self.expert_visits == 0,
                        "expert-visits: puct shows only the games that it plays: leave it out"
                    );
                    true
                }
                _ => false,
            };
            ensure!(searches, "expert = \"{expert}\": {NO_TREE}");
        }
        if self.games.is_empty() {
            ensure!(
                self.outcomes_of.is_empty(),
                "outcomes-of: somebody has to teach moves, too: expected games beside it"
            );
        } else {
            ensure!(self.expert.is_none(), "games: they are learnt from instead of an expert's: leave one of both out");
            ensure!(
                archive.is_none(),
                "games: they begin where they began, so there is no archive; try preset alphazero"
            );
        }
        let visits = self.expert_visits;
        ensure!(visits == 0 || self.expert.is_some(), "expert-visits = {visits}: expected an expert beside it");
        let games = batching.games;
        ensure!((1..=65_536).contains(&games), "batching.games = {games}: expected 1 to 65,536");
        if let Some(ServerSettings { batch, deadline, networks }) = batching.server {
            ensure!((1..=65_536).contains(&batch), "batching.server.batch = {batch}: expected 1 to 65,536");
            ensure!(deadline <= 10_000_000, "batching.server.deadline = {deadline}: expected at most 10,000,000 µs");
            ensure!((1..=64).contains(&networks), "batching.server.networks = {networks}: expected 1 to 64");
        }
        recipe::unit("replay.lambda", replay.lambda)?;
        ensure!((2..=65_536).contains(&replay.batch), "replay.batch = {}: expected 2 to 65,536", replay.batch);
        ensure!(replay.step > 0, "replay.step = 0: expected at least one example for a step");
        let most = MOST_EXAMPLES / replay.batch;
        ensure!(
            (1..=most).contains(&replay.batches),
            "replay.batches = {}: expected 1 to {most}, so that a step learns from {MOST_EXAMPLES} examples at most",
            replay.batches
        );
        ensure!(
            replay.capacity >= replay.step && replay.capacity < 1 << 31,
            "replay.capacity = {}: expected {} to 2,147,483,647",
            replay.capacity,
            replay.step
        );
        check_optimizer(&self.optimizer)?;
        for (number, factor) in self.solvers.iter().enumerate() {
            ensure!((0.01..=1e6).contains(factor), "solvers: {factor}: expected 0.01 to 1,000,000");
            ensure!(!self.solvers[..number].contains(factor), "solvers: {factor} stands there twice: expected it once");
        }
        self.checkpoints.check(self.steps)
    }
}

/// How a network is built, for people.
fn shape(architecture: &Architecture) -> String {
    let Architecture { planes, height, width, moves: _, blocks, filters, hidden, ownership } = architecture;
    let ownership = if *ownership { " that learns ownership" } else { "" };
    format!(
        "{blocks} blocks, {filters} filters, {hidden} hidden units and {planes} planes of {width}x{height}{ownership}"
    )
}

fn check_optimizer(optimizer: &OptimizerSettings) -> Result<()> {
    let (step_size, decay, remembered) = match *optimizer {
        OptimizerSettings::Adam(adam) => {
            ensure!(adam.half_life != Some(0), "optimizer.half-life = 0: expected at least 1 step, or no half-life");
            (adam.step_size, adam.decay, vec![("first", adam.first), ("second", adam.second)])
        }
        OptimizerSettings::Sgd(sgd) => (sgd.step_size, sgd.decay, vec![("momentum", sgd.momentum)]),
    };
    ensure!(step_size > 0.0 && step_size.is_finite(), "optimizer.step-size = {step_size}: expected a positive number");
    ensure!((0.0..=1.0).contains(&decay), "optimizer.decay = {decay}: expected 0 to 1");
    for (name, share) in remembered {
        ensure!((0.0..1.0).contains(&share), "optimizer.{name} = {share}: expected 0 or more, but less than 1");
    }
    Ok(())
}

fn check_katago(katago: &KataGoSettings, iterations: u32) -> Result<()> {
    let mean = |name: &str, number: f32| {
        ensure!((0.0..=1000.0).contains(&number), "self-play.katago.{name} = {number}: expected 0 to 1000 moves");
        Ok(())
    };
    mean("initialisation", katago.initialisation)?;
    if let Some(Branching { side_positions, again, forks, fork_moves }) = katago.branching {
        recipe::unit("self-play.katago.branching.side-positions", side_positions)?;
        ensure!(
            (0.0..1.0).contains(&again),
            "self-play.katago.branching.again = {again}: expected 0 or more, but less than 1"
        );
        recipe::unit("self-play.katago.branching.forks", forks)?;
        mean("branching.fork-moves", fork_moves)?;
    }
    if let Some(PlayoutCap { full_share, fast }) = katago.playout_cap {
        recipe::unit("self-play.katago.playout-cap.full-share", full_share)?;
        ensure!(full_share > 0.0, "self-play.katago.playout-cap.full-share = 0: expected more, or nothing is learnt");
        ensure!(
            (2..=iterations).contains(&fast),
            "self-play.katago.playout-cap.fast = {fast}: expected 2 to the {iterations} of a full search"
        );
    }
    Ok(())
}

/// A recipe for a game that is known.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct ZeroLesson<G> {
    recipe: ZeroRecipe,
    #[serde(skip)]
    game: PhantomData<fn() -> G>,
}

impl<G> PartialEq for ZeroLesson<G> {
    fn eq(&self, other: &Self) -> bool {
        self.recipe == other.recipe
    }
}

impl<G: ZeroGame> ZeroLesson<G> {
    /// The lesson of a recipe of this game.
    pub fn new(recipe: ZeroRecipe) -> Self {
        ZeroLesson { recipe, game: PhantomData }
    }

    /// Its recipe.
    pub fn recipe(&self) -> &ZeroRecipe {
        &self.recipe
    }
}

impl<G: ZeroGame> Lesson for ZeroLesson<G> {
    type Game = G;
    type About = ResidualAgent;
    type Learner = ZeroLearner<G>;

    fn load(path: &Path) -> Result<Self> {
        recipe::read_file(path, ZeroRecipe::parse).map(ZeroLesson::new)
    }

    fn plan(&self) -> Plan<'_> {
        let ZeroRecipe { steps, seed, threads, checkpoints, evaluation, .. } = &self.recipe;
        Plan { games: *steps, unit: "steps", seed: *seed, threads: *threads, checkpoints, evaluation }
    }

    fn essence(&self) -> Self {
        let (checkpoints, evaluation, solvers) = Default::default();
        let recipe = ZeroRecipe {
            steps: 1,
            threads: 1,
            device: DeviceName::Cpu,
            checkpoints,
            evaluation,
            solvers,
            ..self.recipe.clone()
        };
        ZeroLesson::new(recipe)
    }

    fn start(&self) -> G {
        G::first(&self.recipe)
    }

    fn about(&self) -> Result<ResidualAgent> {
        Ok(ResidualAgent {
            game: G::NAME.to_string(),
            komi: ZeroGame::komi(&self.start()),
            network: self.recipe.network.architecture(&self.start()),
            steps: 0,
            games: 0,
            since_milestone: TrainingTotals::default(),
            origin: format!("afterstate {}\n{}", crate::version::VERSION, toml::to_string(&self.recipe)?),
        })
    }

    fn sources(&self, _done: u64) -> Sources {
        let ZeroRecipe { games, outcomes_of, expert, .. } = &self.recipe;
        let sources = games.iter().fold(Sources::default(), |all, log| all.with_file("games", log));
        let sources = outcomes_of.iter().fold(sources, |all, log| all.with_file("outcomes-of", log));
        expert.iter().fold(sources, |all, spec| all.with_agent("expert", spec))
    }

    fn learner(&self, last: Option<&Checkpoint<ResidualAgent>>, folder: &Path) -> Result<ZeroLearner<G>> {
        ZeroLearner::open(&self.recipe, self.start(), last, folder)
    }

    fn read(path: &Path) -> Result<Checkpoint<ResidualAgent>, CheckpointError> {
        ResidualAgent::read(path)
    }

    fn player(&self, checkpoint: &Checkpoint<ResidualAgent>) -> Result<Box<dyn Player<G>>> {
        Ok(self.led_by(agent::player(checkpoint, &self.backend()?)))
    }

    /// Where a server answers in training, one answers here.
    fn players(&self, checkpoint: &Checkpoint<ResidualAgent>, number: usize) -> Result<Vec<Box<dyn Player<G>>>> {
        if self.recipe.zero.batching.server.is_none() {
            return (0..number).map(|_| self.player(checkpoint)).collect();
        }
        let network = agent::player(checkpoint, &self.backend()?);
        let server = EvaluationServer::start(|| network.clone(), ServerSettings { batch: number, ..MEASURING });
        Ok((0..number).map(|_| self.led_by(server.client())).collect())
    }

    fn yardsticks(&self) -> Vec<Yardstick<G>> {
        let mut all: Vec<Yardstick<G>> = vec![(RANDOM.to_string(), Box::new(|| Box::new(RandomPlayer::default())))];
        for factor in &self.recipe.solvers {
            let simulations = (factor * f64::from(self.recipe.zero.self_play.iterations)).round().max(1.0) as u64;
            let most_moves = self.start().most_moves();
            all.push((format!("solver-{factor}x"), Box::new(move || mcts_solver(simulations, most_moves))));
        }
        all
    }

    fn uses(&self, folder: &str) -> Vec<(&'static str, String)> {
        let board = match self.recipe.game {
            ZeroGameName::Go => format!(" {}", recipe::board_options(self.recipe.board_size, self.recipe.komi)),
            _ => String::new(),
        };
        let game = G::NAME;
        vec![
            ("Play against it here", format!("play --game {game}{board} --agent puct:{folder}")),
            ("Measure it", format!("match --game {game}{board} puct:{folder} uct:1000,solver=true --games 100")),
        ]
    }
}

/// How a server answers while a network is measured: who waits for his opponent asks nothing, and nobody waits for
/// him for long.
const MEASURING: ServerSettings = ServerSettings { batch: 1, deadline: 200, networks: 1 };

impl<G: ZeroGame> ZeroLesson<G> {
    fn backend(&self) -> Result<Backend> {
        self.recipe.device.open().map_err(anyhow::Error::msg)
    }

    /// As many simulations as in training, without noise, and each search for itself, as there.
    fn led_by(&self, network: impl Network<G> + 'static) -> Box<dyn Player<G>> {
        let iterations = u64::from(self.recipe.zero.self_play.iterations);
        let puct = PuctSettings { forced_playouts: 0.0, ..self.recipe.zero.self_play.puct };
        let settings =
            NetworkSearchSettings { puct, iterations, reuse_tree: false, ..NetworkSearchSettings::default() };
        let search = NetworkSearch::new(network, settings);
        Box::new(MctsPlayer::new(Box::new(search), (), MctsPlayerSettings::default()))
    }
}

/// The paper's reference opponent: UCT with a random playout for each new position and proofs of wins, losses and draws.
/// Its c is 2 for outcomes from −1 to 1, and so 1 for ours. Unlike the paper's, it tries a move that it has not tried only where the
/// others are worth less than a win (first-play urgency 1), and sees wins at once without a simulation. Its tree forgets nothing.
fn mcts_solver<G: ZeroGame>(simulations: u64, most_moves: usize) -> Box<dyn Player<G>> {
    let memory_mib = MctsSettings::memory_for(simulations, most_moves);
    let settings = MctsSettings { simulations, memory_mib, solver: true, reuse_tree: false, ..MctsSettings::default() };
    let uct = Uct { exploration: 1.0, ..Uct::default() };
    let search: Mcts<G, _, _> = Mcts::new(uct, PlayOut(UniformPlayout::default()), settings);
    Box::new(MctsPlayer::new(Box::new(search), (), MctsPlayerSettings::default()))
}
