//! Experiments that compare learners by their learning curves: several runs of each against the same opponent, the area under
//! the curve, and matches between their last checkpoints (paper 004, §4, Figures 1 and 2, Table 1).

mod experiment;
mod states;

use super::play::Games;
use super::runs::{TrainedRun, train_and_look};
use super::verdict::{self, Mean, UNDECIDED, Verdict, at_least};
use super::{Workplace, folder_name};
use crate::agent::AgentSpec;
use crate::output;
use crate::registry::{GameOptions, GameSpec};
use crate::training_run::LOG;
use crate::watch::{Milestone, read_log, recent};
use crate::zero_game::ZeroGame;
use crate::zero_learner::METRICS;
use crate::zero_recipe::{ZeroGameName, ZeroLesson};
use afterstate_arena::clock::TimeControl;
use afterstate_arena::curve::{Curve, CurvePoint, Series};
use afterstate_arena::pairing::Format;
use afterstate_arena::tournament::TournamentSettings;
use afterstate_engine::search::{FirstPlay, PuctSettings};
use afterstate_engine::zero::{ActorSettings, StepReport};
use afterstate_games::go::Go;
use afterstate_games::{ConnectFour, TicTacToe};
use anyhow::{Context, Result, ensure};
use experiment::{Claim, Experiment, Measure, Size};
use serde::Serialize;
use states::States;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What is known of a run.
struct Run {
    learner: usize,
    /// The mean winning rate around each milestone.
    curve: Vec<(u64, f64)>,
    /// Mean over all steps of trajectories that a step was made of.
    trajectories: f64,
    states: States,
    agent: AgentSpec,
}

impl Run {
    /// The area under its curve, as a share of the most that it can be.
    fn area(&self) -> f64 {
        self.curve.iter().map(|(_, rate)| rate).sum::<f64>() / self.curve.len().max(1) as f64
    }

    /// Whether it broke off before so many learning steps, because its weights grew beyond all bounds.
    fn diverged(&self, steps: u64) -> bool {
        self.curve.last().is_none_or(|&(last, _)| last < steps)
    }
}

/// The winning rate at each milestone, over the last `window` steps.
fn curve(log: &[Milestone], opponent: &str, window: u64, games: u64) -> Result<Vec<(u64, f64)>> {
    for milestone in log {
        let met = milestone.results.iter().find(|against| against.opponent == opponent);
        let met = met.with_context(|| format!("no games against '{opponent}' are logged"))?.score.games();
        ensure!(
            met == games,
            "{met} games against '{opponent}' are logged after {} steps, but the experiment wants {games}: put the run away, or set games back",
            milestone.games
        );
    }
    Ok(log.iter().map(|milestone| (milestone.games, recent(log, opponent, milestone.games, window).mean())).collect())
}

fn trajectories(folder: &Path) -> Result<f64> {
    let path = folder.join(METRICS);
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let steps: Vec<StepReport> = text
        .lines()
        .map(serde_json::from_str)
        .collect::<serde_json::Result<_>>()
        .with_context(|| path.display().to_string())?;
    Ok(steps.iter().map(|step| step.trajectories as f64).sum::<f64>() / steps.len().max(1) as f64)
}

/// One line of the report.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Line {
    learner: String,
    /// How many of its runs diverged. Their curves are as short as they are, and so are the areas under them.
    #[serde(skip_serializing_if = "is_zero")]
    diverged: usize,
    area: Mean,
    /// The winning rate at the end.
    last: Mean,
    trajectories: Mean,
    /// Different positions visited in training.
    states: Mean,
    /// Value loss over visited states, and over search states.
    losses: [Mean; 2],
    /// Its last checkpoints against those of each other learner, in points for each game.
    head_to_head: BTreeMap<String, Mean>,
    /// The same against the first learner in the paper.
    paper: Option<f64>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report<'a> {
    source: &'a str,
    title: &'a str,
    made_by: String,
    size: &'a Size,
    lines: &'a [Line],
    claims: &'a [Verdict],
}

