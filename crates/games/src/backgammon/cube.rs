//! [`Cube`] and what a game is played for: [`Terms`], money or a match, with the rules of doubling.
//!
//! The cube is no part of a [`Backgammon`](super::Backgammon) position: what learns and searches without it needs none of this.

use crate::{Outcome, Side};

/// No cube goes higher: the largest power of two that a match ID can hold.
pub const MOST_CUBE: u32 = 1 << 15;

/// The longest match that a match ID can hold.
pub const LONGEST_MATCH: u32 = (1 << 15) - 1;

/// The doubling cube: by how much the points of a game count, and who may double them.
///
/// ```
/// use afterstate_games::Side;
/// use afterstate_games::backgammon::cube::Cube;
/// let doubled = Cube::CENTRED.doubled(Side::First);
/// assert_eq!((doubled.value, doubled.owner), (2, Some(Side::Second)));
/// assert!(!doubled.belongs_to(Side::First) && doubled.belongs_to(Side::Second));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cube {
    /// 1, 2, 4, … up to [`MOST_CUBE`].
    pub value: u32,
    /// Who alone may double next; nobody while the cube is in the middle, where both may.
    pub owner: Option<Side>,
}

impl Default for Cube {
    fn default() -> Self {
        Cube::CENTRED
    }
}

impl Cube {
    /// In the middle, as at the beginning of a game.
    pub const CENTRED: Cube = Cube { value: 1, owner: None };

    /// The cube after `side` has doubled and the other has taken: twice as high, and the other's.
    pub fn doubled(self, side: Side) -> Cube {
        Cube { value: (2 * self.value).min(MOST_CUBE), owner: Some(side.other()) }
    }

    /// The cube after a beaver: `side` was doubled to this cube, turns it once more and keeps it.
    pub fn beavered(self, side: Side) -> Cube {
        Cube { value: (2 * self.value).min(MOST_CUBE), owner: Some(side) }
    }

    /// Whether it lies where `side` may turn it.
    #[inline]
    pub fn belongs_to(self, side: Side) -> bool {
        self.owner.is_none_or(|owner| owner == side)
    }
}

/// The score of a match before a game.
///
/// ```
/// use afterstate_games::Side;
/// use afterstate_games::backgammon::cube::MatchScore;
/// let score = MatchScore::new(5).after(Side::First, 4).unwrap();
/// assert_eq!((score.away(Side::First), score.away(Side::Second), score.crawford), (1, 5, true));
/// // The Crawford game is played once.
/// let score = score.after(Side::Second, 2).unwrap();
/// assert_eq!((score.away(Side::Second), score.crawford, score.is_post_crawford()), (3, false, true));
/// assert_eq!(score.after(Side::First, 1), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatchScore {
    /// Points that win the match, from 1.
    pub length: u32,
    /// Points of both sides, each less than the length.
    pub points: [u32; 2],
    /// Whether this is the Crawford game: the first one in which a side needs only one more point. Nobody may double in it.
    pub crawford: bool,
}

impl MatchScore {
    /// The beginning of a match to so many points, 1 at least. To one point every game is played without the cube.
    pub fn new(length: u32) -> MatchScore {
        MatchScore { length, points: [0; 2], crawford: length == 1 }
    }

    /// How many points `side` still needs.
    #[inline]
    pub fn away(&self, side: Side) -> u32 {
        self.length.saturating_sub(self.points[side.index()])
    }

    /// Whether the Crawford game has been played: a side needs one more point, and doubling is allowed again.
    pub fn is_post_crawford(&self) -> bool {
        !self.crawford && [Side::First, Side::Second].into_iter().any(|side| self.away(side) == 1)
    }

    /// The score after `winner` has won so many points; `None` if that wins the match.
    pub fn after(&self, winner: Side, points: u32) -> Option<MatchScore> {
        if points >= self.away(winner) {
            return None;
        }
        let mut after = *self;
        after.points[winner.index()] += points;
        // The first time that a side needs one point only.
        let had_been = self.crawford || self.is_post_crawford();
        after.crawford = !had_been && after.away(winner) == 1;
        Some(after)
    }
}

/// What a game is played for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Terms {
    /// Each point counts by itself.
    Money {
        /// Gammons and backgammons count only once the cube was turned (the Jacoby rule).
        jacoby: bool,
        /// Who is doubled may turn the cube once more at once and keep it (a beaver).
        beavers: bool,
    },
    /// Points count until a side has as many as the match is long.
    Match(MatchScore),
}

impl Terms {
    /// Money play without further rules.
    pub const MONEY: Terms = Terms::Money { jacoby: false, beavers: false };
}

