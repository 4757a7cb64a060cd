//! The folder of a training run: opened, checked, trained in, and always left so that it can be gone on with.
//!
//! Checkpoints at milestones stay. One that only guards against a crash is provisional, and goes when the next
//! one is safely there. Both say what the games since the last milestone add up to, so that a run that was
//! killed and resumed ends with the same files as one that was not (with one thread, to the bit).

use crate::folder_lock::FolderLock;
use crate::progress::Progress;
use crate::recipe::Recipe;
use afterstate_engine::learning::{Chooser, Dyna2Player, Dyna2Settings, Training, TrainingTotals};
use afterstate_engine::search::PlayOut;
use afterstate_engine::value::checkpoint::write_whole;
use afterstate_engine::value::shape_agent::{CHECKPOINTS, EXTENSION, checkpoint_name, checkpoints_in};
use afterstate_engine::value::{Checkpoint, Features, LocalShapes, ShapeAgent, TrackedGo, Weights};
use afterstate_games::go::FuegoPlayout;
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The effective settings of a run, in its folder.
pub const RECIPE: &str = "recipe.toml";

/// The log of a run, in its folder.
pub const LOG: &str = "log.jsonl";

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

/// A folder in which a recipe is carried out.
pub struct TrainingRun {
    folder: PathBuf,
    training: Training<TrackedGo, LocalShapes>,
    /// How Dyna-2 chooses the moves, if it does.
    dyna_2: Option<Dyna2Settings>,
    /// The description of a checkpoint, all but its games.
    about: ShapeAgent,
    /// Games behind the current weights.
    done: u64,
    /// What the games since the last milestone add up to.
    since_milestone: TrainingTotals,
    /// A checkpoint that only guards against a crash; the next one replaces it.
    provisional: Option<PathBuf>,
    every: Option<Duration>,
    milestones: Vec<u64>,
    /// Checkpoints that were there when the run was opened, by ascending number of games.
    found: Vec<(u64, PathBuf)>,
    /// From the beginning of the work on.
    lock: Option<FolderLock>,
}

