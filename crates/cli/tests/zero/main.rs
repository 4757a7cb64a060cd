//! AlphaZero and Go-Exploit in the program: learnt, killed and gone on with, played, and measured.

mod lessons;
#[path = "../support/mod.rs"]
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{fail, run, run_in, succeed, train_killed};

/// A run of a second or two.
const RECIPE: &str = "game = \"tic-tac-toe\"\nsteps = 8\nthreads = 1\nsolvers = [1.0]\n\
                      [self-play]\niterations = 12\n\
                      [replay]\ncapacity = 300\nstep = 60\nbatches = 2\nbatch = 32\n\
                      [checkpoints]\nevery = 4\nevery-seconds = 0.05\n\
                      [evaluation]\ngames = 4\nopponents = 1\n";

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The steps and tags of a run's events, by the framing of TFRecord and the field numbers of event.proto.
fn events(run: &Path) -> Vec<(u64, Vec<String>)> {
    let names: Vec<_> = fs::read_dir(run).unwrap().map(|entry| entry.unwrap().path()).collect();
    let ours = |path: &&PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("events.out.tfevents.");
    let [file] = &names.iter().filter(ours).collect::<Vec<_>>()[..] else { panic!("one file of events: {names:?}") };
    let bytes = fs::read(file).unwrap();
    let mut rest = &bytes[..];
    let mut events = Vec::new();
    while let Some((length, _)) = rest.split_first_chunk::<8>() {
        let length = u64::from_le_bytes(*length) as usize;
        let event = &rest[12..12 + length];
        rest = &rest[12 + length + 4..];
        // The time is first; then the step, and what happened at it.
        assert_eq!(event[0], 9);
        if event[9] != 0x10 {
            assert!(events.is_empty() && event.ends_with(b"brain.Event:2"));
            continue;
        }
        // Steps of these tests are small, the summary's length need not be.
        assert!(event[10] < 0x80 && event[11] == 0x2a);
        let digits = if event[12] < 0x80 { 1 } else { 2 };
        let (mut values, mut tags) = (&event[12 + digits..], Vec::new());
        while let [0x0a, size, 0x0a, tag, after @ ..] = values {
            tags.push(String::from_utf8(after[..usize::from(*tag)].to_vec()).unwrap());
            values = &values[2 + usize::from(*size)..];
        }
        events.push((u64::from(event[10]), tags));
    }
    events
}

/// The files that must be the same however a run came to its end.
fn result(run: &Path) -> Vec<Vec<u8>> {
    let names = ["log.jsonl", "checkpoints/000000004.safetensors", "checkpoints/000000008.safetensors"];
    names.map(|name| fs::read(run.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))).to_vec()
}

#[test]
fn what_was_learnt_plays_and_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let (recipe, run) = (folder.path().join("small.toml"), folder.path().join("run"));
    fs::write(&recipe, RECIPE).unwrap();
    let said = succeed(&["train", text(&recipe), "--out", text(&run)]);
    assert!(said.contains("Learnt from 8 steps") && said.contains("solver-1x"), "{said}");
    let agent = format!("puct:{}", run.display());
    let report = succeed(&["match", "--game", "tic-tac-toe", &agent, "random", "--games", "20", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert!(report.to_string().contains(&format!("{agent}@8")), "the checkpoint is named: {report}");
    // The run alone is enough.
    let report = succeed(&["match", "--game", "tic-tac-toe", text(&run), "random", "--games", "2", "--json"]);
    assert!(report.contains("run@8"), "{report}");
    let over_gtp = fail(&["gtp", "--agent", text(&run)]);
    assert!(over_gtp.contains("was learnt for tic-tac-toe, not for go"), "{over_gtp}");
    let by_afterstates = fail(&["match", "--game", "tic-tac-toe", &format!("greedy:{}", run.display()), "random"]);
    assert!(by_afterstates.contains("networks play by search: use puct:"), "{by_afterstates}");
    // From all sides and with other settings too.
    let agent = format!("{agent},symmetries=true,iterations=30,first-play=0.25,exploration=2,solver=false");
    succeed(&["match", "--game", "tic-tac-toe", &agent, "uct:50,solver=true", "--games", "4"]);
    let played = run_in(folder.path(), &["play", "--game", "tic-tac-toe", "--agent", &agent], "5\nquit\n");
    assert!(played.ok && played.out.contains('X'), "{}", played.err);
    // Every step has a line, with what it was made from.
    let metrics = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let steps: Vec<u64> = metrics
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["step"].as_u64().unwrap())
        .collect();
    assert_eq!(steps, (1..=8).collect::<Vec<u64>>());
    // What cannot be read of it is not lost, nor what stands behind.
    let damaged = metrics.replacen("\n{", "\n?", 1);
    fs::write(run.join("metrics.jsonl"), &damaged).unwrap();
    let message = fail(&["train", text(&recipe), "--out", text(&run), "--games", "12", "--resume"]);
    assert!(message.contains("metrics.jsonl:2: expected what is told of a step"), "{message}");
    assert_eq!(fs::read_to_string(run.join("metrics.jsonl")).unwrap(), damaged);
    // TensorBoard is told the same, and how the milestones went.
    let events = events(&run);
    assert_eq!(events.iter().map(|(step, _)| *step).collect::<Vec<_>>(), [1, 2, 3, 4, 4, 5, 6, 7, 8, 8]);
    assert!(events[0].1.contains(&"loss/policy".to_string()), "{events:?}");
    let recent = ["score-window/random", "score-window/solver-1x"];
    assert_eq!(events[4].1, [&["score/random", "score/solver-1x"], &recent[..], &["elo/value", "elo/margin"]].concat());
    assert!(events[9].1.contains(&"score/earlier-1".to_string()), "{events:?}");
}

