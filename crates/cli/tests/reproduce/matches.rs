//! Experiments made of matches: played to the end, killed, stopped, and with programs that fail.

use super::support::{checkpoint, fail, run_in, succeed};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn help_and_mistakes_name_every_experiment() {
    let help = succeed(&["reproduce", "--help"]);
    let mistake = fail(&["reproduce", "mogo/fgi5"]);
    let listed = mistake.split("expected ").nth(1).expect("a mistake says what would be right");
    let known: Vec<&str> = listed.split(", ").map(|name| name.split_whitespace().next().expect("a name")).collect();
    let described = help.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    let described: Vec<&str> = described.filter(|word| word.contains('/') && !word.starts_with('-')).collect();
    assert_eq!(described, known, "--help describes all experiments, in the order in which a mistake names them");
    for (system, name) in [("rlgo", "table5"), ("mogo", "ladder"), ("backgammon", "gnubg"), ("knightcap", "gains")] {
        assert!(known.contains(&format!("{system}/{name}").as_str()), "{system}/{name}: {known:?}");
    }
    assert!(mistake.contains("did you mean 'mogo/fig5'?"), "{mistake}");
    assert!(fail(&["reproduce", "mogo/fig5", "--paper", "no/such/folder"]).contains("no/such/folder: no such folder"));
}

/// An experiment on 5×5 in which searching players meet random ones.
const SMALL: &str = r#"
source = "a test"
title = "Searching against playing at random"
board-size = 5
opening-moves = 1
opponent = { name = "random", agent = "random" }
[scale.quick]
games = 6
[scale.full]
games = 8
[plot]
x-label = "Simulations"
line = [{ name = "even", y = 50 }]
[[point]]
name = "uct 20"
series = "UCT"
x = 20
agent = "uct:20,playout=uniform,resign=0"
paper = 0.9
[[point]]
name = "uct 40"
series = "UCT"
x = 40
agent = "uct:40,playout=uniform,resign=0"
[[point]]
name = "random"
agent = "random"
[[claim]]
text = "20 simulations win at least one game of a hundred"
of = "uct 20"
at-least = 0.01
"#;

/// What was trained for games that were all played may be gone, and their report is still made.
#[test]
fn only_what_is_missing_is_trained() {
    let folder = tempfile::tempdir().unwrap();
    let (path, trained) = (folder.path(), folder.path().join("shapes"));
    fs::write(path.join("learn.toml"), "board-size = 5\ngames = 30\n[evaluation]\ngames = 0\n").unwrap();
    let training = "[[training]]\nrecipe = \"learn.toml\"\nfolder = \"shapes\"\n[[point]]";
    let text = SMALL
        .replacen("[[point]]", training, 1)
        .replace("agent = \"random\"\n[[claim]]", "agent = \"greedy:shapes@30\"\n[[claim]]");
    fs::write(path.join("fig5.toml"), text).unwrap();
    let answer = |points: &[&str]| {
        let arguments = ["reproduce", "mogo/fig5", "--paper", ".", "--runs", "runs", "--results", "results"];
        let points = points.iter().flat_map(|point| ["--point", point]);
        run_in(path, &arguments.into_iter().chain(points).collect::<Vec<_>>(), "")
    };
    let run = |points: &[&str]| {
        let answer = answer(points);
        assert!(answer.ok, "{}", answer.err);
        answer.out
    };
    run(&["uct 20"]);
    assert!(!trained.exists(), "nobody wanted it");
    run(&[]);
    assert!(trained.exists());
    fs::remove_dir_all(&trained).unwrap();
    run(&["uct 40"]);
    assert!(!trained.exists(), "all its games were played");
    // Other weights under that name have not played them.
    let others = checkpoint(path, 30, 5);
    fs::rename(others, &trained).unwrap();
    let refused = answer(&[]);
    assert!(!refused.ok && refused.err.contains("'greedy:shapes@30' had other weights"), "{}", refused.err);
}

fn write_recipe(folder: &Path, name: &str, text: &str) {
    fs::create_dir_all(folder.join("paper")).unwrap();
    fs::write(folder.join("paper").join(format!("{name}.toml")), text).unwrap();
}

