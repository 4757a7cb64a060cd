//! Progress bars on standard error: rate and time left, for whatever takes longer than two seconds.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// Shorter work shows nothing.
const DELAY: Duration = Duration::from_secs(2);

/// A bar that appears only when the work turns out to be long, and never when standard error is not a terminal.
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
    shown: bool,
}

impl Progress {
    /// A bar over `total` units called `unit` (plural), of which `done` were done before.
    pub fn new(total: u64, done: u64, unit: &str) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let template = format!("{{bar:30}} {{pos}}/{{len}} {unit}  {{per_sec}}  {{eta}} left  {{msg}}");
        bar.set_style(ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_position(done);
        bar.reset_eta();
        Progress { bar, started: Instant::now(), shown: false }
    }

    /// So many units are done now.
    pub fn at(&mut self, done: u64) {
        if !self.shown && self.started.elapsed() >= DELAY {
            self.shown = true;
            // indicatif draws nothing here unless standard error is a terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(done);
    }

    /// A few words behind the figures.
    pub fn say(&mut self, message: impl Into<String>) {
        self.bar.set_message(message.into());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
