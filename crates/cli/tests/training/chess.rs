//! Chess learnt by search: from self-play and from partners, killed and gone on with, and played.

use crate::runs::{assert_same_run, newest, recipe, text, train, trained};
use crate::support::{run_in, train_killed};
use std::fs;
use std::process::Command;

const RECIPE: &str = "game = \"chess\"\ngames = 30\nmove-limit = 60\nevaluation-nodes = 50\n\
                      [learner]\nrule = \"tree-strap\"\nstep-size = 1e-5\n\
                      [search]\nnodes = 150\ntable-mib = 1\n\
                      [checkpoints]\nfirst = 5\nper-decade = 2\nevery-seconds = 0.01\n\
                      [evaluation]\ngames = 2\nopponents = 1\nopening-moves = 2\n";

#[test]
fn every_rule_learns_and_what_it_learnt_plays() {
    let folder = tempfile::tempdir().unwrap();
    for rule in ["tree-strap", "root-strap", "td-root", "td-leaf", "td-directed"] {
        let text_of = RECIPE.replace("tree-strap", rule).replace("games = 30", "games = 6");
        let recipe = recipe(folder.path(), &format!("{rule}.toml"), &text_of);
        let run = folder.path().join(rule);
        let said = trained(&recipe, &run, &[]);
        assert!(said.contains("--game chess --agent tournament-search:"), "{said}");
        assert_eq!(newest(&run), 6);
        let agent = format!("tournament-search:{},nodes=50", text(&run));
        let output = Command::new(env!("CARGO_BIN_EXE_afterstate"))
            .args(["match", "--game", "chess", &agent, "random", "--games", "2", "--move-limit", "30", "--json"])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stdout).contains("\"complete\": true"));
    }
}

#[test]
fn killed_twenty_times_it_ends_as_if_it_had_not_been() {
    let folder = tempfile::tempdir().unwrap();
    // What the learner remembers besides its weights must come back, too.
    let adam = RECIPE.replace("step-size = 1e-5", "step-size = 1e-4\nsteps = \"adam\"\nlearns = \"quiet-leaf\"");
    let averaged = adam.replace("games = 30", "games = 30\naveraging = 7");
    for (name, text) in [("adam", adam), ("averaged", averaged)] {
        let recipe = recipe(folder.path(), &format!("{name}.toml"), &text);
        let [whole, run] = ["whole", "run"].map(|run| folder.path().join(name).join(run));
        trained(&recipe, &whole, &[]);
        train_killed(&recipe, &run, 20, 12);
        assert_same_run(&run, &whole);
    }
}

#[test]
fn a_clock_limits_games_instead_of_positions() {
    let folder = tempfile::tempdir().unwrap();
    let timed = RECIPE.replace("games = 30", "games = 2\ntime = \"400ms+5ms\"").replace("nodes = 150", "nodes = 0");
    let run = folder.path().join("run");
    trained(&recipe(folder.path(), "timed.toml", &timed), &run, &[]);
    assert_eq!(newest(&run), 2);
    // Going on with it by positions would be another run.
    let other = recipe(folder.path(), "other.toml", &timed.replace("time = \"400ms+5ms\"\n", "").replace("= 0", "= 9"));
    let answer = train(&other, &run, &["--resume"]);
    assert!(!answer.ok && answer.err.starts_with("error: "), "{}", answer.err);
}

