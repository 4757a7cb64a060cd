//! What a run has seen, and how well its last network knows what it would see (paper 004, §6, Figure 3 and Table 2).

use super::super::Workplace;
use super::super::runs::TrainedRun;
use crate::progress::Progress;
use crate::zero_recipe::{ZeroGame, ZeroRecipe};
use afterstate_engine::value::checkpoint::write_whole;
use afterstate_engine::zero::{Cached, KataGoSettings, ValueLoss, unique_states, value_loss};
use afterstate_nets::{ResidualAgent, agent};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Search states for each game.
const SEARCH_STATES: u64 = 2;

/// What is known of a run's states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct States {
    /// Learning steps of the run.
    steps: u64,
    /// Games of which the losses are.
    games: u64,
    /// Different positions visited in training, by depth.
    pub unique: Vec<u64>,
    /// Of the last network.
    pub loss: ValueLoss,
}

/// The file in a run's folder that keeps them.
const FILE: &str = "states.json";

/// Looks at each run, several at a time; what is known already is kept.
pub fn of_runs<G: ZeroGame>(
    place: &Workplace,
    runs: &[(&TrainedRun, ZeroRecipe)],
    folder: &(dyn Fn(&TrainedRun) -> std::path::PathBuf + Sync),
    games: u64,
) -> Result<Vec<States>> {
    place.note("Counting states, and playing for value losses");
    let progress = Progress::new(runs.len() as u64, 0, "runs", place.json);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let found: Mutex<Vec<Option<Result<States>>>> = Mutex::new(runs.iter().map(|_| None).collect());
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some((run, recipe)) = runs.get(number).filter(|_| !place.stop.load(Ordering::Relaxed)) else { break };
            let folder = folder(run);
            let states = of_run::<G>(place, run, recipe, &folder, games).with_context(|| folder.display().to_string());
            found.lock().expect("storing does not panic")[number] = Some(states);
            progress.set(done.fetch_add(1, Ordering::Relaxed) as u64 + 1);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..place.jobs {
            scope.spawn(work);
        }
    });
    progress.finish();
    let found = found.into_inner().expect("storing does not panic");
    found.into_iter().map(|states| states.context("stopped; the same command goes on from here")?).collect()
}

fn of_run<G: ZeroGame>(
    place: &Workplace,
    run: &TrainedRun,
    recipe: &ZeroRecipe,
    folder: &Path,
    games: u64,
) -> Result<States> {
    let (steps, checkpoint) = run.checkpoints.last().context("there is no checkpoint")?;
    let file = folder.join(FILE);
    let known = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<States>(&bytes).ok());
    if let Some(known) = known.filter(|known| (known.steps, known.games) == (*steps, games)) {
        return Ok(known);
    }
    let first = G::first(recipe);
    let unique = unique_states(&first, folder)?;
    let checkpoint = ResidualAgent::read(checkpoint)?;
    const CACHE_BITS: u32 = 16;
    let backend = recipe.device.open().map_err(anyhow::Error::msg)?;
    let mut network = Cached::new(agent::player(&checkpoint, &backend), CACHE_BITS, first.most_moves());
    // The learner's own games, but whole ones that do not branch, and searches that are not forced to look elsewhere.
    let mut settings = recipe.zero.self_play.clone();
    (settings.katago, settings.early_end, settings.puct.forced_playouts) = (KataGoSettings::default(), 0.0, 0.0);
    let loss = value_loss(&first, &settings, &mut network, (games, SEARCH_STATES, recipe.seed), place.stop);
    ensure!(loss.is_some(), "stopped; the same command goes on from here");
    let states = States { steps: *steps, games, unique, loss: loss.unwrap_or_default() };
    write_whole(&file, serde_json::to_string(&states)?.as_bytes())?;
    Ok(states)
}
