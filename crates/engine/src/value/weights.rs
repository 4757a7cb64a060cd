//! [`Weights`]: a vector of weights that several threads may read and write without locks.

use super::features::{ActiveSet, Memory, Share};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// θ, the weights of a linear function of sparse features.
///
/// Every access is a relaxed atomic, which costs nothing on the usual machines. Threads that learn at
/// the same time may now and then overwrite each other's change (as in "Hogwild"); with one thread
/// everything is exact and reproducible.
///
/// One entry more than there are weights stands for neutral features: it is always 0.
#[derive(Debug)]
pub struct Weights(Box<[AtomicU32]>);

impl Weights {
    /// `count` weights of 0.
    pub fn zeros(count: usize) -> Weights {
        Weights((0..=count).map(|_| AtomicU32::new(0)).collect())
    }

    /// The given weights.
    pub fn from_values(values: &[f32]) -> Weights {
        Weights(values.iter().chain([&0.0]).map(|value| AtomicU32::new(value.to_bits())).collect())
    }

    /// A copy of all weights.
    pub fn values(&self) -> Vec<f32> {
        self.0[..self.len()].iter().map(|bits| f32::from_bits(bits.load(Relaxed))).collect()
    }

    /// Number of weights.
    pub fn len(&self) -> usize {
        self.0.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One weight.
    #[inline(always)]
    pub fn get(&self, index: usize) -> f32 {
        f32::from_bits(self.0[index].load(Relaxed))
    }

    /// Adds to one weight, losing nothing that other threads add at the same time, and returns what it is then.
    #[inline]
    pub fn add_exactly(&self, index: usize, change: f32) -> f32 {
        let sum = |bits| f32::from_bits(bits) + change;
        let before = self.0[index].fetch_update(Relaxed, Relaxed, |bits| Some(sum(bits).to_bits()));
        sum(before.unwrap_or_else(|bits| bits))
    }

    /// Replaces one weight.
    #[inline(always)]
    pub fn set(&self, index: usize, weight: f32) {
        self.0[index].store(weight.to_bits(), Relaxed);
    }

    /// The weight of a feature, with the sign that it is shared with.
    #[inline(always)]
    pub fn shared(&self, share: Share) -> f32 {
        f32::from_bits(self.0[share.index()].load(Relaxed) ^ share.sign_bit())
    }

    /// φ·θ.
    #[inline]
    pub fn sum(&self, set: &ActiveSet) -> f32 {
        // Four partial sums, so that additions need not wait for each other.
        let mut partial = [0f32; 4];
        let (fours, rest) = set.shares().as_chunks::<4>();
        for four in fours {
            for (sum, &share) in partial.iter_mut().zip(four) {
                *sum += self.shared(share);
            }
        }
        (partial[0] + partial[1])
            + (partial[2] + partial[3])
            + rest.iter().map(|&share| self.shared(share)).sum::<f32>()
    }

    /// θ ← θ + `step`·φ, a weight that several active features share moving once for each.
    #[inline]
    pub fn add(&self, set: &ActiveSet, step: f32) {
        let bits = step.to_bits();
        for &share in set.shares() {
            self.add_to(share, f32::from_bits(bits ^ share.sign_bit()));
        }
    }

    /// Adds `change` to the weight itself, whatever the sign of the share.
    #[inline(always)]
    pub fn add_to(&self, share: Share, change: f32) {
        let weight = &self.0[share.index()];
        weight.store((f32::from_bits(weight.load(Relaxed)) + change).to_bits(), Relaxed);
    }
}

impl Memory for Weights {
    #[inline(always)]
    fn worth(&self, share: Share) -> f32 {
        self.shared(share)
    }
}

impl Clone for Weights {
    fn clone(&self) -> Weights {
        Weights::from_values(&self.values())
    }
}
