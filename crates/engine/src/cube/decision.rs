//! [`decide`]: whether to double, and whether to take.
//!
//! ```text
//! ND   no double: the cubeful equity with the cube as it is
//! DT   double, take: the same with the cube doubled and the other's; with a beaver twice that, where it is the other's gain
//! DP   double, pass: what the cube's points are worth, +1
//! the other takes if DT ≤ DP; doubling is right if min(DT, DP) ≥ ND; who passes it up because ND > DP is too good
//! ```

use super::janowski::{self, Access};
use super::{Chances, MatchEquityTable, match_play};
use afterstate_games::Side;
use afterstate_games::backgammon::cube::{Situation, Terms};
use serde::Serialize;

/// What a side before its roll should do with the cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CubeAction {
    /// It may not double: the cube is the other's or dead, or this is the Crawford game.
    Unavailable,
    /// Roll: the position is not good enough.
    NoDouble,
    /// Double.
    Double,
    /// Roll: the position is too good, playing on is worth more than a pass.
    TooGood,
}

/// The cube is turned once more, and lies where a take would have put it.
const BEAVER: f64 = 2.0;
/// Equities this close are equal: sums of chances are rounded.
const ROUNDING: f64 = 1e-10;

/// What the other side should do if it is doubled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CubeAnswer {
    /// Take.
    Take,
    /// Take, and turn the cube once more at once, where beavers are allowed.
    Beaver,
    /// Pass.
    Pass,
}

/// Both sides' decisions, with what they are worth to who is about to roll: in units of the cube before a double; at a match
/// score, +1 is what its points bring.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CubeDecision {
    /// With a cube that nobody turns any more.
    pub cubeless: f64,
    /// If it does not double now.
    pub no_double: f64,
    /// If it doubles and the other takes, or beavers if that is better for the other.
    pub double_take: f64,
    /// If it doubles and the other passes.
    pub double_pass: f64,
    /// At a match score the chances to win the match of the three: no double, take, pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_chances: Option<[f64; 3]>,
    /// What is right for who is about to roll.
    pub action: CubeAction,
    /// What is right for the other, if it is doubled.
    pub answer: CubeAnswer,
}

impl CubeDecision {
    /// What a double is worth if the other answers rightly.
    pub fn double(&self) -> f64 {
        self.double_take.min(self.double_pass)
    }

    /// What the position is worth to who is about to roll.
    pub fn best(&self) -> f64 {
        if self.action == CubeAction::Double { self.double() } else { self.no_double }
    }

    /// What it loses to double (`true`), or not to; 0 if that is right. Who may turn a cube that is dead for it can lose by that, too.
    pub fn loss_of_double(&self, doubles: bool) -> f64 {
        let chosen = if doubles { self.double() } else { self.no_double };
        (self.best() - chosen).max(0.0)
    }

    /// What it loses to answer a double so; 0 if that is right.
    pub fn loss_of_answer(&self, answer: CubeAnswer) -> f64 {
        let beavers = self.answer == CubeAnswer::Beaver;
        let taken = if beavers { self.double_take / BEAVER } else { self.double_take };
        let chosen = match answer {
            CubeAnswer::Take => taken,
            CubeAnswer::Beaver => BEAVER * taken,
            CubeAnswer::Pass => self.double_pass,
        };
        chosen - self.double()
    }
}