/// Trains what is missing, lets the last checkpoints meet, and writes the report.
pub fn run(place: &Workplace, name: &str) -> Result<()> {
    let path = place.paper.join(format!("{name}.toml"));
    let experiment = Experiment::load(&path).with_context(|| path.display().to_string())?;
    let size = place.size(&experiment.scale).with_context(|| path.display().to_string())?;
    let recipes: Vec<_> = experiment
        .learners
        .iter()
        .map(|learner| experiment.recipe_of(place, size, learner, 1))
        .collect::<Result<_>>()?;
    let first = &recipes[0];
    ensure!(recipes.iter().all(|recipe| recipe.game == first.game), "{}: learners of several games", path.display());
    let (game, options) = match first.game {
        ZeroGameName::TicTacToe => ("tic-tac-toe", GameOptions { size: None, komi: None }),
        ZeroGameName::ConnectFour => ("connect-four", GameOptions { size: None, komi: None }),
        ZeroGameName::Go => ("go", GameOptions { size: Some(first.board_size), komi: Some(first.komi.points()) }),
    };
    let trained = match first.game {
        ZeroGameName::TicTacToe => learn::<TicTacToe>(place, &experiment, size)?,
        ZeroGameName::ConnectFour => learn::<ConnectFour>(place, &experiment, size)?,
        ZeroGameName::Go => learn::<Go>(place, &experiment, size)?,
    };
    let mut runs = Vec::new();
    for (run, states) in trained {
        let learner = experiment.learners.iter().position(|learner| learner.name == run.series);
        let learner = learner.context("a run has its learner's name")?;
        let folder = run_folder(place, game, &run.series, run.seed);
        let log = folder.join(LOG);
        let describe = || log.display().to_string();
        let milestones = read_log(&log).with_context(describe)?;
        let agent = agent_text(&recipes[learner].zero.self_play, &folder);
        runs.push(Run {
            learner,
            curve: curve(&milestones, &experiment.opponent, experiment.window, size.games.into())
                .with_context(describe)?,
            trajectories: trajectories(&folder)?,
            states,
            // The same wherever the runs are.
            agent: AgentSpec {
                name: format!("{}, run {}", run.series, run.seed),
                ..AgentSpec::parse(&agent)?.pinned()
            },
        });
    }
    let met = meet(place, name, GameSpec::parse(game, options)?, &runs, size)?;
    write(place, name, &experiment, size, &runs, &met)
}

/// Searches as the run's own measurements do.
fn agent_text(self_play: &ActorSettings, folder: &Path) -> String {
    let ActorSettings { iterations, puct: PuctSettings { exploration, first_play, solver, .. }, .. } = self_play;
    let first_play = match first_play {
        FirstPlay::Draw => String::new(),
        FirstPlay::Reduced(reduction) => format!("first-play={reduction},"),
    };
    format!(
        "puct:{},iterations={iterations},exploration={exploration},{first_play}solver={solver},reuse=false,resign=0",
        folder.display()
    )
}

/// The runs are those of all figures with this learner.
fn run_folder(place: &Workplace, game: &str, learner: &str, seed: u64) -> std::path::PathBuf {
    place.runs.join(format!("{game}-{}-{seed}", folder_name(learner)))
}

/// Trains all runs, and looks at what they have seen and know.
fn learn<G: ZeroGame>(place: &Workplace, experiment: &Experiment, size: &Size) -> Result<Vec<(TrainedRun, States)>> {
    let mut jobs = Vec::new();
    for seed in 1..=size.seeds {
        for learner in &experiment.learners {
            let recipe = experiment.recipe_of(place, size, learner, seed)?;
            let folder = run_folder(place, G::NAME, &learner.name, seed);
            jobs.push((learner.name.clone(), seed, ZeroLesson::<G>::new(recipe), folder));
        }
    }
    place.note(&format!("Training {} runs of {} steps", jobs.len(), size.steps));
    train_and_look(place, &jobs, |run, lesson, folder| {
        states::of_run::<G>(place, run, lesson.recipe(), folder, size.loss_games)
    })
}

