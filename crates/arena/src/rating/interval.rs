//! Intervals for a single score: a proportion, or the Elo difference of a match.

use super::Tally;
use serde::{Deserialize, Serialize};

/// Standard deviations on either side of the mean that hold 95 % of a normal distribution.
pub(crate) const Z95: f64 = 1.959_963_984_540_054;

/// The probability that a standard normal variable is below `x`.
///
/// ```
/// assert!((afterstate_arena::rating::normal_cdf(1.959964) - 0.975).abs() < 1e-6);
/// ```
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

/// The expected score (0..=1) of somebody `elo` points stronger: `1 / (1 + 10^(−elo/400))`.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The Elo difference at which `score` (0..=1) is expected; infinite at 0 and 1. Inverse of [`expected_score`].
///
/// ```
/// use afterstate_arena::rating::{expected_score, score_to_elo};
/// assert!((score_to_elo(0.75) - 190.85).abs() < 0.01);
/// assert!((score_to_elo(expected_score(35.0)) - 35.0).abs() < 1e-9);
/// ```
pub fn score_to_elo(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// A proportion with its 95 % interval, all in 0..=1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proportion {
    /// What was observed; ½ without observations.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Wilson's 95 % interval (1927) of a winning rate. `wins` may hold halves for draws, for which the interval is
/// too wide (see [`match_elo`] for one that knows about draws). `wins` beyond `games` counts as all of them.
///
/// ```
/// let rate = afterstate_arena::rating::wilson(8.0, 10);
/// assert!((rate.low - 0.490).abs() < 0.001 && (rate.high - 0.943).abs() < 0.001);
/// ```
pub fn wilson(wins: f64, games: u64) -> Proportion {
    if games == 0 || wins.is_nan() {
        return Proportion { estimate: 0.5, low: 0.0, high: 1.0 };
    }
    let n = games as f64;
    wilson_of((wins / n).clamp(0.0, 1.0), n)
}

/// Wilson's interval for a share `p` of `n` observations, which need not be a whole number.
fn wilson_of(p: f64, n: f64) -> Proportion {
    let z2 = Z95 * Z95;
    let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z95 * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt() / (1.0 + z2 / n);
    // At the ends of the range the interval touches them exactly, whatever the rounding says.
    let low = if p == 0.0 { 0.0 } else { (middle - half).max(0.0) };
    let high = if p == 1.0 { 1.0 } else { (middle + half).min(1.0) };
    Proportion { estimate: p, low, high }
}

/// The 97.5 % quantile of Student's t: half the width of a 95 % interval of a mean, in standard errors, if the deviation is known from so
/// many degrees of freedom (1 or more; one fewer than there are observations).
///
/// ```
/// use afterstate_arena::rating::student;
/// assert_eq!([1, 9, 30].map(student), [12.706, 2.262, 2.042]);
/// assert!((student(60) - 2.0003).abs() < 1e-3 && (student(1000) - 1.9623).abs() < 1e-3);
/// ```
///
/// # Panics
///
/// Without any.
pub fn student(degrees: usize) -> f64 {
    const TABLE: [f64; 30] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
        2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
    ];
    // Beyond, the first two terms of its expansion.
    TABLE.get(degrees - 1).copied().unwrap_or_else(|| 1.96 + 2.4 / degrees as f64)
}

/// An Elo difference with its 95 % interval. An end that the games do not limit is infinite (written as
/// `"inf"` or `"-inf"` in JSON).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EloInterval {
    /// The estimate.
    #[serde(with = "maybe_infinite")]
    pub elo: f64,
    /// Lower end.
    #[serde(with = "maybe_infinite")]
    pub low: f64,
    /// Upper end.
    #[serde(with = "maybe_infinite")]
    pub high: f64,
}

