//! The history heuristic: moves that refuted many positions, whichever these were (J. Schaeffer, *The history heuristic
//! and alpha-beta search enhancements in practice*, 1989).

use afterstate_games::Side;

/// How often each move of either side refuted a position, those of deep searches counting more.
#[derive(Default)]
pub(super) struct History {
    counts: [Vec<u32>; 2],
    most: u32,
}

impl History {
    /// A search begins in which moves have numbers below `moves`. What earlier ones showed counts half.
    pub(super) fn begin(&mut self, moves: usize) {
        self.counts.iter_mut().flatten().for_each(|count| *count /= 2);
        self.most /= 2;
        self.make_room(moves);
    }

    /// Moves have numbers below `moves`.
    pub(super) fn make_room(&mut self, moves: usize) {
        for counts in self.counts.iter_mut().filter(|counts| counts.len() < moves) {
            counts.resize(moves, 0);
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.counts.iter_mut().for_each(|counts| counts.fill(0));
        self.most = 0;
    }

    /// `side`'s move of this number refuted a position that was searched so deep.
    pub(super) fn refuted(&mut self, side: Side, number: usize, depth: u32) {
        let count = &mut self.counts[side.index()][number];
        *count = count.saturating_add(depth * depth);
        self.most = self.most.max(*count);
    }

    /// How often, as a share of the most that any move did: 0 to 1.
    #[inline]
    pub(super) fn share(&self, side: Side, number: usize) -> f32 {
        self.counts[side.index()][number] as f32 / self.most.max(1) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_refutations_count_more_and_old_ones_less() {
        let mut history = History::default();
        history.begin(4);
        assert_eq!(history.share(Side::First, 3), 0.0);
        history.refuted(Side::First, 3, 4);
        history.refuted(Side::First, 1, 2);
        history.refuted(Side::Second, 1, 1);
        let shares = |history: &History| {
            [(Side::First, 3), (Side::First, 1), (Side::Second, 1)].map(|(s, n)| history.share(s, n))
        };
        assert_eq!(shares(&history), [1.0, 0.25, 0.0625]);
        // A search on a larger board.
        history.begin(9);
        history.refuted(Side::First, 8, 2);
        assert_eq!((history.share(Side::First, 8), history.share(Side::First, 1)), (0.5, 0.25));
        history.clear();
        assert_eq!(shares(&history), [0.0; 3]);
    }
}
