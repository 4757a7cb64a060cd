//! [`OpeningTable`]: the outcome of every position with a given number of discs, computed once and kept in a file.

use super::negamax::Negamax;
use super::node::{Node, SQUARES};
use crate::value::checkpoint::write_whole;
use afterstate_games::{ConnectFour, Game, Turn};
use std::collections::HashSet;
use std::io::Read;
use std::path::Path;
use thiserror::Error;

/// What a file begins with: its name and version.
const MAGIC: &[u8; 16] = b"afterstate c4o 1";
/// Bits of an entry that say the outcome; the key of the position is above them.
const SIGN_BITS: u32 = 2;

/// What is wrong with the file of an opening table.
#[derive(Debug, Error)]
#[error("{path}: {problem}")]
pub struct OpeningTableError {
    path: String,
    problem: String,
}

/// Who wins with best play, for all positions with the same number of discs that are not over. With it a search for an
/// [outcome](super::ConnectFourSolver::outcome) goes no deeper than to that number of discs; with a part of them it goes on
/// where one is missing.
///
/// A position and its mirror image are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningTable {
    discs: i32,
    /// A key and, below it, the sign of the score for the side to move plus one; in increasing order.
    entries: Vec<u64>,
}

impl OpeningTable {
    /// The most discs that a table is made for. There are 91,295 such positions.
    pub const MOST_DISCS: u32 = 8;

    /// A table that holds no position yet, for those with `discs` discs.
    ///
    /// # Panics
    ///
    /// If there are more discs than [`OpeningTable::MOST_DISCS`].
    pub fn new(discs: u32) -> OpeningTable {
        assert!(discs <= Self::MOST_DISCS, "{discs} discs are more than {}", Self::MOST_DISCS);
        OpeningTable { discs: discs as i32, entries: Vec::new() }
    }

    /// Solves all positions that it does not hold yet, with `memory_mib` MiB for what is proved on the way (see
    /// [`ConnectFourSolver::new`](super::ConnectFourSolver::new)): 256 or more, for they are many. Count on hours, for 8
    /// discs on many. Before each position `go_on` is shown the table, which can be used and
    /// written as it is, and told how many positions there are in all; the work ends when it says no. Whether the table is
    /// complete then.
    ///
    /// ```
    /// use afterstate_engine::search::OpeningTable;
    /// let mut table = OpeningTable::new(4);
    /// // Where the work is not begun, it can be gone on with another time.
    /// assert!(!table.complete(1, |table, all| { assert_eq!((table.positions(), all), (0, 568)); false }));
    /// ```
    pub fn complete(&mut self, memory_mib: usize, go_on: impl FnMut(&OpeningTable, usize) -> bool) -> bool {
        let positions = positions_after(&ConnectFour::new(), self.discs);
        self.add(&positions, &mut Negamax::new(memory_mib), go_on)
    }

    /// Adds the outcomes of `positions`, which all have its number of discs and are different, mirror images included.
    pub(super) fn add(
        &mut self,
        positions: &[Node],
        search: &mut Negamax,
        mut go_on: impl FnMut(&OpeningTable, usize) -> bool,
    ) -> bool {
        for &node in positions {
            let Err(at) = self.find(node) else { continue };
            if !go_on(self, positions.len()) {
                return false;
            }
            // In its place, so that the table can be used and written at any time; a search takes far longer.
            let entry = node.key_of_both_images() << SIGN_BITS | (search.sign(node) + 1) as u64;
            self.entries.insert(at, entry);
        }
        true
    }

    /// A table of these positions.
    #[cfg(test)]
    pub(super) fn of(discs: i32, positions: &[Node]) -> OpeningTable {
        let mut table = OpeningTable { discs, entries: Vec::new() };
        table.add(positions, &mut Negamax::new(1), |_, _| true);
        table
    }

    /// Where the entry of a position is, or would be.
    #[inline(always)]
    fn find(&self, node: Node) -> Result<usize, usize> {
        let key = node.key_of_both_images();
        let at = self.entries.partition_point(|&entry| entry >> SIGN_BITS < key);
        match self.entries.get(at) {
            Some(&entry) if entry >> SIGN_BITS == key => Ok(at),
            _ => Err(at),
        }
    }

    /// With how many discs its positions are.
    pub fn discs(&self) -> u32 {
        self.discs as u32
    }

    /// How many positions it holds, of two mirror images one.
    pub fn positions(&self) -> usize {
        self.entries.len()
    }

    /// Between which bounds the score of a position is, as the side to move sees it, if the table has it.
    #[inline(always)]
    pub(super) fn bounds(&self, node: Node, discs: i32) -> Option<(i32, i32)> {
        if discs != self.discs {
            return None;
        }
        let at = self.find(node).ok()?;
        match self.entries[at] & ((1 << SIGN_BITS) - 1) {
            0 => Some((-SQUARES, -1)),
            1 => Some((0, 0)),
            _ => Some((1, SQUARES)),
        }
    }

    /// Writes the table into a file, which appears whole or not at all.
    ///
    /// # Errors
    ///
    /// If the file can't be written.
    pub fn write(&self, path: &Path) -> Result<(), OpeningTableError> {
        write_whole(path, &self.to_bytes()).map_err(|problem| error(path, problem.to_string()))
    }

