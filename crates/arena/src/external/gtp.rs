//! A Go program that speaks GTP 2, as a [`Player`].
//!
//! Whatever the program does — crash, hang, print garbage or without end — ends as a
//! [`PlayerError`] within the [`Limits`], with the program gone.

use super::engine::{Engine, Limits, shown, unusable};
use super::process::MAX_LINE;
use crate::clock::{Clock, TimeControl};
use crate::player::{Player, PlayerError};
use afterstate_engine::{Budget, Decision};
use afterstate_games::go::{Go, Move, Point};
use afterstate_games::{Outcome, Record, Side};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The longest response to a command, in bytes.
const MAX_RESPONSE: usize = 4 * MAX_LINE;
/// An external engine. It starts with its first game and serves all later ones until it fails, after
/// which the next game starts it again.
///
/// GTP has no command to seed an engine, so games against one are reproducible only if its own
/// command line makes it deterministic.
///
/// ```no_run
/// use afterstate_arena::{Player, external::GtpEngine};
/// use afterstate_games::{Record, go::Go};
/// use afterstate_engine::Budget;
///
/// let mut gnugo = GtpEngine::new("gnugo --mode gtp --level 10 --chinese-rules --positional-superko").unwrap();
/// let record = Record::new(Go::new(9));
/// gnugo.new_game(&record, 1).unwrap();
/// let decision = gnugo.choose(&record, &Budget::default()).unwrap();
/// assert!(decision.best.is_some());
/// ```
#[derive(Debug)]
pub struct GtpEngine {
    engine: Engine,
    knows_time: bool,
    /// The moves that the engine has on its board, after the start position.
    known: Vec<Move>,
    clocks: Option<[Clock; 2]>,
    told_time: bool,
}

impl GtpEngine {
    /// An engine that is started as `command_line` says (see [`EngineCommand::parse`](super::EngineCommand::parse)) when it is first needed.
    pub fn new(command_line: &str) -> Result<GtpEngine, PlayerError> {
        Ok(GtpEngine {
            engine: Engine::new(command_line)?,
            knows_time: false,
            known: Vec::new(),
            clocks: None,
            told_time: false,
        })
    }

    /// The same engine with other limits.
    pub fn with_limits(mut self, limits: Limits) -> GtpEngine {
        self.engine.limits = limits;
        self
    }

    /// Sends a command and returns the text of its answer; a failure answer (`?`) is a protocol error.
    pub fn command(&mut self, command: &str) -> Result<String, PlayerError> {
        self.ask(command, self.engine.limits.command, None)?.map_err(|refusal| {
            self.engine.fail(PlayerError::Garbage(format!("'{command}' refused: {}", shown(&refusal))))
        })
    }

    /// The score of the game so far, by the engine's own judgement: Black's lead in points.
    pub fn final_score(&mut self) -> Result<f64, PlayerError> {
        let text = self
            .ask("final_score", self.engine.limits.per_move, None)?
            .map_err(|refusal| PlayerError::Garbage(format!("'final_score' refused: {}", shown(&refusal))))?;
        parse_score(&text).ok_or_else(|| {
            PlayerError::Garbage(format!("'final_score' answered '{}': expected B+n, W+n or 0", shown(&text)))
        })
    }

    /// Makes the engine's board that of `record`.
    pub fn set_up(&mut self, record: &Record<Go>) -> Result<(), PlayerError> {
        self.start()?;
        let start = record.start();
        self.known.clear();
        self.told_time = false;
        self.command(&format!("boardsize {}", start.size()))?;
        self.command("clear_board")?;
        self.command(&format!("komi {}", start.komi().points()))?;
        for point in Point::all(start.size()) {
            if let Some(side) = start.board().color(point).side() {
                self.command(&format!("play {} {}", color(side), point.label(start.size())))?;
            }
        }
        self.follow(record)
    }

