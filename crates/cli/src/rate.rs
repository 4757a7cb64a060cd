//! `afterstate rate`: ratings from the logs of matches and tournaments.

use crate::destinations;
use crate::{output, standings};
use afterstate_arena::curve::{Curve, CurvePoint, Series};
use afterstate_arena::rating::{Parameter, RatingSettings, Ratings, Results, Tally, rate};
use afterstate_arena::result_log::read_log;
use anyhow::{Context, Result, ensure};
use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;

/// Arguments of `rate`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  afterstate rate ladder.jsonl --anchor random=0\n  \
    afterstate rate a.jsonl b.jsonl --anchor gnugo=1800 --csv ratings.csv --svg curve.svg\n\n\
    The curve shows agents whose names end in @GAMES (runs/x@10000), one line for each run, against training games.")]
pub struct Args {
    /// Result logs; agents of the same name in several logs count as one
    #[arg(required = true)]
    logs: Vec<PathBuf>,
    /// An agent's known rating; may be repeated
    #[arg(long, value_name = "NAME=ELO", value_parser = parse_anchor)]
    anchor: Vec<(String, f64)>,
    /// What moving first is worth, in Elo, or fitted
    #[arg(long, default_value = "fitted", value_parser = parse_parameter, allow_negative_numbers = true)]
    advantage: Parameter,
    /// The draw parameter, in Elo, or fitted
    #[arg(long, default_value = "fitted", value_parser = parse_parameter)]
    draw: Parameter,
    /// Virtual draws between two players that keep ratings finite; 0 for plain maximum likelihood
    #[arg(long, default_value_t = 2.0, value_name = "GAMES")]
    prior: f64,
    /// Print the likelihood of superiority too
    #[arg(long)]
    superiority: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Write the ratings as CSV (- for standard output)
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw Elo against training games
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Rates everybody in the logs.
pub fn run(args: Args) -> Result<()> {
    let to_stdout = args.csv.as_ref().is_some_and(|path| path.as_os_str() == "-");
    ensure!(!(to_stdout && args.json), "--csv - and --json: one of them on standard output; name a file for the other");
    for (index, (name, _)) in args.anchor.iter().enumerate() {
        ensure!(args.anchor[..index].iter().all(|(other, _)| other != name), "--anchor {name}: given twice");
    }
    ensure!((0.0..=1e6).contains(&args.prior), "--prior {}: expected 0 to 1000000 games", args.prior);
    let mut results = Results::new();
    let (mut games, mut different, mut all, mut faults) = (Vec::new(), 0, 0, Vec::new());
    let mut fingerprints: HashMap<String, (String, &PathBuf)> = HashMap::new();
    for (index, path) in args.logs.iter().enumerate() {
        let is_same = |other: &PathBuf| destinations::is_same(other, path);
        ensure!(
            !args.logs[..index].iter().any(is_same),
            "{}: given twice, its games would count twice",
            path.display()
        );
        let log = read_log(path)?;
        if log.torn > 0 {
            crate::output::tell!("note: {}: an incomplete last line of {} bytes is left out", path.display(), log.torn);
        }
        let game = (log.header.game.clone(), log.header.start.clone());
        ensure!(
            games.iter().all(|other| *other == game),
            "{}: its games start from '{}' of {}, those of {} from another position; rate them apart",
            path.display(),
            game.1,
            game.0,
            args.logs[0].display()
        );
        games.push(game);
        let played = &log.header.settings;
        // Older logs have no fingerprints, and who is what the name says has an empty one.
        for (name, mark) in played.agents.iter().zip(&played.fingerprints).filter(|(_, mark)| !mark.is_empty()) {
            let (known, first) = fingerprints.entry(name.clone()).or_insert_with(|| (mark.clone(), path));
            if known != mark {
                crate::output::tell!(
                    "note: {name} has other weights or settings in {} than in {}, and counts as one all the same; rate them apart to \
                     keep them apart",
                    path.display(),
                    first.display()
                );
            }
        }
        let logged: Vec<_> = log.games.into_iter().map(|(_, game)| game).collect();
        different += standings::different(&logged);
        all += logged.len();
        faults.extend(standings::faults(&log.header.settings.agents, &logged));
        let of_log =
            standings::results(&log.header.settings.agents, &logged).with_context(|| path.display().to_string())?;
        for pair in of_log.pairs() {
            results.add(&pair.first, &pair.second, Tally::new(pair.wins, pair.draws, pair.losses))?;
        }
    }
    ensure!(results.games() > 0, "{}: no whole game in it, so that nobody can be rated", args.logs[0].display());
    let logs: Vec<_> = args.logs.iter().map(|log| ("a log", Some(log.as_path()))).collect();
    destinations::check(&[("--csv", args.csv.as_deref()), ("--svg", args.svg.as_deref())], &logs)?;
    let settings = RatingSettings {
        draw: args.draw,
        advantage: args.advantage,
        prior_draws: args.prior,
        anchors: args.anchor.into_iter().collect(),
        ..RatingSettings::default()
    };
    let ratings = rate(&results, &settings)?;
    if let Some(path) = &args.svg {
        standings::write_file(path, &curve(&ratings)?.to_svg()?)?;
    }
    if let Some(path) = &args.csv {
        standings::write_file(path, &ratings.to_csv())?;
        if to_stdout {
            return Ok(());
        }
    }
    let mut out = output::stdout();
    if args.json {
        return output::json(&mut out, &ratings);
    }
    write!(out, "{}", ratings.to_table())?;
    writeln!(
        out,
        "moving first is worth {:.0} ± {:.0} Elo, {} games",
        rounded(ratings.advantage.elo),
        1.96 * ratings.advantage.std_error,
        results.games()
    )?;
    standings::write_different(&mut out, different, all, "")?;
    standings::write_faults(&mut out, &faults)?;
    if args.superiority {
        write!(out, "\nlikelihood of superiority in %:\n{}", ratings.to_superiority_table())?;
    }
    Ok(out.flush()?)
}

/// Without a sign on what rounds to nothing.
fn rounded(elo: f64) -> f64 {
    elo.round() + 0.0
}

/// Elo against training games: a line for each run, a reference for each anchor.
fn curve(ratings: &Ratings) -> Result<Curve> {
    let mut series: Vec<Series> = Vec::new();
    let mut references = Vec::new();
    for player in &ratings.players {
        let trained = player.name.rsplit_once('@').and_then(|(run, rest)| {
            // Settings may stand behind the number: runs/x@1000,epsilon=0.1
            let (games, settings) = rest.split_once(',').unwrap_or((rest, ""));
            let games: u64 = games.replace('_', "").parse().ok()?;
            Some((if settings.is_empty() { run.to_string() } else { format!("{run},{settings}") }, games))
        });
        match trained {
            Some((run, games)) if games > 0 => {
                let point = CurvePoint { x: games as f64, y: player.elo, low: player.low, high: player.high };
                match series.iter_mut().find(|series| series.name == run) {
                    Some(series) => series.points.push(point),
                    None => series.push(Series { name: run, points: vec![point] }),
                }
            }
            _ if player.anchor => references.push((player.name.clone(), player.elo)),
            _ => {}
        }
    }
    ensure!(!series.is_empty(), "no agent's name ends in @GAMES, so there is no curve to draw; leave --svg out");
    series.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(Curve {
        title: "Strength against training".to_string(),
        x_label: "Training games".to_string(),
        y_label: "Elo".to_string(),
        log_x: true,
        series,
        references,
    })
}

fn parse_anchor(text: &str) -> Result<(String, f64)> {
    // Names may contain = signs themselves: the rating stands behind the last.
    let (name, elo) = text.rsplit_once('=').with_context(|| format!("'{text}': expected NAME=ELO"))?;
    let elo = elo.parse::<f64>().ok().filter(|elo| elo.is_finite());
    Ok((name.to_string(), elo.with_context(|| format!("'{text}': expected a number of Elo behind the last ="))?))
}

fn parse_parameter(text: &str) -> Result<Parameter> {
    if text == "fitted" {
        return Ok(Parameter::Fitted);
    }
    let elo = text.parse::<f64>().ok().filter(|elo| elo.is_finite());
    elo.map(Parameter::Fixed).with_context(|| format!("'{text}': expected fitted or a number of Elo"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_become_lines_and_anchors_references() {
        let mut results = Results::new();
        for (name, wins) in [("greedy:a@100", 3), ("greedy:a@1000", 5), ("b@10,epsilon=0.1", 4)] {
            results.add(name, "random", Tally::new(wins, 0, 2)).unwrap();
        }
        let ratings = rate(&results, &RatingSettings::default().with_anchor("random", 0.0)).unwrap();
        let curve = curve(&ratings).unwrap();
        let names: Vec<(&str, usize)> = curve.series.iter().map(|s| (s.name.as_str(), s.points.len())).collect();
        assert_eq!(names, [("b,epsilon=0.1", 1), ("greedy:a", 2)]);
        assert_eq!(curve.references, [("random".to_string(), 0.0)]);
    }

    #[test]
    fn anchors_and_parameters_are_read() {
        assert_eq!(parse_anchor("gtp:\"x --a=b\"=1800").unwrap(), ("gtp:\"x --a=b\"".to_string(), 1800.0));
        assert!(parse_anchor("gnugo").is_err() && parse_anchor("gnugo=strong").is_err());
        assert_eq!(parse_parameter("-3").unwrap(), Parameter::Fixed(-3.0));
        assert!(parse_parameter("inf").is_err());
    }
}
