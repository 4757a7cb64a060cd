//! [`Corrections`]: how far evaluations of positions with the same pawns, or the same pieces of one side, have lately been off,
//! which is added to the next one
//! (<https://www.chessprogramming.org/Static_Evaluation_Correction_History>).

use super::{EVALUATION_LIMIT, TournamentSettings, Tunables};
use afterstate_games::chess::cozy_chess::{BitBoard, Board, Color, Piece};
use afterstate_games::rng::mix;

/// Places for structures of one kind, for either side to move.
const PLACES: usize = 1 << 14;

/// No count goes beyond this, either way.
const LIMIT: i32 = 1024;

/// See the head of this file. Each thread has its own.
pub(super) struct Corrections {
    /// By pawns, then by White's pieces, then by Black's.
    counts: Vec<i16>,
    /// Whether by pieces, too.
    by_pieces: bool,
    tunables: Tunables,
}

impl Corrections {
    pub(super) fn new(settings: &TournamentSettings) -> Corrections {
        let (by_pieces, tunables) = (settings.piece_correction, settings.tunables);
        Corrections { counts: vec![0; 3 * Color::NUM * PLACES], by_pieces, tunables }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.counts.fill(0);
    }

    /// The evaluation of a position, corrected; both as the side to move sees it.
    #[inline(always)]
    pub(super) fn corrected(&self, board: &Board, evaluation: i32) -> i32 {
        let Tunables { correction_pawns, correction_pieces, .. } = self.tunables;
        let mut correction = i32::from(self.counts[of_pawns(board)]) * correction_pawns;
        if self.by_pieces {
            let [white, black] = of_pieces(board);
            correction += (i32::from(self.counts[white]) + i32::from(self.counts[black])) * correction_pieces;
        }
        (evaluation + correction / LIMIT).clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT)
    }

    /// A search of this depth showed that the corrected evaluation is still off by `difference`: positive if the position is better than
    /// that.
    pub(super) fn learn(&mut self, board: &Board, depth: i32, difference: i32) {
        let bonus = i64::from(difference) * i64::from(depth) * i64::from(self.tunables.correction_rate) / 1024;
        let bonus = bonus.clamp(-i64::from(LIMIT / 4), i64::from(LIMIT / 4)) as i32;
        // As the histories' counts move, so that one position of many cannot set them all.
        let mut pull = |place: usize| {
            let now = i32::from(self.counts[place]);
            self.counts[place] = (now + bonus - now * bonus.abs() / LIMIT) as i16;
        };
        pull(of_pawns(board));
        if self.by_pieces {
            of_pieces(board).into_iter().for_each(pull);
        }
    }
}

#[inline(always)]
fn place(kind: usize, board: &Board, hash: u64) -> usize {
    (kind * Color::NUM + board.side_to_move() as usize) * PLACES + (hash as usize & (PLACES - 1))
}

#[inline(always)]
fn of_pawns(board: &Board) -> usize {
    place(0, board, hash_of_pawns(board))
}

/// Tells placements of all pawns apart.
#[inline(always)]
pub(super) fn hash_of_pawns(board: &Board) -> u64 {
    let pawns = board.pieces(Piece::Pawn);
    let [white, black] = [board.colors(Color::White), board.colors(Color::Black)];
    mix(scattered(0, pawns & white).wrapping_add(scattered(1, pawns & black)))
}

/// By all men of a side but its pawns.
#[inline(always)]
fn of_pieces(board: &Board) -> [usize; Color::NUM] {
    // Arrays' `map` is not inlined by the compiler, which once cost a tenth of the whole search's time here.
    [of_side(board, Color::White), of_side(board, Color::Black)]
}

#[inline(always)]
fn of_side(board: &Board, color: Color) -> usize {
    let men = board.colors(color);
    let set = |number: usize, piece| scattered(number, board.pieces(piece) & men);
    // Products that do not wait for each other.
    let hash = set(0, Piece::Knight)
        .wrapping_add(set(1, Piece::Bishop))
        .wrapping_add(set(2, Piece::Rook))
        .wrapping_add(set(3, Piece::Queen))
        .wrapping_add(set(4, Piece::King));
    place(1 + color as usize, board, mix(hash))
}

