//! The opening table of `solve`: made once, a part at a time if need be, and kept in a file.

use crate::interrupt;
use crate::progress::Progress;
use afterstate_engine::search::{ConnectFourSolver, OpeningTable};
use anyhow::{Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How much work is lost at most when the program is killed, besides the position that it was at.
const SAVE_EVERY: Duration = Duration::from_secs(20);
/// Discs of a table when nobody says how many.
const USUAL_DISCS: u32 = 4;

/// Which opening table there is, as arguments of a command.
#[derive(clap::Args)]
pub struct OpeningArgs {
    /// Opening table, which makes early positions quick: it is made there first if it is missing, or gone on with
    #[arg(long, value_name = "FILE", conflicts_with = "suite")]
    openings: Option<PathBuf>,
    /// Discs of the positions that it holds, with which searches end [default: the file's, or 4]
    #[arg(long, value_name = "N", requires = "openings", value_parser = clap::value_parser!(u32).range(1..=8))]
    opening_discs: Option<u32>,
}

impl OpeningArgs {
    /// A solver with so much memory, and with the table if one is wanted. `quiet` shows no progress.
    pub fn solver(&self, memory_mib: usize, quiet: bool) -> Result<ConnectFourSolver> {
        let solver = ConnectFourSolver::new(memory_mib);
        let Some(path) = &self.openings else { return Ok(solver) };
        Ok(solver.with_opening_table(complete_table(path, self.opening_discs, memory_mib, quiet)?))
    }
}

/// The table of a file, which is made or gone on with if it is not complete.
fn complete_table(path: &Path, discs: Option<u32>, memory_mib: usize, quiet: bool) -> Result<OpeningTable> {
    let mut table = if path.exists() {
        OpeningTable::read(path)?
    } else {
        let table = OpeningTable::new(discs.unwrap_or(USUAL_DISCS));
        // What cannot be written should be known before the work.
        table.write(path)?;
        table
    };
    let found = table.discs();
    let wanted = discs.unwrap_or(found);
    ensure!(
        found == wanted,
        "{}: holds positions with {found} discs: leave --opening-discs out, or name another file",
        path.display()
    );
    let interrupted = interrupt::flag()?;
    let (mut progress, mut saved, mut failed) = (None, Instant::now(), None);
    let mut all_positions = 0;
    let is_complete = table.complete(memory_mib, |table, all| {
        let done = table.positions() as u64;
        all_positions = all;
        progress.get_or_insert_with(|| Progress::new(all as u64, done, "openings", quiet)).set(done);
        if saved.elapsed() >= SAVE_EVERY {
            failed = table.write(path).err();
            saved = Instant::now();
        }
        failed.is_none() && !interrupted.load(Ordering::Relaxed)
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    if progress.is_some() {
        table.write(path)?;
    }
    drop(progress);
    if !is_complete {
        let done = table.positions();
        bail!(
            "stopped after {done} of {all_positions} openings, which are in {}; the same command goes on",
            path.display()
        );
    }
    Ok(table)
}
