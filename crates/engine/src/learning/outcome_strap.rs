//! [`OutcomeStrap`]: the root of each search moves towards what the search says of it, as in RootStrap (paper 002, §2), and towards how
//! its game ended, as in TD(1); for networks, whose positions come again in another order than games have them.
//!
//! ```text
//! y = μ V_search(s) + (1 − μ) z                 z: the game's outcome
//! g = mean over a batch of positions s of  (y − V(s)) ∇n(s)          V = σ(n)
//! θ ← θ + Adam(g)
//! ```
//!
//! A search sees further than what it asks at its leaves, but it believes that; outcomes believe nothing and are mostly chance. The
//! mixture is that of NNUE trainers (<https://www.chessprogramming.org/NNUE>); positions drawn from a window of the last games are
//! those of AlphaZero (D. Silver and others, *Science* 362, 2018).

use super::adam::Adam;
use super::seen_position::SeenPosition;
use crate::value::Weights;
use crate::value::chess_network::{Activation, ChessNetwork};
use afterstate_games::Rng;
use afterstate_games::rng::below;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Settings of the rule.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct OutcomeStrapSettings {
    /// Adam's α.
    pub step_size: f32,
    /// μ: how much of a target is the search's value, 0 to 1; the rest is the outcome.
    pub search_share: f32,
    /// Positions of a step.
    pub batch: usize,
    /// In how many steps a position is used on average.
    pub reuse: f32,
    /// Positions to draw from: the last ones.
    pub window: usize,
    /// No step is taken before there are so many.
    pub first: usize,
}

impl Default for OutcomeStrapSettings {
    fn default() -> Self {
        OutcomeStrapSettings {
            step_size: 1e-3,
            search_share: 0.7,
            batch: 4096,
            reuse: 4.0,
            window: 4_000_000,
            first: 200_000,
        }
    }
}

/// The rule, the window, and the network that learns.
#[derive(Debug)]
pub struct OutcomeStrap {
    settings: OutcomeStrapSettings,
    network: ChessNetwork,
    /// The network's weights, for Adam.
    weights: Weights,
    adam: Adam,
    window: VecDeque<SeenPosition>,
    /// Positions that are still to be drawn, too few for a step.
    owed: f32,
    gradient: Vec<f32>,
    activation: Activation,
}

impl OutcomeStrap {
    /// The rule with what it remembers: see [`OutcomeStrap::memory`]; nothing at first. `window` are the last positions.
    ///
    /// `None` if the memory is not that of such a network.
    pub fn new(
        settings: OutcomeStrapSettings,
        network: ChessNetwork,
        memory: &[f32],
        window: impl IntoIterator<Item = SeenPosition>,
    ) -> Option<OutcomeStrap> {
        let (owed, memory) = memory.split_first().map_or((0.0, memory), |(owed, rest)| (*owed, rest));
        let adam = Adam::from_memory(memory, network.weights().len())?;
        let (weights, gradient) = (Weights::from_values(network.weights()), vec![0.0; network.weights().len()]);
        let window = window.into_iter().collect();
        Some(OutcomeStrap {
            settings,
            network,
            weights,
            adam,
            window,
            owed,
            gradient,
            activation: Activation::default(),
        })
    }

    /// What it has learnt.
    pub fn network(&self) -> &ChessNetwork {
        &self.network
    }

    /// The weights of [`OutcomeStrap::network`].
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Whether it has taken a step: its weights are the first ones until then.
    pub fn has_begun(&self) -> bool {
        self.adam.has_begun()
    }

    /// What must be remembered besides the weights and the window.
    pub fn memory(&self) -> Vec<f32> {
        let mut memory = vec![self.owed];
        memory.extend(self.adam.memory());
        memory
    }

    /// Steps have another size from now on.
    pub fn set_step_size(&mut self, step_size: f32) {
        self.settings.step_size = step_size;
    }

    /// These positions were seen, all in one game. Takes as many steps as they are worth; the mean of the squared differences between
    /// values and targets in these, if there were any.
    pub fn seen(&mut self, positions: &[SeenPosition], rng: &mut Rng) -> Option<f64> {
        self.window.extend(positions);
        let over = self.window.len().saturating_sub(self.settings.window);
        self.window.drain(..over);
        if self.window.len() < self.settings.first.min(self.settings.window) {
            return None;
        }
        self.owed += positions.len() as f32 * self.settings.reuse;
        let (mut squares, mut steps) = (0.0, 0);
        while self.owed >= self.settings.batch as f32 {
            self.owed -= self.settings.batch as f32;
            squares += self.step(rng);
            steps += 1;
        }
        (steps > 0).then(|| squares / f64::from(steps))
    }

