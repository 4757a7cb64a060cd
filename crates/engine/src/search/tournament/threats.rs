//! For the order of quiet moves: [`Threats`], what the side that is not to move attacks, and [`checking_squares`].
//!
//! * A piece that may be taken by a cheaper man should leave its square, and none should go to such a square
//!   (<https://www.chessprogramming.org/Move_Ordering>).
//! * How a move did before says more where its squares were attacked, or not, as they are now
//!   (<https://www.chessprogramming.org/History_Heuristic>).
//! * A move that gives check is worth a look.

use super::TournamentSettings;
use afterstate_games::chess::cozy_chess::{
    BitBoard, Board, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves, get_pawn_attacks,
    get_rook_moves,
};

/// Squares of a move that are attacked or not.
pub(super) const THREAT_KINDS: usize = 4;

/// See the head of this file. Sets that nobody asks for are empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Threats {
    by_pawns: BitBoard,
    /// Pawns, knights and bishops.
    by_minors: BitBoard,
    /// Those and rooks.
    by_rooks: BitBoard,
    /// All men.
    by_any: BitBoard,
    /// The same where histories tell moves apart by it, else nothing.
    told_apart: BitBoard,
}

impl Threats {
    pub(super) const NONE: Threats = Threats {
        by_pawns: BitBoard::EMPTY,
        by_minors: BitBoard::EMPTY,
        by_rooks: BitBoard::EMPTY,
        by_any: BitBoard::EMPTY,
        told_apart: BitBoard::EMPTY,
    };

    #[inline]
    pub(super) fn of(board: &Board, settings: &TournamentSettings) -> Threats {
        let (them, occupied) = (!board.side_to_move(), board.occupied());
        let mut threats = Threats::NONE;
        for from in board.colored_pieces(them, Piece::Pawn) {
            threats.by_pawns |= get_pawn_attacks(from, them);
        }
        threats.by_minors = threats.by_pawns;
        for from in board.colored_pieces(them, Piece::Knight) {
            threats.by_minors |= get_knight_moves(from);
        }
        for from in board.colored_pieces(them, Piece::Bishop) {
            threats.by_minors |= get_bishop_moves(from, occupied);
        }
        threats.by_rooks = threats.by_minors;
        for from in board.colored_pieces(them, Piece::Rook) {
            threats.by_rooks |= get_rook_moves(from, occupied);
        }
        threats.by_any = threats.by_rooks | get_king_moves(board.king(them));
        for from in board.colored_pieces(them, Piece::Queen) {
            threats.by_any |= get_bishop_moves(from, occupied) | get_rook_moves(from, occupied);
        }
        let told_apart = if settings.threat_history { threats.by_any } else { BitBoard::EMPTY };
        if settings.escapes {
            Threats { told_apart, ..threats }
        } else {
            Threats { by_any: threats.by_any, told_apart, ..Threats::NONE }
        }
    }

    /// Where a piece is attacked by cheaper men.
    #[inline(always)]
    pub(super) fn danger(&self, piece: Piece) -> BitBoard {
        match piece {
            Piece::Knight | Piece::Bishop => self.by_pawns,
            Piece::Rook => self.by_minors,
            Piece::Queen => self.by_rooks,
            Piece::Pawn | Piece::King => BitBoard::EMPTY,
        }
    }

    /// Squares that are attacked, if histories are to tell moves apart by that.
    #[inline(always)]
    pub(super) fn told_apart(&self) -> BitBoard {
        self.told_apart
    }

    /// Whether a square is attacked.
    #[inline(always)]
    pub(super) fn attack(&self, square: Square) -> bool {
        self.by_any.has(square)
    }

    /// Which squares of a move are attacked, below [`THREAT_KINDS`], if the one that it goes to is or is not; where histories are to tell
    /// moves apart by that.
    #[inline(always)]
    pub(super) fn kind(&self, from: Square, to_attacked: bool) -> usize {
        2 * usize::from(self.told_apart.has(from)) + usize::from(to_attacked)
    }
}

/// By piece, the squares from which it gives check if it is to move.
#[inline]
pub(super) fn checking_squares(board: &Board) -> [BitBoard; Piece::NUM] {
    let (us, occupied) = (board.side_to_move(), board.occupied());
    let king = board.king(!us);
    let (diagonal, straight) = (get_bishop_moves(king, occupied), get_rook_moves(king, occupied));
    [get_pawn_attacks(king, !us), get_knight_moves(king), diagonal, straight, diagonal | straight, BitBoard::EMPTY]
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::{Chess, Notation};

    fn settings(escapes: bool, threat_history: bool) -> TournamentSettings {
        TournamentSettings { escapes, threat_history, ..TournamentSettings::default() }
    }

    /// The knight is attacked by a pawn, the queen by nobody as long as the knight stands between it and the rook.
    fn game() -> Chess {
        Chess::parse_position("3r2k1/8/7b/4p3/3N4/8/3Q4/6K1 w - - 0 1").unwrap()
    }

    #[test]
    fn pieces_are_in_danger_from_what_is_cheaper() {
        let threats = Threats::of(game().board(), &settings(true, false));
        let is_in_danger = |piece, square| threats.danger(piece).has(square);
        assert!(is_in_danger(Piece::Knight, Square::D4) && is_in_danger(Piece::Knight, Square::F4), "from the pawn");
        assert!(!is_in_danger(Piece::Knight, Square::E3), "bishops are not cheaper");
        assert!(is_in_danger(Piece::Queen, Square::D2) && is_in_danger(Piece::Queen, Square::E3), "from the bishop");
        assert!(!is_in_danger(Piece::Queen, Square::D1));
        assert!(!is_in_danger(Piece::King, Square::D2));
        assert!(threats.attack(Square::D2) && threats.told_apart().is_empty(), "histories do not ask");
    }

    #[test]
    fn pieces_give_check_from_where_they_would_attack_the_king() {
        // The king is on e8, behind a pawn on e7 and a rook on f7.
        let game = Chess::parse_position("4k3/4pr2/8/8/2N5/8/8/K2RQ3 w - - 0 1").unwrap();
        let checks = checking_squares(game.board());
        let from = |piece: Piece, squares: &[Square]| squares.iter().all(|&square| checks[piece as usize].has(square));
        assert!(from(Piece::Pawn, &[Square::D7, Square::F7]) && checks[Piece::Pawn as usize].len() == 2);
        assert!(from(Piece::Knight, &[Square::C7, Square::D6, Square::F6, Square::G7]));
        assert!(from(Piece::Bishop, &[Square::A4, Square::F7]) && !from(Piece::Bishop, &[Square::G6]));
        assert!(from(Piece::Rook, &[Square::E7, Square::A8, Square::H8]) && !from(Piece::Rook, &[Square::E6]));
        assert_eq!(checks[Piece::Queen as usize], checks[Piece::Bishop as usize] | checks[Piece::Rook as usize]);
        assert!(checks[Piece::King as usize].is_empty());
    }

    #[test]
    fn moves_are_told_apart_by_whether_their_squares_are_attacked() {
        let threats = Threats::of(game().board(), &settings(false, true));
        let kind = |from, to| threats.kind(from, threats.told_apart().has(to));
        assert_eq!(kind(Square::G1, Square::H1), 0);
        assert_eq!(kind(Square::G1, Square::F4), 1);
        assert_eq!(kind(Square::D2, Square::D1), 2);
        assert_eq!(kind(Square::D4, Square::F4), 3);
        assert!(threats.danger(Piece::Knight).is_empty());
    }
}
