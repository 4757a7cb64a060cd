//! [`ReplayBuffer`]: the examples that learning draws from, and [`ReplayLog`]: trajectories on disk.
//!
//! A log holds what a learning step was made from, the entries of each game with their length and a CRC-32, so that a run that
//! was killed goes on without losing a trajectory that had ended: a game that was not written whole is cut off, and so are zeros
//! behind it, which file systems leave where the power failed.

use super::actor::Trajectory;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

/// Examples in the order in which they came; when there is no room, the oldest go (FIFO).
///
/// ```
/// use afterstate_engine::zero::{ReplayBuffer, Trajectory};
/// let mut buffer = ReplayBuffer::new(3);
/// for number in 0..2 {
///     // Two positions with a policy each, over one move that is legal.
///     let policies = vec![vec![(0, 1.0)], vec![(0, 1.0)]];
///     buffer.push(Trajectory { number, way: vec![0, 0], policies, ..Trajectory::default() });
/// }
/// assert_eq!(buffer.len(), 3);
/// let (trajectory, at) = buffer.example(0);
/// assert_eq!((trajectory.number, at), (0, 1));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ReplayBuffer {
    capacity: usize,
    trajectories: VecDeque<Trajectory>,
    /// Where each example is: the number of its trajectory since the beginning, and which of its policies.
    examples: VecDeque<(u64, u16)>,
    /// Trajectories that are gone.
    gone: u64,
}

impl ReplayBuffer {
    /// An empty buffer for so many examples.
    pub fn new(capacity: usize) -> ReplayBuffer {
        ReplayBuffer { capacity, ..ReplayBuffer::default() }
    }

    /// Takes the examples of a trajectory.
    pub fn push(&mut self, trajectory: Trajectory) {
        let number = self.gone + self.trajectories.len() as u64;
        let learnt = trajectory.policies.iter().enumerate().filter(|(_, policy)| !policy.is_empty());
        self.examples.extend(learnt.map(|(at, _)| (number, at as u16)));
        self.trajectories.push_back(trajectory);
        while self.examples.len() > self.capacity {
            self.examples.pop_front();
        }
        let oldest = self.examples.front().map_or(number + 1, |(number, _)| *number);
        while self.gone < oldest && self.trajectories.len() > 1 {
            self.trajectories.pop_front();
            self.gone += 1;
        }
    }

    /// How many examples there are.
    pub fn len(&self) -> usize {
        self.examples.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.examples.is_empty()
    }

    /// An example by its place: the trajectory, and which of its policies.
    pub fn example(&self, place: usize) -> (&Trajectory, usize) {
        let (number, at) = self.examples[place];
        (&self.trajectories[(number - self.gone) as usize], usize::from(at))
    }
}

/// An entry of a log.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Entry {
    /// A game that examples come from.
    Trajectory(Trajectory),
    /// Positions that an archive game met: the game's number, its moves, and the ways to them.
    Met(u64, u16, Vec<Vec<u16>>),
    /// A position beside a game, with its policy, and what it is worth as outcome.
    Side(Trajectory),
}

impl Entry {
    /// The number of the game that it is about.
    pub fn number(&self) -> u64 {
        match self {
            Entry::Trajectory(trajectory) | Entry::Side(trajectory) => trajectory.number,
            Entry::Met(number, ..) => *number,
        }
    }
}

/// What its sum vouches for, and what is no entry here.
const STRANGE: &str =
    "expected games as this version writes them; go on with the version that began the run, or begin a new one";

/// Entries on disk, one after the other.
#[derive(Debug)]
pub struct ReplayLog {
    file: File,
}

