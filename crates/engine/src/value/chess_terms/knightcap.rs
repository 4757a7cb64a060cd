//! What KnightCap looked at besides (paper 001, §4, and the coefficients of its published program): men that hang with the
//! opponent to move, attacks through other men, tables for the opening and for mating.

use super::Sink;
use super::families::*;
use super::view::{Camp, View, distance};
use afterstate_games::chess::cozy_chess::{BitBoard, Piece, get_bishop_moves, get_rook_moves};

const MEN: [Piece; 6] = [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King];

pub(super) fn terms(view: &View, camp: &Camp, other: &Camp, sink: &mut impl Sink) {
    let hanging = camp.all & other.attacked & !camp.attacked;
    if hanging.len() >= 2 {
        sink.add(HUNG_TWICE.only());
    }
    for piece in &MEN[..5] {
        if view.to_move != camp.color {
            let hung = (hanging & camp.of(*piece)).len();
            sink.add_times(HUNG_TO_MOVE.at(*piece as usize), hung as usize);
        }
    }
    xrays(view, camp, other, sink);
    if view.stage == 0 {
        for piece in MEN {
            for square in camp.of(piece) {
                sink.add(OPENING_SQUARE.at2(piece as usize, camp.relative(square)));
            }
        }
    }
    if camp.men().is_empty() && !other.men().is_empty() {
        sink.add(MATING_SQUARE.at(camp.relative(camp.king)));
    }
    if other.all == other.king.bitboard() {
        sink.add(LONE_KING_DISTANCE.at(distance(camp.king, other.king)));
    }
}

/// Attacks of bishops, rooks and queens through the first man in their way.
fn xrays(view: &View, camp: &Camp, other: &Camp, sink: &mut impl Sink) {
    for man in camp.men() {
        let beyond = |reach: fn(_, _) -> BitBoard| {
            let direct = reach(man.square, view.occupied);
            reach(man.square, view.occupied & !direct) & !direct
        };
        let through = match man.piece {
            Piece::Bishop => beyond(get_bishop_moves),
            Piece::Rook => beyond(get_rook_moves),
            Piece::Queen => beyond(get_bishop_moves) | beyond(get_rook_moves),
            _ => continue,
        };
        for target in MEN {
            let hits = (through & other.of(target)).len() as usize;
            sink.add_times(XRAY.at2(man.piece as usize - 1, target as usize), hits);
        }
    }
}
