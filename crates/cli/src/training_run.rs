//! The folder of a training run: opened, checked, trained in, and always left so that it can be gone on with.
//!
//! Checkpoints at milestones stay. One that only guards against a crash is provisional, and goes when the next
//! one is safely there. Both say what the games since the last milestone add up to, so that a run that was
//! killed and resumed ends with the same files as one that was not (to the bit with one thread that
//! plays one game after the other, on the processor).

use crate::balance_learner::GAMES;
use crate::event_file;
use crate::folder_lock::FolderLock;
use crate::lesson::{Described, Learner, Lesson};
use crate::position_files;
use crate::progress::Progress;
use crate::sources::SOURCES;
use crate::zero_learner::METRICS;
use afterstate_engine::learning::TrainingTotals;
use afterstate_engine::value::Checkpoint;
use afterstate_engine::value::checkpoint::write_whole;
use afterstate_engine::value::shape_agent::{CHECKPOINTS, EXTENSION, checkpoint_name, checkpoints_in};
use afterstate_engine::zero::REPLAY;
use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// The effective settings of a run, in its folder.
pub const RECIPE: &str = "recipe.toml";

/// The log of a run, in its folder.
pub const LOG: &str = "log.jsonl";

/// The error of a run whose weights grew beyond all bounds.
#[derive(Debug)]
pub struct Diverged {
    /// How long it had learnt,
    pub done: u64,
    /// in these.
    pub unit: &'static str,
}

impl std::fmt::Display for Diverged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the weights grew beyond all bounds after {} {}: try a smaller step size", self.done, self.unit)
    }
}

impl std::error::Error for Diverged {}

/// A folder in which a recipe is carried out.
pub struct TrainingRun<L: Lesson> {
    folder: PathBuf,
    learner: Arc<L::Learner>,
    /// The description of a checkpoint, all but its progress.
    about: L::About,
    /// Games behind the current weights.
    done: u64,
    /// What its length is counted in.
    unit: &'static str,
    /// What the games since the last milestone add up to.
    since_milestone: TrainingTotals,
    /// A checkpoint that only guards against a crash; the next one replaces it.
    provisional: Option<PathBuf>,
    every: Option<Duration>,
    milestones: Vec<u64>,
    /// Checkpoints that were there when the run was opened, by ascending number of games.
    found: Vec<(u64, PathBuf)>,
    /// From the beginning of the work on, or, where there is something to go on from, before that is read.
    lock: Option<FolderLock>,
}

impl<L: Lesson> TrainingRun<L> {
    /// Reads what the folder holds, and writes nothing. Without `resume` it must not hold a run.
    pub fn open(recipe: &L, folder: &Path, resume: bool) -> Result<Self> {
        let saved_recipe = folder.join(RECIPE);
        let checkpoints = folder.join(CHECKPOINTS);
        for path in [folder, &checkpoints] {
            ensure!(!path.exists() || path.is_dir(), "{} is not a folder: choose another --out", path.display());
        }
        // Who is about to finish would write what is not read here. Locking a folder that is there writes nothing.
        let lock = (resume && folder.exists()).then(|| FolderLock::take(folder)).transpose()?;
        let found = if checkpoints.exists() {
            checkpoints_in(folder).with_context(|| checkpoints.display().to_string())?
        } else {
            Vec::new()
        };
        let rest = [LOG, METRICS, GAMES, REPLAY];
        if !resume && (!found.is_empty() || saved_recipe.exists() || rest.iter().any(|name| folder.join(name).exists()))
        {
            bail!(
                "{} holds a run already: add --resume to go on with it, or --out for another folder",
                folder.display()
            );
        }
        ensure!(
            saved_recipe.exists() || !folder.join(REPLAY).exists(),
            "{} holds games of a run whose {RECIPE} is gone, so that nobody knows what they are of: choose another --out",
            folder.display()
        );
        let is_logged = folder.join(LOG).metadata().is_ok_and(|log| log.len() > 0);
        ensure!(
            !(resume && found.is_empty() && is_logged),
            "{} holds the log of a run whose weights are gone: put its {CHECKPOINTS} back, or choose another --out",
            folder.display()
        );
        if resume && saved_recipe.exists() {
            let before = L::load(&saved_recipe).with_context(|| {
                format!("{} holds a run of another kind, or one that cannot be read", folder.display())
            })?;
            ensure!(
                before.learns_like(recipe),
                "{} was trained with other settings than this recipe; compare it with {}, or choose another --out",
                folder.display(),
                saved_recipe.display()
            );
        }
        if let Some((games, _)) = found.last().filter(|_| resume) {
            recipe.sources(*games).check(folder)?;
        }
        let (about, plan) = (recipe.about()?, recipe.plan());
        if let Some((games, _)) = found.last().filter(|(games, _)| *games > plan.games) {
            bail!(
                "{} has learnt from {games} {unit} already, more than {}: ask for more, or choose another --out",
                folder.display(),
                plan.games,
                unit = plan.unit
            );
        }
        let last = match found.last() {
            Some((games, path)) => Some(
                read_to_resume::<L>(&about, *games, path)
                    .context("cannot resume (remove this file to go on from the one before it)")?,
            ),
            None => None,
        };
        let (done, since_milestone) = last.as_ref().map_or_else(Default::default, |last| last.about.progress());
        let seconds = plan.checkpoints.every_seconds;
        Ok(TrainingRun {
            folder: folder.to_path_buf(),
            learner: Arc::new(recipe.learner(last.as_ref(), folder)?),
            done,
            unit: plan.unit,
            since_milestone,
            about,
            provisional: None,
            every: (seconds > 0.0).then(|| Duration::from_secs_f64(seconds)),
            milestones: recipe.milestones(),
            found,
            lock,
        })
    }

