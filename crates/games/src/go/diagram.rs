//! The board as text, in plain ASCII or in Unicode, with whatever should be written on its points.

use super::board::Color;
use super::handicap::star_points;
use super::point::{Move, Point};
use super::rules::Go;
use crate::Side;
use std::fmt;

/// Longer texts on a point are cut to this many characters.
const WIDEST: usize = 6;

/// A picture of a position; print it with `{}`.
///
/// ```
/// use afterstate_games::{Game, go::{Diagram, Go, Move, Point}};
/// let mut game = Go::new(5);
/// let point = Point::at(2, 2, 5);
/// game.play(Move::play(point));
/// let text = Diagram::new(&game).last_move(Move::play(point)).to_string();
/// assert_eq!(text, "\
/// \x20  A B C D E
///  5 . . . . . 5
///  4 . . . . . 4
///  3 . .(X). . 3
///  2 . . . . . 2
///  1 . . . . . 1
///    A B C D E
/// White (O) to move, komi 7.5
/// ");
/// ```
#[derive(Clone)]
pub struct Diagram<'a> {
    game: &'a Go,
    last_move: Option<Move>,
    captures: Option<[usize; 2]>,
    overlay: Vec<(Point, String)>,
    unicode: bool,
}

impl<'a> Diagram<'a> {
    /// The position in ASCII: `X` for Black, `O` for White, `+` on star points.
    pub fn new(game: &'a Go) -> Self {
        Diagram { game, last_move: None, captures: None, overlay: Vec::new(), unicode: false }
    }

    /// Draws stones as discs (`●` Black, `○` White), as they look on a light background.
    ///
    /// ```
    /// use afterstate_games::go::{Diagram, Go, Point, Color};
    /// let game = Go::set_up(5, [(Point::at(0, 4, 5), Color::Black)])?;
    /// assert!(Diagram::new(&game).unicode().to_string().contains("5 ● · · · · 5"));
    /// # Ok::<(), afterstate_games::go::SetupError>(())
    /// ```
    pub fn unicode(mut self) -> Self {
        self.unicode = true;
        self
    }

    /// Puts brackets round the last move, or names it below the board when it was a pass.
    pub fn last_move(mut self, mv: Move) -> Self {
        self.last_move = Some(mv);
        self
    }

    /// Says below the board how many stones each side has captured, Black's captures first.
    pub fn captures(mut self, by_black: usize, by_white: usize) -> Self {
        self.captures = Some([by_black, by_white]);
        self
    }

    /// Writes a short text (at most 6 characters) on a point, instead of what stands there.
    ///
    /// ```
    /// use afterstate_games::go::{Diagram, Go, Point};
    /// let text = Diagram::new(&Go::new(5)).overlay(Point::at(1, 4, 5), "52").to_string();
    /// assert!(text.contains(" 5  . 52  .  .  . 5"));
    /// ```
    pub fn overlay(mut self, point: Point, text: impl Into<String>) -> Self {
        let text: String = text.into().chars().filter(|c| !c.is_control()).take(WIDEST).collect();
        self.overlay.push((point, text));
        self
    }

    fn symbol(&self, point: Point, stars: &[Point]) -> &str {
        if let Some((_, text)) = self.overlay.iter().rev().find(|(at, _)| *at == point) {
            return text;
        }
        let [black, white, empty, star] = if self.unicode { ["●", "○", "·", "+"] } else { ["X", "O", ".", "+"] };
        match self.game.board().color(point) {
            Color::Black => black,
            Color::White => white,
            _ if stars.contains(&point) => star,
            _ => empty,
        }
    }

    fn captions(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |side| match (side, self.unicode) {
            (Side::First, false) => "Black (X)",
            (Side::Second, false) => "White (O)",
            (Side::First, true) => "Black (●)",
            (Side::Second, true) => "White (○)",
        };
        if self.last_move == Some(Move::PASS) {
            writeln!(f, "{} passed", name(self.game.to_move().other()))?;
        }
        if let Some([black, white]) = self.captures {
            writeln!(f, "captured by Black {black}, by White {white}")?;
        }
        writeln!(f, "{} to move, komi {}", name(self.game.to_move()), self.game.komi().points())
    }
}

impl fmt::Display for Diagram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.game.size();
        let stars = star_points(size);
        let width = self.overlay.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(1).max(1);
        let marked = self.last_move.and_then(Move::point);

        let mut letters = "  ".to_owned();
        for x in 0..size {
            let letter = &Point::at(x, 0, size).label(size)[..1];
            letters.push_str(&format!(" {letter:>width$}"));
        }
        writeln!(f, "{letters}")?;
        for y in (0..size).rev() {
            write!(f, "{:>2}", y + 1)?;
            let mut after = ' ';
            for x in 0..size {
                let point = Point::at(x, y, size);
                let is_marked = marked == Some(point);
                let text = self.symbol(point, &stars);
                let padding = " ".repeat(width - text.chars().count());
                match (is_marked, padding.len()) {
                    (false, _) => write!(f, "{after}{padding}{text}")?,
                    (true, 0) => write!(f, "({text}")?,
                    // The bracket takes the last space of the padding, so that it hugs the text.
                    (true, spaces) => write!(f, "{after}{}({text}", &padding[1..spaces])?,
                }
                after = if is_marked { ')' } else { ' ' };
            }
            writeln!(f, "{after}{}", y + 1)?;
        }
        writeln!(f, "{letters}")?;
        self.captions(f)
    }
}
