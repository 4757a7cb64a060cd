//! What a training run knows of its own progress: small tournaments at the milestones, and a log of them.

use crate::duel::{Conditions, Score, duels};
use crate::lesson::{Described, Lesson, Plan, RANDOM};
use crate::training_run::LOG;
use afterstate_arena::Player;
use afterstate_arena::rating::{RatingSettings, Results, rate};
use afterstate_engine::value::Checkpoint;
use afterstate_engine::value::checkpoint::write_whole;
use afterstate_engine::value::shape_agent::{CHECKPOINTS, checkpoint_name};
use afterstate_games::rng::mix;
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// A longer log is not a training log.
const MAX_BYTES: u64 = 16 << 20;

/// One line of a run's log.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Milestone {
    /// Training games behind the weights, or learning steps where recipes count those.
    pub games: u64,
    /// Mean moves of the training games since the last milestone.
    pub moves: f64,
    /// Mean squared error of the positions from which the same games learnt, before each moved towards its target (TD: the mean
    /// squared TD-error). What errors are of differs between learners, so that they are to be compared within a run.
    pub error: f64,
    /// Share of the same games that the first player won.
    pub first_player_score: f64,
    /// The learner's rating among its partners, in Elo, which follows it from game to game; nothing without partners.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<f64>,
    /// Results against each opponent.
    pub results: Vec<Against>,
    /// Rating on a scale where the random player has 0, from all results so far.
    pub elo: Option<Elo>,
}

/// A rating with the half-width of its 95 % interval.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Elo {
    /// Elo points.
    pub value: f64,
    /// Half the width of the 95 % interval.
    pub margin: f64,
}

/// Games against one opponent, from this side.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Against {
    /// `random`, or the opponent's number of training games.
    pub opponent: String,
    /// Wins, draws and losses.
    pub score: Score,
}

impl Milestone {
    /// `random 98 %, 10000 61 %`
    pub fn summary(&self) -> String {
        let scores = self.results.iter().map(|against| (against.opponent.clone(), against.score.mean()));
        if self.results.is_empty() { String::new() } else { format!("beats {}", percentages(scores)) }
    }
}

/// `random 98 %, 10000 61 %`
pub fn percentages(rates: impl IntoIterator<Item = (String, f64)>) -> String {
    let texts: Vec<String> = rates.into_iter().map(|(name, rate)| format!("{name} {:.0} %", 100.0 * rate)).collect();
    texts.join(", ")
}

/// The games against an opponent in the last `window` games of training, or steps, up to so many.
pub fn recent(log: &[Milestone], opponent: &str, games: u64, window: u64) -> Score {
    let mut sum = Score::default();
    let is_recent = |milestone: &&Milestone| milestone.games <= games && milestone.games + window > games;
    for against in log.iter().filter(is_recent).flat_map(|milestone| &milestone.results) {
        if against.opponent == opponent {
            sum.add(&against.score);
        }
    }
    sum
}

/// Points a game against everybody with a name of its own, in the last `window` games or steps up to a milestone.
pub fn recent_rates(log: &[Milestone], milestone: &Milestone, window: u64) -> Vec<(String, f64)> {
    let is_earlier = |against: &&Against| against.opponent.parse::<u64>().is_ok();
    let named = milestone.results.iter().filter(|against| window > 0 && !is_earlier(against));
    named
        .map(|Against { opponent, .. }| (opponent.clone(), recent(log, opponent, milestone.games, window).mean()))
        .collect()
}

/// The log of a run and how its next line is made.
pub struct Watch<L> {
    recipe: L,
    folder: PathBuf,
    log: Vec<Milestone>,
}

impl<L: Lesson> Watch<L> {
    /// Reads the log of a run that has come to `done` games. Lines beyond that belong to games that
    /// were lost with the machine; they are made anew. So is a last line that was not written to its end.
    pub fn open(recipe: &L, folder: &Path, done: u64) -> Result<Self> {
        let path = folder.join(LOG);
        let mut log = if path.exists() {
            read_log(&path).with_context(|| format!("training log {}", path.display()))?
        } else {
            Vec::new()
        };
        log.retain(|entry| entry.games <= done);
        Ok(Watch { recipe: recipe.clone(), folder: folder.to_path_buf(), log })
    }

    /// The win rates of the last games or steps behind a milestone, if the recipe wants them: `over 50 steps: random 98 %, solver-1x 61 %`
    pub fn recent_rates(&self, milestone: &Milestone) -> String {
        let Plan { unit, evaluation, .. } = self.recipe.plan();
        let rates = recent_rates(&self.log, milestone, evaluation.window);
        if rates.is_empty() {
            String::new()
        } else {
            format!("over {} {unit}: {}", evaluation.window, percentages(rates))
        }
    }

    /// What was measured so far.
    pub fn log(&self) -> &[Milestone] {
        &self.log
    }

