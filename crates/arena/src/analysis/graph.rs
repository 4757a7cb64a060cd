//! [`WinRateGraph`]: who was winning when, as an SVG picture.

use crate::curve::{round_marks, text_style};
use afterstate_engine::Value;
use afterstate_games::Side;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};
use thiserror::Error;

const SIZE: (u32, u32) = (800, 320);
const LEFT: i32 = 56;
const RIGHT: i32 = 780;
const TOP: i32 = 40;
const BOTTOM: i32 = 270;

const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xdd);
/// Under the line, the first player's share.
const SHADE: RGBColor = RGBColor(0xc9, 0xd6, 0xe3);
const LINE: RGBColor = RGBColor(0x00, 0x72, 0xb2);
/// Blunders, in the vermilion of Okabe and Ito (2008).
const ALARM: RGBColor = RGBColor(0xd5, 0x5e, 0x00);

/// Why a graph cannot be drawn.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GraphError {
    /// There is nothing to draw.
    #[error("the graph '{0}' has no positions; add one at least")]
    Empty(String),
    /// The drawing library gave up.
    #[error("cannot draw the graph: {0}")]
    Draw(String),
}

/// One position of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WinRatePoint {
    /// How many moves were made before.
    pub moves_made: usize,
    /// What it is worth; values beyond 0 and 1 are drawn at the edge.
    pub value: Value,
    /// Who blundered with the move that led to it.
    pub blunder: Option<Side>,
}

/// A game as a line: the first player's chance to win after each move. Blunders of the first player are filled dots,
/// those of the second hollow ones. The same graph always gives the same bytes.
///
/// ```
/// use afterstate_arena::analysis::{WinRateGraph, WinRatePoint};
/// use afterstate_engine::Value;
/// use afterstate_games::Side;
/// let point = |moves_made, value, blunder| WinRatePoint { moves_made, value: Value(value), blunder };
/// let graph = WinRateGraph {
///     title: "Ada against Bob".into(),
///     sides: ["Black".into(), "White".into()],
///     points: vec![point(0, 0.45, None), point(1, 0.5, None), point(2, 0.9, Some(Side::Second))],
/// };
/// assert!(graph.to_svg()?.contains("Ada against Bob"));
/// # Ok::<(), afterstate_arena::analysis::GraphError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WinRateGraph {
    /// Above it.
    pub title: String,
    /// What the sides are called, the first player first.
    pub sides: [String; 2],
    /// The positions, in the order of the game.
    pub points: Vec<WinRatePoint>,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Failure = DrawingAreaErrorKind<std::io::Error>;

impl WinRateGraph {
    /// The picture, 800 by 320 pixels.
    ///
    /// # Errors
    ///
    /// If there are no positions.
    pub fn to_svg(&self) -> Result<String, GraphError> {
        if self.points.is_empty() {
            return Err(GraphError::Empty(self.title.clone()));
        }
        let mut out = String::new();
        {
            let root = SVGBackend::with_string(&mut out, SIZE).into_drawing_area();
            let drawn = self.draw(&root).and_then(|()| root.present());
            drawn.map_err(|error| GraphError::Draw(error.to_string()))?;
        }
        Ok(out)
    }

