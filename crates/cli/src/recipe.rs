//! Training recipes: TOML files that say what is learnt, how, and how it is watched.

use afterstate_engine::learning::{SelfPlaySettings, TdSettings};
use afterstate_engine::value::{LocalShapes, Sharing, WindowSizes};
use afterstate_games::go::{Go, Komi, MAX_SIZE, MIN_SIZE};
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;

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
    /// When weights are saved.
    pub checkpoints: CheckpointSettings,
    /// How progress is measured at each checkpoint.
    pub evaluation: EvaluationSettings,
}

/// Games that `train` can learn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LearntGame {
    /// Go, with local shapes.
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
    /// Another one whenever so many seconds have passed since the last, as soon as the hundred games that are in
    /// progress are played; 0 for never.
    pub every_seconds: f64,
}

impl Default for CheckpointSettings {
    fn default() -> Self {
        CheckpointSettings { first: 100, per_decade: 4, every_seconds: 60.0 }
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
            checkpoints: CheckpointSettings::default(),
            evaluation: EvaluationSettings::default(),
        }
    }
}

impl Recipe {
    /// Reads a recipe file.
    pub fn load(path: &Path) -> Result<Recipe> {
        let mut bytes = Vec::new();
        std::fs::File::open(path)
            .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
            .with_context(|| format!("recipe {}", path.display()))?;
        ensure!(
            bytes.len() as u64 <= MAX_BYTES,
            "recipe {}: more than 1 MiB, expected a short TOML file",
            path.display()
        );
        let text = String::from_utf8(bytes).map_err(|error| {
            anyhow::anyhow!("recipe {}: byte {} is not UTF-8", path.display(), error.utf8_error().valid_up_to())
        })?;
        Recipe::parse(&text).with_context(|| format!("recipe {}", path.display()))
    }

    /// Reads the text of a recipe.
    pub fn parse(text: &str) -> Result<Recipe> {
        let recipe: Recipe = toml::from_str(text).map_err(|error| {
            // The library's message has several lines with a drawing; ours is one.
            let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            let message = error.message().lines().collect::<Vec<_>>().join(" ");
            match line {
                Some(line) => anyhow::anyhow!("line {line}: {message}"),
                None => anyhow::anyhow!("{message}"),
            }
        })?;
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
        ensure!(self.checkpoints.first > 0, "checkpoints.first = 0: expected at least 1");
        ensure!(
            (1..=100).contains(&self.checkpoints.per_decade),
            "checkpoints.per-decade = {}: expected 1 to 100",
            self.checkpoints.per_decade
        );
        let seconds = self.checkpoints.every_seconds;
        ensure!((0.0..=1e9).contains(&seconds), "checkpoints.every-seconds = {seconds}: expected 0 to 1,000,000,000");
        let unit = |name: &str, value: f32| -> Result<()> {
            if !(0.0..=1.0).contains(&value) {
                bail!("{name} = {value}: expected 0 to 1");
            }
            Ok(())
        };
        unit("td.lambda", self.td.lambda)?;
        unit("self-play.exploration", self.self_play.exploration)?;
        let step = self.td.step_size;
        ensure!(step.is_finite() && step > 0.0, "td.step-size = {step}: expected a positive number");
        Ok(())
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

    /// The numbers of games after which weights are saved and evaluated; the last is [`Recipe::games`].
    pub fn milestones(&self) -> Vec<u64> {
        let mut milestones = Vec::new();
        for step in 0.. {
            let factor = 10f64.powf(f64::from(step) / f64::from(self.checkpoints.per_decade));
            let games = (self.checkpoints.first as f64 * factor).round() as u64;
            if games >= self.games {
                break;
            }
            if milestones.last() != Some(&games) {
                milestones.push(games);
            }
        }
        milestones.push(self.games);
        milestones
    }

    /// What must not change between the parts of a run: everything that decides what is learnt.
    pub fn learns_like(&self, other: &Recipe) -> bool {
        let essence = |recipe: &Recipe| Recipe {
            games: 1,
            threads: 1,
            checkpoints: CheckpointSettings::default(),
            evaluation: EvaluationSettings::default(),
            ..recipe.clone()
        };
        essence(self) == essence(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_recipe_is_the_papers() {
        let recipe = Recipe::parse("").unwrap();
        assert_eq!(recipe, Recipe::default());
        assert_eq!((recipe.td.step_size, recipe.self_play.exploration, recipe.komi.points()), (0.1, 0.1, 7.5));
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
}
