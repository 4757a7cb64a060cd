//! Playouts from the empty board, by each policy.

use super::Effort;
use super::measure::{Report, measure};
use afterstate_games::go::{FuegoPlayout, Go, MogoPlayout, SoftmaxPlayout, SoftmaxWeights, UniformGoPlayout};
use afterstate_games::{PlayoutPolicy, stream};
use anyhow::Result;

/// Measures the usual sizes.
pub fn run(effort: Effort, report: Report) -> Result<()> {
    for size in [9, 13, 19] {
        policy(effort, size, "uniform", UniformGoPlayout::default, report)?;
        policy(effort, size, "mogo", MogoPlayout::default, report)?;
        policy(effort, size, "fuego", FuegoPlayout::default, report)?;
        // Moves cost the same whatever the weights are.
        policy(effort, size, "softmax", || SoftmaxPlayout::new(SoftmaxWeights::zeros().into()), report)?;
    }
    Ok(())
}

fn policy<P: PlayoutPolicy<Go>>(
    effort: Effort,
    size: usize,
    name: &str,
    policy: impl Fn() -> P + Sync,
    report: Report,
) -> Result<()> {
    let start = Go::new(size);
    let measured = measure(effort, |thread| {
        let (mut rng, mut trace, start) = (stream(1, u64::from(thread)), Vec::new(), start.clone());
        let (mut policy, mut game) = (policy(), start.clone());
        move || {
            for _ in 0..20 {
                trace.clear();
                game.clone_from(&start);
                policy.play_out(&mut game, &mut trace, &mut rng);
            }
            [20]
        }
    });
    measured.report(&format!("go{size}.playouts.{name}"), 0, report)
}
