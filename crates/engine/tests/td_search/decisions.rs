//! What a search decides, when it ends, and what it remembers.

use afterstate_engine::learning::{TdSettings, TraceKind};
use afterstate_engine::search::{
    Dyna2, FeatureMemory, LongTermShapes, PlayOut, ShapeMemory, ShortTermMemory, Situation, TdSearch, TdSearchSettings,
    Watch,
};
use afterstate_engine::value::{
    Features, FusedShapes, GridShapes, LocalShapes, Sharing, Squash, TrackedGo, Weights, WindowSizes,
};
use afterstate_engine::{Budget, Decision, Search};
use afterstate_games::go::{FuegoPlayout, Go};
use afterstate_games::{ConnectFour, Game, Notation, TicTacToe, UniformPlayout, stream};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

type GoSearch = TdSearch<Go, FeatureMemory<Go, LocalShapes, TrackedGo>, PlayOut<FuegoPlayout>>;

fn go_search(settings: TdSearchSettings) -> GoSearch {
    let shapes = LocalShapes::new(5, WindowSizes::new(&[1, 2]).unwrap(), Sharing::None);
    let memory = FeatureMemory::of_shapes(shapes.into(), TdSettings::default());
    TdSearch::new(memory, PlayOut(FuegoPlayout::default()), settings)
}

/// The move that is played in a position of a game on a grid, after so many simulations.
fn decided<G: afterstate_games::Grid + Notation>(position: &str, simulations: u64) -> String {
    let game = G::parse_position(position).unwrap();
    let features = GridShapes::new(&game, WindowSizes::ALL);
    let memory = FeatureMemory::new(features.into(), TdSettings::default());
    let settings = TdSearchSettings { simulations, ..TdSearchSettings::default() };
    let mut search = TdSearch::new(memory, PlayOut(UniformPlayout::default()), settings);
    let decision = search.search(&game, &Budget::default(), &mut stream(1, 0));
    assert_eq!(decision.effort, simulations);
    game.move_text(decision.best.unwrap())
}

#[test]
fn wins_at_once_and_blocks() {
    // A move that ends the game is worth what it ends in, even if nothing was learnt.
    assert_eq!(decided::<TicTacToe>("XX./OO./...", 0), "3");
    assert_eq!(decided::<TicTacToe>("XX./.O./...", 500), "3");
    assert_eq!(decided::<TicTacToe>("X../OO./..X", 500), "6");
}

/// Linear values that were learnt by long steps are beyond what a game can be worth.
#[test]
fn nothing_that_was_learnt_is_better_than_a_win() {
    let game = ConnectFour::parse_position("......./......./......./......./OOO..../XXX....").unwrap();
    let td = TdSettings { squash: Squash::Linear, step_size: 1.0, ..TdSettings::default() };
    let features = Arc::new(GridShapes::new(&game, WindowSizes::new(&[1, 2]).unwrap()));
    for seed in 0..20 {
        let memory = FeatureMemory::new(features.clone(), td.clone());
        let settings = TdSearchSettings { simulations: 300, ..TdSearchSettings::default() };
        let mut search = TdSearch::new(memory, PlayOut(UniformPlayout::default()), settings);
        let best = search.search(&game, &Budget::default(), &mut stream(seed, 0)).best.unwrap();
        assert_eq!(game.move_text(best), "4", "seed {seed}");
    }
}

#[test]
fn three_discs_in_a_row_are_answered() {
    let mut game = ConnectFour::new();
    for text in ["4", "1", "4", "1", "4"] {
        let mv = game.parse_move(text).unwrap();
        game.play(mv);
    }
    let memory = FeatureMemory::new(GridShapes::new(&game, WindowSizes::ALL).into(), TdSettings::default());
    let mut search = TdSearch::new(
        memory,
        PlayOut(UniformPlayout::default()),
        TdSearchSettings { simulations: 1000, ..Default::default() },
    );
    let best = search.search(&game, &Budget::default(), &mut stream(1, 0)).best.unwrap();
    assert_eq!(game.move_text(best), "4");
}

