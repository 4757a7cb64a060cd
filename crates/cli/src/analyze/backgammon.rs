//! A match of backgammon looked at again, play by play and double by double: what each lost, and how large both players' errors
//! are.

use super::Args;
use super::cube::{self, CubeReport};
use crate::agent::AgentSpec;
use crate::output::{self, Table};
use crate::progress::Progress;
use crate::{interrupt, registry};
use afterstate_arena::analysis::{
    CubeSummary, JudgedCube, JudgedPlay, PlaySummary, judge_cube, summarise_cube, summarise_plays,
};
use afterstate_engine::cube::MatchEquityTable;
use afterstate_engine::cube::match_equity::MOST_POINTS;
use afterstate_games::backgammon::cube::Terms;
use afterstate_games::backgammon::ids::PositionId;
use afterstate_games::backgammon::mat::{Action, LONGEST_TEXT, MatGame, MatMatch};
use afterstate_games::backgammon::{Dice, Phase};
use afterstate_games::{Notation, Side};
use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::atomic::Ordering;

/// What a blunder loses at least if nothing else is said: what GNU Backgammon calls a bad play.
const BLUNDER: f64 = 0.08;

/// The whole analysis.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report {
    file: String,
    agent: String,
    /// In points.
    threshold: f64,
    /// Points that win the match; 0 for money play.
    length: u32,
    games: usize,
    complete: bool,
    players: Vec<PlayerReport>,
    plays: Vec<PlayReport>,
    /// Whether there was no cube.
    cubeless: bool,
    /// Doubles, takes, passes, and rolls where a double was near.
    cube: Vec<CubeReport>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct PlayerReport {
    name: String,
    #[serde(flatten)]
    summary: PlaySummary,
    cube: CubeSummary,
}

