//! Experiments that compare learners: each is trained by its own recipe, and all their checkpoints meet in one tournament with
//! their first weights, of which the rating of one is given (paper 002, §6, Table 2 and Figure 2; paper 001, §4).

mod experiment;

use super::experiment::Scale;
use super::runs::{TrainedRun, train_each};
use super::verdict::{self, NOT_MEASURED, Verdict, stronger_by};
use super::{Workplace, folder_name};
use crate::agent::AgentSpec;
use crate::lesson::Lesson;
use crate::search_recipe::FirstWeights;
use crate::{output, standings};
use afterstate_arena::curve::{Curve, CurvePoint, Series};
use afterstate_arena::pairing::Format;
use afterstate_arena::rating::{PlayerRating, RatingSettings, Ratings, rate};
use afterstate_arena::tournament::TournamentSettings;
use afterstate_engine::value::Checkpoint;
use afterstate_engine::value::shape_agent::{CHECKPOINTS, checkpoint_name};
use anyhow::{Context, Result};
use experiment::{LearnerExperiment, Shows, Size, name_of};
use serde::Serialize;

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

    let agent = |name: &str, path: &str| -> Result<AgentSpec> {
        let spec = format!("tournament-search:{path},nodes={}", size.nodes);
        Ok(AgentSpec { name: name.to_string(), ..AgentSpec::parse(&spec)? })
    };
    let mut agents = Vec::new();
    let mut firsts = vec![FirstWeights::default(); experiment.learners.len()];
    for (first, (_, _, recipe, _)) in firsts.iter_mut().zip(&jobs) {
        *first = recipe.first_weights.clone();
        let name_of_first = name_of(first);
        if agents.iter().all(|agent: &AgentSpec| agent.name != name_of_first) {
            let folder = place.runs.join(name).join(folder_name(name_of_first));
            let checkpoint = Checkpoint::new(recipe.about()?, recipe.first_weights()?.values());
            checkpoint.save(&folder.join(CHECKPOINTS).join(checkpoint_name(0)))?;
            agents.push(agent(name_of_first, &format!("{}@0", folder.display()))?);
        }
    }
    let anchor = name_of(&firsts[0]);
    let entrants = entrants(&experiment, &runs, &agent)?;
    agents.extend(entrants.iter().map(|entrant| entrant.agent.clone()));
    let settings =
        TournamentSettings { format: Format::RoundRobin, games: size.rated_games, ..TournamentSettings::default() };
    place.note(&format!("A tournament of {} players", agents.len()));
    // The players' names do not say how far they look.
    let log = place.runs.join(name).join(format!("tournament-{}.jsonl", size.nodes));
    let played = place.play_chess(agents, settings, log)?;
    let results = standings::results(&played.header.settings.agents, &played.games)?;
    let ratings = rate(&results, &RatingSettings::default().with_anchor(anchor, experiment.untrained))?;
    write(place, name, &experiment, &firsts, &entrants, &ratings, played.games.len())
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

/// The checkpoint of a learner that is compared with the others'.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Shown {
    learner: String,
    /// Its name in the tournament.
    player: String,
    /// Its first weights' name there.
    first: String,
    paper: Option<f64>,
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
    shown: &'a [Shown],
    claims: Vec<Verdict>,
    players: &'a [PlayerRating],
}

