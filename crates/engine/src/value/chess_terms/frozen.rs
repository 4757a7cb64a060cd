//! [`FrozenTerms`]: learnt weights as a fast evaluation in hundredths of a pawn.

use super::view::{STAGES, stage};
use super::{ChessTerms, Sink, TermSet, View, pawns, sides};
use crate::search::{ChessEvaluation, EVALUATION_LIMIT};
use crate::value::{Features, Weights};
use afterstate_games::chess::cozy_chess::{BitBoard, Board, Color, Piece, Square};
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
    /// How often late terms count in the sum.
    late: usize,
    sum: i32,
    passed: [BitBoard; 2],
}

/// Weights of [`ChessTerms`] that do not learn any more.
///
/// What they were learnt as, whatever its unit, is scaled so that a pawn, a knight, a bishop, a rook and a queen are worth
/// 2100 together: margins of searches are in such units. With few men on the board each may be worth more than that, which
/// [`ChessEvaluation::growth`] says.
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
    /// What each term is worth with its late one: all of them for each number of times that late terms can count.
    weights: Arc<[i32]>,
    /// What men are worth by stage, in 64ths of what they are worth in the first.
    growth: [i32; STAGES],
    structures: Box<[Structure]>,
}

struct Summing<'a> {
    weights: &'a [i32],
    sum: i32,
}

impl Sink for Summing<'_> {
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
        // Pawns everywhere: no position has them, so that nothing is found before it was put there.
        let none = Structure { pawns: [!BitBoard::EMPTY; 2], late: 0, sum: 0, passed: [BitBoard::EMPTY; 2] };
        let (set, grains): (_, Vec<i32>) = (terms.set(), weights.values().into_iter().map(grains).collect());
        let mut with_late = Vec::with_capacity((set.latest() + 1) * grains.len());
        for times in 0..=set.latest() as i32 {
            let late = |term| set.late(term).map_or(0, |late| times * grains[late]);
            with_late.extend((0..grains.len()).map(|term| grains[term] + late(term)));
        }
        FrozenTerms {
            terms,
            weights: with_late.into(),
            growth: growth(&terms, weights),
            structures: vec![none; CACHED].into(),
        }
    }

    /// **White's** advantage in hundredths of a pawn.
    #[inline]
    pub fn centipawns(&mut self, game: &Chess) -> i32 {
        let view = View::new(game);
        let late = self.terms.set().lateness(game.board());
        let structure = self.structure(view.camps[0].pawns(), view.camps[1].pawns(), late);
        let weights = self.weights_of(late);
        let mut sums = [0; 2];
        for ((camp, other), (sum, passed)) in sides(&view).into_iter().zip(sums.iter_mut().zip(structure.passed)) {
            let mut sink = Summing { weights, sum: 0 };
            self.terms.visit_all_but_structure(game, &view, (camp, other), passed, &mut sink);
            *sum = sink.sum;
        }
        let [white, black] = sums;
        (structure.sum + white - black) / GRAINS as i32
    }

    /// What terms are worth when late ones count so many times.
    #[inline]
    fn weights_of(&self, late: usize) -> &[i32] {
        let count = self.terms.count();
        &self.weights[late * count..][..count]
    }

    #[inline]
    fn structure(&mut self, white: BitBoard, black: BitBoard, late: usize) -> Structure {
        // Among pawns there are no late terms but in the tapered set.
        let late = if self.terms.set() == TermSet::Tapered { late } else { 0 };
        let at = (mix(white.0 ^ black.0.rotate_left(29)) as usize + late) % CACHED;
        if (self.structures[at].pawns, self.structures[at].late) != ([white, black], late) {
            let mut passed = [BitBoard::EMPTY; 2];
            let weights = self.weights_of(late);
            let mut sum = |own, theirs, color| {
                let mut sink = Summing { weights, sum: 0 };
                passed[color as usize] = pawns::structure(own, theirs, color, &mut sink);
                sink.sum
            };
            let sum = sum(white, black, Color::White) - sum(black, white, Color::Black);
            self.structures[at] = Structure { pawns: [white, black], late, sum, passed };
        }
        self.structures[at]
    }
}

impl ChessEvaluation for FrozenTerms {
    #[inline]
    fn evaluate(&mut self, game: &Chess) -> i32 {
        self.centipawns(game).clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT)
    }

    #[inline]
    fn growth(&self, board: &Board) -> i32 {
        self.growth[stage(board)]
    }
}

