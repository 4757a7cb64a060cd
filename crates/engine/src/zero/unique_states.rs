//! [`unique_states`]: how much of the game a run has seen (paper 004, §6.1, Figure 3).

use super::actor::Trajectory;
use super::replay::{Entry, ReplayLog};
use super::training::{ZeroError, at, logs};
use afterstate_games::{Deterministic, IndexedMoves};
use std::collections::HashSet;
use std::path::Path;

/// How many different positions that are not the end of a game the training trajectories of so many learning steps visited, by the number
/// of moves that led there from `first`.
///
/// # Errors
///
/// A log that cannot be read, or that the run no longer has: only runs with [`ReplaySettings::keep`](super::ReplaySettings::keep)
/// have all.
pub fn unique_states<G: Deterministic + IndexedMoves>(
    first: &G,
    folder: &Path,
    steps: u64,
) -> Result<Vec<u64>, ZeroError> {
    let mut seen: Vec<HashSet<u64>> = Vec::new();
    for path in logs(folder, steps) {
        for entry in at(&path, ReplayLog::read_complete(&path))? {
            let Entry::Trajectory(Trajectory { way, opening, policies, .. }) = entry else { continue };
            let mut game = first.clone();
            let start = usize::from(opening);
            // A game that ended early has been searched where no move was played any more.
            for depth in 0..start + policies.len() {
                if seen.len() <= depth {
                    seen.push(HashSet::new());
                }
                // What led to the start was another trajectory's, or the raw policy's.
                if depth >= start {
                    seen[depth].insert(game.key());
                }
                if let Some(&index) = way.get(depth) {
                    game.play(game.move_at(usize::from(index)));
                }
            }
        }
    }
    Ok(seen.iter().map(|keys| keys.len() as u64).collect())
}
