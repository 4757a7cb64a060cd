use super::node::{Node, mirror};
use super::opening_table::positions_after;
use super::*;
use crate::search::minimax;
use crate::value::Indifferent;
use afterstate_games::rng::{below, stream};
use afterstate_games::{Notation, Rng};
use std::collections::HashMap;

/// A position with so many discs by random moves, of which none ends the game.
fn random_position(discs: u32, rng: &mut Rng) -> ConnectFour {
    let mut moves = Vec::new();
    'again: loop {
        let mut game = ConnectFour::new();
        for _ in 0..discs {
            game.legal_moves(&mut moves);
            moves.retain(|&mv| game.outcome_after(mv).is_none());
            if moves.is_empty() {
                continue 'again;
            }
            game.play(moves[below(rng, moves.len() as u32) as usize]);
        }
        return game;
    }
}

/// Its mirror image, by way of its text.
fn mirrored(game: &ConnectFour) -> ConnectFour {
    let rows: Vec<String> = game.position_text().split('/').map(|row| row.chars().rev().collect()).collect();
    ConnectFour::parse_position(&rows.join("/")).expect("still a position")
}

/// Exhaustive search by the rules of the game alone; positions that come again are not searched again.
fn exhaustive(game: &ConnectFour, known: &mut HashMap<u64, Score>) -> Score {
    let side = match game.turn() {
        Turn::Player(side) => side,
        Turn::Over(outcome) => return Score::ended(outcome, 0, 0.0),
        Turn::Chance => unreachable!(),
    };
    if let Some(&score) = known.get(&game.key()) {
        return score;
    }
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    let after = |mv| {
        let mut after = *game;
        after.play(mv);
        after
    };
    let scores = moves.into_iter().map(|mv| exhaustive(&after(mv), known).farther(1));
    let best = scores.max_by(|a, b| a.seen_by(side).total_cmp(&b.seen_by(side))).expect("there is a move");
    known.insert(game.key(), best);
    best
}

#[test]
fn late_positions_are_those_of_plain_minimax() {
    let mut rng = stream(1, 0);
    let mut solver = ConnectFourSolver::new(1);
    for index in 0..300 {
        let game = random_position(33 + index % 9, &mut rng);
        let (own, plain) = (solver.solve(&game), minimax(&game, 42, &Indifferent).0);
        let told = |score: Score| (score.winner(), score.plies_to_end());
        assert_eq!(told(own), told(plain), "{}", game.position_text());
    }
}

#[test]
fn every_answer_is_that_of_exhaustive_search() {
    let mut rng = stream(2, 0);
    let mut solver = ConnectFourSolver::new(1);
    let mut known = HashMap::new();
    let (mut moves, mut seen) = (Vec::new(), [0; 3]);
    for index in 0..600 {
        let game = random_position(27 + index % 15, &mut rng);
        let text = game.position_text();
        let score = exhaustive(&game, &mut known);
        // In either order, because each finds what the other has left in the table.
        if index % 2 == 0 {
            assert_eq!(solver.solve(&game), score, "{text}");
        }
        assert_eq!(solver.outcome(&game).winner, score.winner(), "{text}");
        assert_eq!(solver.solve(&game), score, "{text}");
        solver.outcomes_of_moves(&game, &mut moves);
        let mut legal = Vec::new();
        game.legal_moves(&mut legal);
        assert!(moves.iter().map(|&(column, _)| column).eq(legal), "{text}");
        for column in (0..COLUMNS).filter_map(Column::new) {
            let Some(&(_, outcome)) = moves.iter().find(|&&(mv, _)| mv == column) else {
                assert!(!solver.keeps_value(&game, column), "{text}");
                continue;
            };
            let mut after = game;
            after.play(column);
            let winner = exhaustive(&after, &mut known).winner();
            assert_eq!(outcome.winner, winner, "{text} {column:?}");
            assert_eq!(solver.keeps_value(&game, column), winner == score.winner(), "{text} {column:?}");
        }
        seen[score.winner().map_or(2, Side::index)] += 1;
    }
    assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
}

