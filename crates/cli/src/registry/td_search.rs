//! Players that learn while they simulate.

use super::go::{OneSize, learnt};
use super::go_monte_carlo::GoPlayout;
use super::monte_carlo::uniform_playout;
use super::{Playable, PlayerFactory};
use crate::agent::monte_carlo::{Playout, Policy};
use crate::agent::td_search::TdSearch as Agent;
use afterstate_arena::{Conduct, GoConduct, MctsPlayer};
use afterstate_engine::learning::TdSettings;
use afterstate_engine::search::{
    Dyna2, FeatureMemory, Leaf, LongTermShapes, PlayOut, PlayoutObserver, ShortTermMemory, TdSearch,
};
use afterstate_engine::value::{FusedShapes, GridShapes, LocalShapes, Sharing};
use afterstate_games::Grid;
use afterstate_games::go::Go;
use anyhow::{Result, bail};
use std::sync::Arc;

/// Makes players of `agent` from what a game brings along; games usually last `game_length` moves of both sides.
fn players<G, M, L, C>(
    agent: &Agent,
    memory: impl Fn() -> M + Send + Sync + 'static,
    leaf: L,
    conduct: C,
    game_length: f32,
) -> PlayerFactory<G>
where
    G: Playable,
    M: ShortTermMemory<G> + 'static,
    L: Leaf<G> + Sync + 'static,
    C: Conduct<G> + Clone + Sync + 'static,
    C::Observer: PlayoutObserver<G> + Default + 'static,
{
    let (settings, mut player) = (agent.search.clone(), agent.player.clone());
    player.time.game_length = game_length;
    player.time.least_moves = game_length / 8.0;
    Arc::new(move || {
        let search = TdSearch::with(memory(), leaf.clone(), C::Observer::default(), settings.clone());
        Ok(Box::new(MctsPlayer::new(Box::new(search), conduct.clone(), player.clone())))
    })
}

/// The players of a game on a grid of which nothing is known but the rules.
pub fn grid_players<G: Playable + Grid>(start: &G, agent: &Agent, game_length: f32) -> Result<PlayerFactory<G>> {
    if agent.memory.is_some() {
        bail!("checkpoints hold values of Go, not of {}: use td-search", G::NAME);
    }
    let leaf = PlayOut(uniform_playout::<G>(&agent.playout)?);
    let (shapes, td) = (Arc::new(GridShapes::new(start, agent.features)), agent.td.clone());
    Ok(players(agent, move || FeatureMemory::new(shapes.clone(), td.clone()), leaf, (), game_length))
}

/// Games of self-play may repeat themselves, for simulations know only simple ko. One that is longer than any sensible
/// game goes on by the playout policy, which comes to an end.
const LONGEST: u32 = 1000;

/// The players of Go; with a long-term memory they play on boards of `size` alone.
pub fn go_players(agent: &Agent, size: usize) -> Result<PlayerFactory<Go>> {
    let mut agent = agent.clone();
    agent.search.switch_after = agent.search.switch_after.or(Some(LONGEST));
    let policy = if agent.playout.policy == Policy::Usual { Policy::Fuego } else { agent.playout.policy };
    let leaf = PlayOut(GoPlayout::new(&Playout { policy, ..agent.playout.clone() })?);
    let shapes = Arc::new(LocalShapes::new(size, agent.features, Sharing::None));
    let game_length = 0.9 * (size * size) as f32;
    let factory = match &agent.memory {
        None => {
            let td = agent.td.clone();
            let memory = move || FeatureMemory::of_shapes(shapes.clone(), td.clone());
            return Ok(players(&agent, memory, leaf, GoConduct, game_length));
        }
        Some(checkpoint) => {
            let learnt = learnt(checkpoint, size)?.value();
            let td = TdSettings { squash: learnt.squash, ..agent.td.clone() };
            let long = LongTermShapes::new(Arc::new(FusedShapes::of(&learnt)));
            let memory = move || Dyna2::new(long.clone(), FeatureMemory::of_shapes(shapes.clone(), td.clone()));
            players(&agent, memory, leaf, GoConduct, game_length)
        }
    };
    Ok(Arc::new(move || Ok(Box::new(OneSize { size, inner: factory()? }))))
}
