//! What a rating depends on besides the games.

use super::RatingError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A parameter of the model: given, or estimated together with the ratings.
///
/// In settings files it is a number, or the word `"fitted"`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "NumberOrWord", into = "NumberOrWord")]
pub enum Parameter {
    /// This many Elo.
    Fixed(f64),
    /// Estimated from the games.
    #[default]
    Fitted,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "a number of Elo, or the word \"fitted\"")]
enum NumberOrWord {
    Number(f64),
    Word(String),
}

impl TryFrom<NumberOrWord> for Parameter {
    type Error = String;

    fn try_from(text: NumberOrWord) -> Result<Self, String> {
        match text {
            NumberOrWord::Number(elo) => Ok(Parameter::Fixed(elo)),
            NumberOrWord::Word(word) if word == "fitted" => Ok(Parameter::Fitted),
            NumberOrWord::Word(word) => Err(format!("expected a number of Elo, or \"fitted\", not \"{word}\"")),
        }
    }
}

impl From<Parameter> for NumberOrWord {
    fn from(parameter: Parameter) -> Self {
        match parameter {
            Parameter::Fixed(elo) => NumberOrWord::Number(elo),
            Parameter::Fitted => NumberOrWord::Word("fitted".into()),
        }
    }
}

/// How [`rate`](super::rate) turns games into ratings.
///
/// ```
/// use afterstate_arena::rating::{Parameter, RatingSettings};
/// let settings: RatingSettings =
///     serde_json::from_str(r#"{ "draw": 0, "advantage": "fitted", "anchors": { "gnugo-10": 1800 } }"#).unwrap();
/// assert_eq!(settings.draw, Parameter::Fixed(0.0));
/// assert_eq!(settings.prior_draws, 2.0);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct RatingSettings {
    /// The draw parameter (BayesElo's eloDraw, there 97.3), at least 0.
    pub draw: Parameter,
    /// What moving first is worth (BayesElo's eloAdvantage, there 32.8). When some pair of players never
    /// swapped sides, a fitted advantage is hard to tell from strength, and the intervals say so.
    pub advantage: Parameter,
    /// Virtual draws between two players (BayesElo's prior), at least 0. With 0 the ratings are those of
    /// maximum likelihood, which exist only when wins and losses connect everybody both ways.
    pub prior_draws: f64,
    /// Players with a known rating in Elo, such as GNU Go at level 10: 1800.
    pub anchors: BTreeMap<String, f64>,
    /// Mean rating of all players when there are no anchors.
    pub mean: f64,
}

impl Default for RatingSettings {
    fn default() -> Self {
        RatingSettings {
            draw: Parameter::Fitted,
            advantage: Parameter::Fitted,
            prior_draws: 2.0,
            anchors: BTreeMap::new(),
            mean: 0.0,
        }
    }
}

impl RatingSettings {
    /// The same settings with one more anchor.
    #[must_use]
    pub fn with_anchor(mut self, name: &str, elo: f64) -> Self {
        self.anchors.insert(name.to_string(), elo);
        self
    }

    /// Checks every range, as [`rate`](super::rate) does before it begins.
    ///
    /// # Errors
    ///
    /// The first number that is out of its range.
    pub fn check(&self) -> Result<(), RatingError> {
        let complain = |name: String, value: f64, expected| Err(RatingError::Setting { name, value, expected });
        // Beyond this the model's exponentials leave the range of a double.
        let sensible = |x: f64| x.abs() <= 20_000.0;
        if let Parameter::Fixed(x) = self.draw
            && !(x >= 0.0 && sensible(x))
        {
            return complain("draw".into(), x, "\"fitted\" or between 0 and 20000 Elo");
        }
        if let Parameter::Fixed(x) = self.advantage
            && !sensible(x)
        {
            return complain("advantage".into(), x, "\"fitted\" or between -20000 and 20000 Elo");
        }
        if !(self.prior_draws >= 0.0 && self.prior_draws <= 1e6) {
            return complain("prior_draws".into(), self.prior_draws, "between 0 and 1000000 games");
        }
        if !sensible(self.mean) {
            return complain("mean".into(), self.mean, "between -20000 and 20000 Elo");
        }
        for (name, &elo) in &self.anchors {
            if !sensible(elo) {
                return complain(format!("the anchor of '{name}'"), elo, "between -20000 and 20000 Elo");
            }
        }
        Ok(())
    }
}
