//! Counting the game as it stands: by area, with every stone alive.

use super::command::{Refusal, quote, refuse};
use super::session::{Answer, Call, Session};
use super::vertex::points_text;
use afterstate_games::Side;
use afterstate_games::go::{Point, PointSet};

pub(super) fn final_score(session: &mut Session, _: Call<'_>) -> Result<Answer, Refusal> {
    let score = session.history.position().score();
    Answer::text(match score {
        0.0 => "0".to_owned(),
        lead if lead > 0.0 => format!("B+{lead:.1}"),
        lead => format!("W+{:.1}", -lead),
    })
}

/// One chain (or all of a territory) to a line. No stone is ever dead or in seki: players who think so
/// play on until it is off the board.
pub(super) fn final_status_list(session: &mut Session, call: Call<'_>) -> Result<Answer, Refusal> {
    let board = session.history.position().board();
    let size = board.size();
    let territory = |side: Side| {
        let owned = Point::all(size).filter(|&point| board.is_empty(point) && board.owner(point) == Some(side));
        Answer::text(points_text(owned, size))
    };
    match call.args[0].as_str() {
        "alive" => {
            let (mut seen, mut lines) = (PointSet::EMPTY, Vec::new());
            for point in Point::all(size).filter(|&point| !board.is_empty(point)) {
                if !seen.contains(point) {
                    let mut chain: Vec<Point> = board.chain_stones(point).collect();
                    chain.sort();
                    chain.iter().for_each(|&stone| {
                        seen.insert(stone);
                    });
                    lines.push(points_text(chain, size));
                }
            }
            Answer::text(lines.join("\n"))
        }
        "dead" | "seki" => Answer::done(),
        "black_territory" => territory(Side::First),
        "white_territory" => territory(Side::Second),
        other => refuse(format!(
            "syntax error: status '{}': expected alive, dead, seki, black_territory or white_territory",
            quote(other)
        )),
    }
}
