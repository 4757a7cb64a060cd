//! Self-play by afterstate Sarsa: an ε-greedy policy over V plays both sides, and learns from every
//! position that it visits, exploratory moves included (paper 000, §3.2).
//!
//! ```text
//! repeat from the empty board
//!     with probability 1−ε  a ← argmax (Black) or argmin (White) of V(s∘a),  else a at random
//!     s ← s∘a;  move the positions before it towards V(s)
//! until the game ends;  move the last positions towards the outcome z
//! ```

use super::td::{Td, TdSettings};
use crate::policy;
use crate::value::{ActiveSet, Features, Weights};
use afterstate_games::rng::{Rng, below, unit};
use afterstate_games::{Game, Outcome, Turn, playout::draw_chance};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// When the positions of a game are updated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// After every move, as in the article: later moves of the same game are chosen with what the
    /// earlier ones taught. The default, because it is what the published curves were made with.
    #[default]
    Online,
    /// In one sweep from the first position to the last when the game is over, as in the program RLGO.
    Sweep,
}

/// Settings of self-play; the defaults are the paper's.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct SelfPlaySettings {
    /// ε, the probability of a random move.
    pub exploration: f32,
    /// When positions are updated.
    pub order: Order,
}

impl Default for SelfPlaySettings {
    fn default() -> Self {
        SelfPlaySettings { exploration: 0.1, order: Order::Online }
    }
}

/// What one game of self-play was like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Episode {
    /// Who won.
    pub outcome: Outcome,
    /// Moves, passes included.
    pub moves: usize,
    /// Afterstates whose value was computed to choose moves.
    pub evaluations: u64,
    /// Mean squared TD-error.
    pub squared_error: f64,
}

/// One self-playing learner. Several of them may share weights, each in a thread of its own.
pub struct SelfPlay<G: Game, F: Features<G>> {
    features: Arc<F>,
    weights: Arc<Weights>,
    td: Td,
    td_settings: TdSettings,
    settings: SelfPlaySettings,
    moves: Vec<G::Move>,
    chances: Vec<(G::Move, f32)>,
    sums: Vec<f32>,
    set: ActiveSet,
    /// φ of every position of the game, for sweeps.
    visited: Vec<ActiveSet>,
}

impl<G: Game, F: Features<G>> SelfPlay<G, F> {
    /// A learner of `weights` over `features`.
    pub fn new(features: Arc<F>, weights: Arc<Weights>, td: TdSettings, settings: SelfPlaySettings) -> Self {
        SelfPlay {
            td: Td::new(features.count(), td.clone()),
            td_settings: td,
            features,
            weights,
            settings,
            moves: Vec::new(),
            chances: Vec::new(),
            sums: Vec::new(),
            set: ActiveSet::default(),
            visited: Vec::new(),
        }
    }

    /// Plays one game from `start` and learns from it.
    pub fn play(&mut self, start: &G, rng: &mut Rng) -> Episode {
        let squash = self.td_settings.squash;
        let online = self.settings.order == Order::Online;
        let mut game = start.clone();
        let (mut moves, mut evaluations) = (0, 0);
        self.td.begin();
        let outcome = loop {
            let side = match game.turn() {
                Turn::Player(side) => side,
                Turn::Over(outcome) => break outcome,
                Turn::Chance => {
                    game.chance_outcomes(&mut self.chances);
                    game.play(draw_chance(&self.chances, rng));
                    continue;
                }
            };
            game.candidate_moves(&mut self.moves);
            let explores = unit(rng) < self.settings.exploration;
            let chosen = if explores {
                below(rng, self.moves.len() as u32) as usize
            } else {
                self.features.afterstate_sums(&game, &self.moves, &self.weights, &mut self.sums);
                evaluations += self.moves.len() as u64;
                policy::greedy(&self.sums, side, rng)
            };
            game.play(self.moves[chosen]);
            moves += 1;
            if matches!(game.turn(), Turn::Over(_)) {
                continue;
            }
            self.features.active(&game, &mut self.set);
            if online {
                let sum = if explores { self.weights.sum(&self.set) } else { self.sums[chosen] };
                self.td.reached(&mut self.set, squash.value(sum), &self.weights);
            } else {
                if self.visited.len() < moves {
                    self.visited.push(ActiveSet::default());
                }
                std::mem::swap(&mut self.visited[moves - 1], &mut self.set);
            }
        };
        if !online {
            for set in &mut self.visited[..moves.saturating_sub(1)] {
                let value = squash.value(self.weights.sum(set));
                self.td.reached(set, value, &self.weights);
            }
        }
        self.td.ended(outcome, &self.weights);
        Episode { outcome, moves, evaluations, squared_error: self.td.mean_squared_error() }
    }
}
