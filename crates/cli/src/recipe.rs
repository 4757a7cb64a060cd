//! Training recipes: TOML files that say what is learnt, how, and how it is watched.

use crate::lesson::{Lesson, Plan};
use crate::search_recipe::{check_learner, check_search};
use crate::shape_learner::{ShapeLearner, shape_learner};
use afterstate_arena::{Player, ValuePlayer};
use afterstate_engine::learning::{Dyna2Settings, LearnerSettings, SelfPlaySettings, TdSettings, TrainingTotals};
use afterstate_engine::search::TrainingSearchSettings;
use afterstate_engine::value::{Checkpoint, CheckpointError, LocalShapes, ShapeAgent, Sharing, WindowSizes};
use afterstate_games::go::{Go, Komi, MAX_SIZE, MIN_SIZE};
use anyhow::{Context, Result, ensure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// A larger recipe is not a recipe.
const MAX_BYTES: u64 = 1 << 20;

/// What `train` does. Every key has a default: an empty file is the paper's training for 100,000 games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Recipe {
    /// The game that is learnt.
    pub game: LearntGame,
    /// Points along one edge.
    pub board_size: usize,
    /// White's compensation.
    #[schemars(with = "f64")]
    pub komi: Komi,
    /// Games are cut and counted after so many moves; 0 means three for every point.
    pub move_limit: u16,
    /// Games of self-play.
    pub games: u64,
    /// Game number i draws from stream i of this seed.
    pub seed: u64,
    /// Learner threads that share the weights; one is reproducible to the bit.
    pub threads: usize,
    /// What is seen of a position.
    pub features: FeatureSettings,
    /// The learning rule.
    pub td: TdSettings,
    /// The policy that plays.
    pub self_play: SelfPlaySettings,
    /// If it is there, moves are chosen by Dyna-2, with the weights that are learnt as its long-term memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dyna_2: Option<Dyna2Settings>,
    /// If it is there, a rule that learns from searches instead, and plays by them. Of `td` only `squash` counts then, and nothing
    /// of `self-play`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learner: Option<LearnerSettings>,
    /// The search of a `learner`, with games that begin with two random moves; two plies deep if it says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = usual_search()))]
    pub search: Option<TrainingSearchSettings>,
    /// With a `learner`: after so many games its step size is half of what it was at first, after twice as many a third, and so on;
    /// 0: it stays.
    #[serde(skip_serializing_if = "is_none")]
    pub annealing: u64,
    /// When weights are saved.
    pub checkpoints: CheckpointSettings,
    /// How progress is measured at each checkpoint.
    pub evaluation: EvaluationSettings,
}

/// Games that `train` can learn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LearntGame {
    /// Go, with local shapes. Other games have recipes of their own.
    #[default]
    Go,
}

/// Which local shapes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct FeatureSettings {
    /// Window sizes, some of 1, 2, 3.
    pub sizes: WindowSizes,
    /// `none`, `location-dependent`, `location-independent` or `both`.
    pub sharing: Sharing,
}

impl Default for FeatureSettings {
    fn default() -> Self {
        FeatureSettings { sizes: WindowSizes::ALL, sharing: Sharing::Both }
    }
}

/// When weights are saved: at numbers of games that are spaced evenly on a logarithmic scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct CheckpointSettings {
    /// The first one, in games (or learning steps).
    pub first: u64,
    /// How many for each factor of ten.
    pub per_decade: u32,
    /// If it is not 0: after every so many instead.
    pub every: u64,
    /// Another one whenever so many seconds have passed since the last, as soon as the hundred games that are in
    /// progress are played; 0 for never.
    pub every_seconds: f64,
}

impl Default for CheckpointSettings {
    fn default() -> Self {
        CheckpointSettings { first: 100, per_decade: 4, every: 0, every_seconds: 60.0 }
    }
}

/// Whether there is nothing to be said, as in all recipes before there was this.
fn is_none(every: &u64) -> bool {
    *every == 0
}

impl CheckpointSettings {
    /// Whether all that was said makes sense for so many games (or learning steps).
    pub fn check(&self, games: u64) -> Result<()> {
        const MOST: u64 = 100_000;
        let every = self.every;
        ensure!(
            every == 0 || games / every <= MOST,
            "checkpoints.every = {every}: expected at least {}, or 0: {games} games or steps have at most {MOST} checkpoints",
            games.div_ceil(MOST)
        );
        ensure!(self.first > 0, "checkpoints.first = 0: expected at least 1");
        let per_decade = self.per_decade;
        ensure!((1..=100).contains(&per_decade), "checkpoints.per-decade = {per_decade}: expected 1 to 100");
        let seconds = self.every_seconds;
        ensure!((0.0..=1e9).contains(&seconds), "checkpoints.every-seconds = {seconds}: expected 0 to 1,000,000,000");
        Ok(())
    }
}

