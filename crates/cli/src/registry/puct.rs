//! Agents whose search a network leads.

use super::go::learnt;
use super::monte_carlo::SearchFactory;
use super::{GoSearcher, Playable, PlayerFactory};
use crate::agent::puct::{PuctAgent, Source};
use crate::zero_recipe::ZeroGame;
use afterstate_arena::MctsPlayer;
use afterstate_engine::search::NetworkSearch;
use afterstate_engine::zero::{ByAfterstates, Network, PLANES, Uniform};
use afterstate_games::go::Go;
use afterstate_nets::{DeviceName, ResidualAgent, ResidualPlayer, agent};
use anyhow::{Result, ensure};
use std::sync::Arc;

/// Makes players of a game that is about so many moves long.
pub fn players<G: Playable + ZeroGame>(start: &G, puct: &PuctAgent, game_length: f32) -> Result<PlayerFactory<G>> {
    let search: SearchFactory<G, ()> = match &puct.network {
        Source::Uniform => searches(puct, || Uniform),
        Source::Shapes(name) => {
            let values = start.values(name)?;
            searches(puct, move || ByAfterstates::new(values.clone(), POLICY_TEMPERATURE))
        }
        Source::Residual(name) => {
            let network = residual(start, name, puct.device)?.averaging(puct.symmetries);
            searches(puct, move || network.clone())
        }
    };
    let settings = puct.player.clone().for_games_of(game_length);
    Ok(Arc::new(move || Ok(Box::new(MctsPlayer::new(search(), (), settings.clone())))))
}

/// What plays Go by it; but for what knows nothing it knows boards of `size` alone.
pub fn go_searcher(puct: &PuctAgent, size: usize) -> Result<GoSearcher> {
    let search = match &puct.network {
        Source::Uniform => searches(puct, || Uniform),
        Source::Shapes(name) => {
            let shapes = Arc::new(learnt(name, size)?.value());
            searches(puct, move || ByAfterstates::new(shapes.clone(), POLICY_TEMPERATURE))
        }
        Source::Residual(name) => {
            let network = residual(&Go::new(size), name, puct.device)?.averaging(puct.symmetries);
            searches(puct, move || network.clone())
        }
    };
    let only = (puct.network != Source::Uniform).then_some(size);
    Ok(GoSearcher { search, player: puct.player.clone(), only })
}

/// What values of moves are as a policy, and a policy as values: a move whose value is 0.05 higher is twice as likely.
pub(super) const POLICY_TEMPERATURE: f32 = 0.14;

/// Makes searches that a network leads.
fn searches<G, O, N>(puct: &PuctAgent, network: impl Fn() -> N + Send + Sync + 'static) -> SearchFactory<G, O>
where
    G: Playable + ZeroGame,
    O: 'static,
    N: Network<G> + 'static,
{
    let settings = puct.search.clone();
    Arc::new(move || Box::new(NetworkSearch::new(network(), settings.clone())))
}

/// A checkpoint's network, which must have been learnt for the game of `start`, on its board.
pub(super) fn residual<G: Playable + ZeroGame>(start: &G, name: &str, device: DeviceName) -> Result<ResidualPlayer> {
    let checkpoint = ResidualAgent::load(name)?;
    let about = &checkpoint.about;
    ensure!(about.game == G::NAME, "{name} was learnt for {}, not for {}", about.game, G::NAME);
    let (height, width) = (about.network.height, about.network.width);
    let board = (start.rows(), start.columns());
    ensure!((height, width) == board, "{name} was learnt on {width}x{height}, not on {}x{}", board.1, board.0);
    let planes = about.network.planes;
    ensure!(
        planes == PLANES || planes == G::DETAILED,
        "{name} sees {planes} planes of a position: expected {PLANES}, or {} with details of {}",
        G::DETAILED,
        G::NAME
    );
    Ok(agent::player(&checkpoint, &device.open().map_err(anyhow::Error::msg)?))
}
