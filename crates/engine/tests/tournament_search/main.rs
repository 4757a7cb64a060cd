//! The tournament search for chess, against slow references and positions whose answer is known.

mod draws;
mod limits;
mod mates;
mod minimax;
mod piece_squares;
mod robustness;

use afterstate_engine::search::{Bound, Score, SearchLimits, TournamentSearch, TournamentSettings};
use afterstate_engine::{Budget, Decision};
use afterstate_games::chess::Move;
use afterstate_games::rng::below;
use afterstate_games::{Chess, Game, Notation, Record, Turn, stream};
use piece_squares::PieceSquares;

fn position(text: &str) -> Chess {
    Chess::parse_position(text).unwrap()
}

fn engine(settings: TournamentSettings) -> TournamentSearch<PieceSquares> {
    TournamentSearch::new(PieceSquares::new(), settings)
}

fn small() -> TournamentSettings {
    TournamentSettings { table_mib: 1, ..TournamentSettings::default() }
}

fn depth(depth: u32) -> SearchLimits {
    Budget { depth: Some(depth), ..Budget::default() }.into()
}

fn nodes(nodes: u64) -> SearchLimits {
    Budget { simulations: Some(nodes), ..Budget::default() }.into()
}

/// The decision, and the last score that was reported as exact for the best line.
fn decide(
    search: &mut TournamentSearch<PieceSquares>,
    record: &Record<Chess>,
    limits: &SearchLimits,
) -> (Decision<Move>, Option<Score>) {
    let mut score = None;
    let decision = search.search(record, limits, &mut |news| {
        if let Some(info) = news.line()
            && info.multi_pv == 1
            && info.bound == Bound::Exact
        {
            score = Some(info.score);
        }
    });
    (decision, score)
}

/// Positions of random games, `every` plies apart.
fn random_positions(seed: u64, count: usize, every: u32) -> Vec<Chess> {
    let (mut positions, mut moves) = (Vec::new(), Vec::new());
    for number in 0.. {
        let mut rng = stream(seed, number);
        // Every other game is one of Chess960.
        let mut game = if number % 2 == 0 { Chess::new() } else { Chess::chess960(below(&mut rng, 960)).unwrap() };
        for ply in 1.. {
            if matches!(game.turn(), Turn::Over(_)) {
                break;
            }
            if ply % every == 0 {
                positions.push(game.clone());
                if positions.len() == count {
                    return positions;
                }
            }
            game.legal_moves(&mut moves);
            game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
        }
    }
    positions
}
