//! Rates checkpoints by games against rungs of known strength.

use super::experiment::Experiment;
use super::ladder::{Ladder, Rung};
use super::runs::TrainedRun;
use super::{Workplace, folder_name};
use crate::duel::{Conditions, Score, duel};
use crate::progress::Progress;
use afterstate_arena::player::Player;
use afterstate_arena::rating::{Parameter, RatingSettings, Results, rate};
use afterstate_arena::result_log::lock;
use afterstate_arena::{RandomPlayer, ValuePlayer};
use afterstate_engine::value::{Linear, LocalShapes, ShapeAgent, Sharing, Weights, WindowSizes};
use afterstate_games::go::Go;
use afterstate_games::rng::mix;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Random moves at the start of every pair of rated games.
pub const OPENING_MOVES: usize = 4;

/// A line of the log: all games of one player against another.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Duel {
    /// The player.
    pub player: String,
    /// Its opponent.
    pub opponent: String,
    /// Check sums of the weights of both, empty for who has none and in older logs.
    #[serde(default, skip_serializing_if = "is_silent")]
    pub weights: [String; 2],
    /// Results of the player.
    pub score: Score,
    /// Games in which the referee named another winner than the plain area, and all that it counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disagreements: Option<[u64; 2]>,
    /// Games that the opponent's program lost by a fault.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub faults: u64,
}

fn is_silent(weights: &[String; 2]) -> bool {
    weights.iter().all(String::is_empty)
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Duel {
    /// Whether it was played by these two, with these weights as far as it says with which.
    pub fn is_of(&self, player: &str, opponent: &str, weights: &[String; 2]) -> bool {
        let has = |(known, now): (&String, &String)| known.is_empty() || known == now;
        self.player == player && self.opponent == opponent && self.weights.iter().zip(weights).all(has)
    }
}

/// A check sum of a checkpoint's file; empty for who has none.
pub fn weights_sum(checkpoint: Option<&Path>) -> Result<String> {
    let Some(path) = checkpoint else { return Ok(String::new()) };
    Ok(format!("{:08x}", crc32fast::hash(&std::fs::read(path).with_context(|| path.display().to_string())?)))
}

/// An append-only log of duels, one JSON line each.
pub struct DuelLog {
    path: PathBuf,
    file: Mutex<File>,
    /// What was there when it was opened.
    pub known: Vec<Duel>,
}

impl DuelLog {
    /// Opens a log; a last line without its end (from a killed program) is cut off.
    pub fn open(path: &Path) -> Result<DuelLog> {
        let describe = || path.display().to_string();
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        let file = OpenOptions::new().create(true).append(true).open(path).with_context(describe)?;
        // Two programs would play the same games, and count them twice.
        ensure!(lock(&file), "{}: another program writes to it; wait for it, or use another --runs", describe());
        let text = std::fs::read_to_string(path).with_context(describe)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut known = Vec::new();
        for (i, line) in text[..whole].lines().enumerate() {
            known.push(
                serde_json::from_str(line)
                    .with_context(|| format!("{} line {}: expected the result of a duel", path.display(), i + 1))?,
            );
        }
        file.set_len(whole as u64).with_context(describe)?;
        Ok(DuelLog { path: path.to_path_buf(), file: Mutex::new(file), known })
    }

    /// How many games of one player against another, with these weights, are logged.
    pub fn played(&self, player: &str, opponent: &str, weights: &[String; 2]) -> u64 {
        let of_both = |duel: &&Duel| duel.is_of(player, opponent, weights);
        self.known.iter().filter(of_both).map(|duel| duel.score.games()).sum()
    }

    /// The score of a duel that was played before with these weights, if it has at least so many games.
    pub fn find(&self, player: &str, opponent: &str, weights: &[String; 2], games: u64) -> Option<&Score> {
        let of_both = |duel: &&Duel| duel.is_of(player, opponent, weights);
        self.known.iter().filter(of_both).map(|duel| &duel.score).find(|score| score.games() >= games)
    }

    /// Adds a duel.
    pub fn append(&self, duel: &Duel) -> Result<()> {
        let mut line = serde_json::to_string(duel)?;
        line.push('\n');
        let mut file = self.file.lock().expect("writing does not panic");
        let mut write = || {
            let length = file.metadata()?.len();
            // Half a line, because the disk is full say, would make the next one unreadable.
            file.write_all(line.as_bytes()).inspect_err(|_| drop(file.set_len(length)))
        };
        write().with_context(|| self.path.display().to_string())
    }
}

/// The rating of one checkpoint.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Rated {
    /// Its series.
    pub series: String,
    /// Its run.
    pub seed: u64,
    /// Training games.
    pub games: u64,
    /// Elo on the ladder's scale.
    pub elo: f64,
    /// Standard error from the games alone.
    pub std_error: f64,
    /// Rated games.
    pub rated_games: u64,
}

/// Makes players of checkpoints; features of the same kind are built once.
#[derive(Default)]
pub struct PlayerCache {
    features: Mutex<HashMap<(usize, WindowSizes, Sharing), Arc<LocalShapes>>>,
}

