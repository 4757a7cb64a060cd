//! Beyond the depth of the search: captures and answers to checks, until the position is quiet (paper 002, §5: "a quiescence
//! search that examined all captures and check evasions"). Nothing is left out because of what the weights say.

use super::settings::MAX_PLY;
use super::{Score, TrainingSearch, Window};
use crate::value::Features;
use afterstate_games::{Tactics, Turn};
use std::mem::take;

impl<G: Tactics, F: Features<G>> TrainingSearch<G, F> {
    /// As [`TrainingSearch::node`] beyond the depth of the search: captures, and answers to checks. Always prunes.
    pub(super) fn quiescence(&mut self, game: &G, ply: usize, window: Window) -> Option<Score> {
        let side = game.to_move();
        if !self.settings.quiescence {
            return Some(self.evaluate(game));
        }
        let (mut low, high) = window.seen_by(side);
        let mut best = f32::NEG_INFINITY;
        let mut moves = take(&mut self.plies[ply].moves);
        if game.is_check() {
            game.candidate_moves(&mut moves);
        } else {
            best = self.evaluate(game).seen_by(side);
            low = low.max(best);
            if best >= high {
                self.plies[ply].moves = moves;
                return Some(Score::of(side, best));
            }
            game.forcing_moves(&mut moves);
        }
        self.arrange(game, side, ply, &moves, None);
        for i in 0..moves.len() {
            self.bring_forward(ply, i, &mut moves);
            let Some(score) = self.quiet_after(game, moves[i], ply, Window::of(side, low, high)) else {
                self.plies[ply].moves = moves;
                return None;
            };
            let seen = score.seen_by(side);
            if seen > best {
                best = seen;
                if seen > low {
                    low = seen;
                    self.extend_line(ply, moves[i]);
                }
            }
            if seen >= high {
                break;
            }
        }
        self.plies[ply].moves = moves;
        Some(Score::of(side, best))
    }

    /// The position that the search sees when it evaluates `game`: the one after the captures, and answers to checks, that both
    /// sides do best to make. `None` if the game ends there.
    pub fn quiet_leaf(&mut self, game: &G) -> Option<G> {
        // Perhaps nothing was searched yet.
        self.history.make_room(game.index_count());
        let mut leaf = game.clone();
        self.quiet_line(game).iter().for_each(|&mv| leaf.play(mv));
        matches!(leaf.turn(), Turn::Player(_)).then_some(leaf)
    }

    /// The moves from `game` until it is quiet.
    pub(super) fn quiet_line(&mut self, game: &G) -> &[G::Move] {
        self.may_stop = false;
        self.plies[0].line.clear();
        if let Turn::Player(side) = game.turn() {
            let score = self.quiescence(game, 0, Window::of(side, f32::NEG_INFINITY, f32::INFINITY));
            debug_assert!(score.is_some(), "it cannot be stopped");
        }
        &self.plies[0].line
    }

    /// The score after a move of the quiescence search.
    fn quiet_after(&mut self, game: &G, mv: G::Move, ply: usize, window: Window) -> Option<Score> {
        let after = self.after(game, mv, ply);
        self.nodes += 1;
        self.plies[ply + 1].line.clear();
        let score = match after.turn() {
            Turn::Over(outcome) => Some(Score::ended(outcome, ply as u32 + 1, 0.0)),
            _ if ply + 2 >= MAX_PLY => Some(self.evaluate(&after)),
            _ if self.may_stop && self.is_exhausted() => None,
            _ => self.quiescence(&after, ply + 1, window),
        };
        self.plies[ply].after = Some(after);
        score
    }
}