const ARGUMENTS: [&str; 8] = ["reproduce", "mogo/fig5", "--paper", "paper", "--results", "results", "--runs", "runs"];

#[test]
fn an_experiment_is_played_and_written_down() {
    let folder = tempfile::tempdir().unwrap();
    write_recipe(folder.path(), "fig5", SMALL);
    let answer = run_in(folder.path(), &ARGUMENTS, "");
    assert!(answer.ok, "{}", answer.err);
    assert!(answer.out.contains("confirmed") && answer.out.contains("90.0"), "{}", answer.out);
    let read = |name: &str| fs::read_to_string(folder.path().join("results/quick").join(name)).unwrap();
    let report: Value = serde_json::from_str(&read("fig5.json")).unwrap();
    assert_eq!(report["complete"], true);
    assert_eq!(report["experiment"]["scale"]["quick"]["games"], 6);
    assert!(report["made-by"].as_str().unwrap().contains("mogo/fig5 --scale quick"));
    let points = report["points"].as_array().unwrap();
    assert_eq!(points.iter().map(|point| point["games"].as_u64().unwrap()).collect::<Vec<_>>(), [6, 6, 6]);
    for point in points {
        // Both sides were played equally often, and the rate is that of the games.
        let sum = |side: &str| ["wins", "draws", "losses"].iter().map(|key| point[side][key].as_u64().unwrap()).sum();
        assert_eq!((sum("first"), sum("second")), (3u64, 3u64));
        let wins = point["first"]["wins"].as_f64().unwrap() + point["second"]["wins"].as_f64().unwrap();
        assert!((point["rate"]["estimate"].as_f64().unwrap() - wins / 6.0).abs() < 1e-12);
    }
    assert!(points[0]["settings"].as_str().unwrap().contains("simulations: 20"), "{}", points[0]["settings"]);
    let rows = read("fig5.csv");
    assert_eq!(rows.lines().count(), 4);
    assert!(rows.contains("uct 20,,UCT,20,"), "{rows}");
    let plot = read("fig5.svg");
    assert!(plot.contains("UCT") && plot.contains("even") && plot.contains("random"), "{plot}");
    assert_eq!(
        read("fig5.txt"),
        answer.out[answer.out.find("a test").unwrap()..answer.out.find("written to").unwrap()]
    );

    // A second time nothing is played.
    let log = fs::read(folder.path().join("runs/quick/fig5/uct-20.jsonl")).unwrap();
    let again = run_in(folder.path(), &ARGUMENTS, "");
    assert!(again.out.contains("0 of 18 games to play"), "{}", again.out);
    assert_eq!(fs::read(folder.path().join("runs/quick/fig5/uct-20.jsonl")).unwrap(), log);

    // Other agents under the same name are not mixed with these.
    write_recipe(folder.path(), "fig5", &SMALL.replacen("uct:20,", "uct:30,", 1));
    let other = run_in(folder.path(), &ARGUMENTS, "");
    assert!(!other.ok && other.err.contains("uct-20.jsonl") && other.err.contains("uct:30"), "{}", other.err);
}

