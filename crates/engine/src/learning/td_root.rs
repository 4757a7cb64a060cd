//! [`TdRoot`]: a position moves towards the search value of the next one (paper 002, §2, after A. Samuel 1959).
//!
//! ```text
//! θ ← θ + η (V^D(sₜ₊₁) − H(sₜ)) φ(sₜ)          the outcome stands for V^D after the last position
//! ```
//!
//! Where a game did not end on the board, its last position does not learn.
//!
//! Positions are those in which the learner's side is to move.
//!
//! For logistic values there is no σ′: the step is that of the cross-entropy, not of the squared error (paper 002, §3).

use super::adam::SharedAdam;
use super::search_learner::{SearchLearner, SquaredErrors, value_of};
use super::steps::{StepSettings, Stepper};
use crate::Value;
use crate::search::{Found, TrainingSearch};
use crate::value::{ActiveSet, Features};
use afterstate_games::{Outcome, Tactics};

/// TD-Root.
pub struct TdRoot {
    settings: StepSettings,
    stepper: Stepper,
    /// φ of the last position, if there was one.
    last: Option<ActiveSet>,
    errors: SquaredErrors,
}

impl TdRoot {
    /// The rule with these settings, alone with its weights.
    pub fn new(settings: StepSettings) -> TdRoot {
        TdRoot::sharing(settings, SharedAdam::default())
    }

    /// The rule of one of several players that learn the same weights.
    pub fn sharing(settings: StepSettings, adam: SharedAdam) -> TdRoot {
        TdRoot { stepper: Stepper::new(settings.steps, adam), settings, last: None, errors: SquaredErrors::default() }
    }

    fn update<G: Tactics, F: Features<G>>(&mut self, target: Value, search: &TrainingSearch<G, F>) {
        if let Some(set) = &self.last {
            let weights = search.weights();
            let error = target.0 - search.squash().value(weights.sum(set)).0;
            self.errors.add(error);
            self.stepper.add(weights, set, error);
            self.stepper.step(weights, self.settings.step_size);
        }
    }
}

impl<G: Tactics, F: Features<G>> SearchLearner<G, F> for TdRoot {
    fn begin(&mut self) {
        self.last = None;
        self.errors = SquaredErrors::default();
    }

    fn searched(&mut self, game: &G, found: &Found<G>, _predicted: bool, search: &mut TrainingSearch<G, F>) {
        self.update(value_of(found.score, search.squash()), search);
        search.features().active(game, self.last.get_or_insert_default());
    }

    fn ended(&mut self, outcome: Option<Outcome>, search: &TrainingSearch<G, F>) {
        if let Some(outcome) = outcome {
            self.update(outcome.into(), search);
        }
    }

    fn errors(&self) -> SquaredErrors {
        self.errors
    }
}
