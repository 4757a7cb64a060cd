//! `afterstate agents`: who can play, with every setting.

use crate::agent::catalogue::{KINDS, Kind, did_you_mean, kind};
use crate::agent::tournament_search;
use crate::commented::{Key, keys};
use crate::output;
use afterstate_engine::search::TournamentSettings;
use anyhow::{Context, Result};
use serde::Serialize;
use std::io::Write;

/// Arguments of `agents`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  afterstate agents\n  afterstate agents tournament-search\n  afterstate agents uct --json"
)]
pub struct Args {
    /// Only this kind
    kind: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A kind as it is shown.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    kind: Kind,
    /// Parts that `with` and `without` switch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Key>,
    /// Numbers that `tunables` sets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tunables: Vec<Key>,
}

impl Shown {
    fn of(kind: Kind) -> Result<Shown> {
        let (mut parts, mut tunables) = (Vec::new(), Vec::new());
        if kind == tournament_search::KIND {
            let usual = TournamentSettings::default();
            let switches = tournament_search::parts(&usual)?;
            parts = keys(&usual)?;
            parts.retain(|key| switches.iter().any(|(name, _)| *name == key.name));
            tunables = keys(&usual.tunables)?;
        }
        Ok(Shown { kind, parts, tunables })
    }
}

/// Prints the catalogue, or one kind.
pub fn run(args: Args) -> Result<()> {
    let kinds = match &args.kind {
        None => KINDS.to_vec(),
        Some(name) => {
            let names = KINDS.iter().map(|kind| kind.name);
            let expected = || {
                let all = names.clone().collect::<Vec<_>>().join(", ");
                format!("agents of kind '{name}': expected {all}{}", did_you_mean(name, names.clone()))
            };
            vec![*kind(name).with_context(expected)?]
        }
    };
    let shown: Vec<Shown> = kinds.into_iter().map(Shown::of).collect::<Result<_>>()?;
    let mut out = output::stdout();
    if args.json {
        return output::json(&mut out, &shown);
    }
    for Shown { kind, parts, tunables } in &shown {
        writeln!(out, "{}  -  {}", kind.name, kind.summary)?;
        writeln!(out, "    games: {}", kind.games)?;
        let width = kind.settings.iter().map(|setting| setting.name.len()).max().unwrap_or(0);
        for setting in kind.settings {
            let default = setting.default.map_or("required".to_string(), |default| format!("default {default}"));
            writeln!(out, "    {:<width$} {} ({default})", setting.name, setting.meaning)?;
        }
        writeln!(out, "    example: {}\n", kind.example)?;
        // Too much to be read between other kinds.
        if args.kind.is_some() {
            write_keys(&mut out, "parts, for with and without", parts)?;
            write_keys(&mut out, "tunables", tunables)?;
        } else if !parts.is_empty() {
            writeln!(out, "    'afterstate agents {}' lists its parts and tunables.\n", kind.name)?;
        }
    }
    if args.kind.is_none() {
        writeln!(
            out,
            "An agent is also a TOML file (agent = \"alpha-beta\", checkpoint = \"runs/quick\", depth = 5, perhaps name = \"…\"),\n\
             or a checkpoint's file or folder alone, which plays greedily (a residual network by puct)."
        )?;
    }
    Ok(out.flush()?)
}

fn write_keys(out: &mut dyn Write, title: &str, keys: &[Key]) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    writeln!(out, "    {title}:")?;
    let width = keys.iter().map(|key| key.name.len()).max().unwrap_or(0);
    for Key { name, meaning, usual } in keys {
        let usual = match usual.as_deref().unwrap_or_default() {
            "true" => "on",
            "false" => "off",
            number => number,
        };
        writeln!(out, "      {name:<width$}  {usual:>5}  {meaning}")?;
    }
    Ok(writeln!(out)?)
}
