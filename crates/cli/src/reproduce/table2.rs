//! Writes Table 2 and the headline curve down: the paper's figures and ours side by side.

use super::Workplace;
use super::ladder::{Ladder, Paper, Rung};
use crate::output;
use afterstate_arena::curve::{Curve, CurvePoint, Series};
use anyhow::Result;

/// Writes `table2.json`, `table2.txt`, `headline.csv` and `headline.svg`, and prints the text.
pub fn write(place: &Workplace, source: &str, paper: &Paper, ladder: &Ladder) -> Result<()> {
    place.write("table2.json", &(serde_json::to_string_pretty(ladder)? + "\n"))?;
    let find = |name: &str| ladder.depths.iter().find(|rung| rung.name == name);
    let mut table = output::Table::new(["depth", "paper", "±", "ours", "low", "high", "games"]);
    let greedy: Vec<&Rung> = ladder.players.iter().filter(|rung| rung.name.starts_with("greedy@")).collect();
    let training = |rung: &Rung| rung.name["greedy@".len()..].parse::<u64>().unwrap_or(0);
    let last = greedy.iter().max_by_key(|rung| training(rung)).copied();
    let mut claims = Vec::new();
    for (i, (theirs, error)) in paper.elo.iter().zip(&paper.standard_error).enumerate() {
        let depth = i + 1;
        let name = match (depth, last) {
            (1, Some(last)) => last.name.clone(),
            _ => format!("alpha-beta-{depth}"),
        };
        let Some(rung) = find(&name) else { continue };
        claims.push(format!("depth {depth}: {}", ladder.at_least(rung, *theirs)));
        table.row([
            depth.to_string(),
            format!("{theirs:.0}"),
            format!("{:.0}", 1.96 * error),
            format!("{:.0}", rung.elo),
            format!("{:.0}", rung.low),
            format!("{:.0}", rung.high),
            rung.games.to_string(),
        ]);
    }
    let mut text = Vec::new();
    table.write(&mut text)?;
    let mut text = format!("{}\nElo, {}; 95 % intervals\n\n{}", source, ladder.anchor, String::from_utf8(text)?);
    text.push_str("\nat least the paper's figure?\n");
    for claim in claims {
        text.push_str(&format!("  {claim}\n"));
    }
    if let Some(last) = last {
        text.push_str(&format!(
            "\nthe headline curve ends at {:.0} ({:.0} to {:.0}); 1200 or more: {}\n",
            last.elo,
            last.low,
            last.high,
            ladder.at_least(last, 1200.0)
        ));
    }
    let [differing, counted] = ladder.referee_disagreements;
    if counted > 0 {
        text.push_str(&format!(
            "GNU Go's count and the plain area named different winners in {differing} of {counted} games\n"
        ));
    }
    for (title, players) in
        [("depths and GNU Go", &ladder.depths), ("checkpoints, GNU Go and the random player", &ladder.players)]
    {
        let mut everybody = output::Table::new(["player", "elo", "low", "high", "games"]);
        for rung in players {
            everybody.row([
                rung.name.clone(),
                format!("{:.0}", rung.elo),
                format!("{:.0}", rung.low),
                format!("{:.0}", rung.high),
                rung.games.to_string(),
            ]);
        }
        let mut all = Vec::new();
        everybody.write(&mut all)?;
        text.push_str(&format!("\nA tournament of {title}:\n\n{}", String::from_utf8(all)?));
    }
    text.push_str(&format!("\n{}\n", ladder.made_by));
    place.write("table2.txt", &text)?;
    let mut points: Vec<CurvePoint> = greedy
        .iter()
        .map(|rung| CurvePoint { x: training(rung) as f64, y: rung.elo, low: rung.low, high: rung.high })
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    let curve = Curve {
        title: "Learning 9×9 Go: the headline curve".into(),
        x_label: "Training games".into(),
        y_label: format!("Elo ({})", ladder.anchor),
        series: vec![Series { name: "all shapes to 3×3, LI and LD".into(), points }],
        references: Vec::new(),
        ..Curve::default()
    };
    place.write("headline.svg", &curve.to_svg()?)?;
    place.write("headline.csv", &curve.to_csv())?;
    if place.json {
        return output::json(&mut output::stdout(), ladder);
    }
    place.show(&text)
}
