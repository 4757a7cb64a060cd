//! The experiment behind `UCI_ShowWDL`: an agent plays itself, and the [`WdlModel`] is fitted to its scores and results by maximum
//! likelihood. Positions of one game have one result; so intervals come from resampling whole games.

use super::Workplace;
use crate::agent::AgentSpec;
use crate::output;
use afterstate_arena::pairing::Format;
use afterstate_arena::result_log::LoggedGame;
use afterstate_arena::tournament::TournamentSettings;
use afterstate_engine::value::centipawns::centipawns;
use afterstate_games::rng::below;
use afterstate_games::{Side, stream};
use afterstate_protocols::uci::{MEASURED_WDL, WdlModel};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Who plays itself.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Experiment {
    /// What the figures are for.
    source: String,
    /// What it is about.
    title: String,
    /// Who plays.
    agent: String,
    /// Settings by scale.
    scale: BTreeMap<String, Size>,
}

/// The size of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Size {
    games: u32,
    /// How many times the games are drawn again, with replacement.
    resamples: u32,
}

/// How often games were won, drawn and lost by the side to move with a score, by the score in steps of [`STEP`].
type Counts = BTreeMap<i32, [u64; 3]>;

/// In centipawns: finer than any model needs.
const STEP: f64 = 10.0;

/// Scores beyond, in centipawns, are left out of the fit. They say how well a player wins what is won, which no curve of an
/// advantage does, and are so many that the curve would be theirs.
const MOST: f64 = 400.0;

/// A parameter with its 95 % interval.
#[derive(Debug, Serialize)]
struct Fitted {
    value: f64,
    low: f64,
    high: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report<'a> {
    source: &'a str,
    title: &'a str,
    agent: &'a str,
    made_by: String,
    games: usize,
    /// Those that were fitted.
    positions: u64,
    every_second_game: Fitted,
    spread: Fitted,
    /// The mean negative log-likelihood of a position's result: fitted, and of the model that the program has now.
    fitted_loss: f64,
    program_loss: f64,
    /// By pawns of advantage: positions, and the parts of them that were won, drawn and lost.
    observed: Vec<Observed>,
}

#[derive(Serialize)]
struct Observed {
    pawns: i32,
    positions: u64,
    measured: [f64; 3],
    model: [f64; 3],
}

/// Plays the games that are missing, fits the model, and writes the report.
pub fn run(place: &Workplace, name: &str) -> Result<()> {
    let path = place.paper.join(format!("{name}.toml"));
    let experiment = load(&path).with_context(|| path.display().to_string())?;
    let size = place.size(&experiment.scale).with_context(|| path.display().to_string())?;
    // Two of the same need two names.
    let named = |which: &str| -> Result<AgentSpec> {
        let agent = AgentSpec::parse(&experiment.agent)?;
        Ok(AgentSpec { name: format!("{} ({which})", agent.name), ..agent })
    };
    place.note(&format!("{} against itself", experiment.agent));
    let settings = TournamentSettings { format: Format::Match, games: size.games, ..TournamentSettings::default() };
    let log = place.runs.join(name).join("games.jsonl");
    let played = place.play_chess(vec![named("one")?, named("other")?], settings, log)?;
    let games: Vec<Counts> = played.games.iter().map(counts).collect();
    let everything = sum(games.iter());
    let games: Vec<Counts> = games.into_iter().map(undecided).collect();
    let all = sum(games.iter());
    ensure!(!all.is_empty(), "{}: expected an agent that values positions", experiment.agent);
    let model = fit(&all);
    let mut rng = stream(1, 0);
    let mut resampled = [Vec::new(), Vec::new()];
    for _ in 0..size.resamples {
        let again = fit(&sum((0..games.len()).map(|_| &games[below(&mut rng, games.len() as u32) as usize])));
        resampled[0].push(again.every_second_game);
        resampled[1].push(again.spread);
    }
    let [every_second_game, spread] = resampled;
    let report = Report {
        source: &experiment.source,
        title: &experiment.title,
        agent: &experiment.agent,
        made_by: format!("{}; {} games, {} resamples", place.made_by(name), games.len(), size.resamples),
        games: games.len(),
        positions: all.values().flatten().sum(),
        every_second_game: interval(model.every_second_game, every_second_game),
        spread: interval(model.spread, spread),
        fitted_loss: loss(model, &all),
        program_loss: loss(MEASURED_WDL, &all),
        observed: observed(&everything, model),
    };
    place.publish(name, &report, &text(&report)?)
}

fn load(path: &Path) -> Result<Experiment> {
    let experiment: Experiment = crate::recipe::from_toml(&std::fs::read_to_string(path)?)?;
    for (name, size) in &experiment.scale {
        let positive = size.games > 0 && size.resamples > 0;
        ensure!(positive, "[scale.{name}]: expected numbers above 0");
    }
    Ok(experiment)
}

/// The scores of a game, as the sides to move saw them, with its result as they did. What was certain says nothing of the model.
fn counts(game: &LoggedGame) -> Counts {
    let mut counts = Counts::new();
    let result = &game.result;
    for (number, note) in result.notes.iter().enumerate() {
        let side = if (result.opening + number).is_multiple_of(2) { Side::First } else { Side::Second };
        let value = note.as_ref().and_then(|note| note.value).map(|value| value.seen_by(side));
        let Some(value) = value.filter(|value| (1e-6..=1.0 - 1e-6).contains(value)) else { continue };
        let ended = match result.outcome.winner {
            Some(winner) if winner == side => 0,
            None => 1,
            Some(_) => 2,
        };
        let score = (f64::from(centipawns(value)) / STEP).round() as i32;
        counts.entry(score).or_default()[ended] += 1;
    }
    counts
}