impl TrainingRun {
    /// Reads what the folder holds, and writes nothing. Without `resume` it must not hold a run.
    pub fn open(recipe: &Recipe, folder: &Path, resume: bool) -> Result<TrainingRun> {
        let saved_recipe = folder.join(RECIPE);
        let checkpoints = folder.join(CHECKPOINTS);
        for path in [folder, &checkpoints] {
            ensure!(!path.exists() || path.is_dir(), "{} is not a folder: choose another --out", path.display());
        }
        let found = if checkpoints.exists() {
            checkpoints_in(folder).with_context(|| checkpoints.display().to_string())?
        } else {
            Vec::new()
        };
        if !resume && (!found.is_empty() || saved_recipe.exists() || folder.join(LOG).exists()) {
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
        let shapes = Arc::new(recipe.shapes());
        let mut about = ShapeAgent {
            board_size: recipe.board_size,
            komi: recipe.komi,
            sizes: recipe.features.sizes,
            sharing: recipe.features.sharing,
            squash: recipe.td.squash,
            games: 0,
            since_milestone: TrainingTotals::default(),
            origin: format!("afterstate {}\n{}", env!("CARGO_PKG_VERSION"), toml::to_string(recipe)?),
        };
        let mut weights = Weights::zeros(Features::<TrackedGo>::count(&*shapes));
        if let Some((games, path)) = found.last() {
            let checkpoint = read_to_resume(&about, *games, path)
                .context("cannot resume (remove this file to go on from the one before it)")?;
            weights = Weights::from_values(&checkpoint.weights);
            about.games = checkpoint.about.games;
            about.since_milestone = checkpoint.about.since_milestone;
        }
        Ok(TrainingRun {
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
            dyna_2: recipe.dyna_2.clone(),
            done: about.games,
            since_milestone: about.since_milestone,
            about,
            provisional: None,
            every: (recipe.checkpoints.every_seconds > 0.0)
                .then(|| Duration::from_secs_f64(recipe.checkpoints.every_seconds)),
            milestones: recipe.milestones(),
            found,
            lock: None,
        })
    }

    /// Writes the settings, and clears away what a killed run left half done. `unlogged` tells whether the log lacks
    /// a line about the weights after so many games.
    pub fn begin(&mut self, recipe: &Recipe, unlogged: impl Fn(u64) -> bool) -> Result<()> {
        self.lock = Some(FolderLock::take(&self.folder)?);
        let path = self.folder.join(RECIPE);
        write_whole(&path, settings_text(recipe)?.as_bytes()).with_context(|| path.display().to_string())?;
        remove_unfinished(&self.folder, &[RECIPE, LOG]);
        remove_unfinished(&self.folder.join(CHECKPOINTS), &[EXTENSION]);

        // What no game has changed yet was not made by training, and stays.
        let milestones = &self.milestones;
        let is_provisional = |games: u64| games > 0 && !milestones.contains(&games) && unlogged(games);
        let mut provisional = self.found.iter().rev().map(|(games, path)| is_provisional(*games).then_some(path));
        self.provisional = provisional.next().flatten().cloned();
        // The run was killed when a new checkpoint was there already, and the one that it replaces still was.
        if let Some(replaced) = provisional.next().flatten() {
            let _ = std::fs::remove_file(replaced);
        }
        if !unlogged(self.done) {
            self.since_milestone = TrainingTotals::default();
        }
        Ok(())
    }

    /// Games behind the current weights.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Trains up to a milestone and saves there, and now and then before it. The weights there, or nothing if
    /// `stop` was set before.
    pub fn reach(
        &mut self,
        milestone: u64,
        stop: &AtomicBool,
        progress: &Progress,
    ) -> Result<Option<Checkpoint<ShapeAgent>>> {
        while self.done < milestone && !stop.load(Ordering::Relaxed) {
            // A pause ends this stretch of games, so that a provisional checkpoint holds whole games only.
            let pause = AtomicBool::new(false);
            let begun = Instant::now();
            let before = self.done;
            let training = &self.training;
            let chooser = self.dyna_2.as_ref().map(|settings| {
                move || -> Box<dyn Chooser<TrackedGo>> {
                    let leaf = PlayOut(FuegoPlayout::default());
                    Box::new(Dyna2Player::new(training.features.clone(), training.td.squash, leaf, settings))
                }
            });
            let chooser = chooser.as_ref().map(|chooser| chooser as &(dyn Fn() -> _ + Sync));
            let stretch = training.run_by(chooser, self.done..milestone, &pause, &|so_far| {
                progress.set(before + so_far.games);
                if stop.load(Ordering::Relaxed) || self.every.is_some_and(|every| begun.elapsed() >= every) {
                    pause.store(true, Ordering::Relaxed);
                }
            });
            self.done += stretch.games;
            self.since_milestone.add(&stretch);
            self.save()?;
        }
        if self.done != milestone {
            return Ok(None);
        }
        let checkpoint = self.checkpoint();
        self.since_milestone = TrainingTotals::default();
        Ok(Some(checkpoint))
    }

    /// The checkpoint after so many games, if the run had one when it was opened.
    pub fn saved(&self, games: u64) -> Result<Option<Checkpoint<ShapeAgent>>> {
        let Some((_, path)) = self.found.iter().find(|(found, _)| *found == games) else { return Ok(None) };
        Ok(Some(ShapeAgent::read(path)?))
    }

    fn checkpoint(&self) -> Checkpoint<ShapeAgent> {
        let (games, since_milestone) = (self.done, self.since_milestone);
        Checkpoint {
            about: ShapeAgent { games, since_milestone, ..self.about.clone() },
            weights: self.training.weights.values(),
        }
    }

    fn save(&mut self) -> Result<()> {
        let path = self.folder.join(CHECKPOINTS).join(checkpoint_name(self.done));
        let checkpoint = self.checkpoint();
        let finite = checkpoint.weights.iter().all(|weight| weight.is_finite());
        if !finite || !self.since_milestone.squared_error.is_finite() {
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

/// Reads a checkpoint that must continue what `about` describes.
fn read_to_resume(about: &ShapeAgent, games: u64, path: &Path) -> Result<Checkpoint<ShapeAgent>> {
    let checkpoint = ShapeAgent::read(path)?;
    let found = &checkpoint.about;
    ensure!(found.games == games, "{}: holds the weights after {} games", path.display(), found.games);
    let since = &found.since_milestone;
    // Sums that cannot come from so many games of Go would overflow when more is added.
    let most = games.min(1 << 32) << 20;
    let plausible = since.games <= games && since.moves <= most && since.evaluations <= most << 10;
    ensure!(plausible, "{}: sums of {} games that cannot be", path.display(), since.games);
    let (found, expected) = (serde_json::to_value(found)?, serde_json::to_value(about)?);
    for key in ["board-size", "komi", "sizes", "sharing", "squash"] {
        let (found, expected) = (&found[key], &expected[key]);
        ensure!(found == expected, "{}: {key} {found}, expected {expected} as in the recipe", path.display());
    }
    Ok(checkpoint)
}

fn settings_text(recipe: &Recipe) -> Result<String> {
    Ok(format!(
        "# The effective settings of this run (afterstate {}).\n{}",
        env!("CARGO_PKG_VERSION"),
        toml::to_string(recipe)?
    ))
}

/// Removes what a killed run was just writing: `name.<process>.tmp`, where `name` ends in one of `ends`.
fn remove_unfinished(folder: &Path, ends: &[&str]) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".tmp"));
        let Some((name, process)) = name.and_then(|name| name.rsplit_once('.')) else { continue };
        if ends.iter().any(|end| name.ends_with(end)) && process.bytes().all(|byte| byte.is_ascii_digit()) {
            // It is only in the way; the next run tries again.
            let _ = std::fs::remove_file(path);
        }
    }
}
