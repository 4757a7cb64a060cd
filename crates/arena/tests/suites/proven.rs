//! Every position of `suites/go`, proven by searching all that can be played in its open part.

use super::fight::{Fight, Ground};
use super::files::{named, suite};
use super::proof::{Claim, Prover};
use afterstate_arena::suite::{Goal, Problem, Theme};
use afterstate_games::go::{Color, Go, Move, Point};
use afterstate_games::rng::below;
use afterstate_games::{Game, Side, stream};

/// Positions, at most, for one proof.
const EFFORT: u64 = 3_000_000;

/// Its open part is too large to search every move to the end of the game: only the goal is proven, and that the
/// stones at stake outweigh all other open points.
const BY_GOAL_ALONE: &str = "ladder-long-19";

/// Every move in the open part, and the pass, which stands for all moves on settled points as well.
fn moves(ground: &Ground, fight: &Fight) -> Vec<(Move, Fight)> {
    let open = ground.points.iter().enumerate().filter(|(bit, _)| ground.empty(fight) >> bit & 1 == 1);
    let played = open.filter_map(|(bit, &point)| Some((Move::play(point), ground.play(fight, bit)?)));
    played.chain([(Move::PASS, ground.pass(fight))]).collect()
}

/// Positions, at most, for a proof that is repeated with the moves in another order.
const AGAIN: u64 = 300_000;

/// Whether the claim holds after a move. Where superko had a say, another order of moves must not contradict.
fn holds(problem: &Problem, ground: &Ground, claim: Claim, before: &Fight, after: &Fight) -> bool {
    let mut prover = Prover::new(ground, claim, EFFORT);
    let proof = prover.prove(after, &[before.stones]);
    let proof = proof.unwrap_or_else(|| panic!("{}: {claim:?} not decided within {EFFORT} positions", problem.name));
    if prover.history_mattered
        && let Some(again) = Prover::new(ground, claim, AGAIN).backwards().prove(after, &[before.stones])
    {
        assert_eq!(again, proof, "{}: {claim:?} depends on the order of moves", problem.name);
    }
    proof
}

fn ground(problem: &Problem) -> (Ground, Fight) {
    Ground::new(&problem.position).unwrap_or_else(|error| panic!("{}: {error}", problem.name))
}

#[test]
fn the_right_moves_win_the_game_and_all_others_lose_it() {
    for problem in suite().iter().filter(|problem| problem.name != BY_GOAL_ALONE) {
        let (ground, fight) = ground(problem);
        let half_points = (2.0 * problem.position.komi().points()) as i32;
        let claim = Claim::Wins(problem.position.to_move(), half_points);
        for (mv, after) in moves(&ground, &fight) {
            let right = problem.right.contains(&mv);
            let wins = holds(problem, &ground, claim, &fight, &after);
            assert_eq!(wins, right, "{}: {mv:?} ({:?})", problem.name, mv.point().map(|p| p.label(19)));
        }
    }
}

#[test]
fn the_right_moves_reach_the_goal_and_the_wrong_ones_do_not() {
    for problem in suite() {
        let (ground, fight) = ground(problem);
        let me = problem.position.to_move();
        let (claim, wanted) = match problem.goal {
            Goal::Capture(prey) => (Claim::Captures(me, bit(problem, &ground, prey)), true),
            Goal::Save(stone) => (Claim::Captures(me.other(), bit(problem, &ground, stone)), false),
        };
        for (mv, after) in moves(&ground, &fight) {
            if problem.right.contains(&mv) || problem.wrong.contains(&mv) {
                let reached = holds(problem, &ground, claim, &fight, &after) == wanted;
                assert_eq!(reached, problem.right.contains(&mv), "{}: {mv:?}", problem.name);
            }
        }
        let asked = |mv: &&Move| moves(&ground, &fight).iter().any(|(other, _)| other == *mv);
        let all = problem.right.iter().chain(&problem.wrong);
        assert!(all.clone().filter(asked).count() == all.count(), "{}: a move on a settled point", problem.name);
    }
}

fn bit(problem: &Problem, ground: &Ground, point: Point) -> usize {
    ground.bit(point).unwrap_or_else(|| panic!("{}: the goal is settled already", problem.name))
}

#[test]
fn the_stakes_of_the_long_ladder_outweigh_what_is_open() {
    let problem = named(BY_GOAL_ALONE);
    let (ground, fight) = ground(problem);
    let Goal::Capture(prey) = problem.goal else { panic!("a ladder captures") };
    let stones = problem.position.board().chain_len(prey) as i32;
    let (_, most) = ground.bounds(&fight);
    // With the prey alive White has two points more for each of its stones than Black could have at best.
    assert!(f64::from(most - 2 * stones) < problem.position.komi().points());
    assert!(f64::from(most) > problem.position.komi().points());
}

#[test]
fn in_a_seki_neither_side_is_captured_and_nobody_has_two_eyes() {
    let mut sekis = 0;
    for problem in suite().iter().filter(|problem| problem.theme == Theme::Seki) {
        let Goal::Save(stone) = problem.goal else { continue };
        let (ground, fight) = ground(problem);
        let (me, bit) = (problem.position.to_move(), bit(problem, &ground, stone));
        let seki = moves(&ground, &fight).iter().any(|(mv, after)| {
            problem.right.contains(mv)
                && !holds(problem, &ground, Claim::Captures(me.other(), bit), &fight, after)
                && !holds(problem, &ground, Claim::Lives(me, bit), &fight, after)
        });
        assert!(seki, "{}", problem.name);
        sekis += 1;
    }
    assert!(sekis >= 5);
}

