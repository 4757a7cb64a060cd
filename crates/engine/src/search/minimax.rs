//! Plain minimax: every line of play to a fixed depth, nothing left out. Far slower than
//! [`AlphaBeta`](super::AlphaBeta) and far simpler: the yardstick that it is tested against.

use super::Score;
use crate::value::AfterstateValues;
use afterstate_games::{Deterministic, Turn};

/// The minimax score of `game` looked at `depth` plies deep over its candidate moves, and the first of
/// the moves that reach it. Positions `depth` plies away get their score from `values`, ended games
/// theirs by [`Score::ended`]. The move is `None` if the game is over.
///
/// ```text
/// M(s, d) = max over a of M(s∘a, d−1) where the first player moves, min where the second does;  M(s, 0) = score(s)
/// ```
///
/// ```
/// use afterstate_engine::{search::minimax, value::Indifferent};
/// use afterstate_games::{Game, Side, go::{Go, Move}};
/// // One move is left, and White is ahead by komi whatever it is.
/// let mut game = Go::new(5).with_move_limit(2);
/// game.play(Move::PASS);
/// let (score, _) = minimax(&game, 1, &Indifferent);
/// assert_eq!((score.winner(), score.plies_to_end()), (Some(Side::Second), Some(1)));
/// ```
pub fn minimax<G: Deterministic, V: AfterstateValues<G> + ?Sized>(
    game: &G,
    depth: u32,
    values: &V,
) -> (Score, Option<G::Move>) {
    below(game, depth.max(1), 0, values)
}

fn below<G: Deterministic, V: AfterstateValues<G> + ?Sized>(
    game: &G,
    depth: u32,
    ply: u32,
    values: &V,
) -> (Score, Option<G::Move>) {
    let side = match game.turn() {
        Turn::Player(side) => side,
        Turn::Over(outcome) => return (Score::ended(outcome, ply, values.even_score()), None),
        Turn::Chance => unreachable!("a deterministic game has no chance"),
    };
    let (mut moves, mut scores) = (Vec::new(), Vec::new());
    game.candidate_moves(&mut moves);
    let mut best: Option<(Score, G::Move)> = None;
    for mv in moves {
        let mut after = game.clone();
        after.play(mv);
        let score = if depth > 1 || matches!(after.turn(), Turn::Over(_)) {
            below(&after, depth - 1, ply + 1, values).0
        } else {
            values.afterstates(game, &[mv], &mut scores);
            Score::heuristic(scores[0])
        };
        if best.is_none_or(|(found, _)| score.seen_by(side) > found.seen_by(side)) {
            best = Some((score, mv));
        }
    }
    let (score, mv) = best.expect("a player to move has a candidate move");
    (score, Some(mv))
}
