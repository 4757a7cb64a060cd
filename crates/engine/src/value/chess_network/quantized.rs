//! [`QuantizedNetwork`]: a network in whole numbers, which follows a search from position to position.

use super::men::{Men, seen_by};
use super::{ChessNetwork, GROUP, INPUTS};
use crate::search::{ChessEvaluation, EVALUATION_LIMIT};
use crate::value::centipawns::PER_LOGIT;
use afterstate_games::Chess;
use afterstate_games::chess::cozy_chess::{Board, Color, Piece};
use multiversion::multiversion;
use std::sync::Arc;

/// What a hidden unit of 1 is in whole numbers. Sums of these are exact, so that a position has one value whatever was seen before it.
const ONE: f32 = 255.0;

/// No weight is larger than that, so that sums of a board's 64 squares fit into 16 bits.
const LARGEST: f32 = 32_000.0 / 65.0;

/// What does not change.
struct Frozen {
    hidden: usize,
    /// vᵢⱼ, input by input, and bⱼ.
    inputs: Vec<i16>,
    buckets: Vec<Outputs>,
}

/// What a bucket makes of hidden units.
struct Outputs {
    /// wⱼ and w'ⱼ in whole steps, as short as they may be: each fits into 16 bits, and all together are no more than [`MOST_STEPS`].
    weights: [Vec<i16>; 2],
    /// Hundredths of a pawn that a step is worth for each half of a squared unit.
    step: f32,
    /// c, in hundredths of a pawn.
    bias: f32,
}

/// So many steps, times half the square of [`ONE`], are less than 2³¹.
const MOST_STEPS: f32 = 65_000.0;

impl Outputs {
    fn new(network: &ChessNetwork, bucket: usize) -> Outputs {
        let weights = [0, 1].map(|side| network.outputs(bucket, side));
        let magnitudes = || weights.iter().copied().flatten().map(|weight| weight.abs());
        let (sum, largest) = (magnitudes().sum::<f32>(), magnitudes().fold(f32::MIN_POSITIVE, f32::max));
        // Rounding may add half a step for each weight.
        let steps = (MOST_STEPS - weights[0].len() as f32) / sum.max(f32::MIN_POSITIVE);
        let steps = steps.min(f32::from(i16::MAX) / largest).min(f32::MAX);
        let whole = |weight: &f32| (weight * steps).round() as i16;
        Outputs {
            weights: weights.map(|weights| weights.iter().map(whole).collect()),
            step: 2.0 * PER_LOGIT / (ONE * ONE * steps),
            bias: network.weights()[network.output_bias(bucket)] * PER_LOGIT,
        }
    }
}

/// The men of a board by color and kind, a bit for each square.
type Placement = [[u64; Piece::NUM]; Color::NUM];

const NOBODY: Placement = [[0; Piece::NUM]; Color::NUM];

/// An evaluation by a [`ChessNetwork`] as it was. Clones share its weights.
///
/// It remembers the hidden sums of the position that it saw last: the next one of a search differs by a few men.
///
/// ```
/// use afterstate_engine::search::ChessEvaluation;
/// use afterstate_engine::value::chess_network::{ChessNetwork, QuantizedNetwork};
/// use afterstate_games::{Chess, Notation, stream};
/// let mut evaluation = QuantizedNetwork::new(&ChessNetwork::random(16, 8, &mut stream(1, 0)));
/// let turned = Chess::parse_position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1")?;
/// assert_eq!(evaluation.evaluate(&Chess::new()), -evaluation.evaluate(&turned));
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
#[derive(Clone)]
pub struct QuantizedNetwork {
    frozen: Arc<Frozen>,
    seen: Placement,
    /// a of `seen`, as White and as Black see it.
    sums: [Vec<i16>; 2],
}

impl QuantizedNetwork {
    /// A copy of a network as it is now.
    pub fn new(network: &ChessNetwork) -> QuantizedNetwork {
        let whole = |weight: &f32| (weight * ONE).round().clamp(-LARGEST, LARGEST) as i16;
        let hidden = network.hidden();
        let inputs: Vec<i16> = network.weights()[..(INPUTS + 1) * hidden].iter().map(whole).collect();
        let buckets = (0..network.buckets()).map(|bucket| Outputs::new(network, bucket)).collect();
        let empty = inputs[INPUTS * hidden..].to_vec();
        QuantizedNetwork {
            frozen: Arc::new(Frozen { hidden, inputs, buckets }),
            seen: NOBODY,
            sums: [empty.clone(), empty],
        }
    }
}

/// What the side to move is ahead by, in hundredths of a pawn; brings `seen` and `sums` up to date.
///
/// Loops are spelled out here: what iterators call is not compiled for the same processor, and so not inlined.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+fma+lzcnt+popcnt", "aarch64+neon"))]
fn ahead(frozen: &Frozen, seen: &mut Placement, sums: &mut [Vec<i16>; 2], board: &Board) -> i32 {
    see(frozen, seen, sums, board);
    let us = board.side_to_move();
    let bucket = ChessNetwork::bucket(frozen.buckets.len(), board.occupied().len() as usize);
    let Outputs { weights, step, bias } = &frozen.buckets[bucket];
    let mut total = 0;
    for (side, color) in [(0, us), (1, !us)] {
        let sums = &sums[color as usize][..frozen.hidden];
        let weights = &weights[side][..frozen.hidden];
        for j in 0..frozen.hidden {
            // Below 2¹⁶, and its half below 2¹⁵: processors multiply and add many such numbers at once.
            let unit = sums[j].clamp(0, ONE as i16) as u16;
            total += i32::from((unit * unit / 2) as i16) * i32::from(weights[j]);
        }
    }
    (bias + step * total as f32).round() as i32
}

