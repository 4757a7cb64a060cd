//! Games from files, and back as text.

use super::command::{Refusal, parse_argument, quote, refuse};
use super::history::History;
use super::session::{Answer, Call, Session};
use afterstate_games::go::sgf::{GameRecordFile, LONGEST_TEXT, result_of};
use afterstate_games::go::{Go, Move};
use afterstate_games::{Side, Turn};
use std::fs::File;
use std::io::Read;

/// `loadsgf FILE [MOVE_NUMBER]`: the game up to the move before that number, or all of it.
///
/// File names with blanks are not in the specification, but controllers send them.
pub(super) fn loadsgf(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    let number = call.args.last().filter(|last| call.args.len() > 1 && last.bytes().all(|byte| byte.is_ascii_digit()));
    let limit = match number {
        None => usize::MAX,
        Some(number) => match parse_argument("MOVE_NUMBER", number, "a whole number from 1")? {
            0 => return refuse("syntax error: MOVE_NUMBER '0': expected a whole number from 1"),
            number => number,
        },
    };
    let path = call.args[..call.args.len() - usize::from(number.is_some())].join(" ");
    let file = match read_file(&path).and_then(|bytes| GameRecordFile::read_bytes(&bytes).map_err(|e| e.to_string())) {
        Ok(file) => file,
        Err(reason) => return refuse(format!("cannot load file '{}': {reason}", quote(&path))),
    };
    if !session.sizes.contains(&file.start.size()) {
        return refuse(format!(
            "cannot load file '{}': board size {}: expected {} to {}",
            quote(&path),
            file.start.size(),
            session.sizes.start(),
            session.sizes.end()
        ));
    }
    let mut side = file.start.to_move();
    let mut history = History::new(file.start);
    for (index, (&mv, &number)) in file.moves.iter().zip(&file.move_numbers).enumerate() {
        if number >= limit {
            break;
        }
        if !file.added_passes.contains(&index) && history.follow(side, mv).is_err() {
            return refuse(format!("cannot load file '{}': move {} is illegal", quote(&path), index + 1));
        }
        side = side.other();
    }
    session.clocks.restart();
    session.history = history;
    session.changed();
    Answer::done()
}

/// The whole of a regular file of bounded length: a device or a pipe might never end.
fn read_file(path: &str) -> Result<Vec<u8>, String> {
    let metadata = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is no regular file".to_owned());
    }
    if metadata.len() > LONGEST_TEXT as u64 {
        return Err(format!("{} bytes: expected at most {LONGEST_TEXT}", metadata.len()));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    // A file that grows meanwhile is cut, and then refused by the reader.
    file.take(LONGEST_TEXT as u64 + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// The game as an SGF text.
pub(super) fn printsgf(session: &mut Session, _: Call<'_>) -> Result<Answer, Refusal> {
    let (start, moves) = alternating(session.history.start(), session.history.plies());
    let mut file = GameRecordFile::new(start);
    file.moves = moves;
    if matches!(session.record().turn(), Turn::Over(_)) {
        file.result = result_of(session.counted());
    }
    Answer::text(file.write())
}

/// The moves with sides in turn: the side that was left out passes. A pass out of turn changes nothing, and is left out.
///
/// Two passes end a game in a file, though not over GTP. Where play goes on after them, as many are left
/// out as the turn allows.
fn alternating(start: &Go, plies: &[(Side, Move)]) -> (Go, Vec<Move>) {
    let first = plies.first().map_or(start.to_move(), |&(side, _)| side);
    let start = if first == start.to_move() { start.clone() } else { start.clone().with_turn(first) };
    let (mut moves, mut turn) = (Vec::new(), first);
    for &(side, mv) in plies {
        if side != turn {
            if mv.is_pass() {
                continue;
            }
            moves.push(Move::PASS);
        }
        let passes = moves.iter().rev().take_while(|mv| mv.is_pass()).count();
        if passes >= 2 && !mv.is_pass() {
            moves.truncate(moves.len() - passes + passes % 2);
        }
        moves.push(mv);
        turn = side.other();
    }
    (start, moves)
}
