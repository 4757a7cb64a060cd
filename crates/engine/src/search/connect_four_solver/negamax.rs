//! The search: negamax with null windows, from the known parts of J. Tromp's and P. Pons' solvers (sound moves only,
//! most threats first, bounds in a table), with the proofs by parity of [`Node::by_parity`] added.
//!
//! Inside, a score is the side to move's: 0 is a draw, `s > 0` a win with the `22 - s`th disc of the winner, `s < 0` a
//! loss to the `22 + s`th disc of the other side. Each side has 21 discs and nobody wins with fewer than four, so that
//! scores are between -18 and 18.

use super::node::{Node, Parity, SQUARES, column};
use super::opening_table::OpeningTable;
use super::table::{Known, Table};
use afterstate_games::connect_four::COLUMNS;

/// Positions with so many discs at most share an entry with their mirror image. Later both rarely occur.
const MIRRORED_DISCS: i32 = 14;
/// With fewer discs than this the table is asked about all moves before one of them is searched.
const LOOK_AHEAD_DISCS: i32 = 34;
/// Columns from the centre: of moves that look alike the first is the most useful.
const CENTRE_FIRST: [usize; COLUMNS] = [3, 2, 4, 1, 5, 0, 6];
/// No move in particular.
const NO_COLUMN: usize = COLUMNS;

/// What a search keeps.
pub(super) struct Negamax {
    table: Table,
    pub(super) opening: Option<OpeningTable>,
    /// Positions searched so far.
    pub(super) nodes: u64,
}

/// A move to be tried.
#[derive(Clone, Copy)]
struct Candidate {
    square: u64,
    column: usize,
    promise: i32,
}

/// The sound moves, the most promising first.
struct Candidates {
    moves: [Candidate; COLUMNS],
    count: usize,
}

impl Candidates {
    #[inline(always)]
    fn new(node: Node, sound: u64, first: usize) -> Candidates {
        let mut all = Candidates { moves: [Candidate { square: 0, column: 0, promise: 0 }; COLUMNS], count: 0 };
        for index in CENTRE_FIRST {
            let square = sound & column(index);
            if square != 0 {
                let promise = if index == first { i32::MAX } else { node.promise(square) };
                // Sorting by insertion leaves equals in their order, and there are few.
                let mut at = all.count;
                while at > 0 && all.moves[at - 1].promise < promise {
                    all.moves[at] = all.moves[at - 1];
                    at -= 1;
                }
                all.moves[at] = Candidate { square, column: index, promise };
                all.count += 1;
            }
        }
        all
    }

    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = Candidate> {
        self.moves[..self.count].iter().copied()
    }
}

/// The key under which a position with so many discs is kept, and whether it is that of its mirror image.
#[inline(always)]
fn key_of(node: Node, discs: i32) -> (u64, bool) {
    let key = node.key();
    if discs > MIRRORED_DISCS {
        return (key, false);
    }
    let least = node.key_of_both_images();
    (least, least != key)
}

/// The same column of the mirror image, if that is the one that is kept.
#[inline(always)]
const fn reflected(column: usize, mirrored: bool) -> usize {
    if mirrored && column != NO_COLUMN { COLUMNS - 1 - column } else { column }
}

impl Negamax {
    pub(super) fn new(memory_mib: usize) -> Negamax {
        Negamax { table: Table::new(memory_mib), opening: None, nodes: 0 }
    }

    /// A bound of the score: if the result is above `alpha`, the score is at least that, and if not, at most. The side
    /// to move can't win at once.
    fn bound(&mut self, node: Node, discs: i32, alpha: i32) -> i32 {
        self.nodes += 1;
        let sound = node.sound_moves();
        if sound == 0 {
            return -(SQUARES - discs) / 2;
        }
        if discs >= SQUARES - 2 {
            return 0;
        }
        // Neither side wins with its next disc.
        let mut at_least = -(SQUARES - 2 - discs) / 2;
        let mut at_most = (SQUARES - 1 - discs) / 2;
        if alpha >= 0 && !node.can_win() {
            at_most = 0;
        } else if alpha < 0 && !node.can_lose() {
            at_least = 0;
        }
        match node.by_parity() {
            Some(Parity::AtLeast(score)) => at_least = at_least.max(score),
            Some(Parity::AtMost(score)) => at_most = at_most.min(score),
            None => {}
        }
        if let Some((least, most)) = self.opening.as_ref().and_then(|table| table.bounds(node, discs)) {
            (at_least, at_most) = (at_least.max(least), at_most.min(most));
        }
        if at_least > alpha || at_least == at_most {
            return at_least;
        }
        if at_most <= alpha {
            return at_most;
        }
        let (key, mirrored) = key_of(node, discs);
        let mut first = NO_COLUMN;
        if let Some(known) = self.table.get(key) {
            if known.at_least > alpha {
                return known.at_least;
            }
            if known.at_most <= alpha {
                return known.at_most;
            }
            (at_least, at_most) = (at_least.max(known.at_least), at_most.min(known.at_most));
            first = reflected(known.column, mirrored);
        }
        let candidates = Candidates::new(node, sound, first);
        if discs < LOOK_AHEAD_DISCS {
            for candidate in candidates.iter() {
                let (key, _) = key_of(node.after(candidate.square), discs + 1);
                if let Some(known) = self.table.get(key).filter(|known| -known.at_most > alpha) {
                    return -known.at_most;
                }
            }
        }
        let begin = self.nodes;
        let (mut best, mut best_column) = (-SQUARES, NO_COLUMN);
        for candidate in candidates.iter() {
            let score = -self.bound(node.after(candidate.square), discs + 1, -alpha - 1);
            if score > best {
                best = score;
                if score > alpha {
                    best_column = candidate.column;
                    break;
                }
            }
        }
        if best > alpha {
            at_least = at_least.max(best);
        } else {
            at_most = at_most.min(best);
        }
        let known = Known { at_least, at_most, column: reflected(best_column, mirrored) };
        self.table.put(key, known, self.nodes - begin);
        if best > alpha { at_least } else { at_most }
    }

    /// Whether the score is above `alpha`.
    pub(super) fn exceeds(&mut self, node: Node, alpha: i32) -> bool {
        let discs = node.discs();
        if node.wins_at_once() { (SQUARES + 1 - discs) / 2 > alpha } else { self.bound(node, discs, alpha) > alpha }
    }

    /// The sign of the score.
    pub(super) fn sign(&mut self, node: Node) -> i32 {
        // Most positions are won for the first player: that question often settles it.
        let questions = if node.discs() % 2 == 0 { [0, -1] } else { [-1, 0] };
        let (mut low, mut high) = (-1, 1);
        for alpha in questions {
            if (low..high).contains(&alpha) {
                if self.exceeds(node, alpha) { low = alpha + 1 } else { high = alpha }
            }
        }
        low
    }

    /// The score.
    pub(super) fn score(&mut self, node: Node) -> i32 {
        let discs = node.discs();
        let (mut low, mut high) = (-(SQUARES - discs) / 2, (SQUARES + 1 - discs) / 2);
        if node.wins_at_once() {
            return high;
        }
        while low < high {
            // That there is no near win or loss is shown quickly, so the interval is halved away from 0 (P. Pons).
            let middle = low + (high - low) / 2;
            let alpha = if middle <= 0 { middle.min(low / 2) } else { middle.max(high / 2) };
            let bound = self.bound(node, discs, alpha);
            if bound > alpha {
                low = bound;
            } else {
                high = bound;
            }
        }
        low
    }
}
