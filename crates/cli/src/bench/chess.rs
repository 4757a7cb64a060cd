//! Chess: the evaluation, the search that plays and the search that learners use, over fixed weights in place of learnt ones.

use super::measure::{Report, measure};
use super::{Effort, chess_network};
use afterstate_engine::Budget;
use afterstate_engine::learning::{SearchLearner, TreeStrap, TreeStrapSettings};
use afterstate_engine::search::{
    ChessEvaluation, SearchLimits, TournamentSearch, TournamentSettings, TrainingSearch, TrainingSearchSettings,
};
use afterstate_engine::value::{ChessTerms, Features, FrozenTerms, Squash, TermSet, Weights};
use afterstate_games::rng::below;
use afterstate_games::{Chess, Notation, Record, stream};
use anyhow::Result;
use std::hint::black_box;
use std::sync::Arc;

/// Positions from the opening to the endgame; the first five are known from perft (the Chess Programming Wiki).
const POSITIONS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N1PN2/PP3PPP/R1BQ1RK1 b - - 0 9",
    "8/5pk1/4p1p1/7p/3R3P/6P1/r4PK1/8 w - - 0 40",
    "2r3k1/5ppp/p3p3/1p1nP3/3P4/P3BN1P/1P3PP1/2R3K1 w - - 0 25",
];

/// The fixed positions.
pub fn positions() -> Vec<Record<Chess>> {
    let read = |text: &&str| Record::new(Chess::parse_position(text).expect("a FEN of this file can be read"));
    POSITIONS.iter().map(read).collect()
}

/// Men as they are usually valued, and every other term at random but small: multiples of 1/4096 of a win, so that sums are
/// exact in whatever order they are made.
pub fn exact_weights(terms: &ChessTerms) -> Weights {
    let weights = terms.piece_values([40.0, 120.0, 130.0, 200.0, 380.0].map(|worth| worth / 4096.0));
    let mut rng = stream(40, 0);
    for index in 5..terms.count() {
        weights.set(index, (below(&mut rng, 7) as f32 - 3.0) / 4096.0);
    }
    weights
}

/// A tournament search over the fixed weights.
pub fn tournament_search(settings: TournamentSettings) -> TournamentSearch<FrozenTerms> {
    let terms = ChessTerms::new(TermSet::Meep);
    TournamentSearch::new(FrozenTerms::new(terms, &exact_weights(&terms)), settings)
}

/// A training search over the fixed weights, αβ or minimax.
pub fn training_search(nodes: u64, pruning: bool) -> TrainingSearch<Chess, ChessTerms> {
    let terms = ChessTerms::new(TermSet::Meep);
    let settings = TrainingSearchSettings { nodes, pruning, ..TrainingSearchSettings::default() };
    TrainingSearch::new(Arc::new(terms), Arc::new(exact_weights(&terms)), Squash::Linear, settings)
}

/// Nodes of one measured search.
const NODES: u64 = 200_000;

/// Measures evaluations, nodes of the tournament search with one thread and with two, and nodes of the training search with
/// what TreeStrap learns from it.
pub fn run(effort: Effort, report: Report) -> Result<()> {
    let records = positions();
    let measured = measure(effort, |_| {
        let terms = ChessTerms::new(TermSet::Meep);
        let (mut evaluation, mut turns) = (FrozenTerms::new(terms, &exact_weights(&terms)), records.iter().cycle());
        move || {
            let Some(record) = turns.next() else { return [0] };
            for _ in 0..1000 {
                black_box(evaluation.evaluate(black_box(record.position())));
            }
            [1000]
        }
    });
    measured.report("chess.evaluations", 0, report)?;
    for (name, threads) in [("chess.search.nodes", 1), ("chess.search.two-threads.nodes", 2)] {
        let measured = measure(effort, |_| {
            let settings = TournamentSettings { threads, table_mib: 64, ..TournamentSettings::default() };
            let (mut search, mut turns) = (tournament_search(settings), records.iter().cycle());
            move || {
                let Some(record) = turns.next() else { return [0] };
                search.clear();
                let budget = Budget { simulations: Some(NODES * threads as u64), ..Budget::default() };
                [search.search(record, &SearchLimits::from(budget), &mut |_| {}).effort]
            }
        });
        measured.report(name, 0, report)?;
    }
    let measured = measure(effort, |_| {
        let (mut search, mut turns) = (training_search(NODES / 10, true), records.iter().cycle());
        let mut rule = TreeStrap::new(TreeStrapSettings { step_size: 1e-9, ..Default::default() });
        move || {
            let Some(record) = turns.next() else { return [0] };
            let Some(found) = search.search(record, &Budget::default()) else { return [0] };
            rule.searched(record.position(), &found, true, &mut search);
            [found.nodes]
        }
    });
    measured.report("chess.tree-strap.nodes", 0, report)?;
    chess_network::run(effort, report)
}
