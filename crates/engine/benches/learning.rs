//! What learning and search spend their time on, in 9×9 Go.

use afterstate_engine::learning::{SelfPlay, SelfPlaySettings, TdSettings};
use afterstate_engine::search::{AlphaBeta, AlphaBetaSettings};
use afterstate_engine::value::{Features, FusedShapes, LocalShapes, Sharing, Squash, TrackedGo, Weights, WindowSizes};
use afterstate_engine::{Budget, Search};
use afterstate_games::go::Go;
use afterstate_games::rng::{below, stream};
use afterstate_games::{Game, Rng};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::sync::Arc;

/// Shapes of all sizes with both sharings, and weights after so many games of self-play.
fn learnt(games: u64) -> (Arc<LocalShapes>, Arc<Weights>) {
    let shapes = Arc::new(LocalShapes::new(9, WindowSizes::ALL, Sharing::Both));
    let weights = Arc::new(Weights::zeros(Features::<TrackedGo>::count(&*shapes)));
    let mut learner = learner(&shapes, &weights);
    for game in 0..games {
        learner.play(&shapes.track(Go::new(9)), &mut stream(1, game));
    }
    learner.publish();
    (shapes, weights)
}

fn learner(shapes: &Arc<LocalShapes>, weights: &Arc<Weights>) -> SelfPlay<TrackedGo, LocalShapes> {
    SelfPlay::new(shapes.clone(), weights.clone(), TdSettings::default(), SelfPlaySettings::default())
}

/// A position in the middle of a random game.
fn midgame() -> Go {
    let (mut game, mut moves) = (Go::new(9), Vec::new());
    let mut rng: Rng = stream(2, 0);
    for _ in 0..30 {
        game.candidate_moves(&mut moves);
        game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
    }
    game
}

/// Sums of all afterstates of a position, from weights and from a fused table; the throughput is in afterstates.
fn afterstates(criterion: &mut Criterion) {
    let (shapes, weights) = learnt(500);
    let fused = FusedShapes::new(&shapes, &weights, Squash::Logistic);
    let (game, mut moves, mut sums) = (midgame(), Vec::new(), Vec::new());
    game.candidate_moves(&mut moves);
    let mut group = criterion.benchmark_group("afterstates/9x9");
    group.throughput(Throughput::Elements(moves.len() as u64));
    let tracked = shapes.track(game.clone());
    group.bench_function("weights", |bencher| {
        bencher.iter(|| shapes.afterstate_sums(&tracked, &moves, &*weights, &mut sums));
    });
    let tracked = fused.track(game);
    group.bench_function("fused", |bencher| bencher.iter(|| fused.afterstate_sums(&tracked, &moves, &mut sums)));
    group.finish();
}

/// One game of self-play that learns.
fn self_play(criterion: &mut Criterion) {
    let (shapes, weights) = learnt(500);
    let (mut learner, start, mut rng) = (learner(&shapes, &weights), shapes.track(Go::new(9)), stream(3, 0));
    criterion.bench_function("self-play/9x9", |bencher| bencher.iter(|| learner.play(&start, &mut rng)));
}

/// A search three plies deep, with an empty table.
fn alpha_beta(criterion: &mut Criterion) {
    let (shapes, weights) = learnt(500);
    let fused = Arc::new(FusedShapes::new(&shapes, &weights, Squash::Logistic));
    let mut group = criterion.benchmark_group("alpha-beta/9x9/depth-3");
    for (name, position) in [("empty", Go::new(9)), ("midgame", midgame())] {
        let root = fused.track(position);
        let settings = AlphaBetaSettings { depth: 3, table_mib: 1, ..Default::default() };
        let mut search = AlphaBeta::new(fused.clone(), settings);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                search.clear();
                search.search(&root, &Budget::default(), &mut stream(4, 0))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, afterstates, self_play, alpha_beta);
criterion_main!(benches);
