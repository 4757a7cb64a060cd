//! Experiments in which many agents meet each other, each as often as every other, and are rated together: tournaments with
//! as many simulations for all of them, or as much time (paper 000, §6.1, Table 4).

use super::play::{Games, could_not_begin, logged};
use super::verdict::{self, NOT_MEASURED, UNDECIDED, Verdict, stronger_by};
use super::{Workplace, folder_name, matches};
use crate::agent::AgentSpec;
use crate::agent::catalogue::did_you_mean;
use crate::contest::check_start;
use crate::registry::{GameOptions, GameSpec};
use crate::{output, standings};
use afterstate_arena::clock::TimeControl;
use afterstate_arena::curve::{Curve, CurvePoint, Series};
use afterstate_arena::pairing::Format;
use afterstate_arena::rating::{PlayerRating, RatingError, RatingSettings, Ratings, rate};
use afterstate_arena::tournament::TournamentSettings;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How far a move may exceed its time, in milliseconds: programs that do not know our clocks are there to be measured by, and
/// should not lose by them.
const LAG_MS: u64 = 10_000;

/// Who meets, and how.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Experiment {
    /// Tables, figures and section of the paper.
    source: String,
    /// What it is about.
    title: String,
    game: String,
    /// Go: White's compensation.
    komi: Option<f64>,
    /// Random moves at the beginning of every pair of games.
    #[serde(default)]
    opening_moves: u32,
    /// Settings by scale.
    scale: BTreeMap<String, Size>,
    /// What has to be learnt before the games.
    #[serde(rename = "training", default)]
    trainings: Vec<matches::Training>,
    #[serde(rename = "player")]
    players: Vec<Entry>,
    #[serde(rename = "tournament")]
    tournaments: Vec<Tournament>,
    #[serde(rename = "claim", default)]
    claims: Vec<Claim>,
}

/// The size of such an experiment.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Size {
    /// Games of each player with each other.
    games: u32,
    /// Simulations for a move, instead of a tournament's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    simulations: Option<u64>,
    /// Each side's time, instead of a tournament's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<TimeControl>,
}

/// A player.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Entry {
    name: String,
    /// Its agent spec, in which `{simulations}` stands for what the tournament says.
    agent: String,
    /// Its rating in the paper.
    paper: Option<f64>,
}

/// Games of all with all.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Tournament {
    name: String,
    /// Go: points along one edge.
    board_size: Option<usize>,
    /// Who judges finished games; empty: the game's usual referee.
    #[serde(default)]
    referee: String,
    /// Simulations for a move.
    #[serde(default)]
    simulations: Option<u64>,
    /// Each side's time.
    #[serde(default)]
    time: Option<TimeControl>,
    /// Those who take part, if not all.
    players: Option<Vec<String>>,
    /// Whose rating is known, and what it is.
    anchor: (String, f64),
}

/// Something that ratings can confirm or refute.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Claim {
    /// In words.
    text: String,
    /// The tournament's name.
    tournament: String,
    /// The stronger player.
    of: String,
    /// The weaker one.
    beats: String,
    /// By at least so many points of Elo; negative: it is not weaker by more than that.
    #[serde(default)]
    by: f64,
}

impl Experiment {
    fn load(path: &Path) -> Result<Experiment> {
        let experiment: Experiment = crate::recipe::from_toml(&std::fs::read_to_string(path)?)?;
        for tournament in &experiment.tournaments {
            let of = || format!("tournament '{}'", tournament.name);
            let limits = usize::from(tournament.simulations.is_some()) + usize::from(tournament.time.is_some());
            ensure!(limits == 1, "{}: expected simulations or time", of());
            let players = experiment.players_of(tournament).with_context(of)?;
            ensure!(players.len() > 1, "{}: expected at least two players", of());
            let anchored = players.iter().any(|player| player.name == tournament.anchor.0);
            ensure!(anchored, "{}: anchor: '{}' does not take part", of(), tournament.anchor.0);
        }
        for claim in &experiment.claims {
            let of = || format!("claim '{}'", claim.text);
            let tournament = experiment.tournaments.iter().find(|known| known.name == claim.tournament);
            let players = experiment.players_of(tournament.context("no such tournament").with_context(of)?)?;
            let takes_part = |name: &String| players.iter().any(|player| player.name == *name);
            ensure!(takes_part(&claim.of) && takes_part(&claim.beats), "{}: who does not take part is named", of());
        }
        ensure!(experiment.scale.values().all(|size| size.games > 0), "[scale]: games: expected at least 1");
        Ok(experiment)
    }

