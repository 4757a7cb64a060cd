//! [`Node`]: a move with its statistics; and how nodes lie in memory.

use super::atomic::{AtomicU8, AtomicU16, AtomicU32, Ordering};
use super::{LEAF, Seed, Statistic};
use crate::search::mcts_solver::Proof;

/// How many nodes share their cache lines.
pub(super) const LANES: usize = 8;

/// Eight nodes. Like parts lie together, each kind on cache lines of its own: a simulation adds to the
/// all-moves-as-first statistics of half the moves at every position it passes, so that for two threads in one tree it
/// matters how many cache lines that are.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Octet {
    outcomes: [Statistic; LANES],
    amaf: [Statistic; LANES],
    // Read with every visit, and hardly ever written.
    index: [AtomicU16; LANES],
    proof: [AtomicU8; LANES],
    prior: [AtomicU16; LANES],
    experience: [AtomicU16; LANES],
    _to_the_next_line: [u8; LANES],
    // Written when a node is expanded.
    pub(super) first: [AtomicU32; LANES],
    pub(super) count: [AtomicU16; LANES],
    amaf_experience: [AtomicU16; LANES],
}

/// A move with its statistics, as the tree holds it.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    pub(super) octet: &'a Octet,
    pub(super) lane: usize,
}

impl<'a> Node<'a> {
    /// N(s,a) and Q(s,a), priors and virtual losses included.
    #[inline(always)]
    pub fn outcomes(self) -> &'a Statistic {
        &self.octet.outcomes[self.lane]
    }

    /// Ñ(s,a) and Q̃(s,a), priors included.
    #[inline(always)]
    pub fn amaf(self) -> &'a Statistic {
        &self.octet.amaf[self.lane]
    }

    /// The number of the move that leads here.
    #[inline(always)]
    pub fn index(self) -> usize {
        usize::from(self.octet.index[self.lane].load(Ordering::Relaxed))
    }

    /// How often a simulation went this way; what priors count is left out.
    #[inline]
    pub fn visits(self) -> u32 {
        self.outcomes().count().saturating_sub(u32::from(self.octet.experience[self.lane].load(Ordering::Relaxed)))
    }

    /// How often the all-moves-as-first statistics were updated; what priors count is left out.
    #[inline]
    pub fn amaf_visits(self) -> u32 {
        self.amaf().count().saturating_sub(u32::from(self.octet.amaf_experience[self.lane].load(Ordering::Relaxed)))
    }

    /// The first player's value that the prior gave, if there was one.
    pub fn prior(self) -> Option<f32> {
        let experiences = [&self.octet.experience[self.lane], &self.octet.amaf_experience[self.lane]];
        let experienced = experiences.iter().any(|experience| experience.load(Ordering::Relaxed) > 0);
        experienced.then(|| f32::from(self.octet.prior[self.lane].load(Ordering::Relaxed)) / 65_535.0)
    }

    /// What is known for sure.
    #[inline(always)]
    pub fn proof(self) -> Proof {
        Proof::from_byte(self.octet.proof[self.lane].load(Ordering::Relaxed))
    }

    /// Remembers what was proved.
    #[inline]
    pub fn prove(self, proof: Proof) {
        self.octet.proof[self.lane].store(proof as u8, Ordering::Relaxed);
    }

    /// Where the moves that follow begin, or [`LEAF`], or [`EXPANDING`](super::EXPANDING).
    #[inline(always)]
    pub(super) fn first(self) -> &'a AtomicU32 {
        &self.octet.first[self.lane]
    }

    /// How many moves follow.
    #[inline(always)]
    pub(super) fn count(self) -> &'a AtomicU16 {
        &self.octet.count[self.lane]
    }

    /// Makes this the node of `seed`, with nothing below it.
    pub(super) fn reset(self, seed: Seed) {
        let Node { octet, lane } = self;
        self.outcomes().set(u32::from(seed.experience), seed.sum);
        self.amaf().set(u32::from(seed.amaf_experience), seed.amaf_sum);
        self.first().store(LEAF, Ordering::Relaxed);
        self.count().store(0, Ordering::Relaxed);
        octet.index[lane].store(seed.index, Ordering::Relaxed);
        octet.experience[lane].store(seed.experience, Ordering::Relaxed);
        octet.amaf_experience[lane].store(seed.amaf_experience, Ordering::Relaxed);
        let experience = f32::from(seed.experience) + f32::from(seed.amaf_experience);
        let prior = (seed.sum + seed.amaf_sum) / experience.max(1.0);
        // Sixteen bits are enough to show.
        octet.prior[lane].store((prior.clamp(0.0, 1.0) * 65_535.0).round() as u16, Ordering::Relaxed);
        octet.proof[lane].store(Proof::Open as u8, Ordering::Relaxed);
    }

    /// Makes this a copy of `other`, whatever follows it included.
    pub(super) fn copy(self, other: Node<'_>) {
        let (to, from) = (self, other);
        to.outcomes().copy(from.outcomes());
        to.amaf().copy(from.amaf());
        to.first().store(from.first().load(Ordering::Relaxed), Ordering::Relaxed);
        to.octet.proof[to.lane].store(from.octet.proof[from.lane].load(Ordering::Relaxed), Ordering::Relaxed);
        for (to, from) in [
            (to.count(), from.count()),
            (&to.octet.index[to.lane], &from.octet.index[from.lane]),
            (&to.octet.prior[to.lane], &from.octet.prior[from.lane]),
            (&to.octet.experience[to.lane], &from.octet.experience[from.lane]),
            (&to.octet.amaf_experience[to.lane], &from.octet.amaf_experience[from.lane]),
        ] {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
}

/// The moves of a position.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    octets: &'a [Octet],
    len: usize,
}

impl<'a> Block<'a> {
    /// The first `len` nodes of these octets.
    #[inline(always)]
    pub(super) fn new(octets: &'a [Octet], len: usize) -> Self {
        debug_assert!(len <= octets.len() * LANES && octets.len() == len.div_ceil(LANES));
        Block { octets, len }
    }

    /// How many moves there are.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The first `len` moves; all, if there are not so many.
    #[inline(always)]
    pub fn first(self, len: usize) -> Self {
        let len = len.min(self.len);
        Block { octets: &self.octets[..len.div_ceil(LANES)], len }
    }

    /// Move number `place` of the block. Panics if there are not so many.
    #[inline(always)]
    pub fn node(self, place: usize) -> Node<'a> {
        assert!(place < self.len, "move {place} of {}", self.len);
        Node { octet: &self.octets[place / LANES], lane: place % LANES }
    }

    /// All of them.
    #[inline(always)]
    pub fn iter(self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.lanes().flat_map(|(octet, lanes)| (0..lanes).map(move |lane| Node { octet, lane }))
    }

    /// The groups in which they lie, and how many lanes of each are theirs: loops over the lanes of a group know that
    /// there are no more than eight.
    #[inline(always)]
    fn lanes(self) -> impl Iterator<Item = (&'a Octet, usize)> + use<'a> {
        let len = self.len;
        self.octets.iter().enumerate().map(move |(i, octet)| (octet, (len - i * LANES).min(LANES)))
    }
}