/// What the last checkpoints of a learner score against those of another, for each game: by the numbers of both.
type Meetings = BTreeMap<[usize; 2], Mean>;

/// Lets all last checkpoints meet. Both learners' runs are in the interval of a score.
fn meet(place: &Workplace, name: &str, game: GameSpec, runs: &[Run], size: &Size) -> Result<Meetings> {
    let mut met = Meetings::new();
    if runs.iter().all(|run| run.learner == 0) {
        return Ok(met);
    }
    place.note("The last checkpoints meet");
    let settings = TournamentSettings {
        format: Format::RoundRobin,
        games: size.meeting_games,
        opening_moves: size.meeting_opening,
        time: TimeControl::None,
        referee: String::new(),
        ..TournamentSettings::default()
    };
    let agents = runs.iter().map(|run| run.agent.clone()).collect();
    let Size { seeds, steps, meeting_games, meeting_opening, .. } = size;
    let log = place.runs.join(name).join(format!("meeting-{seeds}x{steps}-{meeting_games}x{meeting_opening}.jsonl"));
    let played = place.play(Games::new(game, agents, settings, log), None)?;
    // Points and games of each run against each other.
    let mut scores: BTreeMap<[usize; 2], (f64, f64)> = BTreeMap::new();
    for game in &played.games {
        let first_scores = f64::from(game.result.outcome.first_player_score());
        let [one, other] = game.agents;
        for (pair, score) in [([one, other], first_scores), ([other, one], 1.0 - first_scores)] {
            let (points, games) = scores.entry(pair).or_default();
            (*points, *games) = (*points + score, *games + 1.0);
        }
    }
    let learners = runs.iter().map(|run| run.learner).collect::<BTreeSet<_>>();
    let of = |learner| (0..runs.len()).filter(move |&run| runs[run].learner == learner);
    let rate = |me, opponent| scores.get(&[me, opponent]).map(|(points, games)| points / games);
    // Runs of one learner do not meet themselves, so that theirs would be no table.
    for (&one, &other) in learners.iter().flat_map(|one| learners.iter().map(move |other| (one, other))) {
        if one != other {
            let row = |me| of(other).map(|them| rate(me, them)).collect::<Option<Vec<f64>>>();
            if let Some(table) = of(one).map(row).collect::<Option<Vec<_>>>() {
                met.insert([one, other], Mean::of_table(&table));
            }
        }
    }
    Ok(met)
}

/// How many runs of a learner diverged, and how many there are.
fn diverged(experiment: &Experiment, runs: &[Run], learner: &str, steps: u64) -> (usize, usize) {
    let own = || runs.iter().filter(|run| experiment.learners[run.learner].name == learner);
    (own().filter(|run| run.diverged(steps)).count(), own().count())
}

