//! The terms of chess: symmetry, agreement of the ways in which they are summed, and what they say of known positions.

use afterstate_engine::value::chess_terms::Group;
use afterstate_engine::value::{ActiveSet, ChessTerms, Features, FrozenTerms, TermSet, Weights};
use afterstate_games::rng::{below, unit};
use afterstate_games::{Chess, Game, Notation, stream};
use std::collections::{BTreeMap, HashSet};

const SETS: [TermSet; 3] = [TermSet::Meep, TermSet::KnightCap, TermSet::Tapered];

/// Positions of random games, some of them with few men.
fn positions(seed: u64, games: u64) -> Vec<Chess> {
    let mut found = Vec::new();
    let mut moves = Vec::new();
    for number in 0..games {
        let (mut game, mut rng) = (Chess::chess960(number as u32 * 7 % 960).unwrap(), stream(seed, number));
        for _ in 0..250 {
            game.legal_moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
            if below(&mut rng, 5) == 0 {
                found.push(game.clone());
            }
        }
    }
    found
}

/// The same position with the colours exchanged: ranks mirrored, the other side to move.
fn exchanged(game: &Chess) -> Chess {
    let text = game.position_text();
    let fields: Vec<&str> = text.split(' ').collect();
    let swap = |text: &str| -> String {
        text.chars()
            .map(|c| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
            .collect()
    };
    let ranks: Vec<String> = fields[0].split('/').rev().map(swap).collect();
    let to_move = if fields[1] == "w" { "b" } else { "w" };
    let passant = fields[3].replace('6', "x").replace('3', "6").replace('x', "3");
    let text = format!("{} {to_move} {} {passant} {} {}", ranks.join("/"), swap(fields[2]), fields[4], fields[5]);
    Chess::parse_position(&text).unwrap()
}

fn random_weights(count: usize, seed: u64) -> Weights {
    let mut rng = stream(seed, 0);
    Weights::from_values(&(0..count).map(|_| unit(&mut rng) * 0.02 - 0.01).collect::<Vec<_>>())
}

/// How often each term is shown, Black's counting negative.
fn shown(terms: &ChessTerms, game: &Chess) -> BTreeMap<usize, i32> {
    let mut set = ActiveSet::default();
    terms.active(game, &mut set);
    let mut counts = BTreeMap::new();
    for share in set.shares() {
        *counts.entry(share.index()).or_default() += share.sign() as i32;
    }
    counts.retain(|_, count| *count != 0);
    counts
}

#[test]
fn exchanging_the_colours_negates_every_term() {
    for set in SETS {
        let terms = ChessTerms::new(set);
        for game in positions(1, 40) {
            let negated: BTreeMap<usize, i32> =
                shown(&terms, &exchanged(&game)).into_iter().map(|(term, count)| (term, -count)).collect();
            assert_eq!(shown(&terms, &game), negated, "{}", game.position_text());
        }
    }
}

#[test]
fn all_ways_to_sum_agree() {
    for set in SETS {
        let terms = ChessTerms::new(set);
        let weights = random_weights(terms.count(), 5);
        // Whole grains, so that what is frozen is not rounded: a pawn is worth little here, and counts as 0.002.
        let grain = 0.002 / 6400.0;
        let whole: Vec<f32> = weights.values().iter().map(|weight| (weight / grain).round() * grain).collect();
        let weights = Weights::from_values(&whole);
        let mut frozen = FrozenTerms::new(terms, &weights);
        let fresh = frozen.clone();
        // How many hundredths of a pawn one unit of the weights is, from a position that is worth much.
        let unit = {
            let lopsided = Chess::parse_position("4k3/pppppppp/8/8/8/8/QQQQQQQQ/RRB1KBRR w - - 0 1").unwrap();
            frozen.centipawns(&lopsided) as f32 / terms.sum(&lopsided, &weights)
        };
        for game in positions(2, 40) {
            let mut listed = ActiveSet::default();
            terms.active(&game, &mut listed);
            let (sum, other) = (terms.sum(&game, &weights), weights.sum(&listed));
            assert!((sum - other).abs() < 1e-4, "{sum} {other}");
            let (fast, slow) = (frozen.centipawns(&game) as f32, sum * unit);
            // The lopsided position's own sum was rounded, too.
            assert!((fast - slow).abs() < 2.0 + 0.02 * slow.abs(), "{fast} {slow} {}", game.position_text());
            assert_eq!(
                frozen.centipawns(&game),
                fresh.clone().centipawns(&game),
                "remembered structures change nothing"
            );
        }
    }
}

#[test]
fn there_are_about_as_many_terms_as_meep_had_and_each_has_a_name_of_its_own() {
    let meep = ChessTerms::new(TermSet::Meep);
    assert!((1700..2000).contains(&meep.count()), "{}", meep.count());
    let all = ChessTerms::new(TermSet::KnightCap);
    let names: HashSet<String> = (0..all.count()).map(|term| all.describe(term)).collect();
    assert_eq!(names.len(), all.count());
    assert!(!names.contains("none") && all.describe(all.count()) == "none");
    let groups: HashSet<&str> = (0..meep.count()).map(|term| meep.group(term).name()).collect();
    assert_eq!(groups.len(), 5);
    assert_eq!(meep.group(0), Group::Material);
}

#[test]
fn each_term_of_meep_has_a_late_one_in_the_tapered_set() {
    let terms = ChessTerms::new(TermSet::Tapered);
    let names: HashSet<String> = (0..terms.count()).map(|term| terms.describe(term)).collect();
    assert_eq!((names.len(), terms.count() % 2), (terms.count(), 0));
    let (early, late): (Vec<&String>, _) = names.iter().partition(|name| !name.ends_with(LATE));
    assert_eq!(late.len(), early.len());
    for name in early {
        assert!(names.contains(&format!("{name}{LATE}")), "{name}");
    }
    assert!((0..terms.count()).all(|term| terms.describe(term).starts_with(terms.group(term).name())));
}

const LATE: &str = ", once with each quarter of the pieces gone";

#[test]
fn late_terms_count_once_with_each_quarter_of_the_pieces_gone() {
    let terms = ChessTerms::new(TermSet::Tapered);
    for (position, times) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0),
        ("r1bqkbnr/pppppppp/8/8/8/8/PPPPPPPP/R2QK2R w KQkq - 0 1", 1),
        ("1nbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w Kk - 0 1", 1),
        ("r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1", 3),
        ("2bqkb2/pppppppp/8/8/8/8/PPPPPPPP/2BQKB2 w - - 0 1", 2),
        ("4k3/pppppppp/8/8/8/8/PPPPPPPP/R3KB2 w - - 0 1", 4),
        ("4k3/pppp4/8/8/8/8/PPPPPPPP/4K3 w - - 0 1", 4),
    ] {
        let mut set = ActiveSet::default();
        terms.active(&Chess::parse_position(position).unwrap(), &mut set);
        let mut counts: BTreeMap<(String, bool), usize> = BTreeMap::new();
        for share in set.shares() {
            *counts.entry((terms.describe(share.index()), share.sign() < 0.0)).or_default() += 1;
        }
        let early = counts.iter().filter(|((name, _), _)| !name.ends_with(LATE));
        for ((name, minus), count) in early {
            let late = counts.get(&(format!("{name}{LATE}"), *minus)).copied().unwrap_or(0);
            assert_eq!(late, count * times, "{position}: {name}");
        }
        assert_eq!(counts.keys().any(|(name, _)| name.ends_with(LATE)), times > 0);
    }
}