/// The decisions in a position of these chances, with `side` about to roll. `x` is the cube's efficiency, see
/// [`efficiency`](super::efficiency()); `table` is looked at in a match only.
///
/// ```
/// use afterstate_engine::cube::{Chances, CubeAction, CubeAnswer, MatchEquityTable, decide};
/// use afterstate_games::{Side, backgammon::cube::Situation};
/// let table = MatchEquityTable::new(1);
/// let at = |win: f32| decide(&Chances::from([win, 0.0, 0.0, 0.0, 0.0]), &Situation::default(), Side::First, 0.68, &table);
/// assert_eq!((at(0.60).action, at(0.60).answer), (CubeAction::NoDouble, CubeAnswer::Take));
/// assert_eq!((at(0.75).action, at(0.75).answer), (CubeAction::Double, CubeAnswer::Take));
/// assert_eq!((at(0.85).action, at(0.85).answer), (CubeAction::Double, CubeAnswer::Pass));
/// ```
///
/// # Panics
///
/// If a match is longer than the table.
pub fn decide(chances: &Chances, situation: &Situation, side: Side, x: f64, table: &MatchEquityTable) -> CubeDecision {
    let (before, after) = (situation, situation.doubled(side));
    let (cubeless, no_double, double_take, match_chances) = match situation.terms {
        Terms::Money { jacoby, beavers } => {
            let of = |situation: &Situation| janowski::cubeful(chances, access(situation, side), jacoby, x);
            let dead = janowski::dead(chances, access(before, side), jacoby);
            let taken = 2.0 * of(&after);
            (dead, of(before), if beavers { taken.min(BEAVER * taken) } else { taken }, None)
        }
        Terms::Match(score) => {
            let normal = |chance: f64| table.normalised(chance, &score, side, before.cube.value);
            let of = |situation: &Situation| match_play::cubeful(chances, &score, situation.cube, side, x, table);
            let [dead, _] = match_play::bounds(chances, &score, before.cube, side, table);
            let found = [of(before), of(&after), table.after(&score, side, side, before.cube.value)];
            (normal(dead), normal(found[0]), normal(found[1]), Some(found))
        }
    };
    let double_pass = 1.0;
    let double = double_take.min(double_pass);
    let action = match () {
        () if !situation.may_double(side) => CubeAction::Unavailable,
        () if double >= no_double - ROUNDING => CubeAction::Double,
        () if no_double > double_pass => CubeAction::TooGood,
        () => CubeAction::NoDouble,
    };
    let answer = match situation.terms {
        _ if double_take > double_pass => CubeAnswer::Pass,
        Terms::Money { beavers: true, .. } if double_take < 0.0 => CubeAnswer::Beaver,
        _ => CubeAnswer::Take,
    };
    CubeDecision { cubeless, no_double, double_take, double_pass, match_chances, action, answer }
}

