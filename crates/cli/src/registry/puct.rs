//! Agents whose search a network leads.

use super::go_monte_carlo::GoPlayout;
use super::monte_carlo::{SearchFactory, uniform_playout};
use super::{GoSearcher, Playable, PlayerFactory};
use crate::agent::playout::Playout;
use crate::agent::puct::{PuctAgent, Source};
use crate::zero_game::ZeroGame;
use afterstate_arena::MctsPlayer;
use afterstate_engine::search::{Leaf, MixedPlayouts, NetworkSearch, PlayOut};
use afterstate_engine::zero::{ByAfterstates, Network, PLANES, Uniform};
use afterstate_games::go::Go;
use afterstate_nets::{DeviceName, ResidualAgent, ResidualPlayer, agent};
use anyhow::{Result, ensure};
use std::sync::Arc;

/// Makes players of a game that is about so many moves long.
pub fn players<G: Playable + ZeroGame>(start: &G, puct: &PuctAgent, game_length: f32) -> Result<PlayerFactory<G>> {
    let search = plain_searches(start, puct)?;
    let settings = puct.player.clone().for_games_of(game_length);
    Ok(Arc::new(move || Ok(Box::new(MctsPlayer::new(search(), (), settings.clone())))))
}

/// Makes its searches of a game of which nothing is known but the rules.
pub(super) fn plain_searches<G: Playable + ZeroGame>(start: &G, puct: &PuctAgent) -> Result<SearchFactory<G, ()>> {
    searches(start, puct, |playout| Ok(PlayOut(uniform_playout(playout)?)))
}

/// What plays Go by it; but for what knows nothing it knows boards of `size` alone.
pub fn go_searcher(puct: &PuctAgent, size: usize) -> Result<GoSearcher> {
    let search = searches(&Go::new(size), puct, |playout| Ok(PlayOut(GoPlayout::new(playout)?)))?;
    let only = (puct.network != Source::Uniform).then_some(size);
    Ok(GoSearcher { search, player: puct.player.clone(), only })
}

/// What values of moves are as a policy, and a policy as values: a move whose value is 0.05 higher is twice as likely.
pub(super) const POLICY_TEMPERATURE: f32 = 0.14;

/// The network alone, for who wants to know what it says.
pub fn network<G: Playable + ZeroGame>(start: &G, puct: &PuctAgent) -> Result<Box<dyn Network<G>>> {
    Ok(match &puct.network {
        Source::Uniform => Box::new(Uniform),
        Source::Shapes(name) => Box::new(ByAfterstates::new(start.values(name)?, POLICY_TEMPERATURE)),
        Source::Residual(name) => Box::new(residual(start, name, puct.device)?.viewing(puct.view)),
    })
}

/// Makes searches that a network leads, with leaves that play out if the agent wants that.
fn searches<G, O, L>(start: &G, puct: &PuctAgent, leaf: impl Fn(&Playout) -> Result<L>) -> Result<SearchFactory<G, O>>
where
    G: Playable + ZeroGame,
    O: 'static,
    L: Leaf<G> + Sync + 'static,
{
    let playouts = match &puct.playout {
        None => None,
        Some((playout, weight)) => Some((leaf(playout)?, *weight)),
    };
    Ok(match &puct.network {
        Source::Uniform => led_by(puct, playouts, || Uniform),
        Source::Shapes(name) => {
            let values = start.values(name)?;
            led_by(puct, playouts, move || ByAfterstates::new(values.clone(), POLICY_TEMPERATURE))
        }
        Source::Residual(name) => {
            let network = residual(start, name, puct.device)?.viewing(puct.view);
            led_by(puct, playouts, move || network.clone())
        }
    })
}

/// Makes searches that `network` leads, with `playouts` and how much the network says beside them.
fn led_by<G, O, N, L>(
    puct: &PuctAgent,
    playouts: Option<(L, f32)>,
    network: impl Fn() -> N + Send + Sync + 'static,
) -> SearchFactory<G, O>
where
    G: Playable + ZeroGame,
    O: 'static,
    N: Network<G> + 'static,
    L: Leaf<G> + Sync + 'static,
{
    let settings = puct.search.clone();
    Arc::new(move || {
        let search = NetworkSearch::new(network(), settings.clone());
        Box::new(match &playouts {
            None => search,
            Some((leaf, weight)) => search.with_playouts(MixedPlayouts::new(leaf.clone(), *weight)),
        })
    })
}

/// A checkpoint's network, which must have been learnt for the game of `start`, on its board.
pub(super) fn residual<G: Playable + ZeroGame>(start: &G, name: &str, device: DeviceName) -> Result<ResidualPlayer> {
    let checkpoint = ResidualAgent::load(name)?;
    let about = &checkpoint.about;
    ensure!(about.game == G::NAME, "{name} was learnt for {}, not for {}", about.game, G::NAME);
    let (height, width) = (about.network.height, about.network.width);
    let board = (start.rows(), start.columns());
    ensure!(
        (height, width) == board,
        "{name} was learnt on {width}x{height}, not on {}x{}: play on its board (in Go --size {width}), or name another one",
        board.1,
        board.0
    );
    let planes = about.network.planes;
    ensure!(
        planes == PLANES || planes == G::DETAILED,
        "{name} sees {planes} planes of a position: expected {PLANES}, or {} with details of {}",
        G::DETAILED,
        G::NAME
    );
    Ok(agent::player(&checkpoint, &device.open().map_err(anyhow::Error::msg)?))
}
