//! Self-play by afterstate Sarsa: an ε-greedy policy over V plays both sides, and learns from every
//! position that it visits, exploratory moves included (paper 000, §3.2).
//!
//! ```text
//! repeat from the empty board
//!     with probability 1−ε  a ← argmax (Black) or argmin (White) of V(s∘a),  else a at random
//!     s ← s∘a;  move the positions before it towards V(s)
//! until the game ends;  move the last positions towards the outcome z
//! ```
//!
//! Afterstates that end the game are valued by their features, too, though they never learn: in Go a
//! second pass hardly matters. Searches and players that use what was learnt know the outcome there.

use super::online_td::OnlineTd;
use super::td::{Td, TdSettings};
use crate::policy;
use crate::value::{ActiveSet, Features, Squash, Weights};
use afterstate_games::rng::{Rng, below, unit};
use afterstate_games::{Game, Outcome, Turn, playout::draw_chance};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};

/// When the positions of a game are updated.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// Chooses the moves of self-play in place of the value function itself, by a search, say.
pub trait Chooser<G: Game>: Send {
    /// A game begins, and the learner has these weights.
    fn begin(&mut self, weights: &Weights);

    /// The number of the best of `moves` in `game`.
    fn choose(&mut self, game: &G, moves: &[G::Move], rng: &mut Rng) -> usize;
}

/// How one game's positions learn.
trait Learning<G: Game, F: Features<G>> {
    /// A game begins in `start`, whose random choices come from `rng`.
    fn begin(&mut self, features: &F, start: &G, rng: &mut Rng);
    /// φ(s∘a)·θ for each of `moves`.
    fn sums(&self, features: &F, game: &G, moves: &[G::Move], sums: &mut Vec<f32>);
    /// `mv` is about to be played in `game`, by a player or by chance.
    fn playing(&mut self, features: &F, game: &G, mv: G::Move);
    /// A player's move has led to `game`, whose φ·θ was `sum` if that is known.
    fn reached(&mut self, features: &F, game: &G, sum: Option<f32>);
    /// The game has ended. Returns the mean squared TD-error.
    fn ended(&mut self, features: &F, game: &G, outcome: Outcome) -> f64;
}

/// After every move, with weights of its own.
struct Online {
    rule: OnlineTd,
    squash: Squash,
    set: ActiveSet,
}

impl<G: Game, F: Features<G>> Learning<G, F> for Online {
    fn begin(&mut self, features: &F, start: &G, _rng: &mut Rng) {
        features.active(start, &mut self.set);
        self.rule.begin(&self.set);
    }

    fn sums(&self, features: &F, game: &G, moves: &[G::Move], sums: &mut Vec<f32>) {
        features.afterstate_sums(game, moves, self.rule.weights(), sums);
    }

    fn playing(&mut self, features: &F, game: &G, mv: G::Move) {
        features.change(game, mv, self.rule.next_change());
    }

    fn reached(&mut self, _features: &F, _game: &G, sum: Option<f32>) {
        let sum = sum.unwrap_or_else(|| self.rule.sum_of_next());
        self.rule.reached(self.squash.value(sum));
    }

    fn ended(&mut self, features: &F, game: &G, outcome: Outcome) -> f64 {
        features.active(game, &mut self.set);
        self.rule.ended(outcome, &self.set);
        self.rule.mean_squared_error()
    }
}

/// After every move or in a sweep, by a rule that may have traces, on the shared weights.
struct Shared {
    rule: Td,
    weights: Arc<Weights>,
    squash: Squash,
    order: Order,
    set: ActiveSet,
    /// φ of every position of the game, for sweeps.
    visited: Vec<ActiveSet>,
    /// How many of them belong to this game.
    visits: usize,
}

impl<G: Game, F: Features<G>> Learning<G, F> for Shared {
    fn begin(&mut self, _features: &F, _start: &G, rng: &mut Rng) {
        self.rule.begin_by(rng);
        self.visits = 0;
    }

