//! [`NetworkTreeStrap`]: every position of a search tree moves towards what the search says of it (paper 002, §3), for a network
//! in a game with dice.
//!
//! ```text
//! Δw = α Σ over s in the tree of  Σₖ (Yₖ(s) − yₖ(s)) ∇yₖ(s)
//! ```
//!
//! The tree is one of two plies: its inner positions are those after the plays that the search did not filter out, and Y is
//! what the replies to each of the other side's rolls make of them ([`super::principal_leaves`]). All values are those that the
//! search saw.

use super::network_traces::NetworkTraces;
use super::principal_leaves::{GammonSearch, PrincipalLeaves};
use crate::value::perceptron::{Activation, Layers, SparseInputs};
use afterstate_games::backgammon::{Backgammon, Phase};

/// The rule, with what it works with.
#[derive(Clone, Debug)]
pub struct NetworkTreeStrap {
    /// α.
    step_size: f32,
    /// Σ δₖ ∇yₖ over the positions of a tree.
    gradient: NetworkTraces,
    leaves: PrincipalLeaves,
    inputs: SparseInputs,
    activation: Activation,
    ones: Vec<f32>,
}

impl NetworkTreeStrap {
    /// The rule for networks of one size.
    pub fn new(layers: Layers, step_size: f32) -> NetworkTreeStrap {
        let (leaves, inputs, activation) = Default::default();
        let (gradient, ones) = (NetworkTraces::new(layers), vec![1.0; layers.outputs]);
        NetworkTreeStrap { step_size, gradient, leaves, inputs, activation, ones }
    }

    /// Steps have another size from now on.
    pub fn set_step_size(&mut self, step_size: f32) {
        self.step_size = step_size;
    }

    /// A search has found these positions worth a closer look, in each of which a side is about to roll; those in which the game
    /// is over have nothing to learn.
    pub fn searched(&mut self, search: &mut GammonSearch, positions: impl Iterator<Item = Backgammon>) {
        for position in positions {
            let Phase::ToRoll(side) = position.phase() else { continue };
            self.leaves.find(search, &position, 1);
            let (set, network) = (search.evaluation().input_set(), search.evaluation().perceptron());
            let target = self.leaves.evaluate(network);
            set.read(position.board(), side, &mut self.inputs);
            network.evaluate(&self.inputs, &mut self.activation);
            let errors = target.iter().zip(&self.activation.outputs).map(|(target, output)| target - output);
            self.gradient.add(network, &self.inputs, &self.activation, errors.enumerate());
        }
        self.gradient.update(search.evaluation().perceptron_mut(), &self.ones, self.step_size);
        self.gradient.clear();
    }
}
