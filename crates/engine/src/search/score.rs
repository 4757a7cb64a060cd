//! [`Score`]: what game-tree searches compare: a heuristic score, or a sure result and how far away it is.

use afterstate_games::{Outcome, Side};

/// The **first player's** score of a position in a search tree, increasing in what the first player can hope for.
///
/// Between the sure losses and the sure wins lie the scores of a value function
/// ([`AfterstateValues`](crate::value::AfterstateValues)). A sure win is above all of them, and the
/// nearer the better; a sure loss is below, and the farther the better.
///
/// Like values, scores change their point of view only through [`Score::seen_by`] and its inverse
/// [`Score::of`].
///
/// ```
/// use afterstate_engine::search::Score;
/// use afterstate_games::{Outcome, Side};
/// let (near, far) = (Score::ended(Outcome::win(Side::Second), 1, 0.0), Score::ended(Outcome::win(Side::Second), 3, 0.0));
/// assert!(near.seen_by(Side::Second) > far.seen_by(Side::Second));
/// assert!(far.seen_by(Side::Second) > Score::heuristic(-1e9).seen_by(Side::Second));
/// assert_eq!((far.winner(), far.plies_to_end()), (Some(Side::Second), Some(3)));
/// ```
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Score(f32);

/// A win now. Up to 2²⁴ whole numbers are exact, so distances are too.
const WIN: f32 = 10_000_000.0;

/// Heuristic scores are cut off here.
const HEURISTIC_LIMIT: f32 = 1_000_000.0;

impl Score {
    /// A value function's score. Scores beyond a million either way are cut, and what is not a number counts as 0.
    #[inline(always)]
    pub fn heuristic(score: f32) -> Score {
        // `max` and `min` also take care of what is not a number: they return the other operand.
        Score(if score.is_nan() { 0.0 } else { score.clamp(-HEURISTIC_LIMIT, HEURISTIC_LIMIT) })
    }

    /// The game ends with `outcome`, `plies` moves from where the search looks; `even` is the score of a draw.
    #[inline]
    pub fn ended(outcome: Outcome, plies: u32, even: f32) -> Score {
        match outcome.winner {
            Some(winner) => Score::of(winner, WIN - plies as f32),
            None => Score::heuristic(even),
        }
    }

    /// As `side` sees it: larger is better for `side`.
    #[inline(always)]
    pub fn seen_by(self, side: Side) -> f32 {
        match side {
            Side::First => self.0,
            Side::Second => -self.0,
        }
    }

    /// The score that `side` sees as `seen`: the inverse of [`Score::seen_by`].
    #[inline(always)]
    pub const fn of(side: Side, seen: f32) -> Score {
        match side {
            Side::First => Score(seen),
            Side::Second => Score(-seen),
        }
    }

    /// Who is sure to win, if that is known.
    #[inline(always)]
    pub fn winner(self) -> Option<Side> {
        if self.0 > HEURISTIC_LIMIT {
            Some(Side::First)
        } else if self.0 < -HEURISTIC_LIMIT {
            Some(Side::Second)
        } else {
            None
        }
    }

    /// In how many moves the game ends, if somebody is sure to win.
    pub fn plies_to_end(self) -> Option<u32> {
        self.winner().map(|winner| (WIN - self.seen_by(winner)) as u32)
    }

    /// The same score with a sure end `plies` moves nearer: seen from that far down the tree.
    #[inline]
    pub(crate) fn nearer(self, plies: u32) -> Score {
        match self.winner() {
            Some(winner) => Score::of(winner, self.seen_by(winner) + plies as f32),
            None => self,
        }
    }

    /// The same score with a sure end `plies` moves farther away.
    #[inline]
    pub(crate) fn farther(self, plies: u32) -> Score {
        match self.winner() {
            Some(winner) => Score::of(winner, self.seen_by(winner) - plies as f32),
            None => self,
        }
    }

    /// The first player's score as a number: a value function's score unless somebody is sure to win.
    #[inline(always)]
    pub fn first_player(self) -> f32 {
        self.0
    }
}
