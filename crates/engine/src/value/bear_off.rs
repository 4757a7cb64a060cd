//! [`BearOff`]: how many throws a side needs to bear off its men from home, for every position of up to fifteen of them.
//!
//! ```text
//! P(s, n) = Σᵣ pᵣ P(s after the best play of r, n − 1)        P(no men, 0) = 1
//! ```
//!
//! The best play is the one that leaves the fewest throws on average, whatever the other side does ("one-sided"). Who wins a race
//! between two such positions follows from both distributions: the side to throw wins if it needs no more throws than the other.
//! While a side has all fifteen men a gammon is possible; for that there is a second distribution, of the throws until its first
//! man is off, by plays that hurry just that.

use super::checkpoint::write_whole;
use afterstate_games::backgammon::{Backgammon, Board, Dice, MEN};
use afterstate_games::{Game, Side};
use std::io::Read;
use std::path::Path;
use thiserror::Error;

/// Points of the home.
const HOME: usize = 6;
/// No position needs more throws than this less one: 90 pips, of which each throw plays three at least.
pub const MOST_THROWS: usize = 32;
/// Positions of up to fifteen men on six points.
pub const POSITIONS: usize = 54_264;
/// Positions of fifteen men, of which none is off.
const FULL: usize = 15_504;

/// A distribution: for each number of throws how likely it is.
type Throws = [f32; MOST_THROWS];

/// What a file begins with: its name and version.
const MAGIC: &[u8; 16] = b"afterstate off 1";

/// What is wrong with a file of such a database.
#[derive(Debug, Error)]
#[error("{path}: {problem}")]
pub struct BearOffError {
    path: String,
    problem: String,
}

/// All distributions.
///
/// ```
/// use afterstate_engine::value::bear_off::BearOff;
/// let database = BearOff::generate();
/// // Two men on the ace point: one throw. One on the six point: 27 of 36 throws bear it off.
/// assert_eq!(database.throws([2, 0, 0, 0, 0, 0])[1], 1.0);
/// assert!((database.throws([0, 0, 0, 0, 0, 1])[1] - 27.0 / 36.0).abs() < 1e-6);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BearOff {
    /// Until all men are off, by [`index_of`].
    all: Vec<Throws>,
    /// Until the first one is, of positions of fifteen men, by their index less that of the first such position.
    first: Vec<Throws>,
}

/// The number of a position: those with fewer men come first.
///
/// ```
/// use afterstate_engine::value::bear_off::{POSITIONS, index_of};
/// assert_eq!((index_of([0; 6]), index_of([0, 0, 0, 0, 0, 15])), (0, POSITIONS - 1));
/// ```
pub fn index_of(men: [u8; HOME]) -> usize {
    // The combinatorial number system: men and the gaps between points as a choice of places in a row.
    let total: u8 = men.iter().sum();
    // Positions of fewer men on six points.
    let mut index = choose(usize::from(total) + HOME - 1, HOME);
    let mut left = usize::from(total);
    for point in (1..HOME).rev() {
        let here = usize::from(men[point]);
        // Those with fewer men here have more on the points below, and come before.
        index += (0..here).map(|fewer| choose(left - fewer + point - 1, point - 1)).sum::<usize>();
        left -= here;
    }
    index
}

/// Ways to choose.
fn choose(from: usize, some: usize) -> usize {
    (0..some).fold(1, |ways, one| ways * (from - one) / (one + 1))
}

/// Every position of up to fifteen men.
fn positions() -> impl Iterator<Item = [u8; HOME]> {
    // Four bits a point are enough.
    (0..1u32 << (4 * HOME)).filter_map(|number| {
        let men: [u8; HOME] = std::array::from_fn(|point| (number >> (4 * point)) as u8 & MEN);
        (men.iter().sum::<u8>() <= MEN).then_some(men)
    })
}

/// The men of a side at home, if it has none elsewhere.
#[inline]
fn at_home(board: &Board, side: Side) -> Option<[u8; HOME]> {
    let hindmost = board.hindmost(side);
    hindmost.is_none_or(|place| place < HOME).then(|| std::array::from_fn(|place| board.men(side, place)))
}

