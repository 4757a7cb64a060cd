//! Playing worse on purpose: the one place where `UCI_Elo` is turned into something that a search can obey.

use std::ops::RangeInclusive;

/// The strengths that may be asked for: what was measured.
pub const ELO_RANGE: RangeInclusive<u32> = MEASURED_STRENGTHS[0].0..=MEASURED_STRENGTHS[MEASURED_STRENGTHS.len() - 1].0;

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
/// of as many positions.
pub const MEASURED_STRENGTHS: [(u32, Strength); 10] = [
    (440, Strength { nodes: 64, error: 0.2 }),
    (570, Strength { nodes: 64, error: 0.1 }),
    (870, Strength { nodes: 128, error: 0.0 }),
    (910, Strength { nodes: 512, error: 0.0 }),
    (1160, Strength { nodes: 1_000, error: 0.0 }),
    (1300, Strength { nodes: 2_000, error: 0.0 }),
    (1340, Strength { nodes: 4_000, error: 0.0 }),
    (1480, Strength { nodes: 8_000, error: 0.0 }),
    (1590, Strength { nodes: 16_000, error: 0.0 }),
    (1770, Strength { nodes: 32_000, error: 0.0 }),
];

/// What makes a player of this Elo, between the entries of [`MEASURED_STRENGTHS`]: positions by their logarithm, errors linearly.
/// Outside of [`ELO_RANGE`] the nearest end counts.
///
/// ```
/// use afterstate_protocols::uci::{ELO_RANGE, MEASURED_STRENGTHS, strength};
/// let (elo, measured) = MEASURED_STRENGTHS[4];
/// assert_eq!(strength(elo), measured);
/// assert!(strength(elo - 50).nodes < measured.nodes && strength(elo + 50).nodes > measured.nodes);
/// assert_eq!(strength(10_000), strength(*ELO_RANGE.end()));
/// ```
pub fn strength(elo: u32) -> Strength {
    let elo = elo.clamp(*ELO_RANGE.start(), *ELO_RANGE.end());
    let last = MEASURED_STRENGTHS.len() - 1;
    let upper = MEASURED_STRENGTHS.iter().position(|entry| entry.0 >= elo).unwrap_or(last).max(1);
    let ((low, less), (high, more)) = (MEASURED_STRENGTHS[upper - 1], MEASURED_STRENGTHS[upper]);
    let part = f64::from(elo - low) / f64::from(high - low);
    let between = |a: f64, b: f64| a + (b - a) * part;
    Strength {
        nodes: between((less.nodes as f64).ln(), (more.nodes as f64).ln()).exp().round() as u64,
        error: between(less.error.into(), more.error.into()) as f32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_elo_is_never_less_thinking() {
        assert!(MEASURED_STRENGTHS.windows(2).all(|two| two[0].0 < two[1].0));
        for (elo, measured) in MEASURED_STRENGTHS {
            assert_eq!(strength(elo), measured);
        }
        for elo in ELO_RANGE {
            let (less, more) = (strength(elo.saturating_sub(1)), strength(elo));
            assert!(less.nodes <= more.nodes && less.error >= more.error, "{elo}");
        }
        assert_eq!((strength(0), strength(u32::MAX)), (MEASURED_STRENGTHS[0].1, MEASURED_STRENGTHS[9].1));
    }
}