/// What the paper says of learners, each sentence a claim.
fn claims(experiment: &LearnerExperiment, shown: &[Shown], ratings: &Ratings) -> Result<Vec<Verdict>> {
    let mut verdicts = Vec::new();
    let of = |name: &str| shown.iter().find(|shown| shown.learner == name);
    for claim in &experiment.claims {
        let (Some(one), Some(other)) = (of(&claim.stronger), of(&claim.weaker)) else { continue };
        let by = if claim.by == 0.0 { String::new() } else { format!(" by {:.0}", claim.by) };
        let text = format!("{} is stronger than {}{by}", claim.stronger, claim.weaker);
        verdicts.push(stronger_by(ratings, text, [&one.player, &other.player], claim.by)?);
    }
    for learner in &experiment.learners {
        let (Some(shown), Some(gain)) = (of(&learner.name), experiment.gain(learner)) else { continue };
        let text = format!("{} is {gain:.0} above the {}", learner.name, shown.first);
        verdicts.push(stronger_by(ratings, text, [&shown.player, &shown.first], gain)?);
    }
    for learner in &experiment.learners {
        if of(&learner.name).is_none() {
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
    firsts: &[FirstWeights],
    entrants: &[Entrant],
    ratings: &Ratings,
    games: usize,
) -> Result<()> {
    let rating = |entrant: &Entrant| ratings.player(&entrant.name).context("every player was rated");
    let (mut shown, mut series) = (Vec::new(), Vec::new());
    for (number, (learner, first)) in experiment.learners.iter().zip(firsts).enumerate() {
        let mut points = Vec::new();
        let mut compared: Option<(&Entrant, &PlayerRating)> = None;
        for entrant in entrants.iter().filter(|entrant| entrant.learner == number) {
            let rated = rating(entrant)?;
            if entrant.seed == 1 {
                let PlayerRating { elo, low, high, .. } = *rated;
                points.push(CurvePoint { x: entrant.games as f64, y: elo, low, high });
            }
            let replaces = |(known, known_rated): (&Entrant, &PlayerRating)| match experiment.shows {
                Shows::Best => rated.elo > known_rated.elo,
                Shows::Last => entrant.games > known.games,
            };
            if compared.is_none_or(replaces) {
                compared = Some((entrant, rated));
            }
        }
        series.push(Series { name: learner.name.clone(), points });
        // A learner whose weights grew beyond all bounds at once has no checkpoint.
        let Some((entrant, rated)) = compared else { continue };
        shown.push(Shown {
            learner: learner.name.clone(),
            player: entrant.name.clone(),
            first: name_of(first).to_string(),
            paper: learner.paper,
            elo: rated.elo,
            low: rated.low,
            high: rated.high,
            training_games: entrant.games,
            seed: entrant.seed,
            rated_games: rated.games,
        });
    }
    let size = experiment.size(place.scale)?;
    let anchor = name_of(&firsts[0]);
    let unit = format!("Elo ({anchor} = {})", experiment.untrained);
    let curve = Curve {
        title: format!("{} ({})", experiment.title, experiment.source),
        x_label: "Training games".into(),
        y_label: unit.clone(),
        series,
        references: vec![(anchor.into(), experiment.untrained)],
        ..Curve::default()
    };
    place.write(&format!("{name}.svg"), &curve.to_svg()?)?;
    place.write(&format!("{name}.csv"), &curve.to_csv())?;
    let mut claims = claims(experiment, &shown, ratings)?;
    if let Ok(&Size { games: full, .. }) = experiment.size(Scale::Full)
        && size.games < full
    {
        // The paper says nothing of learners that have hardly begun.
        for claim in claims.iter_mut().filter(|claim| claim.verdict != NOT_MEASURED) {
            claim.verdict = NOT_MEASURED;
            claim.measured += &format!(" after {} of {full} games", size.games);
        }
    }
    let made_by = format!(
        "{}; {} runs a learner; {games} games, {} positions a move",
        place.made_by(name),
        size.seeds,
        size.nodes
    );
    let mut table = output::Table::new([
        "learner",
        "paper",
        experiment.shows.name(),
        "95 % interval",
        "training games",
        "rated games",
    ]);
    for line in &shown {
        table.row([
            line.learner.clone(),
            line.paper.map_or("–".to_string(), |paper| format!("{paper:.0}")),
            format!("{:.0}", line.elo),
            format!("{:.0} to {:.0}", line.low, line.high),
            line.training_games.to_string(),
            line.rated_games.to_string(),
        ]);
    }
    let (mut text, mut judged) = (Vec::new(), Vec::new());
    table.write(&mut text)?;
    verdict::table(&claims).write(&mut judged)?;
    let text = format!(
        "{}\n{}\n{unit}\n\n{}\n{}\n{made_by}\n",
        experiment.source,
        experiment.title,
        String::from_utf8(text)?,
        String::from_utf8(judged)?
    );
    let report = Report {
        source: &experiment.source,
        title: &experiment.title,
        made_by,
        untrained: experiment.untrained,
        size,
        shown: &shown,
        claims,
        players: &ratings.players,
    };
    place.publish(name, &report, &text)
}
