//! [`ZeroTraining`]: trajectories and learning steps in turn (paper 004, §2 and §3).
//!
//! ```text
//! repeat:  play trajectories, each from s₀ with probability λ, else from the archive A,
//!          until there are b_step new examples
//!          take b_batch examples from the replay buffer, and go down the loss on them
//! ```
//!
//! Trajectories may be played by an [`Expert`](super::Expert) instead. Where states of interest are those met in searches, every so
//! many games are archive games: they start at s₀, fill the archive, and teach nothing. All random choices of a trajectory come from
//! its number.

mod actors;
mod settings;

pub use settings::{ArchiveSettings, Batching, Interest, ReplaySettings, ZeroSettings};

use self::actors::Round;
use super::actor::Trajectory;
use super::archive_file;
use super::evaluation_server::EvaluationServer;
use super::expert::MakeExpert;
use super::network::{Example, Loss, Trainable};
use super::replay::{Entry, ReplayBuffer, ReplayLog};
use super::start_positions::Archive;
use crate::Value;
use afterstate_games::rng::below;
use afterstate_games::{Deterministic, IndexedMoves, stream};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Instant;
use thiserror::Error;

/// Of 700 training actors and 50 archive actors in the paper, one in fifteen fills the archive.
const ARCHIVE_GAMES: u64 = 15;

/// What a learning step was like.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StepReport {
    /// Its number, from 1.
    pub step: u64,
    /// The mean of its batches.
    pub loss: Loss,
    /// Training trajectories that it was made from, and those of archive actors beside them.
    pub trajectories: u64,
    /// Games that filled the archive.
    pub archive_games: u64,
    /// Positions beside games that were searched.
    #[serde(default)]
    pub sides: u64,
    /// Moves of the training trajectories, openings left out.
    pub moves: u64,
    /// New examples.
    pub examples: u64,
    /// Mean of the first player's score, from 0 to 1.
    pub first_player_score: f64,
    /// Examples in the buffer.
    pub buffer: u64,
    /// Positions in the archive.
    pub archive: u64,
    /// Mean number of moves before the trajectories' starts.
    pub opening: f64,
    /// Questions of the searches, and those that the network was asked. Of a step that was interrupted: since the last
    /// interruption.
    pub questions: [u64; 2],
    /// Seconds of the same.
    pub seconds: f64,
}

/// Why training cannot go on.
#[derive(Debug, Error)]
#[error("{path}: {source}")]
pub struct ZeroError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub source: io::Error,
}

/// Makes an error of a file.
pub(super) fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, ZeroError> {
    result.map_err(|source| ZeroError { path: path.to_path_buf(), source })
}

/// What all actors of a step share.
struct Shared {
    buffer: ReplayBuffer,
    archive: Option<Archive>,
    log: ReplayLog,
    report: StepReport,
    /// Entries of the log that were taken in.
    entered: usize,
    /// One more than the greatest number of a game that has ended.
    games: u64,
    error: Option<ZeroError>,
}

/// Learning from self-play in a folder.
///
/// With one thread, which plays one game after the other, a run is reproducible, whether it was killed in between or not: what was played is read from the
/// folder, and only trajectories that had not ended are played again.
pub struct ZeroTraining<G, T> {
    first: G,
    settings: ZeroSettings,
    seed: u64,
    threads: usize,
    folder: PathBuf,
    learner: T,
    /// Who plays instead of the learner.
    experts: Option<MakeExpert<G>>,
    /// Learning steps so far.
    steps: u64,
    /// Games so far, archive games included: the number of the next one.
    games: u64,
    buffer: ReplayBuffer,
    archive: Option<Archive>,
    /// What is known of the present step, and how many entries of its log have been taken in.
    present: (StepReport, usize),
    /// How many of these the archive had seen already when it was read.
    seen: usize,
}

/// Separates what draws from the archive's own choices and the learner's from the trajectories.
const OF_ARCHIVE: u64 = 1 << 62;
const OF_LEARNER: u64 = 1 << 63;

