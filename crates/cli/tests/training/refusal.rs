//! What is refused: with one line that says what to do, and with nothing changed on disk.

use crate::runs::{contents, copy, recipe, text, train, trained};
use crate::support;
use std::fs;
use std::path::{Path, PathBuf};

const RECIPE: &str = "board-size = 5\ngames = 200\nseed = 7\n\
                      [checkpoints]\nfirst = 50\nper-decade = 2\n[evaluation]\ngames = 2\n";

/// Training must fail with one line that has all `parts`, and leave everything as it is.
fn is_refused(recipe: &Path, run: &Path, more: &[&str], parts: &[&str]) {
    let everything = run.parent().unwrap();
    let before = contents(everything);
    let answer = train(recipe, run, more);
    assert!(!answer.ok, "{} {more:?} should be refused, but: {}", run.display(), answer.out);
    let line = answer.err.trim_end();
    assert!(line.starts_with("error: ") && line.lines().count() == 1, "expected one line, not {line:?}");
    for part in parts {
        assert!(line.contains(part), "expected '{part}' in: {line}");
    }
    assert!(answer.out.is_empty(), "{}", answer.out);
    assert!(contents(everything) == before, "something changed on disk after: {line}");
}

#[test]
fn runs_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let good = recipe(folder.path(), "small.toml", RECIPE);
    let komi = recipe(folder.path(), "komi.toml", &format!("komi = 6.5\n{RECIPE}"));
    let size = recipe(folder.path(), "size.toml", &RECIPE.replace("board-size = 5", "board-size = 6"));
    let whole = folder.path().join("whole");
    trained(&good, &whole, &[]);

    is_refused(&good, &whole, &[], &["holds a run already", "--resume", "--out"]);
    for (recipe, more) in [(&good, &["--resume", "--seed", "8"][..]), (&komi, &["--resume"]), (&size, &["--resume"])] {
        is_refused(recipe, &whole, more, &["other settings", "recipe.toml", "--out"]);
    }
    is_refused(
        &good,
        &whole,
        &["--resume", "--games", "100"],
        &["has learnt from 200 games already, more than 100", "--out"],
    );
    // Without its settings the checkpoint itself must tell.
    fs::remove_file(whole.join("recipe.toml")).unwrap();
    is_refused(&komi, &whole, &["--resume"], &["000000200.safetensors", "komi 7.5, expected 6.5"]);
    is_refused(&size, &whole, &["--resume"], &["000000200.safetensors", "board-size 5, expected 6"]);

    let only_log = folder.path().join("only-log");
    fs::create_dir(&only_log).unwrap();
    fs::copy(whole.join("log.jsonl"), only_log.join("log.jsonl")).unwrap();
    is_refused(&good, &only_log, &[], &["holds a run already"]);
    is_refused(&good, &only_log, &["--resume"], &["the log of a run whose weights are gone", "--out"]);
}

