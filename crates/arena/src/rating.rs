//! Ratings by maximum posterior probability, in the manner of BayesElo.
//!
//! The model (R. Coulom, *Bayesian Elo Rating*, 2005; its draws are those of Rao and Kupper, 1967): when
//! `i` moves first against `j`, with `σ(x) = 1 / (1 + 10^(−x/400))` and `x = elo_i − elo_j + advantage`,
//!
//! ```text
//! P(i wins) = σ( x − draw)
//! P(j wins) = σ(−x − draw)
//! P(draw)   = 1 − P(i wins) − P(j wins) = (10^(2·draw/400) − 1) · P(i wins) · P(j wins)
//! ```
//!
//! `draw` (BayesElo's eloDraw) and `advantage` (eloAdvantage, of moving first) are in Elo too, and either
//! fixed or fitted together with the ratings. The last identity says that a draw counts as one win and one
//! loss, so the log-likelihood is concave in all unknowns and Newton's method finds its only maximum.
//!
//! The prior is BayesElo's: every player draws `prior_draws / 2` virtual games, shared out among its
//! opponents in proportion to the games played, both sides moving first equally often. Two players thus get
//! `prior_draws` virtual draws between them. They keep somebody who won every game at a finite rating.
//!
//! Ratings are only defined up to a shift. Either some players are [anchors](RatingSettings::anchors), or
//! the mean over all players is [given](RatingSettings::mean). The errors come from the whole inverse
//! Hessian of the log-posterior with that condition built in, so they include what the opponents' own
//! ratings leave uncertain, and an anchor's error is zero.
//!
//! Two things differ from BayesElo's defaults: its `draw` 97.3 and `advantage` 32.8 were measured on chess
//! games, so here both are fitted unless fixed; and no `scale` is applied to the result.

mod cholesky;
mod fit;
mod interval;
mod model;
mod results;
mod settings;
mod table;
#[cfg(test)]
mod tests;

pub use interval::{
    EloInterval, Proportion, expected_score, match_elo, match_elo_of_repeated, maybe_infinite, normal_cdf,
    score_to_elo, student, wilson,
};
pub use results::{PairTally, Results, Tally};
pub use settings::{Parameter, RatingSettings};

pub(crate) use interval::{Z95, score_interval};

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why results cannot be rated, or settings cannot be used.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RatingError {
    /// There is nobody to rate.
    #[error("there are no players to rate; add at least one game")]
    NoPlayers,
    /// A game of a player against itself.
    #[error(
        "'{player}' appears as its own opponent; a rating needs games between two different players: give them different names"
    )]
    SelfPlay {
        /// The name on both sides.
        player: String,
    },
    /// Some players never met the others, not even through common opponents.
    #[error(
        "these groups of players cannot be compared, since no games connect them: {}; \
         play a game between the groups, rate each group alone, or anchor a player in each",
        list_groups(groups)
    )]
    Disconnected {
        /// The groups (or, with anchors, those without an anchor), the largest first.
        groups: Vec<Vec<String>>,
    },
    /// Without a prior, players who won (or lost) everything have no finite rating.
    #[error(
        "without a prior there is no finite rating for {}: against the rest they won every game or lost every game; \
         give a prior above 0 (2 draws are usual) or play more games",
        list(players)
    )]
    Unbounded {
        /// Who they are: one side of the split that no result bridges.
        players: Vec<String>,
    },
    /// An anchor that played no part.
    #[error("anchor '{name}' is not among the players ({}); correct its name or remove it", list(players))]
    UnknownAnchor {
        /// The anchor's name.
        name: String,
        /// Who there is.
        players: Vec<String>,
    },
    /// A setting is outside its range.
    #[error("{name} is {value}, but must be {expected}")]
    Setting {
        /// The setting's name.
        name: String,
        /// What it is.
        value: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// Draws happened in a model in which they have probability 0.
    #[error(
        "draw is fixed at 0, which makes draws impossible, but {draws} games were drawn; use \"fitted\" or a positive number"
    )]
    DrawsImpossible {
        /// How many draws there are.
        draws: u64,
    },
    /// The log-posterior has no finite or no unique maximum.
    #[error(
        "the results do not determine {what}; fix it, give a prior above 0, or play more games with both players moving first"
    )]
    NotDetermined {
        /// What cannot be told.
        what: &'static str,
    },
}

fn list(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut text = names.iter().take(SHOWN).map(|n| format!("'{n}'")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text += &format!(" and {} more", names.len() - SHOWN);
    }
    text
}

