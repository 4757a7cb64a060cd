//! What networks learn from beside games that they lead: experts, matches that were played, and what they are shown of Go.

use crate::support::{fail, succeed, train_killed};
use crate::{RECIPE, result, text};
use std::fs;

/// A tree search plays, and the network learns from that.
#[test]
fn a_network_learns_from_an_expert() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = |name: &str, text_of: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text_of).unwrap();
        path
    };
    let path = recipe("expert.toml", &format!("expert = \"uct:40,solver=true\"\nexpert-visits = 8\n{RECIPE}"));
    let [whole, run] = ["whole", "run"].map(|name| folder.path().join(name));
    succeed(&["train", text(&path), "--out", text(&whole)]);
    train_killed(&path, &run, 7, 7);
    assert!(result(&run) == result(&whole), "the run that was killed ended otherwise");
    let metrics = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    assert!(metrics.lines().all(|line| line.contains("\"questions\":[0,0]")), "{metrics}");
    assert!(metrics.lines().all(|line| !line.contains("\"sides\":0,")), "trees have something to teach: {metrics}");
    let path = recipe("alone.toml", &format!("expert-visits = 8\n{RECIPE}"));
    let message = fail(&["train", text(&path), "--out", text(&folder.path().join("wrong"))]);
    assert!(message.contains("expected an expert beside it"), "{message}");
    for (expert, preset, expected) in [
        ("random", "alphazero", "expected a tree search"),
        ("uct:40,explorat=1", "alphazero", "exploration"),
        ("uct:40", "gesr", "try preset gevc"),
        ("uct:40,prior=fuego", "alphazero", "has no such prior"),
        ("puct:nowhere", "alphazero", "nowhere"),
    ] {
        let path = recipe("wrong.toml", &format!("expert = \"{expert}\"\npreset = \"{preset}\"\n{RECIPE}"));
        let message = fail(&["train", text(&path), "--out", text(&folder.path().join("wrong"))]);
        assert!(message.contains(expected), "{expert}: {message}");
    }
}

/// A run goes on with another's weights, and with games that another network leads, which may be the same.
#[test]
fn a_network_learns_from_games_of_its_own_with_other_settings() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = |name: &str, text_of: &str| {
        let path = folder.path().join(name);
        fs::write(&path, format!("{text_of}\n{RECIPE}")).unwrap();
        path
    };
    let [first, whole, run] = ["first", "whole", "run"].map(|name| folder.path().join(name));
    succeed(&["train", text(&recipe("first.toml", "")), "--out", text(&first)]);
    let first = first.display();
    let further =
        format!("first-weights = '{first}'\nexpert = 'puct:{first},iterations=20,playout=usual,mix-weight=0.3'");
    let path = recipe("further.toml", &further);
    succeed(&["train", text(&path), "--out", text(&whole)]);
    train_killed(&path, &run, 7, 7);
    assert!(result(&run) == result(&whole), "the run that was killed ended otherwise");
    for (wrong, expected) in [
        (format!("{further}\nexpert-visits = 8"), "puct shows only the games that it plays"),
        (format!("first-weights = '{first}x'"), "first-weights"),
        (format!("first-weights = '{first}'\nnetwork = {{ blocks = 2, filters = 16 }}"), "2 blocks"),
    ] {
        let path = recipe("wrong.toml", &wrong);
        let message = fail(&["train", text(&path), "--out", text(&folder.path().join("wrong"))]);
        assert!(message.contains(expected), "{wrong}: {message}");
    }
}

/// Whose points are in the end is learnt besides, also by a network that began without.
#[test]
fn a_network_learns_whose_points_are_in_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let train = |name: &str, text_of: &str| {
        let path = folder.path().join(format!("{name}.toml"));
        let small = "preset = 'alphazero'\ngame = 'go'\nboard-size = 5\nsteps = 2\nthreads = 1\nsolvers = []\nself-play = { iterations = 4 }";
        let network = "network = { blocks = 1, filters = 16, hidden = 16";
        let rest = "replay = { step = 60, batches = 2, batch = 32 }\nevaluation = { games = 0 }";
        fs::write(&path, format!("{small}\n{network}{text_of}\n{rest}")).unwrap();
        succeed(&["train", text(&path), "--out", text(&folder.path().join(name))]);
        fs::read_to_string(folder.path().join(name).join("metrics.jsonl")).unwrap()
    };
    let plain = train("plain", " }");
    assert!(!plain.contains("ownership"), "{plain}");
    let first = folder.path().join("plain");
    let further = train("further", &format!(", ownership = true }}\nfirst-weights = '{}'", first.display()));
    assert!(further.lines().count() == 2 && further.lines().all(|line| line.contains("\"ownership\":")), "{further}");
    succeed(&[
        "match",
        "--size",
        "5",
        &format!("puct:{}", folder.path().join("further").display()),
        "random",
        "--games",
        "2",
    ]);
    let path = folder.path().join("wrong.toml");
    fs::write(&path, format!("{RECIPE}[network]\nownership = true\n")).unwrap();
    let message = fail(&["train", text(&path), "--out", text(&folder.path().join("wrong"))]);
    assert!(message.contains("only points of Go belong to somebody"), "{message}");
}

