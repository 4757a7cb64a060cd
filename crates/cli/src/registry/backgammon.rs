//! Players of backgammon.

use super::{Playable, PlayerFactory, factory};
use crate::agent::Agent;
use afterstate_arena::external::{EngineCommand, Gnubg};
use afterstate_arena::{ExpectimaxPlayer, RandomPlayer};
use afterstate_engine::search::ExpectimaxSettings;
use afterstate_engine::value::NetworkAgent;
use afterstate_games::backgammon::Backgammon;
use anyhow::{Result, bail, ensure};

impl Playable for Backgammon {
    fn players(&self, agent: &Agent) -> Result<PlayerFactory<Self>> {
        match agent {
            Agent::Random => Ok(factory(RandomPlayer::default)),
            Agent::Greedy { checkpoint, epsilon } => {
                ensure!(*epsilon == 0.0, "epsilon = {epsilon}: in backgammon the dice explore; leave it out");
                searchers(checkpoint, ExpectimaxSettings { plies: 1, ..ExpectimaxSettings::default() })
            }
            Agent::Expectimax(agent) => searchers(&agent.checkpoint, agent.search),
            Agent::Gnubg { command, plies, limits } => {
                // A command line that cannot be run should not wait for the first game to say so.
                EngineCommand::parse(command)?.resolve()?;
                let programs = Gnubg::new(command, *plies)?.with_limits(*limits);
                Ok(factory(move || programs.player()))
            }
            _ => bail!("backgammon has dice: use random, gnubg, or greedy or expectimax with a checkpoint"),
        }
    }
}

/// Players that go by the network of a checkpoint.
fn searchers(checkpoint: &str, search: ExpectimaxSettings) -> Result<PlayerFactory<Backgammon>> {
    let network = NetworkAgent::load(checkpoint)?.network();
    Ok(factory(move || ExpectimaxPlayer::new(network.clone(), search)))
}
