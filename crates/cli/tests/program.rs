//! What every subcommand has in common, and the small ones.

mod support;

use support::{fail, run, run_in, succeed};

const COMMANDS: [&str; 25] = [
    "games",
    "agents",
    "recipes",
    "train",
    "import",
    "export",
    "reproduce",
    "play",
    "analyze",
    "evaluate",
    "foretell",
    "match",
    "tune",
    "tournament",
    "rate",
    "gtp",
    "uci",
    "bench",
    "suite",
    "solve",
    "perft",
    "check",
    "calibrate",
    "completions",
    "manual",
];

#[test]
fn every_subcommand_explains_itself_with_examples() {
    let all = succeed(&["--help"]);
    for command in COMMANDS {
        assert!(all.contains(&format!("  {command} ")), "{command} is not in --help");
        let help = succeed(&[command, "--help"]);
        assert!(help.contains("Usage: afterstate"), "{help}");
        assert!(help.contains("Example"), "{command} --help has no example");
    }
}

#[test]
fn the_version_names_the_revision_it_was_built_from() {
    let version = succeed(&["--version"]);
    let name = concat!("afterstate ", env!("CARGO_PKG_VERSION"));
    let revision = version.trim_end().strip_prefix(name).unwrap();
    let hash = revision.trim_start_matches(" (").trim_end_matches(')').trim_end_matches(", changed");
    // Nothing where the sources are of no repository.
    assert!(revision.is_empty() || hash.len() >= 10 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{version}");
}

#[test]
fn mistakes_are_one_line_with_a_hint() {
    assert!(fail(&["mtach"]).contains("match"));
    assert!(fail(&["perft", "connect-fuor", "3"]).contains("did you mean 'connect-four'?"));
    assert!(fail(&["perft", "go4", "3"]).contains("5 to 19"));
    assert!(fail(&["perft", "connect-four", "3", "--position", "zzz"]).contains("position"));
    assert!(fail(&["perft", "connect-four", "3", "--size", "9"]).contains("--size"));
    assert!(fail(&["match", "radnom", "random"]).contains("did you mean 'random'?"));
    assert!(fail(&["match", "alpha-beta:x,depht=3", "random"]).contains("did you mean 'depth'?"));
    assert!(fail(&["match", "greedy:no/such/run", "random"]).contains("no/such/run: no such file or folder; name a"));
    assert!(fail(&["match", "random", "random", "--games", "few"]).contains("expected a whole number"));
    assert!(!fail(&["match", "random", "random", "--games", "-3"]).contains("-- -3"));
    assert!(fail(&["match", "random"]).contains("were not provided: <SECOND>"));
    assert!(fail(&["match", "gtp:no-such-program --gtp", "random"]).contains("no-such-program"));
    assert!(fail(&["match", "random", "random", "--referee", "me"]).contains("area, gnugo"));
    assert!(fail(&["match", "random", "random", "--time", "soon"]).contains("time control"));
    assert!(fail(&["match", "random", "random", "--sprt", "elo0=5,elo1=1"]).contains("elo0"));
    assert!(fail(&["gtp", "--agent", "random", "--size", "20"]).contains("5 to 19"));
    assert!(fail(&["rate", "no-such-log.jsonl"]).contains("no-such-log.jsonl"));
    assert!(fail(&["tournament", "no-such-file.toml"]).contains("no-such-file.toml"));
    assert!(fail(&["bench", "--check", "x"]).contains("bench signature"));
    assert!(fail(&["bench", "--beside", "python3"]).contains("bench nets --beside PYTHON"));
    assert!(fail(&["bench", "nets", "--seconds", "0.001", "--beside", "no-such-python"]).contains("cannot be started"));
    #[cfg(unix)]
    assert!(
        fail(&["bench", "nets", "--seconds", "0.001", "--beside", "true"]).contains("-m pip install torch onnxruntime")
    );
    assert!(fail(&["bench", "signature", "--check", "no-such-file"]).contains("no-such-file"));
}

#[test]
fn numbers_below_nothing_are_told_as_such() {
    for (args, option) in [
        (&["match", "random", "random", "--games", "-1"][..], "--games"),
        (&["train", "recipe.toml", "--games", "-5"], "--games"),
        (&["play", "--length", "-3"], "--length"),
        (&["perft", "chess", "-1"], "<DEPTH>"),
    ] {
        let error = fail(args);
        assert!(error.contains("'-") && error.contains(option) && !error.contains("unexpected"), "{error}");
    }
}

#[test]
fn files_for_other_commands_are_told_what_they_are_for() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("figure.toml", "source = \"Fig. 1\"\n[scale.full]\ngames = 3\n[[claim]]\ntext = \"x\"\n");
    write("ladder.toml", "game = \"go9\"\nagents = [\"random\", \"random\"]\n");
    write("recipe.toml", "game = \"go\"\ngames = -5\n");
    let told = |args: &[&str]| {
        let answer = run_in(folder.path(), args, "");
        assert!(!answer.ok && answer.err.trim_end().lines().count() == 1, "{}", answer.err);
        answer.err
    };
    assert!(told(&["train", "figure.toml", "--out", "x"]).contains("afterstate reproduce"));
    assert!(told(&["train", "ladder.toml", "--out", "x"]).contains("afterstate tournament"));
    assert!(told(&["tournament", "recipe.toml"]).contains("afterstate train"));
    let error = told(&["train", "recipe.toml", "--out", "x"]);
    assert!(error.contains("expected a whole number from 0 on") && !error.contains("u64"), "{error}");

    let agents = |name: &str, elo: &str| {
        let agents = "agents = [{name = \"A\", agent = \"random\"}, {name = \"B\", agent = \"random\"}]";
        let text = format!("game = \"go5\"\n{agents}\n[anchors]\nA = {elo}\n").replace("\"B\"", name);
        write("own.toml", &text);
        told(&["tournament", "own.toml"])
    };
    assert!(agents("\"B\"", "nan").contains("anchor 'A' = NaN: expected a rating"));
    assert!(agents("\"a\\nb\"", "0").contains("expected text on one line"));
    assert!(agents("\"\"", "0").contains("expected text on one line"));
}

