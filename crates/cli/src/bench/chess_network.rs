//! The network of chess: its evaluation, the search that plays by it, and what a learner takes of time for a position.

use super::Effort;
use super::chess::{exact_weights, positions};
use super::measure::{Report, measure};
use super::signature::hash;
use afterstate_engine::Budget;
use afterstate_engine::learning::{
    OutcomeStrap, OutcomeStrapSettings, SeenPosition, TournamentSelfPlay, TournamentSelfPlaySettings,
};
use afterstate_engine::search::{ChessEvaluation, SearchLimits, TournamentSearch, TournamentSettings};
use afterstate_engine::value::{ChessNetwork, ChessTerms, FrozenTerms, QuantizedNetwork, TermSet};
use afterstate_games::{Chess, Game, stream};
use anyhow::Result;
use std::hint::black_box;

/// As many hidden units as recipes have if they don't say otherwise.
const HIDDEN: usize = 64;

/// As many buckets.
const BUCKETS: usize = 8;

/// Nodes of one measured search.
const NODES: u64 = 200_000;

fn network(hidden: usize) -> ChessNetwork {
    ChessNetwork::random(hidden, BUCKETS, &mut stream(42, 0))
}

/// Positions of games that are played by fixed weights.
fn seen(games: u64) -> Vec<SeenPosition> {
    let terms = ChessTerms::new(TermSet::Meep);
    let evaluation = FrozenTerms::new(terms, &exact_weights(&terms));
    let settings = TournamentSelfPlaySettings { nodes: 100, ..TournamentSelfPlaySettings::default() };
    let mut player = TournamentSelfPlay::new(evaluation, settings);
    (0..games).flat_map(|number| player.play(number, &mut stream(43, number)).positions).collect()
}

fn learner(hidden: usize, batch: usize) -> OutcomeStrap {
    let settings = OutcomeStrapSettings { batch, reuse: 1.0, first: 1, ..OutcomeStrapSettings::default() };
    OutcomeStrap::new(settings, network(hidden), &[], []).expect("there is no memory that could be wrong")
}

/// Measures evaluations of positions that come one after the other in games, nodes of the tournament search, and positions learnt.
pub fn run(effort: Effort, report: Report) -> Result<()> {
    let line: Vec<Chess> = positions().iter().flat_map(|record| following(record.position())).collect();
    let measured = measure(effort, |_| {
        let mut evaluation = QuantizedNetwork::new(&network(HIDDEN));
        let line = &line;
        move || {
            for game in line {
                black_box(evaluation.evaluate(black_box(game)));
            }
            [line.len() as u64]
        }
    });
    measured.report("chess.network.evaluations", 0, report)?;
    let records = positions();
    let measured = measure(effort, |_| {
        let settings = TournamentSettings { table_mib: 64, ..TournamentSettings::default() };
        let mut search = TournamentSearch::new(QuantizedNetwork::new(&network(HIDDEN)), settings);
        let mut turns = records.iter().cycle();
        move || {
            let Some(record) = turns.next() else { return [0] };
            search.clear();
            let budget = Budget { simulations: Some(NODES), ..Budget::default() };
            [search.search(record, &SearchLimits::from(budget), &mut |_| {}).effort]
        }
    });
    measured.report("chess.network.search.nodes", 0, report)?;
    let seen = seen(50);
    let measured = measure(effort, |thread| {
        let (mut learner, mut rng) = (learner(HIDDEN, 1024), stream(44, u64::from(thread)));
        let seen = &seen[..1024];
        move || {
            learner.seen(seen, &mut rng);
            [seen.len() as u64]
        }
    });
    measured.report("chess.network.positions-learnt", 0, report)
}

/// A position and those after each of its moves, as a search meets them.
fn following(game: &Chess) -> Vec<Chess> {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let after = moves.into_iter().map(|mv| {
        let mut after = game.clone();
        after.play(mv);
        after
    });
    [game.clone()].into_iter().chain(after).collect()
}

/// What a network of random weights says of positions, and what a few games teach it.
pub fn signature() -> [u64; 2] {
    let mut evaluation = QuantizedNetwork::new(&network(HIDDEN));
    let line = positions().into_iter().flat_map(|record| following(record.position()));
    let said = hash(line.map(|game| evaluation.evaluate(&game) as u64));
    let (mut learner, mut rng) = (learner(16, 32), stream(44, 0));
    for game in seen(8).chunks(50) {
        learner.seen(game, &mut rng);
    }
    [said, hash(learner.network().weights().iter().map(|weight| u64::from(weight.to_bits())))]
}
