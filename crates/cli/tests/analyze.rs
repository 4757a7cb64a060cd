//! Games looked at again, as a user does it.

mod support;

use afterstate_games::go::sgf::GameRecordFile;
use std::path::Path;
use support::{fail, run_in};

/// Black could kill the corner at B5, the middle of three points, and win. A5 lets White live there and win by 1.5.
const GAME: &str = "(;FF[4]GM[1]SZ[5]KM[10.5]PB[Ada]PW[Bob]RE[W+1.5]PL[B]AW[da][ab][bb][cb][db]\
                    AB[ea][eb][ac:ec][bd][dd][ae:ee];B[aa]C[Hm.]XX[unknown](;W[ba];B[];W[])(;W[ca]N[a slip];B[ba]))";

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

fn succeed_in(folder: &Path, args: &[&str]) -> String {
    let answer = run_in(folder, &[&["analyze"], args].concat(), "");
    assert!(answer.ok, "{args:?}: {}", answer.err);
    answer.out
}

#[test]
fn the_blunder_is_found_and_the_better_move_named() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "game.sgf", GAME);
    let text = succeed_in(folder.path(), &["game.sgf", "--simulations", "1000"]);
    assert!(
        text.starts_with("Ada (Black) against Bob (White), 5x5, komi 10.5, W+1.5\nmc-rave, 1000 simulations"),
        "{text}"
    );
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let blunders: Vec<&Vec<&str>> = rows.iter().filter(|row| row.first() == Some(&"1")).collect();
    assert_eq!(blunders.len(), 1, "{text}");
    assert_eq!(blunders[0][..4], ["1", "Black", "A5", "B5"], "{text}");
    // One blunder of Black's two moves, none of White's.
    let summary = |side: &str| rows.iter().rfind(|row| row.first() == Some(&side)).unwrap().clone();
    assert_eq!((summary("Black")[1], summary("Black")[4]), ("2", "1"), "{text}");
    assert_eq!((summary("White")[1], summary("White")[4]), ("2", "0"), "{text}");

    let json = succeed_in(folder.path(), &["game.sgf", "--simulations", "1000", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let first = &report["moves"][0];
    assert!(first["before"].as_f64() > Some(0.8) && first["after"].as_f64() < Some(0.2), "{first}");
    assert_eq!((&first["best"], &first["blunder"], &first["side"]), (&"B5".into(), &true.into(), &"Black".into()));
    assert_eq!(report["moves"][1]["best"], "B5");
    let settings = &report["settings"];
    assert_eq!((settings["simulations"].as_u64(), settings["search"]["threads"].as_u64()), (Some(1000), Some(1)));
    assert_eq!((&report["complete"], report["positions"].as_array().unwrap().len()), (&true.into(), 5));
    // Dead stones do not win the game that two passes end.
    assert!(report["positions"][4]["black-wins"].as_f64() < Some(0.01), "{report}");

    let none = succeed_in(folder.path(), &["game.sgf", "--from", "2", "--threshold", "25.5"]);
    assert!(none.contains("No move lost 25.5 % or more."), "{none}");
}

#[test]
fn the_same_seed_gives_the_same_files_whatever_else_they_hold() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "game.sgf", GAME);
    let analyse = |n: &str| {
        let (sgf, svg) = (format!("out/{n}.sgf"), format!("out/{n}.svg"));
        let args = ["game.sgf", "--simulations", "800", "--seed", "7", "-o", &sgf, "--svg", &svg, "--json"];
        let json = succeed_in(folder.path(), &args);
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        (json, read(&sgf), read(&svg))
    };
    let (json, sgf, svg) = analyse("1");
    assert_eq!((json, sgf.clone(), svg.clone()), analyse("2"));
    assert!(svg.starts_with("<svg") && svg.contains("Ada (Black) against Bob (White)"), "{svg}");

    let (before, after) = (GameRecordFile::read(GAME).unwrap(), GameRecordFile::read(&sgf).unwrap());
    assert_eq!((after.moves, after.black, after.result), (before.moves, before.black, before.result));
    assert!(after.comments[0].starts_with("Analysed by afterstate "), "{:?}", after.comments);
    let said: Vec<&str> = after.comments[1].lines().collect();
    assert!(said[0] == "Hm." && said[1].starts_with("Black wins ") && said[2].ends_with(". Better was B5"), "{said:?}");
    // What is unknown stays, the better line comes after the game's own, and every position has its win rate.
    assert!(sgf.contains("XX[unknown]") && sgf.contains(";W[ca]N[a slip];B[ba])"), "{sgf}");
    assert!(sgf.contains("\n(;B[ba]C[Better\\: Black wins "), "{sgf}");
    assert_eq!(sgf.matches("SBKV[").count(), 5, "{sgf}");
    // What was written can be analysed again.
    succeed_in(folder.path(), &["out/1.sgf", "--simulations", "100", "-o", "out/3.sgf"]);
}

