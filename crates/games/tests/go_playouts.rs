//! Playout policies against the same rules written down slowly, over thousands of positions.

mod slow_rules;

use afterstate_games::go::playout::neighbourhood::code_of;
use afterstate_games::go::playout::pattern::PatternTable;
use afterstate_games::go::{Color, Komi, SoftmaxPlayout, SoftmaxWeights, UniformGoPlayout};
use afterstate_games::go::{FuegoPlayout, FuegoSettings, Go, MogoPlayout, MogoSettings, Move, Point, Rule};
use afterstate_games::rng::{Rng, below, stream};
use afterstate_games::{Game, PlayoutPolicy, Side, Turn};
use slow_rules::Grid;
use std::collections::{BTreeSet, HashMap};

fn ordinals(points: &[Point], size: usize) -> BTreeSet<usize> {
    points.iter().map(|point| point.ordinal(size)).collect()
}

/// Calls `each` with the positions of games that mix a policy's moves with random ones.
fn positions(
    seed: u64,
    games: u64,
    mut choose: impl FnMut(&Go, &mut Rng) -> Move,
    mut each: impl FnMut(&Go, &mut Rng),
) {
    for number in 0..games {
        let mut rng = stream(seed, number);
        let mut game = Go::new([5, 6, 7, 9, 9, 13][number as usize % 6]).with_move_limit(300);
        let mut moves = Vec::new();
        while let Turn::Player(_) = game.turn() {
            each(&game, &mut rng);
            game.candidate_moves(&mut moves);
            let mv = match below(&mut rng, 3) {
                0 => moves[below(&mut rng, moves.len() as u32) as usize],
                _ => choose(&game, &mut rng),
            };
            game.play(mv);
        }
    }
}

#[test]
fn mogo_chooses_as_the_slow_rules_do() {
    let mut seen: HashMap<Rule, usize> = HashMap::new();
    let (mut policy, mut other) = (MogoPlayout::default(), MogoPlayout::default());
    positions(
        11,
        36,
        |game, rng| policy.choose(game, rng).0,
        |game, rng| {
            let size = game.size();
            let (rule, points) = slow_rules::mogo(game, other.settings());
            let (mv, chosen) = other.choose(game, rng);
            assert_eq!(chosen, rule, "{}", afterstate_games::go::Diagram::new(game));
            assert!(mv.point().is_none_or(|point| points.contains(&point.ordinal(size))));
            assert_eq!(mv.is_pass(), rule == Rule::Pass);
            let (good, found) = other.good_moves(game);
            assert_eq!(good, (rule < Rule::Random).then_some(rule));
            if good.is_some() {
                assert_eq!((ordinals(found, size), found.len()), (points.clone(), points.len()), "each once");
            }
            *seen.entry(rule).or_default() += 1;
        },
    );
    for rule in [Rule::Save, Rule::Pattern, Rule::Capture, Rule::Random, Rule::Pass] {
        assert!(seen[&rule] > 20, "{seen:?}");
    }
    assert!(seen.values().sum::<usize>() > 3000);
}

#[test]
fn fuego_chooses_as_the_slow_rules_do() {
    let mut seen: HashMap<Rule, usize> = HashMap::new();
    let mut corrections = 0;
    let settings = FuegoSettings { nakade: true, ..FuegoSettings::default() };
    let (mut policy, mut other) = (FuegoPlayout::new(settings), FuegoPlayout::new(settings));
    positions(
        12,
        36,
        |game, rng| policy.choose(game, rng).0,
        |game, rng| {
            let size = game.size();
            let (rule, points) = slow_rules::fuego(game, other.settings());
            let (mv, chosen) = other.choose(game, rng);
            assert_eq!(chosen, rule, "{}", afterstate_games::go::Diagram::new(game));
            let corrected: BTreeSet<usize> = points.iter().map(|&at| slow_rules::corrected(game, at)).collect();
            assert!(mv.point().is_none_or(|point| corrected.contains(&point.ordinal(size))));
            corrections += usize::from(corrected != points);
            let (good, found) = other.good_moves(game);
            assert_eq!(good, (rule < Rule::Random).then_some(rule));
            if good.is_some() {
                assert_eq!((ordinals(found, size), found.len()), (points.clone(), points.len()), "each once");
            }
            *seen.entry(rule).or_default() += 1;
        },
    );
    for rule in Rule::ALL {
        assert!(seen[&rule] > 20, "{seen:?}");
    }
    assert!(corrections > 100 && seen.values().sum::<usize>() > 3000);
}