    /// One step; the mean of the squared differences.
    fn step(&mut self, rng: &mut Rng) -> f64 {
        let OutcomeStrapSettings { step_size, search_share, batch, .. } = self.settings;
        self.gradient.fill(0.0);
        let mut squares = 0.0;
        for _ in 0..batch {
            let position = self.window[below(rng, self.window.len() as u32) as usize];
            let (men, worth) = (position.men(), position.worth());
            let target = search_share * worth.searched + (1.0 - search_share) * worth.outcome;
            let value = 1.0 / (1.0 + (-self.network.evaluate(&men, &mut self.activation)).exp());
            let error = target - value;
            squares += f64::from(error * error);
            self.network.add_gradient(&men, &self.activation, error, &mut self.gradient);
        }
        self.gradient.iter_mut().for_each(|sum| *sum /= batch as f32);
        self.adam.step(&self.weights, &self.gradient, step_size);
        for (index, weight) in self.network.weights_mut().iter_mut().enumerate() {
            *weight = self.weights.get(index);
        }
        squares / batch as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learning::seen_position::Worth;
    use afterstate_games::{Chess, Notation, stream};

    fn position(fen: &str, searched: f32, outcome: f32) -> SeenPosition {
        SeenPosition::new(Chess::parse_position(fen).unwrap().board(), Worth { searched, outcome }).unwrap()
    }

    #[test]
    fn a_step_is_the_one_computed_by_hand() {
        // Nothing but the bias says anything: V = 1/2, and all positions want 0.5 · 1 + 0.5 · 0.5 = 0.75.
        let settings = OutcomeStrapSettings {
            step_size: 0.01,
            search_share: 0.5,
            batch: 4,
            reuse: 2.0,
            first: 1,
            ..OutcomeStrapSettings::default()
        };
        let network = ChessNetwork::from_weights(16, 1, vec![0.0; ChessNetwork::count(16, 1)]).unwrap();
        let mut rule = OutcomeStrap::new(settings, network, &[], []).unwrap();
        let kings = position("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 1.0, 0.5);
        let mut rng = stream(1, 0);
        assert_eq!(rule.seen(&[kings], &mut rng), None, "two draws are no batch of four");
        let squares = rule.seen(&[kings], &mut rng).unwrap();
        assert!((squares - 0.0625).abs() < 1e-4, "{squares}");
        let weights = rule.network().weights();
        let (bias, rest) = weights.split_last().unwrap();
        assert!((bias - 0.01).abs() < 1e-5 && rest.iter().all(|&weight| weight == 0.0), "{bias}");
    }

    #[test]
    fn it_learns_who_is_ahead() {
        let settings = OutcomeStrapSettings { batch: 64, reuse: 64.0, first: 2, ..OutcomeStrapSettings::default() };
        let mut rng = stream(2, 0);
        let mut rule = OutcomeStrap::new(settings, ChessNetwork::random(16, 8, &mut rng), &[], []).unwrap();
        let seen = [
            position("4k3/8/8/8/8/8/8/3QK3 w - - 0 1", 0.9, 1.0),
            position("4k3/8/8/8/8/8/8/3QK3 b - - 0 1", 0.1, 0.0),
        ];
        for _ in 0..300 {
            rule.seen(&seen, &mut rng);
        }
        let mut logit = |position: &SeenPosition| rule.network.evaluate(&position.men(), &mut rule.activation);
        assert!(logit(&seen[0]) > 2.0 && logit(&seen[1]) < -2.0);
    }

    #[test]
    fn what_is_remembered_goes_on_as_if_nothing_had_been() {
        let settings =
            OutcomeStrapSettings { batch: 8, reuse: 3.0, first: 1, window: 5, ..OutcomeStrapSettings::default() };
        let positions: Vec<SeenPosition> = (1..8)
            .map(|rank| position(&format!("4k3/8/8/8/8/8/8/{rank}K{} w - - 0 1", 7 - rank), 0.1 * rank as f32, 1.0))
            .collect();
        let mut rule = OutcomeStrap::new(settings, ChessNetwork::random(16, 8, &mut stream(3, 0)), &[], []).unwrap();
        for (number, position) in positions.iter().enumerate() {
            let memory = rule.memory();
            let before = &positions[number.saturating_sub(5)..number];
            rule = OutcomeStrap::new(settings, rule.network().clone(), &memory, before.iter().copied()).unwrap();
            rule.seen(&[*position], &mut stream(3, number as u64));
        }
        let mut whole = OutcomeStrap::new(settings, ChessNetwork::random(16, 8, &mut stream(3, 0)), &[], []).unwrap();
        for (number, position) in positions.iter().enumerate() {
            whole.seen(&[*position], &mut stream(3, number as u64));
        }
        assert_eq!(whole.network(), rule.network());
        assert_eq!(whole.memory(), rule.memory());
        assert!(OutcomeStrap::new(settings, whole.network().clone(), &[0.0, 1.0], []).is_none());
    }
}
