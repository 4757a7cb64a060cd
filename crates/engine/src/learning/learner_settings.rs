//! [`LearnerSettings`]: which rule learns from searches, and how.

use super::adam::SharedAdam;
use super::differences::DifferenceSettings;
use super::root_strap::RootStrap;
use super::search_learner::SearchLearner;
use super::steps::StepSettings;
use super::td_directed::TdDirected;
use super::td_leaf::TdLeaf;
use super::td_root::TdRoot;
use super::tree_strap::{TreeStrap, TreeStrapSettings};
use crate::value::Features;
use afterstate_games::Tactics;
use serde::{Deserialize, Serialize};

/// A rule that learns from searches, with its settings. Whether RootStrap and TreeStrap are those of minimax or αβ is the
/// search's setting.
///
/// ```
/// use afterstate_engine::learning::{LearnerSettings, TreeStrapSettings};
/// let settings: LearnerSettings = serde_json::from_str(r#"{ "rule": "tree-strap", "step-size": 1e-6 }"#).unwrap();
/// assert_eq!(settings, LearnerSettings::TreeStrap(TreeStrapSettings { step_size: 1e-6, ..Default::default() }));
/// ```
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
pub enum LearnerSettings {
    /// [`TreeStrap`].
    TreeStrap(TreeStrapSettings),
    /// [`RootStrap`].
    RootStrap(StepSettings),
    /// [`TdRoot`].
    TdRoot(StepSettings),
    /// [`TdLeaf`].
    TdLeaf(DifferenceSettings),
    /// [`TdDirected`].
    TdDirected(DifferenceSettings),
}

impl Default for LearnerSettings {
    fn default() -> Self {
        LearnerSettings::TreeStrap(TreeStrapSettings::default())
    }
}

impl LearnerSettings {
    /// The rule at work, alone with its weights.
    pub fn build<G: Tactics, F: Features<G>>(&self) -> Box<dyn SearchLearner<G, F>> {
        self.build_sharing(&SharedAdam::default())
    }

    /// The rule at work for one of several players that learn the same weights: what Adam remembers, where there is Adam, is
    /// theirs together.
    pub fn build_sharing<G: Tactics, F: Features<G>>(&self, adam: &SharedAdam) -> Box<dyn SearchLearner<G, F>> {
        match self {
            LearnerSettings::TreeStrap(settings) => Box::new(TreeStrap::sharing(settings.clone(), adam.clone())),
            LearnerSettings::RootStrap(settings) => Box::new(RootStrap::sharing(settings.clone(), adam.clone())),
            LearnerSettings::TdRoot(settings) => Box::new(TdRoot::sharing(settings.clone(), adam.clone())),
            LearnerSettings::TdLeaf(settings) => Box::new(TdLeaf::sharing(settings.clone(), adam.clone())),
            LearnerSettings::TdDirected(settings) => Box::new(TdDirected::sharing(settings.clone(), adam.clone())),
        }
    }

    /// The same rule with another step size.
    pub fn with_step_size(&self, step_size: f32) -> LearnerSettings {
        let mut settings = self.clone();
        match &mut settings {
            LearnerSettings::TreeStrap(settings) => settings.step_size = step_size,
            LearnerSettings::RootStrap(settings) | LearnerSettings::TdRoot(settings) => settings.step_size = step_size,
            LearnerSettings::TdLeaf(settings) | LearnerSettings::TdDirected(settings) => settings.step_size = step_size,
        }
        settings
    }

    /// The step size.
    pub fn step_size(&self) -> f32 {
        match self {
            LearnerSettings::TreeStrap(settings) => settings.step_size,
            LearnerSettings::RootStrap(settings) | LearnerSettings::TdRoot(settings) => settings.step_size,
            LearnerSettings::TdLeaf(settings) | LearnerSettings::TdDirected(settings) => settings.step_size,
        }
    }
}
