//! [`Checkpoint`]: weights on disk, with everything needed to play with them.
//!
//! A checkpoint is one safetensors file. Its header holds, under the key `afterstate`, the format's
//! version, a description in JSON and a CRC-32 of description and tensors; its tensors, `weights` and
//! perhaps the learner's `memory`, are little-endian f32. Files are written beside their final name, synced and renamed, so that a name
//! always means a whole file.

use safetensors::{Dtype, SafeTensorError, SafeTensors, tensor::TensorView};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The newest format that this version reads, and the one it writes.
pub const FORMAT: u32 = 1;

/// Larger files are refused before they are read, unless their kind may be larger. The largest that `train` writes, all shapes of 19×19 without
/// shared weights and what Adam remembers of each, has 66 MiB.
pub const MAX_BYTES: u64 = 80 << 20;

/// Longer headers are refused before they are parsed, as JSON takes many times its length in memory.
const MAX_HEADER: u64 = 1 << 20;

/// The names of the tensors.
const WEIGHTS: &str = "weights";
const MEMORY: &str = "memory";

/// The header's key for everything that is not a tensor.
const KEY: &str = "afterstate";

/// What is wrong with a checkpoint.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The file system said no.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Its error.
        source: io::Error,
    },
    /// The content is not a checkpoint that this version can use.
    #[error("{path}: {problem}; {hint}")]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What was found.
        problem: String,
        /// What to do about it.
        hint: &'static str,
    },
}

/// Weights with a description, and with what a learner needs besides to go on with them.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint<A> {
    /// What the weights are: enough to rebuild features and settings.
    pub about: A,
    /// The weights.
    pub weights: Vec<f32>,
    /// What the learner remembers of how it came to them, in an order of its own. Mostly nothing; who only plays needs none
    /// of it.
    pub memory: Vec<f32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: u32,
    crc: u32,
    /// JSON inside the JSON, so that the checksum covers its exact text.
    about: String,
}

fn checksum<'a>(about: &str, tensors: impl IntoIterator<Item = &'a [u8]>) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(about.as_bytes());
    tensors.into_iter().for_each(|data| hasher.update(data));
    hasher.finalize()
}

const DAMAGED: &str = "the file is damaged: use an earlier checkpoint";
const OTHER_KIND: &str =
    "expected weights of this game and kind: name such a checkpoint (if this is one, use the version that wrote it)";
const NOT_OURS: &str = "expected a checkpoint that `train` wrote";

/// What weights are of, by what only their descriptions say.
fn kind_of(about: &str) -> Option<&'static str> {
    let about: HashMap<String, serde_json::Value> = serde_json::from_str(about).ok()?;
    const KINDS: [(&str, &str); 7] = [
        ("chess-hidden", "a network of chess"),
        ("terms", "values of chess"),
        ("grid-game", "values of Connect Four or tic-tac-toe"),
        ("network", "a policy-value network"),
        ("hidden", "a network of backgammon"),
        ("learner", "playouts of Go"),
        ("board-size", "local shapes of Go"),
    ];
    KINDS.into_iter().find(|(key, _)| about.contains_key(*key)).map(|(_, kind)| kind)
}

impl CheckpointError {
    /// The content of `path` is wrong. What was found there may be anything, so it is cut to one short line.
    pub fn invalid(path: &Path, problem: &str, hint: &'static str) -> CheckpointError {
        let problem = problem.chars().take(300).map(|c| if c.is_control() { ' ' } else { c }).collect();
        CheckpointError::Invalid { path: path.to_path_buf(), problem, hint }
    }
}

impl<A> Checkpoint<A> {
    /// Weights whose learner remembers nothing but them.
    pub fn new(about: A, weights: Vec<f32>) -> Self {
        Checkpoint { about, weights, memory: Vec::new() }
    }
}

