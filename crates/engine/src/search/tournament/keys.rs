//! [`ManKeys`]: what each man on each square puts into a position's key, so that keys can be told before moves are played.

use afterstate_games::chess::Move;
use afterstate_games::chess::cozy_chess::{Board, BoardBuilder, Color, Piece, Rank, Square, get_king_moves};
use std::sync::OnceLock;

/// Keys are made of these by exclusive or (A. Zobrist, *A new hashing method with application for game playing*, 1970).
pub(super) struct ManKeys {
    /// By colour, kind and square. That of a king differs from its part of a position's key by what is the same on all squares.
    men: [[[u64; Square::NUM]; Piece::NUM]; Color::NUM],
    /// By what keys differ where the other side is to move.
    other_side: u64,
}

impl ManKeys {
    /// The only ones there are.
    pub(super) fn get() -> &'static ManKeys {
        static KEYS: OnceLock<ManKeys> = OnceLock::new();
        KEYS.get_or_init(ManKeys::new)
    }

    fn new() -> ManKeys {
        let mut men = [[[0; Square::NUM]; Piece::NUM]; Color::NUM];
        for color in Color::ALL {
            for piece in Piece::ALL {
                for square in Square::ALL {
                    men[color as usize][piece as usize][square as usize] = alone(color, piece, square);
                }
            }
        }
        let kings = [(Square::A1, Piece::King, Color::White), (Square::H8, Piece::King, Color::Black)];
        ManKeys { men, other_side: key(&kings, Color::White) ^ key(&kings, Color::Black) }
    }

    #[inline(always)]
    fn of(&self, color: Color, piece: Piece, square: Square) -> u64 {
        self.men[color as usize][piece as usize][square as usize]
    }

    /// By what the keys before and after a move differ that takes nothing and after which no rights are lost.
    #[inline(always)]
    pub(super) fn difference(&self, color: Color, piece: Piece, from: Square, to: Square) -> u64 {
        self.of(color, piece, from) ^ self.of(color, piece, to) ^ self.other_side
    }

    /// What the key of a position becomes by a move of `piece`: by most moves. Castling, promotions, taking en passant, and what moves do
    /// to such rights are left out of account.
    #[inline(always)]
    pub(super) fn guess(&self, board: &Board, key: u64, piece: Piece, mv: Move) -> u64 {
        let us = board.side_to_move();
        let after = key ^ self.difference(us, piece, mv.from, mv.to);
        match board.piece_on(mv.to) {
            Some(taken) => after ^ self.of(!us, taken, mv.to),
            None => after,
        }
    }
}

/// What one man puts into the key; nothing for pawns where there are none.
fn alone(color: Color, piece: Piece, square: Square) -> u64 {
    if piece == Piece::Pawn && matches!(square.rank(), Rank::First | Rank::Eighth) {
        return 0;
    }
    let near = |square: Square| get_king_moves(square) | square.bitboard();
    // Whoever is not to move must not be in check. So the man's side is not, and nobody else has more than a king.
    let key = |men: &[_]| key(men, !color);
    if piece == Piece::King {
        let other = Square::ALL.into_iter().find(|&other| !(near(square) | near(Square::A1)).has(other));
        let with = |at, other| key(&[(at, piece, color), (other, piece, !color)]);
        return other.map_or(0, |other| with(square, other) ^ with(Square::A1, other));
    }
    let mut rest = Square::ALL.into_iter().filter(|&other| other != square);
    let own = rest.next();
    let kings = own.and_then(|own| Some((own, rest.find(|&other| !near(own).has(other))?)));
    kings.map_or(0, |(own, other)| {
        let kings = [(own, Piece::King, color), (other, Piece::King, !color)];
        key(&kings) ^ key(&[kings[0], kings[1], (square, piece, color)])
    })
}

/// The key of a position with these men.
fn key(men: &[(Square, Piece, Color)], side_to_move: Color) -> u64 {
    let mut builder = BoardBuilder::empty();
    builder.side_to_move = side_to_move;
    for &(square, piece, color) in men {
        *builder.square_mut(square) = Some((piece, color));
    }
    builder.build().as_ref().map_or(0, Board::hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::rng::below;
    use afterstate_games::{Chess, Game, Notation, Turn, stream};

    /// In random games a key is guessed right unless rights or promotions are involved, and most are.
    #[test]
    fn keys_of_plain_moves_are_guessed_right() {
        let keys = ManKeys::get();
        let (mut plain, mut all) = (0, 0);
        for number in 0..40 {
            let mut game =
                Chess::parse_position("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1").unwrap();
            let (mut rng, mut legal) = (stream(11, number), Vec::new());
            while !matches!(game.turn(), Turn::Over(_)) {
                game.legal_moves(&mut legal);
                let mv = legal[below(&mut rng, legal.len() as u32) as usize];
                let board = game.board().clone();
                let piece = board.piece_on(mv.from).unwrap();
                game.play(mv);
                let rights = |board: &Board| Color::ALL.map(|color| *board.castle_rights(color));
                let is_plain = mv.promotion.is_none()
                    && (piece != Piece::Pawn || mv.from.file() == mv.to.file() || board.piece_on(mv.to).is_some())
                    && rights(&board) == rights(game.board());
                let guessed = keys.guess(&board, board.hash_without_ep(), piece, mv);
                if is_plain {
                    assert_eq!(guessed, game.board().hash_without_ep(), "{}", game.position_text());
                }
                plain += u32::from(is_plain);
                all += 1;
            }
        }
        assert!(plain > all * 9 / 10, "{plain} of {all}");
    }
}
