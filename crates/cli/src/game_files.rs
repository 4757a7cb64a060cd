//! The games of a match or tournament as files: CSV, SGF.

use crate::match_command::OutputArgs;
use crate::registry::GameSpec;
use crate::standings;
use afterstate_arena::tournament::TournamentResults;
use anyhow::Result;

/// Writes what was asked for.
pub fn write(outputs: &OutputArgs, game: GameSpec, results: &TournamentResults) -> Result<()> {
    if let Some(path) = &outputs.csv {
        standings::write_file(path, &standings::csv(results)?)?;
    }
    let _ = game;
    Ok(())
}
