//! `afterstate bench`: how fast everything is, one line a figure: `name value unit`.
//!
//! Rates are per second of processor time of the whole process (all threads together), which other
//! programs on the machine disturb little; the figure with `.wall` behind its name is per second of the clock.

mod backgammon;
mod chess;
mod chess_network;
mod device_nets;
mod frameworks;
mod mcts;
mod measure;
mod nets;
mod perft;
mod playouts;
mod search;
mod signature;
mod speed_up;
mod td;
mod td_search;

use crate::output;
use afterstate_nets::DeviceName;
use anyhow::{Result, ensure};
use measure::Figure;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Arguments of `bench`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  afterstate bench\n  afterstate bench td --seconds 5 --threads 2\n  \
                        afterstate bench playouts --json\n  afterstate bench perft\n  afterstate bench nets --beside python3\n  \
                        afterstate bench nets --device cuda --threads 16\n  \
                        afterstate bench signature --check bench.txt")]
pub struct Args {
    /// What to measure
    #[arg(value_enum, default_value = "all")]
    what: What,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// With signature: compare with this file instead of printing, and fail if anything differs
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// With nets: a Python with PyTorch and ONNX Runtime (`pip install torch onnxruntime`), which are measured beside us, one
    /// thread each
    #[arg(long, value_name = "PYTHON")]
    beside: Option<String>,
    /// With nets: measure the paper's network on this device, per second of the clock, and self-play with all threads
    #[arg(long, value_name = "DEVICE", default_value_t)]
    device: DeviceName,
    /// Threads that work at the same time, 1 to 1024
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// How long each figure is measured, in seconds
    #[arg(long, default_value = "2", value_parser = seconds)]
    seconds: Duration,
}

/// What can be measured.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// Everything
    All,
    /// Chess: positions that moves lead to, through the interface of all games and by the move generator alone
    Perft,
    /// Random games of Go: uniform ones, which show the speed of the board, and by MoGo's and Fuego's rules
    Playouts,
    /// Self-play that learns 9×9 Go by temporal differences, and the share of the time that learning takes
    Td,
    /// The values of all afterstates of fixed positions: the inner loop of whatever is greedy
    Afterstates,
    /// Alpha-beta search on 9×9 Go, with one thread and two
    Search,
    /// Monte-Carlo tree search on 9×9 Go: simulations with one thread, and with two on one tree
    Mcts,
    /// TD search on 9×9 and 19×19 Go, with one thread and two, and UCT with the same playouts: simulations; alpha-beta on
    /// what was learnt
    TdSearch,
    /// Chess: evaluations, positions of the search that plays, and of the search that learners use, learning included; the same for its
    /// network
    Chess,
    /// Backgammon: games of self-play that learn, with traces and without, and plays of expectimax
    Backgammon,
    /// Residual networks: answers and gradients by the kind of network, and self-play that they lead
    Nets,
    /// Not speeds, but hashes and counts that change when what is computed changes
    Signature,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_string())?;
    if (0.001..=3600.0).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err("expected 0.001 to 3600 seconds".to_string())
    }
}

/// How to measure.
#[derive(Clone, Copy)]
struct Effort {
    threads: u32,
    time: Duration,
}

/// Measures and prints every figure as soon as it is known (JSON at the end).
pub fn run(args: Args) -> Result<()> {
    if args.what == What::Signature && args.beside.is_none() {
        return signature::run(args.check.as_deref(), args.json);
    }
    ensure!(args.check.is_none(), "--check compares signatures: use 'afterstate bench signature --check FILE'");
    ensure!(
        args.beside.is_none() || (args.what == What::Nets && (args.threads == 1 || args.device != DeviceName::Cpu)),
        "--beside compares networks on one thread: use 'afterstate bench nets --beside PYTHON'"
    );
    ensure!(
        args.device == DeviceName::Cpu || args.what == What::Nets,
        "--device is for networks: use 'afterstate bench nets --device {}'",
        args.device
    );
    let effort = Effort { threads: args.threads, time: args.seconds };
    let mut all = Vec::new();
    let mut report = |figure: Figure| -> Result<()> {
        if !args.json {
            let mut out = output::stdout();
            writeln!(out, "{figure}")?;
            out.flush()?;
        }
        all.push(figure);
        Ok(())
    };
    let wants = |what| args.what == What::All || args.what == what;
    if wants(What::Perft) {
        perft::run(effort, &mut report)?;
    }
    if wants(What::Playouts) {
        playouts::run(effort, &mut report)?;
    }
    if wants(What::Td) {
        td::run(effort, &mut report)?;
    }
    if wants(What::Afterstates) {
        td::afterstates(effort, &mut report)?;
    }
    if wants(What::Search) {
        search::run(effort, &mut report)?;
    }
    if wants(What::Mcts) {
        mcts::run(effort, &mut report)?;
    }
    if wants(What::TdSearch) {
        td_search::run(effort, &mut report)?;
    }
    if wants(What::Chess) {
        chess::run(effort, &mut report)?;
    }
    if wants(What::Backgammon) {
        backgammon::run(effort, &mut report)?;
    }
    if wants(What::Nets) {
        let beside = args.beside.as_deref().map(frameworks::Frameworks::start).transpose()?;
        match args.device {
            DeviceName::Cpu => nets::run(effort, beside, &mut report)?,
            device => device_nets::run(device, effort, beside, &mut report)?,
        }
    }
    if args.json {
        output::json(&mut output::stdout(), &all)?;
    }
    Ok(())
}
