//! Players that know the history of their game: [`ValuePlayer`] goes by the values of afterstates alone,
//! [`AlphaBetaPlayer`] looks further ahead.
//!
//! The simplest ones, [`crate::RandomPlayer`] and [`crate::SearchPlayer`], stand beside the [`Player`] trait.

use crate::player::{Player, PlayerError, random_candidate};
use afterstate_engine::search::AlphaBeta;
use afterstate_engine::value::AfterstateValues;
use afterstate_engine::{Budget, Decision, Value, policy};
use afterstate_games::rng::{stream, unit};
use afterstate_games::{Deterministic, Game, Record, Rng, Side, Turn};
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
                    None => self.value.value_of_score(score).bounded(),
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

/// Alpha-beta search among the candidate moves that the whole [`Record`] allows, so that superko is
/// respected at the root (inside the tree only simple ko is known).
///
/// Searches may run on positions that carry more than the game's own, such as features that follow its
/// moves: `read` makes them.
///
/// ```
/// use afterstate_arena::{AlphaBetaPlayer, Player};
/// use afterstate_engine::search::{AlphaBeta, AlphaBetaSettings};
/// use afterstate_engine::{Budget, value::Indifferent};
/// use afterstate_games::{Notation, Record, TicTacToe};
/// use std::sync::Arc;
///
/// let mut record = Record::new(TicTacToe::new());
/// for text in ["1", "5", "2", "9"] {
///     record.play(record.position().parse_move(text).unwrap());
/// }
/// let search = AlphaBeta::new(Arc::new(Indifferent), AlphaBetaSettings::default());
/// let mut player = AlphaBetaPlayer::new(search, TicTacToe::clone);
/// player.new_game(&record, 1).unwrap();
/// let decision = player.choose(&record, &Budget::default()).unwrap();
/// assert_eq!(record.position().move_text(decision.best.unwrap()), "3");
/// ```
pub struct AlphaBetaPlayer<T: Deterministic, V: ?Sized, F> {
    search: AlphaBeta<T, V>,
    read: F,
    rng: Rng,
}

impl<T: Deterministic, V: ?Sized, F> AlphaBetaPlayer<T, V, F> {
    /// Plays what `search` decides about the positions that `read` makes of the game's.
    pub fn new(search: AlphaBeta<T, V>, read: F) -> Self {
        AlphaBetaPlayer { search, read, rng: stream(0, 0) }
    }
}

impl<G, T, V, F> Player<G> for AlphaBetaPlayer<T, V, F>
where
    G: Game,
    T: Deterministic<Move = G::Move>,
    V: AfterstateValues<T> + ?Sized,
    F: Fn(&G) -> T + Send,
{
    fn new_game(&mut self, _record: &Record<G>, seed: u64) -> Result<(), PlayerError> {
        self.rng = stream(seed, 0);
        self.search.clear();
        Ok(())
    }

    fn choose(&mut self, record: &Record<G>, budget: &Budget) -> Result<Decision<G::Move>, PlayerError> {
        let mut moves = Vec::new();
        record.position().candidate_moves(&mut moves);
        moves.retain(|&mv| record.is_legal(mv));
        if moves.is_empty() {
            record.legal_moves(&mut moves);
        }
        Ok(self.search.search_among(&(self.read)(record.position()), &moves, budget, &mut self.rng))
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

    /// The position with the ko in it, but without its memory of the ko: only the record knows.
    fn forgetful(record: &Record<Go>) -> Record<Go> {
        let position = record.position();
        Record::continuing(position.clone().with_turn(position.to_move()), record.repetition_keys())
    }

    #[test]
    fn never_recreates_a_position() {
        let mut record = forgetful(&played(5, &KO));
        let retake = Move::play(Point::at(2, 1, 5));
        assert!(record.position().is_legal(retake) && !record.is_legal(retake));
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
    fn alpha_beta_never_recreates_a_position_either() {
        use afterstate_engine::search::AlphaBetaSettings;
        let mut record = forgetful(&played(5, &KO));
        let retake = Move::play(Point::at(2, 1, 5));
        let search = AlphaBeta::new(Arc::new(Stones), AlphaBetaSettings { depth: 1, ..Default::default() });
        let mut player = AlphaBetaPlayer::new(search, Go::clone);
        assert_ne!(choose(&mut player, &record).best, Some(retake));
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
