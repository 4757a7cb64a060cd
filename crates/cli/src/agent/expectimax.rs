//! Agents that search games with dice.

use super::catalogue::{Kind, setting};
use super::settings::Settings;
use afterstate_engine::search::ExpectimaxSettings;
use afterstate_engine::search::expectimax::{MAX_PLIES, Pruning};
use anyhow::{Result, bail};

/// The kind of agents.
pub const KIND: Kind = Kind {
    name: "expectimax",
    summary: "looks several plies ahead over the dice, with a learnt network",
    games: "backgammon",
    main: Some("checkpoint"),
    settings: &[
        setting("checkpoint", None, "a checkpoint file, a run's folder (its last checkpoint), or folder@games"),
        setting("plies", Some("2"), "plies to look ahead, 1 to 4; 1 is greedy play (GNU Backgammon's 0-ply)"),
        setting("keep", Some("8"), "plays that are looked at a ply deeper, at most, 1 to 10000"),
        setting("margin", Some("0.16"), "how many points worse than the best such a play may be, 0 to 6"),
        setting(
            "bear-off",
            Some("false"),
            "whether races with all men at home are looked up in a database, made at first use",
        ),
        setting("pruning", Some("star2"), "how the dice are cut short: none, star1 or star2"),
    ],
    example: "expectimax:runs/gammon,plies=2",
};

/// Such an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectimaxAgent {
    /// As for `greedy`.
    pub checkpoint: String,
    /// Whether the bear-off database is asked.
    pub bear_off: bool,
    /// The search.
    pub search: ExpectimaxSettings,
}

impl ExpectimaxAgent {
    /// Reads its settings.
    pub fn build(settings: &mut Settings) -> Result<ExpectimaxAgent> {
        let checkpoint = settings.text("checkpoint")?;
        let search = ExpectimaxSettings {
            plies: settings.whole("plies", 1, u64::from(MAX_PLIES))? as u32,
            keep: settings.whole("keep", 1, 10_000)? as usize,
            margin: settings.number("margin", 0.0, 6.0)? as f32,
            pruning: match &settings.text("pruning")?[..] {
                "none" => Pruning::None,
                "star1" => Pruning::Star1,
                "star2" => Pruning::Star2,
                other => bail!("{}: pruning '{other}': expected none, star1 or star2", settings.source()),
            },
        };
        let bear_off = settings.flag("bear-off")?;
        Ok(ExpectimaxAgent { checkpoint, bear_off, search })
    }
}
