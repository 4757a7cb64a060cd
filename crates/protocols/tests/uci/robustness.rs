//! Nothing that a GUI or a thinker does wrong ends the session, or leaves a `go` without its answer.

use super::conversation::Conversation;
use super::thinkers::{Scripted, Wrong};
use afterstate_games::{Chess, Game, Notation, Record};
use afterstate_protocols::gtp::MAX_LINE;
use afterstate_protocols::uci::Session;
use std::io::{self, BufReader, Cursor, Read, Write};

#[test]
fn a_thinker_may_be_wrong_in_every_way() {
    let conversation = Conversation::new(Wrong::default());
    // It panics; it has no move; it has an illegal one; its line does not go on.
    for mistake in ["info string the search failed", "bestmove", "bestmove", "bestmove"] {
        conversation.send("go depth 1");
        let said = conversation.until("bestmove");
        assert!(said[0].starts_with(mistake), "{said:?}");
        let best = said.last().unwrap().split(' ').nth(1).unwrap();
        let start = Chess::new();
        assert!(start.is_legal(start.parse_move(best).unwrap()), "{said:?}");
        assert!(!said.last().unwrap().contains("ponder"), "{said:?}");
    }
    conversation.send("eval");
    conversation.send("bench");
    conversation.send("isready");
    conversation.until("readyok");
    let (_, result) = conversation.end();
    result.unwrap();
}

#[test]
fn three_hundred_moves_are_a_game() {
    let mut record = Record::new(Chess::new());
    let (mut text, mut moves) = (String::from("position startpos moves"), Vec::new());
    for i in 0..300 {
        record.position().legal_moves(&mut moves);
        // Some order that neither repeats nor ends too early.
        let Some(&mv) = moves.get((i * 7) % moves.len().max(1)) else { break };
        text += &format!(" {}", record.position().move_text(mv));
        record.play(mv);
    }
    let conversation = Conversation::new(Scripted::default());
    let dance = "g1f3 g8f6 f3g1 f6g8 ".repeat(75);
    for line in [text.as_str(), &format!("position startpos moves {dance}")] {
        conversation.send(line);
        conversation.send("d");
        conversation.send("go depth 1");
    }
    let said = conversation.until("Fen: ");
    assert_eq!(said.last().unwrap(), &format!("Fen: {}", record.position().position_text()));
    conversation.until("bestmove");
    conversation.until("bestmove");
    conversation.end().1.unwrap();
}

#[test]
fn lines_of_any_length_are_read() {
    let conversation = Conversation::new(Scripted::default());
    let mut flood = b"position startpos moves ".to_vec();
    flood.extend(b"e2e4 ".repeat(MAX_LINE));
    flood.push(b'\n');
    conversation.send_bytes(&flood);
    assert_eq!(conversation.line().unwrap(), format!("info string line too long: expected at most {MAX_LINE} bytes"));
    conversation.send(&"x".repeat(3 * MAX_LINE));
    assert!(conversation.line().unwrap().starts_with("info string unknown command 'xxx"));
    // Even so, there is an answer.
    conversation.send(&format!("go depth 1 {}", "searchmoves ".repeat(MAX_LINE)));
    conversation.until("bestmove");
    conversation.expect_quiet();
    conversation.end().1.unwrap();
}

#[test]
fn bytes_that_are_no_text_are_tolerated() {
    let conversation = Conversation::new(Scripted::default());
    conversation.send_bytes(b"\xef\xbb\xbfisready\r\n");
    assert_eq!(conversation.line().unwrap(), "readyok");
    conversation.send_bytes(b"\xff\xfe\x00\x01 position \xc3(\n\x00\n\xf0\x9f\n");
    for _ in 0..3 {
        assert!(conversation.line().unwrap().starts_with("info string "));
    }
    conversation.send_bytes(b"isready");
    let (said, result) = conversation.end();
    assert_eq!(said, ["readyok"], "the last line needs no end");
    result.unwrap();
}

#[test]
fn any_number_of_commands_at_once_is_answered_in_order() {
    let conversation = Conversation::new(Scripted::default());
    for _ in 0..300 {
        conversation.send("go infinite");
        conversation.send("eval");
        conversation.send("ucinewgame");
    }
    conversation.send("isready");
    let (mut answers, mut evaluations) = (0, 0);
    for line in conversation.until("readyok") {
        answers += usize::from(line.starts_with("bestmove"));
        evaluations += usize::from(line.starts_with("Evaluation"));
    }
    let (rest, result) = conversation.end();
    answers += rest.iter().filter(|line| line.starts_with("bestmove")).count();
    evaluations += rest.iter().filter(|line| line.starts_with("Evaluation")).count();
    assert_eq!((answers, evaluations), (300, 300));
    result.unwrap();
}

#[test]
fn an_endless_flood_takes_bounded_memory() {
    let session = Session::new("test", Box::new(Scripted { hasty: true, ..Scripted::default() }));
    let flood = BufReader::new(io::repeat(b'z').take(200_000_000));
    let mut output = Vec::new();
    session.run(flood, &mut output).unwrap();
    assert!(output.len() < 1000);
}

/// Breaks after some lines, as a pipe does whose reader has gone.
struct Broken(usize);

impl Write for Broken {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(1).ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An input that never ends.
struct Open(Cursor<Vec<u8>>);

impl Read for Open {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => loop {
                std::thread::park();
            },
            count => Ok(count),
        }
    }
}

#[test]
fn a_closed_output_ends_even_a_search() {
    for lines in 0..4 {
        let session = Session::new("test", Box::new(Scripted::default()));
        let input = Open(Cursor::new(b"isready\nisready\ngo infinite\nsetoption\nstop\nisready\n".to_vec()));
        let error = session.run(BufReader::new(input), Broken(lines)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