    fn players_of(&self, tournament: &Tournament) -> Result<Vec<&Entry>> {
        let Some(names) = &tournament.players else { return Ok(self.players.iter().collect()) };
        let find = |name: &String| {
            self.players.iter().find(|player| player.name == *name).with_context(|| format!("no [[player]] '{name}'"))
        };
        names.iter().map(find).collect()
    }

    fn game_of(&self, tournament: &Tournament) -> Result<GameSpec> {
        GameSpec::parse(&self.game, GameOptions { size: tournament.board_size, komi: self.komi })
    }

    /// The agents of a tournament's players.
    fn agents_of(&self, tournament: &Tournament, size: &Size) -> Result<Vec<AgentSpec>> {
        /// What a search that is told nothing takes; with a clock it does not matter.
        const USUAL: u64 = 3000;
        let simulations = Experiment::simulations_of(tournament, size).unwrap_or(USUAL).to_string();
        let agent_of = |player: &Entry| {
            let spec = player.agent.replace("{simulations}", &simulations);
            let spec = AgentSpec::parse(&spec).with_context(|| format!("player '{}'", player.name))?;
            Ok(spec.pinned())
        };
        self.players_of(tournament)?.into_iter().map(agent_of).collect()
    }

    fn simulations_of(tournament: &Tournament, size: &Size) -> Option<u64> {
        tournament.simulations.map(|own| size.simulations.unwrap_or(own))
    }

    fn time_of(tournament: &Tournament, size: &Size) -> TimeControl {
        tournament.time.map_or(TimeControl::None, |time| size.time.unwrap_or(time))
    }

    fn settings_of(&self, tournament: &Tournament, size: &Size) -> TournamentSettings {
        TournamentSettings {
            format: Format::RoundRobin,
            games: size.games,
            opening_moves: self.opening_moves,
            time: Experiment::time_of(tournament, size),
            lag_ms: LAG_MS,
            referee: tournament.referee.clone(),
            ..TournamentSettings::default()
        }
    }

    /// The tournaments of these names, or all if none is given.
    fn choose(&self, names: &[String]) -> Result<Vec<&Tournament>> {
        let known = || self.tournaments.iter().map(|tournament| tournament.name.as_str());
        for name in names {
            ensure!(
                known().any(|known| known == name),
                "there is no tournament '{name}'{}: expected one of '{}'",
                did_you_mean(name, known()),
                known().collect::<Vec<_>>().join("', '")
            );
        }
        let wanted = |tournament: &&Tournament| names.is_empty() || names.contains(&tournament.name);
        Ok(self.tournaments.iter().filter(wanted).collect())
    }
}

/// A tournament's outcome.
#[derive(Serialize)]
struct Outcome {
    tournament: String,
    limit: String,
    games: u64,
    planned: u64,
    players: Vec<PlayerRating>,
    faults: Vec<(String, u64)>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report<'a> {
    source: &'a str,
    title: &'a str,
    made_by: String,
    size: &'a Size,
    agents: BTreeMap<&'a str, &'a str>,
    tournaments: &'a [Outcome],
    claims: &'a [Verdict],
}

/// Where a tournament's games are logged.
fn log_of(place: &Workplace, name: &str, tournament: &Tournament) -> PathBuf {
    place.runs.join(name).join(format!("{}.jsonl", folder_name(&tournament.name)))
}

/// Trains, plays the games that are missing, and writes the report. With `points`, only these tournaments are played; what others have
/// played before is in the report.
pub fn run(place: &Workplace, name: &str, points: &[String]) -> Result<()> {
    let path = place.paper.join(format!("{name}.toml"));
    let experiment = Experiment::load(&path).with_context(|| path.display().to_string())?;
    let size = place.size(&experiment.scale).with_context(|| path.display().to_string())?;
    let wanted = experiment.choose(points).with_context(|| path.display().to_string())?;
    let players: Vec<Vec<&Entry>> = wanted.iter().map(|it| experiment.players_of(it)).collect::<Result<_>>()?;
    matches::train(place, &experiment.trainings, players.iter().flatten().map(|player| player.agent.as_str()))?;
    for tournament in &wanted {
        check_start(experiment.game_of(tournament)?, &experiment.agents_of(tournament, size)?)
            .with_context(|| format!("tournament '{}'", tournament.name))?;
    }
    let outcome = wanted.into_iter().try_for_each(|tournament| play(place, name, &experiment, tournament, size));
    write(place, name, &experiment, size)?;
    outcome
}

