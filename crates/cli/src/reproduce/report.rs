//! Writes a figure down: curves as CSV and SVG, and what became of the paper's claims.

use super::Workplace;
use super::experiment::{Claim, Experiment, ScaleSettings};
use super::ladder::Ladder;
use super::pool::Rated;
use super::verdict::{self, NOT_MEASURED, OTHER_SCALE, Verdict, at_least, between};
use afterstate_arena::curve::{Curve, CurvePoint, Series};
use afterstate_arena::rating::student;
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::BTreeMap;

/// A point of a curve: the mean over the seeds.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Point {
    series: String,
    games: u64,
    elo: f64,
    /// Half the width of the 95 % interval, from the spread over seeds and from the rated games.
    margin: f64,
    seeds: usize,
    rated_games: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report<'a> {
    source: &'a str,
    title: &'a str,
    made_by: String,
    anchor: &'a str,
    claims: Vec<Verdict>,
    points: &'a [Point],
    checkpoints: &'a [Rated],
}

/// Means over seeds. The interval is the wider of the one from the spread over seeds (Student's t) and the
/// one from the rated games alone.
fn points(rated: &[Rated]) -> Vec<Point> {
    let mut groups: BTreeMap<(&str, u64), Vec<&Rated>> = BTreeMap::new();
    for checkpoint in rated {
        groups.entry((&checkpoint.series, checkpoint.games)).or_default().push(checkpoint);
    }
    groups
        .into_iter()
        .map(|((series, games), group)| {
            let n = group.len() as f64;
            let elo = group.iter().map(|rated| rated.elo).sum::<f64>() / n;
            let from_games = 1.96 * group.iter().map(|rated| rated.std_error.powi(2)).sum::<f64>().sqrt() / n;
            let from_seeds = if group.len() > 1 {
                let variance = group.iter().map(|rated| (rated.elo - elo).powi(2)).sum::<f64>() / (n - 1.0);
                student(group.len() - 1) * (variance / n).sqrt()
            } else {
                0.0
            };
            Point {
                series: series.to_string(),
                games,
                elo,
                margin: from_games.max(from_seeds),
                seeds: group.len(),
                rated_games: group.iter().map(|rated| rated.rated_games).sum(),
            }
        })
        .collect()
}

fn find<'a>(points: &'a [Point], name: &str) -> Result<&'a Point> {
    let (series, games) = name.rsplit_once('@').with_context(|| format!("'{name}': expected series@games"))?;
    let of_series = points.iter().filter(|point| point.series == series);
    let found = match games {
        "last" => of_series.max_by_key(|point| point.games),
        number => {
            let number: u64 =
                number.replace('_', "").parse().with_context(|| format!("'{name}': expected series@games"))?;
            // Milestones are rounded, so the nearest is meant.
            of_series.min_by_key(|point| point.games.abs_diff(number))
        }
    };
    found.with_context(|| format!("no curve '{series}'"))
}

