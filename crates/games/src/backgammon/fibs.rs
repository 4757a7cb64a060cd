//! FIBS boards: one line that says everything of a position, as the First Internet Backgammon Server sends it and GNU
//! Backgammon's socket takes it.
//!
//! ```text
//! board:You:Opponent:5:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:3:1:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0
//!       names        length  26 places: the bars first and last          whose turn  |     |     |direction  off and bar
//!                      scores   above 0 one side's, below 0 the other's      four dice     the sign of your own men
//! ```

use super::{BAR, Backgammon, Board, Dice, POINTS, Phase};
use crate::{NotationError, Side};

/// Fields before the places: the word `board`, names, the length of the match and the score.
const HEAD: usize = 6;
/// Places: 24 points and two bars.
const PLACES: usize = 26;
/// Fields of a whole line. Servers may add one for resignations.
const FIELDS: usize = 53;

/// The position as a line, seen by the side that acts next, whose men count upwards and move towards the first place. Names
/// are what FIBS itself would call both: `You` and the other's name, in which there must be no `:`.
///
/// ```
/// use afterstate_games::backgammon::{Backgammon, Board, Dice, fibs};
/// use afterstate_games::Side;
/// let game = Backgammon::at(Board::start(), Side::First, Dice::new(3, 1));
/// let line = fibs::write(&game, "Opponent");
/// assert!(line.starts_with("board:You:Opponent:0:0:0:0:-2:0:0:0:0:5:"));
/// assert_eq!(fibs::read(&line).unwrap(), game);
/// ```
pub fn write(game: &Backgammon, opponent: &str) -> String {
    let (side, dice) = match game.phase() {
        Phase::ToPlay(side, dice) => (side, dice.numbers()),
        Phase::ToRoll(side) => (side, (0, 0)),
        Phase::Opening | Phase::Over(_) => (Side::First, (0, 0)),
    };
    let (board, other) = (game.board(), side.other());
    let mut places = [0i32; PLACES];
    for place in 0..POINTS {
        let (own, others) = (board.men(side, place), board.men(other, POINTS - 1 - place));
        places[place + 1] = i32::from(own) - i32::from(others);
    }
    places[PLACES - 1] = i32::from(board.men(side, BAR));
    places[0] = -i32::from(board.men(other, BAR));
    let places = places.map(|men| men.to_string()).join(":");
    let (one, another) = dice;
    let turn = u8::from(game.phase() != Phase::Opening);
    let (off, others_off) = (board.off(side), board.off(other));
    let (bar, others_bar) = (board.men(side, BAR), board.men(other, BAR));
    format!(
        "board:You:{opponent}:0:0:0:{places}:{turn}:{one}:{another}:0:0:1:1:1:0:1:-1:0:25:{off}:{others_off}:{bar}:{others_bar}:0:0:0:0"
    )
}

