//! Opcodes, and what may stand behind them.

use crate::chess::{Chess, Move};
use crate::{Game, NotationError};

/// An opcode with its operands.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// `bm`, `id`, `D3`, …
    pub opcode: String,
    /// What stands behind it.
    pub operands: Vec<Operand>,
}

/// Something behind an opcode. What is known of the opcode decides which kind it is; behind an unknown opcode whatever stands
/// in quotation marks is text, a whole number is one, and anything else a symbol.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A legal move of the position; behind `pv` of the position after the moves before it.
    Move(Move),
    /// A whole number.
    Integer(i64),
    /// Anything, in quotation marks.
    Text(String),
    /// A word without quotation marks.
    Symbol(String),
}

/// What stands behind an opcode.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Moves of the position.
    Moves,
    /// Moves that follow each other.
    Line,
    Integer,
    Text,
    Anything,
}

fn kind(opcode: &str) -> Kind {
    match opcode {
        "bm" | "am" | "sm" | "pm" => Kind::Moves,
        "pv" => Kind::Line,
        "acd" | "acn" | "acs" | "ce" | "dm" | "hmvc" | "fmvn" | "rc" => Kind::Integer,
        "id" | "eco" | "nic" => Kind::Text,
        _ => match opcode.as_bytes() {
            [b'c' | b'v', b'0'..=b'9'] => Kind::Text,
            [b'D', depth @ ..] if !depth.is_empty() && depth.iter().all(u8::is_ascii_digit) => Kind::Integer,
            _ => Kind::Anything,
        },
    }
}

/// An operation as it stands in a line.
pub(super) struct Written<'a> {
    pub(super) opcode: &'a str,
    /// What stands behind it.
    rest: &'a str,
}

enum Word<'a> {
    Quoted(String),
    Bare(&'a str),
}

impl<'a> Written<'a> {
    /// Takes the next operation off `text`, with its semicolon; `None` if nothing stands there.
    pub(super) fn take(text: &mut &'a str) -> Result<Option<Written<'a>>, NotationError> {
        let whole = *text;
        let mut from = 0;
        // Semicolons in quotation marks do not count.
        let end = loop {
            match whole[from..].find([';', '"']).map(|at| from + at) {
                None => break whole.len(),
                Some(at) if whole[at..].starts_with(';') => break at,
                Some(at) => from = whole.len() - quoted(&whole[at..])?.1.len(),
            }
        };
        *text = whole[end..].strip_prefix(';').unwrap_or_default();
        let operation = whole[..end].trim();
        let (opcode, rest) = operation.split_at(operation.find(ends_word).unwrap_or(operation.len()));
        match opcode.chars().next() {
            Some(first) if first.is_ascii_alphabetic() => Ok(Some(Written { opcode, rest: rest.trim() })),
            None if rest.is_empty() => Ok(None),
            _ => Err(NotationError::new("operation", operation, "an opcode such as bm, then its operands and ';'")),
        }
    }

    fn words(&self) -> Result<Vec<Word<'a>>, NotationError> {
        let (mut words, mut rest) = (Vec::new(), self.rest);
        while !rest.is_empty() {
            if rest.starts_with('"') {
                let (said, behind) = quoted(rest)?;
                words.push(Word::Quoted(said));
                rest = behind;
            } else {
                let (word, behind) = rest.split_at(rest.find(ends_word).unwrap_or(rest.len()));
                words.push(Word::Bare(word));
                rest = behind;
            }
            rest = rest.trim_start();
        }
        Ok(words)
    }

    /// The number behind an opcode.
    pub(super) fn integer(&self) -> Result<i64, NotationError> {
        self.rest.parse().map_err(|_| self.error("one whole number"))
    }

    fn error(&self, expected: &str) -> NotationError {
        let text = format!("{} {}", self.opcode, self.rest);
        NotationError::new("operation", text.trim_end(), format!("{expected} behind {}", self.opcode))
    }

