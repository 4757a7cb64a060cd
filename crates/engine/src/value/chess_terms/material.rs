//! Material and piece-square tables.

use super::Sink;
use super::families::*;
use super::view::{Camp, View};
use afterstate_games::chess::cozy_chess::Piece;

/// The kinds of men that are counted.
const COUNTED: [Piece; 5] = [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// What men are worth wherever they stand.
pub(super) fn material(view: &View, camp: &Camp, sink: &mut impl Sink) {
    for piece in COUNTED {
        let count = camp.of(piece).len() as usize;
        sink.add_times(MATERIAL.at(piece as usize), count);
        sink.add_times(LATE_MATERIAL.at(piece as usize), count * view.stage);
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
pub(super) fn piece_squares(view: &View, camp: &Camp, sink: &mut impl Sink) {
    for square in camp.pawns() {
        let number = camp.relative(square) - 8;
        sink.add(PAWN_SQUARE.at(number));
        sink.add_times(LATE_PAWN_SQUARE.at(number), view.stage);
    }
    let king = camp.relative(camp.king);
    sink.add(PIECE_SQUARE.at2(4, king));
    sink.add_times(LATE_PIECE_SQUARE.at2(4, king), view.stage);
    for man in camp.men() {
        let (kind, number) = (man.piece as usize - 1, camp.relative(man.square));
        sink.add(PIECE_SQUARE.at2(kind, number));
        sink.add_times(LATE_PIECE_SQUARE.at2(kind, number), view.stage);
    }
}
