//! [`Engine`]: an external program within its limits, whatever protocol it speaks.

use super::command::EngineCommand;
use super::process::{EngineProcess, MAX_LINE, NoLine};
use crate::clock::Clock;
use crate::player::PlayerError;
use afterstate_engine::Budget;
use afterstate_games::Side;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How long an engine may take to end by itself after `quit`.
const GRACE: Duration = Duration::from_millis(500);

/// How long an engine may take to answer when it is told to move now.
const STOP_GRACE: Duration = Duration::from_secs(1);

/// The longest answer to a command, in bytes: chess engines print much while they think.
const MAX_RESPONSE: usize = 256 * MAX_LINE;

/// How long an engine may take before it counts as hung.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From its start to its first answer.
    pub start: Duration,
    /// For any command that does not ask for a move.
    pub command: Duration,
    /// For a move when no clock limits it. With a clock, the clock's own end counts.
    pub per_move: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { start: Duration::from_secs(30), command: Duration::from_secs(10), per_move: Duration::from_secs(300) }
    }
}

/// The program that a command line names: not running at first, and again not after it failed.
#[derive(Debug)]
pub(super) struct Engine {
    command: EngineCommand,
    pub(super) limits: Limits,
    process: Option<EngineProcess>,
}

impl Engine {
    pub(super) fn new(command_line: &str) -> Result<Engine, PlayerError> {
        Ok(Engine::of(EngineCommand::parse(command_line)?))
    }

    /// The same for a command line that was read already.
    pub(super) fn of(command: EngineCommand) -> Engine {
        Engine { command, limits: Limits::default(), process: None }
    }

    pub(super) fn is_running(&self) -> bool {
        self.process.is_some()
    }

    pub(super) fn start(&mut self) -> Result<(), PlayerError> {
        self.process = Some(EngineProcess::start(&self.command)?);
        Ok(())
    }

    /// Sends a line. When an engine no longer reads, its output still tells what happened.
    pub(super) fn send(&mut self, line: &str) {
        if let Some(process) = &mut self.process {
            process.send(line);
        }
    }

    /// The next line of what answers `asked`, which was given `limit` and so until `deadline`. An error means that the engine is
    /// gone.
    pub(super) fn line(
        &mut self,
        asked: &str,
        limit: Duration,
        deadline: Instant,
        stop: Option<&AtomicBool>,
    ) -> Result<String, PlayerError> {
        match self.line_unless_stopped(asked, limit, deadline, stop)? {
            Some(line) => Ok(line),
            None => Err(self.fail(PlayerError::Interrupted)),
        }
    }

    /// The same, but `None` as soon as `stop` is set, and then the engine is still there to be told.
    pub(super) fn line_unless_stopped(
        &mut self,
        asked: &str,
        limit: Duration,
        deadline: Instant,
        stop: Option<&AtomicBool>,
    ) -> Result<Option<String>, PlayerError> {
        match self.next(deadline, stop) {
            Ok(line) => Ok(Some(line)),
            Err(NoLine::Stopped) => Ok(None),
            Err(why) => Err(self.fail_without_line(asked, limit, why)),
        }
    }

    /// The next line of what answers `asked`, or `None` if there is none by `deadline`, and then the engine is still there.
    pub(super) fn line_if_any(&mut self, asked: &str, deadline: Instant) -> Result<Option<String>, PlayerError> {
        match self.next(deadline, None) {
            Ok(line) => Ok(Some(line)),
            Err(NoLine::Late) => Ok(None),
            Err(why) => Err(self.fail_without_line(asked, Duration::ZERO, why)),
        }
    }

    fn next(&mut self, deadline: Instant, stop: Option<&AtomicBool>) -> Result<String, NoLine> {
        self.process.as_mut().map_or(Err(NoLine::Closed), |process| process.line(deadline, stop))
    }

    /// Ends the engine for want of a line.
    pub(super) fn fail_without_line(&mut self, asked: &str, limit: Duration, why: NoLine) -> PlayerError {
        self.fail(match why {
            NoLine::Closed => PlayerError::Crashed(format!("at '{asked}'")),
            NoLine::Late => PlayerError::Hung(format!("no answer to '{asked}' within {:.3} s", limit.as_secs_f64())),
            NoLine::TooLong => {
                PlayerError::Garbage(format!("a line of the answer to '{asked}' is longer than {MAX_LINE} bytes"))
            }
            NoLine::Stopped => PlayerError::Interrupted,
        })
    }

    /// How long a move of `side` may take: to the fall of its flag, to the deadline and a little more, or as long as any.
    pub(super) fn limit_of_move(&self, clocks: Option<&[Clock; 2]>, side: Side, budget: &Budget) -> Duration {
        match (clocks.and_then(|clocks| clocks[side.index()].flag_after()), budget.deadline) {
            (Some(flag), _) => flag,
            (None, Some(deadline)) => deadline.saturating_duration_since(Instant::now()) + self.limits.command,
            (None, None) => self.limits.per_move,
        }
    }

    /// Sends a command and reads until `answer` finds what it wants in a line. Once the flag of `stop` is set the engine is told so
    /// by its word, and has to answer soon.
    pub(super) fn ask<T>(
        &mut self,
        command: &str,
        limit: Duration,
        stop: Option<(&AtomicBool, &str)>,
        mut answer: impl FnMut(&str) -> Option<T>,
    ) -> Result<T, PlayerError> {
        let (mut asked, mut limit, mut stop) = (command, limit, stop);
        let mut deadline = Instant::now() + limit;
        self.send(command);
        let mut read = 0;
        loop {
            let Some(line) = self.line_unless_stopped(asked, limit, deadline, stop.map(|(flag, _)| flag))? else {
                (asked, limit) = (stop.take().map_or("stop", |(_, word)| word), STOP_GRACE);
                deadline = Instant::now() + limit;
                self.send(asked);
                continue;
            };
            if let Some(answer) = answer(line.trim()) {
                return Ok(answer);
            }
            read += line.len() + 1;
            if read > MAX_RESPONSE {
                let text = format!("the answer to '{command}' is longer than {MAX_RESPONSE} bytes");
                return Err(self.fail(PlayerError::Garbage(text)));
            }
        }
    }

    /// Ends the engine and adds how it ended to the error.
    pub(super) fn fail(&mut self, error: PlayerError) -> PlayerError {
        let end = self.process.take().map_or_else(String::new, |mut process| process.end());
        let with_end = |text: String| if end.is_empty() { text } else { format!("{text} ({end})") };
        match error {
            PlayerError::Crashed(text) => PlayerError::Crashed(with_end(text)),
            PlayerError::Hung(text) => PlayerError::Hung(with_end(text)),
            PlayerError::Garbage(text) => PlayerError::Garbage(with_end(text)),
            PlayerError::NotStarted(text) => PlayerError::NotStarted(with_end(text)),
            PlayerError::Interrupted => PlayerError::Interrupted,
        }
    }
}

/// All protocols know `quit`.
impl Drop for Engine {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.send("quit");
            process.finish(GRACE);
        }
    }
}

/// What went wrong before the first answer is that the engine cannot be started.
pub(super) fn unusable(error: PlayerError) -> PlayerError {
    match error {
        PlayerError::Interrupted => error,
        other => PlayerError::NotStarted(other.to_string()),
    }
}

/// An engine's text, fit for one line of a log.
pub(super) fn shown(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(80).collect();
    if text.chars().count() > 80 { line + "…" } else { line }
}
