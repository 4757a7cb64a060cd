//! [`Board`]: where the men of both sides are.

use crate::Side;

/// Points on the board.
pub const POINTS: usize = 24;
/// The place of men that were hit, among places counted from 0: it is further from home than every point.
pub const BAR: usize = 24;
/// Men of each side.
pub const MEN: u8 = 15;

/// Bits for the number of men in one place: 15 at most.
const BITS: usize = 4;
/// The places from which men are not borne off: all beyond the six points of the home.
const OUTSIDE: usize = 6 * BITS;

/// One man in a place.
#[inline(always)]
const fn man(place: usize) -> u128 {
    1 << (place * BITS)
}

/// The men of both sides. Each side counts places from its own home: 0 is its ace point, 23 the opponent's, 24 the bar. The
/// point that is `place` for one side is `23 - place` for the other. Men that are nowhere have been borne off.
///
/// ```
/// use afterstate_games::Side;
/// use afterstate_games::backgammon::{BAR, Board};
/// let board = Board::start();
/// assert_eq!((board.men(Side::First, 5), board.men(Side::First, 23), board.men(Side::First, BAR)), (5, 2, 0));
/// assert_eq!((board.pips(Side::Second), board.off(Side::Second)), (167, 0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Board {
    /// Four bits a place, for each side.
    men: [u128; 2],
}

/// What a man does with one number of the dice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// The place that it leaves, as its own side counts.
    from: u8,
    /// The place where it arrives; above all places if it is borne off.
    to: u8,
}

impl Step {
    /// No step.
    pub(super) const NONE: Step = Step { from: u8::MAX, to: u8::MAX };
    /// Where men are that have been borne off.
    const OFF: u8 = u8::MAX;

    /// A step between two places; `None` stands for bearing off.
    pub fn new(from: usize, to: Option<usize>) -> Step {
        Step { from: from as u8, to: to.map_or(Step::OFF, |to| to as u8) }
    }

    /// The place that the man leaves, from 0 to [`BAR`], as its own side counts.
    #[inline]
    pub fn from(self) -> usize {
        usize::from(self.from)
    }

    /// The place where it arrives; `None` if it is borne off.
    #[inline]
    pub fn to(self) -> Option<usize> {
        (self.to != Step::OFF).then_some(usize::from(self.to))
    }
}

impl Board {
    /// The position in which games begin.
    pub fn start() -> Board {
        let side = 5 * man(5) + 3 * man(7) + 5 * man(12) + 2 * man(23);
        Board { men: [side; 2] }
    }

    /// The board with so many men of each side in each place, [`BAR`] being the last.
    ///
    /// `None` if a side has more than fifteen men, or both have some on the same point, or all men of both are off.
    pub fn from_men(men: [[u8; 25]; 2]) -> Option<Board> {
        let total = |side: &[u8; 25]| side.iter().map(|&count| u32::from(count)).sum::<u32>();
        let shared = (0..POINTS).any(|place| men[0][place] > 0 && men[1][POINTS - 1 - place] > 0);
        if men.iter().any(|side| total(side) > u32::from(MEN)) || shared || men.iter().all(|side| total(side) == 0) {
            return None;
        }
        let pack = |side: &[u8; 25]| (0..=BAR).map(|place| u128::from(side[place]) * man(place)).sum();
        Some(Board { men: [pack(&men[0]), pack(&men[1])] })
    }

    /// How many men of `side` are in a place, counted from 0 as that side does.
    #[inline(always)]
    pub fn men(&self, side: Side, place: usize) -> u8 {
        count(self.men[side.index()], place)
    }

    /// How many men of `side` have been borne off.
    #[inline]
    pub fn off(&self, side: Side) -> u8 {
        let mut men = self.men[side.index()];
        let mut on = 0;
        while men != 0 {
            on += (men & 15) as u8;
            men >>= BITS;
        }
        MEN - on
    }

    /// Whether `side` has borne off all its men.
    #[inline(always)]
    pub fn is_done(&self, side: Side) -> bool {
        self.men[side.index()] == 0
    }

