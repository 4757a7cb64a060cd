//! [`RootStrap`]: the position that was searched moves towards its own search value (paper 002, §3).
//!
//! ```text
//! θ ← θ + η (V^D(sₜ) − H(sₜ)) φ(sₜ)
//! ```

use super::search_learner::{SearchLearner, value_of};
use crate::search::{Found, TrainingSearch};
use crate::value::{ActiveSet, Features};
use afterstate_games::{Outcome, Tactics};

/// RootStrap; with a search that prunes RootStrap(αβ), else RootStrap(minimax).
pub struct RootStrap {
    /// η.
    pub step_size: f32,
    set: ActiveSet,
}

impl RootStrap {
    /// The rule with its step size η (the paper's: 10⁻⁵).
    pub fn new(step_size: f32) -> RootStrap {
        RootStrap { step_size, set: ActiveSet::default() }
    }
}

impl<G: Tactics, F: Features<G>> SearchLearner<G, F> for RootStrap {
    fn begin(&mut self) {}

    fn searched(&mut self, game: &G, found: &Found<G>, _predicted: bool, search: &mut TrainingSearch<G, F>) {
        search.features().active(game, &mut self.set);
        let (weights, squash) = (search.weights(), search.squash());
        let value = squash.value(weights.sum(&self.set));
        let error = value_of(found.score, squash).0 - value.0;
        weights.add(&self.set, self.step_size * error);
    }

    fn ended(&mut self, _outcome: Outcome, _search: &TrainingSearch<G, F>) {}
}
