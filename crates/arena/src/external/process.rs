//! A child process that talks in lines, watched so that nothing it does harms us or outlives us.
//!
//! * Its output is read by a thread of its own into a bounded channel: an engine that prints endlessly
//!   waits for us instead of filling memory, and one that prints nothing runs into the time limit.
//! * The last lines of its error output are kept: they usually say why an engine died.
//! * It leads a process group, which is killed as a whole. What left the group is found by a mark in
//!   its environment (Linux).
//! * A watchdog, a shell blocked on a pipe that only we hold open, does the same when we ourselves are
//!   killed and cannot clean up any more.
//!
//! The leader is reaped only after its group was killed. Until then its number cannot be given to
//! another process, so the group that is killed is always the right one.

use super::command::EngineCommand;
use crate::PlayerError;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The longest line that an engine may print, in bytes.
pub const MAX_LINE: usize = 64 * 1024;
/// Lines that wait for us before the engine is made to wait.
const LINES_AHEAD: usize = 64;
/// Lines of error output that are kept.
const LAST_WORDS: usize = 8;
/// Bytes kept of each of them.
const LAST_WORDS_WIDTH: usize = 200;
/// How often a wait looks at the stop flag, and at whether the engine still runs.
const CHECK: Duration = Duration::from_millis(20);
/// How long a dead engine's error output may take to reach us.
const DRAIN: Duration = Duration::from_millis(200);
/// The variable that marks an engine and all its descendants. Marks add up when an engine starts engines
/// itself, so that the outermost one finds them all.
const MARK: &str = "AFTERSTATE_ENGINE";

/// Why no line came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLine {
    /// The output is closed: the engine has ended, or might as well have.
    Closed,
    /// Longer than [`MAX_LINE`].
    TooLong,
    /// The deadline passed.
    Late,
    /// Somebody set the stop flag.
    Stopped,
}

enum Output {
    Line(String),
    TooLong,
}

/// A running engine. Dropping it kills it and everything it started.
#[derive(Debug)]
pub struct EngineProcess {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Output>,
    last_words: Arc<Mutex<VecDeque<String>>>,
    /// Disconnected when the error output is closed.
    errors_closed: Receiver<()>,
    mark: String,
    watchdog: Option<Child>,
    ended: bool,
}

impl EngineProcess {
    /// Starts the program.
    pub fn start(command: &EngineCommand) -> Result<EngineProcess, PlayerError> {
        static STARTED: AtomicU64 = AtomicU64::new(0);
        let file = command.resolve()?;
        let mark = format!(
            "{}-{}-{}",
            std::process::id(),
            STARTED.fetch_add(1, Ordering::Relaxed),
            std::time::UNIX_EPOCH.elapsed().map_or(0, |age| age.as_nanos())
        );
        let mut process = Command::new(&file);
        let inherited = std::env::var(MARK).unwrap_or_default();
        process.args(command.args()).envs(command.environment()).env(MARK, format!("{inherited}{mark};"));
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        lead_a_group(&mut process);
        let mut child = process
            .spawn()
            .map_err(|error| PlayerError::NotStarted(format!("'{}' does not run: {error}", file.display())))?;
        let watchdog = watchdog(child.id(), &mark);

        let (line_sender, lines) = sync_channel(LINES_AHEAD);
        let (closed_sender, errors_closed) = sync_channel(1);
        let last_words = Arc::new(Mutex::new(VecDeque::new()));
        let stdin = child.stdin.take();
        if let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) {
            let last_words = Arc::clone(&last_words);
            std::thread::spawn(move || forward_lines(output, &line_sender));
            std::thread::spawn(move || {
                keep_last_words(errors, &last_words);
                drop(closed_sender);
            });
        }
        Ok(EngineProcess { child, stdin, lines, last_words, errors_closed, mark, watchdog, ended: false })
    }

    /// Sends one line; `false` if the engine no longer reads.
    pub fn send(&mut self, line: &str) -> bool {
        let Some(stdin) = &mut self.stdin else { return false };
        stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdin.flush()).is_ok()
    }

    /// The next line of output, without its end.
    pub fn line(&mut self, deadline: Instant, stop: Option<&AtomicBool>) -> Result<String, NoLine> {
        let mut is_gone = false;
        loop {
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Err(NoLine::Stopped);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(CHECK)) {
                Ok(Output::Line(line)) => return Ok(line),
                Ok(Output::TooLong) => return Err(NoLine::TooLong),
                Err(RecvTimeoutError::Disconnected) => return Err(NoLine::Closed),
                Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => return Err(NoLine::Late),
                // What it has started may keep its output open. Its last lines have come in the meantime.
                Err(RecvTimeoutError::Timeout) if is_gone => return Err(NoLine::Closed),
                Err(RecvTimeoutError::Timeout) => is_gone = has_exited(self.child.id()),
            }
        }
    }

    /// Lets the engine end by itself within `grace` (after a command that asks it to), then ends it.
    pub fn finish(&mut self, grace: Duration) {
        self.stdin = None;
        let deadline = Instant::now() + grace;
        // The clock is asked each time: an engine that goes on printing would never be late with a line.
        while !self.ended && Instant::now() < deadline && self.line(deadline, None) != Err(NoLine::Closed) {}
        self.end();
    }

    /// Kills the engine with everything it started, and says how it ended: the exit status (ours, if
    /// the engine still ran) and the last lines of its error output.
    pub fn end(&mut self) -> String {
        // What ended by itself has closed its output and gets a moment to leave its own exit status behind.
        let status = if self.ended { None } else { self.kill_all() };
        let _ = self.errors_closed.recv_timeout(DRAIN);
        let words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        let words = Vec::from_iter(words.iter().map(String::as_str)).join(" | ");
        match (status, words.is_empty()) {
            (Some(status), true) => status,
            (Some(status), false) => format!("{status}; last words: {words}"),
            (None, _) => words,
        }
    }

    fn kill_all(&mut self) -> Option<String> {
        self.ended = true;
        self.stdin = None;
        // An engine that crashed closes its output a moment before its status can be read.
        if matches!(self.line(Instant::now(), None), Err(NoLine::Closed)) {
            wait_until_zombie(self.child.id(), DRAIN);
        }
        kill_group(self.child.id());
        kill_marked(&self.mark);
        if let Some(mut watchdog) = self.watchdog.take() {
            let _ = watchdog.kill();
            let _ = watchdog.wait();
        }
        let _ = self.child.kill();
        self.child.wait().ok().map(|status| status.to_string())
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        if !self.ended {
            self.kill_all();
        }
    }
}

