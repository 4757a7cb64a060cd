//! What a run has seen, and how well its last network knows what it would see (paper 004, §6, Figure 3 and Table 2).

use super::super::Workplace;
use super::super::runs::TrainedRun;
use crate::zero_game::ZeroGame;
use crate::zero_recipe::ZeroRecipe;
use afterstate_engine::value::checkpoint::write_whole;
use afterstate_engine::zero::{Cached, KataGoSettings, ValueLoss, unique_states, value_loss};
use afterstate_nets::{ResidualAgent, agent};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Search states for each game.
const SEARCH_STATES: u64 = 2;

/// What is known of a run's states.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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

/// Looks at a run that has ended. What is known already is kept, so that its games are needed once.
pub fn of_run<G: ZeroGame>(
    place: &Workplace,
    run: &TrainedRun,
    recipe: &ZeroRecipe,
    folder: &Path,
    games: u64,
) -> Result<States> {
    let (steps, checkpoint) = run.checkpoints.last().with_context(|| {
        format!("{}: the run diverged before its first checkpoint: try a smaller step size", folder.display())
    })?;
    let file = folder.join(FILE);
    let known = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<States>(&bytes).ok());
    if let Some(known) = known.filter(|known| (known.steps, known.games) == (*steps, games)) {
        return Ok(known);
    }
    let first = G::first(recipe);
    let unique = unique_states(&first, folder, *steps)?;
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
