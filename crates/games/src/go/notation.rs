//! GTP coordinates and one-line positions.
//!
//! A position is its rows from the top, as in chess: `X` is a black stone, `O` a white one, a number
//! so many empty points. Then come the side to move and whatever else matters, as `name=value`:
//!
//! ```text
//! 5/2X2/1XO2/2O2/5 w komi=7.5 ko=C3 passes=0
//! ```
//!
//! | name | value | when it is left out |
//! | --- | --- | --- |
//! | `komi` | a multiple of one half | 7.5 |
//! | `scoring` | `tromp-taylor`, `chinese` or `aga` | `tromp-taylor` |
//! | `handicap` | stones placed before the game | 0 |
//! | `passes` | passes just before this position, 0 to 2 | 0 |
//! | `ko` | the point that simple ko forbids | none |
//! | `left` | moves until the move limit, at most 10,000 | no limit |

use super::board::{Board, Color};
use super::point::{MAX_SIZE, MIN_SIZE, Move, Point};
use super::rules::{Go, Komi, Scoring};
use crate::{Notation, NotationError, Side};
use std::fmt::Write;

/// Column letters: `I` is left out, as it is easily taken for `J`.
const LETTERS: &[u8; MAX_SIZE] = b"ABCDEFGHJKLMNOPQRST";

/// Move limits beyond this count as none in a position's text.
const LONGEST_LIMIT: u16 = 10_000;

impl Point {
    /// Reads a GTP vertex such as `E5`, in either case.
    ///
    /// # Errors
    ///
    /// If the text is no vertex, or lies beyond a board of `size`.
    ///
    /// ```
    /// use afterstate_games::go::Point;
    /// assert_eq!(Point::parse("j1", 9)?, Point::at(8, 0, 9));
    /// assert!(Point::parse("I5", 9).is_err() && Point::parse("A10", 9).is_err());
    /// # Ok::<(), afterstate_games::NotationError>(())
    /// ```
    pub fn parse(text: &str, size: usize) -> Result<Point, NotationError> {
        let size = size.clamp(1, MAX_SIZE);
        let read = || {
            let (&letter, digits) = text.as_bytes().split_first()?;
            let x = LETTERS[..size].iter().position(|&c| c == letter.to_ascii_uppercase())?;
            let y = match digits {
                [ones @ b'1'..=b'9'] => ones - b'0',
                [b'1', ones @ b'0'..=b'9'] => 10 + ones - b'0',
                _ => return None,
            };
            (usize::from(y) <= size).then(|| Point::at(x, usize::from(y) - 1, size))
        };
        read().ok_or_else(|| {
            let last = char::from(LETTERS[size - 1]);
            NotationError::new("vertex", text, format!("A1 to {last}{size} (there is no column I)"))
        })
    }
}

impl Notation for Go {
    const NAME: &'static str = "go";

    fn move_text(&self, mv: Move) -> String {
        mv.point().map_or_else(|| "pass".to_owned(), |point| point.label(self.size()))
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        if text.eq_ignore_ascii_case("pass") {
            return Ok(Move::PASS);
        }
        Point::parse(text, self.size()).map(Move::play).map_err(|mut error| {
            error.what = "move";
            error.expected.push_str(" or pass");
            error
        })
    }

    fn position_text(&self) -> String {
        let mut text = rows_text(self.board());
        text.push_str(match self.to_move {
            Side::First => " b",
            Side::Second => " w",
        });
        // Writing to a String cannot fail.
        let _ = write!(text, " komi={}", self.komi.points());
        text.push_str(match self.scoring {
            Scoring::TrompTaylor => "",
            Scoring::Chinese => " scoring=chinese",
            Scoring::Aga => " scoring=aga",
        });
        if self.handicap > 0 {
            let _ = write!(text, " handicap={}", self.handicap);
        }
        if self.passes > 0 {
            let _ = write!(text, " passes={}", self.passes);
        }
        if let Some(ko) = self.board.ko() {
            let _ = write!(text, " ko={}", ko.label(self.size()));
        }
        if self.moves_left <= LONGEST_LIMIT {
            let _ = write!(text, " left={}", self.moves_left);
        }
        text
    }

    fn parse_position(text: &str) -> Result<Go, NotationError> {
        let error = |expected: String| NotationError::new("position", text, expected);
        let mut words = text.split(' ');
        let (size, mut colors) = parse_rows(words.next().unwrap_or("")).map_err(error)?;
        let to_move = match words.next() {
            Some("b") => Side::First,
            Some("w") => Side::Second,
            _ => return Err(error("'b' or 'w' after the rows".to_owned())),
        };
        let fields = Fields::parse(words, size).map_err(error)?;
        let ko_capture = match fields.ko {
            None => None,
            Some(_) if fields.passes > 0 => return Err(error("no ko after a pass, which lifts it".to_owned())),
            Some(ko) => Some(undo_ko_capture(size, &mut colors, ko, to_move).map_err(error)?),
        };
        let stones = Point::all(size).zip(colors);
        let mut game = Go::set_up(size, stones).map_err(|problem| error(problem.to_string()))?;
        if let Some(capture) = ko_capture {
            if game.board.is_legal(capture, to_move.other()) {
                game.board.play(capture, to_move.other());
            }
            if game.board.ko() != fields.ko {
                return Err(error("a ko point where one stone has just been captured".to_owned()));
            }
        }
        game.to_move = to_move;
        game.passes = fields.passes;
        game.komi = fields.komi;
        game.scoring = fields.scoring;
        game.handicap = fields.handicap;
        game.moves_left = fields.left;
        Ok(game)
    }