#[test]
fn kos_are_fought() {
    for problem in suite().iter().filter(|problem| problem.theme == Theme::Ko) {
        let (ground, fight) = ground(problem);
        let takes = |(mv, after): &(Move, Fight)| problem.right.contains(mv) && after.ko.is_some();
        let forbidden = problem.position.board().ko().is_some();
        assert!(forbidden || moves(&ground, &fight).iter().any(takes), "{}: there is no ko", problem.name);
        if forbidden {
            // Without the ban the side to move would simply take back.
            let free = Fight { ko: None, ..fight };
            let ko = fight.ko.expect("the ko is in the open part");
            let back = ground.play(&free, usize::from(ko)).expect("only ko forbids it");
            let half_points = (2.0 * problem.position.komi().points()) as i32;
            let claim = Claim::Wins(problem.position.to_move(), half_points);
            assert!(holds(problem, &ground, claim, &fight, &back), "{}: the ko does not matter", problem.name);
        }
    }
}

#[test]
fn a_snapback_gives_a_stone_or_saves_from_it() {
    for problem in suite().iter().filter(|problem| problem.theme == Theme::Snapback) {
        let thrower = match problem.goal {
            Goal::Capture(_) => problem.position.to_move(),
            Goal::Save(_) => problem.position.to_move().other(),
        };
        let point = problem.right[0].point().expect("a stone");
        let mut game = problem.position.clone().with_turn(thrower);
        game.play(Move::play(point));
        let board = game.board();
        let back = board.atari_liberty(point).expect("the thrown stone is in atari");
        assert_eq!(board.chain_len(point), 1, "{}", problem.name);
        game.play(Move::play(back));
        let taken = game.board().chain_len(back);
        assert!(game.board().atari_liberty(back) == Some(point) && taken >= 3, "{}: no snapback", problem.name);
    }
}

/// The rules of [`Ground`] and those of the board are two pieces of code; random play in every position compares them.
#[test]
fn fights_follow_the_rules_of_the_board() {
    let mut rng = stream(7, 0);
    for problem in suite() {
        let (ground, start) = ground(problem);
        for _ in 0..20 {
            let (mut game, mut fight): (Go, Fight) = (problem.position.clone(), start);
            for _ in 0..40 {
                let open = ground.points.iter().enumerate().filter(|(bit, _)| ground.empty(&fight) >> bit & 1 == 1);
                let legal: Vec<(Point, Fight)> =
                    open.filter_map(|(bit, &point)| Some((point, ground.play(&fight, bit)?))).collect();
                for (&point, bit) in ground.points.iter().zip(0..) {
                    let found = legal.iter().any(|(other, _)| *other == point);
                    let empty = ground.empty(&fight) >> bit & 1 == 1;
                    assert_eq!(empty && found, game.is_legal(Move::play(point)), "{}", problem.name);
                }
                if legal.is_empty() {
                    break;
                }
                let (point, after) = legal[below(&mut rng, legal.len() as u32) as usize];
                game.play(Move::play(point));
                fight = after;
                let stones = |side: Side| {
                    let own = |(_, p): &(usize, &Point)| game.board().color(**p) == Color::of(side);
                    ground.points.iter().enumerate().filter(own).fold(0, |set, (bit, _)| set | 1 << bit)
                };
                assert_eq!(fight.stones, [stones(Side::First), stones(Side::Second)], "{}", problem.name);
                assert_eq!(ground.score(&fight), game.board().area_difference(), "{}", problem.name);
                let (low, high) = ground.bounds(&fight);
                assert!(low <= high, "{}", problem.name);
            }
        }
    }
}

#[test]
fn the_prover_knows_textbook_results() {
    let claim = |rows: &str, side: char, claim: fn(usize) -> Claim, stone: &str| {
        let game = <Go as afterstate_games::Notation>::parse_position(&format!("{rows} {side} komi=7.5")).unwrap();
        let (ground, fight) = Ground::new(&game).unwrap();
        let bit = ground.bit(Point::parse(stone, game.size()).unwrap()).unwrap();
        Prover::new(&ground, claim(bit), EFFORT).prove(&fight, &[]).unwrap()
    };
    // Four points in a row are two eyes whoever moves; three are if the owner moves; a square of four never.
    let four = "4OX1/OOOOOXX/XXXXXX1/1X1X1XX/XXXXXXX/1X1X1X1/XXXXXXX";
    let three = "3OX1X/OOOOXXX/XXXXXX1/1X1X1XX/XXXXXXX/1X1X1X1/XXXXXXX";
    let square = "2OX1X1/2OXXXX/OOOX1X1/XXXXXXX/1X1X1X1/XXXXXXX/1X1X1X1";
    let black: fn(usize) -> Claim = |bit| Claim::Captures(Side::First, bit);
    let lives: fn(usize) -> Claim = |bit| Claim::Lives(Side::Second, bit);
    assert!(!claim(four, 'b', black, "A6") && claim(four, 'b', lives, "A6"));
    assert!(claim(three, 'b', black, "A6") && !claim(three, 'w', black, "A6") && claim(three, 'w', lives, "A6"));
    assert!(claim(square, 'b', black, "A5") && claim(square, 'w', black, "A5"));
}
