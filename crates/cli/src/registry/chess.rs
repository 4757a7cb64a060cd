//! Players of chess.

use super::{Playable, PlayerFactory, factory, general, of_this_game, short_term, td_search};
use crate::agent::tournament_search::MATERIAL;
use crate::agent::{Agent, ChessProgram};
use afterstate_arena::external::{EngineCommand, UciEngine, XboardEngine};
use afterstate_arena::openings::OpeningSuite;
use afterstate_arena::result_log::{Header, LoggedGame};
use afterstate_arena::{TournamentPlayer, chess_files, chess_openings};
use afterstate_engine::value::{
    AfterstateValues, ChessNetworkAgent, ChessTerms, FrozenTerms, LearntEvaluation, Linear, TermAgent,
};
use afterstate_games::{Chess, Side};
use anyhow::Result;
use std::path::Path;
use std::sync::Arc;

/// A command line that cannot be run should not wait for the first game to say so.
fn resolved(program: &ChessProgram) -> Result<ChessProgram> {
    EngineCommand::parse(&program.command)?.resolve()?;
    Ok(program.clone())
}

impl Playable for Chess {
    fn players(&self, agent: &Agent) -> Result<PlayerFactory<Self>> {
        match agent {
            Agent::Uci(program) => {
                let ChessProgram { command, options, search, limits } = resolved(program)?;
                Ok(Arc::new(move || {
                    let engine = UciEngine::new(&command)?.with_limits(limits).with_search(&search);
                    let set = |engine: UciEngine, (name, value): &(String, String)| engine.with_option(name, value);
                    Ok(Box::new(options.iter().fold(engine, set)))
                }))
            }
            Agent::Xboard(program) => {
                let ChessProgram { command, options, search, limits } = resolved(program)?;
                Ok(Arc::new(move || {
                    let engine = XboardEngine::new(&command)?.with_limits(limits).with_search(&search);
                    let set = |engine: XboardEngine, (name, value): &(String, String)| engine.with_option(name, value);
                    Ok(Box::new(options.iter().fold(engine, set)))
                }))
            }
            Agent::Tournament(agent) => {
                let evaluation = chess_evaluation(&agent.checkpoint)?;
                let (search, nodes, error) = (agent.search.clone(), agent.nodes, agent.error);
                Ok(factory(move || TournamentPlayer::new(evaluation.clone(), search.clone(), nodes).with_error(error)))
            }
            Agent::TdSearch(agent) => td_search::chess_players(agent, 80.0),
            Agent::MonteCarlo(agent) if agent.short_term().is_some() => short_term::chess_players(self, agent, 80.0),
            other => general(self, other, 80.0),
        }
    }

    fn values(&self, checkpoint: &str) -> Result<Arc<dyn AfterstateValues<Self>>> {
        if let Ok(network) = ChessNetworkAgent::load(checkpoint) {
            return Ok(Arc::new(network.network()));
        }
        Ok(Arc::new(chess_value(checkpoint)?))
    }

    fn has_pgn() -> Result<()> {
        Ok(())
    }

    fn pgn(header: &Header, game: &LoggedGame) -> Result<String> {
        Ok(chess_files::game_record(header, game)?.to_string())
    }

    fn openings(path: &Path, plies: u32, pairs: u64, seed: u64) -> Result<OpeningSuite<Self>> {
        Ok(chess_openings::read(path, plies, pairs, seed)?)
    }

    fn side_name(side: Side) -> &'static str {
        match side {
            Side::First => "White",
            Side::Second => "Black",
        }
    }
}

/// The evaluation of a checkpoint by its name, or that of men alone.
pub fn chess_evaluation(checkpoint: &str) -> Result<LearntEvaluation> {
    if checkpoint == MATERIAL {
        let terms = ChessTerms::default();
        return Ok(LearntEvaluation::Terms(FrozenTerms::new(terms, &terms.piece_values([1.0, 3.0, 3.0, 5.0, 9.0]))));
    }
    Ok(LearntEvaluation::load(checkpoint)?)
}

/// What was learnt of chess, as a sum of weights.
pub(super) fn chess_value(checkpoint: &str) -> Result<Linear<ChessTerms>> {
    let learnt = TermAgent::load(checkpoint).map(|learnt| learnt.value()).map_err(anyhow::Error::new);
    of_this_game::<Chess, _>(checkpoint, learnt)
}
