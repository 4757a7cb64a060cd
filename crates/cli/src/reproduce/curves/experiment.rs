//! What a comparison of learning curves consists of, as its file says.

use super::super::Workplace;
use crate::zero_recipe::ZeroRecipe;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// A comparison of learning curves.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Experiment {
    /// Tables, figures and section of the paper.
    pub source: String,
    /// What it is about.
    pub title: String,
    /// The opponent whose games make the curve, as the runs' logs call it.
    pub opponent: String,
    /// A point of the curve is the mean of all measurements of so many steps up to it.
    pub window: u64,
    /// Settings by scale.
    pub scale: BTreeMap<String, Size>,
    /// In the paper's order; ratios and matches are to the first.
    #[serde(rename = "learner")]
    pub learners: Vec<Entry>,
    #[serde(rename = "claim", default)]
    pub claims: Vec<Claim>,
}

/// The size of such an experiment.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Size {
    /// Learning steps of each run.
    pub steps: u64,
    /// Runs of each learner, with seeds 1, 2, …
    pub seeds: u64,
    /// Learning steps between two measurements.
    pub every: u64,
    /// Games of a measurement with each opponent.
    pub games: u32,
    /// Games of each run's last network with itself, for value losses.
    pub loss_games: u64,
    /// Games of each two last checkpoints. From the first position they know no chance, so that there are two; more begin with random
    /// moves, the same for two games.
    #[serde(default = "once_with_each_side")]
    pub meeting_games: u32,
    /// Random moves of both sides at the beginning of these games.
    #[serde(default)]
    pub meeting_opening: u32,
    /// Examples that make a learning step, instead of the recipe's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
}

fn once_with_each_side() -> u32 {
    2
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Entry {
    /// As the paper calls it.
    pub name: String,
    /// The recipe's file, in the paper's folder.
    pub recipe: String,
    /// Its share of the points of matches with the first learner, in the paper.
    #[serde(default)]
    pub paper: Option<f64>,
    /// Its value losses over visited states and over search states, in the paper.
    #[serde(default)]
    pub paper_losses: Option<[f64; 2]>,
}

/// What is compared of two learners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// The area under the curve, as a mean winning rate.
    #[default]
    Area,
    /// Trajectories that a learning step is made of.
    Trajectories,
    /// Different positions visited in training.
    States,
    /// The value loss over visited states.
    VisitedLoss,
    /// The value loss over search states.
    SearchedLoss,
}

/// One learner has more than another.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Claim {
    /// The name of the one.
    pub more: String,
    /// The name of the other.
    pub than: String,
    #[serde(default)]
    pub measure: Measure,
    /// How many times as much, at least.
    #[serde(default = "once")]
    pub times: f64,
}

fn once() -> f64 {
    1.0
}

impl Experiment {
    /// Reads and checks an experiment's file.
    pub fn load(path: &Path) -> Result<Experiment> {
        let experiment: Experiment = crate::recipe::from_toml(&std::fs::read_to_string(path)?)?;
        ensure!(!experiment.learners.is_empty(), "no [[learner]]");
        ensure!(experiment.window > 0, "window = 0: expected at least one step");
        for claim in &experiment.claims {
            for name in [&claim.more, &claim.than] {
                let known = experiment.learners.iter().any(|learner| learner.name == *name);
                ensure!(known, "[[claim]]: '{name}' is not the name of a learner");
            }
        }
        for (name, size) in &experiment.scale {
            let all = [size.steps, size.seeds, size.every, size.games.into(), size.loss_games];
            ensure!(!all.contains(&0), "[scale.{name}]: expected numbers above 0");
            ensure!(size.games % 2 == 0, "[scale.{name}] games = {}: expected an even number", size.games);
        }
        Ok(experiment)
    }

    /// The recipe of a learner's run.
    pub fn recipe_of(&self, place: &Workplace, size: &Size, learner: &Entry, seed: u64) -> Result<ZeroRecipe> {
        let mut recipe = crate::recipe::read_file(&place.paper.join(&learner.recipe), ZeroRecipe::parse)?;
        (recipe.steps, recipe.seed, recipe.threads) = (size.steps, seed, 1);
        recipe.checkpoints.every = size.every;
        // MCTS-Solver's playouts are chance enough: all games begin at the first position, as the paper's do.
        (recipe.evaluation.games, recipe.evaluation.opponents, recipe.evaluation.opening_moves) = (size.games, 0, 0);
        if let Some(step) = size.step {
            recipe.zero.replay.step = step;
        }
        recipe.zero.replay.keep = true;
        Ok(recipe)
    }
}