    fn start(&mut self) -> Result<(), PlayerError> {
        if self.engine.is_running() {
            return Ok(());
        }
        self.engine.start()?;
        let commands = self.ask("list_commands", self.engine.limits.start, None).map_err(unusable)?.unwrap_or_default();
        let knows = |command: &str| commands.lines().any(|line| line.trim() == command);
        self.knows_time = knows("time_settings") && knows("time_left");
        Ok(())
    }

    /// Plays the moves that the engine does not have yet.
    fn follow(&mut self, record: &Record<Go>) -> Result<(), PlayerError> {
        let moves = record.moves();
        if !moves.starts_with(&self.known) {
            return self.set_up(record);
        }
        let size = record.start().size();
        for (number, &mv) in moves.iter().enumerate().skip(self.known.len()) {
            let first = record.start().to_move();
            let side = if number % 2 == 0 { first } else { first.other() };
            self.command(&format!("play {} {}", color(side), vertex(mv, size)))?;
            self.known.push(mv);
        }
        Ok(())
    }

    /// Tells the engine what its clock says; engines that do not care are left alone.
    fn tell_time(&mut self, side: Side, stop: Option<&AtomicBool>) -> Result<(), PlayerError> {
        let Some(clocks) = self.clocks.clone().filter(|_| self.knows_time) else { return Ok(()) };
        let clock = &clocks[side.index()];
        let Some((settings, left)) = gtp_time(clock) else { return Ok(()) };
        // An engine that refuses either command plays without knowing the time.
        if !self.told_time {
            self.told_time = true;
            let _refusal = self.ask(&format!("time_settings {settings}"), self.engine.limits.command, stop)?;
        }
        let _refusal = self.ask(&format!("time_left {} {left}", color(side)), self.engine.limits.command, stop)?;
        Ok(())
    }

    /// Sends a command. The inner error is the engine's own failure answer; the outer one means that the
    /// engine is gone.
    fn ask(
        &mut self,
        command: &str,
        limit: Duration,
        stop: Option<&AtomicBool>,
    ) -> Result<Result<String, String>, PlayerError> {
        let deadline = Instant::now() + limit;
        self.engine.send(command);
        let mut answer = String::new();
        let mut read = 0;
        loop {
            let line = self.engine.line(command, limit, deadline, stop)?;
            read += line.len() + 1;
            if read > MAX_RESPONSE {
                let text = format!("the answer to '{command}' is longer than {MAX_RESPONSE} bytes");
                return Err(self.engine.fail(PlayerError::Garbage(text)));
            }
            let line: String = line.chars().filter(|&c| !c.is_control() || c == '\t').collect();
            if answer.is_empty() && line.is_empty() {
                continue;
            }
            if answer.is_empty() && !line.starts_with(['=', '?']) {
                let text = format!("'{command}' answered '{}': expected '=' or '?' first", shown(&line));
                return Err(self.engine.fail(PlayerError::Garbage(text)));
            }
            if line.is_empty() {
                let (status, rest) = answer.split_at(1);
                let text = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim().to_string();
                return Ok(if status == "=" { Ok(text) } else { Err(text) });
            }
            answer.push_str(&line);
            answer.push('\n');
        }
    }
}

impl Player<Go> for GtpEngine {
    fn new_game(&mut self, record: &Record<Go>, _seed: u64) -> Result<(), PlayerError> {
        self.clocks = None;
        self.set_up(record)
    }

    fn clocks(&mut self, clocks: &[Clock; 2]) {
        self.clocks = Some(clocks.clone());
    }

