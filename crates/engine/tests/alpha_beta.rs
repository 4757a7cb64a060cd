//! Alpha-beta search finds what plain minimax finds.

mod random_go;

use afterstate_engine::search::{AlphaBeta, AlphaBetaSettings, minimax};
use afterstate_engine::value::{Features, FusedShapes, LocalShapes, Sharing, Squash, TrackedGo, WindowSizes};
use afterstate_engine::{Budget, Search, Value, policy};
use afterstate_games::go::{Go, Komi, Move, Point};
use afterstate_games::rng::{below, stream};
use afterstate_games::{Game, Turn};
use random_go::{for_each_position, random_weights, ways};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn random_values(size: usize, seed: u64) -> Arc<FusedShapes> {
    let shapes = LocalShapes::new(size, WindowSizes::ALL, Sharing::Both);
    let weights = random_weights(Features::<Go>::count(&shapes), 0.3, seed);
    Arc::new(FusedShapes::new(&shapes, &weights, Squash::Logistic))
}

fn settings(depth: u32) -> AlphaBetaSettings {
    AlphaBetaSettings { depth, table_mib: 4, ..Default::default() }
}

fn value_of(decision: &afterstate_engine::Decision<Move>) -> f32 {
    decision.value.expect("a search has an opinion").0
}

/// The minimax value of the position that a decision's line leads to must be what the decision says.
fn check_line(root: &TrackedGo, decision: &afterstate_engine::Decision<Move>, depth: u32, values: &FusedShapes) {
    let mut game = root.clone();
    for &mv in &decision.principal_variation {
        assert!(game.is_legal(mv), "the line {:?} goes on after its end", decision.principal_variation);
        game.play(mv);
    }
    let at_the_end = match game.turn() {
        Turn::Over(outcome) => outcome.first_player_score(),
        _ => {
            assert_eq!(decision.principal_variation.len(), depth as usize);
            values.squash().value(values.sum(&game)).0
        }
    };
    assert!((at_the_end - value_of(decision)).abs() < 1e-4, "{at_the_end} at the end of the line of {decision:?}");
}

/// Compares every way to search with minimax in one position.
fn agrees(position: &Go, depth: u32, values: &Arc<FusedShapes>) {
    let root = values.track(position.clone());
    let (score, _) = minimax(&root, depth, &**values);
    let expected = match score.winner() {
        Some(winner) => afterstate_games::Outcome::win(winner).first_player_score(),
        None => values.squash().value(score.first_player()).0,
    };
    for settings in ways(settings(depth)) {
        let mut search = AlphaBeta::indexed(values.clone(), settings.clone());
        for again in 0..2 {
            let decision = search.search(&root, &Budget::default(), &mut stream(1, again));
            let found = value_of(&decision);
            // Sums are added up in another order where lines of play meet.
            let tolerance = if settings.transpositions { 1e-5 } else { 0.0 };
            assert!((found - expected).abs() <= tolerance, "{settings:?}: {found}, expected {expected}");
            // A line that wins for sure may have been found before the full depth.
            if score.winner().is_none() {
                assert_eq!(decision.depth, Some(depth));
                check_line(&root, &decision, depth, values);
            }
            // The move that was chosen is worth what the position is worth.
            let mut after = root.clone();
            after.play(decision.best.unwrap());
            if depth > 1 && score.winner().is_none() && !matches!(after.turn(), Turn::Over(_)) {
                let (reply, _) = minimax(&after, depth - 1, &**values);
                assert!((values.squash().value(reply.first_player()).0 - expected).abs() < 1e-5);
            }
        }
    }
}

#[test]
fn equals_minimax_on_5x5_go() {
    for (depth, every, games) in [(1, 3, 4), (2, 7, 4), (3, 23, 4)] {
        let mut count = 0;
        for game in 0..games {
            let values = random_values(5, game);
            for_each_position(Go::new(5), 7, game, |position, _| {
                count += 1;
                if count % every == 0 {
                    agrees(position, depth, &values);
                }
            });
        }
        assert!(count > 20 * every / 10);
    }
}

#[test]
fn equals_minimax_four_plies_deep_when_the_board_is_filling() {
    let mut checked = 0;
    for game in 0..6 {
        let values = random_values(5, 20 + game);
        for_each_position(Go::new(5).with_komi(Komi::new(2.5).unwrap()), 8, game, |position, moves| {
            if moves.len() <= 9 {
                agrees(position, 4, &values);
                checked += 1;
            }
        });
    }
    assert!(checked > 30, "only {checked} positions");
}

