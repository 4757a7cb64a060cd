//! Programs from outside that tests compare with.

use std::path::PathBuf;

/// Where `program` is: on the path, or where Debian puts games. Without it the test is left out, unless
/// `AFTERSTATE_REQUIRE_ENGINES` is 1.
pub fn find(program: &str, test: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/games")])
        .map(|folder| folder.join(program))
        .find(|file| file.is_file());
    if found.is_none() {
        let required = std::env::var("AFTERSTATE_REQUIRE_ENGINES").is_ok_and(|value| value == "1");
        assert!(!required, "{test}: {program} is not installed, and AFTERSTATE_REQUIRE_ENGINES=1 demands it");
        println!("left out: {test}: {program} is not installed");
    }
    found
}
