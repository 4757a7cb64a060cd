//! `afterstate solve`: who wins positions of Connect Four with best play, and how often an agent's moves keep that.

use crate::agent::AgentSpec;
use crate::openings::OpeningArgs;
use crate::output::{self, Table};
use crate::progress::Progress;
use crate::registry;
use crate::{interrupt, recipe};
use afterstate_arena::rating::wilson;
use afterstate_engine::Budget;
use afterstate_engine::search::ConnectFourSolver;
use afterstate_games::connect_four::Column;
use afterstate_games::rng::{Rng, below};
use afterstate_games::{ConnectFour, Game, Notation, Outcome, Record, Side, Turn, stream};
use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Arguments of `solve`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  afterstate solve 44444252\n  afterstate solve ......./......./......./......./...O.../..XX...\n  \
    afterstate solve --suite suites/connect-four/values.txt --agent puct:runs/four,iterations=100\n  \
    afterstate solve --make 1000 --seed 1 > values.txt\n  \
    afterstate solve ......./......./......./......./......./....... --outcome --openings openings.c4o\n\n\
    A position is the columns that were played, 1 to 7, or six rows from the top. Early positions take long: the empty\n\
    board minutes, ten discs about a second. With an opening table it is quickly known who wins them, and what a suite of\n\
    early positions needs; its own making takes hours, and can be stopped and gone on with."
)]
pub struct Args {
    /// Positions to be solved
    #[arg(value_name = "POSITION", required_unless_present_any = ["suite", "make", "agent"])]
    positions: Vec<String>,
    /// Solved positions that an agent is asked about: a line for each, with the columns that keep its value behind it
    #[arg(long, value_name = "FILE", requires = "agent", conflicts_with = "positions")]
    suite: Option<PathBuf>,
    /// Who is asked (see `afterstate agents`)
    #[arg(long, value_name = "SPEC", requires = "suite", conflicts_with_all = ["positions", "make"])]
    agent: Option<String>,
    /// Make a suite of so many positions from games of random moves that neither miss nor allow a win at once
    #[arg(long, value_name = "N", conflicts_with_all = ["positions", "suite"], value_parser = clap::value_parser!(u64).range(1..))]
    make: Option<u64>,
    /// Discs of the positions that are made: the least and the most
    #[arg(long, default_value = "8-30", value_name = "N-M", value_parser = discs, conflicts_with_all = ["positions", "suite"])]
    discs: (u32, u32),
    /// Seed of the positions that are made, and of the agent's random choices
    #[arg(long, default_value_t = 1, conflicts_with = "positions")]
    seed: u64,
    /// Only who wins, not in how many moves: much quicker, above all with an opening table
    #[arg(long, conflicts_with_all = ["suite", "make"])]
    outcome: bool,
    /// Memory of the solver, in MiB
    #[arg(long, default_value_t = 128, conflicts_with = "suite", value_parser = clap::value_parser!(u64).range(1..=65536))]
    memory: u64,
    #[command(flatten)]
    openings: OpeningArgs,
    /// Print JSON
    #[arg(long, conflicts_with = "make")]
    json: bool,
}

/// `8-30`
fn discs(text: &str) -> Result<(u32, u32)> {
    let numbers = text.split_once('-').and_then(|(least, most)| Some((least.parse().ok()?, most.parse().ok()?)));
    match numbers {
        Some((least, most)) if least <= most && most <= 40 => Ok((least, most)),
        _ => bail!("expected two numbers up to 40, the smaller one first, as in 8-30"),
    }
}

/// Does what the arguments say.
pub fn run(args: Args) -> Result<()> {
    if let Some(count) = args.make {
        let solver = args.openings.solver(args.memory as usize, false)?;
        return make(count, args.discs, args.seed, solver);
    }
    match (&args.suite, &args.agent) {
        (Some(suite), Some(agent)) => measure(suite, agent, args.seed, args.json),
        _ => solve(&args),
    }
}

