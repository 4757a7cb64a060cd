//! Progress bars on standard error: rate and time left, for whatever takes longer than two seconds, and what else there is
//! to see meanwhile.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Shorter work shows nothing.
const DELAY: Duration = Duration::from_secs(2);

/// How often the bar is drawn where nothing changes but the time.
const TICK: Duration = Duration::from_millis(500);

/// A bar that appears only when the work turns out to be long, and never when standard error is not a terminal.
pub struct Progress {
    bar: ProgressBar,
    /// Whether the bar has appeared (or must not).
    settled: Arc<AtomicBool>,
    /// Sends away who waits for the moment at which it appears.
    _waits: Option<Sender<()>>,
}

impl Progress {
    /// A bar over `total` units called `unit` (plural), of which `done` were done before. `quiet` shows nothing.
    pub fn new(total: u64, done: u64, unit: &str, quiet: bool) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let template = format!("{{msg}}{{bar:30}} {{pos}}/{{len}} {unit}  {{per_sec}}  {{eta}} left");
        Progress::appearing(bar, &template, done, quiet)
    }

    /// For work of which nobody knows how much there is: what is done, and for how long already.
    pub fn spinner(what: &str, quiet: bool) -> Progress {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Progress::appearing(bar, &format!("{{spinner}} {what}  {{elapsed}}"), 0, quiet)
    }

    fn appearing(bar: ProgressBar, template: &str, done: u64, quiet: bool) -> Progress {
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_position(done);
        bar.reset_eta();
        let settled = Arc::new(AtomicBool::new(quiet));
        let waits = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let (sender, ended) = channel();
            let (bar, settled) = (bar.clone(), settled.clone());
            let appear = move || {
                if ended.recv_timeout(DELAY) == Err(RecvTimeoutError::Timeout) {
                    settled.store(true, Ordering::Relaxed);
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    // Also where nothing is done for a while.
                    bar.enable_steady_tick(TICK);
                }
            };
            // Who cannot have another thread does without a bar.
            let _ = std::thread::Builder::new().spawn(appear);
            sender
        });
        Progress { bar, settled, _waits: waits }
    }

    /// So many units are done now.
    pub fn set(&self, done: u64) {
        self.bar.set_position(done);
    }

    /// Shows whole lines above the bar, in place of those before. They are only made if somebody sees them.
    pub fn status(&self, lines: impl FnOnce() -> String) {
        if self.settled.load(Ordering::Relaxed) && !self.bar.is_hidden() {
            self.bar.set_message(lines());
        }
    }

    /// Prints a line of the report on standard output, above the bar.
    pub fn line(&self, text: &str) {
        self.bar.suspend(|| {
            let mut out = std::io::stdout().lock();
            // Whoever closed the output does not want the lines; the work goes on.
            let _ = writeln!(out, "{text}").and_then(|()| out.flush());
        });
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}
