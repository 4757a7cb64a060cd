//! Self-play: reproducible, in the order of updates that was asked for, and it learns.

use afterstate_engine::learning::{Order, SelfPlay, SelfPlaySettings, Td, TdSettings, TraceKind};
use afterstate_engine::policy;
use afterstate_engine::value::{ActiveSet, Features, LocalShapes, Sharing, Squash, TrackedGo, Weights, WindowSizes};
use afterstate_games::go::{Go, Komi};
use afterstate_games::rng::{below, stream, unit};
use afterstate_games::{Game, Side, Turn};
use std::sync::Arc;

fn shapes() -> Arc<LocalShapes> {
    Arc::new(LocalShapes::new(5, WindowSizes::ALL, Sharing::Both))
}

fn zeros(shapes: &LocalShapes) -> Arc<Weights> {
    Arc::new(Weights::zeros(Features::<TrackedGo>::count(shapes)))
}

fn bits(weights: &Weights) -> Vec<u32> {
    weights.values().into_iter().map(f32::to_bits).collect()
}

/// Weights after `games` games, and the number of moves of all of them.
fn trained(seed: u64, games: u64, td: &TdSettings, settings: &SelfPlaySettings) -> (Arc<Weights>, usize) {
    let shapes = shapes();
    let weights = zeros(&shapes);
    let mut learner = SelfPlay::new(shapes.clone(), weights.clone(), td.clone(), settings.clone());
    let start = shapes.track(Go::new(5));
    let moves = (0..games).map(|game| learner.play(&start, &mut stream(seed, game)).moves).sum();
    (weights, moves)
}

#[test]
fn the_seed_decides_every_bit() {
    for (lambda, order) in [(0.0, Order::Online), (0.0, Order::Sweep), (0.6, Order::Online)] {
        let td = TdSettings { lambda, ..Default::default() };
        let settings = SelfPlaySettings { order, ..Default::default() };
        let (first, moves) = trained(1, 40, &td, &settings);
        let (again, same_moves) = trained(1, 40, &td, &settings);
        assert_eq!((bits(&first), moves), (bits(&again), same_moves));
        let (other, _) = trained(2, 40, &td, &settings);
        assert_ne!(bits(&first), bits(&other));
    }
}

/// The article's loop, written out: what self-play must do, move by move.
fn reference(seed: u64, games: u64, td: &TdSettings, settings: &SelfPlaySettings) -> Arc<Weights> {
    let shapes = shapes();
    let weights = zeros(&shapes);
    let mut rule = Td::new(weights.len(), td.clone());
    for index in 0..games {
        let mut rng = stream(seed, index);
        let mut game = shapes.track(Go::new(5));
        let (mut moves, mut sums, mut visited) = (Vec::new(), Vec::new(), Vec::new());
        rule.begin();
        let outcome = loop {
            let side = match game.turn() {
                Turn::Player(side) => side,
                Turn::Over(outcome) => break outcome,
                Turn::Chance => unreachable!(),
            };
            game.candidate_moves(&mut moves);
            let (chosen, foreseen) = if unit(&mut rng) < settings.exploration {
                (below(&mut rng, moves.len() as u32) as usize, None)
            } else {
                shapes.afterstate_sums(&game, &moves, &weights, &mut sums);
                let chosen = policy::greedy(&sums, side, &mut rng);
                (chosen, Some(sums[chosen]))
            };
            game.play(moves[chosen]);
            if matches!(game.turn(), Turn::Player(_)) {
                let mut set = ActiveSet::default();
                shapes.active(&game, &mut set);
                visited.push(set);
                if settings.order == Order::Online {
                    let set = visited.last_mut().unwrap();
                    let sum = weights.sum(set);
                    // The sum that chose the move was added up in another order, which decides the last bit.
                    let exact = foreseen.unwrap_or(sum);
                    assert!((exact - sum).abs() < 1e-5);
                    rule.reached(set, td.squash.value(exact), &weights);
                }
            }
        };
        if settings.order == Order::Sweep {
            for set in &mut visited {
                let value = td.squash.value(weights.sum(set));
                rule.reached(set, value, &weights);
            }
        }
        rule.ended(outcome, &weights);
    }
    weights
}

