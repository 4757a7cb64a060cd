//! Perfect play in Connect Four, from the command line.

mod support;

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;
use support::{fail, run, run_in, succeed};

#[test]
fn positions_are_solved_in_both_notations() {
    // X has three in a row with both ends free, and O is to move.
    let rows = "......./......./......./......./......./.XXX.OO";
    let said = succeed(&["solve", rows]);
    assert!(said.contains("X wins in 2 moves") && said.contains("column"), "{said}");
    let report = succeed(&["solve", rows, "264737", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!((report[0]["result"].as_str(), report[0]["plies"].as_u64()), (Some("X"), Some(2)), "{report}");
    let moves = report[0]["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 7);
    assert!(moves.iter().all(|mv| mv["result"] == "X" && mv["plies"] == 1), "{report}");
    // X at 2, 4 and 3 on the bottom, O at 6, 7 and 7: X wins at once.
    assert_eq!((report[1]["result"].as_str(), report[1]["plies"].as_u64()), (Some("X"), Some(1)), "{report}");
}

#[test]
fn a_suite_is_made_and_an_agent_measured_by_it() {
    let folder = tempfile::tempdir().unwrap();
    let made = succeed(&["solve", "--make", "12", "--discs", "18-30", "--seed", "3"]);
    assert_eq!(made, succeed(&["solve", "--make", "12", "--discs", "18-30", "--seed", "3"]));
    assert_eq!(made.lines().filter(|line| !line.starts_with('#')).count(), 12);
    let suite = folder.path().join("values.txt");
    fs::write(&suite, &made).unwrap();
    let ask = |agent: &str| {
        let answer = run_in(folder.path(), &["solve", "--suite", "values.txt", "--agent", agent, "--json"], "");
        assert!(answer.ok, "{}", answer.err);
        serde_json::from_str::<serde_json::Value>(&answer.out).unwrap()
    };
    let (random, strong) = (ask("random"), ask("uct:20000,solver=true"));
    assert_eq!(strong["positions"], 12);
    assert!(strong["kept"].as_u64().unwrap() >= 9, "{strong}");
    assert!(random["by-chance"].as_f64().unwrap() < strong["share"].as_f64().unwrap());
    let said = succeed(&["solve", "--suite", suite.to_str().unwrap(), "--agent", "puct:uniform,iterations=50"]);
    assert!(said.contains("moves keep the value"), "{said}");
}

#[test]
fn the_suite_of_the_project_can_be_read() {
    let suite = concat!(env!("CARGO_MANIFEST_DIR"), "/../../suites/connect-four/values.txt");
    let said = succeed(&["solve", "--suite", suite, "--agent", "random", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(report["positions"], 1000);
    // A random player keeps what chance keeps.
    let [share, by_chance] = ["share", "by-chance"].map(|key| report[key].as_f64().unwrap());
    assert!((share - by_chance).abs() < 0.06, "{share} {by_chance}");
}

#[test]
fn an_opening_table_is_made_gone_on_with_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("openings.c4o");
    let file = file.to_str().unwrap();
    let late = "......./......./......./......./......./.XXX.OO";
    let with = |more: &[&'static str]| [&["solve", late, "--outcome", "--openings", file][..], more].concat();
    // What a table of so few positions holds takes minutes. A part of it is a table too, which is gone on with.
    let mut child = Command::new(env!("CARGO_BIN_EXE_afterstate"))
        .args(with(&["--opening-discs", "8"]))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while fs::metadata(file).is_err() {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = fs::read(file).unwrap();
    assert!(kept.starts_with(b"afterstate c4o 1"));
    let message = fail(&with(&["--opening-discs", "5"]));
    assert!(message.contains("openings.c4o: holds positions with 8 discs: leave --opening-discs out"), "{message}");
    fs::write(file, &kept[..kept.len() - 1]).unwrap();
    assert!(fail(&with(&[])).contains("not a whole opening table"));
    // A file is no folder.
    let nowhere = format!("{file}/below.c4o");
    assert!(fail(&["solve", late, "--openings", &nowhere]).contains("below.c4o"));
    assert!(run(&["solve", late, "--opening-discs", "4"]).err.contains("--openings"));
}

#[test]
fn who_wins_is_quicker_than_when() {
    let said = succeed(&["solve", "--outcome", "444442", "264737", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(report[1]["result"], "X");
    assert!(report[0].get("plies").is_none() && report[0]["moves"].as_array().unwrap().len() == 7, "{said}");
}

#[test]
fn mistakes_are_named() {
    assert!(fail(&["solve", "--make", "3", "--discs", "30-8"]).contains("as in 8-30"));
    assert!(fail(&["solve", "4448"]).contains("a column from 1 to 7"));
    assert!(fail(&["solve", "4444444"]).contains("move 7 is not legal"));
    let folder = tempfile::tempdir().unwrap();
    let suite = folder.path().join("values.txt");
    fs::write(&suite, "......./......./......./......./......./XXX.OO.\n").unwrap();
    let message = fail(&["solve", "--suite", suite.to_str().unwrap(), "--agent", "random"]);
    assert!(message.contains("values.txt") && message.contains("line 1: expected a position and columns"), "{message}");
}
