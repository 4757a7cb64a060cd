//! Proofs about fights by df-pn search (Nagai 2002; Kishimoto & Müller 2005 apply it to life and death).
//!
//! Passes and positional superko are part of it. What a position is worth may depend on how it came about when
//! superko matters, and the table does not know that; [`Prover::history_mattered`] says when it could have, so that
//! the proof can be repeated with the moves in another order.

use super::fight::{Fight, Ground, Set};
use afterstate_games::Side;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// What is to be proven of a fight.
#[derive(Clone, Copy, Debug)]
pub enum Claim {
    /// This side wins the game: Black's lead on the board is above so many half points (White: below).
    Wins(Side, i32),
    /// This side captures the enemy chain that has a stone here.
    Captures(Side, usize),
    /// This side's chain that has a stone here gets two eyes, or a connection to stones that have them.
    Lives(Side, usize),
}

impl Claim {
    fn side(self) -> Side {
        match self {
            Claim::Wins(side, _) | Claim::Captures(side, _) | Claim::Lives(side, _) => side,
        }
    }
}

/// Proof and disproof numbers stop here.
const PROVEN: u32 = u32::MAX / 4;

/// Proof and disproof numbers: how many more positions must be decided at least.
type Numbers = (u32, u32);

#[derive(Default)]
struct FightHasher(u64);

impl Hasher for FightHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// A search for proofs of one claim.
pub struct Prover<'a> {
    ground: &'a Ground,
    claim: Claim,
    table: HashMap<Fight, Numbers, BuildHasherDefault<FightHasher>>,
    path: Vec<[Set; 2]>,
    left: u64,
    backwards: bool,
    /// Whether superko, beyond simple ko, ever forbade a move.
    pub history_mattered: bool,
}

impl<'a> Prover<'a> {
    /// Looks at no more than `effort` positions, all proofs together.
    pub fn new(ground: &'a Ground, claim: Claim, effort: u64) -> Prover<'a> {
        let (table, path) = (HashMap::default(), Vec::new());
        Prover { ground, claim, table, path, left: effort, backwards: false, history_mattered: false }
    }

    /// The same with all moves tried in the opposite order.
    pub fn backwards(mut self) -> Prover<'a> {
        self.backwards = true;
        self
    }

    /// Whether the claim holds in `fight`, which came after `earlier`; `None` if the effort did not suffice.
    pub fn prove(&mut self, fight: &Fight, earlier: &[[Set; 2]]) -> Option<bool> {
        self.path = earlier.to_vec();
        let numbers = match self.at_once(fight) {
            Some(numbers) => numbers,
            None => self.search(fight, (PROVEN, PROVEN)),
        };
        match numbers {
            (0, _) => Some(true),
            (_, 0) => Some(false),
            _ => None,
        }
    }

    /// What needs no search.
    fn at_once(&self, fight: &Fight) -> Option<Numbers> {
        let decided = |holds: bool| Some(if holds { (0, PROVEN) } else { (PROVEN, 0) });
        match self.claim {
            Claim::Wins(side, half_points) => {
                let holds =
                    |lead: i32| if side == Side::First { 2 * lead > half_points } else { 2 * lead < half_points };
                if fight.passes >= 2 {
                    return decided(holds(self.ground.score(fight)));
                }
                let (low, high) = self.ground.bounds(fight);
                if holds(low) == holds(high) { decided(holds(low)) } else { None }
            }
            Claim::Captures(side, bit) => {
                let prey = side.other();
                if fight.stones[prey.index()] >> bit & 1 == 0 {
                    return decided(true);
                }
                if fight.passes >= 2 || self.ground.sure(fight, prey) >> bit & 1 == 1 {
                    return decided(false);
                }
                None
            }
            Claim::Lives(side, bit) => {
                if self.ground.sure(fight, side) >> bit & 1 == 1 && fight.stones[side.index()] >> bit & 1 == 1 {
                    return decided(true);
                }
                if fight.passes >= 2 || fight.stones[side.index()] >> bit & 1 == 0 {
                    return decided(false);
                }
                None
            }
        }
    }

    fn known(&self, fight: &Fight) -> Numbers {
        self.table.get(fight).copied().unwrap_or((1, 1))
    }

    fn search(&mut self, fight: &Fight, limit: Numbers) -> Numbers {
        let mine = fight.to_move == self.claim.side();
        let mut children = Vec::new();
        self.path.push(fight.stones);
        let mut moves = self.ground.empty(fight);
        while moves != 0 {
            let bit = moves.trailing_zeros() as usize;
            moves &= moves - 1;
            if let Some(child) = self.ground.play(fight, bit) {
                if self.path.contains(&child.stones) {
                    self.history_mattered = true;
                } else {
                    children.push(child);
                }
            }
        }
        children.push(self.ground.pass(fight));
        if self.backwards {
            children.reverse();
        }
        for child in &children {
            if !self.table.contains_key(child) {
                let numbers = self.at_once(child).unwrap_or((1, 1));
                self.table.insert(*child, numbers);
            }
        }
        // From the view of whoever moves: `phi` is what is left to reach his end, `delta` the other's.
        let turned = |(pn, dn): Numbers| if mine { (pn, dn) } else { (dn, pn) };
        let limit = turned(limit);
        let result = loop {
            let (mut best, mut second, mut sum, mut chosen) = (PROVEN + 1, PROVEN + 1, 0u32, 0);
            let mut chosen_delta = 0;
            for (i, child) in children.iter().enumerate() {
                let (phi, delta) = turned(self.known(child));
                sum = (sum + delta).min(PROVEN);
                if phi < best {
                    (second, best, chosen, chosen_delta) = (best, phi, i, delta);
                } else {
                    second = second.min(phi);
                }
            }
            if best >= limit.0 || sum >= limit.1 || best == 0 || sum == 0 || self.left == 0 {
                break (best.min(PROVEN), sum);
            }
            self.left -= 1;
            let child = children[chosen];
            let next = (limit.0.min(second + 1), (limit.1 - sum).saturating_add(chosen_delta).min(PROVEN));
            let numbers = self.search(&child, turned(next));
            self.table.insert(child, numbers);
        };
        self.path.pop();
        let numbers = turned(result);
        self.table.insert(*fight, numbers);
        numbers
    }
}
