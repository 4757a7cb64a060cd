//! Perft of chess without bulk counting, where every move is really played: through [`Game`], as searches go from position to
//! position, and by the generator that chess is built on, as its own example does. The ratio says what the interface costs.

use super::Effort;
use super::measure::{Figure, Report, measure};
use afterstate_games::{Chess, Game, Notation};
use anyhow::Result;
use cozy_chess::Board;
use std::time::Duration;

/// A middlegame with every kind of move ("Kiwipete"): 97,862 positions three moves later.
const START: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const DEPTH: usize = 3;

/// What is disturbed in between disturbs both: they take turns so many times.
const TURNS: u32 = 8;

/// Measures both.
pub fn run(effort: Effort, report: Report) -> Result<()> {
    let start = Chess::parse_position(START)?;
    let turn = Effort { time: effort.time / TURNS, ..effort };
    let mut work = [0; 2];
    let mut time = [Duration::ZERO; 2];
    for _ in 0..TURNS {
        let through_game = measure(turn, |_| {
            let (start, mut buffers) = (start.clone(), vec![Vec::new(); DEPTH]);
            move || [through_game(&start, &mut buffers)]
        });
        let by_generator = measure(turn, |_| {
            let board = start.board().clone();
            move || [by_generator(&board, DEPTH)]
        });
        for (which, measured) in [through_game, by_generator].into_iter().enumerate() {
            work[which] += measured.work[0];
            time[which] += measured.processor;
        }
    }
    let rate = |which: usize| work[which] as f64 / time[which].as_secs_f64().max(1e-9);
    let (game, generator) = (rate(0), rate(1));
    report(Figure { name: "chess.perft.nodes".into(), value: game, unit: "/s" })?;
    report(Figure { name: "chess.perft.nodes.generator".into(), value: generator, unit: "/s" })?;
    report(Figure { name: "chess.perft.ratio".into(), value: 100.0 * game / generator, unit: "%" })
}

/// Positions after as many moves as there are buffers.
fn through_game<G: Game>(game: &G, buffers: &mut [Vec<G::Move>]) -> u64 {
    let Some((moves, deeper)) = buffers.split_first_mut() else { return 1 };
    // There are none when the game is over.
    game.legal_moves(moves);
    let mut nodes = 0;
    for &mv in &*moves {
        let mut next = game.clone();
        next.play(mv);
        nodes += through_game(&next, deeper);
    }
    nodes
}

/// As the example `perft` of `cozy-chess` counts.
fn by_generator(board: &Board, depth: usize) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut nodes = 0;
    board.generate_moves(|of_a_piece| {
        for mv in of_a_piece {
            let mut next = board.clone();
            next.play_unchecked(mv);
            nodes += by_generator(&next, depth - 1);
        }
        false
    });
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_count_the_same() {
        let start = Chess::parse_position(START).unwrap();
        assert_eq!(through_game(&start, &mut vec![Vec::new(); DEPTH]), 97_862);
        assert_eq!(by_generator(start.board(), DEPTH), 97_862);
    }
}
