//! Choosing among moves by their values.

use afterstate_games::rng::{Rng, below, unit};
use afterstate_games::{Game, Side};

/// The index of the best of `scores` for `side`: the largest for the first player, the smallest for
/// the second. Ties are broken at random. `scores` may be values or any increasing function of them.
///
/// # Panics
///
/// If `scores` is empty.
///
/// ```
/// use afterstate_engine::policy::greedy;
/// use afterstate_games::{Side, stream};
/// let scores = [0.2, 0.9, 0.4];
/// assert_eq!(greedy(&scores, Side::First, &mut stream(1, 0)), 1);
/// assert_eq!(greedy(&scores, Side::Second, &mut stream(1, 0)), 0);
/// ```
#[inline]
pub fn greedy(scores: &[f32], side: Side, rng: &mut Rng) -> usize {
    let best = match side {
        Side::First => scores.iter().copied().fold(f32::NEG_INFINITY, f32::max),
        Side::Second => scores.iter().copied().fold(f32::INFINITY, f32::min),
    };
    let ties = scores.iter().filter(|&&score| score == best).count() as u32;
    let mut skip = if ties > 1 { below(rng, ties) } else { 0 };
    for (i, &score) in scores.iter().enumerate() {
        if score == best {
            if skip == 0 {
                return i;
            }
            skip -= 1;
        }
    }
    // Only values that are not numbers end here; any move is as good as another then.
    below(rng, scores.len() as u32) as usize
}

/// The index of a draw from the softmax of `scores` as `side` sees them, at `temperature` above 0.
///
/// # Panics
///
/// If `scores` is empty.
pub fn softmax(scores: &[f32], side: Side, temperature: f32, rng: &mut Rng) -> usize {
    let sign = if side == Side::First { 1.0 } else { -1.0 };
    let highest = scores.iter().map(|score| sign * score).fold(f32::NEG_INFINITY, f32::max);
    let weight = |score: f32| ((sign * score - highest) / temperature).exp();
    let mut left = unit(rng) * scores.iter().map(|&score| weight(score)).sum::<f32>();
    for (i, &score) in scores.iter().enumerate() {
        left -= weight(score);
        if left < 0.0 {
            return i;
        }
    }
    scores.len() - 1
}

/// One of the moves that self-play chooses from, each with the same probability.
pub fn random<G: Game>(game: &G, moves: &mut Vec<G::Move>, rng: &mut Rng) -> Option<G::Move> {
    game.candidate_moves(moves);
    (!moves.is_empty()).then(|| moves[below(rng, moves.len() as u32) as usize])
}
