//! The outline of an SGF text: which nodes and properties stand on the main line of its first game, and where.

use super::SgfError;
use std::ops::Range;

/// The longest text that is read, in bytes.
pub const LONGEST_TEXT: usize = 8 << 20;

/// The most nodes, and the most values of properties, on a main line.
pub const LONGEST_MAIN_LINE: usize = 20_000;

/// A node of the main line.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub(super) line: usize,
    /// In the order of the text.
    pub(super) properties: Vec<Property>,
    /// From its `;` to the end of its last property, in bytes of the text.
    pub(super) place: Range<usize>,
    /// How many variations it is inside of, the whole game included: from 1.
    pub(super) depth: usize,
    /// Whether a variation, or the game, begins with it.
    pub(super) begins: bool,
}

/// A property with its values, escapes resolved.
#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) values: Vec<String>,
    /// From the `[` of its last value to behind the `]`, in bytes of the text.
    pub(super) last_value: Range<usize>,
}

/// The main line of a game, and where what it is inside of ends.
#[derive(Debug)]
pub(super) struct MainLine {
    pub(super) nodes: Vec<Node>,
    /// Where the `)` of each variation on the way stands, by depth less one.
    pub(super) ends: Vec<usize>,
}

/// Reads the main line of the first game, keeping the properties that are `wanted`.
///
/// Lower-case letters in property names are dropped, as formats before FF\[4\] had them
/// (`White` is `W`). Escapes are resolved in values.
pub(super) fn main_line(text: &str, wanted: &[&str]) -> Result<MainLine, SgfError> {
    if text.len() > LONGEST_TEXT {
        return Err(SgfError::TooLong(text.len()));
    }
    let mut outline = Outline { text, at: 0, line: 1, counted_to: 0, values: 0 };
    let text = text.trim_start_matches('\u{feff}');
    outline.at = outline.text.len() - text.len();
    outline.read(wanted)
}

/// What came last, which decides what may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Nothing,
    Open,
    Node,
    Close,
}

struct Outline<'a> {
    text: &'a str,
    at: usize,
    /// The line at `counted_to`, so that lines are counted once.
    line: usize,
    counted_to: usize,
    values: usize,
}

