//! The special cases of Dyna-2.

use afterstate_engine::learning::TdSettings;
use afterstate_engine::search::{
    Dyna2, FeatureMemory, LongTermMemory, LongTermShapes, NoShortTerm, PlayOut, TdSearch, TdSearchSettings,
};
use afterstate_engine::value::{Features, FusedShapes, LocalShapes, Sharing, Squash, TrackedGo, Weights, WindowSizes};
use afterstate_engine::{Budget, Search};
use afterstate_games::go::{FuegoPlayout, Go};
use afterstate_games::rng::unit;
use afterstate_games::{Game, stream};

fn short() -> FeatureMemory<Go, LocalShapes, TrackedGo> {
    let shapes = LocalShapes::new(5, WindowSizes::new(&[1, 2]).unwrap(), Sharing::None);
    FeatureMemory::of_shapes(shapes.into(), TdSettings::default())
}

fn long() -> LongTermShapes {
    let shapes = LocalShapes::new(5, WindowSizes::ALL, Sharing::Both);
    let mut rng = stream(11, 0);
    let weights: Vec<f32> = (0..Features::<Go>::count(&shapes)).map(|_| unit(&mut rng) - 0.5).collect();
    LongTermShapes::new(FusedShapes::new(&shapes, &Weights::from_values(&weights), Squash::Logistic).into())
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