#[test]
fn some_moves_of_a_game_are_judged_by_any_tree_search() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "game.sgf", GAME);
    let agents = ["mcts:200", "uct:200,solver=true", "rave:200", "mc-rave:200,threads=2,prior=grandfather"];
    for agent in agents.into_iter().chain(["puct:iterations=200"]) {
        let args = ["game.sgf", "--agent", agent, "--from", "2", "--to", "3", "--json"];
        let report: serde_json::Value = serde_json::from_str(&succeed_in(folder.path(), &args)).unwrap();
        let numbers: Vec<u64> =
            report["moves"].as_array().unwrap().iter().map(|judged| judged["number"].as_u64().unwrap()).collect();
        assert_eq!(numbers, [2, 3], "{agent}");
        assert_eq!(
            (&report["settings"]["agent"], report["settings"]["simulations"].as_u64()),
            (&agent.into(), Some(200))
        );
    }
}

#[test]
fn moves_have_the_numbers_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let analysed = |name: &str, text: &str, more: &[&str]| -> serde_json::Value {
        write(folder.path(), name, text);
        let args = [&[name, "--agent", "uct:100", "--json"], more].concat();
        serde_json::from_str(&succeed_in(folder.path(), &args)).unwrap()
    };
    let numbers = |report: &serde_json::Value, of: &str, key: &str| -> Vec<u64> {
        report[of].as_array().unwrap().iter().map(|entry| entry[key].as_u64().unwrap()).collect()
    };
    // Two handicap stones are moves of the file; two passes that settled nothing are left out.
    let handicap = "(;SZ[9]HA[2];B[cc];B[gg];W[ee];B[cg];W[];B[];W[dd];B[ff];W[ce])";
    let report = analysed("handicap.sgf", handicap, &[]);
    assert_eq!(numbers(&report, "moves", "number"), [3, 4, 7, 8, 9]);
    assert_eq!(numbers(&report, "positions", "moves-made"), [2, 3, 4, 7, 8, 9]);
    let report = analysed("handicap.sgf", handicap, &["--from", "8"]);
    assert_eq!(numbers(&report, "moves", "number"), [8, 9]);
    assert_eq!((&report["settings"]["from"], &report["settings"]["to"]), (&8.into(), &9.into()));
    for (from, to) in [("1", "2"), ("5", "6"), ("9", "10")] {
        let path = folder.path().join("handicap.sgf");
        let message = fail(&["analyze", path.to_str().unwrap(), "--from", from, "--to", to]);
        assert!(message.contains(&format!("--from {from} --to {to}: expected moves from 3 to 9")), "{message}");
    }
    // Black moves twice.
    let twice = "(;SZ[9];B[cc];B[gg];W[ee];B[cg];W[gc])";
    let report = analysed("twice.sgf", twice, &[]);
    assert_eq!(numbers(&report, "moves", "number"), [1, 2, 3, 4, 5]);
    assert_eq!(numbers(&report, "positions", "moves-made"), [0, 1, 2, 3, 4, 5]);
    let sides: Vec<&str> =
        report["moves"].as_array().unwrap().iter().map(|entry| entry["side"].as_str().unwrap()).collect();
    assert_eq!(sides, ["Black", "Black", "White", "Black", "White"]);
}

