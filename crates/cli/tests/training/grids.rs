//! Games on a grid learnt over their shapes: by every rule, killed and gone on with, and played by every search.

use crate::runs::{assert_same_run, newest, recipe, text, train, trained};
use crate::support::{fail, run_in, succeed, train_killed};
use std::path::Path;

const WATCHED: &str = "[checkpoints]\nfirst = 20\nper-decade = 2\nevery-seconds = 0.01\n\
                       [evaluation]\ngames = 4\nopponents = 1\nopening-moves = 2\n";

const BY_SEARCH: &str = "game = \"connect-four\"\ngames = 60\n[features]\nsizes = [1, 2]\n\
                         [learner]\nrule = \"tree-strap\"\nstep-size = 1e-3\n[search]\ndepth = 2\ntable-mib = 1\n";

const GO_BY_SEARCH: &str = "board-size = 5\ngames = 60\nmove-limit = 40\n[features]\nsizes = [1, 2]\n\
                            [learner]\nrule = \"tree-strap\"\nstep-size = 1e-3\n";

const BY_SELF_PLAY: &str = "game = \"connect-four\"\ngames = 2000\n[features]\nsizes = [1, 2]\n";

/// Points of the agent in games against a random player.
fn points(agent: &str, game: &str, games: u64) -> f64 {
    let games = games.to_string();
    let report = succeed(&["match", "--game", game, agent, "random", "--games", &games, "--json"]);
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["faults"].as_array().map(Vec::len), Some(0), "{report}");
    report["tally"]["wins"].as_f64().unwrap() + report["tally"]["draws"].as_f64().unwrap() / 2.0
}

fn learnt(folder: &Path, name: &str, text_of: &str) -> String {
    let run = folder.join(name);
    trained(&recipe(folder, &format!("{name}.toml"), &format!("{text_of}{WATCHED}")), &run, &[]);
    text(&run).to_string()
}

#[test]
fn self_play_learns_what_every_search_can_use() {
    let folder = tempfile::tempdir().unwrap();
    let run = learnt(folder.path(), "td", BY_SELF_PLAY);
    for agent in [
        format!("greedy:{run}"),
        format!("alpha-beta:{run},depth=2"),
        format!("dyna-2:100,memory={run}"),
        format!("dyna-2:100,memory={run},threads=2,lambda=0.5"),
        format!("two-phase:100,memory={run},depth=3"),
        format!("uct:100,prior=shapes:{run}"),
        format!("mc-rave:100,truncate=0,values={run}"),
        run.clone(),
    ] {
        let points = points(&agent, "connect-four", 20);
        assert!(points >= 13.0, "{agent}: {points} of 20");
    }
}

#[test]
fn dyna_2_can_choose_the_moves_that_are_learnt_from() {
    let folder = tempfile::tempdir().unwrap();
    let text_of = "game = \"tic-tac-toe\"\ngames = 300\n[features]\nsizes = [1, 2, 3]\n[dyna-2]\nsimulations = 30\n";
    let run = learnt(folder.path(), "dyna", text_of);
    let points = points(&format!("alpha-beta:{run},depth=2"), "tic-tac-toe", 20);
    assert!(points >= 14.0, "{points} of 20");
}

#[test]
fn every_rule_learns_from_searches_and_what_it_learnt_plays() {
    let folder = tempfile::tempdir().unwrap();
    for rule in ["tree-strap", "root-strap", "td-root", "td-leaf", "td-directed"] {
        let run = learnt(folder.path(), rule, &BY_SEARCH.replace("tree-strap", rule));
        assert_eq!(newest(Path::new(&run)), 60);
        let points = points(&format!("alpha-beta:{run},depth=2"), "connect-four", 10);
        assert!(points >= 6.0, "{rule}: {points} of 10");
    }
}

#[test]
fn every_rule_learns_go_from_searches() {
    let folder = tempfile::tempdir().unwrap();
    for rule in ["tree-strap", "root-strap", "td-root", "td-leaf", "td-directed"] {
        let run = learnt(folder.path(), rule, &GO_BY_SEARCH.replace("tree-strap", rule));
        assert_eq!(newest(Path::new(&run)), 60);
        let points = points(&format!("alpha-beta:{run},depth=2"), "go5", 10);
        assert!(points >= 6.0, "{rule}: {points} of 10");
    }
}

#[test]
fn killed_twenty_times_it_ends_as_if_it_had_not_been() {
    let folder = tempfile::tempdir().unwrap();
    let adam = BY_SEARCH.replace("step-size = 1e-3", "step-size = 1e-3\nsteps = \"adam\"");
    let go = GO_BY_SEARCH.replace("step-size = 1e-3", "step-size = 1e-3\nsteps = \"adam\"");
    for (name, text_of) in
        [("adam", adam.replace("= 60", "= 100")), ("td", BY_SELF_PLAY.replace("2000", "6000")), ("go", go)]
    {
        let recipe = recipe(folder.path(), &format!("{name}.toml"), &format!("{text_of}{WATCHED}"));
        let [whole, run] = ["whole", "run"].map(|run| folder.path().join(name).join(run));
        trained(&recipe, &whole, &[]);
        train_killed(&recipe, &run, 20, 8);
        assert_same_run(&run, &whole);
    }
}

#[test]
fn checkpoints_of_something_else_are_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let text_of = "game = \"tic-tac-toe\"\ngames = 30\n[features]\nsizes = [1]\n";
    let run = learnt(folder.path(), "small", text_of);
    let agent = format!("greedy:{run}");
    let other = fail(&["match", "--game", "connect-four", &agent, "random"]);
    assert!(other.contains("holds values of tic-tac-toe, not of connect-four"), "{other}");
    for (game, name) in [(&["--size", "9"][..], "go"), (&["--game", "chess"], "chess")] {
        let other = fail(&[&["match", &agent, "random"], game].concat());
        assert!(other.contains(&format!("holds values of tic-tac-toe, not of {name}")), "{other}");
    }
    let memory = fail(&["match", "--game", "chess", &format!("dyna-2:9,memory={run}"), "random"]);
    assert!(memory.contains("holds values of tic-tac-toe, not of chess"), "{memory}");
    // The network of AlphaZero is something else, and so is a recipe with other shapes.
    let more = recipe(folder.path(), "more.toml", &format!("{}{WATCHED}", text_of.replace("[1]", "[1, 2]")));
    let answer = train(&more, Path::new(&run), &["--resume"]);
    assert!(!answer.ok && answer.err.contains("other settings"), "{}", answer.err);
    let network = "game = \"tic-tac-toe\"\nsteps = 1\n[checkpoints]\nevery = 1\n";
    std::fs::write(folder.path().join("zero.toml"), network).unwrap();
    let answer = run_in(folder.path(), &["train", "zero.toml", "--out", "small", "--resume"], "");
    assert!(!answer.ok && answer.err.lines().count() == 1, "{}", answer.err);
}
