//! Backing up: what a simulation adds to the moves of a position that it went through.
//!
//! Nobody waits for anybody. N and Q are added to by single atomic additions where threads share the tree, so that no
//! outcome is lost and virtual losses leave no trace. Ñ and Q̃ are read, added to and written back, whoever shares the
//! tree: every simulation adds to the rapid statistics of some forty moves at each position, and that is cheaper than as
//! many atomic additions. Threads that meet at the same statistic may so undo each other's additions; even one that has
//! nothing to add there writes back what it has read. What is left is the sum of some of the additions, that of whoever wrote
//! last among them: never half a one, and never one twice. Lock-free searches live well with that (M. Enzenberger and M. Müller,
//! A lock-free multithreaded Monte-Carlo tree search algorithm, 2010). `model` tries out every order.

use super::{NodeIndex, Tree};
use std::ops::Range;

impl Tree {
    /// Adds `amount` to N and Q of `node`: an outcome, less the virtual loss that it bore meanwhile. Where no other
    /// thread has the tree (not `shared`), that is cheaper.
    #[inline(always)]
    pub(crate) fn add_outcome(&self, node: NodeIndex, amount: u64, shared: bool) {
        let outcomes = self.node(node).outcomes();
        if shared {
            outcomes.add(amount);
        } else {
            outcomes.add_alone(amount);
        }
    }

    /// Adds `amount` to Ñ and Q̃ of those of `children` whose numbers are in `played`, a set of bits: the moves that the
    /// side to move played then or later. A set knows no second time, and the tree holds only moves that are legal.
    #[inline(always)]
    pub(crate) fn add_amaf(&self, children: Range<NodeIndex>, played: &[u64], amount: u64) {
        self.block(children).iter().for_each(|node| {
            let index = node.index();
            let bit = played[index / 64] >> (index % 64) & 1;
            // Whether a move was played cannot be predicted: adding nothing is cheaper than a wrong guess.
            node.amaf().add_alone(amount & bit.wrapping_neg());
        });
    }
}