#[test]
fn damaged_runs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let good = recipe(folder.path(), "small.toml", RECIPE);
    let whole = folder.path().join("whole");
    trained(&good, &whole, &[]);
    let newest = Path::new("checkpoints/000000200.safetensors");
    let bytes = fs::read(whole.join(newest)).unwrap();

    let case = |name: &str, change: &dyn Fn(&Path), parts: &[&str]| {
        let run = folder.path().join(name);
        copy(&whole, &run);
        change(&run);
        is_refused(&good, &run, &["--resume"], parts);
        fs::remove_dir_all(run).unwrap();
    };
    let of_file = |name: &str, content: Vec<u8>, part: &str| {
        let parts = ["cannot resume (remove this file to go on", "000000200.safetensors", part];
        case(name, &|run| fs::write(run.join(newest), &content).unwrap(), &parts);
    };
    let mut flipped = bytes.clone();
    *flipped.last_mut().unwrap() ^= 1;
    of_file("flipped", flipped, "checksum does not match; the file is damaged");
    of_file("cut", bytes[..bytes.len() - 5].to_vec(), "damaged");
    of_file("cut in its header", bytes[..100].to_vec(), "ends after 100 bytes, inside its header");
    of_file("empty", Vec::new(), "only 0 bytes; the file is damaged");
    of_file("text", b"these are not weights, but words".to_vec(), "not a safetensors file");
    of_file("large", vec![0; (80 << 20) + 1], "more than 80 MiB");
    let earlier = fs::read(whole.join("checkpoints/000000050.safetensors")).unwrap();
    of_file("renamed", earlier, "holds the weights after 50 games");
    let other = PathBuf::from(support::checkpoint(folder.path(), 200, 7));
    of_file("other size", fs::read(other.join(newest)).unwrap(), "board-size 7, expected 5");
    let in_its_place = |run: &Path| {
        fs::remove_file(run.join(newest)).unwrap();
        fs::create_dir(run.join(newest)).unwrap();
    };
    case("folder in its place", &in_its_place, &["000000200.safetensors", "not a file", "remove this"]);

    let log = fs::read_to_string(whole.join("log.jsonl")).unwrap();
    let of_log = |name: &str, content: Vec<u8>, part: &str| {
        case(name, &|run| fs::write(run.join("log.jsonl"), &content).unwrap(), &["log.jsonl", part]);
    };
    of_log("log with a strange line", log.replacen("\"games\":50", "\"gmaes\":50", 1).into(), "line 1: not a line of");
    of_log("log that is not text", [b"\xff\xfe\n", log.as_bytes()].concat(), "line 1: not a line of a training log");
    of_log("log out of order", format!("{log}{log}").into(), "line 4: 50 games, expected more");
    of_log("endless log", vec![b' '; (16 << 20) + 1], "more than 16 MiB");

    case("settings are damaged", &|run| fs::write(run.join("recipe.toml"), "komi = [").unwrap(), &["recipe.toml"]);
    let file = |run: &Path| {
        fs::remove_dir_all(run.join("checkpoints")).unwrap();
        fs::write(run.join("checkpoints"), "").unwrap();
    };
    case("checkpoints are a file", &file, &["checkpoints is not a folder"]);
    let nothing_but_a_file = folder.path().join("file");
    fs::write(&nothing_but_a_file, "").unwrap();
    is_refused(&good, &nothing_but_a_file, &[], &["is not a folder", "--out"]);
}

#[test]
fn recipes_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    for (content, parts) in [
        (&b"gmaes = 5"[..], &["line 1", "gmaes"][..]),
        (b"games = 5\n[evaluation]\nopponent = 3", &["line 3", "opponent"]),
        (b"games = \"many\"", &["line 1", "expected a whole number"]),
        (b"komi = 7.3", &["multiple of 0.5"]),
        (b"[checkpoints]\nevery-seconds = -1", &["every-seconds = -1: expected 0 to"]),
        (b"[checkpoints]\nevery-seconds = nan", &["every-seconds"]),
        (b"[checkpoints]\nevery-seconds = 1e300", &["every-seconds"]),
        (b"games = 5\nseed = \xff\xfe", &["byte 17 is not UTF-8"]),
        (b"games\0 = 5", &["line 1"]),
        (b"a = {a = {a = {a = {a = {a = [[[[[[[[[[[[", &["line 1"]),
    ] {
        let path = folder.path().join("bad.toml");
        fs::write(&path, content).unwrap();
        is_refused(&path, &run, &[], &[&["recipe", "bad.toml"], parts].concat());
    }
    let huge = folder.path().join("huge.toml");
    fs::write(&huge, "#".repeat(3 << 20)).unwrap();
    is_refused(&huge, &run, &[], &["huge.toml", "more than 1 MiB"]);
    is_refused(&folder.path().join("none.toml"), &run, &[], &["none.toml"]);
    is_refused(folder.path(), &folder.path().join("run"), &[], &["recipe", text(folder.path())]);
    let good = recipe(folder.path(), "small.toml", RECIPE);
    is_refused(&good, &run, &["--games", "0"], &["games = 0"]);
    is_refused(&good, &run, &["--threads", "0"], &["threads = 0"]);
    is_refused(&good, &run, &["--seed", "18446744073709551615"], &["--seed"]);
}
