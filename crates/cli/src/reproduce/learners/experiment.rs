//! What a comparison of learners consists of, as its file says.

use super::super::Workplace;
use super::super::experiment::Scale;
use crate::lesson::Lesson;
use crate::search_recipe::{FirstWeights, SearchRecipe};
use afterstate_arena::TimeControl;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// A comparison of learners.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LearnerExperiment {
    /// Tables, figures and section of the paper.
    pub source: String,
    /// What it is about.
    pub title: String,
    /// The rating that the first weights of the first learner are given.
    pub untrained: f64,
    /// Which checkpoint of a learner is compared.
    #[serde(default)]
    pub shows: Shows,
    /// Settings by scale.
    scale: BTreeMap<String, Size>,
    /// In the paper's order.
    #[serde(rename = "learner")]
    pub learners: Vec<LearnerEntry>,
    /// Which of them the paper found stronger than others.
    #[serde(default, rename = "claim")]
    pub claims: Vec<StrengthClaim>,
}

/// Which checkpoint of a learner is compared with the others'.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shows {
    /// The strongest.
    #[default]
    Best,
    /// The last.
    Last,
}

impl Shows {
    /// As a column of a table is called.
    pub fn name(self) -> &'static str {
        match self {
            Shows::Best => "best",
            Shows::Last => "last",
        }
    }
}

/// The size of such an experiment.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Size {
    /// Training games of each run.
    pub games: u64,
    /// Positions that a training search looks at for a move, instead of the recipe's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training_nodes: Option<u64>,
    /// Each side's time for a training game. It limits searches instead of a number of positions, so that no run is the same twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training_time: Option<TimeControl>,
    /// Runs of each learner, with seeds 1, 2, …
    pub seeds: u64,
    /// Rated games of each pair of checkpoints.
    pub rated_games: u32,
    /// Positions that the tournament search looks at for a move of them.
    pub nodes: u64,
}

/// One learner.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LearnerEntry {
    /// As the paper calls it.
    pub name: String,
    /// The recipe's file, in the paper's folder.
    recipe: String,
    /// Training games at every scale that would have more.
    #[serde(default)]
    games: Option<u64>,
    /// The size of its steps, instead of the recipe's.
    #[serde(default)]
    step_size: Option<f32>,
    /// Its rating in the paper when it has learnt, if that is told.
    #[serde(default)]
    pub paper: Option<f64>,
    /// Its rating in the paper before, if that is not `untrained`.
    #[serde(default)]
    pub first: Option<f64>,
}

/// One learner is stronger than another.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StrengthClaim {
    /// The name of the one.
    pub stronger: String,
    /// The name of the other.
    pub weaker: String,
    /// By how many points of Elo at least.
    #[serde(default)]
    pub by: f64,
}

impl LearnerExperiment {
    /// Reads the experiment from its file.
    pub fn load(path: &Path) -> Result<LearnerExperiment> {
        let text = std::fs::read_to_string(path)?;
        let experiment: LearnerExperiment = crate::recipe::from_toml(&text)?;
        ensure!(!experiment.learners.is_empty(), "no [[learner]]");
        for (name, size) in &experiment.scale {
            ensure!(
                size.games > 0 && size.seeds > 0 && size.rated_games > 0 && size.nodes > 0,
                "[scale.{name}]: expected numbers above 0"
            );
            let has_limit = size.training_time.is_none_or(|time| !time.is_none() && size.training_nodes.is_none());
            ensure!(has_limit, "[scale.{name}]: expected training-time = \"1m+1s\", say, or training-nodes, not both");
        }
        for LearnerEntry { name, step_size, .. } in &experiment.learners {
            let is_valid = step_size.is_none_or(|step| step.is_finite() && step > 0.0);
            ensure!(is_valid, "[[learner]] '{name}': step-size: expected a positive number");
        }
        for claim in &experiment.claims {
            for name in [&claim.stronger, &claim.weaker] {
                let known = experiment.learners.iter().any(|learner| learner.name == *name);
                ensure!(known, "[[claim]]: '{name}' is not the name of a learner");
            }
        }
        Ok(experiment)
    }

