//! A ladder from random play to GNU Go at level 10, which is 1800: the scale of all figures, and Table 2.
//!
//! Its steps are the checkpoints of one long run, alpha-beta of growing depth on the last of them, and
//! GNU Go at two levels. Rated together, they give the scale on which all figures are measured.

mod games;

use super::pool::{Duel, DuelLog, weights_sum};
use super::{Scale, Workplace, table2, verdict};
use crate::lesson::Lesson;
use crate::recipe::Recipe;
use crate::train::{Report, train};
use afterstate_arena::rating::{Parameter, PlayerRating, RatingSettings, Results, rate};
use afterstate_engine::value::shape_agent::checkpoints_in;
use anyhow::{Context, Result, bail, ensure};
use games::{Pairing, pairings, play};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;

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
            crate::version::VERSION,
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