#[derive(Serialize)]
struct Solved {
    position: String,
    /// `X`, `O` or `draw`.
    result: &'static str,
    /// Moves to the end with best play, if somebody wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<u32>,
    /// The result after each legal move.
    moves: Vec<SolvedMove>,
}

#[derive(Serialize)]
struct SolvedMove {
    column: String,
    result: &'static str,
    /// Moves to the end behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<u32>,
}

fn result(winner: Option<Side>) -> &'static str {
    match winner {
        Some(Side::First) => "X",
        Some(Side::Second) => "O",
        None => "draw",
    }
}

/// Columns that were played, or rows.
fn read(text: &str) -> Result<ConnectFour> {
    if text.contains('/') {
        return Ok(ConnectFour::parse_position(text)?);
    }
    let mut game = ConnectFour::new();
    for (i, digit) in text.char_indices() {
        let mv = game.parse_move(&digit.to_string()).with_context(|| format!("position '{text}'"))?;
        let over = matches!(game.turn(), Turn::Over(_));
        ensure!(!over, "position '{text}': move {} is not legal: the game is over", i + 1);
        ensure!(game.is_legal(mv), "position '{text}': move {} is not legal: column {digit} is full", i + 1);
        game.play(mv);
    }
    Ok(game)
}

fn solve(args: &Args) -> Result<()> {
    let games = args.positions.iter().map(|text| read(text)).collect::<Result<Vec<_>>>()?;
    let mut solver = args.openings.solver(args.memory as usize, args.json)?;
    let mut out = output::stdout();
    let mut all = Vec::new();
    let count = games.len();
    // Only what is printed at the end would be lost if Ctrl-C ended the program at once, and a position may take hours.
    let interrupted = if args.json && count > 1 { Some(interrupt::flag()?) } else { None };
    for game in games {
        if interrupted.is_some_and(|interrupted| interrupted.load(Ordering::Relaxed)) {
            crate::output::tell!("note: {} of {count} positions were solved", all.len());
            break;
        }
        let mut ask = |game: &ConnectFour| {
            if args.outcome {
                return (solver.outcome(game).winner, None);
            }
            let score = solver.solve(game);
            (score.winner(), score.winner().and(score.plies_to_end()))
        };
        let progress = Progress::spinner("solving", args.json);
        let (winner, plies) = ask(&game);
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        let solved = |&mv: &Column| {
            let mut after = game;
            after.play(mv);
            let (winner, plies) = ask(&after);
            SolvedMove { column: game.move_text(mv), result: result(winner), plies }
        };
        let moves = moves.iter().map(solved).collect();
        drop(progress);
        let solved = Solved { position: game.position_text(), result: result(winner), plies, moves };
        if !args.json {
            write!(out, "{}", game.diagram())?;
            match (winner, solved.plies) {
                (None, _) => writeln!(out, "a draw\n")?,
                (_, None) => writeln!(out, "{} wins\n", solved.result)?,
                (_, Some(plies)) => writeln!(out, "{} wins in {plies} moves of both sides\n", solved.result)?,
            }
            let columns = if args.outcome { 2 } else { 3 };
            let mut table = Table::new(["column", "result", "moves"].into_iter().take(columns));
            for mv in &solved.moves {
                let plies = mv.plies.map_or_else(String::new, |plies| plies.to_string());
                table.row([mv.column.clone(), mv.result.to_string(), plies].into_iter().take(columns));
            }
            table.write(&mut out)?;
            out.flush()?;
        }
        all.push(solved);
    }
    if args.json { output::json(&mut out, &all) } else { Ok(()) }
}

/// A random game that neither misses nor allows a win at once, up to so many discs; `None` if it ends before.
fn sensible(discs: u32, rng: &mut Rng) -> Option<ConnectFour> {
    let (mut game, mut moves) = (ConnectFour::new(), Vec::new());
    for _ in 0..discs {
        game.legal_moves(&mut moves);
        let wins =
            |game: &ConnectFour, mv: Column| game.outcome_after(mv).is_some_and(|outcome| outcome.winner.is_some());
        if moves.iter().any(|&mv| wins(&game, mv)) {
            return None;
        }
        let safe = |&mv: &Column| {
            let (mut after, mut replies) = (game, Vec::new());
            after.play(mv);
            after.legal_moves(&mut replies);
            !replies.iter().any(|&reply| wins(&after, reply))
        };
        let sound: Vec<Column> = moves.iter().copied().filter(safe).collect();
        if sound.is_empty() {
            return None;
        }
        game.play(sound[below(rng, sound.len() as u32) as usize]);
    }
    matches!(game.turn(), Turn::Player(_)).then_some(game)
}

