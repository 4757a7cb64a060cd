//! [`Threats`]: what the side that is not to move attacks, for the order of quiet moves.
//!
//! * A piece that may be taken by a cheaper man should leave its square, and none should go to such a square
//!   (<https://www.chessprogramming.org/Move_Ordering>).
//! * How a move did before says more where its squares were attacked, or not, as they are now
//!   (<https://www.chessprogramming.org/History_Heuristic>).

use super::TournamentSettings;
use afterstate_games::chess::Move;
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
}

impl Threats {
    pub(super) const NONE: Threats = Threats {
        by_pawns: BitBoard::EMPTY,
        by_minors: BitBoard::EMPTY,
        by_rooks: BitBoard::EMPTY,
        by_any: BitBoard::EMPTY,
    };

    #[inline]
    pub(super) fn of(board: &Board, settings: &TournamentSettings) -> Threats {
        let (escapes, history) = (settings.escapes, settings.threat_history);
        if !escapes && !history {
            return Threats::NONE;
        }
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
        if history {
            threats.by_any = threats.by_rooks | get_king_moves(board.king(them));
            for from in board.colored_pieces(them, Piece::Queen) {
                threats.by_any |= get_bishop_moves(from, occupied) | get_rook_moves(from, occupied);
            }
        }
        if escapes { threats } else { Threats { by_any: threats.by_any, ..Threats::NONE } }
    }

    /// 1 if a move takes a piece away from cheaper attackers, −1 if it brings one before them, else 0.
    #[inline(always)]
    pub(super) fn escape(&self, piece: Piece, mv: Move) -> i32 {
        let danger = match piece {
            Piece::Knight | Piece::Bishop => self.by_pawns,
            Piece::Rook => self.by_minors,
            Piece::Queen => self.by_rooks,
            Piece::Pawn | Piece::King => return 0,
        };
        i32::from(danger.has(mv.from)) - i32::from(danger.has(mv.to))
    }

    /// Which of a move's squares are attacked, below [`THREAT_KINDS`].
    #[inline(always)]
    pub(super) fn kind(&self, mv: Move) -> usize {
        let attacked = |square: Square| usize::from(self.by_any.has(square));
        2 * attacked(mv.from) + attacked(mv.to)
    }
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
        let escape = |piece, from, to| threats.escape(piece, Move { from, to, promotion: None });
        assert_eq!(escape(Piece::Knight, Square::D4, Square::E2), 1);
        assert_eq!(escape(Piece::Knight, Square::E2, Square::F4), -1);
        assert_eq!(escape(Piece::Queen, Square::D2, Square::D1), 1, "away from the bishop");
        assert_eq!(escape(Piece::Queen, Square::D2, Square::E3), 0, "from the bishop to the bishop");
        assert_eq!(escape(Piece::King, Square::G1, Square::D2), 0);
        assert_eq!(threats.kind(Move { from: Square::D4, to: Square::F4, promotion: None }), 0);
    }

    #[test]
    fn moves_are_told_apart_by_whether_their_squares_are_attacked() {
        let threats = Threats::of(game().board(), &settings(false, true));
        let kind = |from, to| threats.kind(Move { from, to, promotion: None });
        assert_eq!(kind(Square::G1, Square::H1), 0);
        assert_eq!(kind(Square::G1, Square::F4), 1);
        assert_eq!(kind(Square::D2, Square::D1), 2);
        assert_eq!(kind(Square::D4, Square::F4), 3);
        assert_eq!(threats.escape(Piece::Knight, Move { from: Square::D4, to: Square::E2, promotion: None }), 0);
    }
}