#[test]
fn points_can_be_played_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    write_recipe(folder.path(), "fig5", SMALL);
    let play = |points: &[&str]| {
        let chosen = points.iter().flat_map(|point| ["--point", point]);
        let answer = run_in(folder.path(), &ARGUMENTS.into_iter().chain(chosen).collect::<Vec<_>>(), "");
        assert!(answer.ok, "{}", answer.err);
        let report = fs::read_to_string(folder.path().join("results/quick/fig5.json")).unwrap();
        let report: Value = serde_json::from_str(&report).unwrap();
        let points = report["points"].as_array().unwrap();
        let played = points.iter().map(|point| format!("{} {}", point["name"], point["games"]).replace('"', ""));
        (played.collect::<Vec<_>>(), report["complete"] == true, answer.out)
    };
    let (played, complete, out) = play(&["uct 40"]);
    assert_eq!((played, complete), (vec!["uct 40 6".into()], false));
    assert!(out.contains("1 match, 6 of 6 games to play") && out.contains("not measured"), "{out}");
    // What was played before is reported, too, and not played again.
    let (played, complete, out) = play(&["random", "uct 40"]);
    assert_eq!((played, complete), (vec!["uct 40 6".into(), "random 6".into()], false));
    assert!(out.contains("2 matches, 6 of 12 games to play"), "{out}");
    let (played, complete, out) = play(&[]);
    assert_eq!((played, complete), (vec!["uct 20 6".into(), "uct 40 6".into(), "random 6".into()], true));
    assert!(out.contains("3 matches, 6 of 18 games to play"), "{out}");

    // What nobody asks for and nobody can read is left out.
    let other = folder.path().join("runs/quick/fig5/random.jsonl");
    let kept = fs::read(&other).unwrap();
    fs::write(&other, "{}\n").unwrap();
    let (played, _, out) = play(&["uct 40"]);
    assert_eq!(played, ["uct 20 6", "uct 40 6"]);
    assert!(out.contains("Left out: point 'random'") && out.contains("random.jsonl"), "{out}");
    fs::write(&other, kept).unwrap();

    let refused = run_in(folder.path(), &[&ARGUMENTS[..], &["--point", "uct 4"]].concat(), "");
    assert!(!refused.ok && refused.err.contains("no point 'uct 4'"), "{}", refused.err);
    assert!(
        refused.err.contains("did you mean 'uct 20'") || refused.err.contains("did you mean 'uct 40'"),
        "{}",
        refused.err
    );
    assert!(refused.err.contains("expected one of 'uct 20', 'uct 40', 'random'"), "{}", refused.err);
    fs::create_dir_all(folder.path().join("papers/2012-td-search-go")).unwrap();
    let whole = run_in(folder.path(), &["reproduce", "rlgo/table1", "--point", "a"], "");
    assert!(!whole.ok && whole.err.contains("rlgo/table1: --point"), "{}", whole.err);
}

#[test]
fn parts_of_a_figure_have_boards_and_plots_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = SMALL
        .replacen("x = 40\n", "x = 7\npanel = \"b\"\nboard-size = 7\n", 1)
        .replacen(
            "[[point]]",
            "[[panel]]\nname = \"b\"\ntitle = \"Boards\"\nplot = { x-label = \"Size\" }\n[[point]]",
            1,
        )
        .replacen("at-least = 0.01", "gains-more-than = \"random\"", 1)
        .replacen("games = 6", "games = 2", 1);
    write_recipe(folder.path(), "fig10", &recipe);
    let answer = run_in(folder.path(), &[&["reproduce", "rlgo/fig10"], &ARGUMENTS[2..]].concat(), "");
    assert!(answer.ok && answer.out.contains("uct 20 against random"), "{} {}", answer.out, answer.err);
    let read = |name: &str| fs::read_to_string(folder.path().join("results/quick").join(name)).unwrap();
    let report: Value = serde_json::from_str(&read("fig10.json")).unwrap();
    assert!(report["made-by"].as_str().unwrap().contains("rlgo/fig10 --scale quick"));
    assert!(read("fig10.csv").contains("uct 40,b,UCT,7,"), "{}", read("fig10.csv"));
    assert!(read("fig10.svg").contains("Simulations") && read("fig10b.svg").contains("Boards"));
    let log = fs::read_to_string(folder.path().join("runs/quick/fig10/uct-40.jsonl")).unwrap();
    assert!(log.contains("7/7/7/7/7/7/7"), "{log}");
}

/// The moves of every game of a log, by number.
fn games(log: &Path) -> Vec<(u64, Value)> {
    let text = fs::read_to_string(log).unwrap_or_default();
    let mut games: Vec<(u64, Value)> = text
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n') && line.contains("\"game\":{"))
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            (line["game"]["index"].as_u64().unwrap(), line["game"]["result"]["moves"].clone())
        })
        .collect();
    games.sort_by_key(|(index, _)| *index);
    games
}

fn long() -> String {
    SMALL.replacen("games = 6", "games = 400", 1).replacen("[scale.full]", "points = [\"uct 40\"]\n[scale.full]", 1)
}

