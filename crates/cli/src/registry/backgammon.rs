//! Players of backgammon.

use super::{Playable, PlayerFactory, factory};
use crate::agent::Agent;
use crate::agent::expectimax::ExpectimaxAgent;
use afterstate_arena::analysis::{JudgedPlay, PlayAnalyst};
use afterstate_arena::external::{EngineCommand, Gnubg};
use afterstate_arena::{ExpectimaxPlayer, RandomPlayer};
use afterstate_engine::Value;
use afterstate_engine::cube::{Chances, OutcomeEvaluation, look_ahead};
use afterstate_engine::search::expectimax::RankedPlay;
use afterstate_engine::search::rollout::{RolloutResult, RolloutSettings, roll_out};
use afterstate_engine::search::{Equity, EquityCache, Expectimax, ExpectimaxSettings, WithBearOff};
use afterstate_engine::value::NetworkAgent;
use afterstate_engine::value::backgammon_network::BackgammonNetwork;
use afterstate_engine::value::bear_off::BearOff;
use afterstate_games::Side;
use afterstate_games::backgammon::mat::MatGame;
use afterstate_games::backgammon::{Backgammon, Board, Move};
use anyhow::{Context, Result, ensure};
use std::path::PathBuf;
use std::sync::Arc;

impl Playable for Backgammon {
    /// In points: its values are between losing and winning a backgammon.
    fn value_text(value: Value, side: Side) -> String {
        let points = <BackgammonNetwork as Equity<Backgammon>>::BOUND * (2.0 * value.seen_by(side) - 1.0);
        format!("{points:+.2} points for {}", Self::side_name(side))
    }

    fn players(&self, agent: &Agent) -> Result<PlayerFactory<Self>> {
        match agent {
            Agent::Random => Ok(factory(RandomPlayer::default)),
            Agent::Gnubg { command, plies, limits } => {
                // A command line that cannot be run should not wait for the first game to say so.
                EngineCommand::parse(command)?.resolve()?;
                let programs = Gnubg::new(command, *plies)?.with_limits(*limits);
                Ok(factory(move || programs.player()))
            }
            _ => {
                let searcher = searcher(agent)?;
                let searcher = searcher
                    .context("backgammon has dice: use random, gnubg, or greedy or expectimax with a checkpoint")?;
                let (network, search) = (searcher.network()?, searcher.search);
                Ok(match searcher.database()? {
                    Some(database) => {
                        let known = WithBearOff::new(network, Arc::new(database));
                        factory(move || ExpectimaxPlayer::new(known.clone(), search))
                    }
                    None => factory(move || ExpectimaxPlayer::new(network.clone(), search)),
                })
            }
        }
    }
}

/// An agent that goes by the network of a checkpoint.
fn searcher(agent: &Agent) -> Result<Option<ExpectimaxAgent>> {
    Ok(match agent {
        Agent::Greedy { checkpoint, epsilon } => {
            ensure!(*epsilon == 0.0, "epsilon = {epsilon}: in backgammon the dice explore; leave it out");
            let search = ExpectimaxSettings { plies: 1, ..ExpectimaxSettings::default() };
            Some(ExpectimaxAgent { checkpoint: checkpoint.clone(), bear_off: false, search })
        }
        Agent::Expectimax(agent) => Some(agent.clone()),
        _ => None,
    })
}

impl ExpectimaxAgent {
    fn network(&self) -> Result<BackgammonNetwork> {
        Ok(NetworkAgent::load(&self.checkpoint)?.network())
    }

    fn database(&self) -> Result<Option<BearOff>> {
        Ok(if self.bear_off { Some(BearOff::open(&bear_off_file())?) } else { None })
    }
}

/// What an agent thinks of a position.
pub struct Evaluated {
    /// Before the roll, in points, for who is to move.
    pub equity: f32,
    /// All plays of the roll, the best first.
    pub plays: Vec<RankedPlay<Move>>,
}

/// How games end from a board on which a side is about to roll, by an agent's search.
pub type ChancesOf = Box<dyn FnMut(&Board, Side) -> Chances>;

