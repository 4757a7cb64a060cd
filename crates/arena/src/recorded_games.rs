//! [`RecordedGames`]: games that were played already, for a network to learn from.
//!
//! Whoever has played matches has games of strong players, with what these thought of each position. A network learns them as it
//! learns its own: the move that was played is all of π, and z is how the game ended, or the
//! [λ-return](Trajectory::lambda_return) of what the players thought.

use crate::game_loop::{EndKind, GameResult};
use crate::result_log::{LogError, read_log};
use afterstate_engine::zero::{Expert, Played, Trajectory};
use afterstate_games::rng::shuffle;
use afterstate_games::{IndexedMoves, Notation, Record, Turn, stream};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use thiserror::Error;

/// Why games cannot be learnt from.
#[derive(Debug, Error)]
pub enum RecordedGamesError {
    /// A log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A folder cannot be read.
    #[error("{}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A log is of other games.
    #[error("{}: games of {found}, expected {expected}", path.display())]
    OtherGame {
        /// The log.
        path: PathBuf,
        /// What it holds.
        found: String,
        /// What is learnt.
        expected: String,
    },
    /// A move that the rules do not know.
    #[error("{}, line {line}: move {number}, '{text}', is not legal there", path.display())]
    Move {
        /// The log.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// Which move of the game, from 1.
        number: usize,
        /// The move.
        text: String,
    },
    /// A log that was named twice, perhaps by its folder.
    #[error("{}: given twice, its games would count twice", .0.display())]
    Twice(PathBuf),
    /// Nothing that could be learnt.
    #[error("no game that ended on the board or by resignation in {0}: expected logs of matches (match --log FILE)")]
    None(String),
}

/// A game, and what was thought of its positions.
#[derive(Clone, Debug, PartialEq)]
struct RecordedGame {
    way: Vec<u16>,
    opening: u16,
    values: Vec<Option<f32>>,
    outcome: f32,
    /// Whether its moves are worth learning.
    teaches_moves: bool,
}

/// Plays games again that others have played, one after the other, and when all have been, from the first one on.
///
/// ```
/// use afterstate_arena::tournament::{RunOptions, TournamentSettings, run};
/// use afterstate_arena::{RandomPlayer, RecordedGames, RulesReferee};
/// use afterstate_engine::zero::Expert;
/// use afterstate_games::TicTacToe;
/// use std::sync::atomic::AtomicBool;
/// # let folder = tempfile::tempdir()?;
/// let (first, log) = (TicTacToe::default(), folder.path().join("match.jsonl"));
/// let settings = TournamentSettings { agents: vec!["a".into(), "b".into()], games: 4, ..Default::default() };
/// let options = RunOptions { log: Some(&log), ..RunOptions::default() };
/// let player = |_| Ok(Box::new(RandomPlayer::default()) as _);
/// run(&settings, &first, &player, &|| Ok(Box::new(RulesReferee)), &options, &mut |_| {})?;
/// let mut games = RecordedGames::read(&first, &first, &[log], 1)?;
/// assert_eq!(games.len(), 4);
/// let play = |number| games.play(&first, &[], number, 0, &AtomicBool::new(false)).unwrap().trajectories.remove(0);
/// let [game, again] = [0, 4].map(play);
/// assert_eq!((&game.way, game.outcome), (&again.way, again.outcome));
/// // Every move behind the opening is learnt.
/// assert_eq!(game.policies.len(), game.way.len() - usize::from(game.opening));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecordedGames(Arc<Vec<RecordedGame>>);

impl RecordedGames {
    /// Reads the games of `logs`, which are files or folders of them, in an order that `seed` decides. They begin with `start`, which may be
    /// `first` but for how long games last: they are learnt up to where they would have ended from `first`. Left out are games that a
    /// player lost by a fault, such as begin elsewhere, and such as end with their opening.
    ///
    /// # Errors
    ///
    /// If a log cannot be read or is of another game, or if there is no game.
    pub fn read<G: IndexedMoves + Notation>(
        first: &G,
        start: &G,
        logs: &[PathBuf],
        seed: u64,
    ) -> Result<RecordedGames, RecordedGamesError> {
        let mut games = games_in(first, start, logs)?;
        shuffle(&mut games, &mut stream(seed, 0));
        Ok(RecordedGames(games.into()))
    }

    /// Adds games of which only the outcome is learnt, and what was thought of their positions, but not the moves: those of players that
    /// nobody should play like. Their policies are 0 for each move. The order is another one then.
    ///
    /// # Errors
    ///
    /// As of [`RecordedGames::read`].
    pub fn and_outcomes_of<G: IndexedMoves + Notation>(
        self,
        first: &G,
        start: &G,
        logs: &[PathBuf],
        seed: u64,
    ) -> Result<RecordedGames, RecordedGamesError> {
        let mut games = games_in(first, start, logs)?;
        games.iter_mut().for_each(|game| game.teaches_moves = false);
        games.extend_from_slice(&self.0);
        shuffle(&mut games, &mut stream(seed, 0));
        Ok(RecordedGames(games.into()))
    }