impl ReplayLog {
    /// Opens a log to go on with, or a new one, and reads what it holds. What was not written whole is cut off; what is whole and
    /// cannot be read, or damaged with other games behind it, is an error, and stays.
    pub fn open(path: &Path) -> io::Result<(ReplayLog, Vec<Entry>)> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let (entries, whole) = read_entries(&bytes)?;
        if whole < bytes.len() {
            file.set_len(whole as u64)?;
        }
        Ok((ReplayLog { file }, entries))
    }

    /// Reads the entries of a log that nobody writes to.
    pub fn read(path: &Path) -> io::Result<Vec<Entry>> {
        Ok(read_entries(&std::fs::read(path)?)?.0)
    }

    /// The same of a log that was written to its end. One that was cut off or damaged is an error.
    pub fn read_complete(path: &Path) -> io::Result<Vec<Entry>> {
        let bytes = std::fs::read(path)?;
        let (entries, whole) = read_entries(&bytes)?;
        if whole < bytes.len() {
            let problem =
                format!("the last {} bytes are no whole game: it was cut off or damaged", bytes.len() - whole);
            return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
        }
        Ok(entries)
    }

    /// Has everything on disk before it returns: what is saved later builds on it.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Adds the entries of a game, all or none.
    pub fn append(&mut self, entries: &[Entry]) -> io::Result<()> {
        let mut payload = Vec::new();
        for entry in entries {
            payload = postcard::to_extend(entry, payload).map_err(io::Error::other)?;
        }
        let length = u32::try_from(payload.len());
        let length = length
            .map_err(|_| io::Error::other(format!("a game of {} bytes: expected less than 4 GiB", payload.len())))?;
        let mut bytes = length.to_le_bytes().to_vec();
        bytes.extend(crc32fast::hash(&payload).to_le_bytes());
        bytes.extend(payload);
        let length = self.file.metadata()?.len();
        // Half an entry, because the disk is full say, would make the next ones unreadable.
        self.file.write_all(&bytes).inspect_err(|_| drop(self.file.set_len(length)))
    }
}

/// The entries that are whole, and how many bytes they take.
fn read_entries(bytes: &[u8]) -> io::Result<(Vec<Entry>, usize)> {
    let (mut entries, mut at) = (Vec::new(), 0);
    while let Some(&head) = bytes[at..].first_chunk::<8>() {
        let [length, crc] = [0, 4].map(|i| u32::from_le_bytes([head[i], head[i + 1], head[i + 2], head[i + 3]]));
        let length = length as usize;
        let only_zeros = |from: usize| bytes[from.min(bytes.len())..].iter().all(|&byte| byte == 0);
        if length == 0 && only_zeros(at) {
            break;
        }
        let Some(payload) = bytes.get(at + 8..).and_then(|rest| rest.get(..length)) else { break };
        if crc32fast::hash(payload) != crc {
            // The last one may be half on disk after the power failed; what stands before others was whole.
            if only_zeros(at + 8 + length) {
                break;
            }
            let problem = format!(
                "the game at byte {at} is damaged, and there are others behind it: put a copy of the file back, or, if it is the \
                 last of the run, move it away to play its games anew"
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
        }
        entries.extend(entries_of(payload).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, STRANGE))?);
        at += 8 + length;
    }
    Ok((entries, at))
}