    /// Its size at one scale.
    pub fn size(&self, scale: Scale) -> Result<&Size> {
        scale.of(&self.scale)
    }

    /// The recipe of one run.
    pub fn recipe_of(&self, place: &Workplace, learner: &LearnerEntry, seed: u64) -> Result<SearchRecipe> {
        let size = self.size(place.scale)?;
        let mut recipe = SearchRecipe::load(&place.paper.join(&learner.recipe))?;
        let games = learner.games.map_or(size.games, |most| most.min(size.games));
        (recipe.games, recipe.seed, recipe.threads, recipe.evaluation.games) = (games, seed, 1, 0);
        if let Some(step_size) = learner.step_size {
            recipe.learner = recipe.learner.with_step_size(step_size);
        }
        recipe.search.nodes = size.training_nodes.unwrap_or(recipe.search.nodes);
        if let Some(time) = size.training_time {
            (recipe.time, recipe.search.nodes) = (time, 0);
        }
        Ok(recipe)
    }

    /// By how much a learner's rating rose in the paper, if that is told.
    pub fn gain(&self, learner: &LearnerEntry) -> Option<f64> {
        Some(learner.paper? - learner.first.unwrap_or(self.untrained))
    }
}

/// What the player is called that has these weights.
pub fn name_of(first: &FirstWeights) -> &str {
    match first {
        FirstWeights::Random => "untrained",
        FirstWeights::Material => "values of men",
        FirstWeights::Pawns => "men worth a pawn",
        FirstWeights::Run(name) => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_comparisons_are_complete() {
        let committed = [("2009-treestrap", "table2"), ("2009-treestrap", "table2-tuned"), ("1999-tdleaf", "gains")];
        for (folder, name) in committed {
            let paper = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers").join(folder);
            let experiment = LearnerExperiment::load(&paper.join(format!("{name}.toml"))).unwrap();
            assert_eq!(experiment.learners.len(), 4);
            assert!(!experiment.claims.is_empty());
            for scale in [Scale::Quick, Scale::Full] {
                experiment.size(scale).unwrap();
            }
            for learner in &experiment.learners {
                SearchRecipe::load(&paper.join(&learner.recipe)).unwrap();
            }
        }
    }

    #[test]
    fn a_learner_may_have_other_steps_than_its_recipe() {
        let paper = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers/2009-treestrap");
        let text = std::fs::read_to_string(paper.join("table2-tuned.toml")).unwrap();
        let experiment = LearnerExperiment::load(&paper.join("table2-tuned.toml")).unwrap();
        let place = Workplace { paper: paper.clone(), ..Workplace::of_command(None, false).unwrap() };
        let steps = |learner: &LearnerEntry| experiment.recipe_of(&place, learner, 1).unwrap().learner.step_size();
        assert_eq!(experiment.learners.iter().map(steps).collect::<Vec<f32>>(), [2e-4, 2e-4, 2e-4, 5e-3]);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("wrong.toml"), text.replace("step-size = 2e-4", "step-size = 0.0")).unwrap();
        let message = LearnerExperiment::load(&folder.path().join("wrong.toml")).unwrap_err().to_string();
        assert!(message.contains("'TreeStrap(αβ)'") && message.contains("expected a positive number"), "{message}");
    }

    #[test]
    fn a_clock_stands_in_for_a_number_of_positions() {
        let paper = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers/2009-treestrap");
        let text = std::fs::read_to_string(paper.join("table2.toml")).unwrap();
        let experiment = LearnerExperiment::load(&paper.join("table2.toml")).unwrap();
        assert_eq!(experiment.size(Scale::Paper).unwrap().training_time.unwrap().to_string(), "1m+1s");
        assert_eq!(experiment.size(Scale::Full).unwrap().training_time, None);
        let folder = tempfile::tempdir().unwrap();
        let both = text.replace("training-time", "training-nodes = 5\ntraining-time");
        std::fs::write(folder.path().join("both.toml"), both).unwrap();
        let message = LearnerExperiment::load(&folder.path().join("both.toml")).unwrap_err().to_string();
        assert!(message.contains("[scale.paper]") && message.contains("not both"), "{message}");
    }
}
