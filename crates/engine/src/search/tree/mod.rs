//! [`Tree`]: what simulations have taught about the moves below a position, shared by all threads that search it.
//!
//! Every node is an edge of the paper, a move `a` in a position `s`, and holds its counts and values N(s,a),
//! Q(s,a), Ñ(s,a), Q̃(s,a) (paper 003, §2.4 and §4.1); the root alone stands for a position that no move led to. All nodes lie in one
//! allocation. The moves of a position are neighbours there, and their parent knows where they begin.
//!
//! Nothing is locked. Statistics are atomic words that are added to; a position is given its moves by whoever
//! first changes its state from "none" to "being expanded", and until they can be seen the others take it as a
//! leaf (M. Enzenberger and M. Müller, A lock-free multithreaded Monte-Carlo tree search algorithm, 2010).

mod compact;
#[cfg(all(loom, test))]
mod model;
mod statistic;
#[cfg(all(test, not(loom)))]
mod tests;

pub use compact::Kept;
pub use statistic::Statistic;

use super::mcts_solver::Proof;
use atomic::{AtomicU8, AtomicU16, AtomicU32, Ordering};
use std::ops::Range;

/// The atomic types: those of the standard library, or loom's when the tree is model-checked.
mod atomic {
    #[cfg(all(loom, test))]
    pub use loom::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};
    #[cfg(not(all(loom, test)))]
    pub use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};
}

/// The number of a node.
pub type NodeIndex = u32;

/// The node that stands for the position at which the tree begins.
pub const ROOT: NodeIndex = 0;

/// No moves are known below a node: they begin nowhere, for the root is nobody's child.
const LEAF: u32 = 0;
/// Somebody is about to write the moves below a node.
const EXPANDING: u32 = u32::MAX;

/// A move with its statistics.
#[derive(Debug, Default)]
pub struct Node {
    /// N(s,a) and Q(s,a), priors and virtual losses included.
    pub outcomes: Statistic,
    /// Ñ(s,a) and Q̃(s,a), priors included.
    pub amaf: Statistic,
    /// Where the moves that follow begin, or [`LEAF`], or [`EXPANDING`].
    first: AtomicU32,
    /// How many moves follow.
    count: AtomicU16,
    /// The number of the move.
    index: AtomicU16,
    /// How much of N(s,a) is prior.
    experience: AtomicU16,
    /// How much of Ñ(s,a) is prior.
    amaf_experience: AtomicU16,
    /// What the prior said, in 65,535ths.
    prior: AtomicU16,
    proof: AtomicU8,
}

/// What a new node starts with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seed {
    /// The number of the move.
    pub index: u16,
    /// Prior experience, as a count of simulations.
    pub experience: u16,
    /// The sum of the first player's values over `experience`.
    pub sum: f32,
    /// The same for the all-moves-as-first statistics.
    pub amaf_experience: u16,
    /// The sum of the first player's values over `amaf_experience`.
    pub amaf_sum: f32,
}

impl Node {
    /// The number of the move that leads here.
    #[inline(always)]
    pub fn index(&self) -> usize {
        usize::from(self.index.load(Ordering::Relaxed))
    }

    /// How often a simulation went this way; what priors count is left out.
    #[inline]
    pub fn visits(&self) -> u32 {
        self.outcomes.count().saturating_sub(u32::from(self.experience.load(Ordering::Relaxed)))
    }

    /// How often the all-moves-as-first statistics were updated; what priors count is left out.
    #[inline]
    pub fn amaf_visits(&self) -> u32 {
        self.amaf.count().saturating_sub(u32::from(self.amaf_experience.load(Ordering::Relaxed)))
    }

    /// The first player's value that the prior gave, if there was one.
    pub fn prior(&self) -> Option<f32> {
        let experienced = self.experience.load(Ordering::Relaxed) | self.amaf_experience.load(Ordering::Relaxed) > 0;
        experienced.then(|| f32::from(self.prior.load(Ordering::Relaxed)) / 65_535.0)
    }

    /// What is known for sure.
    #[inline(always)]
    pub fn proof(&self) -> Proof {
        Proof::from_byte(self.proof.load(Ordering::Relaxed))
    }

    /// Remembers what was proved.
    #[inline]
    pub fn prove(&self, proof: Proof) {
        self.proof.store(proof as u8, Ordering::Relaxed);
    }

    /// Makes this the node of `seed`, with nothing below it.
    fn reset(&self, seed: Seed) {
        self.outcomes.set(u32::from(seed.experience), seed.sum);
        self.amaf.set(u32::from(seed.amaf_experience), seed.amaf_sum);
        self.first.store(LEAF, Ordering::Relaxed);
        self.count.store(0, Ordering::Relaxed);
        self.index.store(seed.index, Ordering::Relaxed);
        self.experience.store(seed.experience, Ordering::Relaxed);
        self.amaf_experience.store(seed.amaf_experience, Ordering::Relaxed);
        let experience = f32::from(seed.experience) + f32::from(seed.amaf_experience);
        let prior = (seed.sum + seed.amaf_sum) / experience.max(1.0);
        self.prior.store((prior.clamp(0.0, 1.0) * 65_535.0).round() as u16, Ordering::Relaxed);
        self.proof.store(Proof::Open as u8, Ordering::Relaxed);
    }