/// What is fitted of a game.
fn undecided(counts: Counts) -> Counts {
    counts.into_iter().filter(|(score, _)| f64::from(score.abs()) * STEP <= MOST).collect()
}

fn sum<'a>(games: impl Iterator<Item = &'a Counts>) -> Counts {
    let mut sum = Counts::new();
    for (&score, ends) in games.flatten() {
        let all = sum.entry(score).or_default();
        ends.iter().zip(all).for_each(|(more, all)| *all += more);
    }
    sum
}

/// The mean negative log-likelihood of the results.
fn loss(model: WdlModel, counts: &Counts) -> f64 {
    let (mut loss, mut positions) = (0.0, 0);
    for (&score, ends) in counts {
        let chances = model.chances(f64::from(score) * STEP);
        for (&count, chance) in ends.iter().zip(chances) {
            // Nothing is impossible.
            loss -= count as f64 * chance.max(1e-12).ln();
            positions += count;
        }
    }
    loss / (positions.max(1)) as f64
}

/// The model of the greatest likelihood, found by steps in all directions that are halved when none helps.
fn fit(counts: &Counts) -> WdlModel {
    let mut best = WdlModel { every_second_game: 150.0, spread: 100.0 };
    let (mut least, mut step) = (loss(best, counts), 64.0);
    while step > 0.05 {
        let moved = [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)].map(|(a, b)| WdlModel {
            every_second_game: (best.every_second_game + a * step).max(0.0),
            spread: (best.spread + b * step).clamp(1.0, 5000.0),
        });
        let losses = moved.map(|model| (loss(model, counts), model));
        match losses.into_iter().min_by(|one, other| one.0.total_cmp(&other.0)) {
            Some((smaller, model)) if smaller < least => (least, best) = (smaller, model),
            _ => step /= 2.0,
        }
    }
    best
}

fn interval(value: f64, mut resampled: Vec<f64>) -> Fitted {
    resampled.sort_by(f64::total_cmp);
    let at = |part: f64| resampled[((resampled.len() - 1) as f64 * part).round() as usize];
    Fitted { value, low: at(0.025), high: at(0.975) }
}

fn observed(counts: &Counts, model: WdlModel) -> Vec<Observed> {
    let mut by_pawns: BTreeMap<i32, [u64; 3]> = BTreeMap::new();
    for (&score, ends) in counts {
        let pawns = (f64::from(score) * STEP / 100.0).round().clamp(-5.0, 5.0) as i32;
        ends.iter().zip(by_pawns.entry(pawns).or_default()).for_each(|(more, all)| *all += more);
    }
    let row = |(pawns, ends): (i32, [u64; 3])| {
        let positions: u64 = ends.iter().sum();
        let measured = ends.map(|count| count as f64 / positions as f64);
        Observed { pawns, positions, measured, model: model.chances(f64::from(pawns) * 100.0) }
    };
    by_pawns.into_iter().map(row).collect()
}

fn text(report: &Report) -> Result<String> {
    let parts = |parts: [f64; 3]| parts.map(|part| format!("{:.0} %", 100.0 * part)).join(" ");
    let mut table = output::Table::new(["pawns", "positions", "won, drawn, lost", "by the model"]);
    for row in &report.observed {
        let pawns = match row.pawns {
            5 => "+5 and more".to_string(),
            -5 => "-5 and less".to_string(),
            pawns => format!("{pawns:+}"),
        };
        table.row([pawns, row.positions.to_string(), parts(row.measured), parts(row.model)]);
    }
    let mut text = Vec::new();
    table.write(&mut text)?;
    let parameter = |name: &str, Fitted { value, low, high }: &Fitted| {
        format!("{name} = {value:.0} ({low:.0} to {high:.0}, 95 % by resampling games)\n")
    };
    Ok(format!(
        "{}\n{}\n{}\n\n{}{}loss {:.4} a position; the program's model has {:.4}\n\n{}\n{}\n",
        report.source,
        report.title,
        report.agent,
        parameter("a", &report.every_second_game),
        parameter("b", &report.spread),
        report.fitted_loss,
        report.program_loss,
        String::from_utf8(text)?,
        report.made_by
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results that are as a model says are fitted by that model.
    #[test]
    fn a_model_is_found_again() {
        let model = WdlModel { every_second_game: 130.0, spread: 70.0 };
        let expected = |score: i32| model.chances(f64::from(score) * STEP).map(|part| (1e6 * part).round() as u64);
        let counts: Counts = (-60..=60).map(|score| (score, expected(score))).collect();
        let found = fit(&counts);
        assert!((found.every_second_game - 130.0).abs() < 1.0 && (found.spread - 70.0).abs() < 1.0, "{found:?}");
        assert!(loss(found, &counts) < loss(MEASURED_WDL, &counts) + 1e-9);
    }

    #[test]
    fn intervals_hold_most_of_what_was_drawn() {
        let Fitted { value, low, high } = interval(7.0, (0..=200).rev().map(f64::from).collect());
        assert_eq!((value, low, high), (7.0, 5.0, 195.0));
    }

    #[test]
    fn the_committed_experiment_is_complete() {
        let paper = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers/2009-treestrap");
        let experiment = load(&paper.join("wdl.toml")).unwrap();
        assert!(experiment.scale.contains_key("quick") && experiment.scale.contains_key("full"));
        AgentSpec::parse(&experiment.agent).unwrap();
    }

    /// The program's model is what the committed games gave, to the next centipawn.
    #[test]
    fn the_model_is_what_was_measured() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers/2009-treestrap/results/quick/wdl.json");
        let report: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let fitted = |name: &str| report[name]["value"].as_f64().unwrap().round();
        assert_eq!(
            (fitted("every-second-game"), fitted("spread")),
            (MEASURED_WDL.every_second_game, MEASURED_WDL.spread)
        );
    }
}