    fn sums(&self, features: &F, game: &G, moves: &[G::Move], sums: &mut Vec<f32>) {
        features.afterstate_sums(game, moves, &*self.weights, sums);
    }

    fn playing(&mut self, _features: &F, _game: &G, _mv: G::Move) {}

    fn reached(&mut self, features: &F, game: &G, sum: Option<f32>) {
        features.active(game, &mut self.set);
        match self.order {
            Order::Online => {
                let sum = sum.unwrap_or_else(|| self.weights.sum(&self.set));
                self.rule.reached(&mut self.set, self.squash.value(sum), &self.weights);
            }
            Order::Sweep => {
                if self.visited.len() == self.visits {
                    self.visited.push(ActiveSet::default());
                }
                std::mem::swap(&mut self.visited[self.visits], &mut self.set);
                self.visits += 1;
            }
        }
    }

    fn ended(&mut self, _features: &F, _game: &G, outcome: Outcome) -> f64 {
        for set in &mut self.visited[..self.visits] {
            let value = self.squash.value(self.weights.sum(set));
            self.rule.reached(set, value, &self.weights);
        }
        self.rule.ended(outcome, &self.weights);
        self.rule.mean_squared_error()
    }
}

enum How {
    Online(Box<Online>),
    Shared(Box<Shared>),
}

/// One self-playing learner. Several of them may share weights, each in a thread of its own.
///
/// With λ = 0 and updates after every move, the learner has weights of its own, and the shared ones know what it
/// learnt when it has told them: see [`SelfPlay::publish`] and [`SelfPlay::exchange`]. Otherwise it learns on the
/// shared weights themselves.
///
/// ```
/// use afterstate_engine::learning::{SelfPlay, SelfPlaySettings, TdSettings};
/// use afterstate_engine::value::{Features, GridShapes, Linear, Squash, ValueFunction, Weights, WindowSizes};
/// use afterstate_games::{Game, Notation, TicTacToe, stream};
/// use std::sync::Arc;
/// let features = Arc::new(GridShapes::new(&TicTacToe::new(), WindowSizes::ALL));
/// let weights = Arc::new(Weights::zeros(Features::<TicTacToe>::count(&*features)));
/// let (td, settings) = (TdSettings::default(), SelfPlaySettings::default());
/// let mut learner = SelfPlay::new(features.clone(), weights.clone(), td, settings);
/// let mut rng = stream(1, 0);
/// for _ in 0..1000 {
///     learner.play(&TicTacToe::new(), &mut rng);
/// }
/// learner.publish();
/// let learnt = Linear { features, weights, squash: Squash::Logistic };
/// let [corner, centre] = ["X../.../...", ".../.X./..."].map(|text| TicTacToe::parse_position(text).unwrap());
/// assert!(learnt.value(&centre) > learnt.value(&corner));
/// ```
pub struct SelfPlay<G: Game, F: Features<G>> {
    features: Arc<F>,
    weights: Arc<Weights>,
    settings: SelfPlaySettings,
    how: How,
    /// The shared weights as they were when the learner's own were equal to them.
    before: Vec<f32>,
    moves: Vec<G::Move>,
    chances: Vec<(G::Move, f32)>,
    sums: Vec<f32>,
}

impl<G: Game, F: Features<G>> SelfPlay<G, F> {
    /// A learner of `weights` over `features`.
    pub fn new(features: Arc<F>, weights: Arc<Weights>, td: TdSettings, settings: SelfPlaySettings) -> Self {
        let (squash, set, mut before) = (td.squash, ActiveSet::default(), Vec::new());
        let how = if td.is_online() && settings.order == Order::Online {
            let rule = OnlineTd::new(&weights, td);
            // Not the shared weights once more, which another learner may have changed since.
            let copied = Weights::zeros(weights.len());
            rule.weights().publish(&copied);
            before = copied.values();
            How::Online(Box::new(Online { rule, squash, set }))
        } else {
            let (rule, order) = (Td::new(features.count(), td), settings.order);
            let visited = Vec::new();
            How::Shared(Box::new(Shared { rule, weights: weights.clone(), squash, order, set, visited, visits: 0 }))
        };
        SelfPlay { features, weights, settings, how, before, moves: Vec::new(), chances: Vec::new(), sums: Vec::new() }
    }

