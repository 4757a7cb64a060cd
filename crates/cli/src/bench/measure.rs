//! Counting work per second of processor time and per second of the clock.

use super::Effort;
use anyhow::Result;
use serde::Serialize;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// One measured number.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    /// Dotted name, from the general to the special.
    pub name: String,
    /// The number.
    pub value: f64,
    /// `/s`, `%`.
    pub unit: &'static str,
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = if self.value.abs() < 100.0 { 2 } else { 0 };
        write!(f, "{} {:.digits$} {}", self.name, self.value, self.unit)
    }
}

/// Where figures go.
pub type Report<'a> = &'a mut dyn FnMut(Figure) -> Result<()>;

/// Processor time that this process has used, all threads together. Where the system does not tell,
/// the time on the clock.
pub fn processor_time() -> Duration {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
    }
    #[cfg(not(unix))]
    {
        use std::sync::OnceLock;
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }
}

/// What threads did in how much time.
pub struct Measured<const N: usize> {
    /// Work by kind.
    pub work: [u64; N],
    /// Processor time, all threads together.
    pub processor: Duration,
    /// Time on the clock.
    pub wall: Duration,
}

impl<const N: usize> Measured<N> {
    /// Reports one kind of work as rates.
    pub fn report(&self, name: &str, kind: usize, report: Report) -> Result<()> {
        report(Figure { name: name.to_string(), value: self.rate(kind), unit: "/s" })?;
        report(Figure { name: format!("{name}.wall"), value: self.wall_rate(kind), unit: "/s" })
    }

    /// How much was done of one kind of work per second of processor time.
    pub fn rate(&self, kind: usize) -> f64 {
        self.per_second(kind, self.processor)
    }

    /// How much was done of one kind of work per second of the clock.
    pub fn wall_rate(&self, kind: usize) -> f64 {
        self.per_second(kind, self.wall)
    }

    fn per_second(&self, kind: usize, time: Duration) -> f64 {
        self.work[kind] as f64 / time.as_secs_f64().max(1e-9)
    }
}

/// Lets every thread repeat its piece of work until the time is up. `worker(thread)` makes the piece,
/// which returns how much it did of each kind; a piece should take well under the measured time.
pub fn measure<const N: usize, W: FnMut() -> [u64; N]>(
    effort: Effort,
    worker: impl Fn(u32) -> W + Sync,
) -> Measured<N> {
    let totals = [const { AtomicU64::new(0) }; N];
    let ready = std::sync::Barrier::new(effort.threads as usize + 1);
    let (mut processor, mut wall) = (Duration::ZERO, Duration::ZERO);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..effort.threads)
            .map(|thread| {
                let (totals, ready, worker) = (&totals, &ready, &worker);
                scope.spawn(move || {
                    let mut piece = worker(thread);
                    // The first piece warms caches and tables up, and is not counted.
                    piece();
                    ready.wait();
                    let begun = Instant::now();
                    let mut sums = [0; N];
                    while begun.elapsed() < effort.time {
                        for (sum, work) in sums.iter_mut().zip(piece()) {
                            *sum += work;
                        }
                    }
                    for (total, sum) in totals.iter().zip(sums) {
                        total.fetch_add(sum, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        ready.wait();
        let (processor_before, begun) = (processor_time(), Instant::now());
        for thread in threads {
            // A panic in a worker is passed on by the scope itself.
            let _ = thread.join();
        }
        (processor, wall) = (processor_time() - processor_before, begun.elapsed());
    });
    Measured { work: totals.map(AtomicU64::into_inner), processor, wall }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_but_the_first_of_each_thread_is_counted() {
        let pieces = AtomicU64::new(0);
        let effort = Effort { threads: 3, time: Duration::from_millis(5) };
        let measured = measure(effort, |_| {
            || {
                pieces.fetch_add(1, Ordering::Relaxed);
                [1, 10]
            }
        });
        let pieces = pieces.into_inner();
        assert_eq!(measured.work, [pieces - 3, 10 * (pieces - 3)]);
        assert!(pieces > 3);
    }

    #[test]
    fn figures_are_one_line_of_name_value_unit() {
        let figure = |value| Figure { name: "go9.x".into(), value, unit: "/s" }.to_string();
        assert_eq!(figure(81_234.4), "go9.x 81234 /s");
        assert_eq!(figure(8.349), "go9.x 8.35 /s");
    }
}
