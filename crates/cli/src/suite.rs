//! `afterstate suite`: an agent on positions with a right answer, of Go here, of chess in [`epd_suite`], which asks and reports as this
//! does.

use crate::agent::AgentSpec;
use crate::output::{self, Table};
use crate::progress::Progress;
use crate::registry::{self, PlayerFactory};
use crate::{agent::catalogue::did_you_mean, epd_suite, interrupt};
use afterstate_arena::suite::{self, Grade, Problem, Theme};
use afterstate_arena::{PlayerError, TimeControl};
use afterstate_engine::{Budget, Decision};
use afterstate_games::go::{Go, Move};
use afterstate_games::rng::mix;
use afterstate_games::{Game, Notation, Record};
use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Arguments of `suite`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  afterstate suite suites/go --agent runs/quick\n  \
    afterstate suite suites/go --agent alpha-beta:runs/quick,depth=4 --size 9 --json\n  \
    afterstate suite suites/go/semeai.toml --agent 'gtp:gnugo --mode gtp --chinese-rules' --time 10s\n  \
    afterstate suite wac.epd --agent tournament-search --time 1s\n\n\
    Go: 'right' solves a position. 'wrong' is a tempting mistake that the suite names, 'other' any other move;\n\
    both lose the game that the right move wins.\n\
    Chess: 'right' is one of the moves behind bm, and none of those behind am. Where neither stands, it is a mate\n\
    in as many moves as dm says, or fewer: a line that ends in it, or what another program says of it.")]
pub struct Args {
    /// Suites: TOML files (Go) or EPD files (chess), or folders of them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Who plays (see `afterstate agents`)
    #[arg(long, value_name = "SPEC")]
    pub agent: String,
    /// Simulations for each position (positions, for searches without simulations)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub simulations: Option<u64>,
    /// Time for each position, as in 10s or 500ms
    #[arg(long, value_name = "TIME", conflicts_with = "simulations", value_parser = duration)]
    pub time: Option<Duration>,
    /// Only positions with this theme; may be given again
    #[arg(long, value_name = "THEME", value_parser = theme)]
    pub theme: Vec<Theme>,
    /// Only positions on boards of this size
    #[arg(long, value_name = "N")]
    pub size: Option<usize>,
    /// Seed of the agent's random choices
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl Args {
    /// What the agent may take for each position.
    pub fn budget(&self) -> Budget {
        Budget { simulations: self.simulations, ..self.time.map_or_else(Budget::default, Budget::time) }
    }
}

fn duration(text: &str) -> Result<Duration> {
    match format!("{text}/move").parse::<TimeControl>() {
        Ok(TimeControl::PerMove(time)) if !time.is_zero() => Ok(time),
        _ => bail!("expected a time such as 10s or 500ms"),
    }
}

fn theme(text: &str) -> Result<Theme> {
    let names = Theme::ALL.map(Theme::name);
    Theme::ALL
        .into_iter()
        .find(|theme| theme.name() == text)
        .with_context(|| format!("expected {}{}", names.join(", "), did_you_mean(text, names.iter().copied())))
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report {
    agent: String,
    seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    simulations: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    solved: usize,
    total: usize,
    themes: Vec<ThemeScore>,
    positions: Vec<Answered>,
    /// Boards that the agent does not play on, each with the number of positions that were left out.
    left_out: Vec<LeftOut>,
}

#[derive(Serialize)]
struct ThemeScore {
    theme: Theme,
    solved: usize,
    total: usize,
}

#[derive(Serialize)]
struct LeftOut {
    size: usize,
    positions: usize,
    reason: String,
}

#[derive(Serialize)]
struct Answered {
    name: String,
    theme: Theme,
    size: usize,
    /// Absent when the agent resigned or failed.
    played: Option<String>,
    grade: Grade,
    right: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    why: String,
}

/// Asks the agent for a move in every position, and reports.
pub fn run(args: Args) -> Result<()> {
    let files = suites(&args.files)?;
    match files.iter().filter(|file| is_epd(file)).count() {
        0 => {}
        epd if epd == files.len() => return epd_suite::run(&args, &files),
        _ => bail!("expected suites of one game: EPD files are of chess, TOML files of Go"),
    }
    let mut problems = load(files)?;
    problems.retain(|problem| {
        (args.theme.is_empty() || args.theme.contains(&problem.theme))
            && args.size.is_none_or(|size| size == problem.position.size())
    });
    ensure!(!problems.is_empty(), "no position has this theme and size: leave --theme or --size out");
    let spec = AgentSpec::parse(&args.agent)?;
    let (factories, left_out) = factories(&spec, &problems)?;
    problems.retain(|problem| factories.contains_key(&problem.position.size()));

    let positions = ask_all(&problems, &args, |problem| {
        let (size, start) = (problem.position.size(), problem.position.clone());
        answered(problem, ask(&factories[&size], start, &problem.name, &args))
    })?;
    heed_failures(positions.iter().map(|answer| &answer.failure))?;
    for part in &left_out {
        crate::output::tell!("note: {} positions on {2}x{2} left out: {1}", part.positions, part.reason, part.size);
    }
    let report = Report {
        agent: spec.name,
        seed: args.seed,
        simulations: args.simulations,
        seconds: args.time.map(|time| time.as_secs_f64()),
        solved: positions.iter().filter(|answer| answer.grade == Grade::Right).count(),
        total: positions.len(),
        themes: by_theme(&positions),
        positions,
        left_out,
    };
    let mut out = output::stdout();
    if args.json { output::json(&mut out, &report) } else { write(&mut out, &report) }
}

fn is_epd(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("epd"))
}

/// The files, and those in the folders.
fn suites(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() { files.extend(suites_in(path)?) } else { files.push(path.clone()) }
    }
    Ok(files)
}