/// Replays a playout and checks every move with `expected`, the moves that its policy could choose.
fn check_trace(start: &Go, trace: &[Move], expected: impl Fn(&Go) -> BTreeSet<usize>) {
    let mut game = start.clone();
    for &mv in trace {
        let moves = expected(&game);
        match mv.point() {
            Some(point) => assert!(moves.contains(&point.ordinal(game.size()))),
            None => assert!(moves.is_empty()),
        }
        game.play(mv);
    }
}

/// A position in the middle of a random game.
fn middle(seed: u64, number: u64) -> Go {
    let mut game = Go::new([5, 7, 9, 13][number as usize % 4]);
    let (mut moves, mut rng) = (Vec::new(), stream(seed, number));
    for _ in 0..10 * (number % 7) {
        game.candidate_moves(&mut moves);
        if game.passes() > 0 {
            break;
        }
        game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
    }
    game
}

#[test]
fn every_move_of_a_playout_is_one_that_its_rules_know() {
    for number in 0..28 {
        let start = middle(21, number);
        let (mut trace, mut rng) = (Vec::new(), stream(22, number));
        let mut game = start.clone();
        let settings = MogoSettings { avoid_self_atari: number % 2 == 0, ..MogoSettings::default() };
        MogoPlayout::new(settings).play_out(&mut game, &mut trace, &mut rng);
        check_trace(&start, &trace, |game| slow_rules::mogo(game, &settings).1);

        trace.clear();
        let mut game = start.clone();
        let mut policy = FuegoPlayout::default();
        policy.play_out(&mut game, &mut trace, &mut rng);
        check_trace(&start, &trace, |game| {
            let points = slow_rules::fuego(game, policy.settings()).1;
            points.into_iter().map(|at| slow_rules::corrected(game, at)).collect()
        });
    }
}

#[test]
fn self_atari_and_eyes_are_as_a_copy_of_the_board_says() {
    let mut self_ataris = 0;
    positions(
        13,
        40,
        |game, rng| MogoPlayout::default().choose(game, rng).0,
        |game, _| {
            let board = game.board();
            for point in board.empty_points().filter(|&point| board.is_legal(point, game.to_move())) {
                let computed = board.is_self_atari(point, game.to_move());
                assert_eq!(computed, slow_rules::is_self_atari(game, point.ordinal(game.size())));
                self_ataris += usize::from(computed);
            }
        },
    );
    assert!(self_ataris > 500);
}

#[test]
fn no_playout_fills_an_own_eye_or_breaks_the_rules() {
    let mut policies: Vec<Box<dyn PlayoutPolicy<Go>>> =
        vec![Box::new(MogoPlayout::default()), Box::new(FuegoPlayout::default())];
    for policy in &mut policies {
        for number in 0..40 {
            let start = middle(23, number);
            let (mut trace, mut game) = (Vec::new(), start.clone());
            policy.play_out(&mut game, &mut trace, &mut stream(24, number));
            let mut replay = start;
            for &mv in &trace {
                assert!(replay.is_legal(mv));
                if let Some(point) = mv.point() {
                    assert!(!replay.board().is_eye(point, replay.to_move()));
                }
                replay.play(mv);
            }
            assert_eq!((replay.key(), replay.recent_stones()), (game.key(), game.recent_stones()));
        }
    }
}

