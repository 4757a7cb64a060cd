//! Games that are stopped because both players agree on how they will end: [`Adjudication`].

use crate::game_loop::MoveNote;
use afterstate_engine::value::centipawns::centipawns;
use afterstate_games::{NotationError, Outcome, Side};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// When a game is decided before its end, by what the players say about it themselves. By default never.
///
/// Scores are in centipawns (see [`afterstate_engine::value::centipawns`]). A move about which its player says nothing, as moves from a book and
/// of random players, is no agreement.
///
/// ```
/// use afterstate_arena::adjudication::{Adjudication, DrawRule};
/// let rule: DrawRule = "after=30,moves=5".parse().unwrap();
/// assert_eq!(rule, DrawRule { after: 30, moves: 5, score: 10 });
/// assert_eq!(Adjudication::default(), Adjudication { draw: None, win: None });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Adjudication {
    /// When it is a draw.
    pub draw: Option<DrawRule>,
    /// When it is won.
    pub win: Option<WinRule>,
}

/// Both players see nothing in it any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct DrawRule {
    /// Not before each side has made so many moves, those of the opening included.
    pub after: u32,
    /// For so many moves of each side, one after the other; at least 1.
    pub moves: u32,
    /// No score was further from 0, in centipawns.
    pub score: u32,
}

impl Default for DrawRule {
    fn default() -> Self {
        DrawRule { after: 40, moves: 8, score: 10 }
    }
}

/// Both players see the same one winning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct WinRule {
    /// For so many moves of each side, one after the other; at least 1.
    pub moves: u32,
    /// Every score was at least so good for it, in centipawns.
    pub score: u32,
}

impl Default for WinRule {
    fn default() -> Self {
        WinRule { moves: 4, score: 600 }
    }
}

impl Adjudication {
    /// Whether the rules can be kept, and if not, why.
    pub fn check(&self) -> Result<(), String> {
        let no_moves = self.draw.is_some_and(|rule| rule.moves == 0) || self.win.is_some_and(|rule| rule.moves == 0);
        if no_moves {
            return Err("moves: expected at least 1".into());
        }
        match self.win {
            Some(WinRule { score: 0, .. }) => Err("win: score: expected at least 1".into()),
            _ => Ok(()),
        }
    }

    /// How the game ends after `played` moves, and in which words; `None` if it goes on. `notes`: what was said about the last
    /// of them.
    pub(crate) fn decide(&self, notes: &[Option<MoveNote>], played: usize) -> Option<(Outcome, String)> {
        if let Some(DrawRule { after, moves, score }) = self.draw
            && played >= 2 * after as usize
            && all_of_last(notes, moves, |seen| seen.abs() <= score as f32)
        {
            return Some((Outcome::DRAW, format!("both saw at most {score} centipawns for {moves} moves")));
        }
        let WinRule { moves, score } = self.win?;
        let won = |winner: Side| {
            let sign = if winner == Side::First { 1.0 } else { -1.0 };
            all_of_last(notes, moves, |seen| sign * seen >= score as f32)
        };
        let winner = [Side::First, Side::Second].into_iter().find(|&side| won(side))?;
        Some((Outcome::win(winner), format!("both saw at least {score} centipawns for it for {moves} moves")))
    }
}

/// Whether the scores of the last `moves` moves of both sides are all like that; scores are the first player's.
fn all_of_last(notes: &[Option<MoveNote>], moves: u32, like: impl Fn(f32) -> bool) -> bool {
    let Some(begin) = notes.len().checked_sub(2 * moves as usize) else { return false };
    notes[begin..].iter().all(|note| {
        let value = note.as_ref().and_then(|note| note.value);
        // Whole hundredths, as programs say them: chances are rounded, and not alike for both sides.
        value.is_some_and(|value| like(centipawns(value.seen_by(Side::First)).round()))
    })
}

/// `key=number,…`; what is not named stays as it is.
fn read(text: &str, set: &mut dyn FnMut(&str, u32) -> bool, keys: &str) -> Result<(), NotationError> {
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let known = part.split_once('=').and_then(|(key, value)| Some(set(key.trim(), value.trim().parse().ok()?)));
        if known != Some(true) {
            return Err(NotationError::new("rule", part, format!("{keys}, each with = and a whole number")));
        }
    }
    Ok(())
}

impl FromStr for DrawRule {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let mut rule = DrawRule::default();
        let DrawRule { after, moves, score } = &mut rule;
        let mut set = |key: &str, value| {
            let place = match key {
                "after" => &mut *after,
                "moves" => &mut *moves,
                "score" => &mut *score,
                _ => return false,
            };
            *place = value;
            true
        };
        read(text, &mut set, "after, moves or score")?;
        Ok(rule)
    }
}

