//! `afterstate suite` for chess: an agent on the positions of EPD files.

use crate::agent::AgentSpec;
use crate::output::{self, Table};
use crate::{registry, suite};
use afterstate_arena::PlayerError;
use afterstate_arena::epd_suite::{self, EpdProblem};
use afterstate_engine::Decision;
use afterstate_engine::value::centipawns::centipawns;
use afterstate_games::chess::Move;
use afterstate_games::{Chess, Notation, Record};
use anyhow::{Context, Result, ensure};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report {
    agent: String,
    seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    simulations: Option<u64>,
    /// Allowed for each position.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    solved: usize,
    total: usize,
    files: Vec<FileScore>,
    positions: Vec<Answered>,
    /// Positions that ask for nothing, and were left out.
    without_question: usize,
}

#[derive(Serialize)]
struct FileScore {
    file: String,
    solved: usize,
    total: usize,
}

#[derive(Serialize)]
struct Answered {
    name: String,
    file: String,
    position: String,
    /// What stands in the file: `bm Qg6`.
    question: String,
    /// Absent when the agent resigned or failed.
    played: Option<String>,
    solved: bool,
    /// In hundredths of a pawn, as the side to move sees it; absent where the agent gives no value, or is certain.
    #[serde(skip_serializing_if = "Option::is_none")]
    centipawns: Option<i32>,
    /// In moves, if the agent sees a mate; negative if the side to move is mated.
    #[serde(skip_serializing_if = "Option::is_none")]
    mate: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    /// Positions or simulations.
    effort: u64,
    /// Used.
    seconds: f64,
    line: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

/// Asks the agent for a move in every position of the files, and reports.
pub fn run(args: &suite::Args, files: &[PathBuf]) -> Result<()> {
    ensure!(args.theme.is_empty() && args.size.is_none(), "--theme and --size: expected a suite of Go, not EPD");
    let (mut problems, mut without_question) = (Vec::new(), 0);
    for file in files {
        let suite = epd_suite::read(file)?;
        without_question += suite.without_question;
        problems.extend(suite.problems.into_iter().map(|problem| (file.display().to_string(), problem)));
    }
    let spec = AgentSpec::parse(&args.agent)?;
    let factory = registry::players(&Chess::new(), &spec).with_context(|| format!("agent '{}'", spec.name))?;
    let positions = suite::ask_all(&problems, args, |(file, problem)| {
        let (begin, start) = (Instant::now(), problem.epd.position.clone());
        let answer = suite::ask(&factory, start, &problem.epd.position.position_text(), args);
        answered(file, problem, answer, begin.elapsed().as_secs_f64())
    })?;
    suite::heed_failures(positions.iter().map(|answer| &answer.failure))?;
    if without_question > 0 {
        crate::output::tell!("note: {without_question} positions without bm, am or dm left out");
    }
    let report = Report {
        agent: spec.name,
        seed: args.seed,
        simulations: args.simulations,
        seconds: args.time.map(|time| time.as_secs_f64()),
        solved: positions.iter().filter(|answer| answer.solved).count(),
        total: positions.len(),
        files: by_file(&positions),
        positions,
        without_question,
    };
    let mut out = output::stdout();
    if args.json { output::json(&mut out, &report) } else { write(&mut out, &report) }
}

fn answered(file: &str, problem: &EpdProblem, answer: Result<Decision<Move>, PlayerError>, seconds: f64) -> Answered {
    let position = &problem.epd.position;
    let (decision, failure) = match answer {
        Ok(decision) => (decision, None),
        Err(error) => (Decision::resign(), Some(error.to_string())),
    };
    let value = decision.value.map(|value| value.seen_by(position.side_to_move()));
    let uncertain = value.filter(|value| (f32::EPSILON..1.0).contains(value));
    let mate = decision.plies_to_end.zip(value.filter(|value| *value != 0.5));
    Answered {
        name: problem.name.clone(),
        file: file.to_string(),
        position: position.position_text(),
        question: problem.question(),
        played: decision.best.map(|mv| position.san(mv)),
        solved: problem.is_solved_by(&decision),
        centipawns: uncertain.map(|value| centipawns(value).round() as i32),
        mate: mate.map(|(plies, value)| if value > 0.5 { 1 } else { -1 } * i64::from(plies.div_ceil(2))),
        depth: decision.depth,
        effort: decision.effort,
        seconds,
        line: line(position, &decision.principal_variation),
        failure,
    }
}

/// A line as people write it, as far as it makes sense.
fn line(position: &Chess, moves: &[Move]) -> String {
    let mut record = Record::new(position.clone());
    let mut words = Vec::new();
    for &mv in moves {
        if !record.is_legal(mv) {
            break;
        }
        words.push(record.position().san(mv));
        record.play(mv);
    }
    words.join(" ")
}

fn by_file(positions: &[Answered]) -> Vec<FileScore> {
    let mut scores: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for answer in positions {
        let [solved, total] = scores.entry(&answer.file).or_default();
        (*solved, *total) = (*solved + usize::from(answer.solved), *total + 1);
    }
    let score = |(file, [solved, total]): (&str, [usize; 2])| FileScore { file: file.to_string(), solved, total };
    scores.into_iter().map(score).collect()
}

fn write(out: &mut dyn Write, report: &Report) -> Result<()> {
    let mut table = Table::new(["position", "asked for", "played", "grade", "score", "depth", "nodes", "seconds"]);
    for answer in &report.positions {
        table.row([
            answer.name.clone(),
            answer.question.clone(),
            suite::what_came(&answer.played, &answer.failure),
            if answer.solved { "right" } else { "wrong" }.to_string(),
            match (answer.mate, answer.centipawns) {
                (Some(moves), _) => format!("#{moves}"),
                (None, Some(cp)) => format!("{:+.2}", f64::from(cp) / 100.0),
                (None, None) => String::new(),
            },
            answer.depth.map_or_else(String::new, |depth| depth.to_string()),
            answer.effort.to_string(),
            format!("{:.2}", answer.seconds),
        ]);
    }
    table.write(out)?;
    let files = report.files.iter().map(|score| (score.file.clone(), [score.solved, score.total]));
    suite::write_scores(out, "file", files, [report.solved, report.total])
}
