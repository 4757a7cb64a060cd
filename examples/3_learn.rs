//! Learns 5×5 Go from self-play, and beats a random player with what it learnt.
//!
//! ```text
//! cargo run --release --example 3_learn
//! ```

use afterstate_arena::{AreaReferee, GameRules, Player, RandomPlayer, ValuePlayer, play_game};
use afterstate_engine::learning::{SelfPlaySettings, TdSettings, Training};
use afterstate_engine::value::{Features, Linear, LocalShapes, Sharing, TrackedGo, Weights, WindowSizes};
use afterstate_games::Side;
use afterstate_games::go::Go;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn main() {
    // φ: which small shapes stand where. θ: what each of them is worth; nothing, to begin with.
    let features = Arc::new(LocalShapes::new(5, WindowSizes::ALL, Sharing::Both));
    let weights = Arc::new(Weights::zeros(Features::<TrackedGo>::count(&*features)));
    println!("{} weights", weights.len());

    // Logistic NTD2(0) on games that an ε-greedy player plays against itself; α = ε = 0.1.
    let training = Training {
        start: features.track(Go::new(5).with_move_limit(75)),
        features: features.clone(),
        weights: weights.clone(),
        td: TdSettings::default(),
        self_play: SelfPlaySettings::default(),
        seed: 1,
        threads: 1,
    };

    // The player looks at every move and takes the one whose afterstate is worth most to it. It shares
    // the weights with the learner, so it plays with whatever has been learnt so far.
    let value = Arc::new(Linear { features, weights, squash: training.td.squash });
    let mut learner = ValuePlayer::new(value);

    let never = AtomicBool::new(false);
    let mut learnt = 0;
    println!("games of self-play   won of 200 against random");
    for games in [0, 10, 100, 1000, 10_000] {
        training.run(learnt..games, &never, &|_| {});
        learnt = games;
        println!("{learnt:>18}   {}", wins(&mut learner, &mut RandomPlayer::default(), 200));
    }
}

/// How many of so many games `player` wins, with Black in every other one.
fn wins(player: &mut impl Player<Go>, opponent: &mut impl Player<Go>, games: u64) -> u32 {
    let mut won = 0;
    for game in 0..games {
        let rules = GameRules { seed: game, ..GameRules::default() };
        let (mine, players): (_, [&mut dyn Player<Go>; 2]) = match game % 2 {
            0 => (Side::First, [player, opponent]),
            _ => (Side::Second, [opponent, player]),
        };
        let result = play_game(&Go::new(5), &[], players, &mut AreaReferee, &rules);
        won += u32::from(result.is_some_and(|game| game.outcome.winner == Some(mine)));
    }
    won
}
