//! [`PositionFiles`]: the last positions that a network has seen, in files beside its checkpoints, so that a run that was killed draws from
//! the same ones.
//!
//! Each file holds those that came since the one before it and is named by the number of games behind the last of them: a line of ASCII
//! that says what it is, a CRC-32 of the rest, and the positions.

use afterstate_engine::learning::SeenPosition;
use afterstate_engine::value::checkpoint::write_whole;
use afterstate_engine::zero::REPLAY;
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const MAGIC: &[u8] = b"afterstate positions 1\n";

/// What their names end with.
pub const EXTENSION: &str = "positions";

/// The files of a run.
pub struct PositionFiles {
    folder: PathBuf,
    /// Positions that are still of use to the run.
    window: usize,
    /// Positions that stay on disk.
    kept: usize,
    /// Games behind the last position that was read or written. Files of later games are those of a run that was killed, or gone back
    /// on.
    known: AtomicU64,
}

impl PositionFiles {
    /// Those of a run in `folder` that learns from its last `window` positions, and keeps the last `kept` if these are more.
    pub fn new(folder: &Path, window: usize, kept: usize) -> PositionFiles {
        PositionFiles { folder: folder.join(REPLAY), window, kept: kept.max(window), known: AtomicU64::new(0) }
    }

    /// The oldest `count` positions that are still there.
    pub fn oldest(&self, count: usize) -> Result<Vec<SeenPosition>> {
        let mut positions = Vec::new();
        for (_, path) in self.found()? {
            if positions.len() >= count {
                break;
            }
            positions.extend(read(&path).with_context(|| path.display().to_string())?);
        }
        ensure!(positions.len() >= count, "{}: {} positions, expected {count}", self.folder.display(), positions.len());
        positions.truncate(count);
        Ok(positions)
    }

    /// The last positions of the first `games` games.
    pub fn read(&self, games: u64) -> Result<Vec<SeenPosition>> {
        self.known.store(games, Ordering::Relaxed);
        let mut parts = Vec::new();
        let mut count = 0;
        for (of, path) in self.found()?.into_iter().rev() {
            if of > games || count >= self.window {
                continue;
            }
            let positions = read(&path).with_context(|| path.display().to_string())?;
            count += positions.len();
            parts.push(positions);
        }
        let mut positions = parts.into_iter().rev().flatten().collect::<Vec<_>>();
        positions.drain(..positions.len().saturating_sub(self.window));
        Ok(positions)
    }

    /// Writes those that came since the last file; `games` games are behind the last of them.
    pub fn write(&self, games: u64, positions: &[SeenPosition]) -> Result<()> {
        if positions.is_empty() {
            return Ok(());
        }
        std::fs::create_dir_all(&self.folder).with_context(|| self.folder.display().to_string())?;
        let known = self.known.swap(games, Ordering::Relaxed);
        for (_, path) in self.found()?.into_iter().filter(|(of, _)| *of > known) {
            std::fs::remove_file(&path).with_context(|| path.display().to_string())?;
        }
        let path = self.folder.join(format!("{games:012}.{EXTENSION}"));
        let payload: Vec<u8> = positions.iter().flat_map(|position| position.bytes()).collect();
        let bytes = [MAGIC, &crc32fast::hash(&payload).to_le_bytes(), &payload].concat();
        write_whole(&path, &bytes).with_context(|| path.display().to_string())
    }

    /// Removes files whose positions nobody will draw any more, also if the last checkpoint should get lost and the run go on from the one
    /// before it. What cannot be removed is only in the way.
    pub fn remove_what_is_old(&self) {
        let mut newer = 0;
        for (_, path) in self.found().unwrap_or_default().into_iter().rev().skip(1) {
            let length = path.metadata().map_or(0, |file| file.len() as usize).saturating_sub(MAGIC.len() + 4);
            if newer >= self.kept {
                let _ = std::fs::remove_file(&path);
            }
            newer += length / SeenPosition::BYTES;
        }
    }

