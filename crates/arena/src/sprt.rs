//! Sequential tests: is this version stronger, with as few games as possible?
//!
//! Wald's sequential probability ratio test weighs H1, a difference of `elo1`, against H0, a difference of
//! `elo0`. After each game (or pair of games) the log-likelihood ratio is compared with two bounds,
//!
//! ```text
//! LLR ≤ ln(β / (1 − α))   H0 is accepted       α: probability of accepting H1 when H0 is true
//! LLR ≥ ln((1 − β) / α)   H1 is accepted       β: probability of accepting H0 when H1 is true
//! ```
//!
//! How often games are drawn, and how the two games of a pair hang together, is not known beforehand, so the
//! *generalised* test is used: each hypothesis gets the outcome distribution that, among those with its Elo,
//! makes the results most probable (M. Van den Bergh, *Comments on normalized Elo* and *The generalized
//! maximum likelihood ratio for the expectation value of a distribution*, the mathematics of Fishtest).
//!
//! Results come in either of two forms. **Trinomial**: single games, independent of each other.
//! **Pentanomial**: pairs of games from one opening with sides swapped, by the pair's points 0, ½, 1, 1½, 2.
//! An unbalanced opening favours each player once; a test on pairs knows that, and needs fewer games.
//!
//! Elo comes in two kinds. **Logistic**: the score expected is `1 / (1 + 10^(−elo/400))`. **Normalised**: the
//! score's distance from ½ in standard deviations of a game, times `800 / ln 10 ≈ 347.4`. The games that a
//! test takes depend on normalised Elo alone, whatever the share of draws; at even strength and without
//! draws both kinds agree for small differences.

mod likelihood;
#[cfg(test)]
mod tests;

use crate::rating::{EloInterval, Tally, Z95, match_elo, score_interval, score_to_elo};
use afterstate_games::{Outcome, Side};
use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

/// Normalised Elo per standard deviation of one game: `800 / ln 10`.
pub const NORMALISED_ELO_PER_SIGMA: f64 = 800.0 / std::f64::consts::LN_10;

/// How one game ended for the player under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Score {
    /// 0 points.
    Loss,
    /// Half a point.
    Draw,
    /// 1 point.
    Win,
}

impl Score {
    /// The outcome of a game as the player on `side` sees it.
    pub fn of(outcome: Outcome, side: Side) -> Score {
        match outcome.winner {
            None => Score::Draw,
            Some(winner) if winner == side => Score::Win,
            Some(_) => Score::Loss,
        }
    }
}

/// The results that a test looks at, from the view of the player under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameCounts {
    /// Independent single games.
    Trinomial(Tally),
    /// Numbers of pairs with 0, ½, 1, 1½ and 2 points.
    Pentanomial([u64; 5]),
}

impl GameCounts {
    /// No single games yet.
    pub const NO_GAMES: GameCounts = GameCounts::Trinomial(Tally::new(0, 0, 0));
    /// No pairs yet.
    pub const NO_PAIRS: GameCounts = GameCounts::Pentanomial([0; 5]);

    /// Adds the two games of a pair. A trinomial takes them as two independent games.
    ///
    /// ```
    /// use afterstate_arena::sprt::{GameCounts, Score};
    /// let mut counts = GameCounts::NO_PAIRS;
    /// counts.add_pair(Score::Win, Score::Draw);
    /// assert_eq!(counts, GameCounts::Pentanomial([0, 0, 0, 1, 0]));
    /// ```
    pub fn add_pair(&mut self, one: Score, other: Score) {
        match self {
            GameCounts::Trinomial(tally) => {
                for result in [one, other] {
                    match result {
                        Score::Win => tally.wins += 1,
                        Score::Draw => tally.draws += 1,
                        Score::Loss => tally.losses += 1,
                    }
                }
            }
            GameCounts::Pentanomial(pairs) => pairs[one as usize + other as usize] += 1,
        }
    }

    /// Number of games (at most the largest `u64`).
    pub fn games(&self) -> u64 {
        match self {
            GameCounts::Trinomial(tally) => tally.games(),
            GameCounts::Pentanomial(pairs) => pairs.iter().copied().fold(0, u64::saturating_add).saturating_mul(2),
        }
    }

    /// Mean score of a game, in 0..=1; ½ without games.
    pub fn score(&self) -> f64 {
        let (count, points) = self.cells().iter().fold((0.0, 0.0), |(n, p), &(s, c)| (n + c, p + s * c));
        if count == 0.0 { 0.5 } else { points / count }
    }

    /// Each possible score in 0..=1, ascending, with how often it came up.
    fn cells(&self) -> Vec<(f64, f64)> {
        match self {
            GameCounts::Trinomial(t) => vec![(0.0, t.losses as f64), (0.5, t.draws as f64), (1.0, t.wins as f64)],
            GameCounts::Pentanomial(pairs) => {
                pairs.iter().enumerate().map(|(i, &n)| (i as f64 / 4.0, n as f64)).collect()
            }
        }
    }

