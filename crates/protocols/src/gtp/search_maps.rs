//! What a search knows of each point, drawn on GoGui's board.
//!
//! The commands show what the last search found in the present position; where there was none, they search.

use super::analyst::{Analysis, Candidate, Inquiry};
use super::analyze::Wanted;
use super::command::{Refusal, refuse};
use super::gogui::heat_lines;
use super::live::LIVE_INTERVAL;
use super::session::{Answer, Call, Session, same_question};
use super::vertex::{move_text, moves_text};
use afterstate_engine::Budget;
use afterstate_games::Side;
use afterstate_games::go::{Go, Point};
use std::fmt::Write;

/// One number for each point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Map {
    /// The chance in percent that the side to move wins with a move there.
    Value,
    /// How often the search tried it.
    Visits,
    /// The chance in percent that it wins if it moves there at any time.
    Amaf,
    /// What was thought of the move before the search, in percent.
    Prior,
    /// Who will own the point.
    Ownership,
}

impl Map {
    pub const ALL: [Map; 5] = [Map::Value, Map::Visits, Map::Amaf, Map::Prior, Map::Ownership];

    /// The last word of its command, and its name as a setting.
    pub fn name(self) -> &'static str {
        match self {
            Map::Value => "value",
            Map::Visits => "visits",
            Map::Amaf => "amaf",
            Map::Prior => "prior",
            Map::Ownership => "ownership",
        }
    }

    /// Its line on GoGui's menu.
    pub fn menu(self) -> &'static str {
        match self {
            Map::Value => "gfx/Search Value/afterstate-search-value",
            Map::Visits => "gfx/Search Visits/afterstate-search-visits",
            Map::Amaf => "gfx/Search All-Moves-As-First/afterstate-search-amaf",
            Map::Prior => "gfx/Search Prior/afterstate-search-prior",
            Map::Ownership => "gfx/Search Ownership/afterstate-search-ownership",
        }
    }

    /// Drawing instructions, one a line.
    pub fn drawing(self, position: &Go, analysis: &Analysis) -> String {
        let (side, size) = (position.to_move(), position.size());
        let mut lines = match self {
            Map::Ownership => influence(analysis, size),
            _ => heat_lines(&self.heat(side, &analysis.candidates), size),
        };
        if lines.is_empty() {
            lines.push(format!("TEXT the search knows nothing of: {}", self.name()));
        }
        if let Some(best) = analysis.candidates.first() {
            let color = if side == Side::First { "Black" } else { "White" };
            // A pass has no point to be drawn on.
            let pass = analysis.candidates.iter().find(|candidate| candidate.mv.is_pass() && candidate.visits > 0);
            let pass = pass.map_or_else(String::new, |pass| format!("; pass {} visits", pass.visits));
            lines.push(format!(
                "TEXT {} visits, best {} wins {:.4} for {color}, {}{pass}",
                analysis.visits,
                move_text(best.mv, size),
                best.value.seen_by(side),
                moves_text(&best.principal_variation, size),
            ));
        }
        lines.join("\n")
    }

    /// Points with how hot they are, any scale, and what to write on them.
    fn heat(self, side: Side, candidates: &[Candidate]) -> Vec<(Point, f32, String)> {
        let percent = |share: f32| (share, format!("{:.0}", 100.0 * share));
        let of = |candidate: &Candidate| match self {
            Map::Value => (candidate.visits > 0).then(|| percent(candidate.value.seen_by(side))),
            Map::Visits => (candidate.visits > 0).then(|| (candidate.visits as f32, candidate.visits.to_string())),
            Map::Amaf => candidate.amaf.map(|value| percent(value.seen_by(side))),
            Map::Prior => candidate.prior.map(percent),
            Map::Ownership => None,
        };
        let hot = |candidate: &Candidate| of(candidate).zip(candidate.mv.point());
        candidates.iter().filter_map(hot).map(|((heat, label), point)| (point, heat, label)).collect()
    }
}

/// Black squares where Black will own the point, white ones where White will, larger the surer.
fn influence(analysis: &Analysis, size: usize) -> Vec<String> {
    let Some(ownership) = &analysis.ownership else { return Vec::new() };
    let mut line = String::from("INFLUENCE");
    for point in Point::all(size) {
        let _ = write!(line, " {} {:.2}", point.label(size), ownership.of(point));
    }
    vec![line]
}

pub(super) fn value(session: &mut Session, _: Call<'_>) -> Result<Answer, Refusal> {
    draw(session, Map::Value)
}

pub(super) fn visits(session: &mut Session, _: Call<'_>) -> Result<Answer, Refusal> {
    draw(session, Map::Visits)
}

pub(super) fn amaf(session: &mut Session, _: Call<'_>) -> Result<Answer, Refusal> {
    draw(session, Map::Amaf)
}

pub(super) fn prior(session: &mut Session, _: Call<'_>) -> Result<Answer, Refusal> {
    draw(session, Map::Prior)
}

pub(super) fn ownership(session: &mut Session, _: Call<'_>) -> Result<Answer, Refusal> {
    draw(session, Map::Ownership)
}

fn draw(session: &mut Session, map: Map) -> Result<Answer, Refusal> {
    let record = session.record_for(session.history.position().to_move());
    let position = record.position();
    let same = |seen: &Go| same_question(seen, position);
    if !session.seen.as_ref().is_some_and(|(seen, _)| same(seen)) {
        let budget = Budget::default();
        let inquiry = Inquiry { interval: LIVE_INTERVAL, ..Inquiry::new(&record, &budget) };
        if let Err(error) = session.consult(Wanted::Knowledge, &inquiry, &mut |_| {}) {
            return refuse(format!("the search cannot look at this position: {error}"));
        }
    }
    match &session.seen {
        Some((seen, analysis)) if same(seen) => Answer::text(map.drawing(position, analysis)),
        _ => Answer::text("TEXT the search has nothing to say"),
    }
}
