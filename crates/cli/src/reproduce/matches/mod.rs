//! Experiments that are made of matches: agents against an opponent, in winning rates and Elo differences.
//!
//! Every point of a figure is an agent spec, so whoever likes a point can play it with `afterstate match`. A point is a
//! match with a log of its own ([`crate::contest`]), from which a stopped or killed experiment goes on; the report
//! ([`report`]) is made of the logs alone.

mod claims;
mod measured;
mod recipe;
mod report;
#[cfg(test)]
mod tests;

use super::Workplace;
use super::play::{Games, logged};
use crate::any_recipe::AnyRecipe;
use crate::contest::check_start;
use crate::progress::Progress;
use crate::train::Report;
use afterstate_arena::pairing::Format;
use afterstate_arena::tournament::TournamentSettings;
use afterstate_engine::value::shape_agent::checkpoints_in;
use anyhow::{Context, Result};
use measured::Measured;
pub use recipe::Training;
use recipe::{Match, MatchExperiment};
use std::cell::Cell;
use std::path::{Path, PathBuf};

/// Trains, plays what is missing and writes the report. With `points`, only those are played; what others have played
/// before is in the report.
pub fn run(place: &Workplace, name: &str, points: &[String]) -> Result<()> {
    let path = place.paper.join(format!("{name}.toml"));
    let experiment = MatchExperiment::load(&path)?;
    let mut matches = experiment.matches(place.scale).with_context(|| path.display().to_string())?;
    let folder = place.runs.join(name);
    if !points.is_empty() {
        experiment.choose(&mut matches, points).with_context(|| path.display().to_string())?;
        matches.retain(|planned| planned.wanted || folder.join(&planned.log).exists());
    }
    let missing = missing(&experiment, &matches, &folder);
    let agents = missing.iter().flat_map(|planned| &planned.agents).map(|agent| agent.name.as_str());
    train(place, &experiment.trainings, agents)?;
    matches.iter_mut().for_each(pin);
    if !points.is_empty() {
        matches.retain(|planned| planned.wanted || is_of_experiment(place, &experiment, planned, &folder));
    }
    // What cannot be played should say so before the first game, not hours later.
    let played = measure(&experiment, &matches, &folder)?;
    for (planned, _) in matches.iter().zip(&played).filter(|(planned, done)| planned.wanted && !done.is_complete()) {
        let name = &experiment.points[planned.point].name;
        check_start(planned.game, &planned.agents).with_context(|| format!("point '{name}'"))?;
        place.go_on()?;
    }
    let outcome = play(place, name, &experiment, &matches, &folder);
    report::write(place, name, &experiment, &measure(&experiment, &matches, &folder)?, outcome.is_ok())?;
    outcome
}

/// Whether a match that nobody asks for can be in the report: not if its log is of other games than the experiment wants.
fn is_of_experiment(place: &Workplace, experiment: &MatchExperiment, planned: &Match, folder: &Path) -> bool {
    match measure(experiment, std::slice::from_ref(planned), folder) {
        Ok(_) => true,
        Err(error) => {
            place.note(&format!("Left out: point '{}': {error:#}", experiment.points[planned.point].name));
            false
        }
    }
}

/// Has a match's agents name what is there now.
fn pin(planned: &mut Match) {
    for agent in &mut planned.agents {
        *agent = agent.pinned();
    }
}

/// The matches that are wanted and not complete, as far as can be told before anything is trained, and those whose log is of agents
/// that nobody knows before: what was played by something that is not there any more need not be played again.
fn missing<'a>(experiment: &MatchExperiment, matches: &'a [Match], folder: &Path) -> Vec<&'a Match> {
    let is_missing = |planned: &Match| {
        let mut now = planned.clone();
        pin(&mut now);
        match measure(experiment, &[now], folder) {
            Ok(played) => planned.wanted && !played.iter().all(Measured::is_complete),
            Err(_) => true,
        }
    };
    matches.iter().filter(|planned| is_missing(planned)).collect()
}

