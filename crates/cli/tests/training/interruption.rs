//! Training that is killed, or stopped with Ctrl-C, at any moment.

use crate::runs::{assert_same_run, checkpoints, newest, recipe, text, train, trained, went_on_after};
use afterstate_games::rng::below;
use afterstate_games::stream;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// Small enough to be trained a few times, with a checkpoint every hundred games or so.
const RECIPE: &str = "board-size = 5\ngames = 6000\nseed = 7\n\
                      [checkpoints]\nfirst = 50\nper-decade = 3\nevery-seconds = 0.005\n\
                      [evaluation]\ngames = 6\nopponents = 2\nopening-moves = 2\n";

const KILLS: usize = 50;

/// Starts training in the background, with its report in the file `out`.
fn start(recipe: &Path, run: &Path, out: &Path, more: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_afterstate"))
        .args(["train", text(recipe), "--out", text(run)])
        .args(more)
        .stdin(Stdio::null())
        .stdout(File::create(out).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Two programs that train in one folder would spoil each other's checkpoints.
#[test]
fn a_folder_is_trained_in_by_one_program_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = recipe(folder.path(), "long.toml", &RECIPE.replace("games = 6000", "games = 10_000_000"));
    let run = folder.path().join("run");
    let mut first = start(&recipe, &run, &folder.path().join("out.txt"), &[]);
    let ended = wait_until(&mut first, || !checkpoints(&run).is_empty());
    let second = train(&recipe, &run, &["--resume"]);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(ended, None, "training ended by itself");
    assert!(!second.ok && second.err.contains("another process is at work"), "{}{}", second.out, second.err);
    // Whoever is killed leaves no lock behind.
    let again = crate::runs::recipe(folder.path(), "short.toml", RECIPE);
    assert!(!train(&again, &run, &["--resume"]).err.contains("another process"));
}

/// Waits until `moment` has come or the program has ended.
fn wait_until(child: &mut Child, moment: impl Fn() -> bool) -> Option<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        if moment() {
            return None;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Ctrl-C.
fn interrupt(child: &Child) {
    rustix::process::kill_process(rustix::process::Pid::from_child(child), rustix::process::Signal::INT).unwrap();
}

#[test]
fn killed_fifty_times_it_ends_as_if_it_had_not_been() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = recipe(folder.path(), "small.toml", RECIPE);
    let whole = folder.path().join("whole");
    trained(&recipe, &whole, &[]);
    assert_eq!(newest(&whole), 6000);

    let rng = &mut stream(2026, 0);
    let out = folder.path().join("out.txt");
    let (mut kills, mut resumed, mut completed) = (0, 0, 0);
    let mut run = folder.path().join("run-0");
    while kills < KILLS || completed == 0 || run.exists() {
        let before = checkpoints(&run).last().copied().unwrap_or(0);
        let mut child = start(&recipe, &run, &out, &["--resume"]);
        let ended = if kills == KILLS {
            Some(child.wait().unwrap())
        } else if below(rng, 4) == 0 {
            // While it starts, or soon after that.
            std::thread::sleep(Duration::from_millis(below(rng, 40).into()));
            child.try_wait().unwrap()
        } else {
            // Some way on, however slow the machine is.
            let further = before + u64::from(below(rng, 400));
            let ended = wait_until(&mut child, || newest(&run) > further);
            std::thread::sleep(Duration::from_micros(below(rng, 8000).into()));
            ended
        };
        let status = match ended {
            Some(status) => status,
            None => {
                child.kill().unwrap();
                child.wait().unwrap()
            }
        };
        let report = fs::read_to_string(&out).unwrap();
        if let Some(games) = went_on_after(&report) {
            assert!(games >= before, "went on after {games} games, though {before} were on disk");
            resumed += 1;
        }
        let after = checkpoints(&run).last().copied().unwrap_or(0);
        assert!(after >= before, "the checkpoint after {before} games is lost");
        if status.success() {
            assert_same_run(&run, &whole);
            completed += 1;
            run = folder.path().join(format!("run-{completed}"));
        } else {
            assert_eq!(status.signal(), Some(9), "ended by itself: {report}");
            kills += 1;
        }
    }
    println!("{kills} kills, {resumed} times gone on from a checkpoint, {completed} runs completed");
    assert!(resumed >= KILLS / 4, "too few of the kills came after a checkpoint to prove anything: {resumed}");
}

/// Stops a run of endless games once it has saved something, and returns how far it came.
fn stop_early(recipe: &Path, run: &Path, more: &[&str]) -> u64 {
    let out = run.with_extension("txt");
    let mut child = start(recipe, run, &out, more);
    assert!(wait_until(&mut child, || newest(run) > 0).is_none(), "it should not end by itself");
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let report = fs::read_to_string(&out).unwrap();
    let games = *checkpoints(run).last().unwrap();
    assert!(report.contains(&format!("Stopped after {games} games")), "{report}");
    games
}

#[test]
fn ctrl_c_saves_what_was_learnt_and_the_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = recipe(folder.path(), "small.toml", RECIPE);
    let (run, whole) = (folder.path().join("run"), folder.path().join("whole"));
    let done = stop_early(&recipe, &run, &["--games", "900000000"]);
    let goal = (done + 321).to_string();
    let report = trained(&recipe, &run, &["--games", &goal, "--resume"]);
    assert_eq!(went_on_after(&report), Some(done));

    trained(&recipe, &whole, &["--games", &goal]);
    let weights = |run: &Path| afterstate_engine::value::ShapeAgent::load(text(run)).unwrap();
    assert!(weights(&run) == weights(&whole), "the weights differ");
    let log = |run: &Path| fs::read_to_string(run.join("log.jsonl")).unwrap();
    assert_eq!(log(&run), log(&whole));
}

