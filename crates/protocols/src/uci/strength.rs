//! Playing worse on purpose: the one place where `UCI_Elo` is turned into something that a search can obey.

use std::ops::RangeInclusive;

/// How a player is held back: as somebody is who sees less, and now and then nothing at all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// Positions that it may look at for a move.
    pub nodes: u64,
    /// The part of its moves that are any legal move, each as likely as the others, instead of its best, 0 to 1.
    pub error: f32,
}

/// Elo, and what makes a player of it, the weakest first.
///
/// Measured with the tournament search and the values of men alone, one thread, against Stockfish 15.1 held back by its own
/// `UCI_Elo` (20,000 nodes a move), whose scale this therefore is. `afterstate reproduce meep/uci-elo` measures it again; the
/// games were few, and the intervals are in `papers/2009-treestrap`. Other evaluations and other searches make more, or less,
/// of as many positions: `afterstate calibrate` measures those of a run.
pub const MEASURED_STRENGTHS: [(u32, Strength); 11] = [
    (300, Strength { nodes: 64, error: 0.2 }),
    (430, Strength { nodes: 64, error: 0.1 }),
    (730, Strength { nodes: 128, error: 0.0 }),
    (810, Strength { nodes: 512, error: 0.0 }),
    (1080, Strength { nodes: 1_000, error: 0.0 }),
    (1230, Strength { nodes: 2_000, error: 0.0 }),
    (1410, Strength { nodes: 4_000, error: 0.0 }),
    (1520, Strength { nodes: 8_000, error: 0.0 }),
    (1620, Strength { nodes: 16_000, error: 0.0 }),
    (1740, Strength { nodes: 32_000, error: 0.0 }),
    (1790, Strength { nodes: 64_000, error: 0.0 }),
];

/// What `UCI_Elo` is turned into.
///
/// ```
/// use afterstate_protocols::uci::{MEASURED_STRENGTHS, Strength, Strengths};
/// let strengths = Strengths::default();
/// let (elo, measured) = MEASURED_STRENGTHS[4];
/// assert_eq!(strengths.of(elo), measured);
/// assert!(strengths.of(elo - 50).nodes < measured.nodes && strengths.of(elo + 50).nodes > measured.nodes);
/// assert_eq!(strengths.of(10_000), strengths.of(*strengths.range().end()));
///
/// let level = |nodes| Strength { nodes, error: 0.0 };
/// let own = Strengths::measured([(1203.4, level(100)), (1199.0, level(200)), (1406.0, level(400))]).unwrap();
/// assert_eq!((own.range(), own.of(1305).nodes), (1200..=1410, 200));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Strengths(Vec<(u32, Strength)>);

impl Default for Strengths {
    /// [`MEASURED_STRENGTHS`].
    fn default() -> Strengths {
        Strengths(MEASURED_STRENGTHS.to_vec())
    }
}

impl Strengths {
    /// What was measured of levels that think more and more, in Elo, to the next ten. Levels that came out no stronger than one
    /// before them, or below 0, are left out; `None` if less than two are left.
    pub fn measured(levels: impl IntoIterator<Item = (f64, Strength)>) -> Option<Strengths> {
        let mut kept: Vec<(u32, Strength)> = Vec::new();
        for (elo, strength) in levels {
            let elo = 10.0 * (elo / 10.0).round();
            if elo >= 0.0 && kept.last().is_none_or(|(before, _)| elo > f64::from(*before)) {
                kept.push((elo as u32, strength));
            }
        }
        (kept.len() > 1).then_some(Strengths(kept))
    }

    /// The strengths that may be asked for: what was measured.
    pub fn range(&self) -> RangeInclusive<u32> {
        self.0[0].0..=self.0[self.0.len() - 1].0
    }

    /// What was measured of exactly this, if it has a place.
    pub fn elo_of(&self, strength: Strength) -> Option<u32> {
        self.0.iter().find(|(_, known)| *known == strength).map(|(elo, _)| *elo)
    }

    /// What makes a player of this Elo, between what was measured: positions by their logarithm, errors linearly. Outside of
    /// [`Strengths::range`] the nearest end counts.
    pub fn of(&self, elo: u32) -> Strength {
        let elo = elo.clamp(*self.range().start(), *self.range().end());
        let upper = self.0.iter().position(|entry| entry.0 >= elo).unwrap_or(self.0.len() - 1).max(1);
        let ((low, less), (high, more)) = (self.0[upper - 1], self.0[upper]);
        let part = f64::from(elo - low) / f64::from(high - low);
        let between = |a: f64, b: f64| a + (b - a) * part;
        Strength {
            nodes: between((less.nodes as f64).ln(), (more.nodes as f64).ln()).exp().round() as u64,
            error: between(less.error.into(), more.error.into()) as f32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_elo_is_never_less_thinking() {
        let strengths = Strengths::default();
        assert!(MEASURED_STRENGTHS.windows(2).all(|two| two[0].0 < two[1].0));
        for (elo, measured) in MEASURED_STRENGTHS {
            assert_eq!(strengths.of(elo), measured);
        }
        for elo in strengths.range() {
            let (less, more) = (strengths.of(elo.saturating_sub(1)), strengths.of(elo));
            assert!(less.nodes <= more.nodes && less.error >= more.error, "{elo}");
        }
        let ends = [0, MEASURED_STRENGTHS.len() - 1].map(|end| MEASURED_STRENGTHS[end].1);
        assert_eq!([strengths.of(0), strengths.of(u32::MAX)], ends);
    }

    #[test]
    fn levels_that_say_nothing_are_left_out() {
        let level = |nodes| Strength { nodes, error: 0.0 };
        assert_eq!(Strengths::measured([(1000.0, level(1)), (990.0, level(2)), (1004.0, level(3))]), None);
        let some = Strengths::measured([(-30.0, level(1)), (4.0, level(2)), (40.0, level(3))]).unwrap();
        assert_eq!(some, Strengths(vec![(0, level(2)), (40, level(3))]));
    }
}
