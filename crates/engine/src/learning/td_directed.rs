//! [`TdDirected`]: moves are chosen by search, but the positions themselves learn from each other (paper 001, §3).
//!
//! ```text
//! θ ← θ + α Σₜ ∇V(xₜ) Σ over j ≥ t of λ^(j−t) (V(xⱼ₊₁) − V(xⱼ))          xₜ: the learner is to move, V(x_N) = the outcome
//! ```
//!
//! With a search of one ply and nothing beyond it this is TD(λ) on the positions played, as in eq. 4: `depth = 1`,
//! `quiescence = false`, `check-extension = false`. With the defaults of the last two a move may be chosen by what lies deeper.

use super::adam::SharedAdam;
use super::differences::{DifferenceSettings, Differences};
use super::search_learner::{SearchLearner, SquaredErrors};
use crate::search::{Found, TrainingSearch};
use crate::value::{ActiveSet, Features};
use afterstate_games::{Outcome, Tactics};

/// TD-directed(λ).
pub struct TdDirected(Differences);

impl TdDirected {
    /// The rule with these settings, alone with its weights.
    pub fn new(settings: DifferenceSettings) -> TdDirected {
        TdDirected::sharing(settings, SharedAdam::default())
    }

    /// The rule of one of several players that learn the same weights.
    pub fn sharing(settings: DifferenceSettings, adam: SharedAdam) -> TdDirected {
        TdDirected(Differences::new(settings, adam))
    }
}

impl<G: Tactics, F: Features<G>> SearchLearner<G, F> for TdDirected {
    fn begin(&mut self) {
        self.0.begin();
    }

    fn searched(&mut self, game: &G, _found: &Found<G>, predicted: bool, search: &mut TrainingSearch<G, F>) {
        let (side, mut set) = (game.to_move(), ActiveSet::default());
        search.features().active(game, &mut set);
        let value = search.squash().value(search.weights().sum(&set)).seen_by(side);
        self.0.reached(side, value, Some(set), predicted);
    }

    fn ended(&mut self, outcome: Option<Outcome>, search: &TrainingSearch<G, F>) {
        self.0.learn(outcome, search.squash(), search.weights());
    }

    fn errors(&self) -> SquaredErrors {
        self.0.errors()
    }
}
