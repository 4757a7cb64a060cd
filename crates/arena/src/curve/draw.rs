//! The plot itself.

use super::axis::{Axis, label};
use super::{Curve, CurvePoint};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

const SIZE: (u32, u32) = (800, 500);
/// Pixels between the left edge and the plot, for numbers and the axis' name.
const LEFT: i32 = 72;
const TOP: i32 = 48;
const BOTTOM: i32 = 60;
/// The legend's share of the width: as wide as its texts, between these.
const LEGEND: std::ops::RangeInclusive<i32> = 110..=300;
const LEGEND_LINE: i32 = 20;
/// A character of the legend's 12-pixel type, wide enough for most.
const LEGEND_CHARACTER: f64 = 6.6;
const SAMPLE: i32 = 26;

const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
const REFERENCE_INK: RGBColor = RGBColor(0x70, 0x70, 0x70);
const GRID: RGBColor = RGBColor(0xe3, 0xe3, 0xe3);
const FAINT_GRID: RGBColor = RGBColor(0xf3, 0xf3, 0xf3);

/// Okabe and Ito's palette without its yellow, which white paper swallows.
const PALETTE: [RGBColor; 7] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x00, 0x00, 0x00),
];

/// Lengths of dash and gap of the reference lines, in pixels.
const DASHES: [(i32, i32); 3] = [(9, 5), (3, 4), (15, 4)];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Failure = DrawingAreaErrorKind<std::io::Error>;

/// Draws `curve`, whose points have been checked.
pub(super) fn svg(curve: &Curve) -> Result<String, String> {
    let mut out = String::new();
    {
        let root = SVGBackend::with_string(&mut out, SIZE).into_drawing_area();
        picture(curve, &root).map_err(|e| e.to_string())?;
        root.present().map_err(|e| e.to_string())?;
    }
    Ok(out)
}

/// A text style; plotters' size is 1.24 times the size that ends up in the file.
pub(crate) fn text(pixels: f64, color: RGBColor, h: HPos, v: VPos) -> TextStyle<'static> {
    ("sans-serif", 1.24 * pixels).into_font().color(&color).pos(Pos::new(h, v))
}

/// Text as XML allows it, cut to `most` characters.
fn shown(name: &str, most: usize) -> String {
    let clean: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if clean.chars().count() <= most { clean } else { clean.chars().take(most - 1).chain(['…']).collect() }
}

/// Where the axes put numbers, in pixels.
struct Frame {
    x: Axis,
    y: Axis,
    log_x: bool,
    left: i32,
    right: i32,
    top: i32,
    bottom: i32,
}

impl Frame {
    /// Pixel column of a mark on the horizontal axis (a logarithm on a logarithmic axis).
    fn column(&self, mark: f64) -> i32 {
        let share = (mark - self.x.low) / (self.x.high - self.x.low);
        self.left + (share * f64::from(self.right - self.left)).round() as i32
    }

    /// Pixel row of a value; what lies outside, as infinite ends of intervals do, is put on the frame.
    fn row(&self, value: f64) -> i32 {
        let share = ((value - self.y.low) / (self.y.high - self.y.low)).clamp(0.0, 1.0);
        self.bottom - (share * f64::from(self.bottom - self.top)).round() as i32
    }

    fn column_of(&self, p: &CurvePoint) -> i32 {
        self.column(if self.log_x { p.x.log10() } else { p.x })
    }
}

fn picture(curve: &Curve, root: &Area) -> Result<(), Failure> {
    root.fill(&WHITE)?;
    let points = || curve.series.iter().flat_map(|s| &s.points);
    let ys = points().flat_map(|p| [p.y, p.low, p.high]).chain(curve.references.iter().map(|r| r.1));
    let xs = points().map(|p| p.x);
    let names = curve.series.iter().map(|s| &s.name).chain(curve.references.iter().map(|r| &r.0));
    let longest = names.map(|n| n.chars().count()).max().unwrap_or(0) as f64;
    let legend = (SAMPLE + 30 + (LEGEND_CHARACTER * longest) as i32).clamp(*LEGEND.start(), *LEGEND.end());
    let frame = Frame {
        x: if curve.log_x { Axis::logarithmic(xs) } else { Axis::linear(xs) },
        y: Axis::linear(ys.filter(|v| super::drawable(*v))),
        log_x: curve.log_x,
        left: LEFT,
        right: SIZE.0 as i32 - legend,
        top: TOP,
        bottom: SIZE.1 as i32 - BOTTOM,
    };
    draw_axes(curve, &frame, root)?;
    for (i, (_, value)) in curve.references.iter().enumerate() {
        dashed(root, (frame.left, frame.right), frame.row(*value), DASHES[i % DASHES.len()])?;
    }
    for i in 0..curve.series.len() {
        draw_series(curve, i, &frame, root)?;
    }
    draw_legend(curve, &frame, root)
}

