//! Weights of the program RLGO as an agent of this one.

use crate::runs::{contents, text};
use crate::support::{fail, run_in, succeed};
use afterstate_engine::value::{ActiveSet, Features, LocalShapes, ShapeAgent, Sharing, ValueFunction, WindowSizes};
use afterstate_games::go::{Go, Point};
use afterstate_games::rng::{below, unit};
use afterstate_games::{Game, stream};
use std::fs;
use std::path::{Path, PathBuf};

const ALL: &str = "LocalShape-1x1-LI+LocalShape-1x1-LD+LocalShape-2x2-LI+LocalShape-2x2-LD+LocalShape-3x3-LI+\
                   LocalShape-3x3-LD";

fn weight_file(path: PathBuf, features: &str, weights: &[f32]) -> PathBuf {
    let mut bytes = format!("Version = 2\nFeatureSet = ({features})\nNumSaved = {}\n", weights.len()).into_bytes();
    bytes.extend(weights.iter().flat_map(|weight| weight.to_le_bytes()));
    fs::write(&path, bytes).unwrap();
    path
}

/// Random weights for all sizes and both kinds of sharing.
fn random_weights(size: usize) -> Vec<f32> {
    let rng = &mut stream(11, size as u64);
    let count = Features::<Go>::count(&LocalShapes::new(size, WindowSizes::ALL, Sharing::Both));
    (0..count).map(|_| (unit(rng) - 0.5) / 4.0).collect()
}

/// σ(φ·θ) in double precision, with the weights of the file.
fn expected(weights: &[f32], shapes: &LocalShapes, position: &Go) -> f64 {
    let mut set = ActiveSet::default();
    Features::<Go>::active(shapes, position, &mut set);
    let sum: f64 = set.shares().iter().map(|share| f64::from(share.sign()) * f64::from(weights[share.index()])).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// The board that `afterstate-values` prints, as probabilities, uppermost row first.
fn values_over_gtp(run: &Path, size: usize, moves: &[String]) -> Vec<Vec<f64>> {
    let commands = format!("boardsize {size}\n{}\nafterstate-values\nquit\n", moves.join("\n"));
    let agent = format!("greedy:{}", text(run));
    let answer = run_in(run, &["gtp", "--size", &size.to_string(), "--agent", &agent], &commands);
    assert!(answer.ok, "{}", answer.err);
    let board = answer.out.rsplit("\n\n").nth(2).unwrap().trim_start_matches(['=', ' ']).to_string();
    let row = |row: &str| row.split(' ').map(|value| (value.parse::<f64>().unwrap() + 1.0) / 2.0).collect();
    board.lines().map(row).collect()
}

#[test]
fn imported_weights_give_the_values_that_they_should() {
    for size in [5, 9] {
        let folder = tempfile::tempdir().unwrap();
        let weights = random_weights(size);
        let file = weight_file(folder.path().join("random.w"), ALL, &weights);
        let run = folder.path().join("imported");
        let args = ["import", "rlgo", text(&file), "--out", text(&run), "--size", &size.to_string(), "--json"];
        let report: serde_json::Value = serde_json::from_str(&succeed(&args)).unwrap();
        assert_eq!((&report["weights"], &report["sharing"]), (&weights.len().into(), &"both".into()));

        let checkpoint = ShapeAgent::load(text(&run)).unwrap();
        assert_eq!((checkpoint.about.games, checkpoint.about.komi.points()), (0, 7.5));
        assert!(checkpoint.about.origin.contains("imported from RLGO's weight file random.w"));
        let value = checkpoint.value();
        let shapes = LocalShapes::new(size, WindowSizes::ALL, Sharing::Both);

        let rng = &mut stream(12, size as u64);
        let (mut game, mut candidates, mut played) = (Go::new(size), Vec::new(), Vec::new());
        for _ in 0..size * size / 2 {
            game.candidate_moves(&mut candidates);
            let mv = candidates[below(rng, candidates.len() as u32) as usize];
            let color = if played.len() % 2 == 0 { "b" } else { "w" };
            played.push(format!("play {color} {}", mv.point().unwrap().label(size)));
            game.play(mv);
        }
        game.candidate_moves(&mut candidates);
        let board = values_over_gtp(&run, size, &played);
        for mv in candidates {
            let mut after = game.clone();
            after.play(mv);
            let expected = expected(&weights, &shapes, &after);
            assert!((f64::from(value.value(&after).0) - expected).abs() < 1e-5);
            let ordinal = mv.point().unwrap().ordinal(size);
            let shown = board[size - 1 - ordinal / size][ordinal % size];
            assert!((shown - expected).abs() < 1e-4, "{mv:?}: {shown}, expected {expected}");
        }
    }
}

#[test]
fn one_shared_weight_counts_the_stones() {
    let folder = tempfile::tempdir().unwrap();
    let file = weight_file(folder.path().join("one.w"), "LocalShape-1x1-LI", &[0.3]);
    let run = folder.path().join("imported");
    let out = succeed(&["import", "rlgo", text(&file), "--out", text(&run)]);
    assert!(out.contains("1 weights for 9×9") && out.contains("afterstate play"), "{out}");
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    // Two black stones and one white one, and then one more of Black.
    let board = values_over_gtp(&run, 9, &["play b A1", "play w J9", "play b C3", "play w pass"].map(String::from));
    let label = |x, y| Point::at(x, y, 9).label(9).to_string();
    assert_eq!((label(0, 0).as_str(), label(8, 8).as_str()), ("A1", "J9"));
    for (y, row) in board.iter().enumerate() {
        for (x, value) in row.iter().enumerate() {
            // Nothing is legal where stones are: 0 on the scale from −1 to 1.
            let taken = [(0, 8), (8, 0), (2, 6)].contains(&(x, y));
            let expected = if taken { 0.5 } else { sigmoid(2.0 * 0.3) };
            assert!((value - expected).abs() < 1e-4, "column {x}, row {y}: {value}, expected {expected}");
        }
    }
}

#[test]
fn imported_weights_play_and_learn_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = weight_file(folder.path().join("random.w"), ALL, &random_weights(5));
    let run = folder.path().join("imported");
    succeed(&["import", "rlgo", text(&file), "--out", text(&run), "--size", "5"]);
    let agent = format!("greedy:{}", text(&run));
    let report = succeed(&["match", &agent, "random", "--size", "5", "--games", "4", "--json"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&report).unwrap()["games"], 4, "{report}");

    let recipe = folder.path().join("on.toml");
    fs::write(&recipe, "board-size = 5\ngames = 20\n[evaluation]\ngames = 0\n").unwrap();
    succeed(&["train", text(&recipe), "--out", text(&run), "--resume"]);
    assert_eq!(crate::runs::checkpoints(&run), [0, 20]);
    let learnt = ShapeAgent::load(text(&run)).unwrap().weights;
    let (mut same, mut moved) = (0, 0);
    for (before, after) in random_weights(5).iter().zip(&learnt) {
        // What twenty games did not touch is as it was imported.
        if before == after { same += 1 } else { moved += 1 }
    }
    assert!(same > 1000 && moved > 100, "{same} the same, {moved} moved");
}