fn list_groups(groups: &[Vec<String>]) -> String {
    groups.iter().map(|g| format!("[{}]", list(g))).collect::<Vec<_>>().join(" ")
}

/// One player's line in [`Ratings`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PlayerRating {
    /// 1 for the strongest.
    pub rank: usize,
    /// Who.
    pub name: String,
    /// The rating in Elo.
    pub elo: f64,
    /// Standard error of `elo`; 0 for an anchor.
    pub std_error: f64,
    /// Lower end of the 95 % interval, in Elo.
    pub low: f64,
    /// Upper end of the 95 % interval, in Elo.
    pub high: f64,
    /// Games played (virtual ones not counted).
    pub games: u64,
    /// Points per game, in 0..=1; a draw is half a point. 0 without games.
    pub score: f64,
    /// Mean rating of the opponents, each weighted by the games against it. 0 without games.
    pub opponents_mean: f64,
    /// Share of the games that were drawn, in 0..=1.
    pub draws: f64,
    /// Whether the rating was given, not estimated.
    pub anchor: bool,
}

/// A fitted (or fixed) parameter of the model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Estimate {
    /// Its value in Elo.
    pub elo: f64,
    /// Its standard error in Elo; 0 when it was fixed.
    pub std_error: f64,
}

/// What [`rate`] found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Ratings {
    /// The players, strongest first; ties in alphabetical order.
    pub players: Vec<PlayerRating>,
    /// What moving first is worth.
    pub advantage: Estimate,
    /// The draw parameter (BayesElo's eloDraw): 0 when nothing was ever drawn.
    pub draw: Estimate,
    /// Natural logarithm of the likelihood of the real games at these ratings.
    pub log_likelihood: f64,
    /// Covariances of the ratings in Elo², rows and columns in the order of `players`.
    pub covariance: Vec<Vec<f64>>,
    /// `superiority[i][j]`: the probability that player `i` is stronger than player `j` (both in the order of
    /// `players`), in the normal approximation. The diagonal is ½.
    pub superiority: Vec<Vec<f64>>,
}

impl Ratings {
    /// The line of the player called `name`.
    pub fn player(&self, name: &str) -> Option<&PlayerRating> {
        self.players.iter().find(|p| p.name == name)
    }

    /// The difference in Elo of `a` over `b` with its standard error, from the joint covariance; `None` when
    /// either is unknown.
    ///
    /// ```
    /// use afterstate_arena::rating::{RatingSettings, Results, Tally, rate};
    /// let mut results = Results::new();
    /// results.add("a", "b", Tally::new(30, 0, 10))?;
    /// results.add("b", "a", Tally::new(10, 0, 30))?;
    /// let ratings = rate(&results, &RatingSettings::default())?;
    /// let difference = ratings.difference("a", "b").unwrap();
    /// assert!(difference.elo > 150.0 && difference.std_error < 60.0);
    /// # Ok::<(), afterstate_arena::rating::RatingError>(())
    /// ```
    pub fn difference(&self, a: &str, b: &str) -> Option<Estimate> {
        let at = |name: &str| self.players.iter().position(|p| p.name == name);
        let (i, j) = (at(a)?, at(b)?);
        Some(Estimate {
            elo: self.players[i].elo - self.players[j].elo,
            std_error: fit::difference_variance(&self.covariance, i, j).sqrt(),
        })
    }
}

/// Rates all players of `results`.
///
/// # Errors
///
/// See [`RatingError`]; the commonest is [`RatingError::Disconnected`], at the beginning of a tournament.
///
/// ```
/// use afterstate_arena::rating::{RatingSettings, Results, Tally, rate};
///
/// let mut results = Results::new();
/// results.add("learner", "gnugo", Tally::new(20, 0, 30))?; // the learner moves first: 20 wins, 30 losses
/// results.add("gnugo", "learner", Tally::new(33, 0, 17))?;
/// let settings = RatingSettings::default().with_anchor("gnugo", 1800.0);
/// let ratings = rate(&results, &settings)?;
/// let learner = ratings.player("learner").unwrap();
/// assert!(learner.low < learner.elo && learner.elo < 1800.0);
/// println!("{}", ratings.to_table());
/// # Ok::<(), afterstate_arena::rating::RatingError>(())
/// ```
pub fn rate(results: &Results, settings: &RatingSettings) -> Result<Ratings, RatingError> {
    fit::rate(results, settings)
}
