//! How strong a search of chess is that is held back by numbers of positions and by errors: its levels meet their neighbours and
//! programs of known strength, and all are rated together. What comes out is a table of [`afterstate_protocols::uci::Strengths`].

use crate::agent::AgentSpec;
use crate::{output, standings};
use afterstate_arena::pairing::Format;
use afterstate_arena::rating::{RatingSettings, Ratings, Results, Tally, rate};
use afterstate_arena::tournament::{TournamentResults, TournamentSettings};
use afterstate_protocols::uci::{Strength, Strengths};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::io::Write;

/// How many opponents a level meets.
const NEAREST: usize = 2;

/// The levels of an agent, and whom they meet.
#[derive(Clone, Debug)]
pub struct HeldBack {
    opponents_from: u64,
    levels: Vec<Level>,
    opponents: Vec<Opponent>,
}

/// How the agent is held back.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Level {
    /// Positions a move.
    nodes: u64,
    /// Part of its moves that are any legal move.
    error: f32,
}

/// A program whose rating is known.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Opponent {
    /// Its rating.
    rating: u32,
    /// How it is started.
    agent: String,
}

/// What came out for one level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Line {
    nodes: u64,
    error: f32,
    elo: f64,
    low: f64,
    high: f64,
    games: u64,
    /// Its games with the next level and its opponents.
    results: Vec<(String, Tally)>,
}

/// What came out for all levels.
#[derive(Debug)]
pub struct Measured {
    /// The weakest first.
    pub lines: Vec<Line>,
    /// Who failed how, and how often.
    pub faults: Vec<(String, u64)>,
}

/// A player of a match: its agent, and a short name for the log.
#[derive(Clone, Debug)]
struct Entrant {
    spec: AgentSpec,
    name: String,
}

impl HeldBack {
    /// Levels, the weakest first, of which those with at least so many positions meet opponents.
    ///
    /// # Errors
    ///
    /// What is missing.
    pub fn new(opponents_from: u64, levels: Vec<Level>, opponents: Vec<Opponent>) -> Result<HeldBack> {
        ensure!(levels.len() > 1, "{} levels: expected at least two", levels.len());
        ensure!(!opponents.is_empty(), "[[opponent]]: expected at least one");
        let most = levels.iter().map(|level| level.nodes).max().unwrap_or(0);
        ensure!(
            opponents_from <= most,
            "levels of at most {most} positions, and opponents for those of {opponents_from}: expected a level that meets opponents"
        );
        Ok(HeldBack { opponents_from, levels, opponents })
    }

    /// Only the levels of at most so many positions a move.
    ///
    /// # Errors
    ///
    /// That no level is left which meets opponents.
    pub fn up_to(mut self, nodes: u64) -> Result<HeldBack> {
        let from = self.opponents_from;
        ensure!(nodes >= from, "expected {from} or more, from where levels meet opponents");
        self.levels.retain(|level| level.nodes <= nodes);
        HeldBack::new(self.opponents_from, self.levels, self.opponents)
    }

    /// Lets all levels of an agent, a tournament search without `nodes` and `error`, play so many games with the next level and with
    /// each of their opponents. In tables and logs the levels have `name` and their numbers as names, or else their specs. `play` plays a
    /// match, whose log has the name that it is given.
    ///
    /// # Errors
    ///
    /// An agent that does not exist, and what `play` says.
    pub fn measure(
        &self,
        agent: &str,
        name: Option<&str>,
        games: u32,
        play: impl FnMut([AgentSpec; 2], TournamentSettings, &str) -> Result<TournamentResults>,
    ) -> Result<Measured> {
        let levels: Vec<Entrant> = self.levels.iter().map(|level| level.entrant(agent, name)).collect::<Result<_>>()?;
        let opponents: Vec<Entrant> = self.opponents.iter().map(Opponent::entrant).collect::<Result<_>>()?;
        let mut matches = Matches { play, games, results: Results::new(), faults: Vec::new() };
        let mut met: Vec<Vec<usize>> = Vec::new();
        for (number, level) in levels.iter().enumerate() {
            let before = number.checked_sub(1).map(|before| &levels[before]);
            if let Some(before) = before {
                matches.play(before, level)?;
            }
            let mut nearest = Vec::new();
            if self.levels[number].nodes >= self.opponents_from {
                nearest = self.nearest(matches.rating(before, &self.anchors(&opponents, &matches.results))?);
            }
            for &opponent in &nearest {
                matches.play(level, &opponents[opponent])?;
            }
            met.push(nearest);
        }
        let ratings = rate(&matches.results, &self.anchors(&opponents, &matches.results))?;
        let mut lines = Vec::new();
        for (number, (level, met)) in levels.iter().zip(&met).enumerate() {
            let next = levels.get(number + 1).map(|next| ("the next level".to_string(), next));
            let others = met.iter().map(|&opponent| (opponents[opponent].name.clone(), &opponents[opponent]));
            let of = |other: &Entrant| matches.results.between(&level.spec.name, &other.spec.name);
            let results = next.into_iter().chain(others).map(|(name, other)| (name, of(other))).collect();
            lines.push(self.levels[number].line(&level.spec.name, &ratings, results)?);
        }
        Ok(Measured { lines, faults: matches.faults })
    }

