//! `afterstate evaluate`: what a position of backgammon is worth, what to do with the cube, and which plays of its roll are best.

mod cube;
mod position;

use crate::agent::AgentSpec;
use crate::output::{self, Table};
use crate::progress::Progress;
use crate::registry::{self, Evaluated, evaluate, rolled_out};
use afterstate_engine::cube::Chances;
use afterstate_engine::search::rollout::{RolloutResult, RolloutSettings};
use afterstate_games::backgammon::ids::PositionId;
use afterstate_games::backgammon::xgid::Xgid;
use afterstate_games::backgammon::{Backgammon, Phase};
use afterstate_games::{Game, Notation, Side};
use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

/// Arguments of `evaluate`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    afterstate evaluate XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10 --agent expectimax:runs/gammon\n  \
    afterstate evaluate 4HPwATDgc/ABMA --dice 42 --agent greedy:runs/gammon --plays 5\n  \
    afterstate evaluate 4HPwATDgc/ABMA --agent expectimax:runs/gammon,plies=3 --json\n  \
    afterstate evaluate 4HPwATDgc/ABMA --dice 42 --agent greedy:runs/gammon --plays 3 --rollout 1296 --threads 2\n  \
    afterstate evaluate XGID=-b----E-C---eE---c-e----B-:1:1:1:00:2:3:0:7:10 --agent expectimax:runs/gammon,plies=2\n\n\
    A position is an XGID, GNU Backgammon's position ID (X is to move), perhaps with ':' and its match ID, or a FIBS board. Without a roll the position\n\
    is valued, with the cube as XGID or match ID have it (in the middle and for money if they don't), and the decisions to double\n\
    and to take are shown: in units of the cube, by Janowski's model and a computed match equity table. All else is cubeless.")]
pub struct Args {
    /// The position
    #[arg(allow_hyphen_values = true)]
    position: String,
    /// Who values it: greedy or expectimax with a checkpoint (see `afterstate agents`)
    #[arg(long, value_name = "SPEC")]
    agent: String,
    /// The roll, instead of what the position says
    #[arg(long, value_name = "DICE")]
    dice: Option<String>,
    /// Play the position, or each play that is shown, to its end so many times; luck is taken out. The players look as far
    /// ahead as the agent does
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u32).range(2..=10_000_000))]
    rollout: Option<u32>,
    /// With --rollout: value games after so many plays instead of playing on
    #[arg(long, value_name = "PLAYS", requires = "rollout", value_parser = clap::value_parser!(u32).range(1..))]
    truncate: Option<u32>,
    /// With --rollout: the seed of the dice
    #[arg(long, default_value_t = 1, requires = "rollout")]
    seed: u64,
    /// With --rollout: threads
    #[arg(long, default_value_t = 1, requires = "rollout", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// The cube's efficiency, from 0 (dead) to 1 (live) [default: 0.68, in a race 0.60 to 0.70 by its length, 0 before the last
    /// roll]
    #[arg(long, value_name = "X")]
    efficiency: Option<f64>,
    /// How many plays are shown
    #[arg(long, default_value_t = 10, value_name = "N")]
    plays: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One play.