/// A number for the set of squares of this number, such that squares of one set do not stand for squares of another.
#[inline(always)]
fn scattered(number: usize, set: BitBoard) -> u64 {
    const FACTORS: [u64; 5] = [
        0x9e37_79b9_7f4a_7c15,
        0xd1b5_4a32_d192_ed03,
        0x8cb9_2ba7_2f3d_8dd7,
        0xaef1_7502_108e_f2d9,
        0xf58c_7a52_3b1a_6d4b,
    ];
    set.0.wrapping_mul(FACTORS[number])
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::{Chess, Game, Notation};

    fn settings(piece_correction: bool) -> TournamentSettings {
        let tunables =
            Tunables { correction_pawns: 48, correction_pieces: 24, correction_rate: 512, ..Tunables::default() };
        TournamentSettings { piece_correction, tunables, ..TournamentSettings::default() }
    }

    /// Searches show that a position is worth so much more than its evaluation, 0.
    fn learn(corrections: &mut Corrections, board: &Board, worth: i32) {
        for _ in 0..200 {
            corrections.learn(board, 8, worth - corrections.corrected(board, 0));
        }
    }

    #[test]
    fn one_search_moves_the_counts_as_far_as_its_depth_says() {
        let (start, mut corrections) = (Chess::new(), Corrections::new(&settings(false)));
        let place = of_pawns(start.board());
        corrections.learn(start.board(), 8, 20);
        assert_eq!(corrections.counts[place], 80, "20 · 8 · 512/1024");
        corrections.learn(start.board(), 8, 20);
        assert_eq!(corrections.counts[place], 154, "80 + 80 − 80·80/1024");
        corrections.learn(start.board(), 40, -9_000);
        assert_eq!(corrections.counts[place], -140, "154 − 256 − 154·256/1024: no search counts for more");
        assert_eq!(corrections.corrected(start.board(), 100), 94, "100 − 140·48/1024");
    }

    #[test]
    fn corrections_approach_what_was_off_and_belong_to_the_pawns() {
        let start = Chess::new();
        let mut corrections = Corrections::new(&settings(false));
        learn(&mut corrections, start.board(), 30);
        let corrected = corrections.corrected(start.board(), 100);
        assert!((128..=130).contains(&corrected), "{corrected}");
        let mut same_pawns = start.clone();
        for text in ["g1f3", "g8f6"] {
            same_pawns.play(same_pawns.parse_move(text).unwrap());
        }
        assert_eq!(corrections.corrected(same_pawns.board(), 0), corrected - 100);
        let mut other_pawns = start.clone();
        for text in ["e2e4", "g8f6", "f1e2", "f6g8"] {
            other_pawns.play(other_pawns.parse_move(text).unwrap());
        }
        assert_eq!(corrections.corrected(other_pawns.board(), 0), 0);
        learn(&mut corrections, start.board(), -9_000);
        assert!((-48..=-47).contains(&corrections.corrected(start.board(), 0)));
    }

    #[test]
    fn pawns_of_one_side_do_not_stand_for_those_of_the_other() {
        let after = |moves: &[&str]| {
            let mut game = Chess::new();
            moves.iter().for_each(|text| game.play(game.parse_move(text).unwrap()));
            hash_of_pawns(game.board())
        };
        let single = ["a3", "b3", "c3", "d3", "e3", "f3", "g3", "h3"];
        let mut hashes = vec![after(&[])];
        for white in single.map(|to| format!("{}2{to}", &to[..1])) {
            hashes.push(after(&[&white]));
            for black in single.map(|to| format!("{}7{}6", &to[..1], &to[..1])) {
                hashes.push(after(&[&white, &black]));
                hashes.push(after(&["g1f3", &black]));
            }
        }
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 1 + 8 + 64 + 8);
    }

    #[test]
    fn pieces_of_either_side_have_corrections_of_their_own() {
        let start = Chess::new();
        let mut corrections = Corrections::new(&settings(true));
        learn(&mut corrections, start.board(), 64);
        // What the pawns say, and half as much by either side's pieces: not twice what is off, as each would learn it alone.
        let whole = corrections.corrected(start.board(), 0);
        assert!((62..=64).contains(&whole), "{whole}");
        let after = |moves: &[&str]| {
            let mut game = start.clone();
            moves.iter().for_each(|text| game.play(game.parse_move(text).unwrap()));
            corrections.corrected(game.board(), 0)
        };
        let (of_pawns, of_one_side) = (after(&["g1f3", "g8f6"]), after(&["g1f3", "g8f6", "f3g1", "b8c6"]));
        assert!((30..=32).contains(&of_pawns), "{of_pawns}");
        assert!((46..=48).contains(&of_one_side), "{of_one_side}");
        let other_pawns = after(&["e2e4", "g8f6", "f1e2", "f6g8", "e2f1", "e7e5"]);
        assert!((30..=32).contains(&other_pawns), "{other_pawns}");
    }
}
