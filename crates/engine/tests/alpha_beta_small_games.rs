//! Alpha-beta search finds what plain minimax finds in games that are not Go, down to their very end.

use afterstate_engine::search::{AlphaBeta, AlphaBetaSettings, minimax};
use afterstate_engine::value::{AfterstateValues, Indifferent};
use afterstate_engine::{Budget, Search, Value, ValueFunction};
use afterstate_games::rng::{below, mix, stream};
use afterstate_games::{ConnectFour, Deterministic, Game, IndexedMoves, Side, TicTacToe, Turn};
use random_go::ways;
use std::sync::Arc;

mod random_go;

/// Every position is worth something arbitrary, of which there are few, so that equal values are frequent.
struct Arbitrary;

impl<G: Game> ValueFunction<G> for Arbitrary {
    fn value(&self, game: &G) -> Value {
        Value((mix(game.key()) % 17) as f32 / 16.0)
    }
}

impl<G: Game> AfterstateValues<G> for Arbitrary {}

fn settings(depth: u32) -> AlphaBetaSettings {
    AlphaBetaSettings { depth, table_mib: 1, ..Default::default() }
}

/// Every way to search `position` gives exactly what minimax gives, and a winner wins as soon as possible.
fn agrees<G: Deterministic + IndexedMoves + std::fmt::Debug, V: AfterstateValues<G>>(
    position: &G,
    depth: u32,
    values: &Arc<V>,
) {
    let (score, _) = minimax(position, depth, &**values);
    let expected = match score.winner() {
        Some(Side::First) => Value(1.0),
        Some(Side::Second) => Value(0.0),
        None => Value(score.first_player()),
    };
    let together = AlphaBetaSettings { threads: 3, ..settings(depth) };
    for settings in ways(settings(depth)).into_iter().chain([together.clone(), together]) {
        let mut search = AlphaBeta::indexed(values.clone(), settings.clone());
        for again in 0..2 {
            let decision = search.search(position, &Budget::default(), &mut stream(1, again));
            assert_eq!(decision.value, Some(expected), "{position:?} {settings:?}");
            let mut game = position.clone();
            for &mv in &decision.principal_variation {
                assert!(game.is_legal(mv));
                game.play(mv);
            }
            match (score.plies_to_end(), game.turn()) {
                (Some(plies), Turn::Over(outcome)) => {
                    assert_eq!(outcome.winner, score.winner());
                    assert_eq!(decision.principal_variation.len(), plies as usize, "{position:?}");
                }
                (None, Turn::Over(outcome)) => assert_eq!((outcome.winner, expected), (None, Value::EVEN)),
                (None, _) => {
                    assert_eq!(values.value(&game), expected);
                    assert_eq!(decision.principal_variation.len(), depth as usize);
                }
                (Some(_), turn) => panic!("{position:?}: a sure win, but its line ends with {turn:?}"),
            }
        }
    }
}

/// The position after `moves` random ones, unless the game is over by then.
fn random_position<G: Game>(mut game: G, moves: usize, seed: u64) -> Option<G> {
    let (mut rng, mut legal) = (stream(seed, moves as u64), Vec::new());
    for _ in 0..moves {
        game.legal_moves(&mut legal);
        if legal.is_empty() {
            return None;
        }
        game.play(legal[below(&mut rng, legal.len() as u32) as usize]);
    }
    matches!(game.turn(), Turn::Player(_)).then_some(game)
}

#[test]
fn tic_tac_toe_is_a_draw() {
    let mut search = AlphaBeta::new(Arc::new(Indifferent), settings(9));
    let decision = search.search(&TicTacToe::new(), &Budget::default(), &mut stream(1, 0));
    assert_eq!((decision.value, decision.depth), (Some(Value::EVEN), Some(9)));
    assert_eq!(minimax(&TicTacToe::new(), 9, &Indifferent).0.winner(), None);
    // Far fewer positions than the 549,946 of the whole tree.
    assert!(decision.effort < 50_000, "{}", decision.effort);
}

#[test]
fn equals_minimax_on_tic_tac_toe() {
    let (values, blank) = (Arc::new(Arbitrary), Arc::new(Indifferent));
    for seed in 0..40 {
        for moves in 2..9 {
            let Some(position) = random_position(TicTacToe::new(), moves, seed) else { continue };
            agrees(&position, 9, &blank);
            for depth in 1..=4 {
                agrees(&position, depth, &values);
            }
        }
    }
    agrees(&TicTacToe::new(), 5, &values);
}

#[test]
fn equals_minimax_on_late_positions_of_connect_four() {
    let (values, blank) = (Arc::new(Arbitrary), Arc::new(Indifferent));
    let (mut checked, mut won) = (0, 0);
    for seed in 0..200 {
        for moves in [24, 29, 34] {
            let Some(position) = random_position(ConnectFour::new(), moves, seed) else { continue };
            checked += 1;
            agrees(&position, 4, &values);
            agrees(&position, if moves > 30 { 8 } else { 5 }, &blank);
            won += u32::from(minimax(&position, 5, &Indifferent).0.winner().is_some());
        }
    }
    assert!(checked > 50 && won > 20 && won < checked, "{checked} positions, {won} won");
}