fn verdicts(experiment: &Experiment, runs: &[Run], steps: u64) -> Vec<Verdict> {
    let of = |name: &str, measure: Measure| {
        let value = |run: &Run| match measure {
            Measure::Area => run.area(),
            Measure::Trajectories => run.trajectories,
            Measure::States => run.states.unique.iter().sum::<u64>() as f64,
            Measure::VisitedLoss => run.states.loss.visited,
            Measure::SearchedLoss => run.states.loss.searched,
        };
        let chosen = runs.iter().filter(|run| experiment.learners[run.learner].name == name);
        Mean::of(&chosen.map(value).collect::<Vec<f64>>())
    };
    let verdict = |claim: &Claim| {
        let Claim { more, than, measure, times } = claim;
        let (unit, what) = match measure {
            Measure::Area => (100.0, "a larger area under its curve"),
            Measure::Trajectories => (1.0, "more trajectories for a step"),
            Measure::States => (1.0, "more unique states"),
            Measure::VisitedLoss => (1.0, "a larger value loss over visited states"),
            Measure::SearchedLoss => (1.0, "a larger value loss over search states"),
        };
        let by = if *times == 1.0 { String::new() } else { format!(", {times} times as much") };
        let claim = format!("{more} has {what} than {than}{by}");
        // Those that are left say nothing of those that diverged.
        for name in [more, than] {
            if let (broke_off @ 1.., all) = diverged(experiment, runs, name, steps) {
                let measured = format!("{broke_off} of {all} runs of {name} diverged");
                return Verdict { claim, measured, verdict: UNDECIDED };
            }
        }
        let digits = if matches!(measure, Measure::VisitedLoss | Measure::SearchedLoss) { 3 } else { 1 };
        let (one, other) = (of(more, *measure), of(than, *measure));
        let difference = unit * (one.mean - times * other.mean);
        let (measured, verdict) = match (one.margin, other.margin) {
            (Some(a), Some(b)) => {
                let margin = unit * (a * a + times * times * b * b).sqrt();
                let verdict = at_least(difference - margin, difference + margin, 0.0);
                (format!("{difference:+.digits$} ± {margin:.digits$}"), verdict)
            }
            _ => (format!("{difference:+.digits$}, one run"), UNDECIDED),
        };
        Verdict { claim, measured, verdict }
    };
    experiment.claims.iter().map(verdict).collect()
}

/// The mean of a curve of each learner's runs.
fn drawing(
    experiment: &Experiment,
    runs: &[Run],
    [x_label, y_label]: [String; 2],
    of: impl Fn(&Run) -> Vec<(f64, f64)>,
) -> Curve {
    let series = experiment.learners.iter().enumerate().map(|(number, learner)| {
        let own: Vec<_> = runs.iter().filter(|run| run.learner == number).map(&of).collect();
        let shortest = own.iter().map(Vec::len).min().unwrap_or(0);
        let points = (0..shortest).map(|at| {
            let Mean { mean, margin } = Mean::of(&own.iter().map(|points| points[at].1).collect::<Vec<f64>>());
            CurvePoint::around(own[0][at].0, mean, margin.unwrap_or(0.0))
        });
        Series { name: learner.name.clone(), points: points.collect() }
    });
    Curve {
        title: experiment.title.clone(),
        x_label,
        y_label,
        log_x: false,
        series: series.collect(),
        references: Vec::new(),
    }
}

