//! Experiments in which what was learnt meets programs of known strength: each player is trained by its recipe, its last
//! checkpoint plays every opponent with a clock, and all are rated together, the opponents' ratings being given (paper 002, §6,
//! Table 3).

use super::runs::train_each;
use super::verdict::{self, Verdict, at_least, stronger_by};
use super::{Workplace, folder_name};
use crate::agent::AgentSpec;
use crate::lesson::Lesson;
use crate::search_recipe::SearchRecipe;
use crate::{output, standings};
use afterstate_arena::clock::TimeControl;
use afterstate_arena::pairing::Format;
use afterstate_arena::rating::{PlayerRating, RatingSettings, Ratings, Results, Tally, rate};
use afterstate_arena::tournament::TournamentSettings;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Who plays whom.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Gauntlet {
    /// Tables, figures and section of the paper.
    source: String,
    /// What it is about.
    title: String,
    /// What the opponents' ratings are.
    unit: String,
    /// Settings by scale.
    scale: BTreeMap<String, Size>,
    #[serde(rename = "player")]
    players: Vec<Entry>,
    #[serde(rename = "opponent")]
    opponents: Vec<Opponent>,
}

/// The size of such an experiment.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Size {
    /// Training games of each run, if its recipe has more.
    games: u64,
    /// Positions that a training search looks at for a move, instead of the recipe's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    training_nodes: Option<u64>,
    /// Rated games of each player with each opponent.
    rated_games: u32,
    /// Each side's time in them.
    time: TimeControl,
}

/// A player that learns.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Entry {
    name: String,
    /// The recipe's file, in the paper's folder.
    recipe: String,
    /// Its rating in the paper, in words.
    paper: String,
    /// The rating that it must reach.
    #[serde(default)]
    least: Option<f64>,
    /// The name of a player that it is stronger than, and by how many points in the paper.
    #[serde(default)]
    stronger: Option<(String, f64)>,
}

/// A program whose rating is known.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Opponent {
    name: String,
    agent: String,
    rating: f64,
}

impl Gauntlet {
    fn load(path: &Path) -> Result<Gauntlet> {
        let text = std::fs::read_to_string(path)?;
        let gauntlet: Gauntlet = crate::recipe::from_toml(&text)?;
        ensure!(!gauntlet.players.is_empty(), "no [[player]]: expected at least one, with name, recipe and paper");
        ensure!(!gauntlet.opponents.is_empty(), "no [[opponent]]: expected at least one, with name, agent and rating");
        for (name, size) in &gauntlet.scale {
            ensure!(size.games > 0 && size.rated_games > 0, "[scale.{name}]: expected numbers above 0");
        }
        for (name, _) in gauntlet.players.iter().filter_map(|player| player.stronger.as_ref()) {
            let known = gauntlet.players.iter().any(|player| player.name == *name);
            ensure!(known, "[[player]] stronger: '{name}' is not the name of a player");
        }
        Ok(gauntlet)
    }
}

/// One line of the report.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Line {
    player: String,
    paper: String,
    elo: f64,
    low: f64,
    high: f64,
    training_games: u64,
    /// Its games with each opponent.
    results: Vec<(String, Tally)>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report<'a> {
    source: &'a str,
    title: &'a str,
    unit: &'a str,
    made_by: String,
    size: &'a Size,
    lines: &'a [Line],
    opponents: &'a [Opponent],
    claims: &'a [Verdict],
    faults: &'a [(String, u64)],
    players: &'a [PlayerRating],
}

/// Trains, plays the games that are missing, and writes the report.
pub fn run(place: &Workplace, name: &str) -> Result<()> {
    let path = place.paper.join(format!("{name}.toml"));
    let gauntlet = Gauntlet::load(&path).with_context(|| path.display().to_string())?;
    let size = place.size(&gauntlet.scale).with_context(|| path.display().to_string())?;
    let mut jobs = Vec::new();
    for player in &gauntlet.players {
        let mut recipe = SearchRecipe::load(&place.paper.join(&player.recipe))?;
        (recipe.games, recipe.evaluation.games) = (recipe.games.min(size.games), 0);
        recipe.search.nodes = size.training_nodes.unwrap_or(recipe.search.nodes);
        let folder = place.runs.join(name).join(folder_name(&player.name));
        jobs.push((player.name.clone(), recipe.seed, recipe, folder));
    }
    place.note(&format!("Training {} runs", jobs.len()));
    let runs = train_each(place, &jobs)?;
    place.go_on()?;

    let mut opponents = Vec::new();
    let mut settings = RatingSettings::default();
    for Opponent { name, agent, rating } in &gauntlet.opponents {
        opponents.push(AgentSpec { name: name.clone(), ..AgentSpec::parse(agent)? });
        settings = settings.with_anchor(name, *rating);
    }
    let (mut results, mut lines, mut faults) = (Results::new(), Vec::new(), Vec::new());
    for run in &runs {
        let (games, checkpoint) =
            run.checkpoints.last().with_context(|| format!("{} has no checkpoint", run.series))?;
        let agent = AgentSpec::parse(&format!("tournament-search:{}", checkpoint.display()))?;
        let mut agents = vec![AgentSpec { name: run.series.clone(), ..agent }];
        agents.extend(opponents.iter().cloned());
        place.note(&format!("{} against {} opponents", run.series, opponents.len()));
        let settings = TournamentSettings {
            format: Format::Gauntlet,
            games: size.rated_games,
            time: size.time,
            ..TournamentSettings::default()
        };
        // The player's name does not say how much it has learnt.
        let log = place.runs.join(name).join(format!("{}-{games}.jsonl", folder_name(&run.series)));
        let played = place.play_chess(agents, settings, log)?;
        let names = &played.header.settings.agents;
        let played_here = standings::results(names, &played.games)?;
        for pair in played_here.pairs() {
            results.add(&pair.first, &pair.second, Tally::new(pair.wins, pair.draws, pair.losses))?;
        }
        let tally = |opponent: &Opponent| (opponent.name.clone(), played_here.between(&run.series, &opponent.name));
        lines.push((run.series.clone(), *games, gauntlet.opponents.iter().map(tally).collect::<Vec<_>>()));
        faults.extend(standings::faults(names, &played.games));
    }
    let ratings = rate(&results, &settings)?;
    write(place, name, &gauntlet, &ratings, lines, &faults)
}

