//! `afterstate calibrate`: what `UCI_Elo` is turned into with a run's weights, measured and kept in the run's folder.

use crate::folder_lock::FolderLock;
use crate::held_back::{self, Line, Measured};
use crate::reproduce::{HeldBackExperiment, Workplace};
use crate::{output, standings};
use afterstate_engine::value::checkpoint::write_whole;
use afterstate_engine::value::{LearntEvaluation, ShapeAgent};
use afterstate_protocols::uci::Strengths;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The levels and opponents of `reproduce meep/uci-elo`.
const EXPERIMENT: &str = include_str!("../../../papers/2009-treestrap/uci-elo.toml");

/// What it writes into the run's folder.
const FILE: &str = "uci-elo.json";

/// Arguments of `calibrate`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  afterstate calibrate runs/chess\n  afterstate calibrate runs/chess --games 4 --up-to 4000\n  \
    afterstate calibrate runs/chess --games 100 --jobs 2\n\n\
    The run's last weights play at levels from 64 to 64,000 positions a move, each with the next one and, from 1,000 on,\n\
    with Stockfish (the program stockfish) at the two values of its UCI_Elo that are nearest. The games are in RUN/uci-elo,\n\
    and a stopped calibration goes on from there. `afterstate uci --agent tournament-search:RUN` then offers as UCI_Elo what was\n\
    measured, RUN/uci-elo.json."
)]
pub struct Args {
    /// A run's folder, which learnt chess
    run: PathBuf,
    /// Games of each level with the next one, and with each opponent [default: 16]
    #[arg(long, value_name = "N")]
    games: Option<u32>,
    /// Only levels of at most so many positions a move, 1,000 or more, which is faster [default: all]
    #[arg(long, value_name = "N")]
    up_to: Option<u64>,
    /// Games at the same time [default: one for each core]
    #[arg(long, alias = "workers", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What came out.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Calibration {
    made_by: String,
    /// The file name of the weights.
    checkpoint: String,
    unit: String,
    games: u32,
    lines: Vec<Line>,
    faults: Vec<(String, u64)>,
}

impl Calibration {
    /// Whether it says more of the same weights than `later`.
    fn is_fuller(&self, later: &Calibration) -> bool {
        self.checkpoint == later.checkpoint && (self.games > later.games || self.lines.len() > later.lines.len())
    }
}

/// Plays the games that are missing, and writes what came out.
pub fn run(args: Args) -> Result<()> {
    let Args { run, games, up_to, jobs, json } = args;
    ensure!(run.is_dir(), "{}: not a folder: expected one that `train` wrote", run.display());
    let name = run.to_str().context("the folder's name is not Unicode")?.trim_end_matches('/');
    let path = ShapeAgent::find(name)?;
    let of = LearntEvaluation::games(&path).context("only runs that learnt chess can be calibrated")?;
    let experiment = HeldBackExperiment::parse(EXPERIMENT)?;
    let games = games.unwrap_or(experiment.scale["quick"].games);
    ensure!(games > 0, "--games 0: expected a number above 0");
    let mut held_back = experiment.held_back()?;
    if let Some(nodes) = up_to {
        held_back = held_back.up_to(nodes).with_context(|| format!("--up-to {nodes}"))?;
    }
    // Weights that learnt on are others, and so are their games. A log is of as many games as were asked for.
    let all_logs = run.join("uci-elo");
    let _lock = FolderLock::take(&all_logs)?;
    let logs = all_logs.join(format!("{of}-{games}"));
    let file = run.join(FILE);
    let earlier = read(&file)?;
    let place = Workplace::of_command(jobs, json)?;
    let agent = format!("tournament-search:{name}@{of}");
    // A folder can be named in many ways, and moved: what has been played is gone on with all the same.
    let called = format!("weights after {of} games");
    let Measured { lines, faults } = place.measure(&held_back, &agent, Some(&called), games, &logs)?;
    let calibration = Calibration {
        made_by: format!("afterstate {}: calibrate, {games} games of each pair", crate::version::VERSION),
        checkpoint: file_name(&path),
        unit: experiment.unit,
        games,
        lines,
        faults,
    };
    let fuller = earlier.is_some_and(|earlier| earlier.is_fuller(&calibration));
    if fuller {
        let file = file.display();
        crate::output::tell!(
            "note: {file} stays as it is, of more games or levels; remove it to have these in its place"
        );
    } else {
        let text = serde_json::to_string_pretty(&calibration)? + "\n";
        write_whole(&file, text.as_bytes()).with_context(|| file.display().to_string())?;
    }
    let mut out = output::stdout();
    if json {
        return output::json(&mut out, &calibration);
    }
    held_back::write_tables(&mut out, &calibration.lines)?;
    writeln!(out)?;
    standings::write_faults(&mut out, &calibration.faults)?;
    writeln!(out, "{}", calibration.unit)?;
    match held_back::strengths(&calibration.lines) {
        _ if fuller => {}
        Some(strengths) => {
            let (least, most) = strengths.range().into_inner();
            writeln!(out, "UCI_Elo from {least} to {most}, written to {}", file.display())?;
        }
        None => writeln!(out, "No level is stronger than another, so that these games are of no use: play more.")?,
    }
    Ok(out.flush()?)
}

/// What was measured of a checkpoint, if somebody has, and if it says anything; `name` is how an agent names it.
///
/// # Errors
///
/// A file that is damaged.
pub fn of_checkpoint(name: &str) -> Result<Option<Strengths>> {
    let path = ShapeAgent::find(name)?;
    let Some(file) = path.parent().and_then(Path::parent).map(|run| run.join(FILE)) else {
        return Ok(None);
    };
    let calibration = read(&file)?.filter(|calibration| calibration.checkpoint == file_name(&path));
    Ok(calibration.and_then(|calibration| held_back::strengths(&calibration.lines)))
}

/// What an earlier calibration wrote.
fn read(file: &Path) -> Result<Option<Calibration>> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| file.display().to_string()),
    };
    let damaged =
        || format!("{}: expected what `afterstate calibrate` wrote: delete the file, and repeat it", file.display());
    serde_json::from_str(&text).map(Some).with_context(damaged)
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
