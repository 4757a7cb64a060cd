//! Moves and points in the words of GTP's responses.

use super::command::{Refusal, refuse};
use afterstate_games::go::{Move, Point};

/// `E5`, or `pass`.
pub(super) fn move_text(mv: Move, size: usize) -> String {
    mv.point().map_or_else(|| "pass".to_owned(), |point| point.label(size))
}

/// Several moves with blanks between them.
pub(super) fn moves_text(moves: &[Move], size: usize) -> String {
    moves.iter().map(|&mv| move_text(mv, size)).collect::<Vec<_>>().join(" ")
}

/// Several points with blanks between them.
pub(super) fn points_text(points: impl IntoIterator<Item = Point>, size: usize) -> String {
    points.into_iter().map(|point| point.label(size)).collect::<Vec<_>>().join(" ")
}

/// Reads `E5` or `pass`, in upper or lower case.
pub(super) fn parse_move(text: &str, size: usize) -> Result<Move, Refusal> {
    if text.eq_ignore_ascii_case("pass") { Ok(Move::PASS) } else { parse_point(text, size).map(Move::play) }
}

/// Reads a point that is no pass.
pub(super) fn parse_point(text: &str, size: usize) -> Result<Point, Refusal> {
    Point::parse(text, size).or_else(|error| refuse(format!("invalid coordinate: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_survive_their_text() {
        for size in [5, 9, 19] {
            for mv in Point::all(size).map(Move::play).chain([Move::PASS]) {
                assert_eq!(parse_move(&move_text(mv, size), size).unwrap(), mv);
                assert_eq!(parse_move(&move_text(mv, size).to_lowercase(), size).unwrap(), mv);
            }
        }
        assert_eq!(parse_move("PASS", 9).unwrap(), Move::PASS);
        assert!(parse_point("pass", 9).is_err());
    }
}
