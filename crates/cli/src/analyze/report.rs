//! What an analysis found: for people as tables, for programs as JSON.

use super::game::AnalysedGame;
use super::{Effective, side_name, texts};
use crate::output::Table;
use afterstate_arena::analysis::{Assessment, JudgedMove, SideSummary, summarise};
use afterstate_games::go::Move;
use afterstate_games::{Notation, Side};
use anyhow::Result;
use serde::Serialize;
use std::io::Write;
use std::path::Path;

/// So many moves of a line are shown in the table; JSON has all.
const SHOWN: usize = 6;

/// The whole analysis.
#[derive(Serialize)]
pub struct Report {
    pub file: String,
    pub black: String,
    pub white: String,
    pub result: String,
    pub size: usize,
    pub komi: f64,
    pub settings: Effective,
    /// Whether all positions that were asked for have been analysed.
    pub complete: bool,
    pub sides: Sides,
    pub moves: Vec<Judged>,
    pub positions: Vec<Position>,
}

#[derive(Serialize)]
pub struct Sides {
    black: SideSummary,
    white: SideSummary,
}

/// A move, by its number in the file; shares are from 0 to 1 and as its own side sees them.
#[derive(Serialize)]
pub struct Judged {
    pub number: usize,
    pub side: &'static str,
    pub played: String,
    pub best: Option<String>,
    pub line: Vec<String>,
    pub before: f32,
    pub after: f32,
    pub loss: f32,
    pub blunder: bool,
}

/// A position, by the number of moves of the file that were made before.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Position {
    moves_made: usize,
    black_wins: f32,
    simulations: u64,
    visits: u64,
}

impl Report {
    /// Puts everything together.
    pub fn new(
        path: &Path,
        game: &AnalysedGame,
        settings: Effective,
        complete: bool,
        assessments: &[Assessment<Move>],
        judged: &[JudgedMove<Move>],
    ) -> Report {
        let (threshold, file) = (settings.threshold as f32, &game.file);
        let summary = |side| summarise(judged, side, threshold);
        let moves = judged.iter().map(|judged| Judged {
            number: game.number(judged.number - 1),
            side: side_name(judged.side),
            played: file.start.move_text(judged.played),
            best: judged.best.map(|mv| file.start.move_text(mv)),
            line: texts(&file.start, &judged.line),
            before: judged.before,
            after: judged.after,
            loss: judged.loss,
            blunder: judged.loss >= threshold,
        });
        let positions = game.positions(assessments).map(|(moves_made, assessment)| Position {
            moves_made,
            black_wins: assessment.value.seen_by(Side::First),
            simulations: assessment.simulations,
            visits: assessment.visits,
        });
        Report {
            file: path.display().to_string(),
            black: file.black.clone(),
            white: file.white.clone(),
            result: file.result.clone(),
            size: file.start.size(),
            komi: file.start.komi().points(),
            settings,
            complete,
            sides: Sides { black: summary(Side::First), white: summary(Side::Second) },
            moves: moves.collect(),
            positions: positions.collect(),
        }
    }

    /// `Ada (Black) against Bob (White), 9x9, komi 7.5, B+R`
    pub fn title(&self) -> String {
        let name = |name: &str, side| match name.trim() {
            "" => side_name(side).to_string(),
            name => format!("{name} ({})", side_name(side)),
        };
        let players = format!("{} against {}", name(&self.black, Side::First), name(&self.white, Side::Second));
        let result = if self.result.is_empty() { String::new() } else { format!(", {}", self.result) };
        format!("{players}, {0}x{0}, komi {1}{result}", self.size, self.komi)
    }

    /// `mc-rave, 3000 simulations a position, seed 1`
    pub fn settings_text(&self) -> String {
        let Effective { agent, simulations, seed, .. } = &self.settings;
        format!("{agent}, {simulations} simulations a position, seed {seed}")
    }

    /// Writes the blunders and the summary.
    pub fn write(&self, out: &mut dyn Write) -> Result<()> {
        let line: String = self.title().chars().filter(|c| !c.is_control()).collect();
        writeln!(out, "{line}\n{}\n", self.settings_text())?;
        let threshold = 100.0 * self.settings.threshold;
        let mut table = Table::new(["move", "side", "played", "better", "before", "after", "loss", "expected"]);
        for judged in self.moves.iter().filter(|judged| judged.blunder) {
            let more = if judged.line.len() > SHOWN { " …" } else { "" };
            table.row([
                judged.number.to_string(),
                judged.side.to_string(),
                judged.played.clone(),
                judged.best.clone().unwrap_or_default(),
                percent(judged.before),
                percent(judged.after),
                percent(judged.loss),
                judged.line[..judged.line.len().min(SHOWN)].join(" ") + more,
            ]);
        }
        if self.moves.iter().any(|judged| judged.blunder) {
            table.write(out)?;
        } else {
            writeln!(out, "No move lost {threshold} % or more.")?;
        }
        writeln!(out)?;
        let mut table = Table::new(["side", "moves", "mean loss", "blunders", "agreement"]);
        for (side, summary) in [(Side::First, &self.sides.black), (Side::Second, &self.sides.white)] {
            table.row([
                side_name(side).to_string(),
                summary.moves.to_string(),
                percent(summary.mean_loss as f32),
                summary.blunders.to_string(),
                percent(summary.agreement as f32),
            ]);
        }
        table.write(out)?;
        Ok(out.flush()?)
    }
}

/// `12.3 %`
pub fn percent(share: f32) -> String {
    format!("{:.1} %", 100.0 * share)
}