/// The ratings of all are saved.
#[test]
fn partners_are_matched_by_rating_and_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    // No other program has this on its command line.
    let mark = format!("--seed 7{:09}", std::process::id());
    let engine = format!("uci:\\\"{} uci --agent random {mark}\\\"", env!("CARGO_BIN_EXE_afterstate"));
    let pool = format!(
        "[partners]\nrating = 1000\n[[partners.pool]]\nagent = \"{engine}\"\nrating = 1000\n\
         [[partners.pool]]\nagent = \"tournament-search:material,nodes=20\"\nrating = 1100\nfixed = true\n"
    );
    let settings = RECIPE.replace("tree-strap", "td-leaf").replace("games = 30", "games = 8");
    let recipe = recipe(folder.path(), "pool.toml", &format!("{settings}{pool}"));
    let run = folder.path().join("run");
    trained(&recipe, &run, &[]);
    let bytes = fs::read(run.join("checkpoints/000000008.safetensors")).unwrap();
    let header = String::from_utf8_lossy(&bytes[..bytes.len().min(8000)]).to_string();
    assert!(header.contains("ratings") && header.contains("1100.0"), "{header}");
    // The learner's own is in the log, where it can be followed.
    let log = fs::read_to_string(run.join("log.jsonl")).unwrap();
    let ratings: Vec<f64> = log
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["rating"].as_f64().unwrap())
        .collect();
    let last = header.split("ratings").nth(1).unwrap().split(']').next().unwrap();
    assert!(last.ends_with(&ratings[ratings.len() - 1].to_string()), "{ratings:?}: {last}");
    // No engine is left behind.
    assert!(processes_with(&mark).is_empty(), "{:?}", processes_with(&mark));
}

/// From self-play and against partners: every game counts once, all share the weights, and no engine is left behind.
#[test]
fn several_games_at_once_learn_together() {
    let folder = tempfile::tempdir().unwrap();
    let mark = format!("--seed 8{:09}", std::process::id());
    let engine = format!("uci:\\\"{} uci --agent random {mark}\\\"", env!("CARGO_BIN_EXE_afterstate"));
    let pool = format!("[partners]\nrating = 1000\n[[partners.pool]]\nagent = \"{engine}\"\nrating = 1000\n");
    let leaf = RECIPE.replace("tree-strap", "td-leaf");
    for (name, text) in [("alone", RECIPE.to_string()), ("partners", format!("{leaf}{pool}"))] {
        let recipe = recipe(folder.path(), &format!("{name}.toml"), &text);
        let run = folder.path().join(name);
        trained(&recipe, &run, &["--threads", "3", "--games", "7"]);
        trained(&recipe, &run, &["--threads", "2", "--games", "16", "--resume"]);
        assert_eq!(newest(&run), 16, "{name}");
        let log = fs::read_to_string(run.join("log.jsonl")).unwrap();
        let lines: Vec<serde_json::Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let games: Vec<u64> = lines.iter().map(|line| line["games"].as_u64().unwrap()).collect();
        assert_eq!(games, [5, 7, 16], "{name}: {log}");
        let mut errors = lines.iter().map(|line| line["error"].as_f64().unwrap());
        assert!(errors.all(|error| 0.0 < error && error < 1.0), "{name}: {log}");
        let [first, last] = ["000000005", "000000016"].map(|games| {
            let checkpoint = fs::read(run.join(format!("checkpoints/{games}.safetensors"))).unwrap();
            // Behind the header, which differs.
            let header = u64::from_le_bytes(checkpoint[..8].try_into().unwrap()) as usize;
            checkpoint[8 + header..].to_vec()
        });
        assert!(first != last, "{name}: nothing was learnt");
        assert!(processes_with(&mark).is_empty(), "{:?}", processes_with(&mark));
    }
}

/// In both positions White mates with its next move.
#[test]
fn games_begin_with_the_openings_of_a_suite() {
    let folder = tempfile::tempdir().unwrap();
    let suite = "7k/5Q2/6K1/8/8/8/8/8 w - -\n6k1/5ppp/8/8/8/8/8/R6K w - -\n";
    fs::create_dir(folder.path().join("suites")).unwrap();
    fs::write(folder.path().join("suites/mates.epd"), suite).unwrap();
    let openings = folder.path().join("suites/mates.epd");
    let settings = RECIPE.replace("games = 30", &format!("games = 6\nopenings = {openings:?}"));
    let recipe = self::recipe(folder.path(), "suite.toml", &settings);
    let run = folder.path().join("run");
    trained(&recipe, &run, &[]);
    let log = fs::read_to_string(run.join("log.jsonl")).unwrap();
    assert!(
        log.lines().all(|line| line.contains("\"moves\":1.0,") && line.contains("\"first-player-score\":1.0")),
        "{log}"
    );
    // The run's own copy of the recipe names the same file.
    trained(&recipe, &run, &["--resume", "--games", "8"]);
    trained(&run.join("recipe.toml"), &run, &["--resume", "--games", "9"]);
    // Other openings would make another run of it.
    fs::write(&openings, suite.replace("7k", "6k1")).unwrap();
    let answer = train(&recipe, &run, &["--resume", "--games", "10"]);
    assert!(!answer.ok && answer.err.contains("mates.epd has changed since this run began"), "{}", answer.err);
    fs::write(&openings, suite).unwrap();
    trained(&recipe, &run, &["--resume", "--games", "10"]);
    fs::write(folder.path().join("suites/mates.epd"), "nothing\n").unwrap();
    let answer = train(&recipe, &folder.path().join("other"), &[]);
    assert!(
        !answer.ok && answer.err.starts_with("error: openings '") && answer.err.contains("mates.epd"),
        "{}",
        answer.err
    );
    assert_eq!(answer.err.trim_end().lines().count(), 1, "{}", answer.err);
}

