//! What goes on around simulations: threads, memory, reuse, priors, limits, reports.

use afterstate_engine::search::tree::{Node, ROOT, Tree};
use afterstate_engine::search::{
    ByReadValue, ByValue, Even, Experience, Grandfather, McRave, Mcts, MctsSettings, NewPosition, Parallelisation,
    Passes, PlayOut, PlayoutObserver, Prior, PriorValue, Proof, Schedule, Situation, Truncated, Uct, Watch, Widening,
};
use afterstate_engine::value::{AfterstateValues, Indifferent};
use afterstate_engine::{Budget, Search, Value, ValueFunction};
use afterstate_games::go::{Color, Go, Komi, Move, Point, UniformGoPlayout};
use afterstate_games::rng::below;
use afterstate_games::{ConnectFour, Game, IndexedMoves, Notation, Record, Side, Turn, UniformPlayout, stream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn settings(simulations: u64) -> MctsSettings {
    MctsSettings { simulations, memory_mib: 16, early_stop: false, ..MctsSettings::default() }
}

fn uniform<S: afterstate_engine::search::Selection>(
    rule: S,
    settings: MctsSettings,
) -> Mcts<Go, S, PlayOut<UniformGoPlayout>> {
    Mcts::new(rule, PlayOut(UniformGoPlayout), settings)
}

/// No move was visited more often than the position before it. Less is possible, where a thread played on from a position that
/// another was just putting into the tree, or where the default policy began with a move that is no candidate.
fn visits_add_up(tree: &Tree, node: u32) {
    let Some(children) = tree.children(node) else { return };
    let sum: u32 = children.clone().map(|child| tree.node(child).visits()).sum();
    assert!(sum <= tree.node(node).visits());
    for child in children {
        // Virtual losses that stayed would show here.
        assert!(tree.node(child).outcomes().mean().is_none_or(|mean| (0.0..=1.0).contains(&mean)));
        visits_add_up(tree, child);
    }
}

#[test]
fn eight_threads_lose_no_visit() {
    for seed in 0..3 {
        let mut search = uniform(McRave::default(), MctsSettings { threads: 8, ..settings(20_000) });
        let decision = search.search(&Go::new(5), &Budget::default(), &mut stream(seed, 0));
        assert_eq!(decision.effort, 20_000);
        let tree = search.tree().unwrap();
        assert_eq!(tree.node(ROOT).visits(), 20_000);
        let moves = tree.block(tree.children(ROOT).unwrap());
        assert_eq!(moves.iter().map(|node| node.visits()).sum::<u32>(), 20_000);
        let sum = |node: Node<'_>| node.outcomes().count_and_sum().1;
        assert_eq!(moves.iter().map(sum).sum::<f32>(), sum(tree.node(ROOT)));
        // The first moves are among the updates of the all-moves-as-first statistics, which passes do not have.
        let pass = Go::new(5).move_index(Move::PASS);
        assert!(moves.iter().all(|node| match node.index() {
            index if index == pass => node.amaf_visits() == 0,
            _ => node.amaf_visits() >= node.visits() && node.amaf_visits() <= 20_000,
        }));
        visits_add_up(tree, ROOT);
    }
}

/// How often the first move of a search was a pass.
fn passes<P: Prior<Go>>(search: &Mcts<Go, McRave, PlayOut<UniformGoPlayout>, P>) -> u32 {
    let tree = search.tree().unwrap();
    let moves = tree.block(tree.children(ROOT).unwrap());
    moves.iter().find(|node| node.index() == Go::new(9).move_index(Move::PASS)).unwrap().visits()
}

#[test]
fn a_pass_waits_until_all_moves_could_have_been_visited() {
    for (simulations, visited) in [(81, false), (200, true)] {
        let mut search = uniform(McRave::default(), settings(simulations));
        search.search(&Go::new(9), &Budget::default(), &mut stream(1, 0));
        assert_eq!(passes(&search) > 0, visited, "{simulations} simulations");
    }
}

/// A prior of rapid values, which a pass does not have, would stay for ever, even where all else is known to be worth less.
#[test]
fn a_prior_does_not_make_whoever_is_behind_pass() {
    let stones = Point::all(9).filter(|point| matches!(point.column_row(9), (2, 2) | (2, 6) | (6, 2) | (6, 6)));
    let mut game = Go::set_up(9, stones.map(|point| (point, Color::Black))).unwrap();
    game.play(game.parse_move("E5").unwrap());
    let even = Even { experience: Experience { monte_carlo: 0, amaf: 50 } };
    let rule = McRave { schedule: Schedule::HandSelected { equivalence: 10_000.0 }, ..McRave::default() };
    let mut search = Mcts::with(rule, PlayOut(UniformGoPlayout), even, (), settings(3000));
    search.search(&game, &Budget::default(), &mut stream(1, 0));
    assert!(search.tree().unwrap().node(ROOT).outcomes().mean().unwrap() > 0.6, "Black is ahead");
    assert!(passes(&search) < 300, "{} of 3,000 visits", passes(&search));
}

#[test]
fn root_parallelisation_adds_the_trees_up() {
    let parallel = MctsSettings { threads: 3, parallelisation: Parallelisation::Root, ..settings(3000) };
    let mut search = uniform(Uct::default(), parallel);
    let decision = search.search(&Go::new(5), &Budget::default(), &mut stream(1, 0));
    let report = search.report();
    assert_eq!((decision.effort, report.visits), (3000, 3000));
    assert_eq!(report.moves.iter().map(|known| known.visits).sum::<u32>(), 3000);
    assert!(search.tree().unwrap().node(ROOT).visits() < 3000);
}

#[test]
fn memory_stays_below_its_limit_and_the_search_goes_on() {
    let mut search = uniform(McRave::default(), MctsSettings { memory_mib: 1, ..settings(20_000) });
    let decision = search.search(&Go::new(9), &Budget::default(), &mut stream(2, 0));
    let tree = search.tree().unwrap();
    assert_eq!(decision.effort, 20_000);
    assert!(tree.used() <= tree.capacity() && tree.capacity() <= Tree::capacity_of(1));
    assert_eq!(tree.node(ROOT).visits(), 20_000);
    let sum: u32 = tree.children(ROOT).unwrap().map(|child| tree.node(child).visits()).sum();
    assert_eq!(sum, 20_000);
    // Without room for more than the root the search is a flat one.
    let mut search = uniform(McRave::default(), MctsSettings { memory_mib: 0, ..settings(500) });
    assert_eq!(search.search(&Go::new(19), &Budget::default(), &mut stream(2, 0)).effort, 500);
}

#[test]
fn the_limit_is_reserved_once_and_for_all_trees_together() {
    let mut search = uniform(McRave::default(), MctsSettings { memory_mib: 4, ..settings(10) });
    assert_eq!(search.reserve(), Ok(()));
    assert_eq!(search.tree().unwrap().capacity(), Tree::capacity_of(4));
    let first: *const _ = search.tree().unwrap().node(ROOT).outcomes();
    for simulations in [10, 1000] {
        let budget = Budget { simulations: Some(simulations), ..Budget::default() };
        search.search(&Go::new(9), &budget, &mut stream(1, 0));
        // Nothing was copied to somewhere else.
        assert!(std::ptr::eq(first, search.tree().unwrap().node(ROOT).outcomes()));
    }
    let parallel = MctsSettings { memory_mib: 4, threads: 2, parallelisation: Parallelisation::Root, ..settings(10) };
    let mut search = uniform(McRave::default(), parallel);
    search.reserve().unwrap();
    assert_eq!(search.tree().unwrap().capacity(), Tree::capacity_of(2));
}

#[test]
fn the_tree_below_the_moves_played_is_kept() {
    let mut search = uniform(McRave::default(), settings(2000));
    let mut record = Record::new(Go::new(5));
    search.search(record.position(), &Budget::default(), &mut stream(4, 0));
    let before = search.report();
    let [mv, answer] = before.moves[0].principal_variation[..2] else { panic!("a line of two moves") };
    let expected = {
        let tree = search.tree().unwrap();
        let find = |node, mv| {
            let index = record.position().move_index(mv);
            tree.children(node).unwrap().find(|&child| tree.node(child).index() == index).unwrap()
        };
        let node = find(find(ROOT, mv), answer);
        let node = tree.node(node);
        (node.visits(), node.outcomes().mean())
    };
    record.play(mv);
    record.play(answer);
    search.search(record.position(), &Budget { simulations: Some(0), ..Budget::default() }, &mut stream(4, 1));
    let tree = search.tree().unwrap();
    assert_eq!((tree.node(ROOT).visits(), tree.node(ROOT).outcomes().mean()), expected);
    assert_eq!(search.report().visits, u64::from(expected.0));
    assert!(expected.0 > 20, "{expected:?}");
    // Another position has nothing to do with it.
    search.search(&Go::new(7), &Budget { simulations: Some(5), ..Budget::default() }, &mut stream(4, 2));
    assert_eq!(search.report().visits, 5);
}

#[test]
fn a_pass_that_wins_is_played() {
    // Black owns the left, White the right and wins by komi; Black passes.
    let mut game = Go::new(5).with_komi(Komi::new(0.5).unwrap());
    for y in 0..5 {
        game.play(Move::play(Point::at(1, y, 5)));
        game.play(Move::play(Point::at(2, y, 5)));
    }
    game.play(Move::PASS);
    assert!(game.score() < 0.0);
    let mut search = uniform(McRave::default(), MctsSettings { solver: true, ..settings(2000) });
    let decision = search.search(&game, &Budget::default(), &mut stream(1, 0));
    assert_eq!((decision.best, decision.value), (Some(Move::PASS), Some(Value(0.0))));
    // If that were forbidden, there would be nothing like it.
    let never = MctsSettings { passes: Passes::Candidates, ..settings(200) };
    let mut search = uniform(McRave::default(), never);
    search.search(&game, &Budget::default(), &mut stream(1, 0));
    assert!(search.report().moves.iter().all(|known| known.mv != Move::PASS));
    let always = MctsSettings { passes: Passes::Always, ..settings(200) };
    let mut search = uniform(McRave::default(), always);
    search.search(&Go::new(5), &Budget::default(), &mut stream(1, 0));
    assert!(search.report().moves.iter().any(|known| known.mv == Move::PASS));
}

/// A value that knows the centre of the board alone.
struct Centre;

impl ValueFunction<Go> for Centre {
    fn value(&self, game: &Go) -> Value {
        Value(if game.board().is_empty(Point::at(2, 2, 5)) { 0.25 } else { 0.75 })
    }
}

impl AfterstateValues<Go> for Centre {}

fn first_search<P: Prior<Go>>(prior: P, simulations: u64) -> Mcts<Go, McRave, PlayOut<UniformGoPlayout>, P> {
    let mut search = Mcts::with(McRave::default(), PlayOut(UniformGoPlayout), prior, (), settings(simulations));
    search.search(&Go::new(5), &Budget::default(), &mut stream(1, 0));
    search
}

#[test]
fn priors_are_what_new_nodes_start_with() {
    let experience = Experience { monte_carlo: 3, amaf: 20 };
    let even = first_search(Even { experience }, 0);
    let tree = even.tree().unwrap();
    for child in tree.children(ROOT).unwrap() {
        let node = tree.node(child);
        // Of a pass they say nothing.
        let passes = node.index() == Go::new(5).move_index(Move::PASS);
        let expected = if passes { Default::default() } else { ((3.0, 1.5), (20.0, 10.0)) };
        assert_eq!((node.outcomes().count_and_sum(), node.amaf().count_and_sum()), expected);
    }
    assert_eq!(even.report().moves[0].prior.map(|prior| (prior.0 * 100.0).round()), Some(50.0));
    // Whether the position is read first makes no difference.
    let read = ByReadValue::new(Arc::new(Centre), Go::clone, experience);
    assert_eq!(first_search(read, 50).report(), first_search(ByValue::new(Arc::new(Centre), experience), 50).report());
    // Black likes the centre, so it is tried first; two opinions are weighed by their experience.
    let both = (ByValue::new(Arc::new(Centre), experience), Some(Even { experience }));
    let report = first_search(both, 1).report();
    let centre = &report.moves[0];
    assert_eq!((centre.mv.point(), centre.visits), (Some(Point::at(2, 2, 5)), 1));
    assert!((centre.prior.unwrap().0 - 0.625).abs() < 1e-4);
}

/// Looks at what the grandfather prior gives.
#[derive(Clone)]
struct Grandson(Grandfather, bool);

impl Prior<Go> for Grandson {
    fn fill(&mut self, position: &NewPosition<'_, Go>, out: &mut [PriorValue]) {
        Prior::<Go>::fill(&mut self.0, position, out);
        assert_eq!(position.two_plies_up.is_empty(), position.line.len() < 2);
        for (&mv, prior) in position.moves.iter().zip(out) {
            let index = position.game.move_index(mv) as u16;
            let known = position.two_plies_up.iter().find(|&&(known, _)| known == index && mv != Move::PASS);
            let expected = known.map(|&(_, value)| value);
            match (prior.value(), expected) {
                (Some(given), Some(expected)) => assert!((given - expected).abs() < 1e-5),
                (given, expected) => assert_eq!(given, expected),
            }
            self.1 |= prior.value().is_some();
        }
    }

    fn looks_two_plies_up(&self) -> bool {
        true
    }
}

#[test]
fn the_grandfather_is_two_plies_up() {
    let search = first_search(Grandson(Grandfather::new(Experience { monte_carlo: 0, amaf: 16 }), false), 3000);
    let tree = search.tree().unwrap();
    // A position two plies below the root was entered when its grandparents knew something.
    let children = tree.children(ROOT).unwrap();
    let with_prior = children
        .filter_map(|child| tree.children(child))
        .flatten()
        .filter_map(|node| tree.children(node))
        .flatten()
        .filter(|&node| tree.node(node).prior().is_some())
        .count();
    assert!(with_prior > 1000, "{with_prior}");
    assert!(tree.children(ROOT).unwrap().all(|child| tree.node(child).prior().is_none()));
}

/// The moves that led to a position, and what it could see two plies up.
type Seen = (Vec<Move>, Vec<(u16, f32)>);

/// Keeps what the last position that entered the tree saw.
#[derive(Clone, Default)]
struct LastGrandfather(Arc<Mutex<Seen>>);

impl Prior<Go> for LastGrandfather {
    fn fill(&mut self, position: &NewPosition<'_, Go>, _: &mut [PriorValue]) {
        *self.0.lock().unwrap() = (position.line.to_vec(), position.two_plies_up.to_vec());
    }

    fn looks_two_plies_up(&self) -> bool {
        true
    }
}

/// The last simulation of a search sees the tree that one simulation less leaves.
#[test]
fn two_plies_up_both_kinds_of_simulations_count() {
    let mut seen = 0;
    for simulations in 200..260 {
        let last = LastGrandfather::default();
        first_search(last.clone(), simulations);
        let (line, values) = last.0.lock().unwrap().clone();
        let Some(up) = line.len().checked_sub(2) else { continue };
        let before = first_search(LastGrandfather::default(), simulations - 1);
        let tree = before.tree().unwrap();
        let mut game = Go::new(5);
        let mut node = ROOT;
        for &mv in &line[..up] {
            let index = game.move_index(mv);
            node = tree.children(node).unwrap().find(|&child| tree.node(child).index() == index).unwrap();
            game.play(mv);
        }
        let mut expected = Vec::new();
        for child in tree.children(node).unwrap().map(|child| tree.node(child)) {
            let (visits, wins) = child.outcomes().count_and_sum();
            let (amaf_visits, amaf_wins) = child.amaf().count_and_sum();
            if visits + amaf_visits > 0.0 {
                expected.push((child.index() as u16, (wins + amaf_wins) / (visits + amaf_visits)));
            }
        }
        assert_eq!(values, expected);
        seen += values.len();
    }
    assert!(seen > 500, "{seen}");
}

#[test]
fn widening_considers_the_best_priors_first() {
    let widening = Some(Widening { start: 1, first: 50.0, growth: 1.0 });
    let prior = ByValue::new(Arc::new(Centre), Experience { monte_carlo: 0, amaf: 1 });
    let settings = MctsSettings { widening, ..settings(120) };
    let mut search = Mcts::with(McRave::default(), PlayOut(UniformGoPlayout), prior, (), settings);
    search.search(&Go::new(5), &Budget::default(), &mut stream(1, 0));
    let mut visits: Vec<_> = search.report().moves.iter().map(|known| (known.visits, known.mv)).collect();
    visits.retain(|&(visits, _)| visits > 0);
    let centre = Move::play(Point::at(2, 2, 5));
    assert!(visits.len() <= 3 && visits.iter().any(|&(visits, mv)| mv == centre && visits >= 50), "{visits:?}");
}

#[test]
fn truncated_simulations_take_the_value_where_they_stop() {
    let leaf = Truncated::new(0, Arc::new(Centre));
    let settings = |simulations| MctsSettings { passes: Passes::Candidates, ..settings(simulations) };
    let mut search = Mcts::new(Uct::default(), leaf, settings(3000));
    let decision = search.search(&Go::new(5), &Budget::default(), &mut stream(1, 0));
    assert_eq!(decision.best, Some(Move::play(Point::at(2, 2, 5))));
    let value = decision.value.unwrap().0;
    assert!((value - 0.75).abs() < 1e-3, "{value}");
    let mut even = Mcts::new(Uct::default(), Truncated::new(3, Arc::new(Indifferent)), settings(100));
    assert_eq!(even.search(&Go::new(5), &Budget::default(), &mut stream(1, 0)).value, Some(Value::EVEN));
}

/// Counts what it sees.
#[derive(Default)]
struct Ends(u64, u64);

impl PlayoutObserver<Go> for Ends {
    fn finished(&mut self, end: &Go, value: Value) {
        self.0 += 1;
        self.1 += u64::from(end.outcome().winner == Some(Side::First));
        assert_eq!(value, Value::from(end.outcome()));
    }

    fn fork(&self) -> Self {
        Ends::default()
    }

    fn join(&mut self, other: Self) {
        self.0 += other.0;
        self.1 += other.1;
    }
}

#[test]
fn observers_see_every_playout_of_every_thread() {
    for threads in [1, 3] {
        let settings = MctsSettings { threads, passes: Passes::Candidates, ..settings(1000) };
        let mut search = Mcts::with(Uct::default(), PlayOut(UniformGoPlayout), (), Ends::default(), settings);
        search.search(&Go::new(9), &Budget::default(), &mut stream(1, 0));
        let mean = search.tree().unwrap().node(ROOT).outcomes().count_and_sum();
        assert_eq!((search.observer().0, search.observer().1 as f32), (1000, mean.1));
        search.search(&Go::new(9), &Budget::default(), &mut stream(1, 1));
        assert_eq!(search.observer().0, 2000);
    }
}

/// Where passes inside the tree end games, nothing was played out, and what is dead is still on the board.
#[test]
fn observers_do_not_see_games_that_end_inside_the_tree() {
    let settings = MctsSettings { early_stop: false, ..settings(1000) };
    let mut search = Mcts::with(Uct::default(), PlayOut(UniformGoPlayout), (), Ends::default(), settings);
    let mut passed = Go::new(5);
    passed.play(Move::PASS);
    search.search(&passed, &Budget::default(), &mut stream(1, 0));
    let tree = search.tree().unwrap();
    let passes: u32 = tree
        .block(tree.children(ROOT).unwrap())
        .iter()
        .filter(|node| node.index() == passed.move_index(Move::PASS))
        .map(|node| node.visits())
        .sum();
    assert!(passes > 0 && search.observer().0 <= u64::from(1000 - passes), "{passes} {}", search.observer().0);
}

#[test]
fn limits_end_a_search_and_somebody_may_watch_it() {
    let mut search = uniform(McRave::default(), settings(1));
    let stop = Arc::new(AtomicBool::new(false));
    let mut reports = Vec::new();
    let mut report = |seen: afterstate_engine::search::SearchReport<Move>| {
        reports.push((seen.simulations, seen.moves.len(), seen.moves[0].principal_variation[0] == seen.moves[0].mv));
        if reports.len() == 3 {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let watch = Watch { every: Duration::from_millis(1), report: &mut report };
    let game = Go::new(5);
    let budget = Budget { stop: Some(stop.clone()), ..Budget::default() };
    let decision = search.search_situation(&Situation::new(&game), &budget, &mut stream(1, 0), Some(watch));
    assert_eq!(reports.len(), 3);
    assert!(reports.windows(2).all(|pair| pair[0].0 < pair[1].0));
    assert!(reports.iter().all(|&(simulations, moves, same)| simulations > 0 && moves == 26 && same));
    assert!(decision.effort >= reports[2].0);
    let begun = Instant::now();
    let decision = search.search(&game, &Budget::time(Duration::from_millis(20)), &mut stream(1, 0));
    assert!(begun.elapsed() >= Duration::from_millis(20) && decision.effort > 16);
}

#[test]
fn a_settled_choice_ends_the_search_without_changing_it() {
    let mut saved = 0;
    for seed in 0..20 {
        let decide = |early_stop| {
            let mut search = uniform(McRave::default(), MctsSettings { early_stop, ..settings(1500) });
            search.search(&Go::new(5), &Budget::default(), &mut stream(seed, 0))
        };
        let (early, late) = (decide(true), decide(false));
        assert_eq!(early.best, late.best);
        assert_eq!(late.effort, 1500);
        saved += late.effort - early.effort;
    }
    assert!(saved > 200, "{saved}");
}

/// With more time another move might be chosen; with as many simulations none would.
#[test]
fn a_search_is_finished_if_its_simulations_and_not_if_its_time_settle_it() {
    let mut search = uniform(McRave::default(), MctsSettings { early_stop: true, ..settings(1500) });
    let mut early = 0;
    for seed in 0..20 {
        let decision = search.search(&Go::new(5), &Budget::default(), &mut stream(seed, 0));
        assert_eq!(search.is_finished(), decision.effort < 1500);
        early += u32::from(search.is_finished());
        search.clear();
    }
    assert!(early > 5, "{early}");
    for seed in 0..3 {
        search.search(&Go::new(5), &Budget::time(Duration::from_millis(30)), &mut stream(seed, 0));
        assert!(!search.is_finished());
    }
}

/// What is proved after the stop may change a choice, and hardly ever does. Whoever is proved lost before it is no favourite.
#[test]
fn an_early_stop_hardly_ever_changes_what_a_solver_finds() {
    let settings = |early_stop| MctsSettings { early_stop, solver: true, ..settings(600) };
    let (mut saved, mut same) = (0, 0);
    for number in 0..400 {
        let (mut game, mut rng, mut moves) = (ConnectFour::new(), stream(number, 1), Vec::new());
        for _ in 0..20 {
            game.legal_moves(&mut moves);
            moves.retain(|&mv| game.outcome_after(mv).is_none());
            if moves.is_empty() {
                break;
            }
            game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
        }
        if !matches!(game.turn(), Turn::Player(_)) {
            continue;
        }
        let decide = |early_stop| {
            let leaf = PlayOut(UniformPlayout::default());
            let mut search = Mcts::new(McRave::default(), leaf, settings(early_stop));
            search.search(&game, &Budget::default(), &mut stream(number, 0))
        };
        let (early, late) = (decide(true), decide(false));
        saved += late.effort - early.effort;
        same += u32::from(early.best == late.best);
    }
    assert!(saved > 2_000, "{saved}");
    assert!(same >= 396, "{same} of 400");
}

#[test]
fn lost_games_are_resigned_if_wanted() {
    // White owns the whole board but for one stone.
    let mut game = Go::new(5);
    for (x, y) in [(2, 2), (2, 1), (2, 3), (1, 2), (3, 2), (1, 1), (3, 3), (1, 3), (3, 1)] {
        game.play(Move::PASS);
        game.play(Move::play(Point::at(x, y, 5)));
    }
    let decide = |resign_below| {
        let mut search = uniform(McRave::default(), MctsSettings { resign_below, ..settings(1000) });
        search.search(&game, &Budget::default(), &mut stream(1, 0)).best
    };
    assert_eq!(decide(0.3), None);
    assert!(decide(0.0).is_some());
}

#[test]
fn only_allowed_moves_are_searched() {
    let (game, moves) = (Go::new(5), [Move::play(Point::at(0, 0, 5)), Move::play(Point::at(4, 4, 5))]);
    let mut search = uniform(McRave::default(), settings(300));
    for allowed in [&moves[..], &moves[..1], &moves[1..], &[]] {
        let situation = Situation { moves: Some(allowed), ..Situation::new(&game) };
        let decision = search.search_situation(&situation, &Budget::default(), &mut stream(1, 0), None);
        assert_eq!(decision.best.is_some(), !allowed.is_empty());
        assert!(decision.best.is_none_or(|mv| allowed.contains(&mv)));
    }
}

/// A position of a ko fight after which taking back at once would be legal but for superko: the tree leaves it out.
#[test]
fn what_repeats_the_history_is_left_out() {
    let mut game = Record::new(Go::new(5));
    for (x, y) in [(1, 0), (2, 0), (0, 1), (3, 1), (1, 2), (2, 2), (4, 4), (1, 1)] {
        game.play(Move::play(Point::at(x, y, 5)));
    }
    // Black takes the ko, and by magic no simple ko forbids to take it back.
    game.play(Move::play(Point::at(2, 1, 5)));
    let position = game.position().clone().with_turn(Side::Second);
    let back = Move::play(Point::at(1, 1, 5));
    assert!(position.is_legal(back));
    for (superko, expected) in [(true, Proof::Forbidden), (false, Proof::Open)] {
        let mut search = uniform(McRave::default(), MctsSettings { superko, ..settings(2000) });
        let situation = Situation { position: &position, moves: None, history: game.repetition_keys() };
        let decision = search.search_situation(&situation, &Budget::default(), &mut stream(1, 0), None);
        let tree = search.tree().unwrap();
        let node = tree.children(ROOT).unwrap().find(|&node| tree.node(node).index() == position.move_index(back));
        assert_eq!(tree.node(node.unwrap()).proof(), expected);
        assert_eq!(tree.node(node.unwrap()).visits() == 0, superko);
        assert!(!superko || decision.best != Some(back));
    }
}
