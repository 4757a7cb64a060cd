//! A game whose tree is written down: positions are numbers, and each has a weight of its own.

use afterstate_engine::search::{TrainingSearch, TrainingSearchSettings};
use afterstate_engine::value::{ActiveSet, Features, Share, Squash, Weights};
use afterstate_games::{Deterministic, Game, IndexedMoves, Outcome, Side, Tactics, Turn};
use std::sync::Arc;

/// A position: a move goes to the number that it is.
#[derive(Clone, Debug, PartialEq)]
pub struct HandTree {
    /// Of each position, where its moves lead to. Positions beyond go on to the last one for ever.
    children: Arc<Vec<Vec<usize>>>,
    /// Positions that the first player has won.
    won: Arc<Vec<usize>>,
    pub here: usize,
    side: Side,
}

impl HandTree {
    pub fn new(children: &[&[usize]], won: &[usize]) -> HandTree {
        let children = children.iter().map(|moves| moves.to_vec()).collect();
        HandTree { children: Arc::new(children), won: Arc::new(won.to_vec()), here: 0, side: Side::First }
    }
}

impl Game for HandTree {
    type Move = usize;

    fn turn(&self) -> Turn {
        if self.won.contains(&self.here) { Turn::Over(Outcome::win(Side::First)) } else { Turn::Player(self.side) }
    }

    fn legal_moves(&self, moves: &mut Vec<usize>) {
        moves.clear();
        if let Turn::Player(_) = self.turn() {
            moves.extend(self.children.get(self.here).map_or(&[39][..], |moves| moves));
        }
    }

    fn play(&mut self, mv: usize) {
        self.here = mv;
        self.side = self.side.other();
    }

    fn key(&self) -> u64 {
        self.here as u64
    }
}

impl Deterministic for HandTree {}
impl Tactics for HandTree {}

impl IndexedMoves for HandTree {
    fn move_index(&self, mv: usize) -> usize {
        mv
    }

    fn move_at(&self, index: usize) -> usize {
        index
    }

    fn index_count(&self) -> usize {
        40
    }
}

/// Each position is its own only feature.
pub struct Here;

impl Features<HandTree> for Here {
    fn count(&self) -> usize {
        40
    }

    fn active(&self, game: &HandTree, set: &mut ActiveSet) {
        set.clear();
        set.push(Share::new(game.here, false));
    }

    fn describe(&self, index: usize) -> String {
        index.to_string()
    }
}

/// A search three plies deep over weights that are 0 but for these, for linear values.
pub fn search(weights: &[(usize, f32)], pruning: bool) -> TrainingSearch<HandTree, Here> {
    search_with(Squash::Linear, weights, pruning)
}

/// The same for other values.
pub fn search_with(squash: Squash, weights: &[(usize, f32)], pruning: bool) -> TrainingSearch<HandTree, Here> {
    let theta = Weights::zeros(40);
    for &(position, weight) in weights {
        theta.set(position, weight);
    }
    let settings =
        TrainingSearchSettings { depth: 3, nodes: 0, pruning, table_mib: 1, ..TrainingSearchSettings::default() };
    TrainingSearch::new(Arc::new(Here), Arc::new(theta), squash, settings)
}
