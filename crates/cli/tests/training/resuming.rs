//! Runs that go on although something is lost, and other ways to go on.

use crate::runs::{assert_same_run, checkpoints, copy, recipe, text, trained, went_on_after};
use std::fs;
use std::path::{Path, PathBuf};

const RECIPE: &str = "board-size = 5\ngames = 200\nseed = 7\n\
                      [checkpoints]\nfirst = 50\nper-decade = 2\nevery-seconds = 0\n\
                      [evaluation]\ngames = 4\nopponents = 2\nopening-moves = 2\n";

/// A finished run of 200 games, with checkpoints after 50, 158 and 200.
struct Finished {
    folder: tempfile::TempDir,
    recipe: PathBuf,
    whole: PathBuf,
}

impl Finished {
    fn new() -> Finished {
        let folder = tempfile::tempdir().unwrap();
        let recipe = recipe(folder.path(), "small.toml", RECIPE);
        let whole = folder.path().join("whole");
        trained(&recipe, &whole, &[]);
        assert_eq!(checkpoints(&whole), [50, 158, 200]);
        Finished { folder, recipe, whole }
    }

    /// A copy of the run after `change`, which must be mended by going on.
    fn is_mended(&self, name: &str, change: impl Fn(&Path)) {
        let run = self.folder.path().join(name);
        copy(&self.whole, &run);
        change(&run);
        trained(&self.recipe, &run, &["--resume"]);
        assert_same_run(&run, &self.whole);
    }
}

fn checkpoint(run: &Path, games: u64) -> PathBuf {
    run.join(format!("checkpoints/{games:09}.safetensors"))
}

#[test]
fn what_is_lost_is_made_anew() {
    let finished = Finished::new();
    finished.is_mended("as it is", |_| {});
    finished.is_mended("no newest", |run| fs::remove_file(checkpoint(run, 200)).unwrap());
    finished.is_mended("no log", |run| fs::remove_file(run.join("log.jsonl")).unwrap());
    finished.is_mended("no settings", |run| fs::remove_file(run.join("recipe.toml")).unwrap());
    finished.is_mended("nothing", |run| fs::remove_dir_all(run).unwrap());
    finished.is_mended("torn log", |run| {
        let log = fs::read(run.join("log.jsonl")).unwrap();
        fs::write(run.join("log.jsonl"), &log[..log.len() - 20]).unwrap();
    });
    finished.is_mended("log without its last line end", |run| {
        let log = fs::read(run.join("log.jsonl")).unwrap();
        fs::write(run.join("log.jsonl"), &log[..log.len() - 1]).unwrap();
    });
    finished.is_mended("log without a line in the middle", |run| {
        let log = fs::read_to_string(run.join("log.jsonl")).unwrap();
        let lines: Vec<&str> = log.lines().collect();
        fs::write(run.join("log.jsonl"), format!("{}\n{}\n", lines[0], lines[2])).unwrap();
    });
    finished.is_mended("killed while writing", |run| {
        for name in ["recipe.toml.12.tmp", "log.jsonl.12.tmp", "checkpoints/000000200.safetensors.12.tmp"] {
            fs::write(run.join(name), "half").unwrap();
        }
    });
    // Killed when a provisional checkpoint had been replaced, but was not removed yet.
    finished.is_mended("two provisional ones", |run| {
        for games in [158, 200] {
            fs::remove_file(checkpoint(run, games)).unwrap();
        }
        let stopped = finished.folder.path().join("stopped");
        for goal in ["60", "70"] {
            let _ = fs::remove_dir_all(&stopped);
            trained(&finished.recipe, &stopped, &["--games", goal]);
            let name = checkpoint(run, goal.parse().unwrap());
            let mut bytes = afterstate_engine::value::ShapeAgent::load(text(&stopped)).unwrap();
            // As a provisional one would say it: 50 is a milestone of both runs.
            bytes.about.since_milestone.games = goal.parse::<u64>().unwrap() - 50;
            bytes.save(&name).unwrap();
        }
    });
}

