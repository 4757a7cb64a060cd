//! TD(0) and NTD2(0) online, at the cost of what a move changes (paper 000, §3.2).
//!
//! The rule is that of [`super::td`] with λ = 0, position by position; what differs is how it is computed.
//! [`AccruingWeights`] hold the position sₜ₋ₙ that is about to learn. Its value and its step cost nothing that
//! depends on the number of features, and then it moves on to sₜ₋ₙ₊₁ by what the move between them changed.

use super::td::TdSettings;
use crate::Value;
use crate::value::{AccruingWeights, ActiveChange, ActiveSet, Weights};

/// The rule at work on one game, with weights of its own.
///
/// For each move: [`OnlineTd::next_change`] is filled, then [`OnlineTd::reached`] is told the value of the position
/// after it; or, if it ended the game, [`OnlineTd::ended`] the outcome.
///
/// ```
/// use afterstate_engine::{Value, learning::{OnlineTd, Plies, TdSettings}, value::{ActiveSet, Share, Weights}};
/// use afterstate_games::{Outcome, Side};
/// let settings = TdSettings { plies: Plies::One, step_size: 0.5, ..TdSettings::default() };
/// let (mut rule, mut active) = (OnlineTd::new(&Weights::zeros(2), settings), ActiveSet::default());
/// rule.begin(&active);
/// for feature in [0, 1] {
///     // Nothing of what was there goes away.
///     rule.next_change().start(Share::new(feature, false));
///     active.push(Share::new(feature, false));
///     rule.reached(Value::EVEN);
/// }
/// rule.ended(Outcome::win(Side::First), &active);
/// // Two features share the step of the second position.
/// assert_eq!([0, 1].map(|feature| rule.weights().weight(feature)), [0.125, 0.125]);
/// ```
#[derive(Clone, Debug)]
pub struct OnlineTd {
    settings: TdSettings,
    weights: AccruingWeights,
    /// What the last moves changed, by t modulo n: change t leads to sₜ.
    changes: [ActiveChange; 2],
    /// What sₜ is worth beside φ(sₜ)·θ, by t modulo n.
    beside: [f32; 2],
    /// Positions reached in this game, and after its end as many times the outcome as the rule looks ahead.
    time: usize,
    /// Positions that have learnt.
    updates: usize,
    squared_error: f64,
}

impl OnlineTd {
    /// A rule for a copy of `weights`.
    ///
    /// # Panics
    ///
    /// If λ is not 0.
    pub fn new(weights: &Weights, settings: TdSettings) -> OnlineTd {
        assert!(settings.is_online(), "λ is {}: this rule has no eligibility traces", settings.lambda);
        let weights = AccruingWeights::new(weights);
        OnlineTd {
            settings,
            weights,
            changes: Default::default(),
            beside: [0.0; 2],
            time: 0,
            updates: 0,
            squared_error: 0.0,
        }
    }

    /// The weights.
    #[inline(always)]
    pub fn weights(&self) -> &AccruingWeights {
        &self.weights
    }

    /// The weights, between games.
    pub fn weights_mut(&mut self) -> &mut AccruingWeights {
        &mut self.weights
    }

    /// A game begins in the position with these active features. The one before it must have ended.
    pub fn begin(&mut self, active: &ActiveSet) {
        self.weights.start(active);
        self.changes.iter_mut().for_each(ActiveChange::clear);
        (self.time, self.updates, self.squared_error) = (0, 0, 0.0);
    }

    /// To be filled with what the next move changes, and any chance outcomes before it. Empty after every move.
    #[inline]
    pub fn next_change(&mut self) -> &mut ActiveChange {
        &mut self.changes[self.time % self.settings.plies.count()]
    }

    /// φ(sₜ)·θ of the position that [`OnlineTd::next_change`] leads to.
    pub fn sum_of_next(&self) -> f32 {
        let plies = self.settings.plies.count();
        let first = (self.time + 1).saturating_sub(plies);
        self.weights.sum_after((first..=self.time).map(|time| &self.changes[time % plies]))
    }

    /// Position sₜ was reached. Moves sₜ₋ₙ towards `value`, V(sₜ).
    #[inline]
    pub fn reached(&mut self, value: Value) {
        self.reached_beside(value, 0.0);
    }

    /// The same where `value` is that of φ(sₜ)·θ and `beside` together: something else, that does not learn, has its
    /// say.
    #[inline]
    pub fn reached_beside(&mut self, value: Value, beside: f32) {
        let slot = self.time % self.settings.plies.count();
        if self.time >= self.settings.plies.count() {
            self.update(value, self.beside[slot]);
        }
        self.beside[slot] = beside;
        self.step();
    }

    /// The next position waits for its target.
    #[inline]
    fn step(&mut self) {
        let plies = self.settings.plies.count();
        self.time += 1;
        if self.time >= plies {
            let change = &mut self.changes[self.time % plies];
            self.weights.change(change);
            change.clear();
        }
    }

    /// The last move ended the game, in a position with these active features: every position that still waits moves
    /// towards the outcome.
    pub fn ended(&mut self, outcome: impl Into<Value>, active: &ActiveSet) {
        let outcome = outcome.into();
        for _ in 0..self.settings.plies.count() {
            self.reached(outcome);
        }
        self.weights.settle(active);
    }

    /// The game ends here, in a position with these active features, and nobody learns from how.
    pub fn abandoned(&mut self, active: &ActiveSet) {
        for _ in 0..self.settings.plies.count() {
            self.step();
        }
        self.weights.settle(active);
    }

    /// The mean squared difference between values and their targets so far in this game.
    pub fn mean_squared_error(&self) -> f64 {
        self.squared_error / self.updates.max(1) as f64
    }

    #[inline]
    fn update(&mut self, target: Value, beside: f32) {
        let error = target.0 - self.settings.squash.value(self.weights.sum() + beside).0;
        self.squared_error += f64::from(error) * f64::from(error);
        self.updates += 1;
        self.weights.add(self.settings.step_size * error / self.weights.norm_squared().max(1) as f32);
    }
}
