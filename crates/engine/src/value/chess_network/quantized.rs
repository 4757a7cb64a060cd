//! [`QuantizedNetwork`]: a network in whole numbers, which follows a search from position to position.

use super::men::input;
use super::{ChessNetwork, GROUP, INPUTS};
use crate::search::{ChessEvaluation, EVALUATION_LIMIT};
use crate::value::centipawns::PER_LOGIT;
use afterstate_games::Chess;
use afterstate_games::chess::cozy_chess::{BitBoard, Board, Color, Piece};
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
    /// wⱼ and w'ⱼ of each bucket, in hundredths of a pawn for a hidden unit of [`ONE`].
    outputs: Vec<[Vec<f32>; 2]>,
    /// c of each bucket, in hundredths of a pawn.
    biases: Vec<f32>,
}

/// The men of a board by color and kind.
type Placement = [[BitBoard; Piece::NUM]; Color::NUM];

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
        let in_pawns = |weight: &f32| weight * PER_LOGIT / (ONE * ONE);
        let of_bucket = |bucket| [0, 1].map(|side| network.outputs(bucket, side).iter().map(in_pawns).collect());
        let outputs = (0..network.buckets()).map(of_bucket).collect();
        let biases = network.weights()[network.output_bias(0)..].iter().map(|bias| bias * PER_LOGIT).collect();
        let empty = inputs[INPUTS * hidden..].to_vec();
        QuantizedNetwork {
            frozen: Arc::new(Frozen { hidden, inputs, outputs, biases }),
            seen: [[BitBoard::EMPTY; Piece::NUM]; Color::NUM],
            sums: [empty.clone(), empty],
        }
    }

    /// Brings the sums up to date, from those of the last board or, where more of it is gone than is on this one, from nothing.
    #[inline]
    fn see(&mut self, board: &Board) {
        let men: Placement = Color::ALL.map(|color| Piece::ALL.map(|kind| board.colored_pieces(color, kind)));
        let changes = |seen: &Placement| {
            let differ = |(before, now): (&BitBoard, &BitBoard)| (*before ^ *now).len();
            seen.iter().flatten().zip(men.iter().flatten()).map(differ).sum::<u32>()
        };
        if changes(&self.seen) > board.occupied().len() {
            self.seen = [[BitBoard::EMPTY; Piece::NUM]; Color::NUM];
            let Frozen { hidden, inputs, .. } = &*self.frozen;
            self.sums.iter_mut().for_each(|sums| sums.copy_from_slice(&inputs[INPUTS * hidden..]));
        }
        for color in Color::ALL {
            for kind in Piece::ALL {
                let (before, now) = (self.seen[color as usize][kind as usize], men[color as usize][kind as usize]);
                for square in before - now {
                    self.change(color, kind, square as usize, i16::wrapping_sub);
                }
                for square in now - before {
                    self.change(color, kind, square as usize, i16::wrapping_add);
                }
            }
        }
        self.seen = men;
    }

    #[inline(always)]
    fn change(&mut self, color: Color, kind: Piece, square: usize, by: impl Fn(i16, i16) -> i16) {
        let Frozen { hidden, inputs, .. } = &*self.frozen;
        for (seer, sums) in Color::ALL.into_iter().zip(&mut self.sums) {
            let row = &inputs[usize::from(input(seer, color, kind, square)) * hidden..][..*hidden];
            sums.iter_mut().zip(row).for_each(|(sum, &weight)| *sum = by(*sum, weight));
        }
    }

    /// What the side to move is ahead by, in hundredths of a pawn.
    #[inline]
    fn ahead(&mut self, board: &Board) -> f32 {
        self.see(board);
        let us = board.side_to_move();
        let Frozen { outputs, biases, .. } = &*self.frozen;
        let bucket = ChessNetwork::bucket(biases.len(), board.occupied().len() as usize);
        let mut total = biases[bucket];
        for (color, weights) in [us, !us].into_iter().zip(&outputs[bucket]) {
            let mut partial = [0.0; GROUP];
            let groups = self.sums[color as usize].as_chunks::<GROUP>().0.iter().zip(weights.as_chunks::<GROUP>().0);
            for (sums, weights) in groups {
                for (partial, (&sum, weight)) in partial.iter_mut().zip(sums.iter().zip(weights)) {
                    // Below 2¹⁶: processors multiply many such numbers at once.
                    let unit = sum.clamp(0, ONE as i16) as u16;
                    *partial += f32::from(unit * unit) * weight;
                }
            }
            total += partial.iter().sum::<f32>();
        }
        total
    }
}

impl ChessEvaluation for QuantizedNetwork {
    #[inline]
    fn evaluate(&mut self, game: &Chess) -> i32 {
        let board = game.board();
        let ahead = self.ahead(board).round() as i32;
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
}
