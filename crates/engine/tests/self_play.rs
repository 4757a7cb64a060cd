//! Self-play: reproducible, in the order of updates that was asked for, and it learns.

use afterstate_engine::Value;
use afterstate_engine::learning::{
    Chooser, Dyna2Player, Dyna2Settings, OnlineTd, Order, Plies, SelfPlay, SelfPlaySettings, Td, TdSettings, TraceKind,
};
use afterstate_engine::policy;
use afterstate_engine::search::PlayOut;
use afterstate_engine::value::{ActiveSet, Features, LocalShapes, Sharing, Squash, TrackedGo, Weights, WindowSizes};
use afterstate_games::go::{FuegoPlayout, Go, Komi};
use afterstate_games::rng::{below, stream, unit};
use afterstate_games::{Game, Side, Turn};
use std::sync::{Arc, Mutex};

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
    learner.publish();
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
                shapes.afterstate_sums(&game, &moves, &*weights, &mut sums);
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
    for (order, lambda) in [(Order::Online, 0.4), (Order::Sweep, 0.0), (Order::Sweep, 0.4)] {
        let td = TdSettings { lambda, ..TdSettings::default() };
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
    assert_eq!(learn(Order::Online, 1.0, 0.5), learn(Order::Sweep, 1.0, 0.5));
    assert_ne!(learn(Order::Online, 0.1, 0.5), learn(Order::Sweep, 0.1, 0.5));
    // Without traces the two are computed in different ways, and equal up to rounding.
    let (online, sweep) = (learn(Order::Online, 1.0, 0.0), learn(Order::Sweep, 1.0, 0.0));
    let apart = |a: &[u32], b: &[u32]| {
        let differences = a.iter().zip(b).map(|(a, b)| (f32::from_bits(*a) - f32::from_bits(*b)).abs());
        differences.fold(0.0, f32::max)
    };
    assert!(apart(&online, &sweep) < 1e-5);
    assert!(apart(&online, &learn(Order::Sweep, 0.1, 0.0)) > 1e-2);
}

/// Learning by what moves change, against the same rule applied to all features of every position.
#[test]
fn what_moves_change_is_enough_to_learn_from() {
    for (size, sharing) in [(5, Sharing::Both), (7, Sharing::LocationDependent), (6, Sharing::None)] {
        for (plies, squash) in [(Plies::Two, Squash::Logistic), (Plies::One, Squash::Linear)] {
            let shapes = LocalShapes::new(size, WindowSizes::ALL, sharing);
            // Small steps: linear learning diverges with large ones, and then rounding matters.
            let td = TdSettings { plies, squash, step_size: 0.02, ..TdSettings::default() };
            let plain = Weights::zeros(Features::<TrackedGo>::count(&shapes));
            let (mut rule, mut online) = (Td::new(plain.len(), td.clone()), OnlineTd::new(&plain, td));
            let (mut set, mut moves) = (ActiveSet::default(), Vec::new());
            for index in 0..30 {
                let mut rng = stream(17, index);
                let mut game = shapes.track(Go::new(size));
                // Not every game begins on an empty board.
                for _ in 0..index % 7 {
                    game.candidate_moves(&mut moves);
                    game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
                }
                rule.begin();
                shapes.active(&game, &mut set);
                online.begin(&set);
                let outcome = loop {
                    if let Turn::Over(outcome) = game.turn() {
                        break outcome;
                    }
                    game.candidate_moves(&mut moves);
                    let mv = moves[below(&mut rng, moves.len() as u32) as usize];
                    shapes.change(&game, mv, online.next_change());
                    game.play(mv);
                    if matches!(game.turn(), Turn::Player(_)) {
                        shapes.active(&game, &mut set);
                        let sum = plain.sum(&set);
                        assert!((sum - online.sum_of_next()).abs() < 1e-5, "{} after {mv:?}", sum);
                        rule.reached(&mut set, squash.value(sum), &plain);
                        online.reached(squash.value(sum));
                    }
                };
                rule.ended(outcome, &plain);
                shapes.active(&game, &mut set);
                online.ended(outcome, &set);
                assert!((rule.mean_squared_error() - online.mean_squared_error()).abs() < 1e-5);
                for (weight, expected) in plain.values().into_iter().enumerate() {
                    let found = online.weights().weight(weight);
                    assert!((found - expected).abs() < 1e-5, "weight {weight}: {found}, expected {expected}");
                }
            }
            assert!(plain.values().iter().any(|weight| weight.abs() > 0.002));
        }
    }
}