#[derive(Serialize)]
struct PlayLine {
    play: String,
    /// In points, for the side that plays.
    equity: f32,
    /// Less than the best play's.
    difference: f32,
    plies: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    rollout: Option<RolloutResult>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report {
    position: String,
    position_id: String,
    /// `X` or `O`.
    to_move: char,
    /// Before the roll, for the side to move: equity in points, and the chances to win, to win a gammon or more, to win a
    /// backgammon, to lose a gammon or more, and to lose a backgammon.
    equity: f32,
    chances: [f32; 5],
    /// The same equity by rollouts.
    #[serde(skip_serializing_if = "Option::is_none")]
    rollout: Option<RolloutResult>,
    /// What to do with the cube, before the roll.
    #[serde(skip_serializing_if = "Option::is_none")]
    cube: Option<cube::CubeReport>,
    /// The best plays of the roll, if there is one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    plays: Vec<PlayLine>,
    /// All plays that there are.
    legal_plays: usize,
}

/// Prints the report.
pub fn run(args: Args) -> Result<()> {
    let Xgid { game, situation, doubled } = position::read(&args.position, args.dice.as_deref())?;
    if let Some(x) = args.efficiency {
        ensure!((0.0..=1.0).contains(&x), "--efficiency {x}: expected 0 to 1");
    }
    let side = match game.phase() {
        Phase::ToPlay(..) if args.efficiency.is_some() => {
            bail!("--efficiency: it is the cube's, which is asked before the roll; leave it out, or the dice")
        }
        Phase::ToRoll(side) | Phase::ToPlay(side, _) => side,
        Phase::Opening => bail!("position '{}': nobody has thrown yet; add --dice", args.position),
        Phase::Over(_) => {
            bail!(
                "position '{}': the game is over: expected one in which somebody is to roll or to play",
                args.position
            )
        }
    };
    ensure!(
        !doubled || situation.is_double_legal(side),
        "position '{}': a double was offered by who may not double there; beavers are not evaluated",
        args.position
    );
    let spec = AgentSpec::parse(&args.agent)?;
    let table = cube::table(&situation)?;
    let of = || format!("agent '{}'", spec.name);
    let searching = Progress::spinner("looking ahead", args.json);
    let Evaluated { equity, plays } = evaluate(&spec.agent, &game, side).with_context(of)?;
    // Chances of the same plies as the equity.
    let found = registry::chances(&spec.agent).with_context(of)?(game.board(), side);
    drop(searching);
    let Chances { win, gammon, backgammon, lost_gammon, lost_backgammon } = found;
    let chances = [win, gammon, backgammon, lost_gammon, lost_backgammon].map(|chance| chance as f32);
    let best = plays.first().map_or(0.0, |play| play.equity);
    ensure!(
        args.plays > 0 || args.rollout.is_none() || plays.is_empty(),
        "--plays 0 --rollout: no play is shown to be rolled out"
    );
    let settings = args.rollout.map(|trials| RolloutSettings {
        trials,
        truncate: args.truncate.unwrap_or(0),
        seed: args.seed,
        threads: args.threads as usize,
        ..RolloutSettings::default()
    });
    let shown = plays.len().min(args.plays);
    let positions = if plays.is_empty() { 1 } else { shown };
    let games = positions as u64 * settings.map_or(0, |settings| u64::from(settings.trials));
    let (progress, done) = (Progress::new(games, 0, "games", args.json), AtomicU64::new(0));
    let finished = || progress.set(done.fetch_add(1, Ordering::Relaxed) + 1);
    let roll_out = |game: &Backgammon| {
        settings.map(|settings| rolled_out(&spec.agent, game, side, settings, &finished)).transpose()
    };
    let mut lines = Vec::new();
    for play in &plays[..shown] {
        let mut after = game;
        after.play(play.mv);
        let rollout = roll_out(&after)?;
        lines.push(PlayLine {
            play: game.move_text(play.mv),
            equity: play.equity,
            difference: best - play.equity,
            plies: play.plies,
            rollout,
        });
    }
    let rollout = if plays.is_empty() { roll_out(&game)? } else { None };
    progress.finish();
    let cube = match game.phase() {
        Phase::ToRoll(_) => Some(cube::CubeReport::new(&found, &game, &situation, doubled, args.efficiency, &table)),
        _ => None,
    };
    let report = Report {
        position: Xgid { game, situation, doubled }.to_string(),
        position_id: PositionId::of(game.board(), side).to_string(),
        to_move: if side == Side::First { 'X' } else { 'O' },
        equity,
        chances,
        rollout,
        cube,
        plays: lines,
        legal_plays: plays.len(),
    };
    let mut out = output::stdout();
    if args.json {
        return output::json(&mut out, &report);
    }
    writeln!(out, "{}", game.diagram().trim_end())?;
    let [win, gammon, backgammon, lost_gammon, lost_backgammon] = chances.map(|chance| 100.0 * chance);
    writeln!(out, "\nbefore the roll {equity:+.3} points for {}", report.to_move)?;
    writeln!(out, "wins  {win:5.1} %, gammons {gammon:5.1} %, backgammons {backgammon:4.1} %")?;
    writeln!(out, "loses {:5.1} %, gammons {lost_gammon:5.1} %, backgammons {lost_backgammon:4.1} %", 100.0 - win)?;
    if let Some(found) = report.rollout {
        writeln!(out, "rolled out {} ({} games)", interval(found), found.trials)?;
    }
    if let Some(cube) = &report.cube {
        cube.write(&mut out)?;
    }
    if !report.plays.is_empty() {
        writeln!(out)?;
        let by_rollout = if args.rollout.is_some() { "rolled out" } else { "" };
        let mut table = Table::new(["", "play", "points", "", "plies", by_rollout]);
        for (number, line) in report.plays.iter().enumerate() {
            let difference = if number == 0 { String::new() } else { format!("{:+.3}", -line.difference) };
            let equity = format!("{:+.3}", line.equity);
            let rolled_out = line.rollout.map(interval).unwrap_or_default();
            let plies = line.plies.to_string();
            table.row([format!("{}", number + 1), line.play.clone(), equity, difference, plies, rolled_out]);
        }
        table.write(&mut out)?;
    }
    Ok(out.flush()?)
}

/// What a rollout found, with its 95 % interval.
fn interval(found: RolloutResult) -> String {
    format!("{:+.3} ± {:.3}", found.equity, 1.96 * found.standard_error)
}
