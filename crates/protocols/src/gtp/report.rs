//! The lines that an analysis writes.
//!
//! Every report is one line with all moves, best first. Win rates are those of the side to move, from 0
//! to 10,000 in Leela Zero's words and from 0 to 1 in the others; leads in points and ownership are that side's, too.

use super::analyst::{Analysis, Candidate};
use super::session::head;
use super::vertex::{move_text, moves_text};
use afterstate_games::Side;
use afterstate_games::go::{Go, Point};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::io::{self, Write};

/// The words of one of the programs that began this.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    LeelaZero,
    KataGo,
    Cgos,
}

/// What KataGo's words may hold beside the moves, on request.
#[derive(Clone, Copy, Default)]
pub(super) struct Extras {
    /// The owner of every point, the uppermost row first, from the left.
    pub ownership: bool,
    /// Of the position as a whole: visits, win rate, and the lead that the ownership adds up to.
    pub root: bool,
}

/// A response that is written bit by bit.
///
/// A search cannot be told that nobody reads its reports, so an error waits until [`Report::close`].
pub(super) struct Report<'a> {
    out: &'a mut dyn Write,
    id: Option<u32>,
    dialect: Dialect,
    side: Side,
    position: Go,
    extras: Extras,
    begun: bool,
    hold_back: bool,
    held: Option<String>,
    failed: io::Result<()>,
}