/// `size` says how many runs each series has, and how long they would be if none diverged.
fn judge(claim: &Claim, points: &[Point], ladder: &Ladder, size: &ScaleSettings) -> Result<Verdict> {
    let subject = find(points, &claim.of)?;
    for name in [Some(&claim.of), claim.beats.as_ref(), claim.equals.as_ref()].into_iter().flatten() {
        // A small scale may not come near what is claimed.
        let (meant, found) = (name.rsplit_once('@').map_or("", |(_, games)| games), find(points, name)?.games);
        if meant.replace('_', "").parse::<u64>().is_ok_and(|meant| found.max(meant) > 2 * found.min(meant)) {
            let measured = format!("the nearest is {}", label(find(points, name)?));
            return Ok(Verdict { claim: claim.text.clone(), measured, verdict: NOT_MEASURED });
        }
    }
    // The end of a curve that broke off, because the weights of its runs grew beyond all bounds.
    let broke_off = |name: &str, point: &Point| name.ends_with("@last") && point.games < size.games;
    let others = [claim.beats.as_ref(), claim.equals.as_ref()].into_iter().flatten();
    let met: Vec<(&String, &Point)> =
        std::iter::once(&claim.of).chain(others).map(|name| Ok((name, find(points, name)?))).collect::<Result<_>>()?;
    if let (Some(_), [(name, one), (other_name, other)]) = (&claim.beats, &met[..]) {
        let verdict = match (broke_off(name, one), broke_off(other_name, other)) {
            (true, true) => Some((one, verdict::UNDECIDED)),
            (true, false) => Some((one, "refuted")),
            (false, true) => Some((other, "confirmed")),
            (false, false) => None,
        };
        if let Some((point, verdict)) = verdict {
            let measured = format!("{} diverged: no run came beyond {} games", point.series, point.games);
            return Ok(Verdict { claim: claim.text.clone(), measured, verdict });
        }
    }
    // Those that are left say nothing of those that diverged.
    if let Some((_, point)) =
        met.iter().find(|(name, point)| name.ends_with("@last") && point.seeds < size.seeds as usize)
    {
        let diverged = size.seeds as usize - point.seeds;
        let measured = format!("{} of {} runs of {} diverged", diverged, size.seeds, point.series);
        return Ok(Verdict { claim: claim.text.clone(), measured, verdict: verdict::UNDECIDED });
    }
    let (mut measured, verdict);
    if let Some(other) = claim.beats.as_ref().or(claim.equals.as_ref()) {
        let other = find(points, other)?;
        let difference = subject.elo - other.elo;
        let margin = subject.margin.hypot(other.margin);
        measured = format!(
            "{} {:.0} − {} {:.0} = {difference:+.0} ± {margin:.0}",
            label(subject),
            subject.elo,
            label(other),
            other.elo
        );
        verdict = if claim.beats.is_some() {
            at_least(difference - margin, difference + margin, claim.by.unwrap_or(0.0))
        } else {
            close(difference, margin, claim.within)
        };
    } else {
        // Differences between players of one ladder have its errors on both sides; a place on the scale has them once.
        let margin = subject.margin.hypot(ladder.margin_at(subject.elo));
        measured = format!("{} {:.0} ± {margin:.0}", label(subject), subject.elo);
        verdict = match (claim.at_least, claim.about) {
            _ if !ladder.is_on_the_papers_scale() => OTHER_SCALE,
            (Some(wanted), _) => at_least(subject.elo - margin, subject.elo + margin, wanted),
            (None, about) => {
                let about = about.context("claims are checked when they are read")?;
                close(subject.elo - about, margin, claim.within)
            }
        };
    }
    if met.iter().any(|(_, point)| point.seeds == 1) {
        measured.push_str(", a single run");
    }
    Ok(Verdict { claim: claim.text.clone(), measured, verdict })
}

/// Whether a difference is within a tolerance, which is 50 Elo unless the claim says otherwise.
fn close(difference: f64, margin: f64, within: Option<f64>) -> &'static str {
    let within = within.unwrap_or(50.0);
    between([difference - margin, difference + margin], -within, within)
}

fn label(point: &Point) -> String {
    format!("{}@{}", point.series, point.games)
}

/// Writes `NAME.csv`, `NAMEa.svg` …, `NAME.json` and `NAME.txt`, and prints the text.
pub fn write(place: &Workplace, name: &str, experiment: &Experiment, rated: &[Rated], ladder: &Ladder) -> Result<()> {
    let points = points(rated);
    for panel in &experiment.panels {
        let series: Vec<Series> = panel
            .series
            .iter()
            .map(|series| Series {
                name: series.name.clone(),
                points: points
                    .iter()
                    .filter(|point| point.series == series.name)
                    .map(|point| CurvePoint::around(point.games as f64, point.elo, point.margin))
                    .collect(),
            })
            .collect();
        let curve = Curve {
            title: format!("{} ({})", panel.title, experiment.source),
            x_label: "Training games".into(),
            y_label: format!("Elo ({})", ladder.anchor),
            series,
            references: Vec::new(),
            ..Curve::default()
        };
        place.write(&format!("{name}{}.svg", panel.name), &curve.to_svg()?)?;
        place.write(&format!("{name}{}.csv", panel.name), &curve.to_csv())?;
    }
    let size = experiment.size(place.scale)?;
    let claims: Vec<Verdict> =
        experiment.claims.iter().map(|claim| judge(claim, &points, ladder, size)).collect::<Result<_>>()?;
    let made_by = format!(
        "{}; {} games a run, {} runs a series, about {} rated games a checkpoint",
        place.made_by(name),
        size.games,
        size.seeds,
        size.rated_games
    );
    let mut text = Vec::new();
    verdict::table(&claims).write(&mut text)?;
    let text = format!(
        "{}\n{}\nElo ({}); 95 % intervals\n\n{}\n{made_by}\n",
        experiment.source,
        experiment.title,
        ladder.anchor,
        String::from_utf8(text)?
    );
    let report = Report {
        source: &experiment.source,
        title: &experiment.title,
        made_by,
        anchor: &ladder.anchor,
        claims,
        points: &points,
        checkpoints: rated,
    };
    place.publish(name, &report, &text)
}
