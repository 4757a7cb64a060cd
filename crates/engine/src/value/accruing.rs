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

/// θᵢ as bᵢ and nᵢ.
#[derive(Clone, Copy, Debug, Default)]
struct Accruing {
    base: f32,
    count: f32,
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
    /// By signed index, so that who reads them needs no sign: each weight, and the negative of it.
    entries: Box<[Accruing]>,
    /// C.
    credit: f32,
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
        let mut new = AccruingWeights {
            entries: vec![Accruing::default(); 2 * (weights.len() + 1)].into_boxed_slice(),
            credit: 0.0,
            sum: 0.0,
            overlap: 0.0,
            active: 0,
        };
        weights.values().into_iter().enumerate().for_each(|(index, weight)| new.set(index, weight));
        new
    }

    /// Number of weights.
    pub fn len(&self) -> usize {
        self.entries.len() / 2 - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The weight with this index.
    pub fn weight(&self, index: usize) -> f32 {
        self.worth(Share::new(index, false))
    }

    /// Replaces a weight that no active feature shares.
    fn set(&mut self, index: usize, weight: f32) {
        let [plus, minus] = &mut self.entries.as_chunks_mut::<2>().0[index];
        (plus.base, minus.base) = (weight, -weight);
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
        let pairs = self.entries.as_chunks_mut::<2>().0;
        let credit = self.credit;
        let (mut sum, mut counts) = (0.0, 0.0);
        for &share in shares {
            let [plus, minus] = &mut pairs[share.index()];
            let sign = share.sign();
            sum += sign * (plus.base + plus.count * credit);
            counts += sign * plus.count;
            *plus = Accruing { base: plus.base - sign * credit, count: plus.count + sign };
            *minus = Accruing { base: minus.base + sign * credit, count: minus.count - sign };
        }
        self.sum += f64::from(sum);
        self.overlap += f64::from(2.0 * counts) + shares.len() as f64;
    }

    /// φ·θ.
    #[inline]
    pub fn sum(&self) -> f32 {
        self.sum as f32
    }

    /// φ·θ once `changes` will have been made to φ.
    #[inline]
    pub fn sum_after<'a>(&self, changes: impl IntoIterator<Item = &'a ActiveChange>) -> f32 {
        let shares = changes.into_iter().flat_map(|change| change.shares());
        self.sum() + shares.map(|&share| self.worth(share)).sum::<f32>()
    }

    /// ‖φ‖²: how many features are active.
    #[inline]
    pub fn norm_squared(&self) -> usize {
        self.active as usize
    }

    /// θ ← θ + `step`·φ, a weight that several active features share moving once for each.
    #[inline]
    pub fn add(&mut self, step: f32) {
        self.credit += step;
        self.sum += f64::from(step) * self.overlap;
    }

    /// φ ← 0, `active` being all features that are active.
    pub fn settle(&mut self, active: &ActiveSet) {
        let credit = self.credit;
        for share in active.shares() {
            for entry in &mut self.entries.as_chunks_mut::<2>().0[share.index()] {
                *entry = Accruing { base: entry.base + entry.count * credit, count: 0.0 };
            }
        }
        debug_assert!(self.entries.iter().all(|entry| entry.count == 0.0), "other features were active");
        (self.credit, self.sum, self.overlap, self.active) = (0.0, 0.0, 0.0, 0);
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
            let learnt = self.entries[2 * index].base - *before;
            let weight = shared.get(index) + learnt;
            shared.set(index, weight);
            *before = weight;
            self.set(index, weight);
        }
    }
}

impl Memory for AccruingWeights {
    #[inline(always)]
    fn worth(&self, share: Share) -> f32 {
        let Accruing { base, count } = self.entries[share.signed_index()];
        base + count * self.credit
    }
}
