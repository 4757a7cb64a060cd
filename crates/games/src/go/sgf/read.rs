//! From the properties of the main line to a game.

use super::charset::Charset;
use super::main_line::{self, Node, main_line};
use super::{GameRecordFile, SgfError};
use crate::go::board::Color;
use crate::go::point::{MAX_SIZE, MIN_SIZE, Move, Point};
use crate::go::rules::{Go, Komi, Scoring};
use crate::{Notation, Record, Side, Turn};
use sgf_parse::SgfProp;
use sgf_parse::go::{Move as SgfMove, Point as SgfPoint, Prop};
use std::collections::HashSet;

/// Properties that are read; all others are skipped.
pub(super) const WANTED: [&str; 17] =
    ["GM", "SZ", "KM", "HA", "RU", "PB", "PW", "RE", "DT", "EV", "AB", "AW", "AE", "PL", "C", "B", "W"];

/// Boards that can be played on.
const SIZES: std::ops::RangeInclusive<usize> = MIN_SIZE..=MAX_SIZE;

/// The most rectangles of setup points in a game: the library spells each out, thousands of points at worst.
const MOST_RECTANGLES: usize = 400;

impl GameRecordFile {
    /// Reads the first game of an SGF text along its main line.
    ///
    /// Setup stones (AB, AW, AE) may stand in any node up to the first move. Who begins is what PL says;
    /// without it, whoever moves first. Komi is 7.5 where the file gives none, a hundredth of what it says where that is
    /// more than the board has points and a multiple of 25 from 200 on, as servers write 650, and twice that where it is in stones: quarters,
    /// or what is left of 375. What is said of the whole game, as komi and rules, may stand behind moves. Passes after the second
    /// in a row are dropped, as servers write three. Text before the game is skipped, and positions may come again, as many rules allow. As many moves of Black at the beginning as the handicap
    /// says are stones of it, where there are no others: so servers write handicaps that Black places freely.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its line, its property or move number, and what was expected.
    ///
    /// ```
    /// use afterstate_games::go::sgf::GameRecordFile;
    /// let file = GameRecordFile::read("(;SZ[9]KM[5.5]PB[Ada]HA[2]AB[gc][cg];W[ee](;B[ec])(;B[ce]))")?;
    /// assert_eq!((file.start.handicap(), file.moves.len()), (2, 2));
    ///
    /// let error = GameRecordFile::read("(;SZ[9];B[ee];W[ee])").err().unwrap();
    /// assert_eq!(error.to_string(), "SGF, line 1, move 2, White E5: expected a legal move, but the point is taken");
    /// # Ok::<(), afterstate_games::go::sgf::SgfError>(())
    /// ```
    pub fn read(text: &str) -> Result<GameRecordFile, SgfError> {
        Ok(read_game(main_line(text, &WANTED)?.nodes)?.0)
    }

    /// Reads the bytes of a file: UTF-8, or else what its property CA says, or else Latin-1, which SGF prescribes where it says
    /// nothing.
    ///
    /// # Errors
    ///
    /// As [`GameRecordFile::read`].
    ///
    /// ```
    /// use afterstate_games::go::sgf::GameRecordFile;
    /// assert_eq!(GameRecordFile::read_bytes(b"(;SZ[9]PB[Andr\xe9])")?.black, "André");
    /// # Ok::<(), afterstate_games::go::sgf::SgfError>(())
    /// ```
    pub fn read_bytes(bytes: &[u8]) -> Result<GameRecordFile, SgfError> {
        if bytes.len() > super::LONGEST_TEXT {
            return Err(SgfError::TooLong(bytes.len()));
        }
        GameRecordFile::read(&Charset::of(bytes).decode(bytes))
    }
}

/// A property that has been read, and where it stands.
struct Property {
    line: usize,
    name: String,
    /// As it was written, for messages.
    value: String,
    prop: Prop,
}

