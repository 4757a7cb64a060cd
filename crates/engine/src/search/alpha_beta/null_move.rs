//! Null-move pruning: who is well off even if it passes need not be searched in full (paper 000, §6.1; D. F. Beal,
//! *A generalised quiescence search algorithm*, 1990).
//!
//! ```text
//! if score(s) ≥ high and depth ≥ 3:
//!     v ← search(s∘pass, max(d − 1 − R, 1), high − 1, high)        R = 2, with the points of view changed
//!     if v ≥ high: return v
//! ```
//!
//! That takes it for granted that there is a move at least as good as the pass. It is asked only where a move is wanted
//! that is better than another, and where no sure result is at stake, so that proofs stay proofs.

use super::ply::Ply;
use super::{AlphaBeta, Score, ends};
use crate::search::window::Window;
use crate::value::AfterstateValues;
use afterstate_games::{Deterministic, Game, IndexedMoves, Side};

/// What a game says of its moves.
#[derive(Clone)]
pub(super) struct Numbers<G: Game> {
    pub(super) index: fn(&G, G::Move) -> usize,
    pub(super) count: fn(&G) -> usize,
    pass: fn(&G) -> Option<G::Move>,
}

impl<G: IndexedMoves> Numbers<G> {
    pub(super) fn of_game() -> Self {
        Numbers { index: G::move_index, count: G::index_count, pass: G::pass }
    }
}

/// R, by how many plies the search after a pass is less deep than that after a move.
const REDUCTION: u32 = 2;

/// Positions that are searched less deep are not worth the question.
const LEAST_DEPTH: u32 = 3;

impl<G: Deterministic, V: AfterstateValues<G> + ?Sized> AlphaBeta<G, V> {
    fn null_move(&self, game: &G) -> Option<G::Move> {
        let pass = (self.numbers.as_ref()?.pass)(game)?;
        (game.is_legal(pass) && !ends(game, pass)).then_some(pass)
    }

    /// Whether to ask what a pass is worth in `game`.
    #[inline(never)]
    pub(super) fn may_pass(&self, game: &G, side: Side, depth: u32, high: f32, here: &mut Ply<G::Move>) -> bool {
        if depth < LEAST_DEPTH || Score::of(side, high).winner().is_some() {
            return false;
        }
        let Some(pass) = self.null_move(game) else { return false };
        self.values.afterstates(game, &[pass], &mut here.raw);
        Score::heuristic(here.raw[0]).seen_by(side) >= high
    }

    /// What `side` sees if it passes, in a search that is less deep; at most `high` if it would win for sure. `None`: the
    /// budget is exhausted.
    #[inline(never)]
    pub(super) fn pass(&mut self, game: &G, side: Side, depth: u32, ply: u32, high: f32) -> Option<f32> {
        let Some(pass) = self.null_move(game) else { return Some(f32::NEG_INFINITY) };
        let child = self.after(game, pass, ply);
        let depth = (depth - 1).saturating_sub(REDUCTION).max(1);
        let score = self.node(&child, depth, ply + 1, Window::of(side, high.next_down(), high));
        self.after[ply as usize] = Some(child);
        let score = score?;
        Some(if score.winner().is_some() { score.seen_by(side).min(high) } else { score.seen_by(side) })
    }
}
