//! Eligibility traces: how much credit each weight still gets for what happens next.

use crate::value::{ActiveSet, Share, Weights};
use serde::{Deserialize, Serialize};

/// What happens to a weight's trace when one of its features is active again.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TraceKind {
    /// The new credit is added to what is left of the old (the paper's).
    #[default]
    Accumulating,
    /// The new credit takes the place of the old.
    Replacing,
    /// No traces: when the game is over, positions learn from the last to the first, towards λ-returns (RLGO's other form).
    Backward,
}

/// Credit below this share of a fresh feature's is dropped (as RLGO does).
const CUT: f32 = 0.001;

/// e, a sparse vector over the weights.
#[derive(Clone, Debug)]
pub struct EligibilityTrace {
    kind: TraceKind,
    /// By weight; 0 where there is no credit.
    credit: Vec<f32>,
    /// The weights with credit, each once.
    touched: Vec<u32>,
    /// By weight: whether it is in `touched`. Its credit alone does not tell, for it can pass through 0
    /// while shares of opposite signs are added.
    listed: Vec<bool>,
}

impl EligibilityTrace {
    /// No credit for any of `count` weights.
    pub fn new(count: usize, kind: TraceKind) -> Self {
        EligibilityTrace { kind, credit: vec![0.0; count + 1], touched: Vec::new(), listed: vec![false; count + 1] }
    }

    /// Forgets everything: a new game.
    pub fn clear(&mut self) {
        for &index in &self.touched {
            self.credit[index as usize] = 0.0;
            self.listed[index as usize] = false;
        }
        self.touched.clear();
    }

    /// e ← λ e + φ/‖φ‖² (accumulating); with replacing traces active weights get φ/‖φ‖² alone.
    pub fn visit(&mut self, set: &ActiveSet, lambda: f32) {
        let fresh = 1.0 / set.norm_squared().max(1) as f32;
        let (credit, listed) = (&mut self.credit, &mut self.listed);
        self.touched.retain(|&index| {
            let left = credit[index as usize] * lambda;
            let keep = left.abs() >= CUT * fresh;
            credit[index as usize] = if keep { left } else { 0.0 };
            listed[index as usize] = keep;
            keep
        });
        if self.kind == TraceKind::Replacing {
            for share in set.shares() {
                self.credit[share.index()] = 0.0;
            }
        }
        for share in set.shares() {
            if !self.listed[share.index()] {
                self.listed[share.index()] = true;
                self.touched.push(share.index() as u32);
            }
            self.credit[share.index()] += share.sign() * fresh;
        }
    }

    /// θ ← θ + `step`·e.
    pub fn apply(&self, weights: &Weights, step: f32) {
        for &index in &self.touched {
            weights.add_to(Share::new(index as usize, false), step * self.credit[index as usize]);
        }
    }

    /// The credit of one weight.
    pub fn credit(&self, index: usize) -> f32 {
        self.credit[index]
    }
}
