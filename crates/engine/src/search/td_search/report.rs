//! What a search knows of its moves, as others see it.

use crate::search::mcts::{MoveReport, SearchReport};
use crate::search::mcts_solver::Proof;
use crate::search::short_term_memory::ShortTermMemory;
use afterstate_games::rng::{Rng, below};
use afterstate_games::{Game, Outcome, Side, Turn};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Of so many moves a report shows how the game is expected to go on, and so far.
const LINES: usize = 10;
const LINE: usize = 8;

/// What `memory`, to which `root` was set, says of `moves`: every move with its value and visits, the best first, and the
/// lines expected after some. Nothing is learnt.
pub(super) fn sum_up<G: Game, M: ShortTermMemory<G>>(
    memory: &mut M,
    root: &G,
    side: Side,
    moves: &[G::Move],
    visits: &[AtomicU32],
    simulations: u64,
) -> SearchReport<G::Move> {
    let mut sums = Vec::new();
    memory.begin();
    memory.afterstate_sums(root, moves, &mut sums);
    memory.abandoned();
    // What is learnt may be beyond what a game can be worth, but is never better than a win.
    know_the_end(root, moves, &mut sums);
    let visits: Vec<u32> = visits.iter().map(|visits| visits.load(Relaxed)).collect();
    let report = |((&mv, &sum), &visits): ((&G::Move, &f32), &u32)| {
        let proof = root.outcome_after(mv).map_or(Proof::Open, Proof::from);
        // Linear values may be beyond what a game can be worth.
        let value = Some(proof.value().unwrap_or_else(|| memory.value(sum).bounded()));
        let principal_variation = vec![mv];
        MoveReport { mv, visits, value, prior: None, amaf_visits: 0, amaf_value: None, proof, principal_variation }
    };
    let reports = moves.iter().zip(&sums).zip(&visits).map(report);
    let seen = sums.iter().map(|&sum| if side == Side::First { sum } else { -sum });
    let mut reports: Vec<_> = seen.zip(reports).collect();
    reports.sort_by(|(a, first), (b, second)| b.total_cmp(a).then(second.visits.cmp(&first.visits)));
    let mut reports: Vec<_> = reports.into_iter().map(|(_, report)| report).collect();
    for report in reports.iter_mut().take(LINES) {
        report.principal_variation = greedy_line(memory, root, report.mv);
    }
    let value = reports.first().and_then(|best| best.value);
    let visits = visits.iter().map(|&visits| u64::from(visits)).sum();
    SearchReport { simulations, visits, value, moves: reports, ownership: None }
}

/// Of several moves that are as good as the first, any comes first. Only then is something drawn.
pub(super) fn break_ties<M>(moves: &mut [MoveReport<M>], rng: &mut Rng) {
    let Some(best) = moves.first() else { return };
    let as_good = moves.iter().take_while(|other| (other.value, other.visits) == (best.value, best.visits)).count();
    if as_good > 1 {
        moves.swap(0, below(rng, as_good as u32) as usize);
    }
}

/// What both sides would play after `first` if they did not explore. Of equal moves the first counts.
fn greedy_line<G: Game, M: ShortTermMemory<G>>(memory: &mut M, root: &G, first: G::Move) -> Vec<G::Move> {
    let (mut game, mut line, mut next) = (root.clone(), Vec::new(), Some(first));
    let (mut moves, mut sums) = (Vec::new(), Vec::new());
    memory.begin();
    while let Some(mv) = next {
        memory.playing(&game, mv);
        game.play(mv);
        line.push(mv);
        next = match game.turn() {
            Turn::Player(side) if line.len() < LINE && memory.knows(&game) => {
                game.candidate_moves(&mut moves);
                memory.afterstate_sums(&game, &moves, &mut sums);
                know_the_end(&game, &moves, &mut sums);
                let seen = |sum: f32| if side == Side::First { sum } else { -sum };
                let best = moves.iter().zip(&sums).rev();
                best.max_by(|a, b| seen(*a.1).total_cmp(&seen(*b.1))).map(|(&mv, _)| mv)
            }
            _ => None,
        };
    }
    memory.abandoned();
    line
}

/// V of a game that is over is its outcome: the sums of moves that end it are better than all others, worse, or even.
#[inline]
pub(super) fn know_the_end<G: Game>(game: &G, moves: &[G::Move], sums: &mut [f32]) {
    for (&mv, sum) in moves.iter().zip(sums) {
        if let Some(Outcome { winner, .. }) = game.outcome_after(mv) {
            *sum = match winner {
                Some(Side::First) => f32::INFINITY,
                Some(Side::Second) => f32::NEG_INFINITY,
                None => 0.0,
            };
        }
    }
}
