//! How well networks know games that others played, as a user asks.

mod support;

use std::fs;
use std::path::Path;
use support::{fail, succeed};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The lines of the report by network.
fn lines(args: &[&str]) -> Vec<serde_json::Value> {
    serde_json::from_str(&succeed(args)).unwrap()
}

#[test]
fn networks_are_compared_by_games_they_have_not_seen() {
    let folder = tempfile::tempdir().unwrap();
    let [seen, new] = ["seen.jsonl", "new.jsonl"].map(|name| folder.path().join(name));
    for (log, seed) in [(&seen, "1"), (&new, "2")] {
        let players = ["match", "--game", "tic-tac-toe", "uct:60,solver=true", "random", "--games", "60"];
        succeed(&[&players[..], &["--seed", seed, "--log", text(log)]].concat());
    }
    let recipe = folder.path().join("recipe.toml");
    let learning = "game = 'tic-tac-toe'\nsteps = 12\nthreads = 1\n[replay]\nstep = 60\nbatches = 8\nbatch = 32\n[evaluation]\ngames = 0\n";
    fs::write(&recipe, format!("games = ['{}']\n{learning}", seen.display())).unwrap();
    let run = folder.path().join("run");
    succeed(&["train", text(&recipe), "--out", text(&run)]);

    let turned = format!("puct:{},symmetries=true", run.display());
    let args = ["foretell", text(&run), &turned, "puct:uniform", "--games", text(&new)];
    let found = lines(&[&args[..], &["--json"]].concat());
    let mean = |line: usize, what: &str| found[line][what]["mean"].as_f64().unwrap();
    assert_eq!(found[0]["network"], text(&run));
    assert_eq!((&found[0]["games"], &found[0]["positions"]), (&60.into(), &found[2]["positions"]));
    // Who knows nothing is between ln 1 and ln 9 surprised, and wrong by a quarter where nobody draws.
    assert!((0.0..9f64.ln()).contains(&mean(2, "policy")) && mean(2, "outcome") <= 0.25);
    assert!(mean(0, "policy") < mean(2, "policy") && mean(0, "outcome") < mean(2, "outcome"), "{found:?}");
    assert!(mean(0, "choice") > mean(2, "choice"), "{found:?}");
    assert_ne!(mean(1, "policy"), mean(0, "policy"));
    // One of the players thinks.
    assert!(mean(0, "searched") > 0.0 && found[0]["policy"]["margin"].as_f64().unwrap() > 0.0);

    let table = succeed(&args);
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[0].starts_with("network ") && rows[0].contains("searched"), "{table}");
    assert_eq!(rows[3].split_whitespace().next(), Some("puct:uniform"));
    assert_eq!(rows[5], format!("{} positions of 60 games", found[0]["positions"]));
    // A folder is all logs in it.
    let both = lines(&["foretell", "puct:uniform", "--games", text(folder.path()), "--json"]);
    assert_eq!(both[0]["games"], 120);
}

#[test]
fn games_of_go_are_read_with_their_board_and_komi() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("go.jsonl");
    succeed(&["match", "--size", "5", "--komi", "4.5", "random", "random", "--games", "4", "--log", text(&log)]);
    let found = lines(&["foretell", "puct:uniform", "--games", text(&log), "--json"]);
    assert_eq!(found[0]["games"], 4);
    assert_eq!(found[0]["outcome"]["mean"], 0.25);
    assert!(found[0]["searched"].is_null(), "nobody thought");
}

#[test]
fn what_cannot_be_asked_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let [log, chess, none] = ["log.jsonl", "chess.jsonl", "none"].map(|name| folder.path().join(name));
    succeed(&["match", "--game", "connect-four", "random", "random", "--games", "2", "--log", text(&log)]);
    succeed(&["match", "--game", "chess", "random", "random", "--games", "1", "--log", text(&chess)]);
    fs::create_dir(&none).unwrap();
    for (args, expected) in [
        (["random", text(&log)], "expected a network"),
        (["puct:uniform,playout=usual", text(&log)], "leave them out"),
        (["puct:no-such-run", text(&log)], "no-such-run"),
        (["puct:uniform", text(&chess)], "games of chess: expected go, connect-four or tic-tac-toe"),
        (["puct:uniform", text(&none)], "no log of a match"),
        (["puct:uniform", "no-such-log"], "no-such-log"),
    ] {
        let message = fail(&["foretell", args[0], "--games", args[1]]);
        assert!(message.contains(expected), "{args:?}: {message}");
    }
    let twice = fail(&["foretell", "puct:uniform", "--games", text(&log), text(&log)]);
    assert!(twice.contains("log.jsonl: given twice"), "{twice}");
}
