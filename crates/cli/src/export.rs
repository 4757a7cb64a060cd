//! `afterstate export`: writes what was learnt as files of other programs.

use crate::{destinations, output};
use afterstate_engine::value::checkpoint::write_whole;
use afterstate_engine::value::{Checkpoint, ShapeAgent};
use afterstate_nets::{Architecture, ResidualAgent, onnx};
use anyhow::{Context, Result, ensure};
use std::io::Write;
use std::path::PathBuf;

/// Arguments of `export`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  afterstate export onnx runs/four four.onnx\n  \
    afterstate export onnx runs/four@100 four-100.onnx --json\n\n\
    The network's input `planes` is [batch, 4, rows, columns]: stones of the side to move, those of the other side,\n\
    ones if the first player is to move, and ones; where the network sees details of Go, 7 planes more. Its outputs are\n\
    `policy`, [batch, moves], logits before any softmax, and `value`, [batch, 1], from -1 to 1 for the side to move. In Go\n\
    and Connect Four the first row is the lowest one, in tic-tac-toe the uppermost. Moves are columns from the left, the\n\
    squares of tic-tac-toe row by row, or the points of Go row by row from the lowest, and the pass last.")]
pub struct Args {
    /// What is written
    #[arg(value_enum)]
    format: Format,
    /// A checkpoint file, a run's folder (its last checkpoint), or folder@steps
    checkpoint: String,
    /// The file that is written, or replaced
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Files that can be written.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Format {
    /// A residual network for ONNX Runtime and what else reads ONNX (.onnx)
    Onnx,
}

/// Reads the checkpoint and writes the file.
pub fn run(args: Args) -> Result<()> {
    let Args { format: Format::Onnx, checkpoint: name, file, json } = args;
    let path = ShapeAgent::find(&name)?;
    ensure!(!destinations::is_same(&path, &file), "{} is the checkpoint itself: choose another file", file.display());
    let is_onnx = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("onnx"));
    ensure!(
        is_onnx || !file.is_file(),
        "{}: there is a file of another kind already: name one that ends in .onnx, or remove it",
        file.display()
    );
    let Checkpoint { about, weights, .. } =
        ResidualAgent::read(&path).context("only residual networks can be written as ONNX")?;
    let mut metadata = vec![
        ("game", about.game.clone()),
        ("steps", about.steps.to_string()),
        ("games", about.games.to_string()),
        ("origin", about.origin.clone()),
    ];
    metadata.extend(about.komi.map(|komi| ("komi", komi.to_string())));
    write_whole(&file, &onnx::export(&about.network, &weights, &metadata))
        .with_context(|| file.display().to_string())?;

    let Architecture { planes, height, width, moves, blocks, filters, .. } = about.network;
    let mut out = output::stdout();
    if json {
        let report = serde_json::json!({
            "file": file.display().to_string(),
            "game": about.game,
            "steps": about.steps,
            "weights": weights.len(),
            "inputs": { onnx::PLANES: ["batch", planes, height, width] },
            "outputs": { onnx::POLICY: ["batch", moves], onnx::VALUE: ["batch", 1] },
        });
        return output::json(&mut out, &report);
    }
    let (game, count, shown) = (&about.game, weights.len(), file.display());
    writeln!(
        out,
        "{game} after {} steps, {blocks} blocks of {filters} filters, {count} weights, now in {shown}",
        about.steps
    )?;
    writeln!(out, "Input    {}  batch x {planes} x {height} x {width}", onnx::PLANES)?;
    writeln!(out, "Outputs  {}  batch x {moves}, logits", onnx::POLICY)?;
    writeln!(out, "         {}   batch x 1, from -1 to 1 for the side to move", onnx::VALUE)?;
    Ok(out.flush()?)
}