    /// Whether nothing is logged yet about the weights after so many games.
    pub fn is_missing(&self, games: u64) -> bool {
        self.log.iter().all(|entry| entry.games != games)
    }

    /// Measures new weights and writes the line about them; nothing if `stop` is set before all is measured.
    pub fn measure(&mut self, now: &Checkpoint<L::About>, stop: &AtomicBool) -> Result<Option<Milestone>> {
        let (games, totals) = now.about.progress();
        let mean = |sum: f64| sum / totals.games.max(1) as f64;
        let mut entry = Milestone {
            games,
            moves: mean(totals.moves as f64),
            error: mean(totals.squared_error),
            first_player_score: mean(totals.first_player_score),
            rating: now.about.rating(),
            results: Vec::new(),
            elo: None,
        };
        let place = self.log.partition_point(|entry| entry.games < games);
        let settings = self.recipe.plan().evaluation;
        if settings.games > 0 {
            for (name, opponent) in self.recipe.yardsticks() {
                let opponents = |number| Ok((0..number).map(|_| opponent()).collect());
                entry.results.push(self.duel(now, &name, opponents, stop)?);
            }
            for (earlier, path) in self.opponents(place).take(settings.opponents) {
                let checkpoint =
                    L::read(&path).context("cannot measure against it (remove this file to go on without it)")?;
                let opponents = |number| self.recipe.players(&checkpoint, number);
                entry.results.push(self.duel(now, &earlier.to_string(), opponents, stop)?);
            }
        }
        // Half a measurement would stay in the log for good.
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        self.log.insert(place, entry);
        self.rate(place)?;
        self.write()?;
        Ok(Some(self.log[place].clone()))
    }

    /// Earlier weights, the newest first, by their number of games; those whose file was removed are passed over.
    fn opponents(&self, place: usize) -> impl Iterator<Item = (u64, PathBuf)> {
        let folder = self.folder.join(CHECKPOINTS);
        self.log[..place]
            .iter()
            .rev()
            .map(move |earlier| (earlier.games, folder.join(checkpoint_name(earlier.games))))
            .filter(|(_, path)| path.exists())
    }

    /// On as many threads as play in training.
    fn duel(
        &self,
        now: &Checkpoint<L::About>,
        name: &str,
        opponents: impl FnOnce(usize) -> Result<Vec<Box<dyn Player<L::Game>>>>,
        stop: &AtomicBool,
    ) -> Result<Against> {
        let plan = self.recipe.plan();
        let conditions = Conditions {
            start: self.recipe.start(),
            opening_moves: plan.evaluation.opening_moves,
            seed: plan.seed ^ mix(now.about.progress().0),
        };
        let games = u64::from(plan.evaluation.games);
        let threads = (plan.threads as u64).clamp(1, games.max(1)) as usize;
        let pairings = self.recipe.players(now, threads)?.into_iter().zip(opponents(threads)?);
        let pairings = pairings.map(|(me, opponent)| [me, opponent]).collect();
        let score = duels(&conditions, pairings, games, stop)?;
        Ok(Against { opponent: name.to_string(), score })
    }

    /// Rates an entry by the results up to it.
    fn rate(&mut self, place: usize) -> Result<()> {
        let mut results = Results::new();
        for entry in &self.log[..=place] {
            let me = entry.games.to_string();
            for against in &entry.results {
                against.score.add_to(&mut results, &me, &against.opponent)?;
            }
        }
        let entry = &mut self.log[place];
        let ratings = rate(&results, &RatingSettings::default().with_anchor(RANDOM, 0.0));
        // Without games there is nothing to rate; everything else would be a mistake of ours.
        entry.elo = ratings.ok().and_then(|ratings| {
            let player = ratings.player(&entry.games.to_string())?;
            Some(Elo { value: player.elo, margin: (player.high - player.low) / 2.0 })
        });
        Ok(())
    }

    fn write(&self) -> Result<()> {
        let path = self.folder.join(LOG);
        let mut text = String::new();
        for entry in &self.log {
            text.push_str(&serde_json::to_string(entry)?);
            text.push('\n');
        }
        write_whole(&path, text.as_bytes()).with_context(|| path.display().to_string())
    }
}

/// All whole lines of a log.
pub fn read_log(path: &Path) -> Result<Vec<Milestone>> {
    let file = std::fs::File::open(path)?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    ensure!(bytes.len() as u64 <= MAX_BYTES, "more than {} MiB, expected a line for each milestone", MAX_BYTES >> 20);
    let mut log: Vec<Milestone> = Vec::new();
    for (i, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        if !line.ends_with(b"\n") {
            break;
        }
        let Ok(entry) = serde_json::from_slice::<Milestone>(line) else {
            bail!("line {}: not a line of a training log; remove it, and it is made anew", i + 1);
        };
        let ascending = log.last().is_none_or(|last| last.games < entry.games);
        ensure!(ascending, "line {}: {} games, expected more than in the line before", i + 1, entry.games);
        log.push(entry);
    }
    Ok(log)
}
