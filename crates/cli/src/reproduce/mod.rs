//! `afterstate reproduce`: the papers' tables and figures, with their figures beside ours.
//!
//! A figure goes through four steps, each of which resumes where it was stopped: the runs of all its
//! series are trained ([`runs`]), their checkpoints play the rungs of a ladder of known strength
//! ([`pool`]), the ladder itself is rated against GNU Go ([`ladder`]), and everything is written down
//! with the paper's claims ([`report`]).
//!
//! Where the points of a figure are agents instead, each of them plays a match ([`mod@matches`]); where learners are compared,
//! all their checkpoints meet in one tournament ([`learners`]); where programs of known strength are the measure, they play against
//! what was learnt ([`gauntlet`]), or against a search that is held back ([`uci_elo`]).

mod curves;
mod experiment;
mod gauntlet;
mod gnugo;
mod ladder;
mod learners;
mod matches;
mod play;
mod pool;
mod ratings;
mod report;
mod runs;
mod table1;
mod table2;
mod uci_elo;
mod verdict;
mod wdl;

use crate::agent::catalogue::did_you_mean;
use crate::output;
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use experiment::{Experiment, Scale};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
pub use uci_elo::Experiment as HeldBackExperiment;

/// Run an experiment of a paper and compare.
#[derive(Args, Debug)]
#[command(after_help = "Experiments:
  rlgo/table1   number of features and weights (seconds)
  rlgo/table2   the headline curve, and alpha-beta on its weights against GNU Go (full: over an hour)
  rlgo/fig5     learning curves by window sizes and weight sharing (full: under an hour)
  rlgo/fig6     learning curves by value function, step size, target and λ (full: about an hour)
  rlgo/fig7     TD search and UCT, its default policy, its local shapes (full: days)
  rlgo/fig8     TD search by step size and by λ (full: most of a day)
  rlgo/fig9     TD search with old values, and with nothing kept from move to move (full: hours)
  rlgo/fig10    TD search and UCT on boards from 5x5 to 15x15, by simulations (full: days)
  rlgo/fig11    the same by time (full: days)
  rlgo/fig13    Dyna-2, its two memories alone, and UCT against GNU Go (full: days)
  rlgo/fig14    Dyna-2 with alpha-beta behind it, and without, against GNU Go (full: most of a day)
  rlgo/table4   alpha-beta, TD search, Dyna-2, two-phase, UCT and MC-RAVE rated together (full: days)
  rlgo/table5   MC-RAVE that begins with nothing, rules, long-term or short-term values (full: most of a day)
  rlgo/threads  TD search with two threads against one (full: under an hour)
  mogo/ladder   UCT, MC-RAVE and heuristic MC-RAVE against GNU Go (full: most of a day)
  mogo/fig5     MC-RAVE by its equivalence parameter k, and UCT (full: hours)
  mogo/fig6     four heuristics by their equivalent experience (full: hours)
  mogo/fig7     13x13: what doubling the simulations gains (full: hours)
  mogo/table1   more simulations and more time against GNU Go (full: most of a day)
  mogo/goal     everything switched on, and networks: 3,000 and 20,000 simulations (full: hours)
  backgammon/preset   what ten minutes of training bring (full: half an hour)
  backgammon/learners TD(λ), TD-directed(λ), TDLeaf(λ) and TreeStrap after as many games (full: ten minutes)
  backgammon/plies    2 plies against 1 with the same network, weak and strong (full: under an hour)
  backgammon/gnubg    against GNU Backgammon (full: two hours, most of it training)
  backgammon/inputs   what inputs are worth against GNU Backgammon (full: hours, most of it training)
  knightcap/gains  TD-Leaf and TD-directed against partners of similar strength, and self-play (full: hours)
  knightcap/deep   what these gained, with the deeper searches by which they learnt (full: an hour)
  meep/table2   TreeStrap, RootStrap and TD-Leaf from random weights, and Figure 2's curves (full: hours)
  meep/fig2     the same
  meep/table2-tuned  the same, all learners with as many positions a move and their best step sizes (full: hours)
  meep/table3   the best self-taught weights against Stockfish at several strengths (full: hours)
  meep/uci-elo  what UCI_Elo is turned into, against Stockfish's UCI_Elo (full: hours)
  meep/parts    each part of the tournament search, with and without it (full: hours)
  meep/wdl      what a score is worth in games, for UCI_ShowWDL (full: under an hour)
  go-exploit/table1  four ways of search control against AlphaZero and MCTS-Solver, in Connect Four (full: hours)
  go-exploit/fig1    learning curves of AlphaZero and Go-Exploit in Connect Four, and their meeting (full: most of a day)
  go-exploit/fig2    the same for KataGo's modifications (full: a day)
  go-exploit/fig3    the same as fig1, whose report has unique states, too
  go-exploit/table2  the same as fig1, whose report has value losses, too
  go-exploit/fig1-go AlphaZero and GEVC in 9x9 Go (full: hours)
  go-exploit/ratings PUCT, MC-RAVE, TD search and UCT rated together on 9x9 (full: hours, most of it training)

