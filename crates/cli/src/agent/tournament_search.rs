//! Agents that play chess by tournament search with learnt weights.

use super::catalogue::{Kind, Setting, setting};
use super::settings::Settings;
use afterstate_engine::search::TournamentSettings;
use anyhow::{Context, Result, bail};

/// What the checkpoint is called that knows nothing but what men are worth.
pub const MATERIAL: &str = "material";

const NODES: Setting = setting("nodes", Some("100000"), "positions to look at for a move when no clock runs");

/// The kind of agents.
pub const KIND: Kind = Kind {
    name: "tournament-search",
    summary: "alpha-beta with everything that chess programs have, over a learnt evaluation",
    games: "chess",
    main: Some("checkpoint"),
    settings: &[
        setting(
            "checkpoint",
            Some(MATERIAL),
            "what positions are worth: a checkpoint file, a run's folder, folder@games, or material: men alone",
        ),
        NODES,
        setting("error", Some("0"), "part of its moves that are any legal move instead, 0 to 1, to play worse"),
        setting("depth", Some("100"), "plies to search at most, 1 to 100; nodes or clocks may end it earlier"),
        setting("threads", Some("1"), "threads that search together, 1 to 1024"),
        setting("table-mib", Some("16"), "size of the transposition table in MiB, 1 to 65536"),
        setting("without", Some("nothing"), "parts that are switched off, joined by +: null-move+razoring, say"),
    ],
    example: "tournament-search:runs/meep,nodes=20000,without=null-move",
};

/// Such an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct TournamentAgent {
    /// As for `greedy`, or [`MATERIAL`].
    pub checkpoint: String,
    /// Positions for a move when no clock runs.
    pub nodes: u64,
    /// Part of its moves that are any legal move, 0 to 1.
    pub error: f32,
    /// The search.
    pub search: TournamentSettings,
}

impl TournamentAgent {
    /// Reads its settings.
    pub fn build(settings: &mut Settings) -> Result<TournamentAgent> {
        let search = TournamentSettings {
            depth: settings.whole("depth", 1, 100)? as u32,
            threads: settings.whole("threads", 1, 1024)? as usize,
            table_mib: settings.whole("table-mib", 1, 65_536)? as usize,
            ..TournamentSettings::default()
        };
        let without = settings.text("without")?;
        let search = switched_off(&search, &without).with_context(|| settings.source().to_string())?;
        let (checkpoint, nodes) = (settings.text("checkpoint")?, settings.whole("nodes", 1, 1 << 40)?);
        let error = settings.number("error", 0.0, 1.0)? as f32;
        Ok(TournamentAgent { checkpoint, nodes, error, search })
    }
}

/// The same settings without the parts that are named, joined by `+`.
fn switched_off(search: &TournamentSettings, names: &str) -> Result<TournamentSettings> {
    let mut value = serde_json::to_value(search)?;
    let switches = value.as_object_mut().context("settings are an object")?;
    for name in names.split('+').filter(|&name| name != "nothing") {
        match switches.get_mut(name) {
            Some(switch) if switch.is_boolean() => *switch = false.into(),
            _ => {
                let known: Vec<&str> =
                    switches.iter().filter(|(_, value)| value.is_boolean()).map(|(name, _)| &name[..]).collect();
                bail!("without '{name}': expected some of {}", known.join(", "))
            }
        }
    }
    Ok(serde_json::from_value(value)?)
}
