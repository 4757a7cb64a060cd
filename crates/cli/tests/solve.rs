//! Perfect play in Connect Four, from the command line.

mod support;

use std::fs;
use support::{fail, run_in, succeed};

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
    assert!(random["by_chance"].as_f64().unwrap() < strong["share"].as_f64().unwrap());
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
    let [share, by_chance] = ["share", "by_chance"].map(|key| report[key].as_f64().unwrap());
    assert!((share - by_chance).abs() < 0.06, "{share} {by_chance}");
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
