//! Suites: positions of Go with a right answer, which tell whether a player sees what a strong player sees at once.
//!
//! A suite is a TOML file with one `[[position]]` after the other:
//!
//! | key | value |
//! | --- | --- |
//! | `name` | unique, lower case with hyphens |
//! | `theme` | `capture`, `escape`, `ladder`, `snapback`, `seki`, `ko`, `life-and-death` or `semeai` |
//! | `to-move` | `black` or `white` |
//! | `komi` | so chosen that the right moves win the game and the others lose it |
//! | `ko` | the point that simple ko forbids; left out where there is none |
//! | `goal` | what it is about, for the side to move: `capture D4` or `save D4` |
//! | `right` | the moves that win, all of them |
//! | `wrong` | tempting moves that lose; they must not be all others |
//! | `why` | one sentence |
//! | `board` | rows from the top, `X` for Black, `O` for White, `.` for nothing; spaces do not matter |

use afterstate_games::go::{Color, Go, Komi, MAX_SIZE, MIN_SIZE, Move, Point};
use afterstate_games::{Game, Notation, NotationError, Side};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use thiserror::Error;
use toml::Spanned;

/// What a position asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    /// Catch stones that could still get away.
    Capture,
    /// Bring stones out of atari, or out of a net.
    Escape,
    /// A run of ataris across the board, which works or is broken.
    Ladder,
    /// Give a stone and take more back.
    Snapback,
    /// Live together without eyes.
    Seki,
    /// A fight for a ko.
    Ko,
    /// Two eyes, or fewer.
    LifeAndDeath,
    /// A capturing race.
    Semeai,
}

impl Theme {
    /// All themes.
    pub const ALL: [Theme; 8] = [
        Theme::Capture,
        Theme::Escape,
        Theme::Ladder,
        Theme::Snapback,
        Theme::Seki,
        Theme::Ko,
        Theme::LifeAndDeath,
        Theme::Semeai,
    ];

    /// Its name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Theme::Capture => "capture",
            Theme::Escape => "escape",
            Theme::Ladder => "ladder",
            Theme::Snapback => "snapback",
            Theme::Seki => "seki",
            Theme::Ko => "ko",
            Theme::LifeAndDeath => "life-and-death",
            Theme::Semeai => "semeai",
        }
    }
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What the side to move wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// To capture the enemy chain that has a stone here.
    Capture(Point),
    /// To keep the own chain that has a stone here, with two eyes, in seki, or connected.
    Save(Point),
}

/// How good an answer was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// It is among the right moves.
    Right,
    /// It is one of the tempting moves that lose.
    Wrong,
    /// Any other move, which loses too, or no move.
    Other,
}

/// One position of a suite.
#[derive(Clone)]
pub struct Problem {
    /// Unique within a suite.
    pub name: String,
    /// What it asks for.
    pub theme: Theme,
    /// The position, with whose move it is, and komi.
    pub position: Go,
    /// What the side to move wants.
    pub goal: Goal,
    /// The moves that win.
    pub right: Vec<Move>,
    /// Tempting moves that lose.
    pub wrong: Vec<Move>,
    /// Why, in one sentence.
    pub why: String,
}

impl Problem {
    /// How good `answer` is; `None` resigns.
    pub fn grade(&self, answer: Option<Move>) -> Grade {
        match answer {
            Some(mv) if self.right.contains(&mv) => Grade::Right,
            Some(mv) if self.wrong.contains(&mv) => Grade::Wrong,
            _ => Grade::Other,
        }
    }
}

