//! Experiment files: which learning runs make a figure, and what the paper says about them.

use crate::recipe::Recipe;
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// How much of an experiment is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Scale {
    /// Minutes: enough to see that everything works, not enough to compare with the paper.
    Quick,
    /// What the committed results are made with.
    Full,
    /// As many games as in the paper, where that takes weeks; not all experiments have it.
    Paper,
}

impl Scale {
    /// The name in files and folders.
    pub fn name(self) -> &'static str {
        match self {
            Scale::Quick => "quick",
            Scale::Full => "full",
            Scale::Paper => "paper",
        }
    }

    /// What an experiment's file says of it.
    pub fn of<S>(self, sizes: &BTreeMap<String, S>) -> Result<&S> {
        let known = || sizes.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        sizes.get(self.name()).with_context(|| format!("there is no [scale.{}], only {}", self.name(), known()))
    }
}

/// A figure with learning curves.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Experiment {
    /// Figure and section of the paper.
    pub source: String,
    /// What it is about.
    pub title: String,
    /// Settings by scale.
    pub scale: BTreeMap<String, ScaleSettings>,
    /// What all series share: keys of a training recipe.
    #[serde(default)]
    pub recipe: toml::Table,
    /// The parts of the figure.
    #[serde(rename = "panel")]
    pub panels: Vec<Panel>,
    /// What the paper says.
    #[serde(rename = "claim", default)]
    pub claims: Vec<Claim>,
}

/// The size of an experiment.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ScaleSettings {
    /// Training games of each run.
    pub games: u64,
    /// Runs of each series, with seeds 1, 2, …
    pub seeds: u64,
    /// Rated games of each checkpoint.
    pub rated_games: u32,
}

/// One part of a figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Panel {
    /// Short, for file names: `a`, `b`, …
    pub name: String,
    /// Above the plot.
    pub title: String,
    /// The curves.
    pub series: Vec<Series>,
}

/// One curve.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Series {
    /// In the legend and in folder names. Series of the same name in several panels are the same runs.
    pub name: String,
    /// Keys of a training recipe that differ from the experiment's.
    #[serde(default)]
    pub recipe: toml::Table,
}

/// Something the paper says that ratings can confirm or refute.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Claim {
    /// In words.
    pub text: String,
    /// `series@games`: the subject. `@last` is the end of the curve.
    pub of: String,
    /// The subject is stronger than this one.
    pub beats: Option<String>,
    /// The subject differs from this one by less than `within`.
    pub equals: Option<String>,
    /// The subject has at least this rating.
    pub at_least: Option<f64>,
    /// The subject has about this rating, `within` Elo.
    pub about: Option<f64>,
    /// By at least so many Elo, for `beats`.
    pub by: Option<f64>,
    /// Tolerance in Elo for `equals` and `about`.
    pub within: Option<f64>,
}

impl Experiment {
    /// Reads an experiment file.
    pub fn load(path: &Path) -> Result<Experiment> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let experiment: Experiment = toml::from_str(&text)
            .map_err(|error| anyhow::anyhow!("{}: {}", path.display(), error.to_string().trim().replace('\n', "; ")))?;
        experiment.check().with_context(|| path.display().to_string())?;
        Ok(experiment)
    }

    fn check(&self) -> Result<()> {
        ensure!(!self.panels.is_empty(), "no [[panel]]");
        for scale in [Scale::Quick, Scale::Full] {
            let settings = self.size(scale)?;
            ensure!(
                settings.games > 0 && settings.seeds > 0,
                "[scale.{}]: games and seeds must be above 0",
                scale.name()
            );
        }
        for series in self.all_series()? {
            self.recipe_of(series, Scale::Quick, 1).with_context(|| format!("series '{}'", series.name))?;
        }
        for claim in &self.claims {
            let kinds =
                [claim.beats.is_some(), claim.equals.is_some(), claim.at_least.is_some(), claim.about.is_some()];
            ensure!(
                kinds.iter().filter(|&&kind| kind).count() == 1,
                "claim '{}': expected one of beats, equals, at-least, about",
                claim.text
            );
        }
        Ok(())
    }

    /// Every series once.
    pub fn all_series(&self) -> Result<Vec<&Series>> {
        let mut all: Vec<&Series> = Vec::new();
        for series in self.panels.iter().flat_map(|panel| &panel.series) {
            match all.iter().find(|known| known.name == series.name) {
                Some(known) if known.recipe != series.recipe => {
                    bail!("series '{}' stands in two panels with different recipes", series.name)
                }
                Some(_) => {}
                None => all.push(series),
            }
        }
        Ok(all)
    }

    /// Its size.
    pub fn size(&self, scale: Scale) -> Result<&ScaleSettings> {
        scale.of(&self.scale)
    }

    /// The whole recipe of one run.
    pub fn recipe_of(&self, series: &Series, scale: Scale, seed: u64) -> Result<Recipe> {
        let mut table = self.recipe.clone();
        merge(&mut table, &series.recipe);
        let mut recipe = Recipe::parse(&toml::to_string(&table)?)?;
        recipe.games = self.size(scale)?.games;
        recipe.seed = seed;
        recipe.evaluation.games = 0;
        Ok(recipe)
    }
}

/// Lays the keys of one table over another, tables inside included.
fn merge(base: &mut toml::Table, over: &toml::Table) {
    for (key, value) in over {
        match (base.get_mut(key), value) {
            (Some(toml::Value::Table(below)), toml::Value::Table(above)) => merge(below, above),
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
}
