//! Two-phase search: the second phase is minimax over exactly what the first one has learnt.

use afterstate_engine::learning::TdSettings;
use afterstate_engine::search::{
    BoundedLogits, Dyna2, FeatureMemory, Freeze, LongTermShapes, NoShortTerm, PlayOut, ShapeMemory, ShortTermMemory,
    Situation, TdSearch, TdSearchSettings, TwoPhase, TwoPhaseSettings, minimax,
};
use afterstate_engine::value::{
    AfterstateValues, Features, FusedShapes, GridShapes, LocalShapes, Sharing, Squash, TrackedGo, ValueFunction,
    WindowSizes,
};
use afterstate_engine::{Budget, Search, Value};
use afterstate_games::go::{FuegoPlayout, Go, Komi};
use afterstate_games::rng::below;
use afterstate_games::{ConnectFour, Deterministic, Game, Grid, Notation, TicTacToe, Turn, UniformPlayout, stream};
use random_go::{for_each_position, random_weights};
use std::time::{Duration, Instant};

mod random_go;

fn sizes(sizes: &[usize]) -> WindowSizes {
    WindowSizes::new(sizes).unwrap()
}

fn td(lambda: f32, squash: Squash) -> TdSettings {
    // Large steps, so that weights differ much.
    TdSettings { lambda, squash, step_size: 0.5, ..TdSettings::default() }
}

fn first(simulations: u64) -> TdSearchSettings {
    TdSearchSettings { simulations, exploration: 0.2, ..TdSearchSettings::default() }
}

fn second(depth: u32) -> TwoPhaseSettings {
    let mut settings = TwoPhaseSettings::default();
    (settings.alpha_beta.depth, settings.alpha_beta.table_mib) = (depth, 1);
    settings
}

fn short(of: &[usize]) -> ShapeMemory {
    ShapeMemory::new(sizes(of), td(0.0, Squash::Logistic))
}

fn with_traces(size: usize, of: &[usize]) -> FeatureMemory<Go, LocalShapes, TrackedGo> {
    FeatureMemory::of_shapes(LocalShapes::new(size, sizes(of), Sharing::None).into(), td(0.5, Squash::Logistic))
}

fn grid<G: Grid>(start: &G) -> FeatureMemory<G, GridShapes> {
    FeatureMemory::new(GridShapes::new(start, sizes(&[1, 2])).into(), td(0.0, Squash::Logistic))
}

/// Something that was learnt beforehand.
fn long(size: usize) -> LongTermShapes {
    let shapes = LocalShapes::new(size, WindowSizes::ALL, Sharing::Both);
    let weights = random_weights(Features::<Go>::count(&shapes), 0.3, 5);
    LongTermShapes::new(FusedShapes::new(&shapes, &weights, Squash::Logistic).into())
}

/// What a memory says of all afterstates of a position, computed by itself.
fn by_memory<G: Game>(memory: &mut impl ShortTermMemory<G>, game: &G, moves: &[G::Move]) -> Vec<f32> {
    let mut sums = Vec::new();
    memory.set_root(game);
    memory.begin();
    memory.afterstate_sums(game, moves, &mut sums);
    memory.abandoned();
    sums
}

/// Learns from some searches of Go and compares what is frozen with what the memory says, in random games.
fn frozen_is_learnt<M: Freeze<Go>>(memory: M, size: usize) {
    let mut search = TdSearch::new(memory, PlayOut(FuegoPlayout::default()), first(100));
    let (mut game, mut rng) = (Go::new(size), stream(3, 0));
    for _ in 0..4 {
        game.play(search.search(&game, &Budget::default(), &mut rng).best.unwrap());
    }
    let frozen = search.memory().freeze();
    let (mut found, mut checked, mut different) = (Vec::new(), 0, 0);
    for_each_position(Go::new(size), 4, 0, |position, moves| {
        let read = search.memory().read(&frozen, position);
        frozen.afterstates(&read, moves, &mut found);
        let expected = by_memory(search.memory_mut(), position, moves);
        assert_eq!(found.len(), moves.len());
        for ((mv, found), expected) in moves.iter().zip(&found).zip(&expected) {
            assert!((found - expected).abs() < 1e-4, "{size}x{size} {mv:?}: {found}, the memory says {expected}");
            different += u32::from(expected.abs() > 1e-3);
        }
        // The value of a leaf is the same by itself.
        let mut leaf = read.clone();
        leaf.play(moves[0]);
        if !matches!(leaf.turn(), Turn::Over(_)) {
            assert!((frozen.value(&leaf).0 - search.memory().value(expected[0]).0).abs() < 1e-4);
        }
        checked += moves.len();
    });
    assert!(checked > 300 && different > 40, "{checked} {different}");
}