/// What is thought of a game.
struct JudgedGame {
    plays: Vec<JudgedPlay>,
    cube: Vec<JudgedCube>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct PlayReport {
    game: usize,
    number: usize,
    player: String,
    position_id: String,
    dice: String,
    played: String,
    best: String,
    /// In points, of the play that was made.
    equity: f32,
    loss: f32,
    forced: bool,
    blunder: bool,
}

/// Reads the match, searches, and reports.
pub fn run(args: &Args) -> Result<()> {
    let of_go = [
        ("--simulations", args.simulations.is_some()),
        ("--threads", args.threads.is_some()),
        ("--from", args.from != 1),
        ("--to", args.to.is_some()),
        ("--output", args.output.is_some()),
        ("--svg", args.svg.is_some()),
        ("--seed", args.seed != 1),
    ];
    for (name, given) in of_go {
        ensure!(!given, "{name} is for games of Go: leave it out for a .mat file");
    }
    let threshold = args.threshold.unwrap_or(BLUNDER);
    ensure!(threshold > 0.0 && threshold <= 6.0, "--threshold {threshold}: expected more than 0 and at most 6 points");
    let agent = args.agent.as_deref().context(
        "who should look at it? Add --agent, such as --agent expectimax:papers/1999-tdleaf/runs/backgammon/strong,plies=2",
    )?;
    let mut read = read(&args.game)?;
    // Who has the other's name is told apart by the column.
    for game in &mut read.games {
        if game.players[0] == game.players[1] {
            game.players.iter_mut().zip([" (left)", " (right)"]).for_each(|(name, column)| *name += column);
        }
    }
    if args.no_cube {
        let turned = |game: &MatGame| game.actions.iter().any(|(_, action)| matches!(action, Action::Double(_)));
        if let Some(game) = read.games.iter().position(turned) {
            bail!("--no-cube: somebody doubles in game {}: leave it out", game + 1);
        }
        read.cubeless = true;
    }
    let read = read;
    let spec = AgentSpec::parse(agent)?.pinned();
    let mut judge = registry::judge(&spec.agent).with_context(|| format!("agent '{}'", spec.name))?;
    let mut chances = registry::chances(&spec.agent).with_context(|| format!("agent '{}'", spec.name))?;
    let terms = terms(&read, args)?;
    let table = MatchEquityTable::new(read.length.max(1));

    let interrupted = interrupt::flag()?;
    let all: u64 = read.games.iter().map(|game| game.plays().count() as u64).sum();
    ensure!(all > 0, "{}: expected games with plays, but there are none", args.game.display());
    let progress = Progress::new(all, 0, "plays", args.json);
    let mut done = 0;
    let mut judged: Vec<JudgedGame> = Vec::new();
    for (game, &terms) in read.games.iter().zip(&terms) {
        let plays = judge(game, &mut || {
            progress.set(done);
            done += 1;
            !interrupted.load(Ordering::Relaxed)
        });
        let mut goes_on = || !interrupted.load(Ordering::Relaxed);
        let cube = if read.cubeless { Vec::new() } else { judge_cube(game, terms, &table, &mut chances, &mut goes_on) };
        judged.push(JudgedGame { plays, cube });
    }
    progress.finish();
    let seen: usize = judged.iter().map(|game| game.plays.len()).sum();
    let complete = seen as u64 == all && !interrupted.load(Ordering::Relaxed);
    let report = report(args, &read, spec.name, threshold, &judged, complete);
    if !report.complete {
        crate::output::tell!("note: {} of {all} plays were analysed", report.plays.len());
    }
    let mut out = output::stdout();
    if args.json { output::json(&mut out, &report) } else { write(&report, &mut out) }
}

fn read(path: &Path) -> Result<MatMatch> {
    let name = || path.display().to_string();
    let mut bytes = Vec::new();
    File::open(path).with_context(name)?.take(LONGEST_TEXT as u64 + 1).read_to_end(&mut bytes).with_context(name)?;
    ensure!(bytes.len() <= LONGEST_TEXT, "{}: more than 16 MiB, expected a match", name());
    MatMatch::read(&String::from_utf8_lossy(&bytes)).with_context(name)
}

/// What each game was played for.
fn terms(read: &MatMatch, args: &Args) -> Result<Vec<Terms>> {
    let name = args.game.display();
    ensure!(read.length <= MOST_POINTS, "{name}: a match to {} points, expected at most {MOST_POINTS}", read.length);
    ensure!(read.length == 0 || !args.jacoby, "--jacoby is a rule of money play, and {name} is a match: leave it out");
    let of_game = |game: usize| {
        let terms = read.terms(game).with_context(|| {
            format!(
                "{name}: game {} begins with the match won already, by {:?} points",
                game + 1,
                read.games[game].score
            )
        })?;
        Ok(match terms {
            Terms::Money { jacoby, beavers } => Terms::Money { jacoby: jacoby || args.jacoby, beavers },
            score => score,
        })
    };
    (0..read.games.len()).map(of_game).collect()
}

fn report(
    args: &Args,
    read: &MatMatch,
    agent: String,
    threshold: f64,
    judged: &[JudgedGame],
    complete: bool,
) -> Report {
    let mut names: Vec<String> = Vec::new();
    for name in read.games.iter().flat_map(|game| &game.players) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let player = |game: usize, side: Side| read.games[game].players[side.index()].clone();
    let all_plays = || judged.iter().enumerate().flat_map(|(game, of)| of.plays.iter().map(move |play| (game, play)));
    let all_cubes = || judged.iter().enumerate().flat_map(|(game, of)| of.cube.iter().map(move |cube| (game, cube)));
    let players = names.iter().map(|name| {
        // Seen as one side, whichever column the player was in.
        let own = all_plays().filter(|&(game, play)| player(game, play.side) == *name);
        let own: Vec<JudgedPlay> = own.map(|(_, play)| JudgedPlay { side: Side::First, ..*play }).collect();
        let cubes = all_cubes().filter(|&(game, cube)| player(game, cube.side) == *name);
        let cubes: Vec<JudgedCube> = cubes.map(|(_, cube)| JudgedCube { side: Side::First, ..*cube }).collect();
        PlayerReport {
            name: name.clone(),
            summary: summarise_plays(&own, Side::First, threshold as f32),
            cube: summarise_cube(&cubes, Side::First, threshold),
        }
    });
    let players = players.collect();
    let plays: Vec<PlayReport> = all_plays()
        .map(|(game, play)| PlayReport {
            game: game + 1,
            number: play.number,
            player: player(game, play.side),
            position_id: PositionId::of(play.position.board(), play.side).to_string(),
            dice: match play.position.phase() {
                Phase::ToPlay(_, dice) => dice_text(dice),
                _ => String::new(),
            },
            played: play.position.move_text(play.played),
            best: play.position.move_text(play.best),
            equity: play.equity,
            loss: play.loss,
            forced: play.forced,
            blunder: play.loss >= threshold as f32,
        })
        .collect();
    let cube = all_cubes()
        .filter(|(_, cube)| cube::worth_telling(cube))
        .map(|(game, cube)| CubeReport::new(game + 1, player(game, cube.side), cube, threshold))
        .collect();
    Report {
        file: args.game.display().to_string(),
        agent,
        threshold,
        length: read.length,
        cubeless: read.cubeless,
        games: read.games.len(),
        complete,
        players,
        plays,
        cube,
    }
}

fn dice_text(dice: Dice) -> String {
    let (high, low) = dice.numbers();
    format!("{high}{low}")
}

fn write(report: &Report, out: &mut impl Write) -> Result<()> {
    let mut kind = if report.length == 0 { "money play".to_string() } else { format!("match to {}", report.length) };
    if report.cubeless {
        kind += " without a cube";
    }
    writeln!(out, "{}: {kind}, {} games\n{}\n", report.file, report.games, report.agent)?;
    let blunders: Vec<&PlayReport> = report.plays.iter().filter(|play| play.blunder).collect();
    if blunders.is_empty() {
        writeln!(out, "No play lost {} points or more.", report.threshold)?;
    } else {
        let mut table = Table::new(["game", "play", "player", "position", "dice", "played", "best", "lost"]);
        for play in blunders {
            table.row([
                play.game.to_string(),
                play.number.to_string(),
                play.player.clone(),
                play.position_id.clone(),
                play.dice.clone(),
                play.played.clone(),
                play.best.clone(),
                format!("{:.3}", play.loss),
            ]);
        }
        table.write(out)?;
    }
    if !report.cubeless {
        cube::write(&report.cube, report.threshold, out)?;
    }
    writeln!(out)?;
    let mut table = Table::new(["player", "plays", "unforced", "lost", "error rate", "blunders"]);
    for PlayerReport { name, summary, .. } in &report.players {
        table.row([
            name.clone(),
            summary.plays.to_string(),
            summary.unforced.to_string(),
            format!("{:.3}", summary.loss),
            format!("{:.1}", summary.error_rate),
            summary.blunders.to_string(),
        ]);
    }
    table.write(out)?;
    if report.cubeless {
        return Ok(out.flush()?);
    }
    writeln!(out)?;
    let mut table =
        Table::new(["player", "cube decisions", "doubles", "takes", "passes", "lost", "error rate", "blunders"]);
    for PlayerReport { name, cube, .. } in &report.players {
        table.row([
            name.clone(),
            cube.decisions.to_string(),
            cube.doubles.to_string(),
            cube.takes.to_string(),
            cube.passes.to_string(),
            format!("{:.3}", cube.loss),
            format!("{:.1}", cube.error_rate),
            cube.blunders.to_string(),
        ]);
    }
    table.write(out)?;
    Ok(out.flush()?)
}
