//! External engines that fail in every way we could think of: each fails alone, with its reason, and leaves nothing behind.
#![cfg(target_os = "linux")]

mod support;

use afterstate_arena::external::{GtpEngine, GtpReferee, Limits};
use afterstate_arena::{
    Clock, EndKind, GameRules, Player, PlayerError, RandomPlayer, Referee, RulesReferee, play_game,
};
use afterstate_engine::Budget;
use afterstate_games::go::{Go, Komi, Move, Point};
use afterstate_games::{Game, Record, Side, Turn};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::{expect_none_left, fake_engine, installed_or_leave_out, processes_with, unique_mark};

/// Lets an engine play both sides for `moves` moves.
fn drive(engine: &mut GtpEngine, moves: usize) -> Result<Record<Go>, PlayerError> {
    let mut record = Record::new(Go::new(9));
    engine.new_game(&record, 0)?;
    for _ in 0..moves {
        let decision = engine.choose(&record, &Budget::default())?;
        let mv = decision.best.expect("no resignation");
        record.play(mv);
        engine.move_played(&record)?;
    }
    Ok(record)
}

fn failure(mode: &str) -> PlayerError {
    let mark = unique_mark(mode);
    let mut engine = fake_engine(mode, &mark);
    let error = drive(&mut engine, 5).err().unwrap_or_else(|| panic!("{mode} did not fail"));
    // The failed engine is gone at once, not only when the player is dropped.
    expect_none_left(&mark);
    error
}

#[test]
fn a_sound_engine_plays_and_ends() {
    let mark = unique_mark("sound");
    let mut engine = fake_engine("sound", &mark);
    let record = drive(&mut engine, 5).unwrap();
    let points: Vec<_> = record.moves().iter().map(|mv| mv.point().unwrap().label(9)).collect();
    assert_eq!(points, ["C3", "D4", "E3", "C5", "E5"]);
    assert!(!processes_with(&mark).is_empty(), "the engine stays between games");
    drive(&mut engine, 3).expect("a second game");
    drop(engine);
    expect_none_left(&mark);
}

#[test]
fn crashes_carry_status_and_last_words() {
    let PlayerError::NotStarted(text) = failure("crash-at-start") else { panic!() };
    assert!(text.contains("exit status: 3") && text.contains("opening book is missing"), "{text}");
    let PlayerError::Crashed(text) = failure("crash") else { panic!() };
    assert!(text.contains("genmove") && text.contains("signal: 6") && text.contains("assertion failed"), "{text}");
    let PlayerError::Crashed(text) = failure("crash-with-child") else { panic!() };
    assert!(text.contains("genmove") && text.contains("exit status: 3"), "{text}");
    let PlayerError::Crashed(text) = failure("quits") else { panic!() };
    assert!(text.contains("exit status: 0"), "{text}");
}

#[test]
fn hangs_end_at_the_limit() {
    let mark = unique_mark("hang-at-start");
    let limits = Limits { start: Duration::from_secs(2), ..Limits::default() };
    let mut engine = fake_engine("hang-at-start", &mark).with_limits(limits);
    let Err(PlayerError::NotStarted(text)) = engine.new_game(&Record::new(Go::new(9)), 0) else { panic!() };
    expect_none_left(&mark);
    assert!(text.contains("list_commands") && text.contains("2.000 s"), "{text}");
    for mode in ["hang", "hang-and-ignore"] {
        let PlayerError::Hung(text) = failure(mode) else { panic!("{mode}") };
        assert!(text.contains("genmove b"), "{text}");
    }
}

#[test]
fn a_hang_with_a_clock_is_a_loss_on_time() {
    let mark = unique_mark("clock");
    let rules = GameRules { time: "1s".parse().unwrap(), lag: Duration::from_millis(100), ..GameRules::default() };
    let (mut random, mut engine) = (RandomPlayer::default(), fake_engine("hang", &mark));
    let result = play_game(&Go::new(9), &[], [&mut random, &mut engine], &mut RulesReferee, &rules).unwrap();
    expect_none_left(&mark);
    assert_eq!((result.ending.kind, result.outcome.winner), (EndKind::Time, Some(Side::First)));
    assert!(result.ending.detail.contains("genmove w"), "{}", result.ending.detail);
}

#[test]
fn what_is_not_gtp_is_refused() {
    let PlayerError::NotStarted(text) = failure("garbage-at-start") else { panic!() };
    assert!(text.contains("Welcome to fake Go!"), "{text}");
    for (mode, needle) in
        [("garbage", "my move is E5"), ("nonsense", "Z99"), ("refuses", "I do not feel like it"), ("binary", "genmove")]
    {
        let PlayerError::Garbage(text) = failure(mode) else { panic!("{mode}") };
        assert!(text.contains(needle), "{mode}: {text}");
        assert!(!text.chars().any(char::is_control), "{text:?} must fit on one line");
    }
}

#[test]
fn endless_output_is_cut_off() {
    for mode in ["endless", "endless-line", "endless-blanks"] {
        let PlayerError::Garbage(text) = failure(mode) else { panic!("{mode}") };
        assert!(text.contains("longer than") || text.contains("expected '='"), "{mode}: {text}");
    }
}

#[test]
fn much_error_output_does_not_block() {
    let mark = unique_mark("noisy");
    drive(&mut fake_engine("noisy", &mark), 3).expect("a noisy engine plays");
    expect_none_left(&mark);
}

