//! From bytes to tokens.

use super::PgnError;
use crate::Outcome;
use crate::Side;
use std::io::BufRead;

/// No comment, value or word is longer, in bytes.
const LONGEST_TOKEN: usize = 1 << 20;

/// Some programs begin a file with it.
const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// What a PGN file is made of. Move numbers and points are left out.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Tag(String, String),
    /// A move, or something that stands where moves do.
    Word(String),
    Nag(u8),
    Comment(String),
    Open,
    Close,
    /// The end of a game; `None` is `*`.
    End(Option<Outcome>),
}

pub(super) struct Tokens<R> {
    source: R,
    /// The line of the next byte, from 1.
    next_line: u64,
    /// The line at which the last token begins, from 1.
    pub(super) line: u64,
    at_line_start: bool,
    /// Given back by the reader.
    returned: Option<Token>,
    /// A glyph that stood at the end of a move.
    suffix: Option<u8>,
    /// Bytes of the tokens since the reader last set it to 0.
    pub(super) length: usize,
}

impl<R: BufRead> Tokens<R> {
    pub(super) fn new(source: R) -> Self {
        Tokens { source, next_line: 1, line: 1, at_line_start: true, returned: None, suffix: None, length: 0 }
    }

    /// Gives a token back, to be the next one.
    pub(super) fn give_back(&mut self, token: Token) {
        self.returned = Some(token);
    }

    pub(super) fn error(&self, found: impl Into<String>, expected: &'static str) -> PgnError {
        PgnError::Syntax { line: self.line, found: found.into(), expected }
    }

    fn peek(&mut self) -> Result<Option<u8>, PgnError> {
        loop {
            match self.source.fill_buf() {
                Ok(bytes) => return Ok(bytes.first().copied()),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(PgnError::Read { line: self.line, error }),
            }
        }
    }

    fn bump(&mut self, byte: u8) {
        self.source.consume(1);
        self.at_line_start = byte == b'\n' || self.at_line_start && BYTE_ORDER_MARK.contains(&byte);
        self.next_line += u64::from(byte == b'\n');
        self.length += 1;
    }

    /// Everything up to a byte that ends it, which is not taken.
    fn take_while(&mut self, goes_on: impl Fn(u8) -> bool) -> Result<Vec<u8>, PgnError> {
        let mut bytes = Vec::new();
        while let Some(byte) = self.peek()?.filter(|&byte| goes_on(byte)) {
            self.bump(byte);
            if bytes.len() == LONGEST_TOKEN {
                return Err(self.error("over a million characters without an end", "shorter comments and values"));
            }
            bytes.push(byte);
        }
        Ok(bytes)
    }

    /// The next token; `None` at the end of the source. After an error one may go on.
    pub(super) fn next(&mut self) -> Result<Option<Token>, PgnError> {
        if let Some(token) = self.returned.take() {
            return Ok(Some(token));
        }
        if let Some(nag) = self.suffix.take() {
            return Ok(Some(Token::Nag(nag)));
        }
        while let Some(byte) = self.peek()? {
            self.line = self.next_line;
            if byte == b'%' && self.at_line_start {
                // Lines for other programs.
                self.take_while(|byte| byte != b'\n')?;
                continue;
            }
            if is_of_word(byte) {
                let word = text(self.take_while(is_of_word)?);
                match self.word(word) {
                    Some(token) => return Ok(Some(token)),
                    None => continue,
                }
            }
            self.bump(byte);
            return Ok(Some(match byte {
                b'[' => self.tag()?,
                b'{' => {
                    let comment = text(self.take_while(|byte| byte != b'}')?);
                    if self.peek()?.is_none() {
                        return Err(self.error("the end of the file in a comment", "'}'"));
                    }
                    self.bump(b'}');
                    Token::Comment(comment)
                }
                b';' => Token::Comment(text(self.take_while(|byte| byte != b'\n')?)),
                b'(' => Token::Open,
                b')' => Token::Close,
                b'*' => Token::End(None),
                b'$' => {
                    let digits = text(self.take_while(|byte| byte.is_ascii_digit())?);
                    match digits.parse() {
                        Ok(nag) => Token::Nag(nag),
                        Err(_) if digits.is_empty() => return Err(self.error("$", "a glyph, $0 to $255")),
                        // Some programs have glyphs beyond those of the standard.
                        Err(_) => continue,
                    }
                }
                b' ' | b'\t' | b'\r' | b'\n' | 0x0B | 0x0C | b'.' => continue,
                0x80.. => {
                    let mut sign = vec![byte];
                    // A character of UTF-8 ends with the last such byte; one of Latin-1 is a byte.
                    if byte >= 0xC2 {
                        let more = [0xC2, 0xE0, 0xF0].iter().filter(|&&first| byte >= first).count();
                        for _ in 0..more {
                            let Some(next) = self.peek()?.filter(|next| matches!(next, 0x80..0xC0)) else { break };
                            self.bump(next);
                            sign.push(next);
                        }
                    }
                    let sign = text(sign);
                    if sign == "½" {
                        self.take_while(|byte| matches!(byte, b'-' | 0xC2 | 0xBD))?;
                        return Ok(Some(Token::End(Some(Outcome::DRAW))));
                    }
                    match glyph(&sign) {
                        Some(0) => continue,
                        Some(nag) => Token::Nag(nag),
                        None => return Err(self.error(format!("'{}'", sign.escape_default()), "a move or a tag")),
                    }
                }
                _ => return Err(self.error(format!("'{}'", char::from(byte).escape_default()), "a move or a tag")),
            }));
        }
        Ok(None)
    }

