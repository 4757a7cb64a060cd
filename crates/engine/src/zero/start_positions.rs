//! [`Archive`]: positions that trajectories may start from (Go-Exploit; paper 004, §3).
//!
//! | variant | states of interest | what the archive keeps |
//! | --- | --- | --- |
//! | GEVE | visited in training trajectories | all of them |
//! | GEVC | the same | the most recent \|A\| |
//! | GESR | met in the searches of archive games | a uniform sample of \|A\| |
//! | GESC | the same | the most recent \|A\| |
//!
//! A position is kept as the moves that lead to it from the first one. It may be there many times, and is then
//! drawn as many times as often.

use afterstate_games::Rng;
use afterstate_games::rng::below;
use serde::{Deserialize, Serialize};

/// Which positions an archive keeps when there are more than it has room for.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// All.
    Expanding,
    /// The most recent ones.
    Circular,
    /// A uniform sample of all that were ever offered (J. Vitter, *Random sampling with a reservoir*, 1985).
    Reservoir,
}

/// Moves, by their [index](afterstate_games::IndexedMoves::move_index), that lead to a position from the first one.
pub type Way = Box<[u16]>;

/// Positions to start from.
///
/// ```
/// use afterstate_engine::zero::{Archive, Keep};
/// use afterstate_games::stream;
/// let mut archive = Archive::new(Keep::Circular, 2);
/// for column in [3, 4, 5] {
///     archive.offer(&[column], &mut stream(1, 0));
/// }
/// assert_eq!(archive.len(), 2);
/// assert_ne!(archive.draw(&mut stream(1, 1)), Some(&[3][..]));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Archive {
    keep: Keep,
    capacity: usize,
    ways: Vec<Way>,
    /// Positions that were ever offered.
    offered: u64,
}

impl Archive {
    /// An empty archive with room for `capacity` positions; one that keeps [all](Keep::Expanding) has room for any number.
    ///
    /// # Panics
    ///
    /// If there is no room at all.
    pub fn new(keep: Keep, capacity: usize) -> Archive {
        assert!(capacity > 0 || keep == Keep::Expanding, "an archive without room");
        Archive { keep, capacity, ways: Vec::new(), offered: 0 }
    }

    /// An archive as [`Archive::ways`] and [`Archive::offered`] described it. `None` if these cannot be.
    pub fn restored(keep: Keep, capacity: usize, ways: Vec<Way>, offered: u64) -> Option<Archive> {
        let expected = match keep {
            Keep::Expanding => offered,
            Keep::Circular | Keep::Reservoir => offered.min(capacity as u64),
        };
        (ways.len() as u64 == expected).then_some(Archive { keep, capacity, ways, offered })
    }

    /// Offers the position that `way` leads to.
    pub fn offer(&mut self, way: &[u16], rng: &mut Rng) {
        let full = self.keep != Keep::Expanding && self.ways.len() == self.capacity;
        if !full {
            self.ways.push(way.into());
        } else {
            let slot = match self.keep {
                Keep::Circular => Some((self.offered % self.capacity as u64) as usize),
                // The n-th one is kept with probability |A|/n.
                _ => Some(below_large(rng, self.offered + 1))
                    .filter(|slot| *slot < self.capacity as u64)
                    .map(|slot| slot as usize),
            };
            if let Some(slot) = slot {
                self.ways[slot] = way.into();
            }
        }
        self.offered += 1;
    }

    /// One of its positions, each with the same probability; `None` if there is none yet.
    pub fn draw(&self, rng: &mut Rng) -> Option<&[u16]> {
        (!self.ways.is_empty()).then(|| &*self.ways[below(rng, self.ways.len() as u32) as usize])
    }

    /// How many positions it holds.
    pub fn len(&self) -> usize {
        self.ways.len()
    }

    /// How many positions it held that many offers ago.
    pub fn len_before(&self, offers: u64) -> usize {
        let offered = usize::try_from(self.offered.saturating_sub(offers)).unwrap_or(usize::MAX);
        if self.keep == Keep::Expanding { offered } else { offered.min(self.capacity) }
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.ways.is_empty()
    }

    /// Its positions.
    pub fn ways(&self) -> &[Way] {
        &self.ways
    }

    /// How many positions were ever offered.
    pub fn offered(&self) -> u64 {
        self.offered
    }
}

/// A number in `0..n`, where `n` may need more than 32 bits.
fn below_large(rng: &mut Rng, n: u64) -> u64 {
    use rand::Rng as _;
    ((u128::from(rng.next_u64()) * u128::from(n)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::stream;

    /// Offers 0 to `count` − 1, and says what is kept.
    fn offered(keep: Keep, capacity: usize, count: u32, seed: u64) -> Vec<u32> {
        let (mut archive, mut rng) = (Archive::new(keep, capacity), stream(seed, 0));
        for number in 0..count {
            archive.offer(&[(number >> 16) as u16, number as u16], &mut rng);
        }
        assert_eq!(archive.offered(), u64::from(count));
        assert_eq!(archive.len_before(0), archive.len());
        archive.ways().iter().map(|way| u32::from(way[0]) << 16 | u32::from(way[1])).collect()
    }

    #[test]
    fn an_expanding_archive_keeps_all_and_a_circular_one_the_last() {
        assert_eq!(offered(Keep::Expanding, 0, 5, 1), [0, 1, 2, 3, 4]);
        let mut last = offered(Keep::Circular, 1000, 1_000_000, 1);
        last.sort();
        assert_eq!(last, (999_000..1_000_000).collect::<Vec<_>>());
    }

    #[test]
    fn a_reservoir_keeps_every_offer_with_the_same_probability() {
        // Of a million offers in a hundred classes by time, 20,000 are kept: 200 of each class are expected.
        let mut counts = [0f64; 100];
        for number in offered(Keep::Reservoir, 20_000, 1_000_000, 3) {
            counts[number as usize / 10_000] += 1.0;
        }
        let chi_squared: f64 = counts.iter().map(|count| (count - 200.0).powi(2) / 200.0).sum();
        // 99 degrees of freedom: beyond 148 once in a thousand. (Without replacement it is a little less.)
        assert!(chi_squared < 148.0, "{chi_squared}");
    }

    #[test]
    fn draws_are_uniform() {
        let mut archive = Archive::new(Keep::Expanding, 0);
        (0..50).for_each(|number| archive.offer(&[number], &mut stream(1, 0)));
        let (mut counts, mut rng) = ([0f64; 50], stream(2, 0));
        for _ in 0..1_000_000 {
            counts[usize::from(archive.draw(&mut rng).unwrap()[0])] += 1.0;
        }
        let chi_squared: f64 = counts.iter().map(|count| (count - 20_000.0).powi(2) / 20_000.0).sum();
        // 49 degrees of freedom: beyond 85 once in a thousand.
        assert!(chi_squared < 85.0, "{chi_squared}");
    }

    #[test]
    fn a_restored_archive_goes_on_as_if_nothing_had_happened() {
        for keep in [Keep::Expanding, Keep::Circular, Keep::Reservoir] {
            let mut one = Archive::new(keep, 10);
            (0..25).for_each(|number| one.offer(&[number], &mut stream(1, u64::from(number))));
            let mut other = Archive::restored(keep, 10, one.ways().to_vec(), one.offered()).unwrap();
            for archive in [&mut one, &mut other] {
                (25..60).for_each(|number| archive.offer(&[number], &mut stream(1, u64::from(number))));
            }
            assert_eq!(one, other);
        }
        assert!(Archive::restored(Keep::Circular, 10, vec![[1u16].into()], 5).is_none());
    }
}
