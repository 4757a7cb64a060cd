//! Folders of training runs: made, read, compared.

#![allow(dead_code, reason = "interruptions are not tested everywhere")]

use crate::support::{Answer, run};
use afterstate_engine::value::ShapeAgent;
use afterstate_engine::value::shape_agent::{CHECKPOINTS, checkpoints_in};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Trains into `folder` as `recipe` says, with more arguments.
pub fn train(recipe: &Path, folder: &Path, more: &[&str]) -> Answer {
    let mut args = vec!["train", text(recipe), "--out", text(folder)];
    args.extend(more);
    run(&args)
}

/// Trains and must succeed; the output.
pub fn trained(recipe: &Path, folder: &Path, more: &[&str]) -> String {
    let answer = train(recipe, folder, more);
    assert!(answer.ok, "{more:?}: {}", answer.err);
    answer.out
}

/// The path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("temporary folders have names of text")
}

/// Writes a recipe.
pub fn recipe(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

/// Everything in a folder by its path, folders with no content.
pub fn contents(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_path_buf();
            if path.is_dir() {
                all.insert(name, None);
                folders.push(path);
            } else {
                all.insert(name, Some(fs::read(&path).unwrap()));
            }
        }
    }
    all
}

/// Whether two run folders hold the same files with the same bytes; what differs is printed by name.
pub fn assert_same_run(run: &Path, expected: &Path) {
    let (run, expected) = (contents(run), contents(expected));
    let names = |run: &BTreeMap<PathBuf, _>| run.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&run), names(&expected));
    for (name, bytes) in &run {
        assert!(bytes == &expected[name], "{} differs:\n{}", name.display(), show(bytes, &expected[name]));
    }
}

fn show(found: &Option<Vec<u8>>, expected: &Option<Vec<u8>>) -> String {
    let text = |bytes: &Option<Vec<u8>>| {
        String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).chars().take(3000).collect::<String>()
    };
    format!("{}\ninstead of\n{}", text(found), text(expected))
}

/// Copies a folder with all that is in it.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for (name, bytes) in contents(from) {
        let path = to.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match bytes {
            Some(bytes) => fs::write(path, bytes).unwrap(),
            None => fs::create_dir_all(path).unwrap(),
        }
    }
}

/// The numbers of games of all checkpoints, each of which must be whole.
pub fn checkpoints(run: &Path) -> Vec<u64> {
    if !run.join(CHECKPOINTS).is_dir() {
        return Vec::new();
    }
    let found = checkpoints_in(run).unwrap();
    found
        .into_iter()
        .map(|(games, path)| {
            assert_eq!(ShapeAgent::read(&path).unwrap().about.games, games);
            games
        })
        .collect()
}

/// The newest checkpoint by its name alone; 0 while there is none.
pub fn newest(run: &Path) -> u64 {
    if !run.join(CHECKPOINTS).is_dir() {
        return 0;
    }
    checkpoints_in(run).unwrap().last().map_or(0, |(games, _)| *games)
}

/// The number of games that a resumed run says it goes on after.
pub fn went_on_after(out: &str) -> Option<u64> {
    out.lines().find_map(|line| line.strip_prefix("Going on after ")?.strip_suffix(" games")?.parse().ok())
}
