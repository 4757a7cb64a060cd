//! `afterstate train`: learns from self-play as a recipe says, and can be killed at any moment.

use crate::progress::Progress;
use crate::recipe::Recipe;
use crate::watch::{Milestone, Watch};
use afterstate_engine::learning::{Training, TrainingTotals};
use afterstate_engine::value::checkpoint::write_whole;
use afterstate_engine::value::shape_agent::{CHECKPOINTS, checkpoint_name, checkpoints_in};
use afterstate_engine::value::{Checkpoint, Features, LocalShapes, ShapeAgent, TrackedGo, Weights};
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Learn a game from self-play.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  afterstate train papers/2012-td-search-go/quick.toml
  afterstate train my.toml --out runs/mine --games 1000000 --threads 2
  afterstate train my.toml --out runs/mine --resume")]
pub struct TrainArgs {
    /// The recipe, a TOML file.
    recipe: PathBuf,
    /// Where checkpoints and the log go [default: runs/ and the recipe's name].
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Go on from the last checkpoint in the folder.
    #[arg(long)]
    resume: bool,
    /// Instead of the recipe's number of games.
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Instead of the recipe's seed.
    #[arg(long, value_name = "N")]
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
    let mut recipe = Recipe::load(&args.recipe)?;
    recipe.games = args.games.unwrap_or(recipe.games);
    recipe.seed = args.seed.unwrap_or(recipe.seed);
    recipe.threads = args.threads.unwrap_or(recipe.threads);
    let recipe = Recipe::parse(&toml::to_string(&recipe)?)?;
    let folder =
        args.out.unwrap_or_else(|| Path::new("runs").join(args.recipe.file_stem().unwrap_or_else(|| "run".as_ref())));
    let stop = crate::interrupt::flag()?;
    let report = if args.json { Report::Json } else { Report::Text };
    train(&recipe, &folder, args.resume, report, stop)
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

/// The error of a run whose weights grew beyond all bounds.
#[derive(Debug)]
pub struct Diverged {
    games: u64,
}

impl std::fmt::Display for Diverged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the weights grew beyond all bounds after {} games: try a smaller td.step-size", self.games)
    }
}

impl std::error::Error for Diverged {}

