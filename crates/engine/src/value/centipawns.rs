//! Advantages in centipawns, as chess programs tell them, and chances to win, as everything here does.
//!
//! Between them stands the formula of Elo's scale, with a pawn as a hundred points: an advantage of x centipawns wins with the
//! probability 1/(1 + 10^(−x/400)), a draw counting one half.

/// No advantage counts as more: a hundred pawns, which no game is lost with.
pub const MOST: f32 = 10_000.0;

/// How many hundredths of a pawn log odds of 1 are: 400 / ln 10.
pub const PER_LOGIT: f32 = 400.0 * std::f32::consts::LOG10_E;

/// The chance to win of whoever has such an advantage.
///
/// ```
/// use afterstate_engine::value::centipawns::winning_chance;
/// assert_eq!(winning_chance(0.0), 0.5);
/// assert!((winning_chance(400.0) - 10.0 / 11.0).abs() < 1e-6);
/// ```
pub fn winning_chance(centipawns: f32) -> f32 {
    1.0 / (1.0 + 10f32.powf(-centipawns / 400.0))
}

/// The advantage of whoever wins with this probability, from −[`MOST`] to [`MOST`].
///
/// ```
/// use afterstate_engine::value::centipawns::{MOST, centipawns, winning_chance};
/// assert!((centipawns(winning_chance(-35.0)) + 35.0).abs() < 0.01);
/// assert_eq!((centipawns(0.5), centipawns(1.0), centipawns(1.4)), (0.0, MOST, MOST));
/// ```
pub fn centipawns(chance: f32) -> f32 {
    // Linear values may lie beyond certainty.
    let chance = chance.clamp(0.0, 1.0);
    let odds = chance / (1.0 - chance);
    (400.0 * odds.log10()).clamp(-MOST, MOST)
}
