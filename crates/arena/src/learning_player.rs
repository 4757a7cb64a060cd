//! [`LearningPlayer`]: chooses its moves by search, and learns from what the search saw.

use crate::player::{Player, PlayerError};
use afterstate_engine::learning::{SearchLearner, SquaredErrors, value_of};
use afterstate_engine::search::TrainingSearch;
use afterstate_engine::value::Features;
use afterstate_engine::{Budget, Decision};
use afterstate_games::{Outcome, Record, Tactics};

/// A learner is a player that remembers. Several of them may share weights, two in one game of self-play among them.
///
/// ```
/// use afterstate_arena::game_loop::{GameRules, play_game};
/// use afterstate_arena::{LearningPlayer, RulesReferee};
/// use afterstate_engine::learning::{LearnerSettings, TreeStrapSettings};
/// use afterstate_engine::search::{TrainingSearch, TrainingSearchSettings};
/// use afterstate_engine::value::{Features, GridShapes, Squash, Weights, WindowSizes};
/// use afterstate_games::ConnectFour;
/// use std::sync::Arc;
///
/// let shapes = Arc::new(GridShapes::new(&ConnectFour::new(), WindowSizes::new(&[1, 2]).unwrap()));
/// let weights = Arc::new(Weights::zeros(Features::<ConnectFour>::count(&*shapes)));
/// let player = || {
///     let search = TrainingSearchSettings { depth: 2, ..TrainingSearchSettings::default() };
///     let rule = LearnerSettings::TreeStrap(TreeStrapSettings { step_size: 0.001, ..Default::default() }).build();
///     LearningPlayer::new(TrainingSearch::new(shapes.clone(), weights.clone(), Squash::Linear, search), rule)
/// };
/// let (mut first, mut second) = (player(), player());
/// play_game(&ConnectFour::new(), &[], [&mut first, &mut second], &mut RulesReferee, &GameRules::default());
/// assert!(weights.values().iter().any(|&weight| weight != 0.0));
/// ```
pub struct LearningPlayer<G: Tactics, F> {
    search: TrainingSearch<G, F>,
    rule: Box<dyn SearchLearner<G, F>>,
    /// The opponent's answer that the last search expected.
    expected: Option<G::Move>,
}

impl<G: Tactics, F: Features<G>> LearningPlayer<G, F> {
    /// A player whose `rule` moves the weights of its `search`.
    pub fn new(search: TrainingSearch<G, F>, rule: Box<dyn SearchLearner<G, F>>) -> Self {
        LearningPlayer { search, rule, expected: None }
    }

    /// Another rule from the next game on.
    pub fn set_rule(&mut self, rule: Box<dyn SearchLearner<G, F>>) {
        self.rule = rule;
    }

    /// How far the positions that have learnt in this game were from their targets.
    pub fn errors(&self) -> SquaredErrors {
        self.rule.errors()
    }
}

impl<G: Tactics, F: Features<G>> Player<G> for LearningPlayer<G, F> {
    fn new_game(&mut self, _record: &Record<G>, _seed: u64) -> Result<(), PlayerError> {
        self.expected = None;
        self.rule.begin();
        Ok(())
    }

    fn choose(&mut self, record: &Record<G>, budget: &Budget) -> Result<Decision<G::Move>, PlayerError> {
        let Some(found) = self.search.search(record, budget) else { return Ok(Decision::resign()) };
        let predicted = self.expected.is_some_and(|expected| record.moves().last() == Some(&expected));
        self.rule.searched(record.position(), &found, predicted, &mut self.search);
        self.expected = found.line.get(1).copied();
        let value = Some(value_of(found.score, self.search.squash()));
        Ok(Decision { value, ..found.into() })
    }

    fn game_over(&mut self, _record: &Record<G>, outcome: Outcome) {
        self.rule.ended(Some(outcome), &self.search);
    }

    fn broken_off(&mut self, _record: &Record<G>, _outcome: Outcome) {
        self.rule.ended(None, &self.search);
    }
}
