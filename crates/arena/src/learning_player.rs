//! [`LearningPlayer`]: chooses its moves by search, and learns from what the search saw.

use crate::player::{Player, PlayerError};
use afterstate_engine::learning::{SearchLearner, value_of};
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
    /// How many moves the game had behind the last one of its own.
    moves: usize,
}

impl<G: Tactics, F: Features<G>> LearningPlayer<G, F> {
    /// A player whose `rule` moves the weights of its `search`.
    pub fn new(search: TrainingSearch<G, F>, rule: Box<dyn SearchLearner<G, F>>) -> Self {
        LearningPlayer { search, rule, expected: None, moves: 0 }
    }

    /// Whether the last move was the one that the last search had expected.
    fn predicted(&self, record: &Record<G>) -> bool {
        self.expected.is_some_and(|expected| record.moves().last() == Some(&expected))
    }

    /// Another rule from the next game on.
    pub fn set_rule(&mut self, rule: Box<dyn SearchLearner<G, F>>) {
        self.rule = rule;
    }
}

impl<G: Tactics, F: Features<G>> Player<G> for LearningPlayer<G, F> {
    fn new_game(&mut self, _record: &Record<G>, _seed: u64) -> Result<(), PlayerError> {
        (self.expected, self.moves) = (None, 0);
        self.rule.begin();
        Ok(())
    }

    fn choose(&mut self, record: &Record<G>, budget: &Budget) -> Result<Decision<G::Move>, PlayerError> {
        let Some(found) = self.search.search(record, budget) else { return Ok(Decision::resign()) };
        let predicted = self.predicted(record);
        self.rule.searched(record.position(), &found, predicted, &mut self.search);
        (self.expected, self.moves) = (found.line.get(1).copied(), record.moves().len() + 1);
        let value = Some(value_of(found.score, self.search.squash()));
        Ok(Decision { value, ..found.into() })
    }

    fn game_over(&mut self, record: &Record<G>, outcome: Outcome) {
        let predicted = record.moves().len() == self.moves || self.predicted(record);
        self.rule.ended(Some(outcome), predicted, &self.search);
    }

    fn broken_off(&mut self, record: &Record<G>, _outcome: Outcome) {
        self.rule.ended(None, self.predicted(record), &self.search);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_engine::search::{Found, TrainingSearchSettings};
    use afterstate_engine::value::{GridShapes, Squash, Weights, WindowSizes};
    use afterstate_games::{ConnectFour, Game};
    use std::sync::{Arc, Mutex};

    /// Learns nothing but what it is told of the opponent's moves.
    struct Told(Arc<Mutex<Vec<bool>>>);

    impl SearchLearner<ConnectFour, GridShapes> for Told {
        fn begin(&mut self) {}

        fn searched(
            &mut self,
            _game: &ConnectFour,
            _found: &Found<ConnectFour>,
            predicted: bool,
            _search: &mut TrainingSearch<ConnectFour, GridShapes>,
        ) {
            self.0.lock().unwrap().push(predicted);
        }

        fn ended(
            &mut self,
            _outcome: Option<Outcome>,
            predicted: bool,
            _search: &TrainingSearch<ConnectFour, GridShapes>,
        ) {
            self.0.lock().unwrap().push(predicted);
        }
    }

    #[test]
    fn a_rule_is_told_whether_the_last_move_was_foreseen() {
        let start = ConnectFour::new();
        let shapes = Arc::new(GridShapes::new(&start, WindowSizes::new(&[1]).unwrap()));
        let weights = Arc::new(Weights::zeros(Features::<ConnectFour>::count(&*shapes)));
        let told = Arc::new(Mutex::new(Vec::new()));
        let settings = TrainingSearchSettings { depth: 2, ..TrainingSearchSettings::default() };
        let search = TrainingSearch::new(shapes, weights, Squash::Linear, settings);
        let mut player = LearningPlayer::new(search, Box::new(Told(told.clone())));
        // What is told at its second move or at the end, the opponent having moved as expected, otherwise or not at all.
        let mut after = |answer: Option<bool>, ended: bool| {
            let mut record = Record::new(start);
            player.new_game(&record, 0).unwrap();
            let best = player.choose(&record, &Budget::default()).unwrap().best.unwrap();
            record.play(best);
            let expected = player.expected.unwrap();
            let mut moves = Vec::new();
            record.position().legal_moves(&mut moves);
            if let Some(as_expected) = answer {
                record.play(*moves.iter().find(|mv| (**mv == expected) == as_expected).unwrap());
            }
            if ended {
                player.game_over(&record, Outcome::DRAW);
            } else {
                player.choose(&record, &Budget::default()).unwrap();
            }
            let told = std::mem::take(&mut *told.lock().unwrap());
            assert!(!told[0], "nothing had been expected at first");
            told[1]
        };
        for ended in [false, true] {
            assert!(after(Some(true), ended) && !after(Some(false), ended), "{ended}");
        }
        assert!(after(None, true), "its own move ended the game");
    }
}
