//! How fast games are played out at random.

use afterstate_games::go::{FuegoPlayout, Go, MogoPlayout, UniformGoPlayout};
use afterstate_games::{PlayoutPolicy, stream};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Playouts of empty boards by one policy; the throughput is in playouts.
fn measure(criterion: &mut Criterion, name: &str, mut policy: impl PlayoutPolicy<Go>) {
    let mut group = criterion.benchmark_group(format!("playouts/{name}"));
    group.throughput(Throughput::Elements(1));
    for size in [9, 13, 19] {
        let start = Go::new(size);
        group.bench_function(format!("{size}x{size}"), |bencher| {
            let (mut rng, mut trace) = (stream(1, 0), Vec::with_capacity(4096));
            bencher.iter(|| {
                trace.clear();
                policy.play_out(&mut start.clone(), &mut trace, &mut rng)
            });
        });
    }
    group.finish();
}

fn policies(criterion: &mut Criterion) {
    measure(criterion, "uniform", UniformGoPlayout);
    measure(criterion, "mogo", MogoPlayout::default());
    measure(criterion, "fuego", FuegoPlayout::default());
}

criterion_group!(benches, policies);
criterion_main!(benches);
