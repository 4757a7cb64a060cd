//! The table of a training search: between what bounds the value of each position lies.

use crate::search::Score;
use afterstate_games::rng::mix;

/// What is known of a position's score. It is the first player's, and a sure win in n is n moves from the position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// It is this or more; `None`: nothing is known from below.
    pub at_least: Option<Score>,
    /// It is this or less; `None`: nothing is known from above.
    pub at_most: Option<Score>,
}

impl Interval {
    /// The score, if both bounds are the same.
    pub fn exact(self) -> Option<Score> {
        self.at_least.filter(|_| self.at_least == self.at_most)
    }
}

/// What the table knows of a position.
#[derive(Clone, Copy)]
pub(super) struct Entry<M> {
    key: u64,
    /// Plies that were searched from there.
    pub(super) depth: u8,
    /// Whether a walk through the tree was here.
    visited: bool,
    pub(super) interval: Interval,
    pub(super) best: Option<M>,
}

/// Slots that a position may be kept in.
const WAYS: usize = 4;

/// A table that one search fills, and the learner then reads. Of different positions
/// the deepest results stay longest; of one position the latest does.
pub(super) struct Table<M> {
    slots: Vec<Option<Entry<M>>>,
    /// Those that were written to, so that clearing costs what filling did.
    used: Vec<u32>,
}

impl<M: Copy> Table<M> {
    /// A table of so many MiB.
    pub(super) fn new(mebibytes: usize) -> Self {
        let most = u32::MAX as usize / 2;
        let slots = (mebibytes.saturating_mul(1 << 20) / size_of::<Option<Entry<M>>>()).clamp(WAYS, most);
        Table { slots: vec![None; slots / WAYS * WAYS], used: Vec::new() }
    }

    pub(super) fn clear(&mut self) {
        for &slot in &self.used {
            self.slots[slot as usize] = None;
        }
        self.used.clear();
    }

    #[inline]
    fn bucket(&self, key: u64) -> usize {
        let buckets = self.slots.len() / WAYS;
        ((u128::from(mix(key)) * buckets as u128) >> 64) as usize * WAYS
    }

    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<&Entry<M>> {
        let at = self.bucket(key);
        self.slots[at..at + WAYS].iter().flatten().find(|entry| entry.key == key)
    }

    /// What is known of a position that is searched this deep, the first time that a walk asks for it.
    pub(super) fn visit(&mut self, key: u64, least_depth: u32) -> Option<Interval> {
        let at = self.bucket(key);
        let entry = self.slots[at..at + WAYS].iter_mut().flatten().find(|entry| entry.key == key)?;
        if entry.visited || u32::from(entry.depth) < least_depth {
            return None;
        }
        entry.visited = true;
        Some(entry.interval)
    }

    /// A new walk begins.
    pub(super) fn forget_visits(&mut self) {
        for &slot in &self.used {
            if let Some(entry) = &mut self.slots[slot as usize] {
                entry.visited = false;
            }
        }
    }

    /// Remembers what a search to `depth` proved; what a search just as deep proved before still holds.
    #[inline]
    pub(super) fn put(&mut self, key: u64, depth: u32, mut interval: Interval, best: Option<M>) {
        let (at, depth) = (self.bucket(key), depth.min(255) as u8);
        let bucket = &mut self.slots[at..at + WAYS];
        let known = bucket.iter().position(|slot| slot.as_ref().is_some_and(|entry| entry.key == key));
        let way = known.unwrap_or_else(|| {
            (0..WAYS).min_by_key(|&way| bucket[way].as_ref().map_or(0, |entry| 1 + u32::from(entry.depth))).unwrap_or(0)
        });
        match &bucket[way] {
            None => self.used.push((at + way) as u32),
            Some(entry) if entry.key == key && entry.depth == depth => {
                interval.at_least = interval.at_least.or(entry.interval.at_least);
                interval.at_most = interval.at_most.or(entry.interval.at_most);
            }
            Some(_) => {}
        }
        let best = best.or_else(|| bucket[way].as_ref().filter(|entry| entry.key == key).and_then(|entry| entry.best));
        bucket[way] = Some(Entry { key, depth, visited: false, interval, best });
    }
}
