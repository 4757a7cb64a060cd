//! Players that learn while they simulate.

use super::chess::chess_value;
use super::go::learnt;
use super::go_monte_carlo::GoPlayout;
use super::monte_carlo::{SearchFactory, uniform_playout};
use super::{GoSearcher, Playable, PlayerFactory, grid_value};
use crate::agent::td_search::TdSearch as Agent;
use afterstate_arena::MctsPlayer;
use afterstate_engine::learning::TdSettings;
use afterstate_engine::search::{
    Dyna2, FeatureMemory, FoldShapes, Freeze, GoOwnership, Leaf, LongTermShapes, PlayOut, PlayoutObserver, ShapeMemory,
    TdSearch, TwoPhase,
};
use afterstate_engine::value::{ChessTerms, Features, GridShapes, Linear, LocalShapes, Sharing, WindowSizes};
use afterstate_games::go::Go;
use afterstate_games::{Chess, Deterministic, Grid, IndexedMoves};
use anyhow::{Result, bail, ensure};
use std::sync::Arc;

/// Makes searches of `agent` that watch their simulations with `O`.
fn searches<G, M, L, O>(agent: &Agent, memory: impl Fn() -> M + Send + Sync + 'static, leaf: L) -> SearchFactory<G, O>
where
    G: Playable + Deterministic + IndexedMoves,
    M: Freeze<G> + 'static,
    L: Leaf<G> + Sync + 'static,
    O: PlayoutObserver<G> + Default + 'static,
{
    let settings = agent.search.clone();
    let first = move || TdSearch::with(memory(), leaf.clone(), O::default(), settings.clone());
    match agent.second.clone() {
        None => Arc::new(move || Box::new(first())),
        Some(second) => Arc::new(move || Box::new(TwoPhase::with(first(), second.clone()))),
    }
}

/// The players of a game on a grid.
pub fn grid_players<G: Playable + Deterministic + IndexedMoves + Grid>(
    start: &G,
    agent: &Agent,
    game_length: f32,
) -> Result<PlayerFactory<G>> {
    needs_no_table(agent)?;
    let long = agent.memory.as_ref().map(|checkpoint| grid_value(start, checkpoint)).transpose()?;
    plain_players(agent, long, GridShapes::new(start, agent.features), game_length)
}

/// The players of chess, of which the terms of its evaluation are learnt.
pub fn chess_players(agent: &Agent, game_length: f32) -> Result<PlayerFactory<Chess>> {
    needs_no_table(agent)?;
    if agent.features != WindowSizes::new(&[1, 2]).expect("both are sizes of windows") {
        bail!("chess has no windows but terms: leave features out");
    }
    let long = agent.memory.as_ref().map(|checkpoint| chess_value(checkpoint)).transpose()?;
    plain_players(agent, long, ChessTerms::default(), game_length)
}

/// Only memories of local shapes may have one table.
fn needs_no_table(agent: &Agent) -> Result<()> {
    ensure!(!agent.one_table, "one table for both memories is something for go: leave tables out");
    Ok(())
}

/// Players whose short-term memory is about `features`, beside what was learnt before, if anything was.
fn plain_players<G, L, F>(
    agent: &Agent,
    long: Option<Linear<L>>,
    features: F,
    game_length: f32,
) -> Result<PlayerFactory<G>>
where
    G: Playable + Deterministic + IndexedMoves,
    L: Features<G> + 'static,
    F: Features<G> + 'static,
{
    let leaf = PlayOut(uniform_playout::<G>(&agent.playout)?);
    let (features, mut td) = (Arc::new(features), agent.td.clone());
    td.squash = long.as_ref().map_or(td.squash, |long| long.squash);
    let short = move || FeatureMemory::new(features.clone(), td.clone());
    let search: SearchFactory<G, ()> = match long {
        None => searches(agent, short, leaf),
        Some(long) => searches(agent, move || Dyna2::new(long.clone(), short()), leaf),
    };
    let settings = agent.player.clone().for_games_of(game_length);
    Ok(Arc::new(move || Ok(Box::new(MctsPlayer::new(search(), (), settings.clone())))))
}

/// Games of self-play may repeat themselves, for simulations know only simple ko. One that is longer than any sensible
/// game goes on by the playout policy, which comes to an end.
const LONGEST: u32 = 1000;

/// What plays Go by it; with a long-term memory it knows boards of `size` alone.
pub fn go_searcher(agent: &Agent, size: usize) -> Result<GoSearcher> {
    Ok(GoSearcher {
        search: go_search(agent, size)?,
        player: agent.player.clone(),
        only: agent.memory.as_ref().map(|_| size),
    })
}

/// Makes searches of Go.
fn go_search(agent: &Agent, size: usize) -> Result<SearchFactory<Go, GoOwnership>> {
    let mut agent = agent.clone();
    agent.search.learn_moves = agent.search.learn_moves.or(Some(LONGEST));
    let long = match &agent.memory {
        None => None,
        Some(checkpoint) => {
            let value = learnt(checkpoint, size)?.value();
            agent.td.squash = value.squash;
            if agent.one_table {
                let (td, leaf) = (
                    TdSettings { lambda: 0.0, traces: Default::default(), ..agent.td.clone() },
                    PlayOut(GoPlayout::new(&agent.playout)?),
                );
                let table = ShapeMemory::starting_with(&value, td);
                return Ok(searches(&agent, move || table.clone(), leaf));
            }
            Some(LongTermShapes::of(&value))
        }
    };
    let (features, td) = (agent.features, agent.td.clone());
    if td.is_online() {
        return go_search_with(&agent, long, move || ShapeMemory::new(features, td.clone()));
    }
    let shapes = Arc::new(LocalShapes::new(size, features, Sharing::None));
    go_search_with(&agent, long, move || FeatureMemory::of_shapes(shapes.clone(), td.clone()))
}

/// Searches with this short-term memory, and perhaps a long-term one.
fn go_search_with<M: Freeze<Go> + FoldShapes + 'static>(
    agent: &Agent,
    long: Option<LongTermShapes>,
    short: impl Fn() -> M + Send + Sync + 'static,
) -> Result<SearchFactory<Go, GoOwnership>> {
    let leaf = PlayOut(GoPlayout::new(&agent.playout)?);
    Ok(match long {
        None => searches(agent, short, leaf),
        Some(long) => searches(agent, move || Dyna2::new(long.clone(), short()), leaf),
    })
}
