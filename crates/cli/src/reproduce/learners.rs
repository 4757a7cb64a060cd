//! Experiments that compare learners: each is trained by its own recipe, and all their checkpoints meet in one tournament with
//! the untrained one, whose rating is given (paper 002, §6, Table 2 and Figure 2).

use super::experiment::Scale;
use super::runs::{TrainedRun, train_each};
use super::verdict::{NOT_MEASURED, Verdict, at_least};
use super::{Workplace, folder_name};
use crate::agent::AgentSpec;
use crate::contest::{self, Contest};
use crate::lesson::Lesson;
use crate::registry::{GameOptions, GameSpec};
use crate::search_recipe::SearchRecipe;
use crate::{output, standings};
use afterstate_arena::curve::{Curve, CurvePoint, Series};
use afterstate_arena::pairing::Format;
use afterstate_arena::rating::{PlayerRating, RatingSettings, Ratings, rate};
use afterstate_arena::tournament::TournamentSettings;
use afterstate_engine::value::Checkpoint;
use afterstate_engine::value::shape_agent::{CHECKPOINTS, checkpoint_name};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// What the one is called that has not learnt anything.
const UNTRAINED: &str = "untrained";

/// A comparison of learners.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct LearnerExperiment {
    /// Tables, figures and section of the paper.
    source: String,
    /// What it is about.
    title: String,
    /// The rating that the untrained weights are given.
    untrained: f64,
    /// Settings by scale.
    scale: BTreeMap<String, Size>,
    /// In the paper's order, the strongest first.
    #[serde(rename = "learner")]
    learners: Vec<LearnerEntry>,
}

/// The size of such an experiment.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Size {
    /// Training games of each run.
    games: u64,
    /// Positions that a training search looks at for a move, instead of the recipe's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    training_nodes: Option<u64>,
    /// Runs of each learner, with seeds 1, 2, …
    seeds: u64,
    /// Rated games of each pair of checkpoints.
    rated_games: u32,
    /// Positions that the tournament search looks at for a move of them.
    nodes: u64,
}

/// One learner.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct LearnerEntry {
    /// As the paper calls it.
    name: String,
    /// The recipe's file, in the paper's folder.
    recipe: String,
    /// Its best rating in the paper.
    paper: f64,
}

impl LearnerExperiment {
    fn load(path: &Path) -> Result<LearnerExperiment> {
        let text = std::fs::read_to_string(path)?;
        let experiment: LearnerExperiment = crate::recipe::from_toml(&text)?;
        ensure!(!experiment.learners.is_empty(), "no [[learner]]");
        for (name, size) in &experiment.scale {
            ensure!(
                size.games > 0 && size.seeds > 0 && size.rated_games > 0 && size.nodes > 0,
                "[scale.{name}]: expected numbers above 0"
            );
        }
        Ok(experiment)
    }

    fn size(&self, scale: Scale) -> Result<&Size> {
        self.scale.get(scale.name()).with_context(|| format!("no [scale.{}]", scale.name()))
    }

    /// The recipe of one run.
    fn recipe_of(&self, place: &Workplace, learner: &LearnerEntry, seed: u64) -> Result<SearchRecipe> {
        let size = self.size(place.scale)?;
        let mut recipe = SearchRecipe::load(&place.paper.join(&learner.recipe))?;
        (recipe.games, recipe.seed, recipe.threads, recipe.evaluation.games) = (size.games, seed, 1, 0);
        recipe.search.nodes = size.training_nodes.unwrap_or(recipe.search.nodes);
        Ok(recipe)
    }
}

/// A checkpoint in the tournament.
struct Entrant {
    name: String,
    learner: usize,
    seed: u64,
    games: u64,
    agent: AgentSpec,
}

