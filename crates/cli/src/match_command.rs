//! `afterstate match`: two agents, many games.

use crate::agent::{AgentSpec, agent_file};
use crate::conditions::{self, ConditionArgs};
use crate::contest::{self, Contest};
use crate::registry::GameArgs;
use crate::standings::{self, PointsPerGame};
use crate::{game_files, output};
use afterstate_arena::rating::{EloInterval, Tally, match_elo};
use afterstate_arena::sprt::{EloModel, Sprt, SprtStatus};
use afterstate_arena::tournament::TournamentSettings;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Arguments of `match`.
#[derive(clap::Args)]
#[command(after_help = format!("Examples:\n  afterstate match runs/quick random --games 200\n  \
    afterstate match alpha-beta:runs/quick,depth=3 greedy:runs/quick --log results.jsonl --workers 2\n  \
    afterstate match two-phase:2000,depth=4 td-search:2000 --games 100\n  \
    afterstate match greedy:runs/new greedy:runs/old --games 20000 --sprt elo0=0,elo1=10\n  \
    afterstate match runs/quick 'gtp:gnugo --mode gtp --level 10 --chinese-rules' --referee gnugo --sgf games\n  \
    afterstate match uct:5000 uci:stockfish --game chess --openings suite.epd --time 10s+100ms --pgn games.pgn --draw --win\n\n\
    SPRT: elo0, elo1, alpha, beta (default 0.05), model=normalised (default: Elo in units of how much results vary, so that\n\
    draws do not matter) or logistic (plain Elo, as in the report); --games is the most that it may take.\n\
    {}", conditions::HELP))]
pub struct Args {
    /// The agent under test (see `afterstate agents`)
    first: String,
    /// Its opponent
    second: String,
    #[command(flatten)]
    game: GameArgs,
    /// Games; agents swap sides after each, and two games share an opening
    #[arg(long, default_value_t = 100)]
    games: u32,
    #[command(flatten)]
    how: ConditionArgs,
    /// Stop as soon as a sequential test has decided; pairs of games that were played before do not count
    #[arg(long, value_name = "KEY=VALUE,…", value_parser = parse_sprt)]
    sprt: Option<Sprt>,
    #[command(flatten)]
    outputs: OutputArgs,
}

impl OutputArgs {
    /// Whether CSV goes to standard output, and nothing else then.
    pub fn csv_is_stdout(&self) -> bool {
        self.csv.as_ref().is_some_and(|path| path.as_os_str() == "-")
    }
}

/// Where results go.
#[derive(clap::Args)]
pub struct OutputArgs {
    /// Log every game here; an interrupted run goes on from its log
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Write one line a game (- for standard output)
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Chess: append every game to this PGN file
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
    /// Backgammon: write all games to this .mat file
    #[arg(long, value_name = "FILE")]
    pub mat: Option<PathBuf>,
    /// Go: write every game as an SGF file into this folder
    #[arg(long, value_name = "FOLDER")]
    pub sgf: Option<PathBuf>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report<'a> {
    game: String,
    agents: &'a [String],
    referee: &'a str,
    games: usize,
    /// How many of them no other repeats.
    different: usize,
    complete: bool,
    /// From the view of the first agent.
    tally: Tally,
    elo: EloInterval,
    /// In games that may be worth several points.
    #[serde(skip_serializing_if = "Option::is_none")]
    points_per_game: Option<PointsPerGame>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<SprtStatus>,
    faults: Vec<(String, u64)>,
}

/// Plays the match and reports it.
pub fn run(args: Args) -> Result<()> {
    let game = args.game.spec()?;
    let [first, second] = [&args.first, &args.second].map(|spec| agent_file(spec));
    let read = [("--openings", args.how.opening_file()), ("the first agent", first), ("the second agent", second)];
    let agents = vec![AgentSpec::parse(&args.first)?, AgentSpec::parse(&args.second)?];
    let settings =
        TournamentSettings { fingerprints: contest::fingerprints(&agents)?, ..args.how.settings(game, args.games)? };
    contest::check_start(game, &agents)?;
    game_files::check(&args.outputs, game, args.outputs.log.as_deref(), &read)?;
    let played = contest::play(Contest {
        game,
        agents,
        settings,
        workers: args.how.workers(),
        log: args.outputs.log.clone(),
        log_notes: true,
        openings: args.how.openings(),
        pgn: args.outputs.pgn.clone(),
        sprt: args.sprt,
        watch: None,
        quiet: args.outputs.json,
    })?;
    let results = &played.results;
    // If that fails, the report should be seen all the same.
    let written = game_files::write(&args.outputs, results);
    let names = &results.header.settings.agents;
    let tally = standings::tally(&results.games);
    let report = Report {
        game: game.name(),
        agents: names,
        referee: &results.header.settings.referee,
        games: results.games.len(),
        different: standings::different(&results.games),
        complete: results.complete,
        tally,
        elo: contest::elo_of_pairs(&results.games, 1.0).unwrap_or_else(|| match_elo(tally)),
        points_per_game: standings::points_per_game(game, results.games.iter().filter(|game| game.result.counts())),
        sprt: played.sprt,
        faults: standings::faults(names, &results.games),
    };
    let mut out = output::stdout();
    if args.outputs.json {
        output::json(&mut out, &report)?;
        return written;
    }
    if args.outputs.csv_is_stdout() {
        // Whoever asked for CSV there reads nothing else.
        return written;
    }
    standings::write_match(&mut out, names, &results.games)?;
    let but = if report.sprt.is_some() { ", but the SPRT does not" } else { "" };
    standings::write_different(&mut out, report.different, report.games, but)?;
    let elo = report.elo;
    writeln!(out, "Elo difference {:+.0}, 95 % interval {:+.0} to {:+.0}", elo.elo, elo.low, elo.high)?;
    if let Some(points) = &report.points_per_game {
        standings::write_points(&mut out, points)?;
    }
    if let Some(sprt) = &report.sprt {
        writeln!(out, "SPRT: {sprt}")?;
    }
    standings::write_faults(&mut out, &report.faults)?;
    out.flush()?;
    written
}

/// `elo0=0,elo1=10,alpha=0.05,beta=0.05,model=normalised`
fn parse_sprt(text: &str) -> Result<Sprt> {
    let mut sprt = Sprt::default();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').with_context(|| format!("'{part}': expected key=value"))?;
        if key == "model" {
            sprt.model = match value {
                "logistic" => EloModel::Logistic,
                "normalised" | "normalized" => EloModel::Normalised,
                _ => bail!("model '{value}': expected normalised or logistic"),
            };
            continue;
        }
        let number: f64 = value.parse().ok().with_context(|| format!("{key} '{value}': expected a number"))?;
        match key {
            "elo0" => sprt.elo0 = number,
            "elo1" => sprt.elo1 = number,
            "alpha" => sprt.alpha = number,
            "beta" => sprt.beta = number,
            _ => bail!("'{key}': expected elo0, elo1, alpha, beta or model"),
        }
    }
    sprt.check()?;
    Ok(sprt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequential_test_is_read_from_its_settings() {
        let sprt = parse_sprt("elo0=-5,elo1=5,alpha=0.1,model=logistic").unwrap();
        assert_eq!((sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta), (-5.0, 5.0, 0.1, 0.05));
        assert_eq!(sprt.model, EloModel::Logistic);
        for bad in ["elo2=3", "elo0", "elo0=x", "elo0=5,elo1=0", "alpha=0.7", "model=chess", "elo1=nan"] {
            assert!(parse_sprt(bad).is_err(), "{bad}");
        }
    }
}
