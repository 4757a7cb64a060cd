//! `afterstate check`: whether a game keeps the promises that everything else relies on.

use crate::output;
use crate::progress::Progress;
use crate::registry::{self, GAMES, GameOptions, GameSpec, Playable, Visitor};
use afterstate_games::conformance::{self, Settings};
use anyhow::{Result, ensure};
use serde::Serialize;
use std::io::Write;

/// Arguments of `check`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  afterstate check connect-four\n  afterstate check go19 --games 20\n  afterstate check all"
)]
pub struct Args {
    /// The game (see `afterstate games`), or all
    game: String,
    #[command(flatten)]
    options: GameOptions,
    /// Random games to look at
    #[arg(long, default_value_t = Settings::default().games, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    /// Which random games
    #[arg(long, default_value_t = Settings::default().seed)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Checked {
    game: String,
    games: u64,
    positions: u64,
    transpositions: u64,
}

/// Checks one game or all; a broken promise is an error.
pub fn run(args: Args) -> Result<()> {
    let names: Vec<String> =
        if args.game == "all" { GAMES.iter().map(|game| game.name.to_string()).collect() } else { vec![args.game] };
    ensure!(
        names.len() == 1 || (args.options.size.is_none() && args.options.komi.is_none()),
        "--size and --komi belong to one game: name it instead of all"
    );
    let settings = Settings { games: args.games, seed: args.seed, ..Settings::default() };
    let mut out = output::stdout();
    let mut all = Vec::new();
    for name in names {
        let game = GameSpec::parse(&name, args.options)?;
        let checked = registry::visit(game, Check { name: game.name(), settings, quiet: args.json })?;
        if !args.json {
            writeln!(
                out,
                "{}: {} games, {} positions, {} transpositions: as promised",
                checked.game, checked.games, checked.positions, checked.transpositions
            )?;
            out.flush()?;
        }
        all.push(checked);
    }
    if args.json { output::json(&mut out, &all) } else { Ok(()) }
}

struct Check {
    name: String,
    settings: Settings,
    quiet: bool,
}

impl Visitor for Check {
    type Output = Result<Checked>;

    fn visit<G: Playable>(self, start: G) -> Result<Checked> {
        let _progress = Progress::spinner("checking", self.quiet);
        let report = conformance::check(&start, self.settings)?;
        Ok(Checked {
            game: self.name,
            games: report.games,
            positions: report.positions,
            transpositions: report.transpositions,
        })
    }
}