    /// Games in one observation.
    fn games_each(&self) -> f64 {
        match self {
            GameCounts::Trinomial(_) => 1.0,
            GameCounts::Pentanomial(_) => 2.0,
        }
    }
}

/// What kind of Elo a test speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EloModel {
    /// The usual one, by the expected score.
    Logistic,
    /// In standard deviations of a game.
    #[default]
    Normalised,
}

/// Why a test cannot be made.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SprtError {
    /// An error probability out of range.
    #[error("{name} is {value}, but must be between 0 and 0.5, both excluded; 0.05 is usual")]
    Probability {
        /// `alpha` or `beta`.
        name: &'static str,
        /// What it is.
        value: f64,
    },
    /// The hypotheses are not in order, or not numbers.
    #[error("elo0 is {elo0} and elo1 is {elo1}, but elo0 must be the smaller one and both within ±{limit} Elo")]
    Hypotheses {
        /// H0.
        elo0: f64,
        /// H1.
        elo1: f64,
        /// The largest Elo allowed.
        limit: f64,
    },
}

/// A sequential test of `elo1` (H1) against `elo0` (H0).
///
/// ```
/// use afterstate_arena::rating::Tally;
/// use afterstate_arena::sprt::{Decision, EloModel, GameCounts, Sprt};
/// let test = Sprt { elo0: 0.0, elo1: 10.0, model: EloModel::Logistic, ..Sprt::default() };
/// let status = test.status(&GameCounts::Trinomial(Tally::new(700, 900, 600)))?;
/// assert_eq!(status.decision, Decision::AcceptH1);
/// # Ok::<(), afterstate_arena::sprt::SprtError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sprt {
    /// The difference under H0, in Elo of `model`.
    pub elo0: f64,
    /// The difference under H1; larger than `elo0`.
    pub elo1: f64,
    /// Probability of accepting H1 when H0 is true, in 0..0.5.
    pub alpha: f64,
    /// Probability of accepting H0 when H1 is true, in 0..0.5.
    pub beta: f64,
    /// The kind of Elo.
    pub model: EloModel,
}

impl Default for Sprt {
    /// Fishtest's shape at a size that a small machine can decide: 0 against 10 normalised Elo, 5 % errors.
    fn default() -> Self {
        Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05, model: EloModel::Normalised }
    }
}

/// What a test says so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Play on.
    Continue,
    /// Not stronger by more than `elo0`: stop.
    AcceptH0,
    /// Stronger by `elo1` or so: stop.
    AcceptH1,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Decision::Continue => "continue",
            Decision::AcceptH0 => "H0 accepted",
            Decision::AcceptH1 => "H1 accepted",
        })
    }
}

/// A test's state after some games.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SprtStatus {
    /// The log-likelihood ratio of H1 over H0.
    pub llr: f64,
    /// At or below this H0 is accepted.
    pub lower: f64,
    /// At or above this H1 is accepted.
    pub upper: f64,
    /// What follows.
    pub decision: Decision,
    /// Number of games seen.
    pub games: u64,
    /// The difference in the test's kind of Elo, with a 95 % interval as if the number of games had been
    /// fixed beforehand; games that stopped *because* of the test show somewhat more than the truth.
    pub elo: EloInterval,
}

impl fmt::Display for SprtStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "LLR {:.2} ({:.2}, {:.2}) after {} games, {:.1} [{:.1}, {:.1}] in the test's Elo: {}",
            self.llr, self.lower, self.upper, self.games, self.elo.elo, self.elo.low, self.elo.high, self.decision
        )
    }
}