impl<G: Deterministic + IndexedMoves, T: Trainable<G>> ZeroTraining<G, T> {
    /// Goes on in a folder after `steps` learning steps and `games` games, with `learner` as it was then; or begins there if
    /// both are 0.
    pub fn open(
        first: G,
        settings: ZeroSettings,
        (seed, threads): (u64, usize),
        learner: T,
        folder: &Path,
        (steps, games): (u64, u64),
    ) -> Result<Self, ZeroError> {
        let mut buffer = ReplayBuffer::new(settings.replay.capacity);
        // Every step has brought at least `step` examples.
        let oldest = steps.saturating_sub(settings.replay.capacity.div_ceil(settings.replay.step) as u64);
        for step in oldest..steps {
            let path = log_path(folder, step);
            for entry in at(&path, ReplayLog::read(&path))? {
                if let Entry::Trajectory(trajectory) | Entry::Side(trajectory) = entry {
                    buffer.push(trajectory);
                }
            }
        }
        let (archive, seen) = match &settings.archive {
            None => (None, 0),
            Some(archive) if steps == 0 => (Some(Archive::new(archive.keep, archive.capacity)), 0),
            Some(archive) => {
                let path = archive_path(folder, steps);
                let (archive, seen) = at(&path, archive_file::load(&path, archive.keep, archive.capacity))?;
                (Some(archive), seen)
            }
        };
        let folder = folder.to_path_buf();
        let present = Default::default();
        Ok(ZeroTraining {
            first,
            settings,
            seed,
            threads,
            folder,
            learner,
            experts: None,
            steps,
            games,
            buffer,
            archive,
            present,
            seen,
        })
    }

    /// Lets others play what is learnt from. They know nothing of positions met in searches.
    pub fn with_experts(self, experts: MakeExpert<G>) -> Self {
        ZeroTraining { experts: Some(experts), ..self }
    }

    /// What learns.
    pub fn learner(&self) -> &T {
        &self.learner
    }

