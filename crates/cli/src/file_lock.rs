//! A file that only one process may write.

use afterstate_arena::result_log::lock;
use anyhow::{Context, Result, ensure};
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Held until it is dropped, or the process ends in whatever way. The file is replaced each time that it is written, so that it cannot be
/// locked itself: an empty one beside it is, as long as somebody writes.
#[derive(Debug)]
pub struct FileLock {
    beside: PathBuf,
    /// Closing it gives the lock back.
    _file: File,
}

impl FileLock {
    /// Locks a file, which need not be there yet; fails if another process has it.
    pub fn take(path: &Path) -> Result<FileLock> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let name =
            [".".as_ref(), path.file_name().unwrap_or_default(), ".lock".as_ref()].into_iter().collect::<OsString>();
        let beside = path.with_file_name(name);
        loop {
            let file = File::create(&beside).with_context(|| beside.display().to_string())?;
            ensure!(
                lock(&file),
                "{}: another process is writing it: wait for it, or name another file",
                path.display()
            );
            // Whoever had it may have taken it away between the two.
            if is_still_there(&file, &beside) {
                return Ok(FileLock { beside, _file: file });
            }
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.beside);
    }
}

#[cfg(unix)]
fn is_still_there(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |found: std::io::Result<fs::Metadata>| found.ok().map(|found| (found.dev(), found.ino()));
    place(file.metadata()) == place(fs::metadata(path))
}

#[cfg(not(unix))]
fn is_still_there(_file: &File, _path: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_has_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("found.json");
        let first = FileLock::take(&file).unwrap();
        let error = FileLock::take(&file).unwrap_err().to_string();
        assert!(error.contains("found.json: another process is writing it"), "{error}");
        FileLock::take(&folder.path().join("other.json")).unwrap();
        drop(first);
        drop(FileLock::take(&file).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
