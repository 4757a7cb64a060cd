//! [`judge_resignation`]: whether what is offered by who resigns is as much as playing on would bring.

use super::{Chances, CubeDecision, MatchEquityTable, decide};
use afterstate_games::backgammon::cube::{Situation, Terms};
use afterstate_games::{Outcome, Side};
use serde::Serialize;

/// A resignation, judged by the side that it is offered to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Resignation {
    /// What it is worth to accept, for who accepts: in units of the cube, at a match score as
    /// [`MatchEquityTable::normalised`] has it.
    pub accepted: f64,
    /// What it is worth to play on.
    pub played_on: f64,
    /// Whether to accept: playing on is worth no more.
    pub accept: bool,
}

/// Playing on has to be worth so much more for an offer to be declined: a network is never sure of a gammon to the last digit.
pub const SURE: f64 = 1e-3;

/// Judges the offer of the other side to lose so: a plain game (stake 1), a gammon (2) or a backgammon (3). The chances, the efficiency `x`
/// and the equities are those of `on_roll`, who need not be the one who resigns; `resigning` is.
///
/// ```
/// use afterstate_engine::cube::{Chances, MatchEquityTable, judge_resignation};
/// use afterstate_games::{Side, backgammon::cube::Situation};
/// // Won for sure, half of the time by a gammon, with the cube of money play out of the game after a pass.
/// let chances = Chances::from([1.0, 0.5, 0.0, 0.0, 0.0]);
/// let judged = |stake| {
///     judge_resignation(&chances, &Situation::default(), Side::First, Side::Second, stake, 0.68, &MatchEquityTable::new(1))
/// };
/// assert!(!judged(1).accept && judged(2).accept);
/// assert!((judged(1).played_on - 1.5).abs() < 1e-6);
/// ```
///
/// # Panics
///
/// If a match is longer than the table.
pub fn judge_resignation(
    chances: &Chances,
    situation: &Situation,
    on_roll: Side,
    resigning: Side,
    stake: u8,
    x: f64,
    table: &MatchEquityTable,
) -> Resignation {
    let winner = resigning.other();
    let points = situation.points(Outcome { winner: Some(winner), stake });
    let accepted = match situation.terms {
        Terms::Money { .. } => f64::from(points) / f64::from(situation.cube.value),
        Terms::Match(score) => {
            table.normalised(table.after(&score, winner, winner, points), &score, winner, situation.cube.value)
        }
    };
    let decision: CubeDecision = decide(chances, situation, on_roll, x, table);
    let played_on = if on_roll == winner { decision.best() } else { -decision.best() };
    Resignation { accepted, played_on, accept: played_on <= accepted + SURE }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::backgammon::cube::{Cube, MatchScore};

    #[test]
    fn offers_are_taken_when_playing_on_brings_no_more() {
        let table = MatchEquityTable::new(5);
        let judged = |outputs: [f32; 5], situation: &Situation, on_roll, stake| {
            judge_resignation(&Chances::from(outputs), situation, on_roll, Side::Second, stake, 0.68, &table)
        };
        let money = Situation::default();
        // Whoever is on roll: the second side has lost, with some gammons.
        let second = [0.0, 0.0, 0.0, 0.3, 0.0];
        assert!(!judged(second, &money, Side::Second, 1).accept);
        assert!((judged(second, &money, Side::Second, 1).played_on - 1.3).abs() < 1e-6);
        assert!(judged(second, &money, Side::Second, 2).accept);
        // By the Jacoby rule there are no gammons with the cube in the middle: one point is all there is.
        let jacoby = Situation { terms: Terms::Money { jacoby: true, beavers: false }, ..money };
        assert!(judged(second, &jacoby, Side::Second, 1).accept);
        // A game that can be won yet is not given away, and one far behind is accepted at once.
        assert!(judged([0.2, 0.0, 0.0, 0.0, 0.0], &money, Side::First, 1).accept);
        // With one point to go gammons are of no use; with five, and the cube at 2, they are.
        let of = |points| Situation {
            cube: Cube { value: 2, owner: Some(Side::First) },
            terms: Terms::Match(MatchScore { length: 5, points, crawford: false }),
        };
        let sure = [1.0, 0.9, 0.0, 0.0, 0.0];
        assert!(judged(sure, &of([3, 0]), Side::First, 1).accept);
        assert!(!judged(sure, &of([0, 0]), Side::First, 1).accept);
        assert!(judged(sure, &of([0, 0]), Side::First, 2).accept);
    }
}