impl Property {
    fn wrong(&self, expected: impl Into<String>) -> SgfError {
        let mut value: String = self.value.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect();
        if self.value.chars().count() > 40 {
            value.push('…');
        }
        SgfError::Property { line: self.line, property: self.name.clone(), value, expected: expected.into() }
    }

    /// Whether the value is empty, which many programs write for "unknown".
    fn is_blank(&self) -> bool {
        self.value.trim().is_empty()
    }
}

fn properties(node: Node) -> impl Iterator<Item = Property> {
    node.properties.into_iter().map(move |main_line::Property { name, mut values, .. }| {
        if name == "C" {
            values = vec![values.join("\n")];
        } else {
            values.iter_mut().for_each(|value| *value = value.trim().to_owned());
        }
        Property { line: node.line, value: values.join("]["), prop: Prop::new(name.clone(), values), name }
    })
}

fn refuse_many_rectangles(nodes: &[Node]) -> Result<(), SgfError> {
    let mut rectangles = 0;
    for node in nodes {
        let is_setup = |property: &&main_line::Property| ["AB", "AW", "AE"].contains(&property.name.as_str());
        for property in node.properties.iter().filter(is_setup) {
            rectangles += property.values.iter().filter(|value| value.contains(':')).count();
            if rectangles > MOST_RECTANGLES {
                let expected = format!("at most {MOST_RECTANGLES} rectangles of setup points in a game");
                let property = property.name.clone();
                return Err(SgfError::Property { line: node.line, property, value: "…".to_owned(), expected });
            }
        }
    }
    Ok(())
}

/// The game, and how many of its moves were made at each node.
pub(super) fn read_game(nodes: Vec<Node>) -> Result<(GameRecordFile, Vec<usize>), SgfError> {
    refuse_many_rectangles(&nodes)?;
    let nodes: Vec<Vec<Property>> = nodes.into_iter().map(|node| properties(node).collect()).collect();
    let is_move = |property: &Property| property.name == "B" || property.name == "W";
    let first_move = nodes.iter().position(|node| node.iter().any(is_move)).unwrap_or(nodes.len());

    // What is said before moves counts, and behind them what they leave unsaid of the whole game.
    let (before, behind) = nodes.split_at(nodes.len().min(first_move + 1));
    let said: HashSet<&str> = before.iter().flatten().map(|property| property.name.as_str()).collect();
    let late = |property: &&Property| Header::OF_GAME.contains(&property.name.as_str());
    let late = behind.iter().flatten().filter(late).filter(|property| !said.contains(property.name.as_str()));
    let of_header: Vec<&Property> = before.iter().flatten().chain(late).collect();
    // The size comes first, wherever it stands: points depend on it.
    let mut header = Header::default();
    for property in of_header.iter().filter(|property| property.name == "SZ") {
        header.read(property)?;
    }
    for property in of_header {
        header.read(property)?;
    }
    let moves_of = |node: &Vec<Property>| node.iter().filter(|&property| is_move(property)).count();
    let placed = header.handicap_moves(&nodes)?;
    // The node after the last of them.
    let played_from = nodes.iter().scan(0, |moves, node| {
        *moves += moves_of(node);
        Some(*moves)
    });
    let played_from = if placed == 0 { 0 } else { 1 + played_from.take_while(|&moves| moves < placed).count() };
    let first_side = nodes[played_from.min(nodes.len())..].iter().flatten().find(|&p| is_move(p)).map(side_of);
    let mut file = header.start(first_side)?;
    file.handicap_moves = placed;

    let mut record = Record::new(file.start.clone());
    file.comments = vec![String::new()];
    let mut made = Vec::with_capacity(nodes.len());
    let mut number = 0;
    for (index, node) in nodes.iter().enumerate() {
        let mut moved = false;
        for property in node.iter().filter(|&property| is_move(property)) {
            if std::mem::replace(&mut moved, true) {
                return Err(property.wrong("one move in a node; put ';' before the second"));
            }
            number += 1;
            if index >= played_from {
                let kept = play(&mut record, &mut file, property)?;
                // Passes that were taken back are no moves of their nodes any more.
                made.iter_mut().rev().take_while(|made| **made > kept).for_each(|made| *made = kept);
                file.move_numbers.truncate(kept);
                file.move_numbers.resize(file.moves.len(), number);
            }
        }
        for property in node {
            match &property.prop {
                Prop::C(text) => add_comment(file.comments.last_mut(), &text.text),
                Prop::PB(text) => file.black = one_line(&text.text),
                Prop::PW(text) => file.white = one_line(&text.text),
                Prop::RE(text) => file.result = one_line(&text.text),
                Prop::DT(text) => file.date = one_line(&text.text),
                Prop::EV(text) => file.event = one_line(&text.text),
                _ if index > first_move && ["AB", "AW", "AE"].contains(&property.name.as_str()) => {
                    return Err(property.wrong("this property only before the first move"));
                }
                Prop::Invalid(..) if !Header::NAMES.contains(&property.name.as_str()) => {
                    return Err(property.wrong("a single value"));
                }
                _ => {}
            }
        }
        made.push(file.moves.len());
    }
    Ok((file, made))
}

