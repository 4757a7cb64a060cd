//! Running the program as a user would.

#![allow(dead_code, reason = "each test file uses some of it")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What the program answered.
pub struct Answer {
    pub ok: bool,
    pub out: String,
    pub err: String,
}

/// Runs `afterstate` in `folder` with `input` on its standard input.
pub fn run_in(folder: &Path, args: &[&str], input: &str) -> Answer {
    let mut child = Command::new(env!("CARGO_BIN_EXE_afterstate"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that fails at once does not read its input.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the program ends");
    Answer {
        ok: output.status.success(),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

/// Trains by `recipe` in `run`, and kills the program `kills` times on the way: the first time after `step` milliseconds, and each
/// time so much later. Then it may come to its end.
pub fn train_killed(recipe: &Path, run: &Path, kills: u32, step: u64) {
    use std::time::{Duration, Instant};
    let (mut killed, mut delay) = (0, step);
    loop {
        let mut command = Command::new(env!("CARGO_BIN_EXE_afterstate"));
        command.arg("train").arg(recipe).arg("--out").arg(run);
        if run.exists() {
            command.arg("--resume");
        }
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        let mut status = None;
        // After the last time it may come to its end.
        while status.is_none() && (killed == kills || begun.elapsed() < Duration::from_millis(delay)) {
            status = child.try_wait().unwrap();
            std::thread::sleep(Duration::from_millis(1));
        }
        match status {
            Some(status) => {
                assert!(status.success());
                if killed == kills {
                    break;
                }
                // It was done too soon: once more from the beginning, and sooner.
                std::fs::remove_dir_all(run).unwrap();
                delay = step;
            }
            None => {
                child.kill().unwrap();
                child.wait().unwrap();
                (killed, delay) = (killed + 1, delay + step);
            }
        }
    }
}

/// Runs `afterstate` in a folder that does not matter.
pub fn run(args: &[&str]) -> Answer {
    run_in(&std::env::temp_dir(), args, "")
}

/// The output of a run that must succeed.
pub fn succeed(args: &[&str]) -> String {
    let answer = run(args);
    assert!(answer.ok, "{args:?}: {}", answer.err);
    answer.out
}

/// The message of a run that must fail with exactly one line `error: …`.
pub fn fail(args: &[&str]) -> String {
    let answer = run(args);
    assert!(!answer.ok, "{args:?} should fail, but printed {}", answer.out);
    assert!(
        answer.err.starts_with("error: ") && answer.err.trim_end().lines().count() == 1,
        "{args:?}: expected one line 'error: …', not {:?}",
        answer.err
    );
    answer.err
}

/// A run's folder under `folder` with one checkpoint of random weights for a board of `size`, as `train` leaves it.
pub fn checkpoint(folder: &Path, games: u64, size: usize) -> String {
    use afterstate_engine::value::shape_agent::{CHECKPOINTS, checkpoint_name};
    use afterstate_engine::value::{Checkpoint, Features, ShapeAgent, Sharing, Squash, TrackedGo, WindowSizes};
    use afterstate_games::{go::Komi, rng::unit, stream};
    let about = ShapeAgent {
        board_size: size,
        komi: Komi::DEFAULT,
        sizes: WindowSizes::new(&[1, 2]).unwrap(),
        sharing: Sharing::Both,
        squash: Squash::Logistic,
        games,
        since_milestone: Default::default(),
        origin: "a test".into(),
    };
    let mut rng = stream(games, 0);
    let count = Features::<TrackedGo>::count(&about.features());
    let weights = (0..count).map(|_| unit(&mut rng) - 0.5).collect();
    let run = folder.join("run");
    Checkpoint::new(about, weights).save(&run.join(CHECKPOINTS).join(checkpoint_name(games))).unwrap();
    run.to_str().expect("text").to_string()
}
