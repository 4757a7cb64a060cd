//! What a second thread gains.

use super::Effort;
use super::measure::{Figure, Measured, Report, processor_time};
use anyhow::Result;
use std::time::{Duration, Instant};

/// Compares searches with one thread and with two; `search(0)` makes one search of the first kind, `search(1)` of the
/// second, and returns how many simulations it made. Both alternate, so that a change in the machine's speed meets both,
/// and one search runs at a time: its own threads are what is measured.
pub fn speed_up(name: &str, mut search: impl FnMut(usize) -> u64, effort: Effort, report: Report) -> Result<()> {
    let mut timed = [const { Vec::new() }; 2];
    // The first search warms caches and tables up, and is not counted.
    (0..2).for_each(|kind| _ = search(kind));
    let begun = Instant::now();
    while begun.elapsed() < 2 * effort.time || timed[1].is_empty() {
        for (kind, timed) in timed.iter_mut().enumerate() {
            let (processor, wall) = (processor_time(), Instant::now());
            let simulations = search(kind);
            timed.push(Timed { simulations, processor: processor_time() - processor, wall: wall.elapsed() });
        }
    }
    for (threads, timed) in [1, 2].into_iter().zip(&timed) {
        let sum = |time: fn(&Timed) -> Duration| timed.iter().map(time).sum::<Duration>();
        let simulations = timed.iter().map(|search| search.simulations).sum();
        let (processor, wall) = (sum(|search| search.processor), sum(|search| search.wall));
        Measured { work: [simulations], processor, wall }.report(&format!("{name}.{threads}-thread"), 0, report)?;
    }
    let [one, two] = timed.map(|timed| median(timed.iter().map(Timed::rate).collect()));
    report(Figure { name: format!("{name}.speed-up"), value: two / one, unit: "times" })
}

/// A search and what it took.
struct Timed {
    simulations: u64,
    processor: Duration,
    wall: Duration,
}

impl Timed {
    /// Simulations per second of the clock.
    fn rate(&self) -> f64 {
        self.simulations as f64 / self.wall.as_secs_f64().max(1e-9)
    }
}

/// The one in the middle, which other programs on the machine disturb less than the mean.
fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
