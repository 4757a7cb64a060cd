//! Plays random games of 9×9 Go, shows the end of one, and counts who wins.
//!
//! ```text
//! cargo run --release --example 1_random_games
//! ```

use afterstate_games::go::{Diagram, Go, UniformGoPlayout};
use afterstate_games::{PlayoutPolicy, Side, stream};

fn main() {
    // Every random number comes from an explicit stream: number `game` of seed 1.
    let (seed, games) = (1, 1000);
    let (mut moves, mut black_wins) = (Vec::new(), 0);
    for game in 0..games {
        let mut position = Go::new(9);
        moves.clear();
        let outcome = UniformGoPlayout.play_out(&mut position, &mut moves, &mut stream(seed, game));
        black_wins += u32::from(outcome.winner == Some(Side::First));
        if game == 0 {
            println!("The first game ended after {} moves:\n", moves.len());
            println!("{}", Diagram::new(&position));
            // `score` is Black's lead with komi taken off.
            println!("Black's lead: {:+} points\n", position.score());
        }
    }
    println!("Black won {black_wins} of {games} games. Komi 7.5 is much for players who play at random.");
}