    /// Learning steps so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Games so far, archive games included.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Plays and makes one learning step; `None` if `stop` was set before there were enough examples. What was played
    /// until then stays in the folder. `progress` is told of new examples of the step.
    pub fn step(
        &mut self,
        stop: &AtomicBool,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Option<StepReport>, ZeroError> {
        let begun = Instant::now();
        let path = log_path(&self.folder, self.steps);
        let (log, entries) = at(&path, ReplayLog::open(&path))?;
        let (buffer, archive) = (std::mem::take(&mut self.buffer), self.archive.take());
        let (report, entered) = self.present;
        let mut shared = Shared { buffer, archive, log, report, entered, games: self.games, error: None };
        for entry in entries.into_iter().skip(entered) {
            let seen = shared.entered < self.seen;
            self.enter(entry, seen, &mut shared);
        }
        let next = AtomicU64::new(shared.games);
        let round = Round { shared: Mutex::new(shared), next, stop, progress };
        let server = self.settings.batching.server.filter(|_| self.experts.is_none());
        let server = server.map(|settings| EvaluationServer::start(self.learner.player(), settings));
        std::thread::scope(|scope| {
            for _ in 0..self.threads {
                match (&self.experts, &server) {
                    (Some(make), _) => scope.spawn(|| self.play_as(make(), &round)),
                    (None, Some(server)) => {
                        let client = server.client();
                        scope.spawn(|| self.play(client, &round))
                    }
                    (None, None) => scope.spawn(|| self.play(self.learner.player(), &round)),
                };
            }
        });
        let shared = round.shared.into_inner().expect("no thread panics while it holds what all share");
        (self.buffer, self.archive) = (shared.buffer, shared.archive);
        self.present = (shared.report, shared.entered);
        self.games = shared.games;
        if let Some(error) = shared.error {
            return Err(error);
        }
        let mut report = shared.report;
        if (report.examples as usize) < self.settings.replay.step {
            return Ok(None);
        }
        (self.present, self.seen) = Default::default();
        report.loss = self.learn();
        self.steps += 1;
        report.step = self.steps;
        report.seconds = begun.elapsed().as_secs_f64();
        let trajectories = report.trajectories.max(1) as f64;
        report.opening /= trajectories;
        report.first_player_score /= trajectories;
        report.buffer = self.buffer.len() as u64;
        report.archive = self.archive.as_ref().map_or(0, |archive| archive.len() as u64);
        Ok(Some(report))
    }

    /// Saves what belongs to a checkpoint of now besides the weights.
    pub fn save_beside(&self) -> Result<(), ZeroError> {
        if let Some(archive) = &self.archive {
            let path = archive_path(&self.folder, self.steps);
            at(&path, archive_file::save(archive, self.present.1, &path))?;
        }
        Ok(())
    }

    /// Removes what only checkpoints before that after `steps` learning steps need.
    pub fn forget_before(&self, steps: u64) {
        let kept = self.settings.replay.capacity.div_ceil(self.settings.replay.step) as u64;
        let forgets = |number: u64| !self.settings.replay.keep && number + kept < steps;
        let logs = |number: u64| forgets(number).then(|| log_path(&self.folder, number));
        let archives = |number: u64| (number < steps).then(|| archive_path(&self.folder, number));
        let Ok(files) = std::fs::read_dir(self.folder.join(REPLAY)) else { return };
        for file in files.flatten() {
            let name = file.file_name();
            let Some((kind, number)) = name.to_str().and_then(|name| name.split_once('.')?.0.rsplit_once('-')) else {
                continue;
            };
            let Ok(number) = number.parse::<u64>() else { continue };
            let old = if kind == "archive" { archives(number) } else { logs(number) };
            if old.is_some_and(|old| old == file.path()) {
                // It only takes room; the next time tries again.
                let _ = std::fs::remove_file(file.path());
            }
        }
    }

    /// Takes what was played into buffer and report, and into the archive unless that has `seen` it.
    fn enter(&self, entry: Entry, seen: bool, shared: &mut Shared) {
        let Shared { buffer, archive, report, entered, games, .. } = shared;
        *entered += 1;
        *games = (*games).max(entry.number() + 1);
        let mut offer = |way: &[u16]| {
            if let Some(archive) = archive.as_mut().filter(|_| !seen) {
                let rng = &mut stream(self.seed ^ OF_ARCHIVE, archive.offered());
                archive.offer(way, rng);
            }
        };
        match entry {
            Entry::Met(_, ways) => {
                ways.iter().for_each(|way| offer(way));
                report.archive_games += 1;
            }
            Entry::Trajectory(trajectory) => {
                let Trajectory { way, opening, outcome, .. } = &trajectory;
                let start = usize::from(*opening);
                if self.settings.archive.is_some_and(|archive| archive.interest == Interest::Visited) {
                    // The last position is the end of the game.
                    (start..way.len()).for_each(|moves| offer(&way[..moves]));
                }
                report.trajectories += 1;
                report.moves += (way.len() - start) as u64;
                report.opening += start as f64;
                report.examples += trajectory.examples() as u64;
                report.first_player_score += f64::from(*outcome);
                buffer.push(trajectory);
            }
            Entry::Side(side) => {
                report.sides += 1;
                report.examples += side.examples() as u64;
                buffer.push(side);
            }
        }
    }

    /// The batches of a learning step.
    fn learn(&mut self) -> Loss {
        let ReplaySettings { batches, batch, .. } = self.settings.replay;
        let mut sum = Loss::default();
        for number in 0..batches as u64 {
            let rng = &mut stream(self.seed ^ OF_LEARNER, self.steps * batches as u64 + number);
            let examples: Vec<Example<'_, G>> = (0..batch)
                .map(|_| {
                    let (trajectory, at) = self.buffer.example(below(rng, self.buffer.len() as u32) as usize);
                    let mut game = self.first.clone();
                    for &index in &trajectory.way[..usize::from(trajectory.opening) + at] {
                        game.play(game.move_at(usize::from(index)));
                    }
                    Example { game, policy: &trajectory.policies[at], outcome: Value(trajectory.outcome) }
                })
                .collect();
            let loss = self.learner.learn(&examples, rng);
            sum.policy += loss.policy / batches as f32;
            sum.value += loss.value / batches as f32;
        }
        sum
    }
}

/// The folder of trajectories, in that of the run.
const REPLAY: &str = "replay";

/// The trajectories after so many learning steps.
fn log_path(folder: &Path, steps: u64) -> PathBuf {
    folder.join(REPLAY).join(format!("games-{steps:08}.log"))
}

/// All logs of a run from its first step on, in their order.
pub(super) fn all_logs(folder: &Path) -> Result<Vec<PathBuf>, ZeroError> {
    let first = log_path(folder, 0);
    at(&first, first.metadata())?;
    Ok((0..).map(|step| log_path(folder, step)).take_while(|path| path.exists()).collect())
}

/// The archive after so many learning steps.
fn archive_path(folder: &Path, steps: u64) -> PathBuf {
    folder.join(REPLAY).join(format!("archive-{steps:08}.bin"))
}

#[cfg(test)]
mod tests;
