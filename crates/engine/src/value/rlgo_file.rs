//! Weight files of the program RLGO: three lines of text, then little-endian f32.
//!
//! ```text
//! Version = 2
//! FeatureSet = (LocalShape-1x1-LI+LocalShape-1x1-LD+…)
//! NumSaved = 63303
//! ```
//!
//! Its weights stand in our own order: sets as listed, within a set by canonical shape.

use super::local_shape::{LocalShapes, Sharing, WindowSizes};
use super::{Features, TrackedGo};
use thiserror::Error;

/// What is wrong with an RLGO weight file.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RlgoFileError {
    /// A header line is missing or says something else.
    #[error("line {line}: found '{found}', expected {expected}")]
    Header {
        /// Line number from 1.
        line: usize,
        /// Its text, cut.
        found: String,
        /// What should stand there.
        expected: String,
    },
    /// The features are not local shapes in a combination that exists here.
    #[error(
        "feature set '{0}': expected LocalShape-KxK-LI and LocalShape-KxK-LD, K from 1 to 3, each size with the same kinds"
    )]
    FeatureSet(String),
    /// The number of weights does not belong to a board of this size.
    #[error("{found} weights, expected {expected} for these features on {size}x{size}")]
    Count {
        /// In the file.
        found: usize,
        /// On this board.
        expected: usize,
        /// Points along one edge.
        size: usize,
    },
    /// A weight is infinite or not a number.
    #[error("weight {0} is not a finite number")]
    NotFinite(usize),
}

/// Weights of RLGO and what they belong to.
#[derive(Debug, PartialEq)]
pub struct RlgoWeights {
    /// Window sizes.
    pub sizes: WindowSizes,
    /// Kinds of sharing.
    pub sharing: Sharing,
    /// The weights in our order.
    pub weights: Vec<f32>,
}

/// Reads a weight file for a board of `board_size`.
///
/// ```
/// use afterstate_engine::value::rlgo_file::read;
/// let mut file = b"Version = 2\nFeatureSet = (LocalShape-1x1-LI)\nNumSaved = 1\n".to_vec();
/// file.extend(0.25f32.to_le_bytes());
/// assert_eq!(read(&file, 9).unwrap().weights, [0.25]);
/// ```
pub fn read(bytes: &[u8], board_size: usize) -> Result<RlgoWeights, RlgoFileError> {
    let mut rest = bytes;
    let mut line_number = 0;
    let mut line = |key: &str| -> Result<String, RlgoFileError> {
        line_number += 1;
        let end = rest.iter().take(4096).position(|&byte| byte == b'\n');
        let text = String::from_utf8_lossy(&rest[..end.unwrap_or(rest.len().min(40))]).into_owned();
        let value = text.strip_prefix(key).and_then(|after| after.trim_start().strip_prefix('=')).map(str::trim);
        match (end, value) {
            (Some(end), Some(value)) => {
                rest = &rest[end + 1..];
                Ok(value.to_string())
            }
            _ => Err(header_error(line_number, &text, &format!("'{key} = …'"))),
        }
    };
    let version = line("Version")?;
    if version != "2" {
        return Err(header_error(1, &version, "version 2"));
    }
    let features = line("FeatureSet")?;
    let saved = line("NumSaved")?;
    let saved: usize = saved.parse().map_err(|_| header_error(3, &saved, "a number of weights"))?;
    let (sizes, sharing) = feature_set(&features).ok_or_else(|| RlgoFileError::FeatureSet(cut(&features)))?;
    let expected = Features::<TrackedGo>::count(&LocalShapes::new(board_size, sizes, sharing));
    let (found, odd) = (rest.len() / 4, rest.len() % 4);
    if found != expected || odd != 0 || saved != expected {
        let found = if found == expected && odd == 0 { saved } else { found };
        return Err(RlgoFileError::Count { found, expected, size: board_size });
    }
    let weights: Vec<f32> = rest.as_chunks::<4>().0.iter().map(|&four| f32::from_le_bytes(four)).collect();
    match weights.iter().position(|weight| !weight.is_finite()) {
        Some(i) => Err(RlgoFileError::NotFinite(i)),
        None => Ok(RlgoWeights { sizes, sharing, weights }),
    }
}

fn header_error(line: usize, found: &str, expected: &str) -> RlgoFileError {
    RlgoFileError::Header { line, found: cut(found), expected: expected.to_string() }
}

fn cut(text: &str) -> String {
    text.chars().take(60).map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// The sizes and kinds of `(LocalShape-1x1-LI+…)`, which must be listed in our order.
fn feature_set(text: &str) -> Option<(WindowSizes, Sharing)> {
    let names: Vec<&str> = text.strip_prefix('(')?.strip_suffix(')')?.split('+').collect();
    let mut sizes: Vec<usize> = Vec::new();
    let mut kinds: Vec<&str> = Vec::new();
    for name in &names {
        let (size, kind) = name.strip_prefix("LocalShape-")?.split_once('-')?;
        let size = match size {
            "1x1" => 1,
            "2x2" => 2,
            "3x3" => 3,
            _ => return None,
        };
        if !sizes.contains(&size) {
            sizes.push(size);
        }
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let sharing = match kinds[..] {
        ["LI"] => Sharing::LocationIndependent,
        ["LD"] => Sharing::LocationDependent,
        ["LI", "LD"] => Sharing::Both,
        _ => return None,
    };
    sizes.is_sorted().then_some(())?;
    let in_order = sizes.iter().flat_map(|k| kinds.iter().map(move |kind| format!("LocalShape-{k}x{k}-{kind}")));
    in_order.eq(names.iter().map(|name| name.to_string())).then_some(())?;
    Some((WindowSizes::new(&sizes)?, sharing))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(features: &str, saved: &str, weights: &[f32]) -> Vec<u8> {
        let mut bytes = format!("Version = 2\nFeatureSet = {features}\nNumSaved = {saved}\n").into_bytes();
        bytes.extend(weights.iter().flat_map(|weight| weight.to_le_bytes()));
        bytes
    }

    #[test]
    fn sets_are_read_in_their_order() {
        let weights: Vec<f32> = (0..24).map(|i| i as f32).collect();
        let both = "(LocalShape-1x1-LI+LocalShape-1x1-LD+LocalShape-2x2-LI)";
        assert!(matches!(read(&file(both, "24", &weights), 9), Err(RlgoFileError::FeatureSet(_))));
        let read = read(&file("(LocalShape-1x1-LI+LocalShape-1x1-LD)", "16", &weights[..16]), 9).unwrap();
        assert_eq!((read.sharing, read.weights), (Sharing::Both, weights[..16].to_vec()));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let one = "(LocalShape-1x1-LD)";
        for (bytes, part) in [
            (file(one, "15", &[0.0; 14]), "14 weights, expected 15"),
            (file(one, "14", &[0.0; 15]), "14 weights, expected 15"),
            (file(one, "many", &[0.0; 15]), "line 3"),
            (file("(NeuroGo)", "15", &[0.0; 15]), "feature set"),
            (file(one, "15", &[f32::NAN; 15]), "weight 0"),
            (b"Version = 1\n".to_vec(), "line 1"),
            (b"\xff\xfe".to_vec(), "line 1"),
            (Vec::new(), "line 1"),
        ] {
            let message = read(&bytes, 9).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
