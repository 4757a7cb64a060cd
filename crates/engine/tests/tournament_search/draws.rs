//! Draws that only the rules make: stalemate, repetition and fifty moves.

use crate::{decide, depth, engine, position, small};
use afterstate_games::{Chess, Notation, Record};

fn score_in_pawns(record: &Record<Chess>, plies: u32) -> f32 {
    let (_, score) = decide(&mut engine(small()), record, &depth(plies));
    score.unwrap().first_player() / 100.0
}

#[test]
fn a_stalemate_saves_half_a_point() {
    // Black is a pawn ahead and cannot keep it without stalemate.
    assert_eq!(score_in_pawns(&Record::new(position("8/8/8/8/8/2k5/p7/K7 b - - 0 1")), 6), 0.0);
}

#[test]
fn perpetual_check_is_a_draw() {
    // White is a rook behind and about to be mated, but gives check on e8 and h5 for ever.
    let record = Record::new(position("6k1/6p1/8/7Q/8/8/2qr2PP/6K1 w - - 0 1"));
    let (decision, score) = decide(&mut engine(small()), &record, &depth(10));
    assert_eq!(score.unwrap().first_player(), 0.0);
    assert_eq!(decision.best.unwrap().to_string(), "h5e8");
}

#[test]
fn the_history_of_the_game_counts() {
    // White is a queen ahead; the knights go to and fro.
    let mut record = Record::new(position("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"));
    for text in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"] {
        record.play(record.position().parse_move(text).unwrap());
    }
    let (decision, score) = decide(&mut engine(small()), &record, &depth(6));
    assert_eq!(decision.best.unwrap().to_string(), "f6g8", "the first position comes the third time");
    assert_eq!(score.unwrap().first_player(), 0.0);
    // Without the history Black is simply behind.
    assert!(score_in_pawns(&Record::new(record.position().clone()), 6) > 5.0);
}

#[test]
fn the_fifty_move_rule_counts() {
    // No mate within two plies, and nothing to take or push.
    assert_eq!(score_in_pawns(&Record::new(position("8/8/8/4k3/8/8/8/R3K3 w - - 98 80")), 6), 0.0);
    // A pawn begins a new count.
    assert!(score_in_pawns(&Record::new(position("8/8/8/4k3/8/8/7P/R3K3 w - - 98 80")), 6) > 3.0);
    // Mate counts though the hundredth ply gives it.
    let (decision, score) =
        decide(&mut engine(small()), &Record::new(position("6k1/5ppp/8/8/8/8/8/R5K1 w - - 99 80")), &depth(4));
    assert_eq!((decision.best.unwrap().to_string().as_str(), score.unwrap().plies_to_end()), ("a1a8", Some(1)));
}

#[test]
fn a_game_that_is_drawn_already_still_gets_a_move() {
    for text in ["8/8/8/4k3/8/8/8/R3K3 w - - 100 80", "8/8/4k3/8/8/8/8/4K3 b - - 0 1"] {
        let (decision, score) = decide(&mut engine(small()), &Record::new(position(text)), &depth(4));
        assert!(decision.best.is_some(), "{text}");
        assert_eq!(score.unwrap().first_player(), 0.0);
    }
}

#[test]
fn without_a_move_it_resigns() {
    for text in ["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"] {
        let (decision, score) = decide(&mut engine(small()), &Record::new(position(text)), &depth(4));
        assert_eq!((decision.best, score), (None, None), "{text}");
    }
}
