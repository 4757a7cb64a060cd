//! `bench`: a fixed amount of thinking, to compare machines and versions.

use super::info::Info;
use super::limits::GoLimits;
use super::position::parse_position;
use super::thinker::Thinker;
use std::time::{Duration, Instant};

/// Openings, middle games with tactics and without, endgames: the first ones of Kaufman's, Bratko and Kopec's, and
/// Stockfish's sets, and a mate.
const POSITIONS: [&str; 12] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 10",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 11",
    "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1",
    "3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - 0 1",
    "2q1rr1k/3bbnnp/p2p1pp1/2pPp3/PpP1P1P1/1P2BNNP/2BQ1PRK/7R b - - 0 1",
    "1rbq1rk1/p1b1nppp/1p2p3/8/1B1pN3/P2B4/1P3PPP/2RQ1R1K w - - 0 1",
    "3r2k1/p2r1p1p/1p2p1p1/q4n2/3P4/PQ5P/1P1RNPP1/3R2K1 b - - 0 1",
    "6k1/6p1/6Pp/ppp5/3pn2P/1P3K2/1PP2P2/3N4 b - - 0 1",
    "4b3/p3kp2/6p1/3pP2p/2pP1P2/4K1P1/P3N2P/8 w - - 0 1",
    "8/8/1P6/5pr1/8/4R3/7k/2K5 w - - 0 1",
    "8/R7/2q5/8/6k1/8/1P5p/K6R w - - 0 124",
];

/// What came of it.
pub(super) struct Total {
    /// Positions seen.
    pub nodes: u64,
    pub time: Duration,
}

/// Lets `thinker` think about every position, `depth` plies deep or as deep as it likes best for this; `None` if it was
/// stopped before. Each position is a game of its own.
pub(super) fn bench(
    thinker: &mut dyn Thinker,
    depth: Option<u32>,
    limits: &GoLimits,
    report: &mut dyn FnMut(&Info),
) -> Option<Total> {
    let depth = depth.unwrap_or_else(|| thinker.bench_depth()).max(1);
    let (begin, mut nodes) = (Instant::now(), 0);
    for (i, position) in POSITIONS.iter().enumerate() {
        let words: Vec<&str> = std::iter::once("fen").chain(position.split(' ')).collect();
        let record = parse_position(&words, false).ok()?;
        let limits = GoLimits { depth: Some(depth), began: Instant::now(), ..limits.clone() };
        thinker.new_game();
        let decision = thinker.think(&record, &limits, &mut |_| {});
        if limits.stopped() {
            return None;
        }
        nodes += decision.effort;
        report(&Info::Text(format!("bench {}/{} nodes {}", i + 1, POSITIONS.len(), decision.effort)));
    }
    thinker.new_game();
    Some(Total { nodes, time: begin.elapsed() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_can_be_played() {
        for position in POSITIONS {
            let words: Vec<&str> = std::iter::once("fen").chain(position.split(' ')).collect();
            let record = parse_position(&words, false).unwrap();
            assert!(!super::super::position::playable_moves(record.position()).is_empty(), "{position}");
        }
    }
}