fn play(search: &mut GoSearch, moves: usize, seed: u64) -> Vec<Decision<<Go as Game>::Move>> {
    let (mut game, mut rng) = (Go::new(5), stream(seed, 0));
    let decide = |_| {
        let decision = search.search(&game, &Budget::default(), &mut rng);
        game.play(decision.best.unwrap());
        decision
    };
    (0..moves).map(decide).collect()
}

#[test]
fn the_same_seed_gives_the_same_game_bit_by_bit() {
    let settings = TdSearchSettings { simulations: 60, ..TdSearchSettings::default() };
    let mut search = go_search(settings.clone());
    let games: Vec<_> = [1, 1, 2]
        .into_iter()
        .map(|seed| {
            search.clear();
            (play(&mut search, 8, seed), search.memory().weights())
        })
        .collect();
    assert!(games[0] == games[1], "a new game begins as if there had been none before");
    assert!(games[0].1 != games[2].1);
    let mut fresh = go_search(settings);
    assert!(games[0] == (play(&mut fresh, 8, 1), fresh.memory().weights()));
}

#[test]
fn weights_are_kept_from_move_to_move_or_reset() {
    let none = Budget { simulations: Some(0), ..Budget::default() };
    for reset in [false, true] {
        let mut search = go_search(TdSearchSettings { simulations: 50, reset, ..TdSearchSettings::default() });
        play(&mut search, 1, 1);
        assert!(search.memory().weights().iter().any(|&weight| weight != 0.0));
        // Time for one position may be given in parts.
        search.search(&Go::new(5), &none, &mut stream(1, 0));
        assert!(search.memory().weights().iter().any(|&weight| weight != 0.0));
        let mut next = Go::new(5);
        next.play(next.parse_move("C3").unwrap());
        search.search(&next, &none, &mut stream(1, 0));
        assert_eq!(search.memory().weights().iter().all(|&weight| weight == 0.0), reset);
    }
}

