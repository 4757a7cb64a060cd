//! `afterstate import`: makes checkpoints of what other programs learnt.

use crate::output;
use afterstate_engine::value::rlgo_file::{self, RlgoWeights};
use afterstate_engine::value::shape_agent::{CHECKPOINTS, checkpoint_name};
use afterstate_engine::value::{Checkpoint, ShapeAgent, Squash};
use afterstate_games::go::{Komi, MAX_SIZE, MIN_SIZE};
use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// A larger file is not one of weights: all shapes of 19×19 take less than a tenth of it.
const MAX_BYTES: u64 = 64 << 20;

/// Arguments of `import`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  afterstate import rlgo shared-shapes-3x3.w --out runs/imported\n  \
    afterstate import rlgo shapes-5x5.w --out runs/imported5 --size 5\n  \
    afterstate play --agent greedy:runs/imported")]
pub struct Args {
    /// What wrote the file
    #[arg(value_enum)]
    format: Format,
    /// The file
    file: PathBuf,
    /// The folder that is made; it must not exist, or be empty
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Points along one edge of the board, which the file does not say: 5 to 19
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u8).range(MIN_SIZE as i64..=MAX_SIZE as i64))]
    size: u8,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Files that can be read.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Format {
    /// Weights of local shapes, as the program RLGO saves them (.w)
    Rlgo,
}

/// Reads the file and writes a folder that is used like one of `train`.
pub fn run(args: Args) -> Result<()> {
    let Args { format: Format::Rlgo, file, out: folder, size, json } = args;
    let taken = !folder.is_dir() && folder.exists()
        || folder.is_dir()
            && std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?.next().is_some();
    ensure!(!taken, "{} exists already: choose another --out", folder.display());
    let RlgoWeights { sizes, sharing, weights } =
        read(&file, usize::from(size)).with_context(|| format!("weight file {}", file.display()))?;
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
    let about = ShapeAgent {
        board_size: usize::from(size),
        // The file does not say; RLGO's games were played with this one.
        komi: Komi::DEFAULT,
        sizes,
        sharing,
        squash: Squash::Logistic,
        games: 0,
        since_milestone: Default::default(),
        origin: format!("afterstate {}\nimported from RLGO's weight file {name}", crate::version::VERSION),
    };
    let path = folder.join(CHECKPOINTS).join(checkpoint_name(0));
    let checkpoint = Checkpoint::new(about, weights);
    checkpoint.save(&path)?;

    let (about, count) = (&checkpoint.about, checkpoint.weights.len());
    let mut out = output::stdout();
    if json {
        let report = serde_json::json!({
            "checkpoint": path.display().to_string(),
            "board-size": size,
            "sizes": about.sizes,
            "sharing": about.sharing,
            "weights": count,
        });
        return output::json(&mut out, &report);
    }
    let shown = folder.display();
    writeln!(out, "{count} weights for {size}×{size}, now in {shown}")?;
    writeln!(out, "Play against them    afterstate play --size {size} --agent greedy:{shown}")?;
    Ok(out.flush()?)
}

fn read(file: &Path, size: usize) -> Result<RlgoWeights> {
    let mut bytes = Vec::new();
    File::open(file)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    ensure!(bytes.len() as u64 <= MAX_BYTES, "more than {} MiB, expected weights of local shapes", MAX_BYTES >> 20);
    Ok(rlgo_file::read(&bytes, size)?)
}
