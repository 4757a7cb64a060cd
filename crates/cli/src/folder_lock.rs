//! A folder that only one process may change.

use anyhow::{Context, Result};
use std::fs::File;
use std::path::Path;

/// Held until it is dropped, or the process ends in whatever way.
#[derive(Debug)]
pub struct FolderLock(#[expect(dead_code, reason = "closing it gives the lock back")] Option<File>);

impl FolderLock {
    /// Makes the folder if need be, and locks it; fails if another process has it.
    pub fn take(folder: &Path) -> Result<FolderLock> {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        lock(folder)
    }
}

#[cfg(unix)]
fn lock(folder: &Path) -> Result<FolderLock> {
    use rustix::fs::{FlockOperation, flock};
    let file = File::open(folder).with_context(|| folder.display().to_string())?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::WOULDBLOCK) => {
            anyhow::bail!(
                "{}: another process is at work there: wait for it, or choose another --out",
                folder.display()
            )
        }
        // A file system without locks is used without one.
        Ok(()) | Err(_) => Ok(FolderLock(Some(file))),
    }
}

#[cfg(not(unix))]
fn lock(_folder: &Path) -> Result<FolderLock> {
    Ok(FolderLock(None))
}