#[test]
fn ends_when_the_budget_does() {
    let mut search = go_search(TdSearchSettings::default());
    let mut effort = |budget: &Budget| search.search(&Go::new(5), budget, &mut stream(1, 0)).effort;
    assert_eq!(effort(&Budget { simulations: Some(7), ..Budget::default() }), 7);
    assert_eq!(effort(&Budget::default()), TdSearchSettings::default().simulations);
    let stop = Some(Arc::new(AtomicBool::new(true)));
    assert!(effort(&Budget { stop, ..Budget::default() }) < 20);
    let begun = Instant::now();
    let timed = effort(&Budget::time(Duration::from_millis(50)));
    assert!(timed > 20 && begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn chooses_among_the_moves_that_are_allowed_and_reports_on_them() {
    let (game, mut search) = (Go::new(5), go_search(TdSearchSettings { simulations: 200, ..Default::default() }));
    let allowed = ["A1", "B2", "E5"].map(|text| game.parse_move(text).unwrap());
    let situation = Situation { moves: Some(&allowed), ..Situation::new(&game) };
    let mut reports = 0;
    let mut watch = |report: afterstate_engine::search::SearchReport<_>| {
        reports += 1;
        assert_eq!(report.moves.len(), 3);
    };
    let watch = Watch { every: Duration::ZERO, report: &mut watch };
    let decision = search.search_situation(&situation, &Budget::default(), &mut stream(1, 0), Some(watch));
    assert!(reports > 5);
    let report = search.report();
    assert_eq!((report.simulations, report.moves.iter().map(|report| report.visits).sum()), (200, 200));
    assert_eq!((Some(report.moves[0].mv), report.moves[0].value), (decision.best, decision.value));
    assert!(report.moves.windows(2).all(|pair| pair[0].value.unwrap().0 >= pair[1].value.unwrap().0));
    assert_eq!(report.moves[0].principal_variation, decision.principal_variation);
    assert!(decision.principal_variation.len() > 3);
    let mut after = game.clone();
    for &mv in &decision.principal_variation {
        assert!(after.is_legal(mv));
        after.play(mv);
    }
    // The same position once more: the simulations add up.
    search.search_situation(&situation, &Budget::default(), &mut stream(2, 0), None);
    assert_eq!((search.report().simulations, search.report().visits), (200, 400));
    let none = Situation { moves: Some(&[]), ..Situation::new(&game) };
    assert_eq!(search.search_situation(&none, &Budget::default(), &mut stream(1, 0), None), Decision::resign());
}

/// Looking at what is known must not change it.
#[test]
fn reports_leave_no_trace() {
    const SIZE: usize = 7;
    fn searched<M: ShortTermMemory<Go>>(memory: M, every: Duration) -> M {
        // After longer ones a memory that computes from move to move begins anew, and nothing of a look would remain.
        let settings = TdSearchSettings { simulations: 1000, learn_moves: Some(3), ..TdSearchSettings::default() };
        let mut search = TdSearch::new(memory, PlayOut(FuegoPlayout::default()), settings);
        let mut ignore = |_| {};
        let watch = Watch { every, report: &mut ignore };
        search.search_situation(&Situation::new(&Go::new(SIZE)), &Budget::default(), &mut stream(1, 0), Some(watch));
        search.memory().clone()
    }
    let sizes = WindowSizes::new(&[1, 2]).unwrap();
    let (always, never) = (Duration::ZERO, Duration::from_secs(1000));
    for (lambda, traces) in [(0.0, TraceKind::default()), (0.4, TraceKind::Accumulating), (0.4, TraceKind::Backward)] {
        let memory = || -> FeatureMemory<Go, LocalShapes, TrackedGo> {
            let td = TdSettings { lambda, traces, ..TdSettings::default() };
            FeatureMemory::of_shapes(LocalShapes::new(SIZE, sizes, Sharing::None).into(), td)
        };
        let [watched, alone] = [always, never].map(|every| searched(memory(), every).weights());
        assert_eq!(watched, alone, "{lambda} {traces:?}");
    }
    // This one plays simulations and takes them back, which is exact up to rounding.
    let memory = || ShapeMemory::new(WindowSizes::ALL, TdSettings::default());
    let [watched, alone] = [always, never].map(|every| searched(memory(), every).weights());
    assert_eq!(watched, alone);
    let shapes = LocalShapes::new(SIZE, sizes, Sharing::Both);
    let count = Features::<TrackedGo>::count(&shapes);
    let weights = Weights::from_values(&(0..count).map(|index| (index % 7) as f32 / 50.0 - 0.06).collect::<Vec<_>>());
    let long = LongTermShapes::new(FusedShapes::new(&shapes, &weights, Squash::Logistic).into());
    let both = || Dyna2::new(long.clone(), memory());
    let [watched, alone] = [always, never].map(|every| searched(both(), every).short_term().weights());
    assert_eq!(watched, alone);
}

/// A move is chosen by chance where all are as good.
#[test]
fn equal_moves_are_chosen_by_the_seed() {
    let chosen = |seed| {
        let settings = TdSearchSettings { simulations: 1, ..TdSearchSettings::default() };
        let memory = ShapeMemory::new(WindowSizes::new(&[1]).unwrap(), TdSettings::default());
        let mut search = TdSearch::new(memory, PlayOut(FuegoPlayout::default()), settings);
        let decision = search.search(&Go::new(9), &Budget::default(), &mut stream(seed, 0));
        assert_eq!(decision.best, decision.principal_variation.first().copied());
        decision.best
    };
    let moves: std::collections::HashSet<_> = (0..20).map(chosen).collect();
    assert!(moves.len() > 5, "{moves:?}");
    assert_eq!(chosen(3), chosen(3));
}
