//! [`EventFile`]: scalars by step as TensorBoard reads them.
//!
//! ```text
//! file     record*
//! record   length of the event (u64), its masked CRC-32C, event, the event's masked CRC-32C     little-endian
//! masked   ((c >> 15) | (c << 17)) + 0xa282ead8
//! ```
//!
//! Events are messages of TensorFlow's `event.proto`. TensorBoard reads the files of a folder in the order of their names, and
//! none of them twice; a file that is made anew when a run goes on therefore has a later name than the one it replaces.

use afterstate_engine::value::checkpoint::write_whole;
use prost::Message;
use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// What the names of such files begin with, as TensorBoard wants it; what follows is when they were begun.
const PREFIX: &str = "events.out.tfevents.";
/// What the names of ours end in.
pub const SUFFIX: &str = ".afterstate";
/// The first event of each file.
const VERSION: &str = "brain.Event:2";

/// What happened at a step.
#[derive(Clone, PartialEq, Message)]
struct Event {
    /// Seconds since 1970.
    #[prost(double, tag = "1")]
    wall_time: f64,
    #[prost(int64, tag = "2")]
    step: i64,
    #[prost(string, optional, tag = "3")]
    file_version: Option<String>,
    #[prost(message, optional, tag = "5")]
    summary: Option<Summary>,
}

#[derive(Clone, PartialEq, Message)]
struct Summary {
    #[prost(message, repeated, tag = "1")]
    value: Vec<Scalar>,
}

#[derive(Clone, PartialEq, Message)]
struct Scalar {
    #[prost(string, tag = "1")]
    tag: String,
    #[prost(float, optional, tag = "2")]
    simple_value: Option<f32>,
}

/// CRC-32 of Castagnoli, masked.
fn masked_crc(bytes: &[u8]) -> u32 {
    const CASTAGNOLI: crc::Crc<u32, crc::Table<16>> = crc::Crc::<u32, crc::Table<16>>::new(&crc::CRC_32_ISCSI);
    CASTAGNOLI.checksum(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

fn record(event: &Event) -> Vec<u8> {
    let event = event.encode_to_vec();
    let length = (event.len() as u64).to_le_bytes();
    [&length[..], &masked_crc(&length).to_le_bytes(), &event, &masked_crc(&event).to_le_bytes()].concat()
}

/// The events of a file up to the first one that is not whole, and how many bytes come after them.
fn events(mut bytes: &[u8]) -> (Vec<Event>, usize) {
    fn take<'a, const N: usize>(bytes: &mut &'a [u8]) -> Option<&'a [u8; N]> {
        let (first, rest) = bytes.split_first_chunk()?;
        *bytes = rest;
        Some(first)
    }
    fn next(bytes: &mut &[u8]) -> Option<Event> {
        let length: &[u8; 8] = take(bytes)?;
        let length_crc = u32::from_le_bytes(*take(bytes)?);
        if masked_crc(length) != length_crc {
            return None;
        }
        let (event, rest) = bytes.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        *bytes = rest;
        let crc = u32::from_le_bytes(*take(bytes)?);
        (masked_crc(event) == crc).then(|| Event::decode(event).ok())?
    }
    let (mut events, mut rest) = (Vec::new(), bytes);
    while let Some(event) = next(&mut bytes) {
        events.push(event);
        rest = bytes;
    }
    (events, rest.len())
}

/// The file of a run's events that is being written.
#[derive(Debug)]
pub struct EventFile {
    path: PathBuf,
    /// Steps and first tags of the events that it holds.
    known: HashSet<(i64, String)>,
}

impl EventFile {
    /// Goes on in a folder after so many steps: what is there about later ones, which will be made again, is left out, and
    /// so is a last event that was not written to its end.
    ///
    /// # Errors
    ///
    /// Names the file or folder that cannot be read or written.
    pub fn resume(folder: &Path, steps: u64) -> io::Result<EventFile> {
        let earlier = files(folder).map_err(|error| named(error, folder))?;
        let now = seconds();
        let path = folder.join(format!("{PREFIX}{:010}{SUFFIX}", now as u64));
        let version = Event { wall_time: now, file_version: Some(VERSION.to_string()), ..Event::default() };
        let (mut bytes, mut known) = (record(&version), HashSet::new());
        for earlier in &earlier {
            let text = fs::read(earlier).map_err(|error| named(error, earlier))?;
            let (events, lost) = events(&text);
            if lost > 0 {
                crate::output::tell!(
                    "note: {}: the last {lost} bytes are no whole event, and are left out",
                    earlier.display()
                );
            }
            for event in events {
                let is_kept = u64::try_from(event.step).is_ok_and(|step| step <= steps);
                let Some(key) = key(&event).filter(|_| is_kept) else { continue };
                // A run that was killed between two lines of this function has left both files.
                if known.insert(key) {
                    bytes.extend(record(&event));
                }
            }
        }
        write_whole(&path, &bytes).map_err(|error| named(error, &path))?;
        for earlier in earlier.iter().filter(|earlier| **earlier != path) {
            fs::remove_file(earlier).map_err(|error| named(error, earlier))?;
        }
        Ok(EventFile { path, known })
    }

