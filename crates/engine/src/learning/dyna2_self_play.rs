//! [`Dyna2Player`] and [`PlainDyna2Player`]: self-play by Dyna-2, from which the long-term memory goes on learning (paper 000, §5.3, Algorithm 3).
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
use crate::search::{
    Dyna2, FeatureMemory, Leaf, LongTermShapes, ShapeMemory, ShortTermMemory, Situation, TdSearch, TdSearchSettings,
};
use crate::value::{Features, FusedShapes, Linear, LocalShapes, Squash, TrackedGo, Weights, WindowSizes};
use afterstate_games::go::{Go, Move};
use afterstate_games::{Deterministic, Game, IndexedMoves, Rng};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How Dyna-2 searches during self-play.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

impl Dyna2Settings {
    /// The simulations of its searches.
    fn search(&self) -> TdSearchSettings {
        TdSearchSettings {
            simulations: self.simulations,
            exploration: self.exploration,
            explore_by_policy: self.explore_by_playout,
            switch_after: Some(self.switch_after),
            random_after_switch: self.random_after_switch,
            learn_moves: Some(self.learn),
            ..TdSearchSettings::default()
        }
    }

    /// How the short-term memory learns beside values that `squash` makes of sums.
    fn td(&self, squash: Squash) -> TdSettings {
        TdSettings { step_size: self.step_size, squash, ..TdSettings::default() }
    }
}

/// Chooses the moves of self-play by searches with both memories, in Go.
pub struct Dyna2Player<L> {
    shapes: Arc<LocalShapes>,
    squash: Squash,
    search: TdSearch<Go, Dyna2<LongTermShapes, ShapeMemory>, L>,
}

impl<L: Leaf<Go>> Dyna2Player<L> {
    /// A player whose long-term memory is about `shapes`, with values that `squash` makes of sums. `leaf` is the default
    /// policy.
    pub fn new(shapes: Arc<LocalShapes>, squash: Squash, leaf: L, settings: &Dyna2Settings) -> Self {
        let nothing = Weights::zeros(shapes.weight_count());
        let long = LongTermShapes::new(Arc::new(FusedShapes::new(&shapes, &nothing, squash)));
        let memory = Dyna2::new(long, ShapeMemory::new(settings.sizes, settings.td(squash)));
        Dyna2Player { shapes, squash, search: TdSearch::new(memory, leaf, settings.search()) }
    }
}

impl<L: Leaf<Go>> Chooser<TrackedGo> for Dyna2Player<L> {
    fn begin(&mut self, weights: &Weights) {
        let shapes = FusedShapes::new(&self.shapes, weights, self.squash);
        self.search.memory_mut().set_long_term(LongTermShapes::new(Arc::new(shapes)));
        self.search.clear();
    }

    fn choose(&mut self, game: &TrackedGo, moves: &[Move], rng: &mut Rng) -> usize {
        chosen(&mut self.search, game.game(), moves, rng)
    }
}

/// Chooses the moves of self-play by searches with both memories, in any game whose features need no more than the game.
///
/// ```
/// use afterstate_engine::learning::{Chooser, Dyna2Settings, PlainDyna2Player};
/// use afterstate_engine::search::PlayOut;
/// use afterstate_engine::value::{GridShapes, Squash, Weights, WindowSizes};
/// use afterstate_games::{Game, Notation, TicTacToe, UniformPlayout, stream};
/// let shapes = GridShapes::new(&TicTacToe::new(), WindowSizes::new(&[1, 2]).unwrap());
/// let (shapes, settings) = (std::sync::Arc::new(shapes), Dyna2Settings { simulations: 500, ..Default::default() });
/// let leaf = PlayOut(UniformPlayout::default());
/// let mut player = PlainDyna2Player::new(shapes.clone(), shapes.clone(), Squash::Logistic, leaf, &settings);
/// player.begin(&Weights::zeros(shapes.weight_count()));
/// // X wins at once.
/// let game = TicTacToe::parse_position("XX./OO./...").unwrap();
/// let mut moves = Vec::new();
/// game.candidate_moves(&mut moves);
/// assert_eq!(game.move_text(moves[player.choose(&game, &moves, &mut stream(1, 0))]), "3");
/// ```
pub struct PlainDyna2Player<G: Game, F: Features<G>, S: Features<G>, L> {
    features: Arc<F>,
    squash: Squash,
    search: TdSearch<G, Dyna2<Linear<F>, FeatureMemory<G, S>>, L>,
}

impl<G: Game, F: Features<G> + 'static, S: Features<G> + 'static, L: Leaf<G>> PlainDyna2Player<G, F, S, L> {
    /// A player whose long-term memory is about `features`, with values that `squash` makes of sums, and whose short-term memory is
    /// about `short`, whatever sizes the settings name. `leaf` is the default policy.
    pub fn new(features: Arc<F>, short: Arc<S>, squash: Squash, leaf: L, settings: &Dyna2Settings) -> Self {
        let weights = Arc::new(Weights::zeros(features.count()));
        let long = Linear { features: features.clone(), weights, squash };
        let memory = Dyna2::new(long, FeatureMemory::new(short, settings.td(squash)));
        PlainDyna2Player { features, squash, search: TdSearch::new(memory, leaf, settings.search()) }
    }
}

impl<G, F, S, L> Chooser<G> for PlainDyna2Player<G, F, S, L>
where
    G: Deterministic + IndexedMoves,
    F: Features<G> + 'static,
    S: Features<G> + 'static,
    L: Leaf<G>,
{
    fn begin(&mut self, weights: &Weights) {
        let weights = Arc::new(Weights::from_values(&weights.values()));
        let long = Linear { features: self.features.clone(), weights, squash: self.squash };
        self.search.memory_mut().set_long_term(long);
        self.search.clear();
    }

    fn choose(&mut self, game: &G, moves: &[G::Move], rng: &mut Rng) -> usize {
        chosen(&mut self.search, game, moves, rng)
    }
}

/// The number of the move that a search of `game` prefers.
fn chosen<G: Game, M: ShortTermMemory<G>, L: Leaf<G>>(
    search: &mut TdSearch<G, M, L>,
    game: &G,
    moves: &[G::Move],
    rng: &mut Rng,
) -> usize {
    let situation = Situation { moves: Some(moves), ..Situation::new(game) };
    let best = search.search_situation(&situation, &Budget::default(), rng, None).best;
    moves.iter().position(|&mv| Some(mv) == best).unwrap_or_default()
}