/// An agent that goes by a network, as one that names chances: what the cube is decided by. It looks as far ahead as in play.
pub fn chances(agent: &Agent) -> Result<ChancesOf> {
    let searcher = searcher(agent)?;
    let searcher = searcher.context("it says nothing of chances: use greedy or expectimax with a checkpoint")?;
    let (network, settings) = (searcher.network()?, searcher.search);
    Ok(match searcher.database()? {
        Some(database) => looking_ahead(WithBearOff::new(network, Arc::new(database)), settings),
        None => looking_ahead(network, settings),
    })
}

fn looking_ahead<E: OutcomeEvaluation + 'static>(evaluation: E, settings: ExpectimaxSettings) -> ChancesOf {
    let mut search = Expectimax::new(EquityCache::new(evaluation, 16), settings);
    Box::new(move |board, side| {
        search.forget();
        look_ahead(&mut search, board, side, settings.plies)
    })
}

/// Judges the plays of a game: see [`PlayAnalyst::judge`].
pub type Judge = Box<dyn FnMut(&MatGame, &mut dyn FnMut() -> bool) -> Vec<JudgedPlay>>;

/// An agent that goes by a network, as one that judges plays.
pub fn judge(agent: &Agent) -> Result<Judge> {
    let searcher = searcher(agent)?;
    let searcher = searcher.context("it says nothing of equities: use greedy or expectimax with a checkpoint")?;
    let (network, settings) = (searcher.network()?, searcher.search);
    Ok(match searcher.database()? {
        Some(database) => {
            let mut analyst = PlayAnalyst::new(WithBearOff::new(network, Arc::new(database)), settings);
            Box::new(move |game, go_on| analyst.judge(game, go_on))
        }
        None => {
            let mut analyst = PlayAnalyst::new(network, settings);
            Box::new(move |game, go_on| analyst.judge(game, go_on))
        }
    })
}

/// Plays a position out, counting the points of `side`: see [`roll_out`]. The players look as far ahead as the agent does.
pub fn rolled_out(
    agent: &Agent,
    game: &Backgammon,
    side: Side,
    settings: RolloutSettings,
    finished: &(dyn Fn() + Sync),
) -> Result<RolloutResult> {
    let searcher = searcher(agent)?;
    let searcher = searcher.context("it says nothing of equities: use greedy or expectimax with a checkpoint")?;
    let (network, settings) = (searcher.network()?, RolloutSettings { plies: searcher.search.plies, ..settings });
    Ok(match searcher.database()? {
        Some(database) => {
            let known = WithBearOff::new(network, Arc::new(database));
            roll_out(&Expectimax::new(known, searcher.search), game, side, &settings, finished)
        }
        None => roll_out(&Expectimax::new(network, searcher.search), game, side, &settings, finished),
    })
}

/// Asks an agent that goes by a network what it thinks of a position in which `side` is to move.
pub fn evaluate(agent: &Agent, game: &Backgammon, side: Side) -> Result<Evaluated> {
    let searcher = searcher(agent)?;
    let searcher = searcher.context("it says nothing of equities: use greedy or expectimax with a checkpoint")?;
    let network = searcher.network()?;
    Ok(match searcher.database()? {
        Some(database) => asked(WithBearOff::new(network, Arc::new(database)), searcher.search, game, side),
        None => asked(network, searcher.search, game, side),
    })
}

fn asked<E: Equity<Backgammon>>(evaluation: E, search: ExpectimaxSettings, game: &Backgammon, side: Side) -> Evaluated {
    let mut search = Expectimax::new(EquityCache::new(evaluation, 16), search);
    let before = Backgammon::at(*game.board(), side, None);
    Evaluated { equity: search.equity(&before), plays: search.rank_exactly(game) }
}

/// Where the bear-off database is kept: among what can be made again.
fn bear_off_file() -> PathBuf {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
    cache.unwrap_or_else(std::env::temp_dir).join("afterstate/bear-off.bin")
}