impl FromStr for WinRule {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let mut rule = WinRule::default();
        let WinRule { moves, score } = &mut rule;
        let mut set = |key: &str, value| {
            let place = match key {
                "moves" => &mut *moves,
                "score" => &mut *score,
                _ => return false,
            };
            *place = value;
            true
        };
        read(text, &mut set, "moves or score")?;
        Ok(rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_engine::Value;
    use afterstate_engine::value::centipawns::winning_chance;

    /// Notes with these scores as White sees them; `None` says nothing.
    fn notes(scores: &[Option<f32>]) -> Vec<Option<MoveNote>> {
        let value = |score: &Option<f32>| score.map(|score| Value(winning_chance(score)));
        let note = |score| MoveNote { seconds: 0.0, value: value(score), effort: 0, depth: None, plies_to_end: None };
        scores.iter().map(|score| Some(note(score))).collect()
    }

    #[test]
    fn a_draw_needs_both_sides_long_enough_and_late_enough() {
        let rules = Adjudication { draw: Some(DrawRule { after: 5, moves: 2, score: 10 }), win: None };
        let quiet = [Some(80.0), Some(9.0), Some(-9.0), Some(0.0), Some(3.0)];
        assert_eq!(rules.decide(&notes(&quiet), 10).map(|(outcome, _)| outcome), Some(Outcome::DRAW));
        assert_eq!(rules.decide(&notes(&quiet), 9), None, "before both have made five moves");
        assert_eq!(rules.decide(&notes(&quiet[..4]), 10), None, "one of the last four was 80");
        assert_eq!(rules.decide(&notes(&quiet[2..]), 10), None, "only three moves were played");
        let silent = [Some(0.0), Some(0.0), None, Some(0.0)];
        assert_eq!(rules.decide(&notes(&silent), 10), None);
        assert_eq!(Adjudication::default().decide(&notes(&quiet), 100), None);
    }

    #[test]
    fn a_win_needs_both_sides_to_agree() {
        let rules = Adjudication { draw: None, win: Some(WinRule { moves: 2, score: 500 }) };
        let decided = |scores: [f32; 5]| rules.decide(&notes(&scores.map(Some)), 5).map(|(outcome, _)| outcome);
        assert_eq!(decided([0.0, 510.0, 600.0, 9e9, 550.0]), Some(Outcome::win(Side::First)));
        assert_eq!(decided([0.0, -510.0, -600.0, -9e9, -550.0]), Some(Outcome::win(Side::Second)));
        assert_eq!(decided([600.0, 490.0, 600.0, 600.0, 600.0]), None, "once it was less");
        assert_eq!(decided([0.0, 510.0, -600.0, 510.0, -600.0]), None, "each sees itself winning");
    }

    #[test]
    fn scores_of_exactly_the_threshold_count_whoever_tells_them() {
        for score in [1, 10, 400, 500, 1000] {
            for sign in [1.0, -1.0] {
                let of_white = sign * score as f32;
                // As the other side tells it.
                let of_black = Value(1.0 - winning_chance(-of_white));
                let mut told = notes(&[Some(of_white), Some(of_white)]);
                told[1].as_mut().unwrap().value = Some(of_black);
                let draw = Adjudication { draw: Some(DrawRule { after: 0, moves: 1, score }), win: None };
                assert_eq!(draw.decide(&told, 2).map(|(outcome, _)| outcome), Some(Outcome::DRAW), "{of_white}");
                let win = Adjudication { draw: None, win: Some(WinRule { moves: 1, score }) };
                let winner = if sign > 0.0 { Side::First } else { Side::Second };
                assert_eq!(win.decide(&told, 2).map(|(outcome, _)| outcome), Some(Outcome::win(winner)), "{of_white}");
            }
        }
    }

    #[test]
    fn rules_are_read_and_checked() {
        assert_eq!("".parse(), Ok(DrawRule::default()));
        assert_eq!("score=400, moves=3".parse(), Ok(WinRule { moves: 3, score: 400 }));
        for bad in ["after", "after=x", "after=-1", "moves=1.5", "depth=3"] {
            assert!(
                bad.parse::<DrawRule>().unwrap_err().to_string().contains("expected after, moves or score"),
                "{bad}"
            );
        }
        let check = |moves, score| Adjudication { draw: None, win: Some(WinRule { moves, score }) }.check();
        assert!(check(1, 1).is_ok() && check(0, 1).is_err() && check(1, 0).is_err());
    }
}
