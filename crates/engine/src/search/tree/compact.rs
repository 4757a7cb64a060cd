//! Collecting garbage: what can no longer be reached gives its room back.

use super::atomic::Ordering;
use super::{EXPANDING, LANES, LEAF, NodeIndex, ROOT, Tree};
use crate::search::mcts_solver::Proof;

/// What [`Tree::keep`] left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Nodes before.
    pub before: usize,
    /// Nodes now.
    pub after: usize,
}

impl Tree {
    /// Makes `node` the root because the game went on there: whether a search was to leave it out does not matter any more.
    pub fn keep_below(&mut self, node: NodeIndex) {
        self.keep(node, 0);
        let root = self.node(ROOT);
        if root.proof() == Proof::Forbidden {
            root.prove(Proof::Open);
        }
    }

    /// Makes `node` the root and keeps what is below it, with every statistic as it is; all else is
    /// forgotten. Of the kept nodes those with fewer than `least_visits` visits lose what is below them.
    ///
    /// Blocks slide towards the front in the order in which they lie, so no second allocation of the tree's
    /// size is needed.
    pub fn keep(&mut self, node: NodeIndex, least_visits: u32) -> Kept {
        let before = self.used();
        // (where a block lies, how long it is) of all that stays.
        let mut blocks: Vec<(u32, u32)> = Vec::new();
        let mut open = vec![node];
        while let Some(parent) = open.pop() {
            let Some(children) = self.children(parent) else { continue };
            if parent != node && self.node(parent).visits() < least_visits {
                let parent = self.node(parent);
                parent.first().store(LEAF, Ordering::Relaxed);
                parent.count().store(0, Ordering::Relaxed);
                continue;
            }
            blocks.push((children.start, children.end - children.start));
            open.extend(children);
        }
        blocks.sort_unstable();
        let mut targets = Vec::with_capacity(blocks.len());
        let mut end = LANES as u32;
        for &(_, length) in &blocks {
            targets.push(end);
            end += length.next_multiple_of(LANES as u32);
        }
        let moved = |first: u32| match blocks.binary_search_by_key(&first, |&(first, _)| first) {
            Ok(block) => targets[block],
            Err(_) => LEAF,
        };
        // A block never moves back, and what it overwrites was copied or is garbage. The root's block may be
        // overwritten only after the root itself was copied, which comes first.
        let relocate = |to: NodeIndex, from: NodeIndex| {
            let (to, from) = (self.node(to), self.node(from));
            to.copy(from);
            let first = to.first().load(Ordering::Relaxed);
            to.first().store(if first == EXPANDING { LEAF } else { moved(first) }, Ordering::Relaxed);
        };
        relocate(ROOT, node);
        for (&(from, length), &to) in blocks.iter().zip(&targets) {
            for i in 0..length {
                relocate(to + i, from + i);
            }
        }
        self.used.0.store(end, Ordering::Relaxed);
        Kept { before, after: end as usize }
    }
}