/// What a pawn is worth in the unit of the weights: a part of what the loss of one man of each kind changes in the first
/// position. Weights that have hardly learnt anything may say anything; they count as if a pawn were worth a little.
fn pawn(terms: &ChessTerms, weights: &Weights) -> f32 {
    /// A pawn should decide a five-hundredth of the game at least.
    const LEAST: f32 = 0.002;
    let worth = worth_of(terms, weights, &[], &[0, 1, 2, 3, 4]);
    (worth / USUAL_WORTH).max(LEAST)
}

/// Squares that White's pawns, knights, bishops, rooks and queen begin on.
const HOMES: [&[Square]; 5] = [
    &[Square::A2, Square::B2, Square::C2, Square::D2, Square::E2, Square::F2, Square::G2, Square::H2],
    &[Square::B1, Square::G1],
    &[Square::C1, Square::F1],
    &[Square::A1, Square::H1],
    &[Square::D1],
];

/// What men of these kinds are worth together, one of each: what their loss changes in the first position when neither side has the
/// men that begin on `absent` and on the squares opposite.
fn worth_of(terms: &ChessTerms, weights: &Weights, absent: &[Square], kinds: &[usize]) -> f32 {
    let both: Vec<Square> = absent.iter().flat_map(|&square| [square, square.flip_rank()]).collect();
    let sum = |missing: Option<Square>| {
        let text = first_position(&[&both[..], missing.as_slice()].concat());
        terms.sum(&Chess::parse_position(&text).expect("a first position without some men can be played"), weights)
    };
    let whole = sum(None);
    let without = |&kind: &usize| {
        let there: Vec<Square> = HOMES[kind].iter().copied().filter(|square| !absent.contains(square)).collect();
        there.iter().map(|&square| whole - sum(Some(square))).sum::<f32>() / there.len() as f32
    };
    kinds.iter().map(without).sum()
}

/// What men are worth by stage, in 64ths of what they are worth in the first position; as much at least, and at most four times
/// as much, for weights that have hardly learnt anything may say anything.
fn growth(terms: &ChessTerms, weights: &Weights) -> [i32; STAGES] {
    let grown = |absent: &[Square], kinds: &[usize]| {
        let times = worth_of(terms, weights, absent, kinds) / worth_of(terms, weights, &[], kinds);
        if times.is_finite() { (64.0 * times).round().clamp(64.0, 256.0) as i32 } else { 64 }
    };
    // No queens and a bishop less; then a rook and a knight for each side.
    let half = [Square::D1, Square::C1];
    let few = [Square::D1, Square::C1, Square::F1, Square::B1, Square::A1];
    [64, grown(&half, &[0, 1, 2, 3]), grown(&few, &[0, 1, 3])]
}

/// The first position without the men on some squares, as FEN. Nobody may castle, so that rooks can be missing.
fn first_position(missing: &[Square]) -> String {
    let game = Chess::new();
    let symbol = |at: Square| {
        let board = game.board();
        match board.piece_on(at) {
            Some(piece) if !missing.contains(&at) => {
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

#[cfg(test)]
mod tests {
    use super::super::families::LATE_MATERIAL;
    use super::*;
    use crate::value::TermSet;

    #[test]
    fn margins_grow_with_what_men_are_worth() {
        let terms = ChessTerms::new(TermSet::Meep);
        let values = [1.0, 3.0, 3.0, 5.0, 9.0];
        let weights = terms.piece_values(values);
        assert_eq!(FrozenTerms::new(terms, &weights).growth, [64; 3]);
        // Half as much again at each stage, and a queen that nobody has there any more.
        for (piece, value) in values.into_iter().enumerate() {
            weights.set(LATE_MATERIAL.at(piece), 0.5 * value);
        }
        let frozen = FrozenTerms::new(terms, &weights);
        assert_eq!(frozen.growth, [64, 96, 128]);
        for (text, expected) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 64),
            ("r3kb2/8/8/8/8/8/8/R2NK2R w - - 0 1", 96),
            ("r3k3/8/8/8/8/8/8/R2NK3 w - - 0 1", 128),
        ] {
            assert_eq!(frozen.growth(Chess::parse_position(text).unwrap().board()), expected, "{text}");
        }
        // What nothing was learnt of, and what shrinks.
        assert_eq!(FrozenTerms::new(terms, &Weights::zeros(terms.count())).growth, [64; 3]);
        (0..5).for_each(|piece| weights.set(LATE_MATERIAL.at(piece), -0.4));
        assert_eq!(FrozenTerms::new(terms, &weights).growth, [64; 3]);
    }
}
