//! Uniformly random playouts: every sensible move with the same probability.

use super::board::Board;
use super::point::{Move, Point};
use super::rules::Go;
use crate::rng::{Rng, below_twice};
use crate::{Outcome, PlayoutPolicy, Side};

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

/// Draws a sensible move for `side`, uniformly; `None` if there is none.
#[inline(always)]
pub fn draw_sensible(board: &mut Board, side: Side, rng: &mut Rng) -> Option<Point> {
    // Rejected points go to the far end of the list, so that no point is tried twice.
    let mut candidates = board.empty_count() as u32;
    while candidates > 0 {
        // One draw of 64 bits serves two tries.
        let (first, second) = below_twice(rng, candidates);
        let point = board.empty_at(first);
        if board.is_sensible(point, side) {
            return Some(point);
        }
        candidates -= 1;
        board.swap_empty(first, candidates);
        if candidates == 0 {
            break;
        }
        let i = second(candidates);
        let point = board.empty_at(i);
        if board.is_sensible(point, side) {
            return Some(point);
        }
        candidates -= 1;
        board.swap_empty(i, candidates);
    }
    None
}

/// One move of `side`, who is to move in a game that is not over; `false` if it is over then.
#[inline(always)]
fn step(game: &mut Go, side: Side, trace: &mut Vec<Move>, rng: &mut Rng) -> bool {
    match draw_sensible(&mut game.board, side, rng) {
        Some(point) => {
            game.place_as(point, side);
            trace.push(Move::play(point));
            game.moves_left > 0
        }
        None => {
            game.pass();
            trace.push(Move::PASS);
            !game.is_over()
        }
    }
}

impl PlayoutPolicy<Go> for UniformGoPlayout {
    fn play_out(&mut self, game: &mut Go, trace: &mut Vec<Move>, rng: &mut Rng) -> Outcome {
        // The two sides have code of their own: their colours are then constants.
        if game.is_over() {
            return game.outcome();
        }
        if game.to_move == Side::First || step(game, Side::Second, trace, rng) {
            while step(game, Side::First, trace, rng) && step(game, Side::Second, trace, rng) {}
        }
        game.outcome()
    }
}
