//! [`History`]: what must not be repeated, or not too often.

/// Positions that were on the board before the search began. Nearly every question is answered by a table of
/// bits without looking at them.
#[derive(Clone, Debug)]
pub(super) struct History {
    keys: Vec<u64>,
    bits: [u64; 64],
}

impl History {
    pub(super) fn new() -> Self {
        History { keys: Vec::new(), bits: [0; 64] }
    }

    /// Forgets what was there and remembers these.
    pub(super) fn set(&mut self, keys: impl Iterator<Item = u64>) {
        self.keys.clear();
        self.bits = [0; 64];
        for key in keys {
            self.keys.push(key);
            self.bits[(key >> 6 & 63) as usize] |= 1 << (key & 63);
        }
    }

    pub(super) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// How often a position was on the board.
    pub(super) fn count(&self, key: u64) -> usize {
        self.keys.iter().filter(|&&known| known == key).count()
    }

    #[inline(always)]
    pub(super) fn contains(&self, key: u64) -> bool {
        self.bits[(key >> 6 & 63) as usize] >> (key & 63) & 1 != 0 && self.keys.contains(&key)
    }
}
