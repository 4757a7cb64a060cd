//! Positions on one line, as programs exchange them: GNU Backgammon's position ID, and XGID.
//!
//! ```text
//! position ID   4HPwATDgc/ABMA                                         80 bits in base 64: for each place of the side that is not
//!                                                                      to move and then of the other, so many ones and a zero
//! XGID          -b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10         the bar of O, the points as X counts, the bar of X; the
//!                                                                      cube and its owner; who is to move (1: X, -1: O); the dice
//!                                                                      (00: to be rolled); score, rules, length and limit of a match
//! ```

use super::{BAR, Backgammon, Board, Dice, MEN, POINTS, Phase};
use crate::{NotationError, Side};
use std::fmt;
use std::str::FromStr;

/// GNU Backgammon's position ID: where all men are, as the side to move sees them. It does not say who that is.
///
/// ```
/// use afterstate_games::Side;
/// use afterstate_games::backgammon::{Board, ids::PositionId};
/// let id = PositionId::of(&Board::start(), Side::First);
/// assert_eq!(id.to_string(), "4HPwATDgc/ABMA");
/// assert_eq!("4HPwATDgc/ABMA".parse::<PositionId>()?.board(Side::Second).unwrap(), Board::start());
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PositionId([u8; 10]);

/// The digits of base 64, in order.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl PositionId {
    /// The ID of a position with `side` to move.
    pub fn of(board: &Board, side: Side) -> PositionId {
        let (mut bytes, mut bit) = ([0; 10], 0);
        for owner in [side.other(), side] {
            for place in 0..=BAR {
                for _ in 0..board.men(owner, place) {
                    bytes[bit / 8] |= 1 << (bit % 8);
                    bit += 1;
                }
                bit += 1;
            }
        }
        PositionId(bytes)
    }

    /// The board if `side` is to move; `None` if it stands for no position.
    pub fn board(&self, side: Side) -> Option<Board> {
        let mut bits = (0..80).map(|bit| self.0[bit / 8] >> (bit % 8) & 1 == 1);
        let mut men = [[0u8; 25]; 2];
        for owner in [side.other(), side] {
            for count in &mut men[owner.index()] {
                while bits.next()? {
                    *count += 1;
                    if *count > MEN {
                        return None;
                    }
                }
            }
        }
        // Behind the last place there is nothing.
        if bits.any(|bit| bit) { None } else { Board::from_men(men) }
    }
}

impl fmt::Display for PositionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&encode(&self.0))
    }
}

impl FromStr for PositionId {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<PositionId, NotationError> {
        let error = || NotationError::new("position ID", text, "14 letters, digits, + and /, such as 4HPwATDgc/ABMA");
        let id = PositionId(decode(text.trim_end_matches('=')).ok_or_else(error)?);
        if id.board(Side::First).is_none() {
            return Err(NotationError::new(
                "position ID",
                text,
                "at most fifteen men of each side on points of their own",
            ));
        }
        Ok(id)
    }
}

/// Bytes in base 64, without `=` behind them.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let byte = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        text.extend((0..=three.len()).map(|digit| char::from(DIGITS[(bits >> (18 - 6 * digit)) as usize & 63])));
    }
    text
}

/// So many bytes; `None` if the text is of another length, or has other letters, or says more than they can hold.
pub(super) fn decode<const BYTES: usize>(text: &str) -> Option<[u8; BYTES]> {
    if text.len() != (8 * BYTES).div_ceil(6) {
        return None;
    }
    let (mut bytes, mut bits, mut filled, mut at) = ([0u8; BYTES], 0u32, 0, 0);
    for letter in text.bytes() {
        let digit = DIGITS.iter().position(|&digit| digit == letter)?;
        bits = bits << 6 | digit as u32;
        filled += 6;
        if filled >= 8 {
            filled -= 8;
            bytes[at] = (bits >> filled) as u8;
            at += 1;
            bits &= (1 << filled) - 1;
        }
    }
    (bits == 0).then_some(bytes)
}

/// The position as XGID. The cube is in the middle and there is no match; before the opening roll nobody is to move, for which
/// XGID has no sign: 0 stands there.
pub fn write_xgid(game: &Backgammon) -> String {
    let board = game.board();
    let letter = |base: u8, men: u8| if men == 0 { '-' } else { char::from(base + men - 1) };
    let mut text = String::from("XGID=");
    text.push(letter(b'a', board.men(Side::Second, BAR)));
    for place in 0..POINTS {
        let (own, other) = (board.men(Side::First, place), board.men(Side::Second, POINTS - 1 - place));
        text.push(if own > 0 { letter(b'A', own) } else { letter(b'a', other) });
    }
    text.push(letter(b'A', board.men(Side::First, BAR)));
    let turn = |side: Side| if side == Side::First { "1" } else { "-1" };
    let (turn, dice) = match game.phase() {
        Phase::Opening => ("0", "00".to_string()),
        Phase::ToRoll(side) => (turn(side), "00".to_string()),
        Phase::ToPlay(side, dice) => (turn(side), format!("{}{}", dice.one, dice.other)),
        Phase::Over(_) => ("1", "00".to_string()),
    };
    text + &format!(":0:0:{turn}:{dice}:0:0:0:0:10")
}

/// Reads the position of an XGID, with or without `XGID=`. What it says of the cube and of a match is left to
/// [`Xgid`](super::xgid::Xgid): the game has neither.
pub fn read_xgid(text: &str) -> Result<Backgammon, NotationError> {
    let error = |expected: &str| NotationError::new("position", text, expected);
    let trimmed = text.trim();
    let mut fields = trimmed.strip_prefix("XGID=").unwrap_or(trimmed).split(':');
    let men = fields.next().unwrap_or_default().as_bytes();
    if men.len() != POINTS + 2 {
        return Err(error("an XGID, which begins with 26 letters and '-' for the bar and points"));
    }
    let mut counts = [[0u8; 25]; 2];
    for (index, &letter) in men.iter().enumerate() {
        let (side, count) = match letter {
            b'-' => continue,
            b'A'..=b'O' => (Side::First, letter - b'A' + 1),
            b'a'..=b'o' => (Side::Second, letter - b'a' + 1),
            _ => return Err(error("letters from A to O, a to o, and '-' for bar and points")),
        };
        let place = match (index, side) {
            (0, Side::Second) | (25, Side::First) => BAR,
            (1..=24, Side::First) => index - 1,
            (1..=24, Side::Second) => POINTS - index,
            _ => return Err(error("capital letters on the last bar and small ones on the first")),
        };
        counts[side.index()][place] = count;
    }
    let board = Board::from_men(counts).ok_or_else(|| error("at most fifteen men of each side, and some at all"))?;
    let mut field =
        |name: &str| fields.next().ok_or_else(|| error(&format!("a whole XGID, with ':' and {name} behind it")));
    field("the cube")?;
    field("the cube's owner")?;
    let side = match field("whose turn it is")? {
        "1" => Side::First,
        "-1" => Side::Second,
        "0" if board == Board::start() => return Ok(Backgammon::new()),
        _ => return Err(error("1 or -1 for whose turn it is")),
    };
    let dice = match field("the dice")?.as_bytes() {
        b"00" | b"D" => None,
        [one @ b'1'..=b'6', other @ b'1'..=b'6'] => Dice::new(one - b'0', other - b'0'),
        _ => return Err(error("dice as two digits, 00 if they have not been rolled, D after a double")),
    };
    Ok(Backgammon::at(board, side, dice))
}