#[test]
fn several_threads_stop_and_go_on_to_the_last_game() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = recipe(folder.path(), "small.toml", RECIPE);
    let run = folder.path().join("run");
    let done = stop_early(&recipe, &run, &["--games", "900000000", "--threads", "2"]);
    let goal = done + 321;
    let report = trained(&recipe, &run, &["--games", &goal.to_string(), "--threads", "2", "--resume"]);
    assert_eq!(went_on_after(&report), Some(done));
    assert_eq!(newest(&run), goal);
    let log = fs::read_to_string(run.join("log.jsonl")).unwrap();
    assert!(log.lines().last().unwrap().contains(&format!("\"games\":{goal},")), "{log}");
}

#[test]
fn a_measurement_that_is_stopped_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let long = RECIPE.replace("games = 6\n", "games = 1000000\n");
    let long = recipe(folder.path(), "long.toml", &long);
    let short = recipe(folder.path(), "short.toml", RECIPE);
    let (run, whole) = (folder.path().join("run"), folder.path().join("whole"));
    // The first checkpoint is there, so that it is being measured for a long time now.
    let done = stop_early(&long, &run, &["--games", "50"]);
    assert_eq!(done, 50);
    assert!(!run.join("log.jsonl").exists(), "half a measurement must not be logged");
    trained(&short, &run, &["--games", "50", "--resume"]);
    trained(&short, &whole, &["--games", "50"]);
    let log = |run: &Path| fs::read_to_string(run.join("log.jsonl")).unwrap();
    assert_eq!(log(&run), log(&whole));
}

/// One search of such a game would take many minutes.
#[test]
fn who_plays_long_games_stops_in_the_middle_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let text = "game = \"connect-four\"\npreset = \"alphazero\"\nsteps = 3\n[network]\nblocks = 6\nfilters = 64\n\
                [self-play]\niterations = 1_000_000\n";
    let recipe = recipe(folder.path(), "slow.toml", text);
    let run = folder.path().join("run");
    let mut child = start(&recipe, &run, &folder.path().join("out.txt"), &[]);
    let ended = wait_until(&mut child, || run.join("replay").is_dir());
    assert_eq!(ended, None, "{}", fs::read_to_string(folder.path().join("out.txt")).unwrap());
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
