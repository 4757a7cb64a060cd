//! `afterstate evaluate`: what a position of backgammon is worth, and which plays of its roll are best.

use crate::agent::AgentSpec;
use crate::output::{self, Table};
use crate::registry::{Evaluated, evaluate};
use afterstate_games::backgammon::ids::PositionId;
use afterstate_games::backgammon::{Backgammon, Dice, Phase, fibs};
use afterstate_games::{Notation, Side};
use anyhow::{Context, Result, anyhow, bail};
use serde::Serialize;
use std::io::Write;

/// Arguments of `evaluate`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    afterstate evaluate XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10 --agent expectimax:runs/gammon\n  \
    afterstate evaluate 4HPwATDgc/ABMA --dice 42 --agent greedy:runs/gammon --plays 5\n  \
    afterstate evaluate 4HPwATDgc/ABMA --agent expectimax:runs/gammon,plies=3 --json\n\n\
    A position is an XGID, GNU Backgammon's position ID (X is to move), or a FIBS board. Without a roll only the position\n\
    is valued.")]
pub struct Args {
    /// The position
    position: String,
    /// Who values it: greedy or expectimax with a checkpoint (see `afterstate agents`)
    #[arg(long, value_name = "SPEC")]
    agent: String,
    /// The roll, instead of what the position says
    #[arg(long, value_name = "DICE")]
    dice: Option<String>,
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
}

#[derive(Serialize)]
struct Report {
    position: String,
    position_id: String,
    /// `X` or `O`.
    to_move: char,
    /// Before the roll, for the side to move: equity in points, and the chances to win, to win a gammon or more, to win a
    /// backgammon, to lose a gammon or more, and to lose a backgammon.
    equity: f32,
    chances: [f32; 5],
    /// The best plays of the roll, if there is one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    plays: Vec<PlayLine>,
    /// All plays that there are.
    legal_plays: usize,
}

/// Prints the report.
pub fn run(args: Args) -> Result<()> {
    let game = read(&args.position, args.dice.as_deref())?;
    let side = match game.phase() {
        Phase::ToRoll(side) | Phase::ToPlay(side, _) => side,
        Phase::Opening => bail!("position '{}': nobody has thrown yet; add --dice", args.position),
        Phase::Over(_) => bail!("position '{}': the game is over", args.position),
    };
    let spec = AgentSpec::parse(&args.agent)?;
    let Evaluated { equity, chances, plays } =
        evaluate(&spec.agent, &game, side).with_context(|| format!("agent '{}'", spec.name))?;
    let best = plays.first().map_or(0.0, |play| play.equity);
    let lines = plays.iter().take(args.plays).map(|play| PlayLine {
        play: game.move_text(play.mv),
        equity: play.equity,
        difference: best - play.equity,
        plies: play.plies,
    });
    let report = Report {
        position: game.position_text(),
        position_id: PositionId::of(game.board(), side).to_string(),
        to_move: if side == Side::First { 'X' } else { 'O' },
        equity,
        chances,
        plays: lines.collect(),
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
    if !report.plays.is_empty() {
        writeln!(out)?;
        let mut table = Table::new(["", "play", "points", "", "plies"]);
        for (number, line) in report.plays.iter().enumerate() {
            let difference = if number == 0 { String::new() } else { format!("{:.3}", -line.difference) };
            let equity = format!("{:+.3}", line.equity);
            table.row([format!("{}", number + 1), line.play.clone(), equity, difference, line.plies.to_string()]);
        }
        table.write(&mut out)?;
    }
    Ok(out.flush()?)
}

/// A position in one of the forms in which programs exchange them.
fn read(text: &str, dice: Option<&str>) -> Result<Backgammon> {
    let text = text.trim();
    let game = if text.starts_with("board:") {
        fibs::read(text)?
    } else if text.contains(':') {
        Backgammon::parse_position(text)?
    } else {
        let id: PositionId = text.parse()?;
        let board = id.board(Side::First).ok_or_else(|| anyhow!("position ID '{text}': no such position"))?;
        Backgammon::at(board, Side::First, None)
    };
    let Some(dice) = dice else { return Ok(game) };
    let numbers = match dice.as_bytes() {
        [one @ b'1'..=b'6', other @ b'1'..=b'6'] => Dice::new(one - b'0', other - b'0'),
        _ => None,
    };
    let dice = numbers.with_context(|| format!("--dice '{dice}': expected two numbers from 1 to 6, such as 31"))?;
    let side = match game.phase() {
        Phase::ToRoll(side) | Phase::ToPlay(side, _) => side,
        Phase::Opening | Phase::Over(_) => Side::First,
    };
    Ok(Backgammon::at(*game.board(), side, Some(dice)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_to_write_a_position_are_read() {
        let expected = read("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", None).unwrap();
        assert_eq!(read("4HPwATDgc/ABMA", Some("13")).unwrap(), expected);
        assert_eq!(read(&fibs::write(&expected, "x"), None).unwrap(), expected);
        for (text, dice, part) in [
            ("4HPwATDgc/ABM", None, "position ID"),
            ("board:1:2", None, "FIBS board"),
            ("XGID=-b", None, "position"),
            ("4HPwATDgc/ABMA", Some("37"), "--dice '37'"),
            ("", None, "position ID"),
        ] {
            let message = format!("{:#}", read(text, dice).unwrap_err());
            assert!(message.contains(part) && !message.contains('\n'), "{message}");
        }
    }
}
