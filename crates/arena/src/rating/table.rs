//! Ratings as text, CSV and JSON.

use super::Ratings;
use std::fmt::Write as _;

const CSV_HEADER: [&str; 11] =
    ["rank", "name", "elo", "low", "high", "std-error", "games", "score", "opponents-mean", "draws", "anchor"];

/// A name without line breaks and other control characters, which would tear a table.
fn printable(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// `text` with spaces behind up to `width` characters.
fn padded(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    text.to_string() + &" ".repeat(missing)
}

impl Ratings {
    /// An aligned table, laid out like BayesElo's `ratings`: the columns `+` and `-` are the 95 % interval.
    ///
    /// ```
    /// use afterstate_arena::rating::{RatingSettings, Results, Tally, rate};
    /// let mut results = Results::new();
    /// results.add("a", "gnugo", Tally::new(10, 0, 30))?;
    /// results.add("gnugo", "a", Tally::new(30, 0, 10))?;
    /// let table = rate(&results, &RatingSettings::default().with_anchor("gnugo", 1800.0))?.to_table();
    /// assert!(table.starts_with("rank name    Elo    +    - games score  oppo. draws\n   1 gnugo  1800"));
    /// # Ok::<(), afterstate_arena::rating::RatingError>(())
    /// ```
    pub fn to_table(&self) -> String {
        let names: Vec<String> = self.players.iter().map(|p| printable(&p.name)).collect();
        let width = names.iter().map(|n| n.chars().count()).chain([4]).max().unwrap_or(4);
        let mut out = format!("rank {}   Elo    +    - games score  oppo. draws\n", padded("name", width));
        for (p, name) in self.players.iter().zip(&names) {
            let _ = writeln!(
                out,
                "{:>4} {} {:>5.0} {:>4.0} {:>4.0} {:>5} {:>4.0}% {:>6.0} {:>4.0}%",
                p.rank,
                padded(name, width),
                // Without a sign on what rounds to nothing.
                p.elo.round() + 0.0,
                p.high - p.elo,
                p.elo - p.low,
                p.games,
                100.0 * p.score,
                p.opponents_mean.round() + 0.0,
                100.0 * p.draws
            );
        }
        out
    }

    /// The likelihood of superiority as a table: in the row of a player, in per cent, the probability that it
    /// is stronger than the player of the column (columns are numbered by rank).
    ///
    /// ```
    /// use afterstate_arena::rating::{RatingSettings, Results, Tally, rate};
    /// let mut results = Results::new();
    /// results.add("a", "b", Tally::new(10, 0, 10))?;
    /// let table = rate(&results, &RatingSettings::default())?.to_superiority_table();
    /// assert!(table.starts_with("rank name   1   2\n   1 "));
    /// # Ok::<(), afterstate_arena::rating::RatingError>(())
    /// ```
    pub fn to_superiority_table(&self) -> String {
        let names: Vec<String> = self.players.iter().map(|p| printable(&p.name)).collect();
        let width = names.iter().map(|n| n.chars().count()).chain([4]).max().unwrap_or(4);
        let mut out = format!("rank {}", padded("name", width));
        for p in &self.players {
            let _ = write!(out, " {:>3}", p.rank);
        }
        for (i, name) in names.iter().enumerate() {
            let _ = write!(out, "\n{:>4} {}", self.players[i].rank, padded(name, width));
            for (j, p) in self.superiority[i].iter().enumerate() {
                let cell = if i == j { "-".to_string() } else { format!("{:.0}", 100.0 * p) };
                let _ = write!(out, " {cell:>3}");
            }
        }
        out + "\n"
    }

    /// One line a player: `rank,name,elo,low,high,std-error,games,score,opponents-mean,draws,anchor`. Ratings have
    /// two decimals, shares four.
    pub fn to_csv(&self) -> String {
        let mut out = csv::Writer::from_writer(Vec::new());
        // Writing to memory cannot fail, and every record has the header's length.
        let _ = out.write_record(CSV_HEADER);
        for p in &self.players {
            let _ = out.write_record([
                p.rank.to_string(),
                p.name.clone(),
                format!("{:.2}", p.elo),
                format!("{:.2}", p.low),
                format!("{:.2}", p.high),
                format!("{:.2}", p.std_error),
                p.games.to_string(),
                format!("{:.4}", p.score),
                format!("{:.2}", p.opponents_mean),
                format!("{:.4}", p.draws),
                p.anchor.to_string(),
            ]);
        }
        String::from_utf8(out.into_inner().unwrap_or_default()).unwrap_or_default()
    }

    /// Everything, covariances and superiority included, as indented JSON; [`serde_json`] reads it back.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_else(|e| format!("{{\"error\": \"{e}\"}}"))
    }
}