impl Outline<'_> {
    fn read(&mut self, wanted: &[&str]) -> Result<MainLine, SgfError> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut ends = Vec::new();
        let (mut depth, mut after, mut on_main_line) = (0usize, After::Nothing, true);
        self.skip_preface();
        loop {
            self.skip_blanks();
            match (self.peek(), after) {
                (Some(b'('), After::Nothing | After::Node | After::Close) => {
                    depth += 1;
                    after = After::Open;
                    self.at += 1;
                }
                (Some(b')'), After::Node | After::Close) => {
                    let deepest = nodes.last().map_or(0, |node| node.depth);
                    // The variation that closes first at each depth is the one that the main line is inside of.
                    if ends.is_empty() {
                        ends.resize(deepest, None);
                    }
                    if let Some(end @ None) = ends.get_mut(depth - 1) {
                        *end = Some(self.at);
                    }
                    depth -= 1;
                    after = After::Close;
                    on_main_line = false;
                    self.at += 1;
                    if depth == 0 {
                        return Ok(MainLine { nodes, ends: ends.into_iter().flatten().collect() });
                    }
                }
                (Some(b';'), After::Open | After::Node) => {
                    let (start, begins) = (self.at, after == After::Open);
                    after = After::Node;
                    self.at += 1;
                    if on_main_line {
                        if nodes.len() == LONGEST_MAIN_LINE {
                            return Err(SgfError::TooManyNodes { line: self.line() });
                        }
                        let (line, place) = (self.line(), start..self.at);
                        nodes.push(Node { line, properties: Vec::new(), place, depth, begins });
                    }
                }
                (Some(c), After::Node) if c.is_ascii_alphabetic() => {
                    let node = nodes.last_mut().filter(|_| on_main_line);
                    self.property(node, wanted)?;
                }
                (_, After::Nothing) => return Err(self.unexpected("'(' at the start of a game")),
                (_, After::Open) => return Err(self.unexpected("';' after '('")),
                (_, After::Node) => return Err(self.unexpected("a property, ';', '(' or ')'")),
                (_, After::Close) => return Err(self.unexpected("'(' or ')' after ')'")),
            }
        }
    }

    /// Reads a name and its values into `node`, if the property is wanted.
    fn property(&mut self, mut node: Option<&mut Node>, wanted: &[&str]) -> Result<(), SgfError> {
        let name_at = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric()) {
            self.at += 1;
        }
        let name: String = self.text[name_at..self.at].chars().filter(|c| !c.is_ascii_lowercase()).take(8).collect();
        self.skip_blanks();
        if self.peek() != Some(b'[') {
            return Err(self.unexpected("'[' after a property's name"));
        }
        let mut kept = node.as_deref_mut().filter(|_| wanted.contains(&name.as_str())).map(|node| {
            // A name that comes twice in a node means one property with more values.
            let index = node.properties.iter().position(|property| property.name == name).unwrap_or_else(|| {
                node.properties.push(Property { name, values: Vec::new(), last_value: 0..0 });
                node.properties.len() - 1
            });
            &mut node.properties[index]
        });
        let mut end = self.at;
        while self.peek() == Some(b'[') {
            let start = self.at;
            self.at += 1;
            match &mut kept {
                Some(property) => {
                    self.values += 1;
                    if self.values > LONGEST_MAIN_LINE {
                        return Err(SgfError::TooManyNodes { line: self.line() });
                    }
                    let mut value = String::new();
                    self.value(Some(&mut value))?;
                    property.values.push(value);
                    property.last_value = start..self.at;
                }
                None => self.value(None)?,
            }
            end = self.at;
            self.skip_blanks();
        }
        if let Some(node) = node {
            node.place.end = end;
        }
        Ok(())
    }

    /// Reads on to the `]` that ends a value.
    fn value(&mut self, mut into: Option<&mut String>) -> Result<(), SgfError> {
        let rest = &self.text[self.at..];
        let mut chars = rest.char_indices().peekable();
        while let Some((offset, c)) = chars.next() {
            match c {
                ']' => {
                    self.at += offset + 1;
                    return Ok(());
                }
                '\\' => match chars.next() {
                    // An escaped line break is none; it may be written as one character or two.
                    Some((_, c @ ('\n' | '\r'))) => {
                        chars.next_if(|&(_, next)| matches!(next, '\n' | '\r') && next != c);
                    }
                    Some((_, escaped)) => push(&mut into, escaped),
                    None => break,
                },
                // Line breaks come in four spellings; one is kept.
                '\n' | '\r' => {
                    chars.next_if(|&(_, next)| matches!(next, '\n' | '\r') && next != c);
                    push(&mut into, '\n');
                }
                c => push(&mut into, c),
            }
        }
        let line = self.line();
        Err(SgfError::Outline { line, found: "a value that never ends".to_owned(), expected: "']' after a value" })
    }

    /// Skips what stands before the game, as the head of a letter, if there is one.
    fn skip_preface(&mut self) {
        let begins = |(at, _): &(usize, &str)| self.text[at + 1..].trim_start().starts_with(';');
        if let Some((at, _)) = self.text[self.at..].match_indices('(').map(|(at, it)| (self.at + at, it)).find(begins) {
            self.at = at;
        }
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|c| c.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The line of the place that has been reached, from 1.
    fn line(&mut self) -> usize {
        self.line += self.text.as_bytes()[self.counted_to..self.at].iter().filter(|&&c| c == b'\n').count();
        self.counted_to = self.at;
        self.line
    }

    fn unexpected(&mut self, expected: &'static str) -> SgfError {
        let found = match self.text[self.at..].chars().next() {
            Some(c) => format!("'{}'", c.escape_default()),
            None => "the end of the text".to_owned(),
        };
        SgfError::Outline { line: self.line(), found, expected }
    }
}

fn push(into: &mut Option<&mut String>, c: char) {
    if let Some(text) = into {
        text.push(c);
    }
}
