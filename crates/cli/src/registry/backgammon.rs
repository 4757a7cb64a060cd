//! Players of backgammon.

use super::{Playable, PlayerFactory, factory};
use crate::agent::Agent;
use afterstate_arena::external::{EngineCommand, Gnubg};
use afterstate_arena::{ExpectimaxPlayer, RandomPlayer};
use afterstate_engine::search::expectimax::RankedPlay;
use afterstate_engine::search::{EquityCache, Expectimax, ExpectimaxSettings, WithBearOff};
use afterstate_engine::value::NetworkAgent;
use afterstate_engine::value::backgammon_network::OUTPUTS;
use afterstate_engine::value::bear_off::BearOff;
use afterstate_games::Side;
use afterstate_games::backgammon::{Backgammon, Move};
use anyhow::{Result, bail, ensure};
use std::path::PathBuf;
use std::sync::Arc;

impl Playable for Backgammon {
    fn players(&self, agent: &Agent) -> Result<PlayerFactory<Self>> {
        match agent {
            Agent::Random => Ok(factory(RandomPlayer::default)),
            Agent::Greedy { checkpoint, epsilon } => {
                ensure!(*epsilon == 0.0, "epsilon = {epsilon}: in backgammon the dice explore; leave it out");
                let greedy = ExpectimaxSettings { plies: 1, ..ExpectimaxSettings::default() };
                searchers(checkpoint, greedy, false)
            }
            Agent::Expectimax(agent) => searchers(&agent.checkpoint, agent.search, agent.bear_off),
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
fn searchers(checkpoint: &str, search: ExpectimaxSettings, bear_off: bool) -> Result<PlayerFactory<Backgammon>> {
    let network = NetworkAgent::load(checkpoint)?.network();
    if bear_off {
        let known = WithBearOff::new(network, Arc::new(BearOff::open(&bear_off_file())?));
        return Ok(factory(move || ExpectimaxPlayer::new(known.clone(), search)));
    }
    Ok(factory(move || ExpectimaxPlayer::new(network.clone(), search)))
}

/// What an agent thinks of a position.
pub struct Evaluated {
    /// Before the roll, in points, for who is to move.
    pub equity: f32,
    /// The network's outputs for that.
    pub chances: [f32; OUTPUTS],
    /// All plays of the roll, the best first.
    pub plays: Vec<RankedPlay<Move>>,
}

/// Asks an agent that goes by a network what it thinks of a position in which `side` is to move.
pub fn evaluate(agent: &Agent, game: &Backgammon, side: Side) -> Result<Evaluated> {
    let (checkpoint, search, bear_off) = match agent {
        Agent::Greedy { checkpoint, .. } => {
            (checkpoint, ExpectimaxSettings { plies: 1, ..ExpectimaxSettings::default() }, false)
        }
        Agent::Expectimax(agent) => (&agent.checkpoint, agent.search, agent.bear_off),
        _ => bail!("it says nothing of equities: use greedy or expectimax with a checkpoint"),
    };
    let mut network = NetworkAgent::load(checkpoint)?.network();
    let mut chances = [0.0; OUTPUTS];
    chances.copy_from_slice(network.outputs(game.board(), side));
    let before = Backgammon::at(*game.board(), side, None);
    if bear_off {
        let database = BearOff::open(&bear_off_file())?;
        chances = database.outputs(game.board(), side).unwrap_or(chances);
        let known = EquityCache::new(WithBearOff::new(network, Arc::new(database)), 16);
        let mut search = Expectimax::new(known, search);
        return Ok(Evaluated { equity: search.equity(&before), chances, plays: search.rank(game) });
    }
    let mut search = Expectimax::new(EquityCache::new(network, 16), search);
    Ok(Evaluated { equity: search.equity(&before), chances, plays: search.rank(game) })
}

/// Where the bear-off database is kept: among what can be made again.
fn bear_off_file() -> PathBuf {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
    cache.unwrap_or_else(std::env::temp_dir).join("afterstate/bear-off.bin")
}
