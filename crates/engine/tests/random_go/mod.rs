//! What several tests share: random weights, the positions of random games, and the parts of alpha-beta search.

use afterstate_engine::search::AlphaBetaSettings;
use afterstate_engine::value::Weights;
use afterstate_games::go::{Go, Move};
use afterstate_games::rng::{below, stream, unit};
use afterstate_games::{Game, Turn};

/// Weights drawn uniformly between −`range` and `range`.
#[allow(dead_code)]
pub fn random_weights(count: usize, range: f32, seed: u64) -> Weights {
    let mut rng = stream(seed, 1 << 40);
    Weights::from_values(&(0..count).map(|_| (2.0 * unit(&mut rng) - 1.0) * range).collect::<Vec<_>>())
}

/// Calls `each` with every position of a random game and its candidate moves.
#[allow(dead_code)]
pub fn for_each_position(start: Go, seed: u64, game: u64, mut each: impl FnMut(&Go, &[Move])) {
    let mut rng = stream(seed, game);
    let (mut game, mut moves) = (start, Vec::new());
    while matches!(game.turn(), Turn::Player(_)) {
        game.candidate_moves(&mut moves);
        each(&game, &moves);
        game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
    }
}

/// All parts of alpha-beta search that leave its result alone: none of them, each by itself, all but each, and all.
#[allow(dead_code)]
pub fn ways(settings: AlphaBetaSettings) -> Vec<AlphaBetaSettings> {
    let with = |on: &dyn Fn(usize) -> bool| AlphaBetaSettings {
        transpositions: on(0),
        deepening: on(1),
        principal_variation: on(2),
        killers: on(3),
        history: on(4),
        null_move: false,
        ..settings.clone()
    };
    let mut ways = vec![with(&|_| false), with(&|_| true)];
    for part in 0..5 {
        ways.extend([with(&|other| other == part), with(&|other| other != part)]);
    }
    ways
}
