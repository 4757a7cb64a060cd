//! The Go games of a tournament as SGF files.

use crate::game_loop::{EndKind, GameResult, MoveNote};
use crate::result_log::LoggedGame;
use crate::tournament::TournamentResults;
use afterstate_engine::value::checkpoint::write_whole;
use afterstate_games::go::Go;
use afterstate_games::go::sgf::{GameRecordFile, counted_result};
use afterstate_games::{Game, Notation, NotationError, Side};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a game could not be written as SGF.
#[derive(Debug, Error)]
pub enum GoFileError {
    /// A position or move of the results makes no sense in Go.
    #[error("game {index}: {source}; is this a tournament of Go?")]
    NotGo {
        /// The game's number.
        index: u64,
        /// What makes no sense.
        source: NotationError,
    },
    /// The file cannot be written.
    #[error("cannot write '{}': {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// One game as the contents of an SGF file, with what the players thought as comments.
///
/// ```
/// # use afterstate_arena::{AreaReferee, RandomPlayer, go_files, tournament};
/// # use afterstate_games::go::Go;
/// # let settings = tournament::TournamentSettings {
/// #     agents: vec!["Ada".into(), "Bob".into()], games: 2, move_limit: 9, ..Default::default()
/// # };
/// # let results = tournament::run(
/// #     &settings, &Go::new(5), &|_| Ok(Box::new(RandomPlayer::default())), &|| Ok(Box::new(AreaReferee)),
/// #     &Default::default(), &mut |_| {},
/// # ).unwrap();
/// let file = go_files::game_record(&results, &results.games[1]).unwrap();
/// assert_eq!((file.black.as_str(), file.white.as_str(), file.moves.len()), ("Bob", "Ada", 9));
/// assert!(file.write().contains("SZ[5]"));
/// ```
pub fn game_record(results: &TournamentResults, game: &LoggedGame) -> Result<GameRecordFile, GoFileError> {
    let not_go = |source| GoFileError::NotGo { index: game.index, source };
    let start = Go::parse_position(game.start.as_ref().unwrap_or(&results.header.start)).map_err(not_go)?;
    let mut position = start.clone();
    let mut file = GameRecordFile::new(start);
    for (number, text) in game.result.moves.iter().enumerate() {
        let mv = position.parse_move(text).map_err(not_go)?;
        if !position.is_legal(mv) {
            let expected = format!("a legal move as number {}", number + 1);
            return Err(not_go(NotationError::new("move", text, expected)));
        }
        position.play(mv);
        file.moves.push(mv);
    }
    let name = |agent: usize| results.header.settings.agents.get(agent).cloned().unwrap_or_default();
    file.black = name(game.agents[0]);
    file.white = name(game.agents[1]);
    file.event = format!("game {} of a tournament ({})", game.index, results.header.settings.format);
    file.result = result_text(&game.result, &position);
    file.comments = comments(&game.result);
    Ok(file)
}

/// Whether there are files in `folder` that [`write_sgf_files`] may have written.
pub fn has_sgf_files(folder: &Path) -> bool {
    let is_ours = |name: &str| {
        name.strip_suffix(".sgf")
            .is_some_and(|number| number.len() >= 6 && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut names = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.any(|name| name.to_str().is_some_and(is_ours))
}

/// Writes every game to `folder`, which is created if need be, as `000012.sgf` by its number.
/// Returns how many there are.
pub fn write_sgf_files(results: &TournamentResults, folder: &Path) -> Result<usize, GoFileError> {
    let io = |path: &Path, source| GoFileError::Io { path: path.into(), source };
    std::fs::create_dir_all(folder).map_err(|source| io(folder, source))?;
    for game in &results.games {
        let path = folder.join(format!("{:06}.sgf", game.index));
        let text = game_record(results, game)?.write();
        write_whole(&path, text.as_bytes()).map_err(|source| io(&path, source))?;
    }
    Ok(results.games.len())
}

/// The result in the words of SGF: `B+3.5`, `W+R` (resignation), `W+T` (time), `W+F` (any other fault), `W+` (adjudicated), `0`.
fn result_text(result: &GameResult, end: &Go) -> String {
    let Some(winner) = result.outcome.winner else {
        return if result.counts() { "0".into() } else { "Void".into() };
    };
    let letter = match winner {
        Side::First => 'B',
        Side::Second => 'W',
    };
    match result.ending.kind {
        EndKind::Resignation => format!("{letter}+R"),
        EndKind::Time => format!("{letter}+T"),
        EndKind::Adjudication => format!("{letter}+"),
        EndKind::Rules | EndKind::MoveLimit => match result.verdict.as_ref().and_then(|verdict| verdict.score) {
            Some(score) => format!("{letter}+{}", score.abs()),
            None => counted_result(end),
        },
        _ => format!("{letter}+F"),
    }
}

/// First a comment on the start, then one after each move; how the game ended stands after the last.
fn comments(result: &GameResult) -> Vec<String> {
    let mut comments = vec![String::new(); result.opening.min(result.moves.len()) + 1];
    comments.extend(result.notes.iter().map(|note| note.as_ref().map_or_else(String::new, note_text)));
    comments.resize(result.moves.len() + 1, String::new());
    if !result.ending.detail.is_empty()
        && let Some(last) = comments.last_mut()
    {
        last.push_str(if last.is_empty() { "" } else { "\n" });
        last.push_str(&result.ending.detail);
    }
    comments
}

fn note_text(note: &MoveNote) -> String {
    let mut words = Vec::new();
    if let Some(value) = note.value {
        words.push(format!("black wins {:.1} %", 100.0 * value.seen_by(Side::First)));
    }
    if let Some(depth) = note.depth {
        words.push(format!("depth {depth}"));
    }
    if note.effort > 0 {
        words.push(format!("{} looked at", note.effort));
    }
    // A move without any thought needs no comment.
    if !words.is_empty() {
        words.push(format!("{:.3} s", note.seconds));
    }
    words.join(", ")
}
