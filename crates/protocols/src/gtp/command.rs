//! One line of input as a command: comments, control characters, the id, the arguments.

use afterstate_games::Side;
use std::fmt::Display;
use std::str::FromStr;

/// Ids are 31-bit numbers in the specification.
const MAX_ID: u32 = i32::MAX as u32;

/// A command line, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    /// The number in front of the command, which the response repeats.
    pub id: Option<u32>,
    /// May be empty: a line with nothing but an id.
    pub name: String,
    pub args: Vec<String>,
}

impl Command {
    /// `None` for a line without a command, which gets no response; an error for an id that is none.
    pub fn parse(line: &str) -> Option<Result<Command, Refusal>> {
        let text = clean(line);
        let mut words = text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).peekable();
        let first = words.peek()?;
        let mut id = None;
        if first.bytes().all(|byte| byte.is_ascii_digit()) {
            match first.parse() {
                Ok(number) if number <= MAX_ID => id = Some(number),
                _ => return Some(Err(Refusal::Says(format!("syntax error: command id: expected 0 to {MAX_ID}")))),
            }
            words.next();
        }
        Some(Ok(Command { id, name: words.next().unwrap_or_default(), args: words.collect() }))
    }
}

/// The line without control characters and its comment; tabs become spaces.
fn clean(line: &str) -> String {
    let content = line.split('#').next().unwrap_or_default();
    content.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()).collect()
}

/// Why a command gets `?`, or why there can be no response at all.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The text after `?`.
    Says(String),
    /// The other side no longer reads.
    Output(std::io::Error),
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Self {
        Refusal::Output(error)
    }
}

/// A refusal with this text.
pub(super) fn refuse<T>(text: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Says(text.into()))
}

/// At most 40 characters of what a client sent, for quoting it back.
pub(super) fn quote(text: &str) -> String {
    let mut quoted: String = text.chars().take(40).collect();
    if quoted.len() < text.len() {
        quoted.push('…');
    }
    quoted
}

/// Reads a number or word of a command; `name` and `expected` go into the message.
pub(super) fn parse_argument<T: FromStr>(name: &str, text: &str, expected: impl Display) -> Result<T, Refusal> {
    text.parse().or_else(|_| refuse(format!("syntax error: {name} '{}': expected {expected}", quote(text))))
}

/// A side by its colour: `b`, `black`, `w` or `white`, in upper or lower case.
pub(super) fn parse_color(text: &str) -> Result<Side, Refusal> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Side::First),
        "w" | "white" => Ok(Side::Second),
        _ => refuse(format!("syntax error: color '{}': expected b, black, w or white", quote(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> (Option<u32>, String, Vec<String>) {
        let command = Command::parse(line).expect("a command").expect("a good id");
        (command.id, command.name, command.args)
    }

    #[test]
    fn lines_are_taken_apart_as_the_specification_says() {
        assert_eq!(parsed("name"), (None, "name".into(), vec![]));
        assert_eq!(parsed("  7 \t play  b\tE5 \r"), (Some(7), "play".into(), vec!["b".into(), "E5".into()]));
        assert_eq!(parsed("na\u{1}m\u{7f}e#name"), (None, "name".into(), vec![]));
        assert_eq!(parsed("12"), (Some(12), String::new(), vec![]));
        assert_eq!(parsed("12x 3"), (None, "12x".into(), vec!["3".into()]));
        assert_eq!(parsed("007 quit"), (Some(7), "quit".into(), vec![]));
    }

    #[test]
    fn lines_without_a_command_are_nothing() {
        for line in ["", "   ", "\t", "# play b E5", "  \r", "\u{1}\u{2}", "\u{7} # 3"] {
            assert!(Command::parse(line).is_none(), "{line:?}");
        }
    }

    #[test]
    fn ids_beyond_31_bits_are_refused() {
        assert!(matches!(Command::parse("2147483647 name"), Some(Ok(_))));
        assert!(matches!(Command::parse("2147483648 name"), Some(Err(_))));
        assert!(matches!(Command::parse("99999999999999999999 name"), Some(Err(_))));
    }
}