#[test]
fn a_leaf_is_worth_what_the_memory_says() {
    for of in [&[1][..], &[2], &[3], &[1, 2], &[1, 2, 3]] {
        frozen_is_learnt(short(of), 5);
    }
    frozen_is_learnt(short(&[1, 2]), 9);
    frozen_is_learnt(short(&[1, 2, 3]), 13);
    frozen_is_learnt(with_traces(5, &[1, 2]), 5);
}

#[test]
fn both_memories_count() {
    frozen_is_learnt(Dyna2::new(long(5), short(&[1, 2])), 5);
    frozen_is_learnt(Dyna2::new(long(9), short(&[1, 2, 3])), 9);
    frozen_is_learnt(Dyna2::new(long(5), with_traces(5, &[1, 2, 3])), 5);
    frozen_is_learnt(Dyna2::new(long(5), NoShortTerm), 5);
}

/// The decision is that of exhaustive minimax over the frozen values.
fn agrees<G: Deterministic, M: Freeze<G>>(
    search: &mut TwoPhase<G, M, impl afterstate_engine::search::Leaf<G>>,
    game: &G,
    depth: u32,
) {
    let decision = search.search(game, &Budget::default(), &mut stream(9, u64::from(depth)));
    let values = BoundedLogits(search.first().memory().freeze());
    let root = search.first().memory().read(&values.0, game);
    let (score, _) = minimax(&root, depth, &values);
    let worth = |score: afterstate_engine::search::Score| match score.winner() {
        Some(winner) => Value::from(afterstate_games::Outcome::win(winner)),
        None => values.value_of_score(score.first_player()),
    };
    let (found, expected) = (decision.value.unwrap(), worth(score));
    assert!((found.0 - expected.0).abs() < 1e-5, "depth {depth}: {found:?}, expected {expected:?}");
    let mut after = root.clone();
    after.play(decision.best.unwrap());
    if depth > 1 && score.winner().is_none() && !matches!(after.turn(), Turn::Over(_)) {
        assert!((worth(minimax(&after, depth - 1, &values).0).0 - expected.0).abs() < 1e-5);
    }
    let report = search.report();
    assert_eq!((Some(report.moves[0].mv), report.moves[0].value), (decision.best, decision.value));
    assert_eq!(report.moves[0].principal_variation, decision.principal_variation);
}

/// Positions of a random game, some moves apart.
fn positions<G: Game>(start: &G, apart: usize, seed: u64) -> Vec<G> {
    let (mut game, mut moves, mut rng, mut found) = (start.clone(), Vec::new(), stream(seed, 0), Vec::new());
    for i in 0.. {
        if !matches!(game.turn(), Turn::Player(_)) {
            break;
        }
        if i % apart == 0 {
            found.push(game.clone());
        }
        game.candidate_moves(&mut moves);
        game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
    }
    found
}

#[test]
fn equals_minimax_over_what_was_learnt() {
    for depth in 1..=4 {
        for seed in 0..3 {
            let start = TicTacToe::new();
            let mut search = TwoPhase::new(grid(&start), PlayOut(UniformPlayout::default()), first(100), second(depth));
            positions(&start, 1, seed).iter().for_each(|position| agrees(&mut search, position, depth));
            let start = ConnectFour::new();
            let mut search = TwoPhase::new(grid(&start), PlayOut(UniformPlayout::default()), first(100), second(depth));
            positions(&start, 4, seed).iter().for_each(|position| agrees(&mut search, position, depth));
        }
    }
}

#[test]
fn equals_minimax_on_5x5_go() {
    for depth in 1..=4 {
        let apart = [2, 3, 5, 11][depth as usize - 1];
        for seed in 0..2 {
            let positions = positions(&Go::new(5).with_komi(Komi::new(2.5).unwrap()), apart, seed);
            let leaf = || PlayOut(FuegoPlayout::default());
            let mut plain = TwoPhase::new(short(&[1, 2]), leaf(), first(100), second(depth));
            let mut both = TwoPhase::new(Dyna2::new(long(5), short(&[1, 2])), leaf(), first(100), second(depth));
            for position in &positions {
                agrees(&mut plain, position, depth);
                agrees(&mut both, position, depth);
            }
        }
    }
}