    /// What it means in `position`.
    pub(super) fn operation(&self, position: &Chess) -> Result<Operation, NotationError> {
        let operands = match kind(self.opcode) {
            Kind::Integer => vec![Operand::Integer(self.integer()?)],
            Kind::Moves => self.moves(&mut position.clone(), false)?,
            Kind::Line => self.moves(&mut position.clone(), true)?,
            Kind::Text => match &mut self.words()?[..] {
                [Word::Quoted(text)] => vec![Operand::Text(std::mem::take(text))],
                // Many files leave the quotation marks out.
                words if words.iter().all(|word| matches!(word, Word::Bare(_))) => {
                    vec![Operand::Text(self.rest.into())]
                }
                _ => return Err(self.error("one text in quotation marks")),
            },
            Kind::Anything => self.words()?.into_iter().map(Word::operand).collect(),
        };
        Ok(Operation { opcode: self.opcode.into(), operands })
    }

    fn moves(&self, position: &mut Chess, follow: bool) -> Result<Vec<Operand>, NotationError> {
        let expected = if follow { "legal moves one after the other" } else { "legal moves such as Nf3" };
        let mut moves = Vec::new();
        // Some files have commas between them.
        for text in self.rest.split(|c: char| c.is_whitespace() || c == ',').filter(|text| !text.is_empty()) {
            let mv = position.parse_legal(text).map_err(|_| self.error(expected))?;
            if follow {
                position.play(mv);
            }
            moves.push(Operand::Move(mv));
        }
        if moves.is_empty() { Err(self.error(expected)) } else { Ok(moves) }
    }
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || c == '"'
}

impl Word<'_> {
    fn operand(self) -> Operand {
        match self {
            Word::Quoted(text) => Operand::Text(text),
            Word::Bare(text) => match text.parse::<i64>() {
                // Written in another way (+5, 007) it would not be written back as it was.
                Ok(number) if number.to_string() == text => Operand::Integer(number),
                _ => Operand::Symbol(text.into()),
            },
        }
    }
}

/// A text that begins with a quotation mark, without its marks, and what stands behind it. A backslash keeps a quotation mark
/// or backslash after it from meaning anything.
fn quoted(whole: &str) -> Result<(String, &str), NotationError> {
    let mut text = String::new();
    let mut characters = whole.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Ok((text, &whole[at + 1..])),
            '\\' => {
                let escaped = characters.next_if(|&(_, next)| matches!(next, '"' | '\\'));
                text.push(escaped.map_or('\\', |(_, next)| next));
            }
            _ => text.push(c),
        }
    }
    Err(NotationError::new("operand", whole, "a second quotation mark"))
}

impl Operation {
    /// The depth in `D3`, if the operation is a count of perft.
    pub(super) fn depth_of_perft(&self) -> Option<u32> {
        if kind(&self.opcode) == Kind::Integer { self.opcode.strip_prefix('D')?.parse().ok() } else { None }
    }

    /// The operation with its semicolon.
    pub(super) fn text(&self, position: &Chess) -> String {
        let (mut text, mut position) = (self.opcode.clone(), position.clone());
        for operand in &self.operands {
            text.push(' ');
            match operand {
                Operand::Move(mv) => {
                    text += &position.san(*mv);
                    if kind(&self.opcode) == Kind::Line && position.is_legal(*mv) {
                        position.play(*mv);
                    }
                }
                Operand::Integer(number) => text += &number.to_string(),
                Operand::Text(said) => text += &in_quotation_marks(said),
                Operand::Symbol(word) if is_word(word) => text += word,
                Operand::Symbol(word) => text += &in_quotation_marks(word),
            }
        }
        text + ";"
    }
}

fn is_word(symbol: &str) -> bool {
    !symbol.is_empty() && !symbol.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, ';' | '"'))
}

fn in_quotation_marks(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
}
