//! Janowski's cube model at a match score, in chances to win the match, as GNU Backgammon has it (`Cl2CfMatch` and `GetPoints` of
//! its evaluation, by J. Thyssen).
//!
//! ```text
//! cubeful chance = (1 − x) · dead + x · live
//! dead           the mean over the six results of the game, with the cube as it is
//! live           piecewise linear in p, through
//!                  0: the mean over the ways to lose       1: the mean over the ways to win
//!                  the own cash point: what the cube's points bring        the other's: what losing them leaves
//! cash point     with a cube that is dead after the double: where the other side loses as much by taking as by passing
//!                with a live one: 1 − CP'(2c) · (P − T) / (R − T), with P the chance after a pass, T after a take that is won,
//!                R after a redouble that is passed, and CP' the other's cash point one level up
//! ```
//!
//! When a doubled cube is dead for who gave it, and not for who takes it, a redouble costs the taker nothing: it is counted as made.
//! With two points to go for both sides GNU Backgammon takes a cube in the middle for dead; here it is like everywhere else.

use super::janowski::interpolate;
use super::{Chances, MatchEquityTable};
use afterstate_games::Side;
use afterstate_games::backgammon::cube::{Cube, MatchScore};

/// A score, and how the games at hand are won by either side.
struct Game<'a> {
    table: &'a MatchEquityTable,
    score: MatchScore,
    /// For each side, the shares of plain wins, gammons and backgammons among its wins.
    kinds: [[f64; 3]; 2],
}

impl Game<'_> {
    /// The chance of `side` to win the match when `winner` has won so many points.
    fn after(&self, side: Side, winner: Side, points: u32) -> f64 {
        self.table.after(&self.score, side, winner, points)
    }

    /// The same when `winner` has won the game with the cube at this value, over the ways in which it does.
    fn after_game(&self, side: Side, winner: Side, cube: u32) -> f64 {
        let kinds = self.kinds[winner.index()];
        (1..=3).zip(kinds).map(|(stake, share)| share * self.after(side, winner, stake * cube)).sum()
    }

    /// The chance to win the game from which `side` gains as much by doubling a cube of this value out as the other could lose by
    /// taking it, if all later doubles come at the right moment.
    fn cash_point(&self, side: Side, cube: u32) -> f64 {
        let other = side.other();
        let passed = self.after(side, side, cube);
        let dead = |side: Side| self.score.away(side) <= 2 * cube;
        if dead(side) || dead(other) {
            // The doubler needs no more than the doubled cube: the other turns it once more, if that is of any use.
            let played = if dead(side) && !dead(other) { 4 * cube } else { 2 * cube };
            let (won, lost) = (self.after_game(side, side, played), self.after_game(side, other, played));
            return if won - lost > 1e-12 { ((passed - lost) / (won - lost)).clamp(0.0, 1.0) } else { 1.0 };
        }
        let taken_and_won = self.after_game(side, side, 2 * cube);
        let redoubled_out = self.after(side, other, 2 * cube);
        let taken_and_lost = taken_and_won - redoubled_out;
        let part = if taken_and_lost > 1e-12 { (taken_and_won - passed) / taken_and_lost } else { 0.0 };
        (1.0 - self.cash_point(other, 2 * cube) * part).clamp(0.0, 1.0)
    }
}

/// The chance of `side`, which is about to roll, to win the match from a game at this score with this cube and efficiency `x`.
///
/// ```
/// use afterstate_engine::cube::{Chances, MatchEquityTable, match_play::cubeful};
/// use afterstate_games::Side;
/// use afterstate_games::backgammon::cube::{Cube, MatchScore};
/// let table = MatchEquityTable::new(5);
/// // Who wins the last game has won the match.
/// let last = MatchScore { length: 5, points: [4, 4], crawford: false };
/// let chances = Chances::from([0.6, 0.3, 0.0, 0.1, 0.0]);
/// assert!((cubeful(&chances, &last, Cube::CENTRED, Side::First, 0.68, &table) - 0.6).abs() < 1e-6);
/// ```
pub fn cubeful(chances: &Chances, score: &MatchScore, cube: Cube, side: Side, x: f64, table: &MatchEquityTable) -> f64 {
    let [dead, live] = bounds(chances, score, cube, side, table);
    (1.0 - x) * dead + x * live
}

/// The same with a dead cube and with a live one.
pub fn bounds(chances: &Chances, score: &MatchScore, cube: Cube, side: Side, table: &MatchEquityTable) -> [f64; 2] {
    let mut kinds = [chances.kinds_of_wins(), chances.turned().kinds_of_wins()];
    if side == Side::Second {
        kinds.swap(0, 1);
    }
    let (game, other, p) = (Game { table, score: *score, kinds }, side.other(), chances.win);
    let (won, lost) = (game.after_game(side, side, cube.value), game.after_game(side, other, cube.value));
    let dead = p * won + (1.0 - p) * lost;
    let decides = |side: Side| score.away(side) <= cube.value;
    if score.crawford || decides(side) && decides(other) {
        return [dead; 2];
    }
    let mut corners = [(0.0, lost); 4];
    let mut count = 1;
    if cube.belongs_to(other) {
        corners[count] = (1.0 - game.cash_point(other, cube.value), game.after(side, other, cube.value));
        count += 1;
    }
    if cube.belongs_to(side) {
        corners[count] = (game.cash_point(side, cube.value), game.after(side, side, cube.value));
        count += 1;
    }
    corners[count] = (1.0, won);
    [dead, interpolate(&corners[..=count], p)]
}
