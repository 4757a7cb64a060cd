//! `afterstate tournament`: many agents, from a file, in a log that an interrupted run goes on from.

use crate::agent::{AgentSpec, agent_file, check_name};
use crate::conditions::BOOK_PLIES;
use crate::contest::{self, Contest, OpeningFile};
use crate::match_command::OutputArgs;
use crate::recipe::plain;
use crate::registry::{GameOptions, GameSpec};
use crate::{game_files, output, standings};
use afterstate_arena::TimeControl;
use afterstate_arena::adjudication::{Adjudication, DrawRule, WinRule};
use afterstate_arena::pairing::Format;
use afterstate_arena::rating::{RatingError, RatingSettings, Ratings, Results, rate};
use afterstate_arena::tournament::TournamentSettings;
use anyhow::{Context, Result, anyhow, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Arguments of `tournament`.
#[derive(clap::Args)]
#[command(after_help = "The file, with defaults (agents are required):\n\n  \
    game = \"go9\"\n  agents = [\"random\", \"runs/quick@1000\", \"runs/quick\"]  # specs, or {name = \"…\", agent = \"spec\"}\n  \
    kind = \"round-robin\"   # or gauntlet (the first against the others), swiss:ROUNDS, match\n  \
    games = 100            # for each pairing (and round)\n  opening-moves = 2      # random moves at the beginning\n  \
    time = \"none\"          # see `afterstate match --help`\n  referee = \"area\"       # Go: or gnugo\n  \
    seed = 1\n  size = 9               # Go, with game = \"go\"\n  komi = 7.5\n  move-limit = 243\n  lag-ms = 500\n  \
    openings = \"suite.epd\" # chess: or .pgn or a Polyglot book .bin; then opening-moves = 0\n  \
    book-plies = 16        # moves played of a game or book\n  \
    draw = {after = 40, moves = 8, score = 10}  # when both see nothing any more; see `afterstate match --help`\n  \
    win = {moves = 4, score = 600}              # when both see the same side winning\n  \
    [anchors]              # known ratings, in Elo\n  random = 0\n\n\
    Examples:\n  afterstate tournament ladder.toml --workers 2\n  afterstate tournament ladder.toml --json\n\n\
    The log stands beside the file (ladder.jsonl) unless --log names another; the same command goes on from it.")]
pub struct Args {
    /// The tournament's file
    file: PathBuf,
    /// Games at once
    #[arg(long, alias = "jobs", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    workers: u32,
    #[command(flatten)]
    outputs: OutputArgs,
}

/// What the file holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    #[serde(default = "default_game")]
    game: String,
    agents: Vec<Entrant>,
    #[serde(default = "default_kind")]
    kind: Format,
    games: Option<u32>,
    opening_moves: Option<u32>,
    openings: Option<PathBuf>,
    book_plies: Option<u32>,
    draw: Option<DrawRule>,
    win: Option<WinRule>,
    #[serde(default)]
    time: TimeControl,
    referee: Option<String>,
    seed: Option<u64>,
    size: Option<usize>,
    komi: Option<f64>,
    move_limit: Option<usize>,
    lag_ms: Option<u64>,
    #[serde(default)]
    anchors: BTreeMap<String, f64>,
}

fn default_game() -> String {
    "go9".to_string()
}

fn default_kind() -> Format {
    Format::RoundRobin
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected an agent's spec in quotes, or { name = \"…\", agent = \"spec\" }")]
enum Entrant {
    Spec(String),
    Named(Named),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
    agent: String,
}

impl Entrant {
    fn text(&self) -> &str {
        match self {
            Entrant::Spec(text) => text,
            Entrant::Named(named) => &named.agent,
        }
    }

    fn spec(&self) -> Result<AgentSpec> {
        match self {
            Entrant::Spec(text) => AgentSpec::parse(text),
            Entrant::Named(Named { name, agent }) => {
                check_name(name)?;
                Ok(AgentSpec { name: name.clone(), ..AgentSpec::parse(agent)? })
            }
        }
    }
}

/// Reads a tournament's file. Errors name the file, and the line where there is one.
fn read(path: &Path) -> Result<File> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| shown.to_string())?;
    if let Ok(table) = text.parse::<toml::Table>() {
        ensure!(
            table.contains_key("agents"),
            "{shown}: no agents: expected a tournament; recipes are for 'afterstate train', experiments for 'afterstate reproduce'"
        );
    }
    toml::from_str(&text).map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
        anyhow!("{shown}:{line}: {}", plain(error.message()).replace('\n', "; "))
    })
}

#[derive(Serialize)]
struct Report<'a> {
    game: String,
    settings: &'a TournamentSettings,
    games: usize,
    /// How many of them no other repeats.
    different: usize,
    complete: bool,
    ratings: &'a Ratings,
    faults: Vec<(String, u64)>,
}

