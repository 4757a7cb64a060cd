//! `afterstate`: learns board games from nothing but their rules, searches with what it learnt, and plays.
//!
//! One file per subcommand. `agent` reads who plays, `registry` knows which games there are.

mod agent;
mod agents;
mod bench;
mod interrupt;
mod output;
mod progress;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Learns board games from nothing but their rules, searches with what it learnt, and plays.
#[derive(Parser)]
#[command(name = "afterstate", version, max_term_width = 120)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Who can play, with every setting, default and an example
    Agents(agents::Args),
    /// How fast everything is: one line a figure, `name value unit`
    Bench(bench::Args),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let result = match cli.command {
        Command::Agents(args) => agents::run(args),
        Command::Bench(args) => bench::run(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => fail(&format!("{error:#}"), 1),
    }
}

fn fail(message: &str, code: u8) -> ExitCode {
    eprintln!("error: {}", message.trim().replace('\n', "; "));
    ExitCode::from(code)
}

/// Help and version as they are; a wrong command line as one line, with clap's hint.
fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Nothing is left to do when nobody reads the help.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        eprint!("{text}");
        return ExitCode::from(2);
    }
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .collect();
    let message = lines.join("; ");
    fail(&format!("{}; try --help", message.trim_start_matches("error: ")), 2)
}
