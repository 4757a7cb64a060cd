//! [`Dyna2Player`]: self-play by Dyna-2, from which the long-term memory goes on learning (paper 000, §5.3, Algorithm 3).
//!
//! ```text
//! for every real game
//!     θ̄ ← 0
//!     for every real move, in s
//!         search from s: θ̄ learns from simulations, by δ̄ of Q̄(s,a) = φ(s,a)·θ + φ̄(s,a)·θ̄
//!         a ← argmax Q̄(s,a), with probability ε a random one
//!         θ learns from the real move, by δ of Q(s,a) = φ(s,a)·θ
//! ```
//!
//! The last line is [`SelfPlay`](super::SelfPlay), whose positions learn as ever; only its moves are chosen here. Q̄ has θ as
//! it was when the real game began: to fold the weights for fast search takes as long as many simulations, and a single
//! game changes them little.

use super::self_play::Chooser;
use super::td::TdSettings;
use crate::Budget;
use crate::search::{Dyna2, Leaf, LongTermShapes, ShapeMemory, Situation, TdSearch, TdSearchSettings};
use crate::value::{FusedShapes, LocalShapes, Squash, TrackedGo, Weights, WindowSizes};
use afterstate_games::Rng;
use afterstate_games::go::{Go, Move};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How Dyna-2 searches during self-play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Dyna2Settings {
    /// Simulations for each move. Default 100.
    pub simulations: u64,
    /// ε̄, the probability of a random move before the switch. Default 0.3.
    pub exploration: f32,
    /// The probability that the default policy chooses in place of chance there. Default 0.6; the article's is 0.
    pub explore_by_playout: f32,
    /// T, after how many moves the default policy chooses in a simulation. Default 6.
    pub switch_after: u32,
    /// The probability of a random move after the switch, while the simulation learns. Default 0.4; the article's is 0.
    pub random_after_switch: f32,
    /// How many moves of a simulation learn. Default 32; in the article all, which any number that is great enough stands for.
    pub learn: u32,
    /// ᾱ. Default 0.1.
    pub step_size: f32,
    /// Which windows the short-term memory looks at. Default 1×1 and 2×2.
    pub sizes: WindowSizes,
}

impl Default for Dyna2Settings {
    fn default() -> Self {
        Dyna2Settings {
            simulations: 100,
            exploration: 0.3,
            explore_by_playout: 0.6,
            switch_after: 6,
            random_after_switch: 0.4,
            learn: 32,
            step_size: 0.1,
            sizes: WindowSizes::new(&[1, 2]).expect("both are sizes of windows"),
        }
    }
}

/// Chooses the moves of self-play by searches with both memories.
pub struct Dyna2Player<L> {
    shapes: Arc<LocalShapes>,
    squash: Squash,
    search: TdSearch<Go, Dyna2<LongTermShapes, ShapeMemory>, L>,
}

impl<L: Leaf<Go>> Dyna2Player<L> {
    /// A player whose long-term memory is about `shapes`, with values that `squash` makes of sums. `leaf` is the default
    /// policy.
    pub fn new(shapes: Arc<LocalShapes>, squash: Squash, leaf: L, settings: &Dyna2Settings) -> Self {
        let td = TdSettings { step_size: settings.step_size, squash, ..TdSettings::default() };
        let nothing = Weights::zeros(shapes.weight_count());
        let long = LongTermShapes::new(Arc::new(FusedShapes::new(&shapes, &nothing, squash)));
        let memory = Dyna2::new(long, ShapeMemory::new(settings.sizes, td));
        let settings = TdSearchSettings {
            simulations: settings.simulations,
            exploration: settings.exploration,
            explore_by_policy: settings.explore_by_playout,
            switch_after: Some(settings.switch_after),
            random_after_switch: settings.random_after_switch,
            learn_moves: Some(settings.learn),
            ..TdSearchSettings::default()
        };
        Dyna2Player { shapes, squash, search: TdSearch::new(memory, leaf, settings) }
    }
}

impl<L: Leaf<Go>> Chooser<TrackedGo> for Dyna2Player<L> {
    fn begin(&mut self, weights: &Weights) {
        let shapes = FusedShapes::new(&self.shapes, weights, self.squash);
        self.search.memory_mut().set_long_term(LongTermShapes::new(Arc::new(shapes)));
        self.search.clear();
    }

    fn choose(&mut self, game: &TrackedGo, moves: &[Move], rng: &mut Rng) -> usize {
        let situation = Situation { moves: Some(moves), ..Situation::new(game.game()) };
        let best = self.search.search_situation(&situation, &Budget::default(), rng, None).best;
        moves.iter().position(|&mv| Some(mv) == best).unwrap_or_default()
    }
}
