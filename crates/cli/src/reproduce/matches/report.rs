//! Writes a match experiment down: a table, a plot, and what became of the paper's claims.

use super::claims::judge;
use super::measured::Measured;
use super::recipe::{MatchExperiment, Measure, Plot};
use crate::output;
use crate::reproduce::Workplace;
use crate::reproduce::verdict::{self, Verdict};
use crate::standings::PointsPerGame;
use afterstate_arena::curve::{Curve, CurvePoint, Series};
use anyhow::Result;
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report<'a> {
    source: &'a str,
    title: &'a str,
    made_by: &'a str,
    complete: bool,
    claims: &'a [Verdict],
    points: &'a [Measured],
    experiment: &'a MatchExperiment,
}

/// Writes `NAME.json`, `NAME.csv`, `NAME.txt` and, if there is something to draw, `NAME.svg`. With `show` the report is
/// printed as well.
pub fn write(
    place: &Workplace,
    name: &str,
    experiment: &MatchExperiment,
    points: &[Measured],
    show: bool,
) -> Result<()> {
    let claims = judge(experiment, points);
    let made_by = place.made_by(name);
    let planned = experiment.matches(place.scale)?.len();
    let complete = points.len() == planned && points.iter().all(Measured::is_complete);
    let report = Report {
        source: &experiment.source,
        title: &experiment.title,
        made_by: &made_by,
        complete,
        claims: &claims,
        points,
        experiment,
    };
    let text = text(&report)?;
    place.write(&format!("{name}.json"), &(serde_json::to_string_pretty(&report)? + "\n"))?;
    place.write(&format!("{name}.csv"), &csv(points)?)?;
    place.write(&format!("{name}.txt"), &text)?;
    for (panel, curve) in curves(experiment, points) {
        place.write(&format!("{name}{panel}.svg"), &curve.to_svg()?)?;
    }
    match (show, place.json) {
        (true, true) => output::json(&mut output::stdout(), &report)?,
        (true, false) => place.show(&text)?,
        (false, _) => {}
    }
    Ok(())
}

fn text(report: &Report<'_>) -> Result<String> {
    let mut table =
        output::Table::new(["point", "against", "paper %", "ours %", "low", "high", "Elo", "low", "high", "games"]);
    let mut notes = Vec::new();
    for point in report.points {
        let percent = |share: Option<f64>| share.map_or_else(String::new, |share| format!("{:.1}", 100.0 * share));
        let elo = |elo: Option<f64>| elo.map_or_else(String::new, |elo| format!("{elo:+.0}"));
        let games = match point.is_complete() {
            true => point.games.to_string(),
            false => format!("{} of {}", point.games, point.planned),
        };
        table.row([
            point.name.clone(),
            point.opponent.clone(),
            percent(point.paper),
            percent(point.rate.map(|rate| rate.estimate)),
            percent(point.rate.map(|rate| rate.low)),
            percent(point.rate.map(|rate| rate.high)),
            elo(point.elo.map(|elo| elo.elo)),
            elo(point.elo.map(|elo| elo.low)),
            elo(point.elo.map(|elo| elo.high)),
            games,
        ]);
        for (fault, count) in &point.faults {
            notes.push(format!("{}: lost by fault: {fault}, {count} games", point.name));
        }
        if point.different < point.games {
            notes.push(format!(
                "{}: {} of its {} games are different, and its intervals are those of so many",
                point.name, point.different, point.games
            ));
        }
        let [differing, counted] = point.disagreements;
        if differing > 0 {
            notes.push(format!(
                "{}: the referee and the plain area named different winners in {differing} of {counted} games",
                point.name
            ));
        }
    }
    let mut out = Vec::new();
    table.write(&mut out)?;
    if let Some(points) = points_table(report.points) {
        out.push(b'\n');
        points.write(&mut out)?;
    }
    if let Some(tests) = tests_table(report.points) {
        out.push(b'\n');
        tests.write(&mut out)?;
    }
    if !report.claims.is_empty() {
        out.push(b'\n');
        verdict::table(report.claims).write(&mut out)?;
    }
    if !notes.is_empty() {
        out.push(b'\n');
        notes.iter().for_each(|note| out.extend_from_slice(format!("{note}\n").as_bytes()));
    }
    Ok(format!(
        "{}\n{}\n95 % intervals; Elo is the difference to the opponent\n\n{}\n{}\n",
        report.source,
        report.title,
        String::from_utf8(out)?,
        report.made_by
    ))
}

/// Sequential tests, which say whether an agent is stronger than its opponent.
fn tests_table(measured: &[Measured]) -> Option<output::Table> {
    let mut table = output::Table::new(["sequential test", "games", "LLR", "from", "to", "verdict"]);
    let tested = || measured.iter().filter_map(|point| Some((point, point.sprt?)));
    tested().next()?;
    for (point, status) in tested() {
        table.row([
            point.name.clone(),
            status.games.to_string(),
            format!("{:.2}", status.llr),
            format!("{:.2}", status.lower),
            format!("{:.2}", status.upper),
            status.decision.to_string(),
        ]);
    }
    Some(table)
}