#[test]
fn killed_twenty_times_it_ends_as_if_it_had_not_been() {
    let folder = tempfile::tempdir().unwrap();
    for (preset, more) in [("alphazero", ""), ("gevc", ""), ("gesr", ""), ("gesc", "play-ahead = true")] {
        let (recipe, whole) = (folder.path().join("small.toml"), folder.path().join(format!("whole-{preset}")));
        fs::write(&recipe, format!("preset = \"{preset}\"\n{more}\n{RECIPE}")).unwrap();
        succeed(&["train", text(&recipe), "--out", text(&whole)]);
        let run = folder.path().join(format!("run-{preset}"));
        train_killed(&recipe, &run, 7, 7);
        assert!(result(&run) == result(&whole), "{preset}: the run that was killed ended otherwise");
        let metrics = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
        assert_eq!(metrics.lines().count(), 8, "{metrics}");
        assert_eq!(events(&run), events(&whole), "{preset}");
    }
}

/// Lines of a run's log and its events do not depend on whether training went on meanwhile.
#[test]
fn what_is_measured_beside_training_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (mut expected, mut order) = (Vec::new(), Vec::new());
    for (name, more) in [("waiting", "beside = false"), ("beside", "beside = true"), ("killed", "beside = true")] {
        let (recipe, run) = (folder.path().join(format!("{name}.toml")), folder.path().join(name));
        fs::write(
            &recipe,
            format!("preset = \"gesc\"\n{RECIPE}window = 5\n{more}\n").replace("every = 4", "every = 2"),
        )
        .unwrap();
        if name == "killed" {
            train_killed(&recipe, &run, 7, 7);
        } else {
            let said = succeed(&["train", text(&recipe), "--out", text(&run)]);
            assert_eq!(said.matches("(over 5 steps: random ").count(), 4, "{said}");
        }
        let log = fs::read(run.join("log.jsonl")).unwrap();
        let mut events = events(&run);
        events.sort();
        assert!(events.iter().any(|(_, tags)| tags.contains(&"score-window/solver-1x".to_string())), "{events:?}");
        if expected.is_empty() {
            (expected, order) = (log, events);
        } else {
            assert!(log == expected, "{name}: {}", String::from_utf8_lossy(&log));
            assert!(events == order, "{name}: {events:?}");
        }
    }
    assert_eq!(String::from_utf8(expected).unwrap().lines().count(), 4);
}

