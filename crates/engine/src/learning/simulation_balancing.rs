//! [`SimulationBalancing`]: weights of a playout policy for which the mean outcome of its playouts is what positions are worth (D. Silver and
//! G. Tesauro, Monte-Carlo simulation balancing, ICML 2009, Algorithm 1; S.-C. Huang, R. Coulom and S.-S. Lin, Monte-Carlo simulation
//! balancing in practice, 2010).
//!
//! ```text
//! for each position s of a batch:
//!     V ← 1/M Σᵢ zᵢ                                       outcomes of M playouts from s
//!     g ← 1/N Σⱼ (zⱼ − V) Σₜ ∇ log π(aₜ|sₜ)               over N more: the gradient of what V means
//!     Δθ ← Δθ + (V* − V) g                                V*: what s is worth
//! ```
//!
//! Playouts need not be strong: mistakes of both sides that even out do no harm to their mean. What decides is the bias, the mean
//! squared difference between V* and V, of which Δθ is the descent. Policies that imitate good moves ([`super::Imitation`]) are where it begins:
//! they are strong, but biased.
//!
//! Playouts draw from a stream of their own for each position, so that threads change nothing.

use super::Adam;
use crate::value::Weights;
use afterstate_games::rng::below;
use afterstate_games::{Game, LearnablePlayout, stream};
use serde::{Deserialize, Serialize};

/// A position with what is known of it.
#[derive(Clone, Debug)]
pub struct Judged<G: Game> {
    /// The position, in which a player is to move.
    pub position: G,
    /// V*, the first player's chance to win.
    pub worth: f32,
    /// What a search would play.
    pub best: G::Move,
}

/// Settings of [`SimulationBalancing`].
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct BalancingSettings {
    /// Positions for each step.
    pub batch: u32,
    /// M: playouts from each that say what it is worth to the policy.
    pub playouts: u32,
    /// N: playouts from each that say what changes that.
    pub gradient_playouts: u32,
    /// Adam's α.
    pub step_size: f32,
}

impl Default for BalancingSettings {
    fn default() -> Self {
        BalancingSettings { batch: 32, playouts: 64, gradient_playouts: 64, step_size: 0.03 }
    }
}

/// Where a policy's playouts are off, and how its weights change that.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imbalance {
    /// Σ (V* − V)², less what the spread of M outcomes adds to it.
    pub squared_error: f64,
    /// Σ (V* − V) g, one number for each weight.
    pub gradient: Vec<f32>,
    /// Positions.
    pub positions: u32,
}

/// The learner.
///
/// ```
/// use afterstate_engine::learning::{Adam, BalancingSettings, Judged, SimulationBalancing};
/// use afterstate_games::go::{Go, Move, SoftmaxPlayout, SoftmaxWeights};
/// // Black, who moves first, wins on so small a board whatever komi is; playouts do not know that yet.
/// let known = [Judged { position: Go::new(5), worth: 1.0, best: Move::PASS }];
/// let mut policy = SoftmaxPlayout::new(SoftmaxWeights::zeros().into());
/// let settings = BalancingSettings { batch: 4, ..BalancingSettings::default() };
/// let (learner, mut adam) = (SimulationBalancing { settings, seed: 1, threads: 1 }, Adam::default());
/// let errors: Vec<f64> = (0..40).map(|step| learner.step(&mut policy, &known, step, &mut adam, 0.03)).collect();
/// assert!(errors[30..].iter().sum::<f64>() < errors[..10].iter().sum::<f64>(), "{errors:?}");
/// ```
#[derive(Clone, Debug)]
pub struct SimulationBalancing {
    /// Its settings.
    pub settings: BalancingSettings,
    /// Seeds the choice of positions and all playouts.
    pub seed: u64,
    /// How many threads play; they change nothing else.
    pub threads: usize,
}

