//! What an evaluation sees, drawn on GoGui's board.
//!
//! GoGui asks for [`analyze_commands`] and puts them on a menu: `dboard` is a number for each point, `gfx`
//! a list of drawing instructions.

use super::command::{Refusal, parse_argument, refuse};
use super::search_maps::Map;
use super::session::{Answer, Call, Session};
use super::vertex::{move_text, points_text};
use afterstate_engine::Value;
use afterstate_games::Side;
use afterstate_games::go::{Move, Point};
use std::fmt::Write;

/// Shapes shown when no number is given, and the most that can be asked for.
const DEFAULT_SHAPES: usize = 10;
const MAX_SHAPES: usize = 1000;

/// From the worst moves to the best.
const COLORS: [&str; 5] = ["#d7191c", "#fdae61", "#ffffbf", "#a6d96a", "#1a9641"];

impl Session {
    pub(super) fn has_values(&self) -> bool {
        self.insight.as_ref().is_some_and(|insight| insight.afterstate_values(self.record()).is_some())
    }

    pub(super) fn has_shapes(&self) -> bool {
        self.insight.as_ref().is_some_and(|insight| insight.strongest_shapes(self.record(), 0).is_some())
    }

    /// The values of afterstates, best for the side to move first.
    fn sorted_values(&self) -> (Side, Vec<(Move, Value)>) {
        let side = self.history.position().to_move();
        let insight = self.insight.as_ref();
        let mut values = insight.and_then(|insight| insight.afterstate_values(self.record())).unwrap_or_default();
        values.sort_by(|a, b| b.1.seen_by(side).total_cmp(&a.1.seen_by(side)).then(a.0.cmp(&b.0)));
        (side, values)
    }
}

pub(super) fn analyze_commands(session: &mut Session, _: Call<'_>) -> Result<Answer, Refusal> {
    let mut lines = Vec::new();
    if session.has_values() {
        lines.push("dboard/Afterstate Values/afterstate-values");
        lines.push("gfx/Afterstate Labels/afterstate-labels");
    }
    if session.has_shapes() {
        lines.push("gfx/Strongest Shapes/afterstate-shapes");
        lines.push("gfx/Strongest Shapes (Number)/afterstate-shapes %s");
    }
    if session.analyst.is_some() {
        lines.extend(Map::ALL.map(Map::menu));
        if session.live.exists() {
            lines.push("param/Live Graphics/afterstate-live-graphics");
        }
    }
    Answer::text(lines.join("\n"))
}

/// Colours from the coldest point to the hottest, and labels, for points with their heat and what to write on them.
pub(super) fn heat_lines(points: &[(Point, f32, String)], size: usize) -> Vec<String> {
    let heats = || points.iter().map(|(_, heat, _)| *heat);
    let (coldest, hottest) = (heats().fold(f32::INFINITY, f32::min), heats().fold(f32::NEG_INFINITY, f32::max));
    let mut groups = vec![Vec::new(); COLORS.len()];
    let mut labels = String::from("LABEL");
    for (point, heat, label) in points {
        let share = if hottest > coldest { (heat - coldest) / (hottest - coldest) } else { 1.0 };
        groups[(share * COLORS.len() as f32).min(COLORS.len() as f32 - 1.0) as usize].push(*point);
        let _ = write!(labels, " {} {label}", point.label(size));
    }
    let mut lines: Vec<String> = COLORS
        .iter()
        .zip(groups)
        .filter(|(_, group)| !group.is_empty())
        .map(|(color, group)| format!("COLOR {color} {}", points_text(group, size)))
        .collect();
    if !lines.is_empty() {
        lines.push(labels);
    }
    lines
}

/// For each point the value after a move there, from −1 (White wins) to 1 (Black wins); 0 where none is legal.
pub(super) fn values(session: &mut Session, _: Call<'_>) -> Result<Answer, Refusal> {
    let size = session.history.position().size();
    let mut board = vec![0.0; size * size];
    for (mv, value) in session.sorted_values().1 {
        if let Some(point) = mv.point() {
            // Values of a linear function may lie beyond 0 and 1.
            board[point.ordinal(size)] = (2.0 * value.0 - 1.0).clamp(-1.0, 1.0);
        }
    }
    let row = |row: &[f32]| row.iter().map(|value| format!("{value:.4}")).collect::<Vec<_>>().join(" ");
    // The uppermost row comes first.
    Answer::text(board.chunks(size).rev().map(row).collect::<Vec<_>>().join("\n"))
}

/// On each point the chance in percent that the side to move wins after a move there, coloured from the
/// worst to the best.
pub(super) fn labels(session: &mut Session, _: Call<'_>) -> Result<Answer, Refusal> {
    let size = session.history.position().size();
    let (side, values) = session.sorted_values();
    let Some(best) = values.first() else {
        return Answer::text("TEXT the game is over");
    };
    let best_win = best.1.seen_by(side);
    let mut points = Vec::new();
    let mut pass = String::new();
    for &(mv, value) in &values {
        let win = value.seen_by(side);
        match mv.point() {
            Some(point) => points.push((point, win, format!("{:.0}", 100.0 * win))),
            None => pass = format!(", pass {win:.4}"),
        }
    }
    let mut lines = heat_lines(&points, size);
    lines.push(format!("TEXT best {} {best_win:.4}{pass}", move_text(best.0, size)));
    Answer::text(lines.join("\n"))
}

/// The strongest shapes as a list, and on each point the sum of what they weigh (black is good for Black),
/// with the number of the strongest one there.
pub(super) fn shapes(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    let number = match call.args.first() {
        None => DEFAULT_SHAPES,
        Some(text) => match parse_argument("NUMBER", text, format!("1 to {MAX_SHAPES}"))? {
            number @ 1..=MAX_SHAPES => number,
            number => return refuse(format!("syntax error: NUMBER '{number}': expected 1 to {MAX_SHAPES}")),
        },
    };
    let size = session.history.position().size();
    let insight = session.insight.as_ref();
    let shapes = insight.and_then(|insight| insight.strongest_shapes(session.record(), number)).unwrap_or_default();
    let mut weights = vec![0.0f32; size * size];
    let mut ranks = vec![None; size * size];
    let mut texts = Vec::new();
    for (i, shape) in shapes.iter().enumerate() {
        for point in &shape.points {
            weights[point.ordinal(size)] += shape.weight;
            ranks[point.ordinal(size)].get_or_insert(i + 1);
        }
        let points = points_text(shape.points.iter().copied(), size);
        texts.push(format!("TEXT {}: {:+.4} {} ({points})", i + 1, shape.weight, shape.description.replace('\n', " ")));
    }
    let most = weights.iter().fold(f32::MIN_POSITIVE, |most, weight| most.max(weight.abs()));
    let (mut influence, mut labels) = (String::from("INFLUENCE"), String::from("LABEL"));
    for point in Point::all(size) {
        if let Some(rank) = ranks[point.ordinal(size)] {
            let _ = write!(influence, " {} {:.4}", point.label(size), weights[point.ordinal(size)] / most);
            let _ = write!(labels, " {} {rank}", point.label(size));
        }
    }
    let mut lines = if shapes.is_empty() { vec!["TEXT no shapes".to_owned()] } else { vec![influence, labels] };
    lines.extend(texts);
    Answer::text(lines.join("\n"))
}