/// Reads lines until the output ends, is malformed, or nobody listens.
fn forward_lines(output: impl Read, lines: &SyncSender<Output>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut output).take(MAX_LINE as u64 + 1).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(length) if length > MAX_LINE => {
                let _ = lines.send(Output::TooLong);
                return;
            }
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        if lines.send(Output::Line(text.trim_end_matches(['\r', '\n']).to_string())).is_err() {
            return;
        }
    }
}

fn keep_last_words(errors: impl Read, last_words: &Mutex<VecDeque<String>>) {
    let mut errors = BufReader::new(errors);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut errors).take(MAX_LINE as u64).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => line.truncate(LAST_WORDS_WIDTH),
        }
        let text: String = String::from_utf8_lossy(&line).trim().chars().filter(|c| !c.is_control()).collect();
        if text.is_empty() {
            continue;
        }
        let mut words = last_words.lock().unwrap_or_else(PoisonError::into_inner);
        if words.len() == LAST_WORDS {
            words.pop_front();
        }
        words.push_back(text);
    }
}

#[cfg(unix)]
fn lead_a_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(unix)]
fn pid(number: u32) -> Option<rustix::process::Pid> {
    i32::try_from(number).ok().and_then(rustix::process::Pid::from_raw)
}

#[cfg(unix)]
fn kill_group(leader: u32) {
    if let Some(group) = pid(leader) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

/// Whether a child has exited, without reaping it.
#[cfg(unix)]
fn has_exited(child: u32) -> bool {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    pid(child).is_none_or(|pid| !matches!(waitid(WaitId::Pid(pid), options), Ok(None)))
}

/// Waits, without reaping it, until a child has exited.
fn wait_until_zombie(child: u32, limit: Duration) {
    let deadline = Instant::now() + limit;
    while !has_exited(child) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Kills every process whose environment carries the mark, until a look finds none: a process may
/// start another one while we look.
#[cfg(target_os = "linux")]
fn kill_marked(mark: &str) {
    let (variable, mark) = (format!("{MARK}="), format!("{mark};"));
    let carries = |text: &[u8]| {
        text.starts_with(variable.as_bytes()) && text.windows(mark.len()).any(|window| window == mark.as_bytes())
    };
    for _ in 0..10 {
        let Ok(processes) = std::fs::read_dir("/proc") else { return };
        let mut found = false;
        for process in processes.flatten() {
            let Some(number) = process.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
            let Ok(environment) = std::fs::read(process.path().join("environ")) else { continue };
            if environment.split(|&byte| byte == 0).any(carries)
                && let Some(pid) = pid(number)
            {
                found |= rustix::process::kill_process(pid, rustix::process::Signal::KILL).is_ok();
            }
        }
        if !found {
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[cfg(not(target_os = "linux"))]
fn kill_marked(_mark: &str) {}

/// What the watchdog runs: wait for the pipe to close, then kill the group `$1` and everything that
/// carries the mark `$2`.
#[cfg(unix)]
const WATCHDOG: &str = r#"
read -r _
kill -s KILL -- "-$1"
for environment in /proc/[0-9]*/environ; do
    if grep -qF "$2" "$environment"; then
        process=${environment%/environ}
        kill -s KILL "${process##*/}"
    fi
done
"#;

/// Without a shell there is no watchdog; everything else still works.
#[cfg(unix)]
fn watchdog(leader: u32, mark: &str) -> Option<Child> {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", WATCHDOG, "afterstate-watchdog", &leader.to_string(), &format!("{mark};")]);
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // A group of its own, so that an interrupt from the terminal does not reach it before us.
    lead_a_group(&mut shell);
    shell.spawn().ok()
}

#[cfg(not(unix))]
fn lead_a_group(_command: &mut Command) {}
#[cfg(not(unix))]
fn kill_group(_leader: u32) {}
/// It shows in its output alone.
#[cfg(not(unix))]
fn has_exited(_child: u32) -> bool {
    false
}
#[cfg(not(unix))]
fn watchdog(_leader: u32, _mark: &str) -> Option<Child> {
    None
}
