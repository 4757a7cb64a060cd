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

    /// Makes sure that there is room for so many more entries, and for as many again that will not stay.
    #[inline(always)]
    pub(crate) fn make_room(&mut self, entries: usize) {
        if self.shares.len() < self.filled + 2 * entries {
            self.shares.resize(self.filled + 2 * entries, Share::new(0, false));
        }
    }

    /// The features of `old` cease to be active and those of `new` become so; a share of weight `neutral` stands for
    /// no feature. Without a branch, for which of them are neutral is hard to predict.
    ///
    /// # Panics
    ///
    /// If [`ActiveChange::make_room`] was not called.
    #[inline(always)]
    pub(crate) fn exchange<const TABLES: usize>(&mut self, old: [Share; TABLES], new: [Share; TABLES], neutral: usize) {
        let neutral = Share::new(neutral, false);
        let room = &mut self.shares[self.filled..][..2 * TABLES];
        // Counted from 0 for each window, so that no window waits for the one before it.
        let (mut filled, mut more) = (0, 0);
        for (old, new) in old.into_iter().zip(new) {
            let (stops, starts) = (usize::from(old != neutral), usize::from(new != neutral));
            room[filled] = old.opposite();
            room[filled + stops] = new;
            filled += stops + starts;
            more += starts as isize - stops as isize;
        }
        self.filled += filled;
        self.more += more;
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
