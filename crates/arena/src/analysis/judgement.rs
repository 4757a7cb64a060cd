//! [`judge`]: each move of a game beside what the search would have played.

use super::Assessment;
use afterstate_games::{Game, Record, Side, Turn};
use serde::Serialize;

/// A move that was made, and what a search thinks of it.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedMove<M> {
    /// Which move of the game, from 1.
    pub number: usize,
    /// Who made it.
    pub side: Side,
    /// The move.
    pub played: M,
    /// What the search would have played.
    pub best: Option<M>,
    /// The line that it would have expected then.
    pub line: Vec<M>,
    /// How likely the side was to win with the search's move, as it sees it: from 0 to 1.
    pub before: f32,
    /// How likely it was to win after its own, as it sees it: what the search says of the next position.
    pub after: f32,
    /// How much the move lost: `before − after`, and never less than nothing. Nothing, too, where the search would have
    /// played the same: whatever it found out later, it knew no better then.
    pub loss: f32,
}

impl<M: PartialEq> JudgedMove<M> {
    /// Whether the search would have played the same.
    pub fn agrees(&self) -> bool {
        self.best.as_ref() == Some(&self.played)
    }
}

/// Judges every move between two positions that were assessed.
pub fn judge<G: Game>(game: &Record<G>, assessments: &[Assessment<G::Move>]) -> Vec<JudgedMove<G::Move>> {
    let mut position = game.start().clone();
    let mut judged = Vec::new();
    for (made, &played) in game.moves().iter().enumerate() {
        let of = |made| assessments.iter().find(|assessment| assessment.moves_made == made);
        if let (Turn::Player(side), Some(here), Some(next)) = (position.turn(), of(made), of(made + 1)) {
            let (before, after) = (here.value.seen_by(side), next.value.seen_by(side));
            let agrees = here.best == Some(played);
            judged.push(JudgedMove {
                number: made + 1,
                side,
                played,
                best: here.best,
                line: here.line.clone(),
                before,
                after,
                loss: if agrees { 0.0 } else { (before - after).max(0.0) },
            });
        }
        position.play(played);
    }
    judged
}

/// How one side played.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SideSummary {
    /// How many of its moves were judged.
    pub moves: usize,
    /// How much a move of its lost on average, from 0 to 1; 0 without any move.
    pub mean_loss: f64,
    /// How many moves lost at least as much as a blunder does.
    pub blunders: usize,
    /// The share of its moves that the search would have played too, from 0 to 1; 0 without any move.
    pub agreement: f64,
}

/// Sums up how `side` played. Moves that lost `blunder` or more are blunders.
///
/// ```
/// use afterstate_arena::analysis::{JudgedMove, summarise};
/// use afterstate_games::Side;
/// let judged = |number, played, loss| JudgedMove {
///     number, side: Side::First, played, best: Some('a'), line: vec!['a'], before: 0.5, after: 0.5 - loss, loss,
/// };
/// let summary = summarise(&[judged(1, 'a', 0.0), judged(3, 'b', 0.25)], Side::First, 0.1);
/// assert_eq!((summary.moves, summary.mean_loss, summary.blunders, summary.agreement), (2, 0.125, 1, 0.5));
/// ```
pub fn summarise<M: PartialEq>(moves: &[JudgedMove<M>], side: Side, blunder: f32) -> SideSummary {
    let own = || moves.iter().filter(|judged| judged.side == side);
    let count = own().count();
    let share = |sum: f64| if count > 0 { sum / count as f64 } else { 0.0 };
    SideSummary {
        moves: count,
        mean_loss: share(own().map(|judged| f64::from(judged.loss)).sum()),
        blunders: own().filter(|judged| judged.loss >= blunder).count(),
        agreement: share(own().filter(|judged| judged.agrees()).count() as f64),
    }
}