/// A small tournament at each log-spaced checkpoint: against a random player and earlier checkpoints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct EvaluationSettings {
    /// Games against each opponent; 0 turns evaluation off.
    pub games: u32,
    /// How many earlier checkpoints are opponents.
    pub opponents: usize,
    /// Random moves at the start of each pair of games.
    pub opening_moves: usize,
    /// Also show win rates over so many games of training (or learning steps) before each checkpoint, as the paper of Go-Exploit
    /// does (ch. 5); 0 shows what was measured at the checkpoint alone.
    pub window: u64,
    /// Whether training goes on meanwhile, on the same cores.
    pub beside: bool,
}

impl Default for EvaluationSettings {
    fn default() -> Self {
        EvaluationSettings { games: 100, opponents: 3, opening_moves: 4, window: 0, beside: false }
    }
}

impl Default for Recipe {
    fn default() -> Self {
        Recipe {
            game: LearntGame::Go,
            board_size: 9,
            komi: Komi::DEFAULT,
            move_limit: 0,
            games: 100_000,
            seed: 1,
            threads: 1,
            features: FeatureSettings::default(),
            td: TdSettings::default(),
            self_play: SelfPlaySettings::default(),
            dyna_2: None,
            learner: None,
            search: None,
            annealing: 0,
            checkpoints: CheckpointSettings::default(),
            evaluation: EvaluationSettings::default(),
        }
    }
}

/// Two plies, however many positions they have.
fn usual_search() -> TrainingSearchSettings {
    TrainingSearchSettings { depth: 2, nodes: 0, table_mib: 1, ..TrainingSearchSettings::default() }
}

impl Recipe {
    /// Reads a recipe file.
    pub fn load(path: &Path) -> Result<Recipe> {
        read_file(path, Recipe::parse)
    }

    /// Reads the text of a recipe.
    pub fn parse(text: &str) -> Result<Recipe> {
        let usual = Recipe::default();
        let recipe = from_toml_over(text, &Recipe { search: Some(usual.training_search()), ..usual })?;
        recipe.check()?;
        Ok(recipe)
    }

    fn check(&self) -> Result<()> {
        ensure!(
            (MIN_SIZE..=MAX_SIZE).contains(&self.board_size),
            "board-size = {}: expected {MIN_SIZE} to {MAX_SIZE}",
            self.board_size
        );
        ensure!((1..=1024).contains(&self.threads), "threads = {}: expected 1 to 1024", self.threads);
        ensure!(self.games > 0, "games = 0: expected at least 1");
        ensure!(self.games < 1_000_000_000, "games = {}: expected below 1,000,000,000", self.games);
        self.checkpoints.check(self.games)?;
        check_td(&self.td, &self.self_play)?;
        self.dyna_2.as_ref().map_or(Ok(()), check_dyna_2)?;
        let Some(learner) = &self.learner else {
            ensure!(self.search.is_none(), "search is what a learner learns from: name its rule, or leave search out");
            check_no_annealing(self.annealing)?;
            return Ok(());
        };
        ensure!(
            self.dyna_2.is_none(),
            "dyna-2 chooses moves, and so does the search of learner: leave one of them out"
        );
        let usual = Recipe::default();
        ensure!(
            TdSettings { squash: self.td.squash, ..usual.td } == self.td && self.self_play == usual.self_play,
            "td and self-play are for learning without a learner, which has steps and moves of its own: leave all but td.squash out"
        );
        check_learner(learner)?;
        if let LearnerSettings::TdLeaf(settings) | LearnerSettings::TdDirected(settings) = learner {
            let (least, most) = (settings.least_moves, usize::from(self.longest_game()).div_ceil(2));
            ensure!(
                least <= most,
                "learner.least-moves = {least}: expected at most {most}, half of move-limit, or nothing is learnt"
            );
        }
        check_search(&self.training_search(), learner, false)
    }

    /// The search that a `learner` learns from.
    pub fn training_search(&self) -> TrainingSearchSettings {
        self.search.clone().unwrap_or_else(usual_search)
    }

    /// The empty board that every game begins with.
    pub fn start(&self) -> Go {
        Go::new(self.board_size).with_komi(self.komi).with_move_limit(self.longest_game())
    }

