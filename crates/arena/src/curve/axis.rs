//! Where an axis begins and ends, and where it is marked.

/// One axis, in the plot's coordinates (logarithms to base 10 on a logarithmic one).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    /// Marks with a number.
    pub(super) labelled: Vec<f64>,
    /// Marks without.
    pub(super) minor: Vec<f64>,
}

impl Axis {
    /// A linear axis that holds all `values`, with a margin and round marks.
    pub(super) fn linear(values: impl Iterator<Item = f64>) -> Axis {
        let (low, high) = padded(values, 0.05, 1.0);
        Axis { low, high, labelled: round_marks(low, high, 10.0), minor: Vec::new() }
    }

    /// A logarithmic axis that holds all (positive) `values`, marked at powers of ten, and at twice and five times
    /// those when it spans few of them.
    pub(super) fn logarithmic(values: impl Iterator<Item = f64>) -> Axis {
        let (low, high) = padded(values.map(f64::log10), 0.03, 0.3);
        if high - low > 12.0 {
            return Axis { low, high, labelled: round_marks(low, high, 8.0), minor: Vec::new() };
        }
        let decades = low.floor() as i32..=high.ceil() as i32;
        let marks = |factors: &[f64]| -> Vec<f64> {
            let all = decades.clone().flat_map(|d| factors.iter().map(move |f| f64::from(d) + f.log10()));
            all.filter(|m| (low..=high).contains(m)).collect()
        };
        let tens = marks(&[1.0]);
        let labelled = if tens.len() >= 3 { tens } else { marks(&[1.0, 2.0, 5.0]) };
        Axis { low, high, labelled, minor: marks(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]) }
    }
}

/// The range of `values`, with a margin of `share` on both sides, or of `alone` when they are all the same.
fn padded(values: impl Iterator<Item = f64>, share: f64, alone: f64) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let alone = alone.max(low.abs().max(high.abs()) * 1e-9);
    let margin = if high - low < alone * 1e-3 { alone } else { share * (high - low) };
    (low - margin, high + margin)
}

/// Up to `wanted` multiples of 1, 2, 2.5 or 5 times a power of ten.
pub(crate) fn round_marks(low: f64, high: f64, wanted: f64) -> Vec<f64> {
    let rough = (high - low) / wanted;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|f| f * power).into_iter().find(|s| *s >= rough).unwrap_or(10.0 * power);
    let (first, last) = ((low / step).ceil(), (high / step).floor());
    (0..=(last - first).clamp(0.0, 50.0) as u32).map(|i| (first + f64::from(i)) * step).collect()
}

/// A number as it stands beside an axis: 1000000 is `1M`, 20000 is `20k`, and 0.30000000000000004 is `0.3`.
pub(super) fn label(value: f64) -> String {
    let size = value.abs();
    let (scaled, unit) = match size {
        s if !(1e-4..1e12).contains(&s) && s != 0.0 => return format!("{value:.0e}").replace('-', "−"),
        s if s >= 0.9995e9 => (value / 1e9, "G"),
        s if s >= 0.9995e6 => (value / 1e6, "M"),
        s if s >= 0.9995e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let text = format!("{scaled:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let text = if text == "-0" { "0" } else { text };
    format!("{text}{unit}").replace('-', "−")
}
