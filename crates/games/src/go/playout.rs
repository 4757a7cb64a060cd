//! Uniformly random playouts: every sensible move with the same probability.

use super::point::{Move, Point};
use super::rules::Go;
use crate::rng::{Rng, below};
use crate::{Outcome, PlayoutPolicy};

/// Plays legal moves that fill no own single-point eye, each with the same probability, and passes
/// only when there is none; the game ends after two passes. The yardstick of the board's speed.
///
/// ```
/// use afterstate_games::{PlayoutPolicy, go::{Go, UniformGoPlayout}, stream};
/// let mut moves = Vec::new();
/// let outcome = UniformGoPlayout.play_out(&mut Go::new(9), &mut moves, &mut stream(1, 0));
/// assert!(outcome.winner.is_some() && moves.len() > 80);
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct UniformGoPlayout;

/// Draws a sensible move for whoever is to move, uniformly; `None` if there is none.
#[inline(always)]
pub fn draw_sensible(game: &mut Go, rng: &mut Rng) -> Option<Point> {
    let (board, side) = (&mut game.board, game.to_move);
    // Rejected points go to the far end of the list, so that no point is tried twice.
    let mut candidates = board.empty_count();
    while candidates > 0 {
        let i = below(rng, candidates as u32) as usize;
        let point = board.empty_at(i);
        if board.is_sensible(point, side) {
            return Some(point);
        }
        candidates -= 1;
        board.swap_empty(i, candidates);
    }
    None
}

impl PlayoutPolicy<Go> for UniformGoPlayout {
    fn play_out(&mut self, game: &mut Go, trace: &mut Vec<Move>, rng: &mut Rng) -> Outcome {
        while !game.is_over() {
            match draw_sensible(game, rng) {
                Some(point) => {
                    game.place(point);
                    trace.push(Move::play(point));
                }
                None => {
                    game.pass();
                    trace.push(Move::PASS);
                }
            }
        }
        game.outcome()
    }
}