    fn diagram(&self) -> String {
        super::Diagram::new(self).to_string()
    }
}

fn rows_text(board: &Board) -> String {
    let size = board.size();
    let mut text = String::new();
    for y in (0..size).rev() {
        let mut run = 0;
        for x in 0..=size {
            let color = if x < size { board.color(Point::at(x, y, size)) } else { Color::Border };
            if color == Color::Empty {
                run += 1;
                continue;
            }
            if run > 0 {
                text.push_str(&run.to_string());
                run = 0;
            }
            match color {
                Color::Black => text.push('X'),
                Color::White => text.push('O'),
                _ => {}
            }
        }
        if y > 0 {
            text.push('/');
        }
    }
    text
}

/// The size, and the colours from A1 row by row.
fn parse_rows(text: &str) -> Result<(usize, Vec<Color>), String> {
    let size = text.split('/').count();
    if !(MIN_SIZE..=MAX_SIZE).contains(&size) {
        return Err(format!("{MIN_SIZE} to {MAX_SIZE} rows separated by '/', found {size}"));
    }
    let mut colors = Vec::with_capacity(size * size);
    for (i, row) in text.split('/').rev().enumerate() {
        let wrong = || format!("{size} points in row {} ('{}')", i + 1, row.chars().take(40).collect::<String>());
        let before = colors.len();
        let mut run = 0;
        for c in row.chars() {
            let stone = match c {
                '0'..='9' => {
                    run = run * 10 + (c as usize - '0' as usize);
                    if run == 0 || run > size {
                        return Err(wrong());
                    }
                    continue;
                }
                'X' => Color::Black,
                'O' => Color::White,
                _ => return Err(format!("only 'X', 'O' and numbers in row {}, found '{}'", i + 1, c.escape_default())),
            };
            colors.extend(std::iter::repeat_n(Color::Empty, std::mem::take(&mut run)));
            colors.push(stone);
            if colors.len() - before > size {
                return Err(wrong());
            }
        }
        colors.extend(std::iter::repeat_n(Color::Empty, run));
        if colors.len() - before != size {
            return Err(wrong());
        }
    }
    Ok((size, colors))
}

struct Fields {
    komi: Komi,
    scoring: Scoring,
    handicap: u8,
    passes: u8,
    ko: Option<Point>,
    left: u16,
}

impl Fields {
    fn parse<'a>(words: impl Iterator<Item = &'a str>, size: usize) -> Result<Fields, String> {
        let mut fields = Fields {
            komi: Komi::DEFAULT,
            scoring: Scoring::TrompTaylor,
            handicap: 0,
            passes: 0,
            ko: None,
            left: u16::MAX,
        };
        let mut seen = Vec::new();
        for word in words {
            let shown = || word.chars().take(40).collect::<String>();
            let Some((name, value)) = word.split_once('=') else {
                return Err(format!("name=value instead of '{}'", shown()));
            };
            if seen.contains(&name) {
                return Err(format!("'{}' only once", name.chars().take(40).collect::<String>()));
            }
            let wrong = |expected: &str| format!("{expected} instead of '{}'", shown());
            match name {
                "komi" => {
                    fields.komi = value
                        .parse()
                        .ok()
                        .and_then(Komi::new)
                        .ok_or_else(|| wrong("a komi in steps of 0.5 between -1000 and 1000"))?;
                }
                "scoring" => {
                    fields.scoring = match value {
                        "tromp-taylor" => Scoring::TrompTaylor,
                        "chinese" => Scoring::Chinese,
                        "aga" => Scoring::Aga,
                        _ => return Err(wrong("scoring=tromp-taylor, scoring=chinese or scoring=aga")),
                    };
                }
                "handicap" => {
                    fields.handicap = number(value, 255).ok_or_else(|| wrong("0 to 255 handicap stones"))? as u8
                }
                "passes" => fields.passes = number(value, 2).ok_or_else(|| wrong("0 to 2 passes"))? as u8,
                "left" => fields.left = number(value, LONGEST_LIMIT).ok_or_else(|| wrong("0 to 10000 moves left"))?,
                "ko" => fields.ko = Some(Point::parse(value, size).map_err(|error| error.to_string())?),
                _ => return Err(wrong("komi, scoring, handicap, passes, ko or left")),
            }
            seen.push(name);
        }
        Ok(fields)
    }
}

fn number(text: &str, most: u16) -> Option<u16> {
    let digits = !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    text.parse().ok().filter(|&value| digits && value <= most)
}

/// Takes back the capture that made `ko`, so that it can be played; returns where the capturing stone stood.
///
/// Playing it is what proves that the ko is real. Exactly one neighbour qualifies: a lone stone
/// whose only liberty is the ko point.
fn undo_ko_capture(size: usize, colors: &mut [Color], ko: Point, to_move: Side) -> Result<Point, String> {
    let board = Board::new(size);
    let color = |p: Point| if board.color(p) == Color::Border { Color::Border } else { colors[p.ordinal(size)] };
    let (own, enemy) = (Color::of(to_move), Color::of(to_move.other()));
    let captor = board.neighbours_of(ko).into_iter().find(|&stone| {
        color(stone) == enemy
            && board.neighbours_of(stone).into_iter().all(|n| n == ko || color(n) == own || color(n) == Color::Border)
    });
    match captor {
        Some(captor) if color(ko) == Color::Empty => {
            colors[captor.ordinal(size)] = Color::Empty;
            colors[ko.ordinal(size)] = own;
            Ok(captor)
        }
        _ => Err(format!("a ko point beside a lone stone that captured there, not {}", ko.label(size))),
    }
}
