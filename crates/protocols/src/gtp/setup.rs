//! Positions that do not come from moves, and the board as text.

use super::command::Refusal;
use super::session::{Answer, Call, Session};
use afterstate_games::go::Point;
use afterstate_games::go::board::Color;

pub(super) fn showboard(session: &mut Session, _: Call<'_>) -> Result<Answer, Refusal> {
    let go = session.history.position();
    let size = go.size();
    let row = |y: usize| {
        let stones = (0..size).map(|x| match go.board().color(Point::at(x, y, size)) {
            Color::Black => " X",
            Color::White => " O",
            _ => " .",
        });
        format!("{:2}{}", y + 1, stones.collect::<String>())
    };
    Answer::text(format!("\n{}", (0..size).rev().map(row).collect::<Vec<_>>().join("\n")))
}