/// The pass between two moves of Black was made by nobody: if Black passes, the game goes on, and White has the board.
#[test]
fn who_moves_twice_is_not_told_to_pass() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "twice.sgf", "(;SZ[5]KM[-3.5];B[aa];B[cc];W[bc])");
    let args = ["twice.sgf", "--agent", "uct:2000", "--json"];
    let report: serde_json::Value = serde_json::from_str(&succeed_in(folder.path(), &args)).unwrap();
    assert_eq!(report["moves"][1]["number"], 2);
    assert!(report["moves"].as_array().unwrap().iter().all(|judged| judged["best"] != "pass"), "{report}");
}

#[test]
fn what_cannot_be_analysed_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "game.sgf", GAME);
    write(folder.path(), "empty.sgf", "(;SZ[9]AB[aa])");
    write(folder.path(), "chess.pgn", "1. e4 e5");
    write(folder.path(), "illegal.sgf", "(;SZ[9];B[aa];W[aa])");
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let game = path("game.sgf");
    for (args, expected) in [
        (vec![path("none.sgf")], "none.sgf"),
        (vec![path(".")], ""),
        (vec![path("chess.pgn")], "found '1': expected '('"),
        (vec![path("illegal.sgf")], "move 2, White A9: expected a legal move"),
        (vec![path("empty.sgf")], "expected a game with moves"),
        (vec![game.clone(), "--agent".into(), "random".into()], "expected a tree search"),
        (vec![game.clone(), "--agent".into(), "flat-mc:100".into()], "expected a tree search"),
        (vec![game.clone(), "--agent".into(), "puct".into(), "--threads".into(), "2".into()], "leave --threads out"),
        (vec![game.clone(), "--agent".into(), "mc-raev".into()], "did you mean 'mc-rave'?"),
        (vec![game.clone(), "--threshold".into(), "0".into()], "--threshold 0: expected more than 0"),
        (vec![game.clone(), "--threshold".into(), "nan".into()], "--threshold NaN: expected"),
        (vec![game.clone(), "--from".into(), "3".into(), "--to".into(), "2".into()], "--from 3 --to 2"),
        (vec![game.clone(), "--to".into(), "5".into()], "expected moves from 1 to 4"),
        (vec![game.clone(), "--from".into(), "0".into()], "expected moves from 1 to 4"),
        (vec![game.clone(), "--simulations".into(), "0".into()], "--simulations"),
        (vec![game.clone(), "--output".into(), path(".")], "expected the name of a file"),
        (vec![game.clone(), "-o".into(), path("x"), "--svg".into(), path("x")], "--svg and --output are the same file"),
    ] {
        let args: Vec<&str> = ["analyze"].into_iter().chain(args.iter().map(String::as_str)).collect();
        let message = fail(&args);
        assert!(message.contains(expected), "{args:?}: {message}");
    }
    assert!(!folder.path().join("x").exists());
}

/// Whenever Ctrl-C comes: either there is no file, or a whole one about fewer moves.
#[cfg(unix)]
#[test]
fn ctrl_c_leaves_whole_files_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let mut moves = String::new();
    for i in 0..60u8 {
        let (x, y) = (char::from(b'a' + i % 19), char::from(b'c' + 5 * (i / 19)));
        moves += &format!(";{}[{x}{y}]", if i % 2 == 0 { 'B' } else { 'W' });
    }
    write(folder.path(), "game.sgf", &format!("(;SZ[19]{moves})"));
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_afterstate"))
        .args(["analyze", "game.sgf", "--simulations", "1000", "-o", "out.sgf", "--svg", "out.svg", "--json"])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(3));
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    let mut names: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let code = output.status.code();
    if names.len() > 1 {
        // It may have come to its end before.
        assert!(matches!(code, Some(0 | 130)), "{code:?}");
        assert_eq!(names, ["game.sgf", "out.sgf", "out.svg"]);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let file = GameRecordFile::read(&std::fs::read_to_string(folder.path().join("out.sgf")).unwrap()).unwrap();
        assert_eq!(file.moves.len(), 60);
        let analysed = report["positions"].as_array().unwrap().len();
        assert_eq!(file.comments.iter().filter(|comment| comment.contains("Black wins")).count(), analysed);
        assert_eq!(report["complete"], analysed == 61);
    } else {
        assert_eq!((names, code), (vec!["game.sgf".to_string()], Some(130)));
        assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted before"), "{output:?}");
    }
}
