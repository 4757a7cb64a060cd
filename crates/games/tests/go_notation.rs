//! Coordinates, one-line positions, diagrams and handicaps.

use afterstate_games::go::handicap::{fixed_handicap, free_handicap, most_fixed, star_points};
use afterstate_games::go::{Color, Diagram, Go, Komi, Move, Point, Scoring};
use afterstate_games::rng::{below, stream};
use afterstate_games::{Game, Notation, Side, Turn};
use proptest::prelude::*;

#[test]
fn moves_are_read_in_either_case_and_refused_with_reasons() {
    let game = Go::new(9);
    assert_eq!(game.parse_move("PaSs"), Ok(Move::PASS));
    assert_eq!(game.parse_move("c3"), Ok(Move::play(Point::at(2, 2, 9))));
    for text in [
        "",
        "A",
        "A0",
        "A01",
        "A10",
        "I5",
        "K1",
        "5A",
        "A-1",
        "A+1",
        "A1 ",
        " A1",
        "Ä1",
        "A１",
        "resign",
        "A1A",
        "A999999999999",
    ] {
        let error = game.parse_move(text).unwrap_err().to_string();
        assert_eq!(error, format!("move '{text}': expected A1 to J9 (there is no column I) or pass"));
    }
    assert_eq!(Go::new(19).parse_move("T19"), Ok(Move::play(Point::at(18, 18, 19))));
    assert!(Go::new(19).parse_move("T20").is_err());
}

#[test]
fn positions_are_refused_with_reasons() {
    for (text, expected) in [
        ("", "5 to 19 rows"),
        ("5/5/5/5", "5 to 19 rows separated by '/', found 4"),
        ("5/5/5/5/4 b", "5 points in row 1 ('4')"),
        ("5/5/5/5/6 b", "5 points in row 1 ('6')"),
        ("5/5/5/5/XXXXXX b", "5 points in row 1"),
        ("5/5/5/5/99999999999999999999999 b", "5 points in row 1"),
        ("5/5/5/05/5 b", "5 points in row 2"),
        ("5/5/5/5/2x2 b", "only 'X', 'O' and numbers in row 1, found 'x'"),
        ("5/5/5/5/5", "'b' or 'w' after the rows"),
        ("5/5/5/5/5 B", "'b' or 'w' after the rows"),
        ("5/5/5/5/5  b", "'b' or 'w' after the rows"),
        ("5/5/5/5/5 b komi", "name=value instead of 'komi'"),
        ("5/5/5/5/5 b komi=0.3", "a komi in steps of 0.5"),
        ("5/5/5/5/5 b komi=nan", "a komi in steps of 0.5"),
        ("5/5/5/5/5 b komi=1 komi=1", "'komi' only once"),
        ("5/5/5/5/5 b scoring=japanese", "scoring=tromp-taylor, scoring=chinese or scoring=aga"),
        ("5/5/5/5/5 b passes=3", "0 to 2 passes"),
        ("5/5/5/5/5 b passes=+1", "0 to 2 passes"),
        ("5/5/5/5/5 b handicap=256", "0 to 255 handicap stones"),
        ("5/5/5/5/5 b left=10001", "0 to 10000 moves left"),
        ("5/5/5/5/5 b colour=red", "komi, scoring, handicap, passes, ko or left"),
        ("5/5/5/5/5 b ko=A1", "a ko point beside a lone stone"),
        ("1X3/O4/5/5/5 b ko=A5", "a ko point beside a lone stone"),
        ("5/5/5/O4/XO3 b", "the chain at A1 has no liberty"),
        ("5/5/5/X4/1X3 b ko=A1", "a ko point beside a lone stone that captured there"),
        ("5/5/O4/XO3/1XO2 w passes=1 ko=A1", "no ko after a pass"),
    ] {
        let error = Go::parse_position(text).map(|_| ()).unwrap_err().to_string();
        assert!(
            error.starts_with("position '") && error.contains(expected),
            "{text}\n told: {error}\n want: {expected}"
        );
    }
}

