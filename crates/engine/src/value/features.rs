//! [`Features`]: sparse binary features of positions, and the weights that they share.

use super::weights::Weights;
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

/// Sparse binary features whose weights may be shared with a sign.
pub trait Features<G: Game>: Send + Sync {
    /// Number of weights.
    fn count(&self) -> usize;

    /// Replaces the contents of `set` by the features active in `game`.
    fn active(&self, game: &G, set: &mut ActiveSet);

    /// What weight `index` stands for, in words or as a small picture on one line.
    fn describe(&self, index: usize) -> String;

    /// Replaces the contents of `sums` by φ(s∘a)·θ for each of `moves`. Features that can be had
    /// incrementally override this: it is the hot loop of everything that is greedy.
    fn afterstate_sums(&self, game: &G, moves: &[G::Move], weights: &Weights, sums: &mut Vec<f32>) {
        let mut set = ActiveSet::default();
        sums.clear();
        sums.extend(moves.iter().map(|&mv| {
            let mut after = game.clone();
            after.play(mv);
            self.active(&after, &mut set);
            weights.sum(&set)
        }));
    }
}