impl<A: Serialize + DeserializeOwned> Checkpoint<A> {
    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let bytes = |numbers: &[f32]| -> Vec<u8> { numbers.iter().flat_map(|number| number.to_le_bytes()).collect() };
        let (weights, memory) = (bytes(&self.weights), bytes(&self.memory));
        let about = serde_json::to_string(&self.about).expect("descriptions are plain data");
        let header = Header { format: FORMAT, crc: checksum(&about, [&weights[..], &memory[..]]), about };
        let text = serde_json::to_string(&header).expect("headers are plain data");
        let named = [(WEIGHTS, &weights), (MEMORY, &memory)]
            .into_iter()
            .filter(|(name, data)| *name == WEIGHTS || !data.is_empty());
        let views = named.map(|(name, data)| {
            let shape = vec![data.len() / size_of::<f32>()];
            (name, TensorView::new(Dtype::F32, shape, data).expect("the shape fits the data"))
        });
        safetensors::serialize(views, Some(HashMap::from([(KEY.to_string(), text)])))
            .expect("vectors of different names can always be written")
    }

    /// Reads the bytes of a file; `path` is only for messages.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, CheckpointError> {
        let invalid = |problem: String, hint| CheckpointError::invalid(path, &problem, hint);
        let damaged = |problem: String| invalid(problem, DAMAGED);
        let Some(&length) = bytes.first_chunk::<8>() else {
            return Err(damaged(format!("only {} bytes", bytes.len())));
        };
        let length = u64::from_le_bytes(length);
        if length > MAX_HEADER {
            return Err(invalid(format!("not a safetensors file (a header of {length} bytes)"), NOT_OURS));
        }
        if (bytes.len() as u64) < 8 + length {
            return Err(damaged(format!("ends after {} bytes, inside its header", bytes.len())));
        }
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|error| match error {
            SafeTensorError::MetadataIncompleteBuffer => {
                damaged(format!("{} bytes, not as many as its header says", bytes.len()))
            }
            error => invalid(format!("not a safetensors file ({error})"), NOT_OURS),
        })?;
        let text = (metadata.metadata().as_ref().and_then(|map| map.get(KEY)))
            .ok_or_else(|| invalid(format!("no '{KEY}' entry in its header"), NOT_OURS))?;
        let header: Header =
            serde_json::from_str(text).map_err(|error| damaged(format!("unreadable header ({error})")))?;
        if header.format != FORMAT {
            return Err(invalid(
                format!("format {}, expected {FORMAT}", header.format),
                "use the version that wrote it",
            ));
        }
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| damaged(error.to_string()))?;
        let data = |name| match tensors.tensor(name) {
            Ok(view) if view.dtype() == Dtype::F32 => Ok(view.data()),
            Ok(view) => Err(damaged(format!("{name}: {:?}, expected F32", view.dtype()))),
            Err(SafeTensorError::TensorNotFound(_)) if name == MEMORY => Ok(&[][..]),
            Err(error) => Err(damaged(error.to_string())),
        };
        let (weights, memory) = (data(WEIGHTS)?, data(MEMORY)?);
        if checksum(&header.about, [weights, memory]) != header.crc {
            return Err(damaged("checksum does not match".to_string()));
        }
        let numbers = |bytes: &[u8]| -> Vec<f32> {
            bytes.as_chunks::<4>().0.iter().map(|&four| f32::from_le_bytes(four)).collect()
        };
        let (weights, memory) = (numbers(weights), numbers(memory));
        if let Some(i) = weights.iter().position(|weight| !weight.is_finite()) {
            return Err(invalid(
                format!("weight {i} is {}", weights[i]),
                "the training diverged: try a smaller step size",
            ));
        }
        let about = serde_json::from_str(&header.about).map_err(|error| match kind_of(&header.about) {
            Some(kind) => {
                // Without the list of what else it might have said.
                let error = error.to_string();
                let why = error.split(", expected one of").next().unwrap_or(&error);
                invalid(format!("it holds {kind} (description: {why})"), OTHER_KIND)
            }
            None => invalid(format!("description: {error}"), OTHER_KIND),
        })?;
        Ok(Checkpoint { about, weights, memory })
    }

    /// Reads a file of at most [`MAX_BYTES`].
    pub fn load(path: &Path) -> Result<Self, CheckpointError> {
        Self::load_up_to(path, MAX_BYTES)
    }

    /// Reads a file of at most so many bytes.
    pub fn load_up_to(path: &Path, most: u64) -> Result<Self, CheckpointError> {
        let io = |source| CheckpointError::Io { path: path.to_path_buf(), source };
        // What is not a file, such as a named pipe, might never end or never even open.
        let metadata = fs::metadata(path).map_err(io)?;
        if !metadata.is_file() {
            return Err(CheckpointError::invalid(path, "not a file", NOT_OURS));
        }
        let mut bytes = Vec::new();
        if metadata.len() <= most {
            // One more than there should be, so that the end is seen without growing the buffer.
            bytes.reserve_exact(metadata.len() as usize + 1);
            fs::File::open(path).map_err(io)?.take(most + 1).read_to_end(&mut bytes).map_err(io)?;
        }
        if metadata.len().max(bytes.len() as u64) > most {
            return Err(CheckpointError::invalid(path, &format!("more than {} MiB", most >> 20), NOT_OURS));
        }
        Self::from_bytes(&bytes, path)
    }

    /// Writes a file as a whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), CheckpointError> {
        write_whole(path, &self.to_bytes()).map_err(|source| CheckpointError::Io { path: path.to_path_buf(), source })
    }
}