    /// Writes the settings, and clears away what a killed run left half done. `unlogged` tells whether the log lacks
    /// a line about the weights after so many games.
    pub fn begin(&mut self, recipe: &L, unlogged: impl Fn(u64) -> bool) -> Result<()> {
        if self.lock.is_none() {
            self.lock = Some(FolderLock::take(&self.folder)?);
        }
        let path = self.folder.join(RECIPE);
        write_whole(&path, settings_text(recipe)?.as_bytes()).with_context(|| path.display().to_string())?;
        recipe.sources(self.done).keep(&self.folder)?;
        remove_unfinished(&self.folder, &[RECIPE, SOURCES, LOG, METRICS, GAMES, event_file::SUFFIX]);
        remove_unfinished(&self.folder.join(CHECKPOINTS), &[EXTENSION]);
        remove_unfinished(&self.folder.join(REPLAY), &[".bin", position_files::EXTENSION]);

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
    ///
    /// # Errors
    ///
    /// If something cannot be written, or the learner cannot go on. Where that is for good ([`Learner::hindrance`]), what it has learnt is
    /// saved first.
    pub fn reach(
        &mut self,
        milestone: u64,
        stop: &AtomicBool,
        progress: &Progress,
    ) -> Result<Option<Checkpoint<L::About>>> {
        while self.done < milestone && !stop.load(Ordering::Relaxed) {
            // A pause ends this stretch of games, so that a provisional checkpoint holds whole games only.
            let pause = AtomicBool::new(false);
            let begun = Instant::now();
            let before = self.done;
            let over = AtomicBool::new(false);
            // A pause at any other moment would save nothing, and a learner that has begun something would have to do it again.
            let counted = AtomicU64::new(0);
            let stretch = std::thread::scope(|scope| {
                let watch = || {
                    while !over.load(Ordering::Relaxed) {
                        pause.fetch_or(stop.load(Ordering::Relaxed), Ordering::Relaxed);
                        std::thread::park_timeout(LOOK_AFTER);
                    }
                };
                let watcher = L::Learner::STOPS_AT_ONCE.then(|| scope.spawn(watch).thread().clone());
                // Whatever comes, a panic of the learner too, nobody should wait for who watches.
                let _ends = EndsWatch { over: &over, watcher };
                self.learner.run(self.done..milestone, &pause, &|so_far| {
                    progress.set(before + so_far.games);
                    progress.status(|| self.learner.status());
                    let is_due = || self.every.is_some_and(|every| begun.elapsed() >= every);
                    let has_ended_more = counted.fetch_max(so_far.games, Ordering::Relaxed) < so_far.games;
                    if stop.load(Ordering::Relaxed) || has_ended_more && is_due() {
                        pause.store(true, Ordering::Relaxed);
                    }
                })
            })?;
            self.done += stretch.games;
            self.since_milestone.add(&stretch);
            // Where nothing was finished nothing has changed, and what is there may be a milestone.
            if stretch.games > 0 {
                self.save()?;
            }
            if let Some(why) = self.learner.hindrance() {
                let folder = self.folder.display();
                bail!("{why}; stopped after {} games, everything is saved in {folder}", self.done);
            }
        }
        if self.done != milestone {
            return Ok(None);
        }
        let checkpoint = self.checkpoint();
        self.since_milestone = TrainingTotals::default();
        Ok(Some(checkpoint))
    }

    /// The checkpoint after so many games, if the run had one when it was opened.
    pub fn saved(&self, games: u64) -> Result<Option<Checkpoint<L::About>>> {
        let Some((_, path)) = self.found.iter().find(|(found, _)| *found == games) else { return Ok(None) };
        Ok(Some(L::read(path)?))
    }

    /// Who learns, to be told what was measured.
    pub fn learner(&self) -> Arc<L::Learner> {
        self.learner.clone()
    }

    fn checkpoint(&self) -> Checkpoint<L::About> {
        let about = self.learner.describe(self.about.at(self.done, self.since_milestone));
        Checkpoint { about, weights: self.learner.weights().values(), memory: self.learner.memory() }
    }

    fn save(&mut self) -> Result<()> {
        let path = self.folder.join(CHECKPOINTS).join(checkpoint_name(self.done));
        let checkpoint = self.checkpoint();
        let finite = checkpoint.weights.iter().all(|weight| weight.is_finite());
        if !finite || !self.since_milestone.squared_error.is_finite() {
            return Err(Diverged { done: self.done, unit: self.unit }.into());
        }
        self.learner.save_beside()?;
        checkpoint.save(&path)?;
        if let Some(old) = self.provisional.take().filter(|old| *old != path) {
            let _ = std::fs::remove_file(old);
        }
        self.learner.saved();
        self.provisional = (!self.milestones.contains(&self.done)).then_some(path);
        Ok(())
    }
}

/// Sends who watches away when it goes itself.
struct EndsWatch<'a> {
    over: &'a AtomicBool,
    watcher: Option<Thread>,
}