Examples:
  afterstate reproduce rlgo/table1
  afterstate reproduce rlgo/fig5 --scale quick
  afterstate reproduce rlgo/table2 --scale full --jobs 2
  afterstate reproduce mogo/fig5 --scale full --jobs 2
  afterstate reproduce mogo/ladder --scale full --point UCT --point 'MC-RAVE, hand'

Experiments with GNU Go need the program gnugo; the quick ones of rlgo do without, up to fig11. knightcap/gains,
meep/table3 and meep/uci-elo need stockfish, backgammon/gnubg and backgammon/inputs need gnubg.

Recipes are read, and results written, in the folder papers/ of the project: run this in the project's folder, or name a paper's
with --paper. Stopped experiments go on where they were when the same command is given again.")]
pub struct ReproduceArgs {
    /// Which experiment.
    experiment: String,
    /// How much of it.
    #[arg(long, value_enum, default_value = "quick")]
    scale: Scale,
    /// The folder of the paper's recipes [default: the paper's in papers/]
    #[arg(long, value_name = "FOLDER")]
    paper: Option<PathBuf>,
    /// Where runs and game logs are kept [default: runs/ and the name before the slash]. What agents of a recipe use is trained where
    /// their names say, whatever is given here
    #[arg(long, value_name = "FOLDER")]
    runs: Option<PathBuf>,
    /// Where tables and plots go [default: results/ in the paper's folder].
    #[arg(long, value_name = "FOLDER")]
    results: Option<PathBuf>,
    /// Play only this point of an experiment that is made of matches, or this tournament of one that is made of
    /// tournaments; may be given several times. The report has everything that has been played.
    #[arg(long = "point", value_name = "NAME")]
    points: Vec<String>,
    /// Runs and games at the same time [default: one for each core].
    #[arg(long, alias = "workers", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

/// Where an experiment's files are, and how it is run.
pub struct Workplace {
    /// The part of the experiment's name before the slash.
    system: &'static str,
    paper: PathBuf,
    runs: PathBuf,
    results: PathBuf,
    scale: Scale,
    jobs: usize,
    json: bool,
    stop: &'static Arc<AtomicBool>,
}

/// The experiments, with the folders of their papers.
const EXPERIMENTS: [(&str, &str, &[&str]); 6] = [
    (
        "rlgo",
        "papers/2012-td-search-go",
        &[
            "table1", "table2", "fig5", "fig6", "fig7", "fig8", "fig9", "fig10", "fig11", "fig13", "fig14", "table4",
            "table5", "threads",
        ],
    ),
    ("mogo", "papers/2011-mcts-rave", &["ladder", "fig5", "fig6", "fig7", "table1", "goal"]),
    ("backgammon", "papers/1999-tdleaf", &["preset", "learners", "plies", "gnubg", "inputs"]),
    ("knightcap", "papers/1999-tdleaf", &["gains", "deep"]),
    ("meep", "papers/2009-treestrap", &["table2", "fig2", "table2-tuned", "table3", "uci-elo", "parts", "wdl"]),
    ("go-exploit", "papers/2023-go-exploit", &["table1", "fig1", "fig2", "fig3", "table2", "fig1-go", "ratings"]),
];

/// Runs the subcommand.
pub fn run(args: ReproduceArgs) -> Result<()> {
    let known =
        || EXPERIMENTS.iter().flat_map(|(system, _, names)| names.iter().map(move |name| format!("{system}/{name}")));
    let Some((system, name)) = args.experiment.split_once('/').filter(|_| known().any(|name| name == args.experiment))
    else {
        let known: Vec<String> = known().collect();
        let hint = did_you_mean(&args.experiment, known.iter().map(String::as_str));
        bail!("experiment '{}': expected {}{hint}", args.experiment, known.join(", "));
    };
    let (system, folder) = EXPERIMENTS
        .iter()
        .find(|(known, _, _)| *known == system)
        .map_or(("", "papers"), |(system, folder, _)| (*system, *folder));
    let paper = args.paper.unwrap_or_else(|| folder.into());
    let place = Workplace {
        system,
        results: args.results.unwrap_or_else(|| paper.join("results")).join(args.scale.name()),
        runs: args.runs.unwrap_or_else(|| ["runs", system].iter().collect()).join(args.scale.name()),
        paper,
        scale: args.scale,
        jobs: args.jobs.map_or_else(cores, |jobs| jobs as usize),
        json: args.json,
        stop: crate::interrupt::flag()?,
    };
    place.has_paper()?;
    // Hours of work should not end in a folder that takes nothing.
    crate::destinations::folder_takes_files(&place.results)
        .with_context(|| format!("--results {}", place.results.display()))?;
    let whole: fn(&Workplace, &str) -> Result<()> = match (system, name) {
        ("rlgo", "table1") => |place, _| table1::run(place),
        ("rlgo", "table2") => |place, _| ladder::make(place),
        ("rlgo", "fig5" | "fig6") => figure,
        ("go-exploit", "fig1" | "fig2" | "fig1-go") => curves::run,
        // The states and value losses of the runs of Figure 1.
        ("go-exploit", "fig3" | "table2") => |place, _| curves::run(place, "fig1"),
        ("rlgo", "table4") | ("go-exploit", "ratings") => {
            return ratings::run(&place, name, &args.points);
        }
        ("meep", "table3") => gauntlet::run,
        ("meep", "uci-elo") => uci_elo::run,
        ("meep", "wdl") => wdl::run,
        // Figure 2 shows all checkpoints of which Table 2 shows the best.
        ("meep", "table2" | "fig2") => |place, _| learners::run(place, "table2"),
        ("meep", "table2-tuned") | ("knightcap", "gains") => learners::run,
        (_, of_matches) => {
            return matches::run(&place, of_matches, &args.points);
        }
    };
    ensure!(
        args.points.is_empty(),
        "{}: --point chooses among matches and tournaments, but this experiment is one piece: leave it out",
        args.experiment
    );
    whole(&place, name)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn figure(place: &Workplace, name: &str) -> Result<()> {
    let path = place.paper.join(format!("{name}.toml"));
    let experiment = Experiment::load(&path)?;
    experiment.size(place.scale).with_context(|| path.display().to_string())?;
    let runs = runs::train_all(place, &experiment, name)?;
    place.go_on()?;
    let ladder = ladder::of(place)?;
    let ratings = pool::rate_runs(place, name, &experiment, &runs, &ladder)?;
    place.go_on()?;
    report::write(place, name, &experiment, &ratings, &ladder)
}

impl Workplace {
    /// That of a command of its own, which names its files itself.
    pub fn of_command(jobs: Option<u32>, json: bool) -> Result<Workplace> {
        Ok(Workplace {
            system: "",
            paper: PathBuf::new(),
            runs: PathBuf::new(),
            results: PathBuf::new(),
            scale: Scale::Quick,
            jobs: jobs.map_or_else(cores, |jobs| jobs as usize),
            json,
            stop: crate::interrupt::flag()?,
        })
    }

    /// An error if there is no folder of the paper.
    fn has_paper(&self) -> Result<()> {
        ensure!(
            self.paper.is_dir(),
            "{}: no such folder: run this in the project's folder, where the papers' recipes are, or name one with --paper",
            self.paper.display()
        );
        Ok(())
    }

    /// An error if somebody asked to stop.
    fn go_on(&self) -> Result<()> {
        if self.stop.load(std::sync::atomic::Ordering::Relaxed) {
            bail!("stopped; the same command goes on from here");
        }
        Ok(())
    }

    fn note(&self, text: &str) {
        if !self.json {
            // Whoever does not listen any more misses a note; games go on.
            let _ = writeln!(output::stdout(), "{text}");
        }
    }

    /// Who made a report.
    fn made_by(&self, name: &str) -> String {
        format!(
            "afterstate {}: reproduce {}/{name} --scale {}",
            crate::version::VERSION,
            self.system,
            self.scale.name()
        )
    }

    /// The settings of this scale, of those in the experiment's file.
    fn size<'a, S>(&self, scales: &'a BTreeMap<String, S>) -> Result<&'a S> {
        self.scale.of(scales)
    }

    /// Writes a report as `NAME.json` and `NAME.txt`, and shows it.
    fn publish(&self, name: &str, report: &impl Serialize, text: &str) -> Result<()> {
        self.write(&format!("{name}.json"), &(serde_json::to_string_pretty(report)? + "\n"))?;
        self.write(&format!("{name}.txt"), text)?;
        if self.json {
            return output::json(&mut output::stdout(), report);
        }
        self.show(text)
    }

    /// Shows a report that has been written.
    fn show(&self, text: &str) -> Result<()> {
        let mut out = output::stdout();
        writeln!(out, "{text}written to {}", self.results.display())?;
        Ok(out.flush()?)
    }

    fn write(&self, file: &str, text: &str) -> Result<()> {
        let path = self.results.join(file);
        afterstate_engine::value::checkpoint::write_whole(&path, text.as_bytes())
            .with_context(|| path.display().to_string())
    }
}

/// A folder name made of a series' name.
fn folder_name(series: &str) -> String {
    let name: String = series.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect();
    name.trim_end_matches('-').to_string()
}
