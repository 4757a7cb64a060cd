//! The log of a tournament: one JSON line for what is played, then one for every finished game.
//!
//! Every line begins with the CRC-32 of what follows it, so that a damaged line is found and named:
//!
//! ```text
//! {"crc":"8c1f02d7","header":{"format":1,"version":"0.1.0","game":"go",…}}
//! {"crc":"03ab90f1","game":{"index":0,"round":0,"agents":[0,1],"result":{…}}}
//! ```
//!
//! Where more games are wanted later, another header says how many. Lines are only ever appended, each
//! with a single write. A killed program therefore leaves at worst an incomplete last line, which is cut
//! off when the log is opened again; anything else that is wrong is refused.

use crate::game_loop::GameResult;
use crate::pairing::Format;
use crate::tournament::TournamentSettings;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use thiserror::Error;

/// The version of the log's layout.
pub const LAYOUT: u32 = 1;
/// The longest line that is read, in bytes: far above any real game, far below what would hurt.
const MAX_LINE: u64 = 8 * 1024 * 1024;
/// How often the disk is made to catch up.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// The first line of a log: everything that decides which games are played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`LAYOUT`] of the program that wrote it.
    pub format: u32,
    /// Version of that program.
    pub version: String,
    /// The revision that program was built from, where it is known; another may go on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub revision: String,
    /// Name of the game.
    pub game: String,
    /// The position that games start from, as text.
    pub start: String,
    /// The tournament.
    pub settings: TournamentSettings,
}

impl Header {
    /// The first thing in which another header asks for other games than this one's, in words. A log without fingerprints goes on
    /// with any.
    pub fn difference(&self, wanted: &Header) -> Option<String> {
        let tree = |header: &Header| serde_json::to_value(header).unwrap_or_default();
        let (logged, tree) = (tree(self), tree(wanted));
        let differ = |logged: &serde_json::Value, wanted: &serde_json::Value| {
            let keys = logged.as_object()?.keys();
            keys.filter(|key| !["settings", "fingerprints", "revision"].contains(&key.as_str()))
                .find(|key| logged[key.as_str()] != wanted[key.as_str()])
                .map(|key| format!("{key} is {} in the log and {} now", logged[key.as_str()], wanted[key.as_str()]))
        };
        differ(&logged, &tree).or_else(|| differ(&logged["settings"], &tree["settings"])).or_else(|| {
            let (known, now) = (&self.settings.fingerprints, &wanted.settings.fingerprints);
            let changed = known.iter().zip(now).position(|(known, now)| known != now)?;
            let name = self.settings.agents.get(changed)?;
            Some(format!("'{name}' had other weights or settings when these games were played"))
        })
    }

    /// Whether a longer tournament begins with this one's games. Not one with a suite, from which as many openings are drawn as there are
    /// pairs of games, or by the Swiss system, whose rounds go by results.
    pub fn grows_to(&self, wanted: &Header) -> bool {
        let longer = TournamentSettings { games: wanted.settings.games, ..self.settings.clone() };
        wanted.settings.games > self.settings.games
            && self.settings.openings.is_empty()
            && !matches!(self.settings.format, Format::Swiss { .. })
            && Header { settings: longer, ..self.clone() }.difference(wanted).is_none()
    }
}

/// A finished game of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoggedGame {
    /// [`crate::pairing::ScheduledGame::index`].
    pub index: u64,
    /// The round, from 0.
    pub round: u32,
    /// The agents by number; the first one played first.
    pub agents: [usize; 2],
    /// Where it began, if not where the tournament's games usually do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// How it went.
    pub result: GameResult,
}

