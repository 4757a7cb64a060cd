//! What the tests of engines share: a misbehaving engine, and a look at the processes that are left.
#![allow(dead_code, reason = "every test file uses another part")]

use afterstate_arena::external::{GtpEngine, Limits};
use afterstate_arena::{EndKind, GameRules, Player, PlayerError, RandomPlayer, RulesReferee, play_game};
use afterstate_engine::{Budget, Decision};
use afterstate_games::chess::Move;
use afterstate_games::{Chess, Notation, Record};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A mark that no other test or run uses.
pub fn unique_mark(test: &str) -> String {
    let age = std::time::UNIX_EPOCH.elapsed().expect("the clock is set");
    format!("mark-{test}-{}-{}", std::process::id(), age.as_nanos())
}

/// The command line of the fake engine in one of its modes.
pub fn fake_command(mode: &str, mark: &str) -> String {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/support/fake-gtp.sh");
    format!("sh '{}' {mode} {mark}", script.display())
}

/// The fake engine, with limits that make a hang short and leave a slow machine time enough.
pub fn fake_engine(mode: &str, mark: &str) -> GtpEngine {
    GtpEngine::new(&fake_command(mode, mark)).expect("the command line is well-formed").with_limits(limits_of(mode))
}

/// What a fake engine is allowed. Only for one that hangs does anybody wait until the time for a move is over.
pub fn limits_of(mode: &str) -> Limits {
    let per_move = Duration::from_secs(if mode.contains("hang") { 2 } else { 20 });
    Limits { start: Duration::from_secs(20), command: Duration::from_secs(20), per_move }
}

/// The command lines of running processes that contain `mark`.
pub fn processes_with(mark: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("Linux has /proc").flatten() {
        if let Ok(line) = std::fs::read(entry.path().join("cmdline")) {
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            if line.contains(mark) {
                found.push(format!("{}: {line}", entry.file_name().to_string_lossy()));
            }
        }
    }
    found
}

/// Waits until no process carries the mark, and fails with the list of those that stay.
pub fn expect_none_left(mark: &str) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let left = processes_with(mark);
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "left behind: {left:#?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a program can be used. Without it a test is left out, unless engines are required.
pub fn installed_or_leave_out(program: &str, test: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).chain([PathBuf::from("/usr/games")]).any(|f| f.join(program).is_file());
    if !found {
        let required = std::env::var_os("AFTERSTATE_REQUIRE_ENGINES").is_some_and(|value| value == "1");
        assert!(!required, "{test}: {program} is not installed, and AFTERSTATE_REQUIRE_ENGINES=1 demands it");
        println!("left out: {test}: {program} is not installed");
    }
    found
}

/// Lets one of the fake chess engines play White against moves that are always legal, until it resigns.
pub fn drive(engine: &mut dyn Player<Chess>) -> Result<Record<Chess>, PlayerError> {
    let mut record = Record::new(Chess::new());
    engine.new_game(&record, 0)?;
    for answer in ["e7e5", "b8c6", "f8c5"] {
        let decision = engine.choose(&record, &Budget::default())?;
        let Some(mv) = decision.best else { return Ok(record) };
        assert_eq!((decision.depth, decision.effort), (Some(7), 1234));
        assert!((decision.value.unwrap().0 - 10.0 / 11.0).abs() < 1e-6);
        record.play(mv);
        record.play(record.position().parse_move(answer).unwrap());
    }
    Ok(record)
}

/// Lets a chess engine think until somebody sets the flag.
pub fn stopped(engine: &mut dyn Player<Chess>, record: &Record<Chess>) -> Result<Decision<Move>, PlayerError> {
    let stop = Arc::new(AtomicBool::new(false));
    let budget = Budget { stop: Some(Arc::clone(&stop)), ..Budget::time(Duration::from_secs(60)) };
    let waiting = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        stop.store(true, Ordering::Relaxed);
    });
    let decision = engine.choose(record, &budget);
    waiting.join().unwrap();
    decision
}

/// Debian puts games where `PATH` does not always look.
pub fn game_program(name: &str) -> String {
    let path = format!("/usr/games/{name}");
    if PathBuf::from(&path).is_file() { path } else { name.to_string() }
}

/// Lets a chess program play from an opening, at a depth and by the clock, with either side.
pub fn plays_both_sides(program: &mut dyn Player<Chess>) {
    let mut position = Chess::new();
    let mut opening = Vec::new();
    for text in ["e2e4", "c7c5", "g1f3"] {
        let mv = position.parse_move(text).unwrap();
        opening.push(mv);
        afterstate_games::Game::play(&mut position, mv);
    }
    for (game, time) in ["none", "20s+1s"].into_iter().enumerate() {
        let rules = GameRules { time: time.parse().unwrap(), move_limit: 30, ..GameRules::default() };
        let mut random = RandomPlayer::default();
        let players: [&mut dyn Player<Chess>; 2] =
            if game == 0 { [&mut *program, &mut random] } else { [&mut random, &mut *program] };
        let result = play_game(&Chess::new(), &opening, players, &mut RulesReferee, &rules).unwrap();
        let sound = matches!(result.ending.kind, EndKind::Rules | EndKind::MoveLimit);
        assert!(sound, "{:?}: {}", result.ending.kind, result.ending.detail);
    }
}
