//! The games of backgammon of a tournament as a `.mat` file: [`session`].

use crate::result_log::Header;
use crate::tournament::TournamentResults;
use afterstate_games::backgammon::mat::{Action, MatGame, MatMatch};
use afterstate_games::backgammon::{Backgammon, Board, Move, Phase};
use afterstate_games::{Game, Notation, NotationError, Record, Side, Turn};
use thiserror::Error;

/// A game that a `.mat` file has no words for.
#[derive(Debug, Error)]
#[error("game {index}: {problem}")]
pub struct NotBackgammon {
    /// The game's number.
    pub index: u64,
    /// What it has no words for.
    pub problem: String,
}

/// All games as money games, one after the other, with the points that each agent had won before. Who comes first in the
/// tournament's list is in the left column.
///
/// # Errors
///
/// A game that did not begin at the beginning, or whose moves make no sense in backgammon.
pub fn session(results: &TournamentResults) -> Result<MatMatch, NotBackgammon> {
    // Tournaments are played without a cube.
    let mut session = MatMatch { cubeless: true, ..MatMatch::default() };
    let mut scores = vec![0; results.header.settings.agents.len()];
    for logged in &results.games {
        // The columns are the same in both games of a pair.
        let turned = logged.agents[0] > logged.agents[1];
        let [left, right] = if turned { [logged.agents[1], logged.agents[0]] } else { logged.agents };
        let error = |problem: String| NotBackgammon { index: logged.index, problem };
        let side_of = |side: Side| if turned { side.other() } else { side };
        let record = record(&results.header, logged.start.as_deref(), &logged.result.moves).map_err(error)?;
        let mut actions = Vec::new();
        let mut position = *record.start();
        for &mv in record.moves() {
            if let (Phase::ToPlay(side, dice), Move::Play(play)) = (position.phase(), mv) {
                actions.push((side_of(side), Action::Play(dice, play)));
            }
            position.play(mv);
        }
        let outcome = logged.result.outcome;
        let won = outcome.winner.map(|winner| (side_of(winner), u32::from(outcome.stake)));
        let name = |agent: usize| results.header.settings.agents.get(agent).cloned().unwrap_or_default();
        let score = [left, right].map(|agent| scores.get(agent).copied().unwrap_or_default());
        session.games.push(MatGame { players: [name(left), name(right)], score, actions, won });
        if let Some((side, points)) = won
            && let Some(score) = scores.get_mut([left, right][side.index()])
        {
            *score += points;
        }
    }
    Ok(session)
}

fn record(header: &Header, start: Option<&str>, moves: &[String]) -> Result<Record<Backgammon>, String> {
    let says = |error: NotationError| format!("{error}; is this a tournament of backgammon?");
    let start = Backgammon::parse_position(start.unwrap_or(&header.start)).map_err(says)?;
    if *start.board() != Board::start() {
        return Err("it began in another position than backgammon does, which such a file cannot say".to_string());
    }
    let (mut record, mut throws) = (Record::new(start), Vec::new());
    for text in moves {
        let mv = record.position().parse_move(text).map_err(says)?;
        let can_be = match record.position().turn() {
            Turn::Over(_) => false,
            Turn::Player(_) => record.position().is_legal(mv),
            Turn::Chance => {
                record.position().chance_outcomes(&mut throws);
                throws.iter().any(|(throw, _)| *throw == mv)
            }
        };
        if !can_be {
            return Err(format!("'{text}' cannot be there"));
        }
        record.play(mv);
    }
    Ok(record)
}
