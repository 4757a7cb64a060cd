//! `position`: a game as UCI writes it; and moves as searches need them.

use super::command::quote;
use afterstate_games::chess::Move;
use afterstate_games::{Chess, Game, Notation, Record, Turn};

/// The game that the words behind `position` tell of; `chess960` says that castling is written as the king taking its rook.
///
/// # Errors
///
/// What is wrong, and where.
pub(super) fn parse_position(words: &[&str], chess960: bool) -> Result<Record<Chess>, String> {
    let split = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
    let (place, moves) = (&words[..split], words.get(split + 1..).unwrap_or_default());
    let start = match place {
        ["startpos"] => Chess::new(),
        ["startpos", other, ..] => {
            return Err(format!("'{}' behind startpos: expected moves, or nothing", quote(other)));
        }
        ["fen", fields @ ..] => parse_fen(fields)?,
        [other, ..] => return Err(format!("'{}': expected startpos or fen", quote(other))),
        [] => return Err("expected startpos or fen behind it".into()),
    };
    let mut record = Record::new(if chess960 { start.as_chess960() } else { start });
    for (i, text) in moves.iter().enumerate() {
        match parse_move(record.position(), text) {
            // Players may go on where a rule calls it a draw that nobody claims.
            Some(mv) if record.position().board().is_legal(mv) => record.play(mv),
            _ => {
                let place = record.position().position_text();
                return Err(format!("move {} '{}': expected a legal move in {place}", i + 1, quote(text)));
            }
        }
    }
    Ok(record)
}

/// A FEN; missing counts are 0 and 1.
fn parse_fen(fields: &[&str]) -> Result<Chess, String> {
    let missing = match fields.len() {
        4 => " 0 1",
        5 => " 1",
        _ => "",
    };
    Chess::parse_position(&(fields.join(" ") + missing)).map_err(|error| error.to_string())
}

