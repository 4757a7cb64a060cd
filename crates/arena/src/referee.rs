//! Who says how a finished game ended, when the rules alone are not enough.

use crate::PlayerError;
use afterstate_games::go::Go;
use afterstate_games::{Game, Outcome, Record, Turn};
use serde::{Deserialize, Serialize};

/// How a game was judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Verdict {
    /// Who won.
    pub outcome: Outcome,
    /// The first player's lead in points by the referee's count, in games that have points.
    pub score: Option<f64>,
    /// The first player's lead by the rules alone (in Go: Tromp-Taylor area, every stone alive), for comparison.
    #[serde(alias = "plain_score")]
    pub plain_score: Option<f64>,
    /// Why the referee could not judge; the rules decided instead.
    pub note: Option<String>,
}

impl Verdict {
    /// Whether the referee names another winner than the plain count; `None` without both scores.
    pub fn disagrees(&self) -> Option<bool> {
        let sign = |score: f64| (score > 0.0, score < 0.0);
        Some(sign(self.score?) != sign(self.plain_score?))
    }
}

/// Judges games that ended by the rules or at the move limit.
pub trait Referee<G: Game>: Send {
    /// Makes sure that the referee can work at all, before any game is played.
    fn prepare(&mut self) -> Result<(), PlayerError> {
        Ok(())
    }

    /// Decides a game that nobody lost by fault or resignation.
    fn judge(&mut self, record: &Record<G>) -> Result<Verdict, PlayerError>;
}

/// The game's own rules. A game that reached the move limit is a draw.
#[derive(Clone, Copy, Debug, Default)]
pub struct RulesReferee;

impl<G: Game> Referee<G> for RulesReferee {
    fn judge(&mut self, record: &Record<G>) -> Result<Verdict, PlayerError> {
        let outcome = match record.turn() {
            Turn::Over(outcome) => outcome,
            Turn::Player(_) | Turn::Chance => Outcome::DRAW,
        };
        Ok(Verdict { outcome, score: None, plain_score: None, note: None })
    }
}

/// Go by area with every stone on the board alive, also at the move limit. Right for players that
/// play on until nothing is dead; wrong for those that pass early.
#[derive(Clone, Copy, Debug, Default)]
pub struct AreaReferee;

impl Referee<Go> for AreaReferee {
    fn judge(&mut self, record: &Record<Go>) -> Result<Verdict, PlayerError> {
        let score = record.position().score();
        Ok(Verdict { outcome: record.position().outcome(), score: Some(score), plain_score: Some(score), note: None })
    }
}
