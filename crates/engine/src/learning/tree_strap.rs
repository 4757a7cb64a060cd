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
//! each once, and is added when the search is over: all values H(s) are those that the search saw.

use super::search_learner::{SearchLearner, value_of};
use crate::Value;
use crate::search::training_search::Interval;
use crate::search::{Found, TrainingSearch};
use crate::value::{ActiveSet, Features, Squash};
use afterstate_games::{Outcome, Tactics};

/// TreeStrap; with a search that prunes TreeStrap(αβ), else TreeStrap(minimax).
pub struct TreeStrap {
    /// η.
    pub step_size: f32,
    /// d, how deep a position must have been searched to move. At least 1.
    pub least_depth: u32,
    set: ActiveSet,
    /// Δθ, and which of its entries are not 0.
    change: Vec<f32>,
    touched: Vec<u32>,
}

impl TreeStrap {
    /// The rule with its step size η (the paper's: 5·10⁻⁷ with pruning, 10⁻⁶ without) and least depth d (the paper's: 1).
    pub fn new(step_size: f32, least_depth: u32) -> TreeStrap {
        let (set, change, touched) = (ActiveSet::default(), Vec::new(), Vec::new());
        TreeStrap { step_size, least_depth: least_depth.max(1), set, change, touched }
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
    fn begin(&mut self) {}

    fn searched(&mut self, game: &G, _found: &Found<G>, _predicted: bool, search: &mut TrainingSearch<G, F>) {
        let (features, weights, squash) = (search.features().clone(), search.weights().clone(), search.squash());
        let TreeStrap { step_size, least_depth, set, change, touched } = self;
        change.resize(weights.len() + 1, 0.0);
        search.walk(game, *least_depth, &mut |game, interval| {
            features.active(game, set);
            let error = error(squash.value(weights.sum(set)), interval, squash);
            if error == 0.0 {
                return;
            }
            for &share in set.shares() {
                let entry = &mut change[share.index()];
                if *entry == 0.0 {
                    touched.push(share.index() as u32);
                }
                *entry += error * share.sign();
            }
        });
        for index in touched.drain(..) {
            let change = std::mem::take(&mut change[index as usize]);
            if change != 0.0 {
                weights.add_exactly(index as usize, *step_size * change);
            }
        }
    }

    fn ended(&mut self, _outcome: Outcome, _search: &TrainingSearch<G, F>) {}
}
