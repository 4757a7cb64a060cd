//! Files from outside: whatever they hold, they are read or refused in one line, without a panic and in bounded
//! memory.

use afterstate_engine::value::rlgo_file::{self, RlgoWeights};
use afterstate_engine::value::{
    Checkpoint, Features, LocalShapes, ShapeAgent, Sharing, Squash, TrackedGo, ValueFunction, WindowSizes,
};
use afterstate_games::go::{Go, Komi};
use afterstate_games::rng::{Rng, below, unit};
use afterstate_games::stream;
use cap::Cap;
use safetensors::{Dtype, tensor::TensorView};
use std::alloc::System;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What no file may make a reader take, together with the file itself.
const LIMIT: usize = 256 << 20;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Held by tests that take much memory, so that none is charged for what another takes.
static MEMORY: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    MEMORY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The most that was ever taken at once is within bounds.
fn check_memory(file: &str) {
    let most = ALLOCATOR.max_allocated();
    assert!(most < LIMIT, "{} MiB were taken at once by the end of {file}", most >> 20);
}

/// Runs `one` so many times, or for as long as `AFTERSTATE_FUZZ_SECONDS` says; returns how often.
fn repeat(times: u64, mut one: impl FnMut()) -> u64 {
    let seconds = std::env::var("AFTERSTATE_FUZZ_SECONDS").ok().map(|text| {
        Duration::from_secs(
            text.parse().unwrap_or_else(|_| panic!("AFTERSTATE_FUZZ_SECONDS='{text}': expected whole seconds")),
        )
    });
    let begin = Instant::now();
    let mut done = 0;
    while seconds.map_or(done < times, |limit| begin.elapsed() < limit) {
        one();
        done += 1;
    }
    done
}

/// Changes some bytes, drops, repeats or cuts some, or puts in pieces that mean something.
fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>, pieces: &[&str]) {
    for _ in 0..1 + below(rng, 4) {
        let at = below(rng, bytes.len() as u32 + 1) as usize;
        let end = (at + below(rng, 30) as usize).min(bytes.len());
        match below(rng, 6) {
            0 if at < bytes.len() => bytes[at] = below(rng, 256) as u8,
            1 if at < bytes.len() => bytes[at] ^= 1 << below(rng, 8),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let copy = bytes[at..end].to_vec();
                let to = below(rng, bytes.len() as u32 + 1) as usize;
                bytes.splice(to..to, copy);
            }
            4 if below(rng, 4) == 0 => bytes.truncate(at),
            _ => {
                let piece = pieces[below(rng, pieces.len() as u32) as usize];
                let over = if below(rng, 2) == 0 { at } else { (at + piece.len()).min(bytes.len()) };
                drop(bytes.splice(at..over, piece.bytes()));
            }
        }
    }
}

fn agent(board_size: usize, sizes: &[usize], sharing: Sharing) -> ShapeAgent {
    ShapeAgent {
        board_size,
        komi: Komi::DEFAULT,
        sizes: WindowSizes::new(sizes).unwrap(),
        sharing,
        squash: Squash::Logistic,
        games: 1200,
        since_milestone: Default::default(),
        origin: "a test\n\"with quotes\"".into(),
    }
}

fn checkpoint(about: ShapeAgent) -> Checkpoint<ShapeAgent> {
    let rng = &mut stream(1, about.board_size as u64);
    let weights = (0..Features::<TrackedGo>::count(&about.features())).map(|_| unit(rng) - 0.5).collect();
    Checkpoint::new(about, weights)
}

/// A file with a right checksum over whatever description and weights.
fn forged(about: &str, data: &[u8], format: u32) -> Vec<u8> {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(about.as_bytes());
    hasher.update(data);
    let header = serde_json::json!({"format": format, "crc": hasher.finalize(), "about": about}).to_string();
    let view = TensorView::new(Dtype::F32, vec![data.len() / 4], data).unwrap();
    safetensors::serialize([("weights", view)], Some(HashMap::from([("afterstate".to_string(), header)]))).unwrap()
}

/// Reads `bytes` as a file. What is accepted must be good to play with; what is refused, in one line with the path.
fn read_checkpoint(path: &Path, bytes: &[u8]) -> Option<Checkpoint<ShapeAgent>> {
    // A new file: one that is written over is flushed to the disk first.
    let _ = fs::remove_file(path);
    fs::write(path, bytes).unwrap();
    match ShapeAgent::read(path) {
        Ok(checkpoint) => {
            let value = checkpoint.value();
            let start = value.features.track(Go::new(checkpoint.about.board_size));
            assert!((0.0..=1.0).contains(&value.value(&start).0) || checkpoint.about.squash == Squash::Linear);
            Some(checkpoint)
        }
        Err(error) => {
            let line = error.to_string();
            assert!(line.starts_with(path.to_str().unwrap()) && !line.contains(char::is_control), "{line:?}");
            assert!(line.len() < path.as_os_str().len() + 1500, "{line}");
            None
        }
    }
}