    /// How many games there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none; there always is one.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A log itself, or the logs in a folder (`*.jsonl`), by name.
///
/// # Errors
///
/// If the folder cannot be read.
pub fn logs_in(log: &Path) -> Result<Vec<PathBuf>, RecordedGamesError> {
    if !log.is_dir() {
        return Ok(vec![log.to_path_buf()]);
    }
    let error = |source| RecordedGamesError::Folder { path: log.to_path_buf(), source };
    let entries = std::fs::read_dir(log).map_err(error)?;
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(error)?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.sort();
    Ok(paths)
}

/// All games of `logs`, of which there is at least one.
fn games_in<G: IndexedMoves + Notation>(
    first: &G,
    start: &G,
    logs: &[PathBuf],
) -> Result<Vec<RecordedGame>, RecordedGamesError> {
    let (mut games, mut known) = (Vec::new(), HashSet::new());
    for log in logs {
        for path in logs_in(log)? {
            // Whatever it is called, so that no game counts twice. What is not there is told when it is read.
            if !known.insert(path.canonicalize().unwrap_or_else(|_| path.clone())) {
                return Err(RecordedGamesError::Twice(path));
            }
            read_games(first, start, &path, &mut games)?;
        }
    }
    if games.is_empty() {
        let names: Vec<_> = logs.iter().map(|log| log.display().to_string()).collect();
        return Err(RecordedGamesError::None(names.join(", ")));
    }
    Ok(games)
}

/// Adds the games of a log.
fn read_games<G: IndexedMoves + Notation>(
    first: &G,
    start: &G,
    path: &Path,
    games: &mut Vec<RecordedGame>,
) -> Result<(), RecordedGamesError> {
    let log = read_log(path)?;
    let named = |game: &str, start: &str| format!("{game} from '{start}'");
    let (found, expected) = (named(&log.header.game, &log.header.start), named(G::NAME, &start.position_text()));
    if found != expected {
        return Err(RecordedGamesError::OtherGame { path: path.to_path_buf(), found, expected });
    }
    // What was not over at the move limit was drawn by nobody, unless a referee counted it.
    let is_cut_off = |result: &GameResult| {
        let counted = result.verdict.as_ref().is_some_and(|verdict| verdict.score.is_some());
        result.ending.kind == EndKind::MoveLimit && result.outcome.winner.is_none() && !counted
    };
    let learnt = |result: &GameResult| !result.ending.kind.is_fault() && !is_cut_off(result);
    for (line, game) in log.games.iter().filter(|(_, game)| game.start.is_none() && learnt(&game.result)) {
        let wrong = |number, text: &str| RecordedGamesError::Move {
            path: path.to_path_buf(),
            line: *line,
            number,
            text: text.into(),
        };
        let game = recorded(first, &game.result).map_err(|(number, text)| wrong(number, text))?;
        // Of an opening alone nothing is learnt, and who waits for examples would wait for ever.
        if game.way.len() > usize::from(game.opening) {
            games.push(game);
        }
    }
    Ok(())
}

/// A game as its log has it; or the number and the text of a move that is not legal.
fn recorded<'a, G: IndexedMoves + Notation>(
    first: &G,
    result: &'a GameResult,
) -> Result<RecordedGame, (usize, &'a str)> {
    let mut record = Record::new(first.clone());
    let mut way = Vec::with_capacity(result.moves.len());
    for (at, text) in result.moves.iter().enumerate() {
        // Games may be longer than learning wants them to be.
        if let Turn::Over(_) = record.turn() {
            break;
        }
        let mv =
            record.position().parse_move(text).ok().filter(|&mv| record.is_legal(mv)).ok_or((at + 1, &text[..]))?;
        way.push(record.position().move_index(mv) as u16);
        record.play(mv);
    }
    let learnt = way.len().saturating_sub(result.opening);
    let values = result.notes.iter().map(|note| Some(note.as_ref()?.value?.0)).take(learnt).collect();
    Ok(RecordedGame {
        opening: result.opening.min(way.len()) as u16,
        way,
        values,
        outcome: result.outcome.first_player_score(),
        teaches_moves: true,
    })
}

impl<G: IndexedMoves> Expert<G> for RecordedGames {
    /// The game of this number, whatever `way` and `seed` say.
    fn play(&mut self, first: &G, _way: &[u16], number: u64, _seed: u64, _stop: &AtomicBool) -> Option<Played> {
        let RecordedGame { way, opening, values, outcome, teaches_moves } =
            &self.0[(number % self.0.len() as u64) as usize];
        let mut record = Record::new(first.clone());
        let (mut policies, mut moves) = (Vec::new(), Vec::new());
        for (at, &index) in way.iter().enumerate() {
            let game = record.position();
            if at >= usize::from(*opening) {
                record.legal_moves(&mut moves);
                let share = |index_of: u16| if *teaches_moves && index_of == index { 1.0 } else { 0.0 };
                let indices = moves.iter().map(|&mv| game.move_index(mv) as u16);
                policies.push(indices.map(|index_of| (index_of, share(index_of))).collect());
            }
            record.play(record.position().move_at(usize::from(index)));
        }
        let (way, values) = (way.clone(), values.clone());
        let trajectory = Trajectory { number, way, opening: *opening, policies, values, outcome: *outcome };
        Some(Played { trajectories: vec![trajectory], ..Played::default() })
    }
}
