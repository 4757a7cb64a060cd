//! `afterstate train`: learns from self-play as a recipe says, and can be killed at any moment.

use crate::any_recipe::AnyRecipe;
use crate::lesson::{Learner, Lesson, Plan};
use crate::output;
use crate::progress::Progress;
use crate::training_run::TrainingRun;
use crate::watch::{Milestone, Watch};
use afterstate_engine::value::Checkpoint;
use anyhow::Result;
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;
use std::time::Instant;

/// Learn a game from self-play.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  afterstate train papers/2012-td-search-go/quick.toml
  afterstate train papers/2012-td-search-go/connect-four.toml
  afterstate train my.toml --out runs/mine --games 1000000 --threads 2
  afterstate train my.toml --out runs/mine --resume

A recipe says what is not as usual. What it may say is explained by
  afterstate recipes            # which kinds there are
  afterstate recipes chess      # every key of one of them

Runs of AlphaZero and Go-Exploit also write metrics.jsonl, a line for each learning step, and the same as events:
  tensorboard --logdir runs")]
pub struct TrainArgs {
    /// The recipe, a TOML file.
    recipe: PathBuf,
    /// Where checkpoints and the log go [default: runs/ and the recipe's name].
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Go on from the last checkpoint in the folder, or begin if there is none.
    #[arg(long)]
    resume: bool,
    /// Instead of the recipe's number of games (or of its learning steps).
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Instead of the recipe's seed.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: Option<u64>,
    /// Instead of the recipe's number of threads.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object for each milestone instead of text.
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub fn run(args: TrainArgs) -> Result<()> {
    let recipe = AnyRecipe::load(&args.recipe)?.changed(|games, seed, threads| {
        *games = args.games.unwrap_or(*games);
        *seed = args.seed.unwrap_or(*seed);
        *threads = args.threads.unwrap_or(*threads);
    })?;
    let usual = || Path::new("runs").join(args.recipe.file_stem().unwrap_or_else(|| "run".as_ref()));
    let folder = args.out.clone().unwrap_or_else(usual);
    let report = if args.json { Report::Json } else { Report::Text };
    recipe.train(&folder, args.resume, report, crate::interrupt::flag()?)
}

/// What is said while training goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// A line for each milestone and, at the end, how to play.
    Text,
    /// A JSON object for each milestone.
    Json,
    /// Nothing.
    None,
}

