//! [`MatchId`]: GNU Backgammon's match ID, what a position ID leaves out: cube, score, and whose turn it is with which dice.

use super::Dice;
use super::cube::{Cube, MatchScore, Situation, Terms};
use super::ids::{decode, encode};
use super::xgid::checked;
use crate::{NotationError, Side};
use std::fmt;
use std::str::FromStr;

/// How far a game is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GameState {
    /// None has begun.
    None,
    /// It is being played.
    #[default]
    Playing,
    /// It was played to its end.
    Over,
    /// Somebody resigned.
    Resigned,
    /// Somebody dropped a double.
    Dropped,
}

const STATES: [GameState; 5] =
    [GameState::None, GameState::Playing, GameState::Over, GameState::Resigned, GameState::Dropped];

/// What a match ID says. Players are 0 and 1.
///
/// ```
/// use afterstate_games::backgammon::match_id::MatchId;
/// let id: MatchId = "QYkqASAAIAAA".parse()?;
/// assert_eq!((id.length, id.score, id.cube, id.cube_owner), (9, [2, 4], 2, Some(0)));
/// assert_eq!((id.on_roll, id.dice.map(|dice| dice.numbers())), (1, Some((5, 2))));
/// assert_eq!(id.to_string(), "QYkqASAAIAAA");
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchId {
    /// The cube's value: 1, 2, 4, … 32768.
    pub cube: u32,
    /// Who owns it; nobody while it is in the middle.
    pub cube_owner: Option<usize>,
    /// Who rolls, or has rolled.
    pub on_roll: usize,
    /// Whether it is the Crawford game, without the cube.
    pub crawford: bool,
    /// How far the game is.
    pub state: GameState,
    /// Who has to decide something: not who is on roll when a double was offered.
    pub to_decide: usize,
    /// Whether a double was offered.
    pub doubled: bool,
    /// What was offered by who resigns: 0 nothing, 1 a plain game, 2 a gammon, 3 a backgammon.
    pub resigns: u8,
    /// The dice, if they have been thrown.
    pub dice: Option<Dice>,
    /// Points that win the match; 0 for money play.
    pub length: u32,
    /// Points of both players.
    pub score: [u32; 2],
    /// Whether gammons count only once the cube was turned, in money play.
    pub jacoby: bool,
}

/// Numbers of so many bits, the lowest first.
struct Bits(u128);

impl Bits {
    fn take(&mut self, count: u32) -> u32 {
        let number = self.0 & ((1 << count) - 1);
        self.0 >>= count;
        number as u32
    }
}

impl FromStr for MatchId {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<MatchId, NotationError> {
        let error = |expected: &str| NotationError::new("match ID", text, expected);
        let bytes: [u8; 9] = decode(text).ok_or_else(|| error("12 letters, digits, + and /, such as QYkqASAAIAAA"))?;
        let mut bits = Bits(bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u128::from(byte)));
        let cube = 1 << bits.take(4);
        let cube_owner = match bits.take(2) {
            3 => None,
            owner @ (0 | 1) => Some(owner as usize),
            _ => return Err(error("the cube with player 0, player 1 or nobody")),
        };
        let on_roll = bits.take(1) as usize;
        let crawford = bits.take(1) == 1;
        let state = *STATES.get(bits.take(3) as usize).ok_or_else(|| error("a state of the game from 0 to 4"))?;
        let to_decide = bits.take(1) as usize;
        let doubled = bits.take(1) == 1;
        let resigns = bits.take(2) as u8;
        let dice = match (bits.take(3) as u8, bits.take(3) as u8) {
            (0, 0) => None,
            (one, other) => Some(Dice::new(one, other).ok_or_else(|| error("two dice from 1 to 6, or none"))?),
        };
        let (length, score) = (bits.take(15), [bits.take(15), bits.take(15)]);
        let jacoby = bits.take(1) == 0;
        if bits.0 != 0 {
            return Err(error("nothing behind the score"));
        }
        let id = MatchId {
            cube,
            cube_owner,
            on_roll,
            crawford,
            state,
            to_decide,
            doubled,
            resigns,
            dice,
            length,
            score,
            jacoby,
        };
        Ok(id)
    }
}

impl MatchId {
    /// The cube, before a double that was offered, and what is played for, if player number `first` is the first side. It says
    /// nothing of beavers, and so there are none.
    ///
    /// # Errors
    ///
    /// A score at which the match is over, or a Crawford game at another score than one.
    ///
    /// ```
    /// use afterstate_games::Side;
    /// use afterstate_games::backgammon::match_id::MatchId;
    /// let id: MatchId = "QYkqASAAIAAA".parse()?;
    /// let situation = id.situation(id.on_roll)?;
    /// assert_eq!((situation.cube.value, situation.cube.owner), (2, Some(Side::Second)));
    /// # Ok::<(), afterstate_games::NotationError>(())
    /// ```
    pub fn situation(&self, first: usize) -> Result<Situation, NotationError> {
        let side = |player: usize| if player == first { Side::First } else { Side::Second };
        let cube = Cube { value: self.cube, owner: self.cube_owner.map(side) };
        let points = [self.score[first & 1], self.score[1 - (first & 1)]];
        let score = MatchScore { length: self.length, points, crawford: self.crawford };
        let terms = match self.length {
            0 => Terms::Money { jacoby: self.jacoby, beavers: false },
            _ => {
                let error = |expected| NotationError::new("match ID", &self.to_string(), expected);
                Terms::Match(checked(score).map_err(error)?)
            }
        };
        Ok(Situation { cube, terms })
    }
}

impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = STATES.iter().position(|&state| state == self.state).unwrap_or(0);
        let owner = self.cube_owner.map_or(3, |owner| owner as u32);
        let dice = self.dice.map_or([0; 2], |dice| [dice.one, dice.other]);
        let numbers = [
            (self.cube.max(1).ilog2(), 4),
            (owner, 2),
            (self.on_roll as u32, 1),
            (self.crawford.into(), 1),
            (state as u32, 3),
            (self.to_decide as u32, 1),
            (self.doubled.into(), 1),
            (self.resigns.into(), 2),
            (dice[0].into(), 3),
            (dice[1].into(), 3),
            (self.length, 15),
            (self.score[0], 15),
            (self.score[1], 15),
            ((!self.jacoby).into(), 1),
        ];
        let (mut bits, mut at) = (0u128, 0);
        for (number, count) in numbers {
            bits |= u128::from(number & ((1 << count) - 1)) << at;
            at += count;
        }
        f.write_str(&encode(&bits.to_le_bytes()[..9]))
    }
}
