//! Static exchange evaluation: what a move wins or loses if both sides go on taking on the square it goes to, always with
//! the cheapest piece, and stop when that is better for them (<https://www.chessprogramming.org/Static_Exchange_Evaluation>).
//!
//! Pins, and what a promotion on the way would bring, are left out of account; kings do not take what is protected.

use afterstate_games::chess::Move;
use afterstate_games::chess::cozy_chess::{
    BitBoard, Board, Color, Piece, Rank, Square, get_bishop_moves, get_king_moves, get_knight_moves, get_pawn_attacks,
    get_rook_moves,
};

/// What pieces are worth in an exchange, in hundredths of a pawn. That of the king is never won.
pub(super) const EXCHANGE_VALUES: [i32; Piece::NUM] = [100, 300, 300, 500, 900, 0];

#[inline(always)]
fn worth(piece: Piece) -> i32 {
    EXCHANGE_VALUES[piece as usize]
}

/// The piece that a move takes, en passant included.
#[inline(always)]
pub(super) fn victim(board: &Board, mv: Move) -> Option<Piece> {
    if board.colors(!board.side_to_move()).has(mv.to) {
        board.piece_on(mv.to)
    } else if is_en_passant(board, mv) {
        Some(Piece::Pawn)
    } else {
        None
    }
}

/// Whether a legal move takes en passant.
#[inline(always)]
fn is_en_passant(board: &Board, mv: Move) -> bool {
    board.en_passant().is_some_and(|file| mv.to.file() == file && mv.from.file() != file)
        && mv.to.rank() == Rank::Sixth.relative_to(board.side_to_move())
        && board.pieces(Piece::Pawn).has(mv.from)
}

/// Pieces of both colours that attack a square.
#[inline]
fn attackers(board: &Board, square: Square, occupied: BitBoard) -> BitBoard {
    let (queens, pawns) = (board.pieces(Piece::Queen), board.pieces(Piece::Pawn));
    get_pawn_attacks(square, Color::Black) & pawns & board.colors(Color::White)
        | get_pawn_attacks(square, Color::White) & pawns & board.colors(Color::Black)
        | get_knight_moves(square) & board.pieces(Piece::Knight)
        | get_king_moves(square) & board.pieces(Piece::King)
        | get_bishop_moves(square, occupied) & (board.pieces(Piece::Bishop) | queens)
        | get_rook_moves(square, occupied) & (board.pieces(Piece::Rook) | queens)
}

