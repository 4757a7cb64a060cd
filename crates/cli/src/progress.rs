//! Progress bars on standard error: rate and time left, for whatever takes longer than two seconds, and what else there is
//! to see meanwhile.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Shorter work shows nothing.
const DELAY: Duration = Duration::from_secs(2);

/// A bar that appears only when the work turns out to be long, and never when standard error is not a terminal.
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
    /// Whether the bar has appeared (or must not).
    settled: AtomicBool,
}

impl Progress {
    /// A bar over `total` units called `unit` (plural), of which `done` were done before. `quiet` shows nothing.
    pub fn new(total: u64, done: u64, unit: &str, quiet: bool) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let template = format!("{{msg}}{{bar:30}} {{pos}}/{{len}} {unit}  {{per_sec}}  {{eta}} left");
        bar.set_style(ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_position(done);
        bar.reset_eta();
        Progress { bar, started: Instant::now(), settled: AtomicBool::new(quiet) }
    }

    /// So many units are done now.
    pub fn set(&self, done: u64) {
        if self.started.elapsed() >= DELAY && !self.settled.swap(true, Ordering::Relaxed) {
            // indicatif draws nothing here unless standard error is a terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
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
