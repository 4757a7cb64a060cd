//! From bytes to lines, and from a line to a position with its operations.

use super::Epd;
use super::operation::Written;
use crate::chess::Chess;
use crate::chess::pgn::text;
use crate::{Notation, NotationError};
use std::io::BufRead;
use thiserror::Error;

/// No line is longer, in bytes.
pub const LONGEST_LINE: usize = 1 << 16;

/// Some programs begin a file with it.
const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// Why something is not EPD.
#[derive(Debug, Error)]
pub enum EpdError {
    /// The source could not be read.
    #[error("EPD, line {line}: {error}")]
    Read {
        /// The line of the source, from 1.
        line: u64,
        /// What the system says.
        error: std::io::Error,
    },
    /// A line makes no sense.
    #[error("EPD, line {line}: {error}")]
    Line {
        /// The line of the source, from 1.
        line: u64,
        /// What is wrong with it.
        error: NotationError,
    },
}

/// Reads positions one after the other. After a line that is wrong it goes on with the next; empty lines, and those that begin
/// with `#`, are left out. A line longer than [`LONGEST_LINE`] is an error, and is not kept in memory.
///
/// ```
/// use afterstate_games::chess::epd::EpdReader;
/// let text = "# two kings\n4k3/8/8/8/8/8/8/4K3 w - - id \"draw\";\n4k3/8/8 w - -\n4k3/8/8/8/8/8/4P3/4K3 w - - bm e5;\n";
/// let mut lines = EpdReader::new(text.as_bytes());
/// assert_eq!(lines.next().unwrap().unwrap().text("id"), Some("draw"));
/// assert!(lines.next().unwrap().unwrap_err().to_string().starts_with("EPD, line 3: position '4k3/8/8 w - - 0 1': expected a FEN"));
/// let error = lines.next().unwrap().unwrap_err();
/// assert_eq!(error.to_string(), "EPD, line 4: operation 'bm e5': expected legal moves such as Nf3 behind bm");
/// assert!(lines.next().is_none());
/// ```
pub struct EpdReader<R> {
    source: R,
    /// The line that was read last, from 1.
    line: u64,
    buffer: Vec<u8>,
    failed: bool,
}

impl<R: BufRead> EpdReader<R> {
    /// Reads what `source` gives.
    pub fn new(source: R) -> Self {
        EpdReader { source, line: 0, buffer: Vec::new(), failed: false }
    }

    /// The next line into the buffer, without its end; `false` at the end of the source. Of a line that is too long one byte
    /// too many is kept, the rest is skipped.
    fn fill(&mut self) -> std::io::Result<bool> {
        self.buffer.clear();
        let mut any = false;
        loop {
            let bytes = match self.source.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if bytes.is_empty() {
                return Ok(any);
            }
            any = true;
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let length = end.unwrap_or(bytes.len());
            let kept = length.min((LONGEST_LINE + 1).saturating_sub(self.buffer.len()));
            self.buffer.extend_from_slice(&bytes[..kept]);
            self.source.consume(end.map_or(length, |end| end + 1));
            if end.is_some() {
                return Ok(true);
            }
        }
    }
}

impl<R: BufRead> Iterator for EpdReader<R> {
    type Item = Result<Epd, EpdError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.failed {
            self.line += 1;
            let line = self.line;
            match self.fill() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    self.failed = true;
                    return Some(Err(EpdError::Read { line, error }));
                }
            }
            if self.buffer.len() > LONGEST_LINE {
                let begin = text(self.buffer[..80].to_vec());
                let expected = format!("at most {LONGEST_LINE} bytes in a line");
                return Some(Err(EpdError::Line { line, error: NotationError::new("position", &begin, expected) }));
            }
            let read = text(std::mem::take(&mut self.buffer));
            let read = read.trim_start_matches(BYTE_ORDER_MARK).trim();
            if !read.is_empty() && !read.starts_with('#') {
                return Some(self::line(read).map_err(|error| EpdError::Line { line, error }));
            }
        }
        None
    }
}

/// Reads one line: four fields, perhaps the two counts of FEN, and operations.
pub(super) fn line(text: &str) -> Result<Epd, NotationError> {
    let mut rest = text;
    let mut fields: Vec<&str> = Vec::with_capacity(4);
    while fields.len() < 4
        && let Some(field) = word(&mut rest)
    {
        fields.push(field);
    }
    let mut counts = ["0".to_string(), "1".to_string()];
    for count in &mut counts {
        let mut ahead = rest;
        if let Some(number) = word(&mut ahead).filter(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
            *count = number.into();
            rest = ahead;
        }
    }
    let mut written = Vec::new();
    while !rest.is_empty() {
        written.extend(Written::take(&mut rest)?);
    }
    for (count, opcode) in counts.iter_mut().zip(["hmvc", "fmvn"]) {
        if let Some(operation) = written.iter().find(|operation| operation.opcode == opcode) {
            *count = operation.integer()?.to_string();
        }
    }
    written.retain(|operation| !matches!(operation.opcode, "hmvc" | "fmvn"));
    let position = Chess::parse_position(&format!("{} {}", fields.join(" "), counts.join(" ")))?;
    let operations = written.into_iter().map(|written| written.operation(&position)).collect::<Result<_, _>>()?;
    Ok(Epd { position, operations })
}

/// Takes the next word off a text; a semicolon ends it, too.
fn word<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let text = rest.trim_start();
    let end = text.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(text.len());
    *rest = &text[end..];
    (end > 0).then(|| &text[..end])
}