/// Where the cube lies for `side`.
fn access(situation: &Situation, side: Side) -> Access {
    match situation.cube.owner {
        None => Access::Centred,
        Some(owner) if owner == side => Access::Owned,
        Some(_) => Access::Unavailable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::backgammon::cube::{Cube, MatchScore};
    use proptest::prelude::*;

    fn money(jacoby: bool, beavers: bool) -> Situation {
        Situation { cube: Cube::CENTRED, terms: Terms::Money { jacoby, beavers } }
    }

    fn of(outputs: [f32; 5], situation: &Situation, x: f64) -> CubeDecision {
        decide(&Chances::from(outputs), situation, Side::First, x, &MatchEquityTable::new(7))
    }

    #[test]
    fn the_four_answers_of_money_play() {
        // A dead cube: double above 50 %, take down to 25 %.
        let at = |win: f32| of([win, 0.0, 0.0, 0.0, 0.0], &money(false, false), 0.0);
        let said = [0.49, 0.51, 0.74, 0.76].map(|win| (at(win).action, at(win).answer));
        use {CubeAction::*, CubeAnswer::*};
        assert_eq!(said, [(NoDouble, Take), (Double, Take), (Double, Take), (Double, Pass)]);
        // By hand: 2 · 0.51 − 1, and twice that.
        assert!((at(0.51).no_double - 0.02).abs() < 1e-6 && (at(0.51).double_take - 0.04).abs() < 1e-6);
        // Many gammons are too good to double; with the Jacoby rule they have to be doubled first.
        let crush = [0.95, 0.6, 0.0, 0.0, 0.0];
        assert_eq!(of(crush, &money(false, false), 0.68).action, TooGood);
        assert_eq!(of(crush, &money(true, false), 0.68).action, Double);
        // A beaver makes a bad double worse, and only that.
        let bad = [0.45, 0.0, 0.0, 0.0, 0.0];
        let (plain, beaver) = (of(bad, &money(false, false), 0.0), of(bad, &money(false, true), 0.0));
        assert!((plain.double_take + 0.2).abs() < 1e-6 && (beaver.double_take + 0.4).abs() < 1e-6);
        assert_eq!((plain.answer, beaver.answer), (Take, Beaver));
        // Of a cube of one, turned twice.
        let lost = [Beaver, Take, Pass].map(|answer| beaver.loss_of_answer(answer));
        assert!(lost[0] == 0.0 && (lost[1] - 0.2).abs() < 1e-6 && (lost[2] - 1.4).abs() < 1e-6, "{lost:?}");
        assert!((plain.loss_of_answer(Take), beaver.loss_of_answer(Beaver)) == (0.0, 0.0));
        assert_eq!(of([0.6, 0.0, 0.0, 0.0, 0.0], &money(false, true), 0.0).answer, Take);
        let owned_by_other = Situation { cube: Cube { value: 2, owner: Some(Side::Second) }, terms: Terms::MONEY };
        assert_eq!(of(crush, &owned_by_other, 0.68).action, Unavailable);
    }

    #[test]
    fn a_sure_win_is_doubled() {
        let sure = |win| Chances { win, gammon: 0.0, backgammon: 0.0, lost_gammon: 0.0, lost_backgammon: 0.0 };
        for win in [1.0, 1.0 + 1e-15, 1.0 - 1e-15] {
            let found = decide(&sure(win), &money(false, false), Side::First, 0.68, &MatchEquityTable::new(7));
            assert_eq!((found.action, found.answer), (CubeAction::Double, CubeAnswer::Pass), "{win}");
        }
    }

    #[test]
    fn what_a_wrong_decision_loses() {
        let right = of([0.60, 0.0, 0.0, 0.0, 0.0], &money(false, false), 0.0);
        assert_eq!((right.loss_of_double(true), right.loss_of_answer(CubeAnswer::Take)), (0.0, 0.0));
        assert!((right.loss_of_double(false) - 0.2).abs() < 1e-6);
        // A pass at 40 %: 1 point instead of 0.4.
        assert!((right.loss_of_answer(CubeAnswer::Pass) - 0.6).abs() < 1e-6);
    }

    #[test]
    fn scores_change_what_is_right() {
        let score = |points, crawford| Situation {
            cube: Cube::CENTRED,
            terms: Terms::Match(MatchScore { length: 7, points, crawford }),
        };
        // Both two points away: who is doubled plays for the match, and takes down to what a pass leaves.
        let table = MatchEquityTable::new(7);
        let pass = 1.0 - table.chance(1, 2);
        let at = |win: f64| {
            let chances = Chances { win, gammon: 0.0, backgammon: 0.0, lost_gammon: 0.0, lost_backgammon: 0.0 };
            decide(&chances, &score([5, 5], false), Side::First, 0.68, &table)
        };
        assert_eq!(at(1.0 - pass - 0.001).answer, CubeAnswer::Take);
        assert_eq!(at(1.0 - pass + 0.001).answer, CubeAnswer::Pass);
        assert!((at(0.6).match_chances.unwrap()[1] - 0.6).abs() < 1e-12);
        // After the Crawford game the trailer doubles whatever he has, and with one point each nobody can.
        let trailer = of([0.3, 0.05, 0.0, 0.1, 0.0], &score([3, 6], false), 0.68);
        assert_eq!((trailer.action, trailer.answer), (CubeAction::Double, CubeAnswer::Take));
        assert_eq!(of([0.7, 0.2, 0.0, 0.1, 0.0], &score([6, 3], false), 0.68).action, CubeAction::Unavailable);
        assert_eq!(of([0.9, 0.2, 0.0, 0.1, 0.0], &score([3, 6], true), 0.68).action, CubeAction::Unavailable);
    }

    proptest! {
        #[test]
        fn decisions_hang_together(
            win in 0.0f32..1.0, gammon in 0.0f32..1.0, lost in 0.0f32..1.0, points in [0u32..7, 0u32..7], power in 0u32..4,
            owner in 0usize..3, crawford: bool, side: bool, x in 0.0f64..1.0,
        ) {
            let owner = [None, Some(Side::First), Some(Side::Second)][owner];
            let crawford = crawford && points.contains(&6);
            let terms = Terms::Match(MatchScore { length: 7, points, crawford });
            let situation = Situation { cube: Cube { value: 1 << power, owner }, terms };
            let side = if side { Side::First } else { Side::Second };
            let chances = Chances::from([win, gammon * win, 0.0, lost * (1.0 - win), 0.0]);
            let table = MatchEquityTable::new(7);
            let found = decide(&chances, &situation, side, x, &table);
            prop_assert!(found.match_chances.unwrap().iter().all(|chance| (-1e-9..=1.0 + 1e-9).contains(chance)));
            prop_assert!(found.no_double.is_finite() && found.double_take.is_finite());
            // Sides are but names.
            let turned = decide(&chances, &situation.turned(), side.other(), x, &table);
            prop_assert!((turned.no_double - found.no_double).abs() < 1e-9 && turned.action == found.action);
            prop_assert!(found.loss_of_double(true) * found.loss_of_double(false) == 0.0);
            prop_assert!(found.loss_of_answer(CubeAnswer::Take) >= 0.0 && found.loss_of_answer(CubeAnswer::Pass) >= 0.0);
            if found.action != CubeAction::Unavailable {
                prop_assert!(found.best() >= found.no_double.max(found.double()) - 1e-9);
            }
        }
    }
}
