//! [`TranspositionTable`]: what is already known of positions that several lines of play reach.

use super::Score;
use crate::large_pages::ask_for;
use afterstate_games::Side;
use afterstate_games::rng::mix;

/// What a search proved about a position's score. Like the score itself it is the first player's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The score is exact.
    Exact,
    /// The first player's score is this or more.
    AtLeast,
    /// The first player's score is this or less.
    AtMost,
}

impl Bound {
    /// What `side` proved who saw the result `seen` of searching between `low` and `high`.
    #[inline]
    pub fn proved(side: Side, seen: f32, low: f32, high: f32) -> Bound {
        match (seen <= low, seen >= high, side) {
            (true, _, Side::First) | (_, true, Side::Second) => Bound::AtMost,
            (true, _, Side::Second) | (_, true, Side::First) => Bound::AtLeast,
            _ => Bound::Exact,
        }
    }
}

/// What the table knows of one position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entry<M> {
    /// How deep the position was searched, in plies.
    pub depth: u8,
    /// What [`Entry::score`] says.
    pub bound: Bound,
    /// The score, counted from this position: a sure win in n is n moves from here.
    pub score: Score,
    /// The best move, or the one that refuted the position.
    pub best: Option<M>,
    /// Whether the entry was made by the search that is under way. Older ones may have been made with
    /// other values, so only their moves are of use.
    pub current: bool,
}

/// Slots that a position may be kept in.
const WAYS: usize = 4;

#[derive(Clone, Copy)]
struct Slot<M> {
    key: u64,
    score: Score,
    best: Option<M>,
    depth: u8,
    bound: Bound,
    /// The search that made it; 0 for an empty slot.
    generation: u8,
}

/// A table of fixed size. When it is full, the entries of older searches and of shallower depths make room first.
///
/// ```
/// use afterstate_engine::search::{Bound, Score, TranspositionTable};
/// let mut table: TranspositionTable<u8> = TranspositionTable::new(1);
/// table.put(17, 3, Bound::AtLeast, Score::heuristic(0.25), Some(4));
/// let entry = table.get(17).unwrap();
/// assert_eq!((entry.depth, entry.bound, entry.best, entry.current), (3, Bound::AtLeast, Some(4), true));
/// assert!(table.get(18).is_none());
/// ```
pub struct TranspositionTable<M> {
    buckets: Vec<[Slot<M>; WAYS]>,
    generation: u8,
}

impl<M: Copy> TranspositionTable<M> {
    /// A table of about `mebibytes` MiB, at least one bucket. If that much memory cannot be had, it is
    /// halved until it can.
    pub fn new(mebibytes: usize) -> Self {
        TranspositionTable::of_bytes(mebibytes.saturating_mul(1 << 20))
    }

    /// The same for a number of bytes.
    pub(super) fn of_bytes(bytes: usize) -> Self {
        let mut count = (bytes / size_of::<[Slot<M>; WAYS]>()).max(1);
        let mut buckets = Vec::new();
        while count > 1 && buckets.try_reserve_exact(count).is_err() {
            count /= 2;
        }
        let empty =
            Slot { key: 0, score: Score::heuristic(0.0), best: None, depth: 0, bound: Bound::Exact, generation: 0 };
        ask_for(buckets.spare_capacity_mut());
        buckets.resize(count, [empty; WAYS]);
        TranspositionTable { buckets, generation: 1 }
    }

    /// Positions that fit.
    pub fn capacity(&self) -> usize {
        self.buckets.len() * WAYS
    }

    /// A new search begins: what is in the table is old from now on.
    pub fn age(&mut self) {
        // 0 stands for an empty slot. An entry that survives 255 searches would pass for a current one,
        // so the table is emptied when the count wraps.
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.clear();
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        for slot in self.buckets.as_flattened_mut() {
            slot.generation = 0;
        }
        self.generation = 1;
    }

    /// What is known of the position with this key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry<M>> {
        let slot = self.buckets[self.bucket(key)].iter().find(|slot| slot.key == key && slot.generation != 0)?;
        Some(Entry {
            depth: slot.depth,
            bound: slot.bound,
            score: slot.score,
            best: slot.best,
            current: slot.generation == self.generation,
        })
    }

    /// Remembers a position. What the table knew of it before is replaced.
    #[inline]
    pub fn put(&mut self, key: u64, depth: u8, bound: Bound, score: Score, best: Option<M>) {
        let (at, generation) = (self.bucket(key), self.generation);
        let bucket = &mut self.buckets[at];
        let worth = |slot: &Slot<M>| match slot.generation {
            0 => 0,
            made if made != generation => 1 + u32::from(slot.depth),
            _ => 1000 + u32::from(slot.depth),
        };
        let slot = match bucket.iter().position(|slot| slot.key == key && slot.generation != 0) {
            Some(same) => same,
            None => (0..WAYS).min_by_key(|&i| worth(&bucket[i])).unwrap_or(0),
        };
        bucket[slot] = Slot { key, score, best, depth, bound, generation };
    }

    /// Games may give keys that differ in a few low bits only, hence the mixing.
    #[inline(always)]
    fn bucket(&self, key: u64) -> usize {
        ((u128::from(mix(key)) * self.buckets.len() as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_entries_of_the_current_search_stay_longest() {
        let mut table: TranspositionTable<u8> = TranspositionTable::new(0);
        assert_eq!(table.capacity(), WAYS);
        for key in 0..3 {
            table.put(key, 9, Bound::Exact, Score::heuristic(0.0), None);
        }
        table.age();
        table.put(3, 2, Bound::Exact, Score::heuristic(0.0), None);
        table.put(4, 7, Bound::Exact, Score::heuristic(0.0), None);
        table.put(5, 1, Bound::Exact, Score::heuristic(0.0), None);
        // The three old ones went first although they were deepest…
        assert_eq!((0..3).filter(|&key| table.get(key).is_some()).count(), 1);
        assert!(table.get(3).is_some_and(|entry| entry.current));
        table.put(6, 5, Bound::Exact, Score::heuristic(0.0), None);
        table.put(7, 5, Bound::Exact, Score::heuristic(0.0), None);
        // …then the shallow ones of this search.
        assert!(table.get(5).is_none() && table.get(4).is_some());
    }

    #[test]
    fn old_entries_never_pass_for_current_ones() {
        let mut table: TranspositionTable<u8> = TranspositionTable::new(0);
        table.put(1, 1, Bound::Exact, Score::heuristic(0.0), Some(2));
        for _ in 0..600 {
            table.age();
            assert!(!table.get(1).is_some_and(|entry| entry.current));
        }
    }

    #[test]
    fn bounds_are_the_first_players() {
        assert_eq!(Bound::proved(Side::First, 2.0, 0.0, 1.0), Bound::AtLeast);
        assert_eq!(Bound::proved(Side::Second, 2.0, 0.0, 1.0), Bound::AtMost);
        assert_eq!(Bound::proved(Side::First, -1.0, 0.0, 1.0), Bound::AtMost);
        assert_eq!(Bound::proved(Side::Second, -1.0, 0.0, 1.0), Bound::AtLeast);
        assert_eq!(Bound::proved(Side::Second, 0.5, 0.0, 1.0), Bound::Exact);
    }
}
