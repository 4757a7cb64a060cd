//! What pieces can reach, and what they attack.

use super::Sink;
use super::families::*;
use super::view::{Camp, View, ahead, beside};
use afterstate_games::chess::cozy_chess::{
    BitBoard, File, Piece, Rank, Square, get_between_rays, get_bishop_rays, get_rook_rays,
};

const PIECES: [Piece; 6] = [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King];

/// The sixteen squares in the middle.
const CENTRE: BitBoard = BitBoard(0x0000_3C3C_3C3C_0000);

/// The second to the fourth rank on the four files in the middle.
const OWN_CENTRE: [BitBoard; 2] = [BitBoard(0x0000_0000_3C3C_3C00), BitBoard(0x003C_3C3C_0000_0000)];

/// Where pieces stand and how far they reach.
pub(super) fn reach(camp: &Camp, other: &Camp, sink: &mut impl Sink) {
    let free = !camp.all;
    let safe = free & !other.pawn_attacks;
    // What the opponent's pawns may ever attack.
    let contested = beside(ahead(other.pawns(), other.color));
    let pawns = [camp.pawns(), other.pawns()];
    for man in camp.men() {
        let (all, calm) = ((man.attacks & free).len() as usize, (man.attacks & safe).len() as usize);
        let protected = camp.pawn_attacks.has(man.square);
        let relative = camp.relative(man.square);
        if protected {
            sink.add(PROTECTED_BY_PAWN.at(man.piece as usize - 1));
        }
        let outpost = protected && !contested.has(man.square) && (24..48).contains(&relative);
        match man.piece {
            Piece::Knight => {
                sink.add(KNIGHT_REACH.at(all));
                sink.add(SAFE_KNIGHT_REACH.at(calm));
                if outpost {
                    sink.add(KNIGHT_OUTPOST.at(relative - 24));
                }
            }
            Piece::Bishop => {
                sink.add(BISHOP_REACH.at(all));
                sink.add(SAFE_BISHOP_REACH.at(calm));
                if outpost {
                    sink.add(BISHOP_OUTPOST.at(relative - 24));
                }
            }
            Piece::Rook => {
                sink.add(ROOK_REACH.at(all));
                sink.add(SAFE_ROOK_REACH.at(calm));
                let (file, number) = (man.square.file().bitboard(), man.square.file() as usize);
                match ((file & pawns[0]).is_empty(), (file & pawns[1]).is_empty()) {
                    (true, true) => sink.add(ROOK_ON_OPEN_FILE.at(number)),
                    (true, false) => sink.add(ROOK_ON_HALF_OPEN_FILE.at(number)),
                    _ => {
                        if all <= 3 && !camp.may_castle && is_shut_in(camp, man.square) {
                            sink.add(TRAPPED_ROOK.only());
                        }
                    }
                }
                if relative / 8 == 6 {
                    sink.add(ROOK_ON_SEVENTH.only());
                }
                if !(man.attacks & camp.of(Piece::Rook)).is_empty() {
                    sink.add(ROOKS_CONNECTED.only());
                }
            }
            _ => {
                sink.add(QUEEN_REACH.at(all));
                sink.add(SAFE_QUEEN_REACH.at(calm));
            }
        }
    }
    sink.add(CENTRE_CONTROL.at((camp.attacked & CENTRE).len() as usize));
    let shelter = OWN_CENTRE[camp.color as usize] & !camp.pawns() & !other.attacked;
    let behind = ahead(camp.pawns(), !camp.color) & shelter;
    sink.add(SPACE.at((behind.len() as usize).min(12)));
}

/// Whether the rook stands between its king and the edge, on the king's rank.
fn is_shut_in(camp: &Camp, rook: Square) -> bool {
    let (king, rook) = (camp.king, rook);
    king.rank() == rook.rank()
        && king.rank() == Rank::First.relative_to(camp.color)
        && match king.file() {
            file if file >= File::E => rook.file() > file,
            file => rook.file() < file,
        }
}

/// What is attacked, hangs, or is pinned.
pub(super) fn threats(view: &View, camp: &Camp, other: &Camp, sink: &mut impl Sink) {
    let targets = camp.pawn_attacks & other.all;
    let king_targets = camp.king_attacks & other.all & !other.attacked;
    for piece in &PIECES[..5] {
        let number = *piece as usize;
        sink.add_times(TARGET_OF_PAWN.at(number), (targets & other.pieces[number]).len() as usize);
        sink.add_times(TARGET_OF_KING.at(number), (king_targets & other.pieces[number]).len() as usize);
    }
    for man in camp.men() {
        let hits = man.attacks & other.all;
        for square in hits {
            if let Some(target) = PIECES.iter().position(|&piece| other.of(piece).has(square)) {
                sink.add(TARGET_OF_PIECE.at2(man.piece as usize - 1, target));
            }
        }
    }
    // Men of this side that hang or are pinned.
    let hanging = camp.all & other.attacked & !camp.attacked;
    let pinned = pinned(view, camp, other);
    if !(hanging | pinned).is_empty() {
        for piece in &PIECES[..5] {
            let number = *piece as usize;
            sink.add_times(HANGING.at(number), (hanging & camp.pieces[number]).len() as usize);
            sink.add_times(PINNED.at(number), (pinned & camp.pieces[number]).len() as usize);
        }
    }
}

/// Men of `camp` that stand alone between their king and a piece that attacks along the line.
fn pinned(view: &View, camp: &Camp, other: &Camp) -> BitBoard {
    let queens = other.of(Piece::Queen);
    let snipers = (get_rook_rays(camp.king) & (other.of(Piece::Rook) | queens))
        | (get_bishop_rays(camp.king) & (other.of(Piece::Bishop) | queens));
    let mut pinned = BitBoard::EMPTY;
    for sniper in snipers {
        let between = get_between_rays(camp.king, sniper) & view.occupied;
        if between.len() == 1 {
            pinned |= between & camp.all;
        }
    }
    pinned
}
