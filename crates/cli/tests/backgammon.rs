//! Backgammon in the program: learnt, killed and gone on with, played, and measured.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::{fail, run, run_in, succeed};

const RECIPE: &str = "game = \"backgammon\"\ngames = 60\nhidden = 5\n\
                      [checkpoints]\nfirst = 20\nper-decade = 3\n\
                      [evaluation]\ngames = 4\nopponents = 1\n";

/// A run of a few games.
fn trained(folder: &Path, text: &str) -> PathBuf {
    let recipe = folder.join("small.toml");
    fs::write(&recipe, text).unwrap();
    let run = folder.join("run");
    let said = succeed(&["train", recipe.to_str().unwrap(), "--out", run.to_str().unwrap()]);
    assert!(
        said.contains("Learnt from 60 games") && said.contains("play --game backgammon --agent expectimax:"),
        "{said}"
    );
    run
}

#[test]
fn what_was_learnt_plays_matches_with_points() {
    let folder = tempfile::tempdir().unwrap();
    let run = trained(folder.path(), RECIPE);
    let greedy = format!("greedy:{}", run.display());
    let arguments = ["match", "--game", "backgammon", &greedy, "random", "--games", "40", "--workers", "2", "--json"];
    let text = succeed(&arguments);
    assert_eq!(text, succeed(&arguments), "dice and players are seeded");
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let points = &report["points-per-game"];
    let count = |key: &str| points[key].as_array().unwrap().iter().map(|games| games.as_u64().unwrap()).sum::<u64>();
    assert_eq!(count("won") + count("lost"), 40);
    assert!(points["margin"].as_f64().unwrap() > 0.0);
    let pair = succeed(&["match", "--game", "backgammon", &greedy, "random", "--games", "2", "--json"]);
    let pair: serde_json::Value = serde_json::from_str(&pair).unwrap();
    assert_eq!(pair["points-per-game"]["margin"], "inf");
    // Players that are the same have the same dice from either side: every pair of games is shared.
    let same = succeed(&["match", "--game", "backgammon", &greedy, &greedy, "--games", "10"]);
    assert!(same.contains("50.0%"), "{same}");
    assert!(same.contains("points per game +0.000, 95 % interval +0.000"), "{same}");
}

