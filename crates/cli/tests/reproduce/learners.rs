//! Experiments that train, rate and compare.

use super::support::run_in;
use serde_json::Value;
use std::fs;

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
                 [scale.full]\ngames = 9\nseeds = 1\nrated-games = 2\nnodes = 20\n\
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
    // What learners are worth after 4 games confirms and refutes nothing that is said of 9.
    assert_eq!(answer.out.matches("not measured").count(), 3, "{}", answer.out);
    assert!(answer.out.contains(" after 4 of 9 games"), "{}", answer.out);
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
                  agent = \"tournament-search\"\nopponents-from = 8\n[scale.quick]\ngames = 2\n\
                  [[level]]\nnodes = 8\nerror = 0.9\n\
                  [[level]]\nnodes = 500\nerror = 0.0\n\
                  [[opponent]]\nrating = 100\nagent = \"random\"\n";
    fs::write(folder.path().join("uci-elo.toml"), levels).unwrap();
    let arguments = ["reproduce", "meep/uci-elo", "--paper", ".", "--runs", "runs", "--results", "results", "--json"];
    let answer = run_in(folder.path(), &arguments, "");
    assert!(answer.ok, "{}", answer.err);
    let report: Value = serde_json::from_str(&answer.out).unwrap();
    let line = |number: usize| &report["lines"][number];
    let elo = |number: usize| line(number)["elo"].as_f64().unwrap();
    assert!(elo(0) < elo(1) && line(0)["low"].as_f64().unwrap() < elo(0), "{}", answer.out);
    assert_eq!((&line(0)["games"], &line(1)["games"]), (&4.into(), &4.into()));
    let against = |line: &Value| -> Vec<String> {
        let results = line["results"].as_array().unwrap();
        results.iter().map(|result| result[0].as_str().unwrap().to_string()).collect()
    };
    let expected: [Vec<String>; 2] = [vec!["the next level".into(), "100".into()], vec!["100".into()]];
    assert_eq!([against(line(0)), against(line(1))], expected);

    fs::write(folder.path().join("uci-elo.toml"), levels.replace("from = 8", "from = 501")).unwrap();
    let refused = run_in(folder.path(), &arguments, "");
    assert!(!refused.ok && refused.err.contains("expected a level that meets opponents"), "{}", refused.err);
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
    let only = |name| run_in(folder.path(), &[&arguments[..], &["--point", name]].concat(), "");
    let refused = only("tim");
    assert!(
        !refused.ok && refused.err.contains("there is no tournament 'tim' (did you mean 'time'?)"),
        "{}",
        refused.err
    );
    let one = only("time");
    assert!(one.ok && one.out.contains("20ms/move, 4 games") && one.out.contains("not measured"), "{}", one.out);
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
    assert!(lines[1]["head-to-head"]["AlphaZero"]["margin"].is_number());
    let score = |me: usize, other: &str| lines[me]["head-to-head"][other]["mean"].as_f64().unwrap();
    assert!((score(0, "GESC_KB") + score(1, "AlphaZero") - 1.0).abs() < 1e-9);
    assert!(answer.out.contains("points against"), "{}", answer.out);
    assert!(lines.iter().all(|line| line["losses"][1]["mean"].as_f64().unwrap() >= 0.0));
    let states = read("fig1-states.csv");
    assert!(states.contains("AlphaZero,0,1,1,1") && states.contains("GESC_KB,1,"), "{states}");
    assert!(read("fig1.csv").contains("GESC_KB,4,") && read("fig1.svg").contains("AlphaZero"));
    let checkpoint = folder.path().join("runs/quick/tic-tac-toe-GESC-KB-2/checkpoints/000000004.safetensors");
    let before = fs::read(&checkpoint).unwrap();
    // A run that has ended is known by its log and its last weights, without its games.
    let report = read("fig1.json");
    for run in fs::read_dir(folder.path().join("runs/quick")).unwrap().map(|run| run.unwrap().path()) {
        if run.join("replay").exists() {
            fs::remove_dir_all(run.join("replay")).unwrap();
            fs::remove_file(run.join("checkpoints/000000002.safetensors")).unwrap();
        }
    }
    let again = run_in(folder.path(), &arguments, "");
    assert!(again.ok, "{}", again.err);
    assert_eq!((&fs::read(&checkpoint).unwrap(), read("fig1.json")), (&before, report));

    // Without its last weights it is not trained again, which would replace what was measured.
    let log = folder.path().join("runs/quick/tic-tac-toe-GESC-KB-2/log.jsonl");
    let measured = fs::read(&log).unwrap();
    fs::remove_file(&checkpoint).unwrap();
    let refused = run_in(folder.path(), &arguments, "");
    assert!(!refused.ok && refused.err.contains("tic-tac-toe-GESC-KB-2: its log is that of a run"), "{}", refused.err);
    assert_eq!(fs::read(&log).unwrap(), measured);
    fs::write(&checkpoint, &before).unwrap();

    write("fig1.toml", &figure.replace("opponent = \"random\"", "opponent = \"solver-7x\""));
    let refused = run_in(folder.path(), &arguments, "");
    assert!(!refused.ok && refused.err.contains("no games against 'solver-7x' are logged"), "{}", refused.err);
}
