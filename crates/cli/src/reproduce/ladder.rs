//! A ladder from random play to GNU Go at level 10, which is 1800: the scale of all figures, and Table 2.
//!
//! Its steps are the checkpoints of one long run, alpha-beta of growing depth on the last of them, and
//! GNU Go at two levels. Rated together, they give the scale on which all figures are measured.

use super::play::never_began;
use super::pool::{Duel, DuelLog, OPENING_MOVES, PlayerCache, weights_sum};
use super::{Scale, Workplace, gnugo, table2, verdict};
use crate::agent::AgentSpec;
use crate::duel::{Conditions, Score, duel, opening};
use crate::lesson::Lesson;
use crate::progress::Progress;
use crate::recipe::Recipe;
use crate::registry::{Playable, players};
use crate::train::{Report, train};
use afterstate_arena::RandomPlayer;
use afterstate_arena::game_loop::{GameRules, play_game};
use afterstate_arena::player::Player;
use afterstate_arena::rating::{Parameter, PlayerRating, RatingSettings, Results, rate};
use afterstate_engine::value::shape_agent::checkpoints_in;
use afterstate_games::Side;
use afterstate_games::go::Go;
use afterstate_games::rng::mix;
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The scale's fixed point: GNU Go at level 10.
const ANCHOR: (&str, f64) = ("gnugo-10", 1800.0);
const RANDOM: &str = "random";

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Settings {
    source: String,
    headline: PathBuf,
    scale: BTreeMap<String, Size>,
    paper: Paper,
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Size {
    games: u64,
    pair_games: u64,
    depths: u32,
    depth_games: u64,
    gnugo: Vec<Level>,
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Level {
    level: u32,
    /// Against each depth.
    games: u64,
    /// How many of the last checkpoints play against this level.
    #[serde(default)]
    checkpoints: usize,
    /// Against each of them.
    #[serde(default)]
    checkpoint_games: u64,
}

/// The paper's Table 2, by depth from 1.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Paper {
    /// Ratings.
    pub elo: Vec<f64>,
    /// Their standard errors.
    pub standard_error: Vec<f64>,
}

/// A player of known strength.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rung {
    /// `random`, `greedy@10000`, `alpha-beta-3`, `gnugo-10`.
    pub name: String,
    /// Its rating.
    pub elo: f64,
    /// 95 % interval.
    pub low: f64,
    /// 95 % interval.
    pub high: f64,
    /// Rated games.
    pub games: u64,
    /// A check sum of the weights of a greedy player; empty for others, and in older results.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub weights: String,
    /// The weights of a greedy player.
    #[serde(skip)]
    pub checkpoint: Option<PathBuf>,
}

/// The ladder with its ratings, as it is kept among the results.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Ladder {
    /// Version and settings that made it.
    pub made_by: String,
    /// Who has a rating by definition.
    pub anchor: String,
    /// What moving first is worth, in Elo.
    pub advantage: f64,
    /// The checkpoints, the random player and GNU Go, rated together, the strongest first.
    pub players: Vec<Rung>,
    /// Alpha-beta on the last checkpoint, that checkpoint's greedy play (depth 1) and GNU Go, rated together.
    pub depths: Vec<Rung>,
    /// Games in which GNU Go's count named another winner than the plain area, of all that were counted.
    pub referee_disagreements: [u64; 2],
    /// Games that GNU Go lost because its program failed.
    #[serde(default)]
    pub gnugo_faults: u64,
}

impl Ladder {
    /// Whether its ratings can be compared with the paper's, which has GNU Go at level 10 at 1800.
    pub fn is_on_the_papers_scale(&self) -> bool {
        self.players.iter().any(|rung| rung.name == ANCHOR.0)
    }

    /// The players that checkpoints are rated against: the random player and a spread of greedy ones.
    pub fn rungs(&self) -> Vec<&Rung> {
        let greedy: Vec<&Rung> =
            self.players.iter().rev().filter(|rung| rung.checkpoint.is_some() || rung.name == RANDOM).collect();
        // About 130 Elo apart, so that every player meets some that are near it.
        let mut chosen: Vec<&Rung> = Vec::new();
        for rung in greedy {
            if chosen.last().is_none_or(|last| rung.elo - last.elo >= 130.0) {
                chosen.push(rung);
            }
        }
        chosen
    }

