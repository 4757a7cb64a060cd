//! Uniform playouts from the empty board.

use super::Effort;
use super::measure::{Report, measure};
use afterstate_games::go::{Go, UniformGoPlayout};
use afterstate_games::{PlayoutPolicy, stream};
use anyhow::Result;

/// Measures the usual sizes.
pub fn run(effort: Effort, report: Report) -> Result<()> {
    for size in [9, 13, 19] {
        let start = Go::new(size);
        let measured = measure(effort, |thread| {
            let (mut rng, mut trace, start) = (stream(1, u64::from(thread)), Vec::new(), start.clone());
            let mut game = start.clone();
            move || {
                for _ in 0..20 {
                    trace.clear();
                    game.clone_from(&start);
                    UniformGoPlayout.play_out(&mut game, &mut trace, &mut rng);
                }
                [20]
            }
        });
        measured.report(&format!("go{size}.playouts.uniform"), 0, report)?;
    }
    Ok(())
}