fn add_comment(comment: Option<&mut String>, text: &str) {
    if let Some(comment) = comment {
        if !comment.is_empty() && !text.is_empty() {
            comment.push('\n');
        }
        comment.push_str(text);
    }
}

fn one_line(text: &str) -> String {
    text.replace('\n', " ")
}

fn side_of(property: &Property) -> Side {
    if property.name == "B" { Side::First } else { Side::Second }
}

const KOMI: &str = "one number, such as 7.5";

/// Everything that has to be known before the first move.
struct Header {
    size: usize,
    komi: Option<Komi>,
    handicap: u8,
    rules: String,
    to_move: Option<Side>,
    /// In the order of the text.
    stones: Vec<(Point, Color)>,
}

impl Default for Header {
    fn default() -> Self {
        Header { size: MAX_SIZE, komi: None, handicap: 0, rules: String::new(), to_move: None, stones: Vec::new() }
    }
}

impl Header {
    const NAMES: [&'static str; 9] = ["GM", "SZ", "KM", "HA", "RU", "AB", "AW", "AE", "PL"];
    /// Those of them that say something of the whole game, wherever they stand.
    const OF_GAME: [&'static str; 5] = ["GM", "SZ", "KM", "HA", "RU"];

    fn read(&mut self, property: &Property) -> Result<(), SgfError> {
        match &property.prop {
            _ if property.is_blank() => {}
            Prop::GM(1) => {}
            Prop::SZ((width, height)) if width == height && SIZES.contains(&usize::from(*width)) => {
                self.size = usize::from(*width);
            }
            Prop::KM(points) => self.set_komi(property, *points)?,
            // The library does not know decimal commas.
            Prop::Invalid(name, values) if name == "KM" && values[0].contains(',') => {
                let points = values[0].replace(',', ".").parse();
                self.set_komi(property, points.map_err(|_| property.wrong(KOMI))?)?;
            }
            Prop::HA(stones @ 0..=255) => self.handicap = *stones as u8,
            // The library knows no handicap below 2, but many programs write one.
            Prop::Invalid(name, values) if name == "HA" && ["0", "1"].contains(&values[0].as_str()) => {}
            Prop::RU(text) => self.rules = one_line(&text.text),
            Prop::PL(sgf_parse::Color::Black) => self.to_move = Some(Side::First),
            Prop::PL(sgf_parse::Color::White) => self.to_move = Some(Side::Second),
            // Many programs write it small, or spell it out.
            Prop::Invalid(name, values) if name == "PL" && values[0].starts_with(['b', 'B']) => {
                self.to_move = Some(Side::First);
            }
            Prop::Invalid(name, values) if name == "PL" && values[0].starts_with(['w', 'W']) => {
                self.to_move = Some(Side::Second);
            }
            Prop::AB(points) => self.set_up(property, points, Color::Black)?,
            Prop::AW(points) => self.set_up(property, points, Color::White)?,
            Prop::AE(points) => self.set_up(property, points, Color::Empty)?,
            _ => {
                let expected = match property.name.as_str() {
                    "GM" if property.value.trim() == "6" => {
                        "1, the number of Go; games of backgammon are read from .mat files"
                    }
                    "GM" => "1, the number of Go",
                    "SZ" => "one number from 5 to 19, for a square board",
                    "KM" => KOMI,
                    "HA" => "one number from 0 to 255",
                    "RU" => "one name of rules, such as Chinese",
                    "PL" => "B or W",
                    "AB" | "AW" | "AE" => "points such as 'cd', or rectangles such as 'aa:cc'",
                    _ => return Ok(()),
                };
                return Err(property.wrong(expected));
            }
        }
        Ok(())
    }

    fn set_komi(&mut self, property: &Property, points: f64) -> Result<(), SgfError> {
        let komi = Komi::new(intended_komi(points, self.size));
        self.komi = Some(komi.ok_or_else(|| property.wrong("a multiple of 0.5 between -1000 and 1000"))?);
        Ok(())
    }

    fn set_up(&mut self, property: &Property, points: &HashSet<SgfPoint>, color: Color) -> Result<(), SgfError> {
        for &point in points {
            let point = board_point(point, self.size);
            let point = point.ok_or_else(|| property.wrong(format!("points of a board of size {}", self.size)))?;
            self.stones.push((point, color));
        }
        Ok(())
    }

    /// How many moves at the beginning are handicap stones, which are set up then: as many as HA says, all of Black, where there are no
    /// others.
    fn handicap_moves(&mut self, nodes: &[Vec<Property>]) -> Result<usize, SgfError> {
        let wanted = usize::from(self.handicap);
        if wanted < 2 || self.stones.iter().any(|(_, color)| *color == Color::Black) {
            return Ok(0);
        }
        let mut stones = Vec::new();
        for property in
            nodes.iter().flatten().filter(|property| property.name == "B" || property.name == "W").take(wanted)
        {
            let free = |point| !stones.iter().chain(&self.stones).any(|(taken, _)| *taken == point);
            match read_move(property, self.size)?.point() {
                Some(point) if side_of(property) == Side::First && free(point) => stones.push((point, Color::Black)),
                _ => return Ok(0),
            }
        }
        if stones.len() < wanted {
            return Ok(0);
        }
        self.stones.extend(stones);
        // It says who begins, and these do no more.
        self.to_move = None;
        Ok(wanted)
    }

    /// The game before its first move, which `first_side` makes.
    fn start(self, first_side: Option<Side>) -> Result<GameRecordFile, SgfError> {
        let scoring = scoring_of(&self.rules);
        let usual = if self.handicap >= 2 { Side::Second } else { Side::First };
        let mut start = Go::set_up(self.size, self.stones)?
            .with_komi(self.komi.unwrap_or(Komi::DEFAULT))
            .with_scoring(scoring)
            .with_turn(self.to_move.or(first_side).unwrap_or(usual));
        start.handicap = self.handicap;
        Ok(GameRecordFile { rules: self.rules, ..GameRecordFile::new(start) })
    }
}

/// How games are counted by rules of this name.
pub(super) fn scoring_of(rules: &str) -> Scoring {
    let begins = |name: &str| rules.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    match () {
        () if begins("chinese") => Scoring::Chinese,
        () if begins("aga") => Scoring::Aga,
        () => Scoring::TrompTaylor,
    }
}

/// Komi as it is meant. The Fox server writes 375 for 3¾ stones, which are 7.5 points, and 650 for 6.5 points; others leave a quarter of
/// a stone, as in 3.75. KataGo, KaTrain and OGS read these so, too. Komi of no more than the board's points may be meant as it is, unless
/// it is one of those of Fox.
fn intended_komi(written: f64, size: usize) -> f64 {
    const OF_FOX: [f64; 4] = [275.0, 325.0, 350.0, 375.0];
    let beyond_the_board = written > (size * size) as f64 && written >= 200.0 && written % 25.0 == 0.0;
    let hundredths = beyond_the_board || OF_FOX.contains(&written);
    let komi = if hundredths { written / 100.0 } else { written };
    let quarter = komi.fract().abs() == 0.25 || komi.fract().abs() == 0.75;
    if (hundredths || quarter) && komi.abs() <= 4.0 { 2.0 * komi } else { komi }
}

/// SGF counts rows from the top.
fn board_point(point: SgfPoint, size: usize) -> Option<Point> {
    let (x, y) = (usize::from(point.x), usize::from(point.y));
    (x < size && y < size).then(|| Point::at(x, size - 1 - y, size))
}

fn read_move(property: &Property, size: usize) -> Result<Move, SgfError> {
    let mv = match property.prop {
        Prop::B(mv) | Prop::W(mv) => Some(mv),
        _ => None,
    };
    let read = mv.and_then(|mv| match mv {
        SgfMove::Pass => Some(Move::PASS),
        // Before FF[4] a pass was the point beyond the corner of the largest board.
        SgfMove::Move(SgfPoint { x: 19, y: 19 }) => Some(Move::PASS),
        SgfMove::Move(point) => board_point(point, size).map(Move::play),
    });
    read.ok_or_else(|| {
        property.wrong(format!("a point of the {size}×{size} board such as 'cd', or nothing for a pass"))
    })
}

/// Plays a move if the board allows it, after a pass of the other side if that one was to move. Returns how many of the moves before
/// still count.
fn play(record: &mut Record<Go>, file: &mut GameRecordFile, property: &Property) -> Result<usize, SgfError> {
    let (side, mv) = (side_of(property), read_move(property, record.position().size())?);
    if matches!(record.turn(), Turn::Over(_)) {
        if mv.is_pass() {
            return Ok(file.moves.len());
        }
        // The sides did not agree about what is dead, and play on.
        take_back_passes(record, file, 2);
    }
    if record.position().to_move() != side {
        if mv.is_pass() {
            // It leaves the other side to move, which it is.
            return Ok(file.moves.len());
        }
        if record.position().passes() > 0 {
            // Another pass would end the game, and who passes and moves then has moved.
            take_back_passes(record, file, 1);
        } else {
            file.added_passes.push(file.moves.len());
            make(record, file, Move::PASS);
        }
    }
    let position = record.position();
    // Many rules let positions come again (triple ko), and what was played was played.
    if crate::Game::is_legal(position, mv) {
        let kept = file.moves.len();
        make(record, file, mv);
        return Ok(kept);
    }
    let reason = match mv.point() {
        Some(point) if !position.board().is_empty(point) => "the point is taken",
        Some(point) if position.board().ko() == Some(point) => "ko forbids it",
        _ => "it would be suicide",
    };
    let (line, number) = (property.line, file.handicap_moves + file.moves.len() + 1);
    Err(SgfError::IllegalMove { line, number, side, mv: position.move_text(mv), reason })
}

fn make(record: &mut Record<Go>, file: &mut GameRecordFile, mv: Move) {
    record.play(mv);
    file.moves.push(mv);
    file.comments.push(String::new());
}

/// Takes the last moves back, which are passes. What was said of them is said of the position before.
fn take_back_passes(record: &mut Record<Go>, file: &mut GameRecordFile, passes: usize) {
    let left = file.moves.len() - passes;
    file.moves.truncate(left);
    file.added_passes.retain(|&index| index < left);
    for comment in file.comments.split_off(left + 1) {
        add_comment(file.comments.last_mut(), &comment);
    }
    let position = record.position();
    let turn = if passes.is_multiple_of(2) { position.to_move() } else { position.to_move().other() };
    *record = Record::continuing(position.clone().with_turn(turn), record.repetition_keys());
}
