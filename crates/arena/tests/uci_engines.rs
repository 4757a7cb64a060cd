//! Chess engines that fail in every way we could think of: each fails alone, with its reason, and leaves nothing behind.
#![cfg(target_os = "linux")]

mod support;

use afterstate_arena::external::{Limits, UciEngine};
use afterstate_arena::{EndKind, GameRules, Player, RandomPlayer, RulesReferee, play_game};
use afterstate_engine::Budget;
use afterstate_games::{Chess, Notation, Record, Side};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use support::{
    drive, expect_none_left, game_program, installed_or_leave_out, limits_of, plays_both_sides, stopped, unique_mark,
};

fn fake_engine(mode: &str, mark: &str) -> UciEngine {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/support/fake-uci.sh");
    UciEngine::new(&format!("sh '{}' {mode} {mark}", script.display())).unwrap().with_limits(limits_of(mode))
}

#[test]
fn a_sound_engine_plays_game_after_game() {
    let mark = unique_mark("uci-sound");
    let mut engine = fake_engine("sound", &mark).with_option("skill level", "3");
    for _ in 0..2 {
        let record = drive(&mut engine).unwrap();
        let text = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4";
        assert_eq!(record.position().position_text(), text);
    }
    drop(engine);
    expect_none_left(&mark);
}

#[test]
fn every_failure_has_its_reason() {
    for (mode, needle) in [
        ("crash", "crashed: at 'go movetime 1000'"),
        ("hang", "hung: no answer to 'go movetime 1000' within"),
        ("endless", "protocol error: the answer to 'go movetime 1000' is longer than"),
        ("no-move", "'bestmove (none)': expected a move such as e2e4"),
        ("san", "'bestmove Nf3': expected a move such as e2e4"),
        ("hang-at-start", "cannot start: hung: no answer to 'uci'"),
    ] {
        let mark = unique_mark(&format!("uci-{mode}"));
        let mut engine = fake_engine(mode, &mark);
        if mode == "hang-at-start" {
            engine = engine.with_limits(Limits { start: Duration::from_secs(1), ..Limits::default() });
        }
        let error = drive(&mut engine).unwrap_err().to_string();
        assert!(error.contains(needle), "{mode}: {error}");
        // The failed engine is gone at once, not only when the player is dropped.
        expect_none_left(&mark);
    }
}

fn best_of_stopped(engine: &mut UciEngine, record: &Record<Chess>) -> Option<String> {
    let decision = stopped(engine, record).unwrap();
    decision.best.map(|mv| record.position().move_text(mv))
}

#[test]
fn who_is_stopped_still_answers_and_plays_on() {
    let mark = unique_mark("uci-stop");
    let mut engine = fake_engine("until-stop", &mark);
    let mut record = Record::new(Chess::new());
    engine.new_game(&record, 0).unwrap();
    // Its first answer comes by itself.
    let decision = engine.choose(&record, &Budget::default()).unwrap();
    record.play(decision.best.unwrap());
    record.play(record.position().parse_move("e7e5").unwrap());
    assert_eq!(best_of_stopped(&mut engine, &record).as_deref(), Some("g1f3"));
    record.play(record.position().parse_move("g1f3").unwrap());
    record.play(record.position().parse_move("b8c6").unwrap());
    assert_eq!(best_of_stopped(&mut engine, &record).as_deref(), Some("f1c4"));
    drop(engine);
    expect_none_left(&mark);
}

#[test]
fn who_does_not_answer_a_stop_is_ended_soon() {
    let mark = unique_mark("uci-deaf");
    let mut engine = fake_engine("hang", &mark);
    let record = Record::new(Chess::new());
    engine.new_game(&record, 0).unwrap();
    engine.choose(&record, &Budget::default()).unwrap();
    let begun = Instant::now();
    let error = stopped(&mut engine, &record).unwrap_err().to_string();
    assert!(error.contains("no answer to 'stop' within 1.000 s"), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(30));
    expect_none_left(&mark);
}

#[test]
fn what_an_engine_cannot_do_is_said_before_the_first_move() {
    let mark = unique_mark("uci-option");
    let mut engine = fake_engine("sound", &mark).with_option("UCI_Elo", "1500");
    let error = drive(&mut engine).unwrap_err().to_string();
    assert!(error.starts_with("cannot start: the engine has no option 'UCI_Elo'; it has Hash, Skill Level"), "{error}");
    let mut engine = fake_engine("sound", &mark).with_option("skill level", "21");
    let error = drive(&mut engine).unwrap_err().to_string();
    assert!(
        error.starts_with("cannot start: option 'skill level': '21': expected a whole number from 0 to 20"),
        "{error}"
    );
    let other = Record::new(Chess::chess960(1).unwrap());
    let error = fake_engine("sound", &mark).new_game(&other, 0).unwrap_err().to_string();
    assert!(error.contains("no option 'UCI_Chess960'"), "{error}");
    expect_none_left(&mark);
}

#[test]
fn illegal_moves_and_lost_time_lose_the_game() {
    for (mode, time, kind) in [("illegal", "none", EndKind::IllegalMove), ("hang", "1s", EndKind::Time)] {
        let mark = unique_mark(&format!("uci-game-{mode}"));
        let rules = GameRules { time: time.parse().unwrap(), lag: Duration::from_millis(200), ..GameRules::default() };
        let (mut engine, mut random) = (fake_engine(mode, &mark), RandomPlayer::default());
        let result = play_game(&Chess::new(), &[], [&mut engine, &mut random], &mut RulesReferee, &rules).unwrap();
        assert_eq!((result.ending.kind, result.outcome.winner), (kind, Some(Side::Second)), "{}", result.ending.detail);
        drop(engine);
        expect_none_left(&mark);
    }
}

#[test]
fn gnu_chess_plays() {
    if installed_or_leave_out("gnuchess", "gnu_chess_plays") {
        let command = format!("{} -u", game_program("gnuchess"));
        plays_both_sides(&mut UciEngine::new(&command).unwrap().with_search("depth 3"));
    }
}
