//! [`Tree`]: what simulations have taught about the moves below a position, shared by all threads that search it.
//!
//! Every node is an edge of the paper, a move `a` in a position `s`, and holds its counts and values N(s,a),
//! Q(s,a), Ñ(s,a), Q̃(s,a) (paper 003, §2.4 and §4.1); the root alone stands for a position that no move led to. All nodes lie in one
//! allocation. The moves of a position are neighbours there, and their parent knows where they begin; they fill
//! groups of eight, whose last may have lanes to spare.
//!
//! Nothing is locked. Statistics are atomic words that are added to (`backup`); a position is given its moves by whoever
//! first changes its state from "none" to "being expanded", and until they can be seen the others take it as a
//! leaf (M. Enzenberger and M. Müller, A lock-free multithreaded Monte-Carlo tree search algorithm, 2010).

mod backup;
mod compact;
#[cfg(all(loom, test))]
mod model;
mod node;
#[cfg(not(all(loom, test)))]
mod octets;
mod statistic;
#[cfg(all(test, not(loom)))]
mod tests;

pub use compact::Kept;
pub use node::{Block, Node};
pub use statistic::Statistic;

#[cfg(test)]
use super::mcts_solver::Proof;
use atomic::{AtomicU32, Ordering};
use node::{LANES, Octet};
use octets::Octets;
use std::ops::Range;

/// The atomic types: those of the standard library, or loom's when the tree is model-checked.
mod atomic {
    #[cfg(all(loom, test))]
    pub use loom::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};
    #[cfg(not(all(loom, test)))]
    pub use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};
}

/// Loom's atomic integers are more than zeros.
#[cfg(all(loom, test))]
mod octets {
    pub(super) type Octets = Vec<super::Octet>;
}

/// The number of a node.
pub type NodeIndex = u32;

/// The node that stands for the position at which the tree begins.
pub const ROOT: NodeIndex = 0;

/// No tree has more nodes: numbers beyond have a meaning of their own.
const MOST: usize = u32::MAX as usize - 2 * LANES;

/// No moves are known below a node: they begin nowhere, for the root is nobody's child.
const LEAF: u32 = 0;
/// Somebody is about to write the moves below a node.
const EXPANDING: u32 = u32::MAX;

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

/// Something that threads write often, on a cache line of its own, so that they do not disturb those who read what
/// would otherwise lie beside it.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Apart<T>(pub(super) T);

/// The nodes of a search, in one allocation that never grows.
#[derive(Debug)]
pub struct Tree {
    octets: Octets,
    /// How many nodes are taken; the rest is free.
    used: Apart<AtomicU32>,
}

impl Tree {
    /// A tree of nothing but its root, with room for `capacity` nodes at least; `None` if the machine cannot give so much
    /// memory. The moves of a position take room in eights, and so does the root.
    ///
    /// The room costs memory only where nodes are written.
    pub fn new(capacity: usize) -> Option<Tree> {
        let octets = capacity.clamp(1, MOST).div_ceil(LANES);
        #[cfg(not(all(loom, test)))]
        let octets = Octets::zeroed(octets)?;
        #[cfg(all(loom, test))]
        let octets = (0..octets).map(|_| Octet::default()).collect();
        Some(Tree { octets, used: Apart(AtomicU32::new(LANES as u32)) })
    }

    /// How many nodes fit into so many MiB.
    pub fn capacity_of(mib: usize) -> usize {
        (mib.saturating_mul(1 << 20) / size_of::<Octet>()).saturating_mul(LANES).clamp(LANES, MOST)
    }

    /// How many MiB have room for so many nodes.
    pub fn mib_for(nodes: usize) -> usize {
        nodes.div_ceil(LANES).saturating_mul(size_of::<Octet>()).div_ceil(1 << 20)
    }

    /// How many nodes' room the moves of a position take.
    pub fn room_for(moves: usize) -> usize {
        moves.next_multiple_of(LANES)
    }

    /// How many nodes there is room for.
    pub fn capacity(&self) -> usize {
        self.octets.len() * LANES
    }

    /// How many nodes are taken, lanes that stay empty included.
    pub fn used(&self) -> usize {
        self.used.0.load(Ordering::Relaxed) as usize
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.node(ROOT).reset(Seed::default());
        self.used.0.store(LANES as u32, Ordering::Relaxed);
    }

    /// One node.
    #[inline(always)]
    pub fn node(&self, node: NodeIndex) -> Node<'_> {
        Node { octet: &self.octets[node as usize / LANES], lane: node as usize % LANES }
    }

    /// The numbers of the moves that follow `node`; `None` if it was not expanded.
    #[inline(always)]
    pub fn children(&self, node: NodeIndex) -> Option<Range<NodeIndex>> {
        let node = self.node(node);
        // Pairs with the release in `expand`: whoever sees where the moves are also sees what they are.
        let first = node.first().load(Ordering::Acquire);
        if first == LEAF || first == EXPANDING {
            return None;
        }
        Some(first..first + u32::from(node.count().load(Ordering::Relaxed)))
    }

    /// The nodes in a range that [`Tree::children`] gave.
    #[inline(always)]
    pub fn block(&self, children: Range<NodeIndex>) -> Block<'_> {
        let (first, end) = (children.start as usize, children.end as usize);
        Block::new(&self.octets[first / LANES..end.div_ceil(LANES)], end - first)
    }

    /// Claims the right to expand `node`: true for one thread alone, which must then call
    /// [`Tree::expand`] or [`Tree::release`].
    #[inline]
    pub fn claim(&self, node: NodeIndex) -> bool {
        self.node(node).first().compare_exchange(LEAF, EXPANDING, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Gives a claim up.
    pub fn release(&self, node: NodeIndex) {
        self.node(node).first().store(LEAF, Ordering::Release);
    }

    /// Gives the claimed `node` its moves. `None` if the memory is full or there is no move: the claim is
    /// then given up.
    pub fn expand(&self, node: NodeIndex, seeds: impl ExactSizeIterator<Item = Seed>) -> Option<Range<NodeIndex>> {
        let count = seeds.len() as u32;
        let Some(first) = self.take(count) else {
            self.release(node);
            return None;
        };
        for (child, seed) in self.block(first..first + count).iter().zip(seeds) {
            child.reset(seed);
        }
        let parent = self.node(node);
        parent.count().store(count as u16, Ordering::Relaxed);
        parent.first().store(first, Ordering::Release);
        Some(first..first + count)
    }

    /// Takes room for `count` neighbouring nodes.
    fn take(&self, count: u32) -> Option<NodeIndex> {
        if count == 0 || count > u32::from(u16::MAX) {
            return None;
        }
        let (count, room) = (Tree::room_for(count as usize) as u32, self.capacity() as u32);
        let fits = |used: u32| used.checked_add(count).filter(|&end| end <= room);
        self.used.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).ok()
    }
}