impl SimulationBalancing {
    /// What playouts of `policy` from one position say.
    pub fn imbalance<G: Game, P: LearnablePlayout<G>>(
        settings: &BalancingSettings,
        policy: &mut P,
        judged: &Judged<G>,
        seed: u64,
        number: u64,
    ) -> Imbalance {
        let mut rng = stream(seed, number);
        let (mut game, mut trace) = (judged.position.clone(), Vec::new());
        let mut sum = 0.0;
        for _ in 0..settings.playouts {
            game.clone_from(&judged.position);
            trace.clear();
            sum += policy.play_out(&mut game, &mut trace, &mut rng).first_player_score();
        }
        let playouts = settings.playouts as f32;
        let value = sum / playouts;
        let weights = policy.theta().len();
        let (mut gradient, mut playout) = (vec![0.0; weights], vec![0.0; weights]);
        for _ in 0..settings.gradient_playouts {
            playout.fill(0.0);
            game.clone_from(&judged.position);
            let outcome = policy.play_out_with_gradient(&mut game, &mut playout, &mut rng).first_player_score();
            let share = (outcome - value) / settings.gradient_playouts as f32;
            gradient.iter_mut().zip(&playout).for_each(|(sum, part)| *sum += share * part);
        }
        let error = judged.worth - value;
        gradient.iter_mut().for_each(|part| *part *= error);
        let spread = value * (1.0 - value) / (playouts - 1.0).max(1.0);
        Imbalance { squared_error: f64::from(error * error - spread), gradient, positions: 1 }
    }

    /// Step number `step`: the imbalance of a batch drawn from `known`, as the policy is.
    ///
    /// # Panics
    ///
    /// If there are no positions.
    pub fn batch<G: Game, P: LearnablePlayout<G> + Sync>(
        &self,
        policy: &P,
        known: &[Judged<G>],
        step: u64,
    ) -> Imbalance {
        let batch = u64::from(self.settings.batch);
        let numbers: Vec<u64> = (step * batch..(step + 1) * batch).collect();
        let of = |number: u64, policy: &mut P| {
            let drawn = below(&mut stream(self.seed ^ 0x0ba1_a9ce, number), known.len() as u32);
            Self::imbalance(&self.settings, policy, &known[drawn as usize], self.seed, number)
        };
        let share = numbers.len().div_ceil(self.threads.max(1)).max(1);
        let parts: Vec<Imbalance> = std::thread::scope(|scope| {
            let threads: Vec<_> = numbers
                .chunks(share)
                .map(|numbers| {
                    scope.spawn(move || {
                        let mut policy = policy.clone();
                        numbers.iter().map(|&number| of(number, &mut policy)).collect::<Vec<_>>()
                    })
                })
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("playouts do not panic")).collect()
        });
        // One after the other, so that sums round in the same way whoever computed their parts.
        let mut whole = Imbalance { gradient: vec![0.0; policy.theta().len()], ..Imbalance::default() };
        for part in &parts {
            whole.squared_error += part.squared_error;
            whole.positions += part.positions;
            whole.gradient.iter_mut().zip(&part.gradient).for_each(|(sum, part)| *sum += part);
        }
        whole
    }

    /// Moves the policy by the imbalance of a batch, its mean over the positions, with steps of the size `step_size`; returns the mean
    /// squared error that there was.
    pub fn step<G: Game, P: LearnablePlayout<G> + Sync>(
        &self,
        policy: &mut P,
        known: &[Judged<G>],
        step: u64,
        adam: &mut Adam,
        step_size: f32,
    ) -> f64 {
        let mut found = self.batch(policy, known, step);
        let positions = found.positions as f32;
        found.gradient.iter_mut().for_each(|part| *part /= positions);
        climb(policy, &found.gradient, adam, step_size);
        found.squared_error / f64::from(found.positions)
    }
}

