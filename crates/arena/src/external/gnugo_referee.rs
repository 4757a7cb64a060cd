//! GNU Go as the judge of finished Go games.
//!
//! Programs often pass while dead stones are still on the board, and then the plain area names the
//! wrong winner. GNU Go plays such games on against itself until nothing is dead, and counts then.

use super::gtp::GtpEngine;
use crate::player::PlayerError;
use crate::referee::{Referee, Verdict};
use afterstate_games::go::Go;
use afterstate_games::{Outcome, Record, Side};
use std::cmp::Ordering;

/// A referee that asks a GTP engine for `final_score`, and notes the plain area besides.
#[derive(Debug)]
pub struct GtpReferee {
    engine: GtpEngine,
}

impl GtpReferee {
    /// How GNU Go is started as a referee.
    pub const GNUGO: &'static str = "gnugo --mode gtp --chinese-rules --score aftermath --capture-all-dead";

    /// GNU Go, started as [`GtpReferee::GNUGO`] says.
    pub fn gnugo() -> Result<GtpReferee, PlayerError> {
        Ok(GtpReferee::new(GtpEngine::new(Self::GNUGO)?))
    }

    /// Any engine that answers `final_score`.
    pub fn new(engine: GtpEngine) -> GtpReferee {
        GtpReferee { engine }
    }
}

impl Referee<Go> for GtpReferee {
    fn prepare(&mut self) -> Result<(), PlayerError> {
        self.engine.set_up(&Record::new(Go::new(9)))
    }

    /// When the engine fails, the plain area decides, and the verdict's note says so.
    fn judge(&mut self, record: &Record<Go>) -> Result<Verdict, PlayerError> {
        let plain = record.position().score();
        Ok(match self.engine.set_up(record).and_then(|()| self.engine.final_score()) {
            Ok(score) => Verdict { outcome: outcome(score), score: Some(score), plain_score: Some(plain), note: None },
            Err(error) => {
                let note = Some(format!("the referee failed ({error}); the plain area decided"));
                Verdict { outcome: outcome(plain), score: None, plain_score: Some(plain), note }
            }
        })
    }
}

fn outcome(score: f64) -> Outcome {
    match score.partial_cmp(&0.0) {
        Some(Ordering::Greater) => Outcome::win(Side::First),
        Some(Ordering::Less) => Outcome::win(Side::Second),
        _ => Outcome::DRAW,
    }
}
