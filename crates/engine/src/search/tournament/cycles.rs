//! [`Cycles`]: whether the side to move can go back to a position of its line with one move, so that it has at least a draw before that
//! move is searched.
//!
//! Keys of positions that one reversible move leads to and fro between differ by that move alone, whatever else is on the board. All
//! such differences are in a table (M. van Kervinck, *The design and implementation of the Rookie 2.0 chess playing program*, 2002, §4.2;
//! <https://www.chessprogramming.org/Repetitions>).

use super::keys::ManKeys;
use afterstate_games::chess::cozy_chess::{
    BitBoard, Board, Color, Piece, Square, get_between_rays, get_bishop_moves, get_king_moves, get_knight_moves,
    get_rook_moves,
};
use std::sync::OnceLock;

/// Places of the table, of which a quarter are taken. A power of two.
const PLACES: usize = 1 << 14;

/// See the head of this file. Differences are kept at the first free place from their last bits on; 0 is no difference.
pub(super) struct Cycles {
    differences: Vec<u64>,
    moves: Vec<[Square; 2]>,
}

impl Cycles {
    /// The only ones there are.
    pub(super) fn get() -> &'static Cycles {
        static CYCLES: OnceLock<Cycles> = OnceLock::new();
        CYCLES.get_or_init(Cycles::new)
    }

    fn new() -> Cycles {
        let mut cycles = Cycles { differences: vec![0; PLACES], moves: vec![[Square::A1; 2]; PLACES] };
        let keys = ManKeys::get();
        for color in Color::ALL {
            for piece in [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King] {
                for from in Square::ALL {
                    // To and fro are one move.
                    for to in reach(piece, from).iter().filter(|&to| from < to) {
                        cycles.insert(keys.difference(color, piece, from, to), [from, to]);
                    }
                }
            }
        }
        cycles
    }

    fn insert(&mut self, difference: u64, squares: [Square; 2]) {
        let place = self.place(difference);
        (self.differences[place], self.moves[place]) = (difference, squares);
    }

    /// Where a difference is, or would be.
    #[inline(always)]
    fn place(&self, difference: u64) -> usize {
        let mut place = difference as usize % PLACES;
        while self.differences[place] != 0 && self.differences[place] != difference {
            place = (place + 1) % PLACES;
        }
        place
    }

    /// Whether one move of the side to move leads to a position whose key differs from the board's by so much.
    #[inline(always)]
    pub(super) fn leads(&self, board: &Board, difference: u64) -> bool {
        let place = self.place(difference);
        if self.differences[place] == 0 {
            return false;
        }
        let [from, to] = self.moves[place];
        let own = board.colors(board.side_to_move());
        // Else the other side's piece has come from there.
        let moves_itself = own.has(from) || own.has(to);
        moves_itself && (get_between_rays(from, to) & board.occupied()).is_empty()
    }
}

/// Where a piece may go on an empty board.
fn reach(piece: Piece, from: Square) -> BitBoard {
    match piece {
        Piece::Knight => get_knight_moves(from),
        Piece::Bishop => get_bishop_moves(from, BitBoard::EMPTY),
        Piece::Rook => get_rook_moves(from, BitBoard::EMPTY),
        Piece::Queen => get_bishop_moves(from, BitBoard::EMPTY) | get_rook_moves(from, BitBoard::EMPTY),
        Piece::King => get_king_moves(from),
        Piece::Pawn => BitBoard::EMPTY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::rng::below;
    use afterstate_games::{Chess, Game, Notation, Turn, stream};

    #[test]
    fn every_reversible_move_has_a_difference_of_its_own() {
        let cycles = Cycles::get();
        let all: Vec<_> = cycles.differences.iter().filter(|&&difference| difference != 0).collect();
        // Of each colour 168 by knights, 280 by bishops, 448 by rooks, 728 by queens and 210 by kings.
        assert_eq!(all.len(), 2 * (168 + 280 + 448 + 728 + 210));
    }

    #[test]
    fn pieces_go_back_where_nothing_stands_between() {
        let cycles = Cycles::get();
        let board = |fen: &str| Chess::parse_position(fen).unwrap().board().clone();
        let before = board("4k3/8/8/8/8/4P3/8/R3K3 w - - 4 1");
        let after = board("4k3/8/8/8/8/R3P3/8/4K3 b - - 5 1");
        let other = board("4k3/8/8/8/8/4P2R/8/4K3 w - - 6 2");
        let behind = board("4k3/8/8/8/8/R3P3/8/4K3 b - - 5 1");
        let leads = |from: &Board, to: &Board| cycles.leads(from, from.hash() ^ to.hash());
        assert!(leads(&before, &after));
        assert!(!leads(&after, &before), "the rook that came is not that of the side to move");
        assert!(!leads(&other, &behind), "the pawn stands between");
        assert!(!leads(&before, &other), "this takes two moves");
        assert!(!leads(&before, &before));
    }

    /// In random games of few men a position can be repeated by one move exactly where the table says so.
    #[test]
    fn the_table_says_what_trying_all_moves_says() {
        let cycles = Cycles::get();
        let mut seen = [0; 2];
        for number in 0..200 {
            let mut game = Chess::parse_position("r3k3/1n6/8/q7/7B/8/6N1/R3K3 w - - 0 1").unwrap();
            let (mut rng, mut legal, mut keys) = (stream(3, number), Vec::new(), Vec::new());
            while !matches!(game.turn(), Turn::Over(_)) && keys.len() < 60 {
                let board = game.board();
                let key = board.hash_without_ep();
                keys.push(key);
                game.legal_moves(&mut legal);
                let after = |mv| {
                    let mut child = game.clone();
                    child.play(mv);
                    child.board().hash_without_ep()
                };
                let reversible = usize::from(board.halfmove_clock()).min(keys.len() - 1);
                for back in (3..=reversible).step_by(2) {
                    let earlier = keys[keys.len() - 1 - back];
                    let can = legal.iter().any(|&mv| after(mv) == earlier);
                    assert_eq!(cycles.leads(board, key ^ earlier), can, "{} {back}", game.position_text());
                    seen[usize::from(can)] += 1;
                }
                game.play(legal[below(&mut rng, legal.len() as u32) as usize]);
            }
        }
        assert!(seen[0] > 1_000 && seen[1] > 50, "{seen:?}");
    }
}