/// What was learnt by temporal differences leads AlphaZero's search, in Go and in games on other grids.
#[test]
fn local_shapes_lead_the_search() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = folder.path().join("shapes.toml");
    fs::write(&recipe, "game = \"connect-four\"\ngames = 300\n[features]\nsizes = [1, 2]\n[evaluation]\ngames = 0\n")
        .unwrap();
    let four = folder.path().join("four");
    succeed(&["train", text(&recipe), "--out", text(&four)]);
    let go = support::checkpoint(folder.path(), 10, 5);
    for (game, size, shapes) in [("connect-four", &[][..], text(&four)), ("go", &["--size", "5"], &go)] {
        let (shaped, blind) = (format!("puct:shapes:{shapes},iterations=20"), "puct:uniform,iterations=20");
        let games = |first: &str, log: &str| {
            let log = folder.path().join(format!("{game}-{log}.jsonl"));
            let given = &[first, "random", "--games", "4", "--log", text(&log)];
            succeed(&[&["match", "--game", game], size, given].concat());
            // The first line says who played, the others what.
            let lines = fs::read_to_string(log).unwrap();
            let game =
                |line| serde_json::from_str::<serde_json::Value>(line).unwrap()["game"]["result"]["moves"].clone();
            lines.lines().skip(1).map(game).collect::<Vec<_>>()
        };
        let [with, again, without] =
            [(&shaped[..], "with"), (&shaped, "again"), (blind, "without")].map(|(agent, log)| games(agent, log));
        assert_eq!(with.len(), 4, "{with:?}");
        assert_eq!(with, again);
        assert_ne!(with, without, "{game}: what was learnt makes no difference");
    }
}

