//! [`Pgn`]: the PGN file that games of a match are appended to.

use crate::registry::Playable;
use afterstate_arena::pgn_file::PgnFile;
use afterstate_arena::result_log::{Header, LoggedGame};
use anyhow::{Context, Result};
use std::path::Path;

/// The games as PGN, one after the other.
pub struct Pgn<'a> {
    file: PgnFile,
    header: &'a Header,
    text: fn(&Header, &LoggedGame) -> Result<String>,
    /// The first thing that went wrong; nothing more is written then.
    error: Option<anyhow::Error>,
}

impl<'a> Pgn<'a> {
    /// Opens the file, or begins one; a game that was not written to its end is cut off.
    pub fn open<G: Playable>(path: &Path, header: &'a Header) -> Result<Pgn<'a>> {
        G::has_pgn()?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        let file = PgnFile::open(path)?;
        if file.cut_off() > 0 {
            crate::output::tell!(
                "note: '{}': cut off an incomplete last game of {} bytes",
                path.display(),
                file.cut_off()
            );
        }
        Ok(Pgn { file, header, text: G::pgn, error: None })
    }

    /// Adds a game of an earlier run, unless it is there.
    pub fn catch_up(&mut self, game: &LoggedGame) -> Result<()> {
        let text = (self.text)(self.header, game)?;
        if !self.file.held(&text) {
            self.file.append(&text)?;
        }
        Ok(())
    }

    /// Adds a game that has just ended, unless something went wrong before.
    pub fn add(&mut self, game: &LoggedGame) {
        if self.error.is_none() {
            let written = (self.text)(self.header, game).and_then(|text| Ok(self.file.append(&text)?));
            self.error = written.err();
        }
    }

    /// Whether a game could not be added.
    pub fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// All games are on the disk, or what went wrong.
    pub fn close(mut self) -> Result<()> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.file.sync()?),
        }
    }
}
