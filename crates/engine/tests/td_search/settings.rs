//! How simulations mix policies, when old values choose, and what several threads share.

use crate::script::{Letters, Named, Outcomes};
use afterstate_engine::learning::{TdSettings, TraceKind};
use afterstate_engine::search::{
    FeatureMemory, Leaf, PlayOut, PlayoutObserver, ShapeMemory, ShortTermMemory, TableLookup, TdSearch,
    TdSearchSettings,
};
use afterstate_engine::value::{LocalShapes, Sharing, Squash, WindowSizes};
use afterstate_engine::{Budget, Search, Value};
use afterstate_games::go::{FuegoPlayout, Go};
use afterstate_games::{Game, Rng, stream};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

type Words = Letters<40, 10>;

/// A default policy that names nothing but `j`, and writes down what it was given.
#[derive(Clone)]
struct Names(Arc<Mutex<Vec<Vec<u8>>>>);

impl Leaf<Words> for Names {
    fn finish(&mut self, _game: &mut Words, trace: &mut Vec<u8>, _rng: &mut Rng) -> Value {
        self.0.lock().unwrap().push(trace.clone());
        Value::EVEN
    }

    fn one_move(&mut self, _game: &Words, _rng: &mut Rng) -> Option<u8> {
        Some(b'j')
    }
}

/// Likes `a` best, whoever is to move, and learns nothing.
#[derive(Clone)]
struct LikesA;

impl ShortTermMemory<Words> for LikesA {
    fn clear(&mut self) {}
    fn set_root(&mut self, _root: &Words) {}
    fn begin(&mut self) {}
    fn afterstate_sums(&mut self, game: &Words, moves: &[u8], sums: &mut Vec<f32>) {
        let best = if game.named.len().is_multiple_of(2) { 1.0 } else { -1.0 };
        sums.clear();
        sums.extend(moves.iter().map(|&mv| if mv == b'a' { best } else { 0.0 }));
    }
    fn playing(&mut self, _game: &Words, _mv: u8) {}
    fn reached(&mut self, _game: &Words, _sum: Option<f32>, _beside: f32) {}
    fn ended(&mut self, _z: Value, _rest: &[u8]) {}
    fn abandoned(&mut self) {}
    fn value(&self, sum: f32) -> Value {
        Squash::Linear.value(sum)
    }
}

/// The tournament's simulations: 6 moves of 70 % greedy, 12 % random and 18 % default policy, then 26 of 60 % default policy
/// and 40 % random, one tenth of which are the letter that the others would name.
#[test]
fn the_tournament_mixes_three_policies() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let settings = TdSearchSettings { simulations: 4000, ..TdSearchSettings::default() };
    let mut search = TdSearch::new(LikesA, Names(seen.clone()), settings);
    search.search(&Words::default(), &Budget::default(), &mut stream(1, 0));
    let seen = seen.lock().unwrap();
    assert!(seen.len() == 4000 && seen.iter().all(|trace| trace.len() == 32), "the default policy goes on after 32");
    let share = |letter: u8, moves: std::ops::Range<usize>| {
        let all = seen.iter().flat_map(|trace| &trace[moves.clone()]);
        all.clone().filter(|&&named| named == letter).count() as f64 / all.count() as f64
    };
    for (letter, first, later) in [(b'a', 0.712, 0.04), (b'j', 0.192, 0.64), (b'c', 0.012, 0.04)] {
        for (moves, expected) in [(0..1, first), (0..6, first), (6..7, later), (6..32, later)] {
            // 4,000 moves have a standard error of 0.008 at most.
            let found = share(letter, moves.clone());
            assert!((found - expected).abs() < 0.03, "{letter} in {moves:?}: {found}, expected {expected}");
        }
    }
    let visits: u32 = search.report().moves.iter().map(|report| report.visits).sum();
    assert_eq!(visits, 4000, "whoever chose the first move, it counts");
}

fn sizes() -> WindowSizes {
    WindowSizes::new(&[1, 2]).unwrap()
}

fn go_search(settings: TdSearchSettings) -> TdSearch<Go, ShapeMemory, PlayOut<FuegoPlayout>> {
    TdSearch::new(ShapeMemory::new(sizes(), TdSettings::default()), PlayOut(FuegoPlayout::default()), settings)
}

/// The same searches, by themselves and with values of the first of them.
#[test]
fn a_move_gap_changes_what_is_played_and_not_what_is_learnt() {
    let settings = TdSearchSettings { simulations: 100, ..TdSearchSettings::default() };
    let mut now = go_search(settings.clone());
    let mut old = go_search(TdSearchSettings { move_gap: 4, ..settings });
    let mut game = Go::new(5);
    for turn in 0..4 {
        let found = [&mut now, &mut old].map(|search| {
            let decision = search.search(&game, &Budget::default(), &mut stream(1, turn));
            search.advance();
            search.advance();
            (decision, search.memory().weights())
        });
        assert_eq!(found[0].1, found[1].1);
        // The third search is the first that is 4 moves after another one, and until then the first is the oldest.
        assert_eq!(turn == 0, found[0].0 == found[1].0, "search {turn}");
        game.play(found[0].0.best.unwrap());
        let answer = now.report().moves[0].principal_variation.get(1).copied();
        game.play(answer.unwrap_or(afterstate_games::go::Move::PASS));
    }
}