    /// Moves of both sides.
    fn longest_game(&self) -> u16 {
        match self.move_limit {
            0 => 3 * (self.board_size * self.board_size) as u16,
            limit => limit,
        }
    }

    /// The features.
    pub fn shapes(&self) -> LocalShapes {
        LocalShapes::new(self.board_size, self.features.sizes, self.features.sharing)
    }
}

impl Lesson for Recipe {
    type Game = Go;
    type About = ShapeAgent;
    type Learner = ShapeLearner;

    fn load(path: &Path) -> Result<Recipe> {
        Recipe::load(path)
    }

    fn plan(&self) -> Plan<'_> {
        let Recipe { games, seed, threads, checkpoints, evaluation, .. } = self;
        Plan { games: *games, unit: "games", seed: *seed, threads: *threads, checkpoints, evaluation }
    }

    fn essence(&self) -> Recipe {
        let (checkpoints, evaluation) = Default::default();
        Recipe { games: 1, threads: 1, checkpoints, evaluation, ..self.clone() }
    }

    fn start(&self) -> Go {
        Recipe::start(self)
    }

    fn about(&self) -> Result<ShapeAgent> {
        Ok(ShapeAgent {
            board_size: self.board_size,
            komi: self.komi,
            sizes: self.features.sizes,
            sharing: self.features.sharing,
            squash: self.td.squash,
            games: 0,
            since_milestone: TrainingTotals::default(),
            origin: format!("afterstate {}\n{}", crate::version::VERSION, toml::to_string(self)?),
        })
    }

    fn learner(&self, last: Option<&Checkpoint<ShapeAgent>>, _folder: &Path) -> Result<ShapeLearner> {
        shape_learner(self, last)
    }

    fn read(path: &Path) -> Result<Checkpoint<ShapeAgent>, CheckpointError> {
        ShapeAgent::read(path)
    }

    fn player(&self, checkpoint: &Checkpoint<ShapeAgent>) -> Result<Box<dyn Player<Go>>> {
        Ok(Box::new(ValuePlayer::new(Arc::new(checkpoint.value()))))
    }

    fn uses(&self, folder: &str) -> Vec<(&'static str, String)> {
        let board = board_options(self.board_size, self.komi);
        vec![
            ("Play against it here", format!("play {board} --agent alpha-beta:{folder},depth=3")),
            ("Use it in a Go program", format!("gtp {board} --agent alpha-beta:{folder},depth=3")),
            ("Measure it", format!("match {board} greedy:{folder} random --games 200")),
        ]
    }
}

/// The options of commands that play on this board.
pub fn board_options(size: usize, komi: Komi) -> String {
    let komi = if komi == Komi::DEFAULT { String::new() } else { format!(" --komi {}", komi.points()) };
    format!("--size {size}{komi}")
}

/// Reads a recipe file of either kind.
pub fn read_file<T>(path: &Path, parse: impl Fn(&str) -> Result<T>) -> Result<T> {
    let is_missing = matches!(path.try_exists(), Ok(false));
    ensure!(
        !is_missing,
        "recipe {}: there is no such file; 'afterstate recipes' has some to begin with",
        path.display()
    );
    read_as("recipe", path, parse)
}

/// Reads a short text file that people call a `kind`.
pub fn read_as<T>(kind: &str, path: &Path, parse: impl Fn(&str) -> Result<T>) -> Result<T> {
    let read = || {
        let mut bytes = Vec::new();
        std::fs::File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        ensure!(bytes.len() as u64 <= MAX_BYTES, "more than 1 MiB, expected a short TOML file");
        let text = String::from_utf8(bytes)
            .map_err(|error| anyhow::anyhow!("byte {} is not UTF-8", error.utf8_error().valid_up_to()))?;
        parse(&text)
    };
    read().with_context(|| format!("{kind} {}", path.display()))
}

/// What serde says, without the names of types.
pub fn plain(message: &str) -> String {
    let numbers = ["u8", "u16", "u32", "u64", "u128", "usize"];
    let mut message = message.replace(" as i128", "").replace(" as u128", "");
    for number in numbers {
        message =
            message.replace(&format!("expected {number}"), "expected a whole number from 0 on, and not too large");
    }
    match message.split_once("expected struct ") {
        Some((before, after)) => {
            let rest = after.split_once(' ').map_or(String::new(), |(_, rest)| format!(" {rest}"));
            format!("{before}expected a table{rest}")
        }
        None => message,
    }
}

