//! [`UnderWay`]: which moves the threads of a search are looking at, so that each looks at others first (simplified ABDADA:
//! J.-C. Weill, *The ABDADA distributed minimax-search algorithm*, 1996; T. Kerrigan, *Simplified ABDADA*).
//!
//! ```text
//! for each move a but the first:  if another thread is searching s∘a: put it off;  else search it
//! for each move put off:          search it, or find in the table what the other thread has found
//! ```

use afterstate_games::rng::mix;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Moves searched less deep are not worth the question.
pub(super) const LEAST_DEPTH: u32 = 3;

/// There is a move for each thread and ply at most.
const BUCKETS: usize = 256;
const WAYS: usize = 4;

/// A set of moves. What it forgets, or mistakes for another, costs time alone.
pub(super) struct UnderWay {
    moves: [[AtomicU64; WAYS]; BUCKETS],
}

impl UnderWay {
    pub(super) fn new() -> Self {
        UnderWay { moves: [const { [const { AtomicU64::new(0) }; WAYS] }; BUCKETS] }
    }

    /// What stands for move number `index` of the position `key`, searched so deep; never 0.
    pub(super) fn name(key: u64, index: usize, depth: u32) -> u64 {
        mix(key ^ mix(index as u64 ^ u64::from(depth) << 32)) | 1
    }

    /// Whether a thread has begun with the move and not come to an end.
    pub(super) fn contains(&self, name: u64) -> bool {
        self.bucket(name).iter().any(|slot| slot.load(Relaxed) == name)
    }

    /// This thread begins with the move.
    pub(super) fn begin(&self, name: u64) {
        let free = |slot: &&AtomicU64| slot.compare_exchange(0, name, Relaxed, Relaxed).is_ok();
        self.bucket(name).iter().find(free);
    }

    /// It has come to an end.
    pub(super) fn end(&self, name: u64) {
        let mine = |slot: &&AtomicU64| slot.compare_exchange(name, 0, Relaxed, Relaxed).is_ok();
        self.bucket(name).iter().find(mine);
    }

    fn bucket(&self, name: u64) -> &[AtomicU64; WAYS] {
        &self.moves[(name >> 1) as usize % BUCKETS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_under_way_until_all_have_ended_it() {
        let (under_way, name) = (UnderWay::new(), UnderWay::name(17, 3, 4));
        assert!(!under_way.contains(name));
        under_way.begin(name);
        under_way.begin(name);
        under_way.end(name);
        assert!(under_way.contains(name) && !under_way.contains(UnderWay::name(17, 3, 5)));
        under_way.end(name);
        assert!(!under_way.contains(name));
        // A full bucket forgets, and ending what was forgotten changes nothing.
        let same: Vec<u64> = (0..WAYS as u64 + 1).map(|i| 1 + 2 * BUCKETS as u64 * (i + 1)).collect();
        same.iter().for_each(|&name| under_way.begin(name));
        assert_eq!(same.iter().filter(|&&name| under_way.contains(name)).count(), WAYS);
        same.iter().for_each(|&name| under_way.end(name));
        assert!(!same.iter().any(|&name| under_way.contains(name)));
    }
}
