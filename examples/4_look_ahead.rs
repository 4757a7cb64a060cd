//! Learns 5×5 Go, then searches with what it learnt: alpha-beta of rising depth against the greedy
//! player with the same weights.
//!
//! ```text
//! cargo run --release --example 4_look_ahead
//! ```

use afterstate_arena::openings::opening;
use afterstate_arena::{AlphaBetaPlayer, AreaReferee, GameRules, Player, ValuePlayer, play_game};
use afterstate_engine::learning::{SelfPlaySettings, TdSettings, Training};
use afterstate_engine::search::{AlphaBeta, AlphaBetaSettings};
use afterstate_engine::value::{Features, FusedShapes, Linear, LocalShapes, Sharing, TrackedGo, Weights, WindowSizes};
use afterstate_engine::{Budget, Search};
use afterstate_games::go::Go;
use afterstate_games::{Notation, Side, stream};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn main() {
    let value = learn(3000);

    // Search evaluates millions of positions: the weights go into one table of 3×3 windows.
    let fused = Arc::new(FusedShapes::new(&value.features, &value.weights, value.squash));
    let search = |depth| AlphaBeta::new(fused.clone(), AlphaBetaSettings { depth, ..Default::default() });

    let empty = Go::new(5);
    println!("depth   best   value   expected line, on the empty board");
    for depth in 1..=5 {
        let decision = search(depth).search(&fused.track(empty.clone()), &Budget::default(), &mut stream(1, 0));
        let line: Vec<String> = decision.principal_variation.iter().map(|&mv| empty.move_text(mv)).collect();
        let value = decision.value.map_or(f32::NAN, |value| value.0);
        println!("{depth:>5} {:>6} {value:>7.2}   {}", line[0], line.join(" "));
    }

    println!("\ndepth   won of 40 against the greedy player");
    for depth in [2, 4] {
        let shapes = fused.clone();
        let mut deep = AlphaBetaPlayer::new(search(depth), move |game: &Go| shapes.track(game.clone()));
        println!("{depth:>5}   {}", wins(&mut deep, &mut ValuePlayer::new(value.clone()), 40));
    }
}

/// The value function after so many games of self-play.
fn learn(games: u64) -> Arc<Linear<LocalShapes>> {
    let features = Arc::new(LocalShapes::new(5, WindowSizes::ALL, Sharing::Both));
    let weights = Arc::new(Weights::zeros(Features::<TrackedGo>::count(&*features)));
    let training = Training {
        start: features.track(Go::new(5).with_move_limit(75)),
        features: features.clone(),
        weights: weights.clone(),
        td: TdSettings::default(),
        self_play: SelfPlaySettings::default(),
        seed: 1,
        threads: 1,
    };
    training.run(0..games, &AtomicBool::new(false), &|_| {});
    Arc::new(Linear { features, weights, squash: training.td.squash })
}

/// How many of so many games `player` wins. Two random moves begin each pair of games, so that no two are
/// alike, and the players swap sides within a pair.
fn wins(player: &mut impl Player<Go>, opponent: &mut impl Player<Go>, games: u64) -> u32 {
    let mut won = 0;
    for game in 0..games {
        let opening = opening(&Go::new(5), 1, game / 2, 2);
        let rules = GameRules { seed: game, ..GameRules::default() };
        let (mine, players): (_, [&mut dyn Player<Go>; 2]) = match game % 2 {
            0 => (Side::First, [player, opponent]),
            _ => (Side::Second, [opponent, player]),
        };
        let result = play_game(&Go::new(5), &opening, players, &mut AreaReferee, &rules);
        won += u32::from(result.is_some_and(|game| game.outcome.winner == Some(mine)));
    }
    won
}
