//! Who owns what after simulations, and which stones are dead.

use afterstate_engine::search::{
    ChainStatus, GoOwnership, Leaf, Mcts, MctsSettings, Ownership, PlayOut, PlayoutObserver, SearchReport, Situation,
    Truncated, Uct, Watch, playout_ownership,
};
use afterstate_engine::value::Indifferent;
use afterstate_engine::{Budget, Search, Value};
use afterstate_games::go::{FuegoPlayout, FuegoSettings, Go, MogoPlayout, Move, Point, UniformGoPlayout};
use afterstate_games::{Notation, Rng, Side, stream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

fn point(label: &str, size: usize) -> Point {
    Point::parse(label, size).unwrap()
}

fn position(text: &str) -> Go {
    Go::parse_position(text).unwrap()
}

fn labels(points: &[Point], size: usize) -> Vec<String> {
    points.iter().map(|point| point.label(size)).collect()
}

/// Four final positions by hand: the mean of every kind of point.
#[test]
fn the_mean_owner_is_what_hand_counting_gives() {
    let mut count = GoOwnership::default();
    assert_eq!(count.mean(), None);
    // Black's half, a neutral row, White's half; the second time White holds the neutral row as well.
    for text in ["5/XXXXX/5/OOOOO/5 b", "5/XXXXX/OOOOO/OOOOO/5 b", "5/XXXXX/5/OOOOO/5 w", "5/5/5/5/4O b"] {
        count.add(&position(text));
    }
    let mean = count.mean().unwrap();
    assert_eq!(count.playouts(), 4);
    // The upper rows are Black's three times of four and White's once, the middle White's twice, the lower always.
    for (row, expected) in [(5, 0.5), (4, 0.5), (3, -0.5), (2, -1.0), (1, -1.0)] {
        for column in ["A", "C", "E"] {
            let point = point(&format!("{column}{row}"), 5);
            assert_eq!(mean.of(point), expected, "{column}{row}");
            assert_eq!(mean.seen_by(point, Side::Second), -expected);
        }
    }
    // 5·(0.5 + 0.5 − 0.5 − 1 − 1) − 7.5
    assert_eq!(mean.lead(&Go::new(5)), -15.0);
    count.clear();
    assert_eq!(count.mean(), None);
}

#[test]
fn counts_of_threads_are_added_up() {
    let (black, white) = (position("XXXX1/X1XXX/5/5/5 b passes=2"), position("5/5/5/OOOOO/5 b passes=2"));
    let mut all = GoOwnership::default();
    let mut whole = GoOwnership::default();
    for (thread, ends) in [[&black, &black, &white], [&white, &white, &black]].iter().enumerate() {
        let mut part = all.fork();
        for &end in ends.iter().take(3 - thread) {
            part.finished(end, Value::EVEN);
            whole.finished(end, Value::EVEN);
        }
        all.join(part);
    }
    assert_eq!((all.playouts(), all.mean()), (5, whole.mean()));
    // Two of Black, three of White.
    assert_eq!(all.mean().unwrap().of(point("A1", 5)), -0.2);
    all.join(GoOwnership::default());
    assert_eq!(all.playouts(), 5);
}

/// Plays out as another leaf does, and counts how often there was anything to play.
#[derive(Clone)]
struct Tallied {
    leaf: PlayOut<UniformGoPlayout>,
    played: Arc<AtomicU64>,
}

impl Leaf<Go> for Tallied {
    fn finish(&mut self, game: &mut Go, trace: &mut Vec<Move>, rng: &mut Rng) -> Value {
        let in_tree = trace.len();
        let value = self.leaf.finish(game, trace, rng);
        self.played.fetch_add(u64::from(trace.len() > in_tree), Ordering::Relaxed);
        value
    }
}

/// All but those that passes ended inside the tree, of which there are more with several threads.
#[test]
fn every_playout_of_a_search_is_counted_by_any_number_of_threads() {
    for threads in [1, 4] {
        let settings =
            MctsSettings { simulations: 2000, threads, memory_mib: 8, early_stop: false, ..MctsSettings::default() };
        let leaf = Tallied { leaf: PlayOut(UniformGoPlayout), played: Arc::default() };
        let played = Arc::clone(&leaf.played);
        let mut search = Mcts::with(Uct::default(), leaf, (), GoOwnership::default(), settings);
        // White's wall with an eye on either side; Black's two stones behind it are lost.
        let game = position("2O2/X1OOO/2OXO/OOO1O/1OOO1 b");
        let decision = search.search(&game, &Budget::default(), &mut stream(2, 0));
        let played = played.load(Ordering::Relaxed);
        assert_eq!(u64::from(search.observer().playouts()), played);
        assert!(played <= decision.effort && 4 * played > 3 * decision.effort, "{played} of {}", decision.effort);
        let ownership = search.observer().mean().unwrap();
        assert!(ownership.of(point("C3", 5)) < -0.7, "{ownership:?}");
        assert!(Point::all(5).all(|point| (-1.0..=1.0).contains(&ownership.of(point))));
    }
}

#[test]
fn owners_are_seen_while_a_search_goes_on() {
    for threads in [1, 3] {
        let settings =
            MctsSettings { simulations: 2000, threads, memory_mib: 8, early_stop: false, ..MctsSettings::default() };
        let mut search = Mcts::with(Uct::default(), PlayOut(UniformGoPlayout), (), GoOwnership::default(), settings);
        let (game, mut seen) = (Go::new(5), Vec::new());
        let mut report = |found: SearchReport<_>| seen.push(found.ownership);
        let watch = Watch { every: Duration::ZERO, report: &mut report };
        search.search_situation(&Situation::new(&game), &Budget::default(), &mut stream(2, 0), Some(watch));
        assert!(seen.len() > 3 && seen.iter().all(Option::is_some), "{threads} threads, {} reports", seen.len());
        assert_ne!(seen.first(), seen.last());
        assert_eq!(search.report().ownership, search.observer().mean());
    }
}

/// They end on boards that are not finished.
#[test]
fn simulations_that_are_cut_off_say_nothing_of_owners() {
    let settings = MctsSettings { simulations: 200, memory_mib: 8, ..MctsSettings::default() };
    let leaf = Truncated::new(3, Arc::new(Indifferent));
    let mut search = Mcts::with(Uct::default(), leaf, (), GoOwnership::default(), settings);
    search.search(&Go::new(5), &Budget::default(), &mut stream(2, 0));
    assert!(!search.plays_to_end());
    assert_eq!((search.observer().playouts(), search.observer().mean()), (0, None));
}

/// Where White has lost two corners, playouts end by a lead of stones before these are captured.
#[test]
fn simulations_that_mercy_ends_are_played_on_for_owners() {
    let game = position("4O4/1X1X1X1X1/XXXXXXXXX/9/9/9/XXXXXXXXX/1X1X1X1X1/O7O w komi=7.5");
    let means = [0.3, 0.0].map(|mercy| {
        let policy = FuegoPlayout::new(FuegoSettings { mercy, ..FuegoSettings::default() });
        let settings = MctsSettings { simulations: 1000, memory_mib: 8, early_stop: false, ..MctsSettings::default() };
        let mut search = Mcts::with(Uct::default(), PlayOut(policy), (), GoOwnership::default(), settings);
        search.search(&game, &Budget::default(), &mut stream(2, 0));
        search.observer().mean().unwrap()
    });
    for label in ["A1", "J1", "E9"] {
        let owned = means.each_ref().map(|mean| mean.of(point(label, 9)));
        assert!(owned[0] > 0.4 && (owned[0] - owned[1]).abs() < 0.2, "{label}: {owned:?}");
    }
    let leads = means.each_ref().map(|mean| mean.lead(&game));
    assert!((leads[0] - leads[1]).abs() < 8.0, "{leads:?}");
}

/// Black's wall and White's stand side by side; behind each are stones that are lost.
#[test]
fn dead_stones_are_found_and_counted_for_whoever_holds_them() {
    let game = position("2XXXOO2/2XXXOO2/2XXXOO1X/2XXXOO2/O1XXXOO2/2XXXOO2/2XXXOO1X/2XXXOO2/2XXXOO2 b komi=0");
    let ownership = playout_ownership(&game, &mut MogoPlayout::default(), 1000, &mut stream(3, 0));
    assert_eq!(labels(&ownership.dead_stones(game.board()), 9), ["J3", "A5", "J7"]);
    let cleaned = ownership.without_dead_stones(game.board());
    assert_eq!(cleaned.empty_count(), game.board().empty_count() + 3);
    // Five columns of nine against four; as it stands, only stones count.
    assert_eq!((ownership.score(&game), game.score()), (45.0 - 36.0, 29.0 - 19.0));
    // Playouts now and then lose a territory that nobody would lose.
    assert!((0.0..25.0).contains(&ownership.lead(&game)), "{}", ownership.lead(&game));
}

/// Four black stones and the white chain around them share two liberties: who fills one loses.
#[test]
fn chains_that_share_their_last_liberties_are_in_seki() {
    let black = "XXXXXXXXX/X1XXXXX1X/XXXXXXXXX/XXXXXXXXX/XXXXXXXXX/XXXXXXXXX/XXXXXXXXX";
    let game = position(&format!("{black}/OOOOOOOXX/1XXXX1OXX b"));
    let ownership = playout_ownership(&game, &mut MogoPlayout::default(), 1000, &mut stream(4, 0));
    let chains = ownership.chains(game.board());
    let status = |label| chains.iter().find(|(stones, _)| stones.contains(&point(label, 9))).unwrap().1;
    assert_eq!(["B1", "A2", "A9"].map(status), [ChainStatus::Seki, ChainStatus::Seki, ChainStatus::Alive]);
    assert_eq!(ownership.score(&game), game.score());
}

#[test]
fn ownership_of_the_wrong_length_is_refused() {
    assert!(Ownership::new(5, vec![0.0; 24]).is_none());
    assert_eq!(Ownership::new(5, vec![0.25; 25]).unwrap().lead(&Go::new(5)), 6.25 - 7.5);
}
