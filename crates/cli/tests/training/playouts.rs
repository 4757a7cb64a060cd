//! Playouts of Go learnt by imitation and simulation balancing: killed and gone on with, and played.

use crate::runs::{assert_same_run, newest, recipe, text, trained};
use crate::support::{fail, succeed, train_killed};
use std::fs;

const RECIPE: &str = "learner = \"simulation-balancing\"\nboard-size = 5\nkomi = 7.5\ngames = 24\n\
                      teacher = \"mc-rave,memory-mib=2\"\nimitated-games = 8\n\
                      [teaching]\nquick = 20\ndeep = 60\ndeep-share = 0.3\n\
                      [balancing]\nbatch = 4\nplayouts = 8\ngradient-playouts = 8\n\
                      [checkpoints]\nfirst = 6\nper-decade = 2\nevery-seconds = 0.01\n\
                      [evaluation]\ngames = 2\nopponents = 1\nopening-moves = 2\n";

#[test]
fn what_was_learnt_ends_simulations_of_every_search() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let said = trained(&recipe(folder.path(), "small.toml", RECIPE), &run, &[]);
    assert!(said.contains("playout=softmax:"), "{said}");
    assert_eq!(newest(&run), 24);
    let log = fs::read_to_string(run.join("log.jsonl")).unwrap();
    let line: serde_json::Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    let first_player_score = line["first-player-score"].as_f64().unwrap();
    assert!(first_player_score > 0.0 && first_player_score < 1.0, "{log}");
    let learnt = format!("playout=softmax:{}", text(&run));
    for agent in ["mc-rave:20", "uct:20", "td-search:20", "flat-mc:30"] {
        let agent = format!("{agent},{learnt}");
        let said = succeed(&["match", &agent, "random", "--size", "5", "--games", "2", "--json"]);
        assert!(said.contains("\"complete\": true"), "{said}");
        assert!(said.contains("@24"), "the checkpoint is named in the report: {said}");
    }
    // Boards of other sizes have the same shapes.
    succeed(&["match", &format!("uct:5,{learnt}"), "random", "--size", "9", "--games", "2"]);
}

#[test]
fn killed_twenty_times_it_ends_as_if_it_had_not_been() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = recipe(folder.path(), "small.toml", RECIPE);
    let [whole, run] = ["whole", "run"].map(|run| folder.path().join(run));
    trained(&recipe, &whole, &[]);
    train_killed(&recipe, &run, 20, 12);
    assert_same_run(&run, &whole);
    // What is remembered of the teacher may be lost, and is asked again.
    fs::remove_file(run.join("games.jsonl")).unwrap();
    trained(&recipe, &run, &["--resume", "--games", "26"]);
    assert_eq!(newest(&run), 26);
}

#[test]
fn what_is_no_policy_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.safetensors");
    fs::write(&file, "nothing").unwrap();
    for (agent, part) in [
        (format!("uct:5,playout=softmax:{}", text(&file)), "bad.safetensors"),
        ("uct:5,playout=softmax:nowhere".to_string(), "nowhere"),
        ("uct:5,playout=softmax".to_string(), "softmax:CHECKPOINT"),
        (format!("uct:5,playout=softmax:{},playout-without=save", text(&file)), "these playouts have no rules"),
        (format!("uct:5,playout=softmax:{},mercy=0.5", text(&file)), "mercy"),
    ] {
        let said = fail(&["match", &agent, "random", "--size", "5", "--games", "2"]);
        assert!(said.contains(part) && said.trim_end().lines().count() == 1, "{agent}: {said}");
    }
}