#[test]
fn a_partner_that_cannot_be_started_ends_the_run_before_it_begins() {
    let folder = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_afterstate");
    let engine = format!("uci:\"{program} uci --agent random\",options=UCI_Eloo=1500");
    for (agent, part) in [("uci:false", "cannot start"), (&engine, "no option 'UCI_Eloo'")] {
        let pool = format!("[[partners.pool]]\nagent = '{agent}'\nrating = 1500\n");
        let recipe = recipe(folder.path(), "absent.toml", &format!("{RECIPE}{pool}"));
        let run = folder.path().join("absent");
        let answer = train(&recipe, &run, &[]);
        let start = format!("error: partners.pool: agent '{agent}' ");
        assert!(!answer.ok && answer.err.starts_with(&start) && answer.err.contains(part), "{}", answer.err);
        assert_eq!(answer.err.trim_end().lines().count(), 1, "{}", answer.err);
        assert!(!run.exists());
    }
}

/// What was learnt until then is kept.
#[cfg(unix)]
#[test]
fn a_partner_that_fails_game_after_game_ends_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("engine.sh");
    // It is there, and goes as soon as it should play.
    let lines =
        "while read -r word rest; do case $word in uci) echo uciok;; isready) echo readyok;; go) exit 3;; esac; done";
    fs::write(&script, lines).unwrap();
    let agent = format!("uci:sh {}", text(&script));
    let pool = format!("[[partners.pool]]\nagent = \"{agent}\"\nrating = 1500\n");
    let recipe = recipe(folder.path(), "failing.toml", &format!("{RECIPE}{pool}"));
    let run = folder.path().join("run");
    let answer = train(&recipe, &run, &[]);
    let lines: Vec<&str> = answer.err.lines().collect();
    assert!(!answer.ok && lines.len() == 2, "{}", answer.err);
    assert!(lines[0].starts_with(&format!("note: partner '{agent}' failed in a game (crash: ")), "{}", answer.err);
    let why = format!("error: partner '{agent}' failed in 3 of 3 games (first crash: at 'go ");
    assert!(lines[1].starts_with(&why) && lines[1].contains("stopped after 3 games"), "{}", answer.err);
    assert_eq!(newest(&run), 3);
}

/// The command lines of running programs that contain `mark`, where the system tells.
fn processes_with(mark: &str) -> Vec<String> {
    let line = |process: fs::DirEntry| {
        let line = fs::read(process.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&line).replace('\0', " "))
    };
    let lines = fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(line);
    lines.filter(|line| line.contains(mark)).collect()
}

#[test]
fn what_is_wrong_with_a_recipe_is_said_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    for (bad, part) in [
        ("[learner]\nrule = \"td\"\n", "tree-strap"),
        ("[partners]\nrating = 1\n", "partners.pool is empty"),
        ("[[partners.pool]]\nagent = \"gnuches\"\nrating = 1\n", "agent 'gnuches'"),
        ("komi = 7.5\n", "komi"),
    ] {
        let recipe = recipe(folder.path(), "bad.toml", &format!("game = \"chess\"\n{bad}"));
        let answer = train(&recipe, &folder.path().join("none"), &[]);
        assert!(!answer.ok && answer.err.contains(part), "{}", answer.err);
        assert_eq!(answer.err.trim_end().lines().count(), 1, "{}", answer.err);
    }
}

