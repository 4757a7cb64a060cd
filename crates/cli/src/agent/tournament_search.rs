//! Agents that play chess by tournament search with learnt weights.

use super::catalogue::{Kind, Setting, setting};
use super::settings::Settings;
use afterstate_engine::search::{TournamentSettings, Tunables};
use anyhow::{Context, Result, ensure};

/// What the checkpoint is called that knows nothing but what men are worth.
pub const MATERIAL: &str = "material";

/// Positions for a move unless told otherwise.
pub const DEFAULT_NODES: u64 = 100_000;

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
        setting(
            "depth",
            Some("100"),
            "plies to search at most, 1 to 100, unless a GUI says go depth; nodes or clocks may end it earlier",
        ),
        setting("threads", Some("1"), "threads that search together, 1 to 1024"),
        setting("table-mib", Some("16"), "size of the transposition table in MiB, 1 to 65536"),
        setting("without", Some("nothing"), "parts that are switched off, joined by +: null-move+razoring, say"),
        setting(
            "with",
            Some("nothing"),
            "parts that are switched on though they did not gain: killers+counter-moves, say",
        ),
        setting(
            "tunables",
            Some("tuned"),
            "margins and reductions that are not as tuned, joined by +: reverse-futility=90+delta=200, say",
        ),
    ],
    example: "tournament-search:runs/chess,nodes=20000,without=null-move",
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
        let mut search = TournamentSettings {
            depth: settings.whole("depth", 1, 100)? as u32,
            threads: settings.whole("threads", 1, 1024)? as usize,
            table_mib: settings.whole("table-mib", 1, 65_536)? as usize,
            ..TournamentSettings::default()
        };
        let mut said = Vec::new();
        for (setting, on) in [("without", false), ("with", true)] {
            let names = settings.text(setting)?;
            for name in names.split('+').filter(|&name| name != "nothing") {
                let describe = || format!("{}: {setting} '{name}'", settings.source());
                ensure!(!said.iter().any(|other| other == name), "{}: given twice: say it once", describe());
                search = switched(&search, name, on).with_context(describe)?;
                said.push(name.to_string());
            }
        }
        let text = settings.text("tunables")?;
        for assigned in text.split('+').filter(|&assigned| assigned != "tuned") {
            let describe = || format!("{}: tunables '{assigned}'", settings.source());
            search.tunables = tuned(&search.tunables, assigned).with_context(describe)?;
        }
        let (checkpoint, nodes) = (settings.text("checkpoint")?, settings.whole("nodes", 1, 1 << 40)?);
        let error = settings.number("error", 0.0, 1.0)? as f32;
        Ok(TournamentAgent { checkpoint, nodes, error, search })
    }
}

/// The parts of a search that can be switched, and whether they are on.
pub fn parts(search: &TournamentSettings) -> Result<Vec<(String, bool)>> {
    let value = serde_json::to_value(search)?;
    let all = value.as_object().context("settings are an object")?;
    Ok(all.iter().filter_map(|(name, value)| Some((name.clone(), value.as_bool()?))).collect())
}

/// The same settings with a part on or off.
pub fn switched(search: &TournamentSettings, name: &str, on: bool) -> Result<TournamentSettings> {
    let parts = parts(search)?;
    let known = parts.iter().map(|(name, _)| &name[..]);
    ensure!(known.clone().any(|known| known == name), "expected some of {}", known.collect::<Vec<_>>().join(", "));
    let mut value = serde_json::to_value(search)?;
    value[name] = on.into();
    Ok(serde_json::from_value(value)?)
}

/// No number of the search is larger: products with histories' counts, up to 65,536 and an escape, have to fit into 32 bits.
const MOST: u32 = 20_000;

/// The same numbers, but for the one that `assigned` says: name=number.
fn tuned(tunables: &Tunables, assigned: &str) -> Result<Tunables> {
    let mut value = serde_json::to_value(tunables)?;
    let all = value.as_object_mut().context("tunables are an object")?;
    let (name, number) = assigned.split_once('=').unwrap_or((assigned, ""));
    let known = all.keys().cloned().collect::<Vec<_>>().join(", ");
    let tunable = all.get_mut(name.trim()).with_context(|| format!("expected some of {known}"))?;
    *tunable = number
        .trim()
        .parse::<u32>()
        .ok()
        .filter(|&number| number <= MOST)
        .with_context(|| format!("expected name=number, 0 to {MOST}"))?
        .into();
    Ok(serde_json::from_value(value)?)
}

#[cfg(test)]
mod tests {
    use crate::agent::{Agent, AgentSpec};
    use afterstate_engine::search::Tunables;

    #[test]
    fn parts_are_switched_by_name() {
        let parse = |text: &str| AgentSpec::parse(&format!("tournament-search:material,{text}"));
        let Agent::Tournament(agent) = parse("without=null-move+razoring,with=killers").unwrap().agent else {
            panic!()
        };
        assert_eq!(agent.nodes, super::DEFAULT_NODES);
        assert!(!agent.search.null_move && !agent.search.razoring && agent.search.killers && agent.search.history);
        for twice in ["without=null-move,with=null-move", "with=killers+killers"] {
            let error = parse(twice).unwrap_err().to_string();
            assert!(error.contains("given twice"), "{error}");
        }
        let Agent::Tournament(agent) = parse("tunables=delta=200+reverse-futility=0").unwrap().agent else { panic!() };
        let expected = Tunables { delta: 200, reverse_futility: 0, ..Tunables::default() };
        assert_eq!(agent.search.tunables, expected);
        for (wrong, expected) in
            [("delta", "name=number"), ("delta=-1", "0 to 20000"), ("magic=3", "some of aspiration-window")]
        {
            let error = format!("{:#}", parse(&format!("tunables={wrong}")).unwrap_err());
            assert!(error.contains(expected), "{error}");
        }
        for wrong in ["without=depth", "with=magic", "with=killers+"] {
            let error = format!("{:#}", parse(wrong).unwrap_err());
            assert!(error.contains("expected some of ") && error.contains("null-move"), "{error}");
        }
    }
}
