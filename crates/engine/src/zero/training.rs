//! [`ZeroTraining`]: trajectories and learning steps in turn (paper 004, §2 and §3).
//!
//! ```text
//! repeat:  play trajectories, each from s₀ with probability λ, else from the archive A,
//!          until there are b_step new examples
//!          take b_batch examples from the replay buffer, and go down the loss on them
//! ```
//!
//! Trajectories may be played by an [`Expert`](super::Expert) instead. Where states of interest are those met in searches, some
//! games are archive games: they start at s₀, fill the archive, and teach nothing. All random choices of a trajectory come from
//! its number.
//!
//! Either the actors wait while the network learns, or they [play ahead](ZeroSettings::play_ahead): then a step is learnt beside
//! the trajectories of the next one, which what was learnt before leads.

mod actors;
mod lessons;
mod settings;

pub use settings::{ArchiveSettings, Batching, Interest, ReplaySettings, ZeroSettings};

use self::actors::{Round, Seat};
use self::lessons::Lessons;
use super::actor::Trajectory;
use super::archive_file;
use super::evaluation_server::EvaluationServer;
use super::expert::MakeExpert;
use super::network::{Loss, Trainable};
use super::planes::Planes;
use super::replay::{Entry, ReplayBuffer, ReplayLog};
use super::start_positions::Archive;
use afterstate_games::{Deterministic, Game, stream};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Instant;
use thiserror::Error;

/// Simulations of training for each of archive games: the paper has 700 training actors and 50 archive actors, which are as fast. (Of
/// games far fewer are archive games: these are whole ones. With a playout cap fewer moves of them, too, all of which are searched in full.)
const TRAINED: i64 = 14;

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
    /// Questions of the searches, and those that the network was asked. Of a step that was killed: since it went on.
    pub questions: [u64; 2],
    /// Seconds since the step before, learning included, and what was played ahead.
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

/// A step that has its trajectories: what is known of it, how many entries its log has, and what will be learnt.
struct Ready<G: Game> {
    report: StepReport,
    entered: usize,
    lessons: Lessons<G>,
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
    /// How many simulations archive games are behind those of training, times [`TRAINED`]: one is due unless this is negative.
    behind: i64,
    /// Archive games that are being played.
    filling: usize,
    error: Option<ZeroError>,
}

/// Learning from self-play in a folder.
///
/// With one thread, which plays one game after the other, a run is reproducible, whether it was killed in between or not: what was played is read from the
/// folder, and only trajectories that had not ended are played again.
pub struct ZeroTraining<G: Game, T> {
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
    /// The step that is learnt next, if others are played ahead of it.
    ready: Option<Ready<G>>,
    /// What is known of the step that is played, and how many entries of its log have been taken in.
    present: (StepReport, usize),
    /// Seconds since the last step.
    seconds: f64,
    /// How many entries the archive had seen already when it was read, from that step's first on.
    seen: usize,
    /// How many simulations archive games are behind, times [`TRAINED`].
    behind: i64,
    /// What each thread is playing.
    seats: Vec<Vec<Seat<G>>>,
}

/// Separates the archive's own choices from the trajectories'.
const OF_ARCHIVE: u64 = 1 << 62;

