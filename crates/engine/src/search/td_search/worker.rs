//! One thread's simulations.

use super::report::know_the_end;
use super::{TdSearchSettings, policy};
use crate::search::leaf::{Leaf, PlayoutObserver};
use crate::search::short_term_memory::ShortTermMemory;
use afterstate_games::playout::draw_chance;
use afterstate_games::rng::{below, unit};
use afterstate_games::{Game, Rng, Side, Turn};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Where simulations begin. All threads have the same.
pub(super) struct Root<'a, G: Game> {
    pub(super) position: &'a G,
    /// What may be played, and how many simulations began with it.
    pub(super) moves: &'a [G::Move],
    pub(super) visits: &'a [AtomicU32],
}

/// What simulates and learns, with its buffers.
pub(super) struct Worker<G: Game, M, L, O> {
    pub(super) memory: M,
    pub(super) leaf: L,
    pub(super) observer: O,
    moves: Vec<G::Move>,
    chances: Vec<(G::Move, f32)>,
    sums: Vec<f32>,
    trace: Vec<G::Move>,
    /// The position of the simulation under way; `None` before the first.
    game: Option<G>,
}

impl<G: Game, M: ShortTermMemory<G>, L: Leaf<G>, O: PlayoutObserver<G>> Worker<G, M, L, O> {
    pub(super) fn new(memory: M, leaf: L, observer: O) -> Self {
        Worker {
            memory,
            leaf,
            observer,
            moves: Vec::new(),
            chances: Vec::new(),
            sums: Vec::new(),
            trace: Vec::new(),
            game: None,
        }
    }

    /// A worker for another thread.
    pub(super) fn fork(&self, memory: M) -> Self {
        Worker::new(memory, self.leaf.clone(), self.observer.fork())
    }

    /// One simulation from `root`, and what it teaches.
    pub(super) fn simulate(&mut self, root: &Root<'_, G>, settings: &TdSearchSettings, rng: &mut Rng) {
        let mut game = match self.game.take() {
            Some(mut game) => {
                game.clone_from(root.position);
                game
            }
            None => root.position.clone(),
        };
        self.trace.clear();
        self.memory.begin();
        let (last, greedy) = (settings.learn_moves.unwrap_or(u32::MAX), settings.switch_after.unwrap_or(u32::MAX));
        let (mut played, mut switch) = (0, None);
        let z = loop {
            let side = match game.turn() {
                Turn::Over(outcome) => break outcome.into(),
                Turn::Chance => {
                    game.chance_outcomes(&mut self.chances);
                    let outcome = draw_chance(&self.chances, rng);
                    self.memory.playing(&game, outcome);
                    game.play(outcome);
                    self.trace.push(outcome);
                    continue;
                }
                Turn::Player(side) => side,
            };
            if played == last || !self.memory.knows(&game) {
                switch = Some(self.trace.len());
                break self.leaf.finish(&mut game, &mut self.trace, rng);
            }
            let at_root = self.trace.is_empty().then_some(root);
            let (mv, sum) = if played >= greedy {
                (self.explore(&game, at_root, 1.0 - settings.random_after_switch, rng), None)
            } else if unit(rng) < settings.exploration {
                (self.explore(&game, at_root, settings.explore_by_policy, rng), None)
            } else {
                self.choose(&game, side, at_root, rng)
            };
            played += 1;
            self.memory.playing(&game, mv);
            game.play(mv);
            self.trace.push(mv);
            if !matches!(game.turn(), Turn::Over(_)) {
                self.memory.reached(&game, sum, 0.0);
            }
        };
        self.memory.ended(z, &self.trace[switch.unwrap_or(self.trace.len())..]);
        // A game that a pass ended at once was not played out: what is dead is still on the board.
        if self.leaf.plays_to_end() && (switch.is_some() || self.trace.len() > 1) {
            self.observer.finished(&game, z);
        }
        self.game = Some(game);
    }

    /// The best move, and the sum of its afterstate.
    fn choose(&mut self, game: &G, side: Side, root: Option<&Root<'_, G>>, rng: &mut Rng) -> (G::Move, Option<f32>) {
        let moves = choices(game, root, &mut self.moves);
        self.memory.afterstate_sums(game, moves, &mut self.sums);
        know_the_end(game, moves, &mut self.sums);
        let chosen = policy::greedy(&self.sums, side, rng);
        count(root, chosen);
        (moves[chosen], Some(self.sums[chosen]))
    }

    /// A random move, or with probability `by_policy` the default policy's.
    fn explore(&mut self, game: &G, root: Option<&Root<'_, G>>, by_policy: f32, rng: &mut Rng) -> G::Move {
        if by_policy > 0.0
            && unit(rng) < by_policy
            && let Some(mv) = self.leaf.one_move(game, rng)
        {
            // At the root not every move is allowed.
            let place = root.map(|root| root.moves.iter().position(|&allowed| allowed == mv));
            if place != Some(None) {
                count(root, place.flatten().unwrap_or_default());
                return mv;
            }
        }
        let Some(root) = root else { return game.random_candidate(&mut self.moves, rng) };
        let chosen = below(rng, root.moves.len() as u32) as usize;
        count(Some(root), chosen);
        root.moves[chosen]
    }
}

/// The moves of the root that are allowed; elsewhere the candidates.
#[inline]
fn choices<'a, G: Game>(game: &G, root: Option<&Root<'a, G>>, moves: &'a mut Vec<G::Move>) -> &'a [G::Move] {
    match root {
        Some(root) => root.moves,
        None => {
            game.candidate_moves(moves);
            moves
        }
    }
}

/// Another simulation begins with this move of the root.
#[inline]
fn count<G: Game>(root: Option<&Root<'_, G>>, chosen: usize) {
    if let Some(root) = root {
        root.visits[chosen].fetch_add(1, Relaxed);
    }
}
