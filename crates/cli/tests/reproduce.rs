//! Experiments made of matches: played to the end, killed, stopped, and with programs that fail.

mod support;

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::{fail, run_in, succeed};

const EXPERIMENTS: [&str; 20] = [
    "rlgo/table1",
    "rlgo/table2",
    "rlgo/fig5",
    "rlgo/fig6",
    "rlgo/fig7",
    "rlgo/fig8",
    "rlgo/fig9",
    "rlgo/fig10",
    "rlgo/fig11",
    "rlgo/fig13",
    "mogo/ladder",
    "mogo/fig5",
    "mogo/fig6",
    "mogo/fig7",
    "mogo/table1",
    "mogo/goal",
    "knightcap/gains",
    "meep/table2",
    "meep/fig2",
    "meep/table3",
];

#[test]
fn help_and_mistakes_name_every_experiment() {
    let help = succeed(&["reproduce", "--help"]);
    let mistake = fail(&["reproduce", "mogo/fgi5"]);
    for name in EXPERIMENTS {
        assert!(help.contains(&format!("  {name} ")), "{name} is not in --help");
        assert!(mistake.contains(name), "{mistake}");
    }
    assert!(mistake.contains("did you mean 'mogo/fig5'?"), "{mistake}");
    assert!(fail(&["reproduce", "mogo/fig5", "--paper", "no/such/folder"]).contains("no/such/folder/fig5.toml"));
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
    assert!(!output.status.success());
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

/// Two learners of chess, a few games of each, and everybody against everybody.
#[test]
fn learners_are_trained_and_rated_in_one_tournament_that_goes_on_where_it_was_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    for rule in ["tree-strap", "td-leaf"] {
        let recipe = format!(
            "game = \"chess\"\nmove-limit = 40\n[learner]\nrule = \"{rule}\"\n[search]\ntable-mib = 1\n\
             [checkpoints]\nfirst = 2\nper-decade = 2\n"
        );
        write(&format!("{rule}.toml"), &recipe);
    }
    let table = "source = \"a test\"\ntitle = \"Two learners\"\nuntrained = 100\n\
                 [scale.quick]\ngames = 4\ntraining-nodes = 60\nseeds = 1\nrated-games = 2\nnodes = 20\n\
                 [[learner]]\nname = \"Tree\"\nrecipe = \"tree-strap.toml\"\npaper = 2000\n\
                 [[learner]]\nname = \"Leaf\"\nrecipe = \"td-leaf.toml\"\npaper = 900\n\
                 [[claim]]\nstronger = \"Tree\"\nweaker = \"Leaf\"\n";
    write("table2.toml", table);
    let arguments =
        ["reproduce", "meep/table2", "--paper", ".", "--runs", "runs", "--results", "results", "--jobs", "2"];
    let answer = run_in(folder.path(), &arguments, "");
    assert!(answer.ok, "{}", answer.err);
    for claim in ["Tree is 1900 above the untrained", "Tree is stronger than Leaf"] {
        assert!(answer.out.contains(claim), "{}", answer.out);
    }
    let read = |name: &str| fs::read_to_string(folder.path().join("results/quick").join(name)).unwrap();
    let report: Value = serde_json::from_str(&read("table2.json")).unwrap();
    // Checkpoints after 2 and 4 games of each, and the untrained: 10 pairs, 2 games each.
    assert_eq!(report["players"].as_array().unwrap().len(), 5);
    assert!(report["made-by"].as_str().unwrap().contains("20 games, 20 positions a move"), "{}", report["made-by"]);
    assert_eq!(report["shown"][0]["learner"], "Tree");
    assert!(read("table2.csv").contains("Leaf,4,") && read("table2.svg").contains("untrained"));

    let log = fs::read(folder.path().join("runs/quick/table2/tournament-20.jsonl")).unwrap();
    let again = run_in(folder.path(), &arguments, "");
    assert!(again.ok, "{}", again.err);
    assert_eq!(fs::read(folder.path().join("runs/quick/table2/tournament-20.jsonl")).unwrap(), log);

    for (from, to, complaint) in [
        ("games = 4\n", "games = 0\n", "expected numbers above 0"),
        ("weaker = \"Leaf\"", "weaker = \"Laef\"", "'Laef' is not the name of a learner"),
    ] {
        write("table2.toml", &table.replace(from, to));
        let refused = run_in(folder.path(), &arguments, "");
        assert!(!refused.ok && refused.err.contains(complaint), "{}", refused.err);
    }
}

