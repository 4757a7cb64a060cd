//! Plays uniformly random games of 9×9 Go and says how long they were: what `benches/instructions.sh` counts the
//! instructions of.
//!
//! ```text
//! cargo run --release -p afterstate-games --example playouts 100000
//! ```
//!
//! Equal numbers of games are equal games: all draw from one seeded stream.

use afterstate_games::go::{Go, UniformGoPlayout};
use afterstate_games::{PlayoutPolicy, stream};

fn main() {
    let games: u64 = match std::env::args().nth(1).map(|text| text.parse()) {
        Some(Ok(games)) => games,
        _ => {
            eprintln!("expected the number of games");
            std::process::exit(2);
        }
    };
    let start = Go::new(9);
    let (mut game, mut moves, mut rng) = (start.clone(), Vec::with_capacity(1024), stream(1, 0));
    let (mut total, mut won) = (0, 0.0);
    for _ in 0..games {
        game.clone_from(&start);
        moves.clear();
        won += UniformGoPlayout.play_out(&mut game, &mut moves, &mut rng).first_player_score();
        total += moves.len();
    }
    println!("{games} games, {total} moves, {won} won by Black");
}
