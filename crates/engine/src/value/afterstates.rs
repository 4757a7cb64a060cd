//! [`AfterstateValues`]: what every move leads to, valued at once.

use super::features::Features;
use super::function::{Value, ValueFunction};
use super::linear::Linear;
use afterstate_games::Game;

/// A value function that can score all afterstates of a position together, usually much faster than
/// one by one. Searches evaluate their last ply with it.
///
/// A *score* is any increasing function of the first player's [`Value`], whatever is cheapest to
/// compute: a value itself, or the sum in front of the sigmoid. Scores of one value function can be
/// compared with each other, and [`AfterstateValues::value_of_score`] makes values of them.
///
/// ```
/// use afterstate_engine::value::{AfterstateValues, Value, ValueFunction};
/// use afterstate_games::{Game, Side, go::Go};
///
/// /// Stones on the board, as a share of all points.
/// struct Stones;
/// impl ValueFunction<Go> for Stones {
///     fn value(&self, game: &Go) -> Value {
///         let lead = game.board().stone_count(Side::First) as f32 - game.board().stone_count(Side::Second) as f32;
///         Value(0.5 + lead / 2.0 / (game.size() * game.size()) as f32)
///     }
/// }
/// impl AfterstateValues<Go> for Stones {}
///
/// let (game, mut moves, mut scores) = (Go::new(5), Vec::new(), Vec::new());
/// game.candidate_moves(&mut moves);
/// Stones.afterstates(&game, &moves, &mut scores);
/// assert_eq!(scores, [0.52; 25]);
/// ```
pub trait AfterstateValues<G: Game>: ValueFunction<G> {
    /// Replaces the contents of `scores` by the first player's score of the position after each of
    /// `moves`. The entry of a move that ends the game means nothing: callers use the outcome.
    fn afterstates(&self, game: &G, moves: &[G::Move], scores: &mut Vec<f32>) {
        scores.clear();
        scores.extend(moves.iter().map(|&mv| {
            let mut after = game.clone();
            after.play(mv);
            self.value(&after).0
        }));
    }

    /// The value that belongs to a score.
    fn value_of_score(&self, score: f32) -> Value {
        Value(score)
    }

    /// The score of [`Value::EVEN`], which is also that of a draw.
    fn even_score(&self) -> f32 {
        Value::EVEN.0
    }
}

/// The score is φ·θ, before squashing.
impl<G: Game, F: Features<G>> AfterstateValues<G> for Linear<F> {
    fn afterstates(&self, game: &G, moves: &[G::Move], scores: &mut Vec<f32>) {
        self.features.afterstate_sums(game, moves, &*self.weights, scores);
    }

    fn value_of_score(&self, score: f32) -> Value {
        self.squash.value(score)
    }

    fn even_score(&self) -> f32 {
        0.0
    }
}

/// Knows nothing: every position is even. A search with it sees only how games end.
///
/// ```
/// use afterstate_engine::value::{Indifferent, Value, ValueFunction};
/// assert_eq!(Indifferent.value(&afterstate_games::go::Go::new(9)), Value::EVEN);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Indifferent;

impl<G: Game> ValueFunction<G> for Indifferent {
    fn value(&self, _game: &G) -> Value {
        Value::EVEN
    }
}

impl<G: Game> AfterstateValues<G> for Indifferent {
    fn afterstates(&self, _game: &G, moves: &[G::Move], scores: &mut Vec<f32>) {
        scores.clear();
        scores.resize(moves.len(), Value::EVEN.0);
    }
}
