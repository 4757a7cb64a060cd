//! [`Xgid`]: what eXtreme Gammon's line says of the cube and the match, besides the position ([`read_xgid`]).
//!
//! ```text
//! XGID=-b----E-C---eE---c-e----B-:1:-1:1:00:2:3:0:7:10
//!      bar and points             |  | | |  | | | | limit of the cube, as a power of two
//!                     power of two of the cube  | | length of the match, 0 for money
//!                                 owner: X 1, O -1, nobody 0
//!                                      who is to move   match: 1 in the Crawford game; money: 1 Jacoby, 2 beavers, 3 both
//!                                        dice; 00: to roll or double; D: has doubled, and the other decides
//!                                           points of X and of O
//! ```

use super::Backgammon;
use super::cube::{Cube, LONGEST_MATCH, MOST_CUBE, MatchScore, Situation, Terms};
use super::ids::{read_xgid, write_xgid};
use crate::{NotationError, Side};
use std::fmt;
use std::str::FromStr;

/// A position with the cube and what is played for. X is the first player.
///
/// ```
/// use afterstate_games::Side;
/// use afterstate_games::backgammon::cube::Terms;
/// use afterstate_games::backgammon::xgid::Xgid;
/// let text = "XGID=-b----E-C---eE---c-e----B-:1:-1:-1:00:2:3:0:7:10";
/// let xgid: Xgid = text.parse()?;
/// assert_eq!((xgid.situation.cube.value, xgid.situation.cube.owner), (2, Some(Side::Second)));
/// let Terms::Match(score) = xgid.situation.terms else { panic!("a match to 7") };
/// assert_eq!((score.away(Side::First), score.away(Side::Second)), (5, 4));
/// assert_eq!(xgid.to_string(), text);
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Xgid {
    /// The position. After a double it is the doubling side's turn to roll, if the other takes.
    pub game: Backgammon,
    /// The cube, before a double that was offered, and the terms.
    pub situation: Situation,
    /// Whether the side to move has doubled.
    pub doubled: bool,
}

impl FromStr for Xgid {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Xgid, NotationError> {
        let error = |expected: &str| NotationError::new("position", text, expected);
        let game = read_xgid(text)?;
        let trimmed = text.trim();
        let fields: Vec<&str> = trimmed.strip_prefix("XGID=").unwrap_or(trimmed).split(':').collect();
        // Programs leave out what they don't need at the end: money play then.
        let field = |index: usize| fields.get(index).copied().unwrap_or("0");
        let number = |index: usize, most: u32, expected: &str| {
            field(index).parse().ok().filter(|&number: &u32| number <= most).ok_or_else(|| error(expected))
        };
        let value = 1 << number(1, MOST_CUBE.ilog2(), "the cube as a power of two, 0 to 15")?;
        let owner = match field(2) {
            "0" => None,
            "1" => Some(Side::First),
            "-1" => Some(Side::Second),
            _ => return Err(error("1, -1 or 0 for the cube's owner")),
        };
        let points = [5, 6].map(|index| number(index, LONGEST_MATCH, "points as whole numbers"));
        let [first, second] = points;
        let points = [first?, second?];
        let rules = number(7, 3, "0 to 3 for the rules: Crawford game, or Jacoby rule and beavers")?;
        let length = number(8, LONGEST_MATCH, "the length of the match, 0 for money play")?;
        let terms = match length {
            0 => Terms::Money { jacoby: rules & 1 == 1, beavers: rules & 2 == 2 },
            _ => Terms::Match(checked(MatchScore { length, points, crawford: rules == 1 }).map_err(error)?),
        };
        Ok(Xgid { game, situation: Situation { cube: Cube { value, owner }, terms }, doubled: field(4) == "D" })
    }
}

/// A score that can be: nobody has won yet, and there is a reason for a Crawford game.
pub(super) fn checked(score: MatchScore) -> Result<MatchScore, &'static str> {
    let away = [Side::First, Side::Second].map(|side| score.away(side));
    if away.contains(&0) {
        return Err("a score at which nobody has won the match");
    }
    if score.crawford && !away.contains(&1) {
        return Err("a Crawford game only where a side needs one point");
    }
    // A match to one point has no use for a cube.
    Ok(MatchScore { crawford: score.crawford || away == [1, 1] && score.length == 1, ..score })
}

impl fmt::Display for Xgid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bare = write_xgid(&self.game);
        let fields: Vec<&str> = bare.split(':').collect();
        let Cube { value, owner } = self.situation.cube;
        let owner = owner.map_or("0", |side| if side == Side::First { "1" } else { "-1" });
        let dice = if self.doubled { "D" } else { fields[4] };
        let (points, rules, length) = match self.situation.terms {
            Terms::Money { jacoby, beavers } => ([0, 0], u32::from(jacoby) + 2 * u32::from(beavers), 0),
            Terms::Match(score) => (score.points, u32::from(score.crawford), score.length),
        };
        let [first, second] = points;
        let power = value.max(1).ilog2();
        write!(f, "{}:{power}:{owner}:{}:{dice}:{first}:{second}:{rules}:{length}:10", fields[0], fields[3])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const START: &str = "XGID=-b----E-C---eE---c-e----B-";

    #[test]
    fn what_can_not_be_is_told_in_a_line() {
        for (rest, part) in [
            (":16:0:1:00:0:0:0:0:10", "power of two"),
            (":x:0:1:00:0:0:0:0:10", "power of two"),
            (":0:2:1:00:0:0:0:0:10", "cube's owner"),
            (":0:0:1:00:-1:0:0:7:10", "points as whole numbers"),
            (":0:0:1:00:0:7:0:7:10", "nobody has won"),
            (":0:0:1:00:2:2:1:7:10", "Crawford"),
            (":0:0:1:00:0:0:4:7:10", "0 to 3 for the rules"),
            (":0:0:1:00:0:0:0:99999999999:10", "length of the match"),
            (":0:0:1:E:0:0:0:0:10", "dice"),
        ] {
            let message = format!("{START}{rest}").parse::<Xgid>().unwrap_err().to_string();
            assert!(message.contains(part) && !message.contains('\n'), "{rest}: {message}");
        }
        let short: Xgid = format!("{START}:0:0:1:31").parse().unwrap();
        assert_eq!(short.situation, Situation::default());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            power in 0u32..10, owner in 0usize..3, length in 0u32..30, points in [0u32..30, 0u32..30], rules in 0u32..4,
            doubled: bool, turn: bool,
        ) {
            let terms = match length {
                0 => Terms::Money { jacoby: rules & 1 == 1, beavers: rules & 2 == 2 },
                _ => {
                    let points = points.map(|points| points % length);
                    let one_away = points.contains(&(length - 1));
                    let crawford = one_away && (rules & 1 == 1 || length == 1);
                    Terms::Match(MatchScore { length, points, crawford })
                }
            };
            let owner = [None, Some(Side::First), Some(Side::Second)][owner];
            let side = if turn { Side::First } else { Side::Second };
            let game = Backgammon::at(crate::backgammon::Board::start(), side, None);
            let xgid = Xgid { game, situation: Situation { cube: Cube { value: 1 << power, owner }, terms }, doubled };
            prop_assert_eq!(xgid.to_string().parse::<Xgid>(), Ok(xgid));
        }
    }
}