/// Points for each game, of games that are worth several.
fn points_table(measured: &[Measured]) -> Option<output::Table> {
    let headings = ["points a game", "paper", "ours", "low", "high", "gammons won", "lost", "backgammons won", "lost"];
    let mut table = output::Table::new(headings);
    for (point, PointsPerGame { mean, margin, won, lost }) in measured.iter().filter_map(|p| Some((p, p.points?))) {
        table.row([
            point.name.clone(),
            point.paper_points.map_or_else(String::new, |points| format!("{points:+.2}")),
            format!("{mean:+.3}"),
            format!("{:+.3}", mean - margin),
            format!("{:+.3}", mean + margin),
            won[1].to_string(),
            lost[1].to_string(),
            won[2].to_string(),
            lost[2].to_string(),
        ]);
    }
    measured.iter().any(|point| point.points.is_some()).then_some(table)
}

fn csv(points: &[Measured]) -> Result<String> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record([
        "point",
        "panel",
        "series",
        "x",
        "agent",
        "opponent",
        "paper",
        "games",
        "wins",
        "draws",
        "losses",
        "rate",
        "low",
        "high",
        "elo",
        "elo-low",
        "elo-high",
        "points",
        "points-margin",
    ])?;
    for point in points {
        let number = |number: Option<f64>| number.map_or_else(String::new, |number| number.to_string());
        let (tally, rate, elo) = (point.tally(), point.rate, point.elo);
        out.write_record([
            point.name.as_str(),
            point.panel.as_deref().unwrap_or_default(),
            point.series.as_deref().unwrap_or_default(),
            &number(point.x),
            &point.agent,
            &point.opponent_agent,
            &number(point.paper),
            &point.games.to_string(),
            &tally.wins.to_string(),
            &tally.draws.to_string(),
            &tally.losses.to_string(),
            &number(rate.map(|rate| rate.estimate)),
            &number(rate.map(|rate| rate.low)),
            &number(rate.map(|rate| rate.high)),
            &number(elo.map(|elo| elo.elo)),
            &number(elo.map(|elo| elo.low)),
            &number(elo.map(|elo| elo.high)),
            &number(point.points.map(|points| points.mean)),
            &number(point.points.map(|points| points.margin)),
        ])?;
    }
    Ok(String::from_utf8(out.into_inner().map_err(|error| error.into_error())?)?)
}

/// Every plot in which there is something to see, with its panel's name.
fn curves<'a>(experiment: &'a MatchExperiment, points: &[Measured]) -> Vec<(&'a str, Curve)> {
    let of_panel = |name: Option<&str>| -> Vec<Measured> {
        points.iter().filter(|point| point.panel.as_deref() == name).cloned().collect()
    };
    let whole = experiment.plot.iter().map(|plot| ("", experiment.title.as_str(), plot, of_panel(None)));
    let panels = experiment
        .panels
        .iter()
        .map(|panel| (panel.name.as_str(), panel.title.as_str(), &panel.plot, of_panel(Some(&panel.name))));
    let drawn = |(name, title, plot, points): (&'a str, &str, &Plot, Vec<Measured>)| {
        Some((name, curve(&format!("{title} ({})", experiment.source), plot, &points)?))
    };
    whole.chain(panels).filter_map(drawn).collect()
}

/// The points that have been measured over their `x`, and those without one as dashed lines.
fn curve(title: &str, plot: &Plot, points: &[Measured]) -> Option<Curve> {
    let mut series: Vec<Series> = Vec::new();
    let mut references: Vec<(String, f64)> = plot.lines.iter().map(|line| (line.name.clone(), line.y)).collect();
    for point in points {
        let (Some(rate), Some(elo)) = (point.rate, point.elo) else { continue };
        let [y, low, high] = match plot.measure {
            Measure::WinningRate => [rate.estimate, rate.low, rate.high].map(|share| 100.0 * share),
            Measure::Elo => [elo.elo, elo.low, elo.high],
        };
        // Who won or lost everything has no Elo difference that could be drawn.
        if !y.is_finite() {
            continue;
        }
        let (Some(x), Some(name)) = (point.x, &point.series) else {
            references.push((point.name.clone(), y));
            continue;
        };
        let point = CurvePoint { x, y, low, high };
        match series.iter_mut().find(|series| series.name == *name) {
            Some(series) => series.points.push(point),
            None => series.push(Series { name: name.clone(), points: vec![point] }),
        }
    }
    let y_label = match plot.measure {
        Measure::WinningRate => "Games won, %",
        Measure::Elo => "Elo difference",
    };
    (!series.is_empty()).then(|| Curve {
        title: title.into(),
        x_label: plot.x_label.clone(),
        y_label: y_label.into(),
        series,
        references,
        log_x: plot.log_x,
    })
}