/// Threads that learn on copies of the weights lose nothing of what each other learnt.
#[test]
fn exchanging_adds_up_what_was_learnt() {
    let shapes = shapes();
    let start = shapes.track(Go::new(5));
    let shared = Arc::new(Weights::from_values(&vec![0.125; zeros(&shapes).len()]));
    let [mut first, mut second] = [(); 2]
        .map(|()| SelfPlay::new(shapes.clone(), shared.clone(), TdSettings::default(), SelfPlaySettings::default()));
    // What each would have learnt alone.
    let alone = |number: u64| {
        let weights = Arc::new(Weights::clone(&shared));
        let mut learner =
            SelfPlay::new(shapes.clone(), weights.clone(), TdSettings::default(), SelfPlaySettings::default());
        learner.play(&start, &mut stream(4, number));
        learner.publish();
        weights.values()
    };
    let (by_first, by_second) = (alone(0), alone(1));
    let turn = Mutex::new(());
    first.play(&start, &mut stream(4, 0));
    second.play(&start, &mut stream(4, 1));
    first.exchange(&turn);
    assert_eq!(shared.values(), by_first);
    second.exchange(&turn);
    for ((found, first), second) in shared.values().into_iter().zip(by_first).zip(by_second) {
        assert!((found - (first + second - 0.125)).abs() < 1e-6);
    }
    // The second has learnt of the first's game: it goes on from what is shared.
    let before = shared.values();
    second.exchange(&turn);
    assert_eq!(shared.values(), before);
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
            learner.publish();
            let wins = wins_against_random(&shapes, &weights);
            assert!(wins > 80, "{td:?} {order:?}: {wins} of 100");
        }
    }
}

/// Some move or other, whatever the values are.
struct Anything;

impl Chooser<TrackedGo> for Anything {
    fn begin(&mut self, _weights: &Weights) {}
    fn choose(
        &mut self,
        game: &TrackedGo,
        moves: &[<TrackedGo as Game>::Move],
        _rng: &mut afterstate_games::Rng,
    ) -> usize {
        (game.key() % moves.len() as u64) as usize
    }
}

/// A run may be saved and gone on with after any game.
#[test]
fn a_game_learns_the_same_whatever_games_the_learner_has_seen() {
    for traces in [TraceKind::Accumulating, TraceKind::Backward] {
        let td = TdSettings { lambda: 0.4, traces, ..TdSettings::default() };
        let shapes = shapes();
        let learner = |weights: &Arc<Weights>| {
            SelfPlay::new(shapes.clone(), weights.clone(), td.clone(), SelfPlaySettings::default())
        };
        let [at_once, one_by_one] = [(); 2].map(|()| zeros(&shapes));
        let mut all = learner(&at_once);
        for index in 0..12 {
            all.play(&shapes.track(Go::new(5)), &mut stream(4, index));
            learner(&one_by_one).play(&shapes.track(Go::new(5)), &mut stream(4, index));
        }
        assert_eq!(bits(&at_once), bits(&one_by_one), "{traces:?}");
    }
}