/// What was played in matches is learnt from.
#[test]
fn a_network_learns_from_games_that_were_played() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("logs").join("match.jsonl");
    fs::create_dir(folder.path().join("logs")).unwrap();
    let game = ["match", "--game", "tic-tac-toe", "uct:40,solver=true", "random", "--games", "30", "--log", text(&log)];
    succeed(&game);
    let recipe = |name: &str, games: &str| {
        let path = folder.path().join(name);
        fs::write(&path, format!("{games}\n{RECIPE}")).unwrap();
        path
    };
    let path = recipe("games.toml", &format!("games = ['{}']", log.parent().unwrap().display()));
    let [whole, run] = ["whole", "run"].map(|name| folder.path().join(name));
    succeed(&["train", text(&path), "--out", text(&whole)]);
    train_killed(&path, &run, 7, 7);
    assert!(result(&run) == result(&whole), "the run that was killed ended otherwise");
    // The same games once more, of which only the outcomes count.
    let log = log.display();
    let path = recipe("outcomes.toml", &format!("games = ['{log}']\noutcomes-of = ['{log}']"));
    let outcomes = folder.path().join("outcomes");
    succeed(&["train", text(&path), "--out", text(&outcomes)]);
    assert!(result(&outcomes) != result(&whole), "half of the examples teach no policy");
    // Games of Go may be longer in matches than in learning.
    let go = folder.path().join("go.jsonl");
    succeed(&["match", "--size", "5", "random", "random", "--games", "4", "--log", text(&go)]);
    let path = folder.path().join("go.toml");
    let network = "[network]\nblocks = 1\nfilters = 16\nhidden = 16\n[evaluation]\ngames = 0";
    let games = format!(
        "preset = 'alphazero'\ngame = 'go'\nboard-size = 5\nsteps = 2\ngames = ['{}']\n[replay]\nstep = 64",
        go.display()
    );
    fs::write(&path, format!("{games}\n{network}")).unwrap();
    succeed(&["train", text(&path), "--out", text(&folder.path().join("go"))]);
    for (games, expected) in [
        (format!("games = ['{log}']\npreset = 'gevc'"), "try preset alphazero"),
        (format!("games = ['{log}']\nexpert = 'uct:40'"), "leave one of both out"),
        (format!("games = ['{log}x']"), "cannot open it"),
        (format!("outcomes-of = ['{log}']"), "expected games beside it"),
        (format!("games = ['{log}']\noutcomes-of = ['{log}x']"), "outcomes-of: "),
    ] {
        let path = recipe("wrong.toml", &games);
        let message = fail(&["train", text(&path), "--out", text(&folder.path().join("wrong"))]);
        assert!(message.contains(expected), "{games}: {message}");
    }
}

/// A network that is shown liberties, ko and the last stones learns and plays as others do.
#[test]
fn a_network_sees_details_of_go() {
    let folder = tempfile::tempdir().unwrap();
    let (path, run) = (folder.path().join("go.toml"), folder.path().join("go"));
    let recipe = "preset = 'gevc'\ngame = 'go'\nboard-size = 5\nsteps = 2\nthreads = 1\n[self-play]\niterations = 8\n\
                  [replay]\nstep = 64\n[network]\nblocks = 1\nfilters = 16\nhidden = 16\ndetails = true\n[evaluation]\ngames = 0";
    fs::write(&path, recipe).unwrap();
    succeed(&["train", text(&path), "--out", text(&run)]);
    assert!(fs::read_to_string(run.join("recipe.toml")).unwrap().contains("details = true"));
    let file = folder.path().join("go.onnx");
    let report = succeed(&["export", "onnx", text(&run), text(&file), "--json"]);
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["inputs"]["planes"], serde_json::json!(["batch", 11, 5, 5]));
    let prior = format!("mc-rave:20,prior=network:{}", run.display());
    let playing_out = format!("puct:{},iterations=20,playout=usual,mix-weight=0.3", run.display());
    succeed(&["match", "--size", "5", &playing_out, &prior, "--games", "2"]);
    let alone = format!("puct:{},iterations=20", run.display());
    succeed(&["match", "--size", "5", &alone, &prior, "--games", "2"]);
    fs::write(&path, recipe.replace("game = 'go'\nboard-size = 5", "game = 'connect-four'")).unwrap();
    let message = fail(&["train", text(&path), "--out", text(&folder.path().join("four"))]);
    assert!(message.contains("network.details: only positions of Go have some"), "{message}");
}
