//! `tune` as a user runs it.

mod support;

use serde_json::Value;
use support::{fail, run, run_in, succeed};

const AGENT: &str = "uct:60,exploration={0.2:0.2}";

fn tune(agent: &str, more: &[&str]) -> String {
    succeed(&[&["tune", agent, "--game", "tic-tac-toe", "--opening", "1"], more].concat())
}

#[test]
fn numbers_move_and_the_agent_is_written_out() {
    let text = tune(AGENT, &["--games", "40", "--rate", "0.05"]);
    assert!(text.lines().next().unwrap().starts_with("number"), "{text}");
    assert!(text.contains("\nexploration ") && text.contains("after 40 games: uct:60,exploration=0."), "{text}");
    let report: Value = serde_json::from_str(&tune(AGENT, &["--games", "40", "--rate", "0.05", "--json"])).unwrap();
    assert_eq!((&report["pairs"], &report["game"]), (&20.into(), &"tic-tac-toe".into()));
    let value = report["values"][0].as_f64().unwrap();
    assert!(text.contains(&format!("exploration={value:.3}")), "equal seeds give equal numbers: {value} and {text}");
    assert_ne!(value, 0.2);
    let tally = &report["tally"];
    let games: u64 = ["wins", "draws", "losses"].iter().map(|kind| tally[kind].as_u64().unwrap()).sum();
    assert_eq!(games, 40);
}

#[test]
fn a_run_goes_on_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tuned.json");
    let svg = folder.path().join("course.svg");
    let (file, svg) = (file.to_str().unwrap(), svg.to_str().unwrap());
    let whole: Value = serde_json::from_str(&tune(AGENT, &["--games", "60", "--json"])).unwrap();
    tune(AGENT, &["--games", "60", "--out", file, "--svg", svg]);
    assert!(std::fs::read_to_string(svg).unwrap().starts_with("<svg"));
    // As if it had been killed after 10 pairs.
    let mut kept: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(kept["values"], whole["values"]);
    let tenth = kept["course"].as_array().unwrap().iter().find(|point| point[0] == 10).unwrap().clone();
    kept["pairs"] = 10.into();
    kept["values"] = tenth[1].clone();
    kept["course"].as_array_mut().unwrap().retain(|point| point[0].as_u64() <= Some(10));
    std::fs::write(file, kept.to_string()).unwrap();
    let again: Value =
        serde_json::from_str(&tune(AGENT, &["--games", "60", "--out", file, "--workers", "2", "--json"])).unwrap();
    assert_eq!(again["pairs"], 30);
    let one_after_the_other: Value = {
        std::fs::write(file, kept.to_string()).unwrap();
        serde_json::from_str(&tune(AGENT, &["--games", "60", "--out", file, "--json"])).unwrap()
    };
    assert_eq!(one_after_the_other["values"], whole["values"]);
    let done = tune(AGENT, &["--games", "60", "--out", file]);
    assert!(done.contains("after 60 games"), "nothing is left to play: {done}");
    let other = ["tune", "uct:50,exploration={0.2:0.2}", "--game", "tic-tac-toe", "--opening", "1", "--games", "60"];
    let error = fail(&[&other[..], &["--out", file]].concat());
    assert!(error.contains("is of other games: agent is \"uct:60,"), "{error}");
    let error = fail(&["tune", AGENT, "--game", "tic-tac-toe", "--opening", "1", "--games", "80", "--out", file]);
    assert!(error.contains("games is 60 there and 80 now"), "{error}");
    kept["values"].as_array_mut().unwrap().push(1.0.into());
    std::fs::write(file, kept.to_string()).unwrap();
    let error = fail(&["tune", AGENT, "--game", "tic-tac-toe", "--opening", "1", "--games", "60", "--out", file]);
    assert!(error.contains("damaged"), "{error}");
    std::fs::write(file, "{").unwrap();
    let error = fail(&[&other[..], &["--out", file]].concat());
    assert!(error.contains("expected what `afterstate tune` wrote"), "{error}");
}

