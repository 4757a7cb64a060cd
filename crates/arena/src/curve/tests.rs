//! The plot's structure, its numbers, and the way through CSV and back.

use super::axis::{Axis, label};
use super::*;
use proptest::prelude::*;

fn example() -> Curve {
    let series = |name: &str, top: f64| Series {
        name: name.into(),
        points: (0..7)
            .map(|i| {
                let x = 10f64.powi(i);
                CurvePoint::around(x, top * (f64::from(i) / 6.0).sqrt() - 200.0, 60.0 - 5.0 * f64::from(i))
            })
            .collect(),
    };
    Curve {
        title: "Learning 9×9 Go <from> nothing & more".into(),
        x_label: "Training games".into(),
        y_label: "Elo".into(),
        series: vec![series("1×1", 700.0), series("2×2", 1100.0), series("3×3, \"both\" sharings", 1450.0)],
        references: vec![("GNU Go level 10".into(), 1800.0), ("Paper, 3×3".into(), 1210.0)],
        ..Curve::default()
    }
}

fn count(svg: &str, what: &str) -> usize {
    svg.matches(what).count()
}

/// The texts of an SVG, in order.
fn texts(svg: &str) -> Vec<String> {
    let bodies = svg.split("<text").skip(1).filter_map(|t| t.split_once('>')?.1.split_once("</text>"));
    bodies.map(|(body, _)| body.trim().to_string()).collect()
}

/// An attribute's numbers, over all elements of a kind.
fn attribute(svg: &str, element: &str, name: &str) -> Vec<f64> {
    let opening = format!("<{element} ");
    let tags = svg.split(&opening).skip(1).filter_map(|t| t.split_once('>'));
    tags.filter_map(|(tag, _)| tag.split_once(&format!("{name}=\""))?.1.split_once('"')?.0.parse().ok()).collect()
}

#[test]
fn the_plot_holds_everything_once() {
    let svg = example().to_svg().unwrap();
    assert!(svg.starts_with("<svg width=\"800\" height=\"500\""));
    assert!(svg.trim_end().ends_with("</svg>"));
    let texts = texts(&svg);
    for expected in [
        "Learning 9×9 Go &lt;from&gt; nothing &amp; more",
        "Training games",
        "Elo",
        "1×1",
        "2×2",
        "3×3, &quot;both&quot; sharings",
        "GNU Go level 10",
        "Paper, 3×3",
        "1",
        "10",
        "100",
        "10k",
        "1M",
        "1250",
    ] {
        assert_eq!(texts.iter().filter(|t| *t == expected).count(), 1, "'{expected}' in {texts:?}");
    }
    // Seven points and one sample in the legend for each marker.
    assert_eq!(count(&svg, "<circle"), 8);
    assert_eq!(attribute(&svg, "rect", "width").len(), 8 + 1, "squares and the background");
    assert_eq!(count(&svg, "<polygon"), 8);
    for colour in ["#0072B2", "#D55E00", "#009E73"] {
        assert!(count(&svg, colour) > 20, "{colour}");
    }
    assert!(svg.contains("font-family=\"sans-serif\""));
    assert_eq!(svg, example().to_svg().unwrap(), "the same curve gives the same bytes");
}

#[test]
fn markers_stand_where_the_numbers_are() {
    // Circles of one series on a linear axis: equal steps, and rising values rise (rows count downwards).
    let points = (0..5).map(|i| CurvePoint::around(f64::from(i), f64::from(i * i), 0.5)).collect();
    let curve = Curve { log_x: false, series: vec![Series { name: "squares".into(), points }], ..Curve::default() };
    let svg = curve.to_svg().unwrap();
    let (columns, rows) = (attribute(&svg, "circle", "cx"), attribute(&svg, "circle", "cy"));
    let steps: Vec<f64> = columns[..5].windows(2).map(|w| w[1] - w[0]).collect();
    assert!(steps.iter().all(|s| (s - steps[0]).abs() <= 1.0 && *s > 50.0), "{steps:?}");
    assert!(rows[0] > rows[4] + 100.0, "rows count downwards: {rows:?}");
    for i in 0..5 {
        let share = (rows[0] - rows[i]) / (rows[0] - rows[4]);
        assert!((share - (i * i) as f64 / 16.0).abs() < 0.01, "{rows:?}");
    }
    // On a logarithmic axis it is equal factors that give equal steps.
    let mut log = example();
    log.series.truncate(1);
    let columns = attribute(&log.to_svg().unwrap(), "circle", "cx");
    let steps: Vec<f64> = columns[..7].windows(2).map(|w| w[1] - w[0]).collect();
    assert!(steps.iter().all(|s| (s - steps[0]).abs() <= 1.0), "{steps:?}");
    // The legend's sample stands right of all data.
    assert!(columns[7] > columns[6] + 20.0);
}

