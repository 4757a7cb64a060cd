//! ProbCut: a capture that is far better than needed after a shallow search will be good enough after a deep one
//! (M. Buro, *ProbCut: an effective selective extension of the α-β algorithm*, 1995).
//!
//! ```text
//! bar ← β + margin
//! unless the table knows that the position is worth less
//!     for each capture and promotion a of s that may reach the bar by exchange
//!         v ← −quiescence(s∘a, −bar, 1−bar)
//!         if v ≥ bar: v ← −search(s∘a, d−4, −bar, 1−bar)
//!         if v ≥ bar: return v − margin
//! ```

use super::ChessEvaluation;
use super::move_picker::{MovePicker, is_noisy};
use super::node::Task;
use super::scores::{from_table, is_sure};
use super::see::wins_at_least;
use super::table::{Entry, Proved};
use super::worker::Worker;
use afterstate_games::Chess;
use afterstate_games::chess::Move;

/// From this depth on it is tried.
const FROM: i32 = 5;
/// So many plies less deep, the capture's own included.
const LESS: i32 = 4;

impl<E: ChessEvaluation> Worker<E> {
    /// The score of a node that a capture refutes, with great probability. The outer `None`: the search must stop.
    #[inline]
    pub(super) fn probcut(
        &mut self,
        game: &Chess,
        Task { beta, depth, ply, cut, .. }: Task,
        evaluation: i32,
        known: Option<Entry>,
        hint: Option<Move>,
    ) -> Option<Option<i32>> {
        let margin = self.settings.tunables.probcut;
        let bar = beta + margin;
        let doubtful = known.is_some_and(|entry| {
            entry.depth > depth - LESS && entry.proved != Proved::Nothing && from_table(entry.score, ply) < bar
        });
        if !self.settings.probcut || depth < FROM || is_sure(beta) || is_sure(bar) || doubtful {
            return Some(None);
        }
        let (board, base) = (game.board(), self.stack.len());
        let mut picker = MovePicker::noisy(base, hint.filter(|&mv| is_noisy(board, mv)), true);
        while let Some(candidate) = self.next_move(game, &mut picker) {
            if !wins_at_least(board, candidate.mv, bar - evaluation) {
                continue;
            }
            let mut child = game.clone();
            self.play(&mut child, candidate.mv, candidate.piece, ply)?;
            let mut score = -self.quiescence::<false>(&child, -bar, 1 - bar, ply + 1)?;
            if score >= bar {
                let task = Task { alpha: -bar, beta: 1 - bar, depth: depth - LESS, ply: ply + 1, cut: !cut };
                score = -self.node::<false>(&child, task)?;
            }
            self.take_back();
            if score >= bar {
                self.stack.truncate(base);
                return Some(Some(if is_sure(score) { score } else { score - margin }));
            }
        }
        self.stack.truncate(base);
        Some(None)
    }
}
