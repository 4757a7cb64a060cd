//! [`Table`]: what the solver has proved about positions, in fixed memory and eight bytes for each.
//!
//! Unlike [`TranspositionTable`](crate::search::TranspositionTable) it keeps both bounds of an exact score and knows no
//! depth: what is proved stays true for as long as the table lives. No two positions are ever taken for each other.

use crate::large_pages::ask_for;

/// Bits of a position's key.
const KEY_BITS: u32 = 49;
/// Bits of the mixed key that an entry holds. Its bucket says the others.
const TAG_BITS: u32 = 43;
/// Fewest bits of the number of a bucket.
const LEAST_BUCKET_BITS: u32 = KEY_BITS - TAG_BITS;
/// Bits of a bound, of a column, and of the logarithm of the work.
const BOUND_BITS: u32 = 6;
const COLUMN_BITS: u32 = 3;
const WORK_BITS: u32 = 6;
/// Added to a bound, so that it is not negative. An entry is never 0 because its upper bound isn't.
const OFFSET: i32 = 32;

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// Its score is not less, as the side to move sees it.
    pub(super) at_least: i32,
    /// Nor more.
    pub(super) at_most: i32,
    /// A column worth trying first; 7 is none.
    pub(super) column: usize,
}

/// The positions that share a place: half a cache line.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Bucket([u64; 4]);

pub(super) struct Table {
    buckets: Vec<Bucket>,
    bucket_bits: u32,
}

/// A bijection of 49-bit numbers whose high bits depend on all bits.
#[inline(always)]
const fn mix(key: u64) -> u64 {
    const MASK: u64 = (1 << KEY_BITS) - 1;
    let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) & MASK;
    (mixed ^ mixed >> 25).wrapping_mul(0xbf58_476d_1ce4_e5b9) & MASK
}

impl Table {
    /// The largest table that fits into `mebibytes` MiB, at least one of 2 KiB. If that much memory can't be had, it is
    /// halved until it can.
    pub(super) fn new(mebibytes: usize) -> Table {
        let most = (mebibytes.saturating_mul(1 << 20) / size_of::<Bucket>()).max(1);
        let mut bucket_bits = most.ilog2().clamp(LEAST_BUCKET_BITS, KEY_BITS - 1);
        let mut buckets = Vec::new();
        while bucket_bits > LEAST_BUCKET_BITS && buckets.try_reserve_exact(1 << bucket_bits).is_err() {
            bucket_bits -= 1;
        }
        ask_for(buckets.spare_capacity_mut());
        buckets.resize(1 << bucket_bits, Bucket([0; 4]));
        Table { buckets, bucket_bits }
    }

    /// The bucket and the tag of a key.
    #[inline(always)]
    fn place(&self, key: u64) -> (usize, u64) {
        let mixed = mix(key);
        ((mixed >> (KEY_BITS - self.bucket_bits)) as usize, mixed & ((1 << TAG_BITS) - 1))
    }

    #[inline(always)]
    pub(super) fn get(&self, key: u64) -> Option<Known> {
        let (bucket, tag) = self.place(key);
        let is_it = |entry: &u64| entry >> (u64::BITS - TAG_BITS) == tag && *entry != 0;
        let entry = self.buckets[bucket].0.iter().copied().find(is_it)?;
        let field = |low: u32, bits: u32| (entry >> low & ((1 << bits) - 1)) as usize;
        Some(Known {
            at_least: field(WORK_BITS + COLUMN_BITS + BOUND_BITS, BOUND_BITS) as i32 - OFFSET,
            at_most: field(WORK_BITS + COLUMN_BITS, BOUND_BITS) as i32 - OFFSET,
            column: field(WORK_BITS, COLUMN_BITS),
        })
    }

    /// Remembers what `work` nodes have proved. What took the least work makes room.
    #[inline(always)]
    pub(super) fn put(&mut self, key: u64, known: Known, work: u64) {
        let (bucket, tag) = self.place(key);
        let fields = [
            (TAG_BITS, tag),
            (BOUND_BITS, (known.at_least + OFFSET) as u64),
            (BOUND_BITS, (known.at_most + OFFSET) as u64),
            (COLUMN_BITS, known.column as u64),
            (WORK_BITS, u64::from(work.max(1).ilog2())),
        ];
        let entry = fields.into_iter().fold(0, |entry, (bits, field)| entry << bits | field);
        let entries = &mut self.buckets[bucket].0;
        let (mut slot, mut least) = (0, u64::MAX);
        for (i, &old) in entries.iter().enumerate() {
            if old >> (u64::BITS - TAG_BITS) == tag {
                slot = i;
                break;
            }
            // Empty ones come first.
            let worth = if old == 0 { 0 } else { 1 + (old & ((1 << WORK_BITS) - 1)) };
            if worth < least {
                (slot, least) = (i, worth);
            }
        }
        entries[slot] = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_table_tells_every_position_from_every_other() {
        let mut table = Table::new(0);
        let known = |key: u64| Known {
            at_least: (key % 43) as i32 - 21,
            at_most: (key / 43 % 43) as i32 - 21,
            column: (key % 8) as usize,
        };
        // Far more than fit: what is still there must be what was put there.
        let keys = || (0..100_000u64).map(|i| i.wrapping_mul(0x0001_2345_6789_abcd) & ((1 << KEY_BITS) - 1));
        for key in keys() {
            table.put(key, known(key), key);
        }
        let mut kept = 0;
        for key in keys() {
            if let Some(found) = table.get(key) {
                assert_eq!(found, known(key));
                kept += 1;
            }
        }
        assert_eq!(kept, 4 << LEAST_BUCKET_BITS);
    }

    #[test]
    fn what_took_the_least_work_makes_room() {
        let mut table = Table::new(0);
        let mut same_bucket = (0..).filter(|&key| table.place(key).0 == 0);
        let keys: [u64; 6] = std::array::from_fn(|_| same_bucket.next().expect("there is always one more"));
        drop(same_bucket);
        let known = Known { at_least: -3, at_most: 5, column: 7 };
        for (&key, work) in keys.iter().zip([1000, 10, 500, 2000, 3, 4]) {
            table.put(key, known, work);
        }
        let kept = keys.map(|key| table.get(key).is_some());
        assert_eq!(kept, [true, false, true, true, false, true]);
    }
}
