//! Scores inside the search: whole hundredths of a pawn, **as the side to move sees them**.
//!
//! Negamax search changes the point of view with every ply, so a child's score is negated on the way up; that and the two
//! functions here that talk to the outside ([`of_white`] and [`leaving`]) are the only places where a point of view changes.

use crate::search::Score;
use afterstate_games::{Outcome, Side};

/// No line is longer than this many plies, quiescence included.
pub(super) const MAX_PLY: usize = 128;

/// To have mated just now. Mates farther away are nearer to zero by one a ply.
pub(super) const MATE: i32 = 32_000;

/// Scores beyond this, either way, are mates.
const SURE: i32 = MATE - 1_000;

/// More than any score.
pub(super) const INFINITE: i32 = 32_500;

/// Nobody wins.
pub(super) const DRAW: i32 = 0;

/// The side to move is mated, `ply` plies below the root.
#[inline(always)]
pub(super) fn mated(ply: usize) -> i32 {
    ply as i32 - MATE
}

/// Whether one side is known to mate.
#[inline(always)]
pub(super) fn is_sure(score: i32) -> bool {
    score.abs() > SURE
}

/// Whether the side to move is known to be mated.
#[inline(always)]
pub(super) fn is_lost(score: i32) -> bool {
    score < -SURE
}

/// A score for the table: mates counted from the position itself and not from the root.
#[inline(always)]
pub(super) fn to_table(score: i32, ply: usize) -> i32 {
    if is_sure(score) { score + score.signum() * ply as i32 } else { score }
}

/// The inverse of [`to_table`].
#[inline(always)]
pub(super) fn from_table(score: i32, ply: usize) -> i32 {
    if is_sure(score) { score - score.signum() * ply as i32 } else { score }
}

/// White's advantage as `side` sees it.
#[inline(always)]
pub(super) fn of_white(white: i32, side: Side) -> i32 {
    match side {
        Side::First => white,
        Side::Second => -white,
    }
}

/// The score that leaves the search, if `side`, who is to move at the root, sees `seen`.
pub(super) fn leaving(side: Side, seen: i32) -> Score {
    if !is_sure(seen) {
        return Score::heuristic(of_white(seen, side) as f32);
    }
    let winner = if seen > 0 { side } else { side.other() };
    Score::ended(Outcome::win(winner), (MATE - seen.abs()) as u32, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_count_from_where_they_are_looked_at() {
        let seen_from_root = mated(7);
        assert_eq!(to_table(seen_from_root, 5), mated(2));
        assert_eq!(from_table(to_table(seen_from_root, 5), 3), mated(5));
        assert_eq!((to_table(-250, 9), from_table(250, 9)), (-250, 250));
    }

    #[test]
    fn leaving_scores_are_the_first_players() {
        assert_eq!(leaving(Side::Second, 120).first_player(), -120.0);
        let black_mates = leaving(Side::Second, MATE - 3);
        assert_eq!((black_mates.winner(), black_mates.plies_to_end()), (Some(Side::Second), Some(3)));
        let black_is_mated = leaving(Side::Second, 4 - MATE);
        assert_eq!((black_is_mated.winner(), black_is_mated.plies_to_end()), (Some(Side::First), Some(4)));
    }
}
