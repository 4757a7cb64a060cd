//! How fast games are played out at random.

use afterstate_games::go::{Go, UniformGoPlayout};
use afterstate_games::{PlayoutPolicy, stream};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Uniform playouts of empty boards; the throughput is in playouts.
fn uniform(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("playouts/uniform");
    group.throughput(Throughput::Elements(1));
    for size in [9, 13, 19] {
        let start = Go::new(size);
        group.bench_function(format!("{size}x{size}"), |bencher| {
            let (mut rng, mut trace) = (stream(1, 0), Vec::with_capacity(4096));
            bencher.iter(|| {
                trace.clear();
                UniformGoPlayout.play_out(&mut start.clone(), &mut trace, &mut rng)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, uniform);
criterion_main!(benches);