/// Whoever chooses the moves, positions learn from those that are played.
#[test]
fn what_is_learnt_does_not_depend_on_who_chose_the_moves() {
    for lambda in [0.0, 0.4] {
        let (td, shapes) = (TdSettings { lambda, ..TdSettings::default() }, shapes());
        let settings = SelfPlaySettings { exploration: 0.2, ..SelfPlaySettings::default() };
        let found = zeros(&shapes);
        let mut learner = SelfPlay::new(shapes.clone(), found.clone(), td.clone(), settings);
        let expected = zeros(&shapes);
        let (mut rule, mut set, mut moves) = (Td::new(expected.len(), td.clone()), ActiveSet::default(), Vec::new());
        for index in 0..12 {
            learner.play_by(Some(&mut Anything), &shapes.track(Go::new(5)), &mut stream(4, index));
            let (mut game, mut rng) = (shapes.track(Go::new(5)), stream(4, index));
            rule.begin();
            let outcome = loop {
                if let Turn::Over(outcome) = game.turn() {
                    break outcome;
                }
                game.candidate_moves(&mut moves);
                let best = Anything.choose(&game, &moves, &mut rng);
                let explores = unit(&mut rng) < 0.2;
                let chosen = if explores { below(&mut rng, moves.len() as u32) as usize } else { best };
                game.play(moves[chosen]);
                if !matches!(game.turn(), Turn::Over(_)) {
                    shapes.active(&game, &mut set);
                    let value = td.squash.value(expected.sum(&set));
                    rule.reached(&mut set, value, &expected);
                }
            };
            rule.ended(outcome, &expected);
        }
        learner.publish();
        let apart = found.values().iter().zip(expected.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart < 1e-5, "λ = {lambda}: {apart}");
        assert!(found.values().iter().any(|weight| weight.abs() > 1e-3));
    }
}

/// Dyna-2 plays with what was learnt so far, the same games for the same seed.
#[test]
fn dyna_2_plays_while_its_long_term_memory_learns() {
    let shapes = shapes();
    let search = Dyna2Settings { simulations: 60, ..Dyna2Settings::default() };
    let player = || {
        let leaf = PlayOut(FuegoPlayout::default());
        Dyna2Player::new(shapes.clone(), Squash::Logistic, leaf, &search)
    };
    let learn = |games: u64| {
        let weights = zeros(&shapes);
        let (td, settings) = (TdSettings::default(), SelfPlaySettings::default());
        let (mut learner, mut player) = (SelfPlay::new(shapes.clone(), weights.clone(), td, settings), player());
        for game in 0..games {
            learner.play_by(Some(&mut player), &shapes.track(Go::new(5)), &mut stream(9, game));
        }
        learner.publish();
        weights
    };
    let (one, again) = (learn(6), learn(6));
    assert_eq!(bits(&one), bits(&again));
    // A player that begins with other weights chooses other moves.
    let choices = |weights: &Weights| {
        let (mut player, mut game, mut rng, mut moves) = (player(), shapes.track(Go::new(5)), stream(2, 0), Vec::new());
        player.begin(weights);
        let choose = |_| {
            game.candidate_moves(&mut moves);
            let chosen = player.choose(&game, &moves, &mut rng);
            game.play(moves[chosen]);
            chosen
        };
        (0..12).map(choose).collect::<Vec<_>>()
    };
    assert_eq!(choices(&one), choices(&again));
    assert_ne!(choices(&one), choices(&zeros(&shapes)));
}

/// However many of the positions learn, the error is the mean of those that do.
#[test]
fn the_error_is_a_mean_of_what_learns() {
    for (traces, plies) in
        [(TraceKind::Backward, Plies::Two), (TraceKind::Backward, Plies::One), (TraceKind::Accumulating, Plies::Two)]
    {
        let settings = TdSettings { traces, plies, lambda: 1.0, ..TdSettings::default() };
        let (mut rule, weights) = (Td::new(4, settings), Weights::zeros(4));
        rule.begin();
        for _ in 0..5 {
            rule.reached(&mut ActiveSet::default(), Value::EVEN, &weights);
        }
        rule.ended(Value(1.0), &weights);
        let error = rule.mean_squared_error();
        let expected = if traces == TraceKind::Backward { 0.25 } else { 2.0 * 0.25 / 5.0 };
        assert!((error - expected).abs() < 1e-6, "{traces:?}, {plies:?}: {error}");
    }
}
