//! The games of a match or tournament as files: CSV, SGF, .mat.

use crate::destinations;
use crate::match_command::OutputArgs;
use crate::registry::GameSpec;
use crate::standings;
use afterstate_arena::tournament::TournamentResults;
use afterstate_arena::{go_files, mat_file};
use afterstate_engine::value::checkpoint::write_whole;
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;

/// Whether games of `game` can be written as they were asked for, beside the log, which may be the usual one, and in place of nothing
/// that is `read`. Nobody should play for hours to be told that they cannot.
pub fn check(outputs: &OutputArgs, game: GameSpec, log: Option<&Path>, read: &[(&str, Option<&Path>)]) -> Result<()> {
    let is_backgammon = matches!(game, GameSpec::Backgammon);
    ensure!(
        outputs.mat.is_none() || is_backgammon,
        "only games of backgammon can be written as .mat, not of {}; leave --mat out",
        game.name()
    );
    ensure!(
        outputs.sgf.is_none() || matches!(game, GameSpec::Go { .. }),
        "only games of Go can be written as SGF, not of {}; leave --sgf out",
        game.name()
    );
    ensure!(
        !(outputs.csv_is_stdout() && outputs.json),
        "--csv - and --json: one of them on standard output; name a file for the other"
    );
    let pgn = ("--pgn", outputs.pgn.as_deref());
    // They are read when games go on, and a pipe would not come to its end.
    for (option, path) in [("--log", log), pgn] {
        let Some(path) = path.filter(|path| path.exists() && !path.is_file() && !path.is_dir()) else { continue };
        bail!("{option} {}: expected a file, and no pipe or device: games go on from it", path.display());
    }
    let written = [("--csv", outputs.csv.as_deref()), ("--mat", outputs.mat.as_deref())];
    destinations::check(&written, &[&[("--log", log), pgn], read].concat())?;
    destinations::check(&[pgn], &[&[("--log", log)], read].concat())?;
    destinations::check(&[("--log", log)], read)?;
    match &outputs.sgf {
        Some(folder) => {
            let shown = folder.display();
            let goes_on = log.is_some_and(|log| log.metadata().is_ok_and(|log| log.len() > 0));
            ensure!(
                goes_on || !go_files::has_sgf_files(folder),
                "--sgf {shown}: there are games of an earlier match; name another folder, or the --log that they are in to go on with it"
            );
            destinations::folder_takes_files(folder).with_context(|| format!("--sgf {shown}"))
        }
        None => Ok(()),
    }
}

/// Writes what was asked for, all that can be written.
///
/// # Errors
///
/// The first that there was, after everything else was written.
pub fn write(outputs: &OutputArgs, results: &TournamentResults) -> Result<()> {
    let csv = || match &outputs.csv {
        Some(path) => standings::write_file(path, &standings::csv(results)?),
        None => Ok(()),
    };
    let mat = || match &outputs.mat {
        Some(path) => {
            let session = mat_file::session(results).with_context(|| path.display().to_string())?;
            write_whole(path, session.to_string().as_bytes()).with_context(|| path.display().to_string())
        }
        None => Ok(()),
    };
    let sgf = || match &outputs.sgf {
        Some(folder) => {
            go_files::write_sgf_files(results, folder)?;
            Ok(())
        }
        None => Ok(()),
    };
    // Whoever reads standard output, where CSV may go, may have left.
    mat().and(sgf()).and(csv())
}