/// What White shows of a position, in words; Black's with a minus in front.
fn told(position: &str) -> HashSet<String> {
    let (terms, game) = (ChessTerms::new(TermSet::KnightCap), Chess::parse_position(position).unwrap());
    let mut set = ActiveSet::default();
    terms.active(&game, &mut set);
    let sign = |minus| if minus { "-" } else { "" };
    set.shares().iter().map(|share| format!("{}{}", sign(share.sign() < 0.0), terms.describe(share.index()))).collect()
}

fn check(position: &str, expected: &[&str], unexpected: &[&str]) {
    let told = told(position);
    let mut all: Vec<&String> = told.iter().collect();
    all.sort();
    for term in expected {
        assert!(told.contains(*term), "{position}: no '{term}' in {all:#?}");
    }
    for term in unexpected {
        assert!(!told.contains(*term), "{position}: '{term}'");
    }
}

#[test]
fn pawns_are_seen_as_what_they_are() {
    check(
        "4k3/p4p2/8/1P1p4/P2P4/7P/6P1/4K3 w - - 0 1",
        &[
            "pawn structure: protected by another (b5)",
            "pawn structure: stopped by a pawn (file d)",
            "-pawn structure: stopped by a pawn (file d)",
            "pawn structure: isolated (d4)",
            "pawn structure: islands (3)",
            "-pawn structure: islands (3)",
            "pawn structure: passed (h3)",
            "pawn structure: candidate (rank 5)",
            "-pawn structure: isolated (a2)",
        ],
        &["pawn structure: passed (b5)", "pawn structure: isolated (a4)", "pawn structure: passed (g2)"],
    );
    // A backward pawn on an open file, doubled pawns, and a lever.
    check(
        "4k3/8/3p4/2p1p3/4P3/2P5/2P5/4K3 b - - 0 1",
        &["pawn structure: doubled (file c)", "-pawn structure: backward (d3)", "pawn structure: isolated (c3)"],
        &[],
    );
    check(
        "4k3/8/2p1p3/3p4/8/1P2P3/2P5/4K3 w - - 0 1",
        &["pawn structure: candidate (rank 3)", "-pawn structure: protected by another (d4)"],
        &[],
    );
    // The king is too far away from a pawn that needs three moves to f8; with Black to move it is not.
    check(
        "8/8/8/5P2/8/1k6/8/6K1 w - - 0 1",
        &["pawn structure: passed, and the opposing king alone is too far away (rank 5)"],
        &[],
    );
    check(
        "8/8/8/5P2/2k5/8/8/6K1 b - - 0 1",
        &[],
        &["pawn structure: passed, and the opposing king alone is too far away (rank 5)"],
    );
}

