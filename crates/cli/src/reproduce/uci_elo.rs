//! The experiment behind `UCI_Elo`: a search that is held back by numbers of positions and by errors meets its neighbours and
//! programs of known strength, and all are rated together. What comes out is the table of
//! [`afterstate_protocols::uci::strength`].

use super::{Workplace, folder_name};
use crate::agent::AgentSpec;
use crate::{output, standings};
use afterstate_arena::pairing::Format;
use afterstate_arena::rating::{RatingSettings, Ratings, Results, Tally, rate};
use afterstate_arena::tournament::TournamentSettings;
use afterstate_protocols::uci::{MEASURED_STRENGTHS, Strength};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Who plays whom.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Experiment {
    /// What the figures are for.
    source: String,
    /// What it is about.
    title: String,
    /// What the opponents' ratings are.
    unit: String,
    /// The agent that is held back: a tournament search without `nodes` and `error`.
    agent: String,
    /// Settings by scale.
    scale: BTreeMap<String, Size>,
    /// The weakest first.
    #[serde(rename = "level")]
    levels: Vec<Level>,
    #[serde(rename = "opponent")]
    opponents: Vec<Opponent>,
}

/// The size of it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Size {
    /// Games of each level with the next one, and with each of its opponents.
    games: u32,
}

/// How the agent is held back.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Level {
    /// Positions a move.
    nodes: u64,
    /// Part of its moves that are any legal move.
    error: f32,
    /// The ratings of the opponents that it meets.
    against: Vec<u32>,
}

/// A program whose rating is known.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Opponent {
    rating: u32,
    agent: String,
}

impl Experiment {
    fn load(path: &Path) -> Result<Experiment> {
        let experiment: Experiment = crate::recipe::from_toml(&std::fs::read_to_string(path)?)?;
        ensure!(experiment.levels.len() > 1, "[[level]]: expected at least two");
        for (name, size) in &experiment.scale {
            ensure!(size.games > 0, "[scale.{name}] games = 0: expected a number above 0");
        }
        for rating in experiment.levels.iter().flat_map(|level| &level.against) {
            let known = experiment.opponents.iter().any(|opponent| opponent.rating == *rating);
            ensure!(known, "[[level]] against {rating}: expected the rating of an [[opponent]]");
        }
        ensure!(
            experiment.levels.iter().any(|level| !level.against.is_empty()),
            "[[level]] against: expected opponents for at least one level"
        );
        Ok(experiment)
    }

    /// The agents of all levels; their names say everything that decides how they play.
    fn agents(&self) -> Result<Vec<AgentSpec>> {
        let agent = |level: &Level| {
            let separator = if self.agent.contains([':', ',']) { ',' } else { ':' };
            AgentSpec::parse(&format!("{}{separator}nodes={},error={}", self.agent, level.nodes, level.error))
        };
        self.levels.iter().map(agent).collect()
    }

    /// Who meets whom.
    fn meetings(&self) -> Result<Vec<[AgentSpec; 2]>> {
        let agents = self.agents()?;
        let mut meetings = Vec::new();
        for (number, (level, agent)) in self.levels.iter().zip(&agents).enumerate() {
            if let Some(next) = agents.get(number + 1) {
                meetings.push([agent.clone(), next.clone()]);
            }
            for opponent in self.opponents.iter().filter(|opponent| level.against.contains(&opponent.rating)) {
                meetings.push([agent.clone(), AgentSpec::parse(&opponent.agent)?]);
            }
        }
        Ok(meetings)
    }
}

/// What came out for one level.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Line {
    nodes: u64,
    error: f32,
    elo: f64,
    low: f64,
    high: f64,
    games: u64,
    /// The `UCI_Elo` that is turned into this now, if one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    uci_elo: Option<u32>,
    /// Its games with the next level and its opponents.
    results: Vec<(String, Tally)>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report<'a> {
    source: &'a str,
    title: &'a str,
    unit: &'a str,
    agent: &'a str,
    made_by: String,
    games: u32,
    lines: &'a [Line],
    faults: &'a [(String, u64)],
}

/// Plays the games that are missing, and writes the report.
pub fn run(place: &Workplace, name: &str) -> Result<()> {
    let path = place.paper.join(format!("{name}.toml"));
    let experiment = Experiment::load(&path).with_context(|| path.display().to_string())?;
    let size = place.size(&experiment.scale).with_context(|| path.display().to_string())?;
    let mut settings = RatingSettings::default();
    for opponent in &experiment.opponents {
        settings = settings.with_anchor(&AgentSpec::parse(&opponent.agent)?.name, opponent.rating.into());
    }
    let (mut results, mut faults) = (Results::new(), Vec::new());
    for [agent, other] in experiment.meetings()? {
        place.note(&format!("{} against {}", agent.name, other.name));
        let log = place.runs.join(name).join(format!("{}.jsonl", log_name(&agent.name, &other.name)));
        let settings = TournamentSettings { format: Format::Match, games: size.games, ..TournamentSettings::default() };
        let played = place.play_chess(vec![agent, other], settings, log)?;
        let names = &played.header.settings.agents;
        for pair in standings::results(names, &played.games)?.pairs() {
            results.add(&pair.first, &pair.second, Tally::new(pair.wins, pair.draws, pair.losses))?;
        }
        faults.extend(standings::faults(names, &played.games));
        place.go_on()?;
    }
    // Opponents whom nobody meets are no part of the ratings.
    settings.anchors.retain(|name, _| results.players().contains(name));
    let ratings = rate(&results, &settings)?;
    let lines = lines(&experiment, &results, &ratings)?;
    write(place, name, &experiment, size, &lines, &faults)
}