    /// By how much the scale itself may be off near a rating, in Elo: half the 95 % interval of the player there, between two of them in
    /// proportion. Whoever is rated against rungs whose ratings count as exact is no better known than these.
    pub fn margin_at(&self, elo: f64) -> f64 {
        let margin = |rung: &Rung| (rung.high - rung.low) / 2.0;
        // The strongest first.
        let above = self.players.iter().rfind(|rung| rung.elo >= elo);
        let below = self.players.iter().find(|rung| rung.elo < elo);
        match (above, below) {
            (Some(above), Some(below)) => {
                let part = (elo - below.elo) / (above.elo - below.elo);
                margin(below) + part * (margin(above) - margin(below))
            }
            (Some(only), None) | (None, Some(only)) => margin(only),
            (None, None) => 0.0,
        }
    }

    /// Whether a player's rating is at least the paper's.
    pub fn at_least(&self, rung: &Rung, wanted: f64) -> &'static str {
        if self.is_on_the_papers_scale() {
            verdict::at_least(rung.low, rung.high, wanted)
        } else {
            verdict::OTHER_SCALE
        }
    }

    /// Finds the weights of greedy players.
    ///
    /// # Errors
    ///
    /// If they are not those that were rated.
    fn attach(&mut self, checkpoints: &[(u64, PathBuf)]) -> Result<()> {
        for rung in &mut self.players {
            let games = rung.name.strip_prefix("greedy@").and_then(|games| games.parse::<u64>().ok());
            rung.checkpoint =
                checkpoints.iter().find(|(number, _)| Some(*number) == games).map(|(_, path)| path.clone());
            let sum = weights_sum(rung.checkpoint.as_deref())?;
            let known = std::mem::replace(&mut rung.weights, sum);
            if let Some(path) = rung.checkpoint.as_deref() {
                ensure!(
                    known.is_empty() || known == rung.weights,
                    "{}: these are not the weights that the ladder was made with: run 'afterstate reproduce rlgo/table2' again",
                    path.display()
                );
            }
        }
        Ok(())
    }
}

/// The ladder of this scale: from the results, or made on the spot when it is a quick one.
pub fn of(place: &Workplace) -> Result<Ladder> {
    let path = place.results.join("table2.json");
    let folder = place.runs.join("headline");
    if !path.exists() || !folder.exists() {
        if place.scale == Scale::Full {
            bail!(
                "{} or {} is missing: run 'afterstate reproduce rlgo/table2 --scale full' first",
                path.display(),
                folder.display()
            );
        }
        make(place)?;
    }
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let mut ladder: Ladder = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    ladder.attach(&checkpoints_in(&folder).with_context(|| folder.display().to_string())?)?;
    Ok(ladder)
}

/// One pairing: who, and how many games.
struct Pairing {
    player: Seat,
    opponent: Seat,
    games: u64,
    seed: u64,
}

#[derive(Clone)]
enum Seat {
    Random,
    Greedy(u64, PathBuf),
    AlphaBeta(u32, PathBuf),
    GnuGo(u32),
}

impl Seat {
    fn name(&self) -> String {
        match self {
            Seat::Random => RANDOM.to_string(),
            Seat::Greedy(games, _) => format!("greedy@{games}"),
            Seat::AlphaBeta(depth, _) => format!("alpha-beta-{depth}"),
            Seat::GnuGo(level) => format!("gnugo-{level}"),
        }
    }

    fn weights(&self) -> Result<String> {
        weights_sum(match self {
            Seat::Greedy(_, path) | Seat::AlphaBeta(_, path) => Some(path.as_path()),
            Seat::Random | Seat::GnuGo(_) => None,
        })
    }

    fn is_external(&self) -> bool {
        matches!(self, Seat::GnuGo(_))
    }

