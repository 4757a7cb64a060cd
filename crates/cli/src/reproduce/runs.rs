//! Trains every run of an experiment, several at a time.

use super::experiment::Experiment;
use super::{Workplace, folder_name};
use crate::lesson::Lesson;
use crate::progress::Progress;
use crate::train::{Report, train};
use crate::training_run::{Diverged, LOG};
use crate::watch::read_log;
use afterstate_engine::value::shape_agent::checkpoints_in;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
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
    let trained = train_and_look(place, jobs, |_, _, _| Ok(()))?;
    Ok(trained.into_iter().map(|(run, ())| run).collect())
}

/// Trains every run, or what is missing of it, and looks at each with its recipe and its folder as soon as it has ended, so that
/// what an experiment wants to know of it is there however long the others take.
pub fn train_and_look<L: Lesson + Sync, T: Send>(
    place: &Workplace,
    jobs: &[Job<L>],
    look: impl Fn(&TrainedRun, &L, &Path) -> Result<T> + Sync,
) -> Result<Vec<(TrainedRun, T)>> {
    let progress = Progress::new(jobs.len() as u64, 0, "runs", place.json);
    let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let ended = Mutex::new(jobs.iter().map(|_| None).collect::<Vec<_>>());
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(number).filter(|_| !place.stop.load(Ordering::Relaxed)) else { return };
            let (series, seed, recipe, folder) = job;
            let one = || -> Result<_> {
                let Some(run) = train_one(place, job)? else { return Ok(None) };
                let found = look(&run, recipe, folder).with_context(|| folder.display().to_string())?;
                Ok(Some((run, found)))
            };
            let result = one().with_context(|| format!("{series}, seed {seed}"));
            ended.lock().expect("storing does not panic")[number] = Some(result);
            progress.set(finished.fetch_add(1, Ordering::Relaxed) as u64 + 1);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..place.jobs {
            scope.spawn(work);
        }
    });
    progress.finish();
    let ended = ended.into_inner().expect("storing does not panic");
    // What went wrong says more than that it was stopped.
    let trained = ended.into_iter().flatten().collect::<Result<Vec<_>>>()?;
    place.go_on()?;
    Ok(trained.into_iter().flatten().collect())
}

/// A run with nothing missing, or `None` if somebody asked to stop before.
fn train_one<L: Lesson>(place: &Workplace, (series, seed, recipe, folder): &Job<L>) -> Result<Option<TrainedRun>> {
    let milestones = recipe.milestones();
    if !has_ended(recipe, &milestones, folder) {
        ensure!(
            !has_lost_its_weights(recipe, &milestones, folder),
            "{}: its log is that of a run that has ended, but its last weights are not there: put them back, or move the folder away \
             to have it trained again",
            folder.display()
        );
        match train(recipe, folder, folder.exists(), Report::None, place.stop) {
            // A step size that is too large is a result, not a mistake: the curve ends there.
            Err(error) if error.downcast_ref::<Diverged>().is_some() => {}
            other => other?,
        }
        if place.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
    }
    let mut checkpoints = checkpoints_in(folder).with_context(|| folder.display().to_string())?;
    checkpoints.retain(|(games, _)| milestones.contains(games));
    Ok(Some(TrainedRun { series: series.clone(), seed: *seed, checkpoints }))
}

/// Whether such a run is there with nothing missing, for which its recipe, its log and its last weights have to be there, and not
/// what it would need to go on.
fn has_ended<L: Lesson>(recipe: &L, milestones: &[u64], folder: &Path) -> bool {
    let saved = || checkpoints_in(folder).is_ok_and(|found| found.last().map(|(games, _)| games) == milestones.last());
    has_whole_log(recipe, milestones, folder) && saved()
}

/// Whether such a run has ended, and somebody kept what was measured and not what was learnt. Training it again would replace that.
fn has_lost_its_weights<L: Lesson>(recipe: &L, milestones: &[u64], folder: &Path) -> bool {
    has_whole_log(recipe, milestones, folder) && checkpoints_in(folder).map_or(true, |found| found.is_empty())
}

fn has_whole_log<L: Lesson>(recipe: &L, milestones: &[u64], folder: &Path) -> bool {
    let log = read_log(&folder.join(LOG)).unwrap_or_default();
    recipe.is_of(folder) && milestones.iter().all(|milestone| log.iter().any(|entry| entry.games == *milestone))
}
