//! [`TreeStrap`]: every position of the search tree moves towards its own search value (paper 002, §3 and §4).
//!
//! ```text
//! TreeStrap(minimax)      Δθ = η Σ over s in the tree of  (V^D(s) − H(s)) φ(s)
//! TreeStrap(αβ)           Δθ = η Σ over s in the tree of  δ(s) φ(s),      δ(s) = a − H(s) if H(s) > a,
//!                                                                           b − H(s) if H(s) < b,  else 0
//! ```
//!
//! where alpha-beta proved that V^D(s) lies between b and a, or beyond one of them alone. Without cut-offs both are V^D(s), and
//! the second is the first. The sum is over every position of the transposition table that was searched d plies deep or deeper,
//! each once, and is added when the search is over: all values H(s) are those that the search saw, unless other games
//! learn the same weights at the same time.
//!
//! Two things may differ from the paper. Most positions of a tree follow some move that loses a man, and H, moved towards what
//! they are worth, learns that men near the opponent are as good as lost; yet a search asks H only where nothing can be taken
//! any more. With [`Learns::QuietLeaf`] that is where it learns: H(s) and φ(s) become those of the position in which
//! quiescence leaves s. And with [`Steps::Adam`], as for all learners, each weight has a step of its own size.
//!
//! For logistic values there is no σ′: the step is that of the cross-entropy, not of the squared error (paper 002, §3).

use super::adam::SharedAdam;
use super::search_learner::{SearchLearner, SquaredErrors, value_of};
use super::steps::{Stepper, Steps};
use crate::Value;
use crate::search::training_search::Interval;
use crate::search::{Found, TrainingSearch};
use crate::value::{ActiveSet, Features, Squash};
use afterstate_games::{Outcome, Tactics};
use serde::{Deserialize, Serialize};

/// Which position's features move towards what was proved of a position.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Learns {
    /// Its own, as in the paper.
    #[default]
    Position,
    /// Those of the position in which the captures end that both sides do best to make.
    QuietLeaf,
}

/// Settings of TreeStrap; the defaults are the paper's.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TreeStrapSettings {
    /// η, or Adam's α. The paper's: 5·10⁻⁷ with pruning, 10⁻⁶ without.
    pub step_size: f32,
    /// d, how deep a position must have been searched to move. At least 1.
    pub least_depth: u32,
    /// Which position's features move.
    pub learns: Learns,
    /// How far.
    pub steps: Steps,
}

impl Default for TreeStrapSettings {
    fn default() -> Self {
        TreeStrapSettings { step_size: 5e-7, least_depth: 1, learns: Learns::Position, steps: Steps::Equal }
    }
}

/// TreeStrap; with a search that prunes TreeStrap(αβ), else TreeStrap(minimax).
pub struct TreeStrap {
    settings: TreeStrapSettings,
    stepper: Stepper,
    set: ActiveSet,
    errors: SquaredErrors,
}

impl TreeStrap {
    /// The rule with these settings, alone with its weights.
    pub fn new(settings: TreeStrapSettings) -> TreeStrap {
        TreeStrap::sharing(settings, SharedAdam::default())
    }

    /// The rule of one of several players that learn the same weights.
    pub fn sharing(settings: TreeStrapSettings, adam: SharedAdam) -> TreeStrap {
        TreeStrap {
            stepper: Stepper::new(settings.steps, adam),
            settings,
            set: ActiveSet::default(),
            errors: SquaredErrors::default(),
        }
    }
}

/// δ: how far `value` is outside of the interval, with its sign.
///
/// ```
/// use afterstate_engine::{Value, learning::tree_strap::error};
/// use afterstate_engine::search::{Score, training_search::Interval};
/// use afterstate_engine::value::Squash;
/// let interval = Interval { at_least: Some(Score::heuristic(0.25)), at_most: None };
/// assert_eq!(error(Value(0.5), interval, Squash::Linear), 0.25);
/// assert_eq!(error(Value(0.8), interval, Squash::Linear), 0.0);
/// ```
pub fn error(value: Value, interval: Interval, squash: Squash) -> f32 {
    let below = interval.at_least.map_or(0.0, |score| (value_of(score, squash).0 - value.0).max(0.0));
    let above = interval.at_most.map_or(0.0, |score| (value_of(score, squash).0 - value.0).min(0.0));
    below + above
}

impl<G: Tactics, F: Features<G>> SearchLearner<G, F> for TreeStrap {
    fn begin(&mut self) {
        self.errors = SquaredErrors::default();
    }

    fn searched(&mut self, game: &G, _found: &Found<G>, _predicted: bool, search: &mut TrainingSearch<G, F>) {
        let (features, weights, squash) = (search.features().clone(), search.weights().clone(), search.squash());
        let TreeStrap { settings, stepper, set, errors } = self;
        search.walk(game, settings.least_depth.max(1), &mut |search, game, interval| {
            let leaf = match settings.learns {
                Learns::Position => None,
                Learns::QuietLeaf => match search.quiet_leaf(game) {
                    None => return,
                    leaf => leaf,
                },
            };
            features.active(leaf.as_ref().unwrap_or(game), set);
            let error = error(squash.value(weights.sum(set)), interval, squash);
            errors.add(error);
            stepper.add(&weights, set, error);
        });
        stepper.step(&weights, settings.step_size);
    }

    fn ended(&mut self, _outcome: Option<Outcome>, _search: &TrainingSearch<G, F>) {}

    fn errors(&self) -> SquaredErrors {
        self.errors
    }
}
