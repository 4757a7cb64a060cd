//! What became of a claim, by the interval of what was measured.

use crate::output::Table;
use afterstate_arena::rating::{Ratings, student};
use anyhow::{Context, Result};
use serde::Serialize;

/// A claim with what was measured about it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The claim in words.
    pub claim: String,
    /// What came out, with its interval.
    pub measured: String,
    /// `confirmed`, `refuted`, `undecided`, or why nothing can be said.
    pub verdict: &'static str,
}

/// The verdict about a rating on another scale than the paper's.
pub const OTHER_SCALE: &str = "other scale";
/// The verdict about games that were not played.
pub const NOT_MEASURED: &str = "not measured";

/// The verdict where no interval lies on one side, or there is none.
pub const UNDECIDED: &str = "undecided";

/// Claims as people read them.
pub fn table(verdicts: &[Verdict]) -> Table {
    let mut table = Table::new(["verdict", "claim", "measured"]);
    for verdict in verdicts {
        table.row([verdict.verdict.to_string(), verdict.claim.clone(), verdict.measured.clone()]);
    }
    table
}

/// The mean of several runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Half the width of its 95 % interval, from the spread over the runs (Student's t); `None` for a single run.
    pub margin: Option<f64>,
}

impl Mean {
    /// The mean of these values; 0 if there are none.
    pub fn of(values: &[f64]) -> Mean {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n.max(1.0);
        let variance = || values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let margin = (values.len() > 1).then(|| student(values.len() - 1) * (variance() / n).sqrt());
        Mean { mean, margin }
    }

    /// The mean of a table whose rows and columns are both drawn at random, as the runs of two learners are that all meet each other:
    /// both spreads are in the margin, which there is only for two rows and two columns or more. Rows have to be of one length.
    pub fn of_table(table: &[Vec<f64>]) -> Mean {
        let mean = |values: &mut dyn Iterator<Item = f64>| {
            let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
            sum / f64::max(count, 1.0)
        };
        let columns = table.first().map_or(0, Vec::len);
        let of_rows: Vec<f64> = table.iter().map(|row| mean(&mut row.iter().copied())).collect();
        let of_columns: Vec<f64> = (0..columns).map(|column| mean(&mut table.iter().map(|row| row[column]))).collect();
        let all = mean(&mut of_rows.iter().copied());
        let (n, m) = (table.len() as f64, columns as f64);
        let margin = (table.len() > 1 && columns > 1).then(|| {
            let spread = |means: &[f64]| means.iter().map(|mean| (mean - all).powi(2)).sum::<f64>();
            let rest = table.iter().zip(&of_rows).flat_map(|(row, of_row)| {
                row.iter().zip(&of_columns).map(move |(value, of_column)| (value - of_row - of_column + all).powi(2))
            });
            let (rows, columns) = (spread(&of_rows) / (n - 1.0) / n, spread(&of_columns) / (m - 1.0) / m);
            // Chance within a cell is in both spreads.
            let chance = rest.sum::<f64>() / ((n - 1.0) * (m - 1.0)) / (n * m);
            student(n.min(m) as usize - 1) * (rows + columns - chance).max(rows).max(columns).sqrt()
        });
        Mean { mean: all, margin }
    }

    /// In another unit.
    pub fn scaled(self, factor: f64) -> Mean {
        Mean { mean: self.mean * factor, margin: self.margin.map(|margin| margin * factor) }
    }

    /// As people read it, with so many digits behind the point.
    pub fn text(self, digits: usize) -> String {
        match self.margin {
            Some(margin) => format!("{:.digits$} ± {margin:.digits$}", self.mean),
            None => format!("{:.digits$}", self.mean),
        }
    }
}

/// Whether something in `low..=high` is at least `wanted`.
pub fn at_least(low: f64, high: f64, wanted: f64) -> &'static str {
    if low >= wanted {
        "confirmed"
    } else if high < wanted {
        "refuted"
    } else {
        UNDECIDED
    }
}

/// Whether the first of two players is stronger than the other by so many points of Elo.
pub fn stronger_by(ratings: &Ratings, claim: String, [one, other]: [&str; 2], wanted: f64) -> Result<Verdict> {
    let difference = ratings.difference(one, other).with_context(|| format!("{one} and {other} were rated"))?;
    let margin = 1.96 * difference.std_error;
    let verdict = at_least(difference.elo - margin, difference.elo + margin, wanted);
    Ok(Verdict { claim, measured: format!("{:+.0} ± {margin:.0}", difference.elo), verdict })
}

/// Whether something in `low..=high` is in `from..=to`.
pub fn between([low, high]: [f64; 2], from: f64, to: f64) -> &'static str {
    if low >= from && high <= to {
        "confirmed"
    } else if high < from || low > to {
        "refuted"
    } else {
        UNDECIDED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_have_intervals_from_their_spread() {
        // Deviation 1, and t of two degrees of freedom.
        assert_eq!(Mean::of(&[1.0, 2.0, 3.0]).text(3), "2.000 ± 2.484");
        assert_eq!(Mean::of(&[5.0]).text(1), "5.0");
        assert_eq!(Mean::of(&[0.5, 0.5]).scaled(100.0).text(0), "50 ± 0");
    }

    #[test]
    fn the_interval_of_a_table_is_of_its_rows_and_its_columns() {
        // Means of rows 1.5 and 3.5, of columns 2 and 3, and nothing left: √(1 + ¼) times t of one degree of freedom.
        assert_eq!(Mean::of_table(&[vec![1.0, 2.0], vec![3.0, 4.0]]).text(2), "2.50 ± 14.21");
        // No row and no column differs from another.
        assert_eq!(Mean::of_table(&[vec![0.0, 1.0], vec![1.0, 0.0]]).text(1), "0.5 ± 0.0");
        assert_eq!(Mean::of_table(&[vec![1.0, 3.0]]).text(1), "2.0");
        assert_eq!(Mean::of_table(&[]).text(1), "0.0");
    }

    #[test]
    fn an_interval_decides_only_when_it_lies_on_one_side() {
        assert_eq!([0.6, 0.5, 0.3].map(|low| at_least(low, low + 0.15, 0.6)), ["confirmed", "undecided", "refuted"]);
        let about_100 = |interval| between(interval, 50.0, 150.0);
        assert_eq!(about_100([60.0, 140.0]), "confirmed");
        assert_eq!(about_100([40.0, 140.0]), "undecided");
        assert_eq!(about_100([60.0, 160.0]), "undecided");
        assert_eq!(about_100([151.0, 200.0]), "refuted");
        assert_eq!(about_100([f64::NEG_INFINITY, 49.0]), "refuted");
    }
}