    /// Makes this a copy of `other`, whatever follows it included.
    fn copy(&self, other: &Node) {
        self.outcomes.copy(&other.outcomes);
        self.amaf.copy(&other.amaf);
        self.first.store(other.first.load(Ordering::Relaxed), Ordering::Relaxed);
        for (to, from) in [
            (&self.count, &other.count),
            (&self.index, &other.index),
            (&self.experience, &other.experience),
            (&self.amaf_experience, &other.amaf_experience),
            (&self.prior, &other.prior),
        ] {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        self.proof.store(other.proof.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// Something that threads write often, on a cache line of its own, so that they do not disturb those who read what
/// would otherwise lie beside it.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Apart<T>(pub(super) T);

/// The nodes of a search, in one allocation that never grows while it runs.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    /// How many nodes are taken; the rest is free.
    used: Apart<AtomicU32>,
}

impl Tree {
    /// A tree of nothing but its root, with room for `capacity` nodes (at least one).
    pub fn new(capacity: usize) -> Tree {
        let mut tree = Tree { nodes: Vec::new(), used: Apart(AtomicU32::new(1)) };
        tree.reserve(capacity.max(1));
        tree
    }

    /// How many nodes fit into so many MiB.
    pub fn capacity_of(mib: usize) -> usize {
        (mib.saturating_mul(1 << 20) / size_of::<Node>()).clamp(1, u32::MAX as usize - 1)
    }

    /// Makes room for `capacity` nodes in all, unless there is already.
    pub fn reserve(&mut self, capacity: usize) {
        let capacity = capacity.min(u32::MAX as usize - 1);
        if capacity > self.nodes.len() {
            self.nodes.reserve_exact(capacity - self.nodes.len());
            self.nodes.resize_with(capacity, Node::default);
        }
    }

    /// How many nodes there is room for.
    pub fn capacity(&self) -> usize {
        self.nodes.len()
    }

    /// How many nodes are taken.
    pub fn used(&self) -> usize {
        self.used.0.load(Ordering::Relaxed) as usize
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.nodes[ROOT as usize].reset(Seed::default());
        self.used.0.store(1, Ordering::Relaxed);
    }

    /// One node.
    #[inline(always)]
    pub fn node(&self, node: NodeIndex) -> &Node {
        &self.nodes[node as usize]
    }

    /// The numbers of the moves that follow `node`; `None` if it was not expanded.
    #[inline(always)]
    pub fn children(&self, node: NodeIndex) -> Option<Range<NodeIndex>> {
        // Pairs with the release in `expand`: whoever sees where the moves are also sees what they are.
        let first = self.nodes[node as usize].first.load(Ordering::Acquire);
        if first == LEAF || first == EXPANDING {
            return None;
        }
        let count = u32::from(self.nodes[node as usize].count.load(Ordering::Relaxed));
        Some(first..first + count)
    }

    /// The nodes in a range that [`Tree::children`] gave.
    #[inline(always)]
    pub fn block(&self, children: Range<NodeIndex>) -> &[Node] {
        &self.nodes[children.start as usize..children.end as usize]
    }

    /// Claims the right to expand `node`: true for one thread alone, which must then call
    /// [`Tree::expand`] or [`Tree::release`].
    #[inline]
    pub fn claim(&self, node: NodeIndex) -> bool {
        let first = &self.nodes[node as usize].first;
        first.compare_exchange(LEAF, EXPANDING, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Gives a claim up.
    pub fn release(&self, node: NodeIndex) {
        self.nodes[node as usize].first.store(LEAF, Ordering::Release);
    }

    /// Gives the claimed `node` its moves. `None` if the memory is full or there is no move: the claim is
    /// then given up.
    pub fn expand(&self, node: NodeIndex, seeds: impl ExactSizeIterator<Item = Seed>) -> Option<Range<NodeIndex>> {
        let count = seeds.len() as u32;
        let Some(first) = self.take(count) else {
            self.release(node);
            return None;
        };
        for (child, seed) in self.nodes[first as usize..(first + count) as usize].iter().zip(seeds) {
            child.reset(seed);
        }
        let parent = &self.nodes[node as usize];
        parent.count.store(count as u16, Ordering::Relaxed);
        parent.first.store(first, Ordering::Release);
        Some(first..first + count)
    }

    /// Takes `count` neighbouring free nodes.
    fn take(&self, count: u32) -> Option<NodeIndex> {
        if count == 0 || count > u32::from(u16::MAX) {
            return None;
        }
        let room = self.nodes.len() as u32;
        let fits = |used: u32| used.checked_add(count).filter(|&end| end <= room);
        self.used.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).ok()
    }
}