#[test]
fn searches_teach_from_the_beginning_or_from_what_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let known = trained(folder.path(), RECIPE);
    let recipe = folder.path().join("by-search.toml");
    for learner in ["td-directed", "td-leaf", "tree-strap"] {
        let text = format!(
            "game = \"backgammon\"\nlearner = \"{learner}\"\ngames = 4\nhidden = 5\nfirst-weights = \"{}@20\"\n\
             [search]\nplies = 2\nkeep = 2\n[evaluation]\ngames = 2\nopponents = 1\n",
            known.display()
        );
        fs::write(&recipe, text).unwrap();
        let (recipe, run) = (recipe.to_str().unwrap(), folder.path().join(learner));
        let said = succeed(&["train", recipe, "--out", run.to_str().unwrap(), "--games", "2"]);
        assert!(said.contains("Learnt from 2 games"), "{said}");
        succeed(&["train", recipe, "--out", run.to_str().unwrap(), "--resume"]);
        let whole = folder.path().join(format!("{learner}-whole"));
        succeed(&["train", recipe, "--out", whole.to_str().unwrap()]);
        let weights = |run: &Path| last_tensor(&fs::read(run.join("checkpoints/000000004.safetensors")).unwrap());
        assert_eq!(weights(&run), weights(&whole), "{learner}");
    }
    fs::write(&recipe, "game = \"backgammon\"\nhidden = 9\nfirst-weights = \"nowhere/at-all\"\n").unwrap();
    let out = folder.path().join("never");
    let message = fail(&["train", recipe.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert!(message.contains("first-weights") && message.contains("nowhere"), "{message}");
    let text = format!("game = \"backgammon\"\nhidden = 9\nfirst-weights = \"{}\"\n", known.display());
    fs::write(&recipe, text).unwrap();
    let message = fail(&["train", recipe.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert!(message.contains("5 hidden units, the recipe says hidden = 9"), "{message}");
}

#[test]
fn a_network_learns_to_look_at_what_experts_count() {
    let folder = tempfile::tempdir().unwrap();
    let known = trained(folder.path(), RECIPE);
    let recipe = folder.path().join("expert.toml");
    let text = |inputs: &str, from: &Path| {
        let from = from.display();
        format!("game = \"backgammon\"\ninputs = \"{inputs}\"\ngames = 3\nhidden = 5\nfirst-weights = \"{from}\"\n")
    };
    let mut from = known;
    for inputs in ["expert", "phases"] {
        fs::write(&recipe, text(inputs, &from)).unwrap();
        let (recipe, run) = (recipe.to_str().unwrap(), folder.path().join(inputs));
        succeed(&["train", recipe, "--out", run.to_str().unwrap(), "--games", "2"]);
        succeed(&["train", recipe, "--out", run.to_str().unwrap(), "--resume"]);
        let agent = format!("expectimax:{}", run.display());
        succeed(&["match", "--game", "backgammon", &agent, "random", "--games", "2"]);
        from = run;
    }
    // What it learnt to look at is not forgotten silently.
    for (inputs, from, said) in [("td-gammon", "expert", "expert"), ("expert", "phases", "phases")] {
        fs::write(&recipe, text(inputs, &folder.path().join(from))).unwrap();
        let out = folder.path().join("never");
        let message = fail(&["train", recipe.to_str().unwrap(), "--out", out.to_str().unwrap()]);
        assert!(message.contains(&format!("inputs = \"{said}\"")), "{message}");
    }
}

#[test]
fn a_run_in_parts_ends_as_one_without_a_break() {
    let folder = tempfile::tempdir().unwrap();
    for lambda in ["0.7", "0.0"] {
        let text = format!("{RECIPE}[td]\nlambda = {lambda}\n");
        let recipe = folder.path().join("recipe.toml");
        fs::write(&recipe, text).unwrap();
        let recipe = recipe.to_str().unwrap();
        let weights = |run: &Path| fs::read(run.join("checkpoints/000000060.safetensors")).unwrap();
        let (whole, parts) =
            (folder.path().join(format!("whole{lambda}")), folder.path().join(format!("parts{lambda}")));
        succeed(&["train", recipe, "--out", whole.to_str().unwrap()]);
        // With traces it matters how many turns the games before a break took.
        for games in ["25", "26", "27"] {
            let more = if games == "25" { &["--games", games][..] } else { &["--games", games, "--resume"][..] };
            succeed(&[&["train", recipe, "--out", parts.to_str().unwrap()][..], more].concat());
        }
        succeed(&["train", recipe, "--out", parts.to_str().unwrap(), "--resume"]);
        assert_eq!(last_tensor(&weights(&whole)), last_tensor(&weights(&parts)));
        // Two threads learn something else, but they learn.
        let two = folder.path().join(format!("two{lambda}"));
        succeed(&["train", recipe, "--out", two.to_str().unwrap(), "--threads", "2"]);
    }
}

/// The bytes of a checkpoint behind its header.
fn last_tensor(bytes: &[u8]) -> Vec<u8> {
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    bytes[8 + length..].to_vec()
}

#[test]
fn a_person_plays_with_dice_hints_and_moves_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let agent = format!("expectimax:{},plies=1", trained(folder.path(), RECIPE).display());
    // With this seed X begins.
    let arguments = ["play", "--game", "backgammon", "--agent", &agent, "--seed", "1"];
    let answer = run_in(folder.path(), &arguments, "hint\nposition\n31\nmoves\nresign\n");
    assert!(answer.ok, "{}", answer.err);
    for part in
        ["You roll ", "would play ", " points for X, ", "XGID=-b----E-C---eE---c-e----B-:0:0:1:", "pips", "You resign."]
    {
        assert!(answer.out.contains(part), "{part}: {}", answer.out);
    }
    let start = "XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:0:0:10";
    let answer = run_in(folder.path(), &["play", "--game", "backgammon", "--position", start], "moves\nquit\n");
    assert!(answer.out.contains("8/4 6/4, "), "{}{}", answer.out, answer.err);
    let position = format!("XGID=-A{}a-:0:0:1:61:0:0:0:0:10", "-".repeat(22));
    let answer = run_in(folder.path(), &["play", "--game", "backgammon", "--position", &position], "1/off\n");
    assert!(answer.out.contains("You win.\n"), "{}{}", answer.out, answer.err);
    // A man of the other side is still on the bar.
    let position = "XGID=bA-----------------cdcc---:0:0:1:31:0:0:0:0:10";
    let answer = run_in(folder.path(), &["play", "--game", "backgammon", "--position", position], "1/off\n");
    assert!(answer.out.contains("You win a backgammon.\n"), "{}{}", answer.out, answer.err);
}

#[test]
fn positions_are_valued_and_their_plays_ranked() {
    let folder = tempfile::tempdir().unwrap();
    let agent = format!("expectimax:{},keep=3,margin=6", trained(folder.path(), RECIPE).display());
    let text = succeed(&["evaluate", "4HPwATDgc/ABMA", "--dice", "31", "--agent", &agent, "--plays", "4"]);
    for part in ["X to play 31", "before the roll ", "wins ", "loses ", "plies"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json = succeed(&["evaluate", "4HPwATDgc/ABMA", "--dice", "31", "--agent", &agent, "--plays", "4", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let plays = report["plays"].as_array().unwrap();
    assert_eq!((plays.len(), report["legal-plays"].as_u64()), (4, Some(16)));
    assert_eq!(plays.iter().map(|play| play["plies"].as_u64().unwrap()).collect::<Vec<_>>(), [2, 2, 2, 1]);
    assert_eq!(plays[0]["difference"].as_f64(), Some(0.0));
    // Pruning takes time away, and nothing else.
    let whole = succeed(&[
        "evaluate",
        "4HPwATDgc/ABMA",
        "--dice",
        "31",
        "--agent",
        &format!("{agent},pruning=none"),
        "--plays",
        "4",
        "--json",
    ]);
    let whole: serde_json::Value = serde_json::from_str(&whole).unwrap();
    for (pruned, play) in plays.iter().zip(whole["plays"].as_array().unwrap()) {
        assert_eq!(pruned["play"], play["play"]);
        assert!((pruned["equity"].as_f64().unwrap() - play["equity"].as_f64().unwrap()).abs() < 1e-5);
    }
    // O owns the cube, so that X cannot have doubled.
    let owned = "XGID=-b----E-C---eE---c-e----B-:1:-1:1:D:0:0:0:0:10";
    assert!(fail(&["evaluate", owned, "--agent", &agent]).contains("by who may not double there"));
    // The dice may stand in a match ID.
    let text = succeed(&["evaluate", "4HPwATDgc/ABMA:QYkqASAAIAAA", "--agent", &agent]);
    assert!(text.contains("X to play 52"), "{text}");
    assert!(fail(&["evaluate", "4HPwATDgc/ABMA:QYkq", "--agent", &agent]).contains("match ID 'QYkq'"));
    // Chances are of as many plies as the equity that they come to.
    let json = succeed(&["evaluate", "4HPwATDgc/ABMA", "--agent", &format!("{agent},plies=2"), "--json"]);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let chances: Vec<f64> = report["chances"].as_array().unwrap().iter().map(number).collect();
    let [win, gammon, backgammon, lost_gammon, lost_backgammon] = chances[..] else { panic!("{chances:?}") };
    let points = 2.0 * win - 1.0 + gammon + backgammon - lost_gammon - lost_backgammon;
    assert!((points - number(&report["equity"])).abs() < 1e-4, "{points}, {}", report["equity"]);
    // Played out, with the same result by any number of threads.
    let greedy = agent.replacen("expectimax:", "greedy:", 1).split(',').next().unwrap().to_string();
    let rolled_out = |more: &[&str]| {
        let base = ["evaluate", "4HPwATDgc/ABMA", "--agent", &greedy, "--plays", "2", "--rollout", "20"];
        succeed(&[&base[..], more].concat())
    };
    let plays = rolled_out(&["--dice", "31", "--truncate", "4"]);
    assert!(plays.contains("rolled out") && plays.contains(" ± "), "{plays}");
    let position = rolled_out(&["--json"]);
    assert_eq!(rolled_out(&["--threads", "3", "--json"]), position);
    let report: serde_json::Value = serde_json::from_str(&position).unwrap();
    assert_eq!(report["rollout"]["trials"], 20);
    assert!(report["rollout"]["equity"].as_f64().unwrap().abs() < 3.0);
    assert!(fail(&["evaluate", "4HPwATDgc/ABMA", "--agent", &greedy, "--truncate", "3"]).contains("--rollout"));
    let message = fail(&["evaluate", "4HPwATDgc/ABMA", "--agent", "random"]);
    assert!(message.contains("use greedy or expectimax"), "{message}");
}

#[test]
fn mistakes_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let run_folder = trained(folder.path(), RECIPE);
    let agent = |text: &str| text.replace("RUN", run_folder.to_str().unwrap());
    for (first, part) in [
        ("uct:100", "backgammon has dice"),
        ("greedy:RUN,epsilon=0.1", "the dice explore"),
        ("greedy:nowhere/at/all", "nowhere/at/all"),
        ("expectimax:RUN,plies=9", "expected a whole number from 1 to 4"),
        ("expectimax:RUN,pruning=star3", "expected none, star1 or star2"),
        ("gnubg:0,command=no-such-gnubg", "no-such-gnubg"),
    ] {
        let message = fail(&["match", "--game", "backgammon", &agent(first), "random", "--games", "2"]);
        assert!(message.contains(part), "{first}: {message}");
    }
    let message = fail(&["match", "--game", "connect-four", "gnubg", "random", "--games", "2"]);
    assert!(message.contains("gnubg plays backgammon"), "{message}");
    let message = fail(&["match", "--game", "go5", &agent("greedy:RUN"), "random", "--games", "2"]);
    assert!(!message.contains("panicked"), "{message}");
    let damaged = folder.path().join("damaged.safetensors");
    let mut bytes = fs::read(run_folder.join("checkpoints/000000060.safetensors")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&damaged, bytes).unwrap();
    let message = fail(&["match", "--game", "backgammon", &format!("greedy:{}", damaged.display()), "random"]);
    assert!(message.contains("checksum"), "{message}");
    assert!(run(&["check", "backgammon"]).ok);
}

#[test]
fn the_bear_off_database_is_made_once_and_a_damaged_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let agent = format!("expectimax:{},plies=1,bear-off=true", trained(folder.path(), RECIPE).display());
    let ask = || {
        std::process::Command::new(env!("CARGO_BIN_EXE_afterstate"))
            .args(["match", "--game", "backgammon", &agent, "random", "--games", "2"])
            .env("XDG_CACHE_HOME", folder.path())
            .output()
            .unwrap()
    };
    assert!(ask().status.success());
    let file = folder.path().join("afterstate/bear-off.bin");
    let mut bytes = fs::read(&file).unwrap();
    let made = fs::metadata(&file).unwrap().modified().unwrap();
    assert!(ask().status.success());
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), made, "it was not made again");
    bytes.truncate(1000);
    fs::write(&file, bytes).unwrap();
    let answer = ask();
    let message = String::from_utf8_lossy(&answer.stderr);
    assert!(!answer.status.success() && message.contains("not a whole bear-off database; remove it"), "{message}");
}

#[test]
fn matches_are_written_and_looked_at_again() {
    let folder = tempfile::tempdir().unwrap();
    let run = trained(folder.path(), RECIPE);
    let in_folder = |args: &[&str]| {
        let answer = run_in(folder.path(), args, "");
        assert!(answer.ok, "{args:?}: {}", answer.err);
        answer.out
    };
    let greedy = format!("greedy:{}", run.display());
    in_folder(&["match", "--game", "backgammon", &greedy, "random", "--games", "4", "--mat", "games.mat"]);
    let text = fs::read_to_string(folder.path().join("games.mat")).unwrap();
    let read = afterstate_games::backgammon::mat::MatMatch::read(&text).unwrap();
    assert_eq!((read.length, read.games.len()), (0, 4));
    // Who is in the left column stays there, and what was won is added up.
    let name = format!("{greedy}@60").replace(':', " ");
    assert!(read.games.iter().all(|game| game.players == [name.clone(), "random".to_string()]), "{text}");
    let (side, points) = read.games[0].won.unwrap();
    assert_eq!(read.games[1].score[side.index()], points);

    let report: serde_json::Value =
        serde_json::from_str(&in_folder(&["analyze", "games.mat", "--agent", &greedy, "--json"])).unwrap();
    assert_eq!((&report["games"], &report["complete"]), (&4.into(), &true.into()));
    let rate = |player: usize| report["players"][player]["error-rate"].as_f64().unwrap();
    assert!(rate(0) < 1e-3 && rate(1) > 1.0, "a player finds nothing better than its own plays: {report}");
    let shown = in_folder(&["analyze", "games.mat", "--agent", &greedy, "--threshold", "0.01"]);
    assert!(shown.contains("money play without a cube, 4 games") && shown.contains("error rate"), "{shown}");
    assert!(!shown.contains("cube decisions") && report["cube"] == serde_json::json!([]), "{shown}");

    let message = fail(&["match", "--game", "backgammon", "random", "random", "--games", "2", "--win=moves=1"]);
    assert!(message.contains("are played to their end"), "{message}");
    let three = folder.path().join("three.toml");
    fs::write(&three, "game = \"backgammon\"\nagents = [\"random\", \"random\", \"random\"]\ngames = 2\n").unwrap();
    let message = fail(&["tournament", three.to_str().unwrap(), "--mat", "x.mat"]);
    assert!(message.contains("--mat: such a file names two players, and 3 agents play here"), "{message}");
    let message = fail(&["match", "--game", "connect-four", "random", "random", "--mat", "x.mat"]);
    assert!(message.contains("only games of backgammon"), "{message}");
    let path = folder.path().join("games.mat");
    let message = fail(&["analyze", path.to_str().unwrap()]);
    assert!(message.contains("--agent"), "{message}");
    fs::write(&path, text.replacen(": ", ": 9/1 ", 3)).unwrap();
    let message = fail(&["analyze", path.to_str().unwrap(), "--agent", &greedy]);
    assert!(message.contains("games.mat") && message.contains("line "), "{message}");
}
