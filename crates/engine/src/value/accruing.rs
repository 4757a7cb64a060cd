//! [`AccruingWeights`]: weights that learn at the cost of what a move changes.
//!
//! θ ← θ + c·φ adds the same c to every active weight, move after move, while a move changes only few of the
//! features. So the steps are summed once for all of them, C = c₁ + c₂ + …, and each weight keeps what it would
//! be without them:
//!
//! ```text
//! θᵢ = bᵢ + nᵢ C          nᵢ: how many active features share weight i, with their signs
//! φ ← φ + one feature:    nᵢ ← nᵢ + 1,  bᵢ ← bᵢ − C
//! θ ← θ + c·φ:            C ← C + c
//! ```
//!
//! φ·θ and φ·φ (over shared weights, Σ nᵢ²) follow the same way, so that neither a step nor the value of the
//! position needs a pass over the active features. What is computed is what [`Weights::add`] and
//! [`Weights::sum`] would, up to rounding.

use super::features::{ActiveChange, ActiveSet, Memory, Share};
use super::weights::Weights;

/// θᵢ and −θᵢ, so that who reads them needs no sign: bᵢ, nᵢ, −bᵢ and −nᵢ.
type Accruing = [f32; 4];

/// A weight that no active feature shares.
fn at_rest(weight: f32) -> Accruing {
    [weight, 0.0, -weight, 0.0]
}

/// θ together with the position whose active features learn.
///
/// ```
/// use afterstate_engine::value::{AccruingWeights, ActiveSet, Share, Weights};
/// let mut weights = AccruingWeights::new(&Weights::from_values(&[0.5, 2.0]));
/// let mut active = ActiveSet::default();
/// active.push(Share::new(0, false));
/// active.push(Share::new(0, false));
/// active.push(Share::new(1, true));
/// weights.start(&active);
/// assert_eq!((weights.sum(), weights.norm_squared()), (-1.0, 3));
/// weights.add(0.25);
/// assert_eq!((weights.weight(0), weights.weight(1), weights.sum()), (1.0, 1.75, 0.25));
/// weights.settle(&active);
/// ```
#[derive(Clone, Debug)]
pub struct AccruingWeights {
    entries: Box<[Accruing]>,
    /// −C and 1: what one more active feature adds to bᵢ and nᵢ. Kept as a pair, so that both are added at once.
    step: [f32; 2],
    /// φ·θ.
    sum: f64,
    /// Σ nᵢ².
    overlap: f64,
    /// ‖φ‖², the number of active features.
    active: isize,
}

impl AccruingWeights {
    /// A copy of `weights`, with no active features.
    pub fn new(weights: &Weights) -> AccruingWeights {
        let entries = weights.values().into_iter().chain([0.0]).map(at_rest).collect();
        AccruingWeights { entries, step: [0.0, 1.0], sum: 0.0, overlap: 0.0, active: 0 }
    }

    /// Number of weights.
    pub fn len(&self) -> usize {
        self.entries.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The weight with this index.
    pub fn weight(&self, index: usize) -> f32 {
        self.worth(Share::new(index, false))
    }

    /// φ ← φ + `change`.
    #[inline]
    pub fn change(&mut self, change: &ActiveChange) {
        self.enter(change.shares());
        self.active += change.more();
    }

    /// φ ← φ + `set`.
    pub fn start(&mut self, set: &ActiveSet) {
        self.enter(set.shares());
        self.active += set.norm_squared() as isize;
    }

    #[inline(always)]
    fn enter(&mut self, shares: &[Share]) {
        let step = self.step;
        let halves = self.entries.as_flattened_mut().as_chunks_mut::<2>().0;
        let mut sums = [0.0; 2];
        let mut one = |share: Share| {
            let half = halves[share.signed_index()];
            let after = [half[0] + step[0], half[1] + step[1]];
            sums = [sums[0] + half[0], sums[1] + half[1]];
            halves[share.signed_index()] = after;
            // The other half is the same with the other sign.
            halves[share.opposite().signed_index()] = [-after[0], -after[1]];
        };
        let (fours, rest) = shares.as_chunks::<4>();
        for four in fours {
            four.iter().for_each(|&share| one(share));
        }
        rest.iter().for_each(|&share| one(share));
        let [bases, counts] = sums;
        self.sum += f64::from(bases - counts * step[0]);
        self.overlap += f64::from(2.0 * counts) + shares.len() as f64;
        // What is no feature has no say: it was worth 0, and is to be worth 0 when C will have changed.
        let neutral = self.entries.last_mut().expect("the neutral weight is behind the others");
        let none = neutral[1];
        *neutral = at_rest(0.0);
        self.overlap -= f64::from(none * none);
        self.active -= none as isize;
    }

    /// φ·θ.
    #[inline]
    pub fn sum(&self) -> f32 {
        self.sum as f32
    }

    /// φ·θ once `changes` will have been made to φ.
    #[inline]
    pub fn sum_after<'a>(&self, changes: impl IntoIterator<Item = &'a ActiveChange>) -> f32 {
        let worth = |change: &ActiveChange| change.shares().iter().map(|&share| self.worth(share)).sum::<f32>();
        changes.into_iter().fold(self.sum(), |sum, change| sum + worth(change))
    }

    /// ‖φ‖²: how many features are active.
    #[inline]
    pub fn norm_squared(&self) -> usize {
        self.active as usize
    }

    /// θ ← θ + `step`·φ, a weight that several active features share moving once for each.
    #[inline]
    pub fn add(&mut self, step: f32) {
        self.step[0] -= step;
        self.sum += f64::from(step) * self.overlap;
    }

    /// φ ← 0, `active` being all features that are active.
    pub fn settle(&mut self, active: &ActiveSet) {
        let credit = -self.step[0];
        for share in active.shares() {
            let [base, count, ..] = self.entries[share.index()];
            self.entries[share.index()] = at_rest(base + count * credit);
        }
        debug_assert!(self.entries.iter().all(|[_, count, ..]| *count == 0.0), "other features were active");
        (self.step[0], self.sum, self.overlap, self.active) = (0.0, 0.0, 0.0, 0);
    }

    /// θ ← 0. There must be no active features.
    pub fn clear(&mut self) {
        self.entries.fill(at_rest(0.0));
    }

    /// Writes all weights to `to`.
    pub fn publish(&self, to: &Weights) {
        for index in 0..self.len() {
            to.set(index, self.weight(index));
        }
    }

    /// Adds to `shared` what these weights learnt since they were equal to `before`, and makes both equal to it.
    /// There must be no active features. Whoever else does this at the same time must be kept waiting.
    pub fn exchange(&mut self, before: &mut [f32], shared: &Weights) {
        for (index, before) in before.iter_mut().enumerate() {
            let learnt = self.entries[index][0] - *before;
            let weight = shared.get(index) + learnt;
            shared.set(index, weight);
            *before = weight;
            self.entries[index] = at_rest(weight);
        }
    }

    /// As [`AccruingWeights::exchange`], but whoever else does this at the same time need not wait.
    pub fn meet(&mut self, before: &mut [f32], shared: &Weights) {
        for (index, before) in before.iter_mut().enumerate() {
            let learnt = self.entries[index][0] - *before;
            let weight = if learnt == 0.0 { shared.get(index) } else { shared.add_exactly(index, learnt) };
            *before = weight;
            self.entries[index] = at_rest(weight);
        }
    }
}

impl Memory for AccruingWeights {
    #[inline(always)]
    fn worth(&self, share: Share) -> f32 {
        let [base, count] = self.entries.as_flattened().as_chunks::<2>().0[share.signed_index()];
        base - count * self.step[0]
    }
}