fn draw_axes(curve: &Curve, f: &Frame, root: &Area) -> Result<(), Failure> {
    let vertical = |mark: f64, ink: RGBColor| line(root, [(f.column(mark), f.top), (f.column(mark), f.bottom)], ink, 1);
    for &mark in &f.x.minor {
        vertical(mark, FAINT_GRID)?;
    }
    let number = text(12.0, INK, HPos::Center, VPos::Top);
    for &mark in &f.x.labelled {
        vertical(mark, GRID)?;
        let value = if f.log_x { 10f64.powf(mark) } else { mark };
        root.draw(&Text::new(label(value), (f.column(mark), f.bottom + 8), number.clone()))?;
    }
    let number = text(12.0, INK, HPos::Right, VPos::Center);
    for &mark in &f.y.labelled {
        line(root, [(f.left, f.row(mark)), (f.right, f.row(mark))], GRID, 1)?;
        root.draw(&Text::new(label(mark), (f.left - 7, f.row(mark)), number.clone()))?;
    }
    line(root, [(f.left, f.top), (f.left, f.bottom)], INK, 1)?;
    line(root, [(f.left, f.bottom), (f.right, f.bottom)], INK, 1)?;

    let (middle, centre) = ((f.left + f.right) / 2, (f.top + f.bottom) / 2);
    let title = text(16.0, INK, HPos::Center, VPos::Center);
    // The title may use the whole width; the plot's own middle would push long ones off the page.
    root.draw(&Text::new(shown(&curve.title, 90), (SIZE.0 as i32 / 2, TOP / 2), title))?;
    let name = text(13.0, INK, HPos::Center, VPos::Center);
    root.draw(&Text::new(shown(&curve.x_label, 80), (middle, SIZE.1 as i32 - 18), name.clone()))?;
    let upright = name.transform(FontTransform::Rotate270);
    root.draw(&Text::new(shown(&curve.y_label, 55), (18, centre), upright))?;
    Ok(())
}

fn draw_series(curve: &Curve, index: usize, f: &Frame, root: &Area) -> Result<(), Failure> {
    let ink = PALETTE[index % PALETTE.len()];
    let mut points: Vec<&CurvePoint> = curve.series[index].points.iter().collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    // Bars of several series at the same place would hide each other.
    let spread = (12 / curve.series.len() as i32).clamp(0, 4);
    let aside = spread * (2 * index as i32 + 1 - curve.series.len() as i32) / 2;
    let at = |p: &CurvePoint| (f.column_of(p) + aside, f.row(p.y));
    root.draw(&PathElement::new(points.iter().map(|p| at(p)).collect::<Vec<_>>(), ink.stroke_width(2)))?;
    for p in points {
        let (column, row) = at(p);
        if p.low < p.high {
            let (low, high) = (f.row(p.low), f.row(p.high));
            line(root, [(column, low), (column, high)], ink, 1)?;
            // An infinite end has no cap: the bar runs into the frame.
            for (end, value) in [(low, p.low), (high, p.high)] {
                if super::drawable(value) {
                    line(root, [(column - 3, end), (column + 3, end)], ink, 1)?;
                }
            }
        }
        marker(root, index, (column, row))?;
    }
    Ok(())
}

fn draw_legend(curve: &Curve, f: &Frame, root: &Area) -> Result<(), Failure> {
    let left = f.right + 16;
    let most = (f64::from(SIZE.0 as i32 - left - SAMPLE - 8) / LEGEND_CHARACTER) as usize;
    let rows = ((f.bottom - f.top) / LEGEND_LINE) as usize;
    let entries = curve.series.len() + curve.references.len();
    let place = |i: usize| f.top + LEGEND_LINE / 2 + LEGEND_LINE * i as i32;
    let name = text(12.0, INK, HPos::Left, VPos::Center);
    // What does not fit beside the plot is counted, not drawn over the edge.
    let fitting = if entries <= rows { entries } else { rows - 1 };
    for i in 0..fitting {
        let row = place(i);
        let caption = if let Some(series) = curve.series.get(i) {
            line(root, [(left, row), (left + SAMPLE, row)], PALETTE[i % PALETTE.len()], 2)?;
            marker(root, i, (left + SAMPLE / 2, row))?;
            &series.name
        } else {
            let i = i - curve.series.len();
            dashed(root, (left, left + SAMPLE), row, DASHES[i % DASHES.len()])?;
            &curve.references[i].0
        };
        root.draw(&Text::new(shown(caption, most), (left + SAMPLE + 8, row), name.clone()))?;
    }
    if fitting < entries {
        let rest = format!("and {} more", entries - fitting);
        root.draw(&Text::new(rest, (left, place(fitting)), name.clone()))?;
    }
    Ok(())
}

fn line(root: &Area, ends: [(i32, i32); 2], ink: RGBColor, width: u32) -> Result<(), Failure> {
    root.draw(&PathElement::new(ends, ink.stroke_width(width)))
}

/// A horizontal dashed line between two columns.
fn dashed(root: &Area, (from, to): (i32, i32), row: i32, (dash, gap): (i32, i32)) -> Result<(), Failure> {
    let mut column = from;
    while column < to {
        line(root, [(column, row), ((column + dash).min(to), row)], REFERENCE_INK, 1)?;
        column += dash + gap;
    }
    Ok(())
}

/// A mark whose shape and colour belong to series number `index`: shapes change once the colours are used up
/// as well as from one series to the next, so no two of the first 35 look alike.
fn marker(root: &Area, index: usize, (x, y): (i32, i32)) -> Result<(), Failure> {
    let ink = PALETTE[index % PALETTE.len()].filled();
    let polygon = |corners: &[(i32, i32)]| {
        let corners: Vec<(i32, i32)> = corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
        root.draw(&Polygon::new(corners, ink))
    };
    match index % 5 {
        0 => root.draw(&Circle::new((x, y), 4, ink))?,
        1 => root.draw(&Rectangle::new([(x - 4, y - 4), (x + 4, y + 4)], ink))?,
        2 => polygon(&[(-5, 4), (5, 4), (0, -5)])?,
        3 => polygon(&[(-5, 0), (0, -5), (5, 0), (0, 5)])?,
        _ => polygon(&[(-5, -4), (5, -4), (0, 5)])?,
    }
    Ok(())
}