    fn sit(&self, cache: &PlayerCache) -> Result<Box<dyn Player<Go>>> {
        let spec = match self {
            Seat::Random => return Ok(Box::new(RandomPlayer::default())),
            Seat::Greedy(_, path) => return Ok(Box::new(cache.greedy(path)?)),
            Seat::AlphaBeta(depth, path) => format!("alpha-beta:{},depth={depth}", path.display()),
            Seat::GnuGo(level) => gnugo::agent(*level),
        };
        Ok(players(&Go::new(9), &AgentSpec::parse(&spec)?)?()?)
    }
}

impl Pairing {
    fn weights(&self) -> Result<[String; 2]> {
        Ok([self.player.weights()?, self.opponent.weights()?])
    }
}

/// Trains, plays and rates what is missing, writes the ladder down and prints the comparison.
pub fn make(place: &Workplace) -> Result<()> {
    let settings_path = place.paper.join("table2.toml");
    let text = std::fs::read_to_string(&settings_path).with_context(|| settings_path.display().to_string())?;
    let settings: Settings = toml::from_str(&text).map_err(|error| {
        anyhow::anyhow!("{}: {}", settings_path.display(), error.to_string().trim().replace('\n', "; "))
    })?;
    let size = place.scale.of(&settings.scale).with_context(|| settings_path.display().to_string())?;

    let mut recipe = Recipe::load(&place.paper.join(&settings.headline))?;
    recipe.games = size.games;
    let folder = place.runs.join("headline");
    place.note(&format!("Training the headline run of {} games", size.games));
    train(&recipe, &folder, folder.exists(), Report::None, place.stop)?;
    place.go_on()?;
    let milestones = recipe.milestones();
    let mut checkpoints = checkpoints_in(&folder)?;
    checkpoints.retain(|(games, _)| milestones.contains(games));

    let results_of = play(place, size, &checkpoints)?;
    let ladder = rated(place, size, results_of, checkpoints)?;
    table2::write(place, &settings.source, &settings.paper, &ladder)
}

/// All pairings in the order in which they are worth playing.
fn pairings(size: &Size, checkpoints: &[(u64, PathBuf)]) -> Vec<Pairing> {
    let mut seats: Vec<Seat> = vec![Seat::Random];
    seats.extend(checkpoints.iter().map(|(games, path)| Seat::Greedy(*games, path.clone())));
    let last = checkpoints.last().map(|(_, path)| path.clone()).unwrap_or_default();
    let final_seat = seats[seats.len() - 1].clone();
    // Depth 1 is the greedy player itself.
    let mut depths = vec![final_seat];
    depths.extend((2..=size.depths).map(|depth| Seat::AlphaBeta(depth, last.clone())));

    let mut pairs: Vec<(Seat, Seat, u64)> = Vec::new();
    let mut everybody = |seats: &[Seat], games| {
        for (i, a) in seats.iter().enumerate() {
            for b in &seats[..i] {
                pairs.push((a.clone(), b.clone(), games));
            }
        }
    };
    everybody(&seats, size.pair_games);
    everybody(&depths, size.depth_games);
    for level in &size.gnugo {
        let opponent = Seat::GnuGo(level.level);
        let last_checkpoints = seats.iter().rev().take(level.checkpoints);
        pairs.extend(last_checkpoints.map(|player| (player.clone(), opponent.clone(), level.checkpoint_games)));
        pairs.extend(depths.iter().map(|player| (player.clone(), opponent.clone(), level.games)));
    }
    // Pairings of the same two are not played twice: the first stands.
    let mut known: Vec<(String, String)> = Vec::new();
    pairs.retain(|(a, b, _)| {
        let pair = (a.name(), b.name());
        let new = !known.contains(&pair);
        known.push(pair);
        new
    });
    pairs
        .into_iter()
        .enumerate()
        .map(|(i, (player, opponent, games))| Pairing { player, opponent, games, seed: mix(0x7ab1e2 + i as u64) })
        .collect()
}

