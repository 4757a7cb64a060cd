//! [`SearchLearner`]: what learners have in common that learn from the searches by which a player chooses its moves.

use crate::Value;
use crate::search::{Found, Score, TrainingSearch};
use crate::value::{Features, Squash};
use afterstate_games::{Outcome, Side, Tactics};

/// Learns while one side of a game is played by search. The calls of a game come in this order: `begin`, `searched` for
/// every move of that side, `ended`.
///
/// Weights may change in any of them: no search runs meanwhile, but others may read and change the same weights where several games learn
/// at once. A search's [`TrainingSearch::walk`] shows every position of its tree until the next one begins.
/// [`TdRoot`](super::TdRoot) is the shortest of those that are here.
///
/// A game in which one search chooses the moves of both sides, and learns from those of the first:
///
/// ```
/// use afterstate_engine::Budget;
/// use afterstate_engine::learning::{SearchLearner, TreeStrap, TreeStrapSettings};
/// use afterstate_engine::search::{TrainingSearch, TrainingSearchSettings};
/// use afterstate_engine::value::{Features, GridShapes, Squash, Weights, WindowSizes};
/// use afterstate_games::{ConnectFour, Game, Record, Side, Turn};
/// use std::sync::Arc;
/// let features = Arc::new(GridShapes::new(&ConnectFour::new(), WindowSizes::new(&[1, 2]).unwrap()));
/// let weights = Arc::new(Weights::zeros(Features::<ConnectFour>::count(&*features)));
/// let settings = TrainingSearchSettings { depth: 3, ..Default::default() };
/// let mut search = TrainingSearch::new(features, weights.clone(), Squash::Logistic, settings);
/// let mut rule = TreeStrap::new(TreeStrapSettings { step_size: 0.01, ..Default::default() });
/// let mut record = Record::new(ConnectFour::new());
/// SearchLearner::<ConnectFour, GridShapes>::begin(&mut rule);
/// let outcome = loop {
///     let side = match record.turn() {
///         Turn::Player(side) => side,
///         Turn::Over(outcome) => break outcome,
///         Turn::Chance => unreachable!("there is none in this game"),
///     };
///     let found = search.search(&record, &Budget::default()).unwrap();
///     if side == Side::First {
///         rule.searched(record.position(), &found, true, &mut search);
///     }
///     record.play(found.best);
/// };
/// rule.ended(Some(outcome), &search);
/// assert!(weights.values().iter().any(|&weight| weight != 0.0));
/// ```
pub trait SearchLearner<G: Tactics, F: Features<G>>: Send {
    /// A game begins.
    fn begin(&mut self);

    /// The learner's side is to move in `game`, and its search has found this. `predicted` tells whether the opponent's last
    /// move was the one that the search before had expected; it was not when nothing had been expected.
    fn searched(&mut self, game: &G, found: &Found<G>, predicted: bool, search: &mut TrainingSearch<G, F>);

    /// The game has ended. `None`: not on the board, but by a clock, by resignation or by the fault of a program, which says
    /// nothing of the last position.
    fn ended(&mut self, outcome: Option<Outcome>, search: &TrainingSearch<G, F>);

    /// How far the positions that have learnt in this game were from their targets, each before its step.
    fn errors(&self) -> SquaredErrors;
}

/// The squared errors of the positions that learn in a game.
///
/// ```
/// use afterstate_engine::learning::SquaredErrors;
/// let mut errors = SquaredErrors::default();
/// assert_eq!(errors.mean(), None);
/// errors.add(0.5);
/// errors.add(-0.25);
/// assert_eq!(errors.mean(), Some(0.15625));
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SquaredErrors {
    sum: f64,
    positions: u64,
}

impl SquaredErrors {
    /// A position's value is `error` below its target.
    #[inline]
    pub fn add(&mut self, error: f32) {
        self.sum += f64::from(error * error);
        self.positions += 1;
    }

    /// These and others.
    pub fn and(self, others: SquaredErrors) -> SquaredErrors {
        SquaredErrors { sum: self.sum + others.sum, positions: self.positions + others.positions }
    }

    /// The mean of them; nothing if no position has learnt.
    pub fn mean(&self) -> Option<f64> {
        (self.positions > 0).then(|| self.sum / self.positions as f64)
    }
}

/// The value that a search's score stands for: that of the sum of weights, or of a sure result. The nearer a sure result, the
/// surer: each ply costs a ten-thousandth (paper 002, §5: mate is worth 9999 and a little less for every move to it).
///
/// ```
/// use afterstate_engine::learning::value_of;
/// use afterstate_engine::search::Score;
/// use afterstate_engine::value::Squash;
/// use afterstate_games::{Outcome, Side};
/// assert_eq!(value_of(Score::heuristic(0.25), Squash::Linear).0, 0.75);
/// assert_eq!(value_of(Score::ended(Outcome::win(Side::Second), 100, 0.0), Squash::Linear).0, 0.005);
/// ```
pub fn value_of(score: Score, squash: Squash) -> Value {
    /// What a ply to a sure result costs.
    const PLY: f32 = 0.5e-4;
    match (score.winner(), score.plies_to_end()) {
        (Some(Side::First), Some(plies)) => Value(1.0 - PLY * plies as f32),
        (Some(Side::Second), Some(plies)) => Value(PLY * plies as f32),
        _ => squash.value(score.first_player()),
    }
}
