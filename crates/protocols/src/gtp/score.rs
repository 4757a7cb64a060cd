//! Counting the game as it stands: by area.
//!
//! Without a search, every stone counts as alive: players who think otherwise play on until it is off the board. With
//! one, playouts tell which stones are dead.

use super::command::{Refusal, quote, refuse};
use super::session::{Answer, Call, Session};
use super::vertex::points_text;
use afterstate_engine::search::{ChainStatus, Ownership, playout_ownership};
use afterstate_games::Side;
use afterstate_games::go::{MogoPlayout, Point};
use afterstate_games::rng::stream;

impl Session {
    /// Who owns what by playouts, if the session has them. The same position always gives the same answer.
    fn playout_ownership(&self) -> Option<Ownership> {
        let (playouts, rng) = (self.status_playouts?, &mut stream(self.seed, 0));
        Some(playout_ownership(self.history.position(), &mut MogoPlayout::default(), playouts, rng))
    }

    /// By how much Black wins, without the stones that playouts take to be dead if the session has them.
    pub(super) fn counted(&self) -> f64 {
        let position = self.history.position();
        self.playout_ownership().map_or_else(|| position.score(), |ownership| ownership.score(position))
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

fn chains(session: &Session, wanted: ChainStatus) -> Result<Answer, Refusal> {
    let board = session.history.position().board();
    // To whom every stone belongs that stands there, all stones are alive.
    let as_it_stands = || {
        let owner = |point| board.color(point).side().map_or(0.0, |side| 1.0 - 2.0 * side.index() as f32);
        Ownership::new(board.size(), Point::all(board.size()).map(owner).collect())
    };
    let Some(ownership) = session.playout_ownership().or_else(as_it_stands) else { return Answer::done() };
    let lines = ownership.chains(board).into_iter().filter(|(_, status)| *status == wanted);
    Answer::text(lines.map(|(stones, _)| points_text(stones, board.size())).collect::<Vec<_>>().join("\n"))
}

/// The points that `side` surrounds once the dead stones are off the board.
fn territory(session: &Session, side: Side) -> Result<Answer, Refusal> {
    let board = session.history.position().board();
    let cleaned = session.playout_ownership().map(|ownership| ownership.without_dead_stones(board));
    let board = cleaned.as_ref().unwrap_or(board);
    let owned = Point::all(board.size()).filter(|&point| board.is_empty(point) && board.owner(point) == Some(side));
    Answer::text(points_text(owned, board.size()))
}