/// Waits until so many processes carry the mark: one that is just being replaced by the program it runs has no command line.
fn expect_at_least(count: usize, mark: &str) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while processes_with(mark).len() < count {
        assert!(Instant::now() < deadline, "{:?}", processes_with(mark));
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn children_and_the_stubborn_go_with_the_engine() {
    for mode in ["leaves-children", "ignores-signals", "endless-at-quit"] {
        let mark = unique_mark(mode);
        let mut engine = fake_engine(mode, &mark);
        drive(&mut engine, 3).unwrap();
        if mode == "leaves-children" {
            expect_at_least(3, &mark);
        }
        drop(engine);
        expect_none_left(&mark);
    }
}

#[test]
fn after_a_failure_the_next_game_starts_the_engine_again() {
    let mark = unique_mark("again");
    let mut engine = fake_engine("crash", &mark);
    assert!(matches!(drive(&mut engine, 5), Err(PlayerError::Crashed(_))));
    assert_eq!(drive(&mut engine, 2).expect("two moves go well").moves().len(), 2);
    drop(engine);
    expect_none_left(&mark);
}

#[test]
fn a_missing_program_says_so() {
    let mut engine = GtpEngine::new("no-such-go-program --gtp").unwrap();
    let error = engine.new_game(&Record::new(Go::new(9)), 0).unwrap_err();
    assert!(matches!(&error, PlayerError::NotStarted(text) if text.contains("no-such-go-program")), "{error}");
}

#[test]
fn the_stop_flag_interrupts_a_thinking_engine() {
    let mark = unique_mark("stop");
    let mut engine = fake_engine("hang", &mark);
    let record = drive(&mut engine, 2).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let setter = Arc::clone(&stop);
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        setter.store(true, Ordering::Relaxed);
    });
    let budget = Budget { stop: Some(stop), ..Budget::default() };
    assert_eq!(engine.choose(&record, &budget), Err(PlayerError::Interrupted));
    thread.join().unwrap();
    expect_none_left(&mark);
}

/// Not a test of its own: the next one runs it in a process that it then kills.
#[test]
fn helper_that_starts_an_engine_and_waits() {
    let Ok(mark) = std::env::var("AFTERSTATE_TEST_ENGINE_MARK") else { return };
    let mut engine = fake_engine("leaves-children", &mark);
    drive(&mut engine, 1).unwrap();
    println!("ready");
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

#[test]
fn engines_do_not_outlive_us_even_when_we_are_killed() {
    use std::io::{BufRead, BufReader};
    let mark = unique_mark("orphans");
    let mut helper = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "helper_that_starts_an_engine_and_waits", "--nocapture"])
        .env("AFTERSTATE_TEST_ENGINE_MARK", &mark)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(helper.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.is_ok_and(|line| line.contains("ready"))), "the helper did not get ready");
    expect_at_least(3, &mark);
    helper.kill().unwrap();
    helper.wait().unwrap();
    expect_none_left(&mark);
}

#[test]
fn gnugo_plays_a_game_with_set_up_stones_and_clocks() {
    if !installed_or_leave_out("gnugo", "gnugo_plays_a_game_with_set_up_stones_and_clocks") {
        return;
    }
    let mut start = Go::new(5).with_komi(Komi::new(0.5).unwrap());
    start.play(Move::play(Point::at(2, 2, 5)));
    start.play(Move::play(Point::at(1, 1, 5)));
    let mut record = Record::new(start);
    let mut gnugo = GtpEngine::new("gnugo --mode gtp --level 0 --chinese-rules --positional-superko").unwrap();
    gnugo.new_game(&record, 0).unwrap();
    let mut clocks = [(); 2].map(|()| Clock::new("1m+3x10s".parse().unwrap(), Duration::ZERO));
    while let Turn::Player(side) = record.turn() {
        gnugo.clocks(&clocks);
        let decision = gnugo.choose(&record, &Budget::default()).unwrap();
        let Some(mv) = decision.best else { break };
        assert!(record.is_legal(mv), "{mv:?}");
        record.play(mv);
        gnugo.move_played(&record).unwrap();
        clocks[side.index()].spend(Duration::from_secs(1)).unwrap();
        assert!(record.moves().len() < 200);
    }
    assert!(record.moves().len() > 2);
}

#[test]
fn the_referee_sees_dead_stones_that_the_plain_count_does_not() {
    if !installed_or_leave_out("gnugo", "the_referee_sees_dead_stones_that_the_plain_count_does_not") {
        return;
    }
    // Black owns everything left of a wall on column E; White has the right side and one dead stone in each black corner.
    let mut record = Record::new(Go::new(9).with_komi(Komi::new(7.5).unwrap()));
    for row in 0..9 {
        record.play(Move::play(Point::at(4, row, 9)));
        record.play(Move::play(Point::at(5, row, 9)));
    }
    record.play(Move::PASS);
    record.play(Move::play(Point::at(1, 1, 9)));
    record.play(Move::PASS);
    record.play(Move::PASS);
    assert!(matches!(record.turn(), Turn::Over(_)));
    let mut referee = GtpReferee::gnugo().unwrap();
    Referee::prepare(&mut referee).unwrap();
    let verdict = referee.judge(&record).unwrap();
    // With the dead stone counted as alive, Black's side is nobody's: 9 stones against 36 and one more.
    assert_eq!(verdict.plain_score, Some(9.0 - 37.0 - 7.5));
    assert_eq!(verdict.plain_score, Some(record.position().score()));
    // With it taken off, Black has five columns and White four.
    assert_eq!(verdict.score, Some(45.0 - 36.0 - 7.5));
    assert_eq!(verdict.outcome.winner, Some(Side::First));
    assert_eq!(verdict.disagrees(), Some(true));
}
