//! [`OldValues`]: what was known some moves ago, for the experiment on move gaps (paper 000, §4.5.4).

use std::collections::VecDeque;

/// What a memory knew after each search of a game that may still be asked for.
pub(super) struct OldValues<M> {
    /// In moves of both sides.
    gap: u64,
    /// Moves of the game so far.
    time: u64,
    /// When a search ended, and what it left; the oldest first.
    kept: VecDeque<(u64, M)>,
}

impl<M: Clone> OldValues<M> {
    pub(super) fn new(gap: u32) -> Self {
        OldValues { gap: u64::from(gap), time: 0, kept: VecDeque::new() }
    }

    /// A new game.
    pub(super) fn clear(&mut self) {
        self.time = 0;
        self.kept.clear();
    }

    /// A move was played.
    pub(super) fn advance(&mut self) {
        self.time += 1;
    }

    /// A search has ended, and this is what it knows. The memory to choose by, if that is an older one.
    pub(super) fn keep(&mut self, memory: &M) -> Option<&mut M> {
        if self.gap == 0 {
            return None;
        }
        // The same position once more.
        if self.kept.back().is_some_and(|(time, _)| *time == self.time) {
            self.kept.pop_back();
        }
        self.kept.push_back((self.time, memory.clone()));
        while self.kept.get(1).is_some_and(|(time, _)| time + self.gap <= self.time) {
            self.kept.pop_front();
        }
        self.kept.front_mut().map(|(_, memory)| memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A search at every other move, as a player makes them; a memory is the move number at which it was made.
    #[test]
    fn values_are_as_old_as_asked_for_or_as_old_as_there_are() {
        for (gap, expected) in [
            (1, [0, 0, 2, 4, 6, 8]),
            (2, [0, 0, 2, 4, 6, 8]),
            (3, [0, 0, 0, 2, 4, 6]),
            (4, [0, 0, 0, 2, 4, 6]),
            (6, [0, 0, 0, 0, 2, 4]),
        ] {
            let mut values = OldValues::new(gap);
            for game in 0..2 {
                let found = [0, 2, 4, 6, 8, 10].map(|time| {
                    values.keep(&99);
                    let found = *values.keep(&time).unwrap();
                    values.advance();
                    values.advance();
                    found
                });
                assert_eq!(found, expected, "gap {gap}, game {game}");
                values.clear();
            }
        }
        assert!(OldValues::new(0).keep(&1).is_none());
    }
}