/// Brings the sums up to date, from those of the last board or, where more of it is gone than is on this one, from nothing.
#[inline(always)]
fn see(frozen: &Frozen, seen: &mut Placement, sums: &mut [Vec<i16>; 2], board: &Board) {
    let Frozen { hidden, inputs, .. } = frozen;
    let (mut gone, mut come) = (Men::none(), Men::none());
    change(seen, board, &mut gone, &mut come);
    if gone.inputs().len() + come.inputs().len() > board.occupied().len() as usize {
        *seen = NOBODY;
        for sums in &mut *sums {
            sums.copy_from_slice(&inputs[INPUTS * hidden..]);
        }
        (gone, come) = (Men::none(), Men::none());
        change(seen, board, &mut gone, &mut come);
    }
    for seer in 0..2 {
        let sums = &mut sums[seer][..*hidden];
        let mut from = 0;
        while from + MANY <= *hidden {
            move_men::<MANY>(frozen, seer, sums, from, (&gone, &come));
            from += MANY;
        }
        // All networks have a multiple of so many.
        while from < *hidden {
            move_men::<GROUP>(frozen, seer, sums, from, (&gone, &come));
            from += GROUP;
        }
    }
}

/// Which men are gone since `seen`, and which have come, as White sees them; `seen` becomes the board.
#[inline(always)]
fn change(seen: &mut Placement, board: &Board, gone: &mut Men, come: &mut Men) {
    for color in [Color::White, Color::Black] {
        for kind in 0..Piece::NUM {
            let piece = Piece::index(kind);
            let seen = &mut seen[color as usize][piece as usize];
            let (before, after) = (*seen, board.colored_pieces(color, piece).0);
            gone.push_all(Color::White, (color, piece), before & !after);
            come.push_all(Color::White, (color, piece), after & !before);
            *seen = after;
        }
    }
}

/// Hidden units whose sums fit into half of the processor's registers.
const MANY: usize = 128;
/// Brings the sums of `UNITS` hidden units up to date. They are read and written once, however many men have moved.
#[inline(always)]
fn move_men<const UNITS: usize>(
    frozen: &Frozen,
    seer: usize,
    sums: &mut [i16],
    from: usize,
    (gone, come): (&Men, &Men),
) {
    let row = |input: u16| &frozen.inputs[seen_by(seer, input) * frozen.hidden + from..][..UNITS];
    let kept = &mut sums[from..][..UNITS];
    let mut sums = [0; UNITS];
    sums.copy_from_slice(kept);
    for &input in gone.inputs() {
        let gone = row(input);
        for j in 0..UNITS {
            sums[j] = sums[j].wrapping_sub(gone[j]);
        }
    }
    for &input in come.inputs() {
        let come = row(input);
        for j in 0..UNITS {
            sums[j] = sums[j].wrapping_add(come[j]);
        }
    }
    kept.copy_from_slice(&sums);
}

impl ChessEvaluation for QuantizedNetwork {
    #[inline]
    fn evaluate(&mut self, game: &Chess) -> i32 {
        let board = game.board();
        let ahead = ahead(&self.frozen, &mut self.seen, &mut self.sums, board);
        let white = if board.side_to_move() == Color::White { ahead } else { -ahead };
        white.clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::chess_network::{Activation, Men};
    use afterstate_games::rng::below;
    use afterstate_games::{Game, Notation, Turn, stream};

    /// Values of the positions of random games, in hundredths of a pawn.
    #[test]
    fn it_says_what_the_network_says_whatever_it_saw_before() {
        let mut rng = stream(5, 0);
        let network = ChessNetwork::random(32, 8, &mut rng);
        let mut followed = QuantizedNetwork::new(&network);
        let mut moves = Vec::new();
        for _ in 0..20 {
            let mut game = Chess::new();
            while let Turn::Player(_) = game.turn() {
                let found = followed.evaluate(&game);
                assert_eq!(QuantizedNetwork::new(&network).evaluate(&game), found, "{}", game.position_text());
                let exact = PER_LOGIT * network.evaluate(&Men::of(game.board()), &mut Activation::default());
                let exact = if game.board().side_to_move() == Color::White { exact } else { -exact };
                assert!((found as f32 - exact).abs() < 4.0, "{found}, but {exact}: {}", game.position_text());
                game.legal_moves(&mut moves);
                game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
            }
        }
    }

    #[test]
    fn sums_of_the_largest_numbers_fit() {
        for worth in [1e-30, 1.0, 1e30] {
            let mut weights = vec![1e9; ChessNetwork::count(1024, 1)];
            weights[(INPUTS + 1) * 1024..].fill(worth);
            let network = ChessNetwork::from_weights(1024, 1, weights).unwrap();
            let found = QuantizedNetwork::new(&network).evaluate(&Chess::new());
            // All hidden units are 1, for both sides; c is worth as much as one of them.
            let exact = (2049.0 * worth * PER_LOGIT).min(EVALUATION_LIMIT as f32);
            assert!((found as f32 - exact).abs() <= 1.0, "{found}, but {exact}");
        }
    }
}