    /// Reads what [`OpeningTable::write`] wrote.
    ///
    /// # Errors
    ///
    /// If the file can't be read, or is not a whole table.
    pub fn read(path: &Path) -> Result<OpeningTable, OpeningTableError> {
        // More than any table needs, so that a wrong file does not fill the memory.
        const LONGEST: u64 = 1 << 22;
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).map_err(|problem| error(path, problem.to_string()))?;
        file.take(LONGEST).read_to_end(&mut bytes).map_err(|problem| error(path, problem.to_string()))?;
        let damaged = "not a whole opening table of Connect Four; remove it, and have it made anew";
        OpeningTable::from_bytes(&bytes).ok_or_else(|| error(path, damaged.into()))
    }

    fn to_bytes(&self) -> Vec<u8> {
        let discs = (self.discs as u64).to_le_bytes();
        let entries = self.entries.iter().flat_map(|entry| entry.to_le_bytes());
        let numbers: Vec<u8> = discs.into_iter().chain(entries).collect();
        [&MAGIC[..], &crc32fast::hash(&numbers).to_le_bytes(), &numbers].concat()
    }

    fn from_bytes(bytes: &[u8]) -> Option<OpeningTable> {
        let (crc, numbers) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<4>()?;
        if crc32fast::hash(numbers) != u32::from_le_bytes(*crc) {
            return None;
        }
        let (numbers, []) = numbers.as_chunks::<8>() else { return None };
        let (discs, entries) = numbers.split_first()?;
        let discs = i32::try_from(u64::from_le_bytes(*discs)).ok().filter(|discs| (0..SQUARES).contains(discs))?;
        let entries: Vec<u64> = entries.iter().map(|&eight| u64::from_le_bytes(eight)).collect();
        entries
            .is_sorted_by(|one, next| one >> SIGN_BITS < next >> SIGN_BITS)
            .then_some(OpeningTable { discs, entries })
    }
}

fn error(path: &Path, problem: String) -> OpeningTableError {
    OpeningTableError { path: path.display().to_string(), problem }
}

/// All positions with `discs` discs that follow from `game` and are not over, of two mirror images one. Those that come
/// from one position are neighbours, so that what is proved of one helps with the next.
pub(super) fn positions_after(game: &ConnectFour, discs: i32) -> Vec<Node> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    collect(game, discs, &mut seen, &mut found);
    found
}

fn collect(game: &ConnectFour, discs: i32, seen: &mut HashSet<u64>, found: &mut Vec<Node>) {
    let Turn::Player(side) = game.turn() else { return };
    let node = Node::new(game, side);
    if !seen.insert(node.key_of_both_images()) {
        return;
    }
    if node.discs() == discs {
        found.push(node);
        return;
    }
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    for mv in moves {
        let mut after = *game;
        after.play(mv);
        collect(&after, discs, seen, found);
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::mirror;
    use super::*;
    use afterstate_games::Notation;

    #[test]
    fn positions_are_as_many_as_are_known() {
        // J. Tromp's numbers of positions after n plies: 1, 7, 49, 238, 1120, 4263, 16422. A position that is its own
        // mirror image counts once there, and any other twice.
        for (discs, known) in [1, 7, 49, 238, 1120, 4263, 16422].into_iter().enumerate() {
            let of_both_images = |node: &Node| if node.key() == mirror(node.key()) { 1 } else { 2 };
            let positions = positions_after(&ConnectFour::new(), discs as i32);
            assert_eq!(positions.iter().map(of_both_images).sum::<usize>(), known, "{discs} discs");
        }
    }

    #[test]
    fn a_file_comes_back_and_a_damaged_one_is_refused() {
        let game = ConnectFour::parse_position("......./......./...O.../..OXX../.OXOOX./XXOXXOO").expect("a position");
        let discs = 20;
        let positions = positions_after(&game, discs);
        assert!(positions.len() > 50);
        let mut calls = 0;
        let mut table = OpeningTable { discs, entries: Vec::new() };
        let mut stop_at = |most: usize| {
            table.add(&positions, &mut Negamax::new(1), |table, all| {
                assert_eq!((table.positions(), all), (calls, positions.len()));
                assert!(table.entries.is_sorted());
                calls += usize::from(calls < most);
                table.positions() < most
            })
        };
        assert!(!stop_at(20) && stop_at(positions.len()));
        assert_eq!((table.positions(), calls), (positions.len(), positions.len()));
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("openings");
        table.write(&path).expect("it can be written");
        assert_eq!(OpeningTable::read(&path).expect("it can be read"), table);
        let bytes = table.to_bytes();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(OpeningTable::from_bytes(&damaged), None, "byte {at}");
        }
        for length in [0, 10, 16, 20, 27, bytes.len() - 8, bytes.len() - 1] {
            assert_eq!(OpeningTable::from_bytes(&bytes[..length]), None, "{length} bytes");
        }
        std::fs::write(&path, &bytes[..bytes.len() - 1]).expect("it can be written");
        let message = OpeningTable::read(&path).expect_err("it is cut").to_string();
        assert!(message.contains("openings: not a whole opening table"), "{message}");
        assert!(OpeningTable::read(&folder.path().join("none")).is_err());
    }
}
