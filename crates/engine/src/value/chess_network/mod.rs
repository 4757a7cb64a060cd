//! [`ChessNetwork`]: a network with one hidden layer that sees where the men of a position of chess stand, as both sides see it
//! (Y. Nasu, *Efficiently updatable neural-network-based evaluation functions for computer shogi*, 2018).
//!
//! ```text
//! aⱼ = bⱼ + Σᵢ vᵢⱼ xᵢ                    xᵢ: 1 if there is such a man on such a square, seen by the side to move
//! a'ⱼ = bⱼ + Σᵢ vᵢⱼ x'ᵢ                  the same seen by the other side
//! n(s) = c + Σⱼ wⱼ r(aⱼ)² + Σⱼ w'ⱼ r(a'ⱼ)²        r(a) = a, cut to 0 … 1; c, w and w' are those of the bucket of s
//! V(s) = σ(n(s))                         how much of a game the side to move may expect
//! ```
//!
//! Both sides see the board from their own first rank and their own men first, so that a position and its mirror image are worth
//! the same. A move changes a few of the xᵢ, which [`QuantizedNetwork`] makes use of. What hidden units say of a position may depend on
//! how many men are left: each bucket of positions has outputs of its own
//! (<https://www.chessprogramming.org/Stockfish_NNUE>).

mod agent;
mod men;
mod quantized;

pub use agent::ChessNetworkAgent;
pub use men::{INPUTS, Men};
pub use quantized::QuantizedNetwork;

use self::men::seen_by;
use crate::value::{AfterstateValues, Squash, Value, ValueFunction};
use afterstate_games::rng::unit;
use afterstate_games::{Chess, Rng, Side};
use multiversion::multiversion;

/// Hidden units come in groups of so many, which a processor computes at once.
pub const GROUP: usize = 16;

/// The most hidden units that a network may have.
pub const MOST_HIDDEN: usize = 1024;

/// The most buckets that a network may have.
pub const MOST_BUCKETS: usize = 31;

/// Men of positions that can come up in a game.
pub(crate) const MOST_MEN: usize = 32;

/// The weights of a network, and what it makes of positions.
///
/// ```
/// use afterstate_engine::value::chess_network::{Activation, ChessNetwork, Men};
/// use afterstate_games::{Chess, Notation, stream};
/// let network = ChessNetwork::random(16, 8, &mut stream(1, 0));
/// let position = Chess::parse_position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")?;
/// let mirrored = Chess::parse_position("4k3/4p3/8/8/8/8/8/4K3 b - - 0 1")?;
/// let mut logit = |game: &Chess| network.evaluate(&Men::of(game.board()), &mut Activation::default());
/// assert_eq!(logit(&position), logit(&mirrored));
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ChessNetwork {
    hidden: usize,
    buckets: usize,
    /// vᵢⱼ, input by input; bⱼ; wⱼ and w'ⱼ, bucket by bucket; c of each bucket.
    weights: Vec<f32>,
}

/// What the hidden units of a network are for one position. It is kept between evaluations, so that these allocate nothing.
#[derive(Clone, Debug, Default)]
pub struct Activation {
    /// a and a'.
    sums: [Vec<f32>; 2],
    bucket: usize,
}

impl ChessNetwork {
    /// How many weights a network with so many hidden units and buckets has.
    pub const fn count(hidden: usize, buckets: usize) -> usize {
        (INPUTS + 1 + 2 * buckets) * hidden + buckets
    }

    /// Whether a network may have so many hidden units and buckets.
    pub const fn can_have(hidden: usize, buckets: usize) -> bool {
        let groups = hidden > 0 && hidden <= MOST_HIDDEN && hidden.is_multiple_of(GROUP);
        groups && buckets > 0 && buckets <= MOST_BUCKETS
    }

    /// A network of random weights: all hidden units are somewhere between 0 and 1, and none says much.
    ///
    /// # Panics
    ///
    /// If it [cannot have](ChessNetwork::can_have) so many hidden units and buckets.
    pub fn random(hidden: usize, buckets: usize, rng: &mut Rng) -> ChessNetwork {
        assert!(ChessNetwork::can_have(hidden, buckets), "{hidden} hidden units and {buckets} buckets");
        let mut between = |middle: f32, spread: f32| middle + spread * (2.0 * unit(rng) - 1.0);
        let mut weights: Vec<f32> = (0..INPUTS * hidden).map(|_| between(0.0, 0.15)).collect();
        weights.extend((0..hidden).map(|_| between(0.3, 0.2)));
        weights.extend((0..2 * buckets * hidden).map(|_| between(0.0, 0.1)));
        weights.resize(ChessNetwork::count(hidden, buckets), 0.0);
        ChessNetwork { hidden, buckets, weights }
    }