/// What it leaves after each play of a throw.
fn after_throw(men: [u8; HOME], dice: Dice, buffer: &mut Vec<<Backgammon as Game>::Move>) -> Vec<[u8; HOME]> {
    let mut both = [[0; 25]; 2];
    both[0][..HOME].copy_from_slice(&men);
    // Somebody far away, so that the game goes on.
    both[1][0] = 1;
    let board = Board::from_men(both).expect("no point is shared");
    let game = Backgammon::at(board, Side::First, Some(dice));
    game.legal_moves(buffer);
    let after = |mv| {
        let mut after = game;
        after.play(mv);
        std::array::from_fn(|place| after.board().men(Side::First, place))
    };
    buffer.iter().map(|&mv| after(mv)).collect()
}

fn mean(throws: &Throws) -> f32 {
    throws.iter().enumerate().map(|(number, probability)| number as f32 * probability).sum()
}

impl BearOff {
    /// Computes everything: a few seconds.
    pub fn generate() -> BearOff {
        let mut order: Vec<[u8; HOME]> = positions().collect();
        // Plays use pips up, so that what a position needs is there before it.
        order.sort_by_key(|men| men.iter().zip(1u32..).map(|(&count, pips)| u32::from(count) * pips).sum::<u32>());
        let full = POSITIONS - FULL;
        let (mut all, mut first) = (vec![[0.0; MOST_THROWS]; POSITIONS], vec![[0.0; MOST_THROWS]; FULL]);
        let (mut all_means, mut first_means) = (vec![0.0; POSITIONS], vec![0.0; FULL]);
        let mut buffer = Vec::new();
        all[0][0] = 1.0;
        for men in order.into_iter().skip(1) {
            let index = index_of(men);
            let (mut to_all, mut to_first) = ([0.0f64; MOST_THROWS], [0.0f64; MOST_THROWS]);
            for (one, other) in (1..=6u8).flat_map(|one| (1..=one).map(move |other| (one, other))) {
                let probability = if one == other { 1.0 / 36.0 } else { 1.0 / 18.0 };
                let dice = Dice::new(one, other).expect("numbers of dice");
                let after: Vec<usize> = after_throw(men, dice, &mut buffer).into_iter().map(index_of).collect();
                let fewest = |means: &dyn Fn(usize) -> f32| {
                    after.iter().copied().min_by(|&a, &b| means(a).total_cmp(&means(b))).expect("there is a play")
                };
                let best = fewest(&|index| all_means[index]);
                for (to, from) in to_all[1..].iter_mut().zip(&all[best]) {
                    *to += probability * f64::from(*from);
                }
                if index >= full {
                    // A man off is as few as it gets.
                    let best = fewest(&|index| if index < full { -1.0 } else { first_means[index - full] });
                    if best < full {
                        to_first[1] += probability;
                    } else {
                        for (to, from) in to_first[1..].iter_mut().zip(&first[best - full]) {
                            *to += probability * f64::from(*from);
                        }
                    }
                }
            }
            all[index] = to_all.map(|probability| probability as f32);
            all_means[index] = mean(&all[index]);
            if index >= full {
                first[index - full] = to_first.map(|probability| probability as f32);
                first_means[index - full] = mean(&first[index - full]);
            }
        }
        BearOff { all, first }
    }

    /// Reads the file, or makes it if there is none.
    ///
    /// # Errors
    ///
    /// If it can't be read or written, or is not such a file.
    pub fn open(path: &Path) -> Result<BearOff, BearOffError> {
        let error = |problem: String| BearOffError { path: path.display().to_string(), problem };
        if path.exists() {
            let mut bytes = Vec::new();
            let length = (MAGIC.len() + 4 + (POSITIONS + FULL) * size_of::<Throws>()) as u64;
            let file = std::fs::File::open(path).map_err(|problem| error(problem.to_string()))?;
            file.take(length + 1).read_to_end(&mut bytes).map_err(|problem| error(problem.to_string()))?;
            return BearOff::from_bytes(&bytes)
                .ok_or_else(|| error("not a whole bear-off database; remove it, and it is made anew".into()));
        }
        let database = BearOff::generate();
        write_whole(path, &database.to_bytes()).map_err(|problem| error(problem.to_string()))?;
        Ok(database)
    }

    fn to_bytes(&self) -> Vec<u8> {
        let numbers: Vec<u8> = self.all.iter().chain(&self.first).flatten().flat_map(|p| p.to_le_bytes()).collect();
        [&MAGIC[..], &crc32fast::hash(&numbers).to_le_bytes(), &numbers].concat()
    }