/// The Elo difference (positive: the tally's owner is stronger) that a match shows, by the logistic curve.
///
/// The interval is Wilson's for the score, with as many observations as would give a plain win-or-loss match
/// the same variance: draws make a match more telling. Without games it is the whole line.
///
/// ```
/// use afterstate_arena::rating::{Tally, match_elo};
/// let plain = match_elo(Tally::new(75, 0, 25));
/// let drawish = match_elo(Tally::new(60, 30, 10));
/// assert!((plain.elo - 190.8).abs() < 0.1 && plain.elo == drawish.elo);
/// assert!(drawish.high - drawish.low < plain.high - plain.low);
/// assert_eq!(match_elo(Tally::new(9, 0, 0)).high, f64::INFINITY);
/// ```
pub fn match_elo(tally: Tally) -> EloInterval {
    match_elo_of_repeated(tally, 1.0)
}

/// The same of games each of which was played so many times on average, 1 or more, as players without chance do: the interval is as wide
/// as if only the different ones had been.
///
/// ```
/// use afterstate_arena::rating::{Tally, match_elo, match_elo_of_repeated};
/// let twice = match_elo_of_repeated(Tally::new(20, 0, 0), 2.0);
/// assert_eq!(twice, match_elo(Tally::new(10, 0, 0)));
/// ```
pub fn match_elo_of_repeated(tally: Tally, repeats: f64) -> EloInterval {
    if tally.games() == 0 {
        return EloInterval { elo: 0.0, low: f64::NEG_INFINITY, high: f64::INFINITY };
    }
    let [wins, draws, losses] = [tally.wins, tally.draws, tally.losses].map(|games| games as f64 / repeats);
    let score = if tally.draws == 0 {
        wilson_of(wins / (wins + losses), wins + losses)
    } else {
        score_interval(&[(0.0, losses), (0.5, draws), (1.0, wins)])
    };
    EloInterval { elo: score_to_elo(score.estimate), low: score_to_elo(score.low), high: score_to_elo(score.high) }
}

/// The mean of scores in 0..=1, each with how often it came up, with a 95 % interval like [`match_elo`]'s.
pub(crate) fn score_interval(cells: &[(f64, f64)]) -> Proportion {
    let n: f64 = cells.iter().map(|c| c.1).sum();
    if n == 0.0 {
        return Proportion { estimate: 0.5, low: 0.0, high: 1.0 };
    }
    let mean = (cells.iter().map(|(s, c)| s * c).sum::<f64>() / n).clamp(0.0, 1.0);
    // Half a virtual win and loss, so that nothing but draws is not taken as certainty.
    let extremes = 0.5 * ((1.0 - mean).powi(2) + mean.powi(2));
    let variance = (cells.iter().map(|(s, c)| c * (s - mean).powi(2)).sum::<f64>() + extremes) / (n + 1.0);
    wilson_of(mean, n * (mean * (1.0 - mean) / variance).max(1.0))
}

/// How a number that may be infinite is written, by `#[serde(with)]`: JSON has no infinity; its numbers stay numbers and the infinities
/// become words.
pub mod maybe_infinite {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged, expecting = "a number, \"inf\" or \"-inf\"")]
    enum Text {
        Number(f64),
        Word(String),
    }

    /// A number, "inf" or "-inf".
    ///
    /// # Errors
    ///
    /// What the serializer says.
    pub fn serialize<S: Serializer>(x: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        if x.is_finite() { Text::Number(*x) } else { Text::Word(x.to_string()) }.serialize(serializer)
    }

    /// Reads what [`serialize`] writes.
    ///
    /// # Errors
    ///
    /// If it is anything else.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        match Text::deserialize(deserializer)? {
            Text::Number(x) => Ok(x),
            Text::Word(word) if word == "inf" => Ok(f64::INFINITY),
            Text::Word(word) if word == "-inf" => Ok(f64::NEG_INFINITY),
            Text::Word(word) => {
                Err(serde::de::Error::custom(format!("expected a number, \"inf\" or \"-inf\", not \"{word}\"")))
            }
        }
    }
}