    /// The ratings that are known, of those that somebody has met.
    fn anchors(&self, opponents: &[Entrant], results: &Results) -> RatingSettings {
        let all = self.opponents.iter().zip(opponents);
        let met = all.filter(|(_, entrant)| results.players().contains(&entrant.spec.name));
        met.fold(RatingSettings::default(), |settings, (opponent, entrant)| {
            settings.with_anchor(&entrant.spec.name, opponent.rating.into())
        })
    }

    /// The opponents that are nearest to a rating, the weakest first; the weakest of all if nothing is known of it.
    fn nearest(&self, rating: Option<f64>) -> Vec<usize> {
        let far = |opponent: usize| (f64::from(self.opponents[opponent].rating) - rating.unwrap_or(0.0)).abs();
        let mut nearest: Vec<usize> = (0..self.opponents.len()).collect();
        nearest.sort_by(|&one, &other| far(one).total_cmp(&far(other)));
        nearest.truncate(NEAREST);
        nearest.sort_unstable();
        nearest
    }
}

impl Level {
    fn entrant(&self, agent: &str, name: Option<&str>) -> Result<Entrant> {
        let Level { nodes, error } = self;
        let separator = if agent.contains([':', ',']) { ',' } else { ':' };
        let mut spec = AgentSpec::parse(&format!("{agent}{separator}nodes={nodes},error={error}"))?;
        if let Some(name) = name {
            spec.name = format!("{name}, nodes={nodes}, error={error}");
        }
        Ok(Entrant { spec, name: format!("{nodes}-{error}") })
    }

    fn line(&self, name: &str, ratings: &Ratings, results: Vec<(String, Tally)>) -> Result<Line> {
        let rated = ratings.player(name).context("every level was rated")?;
        let (elo, low, high, games) = (rated.elo, rated.low, rated.high, rated.games);
        Ok(Line { nodes: self.nodes, error: self.error, elo, low, high, games, results })
    }
}

impl Opponent {
    fn entrant(&self) -> Result<Entrant> {
        Ok(Entrant { spec: AgentSpec::parse(&self.agent)?, name: self.rating.to_string() })
    }
}

/// The matches so far.
struct Matches<P> {
    play: P,
    games: u32,
    results: Results,
    faults: Vec<(String, u64)>,
}

impl<P: FnMut([AgentSpec; 2], TournamentSettings, &str) -> Result<TournamentResults>> Matches<P> {
    fn play(&mut self, one: &Entrant, other: &Entrant) -> Result<()> {
        let settings = TournamentSettings { format: Format::Match, games: self.games, ..TournamentSettings::default() };
        let log = format!("{}-against-{}.jsonl", one.name, other.name);
        let played = (self.play)([one.spec.clone(), other.spec.clone()], settings, &log)?;
        let players = &played.header.settings.agents;
        for pair in standings::results(players, &played.games)?.pairs() {
            let tally = Tally::new(pair.wins, pair.draws, pair.losses);
            self.results.add(&pair.first, &pair.second, tally)?;
        }
        self.faults.extend(standings::faults(players, &played.games));
        Ok(())
    }

    /// What a player's games so far say, if they lead to somebody whose rating is known.
    fn rating(&self, player: Option<&Entrant>, anchors: &RatingSettings) -> Result<Option<f64>> {
        let Some(player) = player.filter(|_| !anchors.anchors.is_empty()) else {
            return Ok(None);
        };
        Ok(rate(&self.results, anchors)?.player(&player.spec.name).map(|rated| rated.elo))
    }
}

/// What `UCI_Elo` is turned into, by these results.
pub fn strengths(lines: &[Line]) -> Option<Strengths> {
    Strengths::measured(lines.iter().map(|line| (line.elo, Strength { nodes: line.nodes, error: line.error })))
}

/// Two tables for people: ratings, and games.
///
/// # Errors
///
/// What `out` says.
pub fn write_tables(out: &mut impl Write, lines: &[Line]) -> Result<()> {
    let strengths = strengths(lines);
    let mut table = output::Table::new(["nodes", "error", "Elo", "95 % interval", "games", "UCI_Elo"]);
    let mut games = output::Table::new(["nodes", "error", "against", "wins", "draws", "losses"]);
    for line in lines {
        let (nodes, error) = (line.nodes.to_string(), line.error.to_string());
        let strength = Strength { nodes: line.nodes, error: line.error };
        let entry = strengths.as_ref().and_then(|strengths| strengths.elo_of(strength));
        table.row([
            nodes.clone(),
            error.clone(),
            format!("{:.0}", line.elo),
            format!("{:.0} to {:.0}", line.low, line.high),
            line.games.to_string(),
            entry.map_or_else(|| "none".to_string(), |elo| elo.to_string()),
        ]);
        for (opponent, Tally { wins, draws, losses }) in &line.results {
            let [wins, draws, losses] = [wins, draws, losses].map(u64::to_string);
            games.row([nodes.clone(), error.clone(), opponent.clone(), wins, draws, losses]);
        }
    }
    table.write(out)?;
    writeln!(out)?;
    games.write(out)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opponents_are_the_nearest() {
        let levels = [1, 5].map(|nodes| Level { nodes, error: 0.0 });
        let opponents = [1350, 1600, 1850].map(|rating| Opponent { rating, agent: "random".into() });
        let held_back = HeldBack::new(5, levels.into(), opponents.into()).unwrap();
        for (rating, expected) in
            [(None, [0, 1]), (Some(1400.0), [0, 1]), (Some(1700.0), [1, 2]), (Some(3000.0), [1, 2])]
        {
            assert_eq!(held_back.nearest(rating), expected);
        }
    }
}
