//! From a game to SGF text.

use super::read::scoring_of;
use super::{GameRecordFile, scoring_name};
use crate::Side;
use crate::go::board::Color;
use crate::go::point::{Move, Point};
use crate::go::rules::Go;
use sgf_parse::go::{Move as SgfMove, Point as SgfPoint, Prop};

/// Moves on one line of the text.
const MOVES_A_LINE: usize = 10;

impl GameRecordFile {
    /// The game as SGF text, which [`GameRecordFile::read`] reads back. The same game always gives
    /// the same text.
    ///
    /// ```
    /// use afterstate_games::go::{Go, Move, Point, sgf::GameRecordFile};
    /// let mut file = GameRecordFile::new(Go::new(9));
    /// file.moves = vec![Move::play(Point::at(2, 6, 9)), Move::PASS];
    /// file.result = "B+R".to_owned();
    /// let text = file.write();
    /// assert!(text.starts_with("(;FF[4]CA[UTF-8]GM[1]SZ[9]KM[7.5]RU[Tromp-Taylor]"));
    /// assert!(text.ends_with("RE[B+R]\n;B[cc];W[])\n"));
    /// ```
    pub fn write(&self) -> String {
        let mut text = format!("(;FF[4]CA[UTF-8]GM[1]SZ[{}]", self.start.size());
        text.push_str(&Prop::KM(self.start.komi().points()).to_string());
        if self.start.handicap() >= 2 {
            text.push_str(&format!("HA[{}]", self.start.handicap()));
        }
        for (name, value) in [
            ("RU", self.rules_text()),
            ("EV", &self.event),
            ("DT", &self.date),
            ("PB", &self.black),
            ("PW", &self.white),
            ("RE", &self.result),
        ] {
            push_text(&mut text, name, &value.replace(['\r', '\n'], " "));
        }
        push_setup(&mut text, &self.start);
        self.push_comment(&mut text, 0);

        let mut side = self.start.to_move();
        for (index, &mv) in self.moves.iter().enumerate() {
            text.push_str(if index % MOVES_A_LINE == 0 { "\n;" } else { ";" });
            text.push_str(&move_property(side, mv, self.start.size()));
            self.push_comment(&mut text, index + 1);
            side = side.other();
        }
        text + ")\n"
    }

    /// The rules by the name that was read, unless the start is counted otherwise.
    fn rules_text(&self) -> &str {
        let scoring = self.start.scoring();
        if scoring == scoring_of(&self.rules) { &self.rules } else { scoring_name(scoring) }
    }

    fn push_comment(&self, text: &mut String, index: usize) {
        if let Some(comment) = self.comments.get(index) {
            push_text(text, "C", comment);
        }
    }
}

/// Appends a property, unless its value is empty.
fn push_text(text: &mut String, name: &str, value: &str) {
    if !value.is_empty() {
        text.push_str(name);
        text.push_str(&in_brackets(value));
    }
}

/// A text as the value of a property, brackets included. Every property of text is escaped in the same way.
pub(super) fn in_brackets(value: &str) -> String {
    Prop::C(value.into()).to_string().split_off("C".len())
}

/// Appends the stones of the start, and who moves first if that is not plain.
fn push_setup(text: &mut String, start: &Go) {
    let size = start.size();
    let mut any = false;
    for (name, color) in [("AB", Color::Black), ("AW", Color::White)] {
        let mut stones = Point::all(size).filter(|&point| start.board().color(point) == color).peekable();
        if stones.peek().is_some() {
            any = true;
            text.push_str(name);
        }
        for stone in stones {
            let SgfPoint { x, y } = sgf_point(stone, size);
            text.extend(['[', char::from(b'a' + x), char::from(b'a' + y), ']']);
        }
    }
    if any || start.to_move() == Side::Second {
        text.push_str(if start.to_move() == Side::First { "PL[B]" } else { "PL[W]" });
    }
}

/// SGF counts rows from the top.
fn sgf_point(point: Point, size: usize) -> SgfPoint {
    let (x, y) = point.column_row(size);
    SgfPoint { x: x as u8, y: (size - 1 - y) as u8 }
}

/// `B[cd]`, or `W[]` for a pass.
pub(super) fn move_property(side: Side, mv: Move, size: usize) -> String {
    let mv = mv.point().map_or(SgfMove::Pass, |point| SgfMove::Move(sgf_point(point, size)));
    let prop = if side == Side::First { Prop::B(mv) } else { Prop::W(mv) };
    prop.to_string()
}
