//! Counts uniform playouts of 9×9 Go.
use afterstate_games::{
    PlayoutPolicy,
    go::{Go, UniformGoPlayout},
    stream,
};
fn main() {
    let n: u64 = std::env::args().nth(1).map_or(100_000, |a| a.parse().expect("a number"));
    let start = Go::new(9);
    let mut moves = Vec::with_capacity(1024);
    let mut rng = stream(1, 0);
    let t = std::time::Instant::now();
    let mut game = start.clone();
    let (mut total, mut wins) = (0, 0.0);
    for _ in 0..n {
        moves.clear();
        wins += {
            game.clone_from(&start);
            UniformGoPlayout.play_out(&mut game, &mut moves, &mut rng).first_player_score()
        };
        total += moves.len();
    }
    let s = t.elapsed().as_secs_f64();
    println!(
        "{:.0} playouts/s, {:.1} moves, {:.3} won, {:.1} ns/move",
        n as f64 / s,
        total as f64 / n as f64,
        wins / n as f32,
        s * 1e9 / total as f64
    );
}
