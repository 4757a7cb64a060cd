//! [`cube_points`]: from which chance to win on a cube is offered, taken, cashed, and left alone because a position is too good.

use super::{Chances, MatchEquityTable, decide};
use afterstate_games::Side;
use afterstate_games::backgammon::cube::Situation;
use serde::Serialize;

/// Chances to win the game at which decisions change, if gammons keep their shares of wins and losses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CubePoints {
    /// Below it, the side to roll would have to pass if the other doubled now; `None` if the other may not.
    pub take_point: Option<f64>,
    /// From it on, doubling is right (of a cube already owned: the redoubling point); `None` if it never is.
    pub doubling_point: Option<f64>,
    /// From it on, the other has to pass; `None` if it may always take.
    pub cash_point: Option<f64>,
    /// From it on, playing on is worth more than a pass; `None` if it never is.
    pub too_good_point: Option<f64>,
}

/// The points of a position of these chances: where the equities of [`decide`] meet, which takes the same arguments.
///
/// ```
/// use afterstate_engine::cube::{Chances, MatchEquityTable, cube_points, janowski};
/// use afterstate_games::{Side, backgammon::cube::{Cube, Situation}};
/// let (even, table) = (Chances::from([0.5, 0.0, 0.0, 0.0, 0.0]), MatchEquityTable::new(1));
/// let owned = Situation { cube: Cube { value: 2, owner: Some(Side::First) }, ..Situation::default() };
/// let points = cube_points(&even, &owned, Side::First, 0.68, &table);
/// assert!((points.doubling_point.unwrap() - janowski::redoubling_point(1.0, 1.0, 0.68)).abs() < 1e-6);
/// assert!((points.cash_point.unwrap() - janowski::cash_point(1.0, 1.0, 0.68)).abs() < 1e-6);
/// assert_eq!(points.take_point, None);
/// ```
pub fn cube_points(
    chances: &Chances,
    situation: &Situation,
    side: Side,
    x: f64,
    table: &MatchEquityTable,
) -> CubePoints {
    let at = |win: f64| decide(&chances.with_win(win), situation, side, x, table);
    let (mut doubling_point, mut cash_point, mut too_good_point) = (None, None, None);
    if situation.may_double(side) {
        cash_point = crossing(0.0, 1.0, |win| at(win).double_take - at(win).double_pass);
        let passed_from = cash_point.unwrap_or(1.0);
        doubling_point = crossing(0.0, passed_from, |win| at(win).double_take - at(win).no_double);
        too_good_point = crossing(passed_from, 1.0, |win| at(win).no_double - at(win).double_pass);
    }
    let take_point = situation.may_double(side.other()).then(|| {
        let other = |win: f64| {
            let turned = chances.with_win(win).turned();
            let found = decide(&turned, situation, side.other(), x, table);
            found.double_pass - found.double_take
        };
        crossing(0.0, 1.0, other)
    });
    CubePoints { take_point: take_point.flatten(), doubling_point, cash_point, too_good_point }
}

/// Where a function that is below 0 at `low` rises above it; `low` if it is not below 0 there, none if it never rises.
fn crossing(mut low: f64, mut high: f64, rises: impl Fn(f64) -> f64) -> Option<f64> {
    // At the very ends games are decided, and all cubes worth the same.
    (low, high) = (low.max(1e-6), high.min(1.0 - 1e-6));
    if rises(low) >= 0.0 {
        return Some(low);
    }
    if rises(high) <= 0.0 {
        return None;
    }
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if rises(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::super::janowski;
    use super::*;
    use afterstate_games::backgammon::cube::{Cube, MatchScore, Terms};

    #[test]
    fn in_money_play_they_are_the_paper_s() {
        let (table, chances) = (MatchEquityTable::new(1), Chances::from([0.6, 0.18, 0.0, 0.1, 0.0]));
        let (w, l) = (chances.average_win(), chances.average_loss());
        assert!((w - 1.3).abs() < 1e-6 && (l - 1.25).abs() < 1e-6);
        let close = |found: Option<f64>, expected: f64| (found.unwrap() - expected).abs() < 1e-6;
        for x in [0.0, 0.68, 1.0] {
            let centred = cube_points(&chances, &Situation::default(), Side::First, x, &table);
            assert!(close(centred.take_point, janowski::take_point(w, l, x)));
            assert!(close(centred.cash_point, janowski::cash_point(w, l, x)));
            if x != 0.68 {
                assert!(close(centred.doubling_point, janowski::initial_doubling_point(w, l, x)), "{x}: {centred:?}");
                assert!(close(centred.too_good_point, janowski::too_good_point(w, l, x)), "{x}: {centred:?}");
            }
            let owned = Situation { cube: Cube { value: 4, owner: Some(Side::First) }, ..Situation::default() };
            let owned = cube_points(&chances, &owned, Side::First, x, &table);
            assert!(close(owned.doubling_point, janowski::redoubling_point(w, l, x)));
        }
    }

    #[test]
    fn at_a_score_they_are_those_of_the_table() {
        // Two points away each: a dead cube after the double, and a pass leaves what the Crawford game gives the trailer.
        let (table, even) = (MatchEquityTable::new(2), Chances::from([0.5, 0.0, 0.0, 0.0, 0.0]));
        let situation = Situation { cube: Cube::CENTRED, terms: Terms::Match(MatchScore::new(2)) };
        let points = cube_points(&even, &situation, Side::First, 0.68, &table);
        let take = 1.0 - table.chance(1, 2);
        assert!((points.take_point.unwrap() - take).abs() < 1e-6, "{points:?}");
        assert!((points.cash_point.unwrap() - 1.0 + take).abs() < 1e-6, "{points:?}");
        // The trailer after the Crawford game doubles with anything.
        let post =
            Situation { terms: Terms::Match(MatchScore { length: 7, points: [2, 6], crawford: false }), ..situation };
        let points = cube_points(&even, &post, Side::First, 0.68, &MatchEquityTable::new(7));
        assert!(points.doubling_point.unwrap() < 0.01, "{points:?}");
        assert_eq!(points.take_point, None);
    }
}