/// Moves a policy's weights in the direction of `gradient`.
pub(super) fn climb<G: Game, P: LearnablePlayout<G>>(
    policy: &mut P,
    gradient: &[f32],
    adam: &mut Adam,
    step_size: f32,
) {
    let weights = Weights::from_values(&policy.theta());
    adam.step(&weights, gradient, step_size);
    policy.set_theta(&weights.values());
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::{Notation, Outcome, PlayoutPolicy, Rng, Side, TicTacToe, Turn};

    /// Plays the lowest or the highest free square, the lowest with probability 1 / (1 + e^−θ).
    #[derive(Clone)]
    struct LowOrHigh(f32);

    impl LowOrHigh {
        fn low(&self) -> f32 {
            1.0 / (1.0 + (-self.0).exp())
        }

        fn play(&self, game: &mut TicTacToe, rng: &mut Rng, mut each: impl FnMut(bool)) -> Outcome {
            let mut moves = Vec::new();
            loop {
                if let Turn::Over(outcome) = game.turn() {
                    return outcome;
                }
                game.legal_moves(&mut moves);
                let low = afterstate_games::rng::unit(rng) < self.low();
                each(low);
                game.play(if low { moves[0] } else { *moves.last().unwrap() });
            }
        }
    }

    impl PlayoutPolicy<TicTacToe> for LowOrHigh {
        fn play_out(&mut self, game: &mut TicTacToe, _: &mut Vec<<TicTacToe as Game>::Move>, rng: &mut Rng) -> Outcome {
            self.play(game, rng, |_| ())
        }
    }

    impl LearnablePlayout<TicTacToe> for LowOrHigh {
        fn theta(&self) -> Vec<f32> {
            vec![self.0]
        }

        fn set_theta(&mut self, theta: &[f32]) {
            self.0 = theta[0];
        }

        fn add_log_gradient(
            &mut self,
            game: &TicTacToe,
            mv: <TicTacToe as Game>::Move,
            gradient: &mut [f32],
        ) -> Option<f32> {
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            let low = moves.first() == Some(&mv);
            gradient[0] += if low { 1.0 } else { 0.0 } - self.low();
            Some(if low { self.low() } else { 1.0 - self.low() }.ln())
        }

        fn play_out_with_gradient(&mut self, game: &mut TicTacToe, gradient: &mut [f32], rng: &mut Rng) -> Outcome {
            let chance = self.low();
            self.play(game, rng, |low| gradient[0] += if low { 1.0 } else { 0.0 } - chance)
        }
    }

    /// X has two in a row and is to move: on the lowest free square it wins, on the highest one O does next, or X with its last move.
    fn position() -> TicTacToe {
        TicTacToe::parse_position("XX./OO./XO.").unwrap()
    }

    #[test]
    fn the_gradient_is_that_of_the_mean_outcome() {
        let game = position();
        assert_eq!(game.turn(), Turn::Player(Side::First));
        // Squares 3, 6 and 9 are free. X wins at once on 3; after 9, O wins on 6 or leaves X the 3 that O has not: with 3 taken, 6 draws.
        // By enumeration: p + (1−p)·(O low: takes 3, then X on 6: a draw; O high: takes 6 and wins).
        let p = LowOrHigh(0.3).low();
        let mean = p + (1.0 - p) * p * 0.5;
        let slope = (1.0 + 0.5 * (1.0 - 2.0 * p)) * p * (1.0 - p);
        let settings =
            BalancingSettings { playouts: 200_000, gradient_playouts: 200_000, ..BalancingSettings::default() };
        let judged = Judged { best: game.parse_move("3").unwrap(), position: game, worth: 0.9 };
        let found = SimulationBalancing::imbalance(&settings, &mut LowOrHigh(0.3), &judged, 1, 0);
        let expected = (0.9 - mean) * slope;
        assert!((found.gradient[0] - expected).abs() < 2e-3, "{} is not {expected}", found.gradient[0]);
        assert!((found.squared_error - f64::from((0.9 - mean).powi(2))).abs() < 2e-3, "{}", found.squared_error);
    }

    #[test]
    fn balance_is_found_whatever_the_number_of_threads() {
        let game = position();
        let known = [Judged { best: game.parse_move("3").unwrap(), position: game, worth: 0.75 }];
        let learn = |threads| {
            let learner = SimulationBalancing { settings: BalancingSettings::default(), seed: 3, threads };
            let (mut policy, mut adam, mut last) = (LowOrHigh(-1.0), Adam::default(), 0.0);
            for step in 0..150 {
                last = learner.step(&mut policy, &known, step, &mut adam, 0.05);
            }
            (policy.0, last)
        };
        let (theta, error) = learn(1);
        assert_eq!((theta, error), learn(3));
        let p = LowOrHigh(theta).low();
        let mean = p + (1.0 - p) * p * 0.5;
        assert!((mean - 0.75).abs() < 0.02, "{mean}");
    }
}