    /// Adds scalars at a step, unless there are some already of which the first has the same tag.
    ///
    /// # Errors
    ///
    /// Names the file if it cannot be written; then it is as it was before.
    pub fn add(&mut self, step: u64, scalars: &[(String, f64)]) -> io::Result<()> {
        let value = scalars.iter().map(|(tag, number)| Scalar { tag: tag.clone(), simple_value: Some(*number as f32) });
        let summary = Some(Summary { value: value.collect() });
        let event = Event { wall_time: seconds(), step: step as i64, summary, ..Event::default() };
        let Some(key) = key(&event).filter(|key| !self.known.contains(key)) else { return Ok(()) };
        let append = || {
            let mut file = OpenOptions::new().append(true).open(&self.path)?;
            let length = file.metadata()?.len();
            // Half an event would hide all that come after it.
            file.write_all(&record(&event)).inspect_err(|_| drop(file.set_len(length)))
        };
        append().map_err(|error| named(error, &self.path))?;
        self.known.insert(key);
        Ok(())
    }
}

/// What an event is known by; the first event of a file is not.
fn key(event: &Event) -> Option<(i64, String)> {
    Some((event.step, event.summary.as_ref()?.value.first()?.tag.clone()))
}

/// Our files in a folder, by their names.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_ours = |name: &str| name.starts_with(PREFIX) && name.ends_with(SUFFIX);
        if entry.file_name().to_str().is_some_and(is_ours) {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

fn named(error: io::Error, path: &Path) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Since 1970.
fn seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_framed_as_tensorflow_does() {
        let version = Event { wall_time: 1.5, file_version: Some(VERSION.to_string()), ..Event::default() };
        let bytes = record(&version);
        // What every event file of TensorFlow begins with: length 24, its checksum, and the field of the time.
        assert_eq!(bytes[..13], [24, 0, 0, 0, 0, 0, 0, 0, 0xa3, 0x7f, 0x4b, 0x22, 9]);
        assert_eq!(bytes[21..36], *b"\x1a\x0dbrain.Event:2");
        assert_eq!(bytes.len(), 12 + 24 + 4);
        // The check value of CRC-32C is e3069283.
        assert_eq!(masked_crc(b"123456789"), 0xe306_9283u32.rotate_right(15).wrapping_add(0xa282_ead8));
    }

    #[test]
    fn events_have_the_fields_of_event_proto() {
        let scalar = Scalar { tag: "loss".to_string(), simple_value: Some(0.5) };
        let event =
            Event { wall_time: 0.0, step: 300, file_version: None, summary: Some(Summary { value: vec![scalar] }) };
        let expected = b"\x10\xac\x02\x2a\x0d\x0a\x0b\x0a\x04loss\x15\x00\x00\x00\x3f";
        assert_eq!(event.encode_to_vec(), expected);
    }

    fn scalars(tag: &str, number: f64) -> Vec<(String, f64)> {
        vec![(tag.to_string(), number), ("other".to_string(), 1.0)]
    }

    fn held(folder: &Path) -> Vec<(i64, String)> {
        let [file] = &files(folder).unwrap()[..] else { panic!("one file") };
        let events = events(&fs::read(file).unwrap()).0;
        assert_eq!(events[0].file_version.as_deref(), Some(VERSION));
        events[1..].iter().map(|event| key(event).unwrap()).collect()
    }

    #[test]
    fn what_will_be_made_again_is_left_out_wherever_the_file_ends() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = EventFile::resume(folder.path(), 0).unwrap();
        for step in 1..=3 {
            file.add(step, &scalars("loss", 0.5)).unwrap();
            file.add(step, &scalars("loss", 0.25)).unwrap();
        }
        file.add(3, &scalars("score", 1.0)).unwrap();
        let all = [(1, "loss"), (2, "loss"), (3, "loss"), (3, "score")].map(|(step, tag)| (step, tag.to_string()));
        assert_eq!(held(folder.path()), all);
        let whole = fs::read(&file.path).unwrap();
        for length in 0..=whole.len() {
            fs::remove_file(&files(folder.path()).unwrap()[0]).unwrap();
            // An earlier part of the run left it.
            fs::write(folder.path().join("events.out.tfevents.0000000007.afterstate"), &whole[..length]).unwrap();
            let mut file = EventFile::resume(folder.path(), 2).unwrap();
            let before = held(folder.path());
            assert_eq!(before, all[..before.len().min(2)]);
            for step in 1..=3 {
                file.add(step, &scalars("loss", 0.5)).unwrap();
            }
            file.add(3, &scalars("score", 1.0)).unwrap();
            assert_eq!(held(folder.path()), all);
        }
    }

    #[test]
    fn files_of_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("events.out.tfevents.0000000007.elsewhere");
        fs::write(&other, "theirs").unwrap();
        EventFile::resume(folder.path(), 0).unwrap();
        assert_eq!(fs::read(&other).unwrap(), b"theirs");
        assert!(EventFile::resume(&folder.path().join("none"), 0).unwrap_err().to_string().contains("none"));
    }
}
