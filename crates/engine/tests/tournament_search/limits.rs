//! Searches end when they should, and equal searches are equal.

use crate::{decide, depth, engine, nodes, position, small};
use afterstate_engine::search::{Bound, SearchLimits, SearchNews, TournamentSettings};
use afterstate_engine::{Budget, Search};
use afterstate_games::chess::Move;
use afterstate_games::{Chess, Game, Notation, Record, stream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const MIDDLEGAME: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn middlegame() -> Record<Chess> {
    Record::new(position(MIDDLEGAME))
}

#[test]
fn equal_searches_are_equal() {
    let mut first = engine(small());
    let once = decide(&mut first, &middlegame(), &nodes(60_000));
    assert_eq!(once, decide(&mut engine(small()), &middlegame(), &nodes(60_000)));
    // Another search lies between; forgetting it makes them equal again.
    decide(&mut first, &Record::new(Chess::new()), &nodes(20_000));
    first.clear();
    assert_eq!(once, decide(&mut first, &middlegame(), &nodes(60_000)));
    assert_eq!(first.set_table_mib(2), 2);
    first.set_table_mib(1);
    first.set_evaluation(crate::PieceSquares::new());
    assert_eq!(once, decide(&mut first, &middlegame(), &nodes(60_000)));
    let by_depth = |_| decide(&mut engine(small()), &middlegame(), &depth(9)).0.effort;
    assert_eq!(by_depth(1), by_depth(2));
}

#[test]
fn the_limit_of_nodes_is_kept_to_the_node() {
    for limit in [1, 2, 30, 1_000, 5_000, 33_333] {
        let (decision, _) = decide(&mut engine(small()), &middlegame(), &nodes(limit));
        assert_eq!(decision.effort, limit);
        assert!(middlegame().is_legal(decision.best.unwrap()));
    }
    // Several threads look up how much the others did only now and then.
    let (decision, _) =
        decide(&mut engine(TournamentSettings { threads: 2, ..small() }), &middlegame(), &nodes(50_000));
    assert!((25_000..60_000).contains(&decision.effort), "{}", decision.effort);
    // Where a limit stands for strength, that may not be much.
    for threads in [2, 4] {
        let (decision, _) = decide(&mut engine(TournamentSettings { threads, ..small() }), &middlegame(), &nodes(64));
        assert!(decision.effort <= 96, "{threads} threads: {}", decision.effort);
        let alone = SearchLimits { alone: true, ..nodes(64) };
        let (decision, _) = decide(&mut engine(TournamentSettings { threads, ..small() }), &middlegame(), &alone);
        assert_eq!(decision.effort, 64);
    }
}

#[test]
fn whoever_sets_the_flag_stops_it() {
    for threads in [1, 2] {
        let stop = Arc::new(AtomicBool::new(true));
        let budget = Budget { stop: Some(stop.clone()), ..Budget::default() };
        let mut search = engine(TournamentSettings { threads, ..small() });
        let (decision, _) = decide(&mut search, &middlegame(), &budget.clone().into());
        assert!(middlegame().is_legal(decision.best.unwrap()));
        assert!(decision.effort <= 4_096, "{}", decision.effort);

        stop.store(false, Ordering::Relaxed);
        let mut deepest = 0;
        search.search(&middlegame(), &budget.into(), &mut |news| {
            let Some(info) = news.line() else { return };
            deepest = deepest.max(info.depth);
            stop.store(info.depth >= 7, Ordering::Relaxed);
        });
        assert_eq!(deepest, 7);
    }
}

#[test]
fn deadlines_count_unless_it_ponders() {
    let past = Instant::now();
    let mut limits = depth(6);
    limits.budget.deadline = Some(past);
    assert!(decide(&mut engine(small()), &middlegame(), &limits).0.depth < Some(6));
    limits.budget.deadline = None;
    limits.soft_deadline = Some(past);
    assert_eq!(decide(&mut engine(small()), &middlegame(), &limits).0.depth, Some(1));
    limits.budget.deadline = Some(past);
    limits.pondering = Some(Arc::new(AtomicBool::new(true)));
    assert_eq!(decide(&mut engine(small()), &middlegame(), &limits).0.depth, Some(6));
    // An only move needs no thought.
    let forced = Record::new(position("7k/R7/8/8/8/8/8/K6R b - - 0 1"));
    let mut limits = nodes(10_000_000);
    limits.soft_deadline = Some(past + Duration::from_secs(1_000));
    assert_eq!(decide(&mut engine(small()), &forced, &limits).0.depth, Some(1));
    // But time that cannot be saved is used.
    limits.budget = depth(5).budget;
    limits.budget.deadline = limits.soft_deadline;
    assert_eq!(decide(&mut engine(small()), &forced, &limits).0.depth, Some(5));
}

#[test]
fn the_move_that_is_played_is_the_one_that_was_told_last() {
    let (mut told_late, mut search) = (0, engine(small()));
    for limit in (200..12_000).step_by(97) {
        let (mut deepest, mut last) = (0, None);
        search.clear();
        let decision = search.search(&middlegame(), &nodes(limit), &mut |news| {
            let Some(info) = news.line() else { return };
            (deepest, last) = (info.depth, info.pv.first().copied());
        });
        told_late += usize::from(decision.depth.is_some_and(|completed| deepest > completed));
        // Very few nodes may show nothing at all.
        assert!(
            last == decision.best || (last.is_none() && limit < 1_000),
            "{limit} nodes: {last:?}, {:?}",
            decision.best
        );
    }
    assert!(told_late > 0, "no search changed its mind in an iteration that it did not end");
}

#[test]
fn only_the_moves_asked_for_are_chosen_among() {
    let game = position(MIDDLEGAME);
    let asked_for: Vec<Move> = ["a2a3", "e1c1", "a1a8"].map(|text| text.parse().unwrap_or_else(|_| panic!())).to_vec();
    let mut limits = depth(5);
    limits.root_moves = asked_for.clone();
    let (decision, _) = decide(&mut engine(small()), &Record::new(game.clone()), &limits);
    assert_eq!(decision.best.map(|mv| mv.to_string()).as_deref(), Some("a2a3"), "the others are not legal as written");
    limits.root_moves = vec![game.parse_move("e1c1").unwrap(), asked_for[0]];
    let (decision, _) = decide(&mut engine(small()), &Record::new(game.clone()), &limits);
    assert_eq!(decision.best.map(|mv| game.san(mv)).as_deref(), Some("O-O-O"));
}

#[test]
fn several_lines_are_distinct_and_in_order() {
    let mut limits = depth(7);
    limits.multi_pv = 4;
    let record = middlegame();
    let mut last: Vec<(Move, f32)> = Vec::new();
    let mut check = |news: &SearchNews| {
        let Some(info) = news.line() else { return };
        if info.depth == 7 && info.bound == Bound::Exact {
            assert_eq!(info.multi_pv, last.len() + 1);
            last.push((info.pv[0], info.score.first_player()));
        }
    };
    let decision = engine(small()).search(&record, &limits, &mut check);
    assert_eq!(last.len(), 4);
    assert!(last.windows(2).all(|pair| pair[0].1 >= pair[1].1), "{last:?}");
    for (i, (mv, _)) in last.iter().enumerate() {
        assert!(record.is_legal(*mv) && last[..i].iter().all(|(other, _)| other != mv));
    }
    assert_eq!(decision.best, Some(last[0].0));
    // No more lines than moves.
    limits.multi_pv = 500;
    let record = Record::new(position("7k/R7/8/8/8/8/8/K7 b - - 0 1"));
    let mut lines = 0;
    engine(small()).search(&record, &limits, &mut |news| {
        lines = lines.max(news.line().map_or(0, |info| info.multi_pv));
    });
    assert_eq!(lines, 1);
}

/// Wherever a search is stopped, it has told of the line that it decides on.
#[test]
fn what_is_decided_was_told() {
    for fen in [
        "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1",
        "r1b2bnr/pppp1kp1/2n4p/4pp2/2P3q1/1P1PB3/P3PPPP/RNQ1KBNR w - - 1 8",
    ] {
        let record = Record::new(position(fen));
        for number in (100..4_000).step_by(37) {
            for lines in [1, 2] {
                let limits = SearchLimits { multi_pv: lines, ..nodes(number) };
                let mut told = None;
                let decision = engine(small()).search(&record, &limits, &mut |news| {
                    if let Some(info) = news.line().filter(|info| info.multi_pv == 1) {
                        told = Some(info.pv[0]);
                    }
                });
                assert_eq!((decision.best, decision.value.is_some()), (told, true), "{fen}, {number} nodes");
            }
        }
    }
}

#[test]
fn reports_are_complete_and_rising() {
    let mut seen = Vec::new();
    let record = middlegame();
    engine(small()).search(&record, &depth(8), &mut |news| {
        let Some(info) = news.line() else { return };
        assert!(info.selective_depth >= info.depth && info.hashfull <= 1_000 && !info.pv.is_empty());
        let mut line = record.clone();
        for &mv in info.pv {
            assert!(line.position().is_legal(mv));
            line.play(mv);
        }
        seen.push((info.depth, info.nodes));
    });
    assert_eq!(seen.iter().map(|(depth, _)| *depth).collect::<Vec<_>>(), (1..=8).collect::<Vec<_>>());
    assert!(seen.windows(2).all(|pair| pair[0].1 < pair[1].1));
}

#[test]
fn who_waits_long_is_told_the_move_that_is_searched() {
    let record = middlegame();
    for threads in [1, 2] {
        let stop = Arc::new(AtomicBool::new(false));
        let limits = Budget { stop: Some(stop.clone()), ..Budget::default() }.into();
        let mut told = Vec::new();
        let mut search = engine(TournamentSettings { threads, ..small() });
        search.search(&record, &limits, &mut |news| {
            if let SearchNews::Move(now) = news {
                told.push(*now);
                stop.store(told.len() >= 5, Ordering::Relaxed);
            }
        });
        assert!(told.len() >= 5);
        for now in &told {
            assert!(record.is_legal(now.mv) && (1..=48).contains(&now.number) && now.depth > 1 && now.nodes > 1_000);
        }
        // One after the other, and from the first again in the next iteration or with another window.
        assert!(told.windows(2).all(|two| two[1].number == 1 || two[1].number == two[0].number + 1), "{told:?}");
    }
}

#[test]
fn it_is_a_search_like_any_other() {
    let mut search: Box<dyn Search<Chess>> = Box::new(engine(small()));
    let decision = search.search(&Chess::new(), &Budget { depth: Some(5), ..Budget::default() }, &mut stream(1, 0));
    assert_eq!(decision.depth, Some(5));
    assert_eq!(decision.principal_variation.first(), decision.best.as_ref());
    assert!(decision.value.is_some_and(|value| (0.4..0.6).contains(&value.0)));
}
