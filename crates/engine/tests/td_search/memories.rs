//! The special cases of Dyna-2.

use afterstate_engine::learning::TdSettings;
use afterstate_engine::search::{
    Dyna2, FeatureMemory, Freeze, LongTermMemory, LongTermShapes, NoShortTerm, PlayOut, ShapeMemory, ShortTermMemory,
    TdSearch, TdSearchSettings,
};
use afterstate_engine::value::{
    AfterstateValues, Features, GridShapes, Linear, LocalShapes, Sharing, Squash, TrackedGo, ValueFunction, Weights,
    WindowSizes,
};
use afterstate_engine::{Budget, Search};
use afterstate_games::go::{FuegoPlayout, Go};
use afterstate_games::rng::{below, unit};
use afterstate_games::{ConnectFour, Game, UniformPlayout, stream};

fn short() -> FeatureMemory<Go, LocalShapes, TrackedGo> {
    let shapes = LocalShapes::new(5, WindowSizes::new(&[1, 2]).unwrap(), Sharing::None);
    FeatureMemory::of_shapes(shapes.into(), TdSettings::default())
}

/// Some learnt function: its weights are arbitrary.
fn learnt() -> Linear<LocalShapes> {
    let shapes = LocalShapes::new(5, WindowSizes::ALL, Sharing::Both);
    let mut rng = stream(11, 0);
    let weights: Vec<f32> = (0..Features::<Go>::count(&shapes)).map(|_| unit(&mut rng) - 0.5).collect();
    Linear { features: shapes.into(), weights: Weights::from_values(&weights).into(), squash: Squash::Logistic }
}

fn long() -> LongTermShapes {
    LongTermShapes::of(&learnt())
}

fn settings() -> TdSearchSettings {
    TdSearchSettings { simulations: 100, ..TdSearchSettings::default() }
}

#[test]
fn without_a_long_term_memory_it_is_td_search() {
    let playout = PlayOut(FuegoPlayout::default());
    let mut dyna2 = TdSearch::new(Dyna2::new((), short()), playout.clone(), settings());
    let mut td_search = TdSearch::new(short(), playout, settings());
    let (mut game, mut rngs) = (Go::new(5), [stream(1, 0), stream(1, 0)]);
    for _ in 0..10 {
        let decision = dyna2.search(&game, &Budget::default(), &mut rngs[0]);
        assert_eq!(decision, td_search.search(&game, &Budget::default(), &mut rngs[1]));
        assert_eq!(dyna2.memory().short_term().weights(), td_search.memory().weights());
        game.play(decision.best.unwrap());
    }
    assert!(td_search.memory().weights().iter().any(|&weight| weight != 0.0));
}

#[test]
fn without_a_short_term_memory_it_is_greedy_in_the_long_term_values() {
    let mut search = TdSearch::new(Dyna2::new(long(), NoShortTerm), PlayOut(FuegoPlayout::default()), settings());
    let (mut game, mut rng, mut moves, mut sums) = (Go::new(5), stream(1, 0), Vec::new(), Vec::new());
    for turn in 0..12 {
        let decision = search.search(&game, &Budget::default(), &mut rng);
        let mut memory = long();
        memory.set_root(&game);
        memory.begin();
        game.candidate_moves(&mut moves);
        memory.afterstate_sums(&game, &moves, &mut sums);
        let best = sums.iter().copied().reduce(if turn % 2 == 0 { f32::max } else { f32::min }).unwrap();
        // In a symmetric position several moves are best.
        let mv = decision.best.unwrap();
        assert_eq!(sums[moves.iter().position(|&candidate| candidate == mv).unwrap()], best);
        assert_eq!(decision.value, Some(Squash::Logistic.value(best)));
        game.play(mv);
    }
}

#[test]
fn the_long_term_memory_is_where_a_search_begins_and_what_stays_after_it() {
    let mut search = TdSearch::new(Dyna2::new(long(), short()), PlayOut(FuegoPlayout::default()), settings());
    let none = Budget { simulations: Some(0), ..Budget::default() };
    let before = search.search(&Go::new(5), &none, &mut stream(1, 0)).value;
    let after = search.search(&Go::new(5), &Budget::default(), &mut stream(1, 0)).value;
    assert_ne!(before, after);
    search.clear();
    assert_eq!(search.search(&Go::new(5), &none, &mut stream(1, 0)).value, before);
}

