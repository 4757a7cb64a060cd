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

    /// Replaces the contents by what stands for a feature among the shares of `windows`, of which there are at most `at_most`.
    #[inline(always)]
    pub(crate) fn read<const TABLES: usize>(
        &mut self,
        at_most: usize,
        active: Active,
        windows: impl Iterator<Item = [Share; TABLES]>,
    ) {
        self.0.resize(TABLES * at_most, Share::new(0, false));
        let mut filled = 0;
        windows.for_each(|shares| filled += active.write(shares, &mut self.0, filled));
        self.0.truncate(filled);
    }
}

/// Tells which of a window's shares stand for a feature: those of any weight before the neutral one. If there are two and the
/// last is neutral, so is the first.
#[derive(Clone, Copy)]
pub(crate) struct Active {
    neutral: Share,
}

impl Active {
    /// The weight with index `neutral` stands for no feature, and there is none behind it.
    pub(crate) fn new(neutral: usize) -> Self {
        Active { neutral: Share::new(neutral, false) }
    }

    /// Writes to `room`, from `at` on, the shares that stand for a feature, the last first; returns how many these are.
    /// Behind them something else may have been written. Without a branch, for which of them are neutral is hard to predict.
    #[inline(always)]
    fn write<const TABLES: usize>(self, mut shares: [Share; TABLES], room: &mut [Share], at: usize) -> usize {
        shares.reverse();
        *room[at..].first_chunk_mut().expect("there is room") = shares;
        shares.iter().fold(0, |count, share| count + usize::from(share.comes_before(self.neutral)))
    }
}

/// What a move changes about the active features: each one that it makes active is an entry, and each one that
/// it makes inactive an entry of the opposite sign. There may also be entries that stand for no feature: those of the
/// neutral weight, whose index is the number of weights and which is worth 0. Leaving them in costs less than finding
/// out which they are.
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

    /// For each window, of which there are at most `at_most`, the features of the first array cease to be active and those
    /// of the second become so.
    #[inline(always)]
    pub(crate) fn exchange<const TABLES: usize>(
        &mut self,
        at_most: usize,
        mut windows: impl Iterator<Item = [[Share; TABLES]; 2]>,
    ) {
        self.make_room(2 * TABLES * at_most);
        let room = self.shares[self.filled..].as_chunks_mut::<TABLES>().0.as_chunks_mut::<2>().0;
        let mut exchanged = 0;
        for (room, [old, new]) in room.iter_mut().zip(&mut windows) {
            *room = [old.map(Share::opposite), new];
            exchanged += 1;
        }
        debug_assert!(windows.next().is_none(), "there are more windows");
        self.filled += 2 * TABLES * exchanged;
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

    /// By how much the number of entries that are active grows, those that stand for no feature among them.
    #[inline(always)]
    pub fn more(&self) -> isize {
        self.more
    }
}

/// Where φ·θ is summed from: weights, in whatever form they are kept.
pub trait Memory: Sync {
    /// What a feature counts for: its weight, with the sign that it is shared with. Local shapes also ask for the weight behind the last
    /// one, which stands for no feature and is worth 0.
    fn worth(&self, share: Share) -> f32;
}

/// Sparse binary features whose weights may be shared with a sign.
///
/// Sums are the first player's view. Features that one side shows and those that the other shows in its place may share a weight with
/// opposite signs; then what is learnt of one side is known of the other.
///
/// # Contract
///
/// What is active depends on the position alone, finished ones included, and weights are numbered from 0 to below [`Features::count`].
/// `change`, `sum` and `afterstate_sums` have defaults that are right and slow; what overrides them must come to the same, up to
/// rounding. [`check_features`](super::check_features) checks all that.
///
/// ```
/// use afterstate_engine::value::{ActiveSet, Features, Share, check_features};
/// use afterstate_games::{Grid, Side, TicTacToe, conformance};
///
/// /// Who holds the centre.
/// struct Centre;
///
/// impl Features<TicTacToe> for Centre {
///     fn count(&self) -> usize {
///         1
///     }
///
///     fn active(&self, game: &TicTacToe, set: &mut ActiveSet) {
///         set.clear();
///         if let Some(side) = game.stone(1, 1) {
///             set.push(Share::new(0, side == Side::Second));
///         }
///     }
///
///     fn describe(&self, _index: usize) -> String {
///         "the centre".to_string()
///     }
/// }
///
/// check_features(&Centre, &TicTacToe::new(), conformance::Settings::default())?;
/// # Ok::<(), afterstate_engine::value::FeatureViolation>(())
/// ```
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

    /// φ(s)·θ. Features that need not be listed for that override it: to list them takes memory every time.
    fn sum<M: Memory>(&self, game: &G, memory: &M) -> f32 {
        let mut set = ActiveSet::default();
        self.active(game, &mut set);
        set.shares().iter().map(|&share| memory.worth(share)).sum()
    }

    /// Replaces the contents of `sums` by φ(s∘a)·θ for each of `moves`. Features that can be had
    /// incrementally override this: it is the hot loop of everything that is greedy.
    fn afterstate_sums<M: Memory>(&self, game: &G, moves: &[G::Move], memory: &M, sums: &mut Vec<f32>) {
        sums.clear();
        sums.extend(moves.iter().map(|&mv| {
            let mut after = game.clone();
            after.play(mv);
            self.sum(&after, memory)
        }));
    }
}
