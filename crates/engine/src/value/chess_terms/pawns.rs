//! Pawns: among themselves, which the frozen evaluation keeps for positions with the same pawns, and passed ones.

use super::Sink;
use super::families::*;
use super::view::{Camp, View, ahead, beside, distance, forward, pawn_attacks};
use afterstate_games::chess::cozy_chess::{BitBoard, Color, Piece, Rank, Square};

/// What depends on pawns alone. Returns the passed ones.
pub(super) fn structure(own: BitBoard, theirs: BitBoard, color: Color, sink: &mut impl Sink) -> BitBoard {
    let (own_attacks, their_attacks) = (pawn_attacks(own, color), pawn_attacks(theirs, !color));
    let their_path = ahead(theirs, !color);
    let their_reach = beside(their_path);
    let mut passed = BitBoard::EMPTY;
    for square in own {
        let pawn = square.bitboard();
        let number = (square as usize ^ (56 * color as usize)) - 8;
        let (file, rank) = (number % 8, number / 8);
        let stop = forward(pawn, color);
        let neighbours = own & square.file().adjacent();
        let half_open = (ahead(pawn, color) & theirs).is_empty();
        let protected = own_attacks.has(square);
        let phalanx = !(beside(pawn) & own).is_empty();
        let doubled = !(ahead(pawn, color) & own).is_empty();
        if neighbours.is_empty() {
            sink.add(ISOLATED.at(number));
            if half_open {
                sink.add(EXPOSED_ISOLATED.at(file));
            }
        } else if !protected
            && !phalanx
            && helpers(own, pawn, color) == 0
            && !(stop & (their_attacks | theirs)).is_empty()
        {
            sink.add(BACKWARD.at(number));
            if half_open {
                sink.add(EXPOSED_BACKWARD.at(file));
            }
        }
        if doubled {
            sink.add(DOUBLED.at(file));
        }
        if phalanx {
            sink.add(PHALANX.at(number));
        }
        if protected {
            sink.add(PROTECTED.at(number));
        }
        if !(pawn_attacks(pawn, color) & theirs).is_empty() {
            sink.add(LEVER.at(file));
        }
        if !(stop & theirs).is_empty() {
            sink.add(RAM.at(file));
        }
        if half_open && !doubled {
            if !(their_reach | their_path).has(square) {
                passed |= pawn;
                sink.add(PASSED.at(number));
                if protected {
                    sink.add(PROTECTED_PASSED.at(rank));
                }
            } else if helpers(own, pawn, color) >= (beside(ahead(pawn, color)) & theirs).len() {
                sink.add(CANDIDATE.at(rank));
            }
        }
    }
    for square in passed {
        if !(passed & square.file().adjacent()).is_empty() {
            let rank = (square as usize ^ (56 * color as usize)) / 8 - 1;
            sink.add(CONNECTED_PASSED.at(rank));
        }
    }
    sink.add(ISLANDS.at(islands(own).min(4)));
    passed
}

/// How many pawns on the files beside can help this one forward: those that stand beside or behind it.
fn helpers(own: BitBoard, pawn: BitBoard, color: Color) -> u32 {
    (own & beside(pawn | ahead(pawn, !color))).len()
}

/// Groups of neighbouring files with pawns.
fn islands(pawns: BitBoard) -> usize {
    let mut files = pawns.0;
    files |= files >> 32;
    files |= files >> 16;
    files |= files >> 8;
    let files = files as u8;
    (files & !(files << 1)).count_ones() as usize
}

/// What passed pawns are worth among pieces and kings.
pub(super) fn passed(view: &View, camp: &Camp, other: &Camp, passed: BitBoard, sink: &mut impl Sink) {
    let color = camp.color;
    let only_pawns = other.men().is_empty();
    for square in passed {
        let pawn = square.bitboard();
        let rank = camp.relative(square) / 8 - 1;
        let next = forward(pawn, color);
        let Some(stop) = next.next_square() else { continue };
        if !(next & view.occupied).is_empty() {
            sink.add(BLOCKED_PASSED.at(rank));
        } else if (next & other.attacked).is_empty() {
            sink.add(FREE_PASSED.at(rank));
        }
        sink.add(OWN_KING_TO_PASSED.at2(rank, distance(camp.king, stop)));
        sink.add(THEIR_KING_TO_PASSED.at2(rank, distance(other.king, stop)));
        let behind = ahead(pawn, !color);
        if !(behind & camp.of(Piece::Rook)).is_empty() {
            sink.add(ROOK_BEHIND_PASSED.at(rank));
        }
        if !(behind & other.of(Piece::Rook)).is_empty() {
            sink.add(THEIR_ROOK_BEHIND_PASSED.at(rank));
        }
        if only_pawns && (ahead(pawn, color) & view.occupied).is_empty() {
            let goal = Square::new(square.file(), Rank::Eighth.relative_to(color));
            let steps = distance(square, goal).min(5);
            let moves_first = usize::from(view.to_move != color);
            if distance(other.king, goal) > steps + moves_first {
                sink.add(UNSTOPPABLE.at(rank));
            }
        }
    }
}

/// Pawns that stand in the way of their own bishops.
pub(super) fn bishops_pawns(camp: &Camp, sink: &mut impl Sink) {
    const DARK: BitBoard = BitBoard(0xAA55_AA55_AA55_AA55);
    for square in camp.of(Piece::Bishop) {
        let same = if DARK.has(square) { DARK } else { !DARK };
        sink.add(PAWNS_OF_BISHOPS_COLOUR.at((camp.pawns() & same).len().min(8) as usize));
    }
}