fn claims(gauntlet: &Gauntlet, ratings: &Ratings) -> Result<Vec<Verdict>> {
    let mut claims = Vec::new();
    for player in &gauntlet.players {
        let rated = ratings.player(&player.name).context("every player was rated")?;
        if let Some(least) = player.least {
            claims.push(Verdict {
                claim: format!("{} reaches {least:.0}", player.name),
                measured: format!("{:.0} ({:.0} to {:.0})", rated.elo, rated.low, rated.high),
                verdict: at_least(rated.low, rated.high, least),
            });
        }
        if let Some((other, by)) = &player.stronger {
            let claim = format!("{} is {by:.0} above {other}", player.name);
            claims.push(stronger_by(ratings, claim, [&player.name, other], *by)?);
        }
    }
    Ok(claims)
}

/// A player's name, its training games, and its results by opponent.
type PlayerResults = (String, u64, Vec<(String, Tally)>);

fn write(
    place: &Workplace,
    name: &str,
    gauntlet: &Gauntlet,
    ratings: &Ratings,
    results: Vec<PlayerResults>,
    faults: &[(String, u64)],
) -> Result<()> {
    let size = place.size(&gauntlet.scale)?;
    let mut lines = Vec::new();
    for ((player, training_games, results), entry) in results.into_iter().zip(&gauntlet.players) {
        let &PlayerRating { elo, low, high, .. } = ratings.player(&player).context("every player was rated")?;
        lines.push(Line { player, paper: entry.paper.clone(), elo, low, high, training_games, results });
    }
    let claims = claims(gauntlet, ratings)?;
    let mut table = output::Table::new(["player", "paper", "here", "95 % interval", "training games"]);
    let mut games = output::Table::new(["player", "opponent", "its rating", "wins", "draws", "losses"]);
    for line in &lines {
        table.row([
            line.player.clone(),
            line.paper.clone(),
            format!("{:.0}", line.elo),
            format!("{:.0} to {:.0}", line.low, line.high),
            line.training_games.to_string(),
        ]);
        for (opponent, (_, Tally { wins, draws, losses })) in gauntlet.opponents.iter().zip(&line.results) {
            let [wins, draws, losses] = [wins, draws, losses].map(u64::to_string);
            let rating = format!("{:.0}", opponent.rating);
            games.row([line.player.clone(), opponent.name.clone(), rating, wins, draws, losses]);
        }
    }
    let mut opponents = output::Table::new(["opponent", "agent"]);
    for opponent in &gauntlet.opponents {
        opponents.row([opponent.name.clone(), opponent.agent.clone()]);
    }
    let made_by = format!(
        "{}; {} games with each opponent, {}, {} at once",
        place.made_by(name),
        size.rated_games,
        size.time,
        place.jobs
    );
    let mut text = Vec::new();
    for table in [&table, &games, &opponents, &verdict::table(&claims)] {
        table.write(&mut text)?;
        text.push(b'\n');
    }
    standings::write_faults(&mut text, faults)?;
    let text = format!(
        "{}\n{}\n{}\n\n{}{made_by}\n",
        gauntlet.source,
        gauntlet.title,
        gauntlet.unit,
        String::from_utf8(text)?
    );
    let report = Report {
        source: &gauntlet.source,
        title: &gauntlet.title,
        unit: &gauntlet.unit,
        made_by,
        size,
        lines: &lines,
        opponents: &gauntlet.opponents,
        claims: &claims,
        faults,
        players: &ratings.players,
    };
    place.publish(name, &report, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_gauntlet_is_complete() {
        let paper = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers/2009-treestrap");
        let gauntlet = Gauntlet::load(&paper.join("table3.toml")).unwrap();
        assert!(gauntlet.scale.contains_key("quick") && gauntlet.scale.contains_key("full"));
        for player in &gauntlet.players {
            SearchRecipe::load(&paper.join(&player.recipe)).unwrap();
        }
        for opponent in &gauntlet.opponents {
            AgentSpec::parse(&opponent.agent).unwrap();
        }
    }
}
