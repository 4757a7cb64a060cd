//! Moves and points as GTP writes them.

use super::command::{Refusal, quote, refuse};
use afterstate_games::go::{Move, Point};

/// `E5`, or `pass`.
pub(super) fn move_text(mv: Move, size: usize) -> String {
    mv.point().map_or_else(|| "pass".to_owned(), |point| point.label(size))
}

/// Several points with blanks between them.
pub(super) fn points_text(points: impl IntoIterator<Item = Point>, size: usize) -> String {
    points.into_iter().map(|point| point.label(size)).collect::<Vec<_>>().join(" ")
}

/// Reads `E5` or `pass`, in upper or lower case.
pub(super) fn parse_move(text: &str, size: usize) -> Result<Move, Refusal> {
    if text.eq_ignore_ascii_case("pass") {
        return Ok(Move::PASS);
    }
    let mut letters = text.chars();
    let column = letters.next().and_then(|letter| match letter.to_ascii_uppercase() {
        letter @ 'A'..='H' => Some(letter as usize - 'A' as usize),
        letter @ 'J'..='T' => Some(letter as usize - 'A' as usize - 1),
        _ => None,
    });
    let digits = letters.as_str();
    let row = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<usize>().ok()).flatten();
    match (column, row) {
        (Some(x), Some(row)) if x < size && (1..=size).contains(&row) => Ok(Move::play(Point::at(x, row - 1, size))),
        _ => {
            let last = Point::at(size - 1, size - 1, size).label(size);
            refuse(format!("invalid coordinate '{}': expected A1 to {last} (no letter I) or pass", quote(text)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_survives_its_text() {
        for size in [5, 9, 19] {
            for point in Point::all(size) {
                let text = move_text(Move::play(point), size);
                assert!(!text.contains('I'));
                assert_eq!(parse_move(&text, size).unwrap(), Move::play(point));
                assert_eq!(parse_move(&text.to_lowercase(), size).unwrap(), Move::play(point));
            }
        }
        assert_eq!(parse_move("PASS", 9).unwrap(), Move::PASS);
        assert_eq!(parse_move("j9", 9).unwrap(), Move::play(Point::at(8, 8, 9)));
    }

    #[test]
    fn other_texts_are_no_moves() {
        for text in ["", "I5", "K9", "A0", "A10", "A", "5", "A+5", "A-1", "A5x", "é5", "passs", "A99999999999999999999"]
        {
            assert!(parse_move(text, 9).is_err(), "{text}");
        }
    }
}