/// A move as UCI writes it. Capitals are forgiven, and castling may be written in either way.
pub(super) fn parse_move(position: &Chess, text: &str) -> Option<Move> {
    let text = text.to_ascii_lowercase();
    if !matches!(text.as_bytes(), [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8', ..]) {
        return None;
    }
    let mv = position.parse_move(&text).ok()?;
    if position.board().is_legal(mv) || !position.is_chess960() {
        return Some(mv);
    }
    // A GUI may write castling as in ordinary chess although it plays Chess960.
    let castling = match text.as_str() {
        "e1g1" | "e8g8" => "O-O",
        "e1c1" | "e8c8" => "O-O-O",
        _ => return Some(mv),
    };
    position.parse_move(castling).ok().filter(|castling| castling.from == mv.from).or(Some(mv))
}

/// All moves, in positions that a rule calls drawn too: whoever asks for a move wants one.
pub(super) fn playable_moves(position: &Chess) -> Vec<Move> {
    let mut moves = Vec::new();
    position.board().generate_moves(|of_a_piece| {
        moves.extend(of_a_piece);
        false
    });
    moves
}

/// The same game if it goes on; otherwise, where there still are moves, one that begins here and knows nothing of what made
/// it a draw. A search shall find the best move even so.
pub(super) fn playable(record: &Record<Chess>) -> Record<Chess> {
    if !matches!(record.turn(), Turn::Over(_)) {
        return record.clone();
    }
    let position = record.position();
    let text = position.position_text();
    let mut fields: Vec<&str> = text.split(' ').collect();
    // Without the clock of the fifty-move rule.
    if let Some(clock) = fields.get_mut(4) {
        *clock = "0";
    }
    let fresh = Chess::parse_position(&fields.join(" ")).unwrap_or_else(|_| position.clone());
    Record::new(if position.is_chess960() { fresh.as_chess960() } else { fresh })
}

/// The moves of a line as UCI writes them, up to the first that is illegal.
pub(super) fn line_text(position: &Chess, moves: &[Move]) -> String {
    let (mut position, mut text) = (position.clone(), String::new());
    for &mv in moves {
        if !position.board().is_legal(mv) {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text += &position.move_text(mv);
        position.play(mv);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, chess960: bool) -> Result<Record<Chess>, String> {
        parse_position(&text.split_whitespace().collect::<Vec<_>>(), chess960)
    }

    fn fen(text: &str, chess960: bool) -> String {
        parse(text, chess960).unwrap().position().position_text()
    }

    #[test]
    fn positions_are_read() {
        assert_eq!(fen("startpos", false), Chess::new().position_text());
        assert_eq!(parse("startpos moves", false).unwrap().moves().len(), 0);
        assert_eq!(
            fen("startpos moves e2e4 c7c5 G1F3", false),
            "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
        );
        let castled = "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1";
        assert_eq!(fen("fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - moves e1g1", false), castled);
        assert_eq!(fen("fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 moves e1h1", false), castled);
        assert_eq!(fen("fen 8/2P1k3/8/8/8/8/8/4K3 w - - 3 9 moves c7c8N", false), "2N5/4k3/8/8/8/8/8/4K3 b - - 0 9");
    }

    #[test]
    fn castling_of_chess960_may_be_written_either_way() {
        let place = "fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves";
        for (long, short) in [("e1a1", "e8h8"), ("e1c1", "e8g8")] {
            let game = parse(&format!("{place} {long} {short}"), true).unwrap();
            assert_eq!(game.position().position_text(), "r4rk1/8/8/8/8/8/8/2KR3R w - - 2 2");
            assert_eq!(line_text(game.start(), game.moves()), "e1a1 e8h8");
        }
        // A king's step and a rook's move stay what they are.
        assert_eq!(fen("fen 8/7k/8/8/8/8/8/4RK2 w - - 0 1 moves e1c1", true), "8/7k/8/8/8/8/8/2R2K2 b - - 1 1");
        assert!(parse("fen 4k3/8/8/8/8/8/8/4KR2 w F - 0 1 moves e1c1", true).is_err());
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, part) in [
            ("", "expected startpos or fen"),
            ("moves e2e4", "expected startpos or fen"),
            ("start", "'start': expected startpos or fen"),
            ("startpos e2e4 e7e5", "'e2e4' behind startpos: expected moves, or nothing"),
            ("fen", "a FEN of six fields"),
            ("fen 8/8/8/8/8/8/8/8 w - - 0 1", "a FEN of a position that can be played"),
            ("fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1 2", "a FEN of six fields"),
            ("startpos moves e2e4 e2e4", "move 2 'e2e4': expected a legal move in rnbqkbnr/"),
            ("startpos moves 0000", "move 1 '0000'"),
            ("startpos moves Nf3", "move 1 'Nf3'"),
            ("startpos moves e7e8q", "move 1 'e7e8q'"),
            ("startpos moves ♞♞♞♞", "move 1 '♞♞♞♞'"),
        ] {
            let error = parse(text, false).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn drawn_games_can_be_played_on() {
        let dance = "g1f3 g8f6 f3g1 f6g8";
        let repeated = parse(&format!("startpos moves {dance} {dance} {dance} e2e4"), false).unwrap();
        assert!(matches!(repeated.turn(), Turn::Player(_)));
        let repeated = parse(&format!("startpos moves {dance} {dance}"), false).unwrap();
        assert!(matches!(repeated.turn(), Turn::Over(_)) && matches!(playable(&repeated).turn(), Turn::Player(_)));
        let fifty = parse("fen 7k/8/8/8/8/8/8/K5R1 w - - 99 80 moves a1b1 h8h7", false).unwrap();
        assert!(matches!(fifty.turn(), Turn::Over(_)) && matches!(playable(&fifty).turn(), Turn::Player(_)));
        let bare = parse("fen 7k/8/8/8/8/8/8/K7 w - - 0 1", false).unwrap();
        assert!(matches!(playable(&bare).turn(), Turn::Over(_)));
        assert_eq!(playable_moves(bare.position()).len(), 3);
    }

    #[test]
    fn lines_end_before_what_is_illegal() {
        let start = Chess::new();
        let mv = |text: &str| start.parse_move(text).unwrap();
        assert_eq!(line_text(&start, &[mv("e2e4"), mv("e7e5"), mv("e7e5"), mv("g1f3")]), "e2e4 e7e5");
    }
}
