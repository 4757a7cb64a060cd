//! When the rest of a search cannot change its decision any more, for searches that decide by visits.

use super::Budget;
use super::mcts_solver::Proof;
use std::time::Instant;

/// By how many simulations the most visited of `moves` is ahead of all others; each comes with its visits and what is proved of it, which
/// is [`Proof::Open`] where the search does not go by proofs. If there is no other, nothing can overtake it.
pub(crate) fn lead(moves: impl IntoIterator<Item = (u64, Proof)>) -> u64 {
    let (mut first, mut second) = (0, 0);
    let (mut open, mut drawn) = (0, 0);
    for (visits, proof) in moves {
        match proof {
            Proof::Open => {
                open += 1;
                (first, second) = if visits > first { (visits, first) } else { (first, second.max(visits)) };
            }
            Proof::Draw => drawn += 1,
            // Whoever is proved to lose is not played, however often it was visited before.
            Proof::First | Proof::Second | Proof::Forbidden => {}
        }
    }
    if open + drawn < 2 {
        return u64::MAX;
    }
    // Whether a proved draw is better than the best open move is a matter of values, which may change.
    if drawn > 0 { 0 } else { first - second }
}

/// How many simulations will hardly come before the deadline, after `done` of them since `begin`.
pub(crate) fn left_by_time(budget: &Budget, begin: Instant, done: u64) -> u64 {
    budget.deadline.map_or(u64::MAX, |deadline| {
        let now = Instant::now();
        let rate = done as f64 / now.duration_since(begin).as_secs_f64().max(1e-9);
        // The rate varies: room for a quarter more.
        (1.25 * rate * deadline.saturating_duration_since(now).as_secs_f64()) as u64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_open_moves_can_be_overtaken() {
        use Proof::{Draw, Forbidden, Open, Second};
        assert_eq!(lead([(7, Open), (30, Open), (12, Open)]), 18);
        assert_eq!(lead([(30, Open), (30, Open)]), 0);
        assert_eq!(lead([(7, Open), (30, Second), (5, Open), (99, Forbidden)]), 2);
        // A draw that is certain may be better or worse than what is open.
        assert_eq!(lead([(30, Open), (7, Open), (1, Draw)]), 0);
        assert_eq!(lead([(30, Open), (1, Draw)]), 0);
        assert_eq!(lead([(1, Draw), (3, Draw)]), 0);
        // There is nothing to choose.
        for moves in [vec![(3, Open)], vec![(3, Draw)], vec![(3, Open), (9, Second)], vec![(9, Second)], vec![]] {
            assert_eq!(lead(moves), u64::MAX);
        }
    }
}
