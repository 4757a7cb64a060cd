//! Late terms, which count the more the more pieces are gone, as chess programs let evaluations of middlegame
//! and endgame pass into each other (<https://www.chessprogramming.org/Tapered_Eval>).
//!
//! Such a term belongs to another one, which shows whenever it does, and counts as many times as the position is late:
//!
//! ```text
//! what a side shows = Σ over the terms that it shows of  weight + lateness · late weight
//! ```

use super::families::*;
use super::view::{quarters_gone, stage};
use super::{ChessTerms, TermSet};
use afterstate_games::chess::cozy_chess::Board;

/// Late terms are numbered like what they belong to, so many places behind it.
const BEHIND_MATERIAL: usize = LATE_MATERIAL.at(0) - MATERIAL.at(0);
const BEHIND_SQUARES: usize = LATE_PAWN_SQUARE.at(0) - PAWN_SQUARE.at(0);

/// The terms of Meep that have no late ones there: those of material from two bishops on, and all behind the piece-square
/// tables.
const REST_OF_MATERIAL: usize = BISHOP_PAIR.only();
const BEHIND_TABLES: usize = LATE_PIECE_SQUARE.end();

/// Their late terms follow Meep's.
const FIRST_MORE: usize = MEEP;
const FIRST_MORE_BEHIND_TABLES: usize = FIRST_MORE + PAWN_SQUARE.at(0) - REST_OF_MATERIAL;

/// How many terms the tapered set has.
pub(super) const TAPERED: usize = FIRST_MORE_BEHIND_TABLES + MEEP - BEHIND_TABLES;

impl TermSet {
    /// How late a position can be.
    pub(super) const fn latest(self) -> usize {
        match self {
            TermSet::Meep | TermSet::KnightCap => 2,
            TermSet::Tapered => 4,
        }
    }

    /// How late a position is, from its stage or by quarters of its pieces.
    #[inline]
    pub(super) fn lateness(self, board: &Board) -> usize {
        match self {
            TermSet::Meep | TermSet::KnightCap => stage(board),
            TermSet::Tapered => quarters_gone(board),
        }
    }

    /// The late term of a term that is not one itself, which counts the more the more pieces are gone.
    #[inline(always)]
    pub const fn late(self, term: usize) -> Option<usize> {
        let tapered = matches!(self, TermSet::Tapered);
        if term < LATE_MATERIAL.at(0) {
            Some(term + BEHIND_MATERIAL)
        } else if term >= PAWN_SQUARE.at(0) && term < LATE_PAWN_SQUARE.at(0) {
            Some(term + BEHIND_SQUARES)
        } else if tapered && term >= REST_OF_MATERIAL && term < PAWN_SQUARE.at(0) {
            Some(term - REST_OF_MATERIAL + FIRST_MORE)
        } else if tapered && term >= BEHIND_TABLES && term < MEEP {
            Some(term - BEHIND_TABLES + FIRST_MORE_BEHIND_TABLES)
        } else {
            None
        }
    }

    /// What a late term belongs to.
    pub(super) fn early(self, late: usize) -> Option<usize> {
        (0..MEEP).find(|&term| self.late(term) == Some(late))
    }
}

impl ChessTerms {
    /// Weights of [Meep's](TermSet::Meep) terms as first weights of the [tapered](TermSet::Tapered) ones: late terms, which count
    /// up to four times and not twice, have half of what they had, and those that Meep does not have nothing. Evaluations
    /// stay what they were where few pieces are gone or few left, and pass more evenly from one to the other.
    ///
    /// # Panics
    ///
    /// If there are not as many weights as terms.
    ///
    /// ```
    /// use afterstate_engine::value::{ChessTerms, Features, TermSet, Weights};
    /// use afterstate_games::{Chess, Notation};
    /// let (meep, tapered) = (ChessTerms::new(TermSet::Meep), ChessTerms::new(TermSet::Tapered));
    /// let mut learnt = vec![0.0; meep.count()];
    /// let late_pawn = (0..meep.count()).find(|&term| meep.describe(term).ends_with("twice with most (pawn)")).unwrap();
    /// learnt[late_pawn] = 0.5;
    /// let ending = Chess::parse_position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")?;
    /// let sums = (
    ///     meep.sum(&ending, &Weights::from_values(&learnt)),
    ///     tapered.sum(&ending, &Weights::from_values(&ChessTerms::tapered(&learnt))),
    /// );
    /// assert_eq!(sums, (1.0, 1.0));
    /// # Ok::<(), afterstate_games::NotationError>(())
    /// ```
    pub fn tapered(meep: &[f32]) -> Vec<f32> {
        assert_eq!(meep.len(), MEEP, "each term has a weight");
        let mut weights = meep.to_vec();
        for late in (0..MEEP).filter_map(|term| TermSet::Meep.late(term)) {
            weights[late] *= 0.5;
        }
        weights.resize(TAPERED, 0.0);
        weights
    }
}
