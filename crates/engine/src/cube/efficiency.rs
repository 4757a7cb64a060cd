//! [`efficiency`]: how near to its ideal the cube can be used in a position, Janowski's x.
//!
//! Between a dead cube (x = 0, nobody ever turns it) and a fully live one (x = 1, it is always turned at exactly the right
//! moment) lies what happens in real games. The numbers are those of GNU Backgammon (its manual, "Cubeful equities", "The cube
//! efficiency"), which has them from Janowski's suggestion of 0.6 to 0.7: 0.68 where men still meet, 0.60 in the bear-off, and in a
//! race from 0.60 with 40 pips or fewer for who rolls to 0.70 with 120 or more. Before the last roll but one, where the other side's
//! will end the game whatever it is, nobody has a use for the cube any more: 0, and that is no estimate.

use afterstate_games::Side;
use afterstate_games::backgammon::Board;

/// Where men of both sides can still meet.
pub const CONTACT: f64 = 0.68;
/// Where all men of both sides are at home in a race.
pub const BEAR_OFF: f64 = 0.60;
/// Where the game ends with the next roll of either side.
pub const LAST_ROLLS: f64 = 0.0;
/// Before that: so much for each pip of who rolls, added to [`RACE_BASE`], between [`RACE_LEAST`] and [`RACE_MOST`].
pub const RACE_BY_PIP: f64 = 0.00125;
/// See [`RACE_BY_PIP`].
pub const RACE_BASE: f64 = 0.55;
/// See [`RACE_BY_PIP`].
pub const RACE_LEAST: f64 = 0.60;
/// See [`RACE_BY_PIP`].
pub const RACE_MOST: f64 = 0.70;

/// The cube efficiency x of a position in which `side` is about to roll, from 0 to 1.
///
/// ```
/// use afterstate_engine::cube::efficiency;
/// use afterstate_games::Side;
/// use afterstate_games::backgammon::Board;
/// assert_eq!(efficiency(&Board::start(), Side::First), 0.68);
/// ```
pub fn efficiency(board: &Board, side: Side) -> f64 {
    if !board.is_race() {
        return CONTACT;
    }
    let at_home = |side: Side| board.hindmost(side).is_none_or(|place| place < 6);
    if at_home(side) && at_home(side.other()) {
        return if is_off_with_any_roll(board, side.other()) { LAST_ROLLS } else { BEAR_OFF };
    }
    (RACE_BASE + RACE_BY_PIP * f64::from(board.pips(side))).clamp(RACE_LEAST, RACE_MOST)
}

/// Whether a side with all its men at home is off with its next roll, whatever that is: of all rolls 2-1 moves them least.
fn is_off_with_any_roll(board: &Board, side: Side) -> bool {
    let places: Vec<usize> = (0..6).flat_map(|place| vec![place; usize::from(board.men(side, place))]).collect();
    matches!(places[..], [0..=2] | [0, 0 | 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn races_go_by_the_pips_of_who_rolls() {
        let board = |own: &[(usize, u8)], other: &[(usize, u8)]| {
            let mut men = [[0; 25]; 2];
            own.iter().for_each(|&(place, count)| men[0][place] = count);
            other.iter().for_each(|&(place, count)| men[1][place] = count);
            Board::from_men(men).unwrap()
        };
        // Ten men on the eight point: 80 pips.
        let race = board(&[(7, 10)], &[(0, 5)]);
        assert!((efficiency(&race, Side::First) - 0.65).abs() < 1e-12);
        assert_eq!(efficiency(&race, Side::Second), RACE_LEAST);
        assert_eq!(efficiency(&board(&[(11, 15)], &[(0, 5)]), Side::First), RACE_MOST);
        assert_eq!(efficiency(&board(&[(5, 15)], &[(5, 15)]), Side::First), BEAR_OFF);
        // 2-1 takes off three pips or two men.
        let last = |other: &[(usize, u8)]| efficiency(&board(&[(4, 1), (1, 1)], other), Side::First);
        for other in [&[(0, 1)][..], &[(2, 1)], &[(0, 2)], &[(0, 1), (1, 1)]] {
            assert_eq!(last(other), LAST_ROLLS, "{other:?}");
        }
        for other in [&[(3, 1)][..], &[(1, 2)], &[(0, 1), (2, 1)], &[(0, 3)]] {
            assert_eq!(last(other), BEAR_OFF, "{other:?}");
        }
    }
}
