//! One line of input as a command.

/// What a line asks for, with its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    // Of the protocol.
    Uci,
    Debug,
    IsReady,
    SetOption,
    Register,
    NewGame,
    Position,
    Go,
    Stop,
    PonderHit,
    Quit,
    // What engines usually have besides.
    Display,
    Evaluate,
    Bench,
    Perft,
    Help,
}

use Keyword::*;

const PROTOCOL: [(&str, Keyword); 11] = [
    ("uci", Uci),
    ("debug", Debug),
    ("isready", IsReady),
    ("setoption", SetOption),
    ("register", Register),
    ("ucinewgame", NewGame),
    ("position", Position),
    ("go", Go),
    ("stop", Stop),
    ("ponderhit", PonderHit),
    ("quit", Quit),
];

const EXTRAS: [(&str, Keyword); 5] =
    [("d", Display), ("eval", Evaluate), ("bench", Bench), ("perft", Perft), ("help", Help)];

/// A line, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command<'a> {
    /// Nothing but blanks.
    Nothing,
    /// A command and the words behind it.
    Known(Keyword, Vec<&'a str>),
    /// Something else: its first word.
    Unknown(&'a str),
}

impl Command<'_> {
    /// Unknown words before a command of the protocol are skipped, as the protocol demands. `quit` counts only at the
    /// beginning: no rubbish shall end the session.
    pub fn parse(line: &str) -> Command<'_> {
        let words: Vec<&str> = line.trim_start_matches('\u{feff}').split_whitespace().collect();
        let Some(&first) = words.first() else { return Command::Nothing };
        let known = |word: &str, table: &[(&str, Keyword)]| table.iter().find(|entry| entry.0 == word).map(|e| e.1);
        if let Some(extra) = known(first, &EXTRAS) {
            return Command::Known(extra, words[1..].to_vec());
        }
        for (i, &word) in words.iter().enumerate() {
            if let Some(keyword) = known(word, &PROTOCOL)
                && (i == 0 || keyword != Quit)
            {
                return Command::Known(keyword, words[i + 1..].to_vec());
            }
        }
        Command::Unknown(first)
    }
}

/// At most 40 characters of what somebody sent, fit to be quoted back on one line.
pub(super) fn quote(text: &str) -> String {
    let mut quoted: String = text.chars().take(40).map(|c| if c.is_control() { '?' } else { c }).collect();
    if text.chars().nth(40).is_some() {
        quoted.push('…');
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(keyword: Keyword, words: &[&'static str]) -> Command<'static> {
        Command::Known(keyword, words.to_vec())
    }

    #[test]
    fn blanks_of_any_kind_separate_words() {
        assert_eq!(Command::parse("go depth 3"), known(Go, &["depth", "3"]));
        assert_eq!(Command::parse("\t go \t depth\t3 \r"), known(Go, &["depth", "3"]));
        assert_eq!(Command::parse("\u{feff}uci"), known(Uci, &[]));
        assert_eq!(Command::parse(" \t\r"), Command::Nothing);
        assert_eq!(Command::parse(""), Command::Nothing);
    }

    #[test]
    fn unknown_words_in_front_are_skipped() {
        assert_eq!(Command::parse("joho debug on"), known(Debug, &["on"]));
        assert_eq!(Command::parse("debug joho on"), known(Debug, &["joho", "on"]));
        assert_eq!(Command::parse("please quit"), Command::Unknown("please"));
        assert_eq!(Command::parse("Quit"), Command::Unknown("Quit"));
        assert_eq!(Command::parse("perft 3"), known(Perft, &["3"]));
        assert_eq!(Command::parse("joho perft 3"), Command::Unknown("joho"));
    }

    #[test]
    fn what_is_quoted_is_short_and_printable() {
        assert_eq!(quote("a\u{1}b\u{7f}"), "a?b?");
        assert_eq!(quote(&"x".repeat(40)), "x".repeat(40));
        assert_eq!(quote(&"é".repeat(41)), format!("{}…", "é".repeat(40)));
    }
}
