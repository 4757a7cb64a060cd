//! Uniformly random playouts: every sensible move with the same probability.

use crate::go::board::Board;
use crate::go::point::{Move, Point};
use crate::go::rules::Go;
use crate::rng::{Rng, below, below_twice};
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

/// What a policy's random moves may be.
pub(in crate::go) trait Allows {
    /// Whether `side` may play on this empty point.
    fn allows(board: &Board, point: Point, side: Side) -> bool;
}

impl Allows for UniformGoPlayout {
    #[inline(always)]
    fn allows(board: &Board, point: Point, side: Side) -> bool {
        board.is_sensible(point, side)
    }
}

/// Draws a move that policy `A` allows `side`, each with the same probability; `None` if there is none.
#[inline(always)]
pub(super) fn draw<A: Allows>(board: &mut Board, side: Side, rng: &mut Rng) -> Option<Point> {
    // Rejected points go to the far end of the list, so that no point is tried twice.
    let mut candidates = board.empty_count() as u32;
    while candidates > 0 {
        // One draw of 64 bits serves two tries.
        let (first, second) = below_twice(rng, candidates);
        let point = board.empty_at(first);
        if A::allows(board, point, side) {
            return Some(point);
        }
        candidates -= 1;
        board.swap_empty(first, candidates);
        if candidates == 0 {
            break;
        }
        let i = second(candidates);
        let point = board.empty_at(i);
        if A::allows(board, point, side) {
            return Some(point);
        }
        candidates -= 1;
        board.swap_empty(i, candidates);
    }
    None
}

/// How often [`sample`] draws before it looks at all points. Most are allowed until the board is nearly full.
const DRAWS: usize = 8;

/// As [`draw`], of a board that stays as it is.
#[inline]
pub(in crate::go) fn sample<A: Allows>(board: &Board, side: Side, rng: &mut Rng) -> Option<Point> {
    let empty = board.empty_count() as u32;
    if empty == 0 {
        return None;
    }
    for _ in 0..DRAWS {
        let point = board.empty_at(below(rng, empty));
        if A::allows(board, point, side) {
            return Some(point);
        }
    }
    let allowed = || board.empty_points().filter(|&point| A::allows(board, point, side));
    match allowed().count() as u32 {
        0 => None,
        count => allowed().nth(below(rng, count) as usize),
    }
}

/// One move of `side`, who is to move in a game that is not over; `false` if it is over then.
#[inline(always)]
fn step(game: &mut Go, side: Side, trace: &mut Vec<Move>, rng: &mut Rng) -> bool {
    match draw::<UniformGoPlayout>(&mut game.board, side, rng) {
        Some(point) => {
            game.place_as(point, side, &mut ());
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
    // A function of its own is equally fast wherever it is called from.
    #[inline(never)]
    fn play_out(&mut self, game: &mut Go, trace: &mut Vec<Move>, rng: &mut Rng) -> Outcome {
        // The two sides have code of their own: their colours are then constants.
        if game.is_over() {
            return game.outcome();
        }
        let before = trace.len();
        // A generator of its own can stay in registers.
        let mut own = rng.clone();
        if game.to_move == Side::First || step(game, Side::Second, trace, &mut own) {
            while step(game, Side::First, trace, &mut own) && step(game, Side::Second, trace, &mut own) {}
        }
        *rng = own;
        for &mv in &trace[before.max(trace.len().saturating_sub(2))..] {
            game.recent = [mv, game.recent[0]];
        }
        game.outcome()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Game;
    use crate::rng::stream;

    #[test]
    fn samples_are_allowed_moves_each_as_often_as_the_others() {
        const SAMPLES: u32 = 4_000;
        let (mut nearly_full, mut moves) = (0, Vec::new());
        for number in 0..30 {
            let (mut game, mut rng) = (Go::new(5), stream(3, number));
            for _ in 0..2 * number {
                if game.is_over() {
                    break;
                }
                game.play(game.random_candidate(&mut moves, &mut rng));
            }
            if game.is_over() {
                continue;
            }
            game.candidate_moves(&mut moves);
            nearly_full += usize::from(4 * moves.len() < game.board.empty_count());
            let (mut drawn, candidates) = (vec![0u32; moves.len()], moves.clone());
            for _ in 0..SAMPLES {
                let mv = game.random_candidate(&mut moves, &mut rng);
                drawn[candidates.iter().position(|&other| other == mv).expect("a candidate is drawn")] += 1;
            }
            let expected = f64::from(SAMPLES) / candidates.len() as f64;
            let squared: f64 = drawn.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
            // Chi-squared: its mean is the degrees of freedom, its variance twice that.
            let freedom = (candidates.len() - 1) as f64;
            assert!(squared <= freedom + 5.0 * (2.0 * freedom).sqrt(), "{squared} of {freedom}");
        }
        assert!(nearly_full > 0, "no position had few candidates among many empty points");
    }
}
