//! Tree search that starts from what TD search has just learnt.

use afterstate_engine::learning::TdSettings;
use afterstate_engine::search::{
    Dyna2, Experience, Freeze, LongTermShapes, Mcts, MctsSettings, PlayOut, Prior, ShapeMemory, SharedValues,
    ShortTermPrior, TdSearch, TdSearchSettings, TwoPhaseMcts, Uct,
};
use afterstate_engine::value::{
    AfterstateValues, Features, FusedShapes, LocalShapes, Sharing, Squash, TrackedGo, WindowSizes,
};
use afterstate_engine::{Budget, Search};
use afterstate_games::go::{FuegoPlayout, Go, Move};
use afterstate_games::{Game, stream};
use random_go::random_weights;
use std::time::Duration;

mod random_go;

const EXPERIENCE: Experience = Experience { monte_carlo: 10, amaf: 0 };

fn short() -> ShapeMemory {
    ShapeMemory::new(WindowSizes::new(&[1, 2]).unwrap(), TdSettings::default())
}

fn playout() -> PlayOut<FuegoPlayout> {
    PlayOut(FuegoPlayout::default())
}

/// A search whose nodes start with what `memory` learns.
fn search<M: Freeze<Go, Frozen = FusedShapes, Position = TrackedGo>>(
    memory: M,
    share: f32,
) -> TwoPhaseMcts<Go, M, PlayOut<FuegoPlayout>, Uct, PlayOut<FuegoPlayout>, impl Prior<Go>> {
    let values = SharedValues::default();
    let read = |values: &FusedShapes, game: &Go| values.track(game.clone());
    let prior = ShortTermPrior::new(values.clone(), read, EXPERIENCE);
    let settings = MctsSettings { memory_mib: 16, early_stop: false, simulations: 300, ..MctsSettings::default() };
    let first = TdSearch::new(memory, playout(), TdSearchSettings::default());
    TwoPhaseMcts::new(first, values, Mcts::with(Uct::default(), playout(), prior, (), settings), share)
}

fn simulations(simulations: u64) -> Budget {
    Budget { simulations: Some(simulations), ..Budget::default() }
}

/// New nodes start with the values of the memory.
fn starts_with_what_was_learnt<M: Freeze<Go, Frozen = FusedShapes, Position = TrackedGo>>(memory: M) {
    let mut search = search(memory, 0.5);
    let mut rng = stream(1, 0);
    search.search(&Go::new(5), &simulations(200), &mut rng);
    let frozen = search.first().memory().freeze();
    let root = search.first().memory().read(&frozen, &Go::new(5));
    let report = search.second().report();
    // All points, and a pass.
    assert_eq!((report.simulations, report.moves.len()), (100, 26));
    let (mut sums, mut different) = (Vec::new(), 0);
    for known in &report.moves {
        // Values say nothing of a pass.
        if known.mv == Move::PASS {
            assert_eq!(known.prior, None);
            continue;
        }
        frozen.afterstates(&root, &[known.mv], &mut sums);
        let expected = frozen.value_of_score(sums[0]).0;
        assert!(
            (known.prior.unwrap().0 - expected).abs() < 1e-3,
            "{:?}: {:?}, learnt {expected}",
            known.mv,
            known.prior
        );
        different += u32::from((expected - 0.5).abs() > 0.002);
        // Q is the mean of what was seen and of ten simulations worth the prior.
        assert!(known.visits > 0 || (known.value.unwrap().0 - expected).abs() < 1e-3);
    }
    assert!(different > 5);
}

#[test]
fn nodes_start_with_the_short_term_memory() {
    starts_with_what_was_learnt(short());
}

#[test]
fn nodes_start_with_both_memories() {
    let shapes = LocalShapes::new(5, WindowSizes::ALL, Sharing::Both);
    let weights = random_weights(Features::<Go>::count(&shapes), 0.1, 5);
    let long = LongTermShapes::new(FusedShapes::new(&shapes, &weights, Squash::Logistic).into());
    starts_with_what_was_learnt(Dyna2::new(long, short()));
}

#[test]
fn simulations_and_time_are_shared() {
    for (share, first, second) in [(0.0, 0, 200), (0.25, 50, 150), (1.0, 200, 0)] {
        let mut search = search(short(), share);
        assert_eq!(search.search(&Go::new(5), &simulations(200), &mut stream(1, 0)).effort, 200);
        assert_eq!((search.first().report().simulations, search.second().report().simulations), (first, second));
    }
    let mut search = search(short(), 0.5);
    assert_eq!(search.search(&Go::new(5), &Budget::default(), &mut stream(1, 0)).effort, 300);
    let decision = search.search(&Go::new(5), &Budget::time(Duration::from_millis(100)), &mut stream(1, 0));
    let (first, second) = (search.first().report().simulations, search.second().report().simulations);
    assert!(first > 0 && second > 0 && decision.effort == first + second);
}

#[test]
fn the_same_seed_gives_the_same_game_whatever_else_is_searched() {
    let play = |others: bool| {
        let (mut ours, mut theirs) = (search(short(), 0.5), search(short(), 0.5));
        let (mut game, mut rng) = (Go::new(5), stream(7, 0));
        (0..6)
            .map(|i| {
                if others {
                    theirs.search(&game, &simulations(60), &mut stream(8, i));
                }
                let decision = ours.search(&game, &simulations(120), &mut rng);
                game.play(decision.best.unwrap());
                decision
            })
            .collect::<Vec<_>>()
    };
    assert!(play(false) == play(true));
}

#[test]
fn a_new_game_forgets_both() {
    let mut search = search(short(), 0.5);
    let mut decide = || {
        search.clear();
        let decision = search.search(&Go::new(5), &simulations(100), &mut stream(1, 0));
        (decision, search.second().report())
    };
    assert_eq!(decide(), decide());
}