#[test]
fn one_ply_is_what_the_first_phase_would_play() {
    let leaf = || PlayOut(FuegoPlayout::default());
    let mut alone = TdSearch::new(short(&[1, 2]), leaf(), first(200));
    let mut search = TwoPhase::new(short(&[1, 2]), leaf(), first(200), second(1));
    let mut game = Go::new(5);
    for i in 0..6 {
        let expected = alone.search(&game, &Budget::default(), &mut stream(1, i));
        let decision = search.search(&game, &Budget::default(), &mut stream(1, i));
        assert_eq!((decision.best, decision.depth, decision.effort), (expected.best, Some(1), 200));
        assert!((decision.value.unwrap().0 - expected.value.unwrap().0).abs() < 1e-5);
        game.play(decision.best.unwrap());
    }
}

#[test]
fn the_same_seed_gives_the_same_game() {
    let mut search = TwoPhase::new(short(&[1, 2]), PlayOut(FuegoPlayout::default()), first(60), second(3));
    let mut play = |seed| -> Vec<_> {
        search.clear();
        let (mut game, mut rng) = (Go::new(5), stream(seed, 0));
        (0..8)
            .map(|_| {
                let decision = search.search(&game, &Budget::default(), &mut rng);
                game.play(decision.best.unwrap());
                (decision, search.report().clone())
            })
            .collect()
    };
    let games = [play(1), play(1), play(2)];
    assert!(games[0] == games[1]);
    assert!(games[0] != games[2]);
}

#[test]
fn sees_a_win_that_simulations_have_not_shown() {
    // Nothing was simulated, and O must take a side: a corner gives X two threats at once.
    let game = TicTacToe::parse_position("X../.O./..X").unwrap();
    let mut search = TwoPhase::new(grid(&game), PlayOut(UniformPlayout::default()), first(1), second(9));
    let none = Budget { simulations: Some(0), ..Budget::default() };
    let decision = search.search(&game, &none, &mut stream(1, 0));
    assert_eq!(decision.value, Some(Value::EVEN));
    assert!(["2", "4", "6", "8"].contains(&&*game.move_text(decision.best.unwrap())));
    let corner = game.parse_move("3").unwrap();
    let report = search.report().moves.iter().find(|report| report.mv == corner).unwrap();
    assert_eq!(report.value, Some(Value(1.0)), "X wins");
}

#[test]
fn time_is_split_between_the_phases() {
    let effort = |split| {
        let settings = TwoPhaseSettings { split, ..second(3) };
        let mut search = TwoPhase::new(short(&[1, 2]), PlayOut(FuegoPlayout::default()), first(10), settings);
        let begun = Instant::now();
        let decision = search.search(&Go::new(9), &Budget::time(Duration::from_millis(200)), &mut stream(1, 0));
        assert!(begun.elapsed() < Duration::from_secs(20));
        assert!(decision.best.is_some());
        (decision.effort, search.nodes())
    };
    let (simulations, nodes) = effort(0.5);
    assert!(simulations > 16 && nodes > 1);
    // Nothing is left for the one or the other.
    assert!(effort(0.0).0 <= 16);
    assert!(effort(1.0).1 <= 64);
}

#[test]
fn limits_hold_and_only_allowed_moves_are_played() {
    let mut search = TwoPhase::new(short(&[1, 2]), PlayOut(FuegoPlayout::default()), first(20), second(3));
    let game = Go::new(5);
    let budget = Budget { simulations: Some(30), depth: Some(2), ..Budget::default() };
    let decision = search.search(&game, &budget, &mut stream(1, 0));
    assert_eq!((decision.effort, decision.depth), (30, Some(2)));
    let allowed = ["A1", "B2", "E5"].map(|text| game.parse_move(text).unwrap());
    let situation = Situation { moves: Some(&allowed), ..Situation::new(&game) };
    let decision = search.search_situation(&situation, &Budget::default(), &mut stream(1, 0), None);
    assert!(allowed.contains(&decision.best.unwrap()));
    let report = search.report();
    assert_eq!((report.simulations, report.moves.len()), (20, 3));
    assert!(report.moves.windows(2).all(|pair| pair[0].value.unwrap().0 >= pair[1].value.unwrap().0));
    let none = Situation { moves: Some(&[]), ..Situation::new(&game) };
    assert_eq!(search.search_situation(&none, &Budget::default(), &mut stream(1, 0), None).best, None);
}
