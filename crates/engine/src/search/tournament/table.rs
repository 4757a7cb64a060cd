//! [`Table`]: the transposition table that all threads of a search share without locks.
//!
//! An entry is two words of 64 bits: what is known, and the position's key combined with that by exclusive or. Two threads
//! that write at once may leave words that do not belong together; then the key does not come out, and the entry counts as
//! another position's (R. Hyatt, T. Mann, *A lock-less transposition table implementation for parallel search*, ICGA
//! Journal 25(1), 2002). So no torn entry is ever believed, short of an accident of 64 bits.

use super::packed::{pack_move, unpack_move};
use crate::large_pages::ask_for;
use afterstate_games::chess::Move;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// What an entry's score says, as the side to move sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Proved {
    /// Nothing: the entry holds only the static evaluation.
    Nothing = 0,
    /// The score is this or less.
    AtMost = 1,
    /// The score is this or more.
    AtLeast = 2,
    /// The score is exact.
    Exact = 3,
}

impl Proved {
    /// Whether the true score may be `other` although the search found `score`.
    #[inline(always)]
    pub(super) fn allows(self, score: i32, other: i32) -> bool {
        match self {
            Proved::Nothing => true,
            Proved::AtMost => other <= score,
            Proved::AtLeast => other >= score,
            Proved::Exact => other == score,
        }
    }

    /// Whether a score that is proved like this answers a search between `alpha` and `beta`.
    #[inline(always)]
    pub(super) fn settles(self, score: i32, alpha: i32, beta: i32) -> bool {
        match self {
            Proved::Nothing => false,
            Proved::AtMost => score <= alpha,
            Proved::AtLeast => score >= beta,
            Proved::Exact => true,
        }
    }
}

/// What the table knows of a position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Entry {
    /// The best move, or the one that refuted the position.
    pub best: Option<Move>,
    /// As the side to move sees it, mates counted from this position. Fits into 16 bits.
    pub score: i32,
    pub proved: Proved,
    /// Plies; 0 is quiescence.
    pub depth: i32,
    /// The static evaluation, `None` in check. Fits into 16 bits.
    pub evaluation: Option<i32>,
    /// Whether the position was once part of a principal variation.
    pub principal: bool,
}

/// Stands for no static evaluation.
const NO_EVALUATION: i16 = i16::MIN;

/// Searches are counted in so many bits.
const GENERATIONS: u8 = 32;

impl Entry {
    fn pack(self, generation: u8) -> u64 {
        let evaluation = self.evaluation.map_or(NO_EVALUATION, |evaluation| evaluation as i16);
        u64::from(pack_move(self.best))
            | u64::from(self.score as i16 as u16) << 16
            | u64::from(evaluation as u16) << 32
            | u64::from(self.depth.clamp(0, 255) as u8) << 48
            | (self.proved as u64) << 56
            | u64::from(self.principal) << 58
            | u64::from(generation % GENERATIONS) << 59
    }

    #[inline(always)]
    fn unpack(word: u64) -> Entry {
        let evaluation = (word >> 32) as i16;
        Entry {
            best: unpack_move(word as u16),
            score: i32::from((word >> 16) as i16),
            evaluation: (evaluation != NO_EVALUATION).then_some(i32::from(evaluation)),
            depth: i32::from((word >> 48) as u8),
            proved: match word >> 56 & 3 {
                0 => Proved::Nothing,
                1 => Proved::AtMost,
                2 => Proved::AtLeast,
                _ => Proved::Exact,
            },
            principal: word >> 58 & 1 != 0,
        }
    }
}

#[inline(always)]
fn depth_of(word: u64) -> i32 {
    i32::from((word >> 48) as u8)
}

#[inline(always)]
fn generation_of(word: u64) -> u8 {
    (word >> 59) as u8
}

/// One place: the key combined with the word, and the word. A word of 0 is an empty place.
#[derive(Default)]
struct Slot {
    check: AtomicU64,
    word: AtomicU64,
}

/// Places that a position may be kept in: one line of the processor's cache.
const WAYS: usize = 4;

#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; WAYS]);

/// A table of fixed size, 16 bytes a position. When a bucket is full, the shallow entries of older searches make room first.
pub(super) struct Table {
    buckets: Vec<Bucket>,
    generation: AtomicU8,
}

impl Table {
    /// A table of about so many MiB, at least one bucket. If that much memory cannot be had, it is halved until it can.
    pub(super) fn new(mebibytes: usize) -> Table {
        let mut count = (mebibytes.saturating_mul(1 << 20) / size_of::<Bucket>()).max(1);
        let mut buckets = Vec::new();
        while count > 1 && buckets.try_reserve_exact(count).is_err() {
            count /= 2;
        }
        ask_for(buckets.spare_capacity_mut());
        buckets.resize_with(count, Bucket::default);
        Table { buckets, generation: AtomicU8::new(0) }
    }

    /// Its size in MiB.
    pub(super) fn mebibytes(&self) -> usize {
        (self.buckets.len() * size_of::<Bucket>()) >> 20
    }

    /// A new search begins: what is in the table is one search older.
    pub(super) fn age(&self) {
        self.generation.store((self.generation.load(Relaxed) + 1) % GENERATIONS, Relaxed);
    }

    /// Forgets everything.
    pub(super) fn clear(&self) {
        for slot in self.buckets.iter().flat_map(|bucket| &bucket.0) {
            slot.check.store(0, Relaxed);
            slot.word.store(0, Relaxed);
        }
        self.generation.store(0, Relaxed);
    }

