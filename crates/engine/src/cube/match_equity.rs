//! [`MatchEquityTable`]: how likely a match is won from each score, between equal players.
//!
//! The table is computed, score by score from the end of the match, with the same cube model with which positions are judged
//! ([`match_play`]):
//!
//! ```text
//! M(1, 1)        = ½
//! after the Crawford game, with 1 and n points to go: the trailer doubles at once, so that for him
//!     T(n)       = ½ ((1 − g) T(n − 2) + g T(n − 4)) − the free drop, for n = 2 and 4                      T(n ≤ 0) = 1
//! Crawford game, for the trailer:
//!     M(n, 1)    = ½ ((1 − g) T(n − 1) + g T(n − 2))
//! else           M(a, b) = the cubeful chance at 50 % with the cube in the middle, of which the share g of all wins are gammons
//! ```
//!
//! It is the recursion of N. Zadeh (*On doubling in tournament backgammon*, Management Science 23, 1977) with Janowski's interpolation
//! in place of his semi-efficient recubes. Its four numbers, g = 0.28, x = 0.78 and what the free drops are worth, were chosen so that it
//! is near to N. Kazaross' XG2 table, which was rolled out: up to 15 points to go no entry differs by more than 0.0063 (2-away 4-away), and
//! by 0.0015 in quadratic mean; after the Crawford game by 0.005 at most.
//!
//! [`match_play`]: super::match_play

use super::{Chances, match_play};
use afterstate_games::Side;
use afterstate_games::backgammon::cube::{Cube, MatchScore};

/// Matches to more points are not computed.
pub const MOST_POINTS: u32 = 64;

/// The share of gammons among wins with which the table is computed.
pub const GAMMONS: f64 = 0.28;
/// The cube efficiency with which it is. A whole game passes the points where doubling is right more closely than a position in the
/// middle of it does.
pub const EFFICIENCY: f64 = 0.78;
/// What it costs the trailer with 2 points to go that the leader passes a double after a bad start.
pub const FREE_DROP_2: f64 = 0.012;
/// The same with 4 points to go.
pub const FREE_DROP_4: f64 = 0.003;

/// Chances to win a match for all scores with up to so many points to go.
///
/// ```
/// use afterstate_engine::cube::MatchEquityTable;
/// let table = MatchEquityTable::new(7);
/// assert_eq!(table.chance(2, 2), 0.5);
/// // Who needs one point against two, in the Crawford game, wins two matches of three.
/// assert!((table.chance(1, 2) - 0.677).abs() < 0.01);
/// assert!((table.chance(1, 2) + table.chance(2, 1) - 1.0).abs() < 1e-12);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MatchEquityTable {
    /// Most points to go.
    length: u32,
    /// For each number of points to go of one side and then of the other. Where one side has one point to go it is the
    /// Crawford game.
    before: Vec<f64>,
    /// After the Crawford game, for the trailer by its points to go.
    post_crawford: Vec<f64>,
}

impl MatchEquityTable {
    /// The table for matches to so many points.
    ///
    /// # Panics
    ///
    /// If there are none or more than [`MOST_POINTS`].
    pub fn new(length: u32) -> MatchEquityTable {
        assert!((1..=MOST_POINTS).contains(&length), "{length} points: expected 1 to {MOST_POINTS}");
        let size = length as usize + 1;
        let mut table = MatchEquityTable { length, before: vec![0.0; size * size], post_crawford: vec![0.0; size] };
        for away in 1..=length {
            let trailer = |points: u32| table.trailer(away.saturating_sub(points));
            let free_drop = [(2, FREE_DROP_2), (4, FREE_DROP_4)];
            let lost = free_drop.iter().find(|(at, _)| *at == away).map_or(0.0, |(_, lost)| *lost);
            let chance = 0.5 * ((1.0 - GAMMONS) * trailer(2) + GAMMONS * trailer(4)) - lost;
            table.post_crawford[away as usize] = chance;
        }
        table.set(1, 1, 0.5);
        for away in 2..=length {
            let trailer = |points: u32| table.trailer(away.saturating_sub(points));
            let chance = 0.5 * ((1.0 - GAMMONS) * trailer(1) + GAMMONS * trailer(2));
            table.set(away, 1, chance);
        }
        let start = Chances::from([0.5, 0.0, 0.0, 0.0, 0.0]);
        let start = Chances { gammon: 0.5 * GAMMONS, lost_gammon: 0.5 * GAMMONS, ..start };
        // Every game leads to scores with fewer points to go.
        for (own, other) in (4..=2 * length).flat_map(|sum| (2..=sum / 2).map(move |own| (own, sum - own))) {
            if other <= length {
                let score = MatchScore { length, points: [length - own, length - other], crawford: false };
                let chance = match_play::cubeful(&start, &score, Cube::CENTRED, Side::First, EFFICIENCY, &table);
                table.set(own, other, if own == other { 0.5 } else { chance });
            }
        }
        table
    }

    fn at(&self, own: u32, other: u32) -> usize {
        own as usize * (self.length as usize + 1) + other as usize
    }

    fn set(&mut self, own: u32, other: u32, chance: f64) {
        let (here, there) = (self.at(own, other), self.at(other, own));
        (self.before[here], self.before[there]) = (chance, 1.0 - chance);
    }

