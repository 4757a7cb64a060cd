//! What a run learns from besides its own games: files and weights of others, which must be the same when it goes on.

use crate::agent::AgentSpec;
use afterstate_engine::value::ShapeAgent;
use afterstate_engine::value::checkpoint::write_whole;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Where a run remembers them, in its folder.
pub const SOURCES: &str = "sources.json";

/// Check sums (CRC-32, as hexadecimal digits) by what the recipe says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sources(BTreeMap<String, String>);

impl Sources {
    /// With a file that `key` of the recipe names, or the logs in a folder. What cannot be read is told by who needs it.
    #[must_use]
    pub fn with_file(mut self, key: &str, path: &Path) -> Sources {
        let mut files = vec![path.to_path_buf()];
        if let Ok(entries) = fs::read_dir(path) {
            files = entries.flatten().map(|entry| entry.path()).collect();
            files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
            files.sort();
        }
        self.0.extend(sum_of(&files).map(|sum| (format!("{key} {}", path.display()), sum)));
        self
    }

    /// With the weights that `key` of the recipe names.
    #[must_use]
    pub fn with_weights(mut self, key: &str, name: &str) -> Sources {
        let sum = ShapeAgent::find(name).ok().and_then(|file| sum_of(&[file]));
        self.0.extend(sum.map(|sum| (format!("{key} {name}"), sum)));
        self
    }

    /// With the weights of an agent that `key` of the recipe names, if it has some.
    #[must_use]
    pub fn with_agent(mut self, key: &str, spec: &str) -> Sources {
        let sum = AgentSpec::parse(spec).and_then(|agent| agent.weights_fingerprint()).unwrap_or_default();
        if !sum.is_empty() {
            self.0.insert(format!("{key} {spec}"), sum);
        }
        self
    }

    /// Whether a run in `folder` that began with what stands there can go on with these.
    ///
    /// # Errors
    ///
    /// The first that has changed, or a file that cannot be read.
    pub fn check(&self, folder: &Path) -> Result<()> {
        let path = folder.join(SOURCES);
        // Runs of earlier versions have none.
        if !path.exists() {
            return Ok(());
        }
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let expected = || {
            format!("{}: expected the check sums that `train` wrote: put the file back, or delete it", path.display())
        };
        let earlier: Sources = serde_json::from_str(&text).with_context(expected)?;
        for (name, sum) in &self.0 {
            let changed = "has changed since this run began";
            ensure!(
                earlier.0.get(name).unwrap_or(sum) == sum,
                "{name} {changed} in {}: put back what it was, or choose another --out",
                folder.display()
            );
        }
        Ok(())
    }

    /// Remembers them for a run that begins.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn keep(&self, folder: &Path) -> Result<()> {
        let path: PathBuf = folder.join(SOURCES);
        if self.0.is_empty() || path.exists() {
            return Ok(());
        }
        let text = serde_json::to_string_pretty(self)? + "\n";
        write_whole(&path, text.as_bytes()).with_context(|| path.display().to_string())
    }
}

/// The check sum of all files together; nothing if one cannot be read.
fn sum_of(files: &[PathBuf]) -> Option<String> {
    let mut hasher = crc32fast::Hasher::new();
    for file in files {
        hasher.update(&fs::read(file).ok()?);
    }
    Some(format!("{:08x}", hasher.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_changed_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let (run, openings) = (folder.path().join("run"), folder.path().join("suite.epd"));
        fs::create_dir(&run).unwrap();
        fs::write(&openings, "one").unwrap();
        let now = || Sources::default().with_file("openings", &openings).with_agent("teacher", "uct:100");
        now().check(&run).unwrap();
        now().keep(&run).unwrap();
        now().check(&run).unwrap();
        let kept = fs::read(run.join(SOURCES)).unwrap();
        fs::write(&openings, "two").unwrap();
        let error = now().check(&run).unwrap_err().to_string();
        assert!(error.contains("suite.epd has changed since this run began"), "{error}");
        now().keep(&run).unwrap();
        assert_eq!(fs::read(run.join(SOURCES)).unwrap(), kept);
        // Whoever needs it says what is missing, and what is not needed any more may change.
        fs::remove_file(&openings).unwrap();
        now().check(&run).unwrap();
    }

    #[test]
    fn logs_in_a_folder_count_together() {
        let folder = tempfile::tempdir().unwrap();
        let sources = || Sources::default().with_file("games", folder.path());
        fs::write(folder.path().join("b.jsonl"), "one").unwrap();
        fs::write(folder.path().join("notes.txt"), "x").unwrap();
        let before = sources();
        fs::write(folder.path().join("notes.txt"), "y").unwrap();
        assert_eq!(sources(), before);
        fs::write(folder.path().join("a.jsonl"), "two").unwrap();
        assert_ne!(sources(), before);
    }
}
