//! Local shapes: how many there are, what they are invariant under, and that following a game equals reading it.

mod random_go;

use afterstate_engine::value::{ActiveSet, Features, LocalShapes, Sharing, TrackedGo, WindowSizes};
use afterstate_games::go::{Go, Move, Point};
use afterstate_games::rng::below;
use afterstate_games::{Game, Side, Turn, stream};
use random_go::{for_each_position, random_weights};

fn weights_of(sizes: &[usize], sharing: Sharing) -> usize {
    Features::<Go>::count(&LocalShapes::new(9, WindowSizes::new(sizes).unwrap(), sharing))
}

/// Table 1 of paper 000, with its misprint (the sum of the column in place of its last entry) corrected.
#[test]
fn weights_per_class_on_9x9() {
    use Sharing::{Both, LocationDependent as Ld, LocationIndependent as Li};
    let each = |sharing| [1, 2, 3].map(|k| weights_of(&[k], sharing));
    assert_eq!(each(Li), [1, 8, 1_418]);
    assert_eq!(each(Ld), [15, 344, 61_517]);
    assert_eq!(weights_of(&[1, 2, 3], Li), 1_427);
    assert_eq!(weights_of(&[1, 2, 3], Ld), 61_876);
    assert_eq!(weights_of(&[1, 2, 3], Both), 63_303);
    let features =
        [1, 2, 3].map(|k| LocalShapes::new(9, WindowSizes::new(&[k]).unwrap(), Sharing::None).feature_count());
    assert_eq!(features, [243, 5_184, 964_467]);
    assert_eq!(LocalShapes::new(9, WindowSizes::ALL, Both).feature_count(), 969_894);
}

#[test]
fn at_most_388_weights_are_active_on_9x9() {
    let shapes = LocalShapes::new(9, WindowSizes::ALL, Sharing::Both);
    let (mut set, mut most) = (ActiveSet::default(), 0);
    for game in 0..10 {
        for_each_position(Go::new(9), 1, game, |position, _| {
            shapes.active(&shapes.track(position.clone()), &mut set);
            most = most.max(set.norm_squared());
            assert!(set.norm_squared() <= 388);
            assert!(set.shares().iter().all(|share| share.index() < 63_303));
        });
    }
    // Late in a random game hardly any window is neutral.
    assert!(most > 330, "{most}");
}

/// The eight symmetries, written down independently of the library's.
fn image(symmetry: usize, (x, y): (usize, usize), size: usize) -> (usize, usize) {
    let last = size - 1;
    match symmetry {
        0 => (x, y),
        1 => (last - y, x),
        2 => (last - x, last - y),
        3 => (y, last - x),
        4 => (last - x, y),
        5 => (x, last - y),
        6 => (y, x),
        _ => (last - y, last - x),
    }
}

#[test]
fn images_have_the_same_sum_and_exchanged_colours_the_opposite() {
    let mut set = ActiveSet::default();
    for size in [5, 6, 9] {
        for sharing in [Sharing::LocationIndependent, Sharing::LocationDependent, Sharing::Both] {
            let shapes = LocalShapes::new(size, WindowSizes::ALL, sharing);
            let weights = random_weights(Features::<Go>::count(&shapes), 0.5, size as u64);
            let mut sum = |game: &Go| {
                shapes.active(&shapes.track(game.clone()), &mut set);
                (weights.sum(&set), set.norm_squared())
            };
            // The same random game eight times over, and once more with White beginning.
            let mut rng = stream(11, size as u64);
            let mut games: Vec<Go> = vec![Go::new(size); 8];
            let mut exchanged = Go::new(size).with_turn(Side::Second);
            let (mut moves, mut largest) = (Vec::new(), 0f32);
            while matches!(games[0].turn(), Turn::Player(_)) {
                games[0].candidate_moves(&mut moves);
                let mv = moves[below(&mut rng, moves.len() as u32) as usize];
                for (symmetry, game) in games.iter_mut().enumerate() {
                    game.play(mv.point().map_or(Move::PASS, |point| {
                        let (x, y) = image(symmetry, point.column_row(size), size);
                        Move::play(Point::at(x, y, size))
                    }));
                }
                exchanged.play(mv);
                let (expected, active) = sum(&games[0]);
                largest = largest.max(expected.abs());
                for (symmetry, game) in games.iter().enumerate() {
                    let (found, norm) = sum(game);
                    assert!(
                        (found - expected).abs() < 1e-3,
                        "{size} {sharing:?} image {symmetry}: {found}, {expected}"
                    );
                    assert_eq!(norm, active);
                }
                let (opposite, norm) = sum(&exchanged);
                assert!((opposite + expected).abs() < 1e-3, "{size} {sharing:?} exchanged: {opposite}, {expected}");
                assert_eq!(norm, active);
            }
            assert!(largest > 1.0);
        }
    }
}

