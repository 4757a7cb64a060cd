//! Fused tables give the sums of the weights that they were made of.

mod random_go;

use afterstate_engine::Value;
use afterstate_engine::value::{
    AfterstateValues, Features, FusedShapes, Linear, LocalShapes, Patterns, Sharing, Squash, ValueFunction,
    WindowSizes, Windows,
};
use afterstate_games::go::Go;
use afterstate_games::{Game, stream};
use random_go::{for_each_position, random_weights};
use std::sync::Arc;

const SHARINGS: [Sharing; 4] = [Sharing::None, Sharing::LocationDependent, Sharing::LocationIndependent, Sharing::Both];

fn agree(size: usize, sizes: &[usize], sharing: Sharing, seed: u64, games: u64) {
    let shapes = LocalShapes::new(size, WindowSizes::new(sizes).unwrap(), sharing);
    let weights = random_weights(Features::<Go>::count(&shapes), 0.2, seed);
    let fused = FusedShapes::new(&shapes, &weights, Squash::Logistic);
    let (mut expected, mut found, mut checked) = (Vec::new(), Vec::new(), 0);
    for game in 0..games {
        for_each_position(Go::new(size), seed, game, |position, moves| {
            // Every fifth position is enough for the slow side of the comparison.
            checked += 1;
            if checked % 5 != 0 {
                return;
            }
            let (plain, frozen) = (shapes.track(position.clone()), fused.track(position.clone()));
            shapes.afterstate_sums(&plain, moves, &weights, &mut expected);
            fused.afterstate_sums(&frozen, moves, &mut found);
            assert_eq!(found.len(), moves.len());
            for ((&mv, &expected), &found) in moves.iter().zip(&expected).zip(&found) {
                assert!(
                    (expected - found).abs() < 1e-4,
                    "{size}x{size} {sizes:?} {sharing:?} {mv:?}: {found}, expected {expected}"
                );
            }
            let mut set = Default::default();
            shapes.active(&plain, &mut set);
            let sum = weights.sum(&set);
            assert!((fused.sum(&frozen) - sum).abs() < 1e-4, "{size}x{size} {sizes:?} {sharing:?}");
        });
    }
    assert!(checked > 20);
}

#[test]
fn every_combination_of_sizes_and_sharing_on_small_boards() {
    let mut seed = 0;
    for size in [5, 9] {
        for sizes in [&[1][..], &[2], &[3], &[1, 2], &[1, 3], &[2, 3], &[1, 2, 3]] {
            for sharing in SHARINGS {
                seed += 1;
                agree(size, sizes, sharing, seed, 2);
            }
        }
    }
}

#[test]
fn every_sharing_on_large_boards() {
    for sharing in SHARINGS {
        agree(13, &[1, 2, 3], sharing, 100, 1);
    }
    agree(19, &[1, 2], Sharing::Both, 101, 1);
    agree(19, &[1, 2, 3], Sharing::LocationDependent, 102, 1);
    agree(7, &[1, 2, 3], Sharing::Both, 103, 2);
}

#[test]
fn the_value_is_the_squashed_sum() {
    let shapes = Arc::new(LocalShapes::new(5, WindowSizes::ALL, Sharing::Both));
    let weights = Arc::new(random_weights(Features::<Go>::count(&*shapes), 0.2, 5));
    for squash in [Squash::Logistic, Squash::Linear] {
        let linear = Linear { features: shapes.clone(), weights: weights.clone(), squash };
        let fused = FusedShapes::of(&linear);
        for_each_position(Go::new(5), 3, 0, |position, _| {
            let Value(found) = fused.value(&fused.track(position.clone()));
            let Value(expected) = ValueFunction::<Go>::value(&linear, position);
            assert!((found - expected).abs() < 1e-4);
            let sum = fused.sum(&fused.track(position.clone()));
            assert_eq!(fused.value_of_score(sum).0, found);
        });
        assert_eq!(fused.value_of_score(fused.even_score()), Value::EVEN);
    }
}

#[test]
fn positions_that_were_played_on_equal_positions_that_were_read() {
    let shapes = LocalShapes::new(9, WindowSizes::ALL, Sharing::LocationDependent);
    let weights = random_weights(Features::<Go>::count(&shapes), 0.2, 9);
    let fused = FusedShapes::new(&shapes, &weights, Squash::Logistic);
    let mut rng = stream(4, 0);
    let (mut game, mut moves, mut sums) = (fused.track(Go::new(9)), Vec::new(), Vec::new());
    while matches!(game.turn(), afterstate_games::Turn::Player(_)) {
        game.candidate_moves(&mut moves);
        fused.afterstate_sums(&game, &moves, &mut sums);
        let chosen = afterstate_games::rng::below(&mut rng, moves.len() as u32) as usize;
        game.play(moves[chosen]);
        let read = fused.sum(&fused.track(game.game().clone()));
        assert_eq!(fused.sum(&game), read);
        assert!((sums[chosen] - read).abs() < 1e-4);
    }
}

/// Weights of windows are folded at once as they are one by one, and on top of what is in the table.
#[test]
fn weights_that_are_not_shared_can_be_added() {
    for (size, of) in [(5, &[1][..]), (5, &[2]), (5, &[3]), (6, &[1, 2]), (9, &[1, 2]), (7, &[1, 2, 3]), (13, &[2, 3])]
    {
        let windows = Windows::of(size, WindowSizes::new(of).unwrap());
        let shared = LocalShapes::new(size, WindowSizes::ALL, Sharing::Both);
        let learnt =
            FusedShapes::new(&shared, &random_weights(Features::<Go>::count(&shared), 0.2, 7), Squash::Logistic);
        let lengths: Vec<usize> =
            of.iter().flat_map(|&k| vec![3usize.pow((k * k) as u32); (size + 1 - k).pow(2)]).collect();
        assert_eq!(lengths.len(), windows.len());
        let weights = random_weights(lengths.iter().sum(), 0.2, 8).values();
        let mut fused = learnt.unshared();
        fused.add_unshared(windows, &weights);
        for_each_position(Go::new(size), 9, 0, |position, moves| {
            let before = learnt.sum(&learnt.track(position.clone()));
            let numbers = Patterns::read(windows, position.board());
            let mut first = 0;
            let added: f32 = numbers
                .numbers()
                .iter()
                .zip(&lengths)
                .map(|(&number, &length)| {
                    first += length;
                    weights[first - length + usize::from(number)]
                })
                .sum();
            let found = fused.sum(&fused.track(position.clone()));
            assert!((found - before - added).abs() < 1e-3, "{size}x{size} {of:?}: {found}, not {before} + {added}");
            let mut sums = Vec::new();
            let (one, all) = (fused.track(position.clone()), fused.track(position.clone()));
            fused.afterstate_sums(&one, moves, &mut sums);
            let mut after = all;
            after.play(moves[0]);
            assert!((sums[0] - fused.sum(&after)).abs() < 1e-3);
        });
    }
}
