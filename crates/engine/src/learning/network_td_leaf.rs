//! [`NetworkTdLeaf`]: TDLeaf(λ) for a network, in a game with dice (paper 001, §3 and §6).
//!
//! ```text
//! eₖ ← λ eₖ + ∇Yₖ(sₜ)                  for each output k
//! w  ← w + α Σₖ (Yₖ(sₜ₊₁) − Yₖ(sₜ)) eₖ        the outcome stands for Y after the last position
//! ```
//!
//! Y is what a search says of a position: see [`super::principal_leaves`]. With leaves no ply behind the positions it is y, and
//! this is the rule of [`super::network_td`].

use super::network_td::NetworkTdSettings;
use super::network_traces::NetworkTraces;
use super::principal_leaves::PrincipalLeaves;
use crate::value::backgammon_network::{OUTPUTS, TURNED};
use crate::value::perceptron::{Layers, Perceptron, Turned};

/// The rule at work on one game after the other.
#[derive(Clone, Debug)]
pub struct NetworkTdLeaf {
    settings: NetworkTdSettings,
    traces: NetworkTraces,
    /// Y of the last position, if the game has begun.
    before: Option<[f32; OUTPUTS]>,
}

impl NetworkTdLeaf {
    /// The rule for networks of one size.
    pub fn new(layers: Layers, settings: NetworkTdSettings) -> NetworkTdLeaf {
        NetworkTdLeaf { settings, traces: NetworkTraces::new(layers), before: None }
    }

    /// Steps have another size from now on.
    pub fn set_step_size(&mut self, step_size: f32) {
        self.settings.step_size = step_size;
    }

    /// The game has come to a position with these leaves, the sides taking turns. The positions before it learn what its search
    /// says.
    pub fn reached(&mut self, network: &mut Perceptron, leaves: &mut PrincipalLeaves) {
        if let Some(before) = self.before {
            // By the weights that the position before was valued with.
            let found = leaves.evaluate(network);
            let mut value = [0.0; OUTPUTS];
            for (value, Turned { from, sign, offset }) in value.iter_mut().zip(TURNED) {
                *value = offset + sign * found[from];
            }
            self.learn(network, before, value);
            if self.settings.lambda > 0.0 {
                self.traces.turn(&TURNED, self.settings.lambda);
            } else {
                self.traces.clear();
            }
        }
        self.before = Some(leaves.evaluate(network));
        leaves.add_to(&mut self.traces, network);
    }

    /// The game has ended. `outcome` is what Y of its last position should have been.
    pub fn ended(&mut self, network: &mut Perceptron, outcome: [f32; OUTPUTS]) {
        if let Some(before) = self.before.take() {
            self.learn(network, before, outcome);
        }
        self.traces.clear();
    }

    /// w ← w + α Σₖ δₖ eₖ.
    fn learn(&mut self, network: &mut Perceptron, before: [f32; OUTPUTS], value: [f32; OUTPUTS]) {
        let mut errors = value;
        errors.iter_mut().zip(before).for_each(|(error, before)| *error -= before);
        self.traces.update(network, &errors, self.settings.step_size);
    }
}
