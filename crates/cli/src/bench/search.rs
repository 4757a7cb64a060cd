//! Alpha-beta over learnt values on 9×9 Go, with fixed random weights in place of learnt ones.

use super::Effort;
use super::measure::{Report, measure};
use super::speed_up::speed_up;
use afterstate_engine::search::{AlphaBeta, AlphaBetaSettings};
use afterstate_engine::value::{Features, FusedShapes, LocalShapes, Sharing, Squash, TrackedGo, Weights, WindowSizes};
use afterstate_engine::{Budget, Search, policy};
use afterstate_games::go::Go;
use afterstate_games::rng::below;
use afterstate_games::{Game, stream};
use anyhow::Result;
use std::sync::Arc;

/// Values from weights that are multiples of 36/1024, at most 9/128 either way.
///
/// The fused table divides a weight by 1, 2, 3, 4, 6 or 9; all of these divide 36, so every entry and every
/// sum is exact in f32, in whatever order it is made.
pub fn exact_values() -> Arc<FusedShapes> {
    let shapes = LocalShapes::new(9, WindowSizes::ALL, Sharing::Both);
    let mut rng = stream(36, 0);
    let count = Features::<TrackedGo>::count(&shapes);
    let weights: Vec<f32> = (0..count).map(|_| 36.0 * (below(&mut rng, 5) as f32 - 2.0) / 1024.0).collect();
    Arc::new(FusedShapes::new(&shapes, &Weights::from_values(&weights), Squash::Linear))
}

/// Positions of a fixed random game on 9×9, `apart` moves from each other.
pub fn positions(values: &FusedShapes, count: usize, apart: usize) -> Vec<TrackedGo> {
    let (mut game, mut moves, mut rng) = (values.track(Go::new(9)), Vec::new(), stream(37, 0));
    let mut positions = vec![game.clone()];
    while positions.len() < count {
        for _ in 0..apart {
            let Some(mv) = policy::random(&game, &mut moves, &mut rng) else { return positions };
            game.play(mv);
        }
        positions.push(game.clone());
    }
    positions
}

/// Measures searches of three plies from the positions of a fixed game.
pub fn run(effort: Effort, report: Report) -> Result<()> {
    let values = exact_values();
    let positions = positions(&values, 8, 8);
    let measured = measure(effort, |thread| {
        let settings = AlphaBetaSettings { depth: 3, ..AlphaBetaSettings::default() };
        let mut search = AlphaBeta::new(values.clone(), settings);
        let (mut rng, mut turns) = (stream(1, u64::from(thread)), positions.iter().cycle());
        move || {
            search.clear();
            let Some(position) = turns.next() else { return [0, 0] };
            let decision = search.search(position, &Budget::default(), &mut rng);
            [decision.effort, search.nodes()]
        }
    });
    measured.report("go9.alpha-beta.evaluations", 0, report)?;
    measured.report("go9.alpha-beta.nodes", 1, report)?;
    threads(&values, effort, report)
}

/// What a second thread gains: searches of five plies, each to its end, as the second phase of two-phase search makes them.
fn threads(values: &Arc<FusedShapes>, effort: Effort, report: Report) -> Result<()> {
    let positions = positions(values, 4, 12);
    let mut searches = [1, 2].map(|threads| {
        let settings = AlphaBetaSettings { depth: 5, threads, table_mib: 4, ..AlphaBetaSettings::default() };
        AlphaBeta::indexed(values.clone(), settings)
    });
    let mut rng = stream(1, 0);
    let search = |kind: usize| {
        for position in &positions {
            searches[kind].clear();
            searches[kind].search(position, &Budget::default(), &mut rng);
        }
        positions.len() as u64
    };
    speed_up("go9.alpha-beta.five-plies", search, effort, report)
}