    /// Replaces the shared weights by the learner's own: for a learner that is alone.
    pub fn publish(&self) {
        if let How::Online(online) = &self.how {
            online.rule.weights().publish(&self.weights);
        }
    }

    /// Adds what was learnt since the last time to the shared weights, and goes on from these. `turn` is the same for
    /// all learners that share them: nothing that one of them learnt is lost.
    pub fn exchange(&mut self, turn: &Mutex<()>) {
        if let How::Online(online) = &mut self.how {
            let _turn = turn.lock().expect("no thread panics while it exchanges");
            online.rule.weights_mut().exchange(&mut self.before, &self.weights);
        }
    }

    /// Plays one game from `start` and learns from it.
    pub fn play(&mut self, start: &G, rng: &mut Rng) -> Episode {
        self.play_by(None, start, rng)
    }

    /// The same with moves that `chooser` chooses, if there is one, but for the random ones.
    pub fn play_by(&mut self, mut chooser: Option<&mut dyn Chooser<G>>, start: &G, rng: &mut Rng) -> Episode {
        let Self { features, settings, how, moves, chances, sums, .. } = self;
        if let Some(chooser) = &mut chooser {
            match how {
                How::Online(how) => {
                    let weights = how.rule.weights();
                    let known = Weights::zeros(weights.len());
                    weights.publish(&known);
                    chooser.begin(&known);
                }
                How::Shared(how) => chooser.begin(&how.weights),
            }
        }
        let buffers = (moves, chances, sums);
        match how {
            How::Online(how) => play(&**features, settings, &mut **how, chooser, start, rng, buffers),
            How::Shared(how) => play(&**features, settings, &mut **how, chooser, start, rng, buffers),
        }
    }
}

/// Buffers for moves, chance outcomes and sums.
type Buffers<'a, M> = (&'a mut Vec<M>, &'a mut Vec<(M, f32)>, &'a mut Vec<f32>);

fn play<G: Game, F: Features<G>, L: Learning<G, F>>(
    features: &F,
    settings: &SelfPlaySettings,
    learning: &mut L,
    mut chooser: Option<&mut dyn Chooser<G>>,
    start: &G,
    rng: &mut Rng,
    (moves, chances, sums): Buffers<'_, G::Move>,
) -> Episode {
    let mut game = start.clone();
    let (mut played, mut evaluations) = (0, 0);
    learning.begin(features, &game, rng);
    loop {
        let side = match game.turn() {
            Turn::Player(side) => side,
            Turn::Over(outcome) => {
                let squared_error = learning.ended(features, &game, outcome);
                return Episode { outcome, moves: played, evaluations, squared_error };
            }
            Turn::Chance => {
                game.chance_outcomes(chances);
                let outcome = draw_chance(chances, rng);
                learning.playing(features, &game, outcome);
                game.play(outcome);
                continue;
            }
        };
        game.candidate_moves(moves);
        let searched = chooser.as_mut().map(|chooser| chooser.choose(&game, moves, rng));
        let explores = unit(rng) < settings.exploration;
        let chosen = if explores {
            below(rng, moves.len() as u32) as usize
        } else if let Some(best) = searched {
            best
        } else {
            learning.sums(features, &game, moves, sums);
            evaluations += moves.len() as u64;
            policy::greedy(sums, side, rng)
        };
        learning.playing(features, &game, moves[chosen]);
        game.play(moves[chosen]);
        played += 1;
        if !matches!(game.turn(), Turn::Over(_)) {
            learning.reached(features, &game, (!explores && searched.is_none()).then(|| sums[chosen]));
        }
    }
}
