//! Tree searches of Go that start from what TD search has just learnt.

use super::super::go::learnt;
use super::super::monte_carlo::SearchFactory;
use super::super::short_term::{self, Learning, Reading, windows};
use super::{GoParts, GoPlayout};
use crate::agent::monte_carlo::MonteCarlo;
use afterstate_engine::learning::TdSettings;
use afterstate_engine::search::{Dyna2, Freeze, GoOwnership, LongTermShapes, PlayOut, ShapeMemory};
use afterstate_engine::value::{FusedShapes, TrackedGo};
use afterstate_games::go::Go;
use anyhow::Result;

/// Makes searches of `agent` that TD search goes before, with the checkpoint `long` as its long-term memory if there is
/// one.
pub(super) fn searches(
    agent: &MonteCarlo,
    parts: GoParts,
    long: Option<&str>,
    size: usize,
) -> Result<SearchFactory<Go, GoOwnership>> {
    let Some(checkpoint) = long else { return with_memory(agent, parts, || short(TdSettings::default())) };
    let value = learnt(checkpoint, size)?.value();
    let (td, long) = (TdSettings { squash: value.squash, ..TdSettings::default() }, LongTermShapes::of(&value));
    with_memory(agent, parts, move || Dyna2::new(long.clone(), short(td.clone())))
}

fn short(td: TdSettings) -> ShapeMemory {
    ShapeMemory::new(windows(), td)
}

fn with_memory<M: Freeze<Go, Frozen = FusedShapes, Position = TrackedGo> + 'static>(
    agent: &MonteCarlo,
    parts: GoParts,
    memory: impl Fn() -> M + Send + Sync + 'static,
) -> Result<SearchFactory<Go, GoOwnership>> {
    let read: Reading<Go, M> = |values, game| values.track(game.clone());
    let playout = PlayOut(GoPlayout::new(&agent.playout)?);
    short_term::searches(agent, parts, Learning { memory, playout, read })
}
