//! Analysis that goes on until the next command.

use super::players::{FirstPoint, first_point, session};
use afterstate_arena::PlayerError;
use afterstate_engine::{Decision, Value};
use afterstate_games::go::{Go, Move};
use afterstate_games::{Game, Record};
use afterstate_protocols::gtp::{Analysis, Analyst, Candidate, Inquiry, Insight, Session, ShapeReport};
use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Input that arrives when the test sends it.
struct Wire(Receiver<Vec<u8>>, Vec<u8>);

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.1.is_empty() {
            self.1 = self.0.recv().unwrap_or_default();
        }
        let n = buffer.len().min(self.1.len());
        buffer[..n].copy_from_slice(&self.1[..n]);
        self.1.drain(..n);
        Ok(n)
    }
}

/// Output that the test receives line by line.
struct Lines(Sender<String>, Vec<u8>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1.extend_from_slice(bytes);
        while let Some(end) = self.1.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.1.drain(..=end).collect();
            let _ = self.0.send(String::from_utf8(line).unwrap());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A session in a thread of its own, as a controller sees it.
pub struct Talk {
    send: Sender<Vec<u8>>,
    pub lines: Receiver<String>,
    pub end: Receiver<()>,
}

pub fn talk(session: Session) -> Talk {
    let ((send, wire), (out, lines), (over, end)) = (channel(), channel(), channel());
    std::thread::spawn(move || {
        session.run(BufReader::new(Wire(wire, Vec::new())), Lines(out, Vec::new())).unwrap();
        let _ = over.send(());
    });
    Talk { send, lines, end }
}

impl Talk {
    pub fn send(&self, text: &str) {
        self.send.send(text.as_bytes().to_vec()).unwrap();
    }

    /// Long enough for any machine; only a hang waits for it.
    pub fn line(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(60)).expect("a line of output")
    }
}

/// Counts up until it is stopped.
pub struct Counting;

impl Analyst for Counting {
    fn analyze(
        &mut self,
        inquiry: &Inquiry<'_>,
        report: &mut dyn FnMut(&Analysis),
    ) -> Result<Decision<Move>, PlayerError> {
        let (mv, budget) = (first_point(inquiry.record), inquiry.budget);
        for visits in 1.. {
            let candidate = |mv| Candidate { visits, ..Candidate::new(mv, Value(0.25)) };
            report(&Analysis { candidates: vec![candidate(mv), candidate(Move::PASS)], ..Analysis::default() });
            // Without a signal to wait for, three reports are enough.
            if budget.expired() || (budget.stop.is_none() && visits == 3) {
                break;
            }
            std::thread::yield_now();
        }
        Ok(Decision::play(mv))
    }
}

fn counting() -> Session {
    Session::new("counting", Box::new(FirstPoint)).with_sizes(5..=5).with_analyst(Box::new(Counting))
}

#[test]
fn an_analysis_goes_on_until_the_next_line() {
    for (stop, last) in [("name\n", "= counting\n"), ("\nname\n", "= counting\n"), ("9 bad\n", "?9 unknown command\n")]
    {
        let talk = talk(counting());
        talk.send("7 lz-analyze b 1\n");
        assert_eq!(talk.line(), "=7 \n");
        for visits in 1..=100 {
            let line = talk.line();
            assert!(line.starts_with(&format!("info move A1 visits {visits} winrate 2500 ")), "{line}");
            assert!(line.ends_with(" order 1 pv pass\n"), "{line}");
        }
        talk.send(stop);
        while talk.line() != "\n" {}
        assert_eq!(talk.line(), last);
        assert_eq!(talk.line(), "\n");
        talk.send("quit\n");
        assert_eq!((talk.line(), talk.line()), ("= \n".into(), "\n".into()));
        talk.end.recv_timeout(Duration::from_secs(60)).expect("the end");
    }
}

#[test]
fn the_end_of_input_ends_an_analysis_and_the_session() {
    let Talk { send, lines, end } = talk(counting());
    send.send(b"kata-analyze".to_vec()).unwrap();
    drop(send);
    end.recv_timeout(Duration::from_secs(60)).expect("the end");
    let output: String = lines.iter().collect();
    assert!(output.starts_with("= \ninfo move A1 ") && output.ends_with("\n\n"), "{output}");
}

#[test]
fn values_are_reported_once_and_wait_for_the_next_line() {
    let talk = talk(session());
    talk.send("boardsize 5\nlz-analyze interval 1 maxmoves 1\n");
    assert_eq!([talk.line(), talk.line(), talk.line()], ["= \n", "\n", "= \n"]);
    assert_eq!(talk.line(), "info move A1 visits 1 winrate 6667 prior 0 lcb 6667 order 0 pv A1\n");
    assert!(talk.lines.recv_timeout(Duration::from_millis(50)).is_err(), "nothing more until the next line");
    talk.send("name\n");
    assert_eq!([talk.line(), talk.line(), talk.line()], ["\n", "= first\n", "\n"]);
}

