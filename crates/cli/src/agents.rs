//! `afterstate agents`: who can play, with every setting.

use crate::agent::catalogue::KINDS;
use crate::output;
use anyhow::Result;
use std::io::Write;

/// Arguments of `agents`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  afterstate agents\n  afterstate agents --json")]
pub struct Args {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Prints the catalogue.
pub fn run(args: Args) -> Result<()> {
    let mut out = output::stdout();
    if args.json {
        return output::json(&mut out, &KINDS);
    }
    for kind in KINDS {
        writeln!(out, "{}  -  {}", kind.name, kind.summary)?;
        writeln!(out, "    games: {}", kind.games)?;
        let width = kind.settings.iter().map(|setting| setting.name.len()).max().unwrap_or(0);
        for setting in kind.settings {
            let default = setting.default.map_or("required".to_string(), |default| format!("default {default}"));
            writeln!(out, "    {:<width$} {} ({default})", setting.name, setting.meaning)?;
        }
        writeln!(out, "    example: {}\n", kind.example)?;
    }
    writeln!(
        out,
        "An agent is also a TOML file (agent = \"alpha-beta\", checkpoint = \"runs/quick\", depth = 5, perhaps name = \"…\"),\n\
         or a checkpoint's file or folder alone, which plays greedily (a residual network by puct)."
    )?;
    Ok(out.flush()?)
}