fn play(place: &Workplace, name: &str, experiment: &Experiment, tournament: &Tournament, size: &Size) -> Result<()> {
    place.note(&format!("Tournament '{}'", tournament.name));
    let (game, agents) = (experiment.game_of(tournament)?, experiment.agents_of(tournament, size)?);
    let games = Games::new(game, agents, experiment.settings_of(tournament, size), log_of(place, name, tournament));
    place.play(games, None).with_context(|| format!("tournament '{}'", tournament.name))?;
    Ok(())
}

/// What a tournament's log says, with its ratings; nothing before everybody has met everybody else, if only by others.
fn measure(
    place: &Workplace,
    name: &str,
    experiment: &Experiment,
    tournament: &Tournament,
    size: &Size,
) -> Result<Option<(Outcome, Ratings)>> {
    let agents = experiment.agents_of(tournament, size)?;
    let settings = experiment.settings_of(tournament, size);
    let (_, mut games) = logged(&log_of(place, name, tournament), experiment.game_of(tournament)?, &agents, &settings)?;
    games.retain(|game| !could_not_begin(game));
    let players = experiment.players_of(tournament)?;
    let names: Vec<String> = players.iter().map(|player| player.name.clone()).collect();
    let (anchor, rating) = &tournament.anchor;
    let anchored = RatingSettings::default().with_anchor(anchor, *rating);
    let rated = match rate(&standings::results(&names, &games)?, &anchored) {
        Ok(rated) => rated,
        Err(RatingError::Disconnected { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let outcome = Outcome {
        tournament: tournament.name.clone(),
        limit: match Experiment::simulations_of(tournament, size) {
            Some(simulations) => format!("{simulations} simulations"),
            None => settings.time.to_string(),
        },
        games: games.len() as u64,
        planned: (players.len() * (players.len() - 1) / 2) as u64 * u64::from(size.games),
        players: rated.players.clone(),
        faults: standings::faults(&names, &games),
    };
    Ok(Some((outcome, rated)))
}

/// Nothing is confirmed or refuted before all of a tournament's games were played.
fn claims(experiment: &Experiment, measured: &[(Outcome, Ratings)]) -> Result<Vec<Verdict>> {
    let verdict = |claim: &Claim| {
        let Some((outcome, rated)) = measured.iter().find(|(outcome, _)| outcome.tournament == claim.tournament) else {
            return Ok(Verdict { claim: claim.text.clone(), measured: String::new(), verdict: NOT_MEASURED });
        };
        let verdict = stronger_by(rated, claim.text.clone(), [&claim.of, &claim.beats], claim.by)?;
        Ok(if outcome.games < outcome.planned { Verdict { verdict: UNDECIDED, ..verdict } } else { verdict })
    };
    experiment.claims.iter().map(verdict).collect()
}

/// Ratings side by side: one place on the horizontal axis for each tournament.
fn drawing(experiment: &Experiment, outcomes: &[Outcome]) -> Curve {
    let series = experiment.players.iter().map(|player| {
        let points = outcomes.iter().zip(1u32..).filter_map(|(outcome, x)| {
            let &PlayerRating { elo, low, high, .. } =
                outcome.players.iter().find(|rated| rated.name == player.name)?;
            Some(CurvePoint { x: x.into(), y: elo, low, high })
        });
        Series { name: player.name.clone(), points: points.collect() }
    });
    let places: Vec<String> =
        outcomes.iter().zip(1..).map(|(outcome, x)| format!("{x}: {}", outcome.tournament)).collect();
    Curve {
        title: experiment.title.clone(),
        x_label: places.join(", "),
        y_label: "Elo".to_string(),
        log_x: false,
        series: series.filter(|series| !series.points.is_empty()).collect(),
        references: Vec::new(),
    }
}

fn write(place: &Workplace, name: &str, experiment: &Experiment, size: &Size) -> Result<()> {
    let mut measured = Vec::new();
    for tournament in &experiment.tournaments {
        measured.extend(measure(place, name, experiment, tournament, size)?);
    }
    let claims = claims(experiment, &measured)?;
    let outcomes: Vec<Outcome> = measured.into_iter().map(|(outcome, _)| outcome).collect();
    let made_by =
        format!("{}; {} games of each player with each other, {} at once", place.made_by(name), size.games, place.jobs);
    let mut text = format!("{}\n{}\n", experiment.source, experiment.title).into_bytes();
    for outcome in &outcomes {
        let mut table = output::Table::new(["player", "paper", "Elo", "95 % interval", "games", "score"]);
        for rated in &outcome.players {
            let entry = experiment.players.iter().find(|player| player.name == rated.name);
            let paper = entry.and_then(|player| player.paper);
            table.row([
                rated.name.clone(),
                paper.map_or(String::new(), |elo| format!("{elo:.0}")),
                format!("{:.0}", rated.elo),
                if rated.anchor { "given".to_string() } else { format!("{:.0} to {:.0}", rated.low, rated.high) },
                rated.games.to_string(),
                format!("{:.1} %", 100.0 * rated.score),
            ]);
        }
        let Outcome { tournament, limit, games, planned, .. } = outcome;
        let of = if games < planned { format!(" of {planned}") } else { String::new() };
        text.extend(format!("\n{tournament}: {limit}, {games}{of} games\n").bytes());
        table.write(&mut text)?;
        standings::write_faults(&mut text, &outcome.faults)?;
    }
    text.push(b'\n');
    verdict::table(&claims).write(&mut text)?;
    text.extend(format!("\n{made_by}\n").bytes());
    if !outcomes.is_empty() {
        place.write(&format!("{name}.svg"), &drawing(experiment, &outcomes).to_svg()?)?;
    }
    let report = Report {
        source: &experiment.source,
        title: &experiment.title,
        made_by,
        size,
        agents: experiment.players.iter().map(|player| (player.name.as_str(), player.agent.as_str())).collect(),
        tournaments: &outcomes,
        claims: &claims,
    };
    place.publish(name, &report, &String::from_utf8(text)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::gnugo;

    fn load(path: &str) -> Experiment {
        Experiment::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers").join(path)).unwrap()
    }

    fn committed() -> Experiment {
        load("2012-td-search-go/table4.toml")
    }

    #[test]
    fn the_committed_tournaments_are_complete() {
        for experiment in [committed(), load("2023-go-exploit/ratings.toml")] {
            for size in [&experiment.scale["quick"], &experiment.scale["full"]] {
                for tournament in &experiment.tournaments {
                    experiment.agents_of(tournament, size).unwrap();
                }
            }
        }
        let experiment = committed();
        let gnu_go = experiment.players.iter().find(|player| player.name == "GNU Go 10").unwrap();
        assert_eq!(gnu_go.agent, gnugo::agent(10));
    }

    #[test]
    fn simulations_are_the_tournaments_unless_the_scale_has_its_own() {
        let experiment = committed();
        let by_simulations = experiment.tournaments.iter().find(|it| it.simulations.is_some()).unwrap();
        let size = Size { games: 2, simulations: Some(77), time: None };
        let names: Vec<String> =
            experiment.agents_of(by_simulations, &size).unwrap().iter().map(|a| format!("{a:?}")).collect();
        assert!(names.iter().any(|agent| agent.contains("77")), "{names:?}");
    }

    #[test]
    fn mistakes_are_named() {
        let head = "source = \"\"\ntitle = \"\"\ngame = \"go\"\n[scale.quick]\ngames = 1\n";
        let players = "[[player]]\nname = \"a\"\nagent = \"random\"\n[[player]]\nname = \"b\"\nagent = \"random\"\n";
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.toml");
        let load = |rest: &str| {
            std::fs::write(&path, format!("{head}{players}{rest}")).unwrap();
            Experiment::load(&path).map(|_| ()).map_err(|error| format!("{error:#}"))
        };
        let tournament = "[[tournament]]\nname = \"t\"\nsimulations = 5\nanchor = [\"a\", 0.0]\n";
        assert_eq!(load(tournament), Ok(()));
        for (rest, part) in [
            (tournament.replace("simulations = 5\n", ""), "expected simulations or time"),
            (tournament.replace("\"a\"", "\"c\""), "'c' does not take part"),
            (format!("{tournament}players = [\"a\"]\n"), "at least two players"),
            (format!("{tournament}players = [\"a\", \"d\"]\n"), "no [[player]] 'd'"),
            (
                format!("{tournament}[[claim]]\ntext = \"x\"\ntournament = \"t\"\nof = \"a\"\nbeats = \"z\"\n"),
                "claim 'x': who does not take part",
            ),
        ] {
            let message = load(&rest).unwrap_err();
            assert!(message.contains(part), "{message}");
        }
    }
}
