//! Which move is played, by each rule; and what must not be repeated.

use super::history::History;
use super::report::{MoveReport, merge, sort};
use super::{FinalMove, Mcts, MctsSettings, Proof};
use crate::search::{PlayOut, Uct};
use crate::{Budget, Search, Value};
use afterstate_games::go::{Go, UniformGoPlayout};
use afterstate_games::{Game, Side, stream};
use std::time::Duration;

fn known(mv: char, visits: u32, value: f32, proof: Proof) -> MoveReport<char> {
    let value = Some(Value(value));
    MoveReport {
        mv,
        visits,
        value,
        prior: None,
        amaf_visits: visits,
        amaf_value: value,
        proof,
        principal_variation: vec![],
    }
}

fn order(moves: &[MoveReport<char>], side: Side, rule: FinalMove) -> String {
    let mut moves = moves.to_vec();
    sort(&mut moves, side, rule);
    moves.iter().map(|known| known.mv).collect()
}

#[test]
fn the_final_move_goes_by_visits_value_or_lower_bound() {
    // Standard errors: a 0.0155, b 0.033, c: (1 + ½)/(1 + 1) = ¾, so 0.43.
    let open = [
        known('a', 1000, 0.6, Proof::Open),
        known('b', 200, 0.65, Proof::Open),
        known('c', 1, 1.0, Proof::Open),
        known('d', 0, 0.5, Proof::Open),
    ];
    assert_eq!(order(&open, Side::First, FinalMove::Visits), "abcd");
    assert_eq!(order(&open, Side::First, FinalMove::Value), "cbad");
    assert_eq!(order(&open, Side::First, FinalMove::LowerBound), "bacd");
    // White sees 0.4, 0.35 and 0.
    assert_eq!(order(&open, Side::Second, FinalMove::Value), "abcd");
}

/// An open move with a single lucky visit says nothing against a draw, the one that would be played does.
#[test]
fn a_sure_draw_is_measured_by_the_best_of_the_rest() {
    let moves = |value| {
        [
            known('a', 1000, value, Proof::Open),
            known('b', 1, 0.6, Proof::Open),
            known('c', 5, 0.5, Proof::Draw),
            known('d', 9, 0.0, Proof::win(Side::Second)),
            known('e', 2, 1.0, Proof::win(Side::First)),
        ]
    };
    assert_eq!(order(&moves(0.25), Side::First, FinalMove::Visits), "ecabd");
    assert_eq!(order(&moves(0.55), Side::First, FinalMove::Visits), "eabcd");
    assert_eq!(order(&moves(0.25), Side::First, FinalMove::Value), "ebacd");
}

#[test]
fn positions_below_the_root_are_those_that_were_visited_often() {
    let settings = MctsSettings { simulations: 500, memory_mib: 4, early_stop: false, ..MctsSettings::default() };
    let mut search = Mcts::new(Uct::default(), PlayOut(UniformGoPlayout), settings);
    let game = Go::new(5);
    let best = search.search(&game, &Budget::default(), &mut stream(1, 0)).best;
    let report = search.report();
    let all = search.visited_positions(10, None);
    // Behind each move, its own position is the first: with the visits and the value that the search reports.
    let first: Vec<_> = all.iter().filter(|visited| visited.way.len() == 1).collect();
    assert_eq!(first.len(), report.moves.iter().filter(|known| known.visits >= 10).count());
    for visited in &first {
        let known = report.moves.iter().find(|known| known.mv == visited.way[0]).unwrap();
        assert_eq!(Some(visited.value), known.value);
        // All simulations that came there went on, but perhaps the first.
        let below: u32 = visited.moves.iter().map(|(_, visits)| visits).sum();
        assert!((known.visits - 1..=known.visits).contains(&below), "{below} of {}", known.visits);
    }
    assert!(all.iter().any(|visited| visited.way.len() > 1));
    for visited in &all {
        let mut position = game.clone();
        visited.way.iter().for_each(|&mv| position.play(mv));
        assert!(visited.moves.iter().all(|(mv, _)| position.is_legal(*mv)));
        assert!(visited.moves.iter().map(|(_, visits)| visits).sum::<u32>() >= 9);
    }
    let elsewhere: Vec<_> = all.iter().filter(|visited| Some(visited.way[0]) != best).cloned().collect();
    assert!(elsewhere.len() < all.len());
    assert_eq!(search.visited_positions(10, best), elsewhere);
    assert_eq!(search.visited_positions(501, None), []);
}

#[test]
fn what_is_certain_comes_before_what_is_likely() {
    let moves = [
        known('l', 500, 0.0, Proof::Second),
        known('o', 300, 0.45, Proof::Open),
        known('d', 2, 0.5, Proof::Draw),
        known('w', 1, 1.0, Proof::First),
    ];
    assert_eq!(order(&moves, Side::First, FinalMove::Visits), "wdol");
    assert_eq!(order(&moves, Side::Second, FinalMove::Visits), "lodw");
}

#[test]
fn merging_weighs_by_visits() {
    let mut known_here = known('a', 30, 0.5, Proof::Open);
    merge(&mut known_here, &known('a', 10, 0.9, Proof::Open));
    assert_eq!((known_here.visits, known_here.amaf_visits), (40, 40));
    assert!((known_here.value.unwrap().0 - 0.6).abs() < 1e-6 && known_here.amaf_value == known_here.value);
    merge(&mut known_here, &known('a', 1, 0.0, Proof::Second));
    assert_eq!((known_here.value, known_here.proof), (Some(Value(0.0)), Proof::Second));
}

#[test]
fn history_knows_its_keys_alone() {
    let key = |i: u64| afterstate_games::rng::mix(i);
    let mut history = History::new();
    history.set((0..300).map(key));
    assert!((0..300).all(|i| history.contains(key(i))));
    assert!((300..10_000).all(|i| !history.contains(key(i))));
    history.set([key(5)].into_iter());
    assert!(history.contains(key(5)) && !history.contains(key(6)));
}

#[test]
fn garbage_is_not_collected_when_that_would_take_the_time_that_is_left() {
    let full = |collecting: Duration, deadline: Option<Duration>| {
        let settings = MctsSettings { memory_mib: 1, early_stop: false, ..MctsSettings::default() };
        let mut search = Mcts::new(Uct::default(), PlayOut(UniformGoPlayout), settings);
        search.collecting = collecting;
        let by = Budget { simulations: Some(3000), ..deadline.map_or_else(Budget::default, Budget::time) };
        assert_eq!(search.search(&Go::new(5), &by, &mut stream(1, 0)).effort, 3000);
        let tree = search.tree().unwrap();
        // A block of 25 moves takes 32 nodes, and no other found room.
        tree.capacity() - tree.used() < 32
    };
    let (hour, second) = (Some(Duration::from_secs(3600)), Duration::from_secs(1));
    assert!(full(second, hour), "all the nodes would take hours");
    assert!(!full(second, None), "nobody waits");
    assert!(!full(Duration::from_nanos(50), hour), "there is time");
}
