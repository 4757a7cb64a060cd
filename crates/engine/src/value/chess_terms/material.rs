//! Material and piece-square tables.

use super::Sink;
use super::families::*;
use super::view::Camp;
use afterstate_games::chess::cozy_chess::Piece;

/// The kinds of men that are counted.
const COUNTED: [Piece; 5] = [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// What men are worth wherever they stand.
pub(super) fn material(camp: &Camp, sink: &mut impl Sink) {
    for piece in COUNTED {
        let count = camp.of(piece).len() as usize;
        sink.add_times(MATERIAL.at(piece as usize), count);
    }
    let pawns = (camp.pawns().len() as usize).min(8);
    let (knights, rooks) = (camp.of(Piece::Knight).len() as usize, camp.of(Piece::Rook).len() as usize);
    sink.add_times(KNIGHT_WITH_PAWNS.at(pawns), knights);
    sink.add_times(ROOK_WITH_PAWNS.at(pawns), rooks);
    sink.add(PAWN_COUNT.at(pawns));
    if camp.of(Piece::Bishop).len() >= 2 {
        sink.add(BISHOP_PAIR.only());
    }
}

/// What they are worth on each square.
pub(super) fn piece_squares(camp: &Camp, sink: &mut impl Sink) {
    for square in camp.pawns() {
        sink.add(PAWN_SQUARE.at(camp.relative(square) - 8));
    }
    sink.add(PIECE_SQUARE.at2(4, camp.relative(camp.king)));
    for man in camp.men() {
        sink.add(PIECE_SQUARE.at2(man.piece as usize - 1, camp.relative(man.square)));
    }
}
