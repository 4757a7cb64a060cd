//! [`Imitation`]: weights of a playout policy under which the moves of a better player are likely (R. Coulom, Computing Elo ratings of move
//! patterns in the game of Go, 2007, who maximises the same likelihood by minorisation).
//!
//! ```text
//! Δθ ∝ Σ over positions s of  ∇ log π(a*|s)            a*: the better player's move
//! ```

use super::Adam;
use super::simulation_balancing::{Judged, climb};
use afterstate_games::rng::below;
use afterstate_games::{Game, LearnablePlayout, stream};
use serde::{Deserialize, Serialize};

/// Settings of [`Imitation`].
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct ImitationSettings {
    /// Positions for each step.
    pub batch: u32,
    /// Adam's α.
    pub step_size: f32,
}

impl Default for ImitationSettings {
    fn default() -> Self {
        ImitationSettings { batch: 256, step_size: 0.03 }
    }
}

/// The learner.
///
/// ```
/// use afterstate_engine::learning::{Adam, Imitation, ImitationSettings, Judged};
/// use afterstate_games::go::{Go, SoftmaxPlayout, SoftmaxWeights};
/// use afterstate_games::{Game, Notation};
/// let mut game = Go::new(5);
/// for text in ["C3", "C2", "B2"] {
///     game.play(game.parse_move(text)?);
/// }
/// // A cut.
/// let known = [Judged { best: game.parse_move("D3")?, position: game, worth: 0.5 }];
/// let mut policy = SoftmaxPlayout::new(SoftmaxWeights::zeros().into());
/// let (learner, mut adam) = (Imitation { settings: ImitationSettings::default(), seed: 1 }, Adam::default());
/// let surprise: Vec<f64> = (0..20).map(|step| learner.step(&mut policy, &known, step, &mut adam)).collect();
/// assert!(surprise[19] < surprise[0]);
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Imitation {
    /// Its settings.
    pub settings: ImitationSettings,
    /// Seeds the choice of positions.
    pub seed: u64,
}

impl Imitation {
    /// Step number `step`, on a batch drawn from `known`; returns the mean of −log π of the moves that the policy can play at all.
    ///
    /// # Panics
    ///
    /// If there are no positions.
    pub fn step<G: Game, P: LearnablePlayout<G>>(
        &self,
        policy: &mut P,
        known: &[Judged<G>],
        step: u64,
        adam: &mut Adam,
    ) -> f64 {
        let mut rng = stream(self.seed ^ 0x1417_a7e5, step);
        let mut gradient = vec![0.0; policy.theta().len()];
        let (mut surprise, mut seen) = (0.0, 0);
        for _ in 0..self.settings.batch {
            let judged = &known[below(&mut rng, known.len() as u32) as usize];
            if let Some(likelihood) = policy.add_log_gradient(&judged.position, judged.best, &mut gradient) {
                surprise -= f64::from(likelihood);
                seen += 1;
            }
        }
        gradient.iter_mut().for_each(|part| *part /= self.settings.batch as f32);
        climb(policy, &gradient, adam, self.settings.step_size);
        surprise / f64::from(seen.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::go::{Go, SoftmaxPlayout, SoftmaxWeights};
    use afterstate_games::{Notation, PlayoutPolicy};

    #[test]
    fn the_moves_that_are_shown_become_likely() {
        let mut game = Go::new(5);
        for text in ["C3", "C2", "B2"] {
            game.play(game.parse_move(text).unwrap());
        }
        // A cut, and the same for the other side somewhere else.
        let known = [Judged { best: game.parse_move("D3").unwrap(), position: game.clone(), worth: 0.5 }];
        let mut policy = SoftmaxPlayout::new(SoftmaxWeights::zeros().into());
        let (learner, mut adam) = (Imitation { settings: ImitationSettings::default(), seed: 1 }, Adam::default());
        let begin = learner.step(&mut policy, &known, 0, &mut adam);
        assert!((begin - 22f64.ln()).abs() < 1e-4, "22 points are empty: {begin}");
        let end = (1..60).map(|step| learner.step(&mut policy, &known, step, &mut adam)).last().unwrap();
        assert!(end < 0.5 * begin, "{end}");
        let mut rng = stream(2, 0);
        let hits = (0..100).filter(|_| policy.one_move(&game, &mut rng) == game.parse_move("D3").ok()).count();
        assert!(hits > 20, "{hits}");
    }
}
