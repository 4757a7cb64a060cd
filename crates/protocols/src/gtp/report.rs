//! The lines that an analysis writes.
//!
//! Every report is one line with all moves, best first. Win rates are those of the side to move, from 0
//! to 10,000 in Leela Zero's words and from 0 to 1 in the others; leads in points are that side's, too.

use super::insight::Candidate;
use super::session::head;
use super::vertex::move_text;
use afterstate_games::Side;
use afterstate_games::go::Move;
use serde_json::{Value as Json, json};
use std::io::{self, Write};

/// The words of one of the programs that began this.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    LeelaZero,
    KataGo,
    Cgos,
}

/// A response that is written bit by bit.
///
/// A search cannot be told that nobody reads its reports, so an error waits until [`Report::close`].
pub(super) struct Report<'a> {
    out: &'a mut dyn Write,
    id: Option<u32>,
    dialect: Dialect,
    side: Side,
    size: usize,
    begun: bool,
    hold_back: bool,
    held: Option<String>,
    failed: io::Result<()>,
}

impl<'a> Report<'a> {
    pub fn new(out: &'a mut dyn Write, id: Option<u32>, dialect: Dialect, side: Side, size: usize) -> Report<'a> {
        Report { out, id, dialect, side, size, begun: false, hold_back: false, held: None, failed: Ok(()) }
    }

    /// Keeps the latest report until the end instead of writing all of them.
    pub fn hold_back(&mut self, hold_back: bool) {
        self.hold_back = hold_back;
    }

    /// Whether anything has been written.
    pub fn begun(&self) -> bool {
        self.begun
    }

    /// Begins the response.
    pub fn open(&mut self) {
        if !self.begun {
            self.begun = true;
            self.line(&head('=', self.id));
        }
    }

    /// Reports `candidates`, best first.
    pub fn send(&mut self, candidates: &[Candidate]) {
        let line = report_line(self.dialect, candidates, self.side, self.size);
        if self.hold_back {
            self.held = Some(line);
        } else if !line.is_empty() {
            self.open();
            self.line(&line);
        }
    }

    /// Ends the response, with a last line if there is one.
    pub fn close(mut self, last: Option<&str>) -> io::Result<()> {
        self.open();
        if let Some(line) = self.held.take() {
            self.line(&line);
        }
        self.line(&last.map_or_else(String::new, |line| format!("{line}\n")));
        self.failed
    }

    fn line(&mut self, text: &str) {
        if self.failed.is_ok() {
            self.failed = writeln!(self.out, "{text}").and_then(|()| self.out.flush());
        }
    }
}

/// The side's winning probability; values of a linear function may lie beyond 0 and 1.
fn win_of(side: Side, candidate: &Candidate) -> f32 {
    candidate.value.seen_by(side).clamp(0.0, 1.0)
}

/// A lead for Black as a lead for `side`.
fn lead_of(side: Side, lead: f32) -> f32 {
    match side {
        Side::First => lead,
        Side::Second => -lead,
    }
}

fn moves_text(moves: &[Move], size: usize) -> String {
    moves.iter().map(|&mv| move_text(mv, size)).collect::<Vec<_>>().join(" ")
}

fn report_line(dialect: Dialect, candidates: &[Candidate], side: Side, size: usize) -> String {
    match dialect {
        Dialect::LeelaZero => join(candidates, |order, c| leela_zero_info(order, c, side, size)),
        Dialect::KataGo => join(candidates, |order, c| katago_info(order, c, side, size)),
        Dialect::Cgos => cgos_json(candidates, side, size).to_string(),
    }
}

fn join(candidates: &[Candidate], info: impl Fn(usize, &Candidate) -> String) -> String {
    candidates.iter().enumerate().map(|(order, c)| info(order, c)).collect::<Vec<_>>().join(" ")
}

fn leela_zero_info(order: usize, candidate: &Candidate, side: Side, size: usize) -> String {
    let ten_thousandths = |share: f32| (f64::from(share.clamp(0.0, 1.0)) * 1e4).round() as u32;
    let win = ten_thousandths(win_of(side, candidate));
    format!(
        "info move {} visits {} winrate {win} prior {} lcb {win} order {order} pv {}",
        move_text(candidate.mv, size),
        candidate.visits,
        ten_thousandths(candidate.prior.unwrap_or(0.0)),
        moves_text(&candidate.principal_variation, size),
    )
}

fn katago_info(order: usize, candidate: &Candidate, side: Side, size: usize) -> String {
    let win = win_of(side, candidate);
    let lead = candidate.lead.map_or_else(String::new, |lead| {
        let lead = lead_of(side, lead);
        format!(" scoreMean {lead:.2} scoreLead {lead:.2}")
    });
    format!(
        "info move {} visits {} utility {:.6} winrate {win:.6}{lead} prior {:.6} lcb {win:.6} order {order} pv {}",
        move_text(candidate.mv, size),
        candidate.visits,
        2.0 * win - 1.0,
        candidate.prior.unwrap_or(0.0),
        moves_text(&candidate.principal_variation, size),
    )
}

/// Six decimals, as much as a 32-bit value has.
fn rounded(number: f32) -> f64 {
    (f64::from(number) * 1e6).round() / 1e6
}

fn cgos_json(candidates: &[Candidate], side: Side, size: usize) -> Json {
    let moves: Vec<Json> = candidates
        .iter()
        .map(|candidate| {
            // The line of play is what follows the move.
            let rest = candidate.principal_variation.get(1..).unwrap_or_default();
            let mut entry = json!({
                "move": move_text(candidate.mv, size),
                "visits": candidate.visits,
                "winrate": rounded(win_of(side, candidate)),
                "pv": moves_text(rest, size),
            });
            if let Some(lead) = candidate.lead {
                entry["score"] = json!(rounded(lead_of(side, lead)));
            }
            if let Some(prior) = candidate.prior {
                entry["prior"] = json!(rounded(prior));
            }
            entry
        })
        .collect();
    let mut root = json!({
        "visits": candidates.iter().map(|candidate| candidate.visits).sum::<u64>(),
        "moves": moves,
    });
    if let Some(best) = candidates.first() {
        root["winrate"] = json!(rounded(win_of(side, best)));
        if let Some(lead) = best.lead {
            root["score"] = json!(rounded(lead_of(side, lead)));
        }
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_engine::Value;
    use afterstate_games::go::Point;

    fn candidates() -> Vec<Candidate> {
        let (a, b) = (Move::play(Point::at(3, 3, 9)), Move::play(Point::at(8, 0, 9)));
        vec![
            Candidate {
                mv: a,
                value: Value(0.25),
                visits: 40,
                prior: Some(0.5),
                lead: Some(-3.5),
                principal_variation: vec![a, b, Move::PASS],
            },
            Candidate { mv: b, value: Value(0.5), visits: 2, prior: None, lead: None, principal_variation: vec![b] },
        ]
    }

    fn written(dialect: Dialect, last: Option<&str>) -> String {
        let mut out = Vec::new();
        let mut report = Report::new(&mut out, Some(3), dialect, Side::Second, 9);
        report.send(&candidates());
        report.close(last).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_dialect_has_its_own_words() {
        assert_eq!(
            written(Dialect::LeelaZero, None),
            "=3 \ninfo move D4 visits 40 winrate 7500 prior 5000 lcb 7500 order 0 pv D4 J1 pass \
             info move J1 visits 2 winrate 5000 prior 0 lcb 5000 order 1 pv J1\n\n"
        );
        assert_eq!(
            written(Dialect::KataGo, Some("play D4")),
            "=3 \ninfo move D4 visits 40 utility 0.500000 winrate 0.750000 scoreMean 3.50 scoreLead 3.50 \
             prior 0.500000 lcb 0.750000 order 0 pv D4 J1 pass \
             info move J1 visits 2 utility 0.000000 winrate 0.500000 prior 0.000000 lcb 0.500000 order 1 pv J1\n\
             play D4\n\n"
        );
        assert_eq!(
            written(Dialect::Cgos, Some("play D4")),
            "=3 \n{\"moves\":[{\"move\":\"D4\",\"prior\":0.5,\"pv\":\"J1 pass\",\"score\":3.5,\"visits\":40,\
             \"winrate\":0.75},{\"move\":\"J1\",\"pv\":\"\",\"visits\":2,\"winrate\":0.5}],\"score\":3.5,\
             \"visits\":42,\"winrate\":0.75}\nplay D4\n\n"
        );
    }

    #[test]
    fn a_report_without_moves_is_a_whole_response() {
        let mut out = Vec::new();
        let mut report = Report::new(&mut out, None, Dialect::LeelaZero, Side::First, 9);
        report.send(&[]);
        report.close(None).unwrap();
        assert_eq!(out, b"= \n\n");
    }
}
