//! `afterstate games`: what can be played, and how moves are written.

use crate::output;
use crate::registry::GAMES;
use anyhow::Result;
use std::io::Write;

/// Arguments of `games`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  afterstate games\n  afterstate games --json")]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints the list.
pub fn run(args: Args) -> Result<()> {
    let mut out = output::stdout();
    if args.json {
        return output::json(&mut out, &GAMES);
    }
    for game in GAMES {
        writeln!(out, "{}  -  {}", game.name, game.summary)?;
        writeln!(out, "    boards: {}\n    moves:  {}", game.boards, game.moves)?;
    }
    Ok(out.flush()?)
}