/// Trains what these agents use and nobody has trained yet.
pub fn train<'a>(
    place: &Workplace,
    trainings: &[Training],
    agents: impl Iterator<Item = &'a str> + Clone,
) -> Result<()> {
    for training in trainings {
        let folder = &training.folder;
        let named = folder.to_string_lossy();
        if !agents.clone().any(|agent| agent.contains(&*named)) {
            continue;
        }
        let recipe = AnyRecipe::load(&place.paper.join(&training.recipe))?;
        let trained = checkpoints_in(folder).ok().and_then(|found| found.last().map(|(games, _)| *games));
        if trained.is_none_or(|games| games < recipe.games()) {
            place.note(&format!("Training {} {} into {}", recipe.games(), recipe.unit(), folder.display()));
            recipe.train(folder, folder.exists(), Report::None, place.stop)?;
            place.go_on()?;
        } else if !recipe.is_of(folder) {
            place.note(&format!(
                "{} was learnt with other settings than {} has now, and plays as it is",
                folder.display(),
                training.recipe.display()
            ));
        }
    }
    Ok(())
}

/// What the logs say about every match.
fn measure(experiment: &MatchExperiment, matches: &[Match], folder: &Path) -> Result<Vec<Measured>> {
    let measured = matches.iter().map(|planned| {
        let (names, games) =
            logged(&folder.join(&planned.log), planned.game, &planned.agents, &settings(experiment, planned))?;
        Measured::of(&experiment.points[planned.point], planned, experiment.sprt, &names, &games)
    });
    measured.collect()
}

/// Plays what is missing, point by point, with a report after each.
fn play(place: &Workplace, name: &str, experiment: &MatchExperiment, matches: &[Match], folder: &Path) -> Result<()> {
    // Some take hours: the scale's list begins with those that matter most.
    let mut in_turn: Vec<&Match> = matches.iter().filter(|planned| planned.wanted).collect();
    in_turn.sort_by_key(|planned| planned.turn);
    let measured = |planned: &Match| -> Result<Measured> {
        let mut points = measure(experiment, std::slice::from_ref(planned), folder)?;
        points.pop().context("one match is measured")
    };
    // Of a match that its test has ended nothing is missing.
    let behind = |point: Measured| if point.is_complete() { u64::from(point.planned) } else { point.games };
    let before: u64 = in_turn.iter().map(|planned| Ok(behind(measured(planned)?))).sum::<Result<u64>>()?;
    let total: u64 = in_turn.iter().map(|planned| u64::from(planned.games)).sum();
    let so_called = if in_turn.len() == 1 { "match" } else { "matches" };
    place.note(&format!("{} {so_called}, {} of {total} games to play", in_turn.len(), total - before));
    let progress = Progress::new(total, before, "games", place.json);
    let done = Cell::new(before);
    for planned in in_turn {
        let already = measured(planned)?;
        if already.is_complete() {
            continue;
        }
        let (log, begun) = (folder.join(&planned.log), done.get());
        play_match(place, experiment, planned, log, &|| {
            done.set(done.get() + 1);
            progress.set(done.get());
        })?;
        done.set(begun + u64::from(planned.games) - already.games);
        progress.set(done.get());
        place.go_on()?;
        report::write(place, name, experiment, &measure(experiment, matches, folder)?, false)?;
    }
    progress.finish();
    Ok(())
}

fn settings(experiment: &MatchExperiment, planned: &Match) -> TournamentSettings {
    TournamentSettings {
        format: Format::Match,
        games: planned.games,
        opening_moves: experiment.opening_moves,
        seed: experiment.seed,
        time: planned.time,
        adjudication: planned.adjudication,
        referee: planned.referee.clone(),
        ..TournamentSettings::default()
    }
}

fn play_match(
    place: &Workplace,
    experiment: &MatchExperiment,
    planned: &Match,
    log: PathBuf,
    game_done: &dyn Fn(),
) -> Result<()> {
    let games = Games {
        log_notes: experiment.notes,
        sprt: experiment.sprt,
        ..Games::new(planned.game, planned.agents.to_vec(), settings(experiment, planned), log)
    };
    place.play(games, Some(game_done)).with_context(|| format!("point '{}'", experiment.points[planned.point].name))?;
    Ok(())
}
