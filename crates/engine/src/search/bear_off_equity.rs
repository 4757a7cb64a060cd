//! [`WithBearOff`]: an evaluation that knows what positions are worth when all men are at home.

use super::expectimax::Equity;
use crate::value::backgammon_network::equity;
use crate::value::bear_off::BearOff;
use afterstate_games::backgammon::{Backgammon, Phase};
use std::sync::Arc;

/// Asks the database where it knows, and another evaluation elsewhere.
#[derive(Clone, Debug)]
pub struct WithBearOff<E> {
    evaluation: E,
    database: Arc<BearOff>,
}

impl<E> WithBearOff<E> {
    /// `evaluation` with the database.
    pub fn new(evaluation: E, database: Arc<BearOff>) -> WithBearOff<E> {
        WithBearOff { evaluation, database }
    }

    /// What is asked elsewhere.
    pub fn evaluation(&mut self) -> &mut E {
        &mut self.evaluation
    }

    /// What is asked where it knows.
    pub fn database(&self) -> &BearOff {
        &self.database
    }
}

impl<E: Equity<Backgammon>> Equity<Backgammon> for WithBearOff<E> {
    const BOUND: f32 = E::BOUND;

    #[inline]
    fn follow(&mut self, game: &Backgammon) {
        self.evaluation.follow(game);
    }

    #[inline]
    fn equity(&mut self, game: &Backgammon) -> f32 {
        let known = match game.phase() {
            Phase::ToRoll(side) => self.database.outputs(game.board(), side),
            _ => None,
        };
        known.map_or_else(|| self.evaluation.equity(game), |outputs| equity(&outputs))
    }
}
