//! What is added to SGF texts, and that the rest stays as it was.

use afterstate_games::Notation;
use afterstate_games::Record;
use afterstate_games::go::sgf::{Annotation, GameRecordFile, annotate};
use afterstate_games::go::{Go, Move, Point};
use afterstate_games::rng::{below, stream};
use proptest::prelude::*;

fn at(x: usize, y: usize) -> Move {
    Move::play(Point::at(x, y, 9))
}

fn comment(text: &str) -> Annotation {
    Annotation { comment: text.into(), ..Annotation::default() }
}

fn variation(moves: &[Move]) -> Annotation {
    Annotation { variation: moves.to_vec(), variation_comment: "better".into(), ..Annotation::default() }
}

fn annotated(text: &str, annotations: &[Annotation]) -> String {
    String::from_utf8(annotate(text.as_bytes(), annotations).unwrap()).unwrap()
}

#[test]
fn comments_are_added_to_those_that_are_there() {
    let text = "(;SZ[9]C[Hello [a\\] b];B[ee]C[];W[ec]C[one][two] TR[aa];B[gg]C[x]C[y])";
    let added = [comment("start"), comment("first [1]"), comment("a\\b"), comment("last")];
    assert_eq!(
        annotated(text, &added),
        "(;SZ[9]C[Hello [a\\] b\nstart];B[ee]C[first [1\\]];W[ec]C[one][two\na\\\\b] TR[aa];B[gg]C[x]C[y\nlast])"
    );
    let read = GameRecordFile::read(&annotated(text, &added)).unwrap();
    assert_eq!(read.comments, ["Hello [a] b\nstart", "first [1]", "one\ntwo\na\\b", "x\ny\nlast"]);
    assert_eq!(annotated(text, &[]), text);
}

#[test]
fn win_rates_are_replaced_where_there_are_some() {
    let wins = |share| Annotation { black_wins: Some(share), ..Annotation::default() };
    assert_eq!(
        annotated("(;SZ[9];B[ee]SBKV[12.34]C[x] ;W[ec])", &[wins(0.5), wins(0.123_456), wins(1.0)]),
        "(;SZ[9]SBKV[50];B[ee]SBKV[12.35]C[x] ;W[ec]SBKV[100])"
    );
}

#[test]
fn variations_come_after_those_that_are_there() {
    let (one, two) = (variation(&[at(0, 0), at(1, 1)]), variation(&[Move::PASS]));
    let none = Annotation::default();
    // In the middle of a line, twice, with adjoining nodes that are commented on as well.
    let both = Annotation { comment: "!".into(), ..two.clone() };
    assert_eq!(
        annotated("(;SZ[9];B[ee];W[ec];B[gg])", &[none.clone(), one.clone(), both]),
        "(;SZ[9](;B[ee](;W[ec]C[!];B[gg])\n(;W[]C[better]))\n(;B[ai]C[better];W[bh]))"
    );
    // Where variations are already.
    assert_eq!(
        annotated("(;SZ[9];B[ee](;W[ec];B[gg])(;W[aa]))(;SZ[5])", &[none.clone(), one.clone(), two.clone()]),
        "(;SZ[9](;B[ee](;W[ec];B[gg])\n(;W[]C[better])(;W[aa]))\n(;B[ai]C[better];W[bh]))(;SZ[5])"
    );
    // At ends that meet.
    assert_eq!(
        annotated("(;SZ[9];B[ee](;W[ec]))", &[none.clone(), one.clone(), two]),
        "(;SZ[9](;B[ee](;W[ec])\n(;W[]C[better]))\n(;B[ai]C[better];W[bh]))"
    );
    // A first node with a move cannot have any.
    assert_eq!(annotated("(;SZ[9]B[ee])", &[none, one]), "(;SZ[9]B[ee])");
}

#[test]
fn positions_are_counted_as_they_are_read() {
    // A pass in between, a node without a move, a third pass that is dropped.
    let text = "(;SZ[9];B[ee];B[gg];TR[aa];W[];B[];W[])";
    let counted: Vec<Annotation> = (0..9).map(|n| comment(&n.to_string())).collect();
    assert_eq!(annotated(text, &counted), "(;SZ[9]C[0];B[ee]C[1];B[gg]C[3];TR[aa];W[]C[4];B[]C[5];W[])");
}

