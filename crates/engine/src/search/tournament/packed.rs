//! Moves in small numbers: 16 bits for the table, and indices for the histories.

use afterstate_games::chess::Move;
use afterstate_games::chess::cozy_chess::{Color, Piece, Square};

/// What a pawn may become, numbered from 1; 0 is no promotion.
const PROMOTIONS: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// From, to and promotion in 16 bits; 0 is no move.
#[inline(always)]
pub(super) fn pack_move(mv: Option<Move>) -> u16 {
    mv.map_or(0, |mv| {
        let promotion = mv.promotion.map_or(0, |piece| piece as u16);
        mv.from as u16 | (mv.to as u16) << 6 | promotion << 12
    })
}

/// The inverse of [`pack_move`].
#[inline(always)]
pub(super) fn unpack_move(packed: u16) -> Option<Move> {
    (packed != 0).then(|| Move {
        from: Square::index(usize::from(packed & 63)),
        to: Square::index(usize::from(packed >> 6 & 63)),
        promotion: match packed >> 12 {
            0 => None,
            number => PROMOTIONS.get(usize::from(number) - 1).copied(),
        },
    })
}

/// Pieces of either colour on a square: the number of [`PieceTo`]s.
pub(super) const PIECE_TOS: usize = Color::NUM * Piece::NUM * Square::NUM;

/// A piece and the square it moves to, as a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PieceTo(u16);

impl PieceTo {
    /// No move, or a null move.
    pub(super) const NONE: PieceTo = PieceTo(PIECE_TOS as u16);

    #[inline(always)]
    pub(super) fn new(color: Color, piece: Piece, to: Square) -> PieceTo {
        PieceTo(((color as u16 * Piece::NUM as u16) + piece as u16) * Square::NUM as u16 + to as u16)
    }

    /// Below [`PIECE_TOS`] but for [`PieceTo::NONE`], which is equal to it.
    #[inline(always)]
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::{Chess, Game, IndexedMoves};

    #[test]
    fn moves_survive_packing() {
        let game = Chess::new();
        for index in 1..game.index_count() {
            let mv = game.move_at(index);
            if mv.from != mv.to {
                assert_eq!(unpack_move(pack_move(Some(mv))), Some(mv));
            }
        }
        assert_eq!(unpack_move(pack_move(None)), None);
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        assert!(moves.iter().all(|&mv| pack_move(Some(mv)) != 0));
    }
}