/// Trains until the recipe's last game, or until `stop` is set; everything that is known by then is saved.
pub fn train(recipe: &Recipe, folder: &Path, resume: bool, report: Report, stop: &AtomicBool) -> Result<()> {
    let mut run = Run::open(recipe, folder, resume)?;
    let milestones = recipe.milestones();
    let begun = Instant::now();
    let already = run.done;
    let progress = Progress::new(recipe.games, already, "games", report != Report::Text);
    let mut watch = Watch::open(recipe, folder, run.done)?;
    for &milestone in milestones.iter().filter(|&&games| games >= already) {
        let totals = run.train_to(milestone, stop, &progress)?;
        if run.done < milestone {
            break;
        }
        if watch.is_missing(milestone) {
            let entry = watch.measure(&run.checkpoint(), totals, stop)?;
            match report {
                Report::Text => progress.line(&describe(&entry, totals)),
                Report::Json => progress.line(&serde_json::to_string(&entry)?),
                Report::None => {}
            }
        }
    }
    progress.finish();
    if report != Report::Text {
        return Ok(());
    }
    let shown = folder.display();
    if run.done < recipe.games {
        println!("Stopped after {} games; everything is saved. Go on with the same command and --resume.", run.done);
        return Ok(());
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!("Learnt from {} games in {}; the weights are in {shown}", run.done - already, duration(seconds));
    println!();
    // As it was called, so that the lines can be pasted.
    let program = std::env::args().next().unwrap_or_else(|| "afterstate".to_string());
    let size = recipe.board_size;
    println!("Play against it here      {program} play --size {size} --agent alpha-beta:{shown},depth=3");
    println!("Use it in a Go program    {program} gtp --size {size} --agent alpha-beta:{shown},depth=3");
    println!("Measure it                {program} match --size {size} greedy:{shown} random --games 200");
    Ok(())
}

fn describe(entry: &Milestone, totals: TrainingTotals) -> String {
    let mean = |sum: f64| sum / totals.games.max(1) as f64;
    let rating = match &entry.elo {
        Some(elo) => format!("  Elo {:>5.0} ± {:<3.0}", elo.value, elo.margin),
        None => String::new(),
    };
    format!(
        "{:>9} games{rating}  {}  moves {:.0}  error {:.4}",
        entry.games,
        entry.summary(),
        mean(totals.moves as f64),
        mean(totals.squared_error)
    )
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

/// A folder in which a recipe is carried out.
struct Run {
    folder: PathBuf,
    training: Training<TrackedGo, LocalShapes>,
    /// The description of a checkpoint, all but its number of games.
    about: ShapeAgent,
    /// Games behind the current weights.
    done: u64,
    /// A checkpoint that only guards against a crash; the next one replaces it.
    provisional: Option<PathBuf>,
    every: Option<Duration>,
    milestones: Vec<u64>,
}

impl Run {
    fn open(recipe: &Recipe, folder: &Path, resume: bool) -> Result<Run> {
        let saved_recipe = folder.join("recipe.toml");
        let checkpoints = folder.join(CHECKPOINTS);
        let found = if checkpoints.is_dir() {
            checkpoints_in(folder).with_context(|| checkpoints.display().to_string())?
        } else {
            Vec::new()
        };
        if !resume && (!found.is_empty() || saved_recipe.exists()) {
            bail!(
                "{} holds a run already: add --resume to go on with it, or --out for another folder",
                folder.display()
            );
        }
        if resume && saved_recipe.exists() {
            let before = Recipe::load(&saved_recipe)?;
            ensure!(
                before.learns_like(recipe),
                "{} was trained with other settings than this recipe; compare it with {}, or choose another --out",
                folder.display(),
                saved_recipe.display()
            );
        }
        write_whole(&saved_recipe, settings_text(recipe)?.as_bytes())
            .with_context(|| saved_recipe.display().to_string())?;
        remove_unfinished(&checkpoints)?;

        let shapes = Arc::new(recipe.shapes());
        let (weights, done) = match found.last() {
            None => (Weights::zeros(Features::<TrackedGo>::count(&*shapes)), 0),
            Some((games, path)) => {
                let checkpoint = ShapeAgent::read(path)
                    .with_context(|| "cannot resume (remove this file to go on from the one before it)")?;
                ensure!(checkpoint.about.games == *games, "{}: holds {} games", path.display(), checkpoint.about.games);
                (Weights::from_values(&checkpoint.weights), *games)
            }
        };
        let milestones = recipe.milestones();
        let about = ShapeAgent {
            board_size: recipe.board_size,
            komi: recipe.komi,
            sizes: recipe.features.sizes,
            sharing: recipe.features.sharing,
            squash: recipe.td.squash,
            games: done,
            origin: format!("afterstate {}\n{}", env!("CARGO_PKG_VERSION"), toml::to_string(recipe)?),
        };
        Ok(Run {
            folder: folder.to_path_buf(),
            training: Training {
                start: shapes.track(recipe.start()),
                features: shapes,
                weights: Arc::new(weights),
                td: recipe.td.clone(),
                self_play: recipe.self_play.clone(),
                seed: recipe.seed,
                threads: recipe.threads,
            },
            about,
            provisional: found.last().filter(|(games, _)| !milestones.contains(games)).map(|(_, path)| path.clone()),
            done,
            every: (recipe.checkpoints.every_seconds > 0)
                .then(|| Duration::from_secs(recipe.checkpoints.every_seconds)),
            milestones,
        })
    }

    fn checkpoint(&self) -> Checkpoint<ShapeAgent> {
        Checkpoint {
            about: ShapeAgent { games: self.done, ..self.about.clone() },
            weights: self.training.weights.values(),
        }
    }

    /// Trains up to a milestone and saves there, and now and then before it. Stops early when `stop` is set.
    fn train_to(&mut self, milestone: u64, stop: &AtomicBool, progress: &Progress) -> Result<TrainingTotals> {
        let mut totals = TrainingTotals::default();
        while self.done < milestone && !stop.load(Ordering::Relaxed) {
            // A pause ends this stretch of games, so that a provisional checkpoint holds whole games only.
            let pause = AtomicBool::new(false);
            let begun = Instant::now();
            let before = self.done;
            let stretch = self.training.run(self.done..milestone, &pause, &|so_far| {
                progress.set(before + so_far.games);
                if stop.load(Ordering::Relaxed) || self.every.is_some_and(|every| begun.elapsed() >= every) {
                    pause.store(true, Ordering::Relaxed);
                }
            });
            self.done += stretch.games;
            totals.add(&stretch);
            self.save()?;
        }
        Ok(totals)
    }

    fn save(&mut self) -> Result<()> {
        let path = self.folder.join(CHECKPOINTS).join(checkpoint_name(self.done));
        let checkpoint = self.checkpoint();
        if !checkpoint.weights.iter().all(|weight| weight.is_finite()) {
            return Err(Diverged { games: self.done }.into());
        }
        checkpoint.save(&path)?;
        if let Some(old) = self.provisional.take().filter(|old| *old != path) {
            let _ = std::fs::remove_file(old);
        }
        self.provisional = (!self.milestones.contains(&self.done)).then_some(path);
        Ok(())
    }
}

fn settings_text(recipe: &Recipe) -> Result<String> {
    Ok(format!(
        "# The effective settings of this run (afterstate {}).\n{}",
        env!("CARGO_PKG_VERSION"),
        toml::to_string(recipe)?
    ))
}

/// What a killed run was just writing.
fn remove_unfinished(folder: &Path) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry.with_context(|| folder.display().to_string())?.path();
        if path.extension().is_some_and(|extension| extension == "tmp") {
            let _ = std::fs::remove_file(path);
        }
    }
    Ok(())
}