/// Ratings alone tell opponents apart, whose command lines are long.
fn log_name(agent: &str, other: &str) -> String {
    let (agent, other) = (folder_name(agent), folder_name(other));
    format!("{agent}-{other}")
}

fn lines(experiment: &Experiment, results: &Results, ratings: &Ratings) -> Result<Vec<Line>> {
    let agents = experiment.agents()?;
    let mut lines = Vec::new();
    for (number, (level, agent)) in experiment.levels.iter().zip(&agents).enumerate() {
        let rated = ratings.player(&agent.name).context("every level was rated")?;
        let mut met = Vec::new();
        if let Some(next) = agents.get(number + 1) {
            met.push(("the next level".to_string(), results.between(&agent.name, &next.name)));
        }
        for opponent in experiment.opponents.iter().filter(|opponent| level.against.contains(&opponent.rating)) {
            let name = AgentSpec::parse(&opponent.agent)?.name;
            met.push((opponent.rating.to_string(), results.between(&agent.name, &name)));
        }
        let &Level { nodes, error, .. } = level;
        let strength = Strength { nodes, error };
        let uci_elo = MEASURED_STRENGTHS.iter().find(|(_, known)| *known == strength).map(|(elo, _)| *elo);
        let (elo, low, high, games) = (rated.elo, rated.low, rated.high, rated.games);
        lines.push(Line { nodes, error, elo, low, high, games, uci_elo, results: met });
    }
    Ok(lines)
}

fn write(
    place: &Workplace,
    name: &str,
    experiment: &Experiment,
    size: &Size,
    lines: &[Line],
    faults: &[(String, u64)],
) -> Result<()> {
    let mut table = output::Table::new(["nodes", "error", "Elo", "95 % interval", "games", "UCI_Elo"]);
    let mut games = output::Table::new(["nodes", "error", "against", "wins", "draws", "losses"]);
    for line in lines {
        let settings = || [line.nodes.to_string(), line.error.to_string()];
        let [nodes, error] = settings();
        table.row([
            nodes,
            error,
            format!("{:.0}", line.elo),
            format!("{:.0} to {:.0}", line.low, line.high),
            line.games.to_string(),
            line.uci_elo.map_or_else(|| "none".to_string(), |elo| elo.to_string()),
        ]);
        for (opponent, Tally { wins, draws, losses }) in &line.results {
            let ([nodes, error], [wins, draws, losses]) = (settings(), [wins, draws, losses].map(u64::to_string));
            games.row([nodes, error, opponent.clone(), wins, draws, losses]);
        }
    }
    let made_by = format!("{}; {} games of each pair", place.made_by(name), size.games);
    let mut text = Vec::new();
    for table in [&table, &games] {
        table.write(&mut text)?;
        text.push(b'\n');
    }
    standings::write_faults(&mut text, faults)?;
    let Experiment { source, title, unit, agent, .. } = experiment;
    let text = format!("{source}\n{title}\n{agent}\n{unit}\n\n{}{made_by}\n", String::from_utf8(text)?);
    let report = Report { source, title, unit, agent, made_by, games: size.games, lines, faults };
    place.publish(name, &report, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paper() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers/2009-treestrap")
    }

    #[test]
    fn the_committed_experiment_is_complete() {
        let experiment = Experiment::load(&paper().join("uci-elo.toml")).unwrap();
        assert!(experiment.scale.contains_key("quick") && experiment.scale.contains_key("full"));
        // Every level meets the next, and the next alone or programs, too.
        assert!(experiment.meetings().unwrap().len() >= experiment.levels.len());
    }

    /// What `UCI_Elo` is turned into is what the committed games gave, to the next ten. A level that came out no stronger than
    /// one before it has no place in the table.
    #[test]
    fn the_table_is_what_was_measured() {
        let text = std::fs::read_to_string(paper().join("results/quick/uci-elo.json")).unwrap();
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let lines: Vec<Line> = serde_json::from_value(report["lines"].clone()).unwrap();
        let mut measured: Vec<(u32, Strength)> = Vec::new();
        for line in lines {
            let elo = (10.0 * (line.elo / 10.0).round()) as u32;
            if measured.last().is_none_or(|(before, _)| elo > *before) {
                measured.push((elo, Strength { nodes: line.nodes, error: line.error }));
            }
        }
        assert_eq!(measured, MEASURED_STRENGTHS);
    }
}
