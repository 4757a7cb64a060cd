//! Learns 9×9 Go from so many games of self-play, with the paper's settings and all local shapes: what
//! `benches/instructions.sh` counts the instructions of.
//!
//! ```text
//! cargo run --release -p afterstate-engine --example self_play 10000
//! ```
//!
//! Equal numbers of games are equal games: game number i draws from stream i of one seed.

use afterstate_engine::learning::{SelfPlaySettings, TdSettings, Training};
use afterstate_engine::value::{Features, LocalShapes, Sharing, TrackedGo, Weights, WindowSizes};
use afterstate_games::go::Go;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn main() {
    let games: u64 = match std::env::args().nth(1).map(|text| text.parse()) {
        Some(Ok(games)) => games,
        _ => {
            eprintln!("expected the number of games");
            std::process::exit(2);
        }
    };
    let features = Arc::new(LocalShapes::new(9, WindowSizes::ALL, Sharing::Both));
    let training = Training {
        start: features.track(Go::new(9)),
        weights: Arc::new(Weights::zeros(Features::<TrackedGo>::count(&*features))),
        features,
        td: TdSettings::default(),
        self_play: SelfPlaySettings::default(),
        seed: 1,
        threads: 1,
    };
    let totals = training.run(0..games, &AtomicBool::new(false), &|_| {});
    println!("{games} games, {} moves, {} afterstates", totals.moves, totals.evaluations);
}