#[test]
fn quit_ends_the_session_although_the_input_stays_open() {
    let talk = talk(counting());
    talk.send("quit\nname\n");
    assert_eq!((talk.line(), talk.line()), ("= \n".into(), "\n".into()));
    talk.end.recv_timeout(Duration::from_secs(60)).expect("the end");
    assert!(talk.lines.try_recv().is_err());
}

#[test]
fn genmove_with_analysis_plays_the_move_of_the_analyst() {
    let mut session = counting();
    let info = |visits| {
        let one =
            |mv, order| format!("info move {mv} visits {visits} winrate 7500 prior 0 lcb 7500 order {order} pv {mv}");
        format!("{} {}\n", one("A1", 0), one("pass", 1))
    };
    assert_eq!(
        session.respond("1 lz-genmove_analyze w 10"),
        format!("=1 \n{}{}{}play A1\n\n", info(1), info(2), info(3))
    );
    assert_eq!(session.record().position().board().empty_count(), 24);
    assert_eq!(
        session.respond("cgos-genmove_analyze b"),
        "= \n{\"moves\":[{\"move\":\"B1\",\"pv\":\"\",\"visits\":3,\"winrate\":0.25},\
         {\"move\":\"pass\",\"pv\":\"\",\"visits\":3,\"winrate\":0.25}],\"visits\":6,\"winrate\":0.25}\nplay B1\n\n"
    );
    let allowed = session.respond("lz-analyze w allow w D4,E5 1 allow w pass 1 avoid b pass 1");
    assert!(allowed.starts_with("= \ninfo move pass ") && !allowed.contains("info move C1"), "{allowed}");
}

#[test]
fn commands_without_their_hook_do_not_exist() {
    let mut bare = Session::new("bare", Box::new(FirstPoint));
    let list = bare.respond("list_commands");
    for command in ["lz-analyze", "cgos-genmove_analyze", "gogui-analyze_commands", "afterstate-values"] {
        assert!(!list.contains(command), "{list}");
        assert_eq!(bare.respond(&format!("known_command {command}")), "= false\n\n");
        assert_eq!(bare.respond(command), "? unknown command\n\n");
        assert_eq!(session().respond(&format!("known_command {command}")), "= true\n\n");
    }
    assert_eq!(counting().respond("known_command lz-analyze"), "= true\n\n");
    assert_eq!(counting().respond("known_command afterstate-values"), "= false\n\n");
}

/// Two shapes that share a point; remembers how many were asked for.
struct Shapes(Mutex<usize>);

impl Insight for Shapes {
    fn strongest_shapes(&self, record: &Record<Go>, n: usize) -> Option<Vec<ShapeReport>> {
        *self.0.lock().unwrap() = n;
        let point = |label: &str| {
            let mut moves = Vec::new();
            Go::new(record.position().size()).legal_moves(&mut moves);
            moves.iter().find_map(|mv| mv.point().filter(|p| p.label(record.position().size()) == label)).unwrap()
        };
        let shape = |description: &str, points: &[&str], weight| ShapeReport {
            description: description.into(),
            points: points.iter().map(|label| point(label)).collect(),
            weight,
        };
        Some(vec![shape("1×2 XO", &["C3", "D3"], 0.75), shape("1×1\n\nO", &["D3"], -0.25)])
    }
}

#[test]
fn shapes_are_drawn_and_listed() {
    let shapes = Arc::new(Shapes(Mutex::new(0)));
    let insight: Arc<dyn Insight> = Arc::<Shapes>::clone(&shapes);
    let mut session = Session::new("shapes", Box::new(FirstPoint)).with_insight(insight);
    assert_eq!(
        session.respond("gogui-analyze_commands"),
        "= gfx/Strongest Shapes/afterstate-shapes\ngfx/Strongest Shapes (Number)/afterstate-shapes %s\n\n"
    );
    assert_eq!(
        session.respond("afterstate-shapes 7"),
        "= INFLUENCE C3 1.0000 D3 0.6667\nLABEL C3 1 D3 1\n\
         TEXT 1: +0.7500 1×2 XO (C3 D3)\nTEXT 2: -0.2500 1×1  O (D3)\n\n"
    );
    assert_eq!(session.respond("known_command afterstate-values"), "= false\n\n");
    session.respond("afterstate-shapes 12");
    for bad in ["0", "x", "-1", "1001", "99999999999999999999"] {
        assert!(session.respond(&format!("afterstate-shapes {bad}")).starts_with("? syntax error"), "{bad}");
    }
}
