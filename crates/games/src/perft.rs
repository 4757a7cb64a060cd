//! Counting what a game's rules lead to: the test that finds almost any mistake in a move generator.
//!
//! [`paths`] counts sequences of moves, [`distinct_positions`] the positions they end in. Rolls of
//! dice and the like count as moves. A game that has ended leads nowhere.

use crate::{Game, Turn};
use std::collections::HashSet;

/// How many sequences of exactly `depth` moves there are from `start`.
///
/// ```
/// use afterstate_games::{ConnectFour, perft};
/// assert_eq!(perft::paths(&ConnectFour::new(), 7), 823_536);
/// ```
pub fn paths<G: Game>(start: &G, depth: u32) -> u64 {
    let mut buffers = vec![Continuations::default(); depth as usize];
    count(start, &mut buffers)
}

/// For each move from `start`, how many sequences of exactly `depth` moves begin with it.
///
/// Comparing the list with another program's shows which move hides the difference. Empty when `depth` is 0.
///
/// ```
/// use afterstate_games::{TicTacToe, perft};
/// let by_move = perft::paths_by_move(&TicTacToe::new(), 3);
/// assert!(by_move.len() == 9 && by_move.iter().all(|&(_, paths)| paths == 56));
/// ```
pub fn paths_by_move<G: Game>(start: &G, depth: u32) -> Vec<(G::Move, u64)> {
    let Some(rest) = depth.checked_sub(1) else { return Vec::new() };
    let mut first = Continuations::default();
    first.fill(start);
    let after = |&mv: &G::Move| {
        let mut next = start.clone();
        next.play(mv);
        (mv, paths(&next, rest))
    };
    first.moves.iter().map(after).collect()
}

/// How many different positions there are after 0, 1, … `depth` moves from `start`, by [`Game::key`].
///
/// Keeps every position of two successive depths in memory.
///
/// ```
/// use afterstate_games::{ConnectFour, perft};
/// assert_eq!(perft::distinct_positions(&ConnectFour::new(), 4), [1, 7, 49, 238, 1120]);
/// ```
pub fn distinct_positions<G: Game>(start: &G, depth: u32) -> Vec<u64> {
    let mut counts = vec![1];
    let mut level = vec![start.clone()];
    let mut continuations = Continuations::default();
    for _ in 0..depth {
        let mut seen = HashSet::new();
        let mut next_level = Vec::new();
        for position in &level {
            continuations.fill(position);
            for &mv in &continuations.moves {
                let mut next = position.clone();
                next.play(mv);
                if seen.insert(next.key()) {
                    next_level.push(next);
                }
            }
        }
        counts.push(next_level.len() as u64);
        level = next_level;
    }
    counts
}

/// Everything that may happen next, with the buffers that it takes to find out.
struct Continuations<M> {
    moves: Vec<M>,
    chances: Vec<(M, f32)>,
}

impl<M> Default for Continuations<M> {
    fn default() -> Self {
        Continuations { moves: Vec::new(), chances: Vec::new() }
    }
}

impl<M> Clone for Continuations<M> {
    /// Buffers of one's own, empty.
    fn clone(&self) -> Self {
        Continuations::default()
    }
}

impl<M: Copy> Continuations<M> {
    fn fill<G: Game<Move = M>>(&mut self, position: &G) {
        self.moves.clear();
        match position.turn() {
            Turn::Player(_) => position.legal_moves(&mut self.moves),
            Turn::Chance => {
                position.chance_outcomes(&mut self.chances);
                self.moves.extend(self.chances.iter().map(|&(mv, _)| mv));
            }
            Turn::Over(_) => {}
        }
    }
}

fn count<G: Game>(position: &G, buffers: &mut [Continuations<G::Move>]) -> u64 {
    let Some((here, below)) = buffers.split_first_mut() else { return 1 };
    here.fill(position);
    if below.is_empty() {
        // The last move need not be played to be counted.
        return here.moves.len() as u64;
    }
    let mut total = 0;
    for &mv in &here.moves {
        let mut next = position.clone();
        next.play(mv);
        total += count(&next, below);
    }
    total
}
