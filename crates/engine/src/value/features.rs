//! [`Features`]: sparse binary features of positions, and the weights that they share.

use afterstate_games::Game;

pub use super::local_shape::Share;

/// The features that are active in a position, each as the weight that it shares and the sign with
/// which it shares it. Two features that share a weight are two entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActiveSet(Vec<Share>);

impl ActiveSet {
    /// Forgets everything, keeping the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds one active feature.
    #[inline(always)]
    pub fn push(&mut self, share: Share) {
        self.0.push(share);
    }

    /// The entries.
    #[inline(always)]
    pub fn shares(&self) -> &[Share] {
        &self.0
    }

    /// ‖φ‖²: how many features are active.
    #[inline(always)]
    pub fn norm_squared(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn entries(&mut self) -> &mut Vec<Share> {
        &mut self.0
    }
}

/// Entries that one window's exchange writes, whether they stay or not.
const WRITTEN: usize = 4;

/// What a move changes about the active features: each one that it makes active is an entry, and each one that
/// it makes inactive an entry of the opposite sign.
#[derive(Clone, Debug, Default)]
pub struct ActiveChange {
    /// The entries, and room for more behind them.
    shares: Vec<Share>,
    filled: usize,
    more: isize,
}

impl ActiveChange {
    /// No change.
    #[inline]
    pub fn clear(&mut self) {
        self.filled = 0;
        self.more = 0;
    }

    /// A feature becomes active.
    #[inline]
    pub fn start(&mut self, share: Share) {
        self.push(share);
        self.more += 1;
    }

    /// A feature ceases to be active.
    #[inline]
    pub fn stop(&mut self, share: Share) {
        self.push(share.opposite());
        self.more -= 1;
    }

    fn push(&mut self, share: Share) {
        self.make_room(1);
        self.shares[self.filled] = share;
        self.filled += 1;
    }

    /// For each window the features of `old` cease to be active and those of `new` become so; a share of weight
    /// `neutral` stands for no feature. Without a branch, for which of them are neutral is hard to predict.
    ///
    /// # Panics
    ///
    /// If there are more windows than `at_most`, or more than two shares of each.
    #[inline(always)]
    pub(crate) fn exchange<const TABLES: usize>(
        &mut self,
        at_most: usize,
        neutral: usize,
        windows: impl Iterator<Item = ([Share; TABLES], [Share; TABLES])>,
    ) {
        self.make_room(WRITTEN * at_most);
        let neutral = Share::new(neutral, false);
        let room = &mut self.shares[self.filled..];
        let (mut filled, mut starts) = (0, 0);
        windows.for_each(|(old, new)| {
            let window = room[filled..].first_chunk_mut::<WRITTEN>().expect("there is room");
            // Counted from 0 for each window, so that no index needs a check.
            let mut here = 0;
            for (old, new) in old.into_iter().zip(new) {
                let (stop, start) = (usize::from(old != neutral), usize::from(new != neutral));
                window[here % WRITTEN] = old.opposite();
                window[(here + stop) % WRITTEN] = new;
                here += stop + start;
                starts += start;
            }
            filled += here;
        });
        self.filled += filled;
        self.more += 2 * starts as isize - filled as isize;
    }

    /// Makes sure that so many more entries can be written.
    #[inline(always)]
    fn make_room(&mut self, entries: usize) {
        if self.shares.len() < self.filled + entries {
            self.shares.resize(self.filled + entries, Share::new(0, false));
        }
    }

    /// The entries.
    #[inline(always)]
    pub fn shares(&self) -> &[Share] {
        &self.shares[..self.filled]
    }

    /// By how much the number of active features grows.
    #[inline(always)]
    pub fn more(&self) -> isize {
        self.more
    }
}

/// Where φ·θ is summed from: weights, in whatever form they are kept.
pub trait Memory: Sync {
    /// What a feature counts for: its weight, with the sign that it is shared with.
    fn worth(&self, share: Share) -> f32;
}

/// Sparse binary features whose weights may be shared with a sign.
pub trait Features<G: Game>: Send + Sync {
    /// Number of weights.
    fn count(&self) -> usize;

    /// Replaces the contents of `set` by the features active in `game`.
    fn active(&self, game: &G, set: &mut ActiveSet);

    /// What weight `index` stands for, in words or as a small picture on one line.
    fn describe(&self, index: usize) -> String;

    /// Adds to `change` what `mv`, a legal move or chance outcome of `game`, changes about the active features.
    /// Features that can be had incrementally override this: learning then costs what changes.
    fn change(&self, game: &G, mv: G::Move, change: &mut ActiveChange) {
        let (mut set, mut after) = (ActiveSet::default(), game.clone());
        self.active(game, &mut set);
        set.shares().iter().for_each(|&share| change.stop(share));
        after.play(mv);
        self.active(&after, &mut set);
        set.shares().iter().for_each(|&share| change.start(share));
    }

    /// φ(s)·θ. Features that need not be listed for that override it.
    fn sum<M: Memory>(&self, game: &G, memory: &M) -> f32 {
        let mut set = ActiveSet::default();
        self.active(game, &mut set);
        set.shares().iter().map(|&share| memory.worth(share)).sum()
    }

    /// Replaces the contents of `sums` by φ(s∘a)·θ for each of `moves`. Features that can be had
    /// incrementally override this: it is the hot loop of everything that is greedy.
    fn afterstate_sums<M: Memory>(&self, game: &G, moves: &[G::Move], memory: &M, sums: &mut Vec<f32>) {
        let mut set = ActiveSet::default();
        sums.clear();
        sums.extend(moves.iter().map(|&mv| {
            let mut after = game.clone();
            after.play(mv);
            self.active(&after, &mut set);
            set.shares().iter().map(|&share| memory.worth(share)).sum::<f32>()
        }));
    }
}
