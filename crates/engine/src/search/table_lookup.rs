//! [`TableLookup`]: the memory that makes TD search Monte-Carlo tree search (paper 000, §4.3).
//!
//! ```text
//! I^{S,A}(s,a) = 1 if s = S and a = A, else 0      one feature for every state and action
//! Q(s,a) ← Q(s,a) + (z − Q(s,a)) / N(s,a)          λ = 1, α = 1/N(s,a)
//! ```
//!
//! In every simulation the first state that is not in the table is put into it. What comes after it is played by the
//! default policy, whose first move counts for the new state. With ε = 0 this is greedy MCTS; states that several
//! orders of moves lead to are one state here, and not several nodes.

use super::short_term_memory::ShortTermMemory;
use crate::Value;
use crate::value::Squash;
use afterstate_games::{Game, Side, Turn};
use std::collections::HashMap;

/// Q and N of every action in every state that simulations met.
///
/// ```
/// use afterstate_engine::search::{PlayOut, TableLookup, TdSearch, TdSearchSettings};
/// use afterstate_engine::{Budget, Search};
/// use afterstate_games::{TicTacToe, UniformPlayout, stream};
/// let settings = TdSearchSettings { switch_after: None, simulations: 200, ..TdSearchSettings::default() };
/// let mut search = TdSearch::new(TableLookup::new(1.0), PlayOut(UniformPlayout::default()), settings);
/// search.search(&TicTacToe::new(), &Budget::default(), &mut stream(1, 0));
/// // One new state in each simulation that did not come to the end of the game before.
/// assert!(search.memory().states() > 20);
/// ```
#[derive(Clone, Debug)]
pub struct TableLookup<M> {
    /// What an action without any simulation counts as, for the side that takes it.
    first_play_urgency: f32,
    /// By [`Game::key`]: the actions that were taken.
    table: HashMap<u64, Vec<Entry<M>>>,
    root: u64,
    /// The present state.
    state: u64,
    /// The actions of the simulation under way, each with its state.
    path: Vec<(u64, M)>,
}

/// Sums stand for values as [`Squash::Linear`] has it, so that nothing is worth 0.
const EVEN: f32 = Value::EVEN.0;

/// N and Q of an action.
#[derive(Clone, Copy, Debug)]
struct Entry<M> {
    mv: M,
    visits: u32,
    mean: f32,
}

impl<M: Copy + Eq> TableLookup<M> {
    /// An empty table.
    pub fn new(first_play_urgency: f32) -> Self {
        TableLookup { first_play_urgency, table: HashMap::new(), root: 0, state: 0, path: Vec::new() }
    }

    /// How many states are in the table.
    pub fn states(&self) -> usize {
        self.table.len()
    }

    /// N(s,a), and Q(s,a) as the first player's value, of an action that was taken in the state with this
    /// [`Game::key`].
    pub fn known(&self, key: u64, mv: M) -> Option<(u32, Value)> {
        let entry = self.table.get(&key)?.iter().find(|entry| entry.mv == mv)?;
        Some((entry.visits, Value(entry.mean)))
    }
}

impl<G: Game> ShortTermMemory<G> for TableLookup<G::Move> {
    fn clear(&mut self) {
        self.table.clear();
    }

    fn set_root(&mut self, root: &G) {
        self.root = root.key();
        self.table.entry(self.root).or_default();
    }

    fn begin(&mut self) {
        self.state = self.root;
        self.path.clear();
    }

    fn afterstate_sums(&mut self, game: &G, moves: &[G::Move], sums: &mut Vec<f32>) {
        let urgency = match game.turn() {
            Turn::Player(Side::Second) => 1.0 - self.first_play_urgency,
            _ => self.first_play_urgency,
        };
        let state = game.key();
        sums.clear();
        sums.extend(moves.iter().map(|&mv| self.known(state, mv).map_or(urgency, |(_, value)| value.0) - EVEN));
    }

    fn playing(&mut self, _game: &G, mv: G::Move) {
        self.path.push((self.state, mv));
    }

    fn reached(&mut self, game: &G, _sum: Option<f32>, _beside: f32) {
        self.state = game.key();
    }

    fn ended(&mut self, z: Value, rest: &[G::Move]) {
        if let Some(&first) = rest.first()
            && !self.table.contains_key(&self.state)
        {
            self.path.push((self.state, first));
        }
        for (state, mv) in self.path.drain(..) {
            let actions = self.table.entry(state).or_default();
            let place = actions.iter().position(|entry| entry.mv == mv).unwrap_or_else(|| {
                actions.push(Entry { mv, visits: 0, mean: 0.0 });
                actions.len() - 1
            });
            let entry = &mut actions[place];
            entry.visits = entry.visits.saturating_add(1);
            entry.mean += (z.0 - entry.mean) / entry.visits as f32;
        }
    }

    fn abandoned(&mut self) {}

    fn value(&self, sum: f32) -> Value {
        Squash::Linear.value(sum)
    }

    fn knows(&self, game: &G) -> bool {
        self.table.contains_key(&game.key())
    }
}
