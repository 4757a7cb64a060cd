//! What an analysis leaves: the game with comments and variations, and its graph.

use super::game::AnalysedGame;
use super::report::{Report, percent};
use super::side_name;
use afterstate_arena::analysis::{Assessment, JudgedMove, WinRateGraph, WinRatePoint};
use afterstate_engine::value::checkpoint::write_whole;
use afterstate_games::Side;
use afterstate_games::go::Move;
use afterstate_games::go::sgf::{Annotation, annotate};
use anyhow::Result;
use std::path::Path;

/// Writes the game as it was, and what was found besides. Nothing is left half written.
pub fn write_game(
    path: &Path,
    original: &[u8],
    report: &Report,
    assessments: &[Assessment<Move>],
    judged: &[JudgedMove<Move>],
) -> Result<()> {
    let threshold = report.settings.threshold as f32;
    let last = assessments.iter().map(|assessment| assessment.moves_made).max().unwrap_or(0);
    let mut annotations = vec![Annotation::default(); last + 1];
    for assessment in assessments {
        let annotation = &mut annotations[assessment.moves_made];
        let black = assessment.value.seen_by(Side::First);
        annotation.black_wins = Some(black);
        annotation.comment = format!("{} wins {}", side_name(Side::First), percent(black));
    }
    for (judged, shown) in judged.iter().zip(&report.moves).filter(|(judged, _)| judged.loss >= threshold) {
        let annotation = &mut annotations[judged.number];
        let side = side_name(judged.side);
        let better = shown.best.as_deref().unwrap_or_default();
        annotation.comment +=
            &format!("\nBlunder: {side} lost {}, from {}", percent(judged.loss), percent(judged.before));
        if !better.is_empty() {
            annotation.comment += &format!(". Better was {better}");
            annotation.variation.clone_from(&judged.line);
            annotation.variation_comment = format!("Better: {side} wins {}", percent(judged.before));
        }
    }
    let start = &mut annotations[0];
    let version = crate::version::VERSION;
    let line_break = if start.comment.is_empty() { "" } else { "\n" };
    start.comment = format!(
        "Analysed by afterstate {version}: {}. Blunders lose {} or more.{line_break}{}",
        report.settings_text(),
        percent(threshold),
        start.comment
    );
    Ok(write_whole(path, &annotate(original, &annotations)?)?)
}

/// Draws Black's chance to win after every move.
pub fn write_graph(
    path: &Path,
    game: &AnalysedGame,
    report: &Report,
    assessments: &[Assessment<Move>],
    judged: &[JudgedMove<Move>],
) -> Result<()> {
    let threshold = report.settings.threshold as f32;
    let blunder = |moves_made| {
        judged.iter().find(|judged| judged.number == moves_made && judged.loss >= threshold).map(|judged| judged.side)
    };
    let points = game.positions(assessments).map(|(moves_made, assessment)| WinRatePoint {
        moves_made,
        value: assessment.value,
        blunder: blunder(assessment.moves_made),
    });
    let sides = [Side::First, Side::Second].map(|side| side_name(side).to_string());
    let graph = WinRateGraph { title: report.title(), sides, points: points.collect() };
    Ok(write_whole(path, graph.to_svg()?.as_bytes())?)
}
