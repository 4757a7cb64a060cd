//! The bear-off database against GNU Backgammon's.

use afterstate_engine::value::backgammon_network::equity;
use afterstate_engine::value::bear_off::BearOff;
use afterstate_games::backgammon::{Backgammon, Board, fibs};
use afterstate_games::rng::below;
use afterstate_games::{Side, stream};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// Ends the program whatever happens.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn find(program: &str, test: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/games")]);
    let found = folders.map(|folder| folder.join(program)).find(|file| file.is_file());
    if found.is_none() {
        let required = std::env::var_os("AFTERSTATE_REQUIRE_ENGINES").is_some_and(|value| value == "1");
        assert!(!required, "{test}: {program} is not installed, and AFTERSTATE_REQUIRE_ENGINES=1 demands it");
        println!("left out: {test}: {program} is not installed");
    }
    found
}

/// Both sides' men at home, more than six of each: of fewer the program knows both sides' exact chances.
fn positions() -> Vec<Board> {
    let mut rng = stream(21, 0);
    let mut side = || {
        let mut men = [0u8; 25];
        (0..7 + below(&mut rng, 9)).for_each(|_| men[below(&mut rng, 6) as usize] += 1);
        men
    };
    (0..300).filter_map(|_| Board::from_men([side(), side()])).collect()
}

#[test]
fn one_sided_equities_are_those_of_gnu_backgammon() {
    let Some(program) = find("gnubg", "one_sided_equities_are_those_of_gnu_backgammon") else { return };
    let port = TcpListener::bind(("localhost", 0)).unwrap().local_addr().unwrap().port();
    let mut child = Command::new(program)
        .args(["--tty", "--quiet", "--no-rc"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let _ended = Ended(child);
    writeln!(input, "external localhost:{port}").unwrap();
    assert!(output.lines().map_while(Result::ok).any(|line| line.contains("Waiting for a connection")));
    let mut socket = TcpStream::connect(("localhost", port)).unwrap();
    let mut answers = BufReader::new(socket.try_clone().unwrap()).lines();
    let (database, mut worst, mut close) = (BearOff::generate(), 0.0f32, 0);
    for board in positions() {
        let game = Backgammon::at(board, Side::First, None);
        writeln!(socket, "evaluation fibsboard {} PLIES 0 CUBE OFF", fibs::write(&game, "x")).unwrap();
        let answer = answers.next().unwrap().unwrap();
        let theirs: Vec<f32> = answer.split_whitespace().take(5).map(|number| number.parse().unwrap()).collect();
        let ours = database.outputs(&board, Side::First).expect("all men are at home");
        // The program keeps probabilities in steps of 1/65,535 and computes each position from others so rounded.
        let difference = (equity(&theirs) - equity(&ours)).abs();
        assert!(difference < 1.5e-4, "{board:?}: {theirs:?}, ours {ours:?}");
        close += usize::from(difference < 1e-4);
        worst = worst.max(difference);
    }
    println!("largest difference {worst}; {close} of {} below 1e-4", positions().len());
    assert!(close * 100 >= positions().len() * 98);
}
