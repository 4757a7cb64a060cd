//! What a search leaves to a learner: every position of its tree with what was proved of it.

use super::settings::MAX_PLY;
use super::{Interval, TrainingSearch};
use crate::value::Features;
use afterstate_games::Tactics;
use std::mem::take;

impl<G: Tactics, F: Features<G>> TrainingSearch<G, F> {
    /// Shows every position of the last search's tree that was searched `least_depth` plies deep or deeper, each once, with
    /// what is known of its score (paper 002, Algorithm 2, DeltaFromTransTbl). Whoever looks may ask the search for a
    /// position's [quiet leaf](TrainingSearch::quiet_leaf).
    ///
    /// ```text
    /// walk(s): if the table has no entry for s, or one less deep, or s was shown: return
    ///          show s;  for each move a: walk(s∘a)
    /// ```
    pub fn walk(&mut self, root: &G, least_depth: u32, show: &mut impl FnMut(&mut Self, &G, Interval)) {
        self.table.forget_visits();
        let mut boards = Vec::new();
        self.walk_from(root, least_depth, 0, &mut boards, show);
    }

    fn walk_from(
        &mut self,
        game: &G,
        least_depth: u32,
        ply: usize,
        buffers: &mut Vec<Vec<G::Move>>,
        show: &mut impl FnMut(&mut Self, &G, Interval),
    ) {
        let Some(interval) = self.table.visit(game.key(), least_depth) else { return };
        show(self, game, interval);
        if ply >= MAX_PLY {
            return;
        }
        if buffers.len() == ply {
            buffers.push(Vec::new());
        }
        let mut moves = take(&mut buffers[ply]);
        game.candidate_moves(&mut moves);
        for &mv in &moves {
            let mut after = game.clone();
            after.play(mv);
            self.walk_from(&after, least_depth, ply + 1, buffers, show);
        }
        buffers[ply] = moves;
    }
}