/// Whether the exchange that a legal move begins wins at least `threshold` hundredths of a pawn for the side that moves.
pub(super) fn wins_at_least(board: &Board, mv: Move, threshold: i32) -> bool {
    let us = board.side_to_move();
    if board.colors(us).has(mv.to) {
        // Castling is written as the king taking its own rook: nothing is exchanged.
        return threshold <= 0;
    }
    let Some(moved) = board.piece_on(mv.from) else { return false };
    let taken = victim(board, mv);
    let standing = mv.promotion.unwrap_or(moved);
    // What the side that has just taken is sure of, beyond the threshold, if the other side takes back and no more happens.
    let mut balance = taken.map_or(0, worth) - threshold + worth(standing) - worth(moved);
    if balance < 0 {
        return false;
    }
    balance -= worth(standing);
    if balance >= 0 {
        return true;
    }
    let mut occupied = (board.occupied() ^ mv.from.bitboard()) | mv.to.bitboard();
    if is_en_passant(board, mv) {
        occupied ^= Square::new(mv.to.file(), mv.from.rank()).bitboard();
    }
    let queens = board.pieces(Piece::Queen);
    let (on_diagonals, on_lines) = (board.pieces(Piece::Bishop) | queens, board.pieces(Piece::Rook) | queens);
    let mut around = attackers(board, mv.to, occupied) & occupied;
    let mut side = !us;
    loop {
        let own = around & board.colors(side);
        let cheapest = Piece::ALL.into_iter().find(|&piece| !(own & board.pieces(piece)).is_empty());
        let Some(piece) = cheapest else { break };
        if let Some(from) = (own & board.pieces(piece)).next_square() {
            occupied ^= from.bitboard();
        }
        // Others may have stood behind it.
        if matches!(piece, Piece::Pawn | Piece::Bishop | Piece::Queen | Piece::King) {
            around |= get_bishop_moves(mv.to, occupied) & on_diagonals;
        }
        if matches!(piece, Piece::Rook | Piece::Queen | Piece::King) {
            around |= get_rook_moves(mv.to, occupied) & on_lines;
        }
        around &= occupied;
        if piece == Piece::King && !(around & board.colors(!side)).is_empty() {
            break;
        }
        side = !side;
        // Now as the other side sees it. It needs more than an equal balance to have gained by this.
        balance = -balance - 1 - worth(piece);
        if balance >= 0 {
            break;
        }
    }
    // The side to take has nothing to take with, or is content without.
    side != us
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::rng::below;
    use afterstate_games::{Chess, Game, Notation, Turn, stream};

    /// A board as 64 places, and rays walked step by step: nothing in common with the above but the rules of exchange.
    type Places = [Option<(Color, Piece)>; 64];

    fn places(board: &Board) -> Places {
        std::array::from_fn(|i| {
            let square = Square::index(i);
            Some((board.color_on(square)?, board.piece_on(square)?))
        })
    }

    /// The first man that is met from a square in a direction, and how far away it is.
    fn first_met(places: &Places, from: usize, (file, rank): (i32, i32)) -> Option<(usize, i32)> {
        (1..8).find_map(|steps| {
            let (file, rank) = (from as i32 % 8 + file * steps, from as i32 / 8 + rank * steps);
            let on_board = (0..8).contains(&file) && (0..8).contains(&rank);
            let at = (rank * 8 + file) as usize;
            (on_board && places[at].is_some()).then_some((at, steps))
        })
    }

    /// Squares of the men of `side` that attack `square`, in ascending order.
    fn attackers_of(places: &Places, square: usize, side: Color) -> Vec<usize> {
        let mut found = Vec::new();
        let forward = if side == Color::White { 1 } else { -1 };
        for direction in [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)] {
            let Some((at, steps)) = first_met(places, square, direction) else { continue };
            let diagonal = direction.0 != 0 && direction.1 != 0;
            let attacks = match places[at] {
                Some((color, piece)) if color == side => match piece {
                    Piece::Queen => true,
                    Piece::Rook => !diagonal,
                    Piece::Bishop => diagonal,
                    Piece::King => steps == 1,
                    Piece::Pawn => diagonal && steps == 1 && direction.1 == -forward,
                    Piece::Knight => false,
                },
                _ => false,
            };
            if attacks {
                found.push(at);
            }
        }
        for (file, rank) in [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)] {
            let (file, rank) = (square as i32 % 8 + file, square as i32 / 8 + rank);
            let at = rank * 8 + file;
            if (0..8).contains(&file) && (0..8).contains(&rank) && places[at as usize] == Some((side, Piece::Knight)) {
                found.push(at as usize);
            }
        }
        found.sort();
        found
    }

    /// What `side` gains at most by taking on `square` with its cheapest man, or by not taking.
    fn gain(places: &Places, square: usize, side: Color) -> i32 {
        let attackers = attackers_of(places, square, side);
        let Some(from) = attackers.into_iter().min_by_key(|&at| places[at].map(|(_, piece)| piece)) else { return 0 };
        let mut after = *places;
        after[square] = after[from].take();
        let king = matches!(after[square], Some((_, Piece::King)));
        if king && !attackers_of(&after, square, !side).is_empty() {
            return 0;
        }
        let taken = places[square].map_or(0, |(_, piece)| worth(piece));
        (taken - gain(&after, square, !side)).max(0)
    }

    fn exchange(board: &Board, mv: Move) -> i32 {
        let us = board.side_to_move();
        let mut after = places(board);
        let Some((_, moved)) = after[mv.from as usize].take() else { return 0 };
        let mut won = after[mv.to as usize].map_or(0, |(_, piece)| worth(piece));
        if moved == Piece::Pawn && mv.from.file() != mv.to.file() && after[mv.to as usize].is_none() {
            won = worth(Piece::Pawn);
            after[Square::new(mv.to.file(), mv.from.rank()) as usize] = None;
        }
        let standing = mv.promotion.unwrap_or(moved);
        after[mv.to as usize] = Some((us, standing));
        won + worth(standing) - worth(moved) - gain(&after, mv.to as usize, !us)
    }

    #[test]
    fn agrees_with_exchanges_played_out_one_by_one() {
        let starts = [
            Chess::new(),
            Chess::parse_position("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1").unwrap(),
            Chess::parse_position("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8").unwrap(),
            Chess::parse_position("1r2k1r1/1r2q1r1/3n1b2/2p1p3/3P1P2/2N2B2/1R2Q1R1/1R2K1R1 w - - 0 1").unwrap(),
        ];
        let (mut moves, mut exchanges) = (Vec::new(), 0);
        for number in 0..200 {
            let (mut game, mut rng) = (starts[number % starts.len()].clone(), stream(3, number as u64));
            while !matches!(game.turn(), Turn::Over(_)) {
                game.legal_moves(&mut moves);
                for &mv in &moves {
                    let board = game.board();
                    let castles = board.colors(board.side_to_move()).has(mv.to);
                    let expected = if castles { 0 } else { exchange(board, mv) };
                    exchanges += u32::from(expected != 0);
                    for threshold in [expected - 1, expected, expected + 1] {
                        assert_eq!(
                            wins_at_least(board, mv, threshold),
                            threshold <= expected,
                            "{mv} in {} brings {expected}, asked for {threshold}",
                            game.position_text()
                        );
                    }
                }
                game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
            }
        }
        assert!(exchanges > 10_000);
    }

    #[test]
    fn exchanges_by_hand() {
        let wins = |text: &str, mv: &str, threshold| {
            let game = Chess::parse_position(text).unwrap();
            wins_at_least(game.board(), game.parse_move(mv).unwrap(), threshold)
        };
        // A pawn is free; a protected one costs a rook.
        assert!(wins("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100));
        let protected = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1";
        assert!(wins(protected, "d3e5", -200) && !wins(protected, "d3e5", -199));
        // En passant, castling and promotion.
        assert!(wins("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100));
        assert!(wins("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", 0));
        assert!(wins("8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 800));
        assert!(!wins("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 0));
    }
}