/// Refuses what is no recipe but another of the project's files, and says what it is for.
pub fn refuse_others(text: &str) -> Result<()> {
    let Ok(table) = text.parse::<toml::Table>() else { return Ok(()) };
    ensure!(
        !table.get("scale").is_some_and(toml::Value::is_table),
        "an experiment and no recipe: make it by 'afterstate reproduce', whose --help has its name"
    );
    ensure!(!table.contains_key("agents"), "a tournament and no recipe: play it by 'afterstate tournament'");
    Ok(())
}

/// Reads TOML. What is wrong is said in one line.
pub fn from_toml<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    toml::from_str(text).map_err(|error| {
        // The library's message has several lines with a drawing; ours is one.
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let message = short(error.message());
        // What a table has to be is not what serde calls it.
        let message = message.replace(
            "expected internally tagged enum LearnerSettings",
            "expected a table, [learner], with rule = \"tree-strap\" or another rule",
        );
        let message = plain(&message);
        match line {
            Some(line) => anyhow::anyhow!("line {line}: {message}"),
            None => anyhow::anyhow!("{message}"),
        }
    })
}

/// The same where a table in which not everything is said has the rest from `usual`: a recipe may have other defaults than the table
/// by itself.
pub fn from_toml_over<T: serde::de::DeserializeOwned + Serialize>(text: &str, usual: &T) -> Result<T> {
    // Mistakes should be named with their lines.
    let alone: T = from_toml(text)?;
    let (Ok(mut table), Ok(usual)) = (text.parse::<toml::Table>(), toml::Table::try_from(usual)) else {
        return Ok(alone);
    };
    for name in ["search", "checkpoints", "evaluation"] {
        if let (Some(toml::Value::Table(own)), Some(toml::Value::Table(usual))) = (table.get_mut(name), usual.get(name))
        {
            for (key, value) in usual {
                own.entry(key).or_insert_with(|| value.clone());
            }
        }
    }
    from_toml(&toml::to_string(&table)?)
}

/// Refuses `annealing` where nothing is annealed.
pub fn check_no_annealing(annealing: u64) -> Result<()> {
    ensure!(
        annealing == 0,
        "annealing = {annealing}: it shortens the steps of a learner; name its rule, or leave annealing out"
    );
    Ok(())
}

/// Whether TD can learn from such self-play.
pub fn check_td(td: &TdSettings, self_play: &SelfPlaySettings) -> Result<()> {
    unit("td.lambda", td.lambda)?;
    unit("self-play.exploration", self_play.exploration)?;
    let step = td.step_size;
    ensure!(step.is_finite() && step > 0.0, "td.step-size = {step}: expected a positive number");
    Ok(())
}

/// Whether Dyna-2 can choose the moves of self-play so.
pub fn check_dyna_2(search: &Dyna2Settings) -> Result<()> {
    let step = search.step_size;
    ensure!(step.is_finite() && step > 0.0, "dyna-2.step-size = {step}: expected a positive number");
    for (name, number) in [
        ("exploration", search.exploration),
        ("explore-by-playout", search.explore_by_playout),
        ("random-after-switch", search.random_after_switch),
    ] {
        unit(&format!("dyna-2.{name}"), number)?;
    }
    let (learn, switch) = (search.learn, search.switch_after);
    ensure!(learn > 0, "dyna-2.learn = 0: expected at least one move");
    // What a simulation chooses by itself it learns from.
    ensure!(learn >= switch, "dyna-2.learn = {learn}: expected at least as many as dyna-2.switch-after = {switch}");
    let simulations = search.simulations;
    ensure!((1..=1_000_000_000).contains(&simulations), "dyna-2.simulations = {simulations}: expected 1 to 1e9");
    Ok(())
}

/// Whether a number that a recipe names lies between 0 and 1.
pub fn unit(name: &str, value: f32) -> Result<()> {
    ensure!((0.0..=1.0).contains(&value), "{name} = {value}: expected 0 to 1");
    Ok(())
}

/// A message that may quote anything, as one line of bounded length. What was found is at its beginning, what
/// was expected at its end.
pub fn short(message: &str) -> String {
    const HALF: usize = 200;
    let characters: Vec<char> = message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if characters.len() <= 2 * HALF {
        return characters.into_iter().collect();
    }
    let (begin, end) = (&characters[..HALF], &characters[characters.len() - HALF..]);
    begin.iter().chain(&[' ', '…', ' ']).chain(end).collect()
}

#[cfg(test)]
mod tests;