impl<G: Deterministic + Planes, T: Trainable<G>> ZeroTraining<G, T> {
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
            for entry in at(&path, ReplayLog::read_complete(&path))? {
                if let Entry::Trajectory(trajectory) | Entry::Side(trajectory) = entry {
                    buffer.push(trajectory);
                }
            }
        }
        let (archive, (seen, behind)) = match &settings.archive {
            None => (None, (0, 0)),
            Some(archive) if steps == 0 => {
                let mut archive = Archive::new(archive.keep, archive.capacity);
                // A = {s₀}
                archive.offer(&[], &mut stream(seed ^ OF_ARCHIVE, 0));
                (Some(archive), (0, 0))
            }
            Some(archive) => {
                let path = archive_path(folder, steps);
                let (archive, written) = at(&path, archive_file::load(&path, archive.keep, archive.capacity))?;
                (Some(archive), written)
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
            ready: None,
            present,
            seconds: 0.0,
            seen,
            behind,
            seats: Vec::new(),
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
    /// until then stays in the folder. Games that are going on when either happens go on in the next step, led by what was
    /// learnt. `progress` is told of new examples of the step that is played.
    pub fn step(
        &mut self,
        stop: &AtomicBool,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Option<StepReport>, ZeroError> {
        let begun = Instant::now();
        let made = self.make_step(stop, progress);
        self.seconds += begun.elapsed().as_secs_f64();
        Ok(made?.map(|report| StepReport { seconds: std::mem::take(&mut self.seconds), ..report }))
    }

    fn make_step(
        &mut self,
        stop: &AtomicBool,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Option<StepReport>, ZeroError> {
        let ready = match self.ready.take() {
            Some(ready) => ready,
            None => {
                if !self.play_round(self.steps, (stop, progress), || ())? {
                    return Ok(None);
                }
                self.get_ready()?
            }
        };
        let loss = if self.settings.play_ahead {
            // What was learnt beside trajectories that were stopped is learnt again beside their rest, so that the run stays
            // the same.
            let mut learner = self.learner.twin();
            let mut loss = Loss::default();
            let has_enough =
                self.play_round(self.steps + 1, (stop, progress), || loss = ready.lessons.teach(&mut learner));
            if !matches!(has_enough, Ok(true)) {
                self.ready = Some(ready);
                return has_enough.map(|_| None);
            }
            self.learner = learner;
            loss
        } else {
            ready.lessons.teach(&mut self.learner)
        };
        self.steps += 1;
        Ok(Some(StepReport { step: self.steps, loss, ..ready.report }))
    }

    /// Plays what is missing of the trajectories after so many steps, while `beside` is done. Returns whether there are enough.
    fn play_round(
        &mut self,
        number: u64,
        (stop, progress): (&AtomicBool, &(dyn Fn(u64) + Sync)),
        beside: impl FnOnce(),
    ) -> Result<bool, ZeroError> {
        if self.has_enough(&self.present.0) {
            beside();
            return Ok(true);
        }
        let path = log_path(&self.folder, number);
        let (log, entries) = at(&path, ReplayLog::open(&path))?;
        let (buffer, archive) = (std::mem::take(&mut self.buffer), self.archive.take());
        let (report, entered) = self.present;
        let mut seats = std::mem::take(&mut self.seats);
        seats.resize_with(self.threads, Vec::new);
        let filling = seats.iter().flatten().filter(|seat| seat.fills).count();
        let (games, behind) = (self.games, self.behind);
        let mut shared = Shared { buffer, archive, log, report, entered, games, behind, filling, error: None };
        for entry in entries.into_iter().skip(entered) {
            let seen = shared.entered < self.seen;
            self.enter(entry, seen, &mut shared);
        }
        let taken = seats.iter().flatten().map(|seat| seat.number + 1).max();
        let next = AtomicU64::new(shared.games.max(taken.unwrap_or(0)));
        let enough = AtomicBool::new(self.has_enough(&shared.report));
        let round = Round { path, shared: Mutex::new(shared), next, enough, stop, progress };
        let server = self.settings.batching.server.filter(|_| self.experts.is_none());
        let server = server.map(|settings| EvaluationServer::start(|| self.learner.player(), settings));
        self.seats = std::thread::scope(|scope| {
            let play = |seats| match (&self.experts, &server) {
                (Some(make), _) => scope.spawn(|| self.play_as(make(), &round)),
                (None, Some(server)) => {
                    let client = server.client();
                    scope.spawn(|| self.play(client, seats, &round))
                }
                (None, None) => scope.spawn(|| self.play(self.learner.player(), seats, &round)),
            };
            let threads: Vec<_> = seats.into_iter().map(play).collect();
            beside();
            threads.into_iter().map(|thread| thread.join().expect("actors do not panic")).collect()
        });
        let Round { path, shared, .. } = round;
        let shared = shared.into_inner().expect("no thread panics while it holds what all share");
        (self.buffer, self.archive) = (shared.buffer, shared.archive);
        self.present = (shared.report, shared.entered);
        (self.games, self.behind) = (shared.games, shared.behind);
        match shared.error {
            Some(error) => Err(error),
            None => {
                // A checkpoint that outlived a power cut would be worth nothing without what it was learnt from.
                at(&path, shared.log.sync())?;
                Ok(self.has_enough(&self.present.0))
            }
        }
    }

    /// Draws what the step learns that has been played; the next one will be played then.
    fn get_ready(&mut self) -> Result<Ready<G>, ZeroError> {
        let (mut report, entered) = std::mem::take(&mut self.present);
        self.seen = self.seen.saturating_sub(entered);
        let trajectories = report.trajectories.max(1) as f64;
        report.opening /= trajectories;
        report.first_player_score /= trajectories;
        report.buffer = self.buffer.len() as u64;
        report.archive = match &self.archive {
            Some(archive) => archive.len_before(self.offered_ahead()?) as u64,
            None => 0,
        };
        let (settings, owners) = (&self.settings.replay, self.learner.learns_owners());
        let lessons = Lessons::draw((&self.first, owners), &self.buffer, settings, (self.seed, self.steps));
        Ok(Ready { report, entered, lessons })
    }

    /// How many positions of the step after this one the archive has seen: some if the run was stopped while they were played ahead.
    fn offered_ahead(&self) -> Result<u64, ZeroError> {
        if self.seen == 0 {
            return Ok(0);
        }
        let path = log_path(&self.folder, self.steps + 1);
        let entries = at(&path, ReplayLog::read(&path))?;
        Ok(entries.iter().take(self.seen).map(|entry| self.of_interest(entry).count() as u64).sum())
    }

    /// The positions of what was played that an archive is offered.
    fn of_interest<'a>(&self, entry: &'a Entry) -> Box<dyn Iterator<Item = &'a [u16]> + 'a> {
        let visited = self.settings.archive.is_some_and(|archive| archive.interest == Interest::Visited);
        match entry {
            Entry::Met(_, _, ways) => Box::new(ways.iter().map(|way| &**way)),
            Entry::Trajectory(Trajectory { way, opening, policies, .. }) if visited => {
                let start = usize::from(*opening);
                // The last position is the end of the game, unless that ended early.
                Box::new((start..start + policies.len()).map(|moves| &way[..moves]))
            }
            _ => Box::new(std::iter::empty()),
        }
    }

    fn has_enough(&self, report: &StepReport) -> bool {
        report.examples as usize >= self.settings.replay.step
    }

    /// Saves what belongs to a checkpoint of now besides the weights.
    pub fn save_beside(&self) -> Result<(), ZeroError> {
        if let Some(archive) = &self.archive {
            let path = archive_path(&self.folder, self.steps);
            let seen = self.ready.as_ref().map_or(0, |ready| ready.entered) + self.present.1;
            at(&path, archive_file::save(archive, (seen, self.behind), &path))?;
        }
        Ok(())
    }

    /// Removes what only checkpoints need that are older than both of those after `steps` learning steps: one to go on from, and one
    /// before in case the other cannot be read.
    pub fn forget_before(&self, steps: [u64; 2]) {
        let [before, steps] = [steps[0].min(steps[1]), steps[0].max(steps[1])];
        let kept = self.settings.replay.capacity.div_ceil(self.settings.replay.step) as u64;
        let forgets = |number: u64| !self.settings.replay.keep && number + kept < before;
        let logs = |number: u64| forgets(number).then(|| log_path(&self.folder, number));
        let archives = |number: u64| (number < steps && number != before).then(|| archive_path(&self.folder, number));
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
        let Shared { buffer, archive, report, entered, games, behind, .. } = shared;
        *entered += 1;
        *games = (*games).max(entry.number() + 1);
        if let Some(archive) = archive.as_mut().filter(|_| !seen) {
            for way in self.of_interest(&entry) {
                let rng = &mut stream(self.seed ^ OF_ARCHIVE, archive.offered());
                archive.offer(way, rng);
            }
        }
        let self_play = &self.settings.self_play;
        let full = i64::from(self_play.iterations);
        let fast = self_play.katago.playout_cap.map_or(full, |cap| i64::from(cap.fast));
        *behind += match &entry {
            _ if seen => 0,
            Entry::Met(_, moves, _) => -TRAINED * full * i64::from(*moves),
            // What nothing is learnt from was searched fast.
            Entry::Trajectory(Trajectory { policies, .. }) => {
                policies.iter().map(|policy| if policy.is_empty() { fast } else { full }).sum()
            }
            Entry::Side(_) => full,
        };
        match entry {
            Entry::Met(..) => report.archive_games += 1,
            Entry::Trajectory(trajectory) => {
                let Trajectory { way, opening, outcome, .. } = &trajectory;
                let start = usize::from(*opening);
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
}

/// The folder of trajectories, in that of the run.
pub const REPLAY: &str = "replay";

/// The trajectories after so many learning steps.
fn log_path(folder: &Path, steps: u64) -> PathBuf {
    folder.join(REPLAY).join(format!("games-{steps:08}.log"))
}

/// The logs of what a run has learnt from in so many steps, in their order; without what it played ahead of the next.
pub(super) fn logs(folder: &Path, steps: u64) -> impl Iterator<Item = PathBuf> {
    (0..steps).map(|step| log_path(folder, step))
}

/// The archive after so many learning steps.
fn archive_path(folder: &Path, steps: u64) -> PathBuf {
    folder.join(REPLAY).join(format!("archive-{steps:08}.bin"))
}

#[cfg(test)]
mod tests;