/// The positions of Go of all files.
fn load(files: Vec<PathBuf>) -> Result<Vec<Problem>> {
    let mut problems: Vec<Problem> = Vec::new();
    let mut names = BTreeMap::new();
    for file in files {
        for problem in suite::read(&file)? {
            if let Some(other) = names.insert(problem.name.clone(), file.clone()) {
                bail!("{}: position '{}' is in {} too", file.display(), problem.name, other.display());
            }
            problems.push(problem);
        }
    }
    Ok(problems)
}

fn suites_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    files.retain(|file| is_epd(file) || file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    ensure!(!files.is_empty(), "{}: expected a folder with .toml files or .epd files", folder.display());
    Ok(files)
}

/// Makers of players, by the size of the board.
type Factories = BTreeMap<usize, PlayerFactory<Go>>;

/// Who plays on each size; sizes that the agent does not know are left out, unless these are all.
fn factories(spec: &AgentSpec, problems: &[Problem]) -> Result<(Factories, Vec<LeftOut>)> {
    let sizes: BTreeSet<usize> = problems.iter().map(|problem| problem.position.size()).collect();
    let (mut factories, mut left_out, mut refusal) = (BTreeMap::new(), Vec::new(), None);
    for size in sizes {
        match registry::players(&Go::new(size), spec) {
            Ok(factory) => drop(factories.insert(size, factory)),
            Err(error) => {
                let positions = problems.iter().filter(|problem| problem.position.size() == size).count();
                left_out.push(LeftOut { size, positions, reason: format!("{error:#}") });
                refusal = Some(error);
            }
        }
    }
    match refusal {
        Some(error) if factories.is_empty() => Err(error),
        _ => Ok((factories, left_out)),
    }
}

/// Asks about every position until somebody interrupts.
pub fn ask_all<P, A>(problems: &[P], args: &Args, mut answer: impl FnMut(&P) -> A) -> Result<Vec<A>> {
    let interrupted = interrupt::flag()?;
    let progress = Progress::new(problems.len() as u64, 0, "positions", args.json);
    let mut answers = Vec::with_capacity(problems.len());
    for problem in problems {
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
        let answered = answer(problem);
        // What was thought of until then is no answer.
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
        answers.push(answered);
        progress.set(answers.len() as u64);
    }
    progress.finish();
    if answers.len() < problems.len() {
        crate::output::tell!("note: {} of {} positions were asked", answers.len(), problems.len());
    }
    Ok(answers)
}

