//! [`Corrections`]: how far evaluations of positions with the same pawns have lately been off, which is added to the next one
//! (<https://www.chessprogramming.org/Static_Evaluation_Correction_History>).

use super::EVALUATION_LIMIT;
use afterstate_games::chess::cozy_chess::{Board, Color, Piece};
use afterstate_games::rng::mix;

/// Places for pawn structures, for either side to move.
const PLACES: usize = 1 << 14;

/// Parts of a hundredth of a pawn that corrections are counted in.
const GRAIN: i32 = 256;

/// No correction is larger, in hundredths of a pawn.
const LIMIT: i32 = 48;

/// A new difference counts at most this much of [`FULL_WEIGHT`] in the running average.
const MOST_WEIGHT: i32 = 16;
const FULL_WEIGHT: i32 = 256;

/// See the head of this file. Each thread has its own.
pub(super) struct Corrections(Vec<i32>);

impl Corrections {
    pub(super) fn new() -> Corrections {
        Corrections(vec![0; Color::NUM * PLACES])
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.0.fill(0);
    }

    /// The evaluation of a position, corrected; both as the side to move sees it.
    #[inline(always)]
    pub(super) fn corrected(&self, board: &Board, evaluation: i32) -> i32 {
        (evaluation + self.0[place(board)] / GRAIN).clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT)
    }

    /// A search of this depth showed that the evaluation is off by `difference`: positive if the position is better than that.
    pub(super) fn learn(&mut self, board: &Board, depth: i32, difference: i32) {
        let weight = (depth + 1).min(MOST_WEIGHT);
        let average = &mut self.0[place(board)];
        let difference = difference.clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT) * GRAIN;
        let moved = i64::from(*average) * i64::from(FULL_WEIGHT - weight) + i64::from(difference) * i64::from(weight);
        *average = (moved / i64::from(FULL_WEIGHT)).clamp(i64::from(-LIMIT * GRAIN), i64::from(LIMIT * GRAIN)) as i32;
    }
}

#[inline(always)]
fn place(board: &Board) -> usize {
    let pawns = board.pieces(Piece::Pawn);
    let (white, black) = (pawns & board.colors(Color::White), pawns & board.colors(Color::Black));
    let hash = mix(white.0 ^ black.0.rotate_left(29));
    board.side_to_move() as usize * PLACES + (hash as usize & (PLACES - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::{Chess, Game, Notation};

    #[test]
    fn corrections_approach_what_was_off_and_belong_to_the_pawns() {
        let start = Chess::new();
        let mut corrections = Corrections::new();
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
        assert_eq!(corrections.corrected(start.board(), 0), -LIMIT);
    }
}
