//! [`Value`] and [`ValueFunction`]: the one sign convention, and what evaluates a position.

use afterstate_games::{Game, Outcome, Side};
use serde::{Deserialize, Serialize};

/// The **first player's** winning probability, between 0 and 1. Draws count one half.
///
/// Every value in the project is the first player's; [`Value::seen_by`] is the only conversion.
///
/// ```
/// use afterstate_engine::Value;
/// use afterstate_games::Side;
/// assert_eq!(Value(0.75).seen_by(Side::Second), 0.25);
/// ```
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Value(pub f32);

impl Value {
    /// Nobody is ahead.
    pub const EVEN: Value = Value(0.5);

    /// The nearest probability: sums of weights that are not squashed may lie beyond certainty.
    ///
    /// ```
    /// use afterstate_engine::Value;
    /// assert_eq!([Value(1.2), Value(0.4), Value(-3.0)].map(Value::bounded), [Value(1.0), Value(0.4), Value(0.0)]);
    /// ```
    #[inline]
    pub fn bounded(self) -> Value {
        Value(self.0.clamp(0.0, 1.0))
    }

    /// The same value from one side's point of view: that side's winning probability.
    #[inline]
    pub fn seen_by(self, side: Side) -> f32 {
        match side {
            Side::First => self.0,
            Side::Second => 1.0 - self.0,
        }
    }
}

impl From<Outcome> for Value {
    fn from(outcome: Outcome) -> Value {
        Value(outcome.first_player_score())
    }
}

/// Estimates what positions are worth.
///
/// ```
/// use afterstate_engine::{Value, ValueFunction};
/// use afterstate_games::{Grid, Notation, Side, TicTacToe};
///
/// /// Whoever holds the centre is ahead.
/// struct Centre;
///
/// impl ValueFunction<TicTacToe> for Centre {
///     fn value(&self, game: &TicTacToe) -> Value {
///         Value(match game.stone(1, 1) {
///             Some(Side::First) => 0.6,
///             Some(Side::Second) => 0.4,
///             None => 0.5,
///         })
///     }
/// }
///
/// let game = TicTacToe::parse_position("X../.O./...")?;
/// assert_eq!(Centre.value(&game).seen_by(Side::Second), 0.6);
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
pub trait ValueFunction<G: Game>: Send + Sync {
    /// The value of `game`. For a finished game callers use its outcome instead.
    fn value(&self, game: &G) -> Value;
}