/// Starts the long experiment and waits until so many games are logged.
fn start(folder: &Path, games_before: usize) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_afterstate"))
        .args(ARGUMENTS)
        .args(["--jobs", "2"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let log = folder.join("runs/quick/fig5/uct-40.jsonl");
    let begin = Instant::now();
    while games(&log).len() < games_before {
        assert!(child.try_wait().unwrap().is_none(), "it should not end by itself");
        assert!(begin.elapsed() < Duration::from_secs(60), "no games are played");
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

#[test]
fn a_killed_experiment_loses_no_game_that_it_logged() {
    let folder = tempfile::tempdir().unwrap();
    let (killed, whole) = (folder.path().join("killed"), folder.path().join("whole"));
    for folder in [&killed, &whole] {
        write_recipe(folder, "fig5", &long());
    }
    let log = killed.join("runs/quick/fig5/uct-40.jsonl");
    for so_many in [10, 60] {
        let mut child = start(&killed, so_many);
        child.kill().unwrap();
        child.wait().unwrap();
        let before = games(&log);
        assert!(before.len() >= so_many && before.len() < 400);
        // A line that was being written when the power failed.
        let mut text = fs::read_to_string(&log).unwrap();
        text.truncate(text.rfind('\n').unwrap() + 1);
        fs::write(&log, format!("{text}{{\"crc\":\"0123abcd\",\"game\":{{\"ind")).unwrap();
    }
    let before = games(&log);
    for folder in [&killed, &whole] {
        let answer = run_in(folder, &ARGUMENTS, "");
        assert!(answer.ok, "{}", answer.err);
    }
    let after = games(&log);
    assert!(before.iter().all(|game| after.contains(game)));
    assert_eq!(after.iter().map(|(index, _)| *index).collect::<Vec<_>>(), (0..400).collect::<Vec<_>>());
    assert_eq!(after, games(&whole.join("runs/quick/fig5/uct-40.jsonl")));
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_report_of_what_was_played() {
    let folder = tempfile::tempdir().unwrap();
    write_recipe(folder.path(), "fig5", &long());
    let child = start(folder.path(), 5);
    let pid = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stderr).contains("goes on from here"));
    let report = fs::read_to_string(folder.path().join("results/quick/fig5.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let played = games(&folder.path().join("runs/quick/fig5/uct-40.jsonl")).len();
    assert_eq!(report["points"][0]["games"], played);
    assert_eq!((&report["complete"], &report["claims"][0]["verdict"]), (&Value::Bool(false), &"not measured".into()));
    // Its point is not among those of this scale, so that nothing is ever said about it.
    assert!((5..400).contains(&played));
}

/// A Go program in the shell that answers every command with nothing, but for these.
#[cfg(unix)]
fn engine(folder: &Path, name: &str, special: &str) -> String {
    let path = folder.join(name);
    let script = format!(
        "while read -r line; do\n  set -- $line\n  case \"$1\" in\n    {special}\n    \
         protocol_version) printf '= 2\\n\\n';;\n    list_commands) printf '= boardsize\\nclear_board\\nkomi\\nplay\\n\
         genmove\\nquit\\n\\n';;\n    quit) printf '= \\n\\n'; exit 0;;\n    *) printf '= \\n\\n';;\n  esac\ndone\n"
    );
    fs::write(&path, script).unwrap();
    format!("gtp:\"sh {}\"", path.display())
}

#[cfg(unix)]
#[test]
fn faults_are_counted_with_their_reason_and_programs_that_do_not_start_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let illegal = engine(folder.path(), "illegal.sh", "genmove) printf '= A1\\n\\n';;");
    let recipe = |agent: &str| {
        SMALL
            .replacen("agent = \"random\" }", &format!("agent = '{agent}' }}"), 1)
            .replacen("games = 6", "games = 2\npoints = [\"random\"]", 1)
            .replacen("opening-moves = 1", "opening-moves = 0", 1)
    };
    write_recipe(folder.path(), "fig5", &recipe(&illegal));
    let answer = run_in(folder.path(), &ARGUMENTS, "");
    assert!(answer.ok, "{}", answer.err);
    let report = fs::read_to_string(folder.path().join("results/quick/fig5.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let point = &report["points"][0];
    let faults = point["faults"].as_object().unwrap();
    assert!(faults.keys().all(|fault| fault.contains("illegal.sh") && fault.contains("illegal-move")), "{faults:?}");
    assert_eq!(faults.values().map(|count| count.as_u64().unwrap()).sum::<u64>(), 2);
    assert_eq!(point["rate"]["estimate"], 1.0);
    assert!(answer.out.contains("lost by fault"), "{}", answer.out);

    let log = folder.path().join("runs/quick/fig5/random.jsonl");
    fs::remove_file(&log).unwrap();
    let silent = engine(folder.path(), "silent.sh", "boardsize) exit 1;;");
    write_recipe(folder.path(), "fig5", &recipe(&silent));
    let answer = run_in(folder.path(), &ARGUMENTS, "");
    assert!(!answer.ok && answer.err.contains("silent.sh") && answer.err.contains("point 'random'"), "{}", answer.err);
    assert!(games(&log).is_empty());

    // It starts once, to be looked at, and never again: no game may count, now or later.
    let counter = folder.path().join("starts");
    let once = format!("boardsize) test -e {0} && exit 1; touch {0}; printf '= \\n\\n';;", counter.display());
    let unwilling = engine(folder.path(), "once.sh", &once);
    write_recipe(folder.path(), "fig5", &recipe(&unwilling));
    let answer = run_in(folder.path(), &ARGUMENTS, "");
    assert!(!answer.ok && answer.err.contains("could not begin"), "{} {}", answer.err, answer.out);
    let report = fs::read_to_string(folder.path().join("results/quick/fig5.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&report).unwrap()["points"][0]["games"], 0);
    // When it has been mended, the games are played after all.
    engine(folder.path(), "once.sh", "genmove) printf '= resign\\n\\n';;");
    let answer = run_in(folder.path(), &ARGUMENTS, "");
    assert!(answer.ok, "{}", answer.err);
    assert_eq!(games(&log).len(), 2);
    assert!(answer.out.contains("100.0"), "{}", answer.out);
}

/// A test ends its match as soon as it knows, and nothing is missing then.
#[test]
fn a_sequential_test_ends_its_match() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = "source = \"a test\"\ntitle = \"Searching against guessing\"\ngame = \"tic-tac-toe\"\nopening-moves = 2\n\
                  [sprt]\nelo0 = 0\nelo1 = 300\n[scale.quick]\ngames = 400\n[scale.full]\ngames = 400\n\
                  [opponent]\nname = \"random\"\nagent = \"random\"\n\
                  [[point]]\nname = \"alpha-beta\"\nagent = \"alpha-beta,depth=4\"\n";
    write_recipe(folder.path(), "fig10", recipe);
    let arguments = [&["reproduce", "rlgo/fig10"], &ARGUMENTS[2..]].concat();
    let answer = run_in(folder.path(), &arguments, "");
    assert!(answer.ok, "{}", answer.err);
    assert!(answer.out.contains("H1 accepted"), "{}", answer.out);
    let read = || fs::read_to_string(folder.path().join("results/quick/fig10.json")).unwrap();
    let report: Value = serde_json::from_str(&read()).unwrap();
    assert_eq!(report["complete"], true);
    assert_eq!(report["points"][0]["sprt"]["decision"], "accept-h1");
    let games = report["points"][0]["games"].as_u64().unwrap();
    assert!((2..400).contains(&games), "{games}");
    // Nothing more is played.
    assert!(run_in(folder.path(), &arguments, "").ok);
    assert_eq!(serde_json::from_str::<Value>(&read()).unwrap()["points"][0]["games"], games);

    // An interval of a match that its own result has ended says too much.
    let claim = "[[claim]]\ntext = \"who searches wins\"\nof = \"alpha-beta\"\nelo-at-least = 0\n";
    write_recipe(folder.path(), "fig10", &format!("{recipe}{claim}"));
    let refused = run_in(folder.path(), &arguments, "");
    assert!(!refused.ok && refused.err.contains("[[claim]] with [sprt]"), "{}", refused.err);
    write_recipe(folder.path(), "fig10", &recipe.replace("elo1 = 300", "elo1 = -1"));
    let refused = run_in(folder.path(), &arguments, "");
    assert!(!refused.ok && refused.err.contains("[sprt]: elo0 is 0 and elo1 is -1"), "{}", refused.err);
}