#[test]
fn a_rule_that_is_switched_off_never_decides() {
    let off = [
        (Rule::Save, MogoSettings { save: false, ..MogoSettings::default() }),
        (Rule::Pattern, MogoSettings { patterns: false, ..MogoSettings::default() }),
        (Rule::Capture, MogoSettings { captures: false, ..MogoSettings::default() }),
    ];
    for (off, settings) in off {
        let (mut policy, mut full) = (MogoPlayout::new(settings), MogoPlayout::default());
        let mut decided = 0;
        positions(
            14,
            12,
            |game, rng| full.choose(game, rng).0,
            |game, rng| {
                let (mv, rule) = policy.choose(game, rng);
                assert_ne!(rule, off);
                let (expected, points) = slow_rules::mogo(game, &settings);
                assert_eq!(rule, expected);
                assert!(mv.point().is_none_or(|point| points.contains(&point.ordinal(game.size()))));
                decided += usize::from(slow_rules::mogo(game, &MogoSettings::default()).0 == off);
            },
        );
        assert!(decided > 20, "{off} had {decided} occasions");
    }
    let full = FuegoSettings { nakade: true, ..FuegoSettings::default() };
    let off = [
        (Rule::Nakade, FuegoSettings { nakade: false, ..full }),
        (Rule::CaptureLast, FuegoSettings { capture_last: false, ..full }),
        (Rule::Save, FuegoSettings { save: false, ..full }),
        (Rule::LowLiberties, FuegoSettings { low_liberties: false, ..full }),
        (Rule::Pattern, FuegoSettings { patterns: false, ..full }),
        (Rule::Capture, FuegoSettings { captures: false, ..full }),
    ];
    for (off, settings) in off {
        let (mut policy, mut all) = (FuegoPlayout::new(settings), FuegoPlayout::new(full));
        positions(
            15,
            12,
            |game, rng| all.choose(game, rng).0,
            |game, rng| {
                let (_, rule) = policy.choose(game, rng);
                assert_ne!(rule, off);
                assert_eq!(rule, slow_rules::fuego(game, &settings).0);
            },
        );
    }
    // Without correction, Fuego's moves are those that the rules found.
    let settings = FuegoSettings { correct_self_atari: false, ..full };
    let mut policy = FuegoPlayout::new(settings);
    let mut trace = Vec::new();
    policy.play_out(&mut Go::new(9), &mut trace, &mut stream(16, 0));
    check_trace(&Go::new(9), &trace, |game| slow_rules::fuego(game, &settings).1);
}

#[test]
fn the_pattern_table_agrees_with_turning_the_board() {
    let (table, mut matched) = (PatternTable::standard(), 0);
    positions(
        17,
        40,
        |game, rng| MogoPlayout::default().choose(game, rng).0,
        |game, _| {
            let grid = Grid::of(game.board());
            for point in game.board().empty_points() {
                for side in [Side::First, Side::Second] {
                    let matches = table.matches(code_of(game.board(), point), side);
                    assert_eq!(matches, grid.pattern(point.ordinal(game.size()), side));
                    matched += usize::from(matches);
                }
            }
        },
    );
    assert!(matched > 1000);
}

#[test]
fn choices_are_uniform_among_the_moves_of_a_rule() {
    let mut game = middle(25, 6);
    let mut policy = MogoPlayout::default();
    let mut rng = stream(26, 0);
    while policy.good_moves(&game).1.len() != 3 {
        let (mv, _) = policy.choose(&game, &mut rng);
        game.play(mv);
        assert!(game.turn() != Turn::Over(game.outcome()), "no position with three good moves in this game");
    }
    let mut counts: HashMap<Move, u32> = HashMap::new();
    for _ in 0..3000 {
        *counts.entry(policy.choose(&game, &mut rng).0).or_default() += 1;
    }
    // Five standard deviations of a binomial with p = 1/3 are 129.
    assert!(counts.len() == 3 && counts.values().all(|&count| count.abs_diff(1000) < 130), "{counts:?}");
}

/// With 30 points of komi on 25 points White has won whatever happens, however many stones Black leads by.
#[test]
fn a_lead_is_mercy_only_beyond_komi() {
    for komi in [30.0, -30.0] {
        let start = Go::new(5).with_komi(Komi::new(komi).unwrap());
        let winner = if komi > 0.0 { Side::Second } else { Side::First };
        for seed in 0..100 {
            let outcome = |policy: &mut dyn PlayoutPolicy<Go>| {
                policy.play_out(&mut start.clone(), &mut Vec::new(), &mut stream(seed, 0)).winner
            };
            let mut policies: [Box<dyn PlayoutPolicy<Go>>; 3] = [
                Box::new(FuegoPlayout::default()),
                Box::new(MogoPlayout::new(MogoSettings { mercy: 0.2, ..MogoSettings::default() })),
                Box::new(SoftmaxPlayout::new(SoftmaxWeights::zeros().into())),
            ];
            for policy in &mut policies {
                assert_eq!(outcome(&mut **policy), Some(winner), "komi {komi}, seed {seed}");
            }
        }
    }
}