/// The entries of a game, which were written together.
fn entries_of(mut payload: &[u8]) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    while !payload.is_empty() {
        let (entry, rest) = postcard::take_from_bytes(payload).ok()?;
        entries.push(entry);
        payload = rest;
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trajectory(number: u64, examples: usize) -> Trajectory {
        // Every second position teaches nothing.
        let policies = (0..2 * examples).map(|at| if at % 2 == 0 { vec![(3, 0.75), (4, 0.25)] } else { vec![] });
        Trajectory {
            number,
            way: vec![3; 2 * examples],
            opening: 0,
            policies: policies.collect(),
            values: vec![Some(0.5); 2 * examples],
            outcome: 0.5,
        }
    }

    #[test]
    fn a_full_buffer_loses_its_oldest_examples() {
        let mut buffer = ReplayBuffer::new(10);
        (0..4).for_each(|number| buffer.push(trajectory(number, 4)));
        assert_eq!(buffer.len(), 10);
        let all: Vec<(u64, usize)> = (0..10).map(|place| buffer.example(place)).map(|(t, at)| (t.number, at)).collect();
        assert_eq!(all[..3], [(1, 4), (1, 6), (2, 0)]);
        assert_eq!(all[9], (3, 6));
        assert_eq!(buffer.trajectories.len(), 3, "the first is gone");
    }

    #[test]
    fn a_game_is_there_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.log");
        let entries =
            [Entry::Trajectory(trajectory(7, 2)), Entry::Trajectory(trajectory(7, 1)), Entry::Side(trajectory(7, 1))];
        ReplayLog::open(&path).unwrap().0.append(&entries).unwrap();
        assert_eq!(ReplayLog::read(&path).unwrap(), entries);
        let bytes = std::fs::read(&path).unwrap();
        for length in 0..bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            assert_eq!(ReplayLog::read(&path).unwrap(), [], "{length}");
            assert_eq!(ReplayLog::read_complete(&path).is_err(), length > 0, "{length}");
        }
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(ReplayLog::read_complete(&path).unwrap(), entries);
    }

    #[test]
    fn zeros_that_a_power_failure_left_are_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.log");
        let entries = [Entry::Trajectory(trajectory(1, 2)), Entry::Trajectory(trajectory(2, 2))];
        let (mut log, _) = ReplayLog::open(&path).unwrap();
        entries.iter().for_each(|entry| log.append(std::slice::from_ref(entry)).unwrap());
        let bytes = std::fs::read(&path).unwrap();
        for length in bytes.len() / 2..=bytes.len() {
            let zeros = [&bytes[..length], &[0; 4096]].concat();
            std::fs::write(&path, &zeros).unwrap();
            assert!(ReplayLog::read_complete(&path).is_err(), "{length}");
            let found = ReplayLog::open(&path).unwrap().1;
            // The last game may end in zeros itself.
            let whole = if found.len() == 2 { bytes.len() } else { bytes.len() / 2 };
            assert_eq!(
                (found.len(), std::fs::read(&path).unwrap()),
                (whole * 2 / bytes.len(), bytes[..whole].to_vec())
            );
            assert!(found.len() == 2 || length < bytes.len(), "{length}");
        }
    }

    #[test]
    fn what_another_version_wrote_is_not_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.log");
        let payload = b"something else";
        let mut bytes = (payload.len() as u32).to_le_bytes().to_vec();
        bytes.extend(crc32fast::hash(payload).to_le_bytes());
        bytes.extend(payload);
        std::fs::write(&path, &bytes).unwrap();
        for error in [ReplayLog::open(&path).unwrap_err(), ReplayLog::read(&path).unwrap_err()] {
            assert_eq!((error.kind(), error.to_string().as_str()), (io::ErrorKind::InvalidData, STRANGE));
        }
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn a_log_that_was_cut_anywhere_gives_what_was_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/1.log");
        let entries = [Entry::Trajectory(trajectory(1, 2)), Entry::Met(2, 9, vec![vec![1, 2], vec![3]])];
        let (mut log, found) = ReplayLog::open(&path).unwrap();
        assert!(found.is_empty());
        log.append(&entries[..1]).unwrap();
        log.append(&entries[1..]).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(ReplayLog::read(&path).unwrap(), entries);
        let first = 8 + postcard::to_stdvec(&entries[0]).unwrap().len();
        for length in 0..bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let (mut log, found) = ReplayLog::open(&path).unwrap();
            let whole = usize::from(length >= first);
            assert_eq!(found, entries[..whole], "{length}");
            log.append(&entries[1..]).unwrap();
            assert_eq!(ReplayLog::read(&path).unwrap().len(), whole + 1, "it can be gone on with");
        }
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1;
            std::fs::write(&path, &damaged).unwrap();
            let read = ReplayLog::read(&path);
            if let Ok(found) = &read {
                assert_eq!(*found, entries[..found.len()], "what is damaged is not read");
            }
            // Games behind the damage are neither skipped nor taken away. A length may say that nothing is behind it.
            match place {
                _ if place < 4 || (first..first + 4).contains(&place) => (),
                _ if place < first => {
                    assert!(read.unwrap_err().to_string().contains("the game at byte 0 is damaged"), "{place}");
                    assert!(ReplayLog::open(&path).is_err() && std::fs::read(&path).unwrap() == damaged, "{place}");
                }
                _ => assert_eq!(read.unwrap().len(), 1, "{place}"),
            }
        }
    }
}
