//! Temporal-difference learning of linear values: TD(λ) and its two-ply form NTD2(λ) (paper 000, §3.2).
//!
//! With V(s) = squash(φ(s)·θ) and n plies between a position and its target (1, or 2 so that the same
//! colour is to move in both):
//!
//! ```text
//! e ← λ e + φ(sₜ)/‖φ(sₜ)‖²                 one trace for each parity of t when n = 2
//! θ ← θ + α e (V(sₜ₊ₙ) − V(sₜ))            V(sₜ₊ₙ) = z once the game is over
//! ```
//!
//! The step has no σ′ factor: this is the gradient of the cross-entropy between the two values.
//!
//! The original program has another form of λ, too, [`TraceKind::Backward`]: after the game, for the positions of one parity,
//! chosen at random for each game, from the last to the first, with the values that they had when they were reached
//!
//! ```text
//! G ← λ G + (1 − λ) V(sₜ₊ₙ)                both are z for the last position
//! θ ← θ + α φ(sₜ)/‖φ(sₜ)‖² (G − V(sₜ))
//! ```

use super::eligibility::{EligibilityTrace, TraceKind};
use crate::Value;
use crate::value::{ActiveSet, Squash, Weights};
use afterstate_games::rng::{Rng, below, mix};
use serde::{Deserialize, Serialize};

/// How far ahead the target is.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Plies {
    /// The next position, where the other colour is to move.
    One,
    /// The position after both sides moved (the paper's default).
    #[default]
    Two,
}

impl Plies {
    pub(crate) const fn count(self) -> usize {
        match self {
            Plies::One => 1,
            Plies::Two => 2,
        }
    }
}

/// Settings of the rule; the defaults are the paper's.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TdSettings {
    /// α, which ‖φ‖² divides.
    pub step_size: f32,
    /// λ, from 0 (the next value alone) to 1 (the outcome alone).
    pub lambda: f32,
    /// How far ahead the target is.
    pub plies: Plies,
    /// The form of λ: what a trace does when its feature is active again.
    pub traces: TraceKind,
    /// σ, or nothing.
    pub squash: Squash,
}

impl TdSettings {
    /// Whether positions learn from the next value alone, at once, so that there is nothing to remember.
    pub fn is_online(&self) -> bool {
        self.lambda == 0.0 && self.traces != TraceKind::Backward
    }
}

impl Default for TdSettings {
    fn default() -> Self {
        TdSettings {
            step_size: 0.1,
            lambda: 0.0,
            plies: Plies::Two,
            traces: TraceKind::Accumulating,
            squash: Squash::Logistic,
        }
    }
}

/// The rule at work on one game: told of every position in turn, it moves the earlier ones.
///
/// ```
/// use afterstate_engine::{Value, learning::{Plies, Td, TdSettings}, value::{ActiveSet, Share, Weights}};
/// use afterstate_games::{Outcome, Side};
/// let settings = TdSettings { plies: Plies::One, step_size: 0.5, ..TdSettings::default() };
/// let (weights, mut rule) = (Weights::zeros(2), Td::new(2, settings));
/// rule.begin();
/// for feature in [0, 1] {
///     let mut set = ActiveSet::default();
///     set.push(Share::new(feature, false));
///     rule.reached(&mut set, Value::EVEN, &weights);
/// }
/// rule.ended(Outcome::win(Side::First), &weights);
/// // The first position learnt from the second, which was even, and the second from the win: ½ · (1 − ½).
/// assert_eq!(weights.values(), [0.0, 0.25]);
/// ```
#[derive(Clone, Debug)]
pub struct Td {
    settings: TdSettings,
    /// φ of the last positions, by t modulo 2 (modulo 1 for one-ply): each waits for its target.
    waiting: [ActiveSet; 2],
    /// What they are worth beside φ·θ.
    beside: [f32; 2],
    /// Traces by parity; none when λ = 0, where the waiting set is the trace.
    traces: Option<[EligibilityTrace; 2]>,
    /// With [`TraceKind::Backward`]: φ and V of the positions of this game, of which the first `time` count.
    visited: Vec<(ActiveSet, f32)>,
    /// What the positions that learn are drawn by with [`TraceKind::Backward`]: which game it is that learns so, or a number of the game's
    /// own.
    draw: u64,
    /// Positions reached in this game.
    time: usize,
    /// Positions that have learnt in this game.
    updates: usize,
    squared_error: f64,
}