/// One table that starts from the long-term weights says at first what these say, learns, and forgets what it learnt.
#[test]
fn one_table_begins_where_two_do() {
    let mut table = ShapeMemory::starting_with(&learnt(), TdSettings::default());
    let (mut long, mut game, mut rng) = (long(), Go::new(5), stream(1, 0));
    let (mut moves, mut sums, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    let mut agrees = |table: &mut ShapeMemory, game: &Go| {
        game.candidate_moves(&mut moves);
        table.set_root(game);
        table.begin();
        table.afterstate_sums(game, &moves, &mut sums);
        table.abandoned();
        long.set_root(game);
        long.begin();
        long.afterstate_sums(game, &moves, &mut expected);
        sums.iter().zip(&expected).all(|(sum, expected)| (sum - expected).abs() < 1e-3)
    };
    let mut search = TdSearch::new(table.clone(), PlayOut(FuegoPlayout::default()), settings());
    for _ in 0..8 {
        assert!(agrees(&mut table, &game));
        game.play(search.search(&game, &Budget::default(), &mut rng).best.unwrap());
        assert!(!agrees(search.memory_mut(), &game), "it has learnt");
    }
    search.clear();
    assert!(agrees(search.memory_mut(), &game) && agrees(search.memory_mut(), &Go::new(5)));
    // On another board nothing is known.
    search.memory_mut().set_root(&Go::new(7));
    assert!(search.memory().weights().iter().all(|&weight| weight == 0.0));
}

/// Learnt values of Connect Four, with other windows than those of the short-term memory: arbitrary ones.
fn learnt_grid(squash: Squash) -> Linear<GridShapes> {
    let shapes = GridShapes::new(&ConnectFour::new(), WindowSizes::new(&[1, 3]).unwrap());
    let mut rng = stream(12, 0);
    let weights: Vec<f32> = (0..shapes.weight_count()).map(|_| 0.2 * (unit(&mut rng) - 0.5)).collect();
    Linear { features: shapes.into(), weights: Weights::from_values(&weights).into(), squash }
}

fn short_grid(squash: Squash, lambda: f32) -> FeatureMemory<ConnectFour, GridShapes> {
    let shapes = GridShapes::new(&ConnectFour::new(), WindowSizes::new(&[1, 2]).unwrap());
    FeatureMemory::new(shapes.into(), TdSettings { squash, lambda, ..TdSettings::default() })
}

#[test]
fn any_learnt_function_is_a_long_term_memory() {
    // Folded for speed, or as it is: the sums are the same.
    let (mut folded, mut plain, mut game, mut rng) = (long(), learnt(), Go::new(5), stream(2, 0));
    let (mut moves, mut sums, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..20 {
        game.candidate_moves(&mut moves);
        folded.set_root(&game);
        folded.begin();
        folded.afterstate_sums(&game, &moves, &mut expected);
        plain.afterstate_sums(&game, &moves, &mut sums);
        assert!(sums.iter().zip(&expected).all(|(sum, expected)| (sum - expected).abs() < 1e-3));
        assert!((LongTermMemory::sum(&mut plain, &game) - folded.sum(&game)).abs() < 1e-3);
        game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
    }
}

#[test]
fn outside_go_dyna_2_begins_with_what_was_learnt_and_corrects_it() {
    for (squash, lambda) in [(Squash::Logistic, 0.0), (Squash::Linear, 0.0), (Squash::Logistic, 0.5)] {
        let playout = PlayOut(UniformPlayout::default());
        let greedy = Dyna2::new(learnt_grid(squash), short_grid(squash, lambda));
        let mut search = TdSearch::new(greedy, playout, settings());
        let (start, none) = (ConnectFour::new(), Budget { simulations: Some(0), ..Budget::default() });
        let before = search.search(&start, &none, &mut stream(1, 0));
        let (mut moves, mut sums) = (Vec::new(), Vec::new());
        start.candidate_moves(&mut moves);
        learnt_grid(squash).afterstate_sums(&start, &moves, &mut sums);
        let best = sums.iter().copied().reduce(f32::max).unwrap();
        assert_eq!(before.value, Some(squash.value(best)));

        search.search(&start, &Budget::default(), &mut stream(1, 0));
        assert!(search.memory().short_term().weights().iter().any(|&weight| weight != 0.0));
        let frozen = search.memory().freeze();
        let short = search.memory().short_term().freeze();
        let mut game = start;
        for _ in 0..6 {
            game.candidate_moves(&mut moves);
            let (mut both, mut corrections) = (Vec::new(), Vec::new());
            frozen.afterstates(&game, &moves, &mut both);
            learnt_grid(squash).afterstate_sums(&game, &moves, &mut sums);
            short.afterstates(&game, &moves, &mut corrections);
            for (&mv, ((both, sum), correction)) in moves.iter().zip(both.iter().zip(&sums).zip(&corrections)) {
                assert!((both - sum - correction).abs() < 1e-5);
                let mut after = game;
                after.play(mv);
                assert!((frozen.value(&after).0 - squash.value(*both).0).abs() < 1e-5);
            }
            game.play(moves[moves.len() / 2]);
        }
        search.clear();
        assert_eq!(search.search(&start, &none, &mut stream(1, 0)).value, before.value);
    }
}
