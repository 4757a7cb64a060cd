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
    /// ε̄, the probability of a random move before the switch, more than half of which are the default policy's
    /// ([`TdSearchSettings`]). Default 0.3.
    pub exploration: f32,
    /// T, after how many moves the default policy chooses in a simulation. Default 6.
    pub switch_after: u32,
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
            switch_after: 6,
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
            switch_after: Some(settings.switch_after),
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