impl PlayerCache {
    /// The greedy player of a checkpoint.
    pub fn greedy(&self, path: &Path) -> Result<ValuePlayer<Linear<LocalShapes>>> {
        Ok(ValuePlayer::new(Arc::new(self.value(path)?)))
    }

    /// The value function of a checkpoint.
    pub fn value(&self, path: &Path) -> Result<Linear<LocalShapes>> {
        let checkpoint = ShapeAgent::read(path)?;
        let about = &checkpoint.about;
        let features = self
            .features
            .lock()
            .expect("building features does not panic")
            .entry((about.board_size, about.sizes, about.sharing))
            .or_insert_with(|| Arc::new(about.features()))
            .clone();
        Ok(Linear { features, weights: Arc::new(Weights::from_values(&checkpoint.weights)), squash: about.squash })
    }
}

/// Plays what is missing of every checkpoint's games against the ladder's rungs, and rates them.
pub fn rate_runs(
    place: &Workplace,
    name: &str,
    experiment: &Experiment,
    runs: &[TrainedRun],
    ladder: &Ladder,
) -> Result<Vec<Rated>> {
    let log = DuelLog::open(&place.runs.join(name).join("duels.jsonl"))?;
    let rungs = ladder.rungs();
    // Pairs of games, so an even number against each rung.
    let each = (u64::from(experiment.size(place.scale)?.rated_games) / rungs.len() as u64).next_multiple_of(2);
    let instances: Vec<(&TrainedRun, u64, &PathBuf)> =
        runs.iter().flat_map(|run| run.checkpoints.iter().map(move |(games, path)| (run, *games, path))).collect();
    place.note(&format!("Rating {} checkpoints by {} games each", instances.len(), each * rungs.len() as u64));
    let progress = Progress::new(instances.len() as u64, 0, "checkpoints", place.json);
    let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let rated: Mutex<Vec<Result<Rated>>> = Mutex::new(Vec::new());
    let cache = PlayerCache::default();
    let work = || {
        while let Some((run, games, path)) = instances.get(next.fetch_add(1, Ordering::Relaxed)) {
            if place.stop.load(Ordering::Relaxed) {
                return;
            }
            let outcome = rate_one(place, &log, &cache, run, *games, path, &rungs, each, ladder);
            rated.lock().expect("pushing does not panic").push(outcome);
            progress.set(finished.fetch_add(1, Ordering::Relaxed) as u64 + 1);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..place.jobs {
            scope.spawn(work);
        }
    });
    progress.finish();
    place.go_on()?;
    let mut rated: Vec<Rated> =
        rated.into_inner().expect("pushing does not panic").into_iter().collect::<Result<_>>()?;
    rated.sort_by(|a, b| (&a.series, a.seed, a.games).cmp(&(&b.series, b.seed, b.games)));
    Ok(rated)
}

#[expect(clippy::too_many_arguments, reason = "the body of one loop, taken out to be read")]
fn rate_one(
    place: &Workplace,
    log: &DuelLog,
    cache: &PlayerCache,
    run: &TrainedRun,
    games: u64,
    path: &Path,
    rungs: &[&Rung],
    each: u64,
    ladder: &Ladder,
) -> Result<Rated> {
    let me = format!("{}-{}@{games}", folder_name(&run.series), run.seed);
    let mut results = Results::new();
    let mut player: Option<ValuePlayer<Linear<LocalShapes>>> = None;
    let own_weights = weights_sum(Some(path))?;
    for (i, rung) in rungs.iter().enumerate() {
        let weights = [own_weights.clone(), rung.weights.clone()];
        let score = match log.find(&me, &rung.name, &weights, each) {
            Some(score) => score.clone(),
            None => {
                if player.is_none() {
                    player = Some(cache.greedy(path)?);
                }
                let player = player.as_mut().expect("made in the line above");
                let conditions = Conditions {
                    start: Go::new(9).with_move_limit(300),
                    opening_moves: OPENING_MOVES,
                    seed: mix(run.seed ^ mix(games)) ^ mix(i as u64),
                };
                let mut opponent: Box<dyn Player<Go>> = match &rung.checkpoint {
                    Some(path) => Box::new(cache.greedy(path)?),
                    None => Box::new(RandomPlayer::default()),
                };
                let score = duel(&conditions, player, opponent.as_mut(), 0..each, place.stop)?;
                place.go_on()?;
                log.append(&Duel {
                    player: me.clone(),
                    opponent: rung.name.clone(),
                    weights,
                    score: score.clone(),
                    disagreements: None,
                    faults: 0,
                })?;
                score
            }
        };
        score.add_to(&mut results, &me, &rung.name)?;
    }
    let mut settings = RatingSettings {
        draw: Parameter::Fixed(0.0),
        advantage: Parameter::Fixed(ladder.advantage),
        ..RatingSettings::default()
    };
    for rung in rungs {
        settings = settings.with_anchor(&rung.name, rung.elo);
    }
    let ratings = rate(&results, &settings)?;
    let rating = ratings.player(&me).context("the rated player is in its own results")?;
    Ok(Rated {
        series: run.series.clone(),
        seed: run.seed,
        games,
        elo: rating.elo,
        std_error: rating.std_error,
        rated_games: rating.games,
    })
}
