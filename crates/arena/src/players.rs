//! [`ValuePlayer`]: plays by the values of afterstates alone, without looking further ahead.
//!
//! The other built-in players, [`crate::RandomPlayer`] and [`crate::SearchPlayer`], stand beside the
//! [`Player`] trait.

use crate::player::{Player, PlayerError, random_candidate};
use afterstate_engine::value::AfterstateValues;
use afterstate_engine::{Budget, Decision, Value, policy};
use afterstate_games::rng::{stream, unit};
use afterstate_games::{Game, Record, Rng, Side, Turn};
use std::sync::Arc;

/// ε-greedy over a value function: with probability 1−ε the candidate move whose afterstate is worth most
/// to the side to move (ties at random), else a random candidate.
///
/// Only moves that the whole [`Record`] allows are played, so superko is respected. A move that ends the
/// game counts as what it ends in, whatever the value function says.
///
/// ```
/// use afterstate_arena::{Player, ValuePlayer};
/// use afterstate_engine::{Budget, Value, ValueFunction, value::AfterstateValues};
/// use afterstate_games::{Record, Side, go::{Go, Move, Point}};
/// use std::sync::Arc;
///
/// /// Likes black stones in the centre.
/// struct Centre;
/// impl ValueFunction<Go> for Centre {
///     fn value(&self, game: &Go) -> Value {
///         Value(if game.board().is_empty(Point::at(2, 2, 5)) { 0.4 } else { 0.6 })
///     }
/// }
/// impl AfterstateValues<Go> for Centre {}
///
/// let mut player = ValuePlayer::new(Arc::new(Centre));
/// let record = Record::new(Go::new(5));
/// player.new_game(&record, 1).unwrap();
/// let decision = player.choose(&record, &Budget::default()).unwrap();
/// assert_eq!(decision.best, Some(Move::play(Point::at(2, 2, 5))));
/// assert_eq!(decision.value, Some(Value(0.6)));
/// ```
pub struct ValuePlayer<V: ?Sized> {
    epsilon: f32,
    rng: Rng,
    value: Arc<V>,
}

impl<V: ?Sized> ValuePlayer<V> {
    /// Greedy: ε = 0.
    pub fn new(value: Arc<V>) -> Self {
        ValuePlayer { epsilon: 0.0, rng: stream(0, 0), value }
    }

    /// The same with another ε, the probability of a random move (0 to 1).
    pub fn with_epsilon(mut self, epsilon: f32) -> Self {
        self.epsilon = epsilon;
        self
    }
}

impl<V: ?Sized> ValuePlayer<V> {
    /// The best candidate for `side`, with the value of its afterstate; `None` when no candidate is legal.
    fn best<G: Game>(&mut self, record: &Record<G>, side: Side) -> Option<Decision<G::Move>>
    where
        V: AfterstateValues<G>,
    {
        let game = record.position();
        let (mut moves, mut scores) = (Vec::new(), Vec::new());
        game.candidate_moves(&mut moves);
        self.value.afterstates(game, &moves, &mut scores);
        let effort = moves.len() as u64;
        for (&mv, score) in moves.iter().zip(&mut scores) {
            if let Some(outcome) = game.outcome_after(mv) {
                *score = match outcome.winner {
                    Some(Side::First) => f32::INFINITY,
                    Some(Side::Second) => f32::NEG_INFINITY,
                    None => self.value.even_score(),
                };
            }
        }
        while !moves.is_empty() {
            let chosen = policy::greedy(&scores, side, &mut self.rng);
            let (mv, score) = (moves.swap_remove(chosen), scores.swap_remove(chosen));
            // Superko is asked only of the move that would be played: it costs a walk through the record.
            if record.is_legal(mv) {
                let value = match game.outcome_after(mv) {
                    Some(outcome) => Value::from(outcome),
                    None => self.value.value_of_score(score),
                };
                return Some(Decision { value: Some(value), effort, depth: Some(1), ..Decision::play(mv) });
            }
        }
        None
    }
}

