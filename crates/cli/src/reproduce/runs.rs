//! Trains every run of an experiment, several at a time.

use super::experiment::Experiment;
use super::{Workplace, folder_name};
use crate::lesson::Lesson;
use crate::progress::Progress;
use crate::train::{Report, train};
use afterstate_engine::value::shape_agent::checkpoints_in;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A run that was trained.
pub struct TrainedRun {
    /// Its series.
    pub series: String,
    /// Its seed.
    pub seed: u64,
    /// Its checkpoints by number of games. A run that diverged has fewer than the others.
    pub checkpoints: Vec<(u64, PathBuf)>,
}

/// Trains all series with all seeds; what is there already is kept.
pub fn train_all(place: &Workplace, experiment: &Experiment, name: &str) -> Result<Vec<TrainedRun>> {
    let size = experiment.size(place.scale)?;
    let mut jobs = Vec::new();
    for seed in 1..=size.seeds {
        for series in experiment.all_series()? {
            let folder = place.runs.join(name).join(format!("{}-{seed}", folder_name(&series.name)));
            jobs.push((series.name.clone(), seed, experiment.recipe_of(series, place.scale, seed)?, folder));
        }
    }
    place.note(&format!("Training {} runs of {} games", jobs.len(), size.games));
    train_each(place, &jobs)
}

/// A run to be trained: its series, its seed, how, and where.
pub type Job<L> = (String, u64, L, PathBuf);

/// Trains every run, or what is missing of it.
pub fn train_each<L: Lesson + Sync>(place: &Workplace, jobs: &[Job<L>]) -> Result<Vec<TrainedRun>> {
    let progress = Progress::new(jobs.len() as u64, 0, "runs", place.json);
    let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let failures = Mutex::new(Vec::new());
    let work = || {
        while let Some((series, seed, recipe, folder)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            if place.stop.load(Ordering::Relaxed) {
                return;
            }
            let resume = folder.exists();
            if let Err(error) = train(recipe, folder, resume, Report::None, place.stop) {
                // A step size that is too large is a result, not a mistake: the curve ends there.
                let diverged = error.downcast_ref::<crate::training_run::Diverged>().is_some();
                if !diverged {
                    failures
                        .lock()
                        .expect("pushing does not panic")
                        .push(error.context(format!("{series}, seed {seed}")));
                }
            }
            progress.set(finished.fetch_add(1, Ordering::Relaxed) as u64 + 1);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..place.jobs {
            scope.spawn(work);
        }
    });
    progress.finish();
    if let Some(error) = failures.into_inner().expect("pushing does not panic").into_iter().next() {
        return Err(error);
    }
    jobs.iter()
        .map(|(series, seed, recipe, folder)| {
            let milestones = recipe.milestones();
            let mut checkpoints = checkpoints_in(folder).with_context(|| folder.display().to_string())?;
            checkpoints.retain(|(games, _)| milestones.contains(games));
            Ok(TrainedRun { series: series.clone(), seed: *seed, checkpoints })
        })
        .collect()
}