/// A position from a random game with every setting drawn at random.
fn random_position(seed: u64) -> Go {
    let rng = &mut stream(seed, 5);
    let mut game =
        Go::new(5 + below(rng, 15) as usize).with_komi(Komi::new(f64::from(below(rng, 99)) / 2.0 - 20.0).unwrap());
    if below(rng, 2) == 0 {
        game = game.with_scoring(Scoring::Chinese);
    }
    if below(rng, 3) == 0 {
        game = game.clone().with_handicap(&free_handicap(game.size(), 2 + below(rng, 4) as usize).unwrap()).unwrap();
    }
    if below(rng, 3) == 0 {
        game = game.with_move_limit(below(rng, 400) as u16);
    }
    let (length, mut moves) = (below(rng, 300), Vec::new());
    for _ in 0..length {
        if below(rng, 4) == 0 {
            game.legal_moves(&mut moves)
        } else {
            game.candidate_moves(&mut moves)
        }
        if moves.is_empty() {
            break;
        }
        game.play(moves[below(rng, moves.len() as u32) as usize]);
        // Stopping at kos makes them common.
        if game.board().ko().is_some() && below(rng, 3) == 0 {
            break;
        }
    }
    game
}

#[test]
fn positions_survive_being_written() {
    let (mut kos, mut over) = (0, 0);
    for seed in 0..2000 {
        let game = random_position(seed);
        let text = game.position_text();
        let read = Go::parse_position(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(read.position_text(), text);
        assert_eq!((read.key(), read.repetition_key()), (game.key(), game.repetition_key()));
        assert_eq!((read.size(), read.to_move(), read.komi()), (game.size(), game.to_move(), game.komi()));
        assert_eq!((read.scoring(), read.handicap(), read.passes()), (game.scoring(), game.handicap(), game.passes()));
        assert_eq!((read.turn(), read.score()), (game.turn(), game.score()));
        assert_eq!(read.board().ko(), game.board().ko());
        let sorted = |game: &Go| {
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            moves.sort();
            moves
        };
        assert_eq!(sorted(&read), sorted(&game));
        kos += usize::from(game.board().ko().is_some());
        over += usize::from(matches!(game.turn(), Turn::Over(_)));
    }
    assert!(kos > 50 && over > 20, "{kos} kos and {over} finished games are too few to test them");
}

#[test]
fn a_move_limit_survives_being_written() {
    let game = Go::new(5).with_move_limit(3);
    assert_eq!(game.position_text(), "5/5/5/5/5 b komi=7.5 left=3");
    let mut read = Go::parse_position("5/5/5/5/5 b left=1").unwrap();
    read.play(Move::PASS);
    assert!(matches!(read.turn(), Turn::Over(_)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_refused_or_read(text in "[XO0-9]{0,5}(/[XO0-9]{1,4}){3,6} [bw]( (ko=[A-F][1-6]|passes=[0-9]|komi=[-.0-9]{1,4}|left=[0-9]{1,5}))?") {
        if let Ok(game) = Go::parse_position(&text) {
            let again = Go::parse_position(&game.position_text()).unwrap();
            prop_assert_eq!(again.position_text(), game.position_text());
        }
    }

    #[test]
    fn kos_are_real_or_refused(cells in prop::collection::vec(prop::sample::select(vec!['X', 'O', '1']), 25), x in 0..5usize, y in 0..5usize) {
        let rows: Vec<String> = cells.chunks(5).map(|row| row.iter().collect()).collect();
        let text = format!("{} b ko={}", rows.join("/"), Point::at(x, y, 5).label(5));
        if let Ok(game) = Go::parse_position(&text) {
            prop_assert_eq!(game.board().ko(), Some(Point::at(x, y, 5)));
            prop_assert!(!game.is_legal(Move::play(Point::at(x, y, 5))));
        }
    }

    #[test]
    fn any_move_text_is_refused_or_read(text in "\\PC{0,5}|[A-Ta-t][0-9]{1,3}", size in 5..20usize) {
        if let Ok(mv) = Go::new(size).parse_move(&text) {
            prop_assert!(Go::new(size).move_text(mv).eq_ignore_ascii_case(&text));
        }
    }
}

#[test]
fn setups_are_checked() {
    let point = |x, y| Point::at(x, y, 9);
    assert!(Go::set_up(4, []).is_err() && Go::set_up(20, []).is_err());
    assert!(Go::set_up(9, [(Point::at(18, 18, 19), Color::Black)]).is_err());
    let stones = [(point(0, 0), Color::Black), (point(1, 0), Color::White), (point(0, 1), Color::White)];
    assert!(Go::set_up(9, stones).is_err());
    // The last colour for a point counts.
    let game = Go::set_up(9, stones.into_iter().chain([(point(0, 0), Color::Empty)])).unwrap();
    assert_eq!(game.board().stone_count(Side::First), 0);
}

#[test]
fn fixed_handicaps_stand_where_the_protocol_says() {
    let table = [
        "D4 Q16",
        "D4 Q16 D16",
        "D4 Q16 D16 Q4",
        "D4 Q16 D16 Q4 K10",
        "D4 Q16 D16 Q4 D10 Q10",
        "D4 Q16 D16 Q4 D10 Q10 K10",
        "D4 Q16 D16 Q4 D10 Q10 K4 K16",
        "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10",
    ];
    for (stones, expected) in (2..).zip(table) {
        let labels: Vec<_> = fixed_handicap(19, stones).unwrap().iter().map(|p| p.label(19)).collect();
        assert_eq!(labels.join(" "), expected);
    }
    for size in 5..=19 {
        assert!([0, 1, most_fixed(size) + 1, usize::MAX].iter().all(|&stones| fixed_handicap(size, stones).is_err()));
        assert_eq!(star_points(size).len(), most_fixed(size));
    }
}

#[test]
fn handicaps_are_checked() {
    let black = |label| Point::parse(label, 9).unwrap();
    let told = |stones: &[Point]| Go::new(9).with_handicap(stones).err().expect("a refusal").to_string();
    assert_eq!(told(&[black("A1")]), "1 handicap stones on 9×9: expected 2 to 80");
    assert_eq!(told(&[black("A1"), black("A1")]), "handicap stone A1: expected distinct points of the board");
    let mut begun = Go::new(9);
    begun.play(Move::play(black("E5")));
    assert!(begun.with_handicap(&[black("A1"), black("B1")]).is_err());
    for size in 5..=19 {
        for stones in 2..=size * size / 4 {
            let points = free_handicap(size, stones).unwrap();
            let game = Go::new(size).with_handicap(&points).unwrap();
            assert_eq!(game.board().stone_count(Side::First), stones);
            assert_eq!((game.handicap(), game.turn()), (stones, Turn::Player(Side::Second)));
        }
        assert!(free_handicap(size, size * size / 4 + 1).is_err());
    }
    let chinese = Go::new(9).with_scoring(Scoring::Chinese).with_handicap(&[black("C3"), black("G7")]).unwrap();
    assert_eq!(chinese.score(), 81.0 - 7.5 - 2.0);
}

#[test]
fn diagrams_show_marks_and_numbers() {
    let mut game = Go::new(7);
    let at = |label| Point::parse(label, 7).unwrap();
    for label in ["A7", "D4"] {
        game.play(Move::play(at(label)));
    }
    let diagram = Diagram::new(&game).last_move(Move::play(at("D4"))).captures(1, 2);
    let expected = "   A B C D E F G
 7 X . . . . . . 7
 6 . . . . . . . 6
 5 . . + . + . . 5
 4 . . .(O). . . 4
 3 . . + . + . . 3
 2 . . . . . . . 2
 1 . . . . . . . 1
   A B C D E F G
captured by Black 1, by White 2
Black (X) to move, komi 7.5
";
    assert_eq!(diagram.to_string(), expected);
    let numbers = diagram.unicode().overlay(at("A6"), "-12").overlay(at("C6"), "a\nlong text").to_string();
    let row = |number: &str| numbers.lines().find(|line| line.trim_start().starts_with(number)).unwrap().to_owned();
    assert_eq!(row("7 "), " 7      ●      ·      ·      ·      ·      ·      · 7");
    assert_eq!(row("6 "), " 6    -12      · along       ·      ·      ·      · 6");
    assert_eq!(row("4 "), " 4      ·      ·      ·     (○)     ·      ·      · 4");
    game.play(Move::PASS);
    assert!(Diagram::new(&game).last_move(Move::PASS).to_string().contains("\nBlack (X) passed\nWhite (O) to move"));
    assert!(Go::new(19).diagram().contains("10 . . . + . . . . . + . . . . . + . . . 10"));
}
