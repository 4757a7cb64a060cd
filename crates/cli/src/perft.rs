//! `afterstate perft`: counts what a game's rules lead to, for comparison with other programs.

use crate::output::{self, Table};
use crate::progress::Progress;
use crate::registry::{self, GameOptions, GameSpec, Playable, Visitor};
use afterstate_games::perft;
use anyhow::Result;
use serde::Serialize;
use std::io::Write;

/// Arguments of `perft`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  afterstate perft connect-four 7\n  afterstate perft go5 3 --by-move\n  \
    afterstate perft tic-tac-toe 9 --distinct\n  afterstate perft connect-four 5 --position '......./......./......./......./......./XO.....'\n\n\
    A position is what 'afterstate perft GAME 0' prints first. Games end as their rules say: in chess nothing is counted behind a\n\
    position that is drawn by its men or by fifty moves, where other programs count on; 'go perft' of 'afterstate uci' does so, too.")]
pub struct Args {
    /// The game (see `afterstate games`)
    game: String,
    /// How many moves deep
    #[arg(value_parser = clap::value_parser!(u32).range(0..=100))]
    depth: u32,
    #[command(flatten)]
    options: GameOptions,
    /// Start here instead of at the beginning
    #[arg(long, value_name = "TEXT")]
    position: Option<String>,
    /// Count different positions instead of paths (keeps two depths of them in memory)
    #[arg(long, conflicts_with = "by_move")]
    distinct: bool,
    /// Show the paths behind each first move
    #[arg(long)]
    by_move: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report {
    game: String,
    position: String,
    /// After 0, 1, … moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    paths: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distinct: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by_move: Option<Vec<(String, u64)>>,
}

/// Counts and prints.
pub fn run(args: Args) -> Result<()> {
    let game = GameSpec::parse(&args.game, args.options)?;
    registry::visit(game, Count { args, name: game.name() })
}

struct Count {
    args: Args,
    name: String,
}

impl Visitor for Count {
    type Output = Result<()>;

    fn visit<G: Playable>(self, start: G) -> Result<()> {
        let Count { args, name } = self;
        let start = match &args.position {
            Some(text) => G::parse_position(text)?,
            None => start,
        };
        let mut out = output::stdout();
        let mut report =
            Report { game: name, position: start.position_text(), paths: None, distinct: None, by_move: None };
        if !args.json {
            writeln!(out, "{} from {}", report.game, report.position)?;
        }
        let progress = (args.distinct || args.by_move).then(|| Progress::spinner("counting", args.json));
        if args.distinct {
            report.distinct = Some(perft::distinct_positions(&start, args.depth));
        } else if args.by_move {
            let counted = perft::paths_by_move(&start, args.depth);
            report.by_move = Some(counted.into_iter().map(|(mv, paths)| (start.move_text(mv), paths)).collect());
        } else {
            let mut counts = Vec::new();
            for depth in 0..=args.depth {
                counts.push(perft::paths(&start, depth));
                if !args.json {
                    // Each depth as soon as it is known: the next may take a thousand times as long.
                    writeln!(out, "{depth:>3} {:>20}", counts[depth as usize])?;
                    out.flush()?;
                }
            }
            report.paths = Some(counts);
        }
        drop(progress);
        if args.json {
            return output::json(&mut out, &report);
        }
        if let Some(distinct) = &report.distinct {
            for (depth, count) in distinct.iter().enumerate() {
                writeln!(out, "{depth:>3} {count:>20}")?;
            }
        }
        if let Some(by_move) = &report.by_move {
            let mut table = Table::new(["move", "paths"]);
            for (mv, paths) in by_move {
                table.row([mv.clone(), paths.to_string()]);
            }
            table.row(["all".to_string(), by_move.iter().map(|(_, paths)| paths).sum::<u64>().to_string()]);
            table.write(&mut out)?;
        }
        Ok(out.flush()?)
    }
}
