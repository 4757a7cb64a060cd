//! [`FlatMonteCarlo`]: simulations without a tree (paper 003, §2.3).
//!
//! ```text
//! Q(s₀,a) = 1/N(s₀,a) · Σᵢ zᵢ        over the simulations that began with a
//! ```
//!
//! Every move gets the same number of simulations, and the best mean is played. With
//! [`Truncated`](super::Truncated) simulations this is truncated Monte-Carlo.

use super::leaf::Leaf;
use super::{Budget, Decision, Search};
use crate::Value;
use afterstate_games::rng::below;
use afterstate_games::{Game, Rng, Turn};
use serde::{Deserialize, Serialize};

/// Settings of flat Monte-Carlo search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct FlatMonteCarloSettings {
    /// How many simulations a decision gets, all moves together, when the budget sets no limit of its own. Default 3000.
    pub simulations: u64,
}

impl Default for FlatMonteCarloSettings {
    fn default() -> Self {
        FlatMonteCarloSettings { simulations: 3000 }
    }
}

/// Flat Monte-Carlo search with default policy `L`.
///
/// ```
/// use afterstate_engine::search::{FlatMonteCarlo, FlatMonteCarloSettings, PlayOut};
/// use afterstate_engine::{Budget, Search};
/// use afterstate_games::{Notation, TicTacToe, UniformPlayout, stream};
/// // O would complete a line, so X must block it.
/// let game = TicTacToe::parse_position("X../OO./..X").unwrap();
/// let mut search = FlatMonteCarlo::new(PlayOut(UniformPlayout::default()), FlatMonteCarloSettings::default());
/// let decision = search.search(&game, &Budget::default(), &mut stream(1, 0));
/// assert_eq!(decision.best.map(|mv| game.move_text(mv)), Some("6".to_string()));
/// ```
pub struct FlatMonteCarlo<G: Game, L> {
    leaf: L,
    settings: FlatMonteCarloSettings,
    moves: Vec<G::Move>,
    /// Of each move, N(s₀,a) and N(s₀,a)·Q(s₀,a).
    statistics: Vec<(u64, f64)>,
    trace: Vec<G::Move>,
}

impl<G: Game, L: Leaf<G>> FlatMonteCarlo<G, L> {
    /// A search that finishes its simulations by `leaf`.
    pub fn new(leaf: L, settings: FlatMonteCarloSettings) -> Self {
        FlatMonteCarlo { leaf, settings, moves: Vec::new(), statistics: Vec::new(), trace: Vec::new() }
    }

    /// Its settings.
    pub fn settings(&self) -> &FlatMonteCarloSettings {
        &self.settings
    }

    /// The moves of the last search, each with its number of simulations and the first player's mean outcome.
    pub fn statistics(&self) -> impl Iterator<Item = (G::Move, u64, Option<Value>)> + '_ {
        self.moves
            .iter()
            .zip(&self.statistics)
            .map(|(&mv, &(visits, sum))| (mv, visits, (visits > 0).then(|| Value((sum / visits as f64) as f32))))
    }

    /// Searches with a choice among `root_moves` alone, which must be legal. Without any move it resigns.
    pub fn search_among(
        &mut self,
        root: &G,
        root_moves: &[G::Move],
        budget: &Budget,
        rng: &mut Rng,
    ) -> Decision<G::Move> {
        let Turn::Player(side) = root.turn() else { return Decision::resign() };
        self.moves.clear();
        self.moves.extend_from_slice(root_moves);
        self.statistics.clear();
        self.statistics.resize(root_moves.len(), (0, 0.0));
        if root_moves.is_empty() {
            return Decision::resign();
        }
        let limit = budget.simulations_or(self.settings.simulations);
        // Where the turn of the moves begins does not matter but for a last, incomplete round.
        let first = below(rng, root_moves.len() as u32) as usize;
        let (mut game, mut simulations) = (root.clone(), 0);
        while simulations < limit && !(simulations % 16 == 15 && budget.expired()) {
            let turn = (first as u64 + simulations) % root_moves.len() as u64;
            game.clone_from(root);
            self.trace.clear();
            let mv = self.moves[turn as usize];
            game.play(mv);
            self.trace.push(mv);
            let z = self.leaf.finish(&mut game, &mut self.trace, rng);
            let statistic = &mut self.statistics[turn as usize];
            statistic.0 += 1;
            statistic.1 += f64::from(z.0);
            simulations += 1;
        }
        let seen = |value: Option<Value>| value.map_or(f32::NEG_INFINITY, |value| value.seen_by(side));
        let mut best = (root_moves[first], None);
        for (mv, _, value) in self.statistics() {
            if seen(value) > seen(best.1) {
                best = (mv, value);
            }
        }
        Decision { value: best.1, effort: simulations, ..Decision::play(best.0) }
    }
}

impl<G: Game, L: Leaf<G>> Search<G> for FlatMonteCarlo<G, L> {
    fn search(&mut self, root: &G, budget: &Budget, rng: &mut Rng) -> Decision<G::Move> {
        let mut moves = Vec::new();
        root.candidate_moves(&mut moves);
        self.search_among(root, &moves, budget, rng)
    }
}
