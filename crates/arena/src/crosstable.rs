//! A tournament's results as tables: for people, for spreadsheets, for programs.

use crate::rating::{Results, Tally, wilson};
use crate::tournament::TournamentResults;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// One agent's line of a crosstable.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The agent.
    pub name: String,
    /// Games played.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Share of the points, from 0 to 1; a half without games.
    pub score: f64,
    /// Lower end of the score's 95 % interval (Wilson).
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Points against every agent in the order of the lines; `None` where two never met.
    pub against: Vec<Option<f64>>,
    /// Losses by fault, by reason: crashes, hangs, illegal moves, time, …
    pub faults: BTreeMap<String, u64>,
}

/// How often the referee's count named another winner than the plain one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Disagreement {
    /// Games that have both counts.
    pub judged: u64,
    /// Games among them in which the winner differs.
    pub differ: u64,
    /// Games in which the referee failed.
    pub failed: u64,
}

/// Who scored how much against whom, best first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Crosstable {
    /// One line for each agent.
    pub lines: Vec<Line>,
    /// What the referee was needed for.
    pub referee: Disagreement,
}

/// The results of a tournament as the rating functions take them.
pub fn rating_results(results: &TournamentResults) -> Results {
    let names = &results.header.settings.agents;
    let mut rated = Results::new();
    for name in names {
        rated.add_player(name);
    }
    for game in results.games.iter().filter(|game| game.result.counts()) {
        let [first, second] = game.agents;
        if let (Some(first), Some(second)) = (names.get(first), names.get(second)) {
            // Names differ, so no game can be refused.
            let _ = rated.record(first, second, game.result.outcome);
        }
    }
    rated
}

impl Crosstable {
    /// Sums a tournament up.
    pub fn new(results: &TournamentResults) -> Crosstable {
        let rated = rating_results(results);
        let names = &results.header.settings.agents;
        let mut order: Vec<usize> = (0..names.len()).collect();
        let score = |agent: &usize| {
            let tally = rated.of(&names[*agent]);
            if tally.games() == 0 { 0.5 } else { tally.points() / tally.games() as f64 }
        };
        order.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
        let lines = order
            .iter()
            .map(|&agent| {
                let name = &names[agent];
                let tally = rated.of(name);
                let interval = wilson(tally.points(), tally.games());
                Line {
                    name: name.clone(),
                    games: tally.games(),
                    wins: tally.wins,
                    draws: tally.draws,
                    losses: tally.losses,
                    score: score(&agent),
                    low: interval.low,
                    high: interval.high,
                    against: order
                        .iter()
                        .map(
                            |&other| {
                                if other == agent { Tally::new(0, 0, 0) } else { rated.between(name, &names[other]) }
                            },
                        )
                        .map(|tally| (tally.games() > 0).then(|| tally.points()))
                        .collect(),
                    faults: faults(results, agent),
                }
            })
            .collect();
        Crosstable { lines, referee: disagreement(results) }
    }

    /// The table as aligned text.
    ///
    /// ```
    /// # use afterstate_arena::{RandomPlayer, RulesReferee, crosstable::Crosstable, tournament};
    /// # use afterstate_games::go::Go;
    /// let settings = tournament::TournamentSettings {
    ///     agents: vec!["random".into(), "chance".into()],
    ///     games: 4,
    ///     move_limit: 400,
    ///     ..Default::default()
    /// };
    /// let results = tournament::run(
    ///     &settings,
    ///     &Go::new(5),
    ///     &|_agent| Ok(Box::new(RandomPlayer::default())),
    ///     &|| Ok(Box::new(RulesReferee)),
    ///     &Default::default(),
    ///     &mut |_progress| {},
    /// )
    /// .unwrap();
    /// let table = Crosstable::new(&results).text();
    /// assert!(table.contains("random") && table.lines().count() >= 3);
    /// ```
    pub fn text(&self) -> String {
        let header = ["#", "agent", "games", "+", "=", "-", "score", "95 %"].map(String::from);
        let mut rows = vec![Vec::from_iter(header.into_iter().chain((1..=self.lines.len()).map(|n| n.to_string())))];
        for (number, line) in self.lines.iter().enumerate() {
            let mut row = vec![
                (number + 1).to_string(),
                line.name.clone(),
                line.games.to_string(),
                line.wins.to_string(),
                line.draws.to_string(),
                line.losses.to_string(),
                format!("{:.1} %", 100.0 * line.score),
                format!("{:.1}–{:.1} %", 100.0 * line.low, 100.0 * line.high),
            ];
            row.extend(line.against.iter().enumerate().map(|(other, points)| match points {
                _ if other == number => "\\".to_string(),
                None => "·".to_string(),
                Some(points) => points.to_string(),
            }));
            rows.push(row);
        }
        let mut text = aligned(&rows);
        for line in self.lines.iter().filter(|line| !line.faults.is_empty()) {
            let faults: Vec<String> = line.faults.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
            let _ = writeln!(text, "{} lost by fault: {}", line.name, faults.join(", "));
        }
        let Disagreement { judged, differ, failed } = self.referee;
        if judged > 0 {
            let share = 100.0 * differ as f64 / judged as f64;
            let _ = writeln!(
                text,
                "referee and plain count name different winners in {differ} of {judged} games ({share:.1} %)"
            );
        }
        if failed > 0 {
            let _ = writeln!(text, "the referee failed in {failed} games, which the plain count decided");
        }
        text
    }

