//! The games of a match or tournament as files: CSV, SGF, .mat.

use crate::destinations;
use crate::match_command::OutputArgs;
use crate::registry::{self, GameSpec, Playable, Visitor};
use crate::standings;
use afterstate_arena::mat_file;
use afterstate_arena::tournament::TournamentResults;
use afterstate_engine::value::checkpoint::write_whole;
use anyhow::{Context, Result, ensure};
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
    let to_stdout = outputs.csv.as_ref().is_some_and(|path| path.as_os_str() == "-");
    ensure!(
        !(to_stdout && outputs.json),
        "--csv - and --json: one of them on standard output; name a file for the other"
    );
    let pgn = ("--pgn", outputs.pgn.as_deref());
    let written = [("--csv", outputs.csv.as_deref()), ("--mat", outputs.mat.as_deref())];
    destinations::check(&written, &[&[("--log", log), pgn], read].concat())?;
    destinations::check(&[pgn], &[&[("--log", log)], read].concat())?;
    destinations::check(&[("--log", log)], read)?;
    match &outputs.sgf {
        Some(folder) => destinations::folder_takes_files(folder).with_context(|| format!("--sgf {}", folder.display())),
        None => Ok(()),
    }
}

/// Writes what was asked for.
pub fn write(outputs: &OutputArgs, game: GameSpec, results: &TournamentResults) -> Result<()> {
    if let Some(path) = &outputs.csv {
        standings::write_file(path, &standings::csv(results)?)?;
    }
    if let Some(path) = &outputs.mat {
        let session = mat_file::session(results).with_context(|| path.display().to_string())?;
        write_whole(path, session.to_string().as_bytes()).with_context(|| path.display().to_string())?;
    }
    match &outputs.sgf {
        Some(folder) => registry::visit(game, WriteSgf { folder, results }),
        None => Ok(()),
    }
}

struct WriteSgf<'a> {
    folder: &'a Path,
    results: &'a TournamentResults,
}

impl Visitor for WriteSgf<'_> {
    type Output = Result<()>;

    /// One file a game, named by its number: running again writes the same files.
    fn visit<G: Playable>(self, start: G) -> Result<()> {
        let names = &self.results.header.settings.agents;
        std::fs::create_dir_all(self.folder).with_context(|| self.folder.display().to_string())?;
        for game in &self.results.games {
            let path = self.folder.join(format!("{:06}.sgf", game.index));
            let players = game.agents.map(|agent| names.get(agent).map_or("", String::as_str));
            let text = start.sgf(players, &game.result).with_context(|| format!("game {}", game.index))?;
            std::fs::write(&path, text).with_context(|| path.display().to_string())?;
        }
        Ok(())
    }
}