/// What a run's weights are worth when they are held back, and that a chess program is offered just that.
#[cfg(unix)]
#[test]
fn a_run_is_calibrated_and_offers_what_was_measured() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    trained(&recipe(folder.path(), "few.toml", &RECIPE.replace("games = 30", "games = 6")), &run, &[]);
    // Stockfish as the levels see it, but quick: whatever they ask of it, it plays any move.
    let program = env!("CARGO_BIN_EXE_afterstate");
    let stockfish = folder.path().join("stockfish");
    fs::write(&stockfish, format!("#!/bin/sh\nsed -u /UCI_/d | '{program}' uci --agent random\n")).unwrap();
    fs::set_permissions(&stockfish, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let calibrate = |games: &str, up_to: &str| {
        let output = Command::new(program)
            .args(["calibrate", text(&run), "--games", games, "--up-to", up_to, "--json"])
            .env("PATH", format!("{}:{path}", folder.path().display()))
            .output()
            .unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (said, errors) = calibrate("2", "1000");
    let report: serde_json::Value = serde_json::from_str(&said).expect(&errors);
    let lines = report["lines"].as_array().unwrap();
    assert_eq!((&report["checkpoint"], lines.len()), (&"000000006.safetensors".into(), 7));
    // The last level has met the one before, and both of the weakest opponents.
    assert_eq!((&lines[6]["nodes"], &lines[6]["games"]), (&1000.into(), &6.into()));
    let kept = fs::read_to_string(run.join("uci-elo.json")).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&kept).unwrap(), report);
    // Nothing is played twice, whatever the folder is called.
    assert_eq!(calibrate("2", "1000").0, said);
    let moved = folder.path().join("moved");
    fs::rename(&run, &moved).unwrap();
    let output = Command::new(program)
        .args(["calibrate", &format!("{}/", text(&moved)), "--games", "2", "--up-to", "1000", "--json"])
        .env("PATH", "")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), said, "{}", String::from_utf8_lossy(&output.stderr));
    fs::rename(&moved, &run).unwrap();
    let log = fs::read_to_string(run.join("uci-elo/6-2/1000-0-against-1350.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 3);

    let agent = format!("tournament-search:{}", text(&run));
    let said = |input: &str| run_in(folder.path(), &["uci", "--agent", &agent], &format!("{input}\nquit\n"));
    let spin = || {
        let answer = said("uci");
        answer.out.lines().find(|line| line.contains("UCI_Elo")).map(str::to_owned).ok_or(answer.err)
    };
    let is_warned = || said("setoption name UCI_LimitStrength value true").out.contains("calibrate");
    let elo = |line: &serde_json::Value| (line["elo"].as_f64().unwrap() / 10.0).round() as i64 * 10;
    let strongest = lines.iter().map(elo).max().unwrap();
    assert!(spin().unwrap().ends_with(&format!("max {strongest}")) && !is_warned(), "{:?} {report}", spin());
    // Fewer games say less, and replace nothing.
    let (_, note) = calibrate("1", "1000");
    assert!(note.contains("uci-elo.json stays as it is"), "{note}");
    assert_eq!(fs::read_to_string(run.join("uci-elo.json")).unwrap(), kept);
    // What was measured of other weights does not count, and damage is named.
    fs::write(run.join("uci-elo.json"), kept.replace("000000006", "000000005")).unwrap();
    assert!(spin().unwrap().ends_with("max 1790") && is_warned(), "{:?}", spin());
    fs::write(run.join("uci-elo.json"), &kept[..kept.len() / 2]).unwrap();
    let error = spin().unwrap_err();
    assert!(error.contains("uci-elo.json: expected what `afterstate calibrate` wrote"), "{error}");

    let (_, error) = calibrate("2", "500");
    assert!(error.contains("--up-to 500: expected 1000 or more"), "{error}");
}