    fn from_bytes(bytes: &[u8]) -> Option<BearOff> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (crc, numbers) = rest.split_first_chunk::<4>()?;
        if numbers.len() != (POSITIONS + FULL) * size_of::<Throws>()
            || crc32fast::hash(numbers) != u32::from_le_bytes(*crc)
        {
            return None;
        }
        let numbers: Vec<f32> = numbers.as_chunks::<4>().0.iter().map(|&four| f32::from_le_bytes(four)).collect();
        let (rows, _) = numbers.as_chunks::<MOST_THROWS>();
        let (all, first) = rows.split_at(POSITIONS);
        Some(BearOff { all: all.to_vec(), first: first.to_vec() })
    }

    /// How likely each number of throws is until all of these men are off.
    ///
    /// # Panics
    ///
    /// If there are more than fifteen.
    pub fn throws(&self, men: [u8; HOME]) -> &[f32; MOST_THROWS] {
        &self.all[index_of(men)]
    }

    /// The outputs of a position with `side` about to throw, as a network would have them (see
    /// [`OUTPUTS`](super::backgammon_network::OUTPUTS)); `None` unless all men of both sides are at home.
    pub fn outputs(&self, board: &Board, side: Side) -> Option<[f32; 5]> {
        let (own, other) = (at_home(board, side)?, at_home(board, side.other())?);
        let (mine, theirs) = (self.throws(own), self.throws(other));
        // Who throws first wins with as many throws as the other needs.
        let win = first_by(mine, theirs, 0);
        let gammon = self.until_first(other).map_or(0.0, |theirs| first_by(mine, theirs, 0));
        let lost_gammon = self.until_first(own).map_or(0.0, |mine| first_by(theirs, mine, 1));
        Some([win, gammon, 0.0, lost_gammon, 0.0])
    }

    /// Of positions from which no man is off yet: until the first is.
    fn until_first(&self, men: [u8; HOME]) -> Option<&Throws> {
        index_of(men).checked_sub(POSITIONS - FULL).map(|index| &self.first[index])
    }
}

/// How likely it is that who needs `mine` throws has made them before the other has made `theirs`: with as many if it throws
/// first (`behind` 0), with one fewer if not (1).
fn first_by(mine: &Throws, theirs: &Throws, behind: usize) -> f32 {
    let mut beyond = 1.0 - theirs[..behind].iter().sum::<f32>();
    let mut sum = 0.0;
    for (number, probability) in mine.iter().enumerate() {
        // `beyond`: the other needs at least `number + behind` throws.
        sum += probability * beyond;
        beyond -= theirs.get(number + behind).copied().unwrap_or(0.0);
    }
    sum.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_has_a_number_of_its_own() {
        let mut seen = vec![false; POSITIONS];
        for men in positions() {
            let index = index_of(men);
            assert!(!seen[index], "{men:?}");
            seen[index] = true;
            assert_eq!(index >= POSITIONS - FULL, men.iter().sum::<u8>() == MEN);
        }
        assert!(seen.into_iter().all(|seen| seen));
    }

    #[test]
    fn small_positions_are_those_counted_by_hand() {
        let database = BearOff::generate();
        // A man on the six point: off with 6-x (11), 5-1 …, doubles 2-2, 3-3 and more: 27 of 36.
        let throws = database.throws([0, 0, 0, 0, 0, 1]);
        assert!((throws[1] - 0.75).abs() < 1e-6 && (throws[2] - 0.25).abs() < 1e-6);
        // Two on the two point: off with any double above 1-1 or two numbers above 1: 26 of 36.
        assert!((database.throws([0, 2, 0, 0, 0, 0])[1] - 26.0 / 36.0).abs() < 1e-6);
        assert!(database.all.iter().all(|throws| (throws.iter().sum::<f32>() - 1.0).abs() < 1e-4));
        // A file comes back, and a damaged one does not.
        let mut bytes = database.to_bytes();
        assert_eq!(BearOff::from_bytes(&bytes).as_ref(), Some(&database));
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        assert_eq!(BearOff::from_bytes(&bytes), None);
        assert_eq!(BearOff::from_bytes(&bytes[..100]), None);
    }
}
