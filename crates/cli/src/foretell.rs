//! `afterstate foretell`: how well networks know games that they have not learnt from.

use crate::agent::{Agent, AgentSpec};
use crate::output::{self, Table};
use crate::progress::Progress;
use crate::registry::{self, Playable};
use crate::zero_game::ZeroGame;
use afterstate_arena::result_log::read_log;
use afterstate_arena::{RecordedGames, logs_in};
use afterstate_engine::zero::{Expert, Foretelling, Foretold, Network};
use afterstate_games::go::Go;
use afterstate_games::{ConnectFour, Notation, TicTacToe};
use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Arguments of `foretell`.
#[derive(clap::Args)]
#[command(
    override_usage = "afterstate foretell <SPEC>... --games <PATH>... [--json]",
    after_help = "Examples:\n  \
    afterstate foretell runs/go --games matches.jsonl\n  \
    afterstate foretell runs/go@300 runs/go@450 puct:runs/go@450,symmetries=true puct:uniform --games logs others.jsonl\n\n\
    policy: how surprised it is by the moves that were played, −ln p; choice: how often its first choice was played; outcome: the squared\n\
    error of its chance to win against how games ended (always one half has 0.25), and searched, against what the players thought.\n\
    Compare networks by games that none of them has learnt from. Intervals are 95 %, of games as a whole."
)]
pub struct Args {
    /// Networks: checkpoints as for puct, or puct agents, whose searches say nothing here
    #[arg(value_name = "SPEC", required = true)]
    networks: Vec<String>,
    /// Logs of matches, or folders of them
    #[arg(long, value_name = "PATH", required = true, num_args = 1..)]
    games: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What a network says of the games.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Line {
    network: String,
    games: usize,
    positions: u64,
    policy: Option<Foretold>,
    choice: Option<Foretold>,
    outcome: Option<Foretold>,
    searched: Option<Foretold>,
}

/// Asks and prints.
pub fn run(args: Args) -> Result<()> {
    let path = &args.games[0];
    let logs = logs_in(path)?;
    let log = logs.first().with_context(|| format!("{}: no log of a match (*.jsonl)", path.display()))?;
    let header = read_log(log)?.header;
    let start = &header.start;
    match header.game.as_str() {
        TicTacToe::NAME => foretell(&args, &TicTacToe::parse_position(start)?),
        ConnectFour::NAME => foretell(&args, &ConnectFour::parse_position(start)?),
        Go::NAME => foretell(&args, &Go::parse_position(start)?),
        other => bail!("{}: games of {other}: expected go, connect-four or tic-tac-toe", log.display()),
    }
}

fn foretell<G: Playable + ZeroGame>(args: &Args, start: &G) -> Result<()> {
    let start = &start.unlimited();
    let mut games = RecordedGames::read(start, start, &args.games, 1)?;
    let networks: Vec<_> = args.networks.iter().map(|spec| network(start, spec)).collect::<Result<_>>()?;
    let progress = Progress::new((networks.len() * games.len()) as u64, 0, "games", args.json);
    let mut lines = Vec::new();
    for (name, mut network) in networks {
        let mut foretelling = Foretelling::default();
        for number in 0..games.len() as u64 {
            let played = games.play(start, &[], number, 0, &AtomicBool::new(false));
            for game in played.iter().flat_map(|played| &played.trajectories) {
                foretelling.add(start, game, &mut *network);
            }
            progress.set((lines.len() * games.len()) as u64 + number + 1);
        }
        lines.push(Line {
            network: name,
            games: games.len(),
            positions: foretelling.positions(),
            policy: foretelling.policy(),
            choice: foretelling.choice(),
            outcome: foretelling.outcome(),
            searched: foretelling.searched(),
        });
    }
    progress.finish();
    let mut out = output::stdout();
    if args.json {
        return output::json(&mut out, &lines);
    }
    let mut table = Table::new(["network", "policy", "±", "choice", "±", "outcome", "±", "searched", "±"]);
    for line in &lines {
        let cells =
            [(line.policy, 3), (line.choice, 3), (line.outcome, 4), (line.searched, 4)].map(|(found, digits)| {
                let number = |number: f64| format!("{number:.digits$}");
                let margin = |found: Foretold| found.margin.map(number).unwrap_or_default();
                found.map_or([String::new(), String::new()], |found| [number(found.mean), margin(found)])
            });
        table.row([line.network.clone()].into_iter().chain(cells.into_iter().flatten()));
    }
    table.write(&mut out)?;
    let positions = lines.first().map_or(0, |line| line.positions);
    writeln!(out, "\n{positions} positions of {} games", games.len())?;
    Ok(out.flush()?)
}

/// A network by the agent that it leads, and that agent's name.
fn network<G: Playable + ZeroGame>(start: &G, spec: &str) -> Result<(String, Box<dyn Network<G>>)> {
    let AgentSpec { name, agent } = AgentSpec::parse(spec)?;
    let puct = match agent {
        Agent::Puct(puct) => puct,
        _ => bail!("'{spec}': expected a network: a checkpoint as for puct, or puct:CHECKPOINT"),
    };
    ensure!(puct.playout.is_none(), "'{spec}': playouts say nothing of what a network knows: leave them out");
    Ok((name, registry::network(start, &puct)?))
}