#[test]
fn equals_minimax_where_the_move_limit_ends_games_inside_the_tree() {
    let mut checked = 0;
    for game in 0..8 {
        let values = random_values(5, 40 + game);
        for_each_position(
            Go::new(5).with_komi(Komi::new(0.5).unwrap()).with_move_limit(16),
            9,
            game,
            |position, moves| {
                if moves.len() <= 13 {
                    agrees(position, 3, &values);
                    checked += 1;
                }
            },
        );
    }
    assert!(checked > 20, "only {checked} positions");
}

#[test]
fn one_ply_is_greedy_with_the_same_random_choice_among_equals() {
    let values = random_values(5, 3);
    for (i, position) in [Go::new(5), Go::new(5).with_komi(Komi::new(0.5).unwrap())].iter().enumerate() {
        let mut root = values.track(position.clone());
        let mut rng = stream(5, i as u64);
        let mut search = AlphaBeta::new(values.clone(), settings(1));
        let (mut moves, mut sums) = (Vec::new(), Vec::new());
        for step in 0..12 {
            let Turn::Player(side) = root.turn() else { break };
            root.candidate_moves(&mut moves);
            values.afterstate_sums(&root, &moves, &mut sums);
            let greedy = moves[policy::greedy(&sums, side, &mut stream(6, step))];
            let decision = search.search(&root, &Budget::default(), &mut stream(6, step));
            assert_eq!(decision.best, Some(greedy));
            assert_eq!(decision.effort, moves.len() as u64);
            root.play(moves[below(&mut rng, moves.len() as u32) as usize]);
        }
    }
}

#[test]
fn a_sure_win_counts_more_than_any_looks() {
    // White has passed and Black is ahead on points: passing wins, whatever the weights say of stones.
    let values = random_values(5, 11);
    let mut game = Go::new(5).with_komi(Komi::new(0.5).unwrap());
    game.play(Move::play(Point::at(2, 2, 5)));
    game.play(Move::PASS);
    let root = values.track(game);
    for depth in 1..=3 {
        let mut search = AlphaBeta::new(values.clone(), settings(depth));
        let moves = [Move::play(Point::at(0, 0, 5)), Move::PASS, Move::play(Point::at(1, 1, 5))];
        let decision = search.search_among(&root, &moves, &Budget::default(), &mut stream(1, 0));
        assert_eq!((decision.best, decision.value), (Some(Move::PASS), Some(Value(1.0))));
        assert_eq!(decision.principal_variation, [Move::PASS]);
    }
}

#[test]
fn chooses_only_among_the_moves_that_it_is_given() {
    let values = random_values(5, 12);
    let root = values.track(Go::new(5));
    let mut search = AlphaBeta::new(values.clone(), settings(3));
    let only = Move::play(Point::at(3, 1, 5));
    assert_eq!(search.search_among(&root, &[only], &Budget::default(), &mut stream(1, 0)).best, Some(only));
    let unrestricted = search.search(&root, &Budget::default(), &mut stream(1, 0)).best.unwrap();
    let mut others = Vec::new();
    root.candidate_moves(&mut others);
    others.retain(|&mv| mv != unrestricted);
    let second = search.search_among(&root, &others, &Budget::default(), &mut stream(1, 0));
    assert!(second.best.is_some_and(|mv| mv != unrestricted));
    assert_eq!(search.search_among(&root, &[], &Budget::default(), &mut stream(1, 0)).best, None);
}

#[test]
fn respects_its_budget() {
    let values = random_values(9, 13);
    let root = values.track(Go::new(9));
    let mut search = AlphaBeta::new(values.clone(), settings(64));
    let few = Budget { simulations: Some(20_000), ..Budget::default() };
    let decision = search.search(&root, &few, &mut stream(1, 0));
    assert!((20_000..20_100).contains(&decision.effort), "{} evaluations", decision.effort);
    assert!(decision.best.is_some() && decision.depth.unwrap() >= 2);

    let shallow = Budget { depth: Some(2), ..Budget::default() };
    assert_eq!(search.search(&root, &shallow, &mut stream(1, 0)).depth, Some(2));

    // Told to stop before it began, it still answers, with what one ply shows.
    let stopped = Budget { stop: Some(Arc::new(AtomicBool::new(true))), ..Budget::default() };
    let decision = search.search(&root, &stopped, &mut stream(1, 0));
    let greedy = search.search(&root, &Budget { depth: Some(1), ..Budget::default() }, &mut stream(1, 0));
    assert_eq!(decision.best, greedy.best);
}

