//! `afterstate uci`: an agent behind the Universal Chess Interface, for chess programs with a board.

use crate::agent::td_search::DEFAULT_DECAY;
use crate::agent::tournament_search::{DEFAULT_NODES, MATERIAL};
use crate::agent::{Agent, AgentSpec};
use crate::calibrate;
use crate::registry::{self, Playable};
use afterstate_arena::PlayerError;
use afterstate_games::Chess;
use afterstate_protocols::uci::{PlayerThinker, Resources, Session, Thinker, TournamentThinker};
use anyhow::{Context, Result, ensure};
use std::io::{BufReader, stdin, stdout};

/// Arguments of `uci`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  afterstate uci\n  afterstate uci --agent tournament-search:runs/chess,threads=2,table-mib=256\n  \
    afterstate uci --agent uct:20000,threads=2\n  \
    afterstate match \"uci:afterstate uci --agent uct:500\" random --game chess --games 10\n\n\
    In a chess program (Arena, Banksia, Cute Chess, En Croissant, …) choose this program as an engine of type UCI, and\n\
    enter the rest of the line as its arguments. Type 'help' to talk to it yourself."
)]
pub struct Args {
    /// Who plays (see `afterstate agents`)
    #[arg(long, value_name = "SPEC", default_value = "tournament-search")]
    agent: String,
    /// Seed of the agent's random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What holds for all agents whose strengths nobody has measured.
const MEASURED_WITH: &str = "UCI_Elo was measured with tournament-search:material";

/// Answers commands until `quit` or the end of the input.
pub fn run(args: Args) -> Result<()> {
    let spec = AgentSpec::parse(&args.agent)?;
    let thinker = thinker(&spec.agent, args.seed).with_context(|| format!("agent '{}'", spec.name))?;
    let name = format!("afterstate {} {}", env!("CARGO_PKG_VERSION"), spec.name);
    let mut session = Session::new(name, thinker).with_seed(args.seed);
    session = match &spec.agent {
        Agent::Tournament(agent) if agent.checkpoint == MATERIAL => session,
        Agent::Tournament(agent) => match calibrate::of_checkpoint(&agent.checkpoint)? {
            Some(strengths) => session.with_strengths(strengths),
            None => session.with_strengths_note(format!(
                "{MEASURED_WITH}: 'afterstate calibrate' with the folder of this run measures what it stands for here"
            )),
        },
        _ => session.with_strengths_note(format!("{MEASURED_WITH}: what it stands for here is not known")),
    };
    // A reader of standard input that does not hold its lock: it stays behind when the session ends.
    Ok(session.run(BufReader::new(stdin()), stdout())?)
}

fn thinker(agent: &Agent, seed: u64) -> Result<Box<dyn Thinker>> {
    let mut agent = agent.clone();
    match &mut agent {
        Agent::Tournament(agent) => {
            ensure!(
                agent.error == 0.0 && agent.nodes == DEFAULT_NODES,
                "nodes and error say nothing to a GUI, which limits searches by 'go nodes' and strength by UCI_LimitStrength: leave them out"
            );
            let evaluation = registry::chess_evaluation(&agent.checkpoint)?;
            return Ok(Box::new(TournamentThinker::new(evaluation, agent.search.clone())));
        }
        // UCI knows no way to resign.
        Agent::MonteCarlo(agent) => agent.player.resign_below = 0.0,
        Agent::TdSearch(agent) => agent.player.resign_below = 0.0,
        Agent::Puct(agent) => agent.player.resign_below = 0.0,
        _ => {}
    }
    let player = match &agent {
        Agent::MonteCarlo(agent) => Some(&agent.player),
        Agent::TdSearch(agent) => Some(&agent.player),
        Agent::Puct(agent) => Some(&agent.player),
        _ => None,
    };
    ensure!(
        player.is_none_or(|player| !player.ponder),
        "ponder says nothing to a GUI, which itself sends 'go ponder' if its user wants that: leave it out"
    );
    ensure!(
        player.is_none_or(|player| player.time.decay.is_none_or(|decay| decay == DEFAULT_DECAY)),
        "decay says nothing here, where the session shares out the time: leave it out"
    );
    Ok(Box::new(adaptable(&agent)?.with_seed(seed)))
}

/// A player of `agent` that is made anew when a GUI changes what it may take of the machine.
fn adaptable(agent: &Agent) -> Result<PlayerThinker> {
    let resources = resources(agent);
    // Whatever is wrong with the agent is said before the first command.
    Chess::new().players(agent)?()?;
    let agent = agent.clone();
    Ok(PlayerThinker::built(resources, move |resources| {
        let players = Chess::new().players(&with(&agent, resources));
        players.map_err(|error| PlayerError::NotStarted(format!("{error:#}")))?()
    })?)
}

/// What the agent takes, of that which a GUI can change.
fn resources(agent: &Agent) -> Resources {
    let some = |number: usize| u32::try_from(number).ok().filter(|&number| number > 0);
    match agent {
        Agent::AlphaBeta { search, .. } => Resources { hash: some(search.table_mib), threads: some(search.threads) },
        Agent::MonteCarlo(agent) => {
            Resources { hash: some(agent.search.memory_mib), threads: Some(agent.search.threads) }
        }
        _ => Resources::default(),
    }
}

/// The same agent with other resources.
fn with(agent: &Agent, resources: Resources) -> Agent {
    let mut agent = agent.clone();
    let number = |number: u32| number as usize;
    match &mut agent {
        Agent::AlphaBeta { search, .. } => {
            search.table_mib = resources.hash.map_or(search.table_mib, number);
            search.threads = resources.threads.map_or(search.threads, number);
        }
        Agent::MonteCarlo(agent) => {
            agent.search.memory_mib = resources.hash.map_or(agent.search.memory_mib, number);
            agent.search.threads = resources.threads.unwrap_or(agent.search.threads);
        }
        _ => {}
    }
    agent
}
