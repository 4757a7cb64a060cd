//! Counting the game as it stands: by area.
//!
//! Without a search, every stone counts as alive: players who think otherwise play on until it is off the board. With
//! one, its simulations tell which stones are dead, or playouts if it says nothing of who owns what. Playouts alone are wrong where
//! a rule's move saves what a good one kills, and would contradict the search that passes in the belief that all is settled.

use super::analyst::Inquiry;
use super::analyze::Wanted;
use super::command::{Refusal, quote, refuse};
use super::session::{Answer, Call, Session, same_question};
use super::vertex::points_text;
use afterstate_engine::Budget;
use afterstate_engine::search::{ChainStatus, Ownership, playout_ownership};
use afterstate_games::Side;
use afterstate_games::go::{MogoPlayout, Point};
use afterstate_games::rng::stream;
use std::time::{Duration, Instant};

/// Whoever asks for the score waits no longer for each of two searches.
const LONGEST_SEARCH: Duration = Duration::from_secs(2);

impl Session {
    /// Who owns what in the end, if the session can tell. As long as the position stays the answer does, too.
    fn ownership(&mut self) -> Option<Ownership> {
        let simulations = self.status_playouts?;
        let position = self.history.position().clone();
        if let Some((settled, ownership)) = &self.settled
            && same_question(settled, &position)
        {
            return Some(ownership.clone());
        }
        let ownership = self.searched_ownership(simulations).unwrap_or_else(|| {
            playout_ownership(&position, &mut MogoPlayout::default(), simulations, &mut stream(self.seed, 0))
        });
        self.settled = Some((position, ownership.clone()));
        Some(ownership)
    }

    /// What the analyst thinks of it, with either side to move: who is to move says little when a game is over, and a move more than
    /// there are makes doubtful what is not.
    fn searched_ownership(&mut self, simulations: u32) -> Option<Ownership> {
        self.analyst.as_ref()?;
        // Whose turn it is comes last, so that the player goes on from the game as it is.
        let side = self.history.position().to_move();
        let [one, other] = [side.other(), side].map(|side| {
            let record = self.record_for(side);
            let deadline = Instant::now().checked_add(LONGEST_SEARCH);
            let budget = Budget { simulations: Some(simulations.into()), deadline, ..Budget::default() };
            let inquiry = Inquiry { interval: LONGEST_SEARCH, ..Inquiry::new(&record, &budget) };
            let mut found: Option<Ownership> = None;
            self.consult(Wanted::Knowledge, &inquiry, &mut |analysis| found.clone_from(&analysis.ownership)).ok()?;
            found
        });
        let (one, other, size) = (one?, other?, self.history.position().size());
        let mean = |point| (one.of(point) + other.of(point)) / 2.0;
        Ownership::new(size, Point::all(size).map(mean).collect())
    }

    /// By how much Black wins, without the stones that are dead if the session can tell.
    pub(super) fn counted(&mut self) -> f64 {
        match self.ownership() {
            Some(ownership) => ownership.score(self.history.position()),
            None => self.history.position().score(),
        }
    }
}

pub(super) fn final_score(session: &mut Session, _: Call<'_>) -> Result<Answer, Refusal> {
    Answer::text(match session.counted() {
        0.0 => "0".to_owned(),
        lead if lead > 0.0 => format!("B+{lead:.1}"),
        lead => format!("W+{:.1}", -lead),
    })
}

/// One chain (or all of a territory) to a line.
pub(super) fn final_status_list(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    match call.args[0].as_str() {
        "alive" => chains(session, ChainStatus::Alive),
        "seki" => chains(session, ChainStatus::Seki),
        "dead" => chains(session, ChainStatus::Dead),
        "black_territory" => territory(session, Side::First),
        "white_territory" => territory(session, Side::Second),
        other => refuse(format!(
            "syntax error: status '{}': expected alive, dead, seki, black_territory or white_territory",
            quote(other)
        )),
    }
}

fn chains(session: &mut Session, wanted: ChainStatus) -> Result<Answer, Refusal> {
    let found = session.ownership();
    let board = session.history.position().board();
    // To whom every stone belongs that stands there, all stones are alive.
    let as_it_stands = || {
        let owner = |point| board.color(point).side().map_or(0.0, |side| 1.0 - 2.0 * side.index() as f32);
        Ownership::new(board.size(), Point::all(board.size()).map(owner).collect())
    };
    let Some(ownership) = found.or_else(as_it_stands) else { return Answer::done() };
    let lines = ownership.chains(board).into_iter().filter(|(_, status)| *status == wanted);
    Answer::text(lines.map(|(stones, _)| points_text(stones, board.size())).collect::<Vec<_>>().join("\n"))
}

/// The points that `side` surrounds once the dead stones are off the board.
fn territory(session: &mut Session, side: Side) -> Result<Answer, Refusal> {
    let found = session.ownership();
    let board = session.history.position().board();
    let cleaned = found.map(|ownership| ownership.without_dead_stones(board));
    let board = cleaned.as_ref().unwrap_or(board);
    let owned = Point::all(board.size()).filter(|&point| board.is_empty(point) && board.owner(point) == Some(side));
    Answer::text(points_text(owned, board.size()))
}
