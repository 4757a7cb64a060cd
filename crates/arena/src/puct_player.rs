//! [`PuctPlayer`]: a search that a network leads, as a player.

use crate::player::{Player, PlayerError, random_candidate};
use afterstate_engine::search::{Proof, Puct, PuctSettings, Situation};
use afterstate_engine::zero::{Network, Question};
use afterstate_engine::{Budget, Decision};
use afterstate_games::{Deterministic, IndexedMoves, Outcome, Record, Rng, Turn, stream};

/// How a [`PuctPlayer`] plays.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PuctPlayerSettings {
    /// The search.
    pub search: PuctSettings,
    /// Simulations for a move, if the budget says nothing else. By the clock there are as many as its part of the time allows.
    pub iterations: u64,
}

impl Default for PuctPlayerSettings {
    fn default() -> Self {
        let search = PuctSettings { solver: true, ..PuctSettings::default() };
        PuctPlayerSettings { search, iterations: 100 }
    }
}

/// Plays the move that PUCT visits most, without noise.
///
/// ```
/// use afterstate_arena::{Player, PuctPlayer, PuctPlayerSettings};
/// use afterstate_engine::Budget;
/// use afterstate_engine::zero::Uniform;
/// use afterstate_games::{Notation, Record, TicTacToe};
/// let game = Record::new(TicTacToe::parse_position("XX./OO./...").unwrap());
/// let mut player = PuctPlayer::new(Uniform, PuctPlayerSettings::default());
/// let decision = player.choose(&game, &Budget::default()).unwrap();
/// assert_eq!(game.position().move_text(decision.best.unwrap()), "3");
/// ```
pub struct PuctPlayer<G: Deterministic + IndexedMoves, N> {
    network: N,
    settings: PuctPlayerSettings,
    search: Puct<G>,
    question: Option<Question<G>>,
    rng: Rng,
    proved: Option<Outcome>,
}

impl<G: Deterministic + IndexedMoves, N: Network<G>> PuctPlayer<G, N> {
    /// Plays with a network.
    pub fn new(network: N, settings: PuctPlayerSettings) -> Self {
        let search = Puct::new(settings.search);
        PuctPlayer { network, settings, search, question: None, rng: stream(0, 0), proved: None }
    }
}

/// Simulations between two looks at the clock.
const BETWEEN_LOOKS: u64 = 8;

impl<G: Deterministic + IndexedMoves, N: Network<G>> Player<G> for PuctPlayer<G, N> {
    fn new_game(&mut self, _record: &Record<G>, seed: u64) -> Result<(), PlayerError> {
        self.rng = stream(seed, 0);
        self.proved = None;
        Ok(())
    }

    fn choose(&mut self, record: &Record<G>, budget: &Budget) -> Result<Decision<G::Move>, PlayerError> {
        let Turn::Player(side) = record.turn() else { return Ok(Decision::resign()) };
        let mut moves = Vec::new();
        record.legal_moves(&mut moves);
        self.search.begin(&Situation::of(record, &moves));
        let question = self.question.get_or_insert_with(|| Question::new(record.position().clone()));
        let by_clock = budget.deadline.is_some();
        let limit = match budget.simulations {
            Some(simulations) => simulations,
            None if by_clock => u64::MAX,
            None => self.settings.iterations,
        };
        let mut done = 0;
        while done < limit.max(1) {
            if self.search.gather(question) {
                self.network.evaluate(&mut [question]);
                self.search.apply(question);
            }
            done += 1;
            if done.is_multiple_of(BETWEEN_LOOKS) && budget.expired() {
                break;
            }
            if self.settings.search.solver && self.search.best().is_some_and(|best| best.proof == Proof::win(side)) {
                break;
            }
        }
        let best = self.search.best().map(|best| best.mv).or_else(|| random_candidate(record, &mut self.rng));
        let proof = self.search.best().map_or(Proof::Open, |best| best.proof);
        self.proved = proof.outcome().filter(|_| self.settings.search.solver && proof == Proof::win(side));
        Ok(Decision {
            best,
            value: proof.value().filter(|_| self.proved.is_some()).or(Some(self.search.value())),
            principal_variation: self.search.principal_variation(),
            effort: done,
            depth: None,
        })
    }

    fn proved(&mut self) -> Option<Outcome> {
        self.proved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_engine::zero::Uniform;
    use afterstate_games::{Game, TicTacToe};

    #[test]
    fn it_never_loses_tic_tac_toe() {
        let settings = PuctPlayerSettings { iterations: 3000, ..PuctPlayerSettings::default() };
        let mut player = PuctPlayer::new(Uniform, settings);
        let mut record = Record::new(TicTacToe::default());
        while let Turn::Player(_) = record.turn() {
            let decision = player.choose(&record, &Budget::default()).unwrap();
            assert_eq!(decision.principal_variation.first(), decision.best.as_ref());
            record.play(decision.best.unwrap());
        }
        assert_eq!(record.position().turn(), Turn::Over(Outcome::DRAW));
    }

    #[test]
    fn a_budget_limits_it() {
        let mut player = PuctPlayer::new(Uniform, PuctPlayerSettings::default());
        let record = Record::new(TicTacToe::default());
        let budget = Budget { simulations: Some(7), ..Budget::default() };
        assert_eq!(player.choose(&record, &budget).unwrap().effort, 7);
        assert_eq!(player.choose(&record, &Budget::default()).unwrap().effort, 100);
    }
}
