//! A PGN file to which games are appended as they end: [`PgnFile`].
//!
//! Nothing that stands in the file is ever changed, except that what a killed program left of a game is cut off. Each game is
//! written at once.

use crate::chess_files::EVENT;
use crate::result_log::lock;
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use thiserror::Error;

/// How often the disk is made to catch up.
const SYNC_EVERY: Duration = Duration::from_secs(1);
/// Lines are looked at only so far, in bytes.
const LOOK: usize = 1 << 12;

/// Why a file cannot be appended to.
#[derive(Debug, Error)]
pub enum PgnFileError {
    /// The file cannot be read or written.
    #[error("'{}': cannot {doing}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// The last game is not finished, and somebody else's.
    #[error("'{}', line {line}: the last game has no result: expected a PGN file that ends with 1-0, 0-1, 1/2-1/2 or *", path.display())]
    Unfinished {
        /// The file.
        path: PathBuf,
        /// The line at which the game begins, from 1.
        line: u64,
    },
    /// Another program is writing to it.
    #[error("'{}' is in use by another match that still runs", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
}

/// A PGN file that is open for appending, locked against other writers.
///
/// ```
/// use afterstate_arena::pgn_file::PgnFile;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("games.pgn");
/// // What a killed program left behind it.
/// std::fs::write(&path, "[Event \"afterstate match\"]\n\n1. e4 1-0\n\n[Event \"afterstate match\"]\n\n1. d4 d")?;
/// let mut file = PgnFile::open(&path)?;
/// assert_eq!(file.cut_off(), 35);
/// file.append("[Event \"afterstate match\"]\n\n1. c4 0-1\n\n")?;
/// assert!(std::fs::read_to_string(&path)?.ends_with("1. e4 1-0\n\n[Event \"afterstate match\"]\n\n1. c4 0-1\n\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PgnFile {
    path: PathBuf,
    file: File,
    synced: Instant,
    cut_off: u64,
    /// The games that it held when it was opened, as hashes of their tags and moves.
    held: HashSet<u64>,
}

impl PgnFile {
    /// Opens or begins a file, and cuts off an incomplete game of ours at its end.
    ///
    /// # Errors
    ///
    /// If it cannot be read and written, another program writes to it, or it ends in an incomplete game of somebody else.
    pub fn open(path: &Path) -> Result<PgnFile, PgnFileError> {
        let io = |doing| move |source| PgnFileError::Io { path: path.into(), doing, source };
        let file =
            OpenOptions::new().read(true).append(true).create(true).open(path).map_err(io("open it for writing"))?;
        if !lock(&file) {
            return Err(PgnFileError::InUse { path: path.into() });
        }
        let mut scan = Scan::default();
        scan.all(BufReader::new(&file)).map_err(io("read it"))?;
        let complete = scan.is_complete();
        if complete {
            scan.end_game();
        }
        let mut opened = PgnFile { path: path.into(), file, synced: Instant::now(), cut_off: 0, held: scan.held };
        if !complete {
            let (begin, line) = scan.begin;
            if !scan.is_ours {
                // Without tags it begins with the file.
                return Err(PgnFileError::Unfinished { path: path.into(), line: line.max(1) });
            }
            opened.cut_off = scan.length - begin;
            opened.file.set_len(begin).map_err(io("cut off its incomplete last game"))?;
        } else if scan.length > 0 && !scan.after_empty_line {
            // Between games stands an empty line.
            opened.write(if scan.ends_line { "\n" } else { "\n\n" })?;
        }
        Ok(opened)
    }

    /// How many bytes of an incomplete game were cut off.
    pub fn cut_off(&self) -> u64 {
        self.cut_off
    }

    /// Whether the file held a game of the same tags and moves when it was opened, whatever was said about them. `game`: its text.
    pub fn held(&self, game: &str) -> bool {
        let mut hash = GameHash::default();
        for line in game.lines().map(|line| line.as_bytes().trim_ascii()) {
            if is_tag(line) && !hash.in_comment { hash.tag(line) } else { hash.moves(line) }
        }
        self.held.contains(&hash.hasher.finish())
    }

    /// Adds a game, which ends with an empty line.
    pub fn append(&mut self, game: &str) -> Result<(), PgnFileError> {
        self.write(game)?;
        if self.synced.elapsed() >= SYNC_EVERY { self.sync() } else { Ok(()) }
    }