impl Drop for EndsWatch<'_> {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        self.watcher.iter().for_each(Thread::unpark);
    }
}

/// How often it is asked whether a run should stop that tells of no progress for a while.
const LOOK_AFTER: Duration = Duration::from_millis(100);

/// Reads a checkpoint that must continue what `about` describes.
fn read_to_resume<L: Lesson>(about: &L::About, games: u64, path: &Path) -> Result<Checkpoint<L::About>> {
    let checkpoint = L::read(path)?;
    let found = &checkpoint.about;
    let (found_games, since) = found.progress();
    ensure!(found_games == games, "{}: holds the weights after {found_games} games", path.display());
    // Sums that cannot come from so many games would overflow when more is added.
    let [moves, evaluations] = L::About::MOST.map(|most| games.min(1 << 32).saturating_mul(most));
    let plausible = since.games <= games && since.moves <= moves && since.evaluations <= evaluations;
    ensure!(plausible, "{}: sums of {} games that cannot be", path.display(), since.games);
    let (found, expected) = (serde_json::to_value(found)?, serde_json::to_value(about)?);
    for &key in L::About::FIXED {
        let (found, expected) = (&found[key], &expected[key]);
        // What is as usual is not written.
        let text = |value: &serde_json::Value| if value.is_null() { "as usual".into() } else { value.to_string() };
        ensure!(
            found == expected,
            "{}: {key} {}, expected {} as in the recipe",
            path.display(),
            text(found),
            text(expected)
        );
    }
    Ok(checkpoint)
}

fn settings_text(recipe: &impl Serialize) -> Result<String> {
    Ok(format!(
        "# The effective settings of this run (afterstate {}).\n{}",
        crate::version::VERSION,
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
