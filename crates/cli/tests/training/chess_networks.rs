//! A network of chess learnt from games of the tournament search: from nothing and from a teacher, killed and gone on with, and played.

use crate::runs::{assert_same_run, newest, recipe, text, train, trained};
use crate::support::{run, train_killed};
use std::fs;
use std::path::Path;

const RECIPE: &str = "game = \"chess\"\nhidden = 16\ngames = 60\nevaluation-nodes = 50\naveraging = 5\n\
                      [self-play]\nnodes = 60\nmove-limit = 60\ntable-mib = 1\n\
                      [learner]\nfirst = 100\nbatch = 64\nreuse = 1.5\nwindow = 400\n\
                      [checkpoints]\nfirst = 10\nper-decade = 2\nevery-seconds = 0.01\n\
                      [evaluation]\ngames = 2\nopponents = 1\nopening-moves = 2\n";

/// How positions are divided among files depends on when they were saved.
fn without_positions(run: &Path) {
    fs::remove_dir_all(run.join("replay")).unwrap();
}

#[test]
fn killed_twenty_times_it_ends_as_if_it_had_not_been() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = recipe(folder.path(), "network.toml", RECIPE);
    let [whole, run] = ["whole", "run"].map(|run| folder.path().join(run));
    trained(&recipe, &whole, &[]);
    train_killed(&recipe, &run, 20, 12);
    without_positions(&whole);
    without_positions(&run);
    assert_same_run(&run, &whole);
}

#[test]
fn a_teacher_plays_the_first_games_and_what_was_learnt_plays_wherever_evaluations_do() {
    let folder = tempfile::tempdir().unwrap();
    let teacher = folder.path().join("teacher");
    trained(&recipe(folder.path(), "teacher.toml", RECIPE), &teacher, &["--games", "10"]);
    let taught =
        RECIPE.replace("games = 60", &format!("games = 20\ntaught-by = {:?}\ntaught-games = 15", text(&teacher)));
    let (path, learnt) = (recipe(folder.path(), "taught.toml", &taught), folder.path().join("taught"));
    let said = trained(&path, &learnt, &["--threads", "2"]);
    assert!(said.contains("--game chess --agent tournament-search:"), "{said}");
    assert_eq!(newest(&learnt), 20);
    for agent in ["tournament-search", "greedy", "alpha-beta"] {
        let agent = format!("{agent}:{}", text(&learnt));
        let agent = if agent.starts_with('t') { format!("{agent},nodes=50") } else { agent };
        let answer =
            run(&["match", "--game", "chess", &agent, "random", "--games", "2", "--move-limit", "20", "--json"]);
        assert!(answer.ok && answer.out.contains("\"complete\": true"), "{agent}: {}", answer.err);
    }
    // Terms are learnt where a memory is asked for.
    let memory = format!("dyna-2:10,memory={}", text(&learnt));
    let answer = run(&["match", "--game", "chess", &memory, "random", "--games", "2"]);
    assert!(!answer.ok && answer.err.contains("it holds a network of chess"), "{}", answer.err);
}

#[test]
fn positions_that_another_run_has_kept_are_learnt_first() {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    trained(&recipe(folder.path(), "seen.toml", &format!("kept-positions = 5000\n{RECIPE}")), &seen, &[]);
    let bytes: u64 =
        fs::read_dir(seen.join("replay")).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert!(bytes > 27 * 1000, "more than the window is kept: {bytes} bytes");
    let replaying = |games: u32| {
        let replays = format!("games = 30\nbuckets = 3\nreplays = {:?}\nreplayed-games = {games}", text(&seen));
        RECIPE.replace("games = 60", &replays)
    };
    let [whole, run] = ["whole", "run"].map(|run| folder.path().join(run));
    let path = recipe(folder.path(), "replaying.toml", &replaying(20));
    trained(&path, &whole, &[]);
    train_killed(&path, &run, 3, 6);
    without_positions(&whole);
    without_positions(&run);
    assert_same_run(&run, &whole);
    let answer = train(&recipe(folder.path(), "more.toml", &replaying(9999)), &folder.path().join("more"), &[]);
    let expected =
        "replayed-games = 9999: expected a run that has kept 50 positions for each, by kept-positions = 499950";
    assert!(!answer.ok && answer.err.contains(expected) && answer.err.contains("expected 499950"), "{}", answer.err);
}

#[test]
fn what_cannot_be_gone_on_with_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let (path, run) = (recipe(folder.path(), "network.toml", RECIPE), folder.path().join("run"));
    trained(&path, &run, &["--games", "10"]);
    let positions = run.join("replay/000000000010.positions");
    fs::write(&positions, "nothing").unwrap();
    let answer = train(&path, &run, &["--resume"]);
    assert!(!answer.ok && answer.err.contains("000000000010.positions: expected positions"), "{}", answer.err);
    // Without them it goes on, and draws from those that come.
    without_positions(&run);
    trained(&path, &run, &["--resume"]);
    assert_eq!(newest(&run), 60);
}