    /// The trailer's chance after the Crawford game.
    fn trailer(&self, away: u32) -> f64 {
        if away == 0 { 1.0 } else { self.post_crawford[away as usize] }
    }

    /// Most points to go that it knows of.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// The chance of a side with `own` points to go against one with `other`. If one of them is 1 it is the Crawford game.
    ///
    /// # Panics
    ///
    /// If one is 0 or above [`MatchEquityTable::length`].
    pub fn chance(&self, own: u32, other: u32) -> f64 {
        for away in [own, other] {
            assert!((1..=self.length).contains(&away), "{away} points to go: the table has 1 to {}", self.length);
        }
        self.before[self.at(own, other)]
    }

    /// The chance of a side with `away` points to go against one that has 1, once the Crawford game has been played.
    ///
    /// # Panics
    ///
    /// If it is 0 or above [`MatchEquityTable::length`].
    pub fn post_crawford(&self, away: u32) -> f64 {
        assert!((1..=self.length).contains(&away), "{away} points to go: the table has 1 to {}", self.length);
        self.trailer(away)
    }

    /// The chance of `side` when `winner` has won so many points of a game at this score.
    ///
    /// # Panics
    ///
    /// If the match is longer than the table.
    pub fn after(&self, score: &MatchScore, side: Side, winner: Side, points: u32) -> f64 {
        let away = |of: Side| score.away(of).saturating_sub(if of == winner { points } else { 0 });
        let (own, other) = (away(side), away(side.other()));
        if own == 0 || other == 0 {
            return if own == 0 { 1.0 } else { 0.0 };
        }
        // The Crawford game is this one, or has been played, or may come.
        if score.crawford || score.is_post_crawford() {
            return if own > 1 { self.post_crawford(own) } else { 1.0 - self.post_crawford(other) };
        }
        self.chance(own, other)
    }

    /// What a chance of `side` to win the match is as an equity, in units of the cube: +1 what winning the cube's points brings, −1
    /// what losing them leaves.
    ///
    /// ```
    /// use afterstate_engine::cube::MatchEquityTable;
    /// use afterstate_games::{Side, backgammon::cube::MatchScore};
    /// let (table, score) = (MatchEquityTable::new(5), MatchScore::new(5));
    /// let won = table.after(&score, Side::First, Side::First, 2);
    /// assert!((table.normalised(won, &score, Side::First, 2) - 1.0).abs() < 1e-12);
    /// ```
    pub fn normalised(&self, chance: f64, score: &MatchScore, side: Side, cube: u32) -> f64 {
        let (won, lost) = (self.after(score, side, side, cube), self.after(score, side, side.other(), cube));
        (2.0 * chance - won - lost) / (won - lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries of N. Kazaross' XG2 table (2011), as GNU Backgammon brings it along: points to go, and the chance of who has fewer.
    const KAZAROSS_XG2: [(u32, u32, f64); 21] = [
        (1, 2, 0.67736),
        (1, 3, 0.75076),
        (1, 4, 0.81436),
        (1, 5, 0.84179),
        (1, 6, 0.88731),
        (1, 7, 0.90724),
        (1, 9, 0.94402),
        (2, 3, 0.5995),
        (2, 4, 0.6687),
        (2, 5, 0.7436),
        (2, 6, 0.7994),
        (2, 7, 0.8423),
        (3, 4, 0.5715),
        (3, 5, 0.6480),
        (3, 7, 0.7621),
        (4, 5, 0.5773),
        (4, 6, 0.6429),
        (4, 9, 0.7880),
        (5, 6, 0.5664),
        (5, 7, 0.6264),
        (6, 7, 0.5626),
    ];

    #[test]
    fn entries_are_near_to_those_that_were_rolled_out() {
        let table = MatchEquityTable::new(15);
        for (own, other, expected) in KAZAROSS_XG2 {
            let found = table.chance(own, other);
            assert!((found - expected).abs() < 0.0065, "{own}-away {other}-away: {found}, expected {expected}");
        }
        let post = [0.5, 0.48803, 0.32264, 0.31002, 0.19012, 0.18072, 0.11559];
        for (away, expected) in (1..).zip(post) {
            let found = table.post_crawford(away);
            assert!(
                (found - expected).abs() < 0.0055,
                "1-away {away}-away after Crawford: {found}, expected {expected}"
            );
        }
    }

    #[test]
    fn tables_agree_whatever_their_length_and_rise_with_the_score() {
        let (short, long) = (MatchEquityTable::new(9), MatchEquityTable::new(MOST_POINTS));
        for own in 1..=MOST_POINTS {
            for other in 1..=MOST_POINTS {
                let chance = long.chance(own, other);
                assert!((0.0..=1.0).contains(&chance) && (chance + long.chance(other, own) - 1.0).abs() < 1e-12);
                if own <= 9 && other <= 9 {
                    assert!((chance - short.chance(own, other)).abs() < 1e-12);
                }
                assert!(own < 2 || long.chance(own - 1, other) > chance, "{own}-away {other}-away");
            }
        }
        // By hand: ½ (0.72 · ½ + 0.28) in the Crawford game with two points to go.
        assert!((short.chance(2, 1) - 0.32).abs() < 1e-12);
        assert!((short.post_crawford(3) - 0.5 * (0.72 * 0.5 + 0.28)).abs() < 1e-12);
    }
}