    /// A network with these weights; `None` if there are not as many as it has.
    pub fn from_weights(hidden: usize, buckets: usize, weights: Vec<f32>) -> Option<ChessNetwork> {
        let fits = ChessNetwork::can_have(hidden, buckets) && weights.len() == ChessNetwork::count(hidden, buckets);
        fits.then_some(ChessNetwork { hidden, buckets, weights })
    }

    /// Hidden units.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Buckets of positions by their men, those with the fewest first.
    pub fn buckets(&self) -> usize {
        self.buckets
    }

    /// The bucket of positions with so many men, of which there are at least two.
    #[inline]
    pub(super) fn bucket(buckets: usize, men: usize) -> usize {
        (men.saturating_sub(2) * buckets / (MOST_MEN - 1)).min(buckets - 1)
    }

    /// All weights: vᵢⱼ, input by input; bⱼ; wⱼ and w'ⱼ, bucket by bucket; c of each bucket.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The same, to be changed.
    pub fn weights_mut(&mut self) -> &mut [f32] {
        &mut self.weights
    }

    /// vᵢⱼ of one input i.
    #[inline]
    fn row(&self, input: usize) -> &[f32] {
        &self.weights[input * self.hidden..][..self.hidden]
    }

    /// bⱼ.
    fn biases(&self) -> &[f32] {
        self.row(INPUTS)
    }

    /// wⱼ, or w'ⱼ, of a bucket.
    fn outputs(&self, bucket: usize, side: usize) -> &[f32] {
        self.row(INPUTS + 1 + 2 * bucket + side)
    }

    /// Where c of a bucket is among all weights.
    fn output_bias(&self, bucket: usize) -> usize {
        self.weights.len() - self.buckets + bucket
    }

    /// n(s), the log odds of the side to move. The gradient needs what is left in `activation`.
    pub fn evaluate(&self, men: &Men, activation: &mut Activation) -> f32 {
        evaluate(self, men, activation)
    }

    /// Adds `error` · ∇n(s) to `gradient`, which has a number for each weight, after [`ChessNetwork::evaluate`].
    pub fn add_gradient(&self, men: &Men, activation: &Activation, error: f32, gradient: &mut [f32]) {
        add_gradient(self, men, activation, error, gradient);
    }
}

/// [`ChessNetwork::evaluate`]. Loops are spelled out here and below: what iterators call is not compiled for the same processor, and so
/// not inlined.
#[multiversion(targets("x86_64+avx2+fma", "aarch64+neon"))]
fn evaluate(network: &ChessNetwork, men: &Men, activation: &mut Activation) -> f32 {
    let hidden = network.hidden;
    let bucket = ChessNetwork::bucket(network.buckets, men.inputs().len());
    activation.bucket = bucket;
    // As many partial sums as a processor adds at once.
    let mut partial = [0.0; GROUP];
    for side in 0..2 {
        let sums = &mut activation.sums[side];
        sums.resize(hidden, 0.0);
        sums.copy_from_slice(network.biases());
        for &input in men.inputs() {
            add(sums, network.row(seen_by(side, input)));
        }
        let sums = sums.as_chunks::<GROUP>().0;
        let weights = &network.outputs(bucket, side).as_chunks::<GROUP>().0[..sums.len()];
        for group in 0..sums.len() {
            for j in 0..GROUP {
                let unit = sums[group][j].clamp(0.0, 1.0);
                partial[j] += unit * unit * weights[group][j];
            }
        }
    }
    for half in [8, 4, 2, 1] {
        for j in 0..half {
            partial[j] += partial[j + half];
        }
    }
    network.weights[network.output_bias(bucket)] + partial[0]
}

/// [`ChessNetwork::add_gradient`].
#[multiversion(targets("x86_64+avx2+fma", "aarch64+neon"))]
fn add_gradient(network: &ChessNetwork, men: &Men, activation: &Activation, error: f32, gradient: &mut [f32]) {
    let hidden = network.hidden;
    let bucket = activation.bucket;
    gradient[network.output_bias(bucket)] += error;
    // ∂n/∂aⱼ, times the error.
    let mut of_sums = [0.0; MOST_HIDDEN];
    let of_sums = &mut of_sums[..hidden];
    for side in 0..2 {
        let sums = &activation.sums[side][..hidden];
        let outputs = &network.outputs(bucket, side)[..hidden];
        let of_outputs = &mut gradient[(INPUTS + 1 + 2 * bucket + side) * hidden..][..hidden];
        for j in 0..hidden {
            let unit = sums[j].clamp(0.0, 1.0);
            of_outputs[j] += error * unit * unit;
            of_sums[j] = if unit == sums[j] { 2.0 * error * unit * outputs[j] } else { 0.0 };
        }
        for &input in men.inputs() {
            add(&mut gradient[seen_by(side, input) * hidden..][..hidden], of_sums);
        }
        add(&mut gradient[INPUTS * hidden..][..hidden], of_sums);
    }
}