#[test]
fn the_same_seed_gives_the_same_decision() {
    let values = random_values(9, 14);
    let root = values.track(Go::new(9));
    let decide = |search: &mut AlphaBeta<_, _>| search.search(&root, &Budget::default(), &mut stream(3, 3));
    let mut search = AlphaBeta::new(values.clone(), settings(3));
    let first = decide(&mut search);
    search.clear();
    assert_eq!(first, decide(&mut search));
    assert_eq!(first, decide(&mut AlphaBeta::new(values.clone(), settings(3))));
}

/// Nodes and decisions of searches of some positions on 9×9.
fn searched(settings: &AlphaBetaSettings) -> (u64, Vec<f32>) {
    let values = random_values(9, 15);
    let (mut nodes, mut found, mut count) = (0, Vec::new(), 0);
    for_each_position(Go::new(9), 7, 0, |position, _| {
        count += 1;
        if count % 20 == 0 {
            let mut search = AlphaBeta::indexed(values.clone(), settings.clone());
            let decision = search.search(&values.track(position.clone()), &Budget::default(), &mut stream(1, 0));
            nodes += search.nodes();
            found.push(value_of(&decision));
        }
    });
    (nodes, found)
}

#[test]
fn transpositions_and_null_moves_save_work() {
    let all = settings(4);
    let (nodes, values) = searched(&all);
    let (more, same) = searched(&AlphaBetaSettings { transpositions: false, ..all.clone() });
    assert!(more > nodes, "{more} nodes, with transpositions {nodes}");
    assert!(values.iter().zip(&same).all(|(one, other)| (one - other).abs() < 1e-5));
    let (pruned, _) = searched(&AlphaBetaSettings { null_move: true, ..all.clone() });
    assert!(pruned < nodes, "{pruned} nodes, without null moves {nodes}");
}

#[test]
fn null_moves_leave_shallow_searches_and_proofs_alone() {
    let (mut shallow, mut proved) = (0, 0);
    for game in 0..6 {
        let values = random_values(5, 60 + game);
        let start = Go::new(5).with_komi(Komi::new(0.5).unwrap()).with_move_limit(18);
        for_each_position(start, 9, game, |position, moves| {
            let root = values.track(position.clone());
            for depth in [2, 4] {
                if depth == 4 && moves.len() > 11 {
                    continue;
                }
                let settings = AlphaBetaSettings { null_move: true, ..settings(depth) };
                let decision =
                    AlphaBeta::indexed(values.clone(), settings).search(&root, &Budget::default(), &mut stream(1, 0));
                let (score, _) = minimax(&root, depth, &*values);
                let found = value_of(&decision);
                match score.winner() {
                    None if depth == 2 => {
                        shallow += 1;
                        assert!((found - values.squash().value(score.first_player()).0).abs() < 1e-5);
                    }
                    None => assert!(found > 0.0 && found < 1.0, "nothing is sure here, but {found}"),
                    Some(winner) => {
                        proved += 1;
                        assert_eq!(found, afterstate_games::Outcome::win(winner).first_player_score());
                    }
                }
            }
        });
    }
    assert!(shallow > 30 && proved > 10, "{shallow} {proved}");
}

#[test]
fn a_pass_is_not_tried_where_it_would_end_the_game() {
    // White has passed; every pass of Black ends the game.
    let values = random_values(5, 16);
    let mut game = Go::new(5);
    game.play(Move::play(Point::at(2, 2, 5)));
    game.play(Move::PASS);
    let root = values.track(game);
    let settings = AlphaBetaSettings { null_move: true, ..settings(4) };
    let decision = AlphaBeta::indexed(values, settings).search(&root, &Budget::default(), &mut stream(1, 0));
    assert!(decision.best.is_some_and(|mv| !mv.is_pass()));
}

/// A line of 64 plies on the largest board fits into what a thread usually gets.
#[test]
fn long_lines_need_little_of_the_stack() {
    for null_move in [false, true] {
        let search = move || {
            let values = random_values(19, 17);
            let settings = AlphaBetaSettings { deepening: false, history: true, null_move, ..settings(64) };
            let mut search = AlphaBeta::indexed(values.clone(), settings);
            let budget = Budget { simulations: Some(100_000), ..Budget::default() };
            search.search(&values.track(Go::new(19)), &budget, &mut stream(1, 0)).depth
        };
        let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(search).unwrap();
        assert_eq!(thread.join().unwrap(), Some(1), "nothing but the first look was completed");
    }
}