    /// `[Name "value"]`, after its bracket.
    fn tag(&mut self) -> Result<Token, PgnError> {
        const EXPECTED: &str = "a tag such as [White \"Ada\"]";
        let spaces = |byte: u8| byte.is_ascii_whitespace();
        self.take_while(spaces)?;
        let name = text(self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_')?);
        self.take_while(spaces)?;
        if self.peek()? != Some(b'"') || name.is_empty() {
            self.take_while(|byte| byte != b'\n')?;
            return Err(self.error(format!("[{name}"), EXPECTED));
        }
        self.bump(b'"');
        let mut value = self.take_while(|byte| !matches!(byte, b'"' | b'\n'))?;
        // A backslash keeps the quotation mark or backslash after it from meaning anything.
        while ends_in_escape(&value) && self.peek()? == Some(b'"') {
            self.bump(b'"');
            value.push(b'"');
            value.extend(self.take_while(|byte| !matches!(byte, b'"' | b'\n'))?);
            if value.len() > LONGEST_TOKEN {
                return Err(self.error("over a million characters without an end", "shorter comments and values"));
            }
        }
        if self.peek()? != Some(b'"') {
            // Folders of some systems end in a backslash, which keeps nothing from its meaning then.
            if let Some(value) = value.trim_ascii_end().strip_suffix(b"\"]") {
                return Ok(Token::Tag(name, unescape(&text(value.to_vec()))));
            }
            return Err(self.error(format!("[{name} without its second quotation mark"), EXPECTED));
        }
        self.bump(b'"');
        self.take_while(spaces)?;
        if self.peek()? == Some(b']') {
            self.bump(b']');
        }
        Ok(Token::Tag(name, unescape(&text(value))))
    }

    /// What a word is; `None` for the numbers of moves.
    fn word(&mut self, word: String) -> Option<Token> {
        let bare = word.trim_end_matches(['!', '?']);
        let nag = match &word[bare.len()..] {
            "" => None,
            "!" => Some(1),
            "?" => Some(2),
            "!!" => Some(3),
            "??" => Some(4),
            "!?" => Some(5),
            "?!" => Some(6),
            // Enthusiasm has no number.
            _ => Some(0),
        };
        if let Some(outcome) = result(bare) {
            return Some(Token::End(outcome));
        }
        match bare {
            "" => nag.map(Token::Nag),
            // Who stands better, as books write it.
            "=" => Some(Token::Nag(10)),
            "+=" | "+/=" => Some(Token::Nag(14)),
            "=+" | "=/+" => Some(Token::Nag(15)),
            "+/-" => Some(Token::Nag(16)),
            "-/+" => Some(Token::Nag(17)),
            "+-" => Some(Token::Nag(18)),
            "-+" => Some(Token::Nag(19)),
            // Check and mate, apart from their move.
            "+" | "++" | "#" => None,
            _ if bare.bytes().all(|byte| byte.is_ascii_digit()) => None,
            _ => {
                self.suffix = nag.filter(|&nag| nag > 0);
                Some(Token::Word(bare.to_string()))
            }
        }
    }
}

/// The number of a glyph that is no ASCII, as books and databases print them; 0 for what says nothing.
fn glyph(sign: &str) -> Option<u8> {
    Some(match sign {
        // A no-break space, a byte order mark, and strokes of "+−", whose other part says nothing either.
        "\u{a0}" | "\u{feff}" | "−" | "–" => 0,
        // Check, double check and mate can be seen on the board.
        "†" | "‡" => 0,
        "□" => 7,
        "∞" => 13,
        "⩲" => 14,
        "⩱" => 15,
        "±" => 16,
        "∓" => 17,
        "⨀" | "⊙" => 22,
        "○" => 26,
        "⟳" | "↻" => 32,
        "↑" => 36,
        "→" => 40,
        "⇆" | "⇄" => 132,
        "⊕" => 138,
        "∆" | "△" | "Δ" => 140,
        _ => return None,
    })
}

/// A game's result; the inner `None` is `*`.
pub(super) fn result(text: &str) -> Option<Option<Outcome>> {
    match text {
        "1-0" => Some(Some(Outcome::win(Side::First))),
        "0-1" => Some(Some(Outcome::win(Side::Second))),
        "1/2-1/2" | "1/2" | "½-½" => Some(Some(Outcome::DRAW)),
        "*" => Some(None),
        _ => None,
    }
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'#' | b'=' | b':' | b'-' | b'/' | b'_' | b'!' | b'?')
}

fn ends_in_escape(value: &[u8]) -> bool {
    value.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

fn unescape(value: &str) -> String {
    let mut plain = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(c) = characters.next() {
        let escaped = characters.clone().next().filter(|next| c == '\\' && matches!(next, '\\' | '"'));
        plain.push(escaped.unwrap_or(c));
        if escaped.is_some() {
            characters.next();
        }
    }
    plain
}

/// UTF-8, or else Latin-1, which the standard prescribes.
pub(in crate::chess) fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect())
}