    fn draw(&self, root: &Area) -> Result<(), Failure> {
        root.fill(&WHITE)?;
        let made = || self.points.iter().map(|point| point.moves_made);
        let (first, last) = (made().min().unwrap_or(0), made().max().unwrap_or(0));
        let span = last.saturating_sub(first).max(1) as f64;
        let column = |made: f64| LEFT + ((made - first as f64) / span * f64::from(RIGHT - LEFT)).round() as i32;
        let row = |share: f32| BOTTOM - (share.clamp(0.0, 1.0) * (BOTTOM - TOP) as f32).round() as i32;
        let at = |point: &WinRatePoint| (column(point.moves_made as f64), row(point.value.seen_by(Side::First)));

        let line: Vec<(i32, i32)> = self.points.iter().map(at).collect();
        let (start, end) = (line[0].0, line[line.len() - 1].0);
        let shade = [&[(start, BOTTOM)][..], &line, &[(end, BOTTOM)]].concat();
        root.draw(&Polygon::new(shade, SHADE.filled()))?;
        let number = text_style(12.0, INK, HPos::Right, VPos::Center);
        for percent in [0, 25, 50, 75, 100] {
            let y = row(percent as f32 / 100.0);
            let ink = if percent == 50 { INK } else { GRID };
            root.draw(&PathElement::new([(LEFT, y), (RIGHT, y)], ink.stroke_width(1)))?;
            root.draw(&Text::new(format!("{percent} %"), (LEFT - 6, y), number.clone()))?;
        }
        let number = text_style(12.0, INK, HPos::Center, VPos::Top);
        for mark in round_marks(first as f64, last.max(first + 1) as f64, 10.0) {
            // Half moves do not exist.
            if mark.fract() == 0.0 && mark <= last as f64 {
                let x = column(mark);
                root.draw(&PathElement::new([(x, TOP), (x, BOTTOM)], GRID.stroke_width(1)))?;
                root.draw(&Text::new(format!("{mark}"), (x, BOTTOM + 8), number.clone()))?;
            }
        }
        root.draw(&PathElement::new(line, LINE.stroke_width(2)))?;
        for point in &self.points {
            match point.blunder {
                Some(Side::First) => root.draw(&Circle::new(at(point), 4, ALARM.filled()))?,
                Some(Side::Second) => {
                    root.draw(&Circle::new(at(point), 4, WHITE.filled()))?;
                    root.draw(&Circle::new(at(point), 4, ALARM.stroke_width(2)))?;
                }
                None => {}
            }
        }
        self.draw_texts(root)
    }

    fn draw_texts(&self, root: &Area) -> Result<(), Failure> {
        let [first, second] = &self.sides;
        let middle = (LEFT + RIGHT) / 2;
        let title = text_style(15.0, INK, HPos::Center, VPos::Center);
        root.draw(&Text::new(shown(&self.title), (middle, TOP / 2), title))?;
        let below = text_style(12.0, INK, HPos::Center, VPos::Center);
        let caption =
            format!("Moves. The line: {first}'s chance to win. Blunders: filled by {first}, hollow by {second}");
        root.draw(&Text::new(shown(&caption), (middle, SIZE.1 as i32 - 14), below))
    }
}

/// Text as XML allows it, and as the picture has room for it.
fn shown(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(110).collect();
    if text.chars().count() > 110 { clean + "…" } else { clean }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(values: &[f32]) -> WinRateGraph {
        let point = |(moves_made, &value)| WinRatePoint {
            moves_made,
            value: Value(value),
            blunder: [None, Some(Side::First), Some(Side::Second)][moves_made % 3],
        };
        let points = values.iter().enumerate().map(point).collect();
        WinRateGraph { title: "<A> & \u{7}B".into(), sides: ["Black".into(), "White".into()], points }
    }

    #[test]
    fn the_line_goes_from_edge_to_edge_and_stays_inside() {
        let svg = graph(&[0.5, 1.0, -3.0]).to_svg().unwrap();
        // 0.5 is in the middle, 1 at the top, less than nothing at the bottom.
        assert!(svg.contains("points=\"56,155 418,40 780,270 \""), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 3, "one filled, one hollow on white");
        assert!(svg.contains("&lt;A&gt; &amp;  B"), "{svg}");
        assert_eq!(svg, graph(&[0.5, 1.0, -3.0]).to_svg().unwrap());
    }

    #[test]
    fn one_position_is_drawn_and_none_is_refused() {
        assert!(graph(&[0.5]).to_svg().is_ok());
        assert!(graph(&[0.5; 400]).to_svg().unwrap().contains("\n350\n"));
        assert!(matches!(graph(&[]).to_svg(), Err(GraphError::Empty(_))));
    }
}
