//! [`Corrections`]: how far evaluations of positions with the same pawns, or the same pieces of one side, have lately been off,
//! which is added to the next one
//! (<https://www.chessprogramming.org/Static_Evaluation_Correction_History>).

use super::{EVALUATION_LIMIT, TournamentSettings, Tunables};
use afterstate_games::chess::cozy_chess::{Board, Color, Piece};
use afterstate_games::rng::mix;

/// Places for structures of one kind, for either side to move.
const PLACES: usize = 1 << 14;

/// Parts of a hundredth of a pawn that corrections are counted in.
const GRAIN: i32 = 256;

/// Running averages have weights in so many parts.
const FULL_WEIGHT: i32 = 1024;

/// See the head of this file. Each thread has its own.
pub(super) struct Corrections {
    /// By pawns, then by White's pieces, then by Black's.
    averages: Vec<i32>,
    /// Whether by pieces, too.
    by_pieces: bool,
    tunables: Tunables,
}

impl Corrections {
    pub(super) fn new(settings: &TournamentSettings) -> Corrections {
        let (by_pieces, tunables) = (settings.piece_correction, settings.tunables);
        Corrections { averages: vec![0; 3 * Color::NUM * PLACES], by_pieces, tunables }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.averages.fill(0);
    }

    /// The evaluation of a position, corrected; both as the side to move sees it.
    #[inline(always)]
    pub(super) fn corrected(&self, board: &Board, evaluation: i32) -> i32 {
        let mut correction = self.averages[of_pawns(board)];
        if self.by_pieces {
            let [white, black] = of_pieces(board);
            let both = self.averages[white] + self.averages[black];
            correction += (i64::from(both) * i64::from(self.tunables.correction_pieces) / 1024) as i32;
        }
        (evaluation + correction / GRAIN).clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT)
    }

    /// A search of this depth showed that the evaluation is off by `difference`: positive if the position is better than that.
    pub(super) fn learn(&mut self, board: &Board, depth: i32, difference: i32) {
        let Tunables { correction_most, correction_ply, correction_weight, .. } = self.tunables;
        let weight = i64::from((correction_ply * (depth + 1)).min(correction_weight).min(FULL_WEIGHT));
        let difference = i64::from(difference.clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT) * GRAIN);
        let most = i64::from(correction_most * GRAIN);
        let mut pull = |place: usize| {
            let average = &mut self.averages[place];
            let moved = i64::from(*average) * (i64::from(FULL_WEIGHT) - weight) + difference * weight;
            *average = (moved / i64::from(FULL_WEIGHT)).clamp(-most, most) as i32;
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
    let (white, black) = (pawns & board.colors(Color::White), pawns & board.colors(Color::Black));
    mix(white.0 ^ black.0.rotate_left(29))
}

/// By all men of a side but its pawns.
#[inline(always)]
fn of_pieces(board: &Board) -> [usize; Color::NUM] {
    const PIECES: [Piece; 5] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King];
    Color::ALL.map(|color| {
        let men = board.colors(color);
        let hash = PIECES.iter().fold(0, |hash: u64, &piece| mix(hash.rotate_left(11) ^ (board.pieces(piece) & men).0));
        place(1 + color as usize, board, hash)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::{Chess, Game, Notation};

    fn settings(piece_correction: bool) -> TournamentSettings {
        let tunables = Tunables {
            correction_most: 48,
            correction_pieces: 512,
            correction_ply: 4,
            correction_weight: 64,
            ..Tunables::default()
        };
        TournamentSettings { piece_correction, tunables, ..TournamentSettings::default() }
    }

    #[test]
    fn corrections_approach_what_was_off_and_belong_to_the_pawns() {
        let start = Chess::new();
        let mut corrections = Corrections::new(&settings(false));
        for _ in 0..200 {
            corrections.learn(start.board(), 20, 30);
        }
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
        for _ in 0..1_000 {
            corrections.learn(start.board(), 20, -9_000);
        }
        assert_eq!(corrections.corrected(start.board(), 0), -48);
    }

    #[test]
    fn pieces_of_either_side_have_corrections_of_their_own() {
        let start = Chess::new();
        let mut corrections = Corrections::new(&settings(true));
        for _ in 0..300 {
            corrections.learn(start.board(), 20, 32);
        }
        // All of what the pawns say, and half of what either side's pieces say.
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