#[test]
fn what_cannot_be_tuned_is_said_before_the_first_game() {
    let wrong = |agent: &str, more: &[&str]| fail(&[&["tune", agent, "--game", "tic-tac-toe"], more].concat());
    for (agent, expected) in [
        ("uct:60", "{START:STEP}"),
        ("uct:{60:x}", "'x': expected a number"),
        ("uct:{60:0}", "above 0"),
        ("nobody:{60:5}", "agent 'nobody:60': expected random, "),
        ("uct:60,wrong={1:1}", "unknown setting 'wrong'"),
        ("greedy:nowhere,epsilon={0.5:0.1}", "nowhere"),
        ("greedy,epsilon={0.9:0.2:0:2}", "checkpoint"),
    ] {
        let error = wrong(agent, &[]);
        assert!(error.contains(expected), "{agent}: {error}");
    }
    for (more, expected) in [
        (["--games", "7"], "an even number"),
        (["--rate", "0"], "--rate 0: expected a number above 0"),
        (["--out", "-"], "expected the name of a file"),
    ] {
        let error = wrong(AGENT, &more);
        assert!(error.contains(expected), "{more:?}: {error}");
    }
}

#[test]
fn numbers_of_the_tournament_search_are_tuned() {
    let agent = "tournament-search:material,nodes=300,tunables=delta={150:30}+reverse-futility={80:15}";
    let answer = run(&["tune", agent, "--game", "chess", "--games", "4", "--draw", "--win", "--workers", "2"]);
    assert!(answer.ok, "{}", answer.err);
    for expected in ["\ndelta ", "\nreverse-futility ", "tunables=delta=1", "after 4 games: tournament-search:material"]
    {
        assert!(answer.out.contains(expected), "{expected}: {}", answer.out);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_is_being_written_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let [file, lock] = ["tuned.json", ".tuned.json.lock"].map(|name| folder.path().join(name));
    let held = std::fs::File::create(&lock).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::NonBlockingLockExclusive).unwrap();
    let args =
        ["tune", AGENT, "--game", "tic-tac-toe", "--opening", "1", "--games", "4", "--out", file.to_str().unwrap()];
    let error = fail(&args);
    assert!(error.contains("tuned.json: another process is writing it"), "{error}");
    drop(held);
    succeed(&args);
    assert!(file.is_file() && !lock.exists());
}

/// A program that has gone has not lost: what is left can be played when it is back.
#[cfg(unix)]
#[test]
fn a_program_that_no_longer_starts_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let engine = |starts: u32| {
        let program = env!("CARGO_BIN_EXE_afterstate");
        let script = format!(
            "n=$(cat starts || echo 0); echo $((n + 1)) > starts; [ $n -lt {starts} ] && exec '{program}' uci --agent random\n"
        );
        std::fs::write(folder.path().join("engine.sh"), script).unwrap();
    };
    let args = [
        "tune",
        "uci:sh engine.sh,options=\"MultiPV={2:1:1:4}\"",
        "--game",
        "chess",
        "--games",
        "16",
        "--move-limit",
        "12",
        "--out",
        "tuned.json",
    ];
    let kept = || -> Value {
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("tuned.json")).unwrap()).unwrap()
    };
    // It is started once before the first game, and twice for each.
    engine(1 + 3 * 4);
    let answer = run_in(folder.path(), &args, "");
    assert!(!answer.ok && answer.err.contains("neither side could start in 4 pairs"), "{}", answer.err);
    assert_eq!((&kept()["pairs"], kept()["faults"].as_array().unwrap().len()), (&3.into(), 0));
    engine(1000);
    let answer = run_in(folder.path(), &args, "");
    assert!(answer.ok, "{}", answer.err);
    assert_eq!(kept()["pairs"], 8);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_in_the_middle_of_a_game() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_afterstate"))
        .args(["tune", "uct:100000000,exploration={0.2:0.2}", "--game", "go9", "--games", "4", "--out", "tuned.json"])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while !folder.path().join(".tuned.json.lock").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    // The handler is there before the first game; a game takes hours.
    std::thread::sleep(std::time::Duration::from_secs(1));
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let kept = std::fs::read_to_string(folder.path().join("tuned.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&kept).unwrap()["pairs"], 0);
    assert!(!folder.path().join(".tuned.json.lock").exists());
}