    fn choose(&mut self, record: &Record<Go>, budget: &Budget) -> Result<Decision<Move>, PlayerError> {
        let asked = Instant::now();
        let side = record.position().to_move();
        let stop = budget.stop.as_deref();
        let limit = self.engine.limit_of_move(self.clocks.as_ref(), side, budget);
        self.follow(record)?;
        self.tell_time(side, stop)?;
        let command = format!("genmove {}", color(side));
        let answer = self.ask(&command, limit.saturating_sub(asked.elapsed()), stop)?.map_err(|refusal| {
            self.engine.fail(PlayerError::Garbage(format!("'{command}' refused: {}", shown(&refusal))))
        })?;
        if answer.eq_ignore_ascii_case("resign") {
            return Ok(Decision::resign());
        }
        let Some(mv) = parse_vertex(&answer, record.position().size()) else {
            let text = format!("'{command}' answered '{}': expected a point, pass or resign", shown(&answer));
            return Err(self.engine.fail(PlayerError::Garbage(text)));
        };
        self.known.push(mv);
        Ok(Decision::play(mv))
    }

    fn move_played(&mut self, record: &Record<Go>) -> Result<(), PlayerError> {
        self.follow(record)
    }

    fn game_over(&mut self, _record: &Record<Go>, _outcome: Outcome) {
        self.clocks = None;
    }
}

fn color(side: Side) -> &'static str {
    match side {
        Side::First => "b",
        Side::Second => "w",
    }
}

fn vertex(mv: Move, size: usize) -> String {
    mv.point().map_or_else(|| "pass".to_string(), |point| point.label(size))
}

fn parse_vertex(text: &str, size: usize) -> Option<Move> {
    if text.eq_ignore_ascii_case("pass") {
        return Some(Move::PASS);
    }
    let letter = text.chars().next()?.to_ascii_uppercase();
    let column = "ABCDEFGHJKLMNOPQRST".find(letter)?;
    let row = text.get(1..).filter(|row| row.len() <= 2 && row.bytes().all(|b| b.is_ascii_digit()))?;
    let row: usize = row.parse().ok()?;
    (column < size && (1..=size).contains(&row)).then(|| Move::play(Point::at(column, row - 1, size)))
}

fn parse_score(text: &str) -> Option<f64> {
    let text = text.split_whitespace().next()?;
    let (sign, points) = match text.as_bytes() {
        b"0" => return Some(0.0),
        [b'B' | b'b', b'+', ..] => (1.0, &text[2..]),
        [b'W' | b'w', b'+', ..] => (-1.0, &text[2..]),
        _ => return None,
    };
    points.parse::<f64>().ok().filter(|points| points.is_finite() && *points >= 0.0).map(|points| sign * points)
}

/// A clock in the words of GTP: the arguments of `time_settings`, and those of `time_left` after the colour.
/// Japanese periods are told as Canadian ones of a single stone, and Fischer's increments, which GTP does
/// not know, appear in `time_left` alone.
fn gtp_time(clock: &Clock) -> Option<(String, String)> {
    let seconds = |time: Duration| time.as_secs();
    let main = |time: Duration| format!("{} 0", seconds(time));
    // GTP counts whole seconds, and none at all would read as no clock.
    let at_least_one = |time: Duration| seconds(time).max(1);
    Some(match clock.control() {
        TimeControl::None | TimeControl::Simulations(_) => return None,
        TimeControl::PerMove(time) => {
            let time = at_least_one(time);
            (format!("0 {time} 1"), format!("{time} 1"))
        }
        TimeControl::SuddenDeath(time) | TimeControl::Fischer { main: time, .. } => {
            (format!("{} 0 0", at_least_one(time)), main(clock.main_left()))
        }
        TimeControl::Japanese { main: time, period, .. } => (
            format!("{} {} 1", seconds(time), at_least_one(period)),
            if clock.main_left().is_zero() { format!("{} 1", at_least_one(period)) } else { main(clock.main_left()) },
        ),
        TimeControl::Canadian { main: time, stones, period } => (
            format!("{} {} {stones}", seconds(time), at_least_one(period)),
            if clock.main_left().is_zero() {
                format!("{} {}", seconds(clock.period_left()), clock.count_left())
            } else {
                main(clock.main_left())
            },
        ),
    })
}
