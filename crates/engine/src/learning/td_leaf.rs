//! [`TdLeaf`]: the principal leaf of each search learns from the next search (paper 001, §3, eq. 8 and 9).
//!
//! ```text
//! θ ← θ + α Σₜ ∇V(xₜˡ) Σ over j ≥ t of λ^(j−t) (V(xⱼ₊₁ˡ) − V(xⱼˡ))          xₜˡ: the leaf of the principal variation from xₜ
//! ```
//!
//! As in KnightCap a leaf does not learn where the search saw a sure result, a draw, or something else than the leaf shows. But what
//! the search said there stays in the differences, as in the paper's eq. 8, where KnightCap leaves the whole position out.

use super::adam::SharedAdam;
use super::differences::{DifferenceSettings, Differences};
use super::search_learner::{SearchLearner, SquaredErrors, value_of};
use crate::search::{Found, TrainingSearch};
use crate::value::{ActiveSet, Features};
use afterstate_games::{Outcome, Tactics, Turn};

/// TDLeaf(λ).
pub struct TdLeaf(Differences);

impl TdLeaf {
    /// The rule with these settings, alone with its weights.
    pub fn new(settings: DifferenceSettings) -> TdLeaf {
        TdLeaf::sharing(settings, SharedAdam::default())
    }

    /// The rule of one of several players that learn the same weights.
    pub fn sharing(settings: DifferenceSettings, adam: SharedAdam) -> TdLeaf {
        TdLeaf(Differences::new(settings, adam))
    }
}

impl<G: Tactics, F: Features<G>> SearchLearner<G, F> for TdLeaf {
    fn begin(&mut self) {
        self.0.begin();
    }

    fn searched(&mut self, game: &G, found: &Found<G>, predicted: bool, search: &mut TrainingSearch<G, F>) {
        let (side, mut set) = (game.to_move(), ActiveSet::default());
        let value = value_of(found.score, search.squash());
        let goes_on = matches!(found.leaf.turn(), Turn::Player(_)) && found.score.winner().is_none() && !found.repeats;
        let learns = goes_on && {
            search.features().active(&found.leaf, &mut set);
            let seen_again = search.squash().value(search.weights().sum(&set));
            (seen_again.0 - value.0).abs() <= self.0.settings.tolerance
        };
        self.0.reached(side, value.seen_by(side), learns.then_some(set), predicted);
    }

    fn ended(&mut self, outcome: Option<Outcome>, search: &TrainingSearch<G, F>) {
        self.0.learn(outcome, search.squash(), search.weights());
    }

    fn errors(&self) -> SquaredErrors {
        self.0.errors()
    }
}
