//! How games between two agents are played, as `match` and `tune` are told.

use crate::agent::{Agent, AgentSpec};
use crate::contest::OpeningFile;
use crate::registry::GameSpec;
use afterstate_arena::adjudication::{Adjudication, DrawRule, WinRule};
use afterstate_arena::pairing::Format;
use afterstate_arena::tournament::TournamentSettings;
use afterstate_arena::{Clock, TimeControl};
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Moves of a book or game that are played if nobody says how many.
pub const BOOK_PLIES: u32 = 16;

/// What the help of such commands says of them.
pub const HELP: &str = "Time controls: none, 10s/move, 1000sims/move, 5m (sudden death), 5m+2s (Fischer), 5m+3x30s (Japanese),\n\
    5m+10/60s (Canadian).\n\
    Openings of chess: positions (.epd), the beginnings of games (.pgn) or a Polyglot book (.bin), drawn at random by\n\
    --seed; both sides play each opening once.\n\
    --draw: after=40 moves of each side, if both saw at most score=10 centipawns for moves=8. --win: if both saw at\n\
    least score=600 for the same side for moves=4. These are the defaults; as in --draw=after=30,score=5.";

/// How games are played.
#[derive(clap::Args)]
pub struct ConditionArgs {
    /// Random moves at the beginning of a game, after the opening of a suite if there is one [default: 2, with a suite or dice 0]
    #[arg(long, value_name = "MOVES")]
    opening: Option<u32>,
    /// Chess: begin games with openings of this suite (.epd, .pgn or .bin)
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Moves of both sides that are played of an opening from a PGN file or book
    #[arg(long, value_name = "MOVES", default_value_t = BOOK_PLIES, requires = "openings")]
    book_plies: u32,
    /// Call a game a draw when both sides see nothing in it any more
    #[arg(long, value_name = "KEY=VALUE,…", num_args = 0..=1, default_missing_value = "", require_equals = true)]
    draw: Option<DrawRule>,
    /// Call a game won when both sides see the same one winning
    #[arg(long, value_name = "KEY=VALUE,…", num_args = 0..=1, default_missing_value = "", require_equals = true)]
    win: Option<WinRule>,
    /// Each side's time
    #[arg(long, default_value = "none", value_name = "CONTROL")]
    time: TimeControl,
    /// Games are stopped and judged after so many moves [default: the game's]
    #[arg(long, value_name = "MOVES")]
    move_limit: Option<usize>,
    /// Who judges finished games. Go: area (every stone counts as alive) or gnugo [default: the game's first]
    #[arg(long)]
    referee: Option<String>,
    /// Decides openings and the agents' random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at once
    #[arg(long, alias = "jobs", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    workers: u32,
}

impl ConditionArgs {
    /// A match of so many games under these conditions. An empty `referee` and a `move_limit` of 0 stand for the game's own.
    pub fn settings(&self, game: GameSpec, games: u32) -> Result<TournamentSettings> {
        ensure!(self.move_limit != Some(0), "--move-limit 0: expected at least 1");
        Ok(TournamentSettings {
            format: Format::Match,
            games,
            opening_moves: self.opening.unwrap_or(if self.openings.is_some() { 0 } else { game.opening_moves() }),
            seed: self.seed,
            time: self.time,
            move_limit: self.move_limit.unwrap_or(0),
            adjudication: Adjudication { draw: self.draw, win: self.win },
            referee: self.referee.clone().unwrap_or_default(),
            ..TournamentSettings::default()
        })
    }

    /// The file of openings.
    pub fn opening_file(&self) -> Option<&Path> {
        self.openings.as_deref()
    }

    /// The same, and how much of it is played.
    pub fn openings(&self) -> Option<OpeningFile> {
        self.openings.clone().map(|path| OpeningFile { path, plies: self.book_plies })
    }

    /// Games at once.
    pub fn workers(&self) -> usize {
        self.workers as usize
    }
}

/// Whether a program can be told so little time, or such a limit, at all.
///
/// # Errors
///
/// What its protocol does not have, where it could only lose by it.
pub fn check_time(spec: &AgentSpec, time: TimeControl) -> Result<()> {
    let Agent::Xboard(_) = spec.agent else { return Ok(()) };
    let name = &spec.name;
    ensure!(
        !matches!(time, TimeControl::Simulations(_)),
        "time {time}: XBoard's protocol cannot tell '{name}' to count simulations; expected a clock, or none and search= in its spec"
    );
    let share = match time {
        TimeControl::PerMove(_) | TimeControl::Japanese { .. } | TimeControl::Canadian { .. } => {
            Clock::new(time, Duration::ZERO).share()
        }
        _ => None,
    };
    ensure!(
        share.is_none_or(|share| share >= Duration::from_secs(1)),
        "time {time}: '{name}' has less than a second for a move, the least that XBoard's protocol can tell it; expected more, or a \
         clock for the whole game"
    );
    Ok(())
}

/// What an external program makes of a limit that its protocol does not have.
pub fn what_time_is_told(spec: &AgentSpec, time: TimeControl) -> Option<String> {
    let (name, is_gtp) = (&spec.name, matches!(spec.agent, Agent::Gtp { .. }));
    match time {
        TimeControl::Simulations(_) if is_gtp || matches!(spec.agent, Agent::Gnubg { .. }) => {
            Some(format!("'{name}' cannot be told to simulate so much: it plays as it usually does"))
        }
        TimeControl::PerMove(time) if is_gtp && time < Duration::from_secs(1) => {
            Some(format!("'{name}' is told a second a move, the least that its protocol knows, and may lose on time"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_xboard_are_not_asked_for_what_they_cannot_be_told() {
        let spec = AgentSpec::parse("xboard:fairymax").unwrap();
        let refused = |time: &str| check_time(&spec, time.parse().unwrap()).map_err(|error| error.to_string()).err();
        for time in ["none", "10s", "1s+100ms", "1s/move", "2s+3x2s", "10s+10/15s"] {
            assert_eq!(refused(time), None, "{time}");
        }
        for time in ["500ms/move", "0s+3x1s", "2s+10/2s"] {
            assert!(refused(time).unwrap().contains("less than a second for a move"), "{time}");
        }
        let why = refused(&TimeControl::Simulations(100).to_string()).unwrap();
        assert!(why.contains("count simulations"), "{why}");
        assert!(check_time(&AgentSpec::parse("uci:engine").unwrap(), "2s+10/2s".parse().unwrap()).is_ok());
    }
}