    /// What is known of the position with this key.
    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        self.bucket(key).0.iter().find_map(|slot| {
            let word = slot.word.load(Relaxed);
            (word != 0 && slot.check.load(Relaxed) ^ word == key).then(|| Entry::unpack(word))
        })
    }

    /// The position with this key will be asked for soon: its entry, which is hardly ever at hand, should be fetched meanwhile.
    #[inline(always)]
    pub(super) fn fetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: every such processor has the instruction, which is a hint and reads nothing.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(self.bucket(key)).cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// Remembers a position. A place that holds the same position, or is empty, is taken; else the place of the entry that
    /// is worth least. Of the same position, a deeper result of this search stays unless the new one is exact.
    #[inline]
    pub(super) fn put(&self, key: u64, mut entry: Entry) {
        let generation = self.generation.load(Relaxed);
        let (mut slot, mut least) = (&self.bucket(key).0[0], i32::MAX);
        for candidate in &self.bucket(key).0 {
            let word = candidate.word.load(Relaxed);
            if word != 0 && candidate.check.load(Relaxed) ^ word == key {
                // A node that failed low knows no best move; the one known before is still the best guess.
                entry.best = entry.best.or_else(|| unpack_move(word as u16));
                let stays = generation_of(word) == generation && depth_of(word) > entry.depth + 3;
                if stays && entry.proved != Proved::Exact {
                    return;
                }
                slot = candidate;
                break;
            }
            let searches_ago = i32::from(generation.wrapping_sub(generation_of(word)) % GENERATIONS);
            let worth = if word == 0 { i32::MIN } else { depth_of(word) - 8 * searches_ago };
            if worth < least {
                (slot, least) = (candidate, worth);
            }
        }
        let word = entry.pack(generation);
        slot.word.store(word, Relaxed);
        slot.check.store(key ^ word, Relaxed);
    }

    /// How full the table is with entries of the current search, in thousandths, from a sample.
    pub(super) fn fullness(&self) -> u32 {
        let generation = self.generation.load(Relaxed);
        let sample = &self.buckets[..self.buckets.len().min(250)];
        let words = sample.iter().flat_map(|bucket| &bucket.0).map(|slot| slot.word.load(Relaxed));
        let used = words.filter(|&word| word != 0 && generation_of(word) == generation).count();
        (used * 1000 / (sample.len() * WAYS)) as u32
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> &Bucket {
        &self.buckets[((u128::from(key) * self.buckets.len() as u128) >> 64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(depth: i32, proved: Proved) -> Entry {
        Entry { best: None, score: 0, proved, depth, evaluation: None, principal: false }
    }

    #[test]
    fn an_entry_is_two_words_and_a_bucket_one_line() {
        assert_eq!((size_of::<Slot>(), size_of::<Bucket>(), align_of::<Bucket>()), (16, 64, 64));
    }

    proptest! {
        #[test]
        fn what_is_put_in_comes_out(key: u64, score in -32_000..=32_000, evaluation in proptest::option::of(-9_900..=9_900),
                                    depth in 0..=255, proved in 1_u64..=3, mv: u16, principal: bool) {
            let proved = [Proved::AtMost, Proved::AtLeast, Proved::Exact][proved as usize - 1];
            let best = unpack_move(mv % (5 << 12));
            let entry = Entry { best, score, proved, depth, evaluation, principal };
            let table = Table::new(0);
            table.put(key, entry);
            table.fetch(key);
            prop_assert_eq!(table.get(key), Some(entry));
            table.fetch(!key);
            prop_assert_eq!(table.get(!key), None);
        }
    }

    #[test]
    fn torn_entries_are_not_believed() {
        let table = Table::new(0);
        table.put(77, entry(3, Proved::Exact));
        let slot = &table.bucket(77).0[0];
        slot.word.store(entry(9, Proved::Exact).pack(0), Relaxed);
        assert_eq!(table.get(77), None);
    }

    #[test]
    fn shallow_and_old_entries_make_room() {
        let table = Table::new(0);
        for (key, depth) in [(1, 9), (2, 4), (3, 7), (4, 5)] {
            table.put(key, entry(depth, Proved::Exact));
        }
        table.put(5, entry(1, Proved::Exact));
        assert!(table.get(2).is_none() && table.get(5).is_some());
        table.age();
        table.put(6, entry(1, Proved::Exact));
        table.put(7, entry(1, Proved::Exact));
        table.put(8, entry(1, Proved::Exact));
        // The old ones of depth 1, 5 and 7 went; the one of depth 9 is worth as much as a new one of depth 1.
        assert_eq!([1, 3, 4, 5].map(|key| table.get(key).is_some()), [true, false, false, false]);
        assert_eq!([6, 7, 8].map(|key| table.get(key).is_some()), [true; 3]);
    }

    #[test]
    fn the_best_move_survives_a_search_that_found_none() {
        let table = Table::new(0);
        let best = unpack_move(0o0715);
        table.put(1, Entry { best, ..entry(3, Proved::AtLeast) });
        table.put(1, entry(4, Proved::AtMost));
        assert_eq!(table.get(1).map(|entry| (entry.best, entry.depth)), Some((best, 4)));
        // A deep result of this search is not given for a shallow one.
        table.put(1, entry(0, Proved::AtLeast));
        assert_eq!(table.get(1).map(|entry| entry.depth), Some(4));
    }

    #[test]
    fn only_this_searchs_entries_count_as_full() {
        let table = Table::new(0);
        table.put(1, entry(3, Proved::Exact));
        assert_eq!(table.fullness(), 250);
        table.age();
        assert_eq!(table.fullness(), 0);
        table.clear();
        assert_eq!(table.get(1), None);
    }
}
