//! What of an advantage can be won: with few men left, much material may be worth nothing
//! (<https://www.chessprogramming.org/Draw_Evaluation>, R. Fine, *Basic Chess Endings*, 1941).

use afterstate_games::chess::cozy_chess::{BitBoard, Board, Color, File, Piece, Rank, Square};

/// All of it can be won.
pub(super) const ALL: i32 = 16;
/// Nothing that play against the best answers could win; not 0, so that searches still prefer to be ahead.
const NOTHING: i32 = 1;
/// A piece ahead without pawns, beside others: hard to win.
const LITTLE: i32 = 3;
/// Bishops that never meet.
const HALF: i32 = 8;

/// How much of an advantage of `strong` can be won, in sixteenths.
#[inline]
pub(super) fn winnable(board: &Board, strong: Color) -> i32 {
    let of = |color, piece| board.colors(color) & board.pieces(piece);
    let pawns = of(strong, Piece::Pawn);
    if pawns.is_empty() {
        return without_pawns(board, strong);
    }
    // Most positions have other pieces than bishops.
    let pieces = board.pieces(Piece::Knight) | board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    if !pieces.is_empty() {
        return ALL;
    }
    let (own, others) = (of(strong, Piece::Bishop), of(!strong, Piece::Bishop));
    match (own.len(), others.len()) {
        (1, 1) if is_light(own) != is_light(others) => HALF,
        (1, 0) if is_wrong_bishop(board, own, pawns, strong) => NOTHING,
        _ => ALL,
    }
}

/// A side without pawns needs more than a minor piece ahead, and two knights do not mate.
fn without_pawns(board: &Board, strong: Color) -> i32 {
    let count = |color, piece| (board.colors(color) & board.pieces(piece)).len() as i32;
    let worth = |color| {
        3 * (count(color, Piece::Knight) + count(color, Piece::Bishop))
            + 5 * count(color, Piece::Rook)
            + 9 * count(color, Piece::Queen)
    };
    let (own, theirs) = (worth(strong), worth(!strong));
    if own < 5 || (own == 6 && count(strong, Piece::Knight) == 2) {
        NOTHING
    } else if own - theirs <= 3 {
        LITTLE
    } else {
        ALL
    }
}

fn is_light(bishops: BitBoard) -> bool {
    !(bishops & BitBoard::LIGHT_SQUARES).is_empty()
}

/// Pawns on one edge file whose corner the bishop does not attack, where the other king is at home.
fn is_wrong_bishop(board: &Board, bishop: BitBoard, pawns: BitBoard, strong: Color) -> bool {
    let edge = [File::A, File::H].into_iter().find(|file| (pawns & !file.bitboard()).is_empty());
    let Some(edge) = edge else { return false };
    let corner = Square::new(edge, Rank::Eighth.relative_to(strong));
    let king = board.king(!strong);
    let near = |a: usize, b: usize| a.abs_diff(b) <= 1;
    is_light(bishop) != is_light(corner.bitboard())
        && near(king.file() as usize, corner.file() as usize)
        && near(king.rank() as usize, corner.rank() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::{Chess, Game, Notation};

    #[test]
    fn what_can_be_won() {
        for (text, expected) in [
            // The first position, rook endings, and mates that are known.
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", ALL),
            ("8/5k2/8/8/3r4/8/3P1K2/3R4 w - - 0 1", ALL),
            ("8/5k2/8/8/8/8/5K2/3R4 w - - 0 1", ALL),
            ("8/5k2/8/8/8/8/5K2/3BN3 w - - 0 1", ALL),
            ("8/5k2/8/8/3r4/8/5K2/3Q4 w - - 0 1", ALL),
            // Two knights, a bishop against a pawn, a rook against a bishop, a rook and a bishop against a rook.
            ("8/5k2/8/8/8/8/5K2/3NN3 w - - 0 1", NOTHING),
            ("8/5k2/4p3/8/8/8/5K2/3B4 w - - 0 1", NOTHING),
            ("8/5k2/4b3/8/8/8/5K2/3R4 w - - 0 1", LITTLE),
            ("8/5k2/4r3/8/8/8/5K2/2BR4 w - - 0 1", LITTLE),
            // Bishops on squares of both colours, of one colour, and beside rooks.
            ("8/5k2/4b3/8/3P4/2P5/5K2/2B5 w - - 0 1", HALF),
            ("8/5k2/3b4/8/3P4/2P5/5K2/2B5 w - - 0 1", ALL),
            ("8/r4k2/4b3/8/3P4/2P5/5K2/R1B5 w - - 0 1", ALL),
            // The corner h8 is dark, a8 light.
            ("7k/8/8/7P/8/7P/5K2/3B4 w - - 0 1", NOTHING),
            ("7k/8/8/7P/8/7P/5K2/2B5 w - - 0 1", ALL),
            ("1k6/8/8/P7/8/8/5K2/2B5 w - - 0 1", NOTHING),
            ("3k4/8/8/P7/8/8/5K2/2B5 w - - 0 1", ALL),
            ("1k6/8/8/PP6/8/8/5K2/2B5 w - - 0 1", ALL),
        ] {
            let game = Chess::parse_position(text).unwrap();
            assert_eq!(winnable(game.board(), Color::White), expected, "{text}");
            // The same with the colours exchanged.
            let (men, _) = text.split_once(' ').unwrap();
            let swap = |c: char| if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
            let ranks: Vec<String> = men.split('/').rev().map(|rank| rank.chars().map(swap).collect()).collect();
            let turned = Chess::parse_position(&format!("{} b - - 0 1", ranks.join("/"))).unwrap();
            assert!(!matches!(turned.turn(), afterstate_games::Turn::Over(_)) || expected == NOTHING);
            assert_eq!(winnable(turned.board(), Color::Black), expected, "{text}, turned");
        }
    }
}