    /// How far the men of `side` have to go until all are off.
    pub fn pips(&self, side: Side) -> u32 {
        (0..=BAR).map(|place| u32::from(self.men(side, place)) * (place as u32 + 1)).sum()
    }

    /// Calls `change` for each place where `side` has not as many men as on the board `to`: with the place, how many there are
    /// here, and how many there.
    #[inline(always)]
    pub fn for_each_change(&self, to: &Board, side: Side, mut change: impl FnMut(usize, u8, u8)) {
        let (here, there) = (self.men[side.index()], to.men[side.index()]);
        let mut differs = here ^ there;
        while differs != 0 {
            let place = differs.trailing_zeros() as usize / BITS;
            change(place, count(here, place), count(there, place));
            differs &= !(15 << (place * BITS));
        }
    }

    /// Whether no man can meet one of the other side any more.
    pub fn is_race(&self) -> bool {
        match (self.hindmost(Side::First), self.hindmost(Side::Second)) {
            (Some(first), Some(second)) => first + second < POINTS - 1,
            _ => true,
        }
    }

    /// The board after a step of `side`, whatever the dice, a man that is hit being on the bar; `None` if there is no man to move or the
    /// point is held by two of the other.
    ///
    /// ```
    /// use afterstate_games::Side;
    /// use afterstate_games::backgammon::{Board, Step};
    /// let after = Board::start().after_step(Side::First, Step::new(23, Some(20))).unwrap();
    /// assert_eq!((after.men(Side::First, 23), after.men(Side::First, 20)), (1, 1));
    /// assert_eq!(Board::start().after_step(Side::First, Step::new(23, Some(18))), None);
    /// ```
    pub fn after_step(&self, side: Side, step: Step) -> Option<Board> {
        let held = step.to().is_some_and(|to| to >= POINTS || self.men(side.other(), POINTS - 1 - to) > 1);
        if step.from() > BAR || self.men(side, step.from()) == 0 || held {
            return None;
        }
        let mut after = *self;
        after.step(side, step);
        Some(after)
    }

    /// Moves a man of `side`, and a man of the other that is hit to the bar.
    #[inline(always)]
    pub(super) fn step(&mut self, side: Side, step: Step) {
        let (own, other) = (side.index(), side.other().index());
        self.men[own] -= man(step.from());
        if let Some(to) = step.to() {
            self.men[own] += man(to);
            let there = POINTS - 1 - to;
            if count(self.men[other], there) > 0 {
                self.men[other] = self.men[other] - man(there) + man(BAR);
            }
        }
    }

    /// The step of a man of `side` from a place where there is one by a number of a die, if that is legal and no other man
    /// has to enter first; and the place, as `side` counts, where it hits one.
    #[inline(always)]
    pub(super) fn reach(&self, side: Side, from: usize, die: usize) -> Option<(Step, Option<usize>)> {
        let own = self.men[side.index()];
        if from >= die {
            let to = from - die;
            return match count(self.men[side.other().index()], POINTS - 1 - to) {
                0 => Some((Step::new(from, Some(to)), None)),
                1 => Some((Step::new(from, Some(to)), Some(to))),
                _ => None,
            };
        }
        // Bearing off needs all men at home, and a number that is too large only takes the hindmost.
        let home = own >> OUTSIDE == 0;
        let fits = from + 1 == die || own >> ((from + 1) * BITS) == 0;
        (home && fits).then_some((Step::new(from, None), None))
    }

    /// The men of one side, four bits a place.
    #[inline(always)]
    pub(super) fn packed(&self, side: Side) -> u128 {
        self.men[side.index()]
    }

    /// The place of the hindmost man of `side`, as it counts; `None` if it has none left.
    #[inline(always)]
    pub fn hindmost(&self, side: Side) -> Option<usize> {
        let men = self.men[side.index()];
        (men != 0).then(|| (127 - men.leading_zeros() as usize) / BITS)
    }
}

/// How many men are in a place.
#[inline(always)]
fn count(men: u128, place: usize) -> u8 {
    (men >> (place * BITS)) as u8 & 15
}
