//! Opening suites of chess from files: EPD, PGN, or a Polyglot book.

use crate::openings::{Opening, OpeningSuite, Sample};
use afterstate_games::chess::epd::{EpdError, EpdReader};
use afterstate_games::chess::pgn::{PgnError, PgnReader};
use afterstate_games::chess::polyglot::{Book, BookError};
use afterstate_games::rng::{mix, stream};
use afterstate_games::{Chess, Game, Record, Turn};
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// No suite has more; a longer match plays them again.
pub const MOST_OPENINGS: u64 = 100_000;

/// A book that is not larger is read at once: that is faster than to ask the file for every position, in bytes.
const SMALL_BOOK: u64 = 64 << 20;

/// Why there is no suite.
#[derive(Debug, Error)]
#[error("openings '{}': {why}", path.display())]
pub struct OpeningError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: OpeningProblem,
}

/// What can be wrong with a file of openings.
#[derive(Debug, Error)]
pub enum OpeningProblem {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Its kind is not known.
    #[error("expected a file named .epd, .pgn or .bin (a Polyglot book)")]
    Kind,
    /// A line is not EPD.
    #[error(transparent)]
    Epd(#[from] EpdError),
    /// A game is not PGN.
    #[error(transparent)]
    Pgn(#[from] PgnError),
    /// The book is damaged.
    #[error(transparent)]
    Book(#[from] BookError),
    /// In a position the game is over.
    #[error("number {number} in the file: expected a position in which the game is not over")]
    Over {
        /// Its number in the file, from 1.
        number: u64,
    },
    /// There is nothing in it.
    #[error("expected at least one opening, and found none")]
    Empty,
}

/// Openings for `count` pairs of games (at most [`MOST_OPENINGS`]) from a file: EPD (positions), PGN (the first `plies` moves
/// of its games), or a Polyglot book (moves drawn by their weights until `plies` are played or the book ends).
///
/// Of a file with more openings a random sample is taken, one of fewer gives all that it has; their order is random too.
/// `seed` decides both. However long the file is, only the openings that are taken are kept in memory.
///
/// ```
/// use afterstate_arena::chess_openings::read;
/// let file = tempfile::Builder::new().suffix(".pgn").tempfile()?;
/// std::fs::write(&file, "1. e4 e5 2. Nf3 *\n\n1. d4 *\n")?;
/// let mut suite = read(file.path(), 2, 10, 1)?;
/// suite.openings.sort_by_key(|opening| opening.moves.len());
/// let moves = suite.openings.iter().map(|opening| opening.moves.len());
/// assert_eq!(moves.collect::<Vec<_>>(), [1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If the file cannot be read, anything in it is wrong, or it holds nothing.
pub fn read(path: &Path, plies: u32, count: u64, seed: u64) -> Result<OpeningSuite<Chess>, OpeningError> {
    let count = count.min(MOST_OPENINGS) as usize;
    let read = || -> Result<OpeningSuite<Chess>, OpeningProblem> {
        let kind = path.extension().and_then(|kind| kind.to_str()).unwrap_or_default().to_ascii_lowercase();
        let openings = match &kind[..] {
            "epd" | "fen" => positions(BufReader::new(File::open(path)?), count, seed)?,
            "pgn" => games(BufReader::new(File::open(path)?), plies, count, seed)?,
            "bin" if std::fs::metadata(path)?.len() <= SMALL_BOOK => {
                from_book(Book::new(Cursor::new(std::fs::read(path)?))?, plies, count, seed)?
            }
            "bin" => from_book(Book::open(path)?, plies, count, seed)?,
            _ => return Err(OpeningProblem::Kind),
        };
        if openings.is_empty() {
            return Err(OpeningProblem::Empty);
        }
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let length = if matches!(&kind[..], "epd" | "fen") { String::new() } else { format!(", {plies} plies") };
        Ok(OpeningSuite { name: format!("{file}{length}, CRC-32 {:08x}", check_sum(path)?), openings })
    };
    read().map_err(|why| OpeningError { path: path.into(), why })
}

fn positions(source: impl io::BufRead, count: usize, seed: u64) -> Result<Vec<Opening<Chess>>, OpeningProblem> {
    let mut sample = Sample::new(count, seed);
    for (number, epd) in (1..).zip(EpdReader::new(source)) {
        let start = epd?.position;
        if matches!(start.turn(), Turn::Over(_)) {
            return Err(OpeningProblem::Over { number });
        }
        sample.add(Opening { start, moves: Vec::new() });
    }
    Ok(sample.shuffled())
}

fn games(source: impl io::BufRead, plies: u32, count: usize, seed: u64) -> Result<Vec<Opening<Chess>>, OpeningProblem> {
    let mut sample = Sample::new(count, seed);
    for (number, game) in (1..).zip(PgnReader::new(source)) {
        let game = game?;
        let mut record = Record::new(game.start.clone());
        for mv in game.moves().take(plies as usize) {
            record.play(mv);
        }
        // A game that is over leaves nothing to play.
        while matches!(record.turn(), Turn::Over(_)) {
            if !record.undo() {
                return Err(OpeningProblem::Over { number });
            }
        }
        sample.add(Opening { moves: record.moves().to_vec(), start: game.start });
    }
    Ok(sample.shuffled())
}

fn from_book<R: Read + Seek>(
    mut book: Book<R>,
    plies: u32,
    count: usize,
    seed: u64,
) -> Result<Vec<Opening<Chess>>, OpeningProblem> {
    let mut openings = Vec::new();
    for pair in 0..count as u64 {
        let mut rng = stream(mix(seed ^ 0x626f_6f6b), pair);
        let mut record = Record::new(Chess::new());
        while record.moves().len() < plies as usize
            && let Some(mv) = book.draw(record.position(), &mut rng)?
        {
            record.play(mv);
            if matches!(record.turn(), Turn::Over(_)) {
                record.undo();
                break;
            }
        }
        if record.moves().is_empty() && plies > 0 {
            return Err(OpeningProblem::Empty);
        }
        openings.push(Opening { moves: record.moves().to_vec(), start: Chess::new() });
    }
    Ok(openings)
}

fn check_sum(path: &Path) -> io::Result<u32> {
    let (mut file, mut sum, mut bytes) = (File::open(path)?, crc32fast::Hasher::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut bytes) {
            Ok(0) => return Ok(sum.finalize()),
            Ok(length) => sum.update(&bytes[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
