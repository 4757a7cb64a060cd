//! [`SharedTranspositionTable`]: what the threads of one search know of positions, for all of them.

use super::Score;
use super::transposition::{Bound, Entry, TranspositionTable};
use afterstate_games::rng::mix;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Tables enough that two threads hardly ever want the same one.
const PARTS: usize = 64;

/// A [`TranspositionTable`] in parts that are locked one by one, for as long as a position is looked up.
pub(crate) struct SharedTranspositionTable<M> {
    parts: Vec<Mutex<TranspositionTable<M>>>,
}

impl<M: Copy> SharedTranspositionTable<M> {
    /// A table of about `mebibytes` MiB for so many threads; for one it is a [`TranspositionTable`] in one part.
    pub(crate) fn new(mebibytes: usize, threads: usize) -> Self {
        let parts = if threads > 1 { PARTS } else { 1 };
        let bytes = mebibytes.saturating_mul(1 << 20) / parts;
        SharedTranspositionTable {
            parts: (0..parts).map(|_| Mutex::new(TranspositionTable::of_bytes(bytes))).collect(),
        }
    }

    /// See [`TranspositionTable::age`]. No thread may be searching.
    pub(crate) fn age(&self) {
        self.parts.iter().for_each(|part| lock(part).age());
    }

    /// See [`TranspositionTable::clear`].
    pub(crate) fn clear(&self) {
        self.parts.iter().for_each(|part| lock(part).clear());
    }

    /// See [`TranspositionTable::get`].
    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<Entry<M>> {
        self.part(key).get(key)
    }

    /// See [`TranspositionTable::put`].
    #[inline]
    pub(crate) fn put(&self, key: u64, depth: u8, bound: Bound, score: Score, best: Option<M>) {
        self.part(key).put(key, depth, bound, score, best);
    }

    /// The parts find their buckets by the high bits of the mixed key; these are its low ones.
    #[inline]
    fn part(&self, key: u64) -> MutexGuard<'_, TranspositionTable<M>> {
        lock(&self.parts[mix(key) as usize % self.parts.len()])
    }
}

/// Nothing panics while it holds a part, and a part is whole between two calls.
fn lock<T>(part: &Mutex<T>) -> MutexGuard<'_, T> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_found_again_whoever_put_it_there() {
        let table: SharedTranspositionTable<u8> = SharedTranspositionTable::new(1, 2);
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let table = &table;
                scope.spawn(move || {
                    for key in (0..1000).map(|i| 4 * i + thread) {
                        table.put(key, thread as u8, Bound::Exact, Score::heuristic(key as f32), Some(thread as u8));
                    }
                });
            }
        });
        let found = |key: u64| table.get(key).filter(|entry| entry.score == Score::heuristic(key as f32));
        assert!((0..4000).all(|key| found(key).is_some_and(|entry| entry.best == Some((key % 4) as u8))));
        table.age();
        assert!(table.get(17).is_some_and(|entry| !entry.current));
        table.clear();
        assert!((0..4000).all(|key| table.get(key).is_none()));
    }
}