    /// All files by ascending number of games.
    fn found(&self) -> Result<Vec<(u64, PathBuf)>> {
        if !self.folder.exists() {
            return Ok(Vec::new());
        }
        let folder = std::fs::read_dir(&self.folder).with_context(|| self.folder.display().to_string())?;
        let mut found = Vec::new();
        for entry in folder {
            let path = entry.with_context(|| self.folder.display().to_string())?.path();
            let games = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
            if let Some(games) = games.filter(|_| path.extension().is_some_and(|extension| extension == EXTENSION)) {
                found.push((games, path));
            }
        }
        found.sort();
        Ok(found)
    }
}

fn read(path: &Path) -> Result<Vec<SeenPosition>> {
    let bytes = std::fs::read(path)?;
    let payload = bytes.strip_prefix(MAGIC).and_then(|rest| rest.split_first_chunk::<4>());
    let (positions, rest) = match payload {
        Some((crc, payload)) if crc32fast::hash(payload) == u32::from_le_bytes(*crc) => payload.as_chunks(),
        _ => bail!("expected positions that `train` wrote: the file is damaged, or of another kind"),
    };
    if !rest.is_empty() {
        bail!("{} bytes too many", rest.len());
    }
    Ok(positions.iter().map(|&bytes| SeenPosition::from_bytes(bytes)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(numbers: std::ops::Range<u8>) -> Vec<SeenPosition> {
        numbers.map(|number| SeenPosition::from_bytes([number; SeenPosition::BYTES])).collect()
    }

    #[test]
    fn the_last_positions_come_back_and_files_go_when_nobody_needs_them() {
        let folder = tempfile::tempdir().unwrap();
        let files = PositionFiles::new(folder.path(), 5, 0);
        assert_eq!(files.read(10).unwrap(), []);
        for (games, numbers) in [(10, 0..3), (20, 3..6), (30, 6..10)] {
            files.write(games, &positions(numbers)).unwrap();
        }
        files.write(40, &[]).unwrap();
        assert_eq!(files.read(20).unwrap(), positions(1..6));
        // The file of game 30 was of a future that did not come.
        files.write(25, &positions(6..10)).unwrap();
        assert_eq!(files.found().unwrap().iter().map(|(games, _)| *games).collect::<Vec<_>>(), [10, 20, 25]);
        files.read(20).unwrap();
        files.write(30, &positions(6..10)).unwrap();
        assert_eq!(files.read(40).unwrap(), positions(5..10));
        assert_eq!(files.read(29).unwrap(), positions(1..6));
        let there = || files.found().unwrap().iter().map(|(games, _)| *games).collect::<Vec<_>>();
        files.remove_what_is_old();
        assert_eq!(there(), [10, 20, 30], "whoever goes back to 20 needs what was there then");
        files.read(30).unwrap();
        files.write(40, &positions(10..12)).unwrap();
        files.remove_what_is_old();
        assert_eq!(there(), [20, 30, 40]);
        assert_eq!(files.read(40).unwrap(), positions(7..12));
        assert_eq!(files.read(30).unwrap(), positions(5..10));
    }

    #[test]
    fn what_is_kept_for_others_stays_and_is_read_from_its_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let files = PositionFiles::new(folder.path(), 2, 6);
        for (games, numbers) in [(10, 0..3), (20, 3..6), (30, 6..10), (40, 10..12)] {
            files.write(games, &positions(numbers)).unwrap();
        }
        files.remove_what_is_old();
        assert_eq!(files.read(40).unwrap(), positions(10..12));
        assert_eq!(files.oldest(0).unwrap(), []);
        assert_eq!(files.oldest(5).unwrap(), positions(3..8));
        let message = format!("{:#}", files.oldest(10).unwrap_err());
        assert!(message.contains("replay: 9 positions, expected 10"), "{message}");
    }

    #[test]
    fn damaged_files_are_refused_with_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let files = PositionFiles::new(folder.path(), 5, 0);
        files.write(10, &positions(0..3)).unwrap();
        let path = files.found().unwrap()[0].1.clone();
        let bytes = std::fs::read(&path).unwrap();
        for length in 0..bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let message = format!("{:#}", files.read(10).unwrap_err());
            assert!(message.contains("000000000010.positions: ") && !message.contains('\n'), "{message}");
        }
    }
}