#[test]
fn games_side_by_side_fill_batches() {
    let folder = tempfile::tempdir().unwrap();
    let train = |name: &str, batching: &str| {
        let path = folder.path().join(format!("{name}.toml"));
        fs::write(&path, format!("{RECIPE}\n{batching}")).unwrap();
        (path, folder.path().join(name))
    };
    let batching = "[batching]\ngames = 6\nserver = { batch = 4, deadline = 200 }";
    let (path, run) = train("together", batching);
    succeed(&["train", text(&path), "--out", text(&run)]);
    assert!(fs::read_to_string(run.join("recipe.toml")).unwrap().contains("[batching.server]"));
    // A server answers whoever is measured, too, and nothing that is learnt or measured depends on it.
    let (path, alone) = train("alone", "[batching]\ngames = 6");
    succeed(&["train", text(&path), "--out", text(&alone)]);
    let log = |run: &Path| fs::read(run.join("log.jsonl")).unwrap();
    assert_eq!(log(&run), log(&alone));
    for (batching, expected) in [
        ("[batching]\ngames = 0", "batching.games = 0: expected 1 to 65,536"),
        ("[batching.server]\nbatch = 0", "batching.server.batch = 0: expected"),
        ("[batching.server]\ndeadline = 20000000", "batching.server.deadline = 20000000: expected"),
        ("[batching.server]\nnetworks = 0", "batching.server.networks = 0: expected 1 to 64"),
    ] {
        let (path, run) = train("wrong", batching);
        let message = fail(&["train", text(&path), "--out", text(&run)]);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn networks_play_by_the_clock_and_on_their_own_board() {
    // More simulations than the time is enough for, so that only the clock can end them.
    let agents = ["puct:uniform,iterations=1000000000", "puct:uniform,iterations=1000000000,reuse=false"];
    let args = ["match", "--game", "connect-four", agents[0], agents[1], "--time", "1s", "--games", "2", "--json"];
    let report: serde_json::Value = serde_json::from_str(&succeed(&args)).unwrap();
    assert_eq!((&report["games"], &report["faults"]), (&2.into(), &serde_json::json!([])), "{report}");
    let folder = tempfile::tempdir().unwrap();
    let args = ["play", "--game", "tic-tac-toe", "--agent", agents[0], "--time", "50ms/move"];
    let played = run_in(folder.path(), &args, "1\n2\n3\n4\n5\n6\n7\n8\n9\nquit\n");
    assert!(played.ok && played.out.contains("puct:uniform"), "{}", played.err);
    // A network of Go knows one size of board, and its clock comes from the protocol.
    let (recipe, run) = (folder.path().join("go.toml"), folder.path().join("go"));
    let go = RECIPE.replace("tic-tac-toe", "go").replace("steps = 8", "steps = 1\nboard-size = 5\nkomi = 24.5");
    let go = go.replace("[evaluation]\ngames = 4", "[evaluation]\ngames = 0");
    fs::write(&recipe, format!("preset = \"alphazero\"\n{go}[network]\nblocks = 1\nfilters = 16\nhidden = 16\n"))
        .unwrap();
    let trained = succeed(&["train", text(&recipe), "--out", text(&run)]);
    assert_eq!(trained.matches("--size 5 --komi 24.5 ").count(), 2, "{trained}");
    let board = run_in(folder.path(), &["gtp", "--agent", &format!("puct:{}", run.display())], "showboard\nquit\n");
    assert!(board.out.contains("komi 24.5"), "{}", board.out);
    let input = "boardsize 9\nboardsize 5\ntime_settings 1 0 0\ngenmove b\ngenmove w\nundo\ngenmove w\nplay b pass\n\
                 time_left w 1 0\ngenmove w\nquit\n";
    let answer = run_in(folder.path(), &["gtp", "--agent", &format!("puct:{}", run.display())], input);
    assert!(answer.ok, "{}", answer.err);
    let answers: Vec<&str> = answer.out.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(answers.len(), 11, "{answers:?}");
    assert!(answers[0].starts_with("? unacceptable size"), "{answers:?}");
    assert!(answers[1..].iter().all(|line| line.starts_with('=')), "{answers:?}");
    // What it knows can begin the nodes of other searches, beside what else is known.
    let agent = format!("mc-rave:40,prior=network:{}+fuego", run.display());
    let input = "boardsize 9\nboardsize 5\ngenmove b\nlz-genmove_analyze w\nquit\n";
    let answer = run_in(folder.path(), &["gtp", "--agent", &agent], input);
    assert!(answer.ok && answer.out.starts_with("? unacceptable size"), "{}", answer.err);
    assert!(answer.out.contains("info move ") && answer.out.contains("play "), "{}", answer.out);
    let answer = run_in(folder.path(), &["match", "--size", "7", &agent, "random", "--games", "2"], "");
    assert!(!answer.ok && answer.err.contains("learnt on 5x5, not on 7x7"), "{}", answer.err);
    // Or have a say in what their simulations come to, from none to all of it.
    let search = |mix: &str| {
        let agent = format!("uct:40,{mix}");
        let answer = run_in(folder.path(), &["gtp", "--agent", &agent], "boardsize 5\nlz-genmove_analyze b\nquit\n");
        assert!(answer.ok, "{mix}: {}", answer.err);
        answer.out
    };
    let mixed = |weight: f32| search(&format!("mix=network:{},mix-weight={weight}", run.display()));
    assert_eq!(mixed(0.0), search("mix=none"));
    assert!(mixed(1.0) != mixed(0.0) && mixed(0.5) != mixed(1.0));
    for (agent, game, part) in [
        (format!("uct:40,mix=network:{}", run.display()), "connect-four", "leave mix out"),
        ("uct:40,mix=shapes:run".to_string(), "go", "expected none or network:CHECKPOINT"),
        ("uct:40,mix-weight=0.5".to_string(), "go", "set mix=network:CHECKPOINT"),
    ] {
        let answer = run_in(folder.path(), &["match", &agent, "random", "--game", game, "--games", "2"], "");
        assert!(!answer.ok && answer.err.contains(part), "{agent}: {}", answer.err);
    }
}

#[test]
fn several_threads_learn_together() {
    let folder = tempfile::tempdir().unwrap();
    let (recipe, run) = (folder.path().join("small.toml"), folder.path().join("run"));
    fs::write(&recipe, format!("preset = \"gesc\"\n{RECIPE}")).unwrap();
    succeed(&["train", text(&recipe), "--out", text(&run), "--threads", "3"]);
    succeed(&["train", text(&recipe), "--out", text(&run), "--threads", "2", "--games", "10", "--resume"]);
    assert!(run.join("checkpoints/000000010.safetensors").exists());
}

#[test]
fn what_cannot_be_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let (recipe, run_folder) = (folder.path().join("small.toml"), folder.path().join("run"));
    fs::write(&recipe, format!("preset = \"gevc\"\n{RECIPE}")).unwrap();
    succeed(&["train", text(&recipe), "--out", text(&run_folder), "--games", "2"]);
    let agent = format!("puct:{}", run_folder.display());
    let of_another_game = fail(&["match", "--game", "connect-four", &agent, "random"]);
    assert!(of_another_game.contains("was learnt for tic-tac-toe, not for connect-four"), "{of_another_game}");
    assert!(
        fail(&["match", "--game", "chess", "puct", "random"])
            .contains("puct plays go, connect-four and tic-tac-toe, not chess")
    );
    let no_shapes =
        fail(&["match", "--game", "connect-four", &format!("puct:shapes:{}", run_folder.display()), "random"]);
    assert!(no_shapes.contains("values of connect-four"), "{no_shapes}");
    assert!(fail(&["match", "--game", "connect-four", "puct,first-play=most", "random"]).contains("first-play 'most'"));
    assert!(fail(&["match", "--game", "connect-four", "puct,reuse=perhaps", "random"]).contains("reuse"));
    let unknown = fail(&["match", "--game", "connect-four", "puct,device=gpu", "random"]);
    assert!(unknown.contains("device 'gpu': expected cpu, cuda or cuda:NUMBER"), "{unknown}");
    assert!(fail(&["match", "--game", "connect-four", "puct,memory-mib=0", "random"]).contains("memory-mib"));
    for (agent, expected) in [
        ("puct,mix-weight=0.3", "mix-weight does nothing without playouts: leave it out, or set playout=usual"),
        ("puct,playout=none,mercy=0.2", "mercy does nothing without playouts"),
        ("puct,playout=usual,mix-weight=2", "mix-weight"),
        ("puct,playout=fuego", "has uniform playouts only"),
    ] {
        let message = fail(&["match", "--game", "connect-four", agent, "random"]);
        assert!(message.contains(expected), "{message}");
    }
    // Without what was played the run cannot go on, and nothing is lost by trying.
    fs::rename(run_folder.join("replay"), folder.path().join("elsewhere")).unwrap();
    let answer = run(&["train", text(&recipe), "--out", text(&run_folder), "--resume"]);
    assert!(!answer.ok && answer.err.contains("cannot go on without what was played"), "{}", answer.err);
    fs::rename(folder.path().join("elsewhere"), run_folder.join("replay")).unwrap();
    succeed(&["train", text(&recipe), "--out", text(&run_folder), "--games", "3", "--resume"]);
    let missing = fail(&["train", "/nowhere/at/all.toml"]);
    assert!(missing.contains("all.toml"), "{missing}");
}

#[test]
fn what_was_learnt_is_exported_as_onnx() {
    let folder = tempfile::tempdir().unwrap();
    let network = concat!(env!("CARGO_MANIFEST_DIR"), "/../../papers/2023-go-exploit/runs/connect-four-hour");
    let file = folder.path().join("deep/er/four.onnx");
    let report = succeed(&["export", "onnx", network, text(&file), "--json"]);
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!((&report["game"], &report["steps"]), (&"connect-four".into(), &4000.into()));
    assert_eq!(report["inputs"]["planes"], serde_json::json!(["batch", 4, 6, 7]));
    assert_eq!(report["outputs"], serde_json::json!({ "policy": ["batch", 7], "value": ["batch", 1] }));
    let bytes = fs::read(&file).unwrap();
    // `ir_version`, and little else than the weights.
    assert_eq!(bytes[..2], [8, 8]);
    let room = 4 * report["weights"].as_u64().unwrap() as usize;
    assert!((room..room + 20_000).contains(&bytes.len()), "{} bytes", bytes.len());
    // A file that is there is replaced.
    fs::write(&file, "an older one").unwrap();
    assert!(succeed(&["export", "onnx", network, text(&file)]).contains("connect-four after 4000 steps"));
    assert!(fs::read(&file).unwrap() == bytes);
    // Beside it nothing stays, and what cannot be written is said in one line.
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
    let shapes = support::checkpoint(folder.path(), 10, 5);
    for (name, file, part) in [
        (&shapes[..], "new.onnx", "only residual networks"),
        ("no/such/run", "new.onnx", "no/such/run"),
        (network, "deep", "deep"),
    ] {
        let message = fail(&["export", "onnx", name, text(&folder.path().join(file))]);
        assert!(message.contains(part), "{message}");
        assert!(!folder.path().join("new.onnx").exists());
    }
    let checkpoint = fs::read_dir(Path::new(network).join("checkpoints")).unwrap().next().unwrap().unwrap().path();
    let copy = folder.path().join("copy.safetensors");
    fs::copy(checkpoint, &copy).unwrap();
    let before = fs::read(&copy).unwrap();
    assert!(fail(&["export", "onnx", text(&copy), text(&copy)]).contains("the checkpoint itself"));
    // Nor is anything else that is no ONNX file.
    assert!(fail(&["export", "onnx", network, text(&copy)]).contains("a file of another kind"));
    assert!(fs::read(&copy).unwrap() == before);
}

/// What a training run shows on a terminal as wide as most, until `enough` of it was seen or the run has ended.
#[cfg(unix)]
fn shown(args: &[&str], enough: impl Fn(&str) -> bool) -> String {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{Winsize, tcsetwinsize};
    use std::io::Read;
    use std::process::Stdio;
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let screen = fs::OpenOptions::new().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    tcsetwinsize(&screen, Winsize { ws_row: 40, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_afterstate"))
        .args(args)
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(screen)
        .spawn()
        .unwrap();
    let (mut terminal, mut seen, mut part) = (fs::File::from(terminal), Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&seen).into_owned();
        // Reading fails when nobody is left to write.
        match terminal.read(&mut part) {
            Ok(length) if length > 0 && !enough(&text) => seen.extend(&part[..length]),
            _ => {
                let _ = child.kill();
                child.wait().unwrap();
                return text;
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn a_terminal_shows_how_it_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = folder.path().join("long.toml");
    fs::write(&recipe, format!("preset = \"gesc\"\n{}", RECIPE.replace("every = 4", "every = 100"))).unwrap();
    let labels = ["loss        policy", "states      ", "archive     ", "throughput  ", "win rates   ", "steps  "];
    let all = |text: &str| labels.iter().all(|label| text.contains(label));
    // It takes much longer than a bar needs to appear, and ends all the same.
    let run = folder.path().join("run");
    let screen = shown(&["train", text(&recipe), "--out", text(&run), "--games", "4000"], all);
    assert!(all(&screen), "{screen}");
    // Programs that read JSON are not to be bothered.
    let run = folder.path().join("json");
    let args = ["train", text(&recipe), "--out", text(&run), "--games", "1000", "--json"];
    assert_eq!(shown(&args, |_| false), "");
}

/// A disk that is full looks like a file that must not grow.
#[cfg(unix)]
#[test]
fn a_full_disk_stops_it_with_a_message_and_whole_files() {
    let folder = tempfile::tempdir().unwrap();
    let (recipe, whole, run) =
        (folder.path().join("small.toml"), folder.path().join("whole"), folder.path().join("run"));
    fs::write(&recipe, format!("preset = \"gevc\"\n{RECIPE}")).unwrap();
    succeed(&["train", text(&recipe), "--out", text(&whole)]);
    // In blocks of a KiB: enough for the beginning, and for no checkpoint.
    for blocks in ["1", "4", "12"] {
        let program = env!("CARGO_BIN_EXE_afterstate");
        let resume = if run.exists() { "--resume" } else { "" };
        let line = format!(
            "trap '' XFSZ; ulimit -f {blocks}; exec {program} train {} --out {} {resume}",
            recipe.display(),
            run.display()
        );
        let output = Command::new("bash").args(["-c", &line]).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{blocks}");
        assert!(message.starts_with("error: ") && message.trim_end().lines().count() == 1, "{message}");
        assert!(message.contains("too large") && message.contains(text(&run)), "{message}");
    }
    succeed(&["train", text(&recipe), "--out", text(&run), "--resume"]);
    assert!(result(&run) == result(&whole), "it ends as if the disk had never been full");
}

#[cfg(not(feature = "cuda"))]
#[test]
fn a_device_that_was_not_built_is_named_before_anything_is_learnt() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recipe.toml");
    fs::write(&path, format!("device = \"cuda\"\n{RECIPE}")).unwrap();
    let message = fail(&["train", text(&path), "--out", text(&folder.path().join("run"))]);
    assert!(message.contains("device cuda: this program was built without it"), "{message}");
    assert!(message.contains("--features cuda"), "{message}");
}