#[test]
fn both_orders_are_what_they_say() {
    let td = TdSettings::default();
    for order in [Order::Online, Order::Sweep] {
        let settings = SelfPlaySettings { order, exploration: 0.3 };
        let (found, _) = trained(3, 15, &td, &settings);
        let expected = reference(3, 15, &td, &settings);
        assert_eq!(bits(&found), bits(&expected), "{order:?}");
    }
}

/// Random play visits the same positions whatever was learnt, and then the order makes no difference: in
/// either case positions learn from the first to the last. With greedy moves later moves depend on it.
#[test]
fn the_order_of_updates_matters_through_the_moves_alone() {
    let learn = |order, exploration, lambda| {
        let td = TdSettings { lambda, ..Default::default() };
        bits(&trained(5, 10, &td, &SelfPlaySettings { order, exploration }).0)
    };
    for lambda in [0.0, 0.5] {
        assert_eq!(learn(Order::Online, 1.0, lambda), learn(Order::Sweep, 1.0, lambda));
        assert_ne!(learn(Order::Online, 0.1, lambda), learn(Order::Sweep, 0.1, lambda));
    }
}

#[test]
fn a_finished_game_teaches_nothing() {
    let shapes = shapes();
    let mut start = shapes.track(Go::new(5));
    start.play(afterstate_games::go::Move::PASS);
    start.play(afterstate_games::go::Move::PASS);
    for order in [Order::Online, Order::Sweep] {
        let weights = zeros(&shapes);
        let settings = SelfPlaySettings { order, ..Default::default() };
        let mut learner = SelfPlay::new(shapes.clone(), weights.clone(), TdSettings::default(), settings);
        assert_eq!(learner.play(&start, &mut stream(1, 0)).moves, 0);
        assert!(weights.values().iter().all(|&weight| weight == 0.0));
    }
}

/// Games that the greedy player of `weights` wins against a random one, out of 100 with alternating colours.
fn wins_against_random(shapes: &LocalShapes, weights: &Weights) -> u32 {
    let (mut moves, mut sums) = (Vec::new(), Vec::new());
    (0..100)
        .filter(|&index| {
            let learner = if index % 2 == 0 { Side::First } else { Side::Second };
            let mut rng = stream(77, index);
            let mut game = shapes.track(Go::new(5).with_komi(Komi::new(0.5).unwrap()));
            loop {
                match game.turn() {
                    Turn::Player(side) => {
                        game.candidate_moves(&mut moves);
                        let chosen = if side == learner {
                            shapes.afterstate_sums(&game, &moves, weights, &mut sums);
                            policy::greedy(&sums, side, &mut rng)
                        } else {
                            below(&mut rng, moves.len() as u32) as usize
                        };
                        game.play(moves[chosen]);
                    }
                    Turn::Over(outcome) => return outcome.winner == Some(learner),
                    Turn::Chance => unreachable!(),
                }
            }
        })
        .count() as u32
}

#[test]
fn learns_to_beat_a_random_player() {
    let shapes = shapes();
    let untrained = wins_against_random(&shapes, &zeros(&shapes));
    assert!((30..=70).contains(&untrained), "{untrained} of 100 without training");
    let rules = [
        TdSettings::default(),
        TdSettings { lambda: 0.5, ..Default::default() },
        TdSettings { lambda: 0.5, traces: TraceKind::Replacing, ..Default::default() },
        TdSettings { squash: Squash::Linear, step_size: 0.01, ..Default::default() },
    ];
    for td in rules {
        for order in [Order::Online, Order::Sweep] {
            let settings = SelfPlaySettings { order, ..Default::default() };
            let weights = zeros(&shapes);
            let mut learner = SelfPlay::new(shapes.clone(), weights.clone(), td.clone(), settings);
            let start = shapes.track(Go::new(5).with_komi(Komi::new(0.5).unwrap()));
            for game in 0..300 {
                learner.play(&start, &mut stream(9, game));
            }
            let wins = wins_against_random(&shapes, &weights);
            assert!(wins > 80, "{td:?} {order:?}: {wins} of 100");
        }
    }
}