/// Every position has a player of its own, and a seed by its name, so that no answer depends on which others are asked.
pub fn ask<G: Game>(
    factory: &PlayerFactory<G>,
    start: G,
    name: &str,
    args: &Args,
) -> Result<Decision<G::Move>, PlayerError> {
    let seed = name.bytes().fold(args.seed, |hash, byte| mix(hash ^ u64::from(byte)));
    let record = Record::new(start);
    let mut player = factory()?;
    player.new_game(&record, seed)?;
    let budget = Budget { stop: interrupt::flag().ok().cloned(), ..args.budget() };
    player.choose(&record, &budget)
}

/// An agent that cannot answer has not answered wrongly: where it never can, that is an error and no score.
pub fn heed_failures<'a>(answers: impl ExactSizeIterator<Item = &'a Option<String>>) -> Result<()> {
    let asked = answers.len();
    let failures: Vec<&String> = answers.flatten().collect();
    let Some(first) = failures.first() else { return Ok(()) };
    ensure!(failures.len() < asked, "the agent answered none of {asked} positions: {first}");
    crate::output::tell!(
        "note: the agent failed in {} of {asked} positions, which count as not solved: {first}",
        failures.len()
    );
    Ok(())
}

fn answered(problem: &Problem, answer: Result<Decision<Move>, PlayerError>) -> Answered {
    let text = |mv: &Move| problem.position.move_text(*mv);
    let (best, failure) = match answer {
        Ok(decision) => (decision.best, None),
        Err(error) => (None, Some(error.to_string())),
    };
    Answered {
        name: problem.name.clone(),
        theme: problem.theme,
        size: problem.position.size(),
        played: best.as_ref().map(text),
        grade: problem.grade(best),
        right: problem.right.iter().map(text).collect(),
        failure,
        why: problem.why.clone(),
    }
}

fn by_theme(positions: &[Answered]) -> Vec<ThemeScore> {
    let score = |theme: Theme| {
        let grades = || positions.iter().filter(move |answer| answer.theme == theme).map(|answer| answer.grade);
        ThemeScore { theme, solved: grades().filter(|grade| *grade == Grade::Right).count(), total: grades().count() }
    };
    Theme::ALL.map(score).into_iter().filter(|score| score.total > 0).collect()
}

fn write(out: &mut dyn Write, report: &Report) -> Result<()> {
    let mut table = Table::new(["position", "theme", "size", "played", "grade", "right"]);
    for answer in &report.positions {
        let grade = match answer.grade {
            Grade::Right => "right",
            Grade::Wrong => "wrong",
            Grade::Other => "other",
        };
        table.row([
            answer.name.clone(),
            answer.theme.to_string(),
            answer.size.to_string(),
            what_came(&answer.played, &answer.failure),
            grade.to_string(),
            answer.right.join(" "),
        ]);
    }
    table.write(out)?;
    let themes = report.themes.iter().map(|score| (score.theme.to_string(), [score.solved, score.total]));
    write_scores(out, "theme", themes, [report.solved, report.total])
}

/// The move, or why there is none.
pub fn what_came(played: &Option<String>, failure: &Option<String>) -> String {
    played.as_ref().or(failure.as_ref()).cloned().unwrap_or_else(|| "resign".to_string())
}

/// Of how many positions of each part how many were solved, and of all.
pub fn write_scores(
    out: &mut dyn Write,
    part: &str,
    scores: impl Iterator<Item = (String, [usize; 2])>,
    all: [usize; 2],
) -> Result<()> {
    writeln!(out)?;
    let mut table = Table::new([part, "solved", "of"]);
    for (name, [solved, total]) in scores.chain([("all".to_string(), all)]) {
        table.row([name, solved.to_string(), total.to_string()]);
    }
    table.write(out)?;
    Ok(out.flush()?)
}