#[test]
fn without_sharing_every_window_counts_by_itself() {
    // One black stone in a corner: it shows in one window of each size, and nowhere else.
    let shapes = LocalShapes::new(9, WindowSizes::ALL, Sharing::None);
    let mut game = Go::new(9);
    game.play(Move::play(Point::at(0, 0, 9)));
    let mut set = ActiveSet::default();
    shapes.active(&shapes.track(game.clone()), &mut set);
    assert_eq!(set.norm_squared(), 3);
    game.play(Move::play(Point::at(4, 4, 9)));
    shapes.active(&shapes.track(game), &mut set);
    assert_eq!(set.norm_squared(), 3 + 1 + 4 + 9);
}

/// Plays random games with the windows followed, and compares with reading them from scratch after every move.
/// Unshared features name every window that is not empty, so that equal sets are equal patterns.
#[test]
fn following_a_game_equals_reading_it() {
    let (mut followed, mut read, mut moves) = (ActiveSet::default(), ActiveSet::default(), Vec::new());
    for (size, games) in [(5, 20), (7, 5), (9, 5), (13, 2), (19, 1)] {
        let shapes = LocalShapes::new(size, WindowSizes::ALL, Sharing::None);
        let mut captures = 0;
        for index in 0..games {
            let mut rng = stream(21, index);
            let mut game: TrackedGo = shapes.track(Go::new(size));
            while matches!(game.turn(), Turn::Player(_)) {
                game.candidate_moves(&mut moves);
                let mv = moves[below(&mut rng, moves.len() as u32) as usize];
                let before = game.game().board().empty_count();
                game.play(mv);
                captures += usize::from(!mv.is_pass() && game.game().board().empty_count() >= before);
                shapes.active(&game, &mut followed);
                shapes.active(&shapes.track(game.game().clone()), &mut read);
                assert_eq!(followed, read, "{size}x{size} after {mv:?}");
            }
        }
        assert!(captures > 10, "{size}x{size}: only {captures} captures");
    }
}

#[test]
fn sums_of_afterstates_equal_those_of_the_positions() {
    let mut set = ActiveSet::default();
    for (size, games, every) in [(5, 10, 1), (9, 2, 3), (13, 1, 20), (19, 1, 80)] {
        for sharing in [Sharing::None, Sharing::LocationDependent, Sharing::Both] {
            let shapes = LocalShapes::new(size, WindowSizes::ALL, sharing);
            let weights = random_weights(Features::<Go>::count(&shapes), 0.2, 31);
            let (mut sums, mut captures, mut count) = (Vec::new(), 0, 0);
            for game in 0..games {
                for_each_position(Go::new(size), 31, game, |position, moves| {
                    count += 1;
                    if count % every != 0 {
                        return;
                    }
                    let tracked = shapes.track(position.clone());
                    // A pass is worth what the position is worth.
                    let with_pass: Vec<Move> = moves.iter().copied().chain([Move::PASS]).collect();
                    shapes.afterstate_sums(&tracked, &with_pass, &weights, &mut sums);
                    assert_eq!(sums.len(), with_pass.len());
                    for (&mv, &found) in with_pass.iter().zip(&sums) {
                        let mut after = position.clone();
                        after.play(mv);
                        captures += usize::from(after.board().empty_count() > position.board().empty_count());
                        shapes.active(&shapes.track(after), &mut set);
                        let expected = weights.sum(&set);
                        assert!((found - expected).abs() < 1e-4, "{size} {sharing:?} {mv:?}: {found}, {expected}");
                    }
                });
            }
            assert!(captures > 3, "{size}x{size}: only {captures} captures of several stones");
        }
    }
}