const CHECKPOINT_PIECES: &[&str] = &[
    "0",
    "-1",
    "5",
    "19",
    "20",
    "18446744073709551615",
    "1e999",
    "[1,2,3]",
    "[]",
    "\"none\"",
    "\"both\"",
    "null",
    "{",
    "}",
    "\"",
    "\\u0000",
    "\\n",
    "weights",
    "\"F64\"",
    "\"BF16\"",
    "data_offsets",
    "shape",
    "board-size",
    "afterstate",
    "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}",
    "[[[[[[[[[[",
    "location-dependent",
    "linear",
];

#[test]
fn mutated_checkpoints_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.safetensors");
    let rng = &mut stream(3, 0);
    let corpus = [
        checkpoint(agent(5, &[1], Sharing::LocationIndependent)),
        checkpoint(agent(5, &[1, 2], Sharing::Both)),
        checkpoint(agent(6, &[1], Sharing::None)),
    ];
    let (mut whole, mut forgeries) = (0u64, 0u64);
    let tried = repeat(6000, || {
        let good = &corpus[below(rng, 3) as usize];
        if below(rng, 2) == 0 {
            // A damaged file: it is refused, unless the damage is where nothing is said.
            let mut bytes = good.to_bytes();
            mutate(rng, &mut bytes, CHECKPOINT_PIECES);
            if let Some(read) = read_checkpoint(&path, &bytes) {
                assert!(&read == good, "a damaged file was read as another one");
                whole += 1;
            }
        } else {
            // One that somebody made so: the checksum is right.
            let mut about = serde_json::to_vec(&good.about).unwrap();
            mutate(rng, &mut about, CHECKPOINT_PIECES);
            let mut data: Vec<u8> = good.weights.iter().flat_map(|weight| weight.to_le_bytes()).collect();
            if below(rng, 4) == 0 {
                mutate(rng, &mut data, &["\u{0}\u{0}\u{0}\u{0}"]);
                data.truncate(data.len() / 4 * 4);
            }
            let bytes = forged(&String::from_utf8_lossy(&about), &data, 1 + below(rng, 50) / 49);
            forgeries += u64::from(read_checkpoint(&path, &bytes).is_some());
        }
    });
    println!("{tried} mutated checkpoints, {whole} of them unharmed, {forgeries} forged ones readable");
    assert!(forgeries > tried / 300, "too few of the forged files get far enough to test what follows: {forgeries}");
    check_memory("mutated checkpoints");
}

/// Safetensors with this header and so many bytes of data.
fn with_header(header: &str, data: usize) -> Vec<u8> {
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.resize(bytes.len() + data, 0);
    bytes
}