/// What is wrong with a suite.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{source_name}{}: {message}", line.map_or(String::new(), |line| format!(":{line}")))]
pub struct SuiteError {
    /// The file.
    pub source_name: String,
    /// The line, from 1, if the fault has one.
    pub line: Option<usize>,
    /// What is wrong, and what was expected.
    pub message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    position: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Entry {
    name: Spanned<String>,
    theme: Theme,
    to_move: Colour,
    komi: Komi,
    ko: Option<Spanned<String>>,
    goal: Spanned<String>,
    right: Spanned<Vec<Spanned<String>>>,
    #[serde(default)]
    wrong: Vec<Spanned<String>>,
    why: Spanned<String>,
    board: Spanned<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Colour {
    Black,
    White,
}

/// A fault, and where in the text it is.
type Fault = (Range<usize>, String);

/// Reads a suite from the text of its file; `source_name` is for messages.
///
/// # Errors
///
/// If the text is no TOML, a key is missing, unknown or of the wrong type, a name comes twice, a board is not square
/// or holds a chain without liberties, or a move is illegal.
///
/// ```
/// use afterstate_arena::suite::{self, Grade};
/// use afterstate_games::Notation;
/// let text = r#"
/// [[position]]
/// name = "straight-three"
/// theme = "life-and-death"
/// to-move = "black"
/// komi = 0.5
/// goal = "capture A4"
/// right = ["B5"]
/// wrong = ["A5", "C5"]
/// why = "The middle of three points in a row is the only one that leaves no second eye."
/// board = """
/// . . . O X
/// O O O O X
/// X X X X X
/// . X . X .
/// X X X X X
/// """
/// "#;
/// let problems = suite::parse(text, "example.toml")?;
/// let answer = problems[0].position.parse_move("A5").unwrap();
/// assert_eq!(problems[0].grade(Some(answer)), Grade::Wrong);
///
/// let error = suite::parse(&text.replace("\"B5\"", "\"D5\""), "example.toml").err().unwrap();
/// assert_eq!(error.to_string(), "example.toml:8: right move D5: expected a legal move, but White has a stone there");
/// # Ok::<(), suite::SuiteError>(())
/// ```
pub fn parse(text: &str, source_name: &str) -> Result<Vec<Problem>, SuiteError> {
    let line_of = |at: usize| 1 + text.as_bytes()[..at.min(text.len())].iter().filter(|&&byte| byte == b'\n').count();
    let error = |span: Option<Range<usize>>, message: String| SuiteError {
        source_name: source_name.to_string(),
        line: span.map(|span| line_of(span.start)),
        message: message.replace('\n', "; "),
    };
    let file: File = toml::from_str(text).map_err(|fault| error(fault.span(), fault.message().to_string()))?;
    let mut problems = Vec::with_capacity(file.position.len());
    let mut names = HashMap::new();
    for entry in file.position {
        let span = entry.name.span();
        if let Some(first) = names.insert(entry.name.get_ref().clone(), line_of(span.start)) {
            let message = format!("name '{}': expected another one, line {first} has it already", entry.name.get_ref());
            return Err(error(Some(span), message));
        }
        problems.push(problem(&entry).map_err(|(span, message)| error(Some(span), message))?);
    }
    Ok(problems)
}

/// Reads a suite from a file.
///
/// # Errors
///
/// As [`parse`], or if the file cannot be read.
pub fn read(path: &Path) -> Result<Vec<Problem>, SuiteError> {
    let source_name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|problem| SuiteError {
        source_name: source_name.clone(),
        line: None,
        message: format!("cannot be read: {problem}"),
    })?;
    parse(&text, &source_name)
}

fn problem(entry: &Entry) -> Result<Problem, Fault> {
    let name = entry.name.get_ref();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(plain) {
        let message = format!("name '{}': expected lower case, digits and hyphens", shown(name));
        return Err((entry.name.span(), message));
    }
    if entry.why.get_ref().trim().is_empty() {
        return Err((entry.why.span(), "why: expected one sentence".to_string()));
    }
    let position = position(entry)?;
    let moves = |texts: &[Spanned<String>], what: &str| {
        texts.iter().map(|text| legal_move(text, what, &position)).collect::<Result<Vec<_>, _>>()
    };
    let right = moves(entry.right.get_ref(), "right")?;
    if right.is_empty() {
        return Err((entry.right.span(), "right: expected at least one move".to_string()));
    }
    let wrong = moves(&entry.wrong, "wrong")?;
    if let Some(both) = entry.wrong.iter().zip(&wrong).find(|(_, mv)| right.contains(mv)) {
        let message = format!("wrong move {}: expected one that is not right", shown(both.0.get_ref()));
        return Err((both.0.span(), message));
    }
    let goal = goal(&entry.goal, &position)?;
    let (theme, why) = (entry.theme, entry.why.get_ref().clone());
    Ok(Problem { name: name.clone(), theme, goal, right, wrong, why, position })
}

fn position(entry: &Entry) -> Result<Go, Fault> {
    // The text of a board in three quotes begins on the next line.
    let fault = |message: String| (entry.board.span(), format!("board: {message}"));
    let rows: Vec<String> = entry
        .board
        .get_ref()
        .lines()
        .map(|row| row.chars().filter(|c| !c.is_whitespace()).collect::<String>())
        .filter(|row| !row.is_empty())
        .collect();
    let size = rows.len();
    if !(MIN_SIZE..=MAX_SIZE).contains(&size) {
        return Err(fault(format!("expected {MIN_SIZE} to {MAX_SIZE} rows, found {size}")));
    }
    for (i, row) in rows.iter().enumerate() {
        let number = size - i;
        if let Some(c) = row.chars().find(|c| !".XO".contains(*c)) {
            return Err(fault(format!("row {number}: expected only 'X', 'O' and '.', found '{}'", c.escape_default())));
        }
        if row.len() != size {
            return Err(fault(format!("row {number}: expected {size} points as there are rows, found {}", row.len())));
        }
    }
    let compact: Vec<String> = rows.iter().map(|row| compact(row)).collect();
    let side = if entry.to_move == Colour::Black { 'b' } else { 'w' };
    if let Some(ko) = &entry.ko {
        let fault =
            |error: NotationError| (ko.span(), format!("ko '{}': expected {}", shown(&error.text), error.expected));
        Point::parse(ko.get_ref(), size).map_err(fault)?;
    }
    let ko = entry.ko.as_ref().map_or(String::new(), |ko| format!(" ko={}", ko.get_ref()));
    let text = format!("{} {side} komi={}{ko}", compact.join("/"), entry.komi.points());
    Go::parse_position(&text).map_err(|error| match &entry.ko {
        Some(ko) if error.expected.contains("ko") => {
            (ko.span(), format!("ko '{}': expected {}", shown(ko.get_ref()), error.expected))
        }
        _ => fault(format!("expected {}", error.expected)),
    })
}

/// A row as positions are written on one line: a number stands for so many empty points.
fn compact(row: &str) -> String {
    let mut text = String::new();
    let mut empty = 0;
    for c in row.chars().chain(['/']) {
        if c == '.' {
            empty += 1;
            continue;
        }
        if empty > 0 {
            text += &std::mem::take(&mut empty).to_string();
        }
        text.push(c);
    }
    text.pop();
    text
}

fn legal_move(text: &Spanned<String>, what: &str, position: &Go) -> Result<Move, Fault> {
    let fault = |expected: String| (text.span(), format!("{what} move {}: expected {expected}", shown(text.get_ref())));
    let mv = position.parse_move(text.get_ref()).map_err(|error| fault(error.expected))?;
    if position.is_legal(mv) {
        return Ok(mv);
    }
    let why = match mv.point().map(|point| position.board().color(point)) {
        Some(Color::Black) => "Black has a stone there",
        Some(Color::White) => "White has a stone there",
        _ => "it is suicide or forbidden by ko",
    };
    Err(fault(format!("a legal move, but {why}")))
}

fn goal(text: &Spanned<String>, position: &Go) -> Result<Goal, Fault> {
    let fault = |expected: &str| (text.span(), format!("goal '{}': expected {expected}", shown(text.get_ref())));
    let me = position.to_move();
    let (verb, point) =
        text.get_ref().split_once(' ').ok_or_else(|| fault("'capture' or 'save', and a point: capture D4"))?;
    let point = Point::parse(point.trim(), position.size()).map_err(|error| fault(&error.expected))?;
    let stone = |side: Side| position.board().color(point) == Color::of(side);
    match verb {
        "capture" if stone(me.other()) => Ok(Goal::Capture(point)),
        "capture" => Err(fault("a stone of the side that is not to move")),
        "save" if stone(me) => Ok(Goal::Save(point)),
        "save" => Err(fault("a stone of the side to move")),
        _ => Err(fault("'capture' or 'save', and a point: capture D4")),
    }
}

/// Text from a file, fit for one line.
fn shown(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(40).collect();
    if text.chars().count() > 40 { line + "…" } else { line }
}
