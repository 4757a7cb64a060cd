//! Tells the program which revision it is built from: `AFTERSTATE_VERSION` and `AFTERSTATE_REVISION`.
//!
//! It runs again only where the program has to be compiled anew anyway, or after a commit.

use std::path::Path;
use std::process::Command;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let revision = revision(&root).unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    let version = if revision.is_empty() { version.to_string() } else { format!("{version} ({revision})") };
    println!("cargo::rustc-env=AFTERSTATE_VERSION={version}");
    println!("cargo::rustc-env=AFTERSTATE_REVISION={revision}");
}

/// The first digits of the commit's hash, and whether sources were changed since. `None`: there is no repository, or it is another's.
fn revision(root: &Path) -> Option<String> {
    watch(&root.join("Cargo.lock"));
    for member in std::fs::read_dir(root.join("crates")).ok()?.flatten() {
        watch(&member.path().join("Cargo.toml"));
        watch(&member.path().join("src"));
    }
    if Path::new(&git(root, &["rev-parse", "--show-toplevel"])?).canonicalize().ok()? != root.canonicalize().ok()? {
        return None;
    }
    let log = git(root, &["rev-parse", "--git-path", "logs/HEAD"])?;
    let head = git(root, &["rev-parse", "--git-path", "HEAD"])?;
    watch(&root.join(log));
    watch(&root.join(head));
    let commit = git(root, &["rev-parse", "--short=10", "HEAD"])?;
    let changed =
        git(root, &["status", "--porcelain", "--untracked-files=no", "--", "crates", "Cargo.toml", "Cargo.lock"])?;
    Some(if changed.is_empty() { commit } else { format!("{commit}, changed") })
}

/// Cargo runs this again each time where a file that it should look at is missing.
fn watch(path: &Path) {
    if path.exists() {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("--no-optional-locks").arg("-C").arg(root).args(arguments).output().ok()?;
    output.status.success().then_some(String::from_utf8(output.stdout).ok()?.trim_end().to_string())
}