/// The cube of a game, and what it is played for.
///
/// ```
/// use afterstate_games::{Outcome, Side};
/// use afterstate_games::backgammon::cube::{Cube, MatchScore, Situation, Terms};
/// let game = Situation { cube: Cube::CENTRED, terms: Terms::Money { jacoby: true, beavers: false } };
/// let gammon = Outcome { winner: Some(Side::First), stake: 2 };
/// assert_eq!(game.points(gammon), 1);
/// let doubled = Situation { cube: Cube::CENTRED.doubled(Side::Second), ..game };
/// assert_eq!(doubled.points(gammon), 4);
/// assert!(game.may_double(Side::First) && !doubled.may_double(Side::Second));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Situation {
    /// The cube.
    pub cube: Cube,
    /// Money or a match.
    pub terms: Terms,
}

impl Default for Situation {
    /// Money play with the cube in the middle, without Jacoby rule and beavers.
    fn default() -> Self {
        Situation { cube: Cube::CENTRED, terms: Terms::MONEY }
    }
}

impl Situation {
    /// Whether `side` may double before its roll: the cube must lie where it can reach it, this must not be the Crawford game,
    /// and to win the game must not be enough for the match already, for then the cube is dead for `side`.
    pub fn may_double(&self, side: Side) -> bool {
        self.is_double_legal(side) && !self.is_dead(side)
    }

    /// The same by the rules alone, which let `side` turn a cube that is dead for it.
    pub fn is_double_legal(&self, side: Side) -> bool {
        let crawford = matches!(self.terms, Terms::Match(score) if score.crawford);
        !crawford && self.cube.belongs_to(side) && self.cube.value < MOST_CUBE
    }

    /// Whether the cube is dead for `side`: to win the game is enough for the match already.
    pub fn is_dead(&self, side: Side) -> bool {
        matches!(self.terms, Terms::Match(score) if score.away(side) <= self.cube.value)
    }

    /// The same game with the cube turned by `side` and taken.
    pub fn doubled(&self, side: Side) -> Situation {
        Situation { cube: self.cube.doubled(side), terms: self.terms }
    }

    /// Whether gammons count no more than plain games now: by the Jacoby rule, while the cube is in the middle.
    pub fn only_plain_games(&self) -> bool {
        matches!(self.terms, Terms::Money { jacoby: true, .. }) && self.cube.owner.is_none()
    }

    /// How many points a game that ended so is worth, with the cube and the Jacoby rule.
    pub fn points(&self, outcome: Outcome) -> u32 {
        let stake = if self.only_plain_games() { 1 } else { u32::from(outcome.stake) };
        self.cube.value * stake
    }

    /// The same with the sides' names exchanged.
    ///
    /// ```
    /// use afterstate_games::Side;
    /// use afterstate_games::backgammon::cube::{Cube, Situation};
    /// let turned = Situation { cube: Cube { value: 2, owner: Some(Side::First) }, ..Situation::default() }.turned();
    /// assert_eq!(turned.cube.owner, Some(Side::Second));
    /// ```
    pub fn turned(&self) -> Situation {
        let mut turned = *self;
        turned.cube.owner = self.cube.owner.map(Side::other);
        if let Terms::Match(score) = &mut turned.terms {
            score.points.swap(0, 1);
        }
        turned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_double() {
        let of = |length, points, crawford, value, owner| Situation {
            cube: Cube { value, owner },
            terms: Terms::Match(MatchScore { length, points, crawford }),
        };
        let (first, second) = (Side::First, Side::Second);
        // Post-Crawford the leader has no use for the cube, the trailer has.
        let post = of(5, [4, 2], false, 1, None);
        assert!(!post.may_double(first) && post.may_double(second));
        assert!(!of(5, [4, 2], true, 1, None).may_double(second));
        // 2-away with the cube at 2: it is dead for its owner.
        assert!(!of(5, [3, 0], false, 2, Some(first)).may_double(first));
        assert!(of(5, [2, 0], false, 2, Some(first)).may_double(first));
        assert!(!of(5, [2, 0], false, 2, Some(first)).may_double(second));
        let high = Situation { cube: Cube { value: MOST_CUBE, owner: Some(first) }, terms: Terms::MONEY };
        assert!(!high.may_double(first) && high.cube.doubled(first).value == MOST_CUBE);
    }

    #[test]
    fn the_crawford_game_comes_once_whoever_needs_one_point_first() {
        let score = MatchScore::new(3);
        assert!(!score.crawford && MatchScore::new(1).crawford);
        let score = score.after(Side::Second, 2).unwrap();
        assert!(score.crawford && !score.is_post_crawford());
        // The other side gets to one point, too, by the Crawford game itself.
        let even = score.after(Side::First, 2).unwrap();
        assert!(!even.crawford && even.is_post_crawford());
        assert_eq!(even.after(Side::Second, 1), None);
        // From 2-away to 1-away after the Crawford game: it is not played again.
        let later = score.after(Side::First, 1).unwrap().after(Side::First, 1).unwrap();
        assert!(!later.crawford && later.is_post_crawford());
    }
}