impl<'a> Report<'a> {
    pub fn new(out: &'a mut dyn Write, id: Option<u32>, dialect: Dialect, side: Side, position: &Go) -> Report<'a> {
        let (position, extras) = (position.clone(), Extras::default());
        Report { out, id, dialect, side, position, extras, begun: false, hold_back: false, held: None, failed: Ok(()) }
    }

    /// The same report with more in it.
    pub fn with(mut self, extras: Extras) -> Report<'a> {
        self.extras = extras;
        self
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

    /// Reports what is known now.
    pub fn send(&mut self, analysis: &Analysis) {
        let line = report_line(self.dialect, analysis, self.side, &self.position, self.extras);
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

/// The lower confidence bound of the side's winning probability; without one, the probability itself.
fn bound_of(side: Side, candidate: &Candidate) -> f32 {
    candidate.lower_bound.map_or(win_of(side, candidate), |bound| bound.seen_by(side).clamp(0.0, 1.0))
}

fn report_line(dialect: Dialect, analysis: &Analysis, side: Side, position: &Go, extras: Extras) -> String {
    let (candidates, size) = (&analysis.candidates[..], position.size());
    match dialect {
        Dialect::LeelaZero => join(candidates, |order, c| leela_zero_info(order, c, side, size)),
        Dialect::KataGo => {
            let mut line = join(candidates, |order, c| katago_info(order, c, side, size));
            // Readers find the moves first: nothing else is of use without them.
            if !line.is_empty() {
                line += &katago_extras(analysis, side, position, extras);
            }
            line
        }
        Dialect::Cgos => cgos_json(analysis, side, size).to_string(),
    }
}

fn join(candidates: &[Candidate], info: impl Fn(usize, &Candidate) -> String) -> String {
    candidates.iter().enumerate().map(|(order, c)| info(order, c)).collect::<Vec<_>>().join(" ")
}

fn leela_zero_info(order: usize, candidate: &Candidate, side: Side, size: usize) -> String {
    let ten_thousandths = |share: f32| (f64::from(share.clamp(0.0, 1.0)) * 1e4).round() as u32;
    let (win, bound) = (ten_thousandths(win_of(side, candidate)), ten_thousandths(bound_of(side, candidate)));
    format!(
        "info move {} visits {} winrate {win} prior {} lcb {bound} order {order} pv {}",
        move_text(candidate.mv, size),
        candidate.visits,
        ten_thousandths(candidate.prior.unwrap_or(0.0)),
        moves_text(&candidate.principal_variation, size),
    )
}

fn katago_info(order: usize, candidate: &Candidate, side: Side, size: usize) -> String {
    let (win, bound) = (win_of(side, candidate), bound_of(side, candidate));
    let lead = candidate.lead.map_or_else(String::new, |lead| {
        let lead = lead_of(side, lead);
        format!(" scoreMean {lead:.2} scoreLead {lead:.2}")
    });
    format!(
        "info move {} visits {} utility {:.6} winrate {win:.6}{lead} prior {:.6} lcb {bound:.6} utilityLcb {:.6} \
         order {order} pv {}",
        move_text(candidate.mv, size),
        candidate.visits,
        2.0 * win - 1.0,
        candidate.prior.unwrap_or(0.0),
        2.0 * bound - 1.0,
        moves_text(&candidate.principal_variation, size),
    )
}

fn katago_extras(analysis: &Analysis, side: Side, position: &Go, extras: Extras) -> String {
    let mut text = String::new();
    if extras.root {
        let win = analysis.value.map_or(0.5, |value| value.seen_by(side).clamp(0.0, 1.0));
        let _ = write!(text, " rootInfo visits {} utility {:.6} winrate {win:.6}", analysis.visits, 2.0 * win - 1.0);
        if let Some(ownership) = &analysis.ownership {
            let lead = lead_of(side, ownership.lead(position) as f32);
            let _ = write!(text, " scoreMean {lead:.2} scoreLead {lead:.2}");
        }
    }
    if let Some(ownership) = analysis.ownership.as_ref().filter(|_| extras.ownership) {
        let size = position.size();
        text += " ownership";
        for (y, x) in (0..size).rev().flat_map(|y| (0..size).map(move |x| (y, x))) {
            // Adding 0 keeps the sign off zeros.
            let _ = write!(text, " {:.4}", ownership.seen_by(Point::at(x, y, size), side) + 0.0);
        }
    }
    text
}

/// Six decimals, as much as a 32-bit value has.
fn rounded(number: f32) -> f64 {
    (f64::from(number) * 1e6).round() / 1e6
}

fn cgos_json(analysis: &Analysis, side: Side, size: usize) -> Json {
    let candidates = &analysis.candidates;
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
    use afterstate_engine::search::Ownership;
    use afterstate_games::go::Move;

    fn analysis() -> Analysis {
        let (a, b) = (Move::play(Point::at(3, 3, 9)), Move::play(Point::at(8, 0, 9)));
        let best = Candidate {
            visits: 40,
            lower_bound: Some(Value(0.375)),
            prior: Some(0.5),
            lead: Some(-3.5),
            principal_variation: vec![a, b, Move::PASS],
            ..Candidate::new(a, Value(0.25))
        };
        let other = Candidate { visits: 2, ..Candidate::new(b, Value(0.5)) };
        // White's lowest row, Black's J9, and nobody's rest.
        let owner = |i| [0.0, -0.75, 0.5][usize::from(i < 9) + 2 * usize::from(i == 80)];
        let ownership = Ownership::new(9, (0..81).map(owner).collect());
        Analysis { candidates: vec![best, other], visits: 42, value: Some(Value(0.25)), ownership }
    }

    fn report<'a>(out: &'a mut Vec<u8>, dialect: Dialect) -> Report<'a> {
        Report::new(out, Some(3), dialect, Side::Second, &Go::new(9))
    }

    fn written(dialect: Dialect, last: Option<&str>) -> String {
        let mut out = Vec::new();
        let mut report = report(&mut out, dialect);
        report.send(&analysis());
        report.close(last).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn ownership_and_root_are_the_sides_and_follow_the_moves() {
        let mut out = Vec::new();
        let mut report = report(&mut out, Dialect::KataGo).with(Extras { ownership: true, root: true });
        report.send(&analysis());
        report.close(None).unwrap();
        let text = String::from_utf8(out).unwrap();
        let (moves, rest) = text.split_once(" rootInfo ").unwrap();
        assert!(moves.ends_with("pv J1"), "{moves}");
        let (root, owners) = rest.trim_end().split_once(" ownership ").unwrap();
        // White's lead: 9·0.75 − 0.5 + 7.5.
        assert_eq!(root, "visits 42 utility 0.500000 winrate 0.750000 scoreMean 13.75 scoreLead 13.75");
        let owners: Vec<&str> = owners.split(' ').collect();
        // From the upper left corner, so that J9 ends the first row.
        let expected = |i| match i {
            8 => "-0.5000",
            72.. => "0.7500",
            _ => "0.0000",
        };
        assert_eq!(owners, (0..81).map(expected).collect::<Vec<_>>());
    }

    #[test]
    fn each_dialect_has_its_own_words() {
        assert_eq!(
            written(Dialect::LeelaZero, None),
            "=3 \ninfo move D4 visits 40 winrate 7500 prior 5000 lcb 6250 order 0 pv D4 J1 pass \
             info move J1 visits 2 winrate 5000 prior 0 lcb 5000 order 1 pv J1\n\n"
        );
        assert_eq!(
            written(Dialect::KataGo, Some("play D4")),
            "=3 \ninfo move D4 visits 40 utility 0.500000 winrate 0.750000 scoreMean 3.50 scoreLead 3.50 \
             prior 0.500000 lcb 0.625000 utilityLcb 0.250000 order 0 pv D4 J1 pass \
             info move J1 visits 2 utility 0.000000 winrate 0.500000 prior 0.000000 lcb 0.500000 utilityLcb 0.000000 order 1 pv J1\n\
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
        let mut report = Report::new(&mut out, None, Dialect::KataGo, Side::First, &Go::new(9))
            .with(Extras { ownership: true, root: true });
        report.send(&Analysis::default());
        report.close(None).unwrap();
        assert_eq!(out, b"= \n\n");
    }
}
