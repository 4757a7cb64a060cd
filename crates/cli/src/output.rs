//! Standard output of reports: buffered, and without a panic when the reader goes away.

use anyhow::Result;
use serde::Serialize;
use std::io::{self, BufWriter, StdoutLock, Write};
use unicode_width::UnicodeWidthStr;

/// Standard output, locked and buffered. Errors of writing come back as errors, which name it; `main` treats a closed
/// pipe as a quiet end.
pub fn stdout() -> BufWriter<Stdout> {
    BufWriter::new(Stdout(io::stdout().lock()))
}

/// Standard output whose errors say where they are.
pub struct Stdout(StdoutLock<'static>);

fn named(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("standard output: {error}"))
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(named)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(named)
    }
}

/// A line on standard error, as `eprintln` has it, which panics if nobody reads that any more.
macro_rules! tell {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr().lock(), $($argument)*);
    }};
}
pub(crate) use tell;

/// Writes `report` as indented JSON and a line end.
pub fn json(out: &mut dyn Write, report: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(report)?;
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}

/// Whether the error is only that nobody reads the output any more, as in `afterstate games | head -1`.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
            || cause
                .downcast_ref::<serde_json::Error>()
                .is_some_and(|error| error.io_error_kind() == Some(io::ErrorKind::BrokenPipe))
    })
}

/// Columns of text, aligned; numbers to the right.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with a line of headings.
    pub fn new<'a>(headings: impl IntoIterator<Item = &'a str>) -> Table {
        Table { rows: vec![headings.into_iter().map(str::to_string).collect()] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Writes all rows.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max();
        let numeric = |column: usize| {
            self.rows.iter().skip(1).filter_map(|row| row.get(column)).all(|cell| {
                cell.is_empty() || cell.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit())
            })
        };
        let widths: Vec<(usize, bool)> = (0..columns).map(|c| (width(c).unwrap_or(0), numeric(c))).collect();
        for row in &self.rows {
            let cells: Vec<String> = row
                .iter()
                .zip(&widths)
                .map(|(cell, &(width, right))| {
                    let space = " ".repeat(width.saturating_sub(cell.width()));
                    if right { space + cell } else { cell.clone() + &space }
                })
                .collect();
            writeln!(out, "{}", cells.join("  ").trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right_and_words_to_the_left() {
        let mut table = Table::new(["name", "elo"]);
        table.row(["a".into(), "+12".into()]);
        table.row(["longer".into(), "-1234".into()]);
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "name      elo\na         +12\nlonger  -1234\n");
    }

    #[test]
    fn wide_characters_take_two_columns_and_accents_none() {
        let mut table = Table::new(["name", "elo"]);
        table.row(["囲碁".into(), "12".into()]);
        table.row(["e\u{301}".into(), "1234".into()]);
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "name   elo\n囲碁    12\ne\u{301}     1234\n");
    }

    #[test]
    fn a_closed_pipe_is_recognised_inside_other_errors() {
        let closed = anyhow::Error::from(io::Error::from(io::ErrorKind::BrokenPipe)).context("writing the table");
        assert!(is_broken_pipe(&closed));
        assert!(!is_broken_pipe(&anyhow::anyhow!("broken pipe")));
    }
}