/// Two learners that begin with different weights: both of these play, and what counts is the last checkpoint.
#[test]
fn learners_are_compared_with_the_weights_that_they_began_with() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    for first in ["material", "pawns"] {
        let recipe = format!(
            "game = \"chess\"\nterms = \"knightcap\"\nvalue = \"logistic\"\nmove-limit = 40\nfirst-weights = \"{first}\"\n\
             [learner]\nrule = \"td-leaf\"\n[search]\ntable-mib = 1\n[checkpoints]\nfirst = 1\nper-decade = 2\n"
        );
        write(&format!("{first}.toml"), &recipe);
    }
    let gains = "source = \"a test\"\ntitle = \"Two beginnings\"\nuntrained = 1650\nshows = \"last\"\n\
                [scale.quick]\ngames = 4\ntraining-nodes = 60\nseeds = 1\nrated-games = 2\nnodes = 20\n\
                [[learner]]\nname = \"Men\"\nrecipe = \"material.toml\"\ngames = 2\npaper = 2100\n\
                [[learner]]\nname = \"Pawns\"\nrecipe = \"pawns.toml\"\nfirst = 1260\npaper = 1540\n";
    write("gains.toml", gains);
    let arguments = ["reproduce", "knightcap/gains", "--paper", ".", "--runs", "runs", "--results", "results"];
    let answer = run_in(folder.path(), &arguments, "");
    assert!(answer.ok, "{}", answer.err);
    for claim in ["Men is 450 above the values of men", "Pawns is 280 above the men worth a pawn"] {
        assert!(answer.out.contains(claim), "{}", answer.out);
    }
    let report = fs::read_to_string(folder.path().join("results/quick/gains.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let shown = |index: usize| report["shown"][index]["training-games"].as_u64().unwrap();
    assert_eq!((shown(0), shown(1)), (2, 4));
    let first = report["players"].as_array().unwrap().iter().find(|player| player["name"] == "values of men").unwrap();
    assert_eq!(first["elo"], 1650.0);
}

/// What was learnt against an opponent whose rating is given.
#[test]
fn what_was_learnt_meets_opponents_of_known_strength() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let recipe = "game = \"chess\"\nmove-limit = 40\n[search]\ntable-mib = 1\n[checkpoints]\nfirst = 2\n";
    write("tree-strap.toml", recipe);
    let table = "source = \"a test\"\ntitle = \"A gauntlet\"\nunit = \"Elo (material = 1500)\"\n\
                 [scale.quick]\ngames = 2\ntraining-nodes = 60\nrated-games = 2\ntime = \"200ms+2ms\"\n\
                 [[player]]\nname = \"Tree\"\nrecipe = \"tree-strap.toml\"\npaper = \"1950 to 2197\"\nleast = 2150\n\
                 [[opponent]]\nname = \"material\"\nagent = \"tournament-search:material\"\nrating = 1500\n";
    write("table3.toml", table);
    let arguments = ["reproduce", "meep/table3", "--paper", ".", "--runs", "runs", "--results", "results"];
    let answer = run_in(folder.path(), &arguments, "");
    assert!(answer.ok, "{}", answer.err);
    assert!(answer.out.contains("Tree reaches 2150"), "{}", answer.out);
    let report = fs::read_to_string(folder.path().join("results/quick/table3.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let tally = &report["lines"][0]["results"][0][1];
    let games: u64 = ["wins", "draws", "losses"].iter().map(|kind| tally[kind].as_u64().unwrap()).sum();
    assert_eq!((games, report["players"].as_array().unwrap().len()), (2, 2));

    write("table3.toml", &table.replace("least = 2150", "stronger = [\"Leaf\", 150]"));
    let refused = run_in(folder.path(), &arguments, "");
    assert!(!refused.ok && refused.err.contains("'Leaf' is not the name of a player"), "{}", refused.err);
}

/// A search that is held back against an opponent whose rating is given, and against itself.
#[test]
fn strengths_are_measured() {
    let folder = tempfile::tempdir().unwrap();
    let levels = "source = \"a test\"\ntitle = \"Strengths\"\nunit = \"Elo (random = 100)\"\n\
                  agent = \"tournament-search\"\n[scale.quick]\ngames = 2\n\
                  [[level]]\nnodes = 8\nerror = 0.9\nagainst = [100]\n\
                  [[level]]\nnodes = 500\nerror = 0.0\nagainst = []\n\
                  [[opponent]]\nrating = 100\nagent = \"random\"\n";
    fs::write(folder.path().join("uci-elo.toml"), levels).unwrap();
    let arguments = ["reproduce", "meep/uci-elo", "--paper", ".", "--runs", "runs", "--results", "results", "--json"];
    let answer = run_in(folder.path(), &arguments, "");
    assert!(answer.ok, "{}", answer.err);
    let report: Value = serde_json::from_str(&answer.out).unwrap();
    let line = |number: usize| &report["lines"][number];
    let elo = |number: usize| line(number)["elo"].as_f64().unwrap();
    assert!(elo(0) < elo(1) && line(0)["low"].as_f64().unwrap() < elo(0), "{}", answer.out);
    assert_eq!((&line(0)["games"], &line(1)["games"]), (&4.into(), &2.into()));
    let against = |line: &Value| -> Vec<String> {
        let results = line["results"].as_array().unwrap();
        results.iter().map(|result| result[0].as_str().unwrap().to_string()).collect()
    };
    assert_eq!((against(line(0)), against(line(1))), (vec!["the next level".into(), "100".into()], vec![]));

    fs::write(folder.path().join("uci-elo.toml"), levels.replace("against = []", "against = [7]")).unwrap();
    let refused = run_in(folder.path(), &arguments, "");
    assert!(
        !refused.ok && refused.err.contains("against 7: expected the rating of an [[opponent]]"),
        "{}",
        refused.err
    );
}

/// All against all, by simulations and by time.
#[test]
fn searches_are_rated_together() {
    let folder = tempfile::tempdir().unwrap();
    let table = "source = \"a test\"\ntitle = \"Searches\"\ngame = \"tic-tac-toe\"\n\
                 [scale.quick]\ngames = 4\nsimulations = 20\ntime = \"20ms/move\"\n\
                 [[player]]\nname = \"tree\"\nagent = \"uct:{simulations}\"\npaper = 500\n\
                 [[player]]\nname = \"flat\"\nagent = \"flat-mc:{simulations}\"\n\
                 [[player]]\nname = \"chance\"\nagent = \"random\"\n\
                 [[tournament]]\nname = \"simulations\"\nsimulations = 5000000\nanchor = [\"chance\", 0.0]\n\
                 [[tournament]]\nname = \"time\"\ntime = \"1h/move\"\nplayers = [\"tree\", \"chance\"]\n\
                 anchor = [\"chance\", 100.0]\n\
                 [[claim]]\ntext = \"Trees help\"\ntournament = \"simulations\"\nof = \"tree\"\nbeats = \"chance\"\n";
    fs::write(folder.path().join("table4.toml"), table).unwrap();
    let arguments = ["reproduce", "rlgo/table4", "--paper", ".", "--runs", "runs", "--results", "results"];
    let answer = run_in(folder.path(), &arguments, "");
    assert!(answer.ok, "{}", answer.err);
    assert!(answer.out.contains("Trees help") && answer.out.contains("20 simulations, 12 games"), "{}", answer.out);
    let read = |name: &str| fs::read_to_string(folder.path().join("results/quick").join(name)).unwrap();
    let report: Value = serde_json::from_str(&read("table4.json")).unwrap();
    let tournaments = report["tournaments"].as_array().unwrap();
    let sizes: Vec<_> = tournaments.iter().map(|it| (it["players"].as_array().unwrap().len(), &it["games"])).collect();
    assert_eq!(sizes, [(3, &Value::from(12)), (2, &Value::from(4))]);
    let chance = |at: usize| {
        tournaments[at]["players"].as_array().unwrap().iter().find(|player| player["name"] == "chance").unwrap()["elo"]
            .as_f64()
            .unwrap()
    };
    assert_eq!([chance(0).round(), chance(1).round()], [0.0, 100.0]);
    assert!(read("table4.svg").contains("tree"));

    let log = fs::read(folder.path().join("runs/quick/table4/simulations.jsonl")).unwrap();
    assert!(run_in(folder.path(), &arguments, "").ok);
    assert_eq!(fs::read(folder.path().join("runs/quick/table4/simulations.jsonl")).unwrap(), log);
}

/// Two learners, two runs of each, measured as they learn, and a meeting at the end.
#[test]
fn learning_curves_are_compared_and_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    for preset in ["alphazero", "gesc-kb"] {
        let recipe = format!(
            "game = \"tic-tac-toe\"\npreset = \"{preset}\"\n[self-play]\niterations = 5\n\
             [replay]\nstep = 20\nbatches = 1\nbatch = 8\n"
        );
        write(&format!("{preset}.toml"), &recipe);
    }
    let figure = "source = \"a test\"\ntitle = \"Curves\"\nopponent = \"random\"\nwindow = 2\n\
                  [scale.quick]\nsteps = 4\nseeds = 2\nevery = 2\ngames = 6\nloss-games = 3\n\
                  [[learner]]\nname = \"AlphaZero\"\nrecipe = \"alphazero.toml\"\n\
                  [[learner]]\nname = \"GESC_KB\"\nrecipe = \"gesc-kb.toml\"\npaper = 0.6\n\
                  [[claim]]\nmore = \"GESC_KB\"\nthan = \"AlphaZero\"\n\
                  [[claim]]\nmore = \"GESC_KB\"\nthan = \"AlphaZero\"\nmeasure = \"trajectories\"\ntimes = 2.0\n";
    write("fig1.toml", figure);
    let arguments = ["reproduce", "go-exploit/fig1", "--paper", ".", "--runs", "runs", "--results", "results"];
    let answer = run_in(folder.path(), &arguments, "");
    assert!(answer.ok, "{}", answer.err);
    for text in ["larger area under its curve", "more trajectories for a step than AlphaZero, 2 times", "60.0 %"] {
        assert!(answer.out.contains(text), "{}", answer.out);
    }
    let read = |name: &str| fs::read_to_string(folder.path().join("results/quick").join(name)).unwrap();
    let report: Value = serde_json::from_str(&read("fig1.json")).unwrap();
    let lines = report["lines"].as_array().unwrap();
    assert!(lines.iter().all(|line| line["area"]["margin"].is_number()));
    // From two runs, each against both of the other learner.
    assert!(lines[1]["head-to-head"]["margin"].is_number());
    assert!(lines.iter().all(|line| line["losses"][1]["mean"].as_f64().unwrap() >= 0.0));
    let states = read("fig1-states.csv");
    assert!(states.contains("AlphaZero,0,1,1,1") && states.contains("GESC_KB,1,"), "{states}");
    assert!(read("fig1.csv").contains("GESC_KB,4,") && read("fig1.svg").contains("AlphaZero"));
    let checkpoint = folder.path().join("runs/quick/tic-tac-toe-GESC-KB-2/checkpoints/000000004.safetensors");
    let before = fs::read(&checkpoint).unwrap();
    assert!(run_in(folder.path(), &arguments, "").ok);
    assert_eq!(fs::read(&checkpoint).unwrap(), before);

    write("fig1.toml", &figure.replace("opponent = \"random\"", "opponent = \"solver-7x\""));
    let refused = run_in(folder.path(), &arguments, "");
    assert!(!refused.ok && refused.err.contains("no games against 'solver-7x' are logged"), "{}", refused.err);
}