/// Adds as many numbers to others.
#[inline(always)]
fn add(to: &mut [f32], numbers: &[f32]) {
    let numbers = &numbers[..to.len()];
    for j in 0..to.len() {
        to[j] += numbers[j];
    }
}

impl ValueFunction<Chess> for ChessNetwork {
    fn value(&self, game: &Chess) -> Value {
        let logit = self.evaluate(&Men::of(game.board()), &mut Activation::default());
        let white = if game.side_to_move() == Side::First { logit } else { -logit };
        Squash::Logistic.value(white)
    }
}

impl AfterstateValues<Chess> for ChessNetwork {}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::{Chess, Notation, stream};

    fn men(fen: &str) -> Men {
        Men::of(Chess::parse_position(fen).unwrap().board())
    }

    #[test]
    fn a_value_is_the_one_computed_by_hand() {
        // Two kings: own on e1 and the other's on e8, each seen as on e1 or e8 by both.
        let men = men("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
        let mut network = ChessNetwork::from_weights(16, 8, vec![0.0; ChessNetwork::count(16, 8)]).unwrap();
        let (own_king, other_king) = (5 * 64 + 4, (6 + 5) * 64 + 60);
        let weights = network.weights_mut();
        (weights[own_king * 16], weights[other_king * 16], weights[INPUTS * 16]) = (0.5, -0.25, 0.125);
        weights[own_king * 16 + 1] = 7.0;
        for (side, worth) in [(0, 2.0), (1, -1.0)] {
            weights[(INPUTS + 1 + side) * 16] = worth;
            weights[(INPUTS + 1 + side) * 16 + 1] = 10.0 * worth;
        }
        let outputs = (INPUTS + 1 + 2 * 8) * 16;
        weights[outputs..].copy_from_slice(&[0.75, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0]);
        // Unit 0 is 0.375, unit 1 is cut to 1, for both sides; positions with two men are in the first bucket.
        let found = network.evaluate(&men, &mut Activation::default());
        assert!((found - (0.75 + (0.375f32.powi(2) + 10.0) * (2.0 - 1.0))).abs() < 1e-6, "{found}");
    }

    #[test]
    fn gradients_are_what_small_changes_of_weights_show() {
        let men = men("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 3 3");
        let mut network = ChessNetwork::random(16, 8, &mut stream(3, 0));
        let mut activation = Activation::default();
        let before = network.evaluate(&men, &mut activation);
        let mut gradient = vec![0.0; network.weights().len()];
        network.add_gradient(&men, &activation, 1.0, &mut gradient);
        let mut some = 0;
        for index in (0..gradient.len()).step_by(7).chain(INPUTS * 16..gradient.len()) {
            network.weights_mut()[index] += 1e-3;
            let change = network.evaluate(&men, &mut activation) - before;
            network.weights_mut()[index] -= 1e-3;
            assert!((change - 1e-3 * gradient[index]).abs() < 2e-5, "weight {index}: {change}, {}", gradient[index]);
            some += usize::from(gradient[index] != 0.0);
        }
        assert!(some > 50, "{some} weights matter");
    }

    #[test]
    fn networks_have_groups_of_hidden_units() {
        assert!(ChessNetwork::can_have(16, 1) && ChessNetwork::can_have(1024, 31));
        assert!(![0, 8, 24, 1040].into_iter().any(|hidden| ChessNetwork::can_have(hidden, 1)));
        assert!(![0, 32].into_iter().any(|buckets| ChessNetwork::can_have(16, buckets)));
        assert_eq!(ChessNetwork::from_weights(16, 1, vec![0.0; 5]), None);
    }

    #[test]
    fn buckets_have_about_as_many_numbers_of_men_each() {
        let in_bucket =
            |buckets: usize, bucket| (2..=32).filter(move |&men| ChessNetwork::bucket(buckets, men) == bucket);
        assert_eq!((0..8).map(|bucket| in_bucket(8, bucket).count()).collect::<Vec<_>>(), [4, 4, 4, 4, 4, 4, 4, 3]);
        assert_eq!((in_bucket(1, 0).count(), in_bucket(31, 30).collect::<Vec<_>>()), (31, vec![32]));
        // Not of this world, but of some FEN.
        assert_eq!((ChessNetwork::bucket(8, 0), ChessNetwork::bucket(8, 64)), (0, 7));
    }
}
