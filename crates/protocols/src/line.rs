//! Lines of input of any length, whatever is in them: what the protocols read.

use std::io::{self, BufRead, ErrorKind};

/// Longer lines (in bytes) are refused, and all but their beginning is forgotten while it is read.
pub const MAX_LINE: usize = 64 * 1024;

/// A line, without its line feed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Whole(String),
    /// The beginning of a line of more than [`MAX_LINE`] bytes.
    TooLong(String),
}

/// Reads one line of any length into bounded memory; `None` at the end. Bytes that are not UTF-8 become
/// replacement characters.
pub(crate) fn read_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let (mut bytes, mut whole, mut anything) = (Vec::new(), true, false);
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() {
            break;
        }
        anything = true;
        let feed = chunk.iter().position(|&byte| byte == b'\n');
        let text = &chunk[..feed.unwrap_or(chunk.len())];
        let kept = text.len().min(MAX_LINE - bytes.len());
        bytes.extend_from_slice(&text[..kept]);
        whole &= kept == text.len();
        let used = text.len() + usize::from(feed.is_some());
        input.consume(used);
        if feed.is_some() {
            break;
        }
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(anything.then_some(if whole { Line::Whole(text) } else { Line::TooLong(text) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Cursor, Read};

    fn lines(bytes: &[u8]) -> Vec<Line> {
        // A tiny buffer, so that lines cross its border.
        let mut input = BufReader::with_capacity(7, Cursor::new(bytes.to_vec()));
        std::iter::from_fn(|| read_line(&mut input).unwrap()).collect()
    }

    #[test]
    fn lines_end_at_line_feeds_and_at_the_end() {
        let whole = |text: &str| Line::Whole(text.into());
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"name\nversion"), [whole("name"), whole("version")]);
        assert_eq!(lines(b"\n\nname and more\n"), [whole(""), whole(""), whole("name and more")]);
        assert_eq!(lines(b"na\xffme\n"), [whole("na\u{fffd}me")]);
    }

    #[test]
    fn overlong_lines_are_cut_and_the_next_one_is_whole() {
        let mut bytes = vec![b'x'; MAX_LINE];
        assert_eq!(lines(&bytes), [Line::Whole("x".repeat(MAX_LINE))]);
        bytes.extend_from_slice(b"y\nname\n");
        assert_eq!(lines(&bytes), [Line::TooLong("x".repeat(MAX_LINE)), Line::Whole("name".into())]);
    }

    #[test]
    fn an_endless_line_takes_no_more_memory_than_the_limit() {
        let mut input = BufReader::new(io::repeat(b'a').take(50_000_000));
        let Some(Line::TooLong(text)) = read_line(&mut input).unwrap() else { panic!("expected an overlong line") };
        assert_eq!(text.len(), MAX_LINE);
    }
}
