//! Plays random games of Go and says how long they were: what `benches/instructions.sh` counts the instructions of.
//!
//! ```text
//! cargo run --release -p afterstate-games --example playouts 100000
//! cargo run --release -p afterstate-games --example playouts 10000 mogo 19
//! ```
//!
//! After the number of games come the policy (uniform, mogo or fuego) and the size of the board. Equal numbers of
//! games are equal games: all draw from one seeded stream.

use afterstate_games::go::{FuegoPlayout, Go, MogoPlayout, UniformGoPlayout};
use afterstate_games::{PlayoutPolicy, stream};

fn play(mut policy: impl PlayoutPolicy<Go>, games: u64, start: &Go) {
    let (mut game, mut moves, mut rng) = (start.clone(), Vec::with_capacity(1024), stream(1, 0));
    let (mut total, mut won) = (0, 0.0);
    for _ in 0..games {
        game.clone_from(start);
        moves.clear();
        won += policy.play_out(&mut game, &mut moves, &mut rng).first_player_score();
        total += moves.len();
    }
    println!("{games} games, {total} moves, {won} won by Black");
}

fn refuse(expected: &str) -> ! {
    eprintln!("expected {expected}");
    std::process::exit(2);
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |i: usize, default: &'static str| arguments.get(i).map_or(default, String::as_str);
    let Ok(games) = argument(0, "").parse() else { refuse("the number of games") };
    let Some(size) = argument(2, "9").parse().ok().filter(|size| (5..=19).contains(size)) else {
        refuse("a board size from 5 to 19")
    };
    let start = Go::new(size);
    match argument(1, "uniform") {
        "uniform" => play(UniformGoPlayout, games, &start),
        "mogo" => play(MogoPlayout::default(), games, &start),
        "fuego" => play(FuegoPlayout::default(), games, &start),
        _ => refuse("a policy: uniform, mogo or fuego"),
    }
}