#[test]
fn files_that_are_not_its_own_stay() {
    let finished = Finished::new();
    for name in ["notes.tmp", "my recipe.toml.tmp", "checkpoints/notes.12.tmp"] {
        fs::write(finished.whole.join(name), "mine").unwrap();
    }
    trained(&finished.recipe, &finished.whole, &["--resume"]);
    for name in ["notes.tmp", "my recipe.toml.tmp", "checkpoints/notes.12.tmp"] {
        assert!(finished.whole.join(name).exists(), "{name} is gone");
    }
}

#[test]
fn a_finished_run_goes_on_for_more_games_and_keeps_its_end() {
    let finished = Finished::new();
    let report = trained(&finished.recipe, &finished.whole, &["--games", "700", "--resume"]);
    assert_eq!(went_on_after(&report), Some(200));
    assert_eq!(checkpoints(&finished.whole), [50, 158, 200, 500, 700]);
    let log = fs::read_to_string(finished.whole.join("log.jsonl")).unwrap();
    assert!(log.lines().last().unwrap().contains("\"opponent\":\"500\""), "{log}");
    assert!(log.lines().nth(3).unwrap().contains("\"opponent\":\"200\""), "{log}");

    // The same weights as those of 700 games in one go.
    let whole = finished.folder.path().join("700");
    trained(&finished.recipe, &whole, &["--games", "700"]);
    let weights = |run: &Path| afterstate_engine::value::ShapeAgent::load(text(run)).unwrap().weights;
    assert_eq!(weights(&finished.whole), weights(&whole));
}

#[test]
fn an_opponent_whose_file_was_removed_is_passed_over() {
    let finished = Finished::new();
    fs::remove_file(checkpoint(&finished.whole, 158)).unwrap();
    trained(&finished.recipe, &finished.whole, &["--games", "500", "--resume"]);
    let log = fs::read_to_string(finished.whole.join("log.jsonl")).unwrap();
    let last = log.lines().last().unwrap();
    assert!(last.contains("\"opponent\":\"50\"") && !last.contains("\"opponent\":\"158\""), "{last}");
}

#[test]
fn an_empty_recipe_is_the_papers_training() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = recipe(folder.path(), "empty.toml", "");
    let run = folder.path().join("run");
    trained(&recipe, &run, &["--games", "3"]);
    let saved = fs::read_to_string(run.join("recipe.toml")).unwrap();
    assert!(saved.contains("board-size = 9") && saved.contains("games = 3\n"), "{saved}");
}

/// Games whose moves Dyna-2 chooses go on where they stopped, too.
#[test]
fn self_play_by_dyna_2_goes_on_as_if_it_had_not_stopped() {
    for lambda in ["0", "0.5"] {
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "board-size = 5\ngames = 6\nseed = 7\n[td]\nlambda = {lambda}\n[dyna-2]\nsimulations = 30\nsizes = [1]\n\
             [checkpoints]\nfirst = 3\nper-decade = 1\nevery-seconds = 0\n[evaluation]\ngames = 2\nopponents = 1\n"
        );
        let recipe = recipe(folder.path(), "dyna-2.toml", &text);
        let (whole, parts) = (folder.path().join("whole"), folder.path().join("parts"));
        trained(&recipe, &whole, &[]);
        trained(&recipe, &parts, &["--games", "3"]);
        trained(&recipe, &parts, &["--resume"]);
        // The earlier checkpoint says how many games it was to be.
        let last = |run: &Path| fs::read(checkpoint(run, 6)).unwrap();
        assert!(last(&parts) == last(&whole));
        let settings = fs::read_to_string(whole.join("recipe.toml")).unwrap();
        assert!(settings.contains("[dyna-2]\nsimulations = 30\n"), "{settings}");
    }
}
