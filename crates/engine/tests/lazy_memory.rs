//! What a search really takes of the machine's memory: in a process of its own, where nothing else takes any.

#![cfg(target_os = "linux")]

use afterstate_engine::Budget;
use afterstate_engine::search::{McRave, Mcts, MctsSettings, PlayOut, Search};
use afterstate_games::go::{Go, UniformGoPlayout};
use afterstate_games::stream;
use std::time::Duration;

/// The most memory that this process has had in use, in MiB.
fn most_resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() / 1024
}

#[test]
fn a_search_by_the_clock_uses_memory_as_its_tree_grows() {
    let settings = MctsSettings { memory_mib: 2048, ..MctsSettings::default() };
    let mut search = Mcts::new(McRave::default(), PlayOut(UniformGoPlayout), settings);
    let before = most_resident();
    let decision = search.search(&Go::new(9), &Budget::time(Duration::from_millis(20)), &mut stream(1, 0));
    assert!(decision.effort > 0 && search.tree().unwrap().capacity() > 60_000_000);
    // Some hundred simulations of 88 nodes each, in pages that may be large.
    let taken = most_resident() - before;
    assert!(taken < 256, "{taken} MiB for {} simulations", decision.effort);
}
