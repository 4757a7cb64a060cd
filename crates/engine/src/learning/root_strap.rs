//! [`RootStrap`]: the position that was searched moves towards its own search value (paper 002, §3).
//!
//! ```text
//! θ ← θ + η (V^D(sₜ) − H(sₜ)) φ(sₜ)
//! ```
//!
//! For logistic values there is no σ′: the step is that of the cross-entropy, not of the squared error (paper 002, §3).

use super::adam::SharedAdam;
use super::search_learner::{SearchLearner, SquaredErrors, value_of};
use super::steps::{StepSettings, Stepper};
use crate::search::{Found, TrainingSearch};
use crate::value::{ActiveSet, Features};
use afterstate_games::{Outcome, Tactics};

/// RootStrap; with a search that prunes RootStrap(αβ), else RootStrap(minimax).
pub struct RootStrap {
    settings: StepSettings,
    stepper: Stepper,
    set: ActiveSet,
    errors: SquaredErrors,
}

impl RootStrap {
    /// The rule with these settings, alone with its weights.
    pub fn new(settings: StepSettings) -> RootStrap {
        RootStrap::sharing(settings, SharedAdam::default())
    }

    /// The rule of one of several players that learn the same weights.
    pub fn sharing(settings: StepSettings, adam: SharedAdam) -> RootStrap {
        RootStrap {
            stepper: Stepper::new(settings.steps, adam),
            settings,
            set: ActiveSet::default(),
            errors: SquaredErrors::default(),
        }
    }
}

impl<G: Tactics, F: Features<G>> SearchLearner<G, F> for RootStrap {
    fn begin(&mut self) {
        self.errors = SquaredErrors::default();
    }

    fn searched(&mut self, game: &G, found: &Found<G>, _predicted: bool, search: &mut TrainingSearch<G, F>) {
        search.features().active(game, &mut self.set);
        let (weights, squash) = (search.weights(), search.squash());
        let value = squash.value(weights.sum(&self.set));
        let error = value_of(found.score, squash).0 - value.0;
        self.errors.add(error);
        self.stepper.add(weights, &self.set, error);
        self.stepper.step(weights, self.settings.step_size);
    }

    fn ended(&mut self, _outcome: Option<Outcome>, _search: &TrainingSearch<G, F>) {}

    fn errors(&self) -> SquaredErrors {
        self.errors
    }
}
