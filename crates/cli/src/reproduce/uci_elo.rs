//! The experiment behind `UCI_Elo`: the levels of [`crate::held_back`], with the values of men alone. What comes out is
//! [`afterstate_protocols::uci::MEASURED_STRENGTHS`].

use super::Workplace;
use crate::held_back::{self, HeldBack, Level, Line, Measured, Opponent};
use crate::standings;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// What the experiment's file says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Experiment {
    /// What the figures are for.
    source: String,
    /// What it is about.
    title: String,
    /// What the opponents' ratings are.
    pub unit: String,
    /// The agent that is held back: a tournament search without `nodes` and `error`.
    agent: String,
    /// Settings by scale.
    pub scale: BTreeMap<String, Size>,
    /// Levels with at least so many positions meet opponents.
    opponents_from: u64,
    /// The weakest first.
    #[serde(rename = "level")]
    levels: Vec<Level>,
    #[serde(rename = "opponent")]
    opponents: Vec<Opponent>,
}

/// The size of it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Size {
    /// Games of each level with the next one, and with each of its opponents.
    pub games: u32,
}

impl Experiment {
    /// Reads an experiment's file.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Experiment> {
        let experiment: Experiment = crate::recipe::from_toml(text)?;
        experiment.held_back()?;
        for (name, size) in &experiment.scale {
            ensure!(size.games > 0, "[scale.{name}] games = 0: expected a number above 0");
        }
        Ok(experiment)
    }

    /// Its levels, and whom they meet.
    ///
    /// # Errors
    ///
    /// What is missing.
    pub fn held_back(&self) -> Result<HeldBack> {
        HeldBack::new(self.opponents_from, self.levels.clone(), self.opponents.clone())
    }
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
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let experiment = Experiment::parse(&text).with_context(|| path.display().to_string())?;
    let size = place.size(&experiment.scale).with_context(|| path.display().to_string())?;
    let Measured { lines, faults } =
        place.measure(&experiment.held_back()?, &experiment.agent, None, size.games, &place.runs.join(name))?;
    let made_by = format!("{}; {} games of each pair", place.made_by(name), size.games);
    let mut text = Vec::new();
    held_back::write_tables(&mut text, &lines)?;
    text.push(b'\n');
    standings::write_faults(&mut text, &faults)?;
    let Experiment { source, title, unit, agent, .. } = &experiment;
    let text = format!("{source}\n{title}\n{agent}\n{unit}\n\n{}{made_by}\n", String::from_utf8(text)?);
    let report = Report { source, title, unit, agent, made_by, games: size.games, lines: &lines, faults: &faults };
    place.publish(name, &report, &text)
}

impl Workplace {
    /// Plays the games of an agent's levels that are missing, each match with a log of its own in `logs`.
    pub fn measure(
        &self,
        held_back: &HeldBack,
        agent: &str,
        name: Option<&str>,
        games: u32,
        logs: &Path,
    ) -> Result<Measured> {
        held_back.measure(agent, name, games, |agents, settings, log| {
            self.note(&format!("{} against {}", agents[0].name, agents[1].name));
            let played = self.play_chess(agents.into(), settings, logs.join(log))?;
            self.go_on()?;
            Ok(played)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_protocols::uci::Strengths;

    fn paper() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers/2009-treestrap")
    }

    #[test]
    fn the_committed_experiment_is_complete() {
        let text = std::fs::read_to_string(paper().join("uci-elo.toml")).unwrap();
        let experiment = Experiment::parse(&text).unwrap();
        assert!(experiment.scale.contains_key("quick") && experiment.scale.contains_key("full"));
    }

    /// What `UCI_Elo` is turned into is what the committed games gave.
    #[test]
    fn the_table_is_what_was_measured() {
        let text = std::fs::read_to_string(paper().join("results/quick/uci-elo.json")).unwrap();
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let lines: Vec<Line> = serde_json::from_value(report["lines"].clone()).unwrap();
        assert_eq!(held_back::strengths(&lines), Some(Strengths::default()));
    }
}