/// Plays what is missing, and reports ratings over all games.
pub fn run(args: Args) -> Result<()> {
    let file = read(&args.file)?;
    let shown = args.file.display();
    let game = GameSpec::parse(&file.game, GameOptions { size: file.size, komi: file.komi })
        .with_context(|| shown.to_string())?;
    let log = args.outputs.log.clone().unwrap_or_else(|| args.file.with_extension("jsonl"));
    ensure!(
        file.openings.is_some() || file.book_plies.is_none(),
        "{shown}: book-plies is about openings, and there are none: leave it out, or name some"
    );
    let mut read = vec![("openings", file.openings.as_deref()), ("the tournament", Some(args.file.as_path()))];
    read.extend(file.agents.iter().map(|entrant| ("an agent", agent_file(entrant.text()))));
    game_files::check(&args.outputs, game, Some(&log), &read)?;
    // Programs take the first two names of a file for those of all its games.
    ensure!(
        args.outputs.mat.is_none() || file.agents.len() == 2,
        "--mat: such a file names two players, and {} agents play here; leave it out (the log and --csv have all games)",
        file.agents.len()
    );
    let agents =
        file.agents.iter().map(Entrant::spec).collect::<Result<Vec<_>>>().with_context(|| shown.to_string())?;
    ensure!(file.move_limit != Some(0), "{shown}: move-limit is 0: expected at least 1");
    let defaults = TournamentSettings::default();
    let settings = TournamentSettings {
        fingerprints: contest::fingerprints(&agents)?,
        agents: Vec::new(),
        format: file.kind,
        games: file.games.unwrap_or(defaults.games),
        openings: String::new(),
        opening_moves: file.opening_moves.unwrap_or(if file.openings.is_some() { 0 } else { game.opening_moves() }),
        seed: file.seed.unwrap_or(defaults.seed),
        time: file.time,
        lag_ms: file.lag_ms.unwrap_or(defaults.lag_ms),
        move_limit: file.move_limit.unwrap_or(0),
        adjudication: Adjudication { draw: file.draw, win: file.win },
        referee: file.referee.unwrap_or_default(),
    };
    let rating = RatingSettings { anchors: file.anchors, ..RatingSettings::default() };
    for (name, elo) in &rating.anchors {
        ensure!(elo.is_finite(), "{shown}: anchor '{name}' = {elo}: expected a rating");
        ensure!(
            agents.iter().any(|agent| agent.name == *name || agent.pinned().name == *name),
            "{shown}: anchor '{name}' is not among the agents"
        );
    }
    rating.check().with_context(|| shown.to_string())?;
    contest::check_start(game, &agents)?;
    let contest = Contest {
        game,
        agents: agents.clone(),
        settings,
        workers: args.workers as usize,
        log: Some(log),
        log_notes: true,
        openings: file.openings.map(|path| OpeningFile { path, plies: file.book_plies.unwrap_or(BOOK_PLIES) }),
        pgn: args.outputs.pgn.clone(),
        sprt: None,
        watch: None,
        quiet: args.outputs.json,
    };
    let results = contest::play(contest)?.results;
    let written = game_files::write(&args.outputs, &results);
    let names = &results.header.settings.agents;
    let rating = RatingSettings { anchors: pinned_anchors(rating.anchors, &agents), ..RatingSettings::default() };
    let all = standings::results(names, &results.games)?;
    let (played, ratings) = match rate(&all, &rating) {
        Ok(ratings) => (all, ratings),
        Err(RatingError::Disconnected { .. }) if !results.complete && all.games() > 0 => rate_largest(&all, rating)?,
        Err(error) => {
            written?;
            return Err(error).with_context(|| format!("after {} games", results.games.len()));
        }
    };
    let report = Report {
        game: game.name(),
        settings: &results.header.settings,
        games: results.games.len(),
        different: standings::different(&results.games),
        complete: results.complete,
        ratings: &ratings,
        faults: standings::faults(names, &results.games),
    };
    let mut out = output::stdout();
    if args.outputs.json {
        output::json(&mut out, &report)?;
        return written;
    }
    if args.outputs.csv_is_stdout() {
        // Whoever asked for CSV there reads nothing else.
        return written;
    }
    write!(out, "{}", ratings.to_table())?;
    standings::write_crosstable(&mut out, &ratings, &played)?;
    standings::write_different(&mut out, report.different, report.games, "")?;
    standings::write_faults(&mut out, &report.faults)?;
    out.flush()?;
    written
}

/// Ratings of those who have met so far, of the largest group if there are several.
fn rate_largest(all: &Results, mut settings: RatingSettings) -> Result<(Results, Ratings)> {
    let groups = all.groups();
    let largest = groups.first().map_or(&[][..], Vec::as_slice);
    let others: Vec<&str> =
        all.players().iter().filter(|player| !largest.contains(player)).map(String::as_str).collect();
    crate::output::tell!("note: these have not met the others yet, and are left out: {}", others.join(", "));
    settings.anchors.retain(|anchor, _| largest.contains(anchor));
    let played = all.among(largest);
    let ratings = rate(&played, &settings)?;
    Ok((played, ratings))
}

/// Anchors by the names that agents have in the log.
fn pinned_anchors(anchors: BTreeMap<String, f64>, agents: &[AgentSpec]) -> BTreeMap<String, f64> {
    anchors
        .into_iter()
        .map(|(name, elo)| match agents.iter().find(|agent| agent.name == name) {
            Some(agent) => (agent.pinned().name, elo),
            None => (name, elo),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_arena::rating::Tally;

    #[test]
    fn who_has_not_played_yet_is_left_out() {
        let mut all = Results::new();
        ["idle", "a", "b"].into_iter().for_each(|name| _ = all.add_player(name));
        all.add("a", "b", Tally::new(3, 0, 1)).unwrap();
        assert!(rate(&all, &RatingSettings::default()).is_err());
        let settings = RatingSettings::default().with_anchor("idle", 100.0).with_anchor("b", 0.0);
        let (played, ratings) = rate_largest(&all, settings).unwrap();
        assert_eq!(played.players(), ["a", "b"]);
        assert!(ratings.difference("a", "b").unwrap().elo > 0.0);
    }
}
