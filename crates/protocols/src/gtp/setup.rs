//! Handicap stones, and the board as text.

use super::command::{Refusal, parse_argument, refuse};
use super::history::History;
use super::session::{Answer, Call, Session};
use super::vertex::{parse_point, points_text};
use afterstate_games::go::handicap::{HandicapError, fixed_handicap as fixed, free_handicap};
use afterstate_games::go::{Diagram, Point};

/// Stones on the star points that the specification names.
pub(super) fn fixed_handicap(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    let stones = parse_argument("STONES", &call.args[0], "a whole number")?;
    let points = fixed(session.history.position().size(), stones).or_else(refuse_handicap)?;
    session.place_handicap(&points)
}

/// Stones where we like; fewer than asked for on a board too small for them.
pub(super) fn place_free_handicap(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    let size = session.history.position().size();
    let stones: usize = parse_argument("STONES", &call.args[0], "a whole number")?;
    let most = size * size - 1;
    if stones > most {
        return refuse_handicap(HandicapError::Count { stones, size, most });
    }
    let points = free_handicap(size, stones.min(size * size / 4)).or_else(refuse_handicap)?;
    session.place_handicap(&points)
}

pub(super) fn set_free_handicap(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    let size = session.history.position().size();
    let points: Vec<Point> = call.args.iter().map(|text| parse_point(text, size)).collect::<Result<_, _>>()?;
    session.place_handicap(&points)?;
    Answer::done()
}

impl Session {
    /// Begins the game anew with these stones, and answers where they stand.
    fn place_handicap(&mut self, points: &[Point]) -> Result<Answer, Refusal> {
        if !self.history.plies().is_empty() {
            return refuse_handicap(HandicapError::NotEmpty);
        }
        let start = self.history.start().clone().with_handicap(points).or_else(refuse_handicap)?;
        self.history = History::new(start);
        self.changed();
        Answer::text(points_text(points.iter().copied(), self.history.position().size()))
    }
}

/// The specification's words, and then our own.
fn refuse_handicap<T>(error: HandicapError) -> Result<T, Refusal> {
    let standard = match error {
        HandicapError::NotEmpty => "board not empty",
        HandicapError::Point(_) => "bad vertex list",
        _ => "invalid number of stones",
    };
    refuse(format!("{standard}: {error}"))
}

pub(super) fn showboard(session: &mut Session, _: Call<'_>) -> Result<Answer, Refusal> {
    let diagram = Diagram::new(session.history.position());
    let diagram = match session.history.plies().last() {
        Some(&(_, mv)) => diagram.last_move(mv),
        None => diagram,
    };
    // The picture begins on a line of its own.
    Answer::text(format!("\n{diagram}"))
}
