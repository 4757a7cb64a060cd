//! Learning curves: strength against training, as an SVG plot and as CSV.
//!
//! The plot needs no fonts on the machine that draws it: texts stay texts, in whatever sans-serif face the
//! viewer has. Series differ in marker as well as in colour, and the colours are those of Okabe and Ito (2008),
//! which stay apart for colour-blind readers. The same curve always gives the same bytes.

mod axis;
mod draw;
#[cfg(test)]
mod tests;

pub(crate) use axis::round_marks;
pub(crate) use draw::text as text_style;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a curve cannot be drawn or read.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CurveError {
    /// There is nothing to draw.
    #[error("the curve '{title}' has no points; add a series with at least one")]
    Empty {
        /// The curve's title.
        title: String,
    },
    /// A point that has no place in the plot.
    #[error("series '{series}', point {point}: {what}")]
    Point {
        /// The series' name.
        series: String,
        /// Which of its points, from 1.
        point: usize,
        /// What is wrong, and what was expected.
        what: String,
    },
    /// A reference line that has no place in the plot.
    #[error("reference '{name}' is at {value}, but must be a finite number")]
    Reference {
        /// Its name.
        name: String,
        /// Where it should be.
        value: f64,
    },
    /// A line of a CSV file that is not what it should be.
    #[error("line {line}: {what}")]
    Csv {
        /// Counted from 1, the header being line 1.
        line: u64,
        /// What is wrong, and what was expected.
        what: String,
    },
    /// The drawing library gave up.
    #[error("cannot draw '{title}': {reason}")]
    Draw {
        /// The curve's title.
        title: String,
        /// What it said.
        reason: String,
    },
}

/// A measurement with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurvePoint {
    /// For instance training games. Positive when the axis is logarithmic.
    pub x: f64,
    /// For instance Elo.
    pub y: f64,
    /// Lower end of the interval (usually 95 %): at most `y`, and `-inf` when it has none.
    pub low: f64,
    /// Upper end: at least `y`, and `inf` when it has none.
    pub high: f64,
}

impl CurvePoint {
    /// A point whose interval reaches `half` to either side.
    pub fn around(x: f64, y: f64, half: f64) -> CurvePoint {
        CurvePoint { x, y, low: y - half, high: y + half }
    }
}

/// Points that belong together: one line of the plot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// What the legend calls it.
    pub name: String,
    /// Its points, in any order.
    pub points: Vec<CurvePoint>,
}

/// A plot of several series.
///
/// ```
/// use afterstate_arena::curve::{Curve, CurvePoint, Series};
/// let points = vec![CurvePoint::around(100.0, -150.0, 40.0), CurvePoint::around(10_000.0, 900.0, 35.0)];
/// let curve = Curve {
///     title: "Learning 9×9 Go".into(),
///     x_label: "Training games".into(),
///     y_label: "Elo".into(),
///     series: vec![Series { name: "3×3 shapes".into(), points }],
///     references: vec![("GNU Go level 10".into(), 1800.0)],
///     ..Curve::default()
/// };
/// assert!(curve.to_svg()?.starts_with("<svg"));
/// assert_eq!(Curve::from_csv(&curve.to_csv())?.series, curve.series);
/// # Ok::<(), afterstate_arena::curve::CurveError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Curve {
    /// Above the plot.
    pub title: String,
    /// Below the horizontal axis.
    pub x_label: String,
    /// Beside the vertical axis.
    pub y_label: String,
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// The lines, in the order of the legend.
    pub series: Vec<Series>,
    /// Horizontal dashed lines: a name for the legend, and the height.
    pub references: Vec<(String, f64)>,
}

impl Default for Curve {
    /// Nothing yet, with a logarithmic horizontal axis.
    fn default() -> Self {
        Curve {
            title: String::new(),
            x_label: String::new(),
            y_label: String::new(),
            log_x: true,
            series: Vec::new(),
            references: Vec::new(),
        }
    }
}

const CSV_HEADER: [&str; 5] = ["series", "x", "y", "low", "high"];

