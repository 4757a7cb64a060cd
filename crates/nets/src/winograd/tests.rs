use super::gradients::add_gradients_by;
use super::*;
use crate::convolution::{self, Direct};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn random(count: usize, seed: u64) -> Vec<f32> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..count).map(|_| rng.random_range(-1.0..1.0)).collect()
}

/// Boards of random numbers with zeros around.
fn boards(grid: Grid, count: usize, channels: usize, seed: u64) -> Vec<f32> {
    let mut boards = vec![0.0; count * grid.len() * channels];
    let planes = random(count * grid.cells() * channels, seed);
    let each = boards.chunks_exact_mut(grid.len() * channels).zip(planes.chunks_exact(grid.cells() * channels));
    for (board, planes) in each {
        grid.read(planes, channels, board);
    }
    boards
}

fn assert_close(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() < 1e-4, "{index}: {found} {expected}");
    }
}

#[test]
fn boards_are_cut_so_that_little_is_multiplied() {
    let cut = |height, width| Cut::of(Grid { height, width });
    assert_eq!([cut(9, 9), cut(19, 19), cut(6, 7)], [Cut::Three; 3]);
    assert_eq!([cut(3, 3), cut(4, 4)], [Cut::Two; 2]);
}

/// Even and odd sides, one row, and patches that fill their groups and do not.
const CASES: [(usize, usize, usize); 6] = [(6, 7, 1), (9, 9, 3), (3, 3, 2), (1, 5, 2), (2, 2, 3), (19, 19, 1)];

#[test]
fn sums_are_those_of_the_direct_convolution() {
    for (height, width, count) in CASES {
        let grid = Grid { height, width };
        let (inputs, outputs) = (16, 32);
        let weights = random(9 * inputs * outputs, 1);
        let weight = |tap: usize, input: usize, output: usize| weights[(tap * inputs + input) * outputs + output];
        let boards = boards(grid, count, inputs, 2);
        let (bias, held) = (random(outputs, 3), random(count * grid.len() * outputs, 4));
        for (onto, relu) in [(false, false), (true, true)] {
            let finish = Finish { bias: &bias, onto, relu };
            let (mut found, mut expected) = (held.clone(), held.clone());
            Direct::new(grid, inputs, outputs, weight).apply(&boards, finish, &mut expected);
            for cut in [Cut::Two, Cut::Three] {
                found.clone_from(&held);
                let convolution = Winograd::cut(cut, grid, inputs, outputs, weight);
                convolution.apply(&boards, finish, &mut Room::default(), &mut found);
                assert_close(&found, &expected);
            }
        }
    }
}

#[test]
fn gradients_are_those_of_the_direct_convolution() {
    for (height, width, count) in CASES {
        let grid = Grid { height, width };
        let (inputs, outputs) = (32, 16);
        let (boards, errors) = (boards(grid, count, inputs, 5), boards(grid, count, outputs, 6));
        let held = random(9 * inputs * outputs, 7);
        let mut expected = held.clone();
        convolution::add_direct_gradients(grid, &boards, inputs, &errors, outputs, &mut expected);
        for cut in [Cut::Two, Cut::Three] {
            let (mut found, mut room) = (held.clone(), Room::default());
            add_gradients_by(cut, grid, (&boards, inputs), (&errors, outputs), &mut room, &mut found);
            assert_close(&found, &expected);
        }
    }
}