#[test]
fn sizes_that_are_only_announced_are_not_believed() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.safetensors");
    let refused = |bytes: &[u8], part: &str| {
        assert!(read_checkpoint(&path, bytes).is_none(), "{part}");
        let message = ShapeAgent::read(&path).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    };
    let about = serde_json::to_string(&agent(5, &[1], Sharing::Both)).unwrap();
    let announced = |shape: &str, offsets: &str| {
        let meta = serde_json::json!({"format": 1, "crc": 0, "about": about}).to_string();
        let meta = serde_json::to_string(&meta).unwrap();
        let weights = format!(r#"{{"dtype":"F32","shape":{shape},"data_offsets":{offsets}}}"#);
        with_header(&format!(r#"{{"__metadata__":{{"afterstate":{meta}}},"weights":{weights}}}"#), 16)
    };
    refused(&u64::MAX.to_le_bytes(), "a header of 18446744073709551615 bytes");
    refused(&[&(90u64 << 20).to_le_bytes()[..], b"{"].concat(), "a header of 94371840 bytes");
    refused(&[&500u64.to_le_bytes()[..], b"{}"].concat(), "inside its header");
    refused(&announced("[4611686018427387904]", "[0,16]"), "not a safetensors file");
    refused(&announced("[4611686018427387904,8]", "[0,18446744073709551615]"), "not a safetensors file");
    refused(&announced("[1073741824]", "[0,4294967296]"), "not as many as its header says");
    refused(&announced("[4]", "[16,0]"), "not a safetensors file");
    refused(&announced("[4]", "[0,16]"), "checksum");
    refused(&with_header(&"[".repeat(1 << 20), 0), "not a safetensors file");
    refused(&with_header(&format!(r#"{{"a":{}"#, "[".repeat(1 << 19)), 0), "not a safetensors file");
    // As many entries as fit: each takes many times its text.
    let names: Vec<String> = (0..80_000).map(|i| format!(r#""{i:x}":"""#)).collect();
    refused(&with_header(&format!(r#"{{"__metadata__":{{{}}}}}"#, names.join(",")), 0), "no 'afterstate' entry");
    let tensors: Vec<String> =
        (0..20_000).map(|i| format!(r#""{i:x}":{{"dtype":"F32","shape":[],"data_offsets":[0,0]}}"#)).collect();
    refused(&with_header(&format!("{{{}}}", tensors.join(",")), 0), "safetensors");

    // Descriptions of the largest features, with too few weights for them.
    for sharing in [Sharing::None, Sharing::LocationDependent, Sharing::LocationIndependent, Sharing::Both] {
        let about = serde_json::to_string(&agent(19, &[1, 2, 3], sharing)).unwrap();
        refused(&forged(&about, &[0; 16], 1), "4 weights, expected");
    }
    for (from, to, part) in [
        ("\"board-size\":5", "\"board-size\":4", "board size 4, expected 5 to 19"),
        ("\"board-size\":5", "\"board-size\":4294967301", "board size 4294967301, expected"),
        ("\"board-size\":5", "\"board-size\":-5", "description"),
        ("[1]", "[4]", "description"),
        ("1200", "1e99", "description"),
        ("origin", "orig\\nin", "description"),
    ] {
        assert!(about.contains(from), "{about}");
        refused(&forged(&about.replacen(from, to, 1), &[0; 16], 1), part);
    }
    refused(&forged(&about, &[0; 16], 2), "format 2, expected 1; use the version");

    // The largest file that is read at all; the test's own copies are gone when it is.
    let _ = fs::remove_file(&path);
    fs::write(&path, forged(&about, &vec![0; (80 << 20) - 4096], 1)).unwrap();
    assert!(ShapeAgent::read(&path).unwrap_err().to_string().contains("weights, expected"));
    fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    assert!(ShapeAgent::read(&path).unwrap_err().to_string().contains("more than 80 MiB"));
    check_memory("announced sizes");
}

#[test]
fn the_largest_checkpoint_that_training_writes_is_read() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.safetensors");
    let largest = checkpoint(agent(19, &[1, 2, 3], Sharing::None));
    // Adam remembers two numbers of each weight, and one more.
    let largest = Checkpoint { memory: vec![0.5; 2 * largest.weights.len() + 1], ..largest };
    largest.save(&path).unwrap();
    assert!(ShapeAgent::read(&path).unwrap() == largest);
    check_memory("the largest checkpoint");
}

/// A weight file of RLGO for 5×5.
fn rlgo(features: &str, sizes: &[usize], sharing: Sharing) -> Vec<u8> {
    let count = Features::<TrackedGo>::count(&LocalShapes::new(5, WindowSizes::new(sizes).unwrap(), sharing));
    let mut file = format!("Version = 2\nFeatureSet = ({features})\nNumSaved = {count}\n").into_bytes();
    let rng = &mut stream(4, count as u64);
    file.extend((0..count).flat_map(|_| (unit(rng) - 0.5).to_le_bytes()));
    file
}

const RLGO_PIECES: &[&str] = &[
    "\n",
    "=",
    "Version",
    "FeatureSet",
    "NumSaved",
    "LocalShape-1x1-LI",
    "LocalShape-1x1-LD",
    "LocalShape-2x2-LI",
    "LocalShape-3x3-LD",
    "+",
    "(",
    ")",
    "2",
    "0",
    "-1",
    "6",
    "18446744073709551615",
    "99999999999999999999",
    "\r",
    "\u{0}\u{0}\u{0}\u{0}",
    "4x4",
];

#[test]
fn mutated_rlgo_files_do_no_harm() {
    let corpus = [
        rlgo("LocalShape-1x1-LI", &[1], Sharing::LocationIndependent),
        rlgo("LocalShape-1x1-LI+LocalShape-1x1-LD", &[1], Sharing::Both),
        rlgo("LocalShape-1x1-LD+LocalShape-2x2-LD", &[1, 2], Sharing::LocationDependent),
    ];
    let rng = &mut stream(5, 0);
    let mut accepted = 0u64;
    let tried = repeat(20_000, || {
        let mut bytes = corpus[below(rng, 3) as usize].clone();
        mutate(rng, &mut bytes, RLGO_PIECES);
        match rlgo_file::read(&bytes, 5) {
            Ok(RlgoWeights { sizes, sharing, weights }) => {
                let count = Features::<TrackedGo>::count(&LocalShapes::new(5, sizes, sharing));
                assert!(weights.len() == count && weights.iter().all(|weight| weight.is_finite()));
                accepted += 1;
            }
            Err(error) => {
                let line = error.to_string();
                assert!(line.len() < 500 && !line.contains(char::is_control), "{line:?}");
            }
        }
    });
    println!("{tried} mutated weight files, {accepted} of them readable");
    assert!(accepted > tried / 50, "too few of the mutated files get past the header: {accepted} of {tried}");
    check_memory("mutated weight files");
}