impl Curve {
    /// The plot, 800 by 500 pixels: a line through each series' points in order of `x`, with intervals as bars.
    /// Where several series meet, markers stand a few pixels beside each other.
    ///
    /// # Errors
    ///
    /// [`CurveError`] names the series and the point that cannot be drawn.
    pub fn to_svg(&self) -> Result<String, CurveError> {
        self.check()?;
        draw::svg(self).map_err(|reason| CurveError::Draw { title: self.title.clone(), reason })
    }

    /// The points as CSV with the columns `series,x,y,low,high`. Numbers keep all their digits.
    pub fn to_csv(&self) -> String {
        let mut out = csv::Writer::from_writer(Vec::new());
        // Writing to memory cannot fail, and every record has the header's length.
        let _ = out.write_record(CSV_HEADER);
        for series in &self.series {
            for p in &series.points {
                let [x, y, low, high] = [p.x, p.y, p.low, p.high].map(|v| v.to_string());
                let _ = out.write_record([&series.name, &x, &y, &low, &high]);
            }
        }
        String::from_utf8(out.into_inner().unwrap_or_default()).unwrap_or_default()
    }

    /// Reads what [`Curve::to_csv`] wrote. Series come in the order in which the file first names them; title, labels
    /// and references are not in the file and stay empty.
    ///
    /// # Errors
    ///
    /// [`CurveError::Csv`] with the line and column at fault.
    pub fn from_csv(text: &str) -> Result<Curve, CurveError> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let malformed = |e: csv::Error| CurveError::Csv {
            line: e.position().map_or(1, csv::Position::line),
            what: format!("expected the five columns {}: {e}", CSV_HEADER.join(",")),
        };
        let header = reader.headers().map_err(malformed)?;
        if header != CSV_HEADER.as_slice() {
            let found = header.iter().collect::<Vec<_>>().join(",");
            let what = format!("expected the header '{}', found '{found}'", CSV_HEADER.join(","));
            return Err(CurveError::Csv { line: 1, what });
        }
        let mut curve = Curve::default();
        for record in reader.records() {
            let record = record.map_err(malformed)?;
            let line = record.position().map_or(0, csv::Position::line);
            let mut numbers = [0.0; 4];
            for (i, number) in numbers.iter_mut().enumerate() {
                let field = record[i + 1].trim();
                *number = field.parse().map_err(|_| CurveError::Csv {
                    line,
                    what: format!("column '{}' must be a number, not '{field}'", CSV_HEADER[i + 1]),
                })?;
            }
            let [x, y, low, high] = numbers;
            let point = CurvePoint { x, y, low, high };
            match curve.series.iter_mut().find(|s| s.name == record[0]) {
                Some(series) => series.points.push(point),
                None => curve.series.push(Series { name: record[0].to_string(), points: vec![point] }),
            }
        }
        Ok(curve)
    }

    fn check(&self) -> Result<(), CurveError> {
        if self.series.iter().all(|s| s.points.is_empty()) {
            return Err(CurveError::Empty { title: self.title.clone() });
        }
        for series in &self.series {
            for (i, p) in series.points.iter().enumerate() {
                if let Some(what) = self.fault(p) {
                    return Err(CurveError::Point { series: series.name.clone(), point: i + 1, what });
                }
            }
        }
        match self.references.iter().find(|(_, value)| !drawable(*value)) {
            Some((name, value)) => Err(CurveError::Reference { name: name.clone(), value: *value }),
            None => Ok(()),
        }
    }

    fn fault(&self, p: &CurvePoint) -> Option<String> {
        if !drawable(p.x) || !drawable(p.y) {
            return Some(format!("x is {} and y is {}, but both must be finite (and below 1e100)", p.x, p.y));
        }
        if self.log_x && p.x < 1e-100 {
            return Some(format!(
                "x is {}, which has no place on a logarithmic axis; leave the point out or set log_x to false",
                p.x
            ));
        }
        if !(p.low <= p.y && p.y <= p.high) {
            return Some(format!("expected low ≤ y ≤ high, found {} ≤ {} ≤ {}", p.low, p.y, p.high));
        }
        None
    }
}

/// Finite, and far enough from the end of the range of doubles that ranges and margins stay finite too.
fn drawable(value: f64) -> bool {
    value.abs() < 1e100
}