    /// Waits until everything is on the disk.
    pub fn sync(&mut self) -> Result<(), PgnFileError> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(|source| PgnFileError::Io { path: self.path.clone(), doing: "sync it", source })
    }

    fn write(&mut self, text: &str) -> Result<(), PgnFileError> {
        let io = |doing, source| PgnFileError::Io { path: self.path.clone(), doing, source };
        let end = self.file.seek(SeekFrom::End(0)).map_err(|error| io("find its end", error))?;
        self.file.write_all(text.as_bytes()).map_err(|error| {
            // A full disk may have taken half a game: take it back.
            let _ = self.file.set_len(end);
            io("write to it", error)
        })
    }
}

/// The tags and the moves of a game, without comments.
#[derive(Default)]
struct GameHash {
    hasher: DefaultHasher,
    in_comment: bool,
    /// Whether its moves have begun.
    moved: bool,
}

impl GameHash {
    fn tag(&mut self, line: &[u8]) {
        self.hasher.write(line);
    }

    /// Where lines are broken depends on the comments, too, so that blanks do not count.
    fn moves(&mut self, line: &[u8]) {
        self.moved |= !line.is_empty();
        for &byte in line {
            match byte {
                b'}' if self.in_comment => self.in_comment = false,
                b'{' => self.in_comment = true,
                _ if self.in_comment || byte.is_ascii_whitespace() => {}
                _ => self.hasher.write_u8(byte),
            }
        }
    }
}

/// What a file holds, line by line.
#[derive(Default)]
struct Scan {
    /// Bytes so far.
    length: u64,
    /// The last line that is not empty, as far as it is looked at.
    last: Vec<u8>,
    /// Whether the last line has its end.
    ends_line: bool,
    /// Whether the last line is empty.
    after_empty_line: bool,
    in_tags: bool,
    /// Of the last game.
    hash: GameHash,
    /// Where the last game begins, as its first byte and its line.
    begin: (u64, u64),
    /// Whether it is one that we wrote.
    is_ours: bool,
    /// Games that have ended.
    held: HashSet<u64>,
}

impl Scan {
    fn all(&mut self, mut source: impl BufRead) -> io::Result<()> {
        let mut line = Vec::new();
        for number in 1.. {
            let begin = self.length;
            line.clear();
            let ends = loop {
                let bytes = source.fill_buf()?;
                let end = bytes.iter().position(|&byte| byte == b'\n');
                let length = end.map_or(bytes.len(), |end| end + 1);
                line.extend_from_slice(&bytes[..length]);
                source.consume(length);
                self.length += length as u64;
                if end.is_some() || length == 0 {
                    break end.is_some();
                }
                // Only the two ends of a long line matter.
                if line.len() > 2 * LOOK {
                    line.drain(LOOK..line.len() - LOOK);
                }
            };
            if self.length == begin {
                break;
            }
            self.ends_line = ends;
            self.line(line.trim_ascii(), begin, number);
        }
        Ok(())
    }

    fn line(&mut self, line: &[u8], begin: u64, number: u64) {
        let after_empty_line = std::mem::replace(&mut self.after_empty_line, line.is_empty());
        if line.is_empty() {
            self.in_tags = false;
            return;
        }
        // Comments are broken anywhere, before a bracket too: within a game nothing is a tag. That of a torn tag may stand alone.
        let may_be_tag = self.in_tags || after_empty_line || self.is_complete();
        let tag = may_be_tag && (is_tag(line) || (line == b"[" && self.is_complete()));
        if tag && !self.in_tags {
            self.begin = (begin, number);
            self.end_game();
            let ours = format!("[Event \"{EVENT}");
            self.is_ours = line.starts_with(ours.as_bytes()) || ours.as_bytes().starts_with(line);
        }
        if tag {
            self.hash.tag(line)
        } else {
            self.hash.moves(line)
        }
        self.in_tags = tag;
        self.last.clear();
        self.last.extend_from_slice(line);
    }

    fn end_game(&mut self) {
        let hash = std::mem::take(&mut self.hash);
        if hash.moved {
            self.held.insert(hash.hasher.finish());
        }
    }

    /// Whether the last game has its end, if there is any game.
    fn is_complete(&self) -> bool {
        let last = self.last.rsplit(|&byte| byte == b' ' || byte == b'\t').next().unwrap_or_default();
        self.last.is_empty() || (!self.in_tags && matches!(last, b"1-0" | b"0-1" | b"1/2-1/2" | b"*"))
    }
}

/// Whether a line is a tag, and not a comment with a command in it that was broken before its bracket.
fn is_tag(line: &[u8]) -> bool {
    matches!(line, [b'[', letter, ..] if letter.is_ascii_alphabetic())
}
