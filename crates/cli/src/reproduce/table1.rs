//! Table 1: how many local shape features and weights there are on 9×9.

use super::Workplace;
use crate::output;
use afterstate_engine::value::{Features, LocalShapes, Sharing, TrackedGo, WindowSizes, Windows};
use anyhow::Result;
use serde::Serialize;
use std::io::Write;

/// The paper's figures: features, LI weights, LD weights, windows. The last LD figure is printed there as
/// 61,876, which is the sum of the three; its total, 63,303, needs 61,517.
const PAPER: [(usize, usize, usize, usize, usize); 3] =
    [(1, 243, 1, 15, 81), (2, 5_184, 8, 344, 64), (3, 964_467, 1_418, 61_517, 49)];

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Row {
    size: usize,
    features: [usize; 2],
    location_independent: [usize; 2],
    location_dependent: [usize; 2],
    active: [usize; 2],
}

/// Prints paper and own figures side by side.
pub fn run(place: &Workplace) -> Result<()> {
    let count = |sizes: WindowSizes, sharing| Features::<TrackedGo>::count(&LocalShapes::new(9, sizes, sharing));
    let mut rows = Vec::new();
    for (k, features, li, ld, windows) in PAPER {
        let sizes = WindowSizes::new(&[k]).expect("1, 2 and 3 are sizes");
        rows.push(Row {
            size: k,
            features: [features, LocalShapes::new(9, sizes, Sharing::Both).feature_count()],
            location_independent: [li, count(sizes, Sharing::LocationIndependent)],
            location_dependent: [ld, count(sizes, Sharing::LocationDependent)],
            active: [windows, Windows::of(9, sizes).len()],
        });
    }
    let totals =
        [count(WindowSizes::ALL, Sharing::Both), LocalShapes::new(9, WindowSizes::ALL, Sharing::Both).feature_count()];
    let mut table =
        output::Table::new(["size", "features", "ours", "LI weights", "ours", "LD weights", "ours", "windows", "ours"]);
    for row in &rows {
        let [f, li, ld, w] = [row.features, row.location_independent, row.location_dependent, row.active];
        let cells = [f[0], f[1], li[0], li[1], ld[0], ld[1], w[0], w[1]].map(|number| number.to_string());
        let [a, b, c, d, e, g, h, i] = cells;
        table.row([format!("{0}x{0}", row.size), a, b, c, d, e, g, h, i]);
    }
    let mut text = Vec::new();
    table.write(&mut text)?;
    let text = format!(
        "{}\nin all: 969894 features, ours {}; 63303 weights, ours {}\n",
        String::from_utf8(text)?,
        totals[1],
        totals[0]
    );
    place.write(
        "table1.txt",
        &format!("Table 1, §3.1.3: paper and ours (afterstate reproduce rlgo/table1)\n\n{text}"),
    )?;
    let mut out = output::stdout();
    if place.json {
        output::json(&mut out, &rows)?;
    } else {
        write!(out, "{text}")?;
        out.flush()?;
    }
    anyhow::ensure!(totals == [63_303, 969_894], "these are not the paper's figures");
    Ok(())
}
