//! What protects and what threatens the king.

use super::Sink;
use super::families::*;
use super::view::{Camp, View, ahead, distance, edge_distance};
use afterstate_games::Chess;
use afterstate_games::chess::cozy_chess::{
    BitBoard, Color, File, Piece, Rank, Square, get_bishop_moves, get_knight_moves, get_rook_moves,
};

const PIECES: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// The pawns before the king.
pub(super) fn shelter(game: &Chess, camp: &Camp, other: &Camp, sink: &mut impl Sink) {
    let king = camp.king;
    let (file, rank) = (king.file() as usize, camp.relative(king) / 8);
    let edge = edge_distance(file);
    // The king's rank and all those ahead of it.
    let here = BitBoard(0xFF << (8 * (king as usize / 8)));
    let region = here | ahead(here, camp.color);
    for (number, shift) in [-1isize, 0, 1].into_iter().enumerate() {
        let Some(at) = file.checked_add_signed(shift).filter(|&at| at < 8) else { continue };
        // Beside the king, nearer to the edge or nearer to the middle.
        let place = match (number, file < 4) {
            (1, _) => 1,
            (0, true) | (2, false) => 0,
            _ => 2,
        };
        let column = File::index(at).bitboard() & region;
        sink.add(SHIELD.at3(edge, place, ranks_to(column & camp.pawns(), rank, camp.color)));
        sink.add(STORM.at3(edge, place, ranks_to(column & other.pawns(), rank, camp.color)));
    }
    let column = king.file().bitboard();
    if (column & camp.pawns()).is_empty() {
        let open = (column & other.pawns()).is_empty();
        sink.add(if open { OPEN_FILE_TO_KING } else { HALF_OPEN_FILE_TO_KING }.at(edge));
    }
    let rights = game.board().castle_rights(camp.color);
    if rights.short.is_some() {
        sink.add(MAY_CASTLE_SHORT.only());
    }
    if rights.long.is_some() {
        sink.add(MAY_CASTLE_LONG.only());
    }
    let luft = camp.king_attacks & !camp.all & !other.attacked;
    sink.add(KING_REACH.at(luft.len() as usize));
    let heavy = other.of(Piece::Rook) | other.of(Piece::Queen);
    let home = Rank::First.relative_to(camp.color);
    if king.rank() == home && !heavy.is_empty() && (luft & !home.bitboard()).is_empty() {
        sink.add(BACK_RANK.only());
    }
}

/// How many ranks ahead the nearest of the pawns on a file stands, 0 for the same rank; 7 if there is none.
fn ranks_to(pawns: BitBoard, rank: usize, color: Color) -> usize {
    let nearest = match color {
        Color::White => pawns.0.trailing_zeros() as usize / 8,
        Color::Black => pawns.0.leading_zeros() as usize / 8,
    };
    if pawns.is_empty() { 7 } else { nearest.saturating_sub(rank).min(6) }
}

/// What bears on the opposing king.
pub(super) fn attack(view: &View, camp: &Camp, other: &Camp, sink: &mut impl Sink) {
    let zone = other.king_zone;
    let mut attackers = 0;
    for man in camp.men() {
        let number = man.piece as usize - 1;
        let hits = (man.attacks & zone).len() as usize;
        if hits > 0 {
            attackers += 1;
            sink.add(ZONE_ATTACK.at2(number, hits.min(8)));
        }
        sink.add(TROPISM.at2(number, distance(man.square, other.king)));
        sink.add(CLOSENESS.at2(number, distance(man.square, camp.king)));
    }
    sink.add(ZONE_ATTACKERS.at(attackers.min(7)));
    if !camp.of(Piece::Queen).is_empty() {
        sink.add(ZONE_ATTACKERS_WITH_QUEEN.at(attackers.min(7)));
    }
    sink.add(ZONE_PAWN_ATTACK.at(((camp.pawn_attacks & zone).len() as usize).min(3)));
    let by_pieces =
        |camp: &Camp| PIECES.iter().fold(camp.pawn_attacks, |attacks, &piece| attacks | camp.attacks[piece as usize]);
    let (attacked, defended) = (by_pieces(camp), by_pieces(other));
    sink.add(WEAK_ZONE.at(((other.king_attacks & attacked & !defended).len() as usize).min(8)));
    sink.add(ZONE_PROTECTED.at(((camp.king_zone & attacked).len() as usize).min(8)));
    checks(view, camp, other, sink);
}

/// Squares from which the opposing king could be given check.
fn checks(view: &View, camp: &Camp, other: &Camp, sink: &mut impl Sink) {
    let king: Square = other.king;
    let (lines, diagonals) = (get_rook_moves(king, view.occupied), get_bishop_moves(king, view.occupied));
    sink.add(LINES_TO_KING.at(((lines | diagonals).len() as usize).min(27)));
    let safe = !camp.all & !other.attacked;
    for piece in PIECES {
        let from = match piece {
            Piece::Knight => get_knight_moves(king),
            Piece::Bishop => diagonals,
            Piece::Rook => lines,
            _ => lines | diagonals,
        };
        let checks = from & camp.attacks[piece as usize] & !camp.all;
        let number = piece as usize - 1;
        let (calm, all) = ((checks & safe).len() as usize, checks.len() as usize);
        if calm > 0 {
            sink.add(SAFE_CHECK.at2(number, calm.min(3)));
        }
        if all > calm {
            sink.add(UNSAFE_CHECK.at2(number, (all - calm).min(3)));
        }
    }
}

/// Kings among pawns, when few pieces are left.
pub(super) fn activity(view: &View, camp: &Camp, other: &Camp, sink: &mut impl Sink) {
    if view.stage < 2 {
        return;
    }
    let nearest = |pawns: BitBoard| pawns.into_iter().map(|pawn| distance(camp.king, pawn)).min();
    if let Some(steps) = nearest(camp.pawns()) {
        sink.add(KING_TO_OWN_PAWNS.at(steps));
    }
    if let Some(steps) = nearest(other.pawns()) {
        sink.add(KING_TO_THEIR_PAWNS.at(steps));
    }
}