    /// The table as CSV: one line for each agent, a column of points against each of the others.
    pub fn csv(&self) -> Result<String, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let header = ["rank", "agent", "games", "wins", "draws", "losses", "score", "low", "high"].map(String::from);
        writer
            .write_record(header.into_iter().chain(self.lines.iter().map(|line| format!("against {}", line.name))))?;
        for (number, line) in self.lines.iter().enumerate() {
            let counts = [line.games, line.wins, line.draws, line.losses].map(|count| count.to_string());
            let shares = [line.score, line.low, line.high].map(|share| format!("{share:.6}"));
            let points = line.against.iter().map(|points| points.map_or_else(String::new, |points| points.to_string()));
            let row =
                [(number + 1).to_string(), line.name.clone()].into_iter().chain(counts).chain(shares).chain(points);
            writer.write_record(row)?;
        }
        writer.flush()?;
        let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// One CSV line for each game: number, round, agents, winner, reason, moves and seconds.
pub fn games_csv(results: &TournamentResults) -> Result<String, csv::Error> {
    let names = &results.header.settings.agents;
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "game",
        "round",
        "first",
        "second",
        "winner",
        "reason",
        "detail",
        "moves",
        "first-seconds",
        "second-seconds",
        "score",
        "plain-score",
    ])?;
    for game in &results.games {
        let name = |agent: usize| names.get(agent).cloned().unwrap_or_default();
        let result = &game.result;
        let reason = serde_json::to_value(result.ending.kind).ok().and_then(|kind| kind.as_str().map(String::from));
        let verdict = result.verdict.as_ref();
        let points = |score: Option<f64>| score.map_or_else(String::new, |score| score.to_string());
        writer.write_record([
            game.index.to_string(),
            game.round.to_string(),
            name(game.agents[0]),
            name(game.agents[1]),
            result.outcome.winner.map_or_else(|| "draw".into(), |side| name(game.agents[side.index()])),
            reason.unwrap_or_default(),
            result.ending.detail.clone(),
            result.moves.len().to_string(),
            format!("{:.3}", result.seconds[0]),
            format!("{:.3}", result.seconds[1]),
            points(verdict.and_then(|verdict| verdict.score)),
            points(verdict.and_then(|verdict| verdict.plain_score)),
        ])?;
    }
    writer.flush()?;
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn faults(results: &TournamentResults, agent: usize) -> BTreeMap<String, u64> {
    let mut faults = BTreeMap::new();
    for game in &results.games {
        let result = &game.result;
        let lost = result.outcome.winner.is_some_and(|winner| game.agents[winner.other().index()] == agent);
        if lost && result.ending.kind.is_fault() {
            let kind = serde_json::to_value(result.ending.kind).ok().and_then(|kind| kind.as_str().map(String::from));
            *faults.entry(kind.unwrap_or_default()).or_insert(0) += 1;
        }
    }
    faults
}

fn disagreement(results: &TournamentResults) -> Disagreement {
    let mut counts = Disagreement::default();
    for verdict in results.games.iter().filter_map(|game| game.result.verdict.as_ref()) {
        counts.failed += u64::from(verdict.note.is_some());
        if let Some(differs) = verdict.disagrees() {
            counts.judged += 1;
            counts.differ += u64::from(differs);
        }
    }
    counts
}

/// Columns padded to equal width: the second to the left, all others to the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column == 1 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    text
}