/// Prints a suite: positions in which some moves keep the value and others do not.
fn make(count: u64, (least, most): (u32, u32), seed: u64, mut solver: ConnectFourSolver) -> Result<()> {
    let interrupted = interrupt::flag()?;
    let progress = Progress::new(count, 0, "positions", false);
    let mut out = output::stdout();
    writeln!(out, "# Connect Four: positions, and the columns that keep what best play by both leads to.")?;
    writeln!(out, "# Made by 'afterstate solve --make {count} --discs {least}-{most} --seed {seed}'.")?;
    let (mut made, mut rng, mut outcomes) = (0, stream(seed, 0), Vec::new());
    while made < count && !interrupted.load(Ordering::Relaxed) {
        let discs = least + below(&mut rng, most - least + 1);
        let Some(game) = sensible(discs, &mut rng) else { continue };
        let Turn::Player(side) = game.turn() else { continue };
        solver.outcomes_of_moves(&game, &mut outcomes);
        let worth = |outcome: Outcome| outcome.points(side);
        let best = outcomes.iter().map(|(_, outcome)| worth(*outcome)).fold(f32::NEG_INFINITY, f32::max);
        let keeping: Vec<String> = outcomes
            .iter()
            .filter(|(_, outcome)| worth(*outcome) == best)
            .map(|(column, _)| game.move_text(*column))
            .collect();
        if keeping.len() == outcomes.len() {
            continue;
        }
        writeln!(out, "{} {}", game.position_text(), keeping.concat())?;
        made += 1;
        progress.set(made);
    }
    progress.finish();
    out.flush()?;
    if made < count {
        crate::output::tell!("note: stopped after {made} of {count} positions");
    }
    Ok(())
}

/// A position, and the moves that keep its value.
struct Problem {
    game: ConnectFour,
    keeping: Vec<Column>,
}

fn parse(text: &str) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let problem = || -> Result<Problem> {
            let (position, columns) = line.split_once(' ').context("expected a position and columns")?;
            let game = ConnectFour::parse_position(position)?;
            let column = |digit: char| Ok(game.parse_move(&digit.to_string())?);
            let keeping = columns.trim().chars().map(column).collect::<Result<Vec<Column>>>()?;
            ensure!(keeping.iter().all(|&mv| game.is_legal(mv)), "columns '{columns}': expected legal moves");
            ensure!(!keeping.is_empty(), "expected at least one column behind the position");
            Ok(Problem { game, keeping })
        };
        problems.push(problem().with_context(|| format!("line {}", number + 1))?);
    }
    if problems.is_empty() {
        bail!(
            "no position in it: expected lines such as 'POSITION 345', with the columns that keep the position's value"
        );
    }
    Ok(problems)
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Measured {
    agent: String,
    positions: usize,
    /// Whether these are all of the suite's.
    complete: bool,
    /// Moves that kept the value.
    kept: usize,
    /// Their share, with its 95 % interval.
    share: f64,
    low: f64,
    high: f64,
    /// What a random move keeps on average.
    by_chance: f64,
    by_discs: Vec<ByDiscs>,
}

#[derive(Serialize)]
struct ByDiscs {
    discs: String,
    positions: usize,
    kept: usize,
}