/// Why a log cannot be used.
#[derive(Debug, Error)]
pub enum LogError {
    /// The file cannot be read or written.
    #[error("result log '{}': cannot {doing}: {source}", path.display())]
    Io {
        /// The log.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// A line is not what was written there.
    #[error("result log '{}', line {line}: {what}; restore the file from a copy, or start a new log", path.display())]
    Corrupt {
        /// The log.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
    /// It is a log of something else, of a training, say.
    #[error("'{}' is no log of a match or tournament: expected a file that they have written with --log", path.display())]
    NoLog {
        /// The file.
        path: PathBuf,
    },
    /// The log belongs to another tournament.
    #[error("result log '{}' is another tournament's: {difference}; use the same settings, or another file", path.display())]
    OtherTournament {
        /// The log.
        path: PathBuf,
        /// The first setting that differs.
        difference: String,
    },
    /// Another program is writing to it.
    #[error("result log '{}' is in use by another tournament that still runs", path.display())]
    InUse {
        /// The log.
        path: PathBuf,
    },
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Entry<'a> {
    Header(&'a Header),
    Game(&'a LoggedGame),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum OwnedEntry {
    Header(Box<Header>),
    Game(Box<LoggedGame>),
}

/// One line with its check sum and its end.
fn line_of(entry: &Entry<'_>) -> String {
    // Serialising these types cannot fail: their map keys are strings and their writer is memory.
    let json = serde_json::to_string(entry).unwrap_or_default();
    let body = json.strip_prefix('{').unwrap_or_default();
    format!("{PREFIX}{:08x}\",{body}\n", crc32fast::hash(body.as_bytes()))
}

const PREFIX: &str = "{\"crc\":\"";

fn parse_line(line: &[u8]) -> Result<OwnedEntry, String> {
    let text = std::str::from_utf8(line).map_err(|_| "is not UTF-8 text".to_string())?;
    let body = text
        .strip_prefix(PREFIX)
        .and_then(|rest| Some((rest.get(..8)?, rest.get(8..)?.strip_prefix("\",")?)))
        .ok_or_else(|| format!("does not begin with {PREFIX}…\""))?;
    let (crc, body) = body;
    let actual = format!("{:08x}", crc32fast::hash(body.as_bytes()));
    if crc != actual {
        return Err(format!("the check sum is {crc}, but the line's is {actual}"));
    }
    serde_json::from_str(&format!("{{{body}")).map_err(|error| format!("is not an entry of a result log: {error}"))
}

/// What a log holds.
#[derive(Clone, Debug)]
pub struct LogContents {
    /// What is played, by the last header.
    pub header: Header,
    /// The games in the order in which they ended, each with its line number.
    pub games: Vec<(u64, LoggedGame)>,
    /// Bytes of complete lines; the rest of the file is a torn line.
    pub complete: u64,
    /// Bytes of the torn line.
    pub torn: u64,
}

/// Reads a log without changing it, for example to rate what has been played so far. An incomplete
/// last line is left out.
pub fn read_log(path: &Path) -> Result<LogContents, LogError> {
    let file = File::open(path).map_err(|source| LogError::Io { path: path.into(), doing: "open it", source })?;
    match read_lines(path, file)? {
        Ok(contents) => Ok(contents),
        Err(_) => Err(LogError::Corrupt { path: path.into(), line: 1, what: "the header is missing".into() }),
    }
}

/// The contents, or the torn first line of a log without a header.
fn read_lines(path: &Path, file: File) -> Result<Result<LogContents, Vec<u8>>, LogError> {
    let corrupt = |line, what: String| LogError::Corrupt { path: path.into(), line, what };
    let mut reader = BufReader::new(file);
    let mut contents: Option<LogContents> = None;
    let mut buffer = Vec::new();
    for number in 1.. {
        buffer.clear();
        let read = (&mut reader).take(MAX_LINE + 1).read_until(b'\n', &mut buffer).map_err(|source| LogError::Io {
            path: path.into(),
            doing: "read it",
            source,
        })?;
        if read as u64 > MAX_LINE {
            return Err(corrupt(number, format!("is longer than {MAX_LINE} bytes")));
        }
        if buffer.last() != Some(&b'\n') {
            let Some(mut contents) = contents else { return Ok(Err(buffer)) };
            contents.torn = read as u64;
            return Ok(Ok(contents));
        }
        if contents.is_none() && is_of_something_else(&buffer) {
            return Err(LogError::NoLog { path: path.into() });
        }
        match (parse_line(&buffer[..read - 1]).map_err(|what| corrupt(number, what))?, &mut contents) {
            (OwnedEntry::Header(header), None) => {
                contents = Some(LogContents { header: *header, games: Vec::new(), complete: read as u64, torn: 0 });
            }
            (OwnedEntry::Game(game), Some(contents)) => {
                contents.games.push((number, *game));
                contents.complete += read as u64;
            }
            (OwnedEntry::Header(header), Some(contents)) if contents.header.grows_to(&header) => {
                contents.header = *header;
                contents.complete += read as u64;
            }
            (OwnedEntry::Header(_), Some(_)) => return Err(corrupt(number, "a second header".into())),
            (OwnedEntry::Game(_), None) => return Err(corrupt(number, "a game before the header".into())),
        }
    }
    unreachable!("the loop ends at the end of the file")
}

/// Whether a first line is an entry of some other log. One damaged byte of ours does not make it so.
fn is_of_something_else(line: &[u8]) -> bool {
    let entry = serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(line);
    entry.is_ok_and(|entry| !entry.contains_key("crc") && !entry.contains_key("header"))
}

/// What [`ResultLog::open`] finds.
#[derive(Debug)]
pub struct Opened {
    /// The log, ready for the next game.
    pub log: ResultLog,
    /// The games that it already holds, each with its line number.
    pub games: Vec<(u64, LoggedGame)>,
    /// Says so if an incomplete last line was cut off.
    pub notice: Option<String>,
}

/// A log that is open for appending, locked against other writers.
#[derive(Debug)]
pub struct ResultLog {
    path: PathBuf,
    file: File,
    synced: Instant,
}

impl ResultLog {
    /// Opens or begins a log for the tournament that `header` describes, or makes one longer that has fewer games of the same.
    pub fn open(path: &Path, header: &Header) -> Result<Opened, LogError> {
        let io = |doing| move |source| LogError::Io { path: path.into(), doing, source };
        let file =
            OpenOptions::new().read(true).append(true).create(true).open(path).map_err(io("open it for writing"))?;
        if !lock(&file) {
            return Err(LogError::InUse { path: path.into() });
        }
        let first = line_of(&Entry::Header(header));
        let contents = read_lines(path, file.try_clone().map_err(io("open it twice"))?)?;
        let mut log = ResultLog { path: path.into(), file, synced: Instant::now() };
        let notice =
            |bytes| format!("result log '{}': cut off an incomplete last line of {bytes} bytes", path.display());
        match contents {
            Ok(contents) => {
                let grows = contents.header.grows_to(header);
                if !grows && let Some(difference) = contents.header.difference(header) {
                    return Err(LogError::OtherTournament { path: path.into(), difference });
                }
                if contents.torn > 0 {
                    log.file.set_len(contents.complete).map_err(io("cut off its incomplete last line"))?;
                }
                if grows {
                    log.write(&first)?;
                }
                let notice = (contents.torn > 0).then(|| notice(contents.torn));
                Ok(Opened { log, games: contents.games, notice })
            }
            Err(torn) => {
                // Cutting is safe only if the fragment is surely the beginning of this very log.
                if !first.as_bytes().starts_with(&torn) {
                    let what = "is not a header of a result log".to_string();
                    return Err(LogError::Corrupt { path: path.into(), line: 1, what });
                }
                log.file.set_len(0).map_err(io("cut off its incomplete first line"))?;
                log.write(&first)?;
                log.sync()?;
                let notice = (!torn.is_empty()).then(|| notice(torn.len() as u64));
                Ok(Opened { log, games: Vec::new(), notice })
            }
        }
    }

    /// Adds a finished game.
    pub fn append(&mut self, game: &LoggedGame) -> Result<(), LogError> {
        self.write(&line_of(&Entry::Game(game)))?;
        if self.synced.elapsed() >= SYNC_EVERY { self.sync() } else { Ok(()) }
    }

    /// Waits until everything is on the disk.
    pub fn sync(&mut self) -> Result<(), LogError> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(|source| LogError::Io { path: self.path.clone(), doing: "sync it", source })
    }

    fn write(&mut self, line: &str) -> Result<(), LogError> {
        let io = |doing, source| LogError::Io { path: self.path.clone(), doing, source };
        let end = self.file.seek(SeekFrom::End(0)).map_err(|error| io("find its end", error))?;
        self.file.write_all(line.as_bytes()).map_err(|error| {
            // A full disk may have taken half a line: take it back, or the next line would be corrupt.
            let _ = self.file.set_len(end);
            io("write to it", error)
        })
    }
}

/// Keeps other programs from writing to a file; `false` if one of them was first.
#[cfg(unix)]
pub fn lock(file: &File) -> bool {
    use rustix::fs::{FlockOperation, flock};
    // A file system without locks is used without one.
    !matches!(flock(file, FlockOperation::NonBlockingLockExclusive), Err(rustix::io::Errno::WOULDBLOCK))
}

/// Keeps other programs from writing to a file, where the system can.
#[cfg(not(unix))]
pub fn lock(_file: &File) -> bool {
    true
}