#[test]
fn mercy_ends_a_playout_at_the_difference_that_was_set() {
    let settings = MogoSettings { mercy: 0.2, ..MogoSettings::default() };
    let (mut early, mut policy) = (0, MogoPlayout::new(settings));
    for number in 0..60 {
        let (mut game, mut trace) = (Go::new(9), Vec::new());
        let outcome = policy.play_out(&mut game, &mut trace, &mut stream(27, number));
        let mut replay = Go::new(9);
        for (i, &mv) in trace.iter().enumerate() {
            replay.play(mv);
            let lead = replay.board().stone_count(Side::First) as i32 - replay.board().stone_count(Side::Second) as i32;
            // 0.2 · 81 = 16.2 stones: 17 decide.
            if lead.abs() >= 17 {
                assert_eq!(i + 1, trace.len(), "the playout went on after it was decided");
                assert_eq!(outcome.winner, Some(if lead > 0 { Side::First } else { Side::Second }));
                early += 1;
            } else if i + 1 == trace.len() {
                assert_eq!(outcome, game.outcome());
                assert!(game.passes() >= 2);
            }
        }
    }
    assert!((5..60).contains(&early), "{early} of 60 were decided early");
}

#[test]
fn playouts_end_at_their_move_limit() {
    let settings = MogoSettings { move_limit: 0.5, ..MogoSettings::default() };
    let (mut game, mut trace) = (Go::new(9), Vec::new());
    let outcome = MogoPlayout::new(settings).play_out(&mut game, &mut trace, &mut stream(28, 0));
    assert_eq!((trace.len(), outcome), (40, game.outcome()));
    // The limit counts from where the playout begins, and the game's own limit holds too.
    FuegoPlayout::new(FuegoSettings { move_limit: 0.5, mercy: 0.0, ..FuegoSettings::default() }).play_out(
        &mut game,
        &mut trace,
        &mut stream(28, 1),
    );
    assert_eq!(trace.len(), 80);
    trace.clear();
    MogoPlayout::default().play_out(&mut Go::new(9).with_move_limit(7), &mut trace, &mut stream(28, 2));
    assert_eq!(trace.len(), 7);
    // Nonsense ends playouts early or late, but it ends them.
    for move_limit in [f32::NAN, -1.0, 0.0] {
        trace.clear();
        let settings = MogoSettings { move_limit, mercy: f32::NAN, ..MogoSettings::default() };
        MogoPlayout::new(settings).play_out(&mut Go::new(9), &mut trace, &mut stream(28, 3));
        assert_eq!(trace.len(), 1);
    }
}

#[test]
fn a_game_that_is_over_is_left_alone() {
    let mut game = Go::new(9);
    game.play(Move::PASS);
    game.play(Move::PASS);
    let (mut trace, mut rng) = (Vec::new(), stream(29, 0));
    let outcome = MogoPlayout::default().play_out(&mut game, &mut trace, &mut rng);
    assert_eq!((outcome, trace.len()), (game.outcome(), 0));
    assert_eq!(MogoPlayout::default().choose(&game, &mut rng), (Move::PASS, Rule::Pass));
    assert_eq!(FuegoPlayout::default().good_moves(&game), (None, &[][..]));
}

#[test]
fn a_game_remembers_where_its_last_two_stones_went() {
    let point = |x, y| Point::at(x, y, 9);
    let mut game = Go::set_up(9, [(point(0, 0), Color::Black)]).unwrap();
    assert_eq!(game.recent_stones(), [None, None]);
    game.play(Move::play(point(3, 3)));
    game.play(Move::play(point(5, 5)));
    assert_eq!(game.recent_stones(), [Some(point(5, 5)), Some(point(3, 3))]);
    let mut copy = Go::new(9);
    copy.clone_from(&game);
    game.play(Move::PASS);
    assert_eq!(game.recent_stones(), [None, Some(point(5, 5))]);
    assert_eq!(copy.recent_stones(), [Some(point(5, 5)), Some(point(3, 3))]);
    assert_eq!(copy.with_turn(Side::Second).recent_stones(), [None, None]);
    // Uniform playouts, which do not look at it, leave it right all the same.
    for limit in 1..4 {
        let (mut game, mut trace) = (game.clone().with_move_limit(limit), Vec::new());
        UniformGoPlayout.play_out(&mut game, &mut trace, &mut stream(30, 0));
        let before = [Move::PASS, Move::play(point(5, 5))];
        let line: Vec<Move> = trace.iter().rev().copied().chain(before).collect();
        assert_eq!(game.recent_stones(), [line[0].point(), line[1].point()]);
    }
}
