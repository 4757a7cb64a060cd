//! Training recipes: TOML files that say what is learnt, how, and how it is watched.

use crate::lesson::{Lesson, Plan};
use crate::shape_learner::ShapeLearner;
use afterstate_arena::{Player, ValuePlayer};
use afterstate_engine::learning::{Dyna2Settings, SelfPlaySettings, TdSettings, TrainingTotals};
use afterstate_engine::value::{Checkpoint, CheckpointError, LocalShapes, ShapeAgent, Sharing, WindowSizes};
use afterstate_games::go::{Go, Komi, MAX_SIZE, MIN_SIZE};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// A larger recipe is not a recipe.
const MAX_BYTES: u64 = 1 << 20;

/// What `train` does. Every key has a default: an empty file is the paper's training for 100,000 games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Recipe {
    /// The game that is learnt.
    pub game: LearntGame,
    /// Points along one edge.
    pub board_size: usize,
    /// White's compensation.
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
    /// When weights are saved.
    pub checkpoints: CheckpointSettings,
    /// How progress is measured at each checkpoint.
    pub evaluation: EvaluationSettings,
}

/// Games that `train` can learn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LearntGame {
    /// Go, with local shapes. Other games have recipes of their own.
    #[default]
    Go,
}

/// Which local shapes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct CheckpointSettings {
    /// The first one, in games.
    pub first: u64,
    /// How many for each factor of ten.
    pub per_decade: u32,
    /// If it is not 0: after every so many instead.
    #[serde(skip_serializing_if = "is_none")]
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
    /// Whether all that was said makes sense.
    pub fn check(&self) -> Result<()> {
        ensure!(self.first > 0, "checkpoints.first = 0: expected at least 1");
        let per_decade = self.per_decade;
        ensure!((1..=100).contains(&per_decade), "checkpoints.per-decade = {per_decade}: expected 1 to 100");
        let seconds = self.every_seconds;
        ensure!((0.0..=1e9).contains(&seconds), "checkpoints.every-seconds = {seconds}: expected 0 to 1,000,000,000");
        Ok(())
    }
}

/// A small tournament at each log-spaced checkpoint: against a random player and earlier checkpoints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct EvaluationSettings {
    /// Games against each opponent; 0 turns evaluation off.
    pub games: u32,
    /// How many earlier checkpoints are opponents.
    pub opponents: usize,
    /// Random moves at the start of each pair of games.
    pub opening_moves: usize,
}

impl Default for EvaluationSettings {
    fn default() -> Self {
        EvaluationSettings { games: 100, opponents: 3, opening_moves: 4 }
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
            checkpoints: CheckpointSettings::default(),
            evaluation: EvaluationSettings::default(),
        }
    }
}

impl Recipe {
    /// Reads a recipe file.
    pub fn load(path: &Path) -> Result<Recipe> {
        read_file(path, Recipe::parse)
    }

    /// Reads the text of a recipe.
    pub fn parse(text: &str) -> Result<Recipe> {
        let recipe: Recipe = from_toml(text)?;
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
        self.checkpoints.check()?;
        check_td(&self.td, &self.self_play)?;
        self.dyna_2.as_ref().map_or(Ok(()), check_dyna_2)
    }

    /// The empty board that every game begins with.
    pub fn start(&self) -> Go {
        let limit = match self.move_limit {
            0 => 3 * (self.board_size * self.board_size) as u16,
            limit => limit,
        };
        Go::new(self.board_size).with_komi(self.komi).with_move_limit(limit)
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
        let Recipe { games, seed, checkpoints, evaluation, .. } = self;
        Plan { games: *games, unit: "games", seed: *seed, checkpoints, evaluation }
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
            origin: format!("afterstate {}\n{}", env!("CARGO_PKG_VERSION"), toml::to_string(self)?),
        })
    }

    fn learner(&self, last: Option<&Checkpoint<ShapeAgent>>, _folder: &Path) -> Result<ShapeLearner> {
        Ok(ShapeLearner::new(self, last))
    }

    fn read(path: &Path) -> Result<Checkpoint<ShapeAgent>, CheckpointError> {
        ShapeAgent::read(path)
    }

    fn player(&self, checkpoint: &Checkpoint<ShapeAgent>) -> Box<dyn Player<Go>> {
        Box::new(ValuePlayer::new(Arc::new(checkpoint.value())))
    }

    fn uses(&self, folder: &str) -> Vec<(&'static str, String)> {
        let size = self.board_size;
        vec![
            ("Play against it here", format!("play --size {size} --agent alpha-beta:{folder},depth=3")),
            ("Use it in a Go program", format!("gtp --size {size} --agent alpha-beta:{folder},depth=3")),
            ("Measure it", format!("match --size {size} greedy:{folder} random --games 200")),
        ]
    }
}