/// Passes that a game goes on after are no moves, and have nothing said of them.
#[test]
fn a_resumed_game_is_annotated_at_its_moves() {
    let annotations = ["start", "ee", "gc", "cg"].map(comment);
    let text = annotate(b"(;SZ[9];B[ee];W[gc];B[];W[];B[cg];W[cc])", &annotations).unwrap();
    let expected = "(;SZ[9]C[start];B[ee]C[ee];W[gc]C[gc];B[];W[];B[cg]C[cg];W[cc])";
    assert_eq!(String::from_utf8(text).unwrap(), expected);
    let text = annotate(b"(;SZ[9];B[ee];W[];W[gc];B[cg])", &annotations).unwrap();
    assert_eq!(String::from_utf8(text).unwrap(), "(;SZ[9]C[start];B[ee]C[ee];W[];W[gc]C[gc];B[cg]C[cg])");
}

#[test]
fn other_encodings_stay_as_they_are() {
    let latin = annotate(b"(;SZ[9]PB[M\xfcller];B[ee])", &[comment("x"), comment("y")]).unwrap();
    assert_eq!(latin, b"(;SZ[9]PB[M\xfcller]C[x];B[ee]C[y])");
    let japanese = b"(;CA[Shift_JIS]SZ[9]PB[\x97\x5c];B[ee]C[\x83\x5d])";
    let text = annotate(japanese, &[comment("x"), comment("y")]).unwrap();
    assert_eq!(text, b"(;CA[Shift_JIS]SZ[9]PB[\x97\x5c]C[x];B[ee]C[\x83\x5d\ny])");
    let utf8 = annotate("(;PB[李昌鎬])".as_bytes(), &[comment("x")]).unwrap();
    assert_eq!(String::from_utf8(utf8).unwrap(), "(;PB[李昌鎬]C[x])");
    assert!(annotate(b"(;SZ[4])", &[]).is_err() && annotate(b"", &[]).is_err());
}

proptest! {
    /// Whatever is added, the main line, the names and what was said before stay.
    #[test]
    fn the_game_stays_the_same(seed in 0u64..1_000_000) {
        let mut rng = stream(seed, 0);
        let mut record = Record::new(Go::new(9));
        let mut moves = Vec::new();
        for _ in 0..below(&mut rng, 40) {
            record.legal_moves(&mut moves);
            moves.retain(|mv| !mv.is_pass());
            record.play(moves[below(&mut rng, moves.len() as u32) as usize]);
        }
        let mut file = GameRecordFile::new(Go::new(9));
        file.moves = record.moves().to_vec();
        file.comments = (0..=file.moves.len()).map(|n| format!("[{n}]")).collect();
        let annotations: Vec<Annotation> = (0..=file.moves.len()).map(|n| Annotation {
            comment: if below(&mut rng, 2) == 0 { String::new() } else { format!("move {n}") },
            black_wins: (below(&mut rng, 2) == 0).then_some(0.25),
            variation: if below(&mut rng, 3) == 0 { vec![Move::PASS] } else { Vec::new() },
            variation_comment: String::new(),
        }).collect();
        // Twice, so that variations stand beside variations.
        let once = annotate(file.write().as_bytes(), &annotations).unwrap();
        let twice = annotate(&once, &annotations).unwrap();
        for (times, bytes) in [(1, once), (2, twice)] {
            let read = GameRecordFile::read_bytes(&bytes).unwrap();
            prop_assert_eq!(&read.moves, &file.moves);
            prop_assert_eq!(read.start.position_text(), file.start.position_text());
            for (n, annotation) in annotations.iter().enumerate() {
                let said = if annotation.comment.is_empty() { String::new() } else { format!("\n{}", annotation.comment) };
                prop_assert_eq!(&read.comments[n], &format!("[{n}]{}", said.repeat(times)));
            }
            let text = String::from_utf8(bytes).unwrap();
            prop_assert_eq!(text.matches('(').count(), text.matches(')').count());
        }
    }
}