#[test]
fn ended_games_are_what_they_ended_as() {
    let mut solver = ConnectFourSolver::new(1);
    let won = ConnectFour::parse_position("......./......./X....../XO...../XO...../XO.....").expect("a position");
    assert_eq!(solver.outcome(&won), Outcome::win(Side::First));
    assert_eq!(solver.solve(&won), Score::ended(Outcome::win(Side::First), 0, 0.0));
    let mut moves = vec![(Column::new(0).expect("a column"), Outcome::DRAW)];
    solver.outcomes_of_moves(&won, &mut moves);
    assert!(moves.is_empty());
    assert!((0..COLUMNS).filter_map(Column::new).all(|column| !solver.keeps_value(&won, column)));
}

#[test]
fn a_mirror_image_has_the_same_score() {
    let mut rng = stream(3, 0);
    for index in 0..60 {
        let game = random_position(13 + index % 12, &mut rng);
        let image = mirrored(&game);
        let (node, other) = (Node::new(&game, Side::First), Node::new(&image, Side::First));
        assert_eq!((mirror(node.key()), mirror(node.moves())), (other.key(), other.moves()));
        assert_eq!(node.key_of_both_images(), other.key_of_both_images());
        // Solvers of their own, so that neither repeats what the other has found.
        let [own, others] = [&game, &image].map(|game| ConnectFourSolver::new(1).outcome(game));
        assert_eq!(own, others, "{}", game.position_text());
    }
}

#[test]
fn strategies_by_parity_prove_only_what_is_so() {
    let mut rng = stream(4, 0);
    let (mut known, mut proved) = (HashMap::new(), HashMap::new());
    for index in 0..8_000 {
        let game = random_position(26 + index % 14, &mut rng);
        let Turn::Player(side) = game.turn() else { continue };
        let node = Node::new(&game, side);
        if let Some(bound) = node.by_parity() {
            let winner = exhaustive(&game, &mut known).winner();
            let sign = winner.map_or(0, |winner| if winner == side { 1 } else { -1 });
            match bound {
                node::Parity::AtLeast(least) => assert!(sign >= least, "{}", game.position_text()),
                node::Parity::AtMost(most) => assert!(sign <= most, "{}", game.position_text()),
            }
            *proved.entry((side, format!("{bound:?}"))).or_insert(0) += 1;
        }
    }
    // All five kinds of proof occur.
    assert!(proved.len() == 5 && proved.values().all(|&count| count > 5), "{proved:?}");
}

#[test]
fn with_an_opening_table_the_answers_are_the_same() {
    let mut rng = stream(5, 0);
    for _ in 0..5 {
        let game = random_position(20, &mut rng);
        let positions = positions_after(&game, 24);
        let part = OpeningTable::of(24, &positions[..positions.len() / 2]);
        let table = OpeningTable::of(24, &positions);
        let mut without = ConnectFourSolver::new(1);
        let (outcome, score) = (without.outcome(&game), without.solve(&game));
        for table in [part, table] {
            let mut with = ConnectFourSolver::new(1).with_opening_table(table);
            assert_eq!(with.outcome(&game), outcome);
            assert!(with.nodes() <= without.nodes());
            assert_eq!(with.solve(&game), score);
        }
    }
}

/// Which first moves win, draw and lose has been known since 1988.
#[test]
#[ignore = "takes three minutes"]
fn the_first_moves_are_those_of_theory() {
    let mut solver = ConnectFourSolver::new(256);
    let mut moves = Vec::new();
    solver.outcomes_of_moves(&ConnectFour::new(), &mut moves);
    let winners: Vec<Option<Side>> = moves.into_iter().map(|(_, outcome)| outcome.winner).collect();
    let (first, second) = (Some(Side::First), Some(Side::Second));
    assert_eq!(winners, [second, second, None, first, None, second, second]);
    assert_eq!(solver.solve(&ConnectFour::new()).plies_to_end(), Some(41));
}