impl Sprt {
    /// Checks the settings.
    ///
    /// # Errors
    ///
    /// [`SprtError`] names the setting that is out of range.
    pub fn check(&self) -> Result<(), SprtError> {
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(SprtError::Probability { name, value });
            }
        }
        let limit = 1000.0;
        if !(self.elo0 < self.elo1 && self.elo0 >= -limit && self.elo1 <= limit) {
            return Err(SprtError::Hypotheses { elo0: self.elo0, elo1: self.elo1, limit });
        }
        Ok(())
    }

    /// The two bounds of the log-likelihood ratio, lower first.
    ///
    /// ```
    /// let (lower, upper) = afterstate_arena::sprt::Sprt::default().bounds();
    /// assert!((upper - 19f64.ln()).abs() < 1e-12 && lower == -upper);
    /// ```
    pub fn bounds(&self) -> (f64, f64) {
        (-((1.0 - self.alpha) / self.beta).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of H1 over H0; 0 without games.
    ///
    /// # Errors
    ///
    /// As [`Sprt::check`].
    pub fn llr(&self, counts: &GameCounts) -> Result<f64, SprtError> {
        self.check()?;
        if counts.games() == 0 {
            return Ok(0.0);
        }
        let cells = counts.cells();
        Ok(match self.model {
            EloModel::Logistic => likelihood::of_scores(&cells, self.elo0, self.elo1),
            EloModel::Normalised => likelihood::of_t_values(
                &cells,
                counts.games_each(),
                self.elo0 / NORMALISED_ELO_PER_SIGMA,
                self.elo1 / NORMALISED_ELO_PER_SIGMA,
            ),
        })
    }

    /// Everything about the test after the games of `counts`.
    ///
    /// # Errors
    ///
    /// As [`Sprt::check`].
    pub fn status(&self, counts: &GameCounts) -> Result<SprtStatus, SprtError> {
        let llr = self.llr(counts)?;
        let (lower, upper) = self.bounds();
        let decision = if llr >= upper {
            Decision::AcceptH1
        } else if llr <= lower {
            Decision::AcceptH0
        } else {
            Decision::Continue
        };
        let elo = match self.model {
            EloModel::Logistic => logistic_elo(counts),
            EloModel::Normalised => normalised_elo(counts),
        };
        Ok(SprtStatus { llr, lower, upper, decision, games: counts.games(), elo })
    }
}

/// The logistic Elo difference that `counts` show, with its 95 % interval; from pairs it takes their own
/// variance, not that of single games.
///
/// ```
/// use afterstate_arena::sprt::{GameCounts, logistic_elo};
/// let elo = logistic_elo(&GameCounts::Pentanomial([5, 20, 40, 30, 15]));
/// assert!((elo.elo - 47.7).abs() < 0.1 && elo.low > 10.0 && elo.high < 90.0);
/// ```
pub fn logistic_elo(counts: &GameCounts) -> EloInterval {
    match counts {
        GameCounts::Trinomial(tally) => match_elo(*tally),
        GameCounts::Pentanomial(_) => {
            let score = score_interval(&counts.cells());
            let elo = score_to_elo(score.estimate);
            EloInterval { elo, low: score_to_elo(score.low), high: score_to_elo(score.high) }
        }
    }
}

/// The logistic Elo difference of games that came in pairs, of which `pairs` counts the complete ones as [`GameCounts::Pentanomial`]
/// does, and of `singles` whose partner is missing: each of these weighs half as much as a pair. `repeats`: how often each different game
/// was played, on average, as for [`match_elo_of_repeated`](crate::rating::match_elo_of_repeated).
///
/// ```
/// use afterstate_arena::{rating::Tally, sprt::{GameCounts, elo_of_pairs, logistic_elo}};
/// let pairs = [5, 20, 40, 30, 15];
/// assert_eq!(elo_of_pairs(&pairs, Tally::default(), 1.0), logistic_elo(&GameCounts::Pentanomial(pairs)));
/// assert!(elo_of_pairs(&pairs, Tally::new(1, 0, 0), 1.0).elo > elo_of_pairs(&pairs, Tally::default(), 1.0).elo);
/// ```
pub fn elo_of_pairs(pairs: &[u64; 5], singles: Tally, repeats: f64) -> EloInterval {
    let mut cells = GameCounts::Pentanomial(*pairs).cells();
    let halves = [(0.0, singles.losses), (0.5, singles.draws), (1.0, singles.wins)];
    cells.extend(halves.map(|(score, count)| (score, count as f64 / 2.0)));
    cells.iter_mut().for_each(|(_, count)| *count /= repeats);
    let score = score_interval(&cells);
    EloInterval { elo: score_to_elo(score.estimate), low: score_to_elo(score.low), high: score_to_elo(score.high) }
}

/// The normalised Elo difference that `counts` show, with its 95 % interval (that of a t-value near 0: good up
/// to some 100 Elo). Infinite without games, and when all scored the same but not half.
///
/// ```
/// use afterstate_arena::{rating::Tally, sprt::{GameCounts, normalised_elo}};
/// // 52 % with a standard deviation of ½ a game: 0.04 standard deviations.
/// let elo = normalised_elo(&GameCounts::Trinomial(Tally::new(5200, 0, 4800)));
/// assert!((elo.elo - 0.04 * 347.4).abs() < 0.1);
/// ```
pub fn normalised_elo(counts: &GameCounts) -> EloInterval {
    let games = counts.games() as f64;
    if games == 0.0 {
        return EloInterval { elo: 0.0, low: f64::NEG_INFINITY, high: f64::INFINITY };
    }
    let mean = counts.score();
    let cells = counts.cells();
    let n: f64 = cells.iter().map(|c| c.1).sum();
    let variance = cells.iter().map(|(s, c)| c * (s - mean).powi(2)).sum::<f64>() / n;
    let sigma_of_a_game = (variance * counts.games_each()).sqrt();
    let t = if mean == 0.5 { 0.0 } else { (mean - 0.5) / sigma_of_a_game };
    let half = Z95 / games.sqrt();
    let elo = |t: f64| t * NORMALISED_ELO_PER_SIGMA;
    // Nothing but the same result says nothing about the variance, hence nothing about how large t can be.
    match t {
        f64::INFINITY => EloInterval { elo: t, low: elo(-half), high: t },
        f64::NEG_INFINITY => EloInterval { elo: t, low: t, high: elo(half) },
        _ => EloInterval { elo: elo(t), low: elo(t - half), high: elo(t + half) },
    }
}