impl<G: Game, V: AfterstateValues<G> + ?Sized> Player<G> for ValuePlayer<V> {
    fn new_game(&mut self, _record: &Record<G>, seed: u64) -> Result<(), PlayerError> {
        self.rng = stream(seed, 0);
        Ok(())
    }

    fn choose(&mut self, record: &Record<G>, _budget: &Budget) -> Result<Decision<G::Move>, PlayerError> {
        let Turn::Player(side) = record.turn() else { return Ok(Decision::resign()) };
        let explores = self.epsilon > 0.0 && unit(&mut self.rng) < self.epsilon;
        if !explores && let Some(decision) = self.best(record, side) {
            return Ok(decision);
        }
        Ok(random_candidate(record, &mut self.rng).map_or_else(Decision::resign, Decision::play))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_engine::ValueFunction;
    use afterstate_games::go::{Go, Move, Point};

    /// Wants black stones on the board, so that capturing is good for either side.
    struct Stones;
    impl ValueFunction<Go> for Stones {
        fn value(&self, game: &Go) -> Value {
            let board = game.board();
            let lead = board.stone_count(Side::First) as f32 - board.stone_count(Side::Second) as f32;
            Value(0.5 + lead / 100.0)
        }
    }
    impl AfterstateValues<Go> for Stones {}

    fn choose<G: Game>(player: &mut impl Player<G>, record: &Record<G>) -> Decision<G::Move> {
        player.choose(record, &Budget::default()).unwrap()
    }

    fn played(size: usize, moves: &[(usize, usize)]) -> Record<Go> {
        let mut record = Record::new(Go::new(size));
        for &(x, y) in moves {
            record.play(Move::play(Point::at(x, y, size)));
        }
        record
    }

    /// Black's two stones at the edge of a ko; White to take is (1, 1), Black's stone to lose is (2, 1).
    const KO: [(usize, usize); 8] = [(1, 0), (2, 0), (0, 1), (3, 1), (1, 2), (2, 2), (2, 1), (1, 1)];

    #[test]
    fn takes_the_stone_that_it_can_and_says_what_that_is_worth() {
        let record = played(5, &KO[..7]);
        let mut player = ValuePlayer::new(Arc::new(Stones));
        let decision = choose(&mut player, &record);
        assert_eq!(decision.best, Some(Move::play(Point::at(1, 1, 5))));
        assert_eq!(decision.value, Some(Value(0.5 + (3.0 - 4.0) / 100.0)));
        assert_eq!(decision.effort, {
            let mut moves = Vec::new();
            record.position().candidate_moves(&mut moves);
            moves.len() as u64
        });
    }

    #[test]
    fn never_recreates_a_position() {
        // The position forgets the ko when the turn is set by hand; only the record remembers.
        let mut record = played(5, &KO);
        let retake = Move::play(Point::at(2, 1, 5));
        assert!(!record.is_legal(retake));
        let mut player = ValuePlayer::new(Arc::new(Stones));
        for seed in 0..20 {
            player.new_game(&record, seed).unwrap();
            assert_ne!(choose(&mut player, &record).best, Some(retake));
        }
        record.play(Move::play(Point::at(4, 4, 5)));
        record.play(Move::play(Point::at(4, 3, 5)));
        assert_eq!(choose(&mut player, &record).best, Some(retake), "after a threat and its answer it may");
    }

    #[test]
    fn explores_as_often_as_told_and_repeats_itself_for_the_same_seed() {
        let record = played(5, &KO[..7]);
        let best = choose(&mut ValuePlayer::new(Arc::new(Stones)), &record).best;
        let mut player = ValuePlayer::new(Arc::new(Stones)).with_epsilon(0.5);
        let moves = |player: &mut ValuePlayer<Stones>| -> Vec<_> {
            player.new_game(&record, 7).unwrap();
            (0..400).map(|_| choose(player, &record).best).collect()
        };
        let first = moves(&mut player);
        assert_eq!(first, moves(&mut player));
        let greedy = first.iter().filter(|&&mv| mv == best).count();
        // 200 greedy choices and a few random hits among 17 moves: five standard deviations either way.
        assert!((160..270).contains(&greedy), "{greedy} of 400");
    }
}
