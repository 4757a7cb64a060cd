//! Players whose search a network leads.

use super::{Playable, PlayerFactory, factory};
use crate::agent::puct::{PuctAgent, Source};
use crate::zero_recipe::ZeroGame;
use afterstate_arena::PuctPlayer;
use afterstate_engine::zero::Uniform;
use afterstate_nets::{ResidualAgent, agent};
use anyhow::{Result, bail, ensure};

/// Makes players of `agent` for games from `start`.
pub fn players<G: Playable + ZeroGame>(start: &G, puct: &PuctAgent) -> Result<PlayerFactory<G>> {
    let settings = puct.player_on(start.rows() * start.columns());
    match &puct.network {
        Source::Uniform => Ok(factory(move || PuctPlayer::new(Uniform, settings.clone()))),
        Source::Shapes(_) => bail!("local shapes are learnt for Go, not for {}", G::NAME),
        Source::Residual(name) => {
            let checkpoint = ResidualAgent::load(name)?;
            let about = &checkpoint.about;
            ensure!(about.game == G::NAME, "{name} was learnt for {}, not for {}", about.game, G::NAME);
            let (height, width) = (about.network.height, about.network.width);
            let board = (start.rows(), start.columns());
            ensure!((height, width) == board, "{name} was learnt on {width}x{height}, not on {}x{}", board.1, board.0);
            let network = agent::player(&checkpoint).averaging(puct.symmetries);
            Ok(factory(move || PuctPlayer::new(network.clone(), settings.clone())))
        }
    }
}
