//! `afterstate`: learns board games from nothing but their rules, searches with what it learnt, and plays.
//!
//! One file per subcommand. `agent` reads who plays, `registry` knows which games there are.

// It panics where nobody reads standard error any more.
#![deny(clippy::print_stderr)]

mod agent;
mod agents;
mod analyze;
mod any_recipe;
mod balance_learner;
mod balance_recipe;
mod bench;
mod calibrate;
mod check;
mod chess_learner;
mod chess_network_learner;
mod chess_network_recipe;
mod commented;
mod completions;
mod conditions;
mod contest;
mod destinations;
mod duel;
mod epd_suite;
mod evaluate;
mod event_file;
mod export;
mod feature_learner;
mod file_lock;
mod folder_lock;
mod foretell;
mod game_files;
mod games;
mod grid_learner;
mod grid_recipe;
mod gtp;
mod held_back;
mod import;
mod interrupt;
mod learning_games;
mod lesson;
mod match_command;
mod network_recipe;
mod openings;
mod output;
mod partners;
mod perft;
mod play;
mod position_files;
mod progress;
mod rate;
mod recipe;
mod recipes;
mod registry;
mod reproduce;
mod search_learning;
mod search_recipe;
mod shape_learner;
mod solve;
mod sources;
mod standings;
mod suite;
mod tournament;
mod train;
mod training_run;
mod tune;
mod uci;
mod version;
mod watch;
mod zero_game;
mod zero_learner;
mod zero_presets;
mod zero_recipe;
mod zero_view;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::process::ExitCode;

/// Counts what the unit tests take, so that they can bound it.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: cap::Cap<std::alloc::System> = cap::Cap::new(std::alloc::System, usize::MAX);

/// Learns board games from nothing but their rules, searches with what it learnt, and plays.
#[derive(Parser)]
#[command(name = "afterstate", version = version::VERSION, max_term_width = 120)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// What can be played, and how moves are written
    Games(games::Args),
    /// Who can play, with every setting, default and an example
    Agents(agents::Args),
    /// What recipes can say, with every key, its usual value and its meaning
    Recipes(recipes::Args),
    /// Learn a game from self-play, as a recipe says
    Train(train::TrainArgs),
    /// Make an agent of weights that another program learnt
    Import(import::Args),
    /// What was learnt as a file for other programs
    Export(export::Args),
    /// Run an experiment of a paper and compare
    Reproduce(reproduce::ReproduceArgs),
    /// Play in the terminal against any agent
    Play(play::Args),
    /// A game of Go or a match of backgammon looked at again: blunders, win rates, comments
    Analyze(analyze::Args),
    /// What a position of backgammon is worth, and which plays are best
    Evaluate(evaluate::Args),
    /// How well networks know games that they have not learnt from
    Foretell(foretell::Args),
    /// Two agents, many games, perhaps a sequential test
    Match(Box<match_command::Args>),
    /// Find better numbers for an agent by games against itself
    Tune(Box<tune::Args>),
    /// Many agents, from a file, in a log that an interrupted run goes on from
    Tournament(tournament::Args),
    /// Ratings from the logs of matches and tournaments
    Rate(rate::Args),
    /// An agent behind the Go Text Protocol, for Go programs and servers
    Gtp(gtp::Args),
    /// An agent behind the Universal Chess Interface, for chess programs
    Uci(uci::Args),
    /// What UCI_Elo stands for with weights that a run has learnt
    Calibrate(calibrate::Args),
    /// How fast everything is: one line a figure, `name value unit`
    Bench(bench::Args),
    /// An agent on positions with a right answer
    Suite(suite::Args),
    /// Who wins positions of Connect Four, and how often an agent's moves keep that
    Solve(solve::Args),
    /// Count what a game's rules lead to
    Perft(perft::Args),
    /// Whether a game keeps the promises that everything else relies on
    Check(check::Args),
    /// Completion scripts for shells
    Completions(completions::Args),
    /// The manual page
    Manual(completions::ManualArgs),
}

/// Numbers may be negative, so that what is wrong with them is told by who knows what was expected.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let takes_values = |arg: &clap::Arg| arg.get_action().takes_values();
    let command = command.mut_args(|arg| if takes_values(&arg) { arg.allow_negative_numbers(true) } else { arg });
    command.mut_subcommands(with_negative_numbers)
}

/// A thread that the system refuses is an error of one line, and so is one of whoever searches in it. What is finished is on disk.
fn refuse_threads_in_one_line() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.payload().downcast_ref::<String>().map_or("", String::as_str);
        if message.contains("failed to spawn thread") {
            output::tell!(
                "error: the system gives no more threads: ask for fewer (--workers, --jobs, --threads, threads=)"
            );
            std::process::exit(1);
        }
        usual(panic);
    }));
}

fn main() -> ExitCode {
    refuse_threads_in_one_line();
    let matches = with_negative_numbers(Cli::command()).try_get_matches();
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let result = match cli.command {
        Command::Games(args) => games::run(args),
        Command::Agents(args) => agents::run(args),
        Command::Recipes(args) => recipes::run(args),
        Command::Play(args) => play::run(args),
        Command::Analyze(args) => analyze::run(args),
        Command::Evaluate(args) => evaluate::run(args),
        Command::Foretell(args) => foretell::run(args),
        Command::Match(args) => match_command::run(*args),
        Command::Tune(args) => tune::run(*args),
        Command::Tournament(args) => tournament::run(args),
        Command::Rate(args) => rate::run(args),
        Command::Gtp(args) => gtp::run(args),
        Command::Uci(args) => uci::run(args),
        Command::Perft(args) => perft::run(args),
        Command::Check(args) => check::run(args),
        Command::Suite(args) => suite::run(args),
        Command::Solve(args) => solve::run(args),
        Command::Completions(args) => completions::run(args),
        Command::Manual(args) => completions::manual(args),
        Command::Calibrate(args) => calibrate::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Train(args) => train::run(args),
        Command::Import(args) => import::run(args),
        Command::Export(args) => export::run(args),
        Command::Reproduce(args) => reproduce::run(args),
    };
    match result {
        // As shells have it, so that a script does not take what was stopped for what is finished.
        Ok(()) if interrupt::came() => ExitCode::from(interrupt::STATUS),
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => fail(&chain(&error), if interrupt::came() { interrupt::STATUS } else { 1 }),
    }
}

/// The error and its causes, less those that the one before already mentions.
fn chain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    let mut last = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if !last.contains(&cause) {
            text += if text.is_empty() { "" } else { ": " };
            text += &cause;
        }
        last = cause;
    }
    text
}

fn fail(message: &str, code: u8) -> ExitCode {
    crate::output::tell!("error: {}", message.trim().replace('\n', "; "));
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
        crate::output::tell!("{}", text.trim_end());
        return ExitCode::from(2);
    }
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("Usage:") && !line.starts_with("For more information"))
        // Where numbers are expected `-- -3` is no better than `-3`.
        .filter(|line| !line.starts_with("tip: to pass '-"))
        .collect();
    let message = lines.join("; ").replace(":; ", ": ");
    let message = message
        .replace("invalid digit found in string", "expected a whole number")
        .replace("invalid float literal", "expected a number");
    fail(&format!("{}; try --help", message.trim_start_matches("error: ")), 2)
}
