//! Which plays a roll allows.
//!
//! As many numbers as possible must be played, and if only one of two different numbers can be, the larger one. Plays that
//! lead to the same position are one play.

use super::board::{BAR, Board, Step};
use super::{Dice, Move, Play};
use crate::Side;

/// No two numbers can be played in more ways: fifteen men for the one and fifteen for the other, in two orders.
const MOST: usize = 2 * 15 * 15;

/// Replaces the contents of `moves` by all legal plays, one of which is to do nothing if that is all there is.
pub(super) fn plays(board: &Board, side: Side, dice: Dice, moves: &mut Vec<Move>) {
    moves.clear();
    let (high, low) = dice.numbers();
    if high == low {
        doubles(board, side, high, moves);
    } else {
        two_numbers(board, side, high, low, moves);
    }
    if moves.is_empty() {
        moves.push(Move::Play(Play::NOTHING));
    }
}

/// Calls `found` with every step that a number allows and the board after it, from the hindmost man forward.
#[inline(always)]
fn steps(board: &Board, side: Side, die: usize, first: usize, mut found: impl FnMut(Step, Option<usize>, &Board)) {
    let Some(hindmost) = board.hindmost(side) else { return };
    let last = if hindmost == BAR { BAR } else { 0 };
    for from in (last..=hindmost.min(first)).rev() {
        if board.men(side, from) == 0 {
            continue;
        }
        if let Some((step, hit)) = board.reach(side, from, die) {
            let mut after = *board;
            after.step(side, step);
            found(step, hit, &after);
        }
    }
}

/// The own men after a play and the points where it hits: all that tells positions after plays apart.
#[inline(always)]
fn result(after: &Board, side: Side, hits: [Option<usize>; 2]) -> u128 {
    // 25 places take 100 bits.
    let hit = |hit: Option<usize>| hit.map_or(0, |place| 1 << (104 + place));
    after.packed(side) | hit(hits[0]) | hit(hits[1])
}

fn two_numbers(board: &Board, side: Side, high: usize, low: usize, moves: &mut Vec<Move>) {
    let mut results = [0u128; MOST];
    for (one, other) in [(high, low), (low, high)] {
        steps(board, side, one, BAR, |first, hit, between| {
            steps(between, side, other, BAR, |second, also, after| {
                let result = result(after, side, [hit, also]);
                let known = &mut results[..=moves.len()];
                let Some((new, known)) = known.split_last_mut() else { return };
                if !known.contains(&result) {
                    *new = result;
                    moves.push(Move::Play(Play::new(&[first, second])));
                }
            });
        });
    }
    // Only one number can be played.
    for die in [high, low] {
        if moves.is_empty() {
            steps(board, side, die, BAR, |step, _, _| moves.push(Move::Play(Play::new(&[step]))));
        }
    }
}

fn doubles(board: &Board, side: Side, die: usize, moves: &mut Vec<Move>) {
    let mut most = 1;
    deeper(board, side, die, &mut Play::new(&[]), 0, &mut most, moves);
}

/// Adds all plays that begin with the `made` steps of `play` and go on no further back than the last of them: in that order
/// each set of steps comes once, and it is always possible, since no step forward helps a man behind it.
fn deeper(
    board: &Board,
    side: Side,
    die: usize,
    play: &mut Play,
    made: usize,
    most: &mut usize,
    moves: &mut Vec<Move>,
) {
    if made > 0 && made >= *most {
        if made > *most {
            moves.clear();
            *most = made;
        }
        moves.push(Move::Play(*play));
    }
    if made == 4 {
        return;
    }
    let first = if made == 0 { BAR } else { play.steps[made - 1].from() };
    steps(board, side, die, first, |step, _, after| {
        play.steps[made] = step;
        deeper(after, side, die, play, made + 1, most, moves);
        play.steps[made] = Step::NONE;
    });
}
