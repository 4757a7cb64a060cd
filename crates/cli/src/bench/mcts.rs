//! Tree searches of the empty 9×9 board, 3000 simulations each, with one thread and with two that share a tree.

use super::Effort;
use super::measure::{Figure, Measured, Report, processor_time};
use afterstate_engine::search::{Leaf, McRave, Mcts, MctsSettings, PlayOut, Selection, Uct};
use afterstate_engine::{Budget, Search};
use afterstate_games::go::{FuegoPlayout, Go, MogoPlayout, UniformGoPlayout};
use afterstate_games::stream;
use anyhow::Result;
use std::time::{Duration, Instant};

/// Measures simulations of UCT and MC-RAVE, with uniform playouts, MoGo's and Fuego's.
pub fn run(effort: Effort, report: Report) -> Result<()> {
    one("uct.uniform", Uct::default(), PlayOut(UniformGoPlayout), effort, report)?;
    one("mc-rave.uniform", McRave::default(), PlayOut(UniformGoPlayout), effort, report)?;
    one("mc-rave.mogo", McRave::default(), PlayOut(MogoPlayout::default()), effort, report)?;
    one("mc-rave.fuego", McRave::default(), PlayOut(FuegoPlayout::default()), effort, report)
}

/// One search runs at a time: its own threads are what is measured. Searches with one thread and with two alternate, so
/// that a change in the machine's speed meets both.
fn one(name: &str, rule: impl Selection, leaf: impl Leaf<Go> + Sync, effort: Effort, report: Report) -> Result<()> {
    let mut searches = [1, 2].map(|threads| {
        let settings = MctsSettings { threads, early_stop: false, ..MctsSettings::default() };
        Mcts::new(rule.clone(), leaf.clone(), settings)
    });
    let (mut rng, start) = (stream(1, 0), Go::new(9));
    let mut timed = [const { Vec::new() }; 2];
    // The first search warms caches and tables up, and is not counted.
    for search in &mut searches {
        search.search(&start, &Budget::default(), &mut rng);
    }
    let begun = Instant::now();
    while begun.elapsed() < 2 * effort.time || timed[1].is_empty() {
        for (search, timed) in searches.iter_mut().zip(&mut timed) {
            search.clear();
            let (processor, wall) = (processor_time(), Instant::now());
            let simulations = search.search(&start, &Budget::default(), &mut rng).effort;
            timed.push(Timed { simulations, processor: processor_time() - processor, wall: wall.elapsed() });
        }
    }
    for (threads, timed) in [1, 2].into_iter().zip(&timed) {
        let sum = |time: fn(&Timed) -> Duration| timed.iter().map(time).sum::<Duration>();
        let simulations = timed.iter().map(|search| search.simulations).sum();
        let (processor, wall) = (sum(|search| search.processor), sum(|search| search.wall));
        Measured { work: [simulations], processor, wall }.report(
            &format!("go9.mcts.{name}.{threads}-thread"),
            0,
            report,
        )?;
    }
    let [one, two] = timed.map(|timed| median(timed.iter().map(Timed::rate).collect()));
    report(Figure { name: format!("go9.mcts.{name}.speed-up"), value: two / one, unit: "times" })
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