#[test]
fn what_cannot_be_imported_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let good = weight_file(at("good.w"), "LocalShape-1x1-LI", &[0.3]);
    let short = weight_file(at("short.w"), ALL, &[0.3; 100]);
    let strange = weight_file(at("strange.w"), "LocalShape-4x4-LI", &[0.3]);
    let infinite = weight_file(at("infinite.w"), "LocalShape-1x1-LI", &[f32::INFINITY]);
    fs::write(at("text.w"), "a letter").unwrap();
    fs::File::create(at("large.w")).unwrap().set_len(1 << 40).unwrap();
    fs::create_dir(at("taken")).unwrap();
    fs::write(at("taken/notes.txt"), "mine").unwrap();
    fs::create_dir(at("empty")).unwrap();

    let new = at("new");
    for (file, parts) in [
        (&short, ["short.w", "100 weights, expected 63303"]),
        (&strange, ["strange.w", "feature set"]),
        (&infinite, ["infinite.w", "weight 0 is not a finite number"]),
        (&at("text.w"), ["text.w", "line 1"]),
        (&at("large.w"), ["large.w", "more than 64 MiB"]),
        (&at("none.w"), ["none.w", "No such file"]),
        (&at("taken"), ["taken", "weight file"]),
    ] {
        let message = fail(&["import", "rlgo", text(file), "--out", text(&new)]);
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        assert!(!new.exists(), "{message}");
    }
    for taken in [at("taken"), at("taken/notes.txt")] {
        let before = contents(&at("taken"));
        let message = fail(&["import", "rlgo", text(&good), "--out", text(&taken)]);
        assert!(message.contains("exists already: choose another --out"), "{message}");
        assert!(contents(&at("taken")) == before);
    }
    assert!(fail(&["import", "rlgo", text(&good), "--out", text(&new), "--size", "4"]).contains("--size"));
    assert!(fail(&["import", "fuego", text(&good), "--out", text(&new)]).contains("rlgo"));
    succeed(&["import", "rlgo", text(&good), "--out", text(&at("empty"))]);
    let message = fail(&["import", "rlgo", text(&good), "--out", text(&at("empty"))]);
    assert!(message.contains("exists already"), "{message}");
    assert!(succeed(&["import", "--help"]).contains("Example"));
}
