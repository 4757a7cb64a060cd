//! Playing worse on purpose: the one place where `UCI_Elo` is turned into something that a search can obey.

use std::ops::RangeInclusive;

/// The strengths that may be asked for.
pub const ELO_RANGE: RangeInclusive<u32> = 600..=2400;

/// How a player is held back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// Positions that it may look at for a move.
    pub nodes: u64,
    /// How often it plays any move at random instead of its best, 0 to 1.
    pub error: f32,
}

/// Elo, and what makes a player of it. To be replaced by what matches against Stockfish's `UCI_Elo` show; until then the
/// common rule that twice the positions are worth 60 Elo, and errors for those whom a glance is too much already.
const TABLE: [(u32, u64, f32); 5] =
    [(600, 64, 0.30), (1000, 128, 0.12), (1400, 1_000, 0.03), (1800, 30_000, 0.0), (2400, 30_000_000, 0.0)];

/// What makes a player of this Elo, between the entries of a table: positions by their logarithm, errors linearly.
/// Outside of [`ELO_RANGE`] the nearest end counts.
///
/// ```
/// use afterstate_protocols::uci::{Strength, strength};
/// assert_eq!(strength(1400), Strength { nodes: 1_000, error: 0.03 });
/// assert!(strength(1500).nodes > 2_000 && strength(1500).error < 0.03);
/// ```
pub fn strength(elo: u32) -> Strength {
    let elo = elo.clamp(*ELO_RANGE.start(), *ELO_RANGE.end());
    let upper = TABLE.iter().position(|entry| entry.0 >= elo).unwrap_or(TABLE.len() - 1).max(1);
    let ((low, few, often), (high, many, seldom)) = (TABLE[upper - 1], TABLE[upper]);
    let part = f64::from(elo - low) / f64::from(high - low);
    let between = |a: f64, b: f64| a + (b - a) * part;
    Strength {
        nodes: between((few as f64).ln(), (many as f64).ln()).exp().round() as u64,
        error: between(often.into(), seldom.into()) as f32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_elo_is_never_less_thinking() {
        assert_eq!((TABLE[0].0, TABLE[TABLE.len() - 1].0), (*ELO_RANGE.start(), *ELO_RANGE.end()));
        for (elo, nodes, error) in TABLE {
            assert_eq!(strength(elo), Strength { nodes, error });
        }
        for elo in ELO_RANGE {
            let (less, more) = (strength(elo.saturating_sub(1)), strength(elo));
            assert!(less.nodes <= more.nodes && less.error >= more.error, "{elo}");
        }
        assert_eq!((strength(0), strength(u32::MAX)), (strength(600), strength(2400)));
    }
}
