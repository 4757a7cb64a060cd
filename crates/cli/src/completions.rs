//! `afterstate completions` and `afterstate manual`: what shells and `man` want to know.

use crate::{Cli, output};
use anyhow::{Context, Result};
use clap::CommandFactory;
use std::io::Write;
use std::path::PathBuf;

/// Arguments of `completions`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  afterstate completions bash > ~/.local/share/bash-completion/completions/afterstate\n  \
                        afterstate completions zsh > ~/.zfunc/_afterstate"
)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

/// Prints the completion script of a shell.
pub fn run(args: Args) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "afterstate", &mut script);
    let mut out = output::stdout();
    out.write_all(&script)?;
    Ok(out.flush()?)
}

/// Arguments of `manual`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  afterstate manual | man -l -\n  afterstate manual --folder ~/.local/share/man/man1"
)]
pub struct ManualArgs {
    /// Write a page for the program and each subcommand into this folder, instead of printing the first
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// Prints the manual page, or writes all of them.
pub fn manual(args: ManualArgs) -> Result<()> {
    if let Some(folder) = args.folder {
        std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        return clap_mangen::generate_to(Cli::command(), &folder).with_context(|| folder.display().to_string());
    }
    let mut out = output::stdout();
    clap_mangen::Man::new(Cli::command()).render(&mut out)?;
    Ok(out.flush()?)
}