/// Asks an agent about every position of a suite.
fn measure(suite: &Path, agent: &str, seed: u64, json: bool) -> Result<()> {
    let problems = recipe::read_as("suite", suite, parse)?;
    let spec = AgentSpec::parse(agent)?;
    let mut player = registry::players(&ConnectFour::new(), &spec)?()?;
    let interrupted = interrupt::flag()?;
    let progress = Progress::new(problems.len() as u64, 0, "positions", json);
    let mut groups: Vec<ByDiscs> = Vec::new();
    let (mut asked, mut kept, mut by_chance) = (0, 0, 0.0);
    for Problem { game, keeping } in &problems {
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
        let record = Record::new(*game);
        player.new_game(&record, seed ^ asked as u64)?;
        let best = player.choose(&record, &Budget::default())?.best;
        let right = best.is_some_and(|mv| keeping.contains(&mv));
        let discs = [Side::First, Side::Second].map(|side| game.discs(side).count_ones()).iter().sum::<u32>();
        let first = discs / 5 * 5;
        let name = format!("{first} to {}", first + 4);
        let at = groups.iter().position(|group| group.discs == name).unwrap_or_else(|| {
            groups.push(ByDiscs { discs: name, positions: 0, kept: 0 });
            groups.len() - 1
        });
        groups[at].positions += 1;
        groups[at].kept += usize::from(right);
        asked += 1;
        kept += usize::from(right);
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        by_chance += keeping.len() as f64 / moves.len() as f64;
        progress.set(asked as u64);
    }
    progress.finish();
    ensure!(asked > 0, "stopped before the first position was asked about");
    if asked < problems.len() {
        crate::output::tell!("note: stopped after {asked} of {} positions", problems.len());
    }
    groups.sort_by_key(|group| group.discs.split(' ').next().and_then(|discs| discs.parse::<u32>().ok()));
    let share = wilson(kept as f64, asked as u64);
    let report = Measured {
        agent: spec.name,
        positions: asked,
        complete: asked == problems.len(),
        kept,
        share: kept as f64 / asked as f64,
        low: share.low,
        high: share.high,
        by_chance: by_chance / asked as f64,
        by_discs: groups,
    };
    let mut out = output::stdout();
    if json {
        return output::json(&mut out, &report);
    }
    let mut table = Table::new(["discs", "positions", "kept", "%"]);
    for group in &report.by_discs {
        let share = 100.0 * group.kept as f64 / group.positions as f64;
        table.row([group.discs.clone(), group.positions.to_string(), group.kept.to_string(), format!("{share:.1}")]);
    }
    table.write(&mut out)?;
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    writeln!(
        out,
        "{}: {} of {} moves keep the value: {} (95 % interval {} to {}; by chance {})",
        report.agent,
        report.kept,
        report.positions,
        percent(report.share),
        percent(report.low),
        percent(report.high),
        percent(report.by_chance)
    )?;
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_columns_or_rows() {
        let rows = "......./......./......./......./...O.../..OXX..";
        assert_eq!(read("4453").unwrap(), read(rows).unwrap());
        assert!(format!("{:#}", read("4484").unwrap_err()).contains("a column from 1 to 7"));
        assert!(format!("{:#}", read("4444444").unwrap_err()).contains("move 7 is not legal: column 4 is full"));
        assert!(format!("{:#}", read("44556672").unwrap_err()).contains("move 8 is not legal: the game is over"));
    }

    #[test]
    fn made_positions_have_moves_to_choose_between() {
        let mut rng = stream(5, 0);
        let games: Vec<ConnectFour> = (0..200).filter_map(|_| sensible(20, &mut rng)).collect();
        assert!(games.len() > 50);
        for game in games {
            assert_eq!(game.discs(Side::First).count_ones() + game.discs(Side::Second).count_ones(), 20);
        }
    }

    #[test]
    fn a_suite_names_its_mistakes() {
        let good = "# a comment\n......./......./......./......./......./XXX.OO. 4\n";
        assert_eq!(parse(good).unwrap().len(), 1);
        for (text, part) in [
            ("", "no position"),
            ("......./......./......./......./......./XXX.OO.", "line 1: expected a position and columns"),
            ("......./......./......./......./......./XXX.OO. 8", "line 1"),
            ("\nrubbish 4", "line 2"),
        ] {
            let message = format!("{:#}", parse(text).err().unwrap());
            assert!(message.contains(part), "{message}");
        }
    }
}