/// Trains until the recipe's last game, or until `stop` is set; everything that is known by then is saved.
pub fn train<L: Lesson>(recipe: &L, folder: &Path, resume: bool, report: Report, stop: &AtomicBool) -> Result<()> {
    // Nothing is written before everything that is there has been read and found to be in order.
    let mut run = TrainingRun::open(recipe, folder, resume)?;
    let mut watch = Watch::open(recipe, folder, run.done())?;
    run.begin(recipe, |games| watch.is_missing(games))?;
    let learner = run.learner();
    for entry in watch.log() {
        learner.measured(entry)?;
    }

    let Plan { unit, evaluation, .. } = recipe.plan();
    let begun = Instant::now();
    let already = run.done();
    let progress = Progress::new(recipe.plan().games, already, unit, report != Report::Text);
    if already > 0 && report == Report::Text {
        progress.line(&format!("Going on after {already} {unit}"));
    } else if resume && already == 0 && report == Report::Text {
        progress.line(&format!("No {unit} are finished in {}: beginning with the first", folder.display()));
    }
    let milestones = recipe.milestones();
    let unmeasured: Vec<u64> = milestones.iter().copied().filter(|&milestone| watch.is_missing(milestone)).collect();
    // Whether all was measured before `stop` was set.
    let measure = |reached: &Checkpoint<L::About>| -> Result<bool> {
        let Some(entry) = watch.measure(reached, stop)? else { return Ok(false) };
        learner.measured(&entry)?;
        match report {
            Report::Text => progress.line(&describe(&entry, unit, &watch.recent_rates(&entry))),
            Report::Json => progress.line(&serde_json::to_string(&entry)?),
            Report::None => {}
        }
        Ok(true)
    };
    let reach_all = |hand_over: &mut dyn FnMut(Checkpoint<L::About>) -> Result<bool>| -> Result<bool> {
        for milestone in milestones {
            let is_missing = unmeasured.contains(&milestone);
            let reached = if milestone >= run.done() {
                run.reach(milestone, stop, &progress)?
            } else if is_missing {
                // A line was lost. Without a checkpoint, the milestones were others then.
                let Some(checkpoint) = run.saved(milestone)? else { continue };
                Some(checkpoint)
            } else {
                continue;
            };
            let Some(reached) = reached else { return Ok(false) };
            if is_missing && !hand_over(reached)? {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let finished = if evaluation.beside {
        beside(reach_all, measure)?
    } else {
        let mut measure = measure;
        reach_all(&mut |reached| measure(&reached))?
    };
    progress.finish();
    for mishap in learner.mishaps() {
        crate::output::tell!("note: {mishap}");
    }
    let mut out = output::stdout();
    if !finished {
        let done = run.done();
        let stopped = format!("after {done} {unit}; everything is saved. Go on with the same command and --resume.");
        match report {
            Report::Text => writeln!(out, "Stopped {stopped}")?,
            Report::Json => crate::output::tell!("note: stopped {stopped}"),
            Report::None => {}
        }
        return Ok(out.flush()?);
    }
    if report != Report::Text {
        return Ok(());
    }
    let shown = folder.display();
    let seconds = begun.elapsed().as_secs_f64();
    let learnt = run.done() - already;
    writeln!(out, "Learnt from {learnt} {unit} in {}; the weights are in {shown}\n", duration(seconds))?;
    if !shown.to_string().chars().all(|c| c.is_ascii_alphanumeric() || "/_-.~".contains(c)) {
        // Shells and specs of agents would each want it quoted in their way.
        return Ok(out.flush()?);
    }
    // As it was called, so that the lines can be pasted.
    let program = std::env::args().next().unwrap_or_else(|| "afterstate".to_string());
    for (purpose, arguments) in recipe.uses(&shown.to_string()) {
        writeln!(out, "{purpose:<25} {program} {arguments}")?;
    }
    Ok(out.flush()?)
}

/// Does `train` while what it hands over is dealt with on another thread by `measure`; it waits when that is still at what came before.
/// Whether both came to their end.
fn beside<T: Send>(
    train: impl FnOnce(&mut dyn FnMut(T) -> Result<bool>) -> Result<bool>,
    mut measure: impl FnMut(&T) -> Result<bool> + Send,
) -> Result<bool> {
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let measuring = scope.spawn(move || -> Result<bool> {
            for reached in receiver {
                if !measure(&reached)? {
                    return Ok(false);
                }
            }
            Ok(true)
        });
        let trained = train(&mut |reached| Ok(sender.send(reached).is_ok()));
        drop(sender);
        let measured = measuring.join().expect("no measurement panics");
        Ok(trained? & measured?)
    })
}

fn describe(entry: &Milestone, unit: &str, recent: &str) -> String {
    let rating = match &entry.elo {
        Some(elo) => format!("  Elo {:>5.0} ± {:<3.0}", elo.value, elo.margin),
        None => String::new(),
    };
    let error = if entry.error > 0.0 { format!("  error {:.4}", entry.error) } else { String::new() };
    let partners = entry.rating.map_or_else(String::new, |rating| format!("  rating among partners {rating:.0}"));
    let recent = if recent.is_empty() { String::new() } else { format!(" ({recent})") };
    format!("{:>9} {unit}{rating}  {}{recent}  moves {:.0}{error}{partners}", entry.games, entry.summary(), entry.moves)
}

/// `1 m 53 s`
pub fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, _) => format!("{seconds:.1} s"),
        (0, minutes, rest) => format!("{minutes} m {rest} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} m"),
    }
}