#[test]
fn perft_gives_the_published_numbers() {
    let numbers = |out: &str| -> Vec<u64> {
        out.lines().skip(1).map(|line| line.split_whitespace().last().unwrap().parse().unwrap()).collect()
    };
    let paths = succeed(&["perft", "connect-four", "6"]);
    assert_eq!(numbers(&paths), [1, 7, 49, 343, 2401, 16807, 117_649]);
    let distinct = succeed(&["perft", "connect-four", "5", "--distinct"]);
    assert_eq!(numbers(&distinct), [1, 7, 49, 238, 1120, 4263]);
    // 25 points and a pass; after a stone 24 points and a pass, after a pass again 26.
    assert_eq!(numbers(&succeed(&["perft", "go5", "2"])), [1, 26, 25 * 25 + 26]);
    let report: serde_json::Value = serde_json::from_str(&succeed(&["perft", "tic-tac-toe", "9", "--json"])).unwrap();
    assert_eq!(report["paths"][9], 127_872);
    let by_move = succeed(&["perft", "tic-tac-toe", "2", "--by-move"]);
    assert_eq!(by_move.lines().filter(|line| line.ends_with(" 8")).count(), 9, "{by_move}");
}

#[test]
fn a_position_that_perft_prints_can_be_given_back() {
    let report: serde_json::Value = serde_json::from_str(&succeed(&["perft", "go5", "1", "--json"])).unwrap();
    let position = report["position"].as_str().unwrap();
    let again = succeed(&["perft", "go5", "1", "--json", "--position", position]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&again).unwrap(), report);
}

#[test]
fn every_game_keeps_its_promises() {
    let report: serde_json::Value =
        serde_json::from_str(&succeed(&["check", "all", "--games", "5", "--json"])).unwrap();
    let games: Vec<&str> = report.as_array().unwrap().iter().map(|game| game["game"].as_str().unwrap()).collect();
    assert_eq!(games, ["tic-tac-toe", "connect-four", "backgammon", "chess", "go9"]);
}

#[test]
fn lists_are_text_and_json() {
    assert!(succeed(&["games"]).contains("connect-four"));
    let agents: serde_json::Value = serde_json::from_str(&succeed(&["agents", "--json"])).unwrap();
    let kinds: Vec<&str> = agents.as_array().unwrap().iter().map(|kind| kind["name"].as_str().unwrap()).collect();
    let text = succeed(&["agents"]);
    for kind in kinds {
        assert!(text.contains(kind));
    }
}

