//! [`FrozenTerms`]: learnt weights as a fast evaluation in hundredths of a pawn.

use super::{ChessTerms, Sink, View, pawns, sides};
use crate::search::{ChessEvaluation, EVALUATION_LIMIT};
use crate::value::{Features, Weights};
use afterstate_games::chess::cozy_chess::{BitBoard, Color, Piece, Square};
use afterstate_games::rng::mix;
use afterstate_games::{Chess, Notation};
use std::sync::Arc;

/// Weights are whole numbers, so many of which are a hundredth of a pawn.
const GRAINS: f32 = 64.0;

/// Pawn structures that are remembered.
const CACHED: usize = 1 << 13;

/// What a set of men is worth in pawns by common consent (C. Shannon, *Programming a computer for playing chess*, 1950):
/// pawn, knight, bishop, rook and queen.
const USUAL_WORTH: f32 = 1.0 + 3.0 + 3.0 + 5.0 + 9.0;

/// The sum of the terms that pawns alone decide, for the pawns that it belongs to.
#[derive(Clone, Copy)]
struct Structure {
    pawns: [BitBoard; 2],
    sum: i32,
    passed: [BitBoard; 2],
}

/// Weights of [`ChessTerms`] that do not learn any more.
///
/// What they were learnt as, whatever its unit, is scaled so that a pawn, a knight, a bishop, a rook and a queen are worth
/// 2100 together: margins of searches are in such units.
///
/// ```
/// use afterstate_engine::value::{ChessTerms, Features, FrozenTerms, TermSet, Weights};
/// use afterstate_games::{Chess, Notation};
/// let terms = ChessTerms::new(TermSet::Meep);
/// let mut frozen = FrozenTerms::new(terms, &terms.piece_values([1.0, 3.0, 3.0, 5.0, 9.0]));
/// let rook_ahead = Chess::parse_position("4k3/8/8/8/8/8/8/4K2R w - - 0 1")?;
/// assert_eq!(frozen.centipawns(&rook_ahead), 500);
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
#[derive(Clone)]
pub struct FrozenTerms {
    terms: ChessTerms,
    weights: Arc<[i32]>,
    structures: Box<[Structure]>,
}

struct Summing<'a> {
    weights: &'a [i32],
    sum: i32,
}

impl Sink for Summing<'_> {
    #[inline(always)]
    fn add(&mut self, term: usize) {
        self.sum += self.weights[term];
    }

    #[inline(always)]
    fn add_times(&mut self, term: usize, times: usize) {
        self.sum += self.weights[term] * times as i32;
    }
}

impl FrozenTerms {
    /// A copy of `weights` as they are now.
    ///
    /// # Panics
    ///
    /// If there are not as many weights as terms.
    pub fn new(terms: ChessTerms, weights: &Weights) -> FrozenTerms {
        assert_eq!(weights.len(), terms.count(), "each term has a weight");
        let scale = 100.0 * GRAINS / pawn(&terms, weights);
        // Sums of some hundred weights stay far inside the range.
        let grains = |weight: f32| (weight * scale).round().clamp(-1e6, 1e6) as i32;
        // Both sides without pawns: every field fits, and their structure is the one that belongs to no pawns.
        let none = Structure { pawns: [!BitBoard::EMPTY; 2], sum: 0, passed: [BitBoard::EMPTY; 2] };
        FrozenTerms {
            terms,
            weights: weights.values().into_iter().map(grains).collect(),
            structures: vec![none; CACHED].into(),
        }
    }

    /// **White's** advantage in hundredths of a pawn.
    #[inline]
    pub fn centipawns(&mut self, game: &Chess) -> i32 {
        let view = View::new(game);
        let structure = self.structure(view.camps[0].pawns(), view.camps[1].pawns());
        let mut sums = [0; 2];
        for ((camp, other), (sum, passed)) in sides(&view).into_iter().zip(sums.iter_mut().zip(structure.passed)) {
            let mut sink = Summing { weights: &self.weights, sum: 0 };
            self.terms.visit_all_but_structure(game, &view, (camp, other), passed, &mut sink);
            *sum = sink.sum;
        }
        let [white, black] = sums;
        (structure.sum + white - black) / GRAINS as i32
    }

    #[inline]
    fn structure(&mut self, white: BitBoard, black: BitBoard) -> Structure {
        let at = mix(white.0 ^ black.0.rotate_left(29)) as usize % CACHED;
        if self.structures[at].pawns != [white, black] {
            let mut passed = [BitBoard::EMPTY; 2];
            let mut sum = |own, theirs, color| {
                let mut sink = Summing { weights: &self.weights, sum: 0 };
                passed[color as usize] = pawns::structure(own, theirs, color, &mut sink);
                sink.sum
            };
            let sum = sum(white, black, Color::White) - sum(black, white, Color::Black);
            self.structures[at] = Structure { pawns: [white, black], sum, passed };
        }
        self.structures[at]
    }
}

impl ChessEvaluation for FrozenTerms {
    #[inline]
    fn evaluate(&mut self, game: &Chess) -> i32 {
        self.centipawns(game).clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT)
    }
}

/// What a pawn is worth in the unit of the weights: a part of what the loss of one man of each kind changes in the first
/// position. Weights that have hardly learnt anything may say anything; they count as if a pawn were worth a little.
fn pawn(terms: &ChessTerms, weights: &Weights) -> f32 {
    /// A pawn should decide a five-hundredth of the game at least.
    const LEAST: f32 = 0.002;
    let sum = |missing| {
        let text = first_position(missing);
        terms.sum(&Chess::parse_position(&text).expect("a first position without a man can be played"), weights)
    };
    let whole = sum(None);
    let without = |squares: &[Square]| {
        let loss = |&square: &Square| whole - sum(Some(square));
        squares.iter().map(loss).sum::<f32>() / squares.len() as f32
    };
    let worth = without(&[Square::B1, Square::G1])
        + without(&[Square::C1, Square::F1])
        + without(&[Square::A1, Square::H1])
        + without(&[Square::D1])
        + without(&[Square::A2, Square::B2, Square::C2, Square::D2, Square::E2, Square::F2, Square::G2, Square::H2]);
    (worth / USUAL_WORTH).max(LEAST)
}

/// The first position, perhaps without the man on a square, as FEN. Nobody may castle, so that rooks can be missing.
fn first_position(missing: Option<Square>) -> String {
    let game = Chess::new();
    let symbol = |at: Square| {
        let board = game.board();
        match board.piece_on(at) {
            Some(piece) if Some(at) != missing => {
                let letter = char::from(piece);
                if board.color_on(at) == Some(Color::White) { letter.to_ascii_uppercase() } else { letter }
            }
            _ => '1',
        }
    };
    let ranks: Vec<String> =
        (0..8).rev().map(|rank| (0..8).map(|file| symbol(Square::index(8 * rank + file))).collect()).collect();
    format!("{} w - - 0 1", ranks.join("/"))
}

impl ChessTerms {
    /// Weights that know nothing but what pawns, knights, bishops, rooks and queens are worth.
    pub fn piece_values(&self, values: [f32; 5]) -> Weights {
        let weights = Weights::zeros(self.count());
        for (piece, value) in
            [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen].into_iter().zip(values)
        {
            weights.set(super::families::MATERIAL.at(piece as usize), value);
        }
        weights
    }
}
