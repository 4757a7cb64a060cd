//! Chess engines that speak XBoard's protocol and fail in every way we could think of: each fails alone, with its reason, and leaves
//! nothing behind. And one that does not fail.
#![cfg(target_os = "linux")]

mod support;

use afterstate_arena::external::{Limits, XboardEngine};
use afterstate_arena::{EndKind, GameRules, Player, RandomPlayer, RulesReferee, play_game};
use afterstate_engine::Budget;
use afterstate_games::{Chess, Notation, Record, Side};
use std::path::PathBuf;
use std::time::Duration;
use support::{
    drive, expect_none_left, game_program, installed_or_leave_out, limits_of, plays_both_sides, stopped, unique_mark,
};

fn fake_engine(mode: &str, mark: &str) -> XboardEngine {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/support/fake-xboard.sh");
    XboardEngine::new(&format!("sh '{}' {mode} {mark}", script.display())).unwrap().with_limits(limits_of(mode))
}

#[test]
fn a_sound_engine_plays_game_after_game() {
    let mark = unique_mark("xboard-sound");
    for mode in ["sound", "result", "no-ping"] {
        let mut engine = fake_engine(mode, &mark).with_option("skill level", "3").with_option("memory", "16");
        for _ in 0..2 {
            let record = drive(&mut engine).unwrap();
            let text = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4";
            assert_eq!(record.position().position_text(), text);
        }
    }
    expect_none_left(&mark);
}

/// As in the protocol's specification, two seconds after its last feature.
#[test]
fn who_does_not_say_that_its_features_end_plays_all_the_same() {
    let mark = unique_mark("xboard-undone");
    assert_eq!(drive(&mut fake_engine("undone", &mark)).unwrap().moves().len(), 6);
    expect_none_left(&mark);
}

#[test]
fn who_gives_up_resigns() {
    let mark = unique_mark("xboard-resign");
    for mode in ["resign", "resign-by-result", "resign-by-result-no-ping"] {
        assert_eq!(drive(&mut fake_engine(mode, &mark)).unwrap().moves().len(), 2, "{mode}");
    }
    expect_none_left(&mark);
}

#[test]
fn every_failure_has_its_reason() {
    for (mode, needle) in [
        ("crash", "crashed: at 'go'"),
        ("hang", "hung: no answer to 'go' within"),
        ("endless", "protocol error: the answer to 'go' is longer than"),
        ("claim", "'go' was answered by '1/2-1/2 {Draw by boredom}': expected a move"),
        ("san", "'go' was answered by 'move nf3': expected a move such as e2e4"),
        ("hang-at-start", "cannot start: hung: no answer to 'protover 2'"),
    ] {
        let mark = unique_mark(&format!("xboard-{mode}"));
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

#[test]
fn who_is_stopped_still_answers() {
    let mark = unique_mark("xboard-stop");
    let mut engine = fake_engine("until-stop", &mark);
    let mut record = Record::new(Chess::new());
    engine.new_game(&record, 0).unwrap();
    // Its first answer comes by itself.
    record.play(engine.choose(&record, &Budget::default()).unwrap().best.unwrap());
    record.play(record.position().parse_move("e7e5").unwrap());
    let best = stopped(&mut engine, &record).unwrap().best.unwrap();
    assert_eq!(record.position().move_text(best), "g1f3");
    drop(engine);
    expect_none_left(&mark);
}

#[test]
fn what_an_engine_cannot_do_is_said() {
    let mark = unique_mark("xboard-option");
    let error = drive(&mut fake_engine("sound", &mark).with_option("Hash", "16")).unwrap_err().to_string();
    assert!(error.starts_with("cannot start: the engine has no option 'Hash'; it has memory, Skill Level"), "{error}");
    // Without the limit it would think for ever.
    let error = drive(&mut fake_engine("no-depth", &mark).with_search("sd 2")).unwrap_err().to_string();
    assert!(error.contains("the engine does not know 'sd 2': search by another limit"), "{error}");
    drive(&mut fake_engine("sound", &mark).with_search("sd 2")).unwrap();
    let other = Record::new(Chess::chess960(1).unwrap());
    let error = fake_engine("sound", &mark).new_game(&other, 0).unwrap_err().to_string();
    assert!(error.contains("Chess960"), "{error}");
    expect_none_left(&mark);
}

#[test]
fn illegal_moves_and_lost_time_lose_the_game() {
    for (mode, time, kind) in [("illegal", "none", EndKind::IllegalMove), ("hang", "2s", EndKind::Time)] {
        let mark = unique_mark(&format!("xboard-game-{mode}"));
        let rules = GameRules { time: time.parse().unwrap(), lag: Duration::from_millis(200), ..GameRules::default() };
        let (mut engine, mut random) = (fake_engine(mode, &mark), RandomPlayer::default());
        let result = play_game(&Chess::new(), &[], [&mut engine, &mut random], &mut RulesReferee, &rules).unwrap();
        let winner = result.outcome.winner;
        assert_eq!((result.ending.kind, winner), (kind, Some(Side::Second)), "{}", result.ending.detail);
        drop(engine);
        expect_none_left(&mark);
    }
}

#[test]
fn fairy_max_plays() {
    if installed_or_leave_out("fairymax", "fairy_max_plays") {
        plays_both_sides(
            &mut XboardEngine::new(&game_program("fairymax")).unwrap().with_option("memory", "16").with_search("sd 3"),
        );
    }
}