/// Trains, plays what is missing of the tournament, and writes the report.
pub fn run(place: &Workplace, name: &str) -> Result<()> {
    let path = place.paper.join(format!("{name}.toml"));
    let experiment = LearnerExperiment::load(&path).with_context(|| path.display().to_string())?;
    let size = experiment.size(place.scale).with_context(|| path.display().to_string())?;
    let mut jobs = Vec::new();
    for seed in 1..=size.seeds {
        for learner in &experiment.learners {
            let folder = place.runs.join(name).join(format!("{}-{seed}", folder_name(&learner.name)));
            jobs.push((learner.name.clone(), seed, experiment.recipe_of(place, learner, seed)?, folder));
        }
    }
    place.note(&format!("Training {} runs of {} games", jobs.len(), size.games));
    let runs = train_each(place, &jobs)?;
    place.go_on()?;

    let first = &jobs.first().context("there is a learner")?.2;
    let untrained = place.runs.join(name).join(UNTRAINED);
    let weights = first.first_weights().values();
    Checkpoint::new(first.about()?, weights).save(&untrained.join(CHECKPOINTS).join(checkpoint_name(0)))?;
    let agent = |name: &str, path: &str| -> Result<AgentSpec> {
        let spec = format!("tournament-search:{path},nodes={}", size.nodes);
        Ok(AgentSpec { name: name.to_string(), ..AgentSpec::parse(&spec)? })
    };
    let mut agents = vec![agent(UNTRAINED, &format!("{}@0", untrained.display()))?];
    let entrants = entrants(&experiment, &runs, &agent)?;
    agents.extend(entrants.iter().map(|entrant| entrant.agent.clone()));
    let settings = TournamentSettings {
        format: Format::RoundRobin,
        games: size.rated_games,
        opening_moves: 4,
        move_limit: 0,
        referee: String::new(),
        ..TournamentSettings::default()
    };
    place.note(&format!("A tournament of {} players", agents.len()));
    let played = contest::play(Contest {
        game: GameSpec::parse("chess", GameOptions::default())?,
        agents,
        settings,
        workers: place.jobs,
        log: Some(place.runs.join(name).join("tournament.jsonl")),
        openings: None,
        pgn: None,
        sprt: None,
        watch: None,
        quiet: place.json,
    })?
    .results;
    ensure!(played.complete, "stopped; the same command goes on from here");
    let results = standings::results(&played.header.settings.agents, &played.games)?;
    let ratings = rate(&results, &RatingSettings::default().with_anchor(UNTRAINED, experiment.untrained))?;
    write(place, name, &experiment, &entrants, &ratings, played.games.len())
}

fn entrants(
    experiment: &LearnerExperiment,
    runs: &[TrainedRun],
    agent: &dyn Fn(&str, &str) -> Result<AgentSpec>,
) -> Result<Vec<Entrant>> {
    let mut entrants = Vec::new();
    for run in runs {
        let learner = experiment.learners.iter().position(|learner| learner.name == run.series);
        let learner = learner.context("a run has its learner's name")?;
        for (games, path) in &run.checkpoints {
            let name = format!("{}-{}@{games}", run.series, run.seed);
            let agent = agent(&name, &path.display().to_string())?;
            entrants.push(Entrant { name, learner, seed: run.seed, games: *games, agent });
        }
    }
    Ok(entrants)
}

/// The best checkpoint of a learner, which is what the paper's table shows.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Best {
    learner: String,
    paper: f64,
    elo: f64,
    low: f64,
    high: f64,
    training_games: u64,
    seed: u64,
    rated_games: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report<'a> {
    source: &'a str,
    title: &'a str,
    made_by: String,
    untrained: f64,
    size: &'a Size,
    best: &'a [Best],
    claims: Vec<Verdict>,
    players: &'a [PlayerRating],
}

/// The paper's order and its distances from the untrained, each of them a claim. `best` holds the names of the players.
fn claims(experiment: &LearnerExperiment, best: &[(Best, String)], ratings: &Ratings) -> Result<Vec<Verdict>> {
    let mut verdicts = Vec::new();
    let mut judge = |claim: String, one: &str, other: &str, wanted: f64| -> Result<()> {
        let difference = ratings.difference(one, other).context("both were rated")?;
        let margin = 1.96 * difference.std_error;
        verdicts.push(Verdict {
            claim,
            measured: format!("{:+.0} ± {margin:.0}", difference.elo),
            verdict: at_least(difference.elo - margin, difference.elo + margin, wanted),
        });
        Ok(())
    };
    for pair in best.windows(2) {
        let [(one, player), (other, opponent)] = pair else { continue };
        judge(format!("{} is stronger than {}", one.learner, other.learner), player, opponent, 0.0)?;
    }
    for (best, player) in best {
        let gap = best.paper - experiment.untrained;
        judge(format!("{} is {gap:.0} above the untrained", best.learner), player, UNTRAINED, gap)?;
    }
    for learner in &experiment.learners {
        if !best.iter().any(|(best, _)| best.learner == learner.name) {
            let (claim, measured) = (format!("{} learns", learner.name), "no run has a checkpoint".to_string());
            verdicts.push(Verdict { claim, measured, verdict: NOT_MEASURED });
        }
    }
    Ok(verdicts)
}