#[test]
fn kinds_of_agents_and_recipes_are_explained_key_by_key() {
    let text = succeed(&["agents", "tournament-search"]);
    for part in ["\n      null-move  ", "\n      reverse-futility  ", "  on  Whether "] {
        assert!(text.contains(part) && !succeed(&["agents"]).contains(part), "{part}: {text}");
    }
    let shown: serde_json::Value = serde_json::from_str(&succeed(&["agents", "tournament-search", "--json"])).unwrap();
    assert!(shown[0]["parts"].as_array().unwrap().iter().all(|part| part["meaning"].as_str().unwrap().len() > 10));
    let error = fail(&["agents", "tournament"]);
    assert!(error.contains("expected random, ") && error.trim_end().lines().count() == 1, "{error}");

    let kinds = succeed(&["recipes"]);
    assert!(kinds.contains("chess-network") && kinds.contains("OutcomeStrap"), "{kinds}");
    let schema: serde_json::Value = serde_json::from_str(&succeed(&["recipes", "chess", "--json"])).unwrap();
    assert_eq!(schema["properties"]["games"]["type"], "integer");
    let error = fail(&["recipes", "ches"]);
    assert!(error.contains("did you mean 'chess'?"), "{error}");
    // What is printed can be learnt from.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine.toml"), succeed(&["recipes", "grid"])).unwrap();
    assert!(run_in(folder.path(), &["train", "mine.toml", "--out", "run", "--games", "2"], "").ok);
}

#[test]
fn completions_and_the_manual_are_printed() {
    assert!(succeed(&["completions", "bash"]).contains("afterstate"));
    assert!(succeed(&["manual"]).starts_with(".ie"));
    let folder = tempfile::tempdir().unwrap();
    assert!(run_in(folder.path(), &["manual", "--folder", "pages"], "").ok);
    assert!(folder.path().join("pages/afterstate-match.1").is_file());
}

#[test]
fn figures_are_one_line_each() {
    let out = succeed(&["bench", "playouts", "--seconds", "0.01"]);
    let names: Vec<&str> = out.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert!(names.contains(&"go9.playouts.uniform") && names.contains(&"go19.playouts.uniform.wall"), "{out}");
    for line in out.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        assert!(fields.len() == 3 && fields[1].parse::<f64>().unwrap() > 0.0 && fields[2] == "/s", "{line}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&succeed(&["bench", "all", "--seconds", "0.01", "--threads", "2", "--json"])).unwrap();
    let find = |name: &str| json.as_array().unwrap().iter().find(|figure| figure["name"] == name).cloned();
    for name in ["go9.td.afterstates", "go9.td.games", "go9.alpha-beta.nodes", "go9.afterstates.sums"] {
        assert!(find(name).is_some_and(|figure| figure["value"].as_f64().unwrap() > 0.0), "{name}");
    }
    assert_eq!(find("go9.td.learning-share").unwrap()["unit"], "%");
}

#[test]
fn the_signature_is_the_recorded_one() {
    let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench.txt");
    let answer = run(&["bench", "signature", "--check", recorded]);
    assert!(answer.ok, "{}", answer.err);
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(recorded).unwrap();
    let changed = text.replace("signature.go9.playouts ", "signature.go9.playouts 0");
    assert_ne!(changed, text);
    std::fs::write(folder.path().join("other.txt"), changed).unwrap();
    let answer = run_in(folder.path(), &["bench", "signature", "--check", "other.txt"], "");
    assert!(!answer.ok && answer.err.contains("signature.go9.playouts"), "{}", answer.err);
}

/// Nobody reads what is said of a match that ends early, and its file is written all the same.
#[cfg(unix)]
#[test]
fn notes_that_nobody_reads_cost_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_afterstate");
    let mut child = std::process::Command::new(program)
        .current_dir(folder.path())
        .args(["match", "mc-rave:100000", "random", "--size", "9", "--games", "400", "--csv", "games.csv"])
        .args(["--log", "games.jsonl"])
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stderr.take());
    while std::fs::metadata(folder.path().join("games.jsonl")).map_or(0, |log| log.len()) == 0 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(folder.path().join("games.csv").is_file());
}

#[cfg(unix)]
#[test]
fn a_full_standard_output_is_named() {
    let program = env!("CARGO_BIN_EXE_afterstate");
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let output = std::process::Command::new(program).arg("games").stdout(full).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && error.starts_with("error: standard output: No space left"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let program = env!("CARGO_BIN_EXE_afterstate");
    let script = format!("'{program}' completions zsh | true; '{program}' manual | head -c 1 > /dev/null");
    let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}