#[test]
fn everything_stays_on_the_page() {
    let mut crowded = example();
    for i in 0..40 {
        let name = format!("a series with a very long name indeed, which nobody will read to its end {i}");
        crowded.series.push(Series { name, points: vec![CurvePoint::around(3.0 + f64::from(i), 10.0, 5.0)] });
    }
    let odd = Curve {
        series: vec![Series {
            name: "line\nbreak \u{1}".into(),
            points: vec![CurvePoint { x: 5.0, y: 0.0, low: f64::NEG_INFINITY, high: f64::INFINITY }],
        }],
        ..Curve::default()
    };
    let huge = Curve {
        series: vec![Series {
            name: String::new(),
            points: vec![CurvePoint::around(1e-90, -9e99, 0.0), CurvePoint::around(9e99, 9e99, 1e98)],
        }],
        ..Curve::default()
    };
    for curve in [crowded, odd, huge] {
        let svg = curve.to_svg().unwrap();
        assert!(!svg.chars().any(|c| c.is_control() && c != '\n'));
        for (name, limit) in [("x", 800.0), ("y", 500.0)] {
            assert!(attribute(&svg, "text", name).iter().all(|v| (0.0..=limit).contains(v)));
        }
        for (name, limit) in [("cx", 800.0), ("cy", 500.0)] {
            assert!(attribute(&svg, "circle", name).iter().all(|v| (0.0..=limit).contains(v)));
        }
        assert!(svg.len() < 500_000);
    }
}

#[test]
fn what_cannot_be_drawn_is_named() {
    let with = |p: CurvePoint| {
        let mut curve = example();
        curve.series[1].points.push(p);
        curve.to_svg().unwrap_err().to_string()
    };
    let error = with(CurvePoint::around(0.0, 1.0, 1.0));
    assert!(error.contains("series '2×2', point 8: x is 0") && error.contains("log_x"), "{error}");
    assert!(with(CurvePoint::around(1.0, f64::NAN, 1.0)).contains("finite"));
    assert!(with(CurvePoint { x: 1.0, y: 5.0, low: 6.0, high: 7.0 }).contains("6 ≤ 5 ≤ 7"));
    assert!(with(CurvePoint { x: 1.0, y: 5.0, low: f64::NAN, high: 7.0 }).contains("low ≤ y"));
    let empty = Curve { title: "nothing".into(), ..Curve::default() };
    assert_eq!(empty.to_svg(), Err(CurveError::Empty { title: "nothing".into() }));
    let mut curve = example();
    curve.references.push(("beyond".into(), f64::INFINITY));
    assert!(curve.to_svg().unwrap_err().to_string().contains("'beyond'"));
}

#[test]
fn malformed_csv_is_refused_with_its_line() {
    let error = |text: &str| Curve::from_csv(text).unwrap_err().to_string();
    assert!(error("").contains("line 1: expected the header 'series,x,y,low,high'"));
    assert!(error("series,x,y\na,1,2\n").contains("found 'series,x,y'"));
    let short = error("series,x,y,low,high\na,1,2,1,3\na,1,2\n");
    assert!(short.starts_with("line 3: expected the five columns"), "{short}");
    let word = error("series,x,y,low,high\na,1,two,1,3\n");
    assert_eq!(word, "line 2: column 'y' must be a number, not 'two'");
    assert!(Curve::from_csv("series,x,y,low,high\n").unwrap().series.is_empty());
}

#[test]
fn axes_are_marked_at_round_numbers() {
    assert_eq!(Axis::linear([0.0, 1000.0].into_iter()).labelled, [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]);
    assert_eq!(Axis::logarithmic([1.0, 1e6].into_iter()).labelled, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let narrow = Axis::logarithmic([100.0, 900.0].into_iter());
    assert_eq!(
        narrow.labelled.iter().map(|m| label(10f64.powf(*m))).collect::<Vec<_>>(),
        ["100", "200", "500", "1000"][..3]
    );
    let single = Axis::linear([1800.0].into_iter());
    assert!(single.low < 1800.0 && single.high > 1800.0 && single.labelled.len() > 2, "{single:?}");
    for (value, expected) in [
        (0.0, "0"),
        (-0.0, "0"),
        (-200.0, "−200"),
        (0.1 + 0.2, "0.3"),
        (5000.0, "5000"),
        (10_000.0, "10k"),
        (2_500_000.0, "2.5M"),
        (1e9, "1G"),
        (1e-7, "1e−7"),
    ] {
        assert_eq!(label(value), expected);
    }
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![-1e6..1e6f64, Just(0.0), any::<f64>().prop_filter("CSV keeps one NaN only", |x| !x.is_nan())]
}

proptest! {
    #[test]
    fn csv_keeps_every_bit(
        names in proptest::collection::hash_set(".{0,12}", 0..5),
        rows in proptest::collection::vec((number(), number(), number(), number()), 1..6),
    ) {
        let points: Vec<CurvePoint> = rows.iter().map(|&(x, y, low, high)| CurvePoint { x, y, low, high }).collect();
        let series = names.into_iter().map(|name| Series { name, points: points.clone() }).collect();
        let curve = Curve { series, ..Curve::default() };
        prop_assert_eq!(Curve::from_csv(&curve.to_csv()).unwrap(), curve);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in ".{0,200}", tail in "[a-z0-9,.\"\n-]{0,80}") {
        let _ = Curve::from_csv(&text);
        let _ = Curve::from_csv(&format!("series,x,y,low,high\n{tail}"));
    }

    #[test]
    fn any_sound_point_can_be_drawn(
        x in 1e-90..1e90f64, y in -1e9..1e9f64, down in 0.0..1e9f64, up in 0.0..1e9f64, log_x: bool,
    ) {
        let points = vec![CurvePoint { x, y, low: y - down, high: y + up }, CurvePoint::around(1.0, 0.0, 1.0)];
        let curve = Curve { log_x, series: vec![Series { name: "s".into(), points }], ..Curve::default() };
        prop_assert!(curve.to_svg().is_ok());
    }
}