/// Reads a line. The side whose men move towards the lower places is the first one. What is said of match and cube is not looked
/// at, since the game has neither.
pub fn read(text: &str) -> Result<Backgammon, NotationError> {
    let error = |expected: &str| NotationError::new("FIBS board", text, expected);
    let fields: Vec<&str> = text.trim().split(':').collect();
    if fields.len() < FIELDS - 1 || fields.len() > FIELDS || fields[0] != "board" {
        return Err(error("'board' and 52 fields behind it, each after a ':'"));
    }
    let number = |index: usize| -> Result<i32, NotationError> {
        let read = fields[index].parse().ok().filter(|number: &i32| number.unsigned_abs() < 1 << 30);
        read.ok_or_else(|| error(&format!("a whole number as field {}", index + 1)))
    };
    let sign = |index: usize| match number(index)? {
        sign @ (-1 | 1) => Ok(sign),
        _ => Err(error(&format!("1 or -1 as field {}", index + 1))),
    };
    let (color, direction) = (sign(HEAD + PLACES + 9)?, sign(HEAD + PLACES + 10)?);
    // The sign of the men that move down.
    let down = -color * direction;
    let mut men = [[0u8; 25]; 2];
    for index in 0..PLACES {
        let there = number(HEAD + index)?;
        let side = if there * down > 0 { Side::First } else { Side::Second };
        let place = match (index, side) {
            (25, Side::First) | (0, Side::Second) => BAR,
            (0, Side::First) | (25, Side::Second) if there != 0 => {
                return Err(error("each side's bar behind its far end"));
            }
            (1..=24, Side::First) => index - 1,
            (1..=24, Side::Second) => POINTS - index,
            _ => continue,
        };
        men[side.index()][place] = u8::try_from(there.unsigned_abs()).unwrap_or(u8::MAX);
    }
    let board = Board::from_men(men).ok_or_else(|| error("at most fifteen men of each side, and some at all"))?;
    let turn = number(HEAD + PLACES)?;
    let side = match turn * down {
        1 => Side::First,
        -1 => Side::Second,
        _ if board == Board::start() => return Ok(Backgammon::new()),
        _ => return Err(error("1 or -1 for whose turn it is")),
    };
    // Your own dice come first, then the other's; those of whose turn it isn't are 0.
    let first = HEAD + PLACES + if turn == color { 1 } else { 3 };
    let dice = match (number(first)?, number(first + 1)?) {
        (0, 0) => None,
        (one @ 1..=6, other @ 1..=6) => Dice::new(one as u8, other as u8),
        _ => return Err(error("dice from 1 to 6, or 0 and 0 before the throw")),
    };
    Ok(Backgammon::at(board, side, dice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::below;
    use crate::{Game, Turn, stream};

    #[test]
    fn positions_of_random_games_come_back() {
        let (mut rng, mut moves) = (stream(11, 0), Vec::new());
        for _ in 0..20 {
            let mut game = Backgammon::new();
            loop {
                let read = read(&write(&game, "x")).unwrap();
                // The line is written as the side that acts sees it, and that side is the first when it is read.
                match game.phase() {
                    Phase::ToPlay(Side::Second, _) | Phase::ToRoll(Side::Second) => {
                        for place in 0..=BAR {
                            assert_eq!(read.board().men(Side::First, place), game.board().men(Side::Second, place));
                            assert_eq!(read.board().men(Side::Second, place), game.board().men(Side::First, place));
                        }
                    }
                    Phase::Over(_) => {}
                    _ => assert_eq!(read, game),
                }
                match game.turn() {
                    Turn::Over(_) => break,
                    Turn::Chance => game.play(game.roll(&mut rng)),
                    Turn::Player(_) => {
                        game.legal_moves(&mut moves);
                        game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
                    }
                }
            }
        }
    }

    #[test]
    fn a_line_of_a_server_is_read() {
        // From FIBS' own description of the format, where O moves up.
        let text = "board:You:someplayer:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:0:0:6:2:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0";
        let game = read(text).unwrap();
        assert_eq!(game, Backgammon::at(Board::start(), Side::Second, Dice::new(6, 2)));
    }

    #[test]
    fn mutated_lines_do_no_harm() {
        let line = write(&Backgammon::at(Board::start(), Side::First, Dice::new(6, 5)), "x");
        let mut rng = stream(12, 0);
        for _ in 0..50_000 {
            let mut bytes = line.clone().into_bytes();
            for _ in 0..1 + below(&mut rng, 4) {
                let (at, with) = (below(&mut rng, bytes.len() as u32) as usize, below(&mut rng, 20));
                match below(&mut rng, 3) {
                    0 => bytes[at] = b":-0123456789board 99"[with as usize],
                    1 => bytes.truncate(at.max(1)),
                    _ => bytes.insert(at, b":-0123456789board 99"[with as usize]),
                }
            }
            let text = String::from_utf8(bytes).unwrap();
            match read(&text) {
                Ok(game) => assert!(matches!(game.turn(), Turn::Over(_) | Turn::Chance | Turn::Player(_))),
                Err(error) => assert!(!error.to_string().contains('\n')),
            }
        }
    }
}