/// Reads a recipe file of either kind.
pub fn read_file<T>(path: &Path, parse: impl Fn(&str) -> Result<T>) -> Result<T> {
    let read = || {
        let mut bytes = Vec::new();
        std::fs::File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        ensure!(bytes.len() as u64 <= MAX_BYTES, "more than 1 MiB, expected a short TOML file");
        let text = String::from_utf8(bytes)
            .map_err(|error| anyhow::anyhow!("byte {} is not UTF-8", error.utf8_error().valid_up_to()))?;
        parse(&text)
    };
    read().with_context(|| format!("recipe {}", path.display()))
}

/// Reads TOML. What is wrong is said in one line.
pub fn from_toml<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    toml::from_str(text).map_err(|error| {
        // The library's message has several lines with a drawing; ours is one.
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let message = short(error.message());
        match line {
            Some(line) => anyhow::anyhow!("line {line}: {message}"),
            None => anyhow::anyhow!("{message}"),
        }
    })
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
    ensure!(search.learn > 0, "dyna-2.learn = 0: expected at least one move");
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
fn short(message: &str) -> String {
    const HALF: usize = 200;
    let characters: Vec<char> = message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if characters.len() <= 2 * HALF {
        return characters.into_iter().collect();
    }
    let (begin, end) = (&characters[..HALF], &characters[characters.len() - HALF..]);
    begin.iter().chain(&[' ', '…', ' ']).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::rng::below;
    use afterstate_games::stream;
    use std::time::{Duration, Instant};

    #[test]
    fn an_empty_recipe_is_the_papers() {
        let recipe = Recipe::parse("").unwrap();
        assert_eq!(recipe, Recipe::default());
        assert_eq!((recipe.td.step_size, recipe.self_play.exploration, recipe.komi.points()), (0.1, 0.1, 7.5));
    }

    #[test]
    fn a_search_for_self_play_is_asked_for_by_its_table() {
        assert_eq!(Recipe::default().dyna_2, None);
        let recipe = Recipe::parse("[dyna-2]\nsimulations = 7\n").unwrap();
        assert_eq!(recipe.dyna_2.as_ref().map(|search| search.simulations), Some(7));
        assert_eq!(Recipe::parse(&toml::to_string(&recipe).unwrap()).unwrap(), recipe);
        assert!(!recipe.learns_like(&Recipe::default()));
        for (bad, part) in [
            ("simulations = 0", "dyna-2.simulations = 0"),
            ("exploration = 2", "expected 0 to 1"),
            ("learn = 0", "dyna-2.learn"),
        ] {
            let message = Recipe::parse(&format!("[dyna-2]\n{bad}\n")).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn the_effective_settings_can_be_read_back() {
        let recipe = Recipe { games: 5, seed: 9, ..Recipe::default() };
        assert_eq!(Recipe::parse(&toml::to_string(&recipe).unwrap()).unwrap(), recipe);
    }

    #[test]
    fn milestones_are_spaced_evenly_in_the_logarithm() {
        let mut recipe = Recipe { games: 1000, ..Recipe::default() };
        recipe.checkpoints.per_decade = 2;
        assert_eq!(recipe.milestones(), [100, 316, 1000]);
        recipe.games = 50;
        assert_eq!(recipe.milestones(), [50]);
    }

    #[test]
    fn mistakes_are_named_in_one_line() {
        for (text, part) in [
            ("gmaes = 5", "gmaes"),
            ("board-size = 4", "expected 5 to 19"),
            ("komi = 7.3", "multiple of 0.5"),
            ("\n[td]\nlambda = 2.0", "td.lambda"),
            ("[td]\nlambda = \"x\"", "line 2"),
            ("[features]\nsizes = [4]", "1, 2, 3"),
            ("games = -1", "line 1"),
            ("[[[", "line 1"),
        ] {
            let message = format!("{:#}", Recipe::parse(text).unwrap_err());
            assert!(message.contains(part) && !message.contains('\n'), "{text}: {message}");
        }
    }

    #[test]
    fn threads_and_length_may_change_between_the_parts_of_a_run() {
        let recipe = Recipe::default();
        assert!(recipe.learns_like(&Recipe { threads: 2, games: 7, ..recipe.clone() }));
        assert!(!recipe.learns_like(&Recipe { seed: 2, ..recipe.clone() }));
    }

    /// 20,000 mutations; `AFTERSTATE_FUZZ_SECONDS` goes on for so many seconds instead, from the same seed.
    ///
    /// Memory is counted for a whole process, and other tests reserve trees of searches: this one has a process of its own.
    #[test]
    fn mutated_recipes_do_no_harm() {
        const ALONE: &str = "AFTERSTATE_TEST_ALONE";
        if std::env::var_os(ALONE).is_some() {
            return read_mutated_recipes();
        }
        let name = "recipe::tests::mutated_recipes_do_no_harm";
        let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
        let alone = alone.args([name, "--exact", "--nocapture"]).env(ALONE, "1").output().unwrap();
        let [out, err] = [&alone.stdout, &alone.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        assert!(alone.status.success() && out.contains("1 passed"), "{out}{err}");
        print!("{out}");
    }

    fn read_mutated_recipes() {
        const PIECES: &[&str] = &[
            "=",
            "[",
            "]",
            "[[",
            "{",
            "}",
            "\"",
            "'",
            "#",
            "\n",
            ".",
            "-",
            "0",
            "9",
            "1e308",
            "-inf",
            "nan",
            "0x7f",
            "9223372036854775807",
            "1979-05-27T07:32:00Z",
            "td",
            "checkpoints",
            "every-seconds",
            "per-decade",
            "first",
            "games",
            "threads",
            "squash",
            "\"linear\"",
            "true",
            "\"\"\"",
            "\\u0000",
            "\u{feff}",
            "a.b.c.d = 1\n",
        ];
        let seconds = std::env::var("AFTERSTATE_FUZZ_SECONDS").ok().map(|text| {
            Duration::from_secs(
                text.parse().unwrap_or_else(|_| panic!("AFTERSTATE_FUZZ_SECONDS='{text}': expected whole seconds")),
            )
        });
        let (begin, rng) = (Instant::now(), &mut stream(6, 0));
        let corpus = [
            toml::to_string(&Recipe::default()).unwrap(),
            "games = 500\nkomi = 6.5\n[checkpoints]\nfirst = 10\nper-decade = 2 # two\n[features]\nsizes = [1, 2]\n"
                .into(),
            "td = { lambda = 0.4, plies = \"one\" }\nself-play.order = 'sweep'\n".into(),
        ];
        for text in &corpus {
            Recipe::parse(text).unwrap();
        }
        let (mut tried, mut accepted) = (0u64, 0u64);
        while seconds.map_or(tried < 20_000, |limit| begin.elapsed() < limit) {
            let mut bytes = corpus[below(rng, 3) as usize].clone().into_bytes();
            for _ in 0..1 + below(rng, 4) {
                let at = below(rng, bytes.len() as u32 + 1) as usize;
                let end = (at + below(rng, 12) as usize).min(bytes.len());
                match below(rng, 5) {
                    0 if at < bytes.len() => bytes[at] = below(rng, 256) as u8,
                    1 => drop(bytes.drain(at..end)),
                    2 => {
                        // Up to some thousand times, so that nesting goes deep.
                        let copy = bytes[at..end].repeat(1 << below(rng, 12));
                        bytes.splice(at..at, copy);
                    }
                    3 if below(rng, 4) == 0 => bytes.truncate(at),
                    _ => drop(bytes.splice(at..at, PIECES[below(rng, PIECES.len() as u32) as usize].bytes())),
                }
            }
            tried += 1;
            match Recipe::parse(&String::from_utf8_lossy(&bytes)) {
                Ok(recipe) => {
                    // What is accepted can be carried out and written down.
                    accepted += 1;
                    let milestones = recipe.milestones();
                    assert!(milestones.is_sorted() && milestones.last() == Some(&recipe.games));
                    assert_eq!(recipe.start().size(), recipe.board_size);
                    assert!(Duration::try_from_secs_f64(recipe.checkpoints.every_seconds).is_ok());
                    assert_eq!(Recipe::parse(&toml::to_string(&recipe).unwrap()).unwrap(), recipe);
                }
                Err(error) => {
                    let message = format!("{error:#}");
                    assert!(!message.contains('\n') && message.chars().count() < 500, "{message}");
                }
            }
        }
        println!("{tried} mutated recipes, {accepted} of them accepted");
        assert!(accepted > tried / 100, "too few of the mutated recipes can be read: {accepted} of {tried}");
        let most = crate::ALLOCATOR.max_allocated();
        assert!(most < 256 << 20, "{} MiB were taken at once", most >> 20);
    }
}