/// Writes a file as a whole or not at all: to a temporary name in the same folder, synced, renamed,
/// and the folder synced. Links stay, and what they point to is written; what is no file, such as a pipe or a terminal, takes what
/// is written, and so does what is open under a name of its own, such as `/dev/stdout`.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if path == Path::new("/dev/stdout") {
        let mut stdout = io::stdout().lock();
        return stdout.write_all(bytes).and_then(|()| stdout.flush());
    }
    let is_open = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|open| path.starts_with(open));
    if fs::metadata(path).is_ok_and(|there| !there.is_dir() && (is_open || !there.is_file())) {
        return fs::OpenOptions::new().append(true).open(path)?.write_all(bytes);
    }
    let followed = |link: PathBuf| path.parent().unwrap_or(Path::new("")).join(link);
    let target = fs::canonicalize(path).ok().or_else(|| fs::read_link(path).ok().map(followed));
    let is_link = fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink());
    let path = target.as_deref().filter(|_| is_link).unwrap_or(path);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut name = path.file_name().ok_or_else(|| io::Error::other("no file name"))?.to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = folder.join(name);
    let written = (|| {
        let mut file = fs::File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        // Not every platform can open a folder; where it can, the new name survives a power cut too.
        if let Ok(folder) = fs::File::open(folder) {
            let _ = folder.sync_all();
        }
        Ok(())
    })();
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct About {
        games: u64,
    }

    fn sample() -> Checkpoint<About> {
        Checkpoint { memory: vec![2.0, 0.25], ..Checkpoint::new(About { games: 7 }, vec![0.5, -1.25, 3.0]) }
    }

    #[test]
    fn a_saved_checkpoint_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/one.safetensors");
        sample().save(&path).unwrap();
        assert_eq!(Checkpoint::load(&path).unwrap(), sample());
        let left: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().collect();
        assert_eq!(left.len(), 1, "no temporary file stays behind");
    }

    #[test]
    fn other_kinds_are_named() {
        let bytes =
            Checkpoint::new(HashMap::from([("board-size".to_string(), 9), ("sizes".to_string(), 3)]), vec![1.0])
                .to_bytes();
        let error = Checkpoint::<HashMap<String, String>>::from_bytes(&bytes, Path::new("x")).unwrap_err().to_string();
        assert!(error.contains("it holds local shapes of Go (description: "), "{error}");
        assert!(error.contains("expected weights of this game and kind"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_devices_devices() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| folder.path().join(name));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_whole(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        let dangling = folder.path().join("dangling");
        std::os::unix::fs::symlink("nowhere", &dangling).unwrap();
        write_whole(&dangling, b"here").unwrap();
        assert!(fs::symlink_metadata(&dangling).unwrap().is_symlink());
        assert_eq!(fs::read(folder.path().join("nowhere")).unwrap(), b"here");
        let device = folder.path().join("device");
        std::os::unix::fs::symlink("/dev/null", &device).unwrap();
        write_whole(&device, b"nothing").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    /// Memory that looks like a disk lies among the devices.
    #[cfg(target_os = "linux")]
    #[test]
    fn files_among_the_devices_are_replaced_like_others() {
        let Ok(folder) = tempfile::tempdir_in("/dev/shm") else { return };
        let path = folder.path().join("file");
        for text in ["a long first text", "new"] {
            write_whole(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn any_flipped_or_missing_byte_is_refused_in_one_line() {
        let bytes = sample().to_bytes();
        for i in 0..bytes.len() {
            for damaged in [bytes[..i].to_vec(), {
                let mut b = bytes.clone();
                b[i] ^= 1;
                b
            }] {
                match Checkpoint::<About>::from_bytes(&damaged, Path::new("x")) {
                    // Padding and the names of JSON white space carry nothing.
                    Ok(read) => assert_eq!(read, sample()),
                    Err(error) => assert!(!error.to_string().contains('\n') && error.to_string().starts_with("x: ")),
                }
            }
        }
    }

    #[test]
    fn a_learner_without_a_memory_leaves_no_trace() {
        let plain = Checkpoint::new(About { games: 7 }, vec![0.5]);
        let bytes = plain.to_bytes();
        assert!(!bytes.windows(MEMORY.len()).any(|window| window == MEMORY.as_bytes()));
        assert_eq!(Checkpoint::<About>::from_bytes(&bytes, Path::new("x")).unwrap(), plain);
    }

    #[test]
    fn weights_that_are_not_numbers_are_refused() {
        let bad = Checkpoint::new(About { games: 1 }, vec![f32::NAN]);
        let error = Checkpoint::<About>::from_bytes(&bad.to_bytes(), Path::new("x")).unwrap_err();
        assert!(error.to_string().contains("diverged"), "{error}");
    }
}