impl Td {
    /// A rule for a function of `count` weights.
    pub fn new(count: usize, settings: TdSettings) -> Td {
        let has_traces = settings.lambda > 0.0 && settings.traces != TraceKind::Backward;
        let traces = has_traces.then(|| [(); 2].map(|()| EligibilityTrace::new(count, settings.traces)));
        Td {
            settings,
            waiting: Default::default(),
            beside: [0.0; 2],
            traces,
            visited: Vec::new(),
            draw: 1,
            time: 0,
            updates: 0,
            squared_error: 0.0,
        }
    }

    /// A game begins.
    pub fn begin(&mut self) {
        self.time = 0;
        (self.updates, self.squared_error) = (0, 0.0);
        for trace in self.traces.iter_mut().flatten() {
            trace.clear();
        }
    }

    /// Nothing is known of the games before any more: the next begins as the first did.
    pub fn restart(&mut self) {
        self.begin();
        self.draw = 1;
    }

    /// The same as [`Td::begin`] of a game whose random choices all come from `rng`: with [`TraceKind::Backward`] it says which positions learn,
    /// whatever games came before.
    pub fn begin_by(&mut self, rng: &mut Rng) {
        self.begin();
        if self.settings.traces == TraceKind::Backward {
            self.draw = below(rng, u32::MAX).into();
        }
    }

    /// Position sₜ was reached, and this is φ(sₜ) (taken over: `set` comes back with old contents).
    /// Moves sₜ₋ₙ towards `value`, V(sₜ).
    #[inline]
    pub fn reached(&mut self, set: &mut ActiveSet, value: Value, weights: &Weights) {
        self.reached_beside(set, value, 0.0, weights);
    }

    /// The same where `value` is that of φ(sₜ)·θ and `beside` together: something else, that does not learn, has its
    /// say.
    #[inline]
    pub fn reached_beside(&mut self, set: &mut ActiveSet, value: Value, beside: f32, weights: &Weights) {
        if self.settings.traces == TraceKind::Backward {
            self.remember(set, value);
            return;
        }
        let plies = self.settings.plies.count();
        let slot = self.time % plies;
        if self.time >= plies {
            self.update(slot, value, weights);
        }
        std::mem::swap(&mut self.waiting[slot], set);
        self.beside[slot] = beside;
        if let Some(traces) = &mut self.traces {
            traces[slot].visit(&self.waiting[slot], self.settings.lambda);
        }
        self.time += 1;
    }

    /// The game has ended in the position that follows the last one reached: every position that still
    /// waits moves towards the outcome.
    pub fn ended(&mut self, outcome: impl Into<Value>, weights: &Weights) {
        let (plies, outcome) = (self.settings.plies.count(), outcome.into());
        if self.settings.traces == TraceKind::Backward {
            self.look_back(outcome, weights);
            return;
        }
        for time in self.time.max(plies)..self.time + plies {
            self.update(time % plies, outcome, weights);
        }
    }

    /// The mean squared difference between values and their targets so far in this game.
    pub fn mean_squared_error(&self) -> f64 {
        self.squared_error / self.updates.max(1) as f64
    }

    fn remember(&mut self, set: &mut ActiveSet, value: Value) {
        if self.visited.len() == self.time {
            self.visited.push(Default::default());
        }
        let (visited, known) = &mut self.visited[self.time];
        std::mem::swap(visited, set);
        *known = value.0;
        self.time += 1;
    }

    /// Every other position of the game, or every one where the next is the target, from the last to the first.
    fn look_back(&mut self, outcome: Value, weights: &Weights) {
        let TdSettings { step_size, lambda, plies, .. } = self.settings;
        // A number that anybody would call random, and that is the same every time.
        let last = self.time.saturating_sub(mix(self.draw) as usize % plies.count());
        self.draw = self.draw.wrapping_add(1);
        let (mut lambda_return, mut next) = (outcome.0, outcome.0);
        for (set, value) in self.visited[..last].iter().rev().step_by(plies.count()) {
            lambda_return = lambda * lambda_return + (1.0 - lambda) * next;
            let error = lambda_return - value;
            self.updates += 1;
            self.squared_error += f64::from(error) * f64::from(error);
            weights.add(set, step_size * error / set.norm_squared().max(1) as f32);
            next = *value;
        }
    }

    #[inline]
    fn update(&mut self, slot: usize, target: Value, weights: &Weights) {
        let set = &self.waiting[slot];
        let error = target.0 - self.settings.squash.value(weights.sum(set) + self.beside[slot]).0;
        self.updates += 1;
        self.squared_error += f64::from(error) * f64::from(error);
        match &self.traces {
            None => weights.add(set, self.settings.step_size * error / set.norm_squared().max(1) as f32),
            Some(traces) => traces[slot].apply(weights, self.settings.step_size * error),
        }
    }
}