fn write(
    place: &Workplace,
    name: &str,
    experiment: &LearnerExperiment,
    entrants: &[Entrant],
    ratings: &Ratings,
    games: usize,
) -> Result<()> {
    let rating = |entrant: &Entrant| ratings.player(&entrant.name).context("every player was rated");
    let (mut best, mut series) = (Vec::new(), Vec::new());
    for (number, learner) in experiment.learners.iter().enumerate() {
        let mut points = Vec::new();
        let mut strongest: Option<(&Entrant, &PlayerRating)> = None;
        for entrant in entrants.iter().filter(|entrant| entrant.learner == number) {
            let rated = rating(entrant)?;
            if entrant.seed == 1 {
                let PlayerRating { elo, low, high, .. } = *rated;
                points.push(CurvePoint { x: entrant.games as f64, y: elo, low, high });
            }
            if strongest.is_none_or(|(_, known)| rated.elo > known.elo) {
                strongest = Some((entrant, rated));
            }
        }
        series.push(Series { name: learner.name.clone(), points });
        // A learner whose weights grew beyond all bounds at once has no checkpoint.
        let Some((entrant, rated)) = strongest else { continue };
        let line = Best {
            learner: learner.name.clone(),
            paper: learner.paper,
            elo: rated.elo,
            low: rated.low,
            high: rated.high,
            training_games: entrant.games,
            seed: entrant.seed,
            rated_games: rated.games,
        };
        best.push((line, entrant.name.clone()));
    }
    let size = experiment.size(place.scale)?;
    let curve = Curve {
        title: format!("{} ({})", experiment.title, experiment.source),
        x_label: "Training games".into(),
        y_label: format!("Elo (untrained = {})", experiment.untrained),
        series,
        references: vec![(UNTRAINED.into(), experiment.untrained)],
        ..Curve::default()
    };
    place.write(&format!("{name}.svg"), &curve.to_svg()?)?;
    place.write(&format!("{name}.csv"), &curve.to_csv())?;
    let claims = claims(experiment, &best, ratings)?;
    let best: Vec<Best> = best.into_iter().map(|(best, _)| best).collect();
    let made_by = format!(
        "afterstate {}: reproduce {}/{name} --scale {}; {} runs a learner; {games} games, {} positions a move",
        env!("CARGO_PKG_VERSION"),
        place.system,
        place.scale.name(),
        size.seeds,
        size.nodes
    );
    let mut table = output::Table::new(["learner", "paper", "best", "95 % interval", "training games", "rated games"]);
    for line in &best {
        table.row([
            line.learner.clone(),
            format!("{:.0}", line.paper),
            format!("{:.0}", line.elo),
            format!("{:.0} to {:.0}", line.low, line.high),
            line.training_games.to_string(),
            line.rated_games.to_string(),
        ]);
    }
    let mut verdicts = output::Table::new(["verdict", "claim", "measured"]);
    for verdict in &claims {
        verdicts.row([verdict.verdict.to_string(), verdict.claim.clone(), verdict.measured.clone()]);
    }
    let (mut text, mut judged) = (Vec::new(), Vec::new());
    table.write(&mut text)?;
    verdicts.write(&mut judged)?;
    let text = format!(
        "{}\n{}\nElo (untrained = {})\n\n{}\n{}\n{made_by}\n",
        experiment.source,
        experiment.title,
        experiment.untrained,
        String::from_utf8(text)?,
        String::from_utf8(judged)?
    );
    let report = Report {
        source: &experiment.source,
        title: &experiment.title,
        made_by,
        untrained: experiment.untrained,
        size,
        best: &best,
        claims,
        players: &ratings.players,
    };
    place.publish(name, &report, &text)
}