fn play(place: &Workplace, size: &Size, checkpoints: &[(u64, PathBuf)]) -> Result<DuelLog> {
    let path = place.runs.join("ladder.jsonl");
    let log = DuelLog::open(&path)?;
    let cache = PlayerCache::default();
    // A pair of games is the unit of work: whatever is killed loses at most one.
    let mut work: Vec<(Pairing, u64)> = Vec::new();
    for pairing in pairings(size, checkpoints) {
        let played = log.played(&pairing.player.name(), &pairing.opponent.name(), &pairing.weights()?);
        if played < pairing.games {
            work.push((pairing, played));
        }
    }
    let total: u64 = work.iter().map(|(pairing, played)| pairing.games - played).sum();
    place.note(&format!("Playing {total} games"));
    let progress = Progress::new(total, 0, "games", place.json);
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let failure: Mutex<Option<anyhow::Error>> = Mutex::new(None);
    let worker = || {
        while let Some((pairing, played)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(error) = play_pairing(place, &log, &cache, pairing, *played, &|| {
                progress.set(done.fetch_add(2, Ordering::Relaxed) as u64 + 2);
            }) {
                *failure.lock().expect("setting does not panic") = Some(error);
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..place.jobs {
            scope.spawn(worker);
        }
    });
    progress.finish();
    place.go_on()?;
    match failure.into_inner().expect("setting does not panic") {
        Some(error) => Err(error),
        None => {
            // It is this program's alone as long as it is open.
            drop(log);
            DuelLog::open(&path)
        }
    }
}

fn play_pairing(
    place: &Workplace,
    log: &DuelLog,
    cache: &PlayerCache,
    pairing: &Pairing,
    played: u64,
    pair_done: &dyn Fn(),
) -> Result<()> {
    let (mut player, mut opponent) = (pairing.player.sit(cache)?, pairing.opponent.sit(cache)?);
    let weights = pairing.weights()?;
    let conditions =
        Conditions { start: Go::new(9).with_move_limit(300), opening_moves: OPENING_MOVES, seed: pairing.seed };
    for pair in played / 2..pairing.games / 2 {
        if place.stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        let games = 2 * pair..2 * pair + 2;
        let (score, disagreements, faults) = if pairing.opponent.is_external() {
            refereed(place, &conditions, [player.as_mut(), opponent.as_mut()], games)?
        } else {
            (duel(&conditions, player.as_mut(), opponent.as_mut(), games, place.stop)?, None, 0)
        };
        if score.games() < 2 {
            return Ok(());
        }
        log.append(&Duel {
            player: pairing.player.name(),
            opponent: pairing.opponent.name(),
            weights: weights.clone(),
            score,
            disagreements,
            faults,
        })?;
        pair_done();
    }
    Ok(())
}

/// Games against an external program, counted by GNU Go after it has taken dead stones off the board; how often its count differed, and
/// how often the program failed.
fn refereed(
    place: &Workplace,
    conditions: &Conditions<Go>,
    [player, opponent]: [&mut dyn Player<Go>; 2],
    games: std::ops::Range<u64>,
) -> Result<(Score, Option<[u64; 2]>, u64)> {
    let mut score = Score::default();
    let (mut disagreements, mut faults) = ([0, 0], 0);
    let mut referee = Go::referee("gnugo")?()?;
    for number in games {
        let moves = opening(conditions, number / 2);
        let rules = GameRules {
            seed: mix(conditions.seed ^ mix(number)),
            move_limit: 300,
            lag: Duration::from_secs(60),
            ..GameRules::default()
        };
        let mine = if number % 2 == 0 { Side::First } else { Side::Second };
        let seats: [&mut dyn Player<Go>; 2] = match mine {
            Side::First => [&mut *player, &mut *opponent],
            Side::Second => [&mut *opponent, &mut *player],
        };
        let Some(result) = play_game(&conditions.start, &moves, seats, referee.as_mut(), &rules) else { break };
        // Whoever fails loses; but a program that cannot be started says nothing about anybody's strength.
        if never_began(&result) {
            bail!("a game against GNU Go could not begin: {}", result.ending.detail);
        }
        if let Some(differs) = result.verdict.as_ref().and_then(|verdict| verdict.disagrees()) {
            disagreements[0] += u64::from(differs);
            disagreements[1] += 1;
        }
        faults += u64::from(result.ending.kind.is_fault() && result.outcome.winner == Some(mine));
        score.count(result.outcome, mine);
        if place.stop.load(Ordering::Relaxed) && score.games() < 2 {
            return Ok((Score::default(), None, 0));
        }
    }
    Ok((score, Some(disagreements), faults))
}

fn rated(place: &Workplace, size: &Size, log: DuelLog, checkpoints: Vec<(u64, PathBuf)>) -> Result<Ladder> {
    let mut results = Results::new();
    let (mut referee_disagreements, mut gnugo_faults) = ([0, 0], 0);
    let mut weights = BTreeMap::new();
    for Pairing { player, opponent, .. } in pairings(size, &checkpoints) {
        for seat in [player, opponent] {
            if let Entry::Vacant(new) = weights.entry(seat.name()) {
                new.insert(seat.weights()?);
            }
        }
    }
    let sum = |name: &String| weights.get(name).cloned().unwrap_or_default();
    let is_current = |duel: &&Duel| duel.is_of(&duel.player, &duel.opponent, &[sum(&duel.player), sum(&duel.opponent)]);
    for duel in log.known.iter().filter(is_current) {
        gnugo_faults += duel.faults;
        duel.score.add_to(&mut results, &duel.player, &duel.opponent)?;
        if let Some([differing, counted]) = duel.disagreements {
            referee_disagreements[0] += differing;
            referee_disagreements[1] += counted;
        }
    }
    let (anchor, elo) = if size.gnugo.is_empty() { (RANDOM, 0.0) } else { ANCHOR };
    // Two tournaments, as in the paper: the checkpoints with GNU Go, and the depths with GNU Go.
    let is_deep = |name: &str| name.starts_with("alpha-beta-");
    let last = checkpoints.last().map(|(games, _)| format!("greedy@{games}")).unwrap_or_default();
    let among = |keep: &dyn Fn(&str) -> bool| -> Result<(Vec<Rung>, f64)> {
        let names: Vec<String> = results.players().iter().filter(|name| keep(name)).cloned().collect();
        // There are no draws with a komi of 7.5.
        let settings = RatingSettings { draw: Parameter::Fixed(0.0), ..RatingSettings::default() };
        let ratings = rate(&results.among(&names), &settings.with_anchor(anchor, elo))?;
        let rung = |player: &PlayerRating| Rung {
            name: player.name.clone(),
            elo: player.elo,
            low: player.low,
            high: player.high,
            games: player.games,
            weights: String::new(),
            checkpoint: None,
        };
        Ok((ratings.players.iter().map(rung).collect(), ratings.advantage.elo))
    };
    let (players, advantage) = among(&|name| !is_deep(name))?;
    let depths = if size.gnugo.is_empty() {
        // Without GNU Go only the random player ties the depths to the scale.
        among(&|_| true)?.0.into_iter().filter(|rung| is_deep(&rung.name) || rung.name == last).collect()
    } else {
        among(&|name| is_deep(name) || name == last || name.starts_with("gnugo-"))?.0
    };
    let mut ladder = Ladder {
        made_by: format!(
            "afterstate {}: reproduce rlgo/table2 --scale {}; {}",
            env!("CARGO_PKG_VERSION"),
            place.scale.name(),
            serde_json::to_string(size)?
        ),
        anchor: format!("{anchor} = {elo}"),
        advantage,
        players,
        depths,
        referee_disagreements,
        gnugo_faults,
    };
    if gnugo_faults > 0 {
        place.note(&format!("GNU Go lost {gnugo_faults} games because its program failed"));
    }
    ladder.attach(&checkpoints)?;
    Ok(ladder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_no_surer_than_the_players_that_it_is_made_of() {
        let rung = |elo: f64, margin: f64| Rung {
            name: String::new(),
            elo,
            low: elo - margin,
            high: elo + margin,
            games: 1,
            weights: String::new(),
            checkpoint: None,
        };
        let ladder = Ladder {
            made_by: String::new(),
            anchor: String::new(),
            advantage: 0.0,
            players: vec![rung(1800.0, 0.0), rung(1000.0, 80.0), rung(0.0, 160.0)],
            depths: Vec::new(),
            referee_disagreements: [0, 0],
            gnugo_faults: 0,
        };
        let margins = [2000.0, 1800.0, 1400.0, 250.0, -10.0].map(|elo| ladder.margin_at(elo));
        assert_eq!(margins, [0.0, 0.0, 40.0, 140.0, 160.0]);
    }
}
