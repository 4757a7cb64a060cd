//! The doubling cube in the program: decisions in positions, in matches that were played, and in the terminal.

mod support;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use support::{Answer, fail, succeed};

/// A network of a few games. What is tested below does not depend on what it knows.
fn trained(folder: &Path) -> PathBuf {
    let recipe = folder.join("small.toml");
    let text = "game = \"backgammon\"\ngames = 10\nhidden = 4\n[evaluation]\ngames = 2\nopponents = 1\n";
    fs::write(&recipe, text).unwrap();
    let run = folder.join("run");
    succeed(&["train", recipe.to_str().unwrap(), "--out", run.to_str().unwrap()]);
    run
}

/// An agent that knows the chances of positions at home exactly, from a database kept in `folder`.
struct Known {
    folder: tempfile::TempDir,
    agent: String,
}

impl Known {
    fn new() -> Known {
        let folder = tempfile::tempdir().unwrap();
        let agent = format!("expectimax:{},plies=1,bear-off=true", trained(folder.path()).display());
        Known { folder, agent }
    }

    fn ask(&self, args: &[&str], input: &str) -> Answer {
        let mut child = Command::new(env!("CARGO_BIN_EXE_afterstate"))
            .args(args)
            .args(["--agent", &self.agent])
            .env("XDG_CACHE_HOME", self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        Answer { ok: output.status.success(), out, err }
    }
}

/// An XGID without the fields behind the points: X has men on its points from 1, and O on its own.
fn home(own: &str, other: &str) -> String {
    let mut points = vec!['-'; 26];
    own.chars().enumerate().for_each(|(place, men)| points[place + 1] = men);
    other.chars().enumerate().for_each(|(place, men)| points[24 - place] = men);
    format!("XGID={}", points.into_iter().collect::<String>())
}

#[test]
fn decisions_are_those_counted_by_hand() {
    let known = Known::new();
    let json = |position: &str, more: &[&str]| -> serde_json::Value {
        let answer = known.ask(&[&["evaluate", position, "--json"][..], more].concat(), "");
        assert!(answer.ok, "{}", answer.err);
        serde_json::from_str(&answer.out).unwrap()
    };
    // X bears his last man off with 27 rolls of 36, or O wins. By hand, with the efficiency 0.6 of longer races at home: without a
    // double 0.4 · 0.5 + 0.6 · (−1 + 2 · 0.55 / 0.6); with one twice 0.4 · 0.5 + 0.6 · (−1 + 2 · 0.55 / 0.8).
    let race = home("-----A", "a");
    let centred = format!("{race}:0:0:1:00:0:0:0:0:10");
    let near = |value: &serde_json::Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-4;
    let report = json(&centred, &["--efficiency", "0.6"]);
    let cube = &report["cube"];
    assert!(
        near(&cube["no-double"], 0.7) && near(&cube["double-take"], 0.85) && near(&cube["double-pass"], 1.0),
        "{report}"
    );
    assert_eq!((&cube["action"], &cube["answer"]), (&"double".into(), &"take".into()));
    assert!(near(&cube["points"]["cash-point"], 1.8 / 2.3), "{report}");
    // The last roll is the last: nothing is left of the cube.
    for more in [&[][..], &["--efficiency", "0"]] {
        let dead = json(&centred, more);
        assert!(near(&dead["cube"]["no-double"], 0.5) && near(&dead["cube"]["double-take"], 1.0), "{dead}");
    }
    // X has men on 5 and 2, and wins with 19 rolls of 36, or O does. GNU Backgammon, by its two-sided database: double and take,
    // +0.111, without a double +0.056.
    let cube = &json(&format!("{}:0:0:1:00:0:0:0:0:10", home("-A--A", "a")), &[])["cube"];
    assert_eq!((&cube["action"], &cube["answer"]), (&"double".into(), &"take".into()));
    assert!(near(&cube["no-double"], 1.0 / 18.0) && near(&cube["double-take"], 1.0 / 9.0), "{cube}");
    // At 2-away 2-away the double is for the match, and O takes with his quarter only if a pass leaves him less.
    let score = json(&format!("{race}:0:0:1:00:5:5:0:7:10"), &[]);
    assert_eq!((&score["cube"]["action"], &score["cube"]["answer"]), (&"double".into(), &"pass".into()), "{score}");
    assert!(near(&score["cube"]["match-chances"][1], 0.75), "{score}");
    // The same by GNU Backgammon's IDs, and in words.
    let id = report["position-id"].as_str().unwrap();
    assert!(near(&json(id, &[])["cube"]["no-double"], 0.5));
    let words = |position: &str| {
        let answer = known.ask(&["evaluate", position], "");
        assert!(answer.ok, "{}", answer.err);
        answer.out
    };
    assert!(words(&centred).contains("X doubles, O takes"), "{}", words(&centred));
    assert!(words(&format!("{race}:1:-1:1:00:0:0:0:0:10")).contains("X cannot double"));
    assert!(words(&format!("{race}:0:0:1:D:5:5:0:7:10")).contains("X has doubled: O passes"));
    let crawford = words(&format!("{race}:0:0:1:00:6:5:1:7:10"));
    assert!(crawford.contains("match to 7, X needs 1 and O 2, Crawford game") && crawford.contains("X cannot double"));
    // Who needs one point may double, though nothing comes of it, and the text may stand alone though it begins like an option.
    assert!(words(&format!("{race}:0:0:1:D:6:5:0:7:10")).contains("X has doubled"));
    assert!(words(&format!("{}:0:0:1:00", race.trim_start_matches("XGID="))).contains("X doubles"));
    // With a roll there is nothing to decide about the cube.
    assert!(!words(&format!("{race}:0:0:1:31:0:0:0:0:10")).contains("cube"));
    for (position, more, part) in [
        (format!("{race}:0:0:1:00:0:0:0:65:10"), &[][..], "65 points to go: expected at most 64"),
        (format!("{race}:0:0:1:00:7:0:0:7:10"), &[], "nobody has won the match"),
        (format!("{race}:0:0:1:00:0:0:0:0:10"), &["--efficiency", "2"], "--efficiency 2"),
        (format!("{race}:1:-1:1:D:0:0:0:0:10"), &[], "beavers are not evaluated"),
        (format!("{race}:0:0:1:D:6:5:1:7:10"), &[], "who may not double there"),
    ] {
        let answer = known.ask(&[&["evaluate", &position][..], more].concat(), "");
        assert!(!answer.ok && answer.err.contains(part) && answer.err.trim().lines().count() == 1, "{}", answer.err);
    }
}

#[test]
fn a_person_doubles_takes_passes_and_resigns() {
    let known = Known::new();
    let play = |position: &str, more: &[&str], input: &str| {
        let answer = known.ask(
            &[&["play", "--game", "backgammon", "--seed", "1", "--cube", "--position", position][..], more].concat(),
            input,
        );
        assert!(answer.ok, "{}", answer.err);
        answer.out
    };
    let race = home("-----A", "a");
    // O takes, and the game is worth two points whoever wins it.
    let taken =
        play(&format!("{race}:0:0:1:00"), &[], "hint\ndouble\nposition\n6/off\n6/1\n6/2\n6/3\n6/4\n6/5\nquit\n");
    assert!(taken.contains("would double  (no double +0.500, take +1.000, pass +1.000)"), "{taken}");
    assert!(taken.contains("takes: the cube is at 2.") && taken.contains(" 2 points."), "{taken}");
    assert!(taken.contains(":1:-1:1:"), "the position tells the cube and its owner: {taken}");
    // Two men on the ace point are off with any roll.
    let passed = play(&format!("{}:0:0:1:00", home("B", "a")), &[], "undo\ndouble\n");
    assert!(
        passed.contains("expected roll or double")
            && passed.contains("passes.\n")
            && passed.contains("You win 1 point."),
        "{passed}"
    );
    // O doubles.
    let doubled = format!("{}:0:0:-1:00", home("A", "-----a"));
    let said = play(&doubled, &[], "fold\nhint\nposition\npass\n");
    for part in [
        "doubles to 2. Take or pass?",
        "expected take or pass",
        "would take  (take -1.000, pass -1.000)",
        ":D:",
        "wins 1 point.",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(play(&doubled, &[], "take\nroll\n1/off\n").contains(" 2 points."));
    // With 17 rolls of 36 a man is off before O is done, with 19 the game is a gammon: a plain game is not enough, but by the
    // Jacoby rule it is.
    let lost = format!("{}:0:0:1:00", home("-----O", "a"));
    let said = play(&lost, &[], "resign\nresign gammon\n");
    assert!(
        said.contains("declines: playing on is worth +1.528, the resignation +1.000")
            && said.contains("wins 2 points."),
        "{said}"
    );
    assert!(play(&lost, &["--jacoby"], "resign\n").contains("wins 1 point."));
    // Cube and score come with the position: with four points each and the cube at 2 the game is the match.
    let score = play(&format!("{}:1:1:1:00:4:4:0:6:10", home("A", "a")), &[], "roll\n1/off\n");
    assert!(
        score.contains("Match to 6: you 4, ")
            && score.contains("You win 2 points.")
            && score.contains("You win the match."),
        "{score}"
    );
    for (cube, why) in [
        ("0:0:1:00:5:4:1:6:10", "Nobody doubles in the Crawford game."),
        ("1:1:1:00:4:4:0:6:10", "nothing to double for"),
        ("1:-1:1:00", "The cube is expectimax"),
        ("0:0:1:11", "You have rolled already"),
    ] {
        let said = play(&format!("{}:{cube}", home("A", "a")), &[], "double\n1/off\n");
        assert!(said.contains(why) && said.contains("You win"), "{why}: {said}");
    }
    let offered = known.ask(&["play", "--game", "backgammon", "--cube", "--position", &format!("{race}:0:0:1:D")], "");
    assert!(!offered.ok && offered.err.contains("a double was offered there"), "{}", offered.err);
    // A match goes on until a side has its points; here every game is given up.
    let input = "resign backgammon\n".repeat(20);
    let answer = known.ask(&["play", "--game", "backgammon", "--length", "4", "--seed", "3"], &input);
    assert!(answer.ok && answer.out.contains("Match to 4: you 0, "), "{}{}", answer.out, answer.err);
    assert!(answer.out.contains("Crawford game") && answer.out.contains("wins the match."), "{}", answer.out);
    for (args, part) in [
        (&["play", "--game", "go5", "--cube"][..], "only backgammon has a doubling cube"),
        (&["play", "--game", "backgammon", "--cube", "--agent", "random"], "agent 'random' and the cube"),
        (
            &["play", "--game", "backgammon", "--length", "0", "--agent", "random"],
            "a match to 0 points: expected 1 to 64",
        ),
    ] {
        assert!(fail(args).contains(part), "{}", fail(args));
    }
}

#[test]
fn decisions_of_a_match_are_judged() {
    let folder = tempfile::tempdir().unwrap();
    let agent = format!("greedy:{}", trained(folder.path()).display());
    let path = folder.path().join("match.mat");
    let text = " 3 point match\n\n Game 1\n Ada : 0                        Bob : 0\n  \
                1) 31: 8/5 6/5                 42: 8/4 6/4\n  2)  Doubles => 2                Takes\n  \
                3) 65: 24/13                   61: 13/7 8/7\n  4) 52: 13/8 13/11              Doubles => 4\n  \
                5)  Drops\n                                   Wins 2 points\n\n Game 2\n \
                Ada : 0                        Bob : 2\n  1)                             21: 13/11 24/23\n  \
                2) 52: 13/8 24/22              63: 24/18 13/10\n";
    fs::write(&path, text).unwrap();
    let file = path.to_str().unwrap();
    let report: serde_json::Value =
        serde_json::from_str(&succeed(&["analyze", file, "--agent", &agent, "--json"])).unwrap();
    let cubes = report["cube"].as_array().unwrap();
    let told = |choice: &str| cubes.iter().filter(|cube| cube["choice"] == choice).collect::<Vec<_>>();
    let (doubles, answers) = (told("doubled"), [told("took"), told("passed")].concat());
    assert_eq!((doubles.len(), answers.len()), (2, 2), "{report}");
    // The positions say the cube, the score and who has doubled; nothing is judged in the Crawford game.
    assert!(doubles[0]["xgid"].as_str().unwrap().contains(":0:0:1:00:0:0:0:3:10"), "{report}");
    assert!(answers[1]["xgid"].as_str().unwrap().contains(":1:-1:-1:D:0:0:0:3:10"), "{report}");
    assert!(cubes.iter().all(|cube| cube["game"] == 1 && cube["loss"].as_f64().unwrap() >= 0.0), "{report}");
    for player in report["players"].as_array().unwrap() {
        let lost: f64 = cubes
            .iter()
            .filter(|cube| cube["player"] == player["name"])
            .map(|cube| cube["loss"].as_f64().unwrap())
            .sum();
        assert!((player["cube"]["loss"].as_f64().unwrap() - lost).abs() < 1e-9, "{report}");
        assert_eq!(player["cube"]["doubles"], 1);
    }
    let shown = succeed(&["analyze", file, "--agent", &agent, "--threshold", "0.001"]);
    assert!(shown.contains("cube decisions") && shown.contains("match to 3, 2 games"), "{shown}");
    assert!(fail(&["analyze", file, "--agent", &agent, "--jacoby"]).contains("--jacoby is a rule of money play"));
    // GNU Backgammon's files say nothing of it where there was no cube.
    let no_cube = ["analyze", file, "--agent", &agent, "--no-cube", "--json"];
    assert!(fail(&no_cube).contains("--no-cube: somebody doubles in game 1"));
    let plays = " 3 point match\n\n Game 1\n Ada : 0 Bob : 0\n 1) 31: 8/5 6/5   42: 8/4 6/4\n 2) 52: 13/8 13/11\n";
    fs::write(&path, plays).unwrap();
    let report: serde_json::Value = serde_json::from_str(&succeed(&no_cube)).unwrap();
    assert!(report["cubeless"] == true && report["cube"].as_array().unwrap().is_empty(), "{report}");
    fs::write(&path, text.replace("Bob : 2", "Bob : 3")).unwrap();
    let message = fail(&["analyze", file, "--agent", &agent]);
    assert!(message.contains("game 2 begins with the match won already"), "{message}");
}