#[test]
fn pieces_are_seen_as_what_they_do() {
    check(
        "4k3/6pp/3p4/3Np3/4P3/8/5PPP/R3K2R w KQ - 0 1",
        &[
            "mobility: rook on an open file (file a)",
            "mobility: knight protected by a pawn that no pawn can attack (d5)",
            "king safety: may castle short",
            "king safety: may castle long",
            "material: rook, by own pawns (4)",
        ],
        &["mobility: rook on an open file (file h)"],
    );
    // c6 may still attack the knight.
    check(
        "4k3/2p3pp/8/3Np3/4P3/8/5PPP/4K3 w - - 0 1",
        &[],
        &["mobility: knight protected by a pawn that no pawn can attack (d5)"],
    );
    check(
        "4k3/8/8/8/8/4n3/4Q3/4K3 b - - 0 1",
        &[
            "mobility: attacks, attacker and target (queen, knight)",
            "-mobility: pinned to the king (knight)",
            "-mobility: attacked and not protected (knight)",
        ],
        &[],
    );
    check(
        "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1",
        &["-king safety: king shut in on the first rank while rooks or queens are left"],
        &["king safety: king shut in on the first rank while rooks or queens are left"],
    );
    check(
        "6k1/5ppp/8/8/8/8/5PPP/5RK1 w - - 0 1",
        &["king safety: own pawn before the king: king's file, file beside or of it, ranks between (edge 1, 1, 1)"],
        &[],
    );
    check(
        "7k/8/8/8/8/8/8/RK6 w - - 0 1",
        &["mobility: rook on an open file (file a)"],
        &["mobility: rook shut in by its king"],
    );
    check("7k/8/8/8/8/8/P7/RK6 w - - 0 1", &["mobility: rook shut in by its king"], &[]);
    check(
        "7k/8/8/8/8/8/8/KR6 w - - 0 1",
        &["-knightcap: king on a square when only the other side has pieces (h1)"],
        &[],
    );
}
