//! What a player can show beyond its moves.

use afterstate_engine::{Value, ValueFunction};
use afterstate_games::go::{Go, Move, Point};
use afterstate_games::{Game, Record, Turn};
use std::sync::Arc;

/// A local shape that stands on the board, and what it counts for.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeReport {
    /// For people: which shape it is.
    pub description: String,
    /// The points that it covers.
    pub points: Vec<Point>,
    /// What it adds to the evaluation; positive is good for Black.
    pub weight: f32,
}

/// Shows what an evaluation sees in a position. Both methods are optional: the commands that need one
/// exist only if it returns `Some`.
pub trait Insight: Send + Sync {
    /// Every legal move with the value of the position after it, in any order.
    fn afterstate_values(&self, record: &Record<Go>) -> Option<Vec<(Move, Value)>> {
        let _ = record;
        None
    }

    /// The `n` shapes on the board with the largest absolute weights, largest first.
    fn strongest_shapes(&self, record: &Record<Go>, n: usize) -> Option<Vec<ShapeReport>> {
        let _ = (record, n);
        None
    }
}

/// The [`Insight`] that any value function gives: the values of afterstates.
///
/// ```
/// use afterstate_engine::{Value, ValueFunction};
/// use afterstate_games::{Record, go::Go};
/// use afterstate_protocols::gtp::{Insight, ValueInsight};
/// use std::sync::Arc;
///
/// struct Even;
/// impl ValueFunction<Go> for Even {
///     fn value(&self, _: &Go) -> Value {
///         Value::EVEN
///     }
/// }
/// let insight = ValueInsight(Arc::new(Even));
/// // 25 points and a pass.
/// assert_eq!(insight.afterstate_values(&Record::new(Go::new(5))).unwrap().len(), 26);
/// ```
pub struct ValueInsight<V: ?Sized>(pub Arc<V>);

impl<V: ValueFunction<Go> + ?Sized> Insight for ValueInsight<V> {
    fn afterstate_values(&self, record: &Record<Go>) -> Option<Vec<(Move, Value)>> {
        Some(afterstates(record, |after| self.0.value(after)))
    }
}

/// Every legal move with the value of what follows it; a finished game is worth its outcome.
fn afterstates(record: &Record<Go>, value: impl Fn(&Go) -> Value) -> Vec<(Move, Value)> {
    let mut moves = Vec::new();
    record.legal_moves(&mut moves);
    let afterstate = |mv| {
        let mut after = record.position().clone();
        after.play(mv);
        match after.turn() {
            Turn::Over(outcome) => Value::from(outcome),
            _ => value(&after),
        }
    };
    moves.into_iter().map(|mv| (mv, afterstate(mv))).collect()
}
