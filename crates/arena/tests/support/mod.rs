//! What the tests of engines share: a misbehaving engine, and a look at the processes that are left.
#![allow(dead_code, reason = "every test file uses another part")]

use afterstate_arena::external::{GtpEngine, Limits};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A mark that no other test or run uses.
pub fn unique_mark(test: &str) -> String {
    let age = std::time::UNIX_EPOCH.elapsed().expect("the clock is set");
    format!("mark-{test}-{}-{}", std::process::id(), age.as_nanos())
}

/// The command line of the fake engine in one of its modes.
pub fn fake_command(mode: &str, mark: &str) -> String {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/support/fake-gtp.sh");
    format!("sh '{}' {mode} {mark}", script.display())
}

/// The fake engine, with limits that make a hang short and leave a slow machine time enough.
pub fn fake_engine(mode: &str, mark: &str) -> GtpEngine {
    let limits =
        Limits { start: Duration::from_secs(20), command: Duration::from_secs(20), per_move: Duration::from_secs(2) };
    GtpEngine::new(&fake_command(mode, mark)).expect("the command line is well-formed").with_limits(limits)
}

/// The command lines of running processes that contain `mark`.
pub fn processes_with(mark: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("Linux has /proc").flatten() {
        if let Ok(line) = std::fs::read(entry.path().join("cmdline")) {
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            if line.contains(mark) {
                found.push(format!("{}: {line}", entry.file_name().to_string_lossy()));
            }
        }
    }
    found
}

/// Waits until no process carries the mark, and fails with the list of those that stay.
pub fn expect_none_left(mark: &str) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let left = processes_with(mark);
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "left behind: {left:#?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a program can be used. Without it a test is left out, unless engines are required.
pub fn installed_or_leave_out(program: &str, test: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).chain([PathBuf::from("/usr/games")]).any(|f| f.join(program).is_file());
    if !found {
        let required = std::env::var_os("AFTERSTATE_REQUIRE_ENGINES").is_some_and(|value| value == "1");
        assert!(!required, "{test}: {program} is not installed, and AFTERSTATE_REQUIRE_ENGINES=1 demands it");
        println!("left out: {test}: {program} is not installed");
    }
    found
}