/// What a search with a gap decides by is what the search that many moves ago would say of this position.
#[test]
fn old_values_are_those_of_the_search_so_many_moves_ago() {
    let settings = TdSearchSettings { simulations: 100, move_gap: 2, ..TdSearchSettings::default() };
    let mut search = go_search(settings);
    let mut game = Go::new(5);
    search.search(&game, &Budget::default(), &mut stream(1, 0));
    let mut then = go_search(TdSearchSettings::default());
    *then.memory_mut() = search.memory().clone();
    for text in ["C3", "B2"] {
        use afterstate_games::Notation;
        let mv = game.parse_move(text).unwrap();
        game.play(mv);
        search.advance();
    }
    let found = search.search(&game, &Budget::default(), &mut stream(1, 1));
    let none = Budget { simulations: Some(0), ..Budget::default() };
    let expected = then.search(&game, &none, &mut stream(1, 1));
    assert_eq!((found.best, found.value), (expected.best, expected.value));
    assert_eq!(found.effort, 100);
}

/// Counts simulations.
#[derive(Default)]
struct Counted(u64);

impl<G: Game> PlayoutObserver<G> for Counted {
    fn finished(&mut self, _end: &G, _value: Value) {
        self.0 += 1;
    }
    fn fork(&self) -> Self {
        Counted(0)
    }
    fn join(&mut self, other: Self) {
        self.0 += other.0;
    }
}

/// Several threads make exactly as many simulations as they should, all of which are seen, and all learn.
fn threads_learn_together<M: ShortTermMemory<Go>>(memory: M, weights: impl Fn(&M) -> Vec<f32>) {
    let mut search = TdSearch::with(
        memory,
        PlayOut(FuegoPlayout::default()),
        Counted::default(),
        TdSearchSettings { simulations: 1000, threads: 4, ..TdSearchSettings::default() },
    );
    let mut game = Go::new(5);
    for turn in 1..=6 {
        let decision = search.search(&game, &Budget::default(), &mut stream(1, turn));
        assert_eq!((decision.effort, search.observer_mut().0), (1000, 1000 * turn));
        assert_eq!(search.report().visits, 1000);
        assert!(weights(search.memory()).iter().all(|weight| weight.is_finite() && weight.abs() < 20.0));
        game.play(decision.best.unwrap());
    }
    assert!(weights(search.memory()).iter().any(|&weight| weight != 0.0));
    let stop = Budget { stop: Some(Arc::new(AtomicBool::new(true))), ..Budget::default() };
    assert!(search.search(&game, &stop, &mut stream(1, 0)).effort < 100);
    search.clear();
    assert!(weights(search.memory()).iter().all(|&weight| weight == 0.0));
}

#[test]
fn threads_share_every_kind_of_memory() {
    threads_learn_together(ShapeMemory::new(sizes(), TdSettings::default()), ShapeMemory::weights);
    for (lambda, traces) in
        [(0.0, TraceKind::Accumulating), (0.5, TraceKind::Accumulating), (0.5, TraceKind::Replacing)]
    {
        let shapes = Arc::new(LocalShapes::new(5, sizes(), Sharing::None));
        let td = TdSettings { lambda, traces, ..TdSettings::default() };
        threads_learn_together(FeatureMemory::of_shapes(shapes, td), |memory| memory.weights());
    }
}

/// Two memories that share weights, told in turn of the same game, know after a meeting what both learnt.
#[test]
fn a_meeting_adds_up_what_was_learnt_and_loses_nothing() {
    fn told<M: ShortTermMemory<Words>>(memory: &mut M, z: f32) {
        let mut game = Words::default();
        memory.begin();
        for letter in [b'a', b'b'] {
            memory.playing(&game, letter);
            game.play(letter);
            memory.reached(&game, None, 0.0);
        }
        memory.ended(Value(z), &[]);
    }
    let td = TdSettings { step_size: 0.5, squash: Squash::Linear, ..TdSettings::default() };
    let mut one = FeatureMemory::<Words, Named>::new(Named.into(), td);
    one.set_root(&Words::default());
    let mut other = one.share(1).pop().unwrap();
    // a: +½ · ½ = ¼, then (a, b: ¾) by ½ · ¼ / 2; or with z = 0 the same downwards.
    told(&mut one, 1.0);
    told(&mut other, 1.0);
    told(&mut other, 1.0);
    assert_eq!(one.weights()[..2], [5.0 / 16.0, 1.0 / 16.0]);
    let learnt: Vec<f32> = one.weights().iter().zip(other.weights()).map(|(one, other)| one + other).collect();
    one.meet();
    assert_eq!(one.weights()[..2], [5.0 / 16.0, 1.0 / 16.0], "the other has told nothing yet");
    other.meet();
    assert_eq!(other.weights(), learnt);
    one.meet_finally();
    assert_eq!(one.weights(), learnt);
    // And a second time nothing is added.
    other.meet();
    one.meet();
    assert_eq!((one.weights(), other.weights()), (learnt.clone(), learnt));
}

#[test]
fn a_table_is_not_shared_and_one_thread_does_it_all() {
    let settings = TdSearchSettings { simulations: 20, threads: 3, switch_after: None, ..TdSearchSettings::default() };
    let mut search = TdSearch::new(TableLookup::new(1.0), Outcomes::new(&[1.0; 20]), settings);
    assert_eq!(search.search(&Words::default(), &Budget::default(), &mut stream(1, 0)).effort, 20);
}

#[test]
fn one_of_several_threads_watches_and_reports() {
    let mut search = go_search(TdSearchSettings { simulations: 2000, threads: 2, ..TdSearchSettings::default() });
    let (game, mut reports) = (Go::new(5), 0);
    let mut watch = |report: afterstate_engine::search::SearchReport<_>| {
        assert!(report.simulations <= 2000 && report.visits <= 2000);
        reports += 1;
    };
    let watch = afterstate_engine::search::Watch { every: std::time::Duration::ZERO, report: &mut watch };
    let situation = afterstate_engine::search::Situation::new(&game);
    search.search_situation(&situation, &Budget::default(), &mut stream(1, 0), Some(watch));
    assert!(reports > 0);
}
