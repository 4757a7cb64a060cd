//! What both players of a match of backgammon did about the cube.

use crate::output::Table;
use afterstate_arena::analysis::{CubeChoice, JudgedCube};
use afterstate_engine::cube::{CubeAction, CubeAnswer};
use afterstate_games::backgammon::Backgammon;
use afterstate_games::backgammon::xgid::Xgid;
use anyhow::Result;
use serde::Serialize;
use std::io::Write;

/// A decision about the cube.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CubeReport {
    pub game: usize,
    pub number: usize,
    pub player: String,
    /// The position with cube and score; the left column's player is X.
    pub xgid: String,
    pub choice: CubeChoice,
    /// What would have been right.
    pub best: &'static str,
    /// Of who was about to roll: no double; double, take; double, pass.
    pub equities: [f64; 3],
    /// In units of the cube.
    pub loss: f64,
    pub blunder: bool,
}

impl CubeReport {
    pub fn new(game: usize, player: String, cube: &JudgedCube, threshold: f64) -> CubeReport {
        let decision = &cube.decision;
        let position = Backgammon::at(cube.board, cube.on_roll, None);
        let answers = cube.side != cube.on_roll;
        let best = match (answers, decision.action, decision.answer) {
            (true, _, CubeAnswer::Pass) => "passed",
            (true, _, CubeAnswer::Beaver) => "beavered",
            (true, _, CubeAnswer::Take) => "took",
            (false, CubeAction::Double, _) => "doubled",
            (false, ..) => "rolled",
        };
        CubeReport {
            game,
            number: cube.number,
            player,
            xgid: Xgid { game: position, situation: cube.situation, doubled: answers }.to_string(),
            choice: cube.choice,
            best,
            equities: [decision.no_double, decision.double_take, decision.double_pass],
            loss: cube.loss,
            blunder: cube.loss >= threshold,
        }
    }
}

/// Writes the blunders among them.
pub fn write(cubes: &[CubeReport], threshold: f64, out: &mut impl Write) -> Result<()> {
    let blunders: Vec<&CubeReport> = cubes.iter().filter(|cube| cube.blunder).collect();
    if blunders.is_empty() {
        return Ok(writeln!(out, "\nNo decision about the cube lost {threshold} or more.")?);
    }
    writeln!(out)?;
    let mut table = Table::new(["game", "play", "player", "cube", "right", "lost", "position"]);
    for cube in blunders {
        let choice = match cube.choice {
            CubeChoice::Rolled => "rolled",
            CubeChoice::Doubled => "doubled",
            CubeChoice::Took => "took",
            CubeChoice::Beavered => "beavered",
            CubeChoice::Passed => "passed",
        };
        table.row([
            cube.game.to_string(),
            cube.number.to_string(),
            cube.player.clone(),
            choice.to_string(),
            cube.best.to_string(),
            format!("{:.3}", cube.loss),
            cube.xgid.clone(),
        ]);
    }
    Ok(table.write(out)?)
}

/// Whether a decision is worth a line: rolls far from a double are not.
pub fn worth_telling(cube: &JudgedCube) -> bool {
    cube.counts || cube.loss > 0.0
}
