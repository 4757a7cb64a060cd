//! The rules of Go against an independent engine: GNU Go 3.8, asked over GTP.
//!
//! The commands of all games on one board are written in one go and the answers read afterwards, so
//! that a thousand games take seconds.

mod support;

use afterstate_games::go::handicap::{fixed_handicap, most_fixed};
use afterstate_games::go::{Color, Go, Move, Point};
use afterstate_games::rng::{Rng, below, stream};
use afterstate_games::{Game, Notation, Side, Turn};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A list of commands with the answers that we expect.
#[derive(Default)]
struct Script {
    commands: String,
    /// Which answer, what it should be, and in which situation.
    expected: Vec<(String, String)>,
}

impl Script {
    fn expect(&mut self, command: String, answer: impl Into<String>) {
        self.commands.push_str(&command);
        self.commands.push('\n');
        self.expected.push((command, answer.into()));
    }

    /// Sends everything, and compares every answer.
    fn run(self, program: &PathBuf) {
        let mut child = Command::new(program)
            .args(["--mode", "gtp", "--chinese-rules", "--forbid-suicide", "--simple-ko"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("gnugo starts");
        let (mut input, mut output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        let commands = self.commands;
        let writer = std::thread::spawn(move || input.write_all(commands.as_bytes()).and_then(|()| input.flush()));
        let mut text = String::new();
        output.read_to_string(&mut text).expect("answers in UTF-8");
        child.wait().expect("gnugo ends at the end of its input");
        writer.join().expect("the writer does not panic").expect("gnugo reads all commands");

        let answers: Vec<&str> = text.split("\n\n").filter(|answer| !answer.is_empty()).collect();
        let setting_up = |i: usize| {
            let begin = self.expected[..=i].iter().rposition(|(command, _)| command == "clear_board").unwrap_or(0);
            let played = self.expected[begin..=i].iter().filter(|(command, _)| command.starts_with("play"));
            played.map(|(command, _)| &command["play ".len()..]).collect::<Vec<_>>().join(", ")
        };
        for (i, (command, expected)) in self.expected.iter().enumerate() {
            let answer = answers.get(i).unwrap_or(&"(no answer)");
            let mut words: Vec<&str> = answer.trim_start_matches('=').split_whitespace().collect();
            if command.starts_with("list_stones") || command.starts_with("fixed_handicap") {
                words.sort_unstable();
            }
            let agrees = answer.starts_with('=') && words.join(" ") == *expected;
            assert!(agrees, "{command}: gnugo says '{answer}', we say '{expected}', after {}", setting_up(i));
        }
        assert_eq!(answers.len(), self.expected.len());
    }
}

fn color_name(side: Side) -> &'static str {
    match side {
        Side::First => "black",
        Side::Second => "white",
    }
}

fn stones(game: &Go, color: Color) -> String {
    let size = game.size();
    let mut labels: Vec<String> =
        Point::all(size).filter(|&p| game.board().color(p) == color).map(|p| p.label(size)).collect();
    labels.sort_unstable();
    labels.join(" ")
}

/// GNU Go remembers 500 moves of a game.
const LONGEST_GAME: usize = 480;

/// Returns how many illegal points were asked about, by reason: taken, ko, suicide.
fn script_game(script: &mut Script, size: usize, index: u64, rng: &mut Rng, asked: &mut [usize; 3]) {
    let (mut game, mut moves, mut captured) = (Go::new(size), Vec::new(), [0usize; 2]);
    script.expect("clear_board".to_owned(), "");
    for number in 0..LONGEST_GAME {
        let Turn::Player(side) = game.turn() else { break };
        let ask = |script: &mut Script, point: Point| {
            let legal = if game.is_legal(Move::play(point)) { "1" } else { "0" };
            script.expect(format!("is_legal {} {}", color_name(side), point.label(size)), legal);
        };
        if number % 7 == 0 {
            let point = Point::from_ordinal(below(rng, (size * size) as u32) as usize, size);
            asked[0] += usize::from(!game.board().is_empty(point));
            ask(script, point);
        }
        // Every ko, and a little of whatever else is forbidden.
        let forbidden = game.board().empty_points().filter(|&point| !game.is_legal(Move::play(point)));
        for point in game.board().ko().into_iter().chain(forbidden.take(2)) {
            asked[if game.board().ko() == Some(point) { 1 } else { 2 }] += 1;
            ask(script, point);
        }
        // Games that fill eyes have larger captures; the others end with fuller boards.
        if index.is_multiple_of(3) {
            game.legal_moves(&mut moves)
        } else {
            game.candidate_moves(&mut moves)
        }
        let mv = moves[below(rng, moves.len() as u32) as usize];
        script.expect(format!("play {} {}", color_name(side), game.move_text(mv)), "");
        let before = game.board().stone_count(side.other());
        game.play(mv);
        let lifted = before - game.board().stone_count(side.other());
        captured[side.index()] += lifted;
        if lifted > 0 {
            script.expect(format!("captures {}", color_name(side)), captured[side.index()].to_string());
        }
    }
    script.expect("list_stones black".to_owned(), stones(&game, Color::Black));
    script.expect("list_stones white".to_owned(), stones(&game, Color::White));
}

#[test]
fn a_thousand_random_games_agree_with_gnugo() {
    let Some(program) = support::find("gnugo", "a_thousand_random_games_agree_with_gnugo") else { return };
    for (size, games) in [(5, 500), (9, 300), (13, 130), (19, 70)] {
        let (mut script, mut asked, mut rng) = (Script::default(), [0; 3], stream(11, size as u64));
        script.expect(format!("boardsize {size}"), "");
        for index in 0..games {
            script_game(&mut script, size, index, &mut rng, &mut asked);
        }
        assert!(asked.iter().all(|&count| count > 100), "illegal points asked about (taken, ko, suicide): {asked:?}");
        script.run(&program);
    }
}

#[test]
fn fixed_handicaps_agree_with_gnugo() {
    let Some(program) = support::find("gnugo", "fixed_handicaps_agree_with_gnugo") else { return };
    let mut script = Script::default();
    // On 12×12 gnugo uses the fourth line, where the protocol says that it begins at 13×13.
    for size in (7..=19).filter(|&size| size != 12) {
        script.expect(format!("boardsize {size}"), "");
        for count in 2..=most_fixed(size) {
            let game = Go::new(size).with_handicap(&fixed_handicap(size, count).unwrap()).unwrap();
            let labels = stones(&game, Color::Black);
            script.expect("clear_board".to_owned(), "");
            script.expect(format!("fixed_handicap {count}"), labels);
            script.expect("list_stones black".to_owned(), stones(&game, Color::Black));
        }
    }
    script.run(&program);
}