fn write(
    place: &Workplace,
    name: &str,
    experiment: &Experiment,
    size: &Size,
    runs: &[Run],
    met: &Meetings,
) -> Result<()> {
    let lines: Vec<Line> = experiment
        .learners
        .iter()
        .enumerate()
        .map(|(number, learner)| {
            let mean = |value: &dyn Fn(&Run) -> f64| {
                Mean::of(&runs.iter().filter(|run| run.learner == number).map(value).collect::<Vec<f64>>())
            };
            Line {
                learner: learner.name.clone(),
                diverged: diverged(experiment, runs, &learner.name, size.steps).0,
                area: mean(&Run::area),
                last: mean(&|run| run.curve.last().map_or(0.0, |point| point.1)),
                trajectories: mean(&|run| run.trajectories),
                states: mean(&|run| run.states.unique.iter().sum::<u64>() as f64),
                losses: [mean(&|run| run.states.loss.visited), mean(&|run| run.states.loss.searched)],
                head_to_head: experiment
                    .learners
                    .iter()
                    .enumerate()
                    .filter(|&(other, _)| other != number)
                    .filter_map(|(other, entry)| Some((entry.name.clone(), *met.get(&[number, other])?)))
                    .collect(),
                paper: learner.paper,
            }
        })
        .collect();
    let first = experiment.learners[0].name.as_str();
    let against = format!("against {first}");
    let mut table = output::Table::new(["learner", "area", "at the end", "trajectories a step", &against, "paper"]);
    let share = |mean: &Mean| mean.scaled(100.0).text(1) + " %";
    for line in &lines {
        table.row([
            line.learner.clone(),
            share(&line.area),
            share(&line.last),
            line.trajectories.text(1),
            line.head_to_head.get(first).map_or(String::new(), share),
            line.paper.map_or(String::new(), |rate| format!("{:.1} %", 100.0 * rate)),
        ]);
    }
    let mut seen =
        output::Table::new(["learner", "unique states", "value loss, visited", "paper", "searched", "paper"]);
    for (line, entry) in lines.iter().zip(&experiment.learners) {
        let paper = |at: usize| entry.paper_losses.map_or(String::new(), |losses| format!("{:.3}", losses[at]));
        let [visited, searched] = line.losses.map(|loss| loss.text(3));
        seen.row([line.learner.clone(), line.states.text(0), visited, paper(0), searched, paper(1)]);
    }
    let names = experiment.learners.iter().map(|learner| learner.name.as_str());
    let mut meetings = output::Table::new(std::iter::once("points against").chain(names.clone()));
    for line in &lines {
        let score = |other: &str| line.head_to_head.get(other).map_or("–".to_string(), share);
        meetings.row(std::iter::once(line.learner.clone()).chain(names.clone().map(score)));
    }
    let claims = verdicts(experiment, runs, size.steps);
    let made_by = format!(
        "{}; {} runs of each learner, {} learning steps, {} games every {} steps",
        place.made_by(name),
        size.seeds,
        size.steps,
        size.games,
        size.every,
    );
    let mut text = Vec::new();
    for table in [&table, &meetings, &seen, &verdict::table(&claims)] {
        table.write(&mut text)?;
        text.push(b'\n');
    }
    let broke_off: String = lines
        .iter()
        .filter(|line| line.diverged > 0)
        .map(|line| {
            let Line { learner, diverged, .. } = line;
            format!("{diverged} of {} runs of {learner} diverged, and their curves end there.\n", size.seeds)
        })
        .collect();
    let text = format!(
        "{}\n{}\nPoints against {}, means over runs with 95 % intervals; the area is the mean of the whole curve.\n{broke_off}\n{}{made_by}\n",
        experiment.source,
        experiment.title,
        experiment.opponent,
        String::from_utf8(text)?
    );
    let labels = ["Learning steps".to_string(), format!("Points against {}, %", experiment.opponent)];
    let rates = |run: &Run| run.curve.iter().map(|&(steps, rate)| (steps as f64, 100.0 * rate)).collect();
    let curves = drawing(experiment, runs, labels, rates);
    let labels = ["Moves from the beginning".to_string(), "Unique states visited".to_string()];
    let deepest = runs.iter().map(|run| run.states.unique.len()).max().unwrap_or(0);
    let seen_at = |run: &Run, depth: usize| run.states.unique.get(depth).map_or(0.0, |&states| states as f64);
    let depths = |run: &Run| (0..deepest).map(|depth| (depth as f64, seen_at(run, depth))).collect();
    let states = drawing(experiment, runs, labels, depths);
    for (name, drawing) in [(name.to_string(), curves), (format!("{name}-states"), states)] {
        place.write(&format!("{name}.csv"), &drawing.to_csv())?;
        place.write(&format!("{name}.svg"), &drawing.to_svg()?)?;
    }
    let report =
        Report { source: &experiment.source, title: &experiment.title, made_by, size, lines: &lines, claims: &claims };
    place.publish(name, &report, &text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::Score;
    use crate::watch::Against;
    use crate::zero_recipe::ZeroRecipe;

    fn milestone(games: u64, wins: u64, losses: u64) -> Milestone {
        let score = Score { first: [wins, 0, losses], second: [0, 0, 0] };
        let results = vec![Against { opponent: "solver-10x".to_string(), score }];
        Milestone { games, moves: 0.0, error: 0.0, first_player_score: 0.0, results, rating: None, elo: None }
    }

    #[test]
    fn a_point_is_the_mean_of_its_window() {
        let log = [milestone(10, 0, 10), milestone(20, 5, 5), milestone(30, 10, 0), milestone(40, 10, 0)];
        let found = curve(&log, "solver-10x", 20, 10).unwrap();
        assert_eq!(found, [(10, 0.0), (20, 0.25), (30, 0.75), (40, 1.0)]);
        assert!(curve(&log, "random", 20, 10).is_err());
        let other = curve(&log, "solver-10x", 20, 400).unwrap_err().to_string();
        assert!(other.contains("10 games") && other.contains("wants 400"), "{other}");
    }

    /// Of a learner some of whose runs broke off nothing is claimed: what is left of it is not what was compared.
    #[test]
    fn runs_that_diverged_decide_nothing() {
        let paper = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers/2023-go-exploit");
        let experiment = Experiment::load(&paper.join("fig1.toml")).unwrap();
        let run = |learner, curve: &[(u64, f64)]| Run {
            learner,
            curve: curve.to_vec(),
            trajectories: 1.0,
            states: States::default(),
            agent: AgentSpec::parse("random").unwrap(),
        };
        let (mut strong, weak) = (vec![(10, 0.8), (20, 0.9)], [(10, 0.1), (20, 0.2)]);
        let learners = 0..experiment.learners.len();
        let judged = |strong: &[(u64, f64)]| {
            let two = |learner| {
                let curve = if learner == 0 { &weak[..] } else { &[(10, 0.8), (20, 0.9)] };
                [run(learner, curve), run(learner, if learner == 1 { strong } else { curve })]
            };
            let runs: Vec<Run> = learners.clone().flat_map(two).collect();
            let name = &experiment.learners[1].name;
            let found = verdicts(&experiment, &runs, 20);
            found.into_iter().filter(|verdict| verdict.claim.contains(name)).collect::<Vec<_>>()
        };
        assert!(judged(&strong).iter().all(|verdict| !verdict.measured.contains("diverged")));
        strong.pop();
        let found = judged(&strong);
        assert!(!found.is_empty());
        for verdict in found {
            assert!(
                verdict.measured.starts_with("1 of 2 runs of") && verdict.verdict == UNDECIDED,
                "{}",
                verdict.measured
            );
        }
    }

    #[test]
    fn agents_of_meetings_search_as_their_runs() {
        let text = |self_play: &ActorSettings| agent_text(self_play, Path::new("runs/x"));
        let usual = ActorSettings { iterations: 100, ..ActorSettings::default() };
        assert_eq!(text(&usual), "puct:runs/x,iterations=100,exploration=1,solver=false,reuse=false,resign=0");
        let puct = PuctSettings { first_play: FirstPlay::Reduced(0.25), solver: true, ..PuctSettings::default() };
        let other = ActorSettings { puct, ..usual };
        assert!(text(&other).contains("first-play=0.25,solver=true"), "{}", text(&other));
        assert!(AgentSpec::parse(&text(&other)).is_ok());
    }

    #[test]
    fn the_committed_comparisons_are_complete() {
        let paper = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers/2023-go-exploit");
        for name in ["fig1", "fig2", "fig1-go"] {
            let experiment = Experiment::load(&paper.join(format!("{name}.toml"))).unwrap();
            assert!(experiment.scale.contains_key("quick") && experiment.scale.contains_key("full"), "{name}");
            for learner in &experiment.learners {
                let recipe = crate::recipe::read_file(&paper.join(&learner.recipe), ZeroRecipe::parse).unwrap();
                let solvers: Vec<String> = recipe.solvers.iter().map(|factor| format!("solver-{factor}x")).collect();
                assert!(solvers.contains(&experiment.opponent), "{name}: {solvers:?}");
            }
        }
    }
}
