//! Chess: counts of positions against published ones, endings, notation, repetition.

use afterstate_games::conformance::{Settings, check, check_indices};
use afterstate_games::rng::below;
use afterstate_games::{Chess, Game, Notation, Outcome, Record, Side, Turn, perft, stream};
use proptest::prelude::*;

fn position(fen: &str) -> Chess {
    Chess::parse_position(fen).unwrap()
}

/// Positions known for finding mistakes, with the counts that the Chess Programming Wiki gives ("Perft Results").
#[test]
fn perft_of_the_standard_positions() {
    for (fen, counts) in [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            &[20, 400, 8902, 197_281, 4_865_609, 119_060_324][..],
        ),
        (
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            &[48, 2039, 97_862, 4_085_603, 193_690_690],
        ),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", &[14, 191, 2812, 43_238, 674_624, 11_030_083]),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", &[6, 264, 9467, 422_333, 15_833_292]),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", &[44, 1486, 62_379, 2_103_487, 89_941_194]),
        (
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
            &[46, 2079, 89_890, 3_894_594, 164_075_551],
        ),
    ] {
        let start = position(fen);
        for (depth, &count) in (1..).zip(counts) {
            assert_eq!(perft::paths(&start, depth), count, "{fen} at depth {depth}");
        }
    }
}

#[test]
fn chess_conforms() {
    let settings = Settings { games: 12, longest_game: 600, ..Settings::default() };
    for start in [Chess::new(), Chess::chess960(7).unwrap(), position("4k3/P6P/8/8/8/8/p6p/4K3 w - - 0 1")] {
        let report = check(&start, settings).unwrap_or_else(|violation| panic!("{violation}"));
        assert!(report.transpositions > 12, "{report:?}");
        check_indices(&start, settings).unwrap_or_else(|violation| panic!("{violation}"));
    }
}

#[test]
fn games_end_by_the_rules() {
    for (fen, end) in [
        // Back-rank mate, and the same with a way out.
        ("3R2k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", Some(Outcome::win(Side::First))),
        ("3R2k1/5pp1/8/8/8/8/8/6K1 b - - 0 1", None),
        // Stalemate.
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Some(Outcome::DRAW)),
        // The fifty-move rule; but mate comes first.
        ("7k/8/6K1/8/8/8/8/R7 b - - 100 90", Some(Outcome::DRAW)),
        ("7k/8/6K1/8/8/8/8/R7 b - - 99 90", None),
        ("R6k/8/6K1/8/8/8/8/8 b - - 100 90", Some(Outcome::win(Side::First))),
        // Nothing to mate with.
        ("8/8/4k3/8/8/3K4/8/8 w - - 0 1", Some(Outcome::DRAW)),
        ("8/8/4k3/8/8/3KB3/8/8 w - - 0 1", Some(Outcome::DRAW)),
        // Bishops on squares of one colour, and of both.
        ("8/8/3bk3/8/8/3K4/5B2/7B w - - 0 1", None),
        ("5b2/8/4k3/8/8/3K4/5B2/8 w - - 0 1", Some(Outcome::DRAW)),
        ("8/8/3nk3/8/8/3KN3/8/8 w - - 0 1", None),
    ] {
        let game = position(fen);
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        match end {
            Some(outcome) => assert_eq!((game.turn(), moves.len()), (Turn::Over(outcome), 0), "{fen}"),
            None => assert!(matches!(game.turn(), Turn::Player(_)) && !moves.is_empty(), "{fen}"),
        }
    }
}

#[test]
fn the_third_time_is_a_draw() {
    let mut game = Record::new(Chess::new());
    for (i, text) in ["g1f3", "g8f6", "f3g1", "f6g8"].into_iter().cycle().take(8).enumerate() {
        assert!(matches!(game.turn(), Turn::Player(_)), "after {i} moves");
        game.play(game.position().parse_move(text).unwrap());
    }
    assert_eq!(game.turn(), Turn::Over(Outcome::DRAW));
}

/// A right to take en passant that nobody can use does not make a position another one (FIDE Laws, 9.2).
#[test]
fn useless_rights_to_take_en_passant_do_not_count() {
    let key = |fen| position(fen).repetition_key();
    let useless = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
    assert_eq!(key(useless), key("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 3 7"));
    let useful = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3";
    assert_ne!(key(useful), key("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 3"));
    // The pawn is pinned to its king.
    let pinned = "8/8/8/8/k2pP2Q/8/8/3K4 b - e3 0 1";
    assert_eq!(key(pinned), key("8/8/8/8/k2pP2Q/8/8/3K4 b - - 0 1"));
}

#[test]
fn castling_is_written_as_each_kind_of_chess_does() {
    let castled = |fen: &str, text: &str| {
        let mut game = position(fen);
        let mv = game.parse_move(text).unwrap();
        let written = (game.move_text(mv), game.san(mv));
        game.play(mv);
        (written.0, written.1, game.position_text())
    };
    let after = "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1";
    for text in ["e1g1", "O-O", "0-0"] {
        let expected = ("e1g1".to_string(), "O-O".to_string(), after.to_string());
        assert_eq!(castled("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", text), expected);
    }
    let expected = ("f1b1".to_string(), "O-O-O".to_string(), "5k2/8/8/8/8/8/8/2KR4 b - - 1 1".to_string());
    for text in ["f1b1", "O-O-O"] {
        assert_eq!(castled("5k2/8/8/8/8/8/8/1R3K2 w B - 0 1", text), expected);
    }
}

#[test]
fn castling_rights_of_chess960_are_read_in_both_ways() {
    let by_files = position("nrbkr3/8/8/8/8/8/8/NRBKR1r1 w EBeb - 0 1");
    let outermost = position("nrbkr3/8/8/8/8/8/8/NRBKR1r1 w KQkq - 0 1");
    assert!(by_files == outermost && by_files.is_chess960());
    // There is no rook on that side of the king.
    assert!(Chess::parse_position("3kr3/8/8/8/8/8/8/1R1K4 w K - 0 1").is_err());
    assert!(!position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").is_chess960());
}

#[test]
fn counts_that_no_game_allows_are_brought_into_range() {
    for (counts, read) in
        [("0 0", "0 1"), ("150 80", "100 80"), ("99999999999999999999 70000", "100 65535"), ("7 9", "7 9")]
    {
        let text = format!("4k3/8/8/8/8/8/8/4K2R w K - {counts}");
        assert!(position(&text).position_text().ends_with(&format!(" {read}")), "{counts}");
    }
    for counts in ["-1 1", "x 1", "1 1.5"] {
        assert!(Chess::parse_position(&format!("4k3/8/8/8/8/8/8/4K2R w K - {counts}")).is_err(), "{counts}");
    }
}

#[test]
fn bad_positions_and_moves_are_refused_in_words() {
    for (fen, why) in [
        ("", "six fields"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 9", "six fields"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQQBNR w - - 0 1", "board is invalid"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", "side to move"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling rights"),
        ("RNBK1k2 w - - 0 1", "eight ranks"),
        ("8/8/8/8/8/8/8/3Kk3 w - - 0 1", "side by side"),
        // White could take the king.
        ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "board is invalid"),
    ] {
        let error = Chess::parse_position(fen).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    let game = Chess::new();
    for text in ["", "e9e4", "Nf6", "O-O", "e2", "♘f3", "e2e4e5", "Ke2"] {
        assert!(game.parse_move(text).is_err(), "{text}");
    }
    // Well formed, so it is read; but it is not legal.
    assert!(!game.is_legal(game.parse_move("e2e5").unwrap()));
}

/// The position after `length` random moves.
fn random_position(seed: u64, length: u32) -> Chess {
    let (mut rng, mut moves) = (stream(seed, 0), Vec::new());
    let mut game = if seed.is_multiple_of(2) { Chess::new() } else { Chess::chess960(below(&mut rng, 960)).unwrap() };
    for _ in 0..length {
        game.legal_moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        game.play(moves[below(&mut rng, moves.len() as u32) as usize]);
    }
    game
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn moves_are_read_back_from_both_notations(seed: u64, length in 0u32..150) {
        let game = random_position(seed, length);
        let mut moves = Vec::new();
        game.legal_moves(&mut moves);
        for &mv in &moves {
            prop_assert_eq!(game.parse_move(&game.move_text(mv)).unwrap(), mv);
            prop_assert_eq!(game.parse_san(&game.san(mv)).unwrap(), mv, "{}", game.san(mv));
        }
        let read = Chess::parse_position(&game.position_text()).unwrap();
        prop_assert_eq!(read.board(), game.board());
    }

    #[test]
    fn any_text_is_read_without_panic(text in "[a-hKQkqRNBPrnbp0-9/ w\\-.+=x#O♘é]{0,90}", seed: u64) {
        let _ = Chess::parse_position(&text);
        let _ = random_position(seed, 20).parse_move(&text);
    }

    /// Texts that are nearly positions: one of them with a few characters changed.
    #[test]
    fn damaged_positions_are_read_without_panic(seed: u64, length in 0u32..100, cuts in prop::collection::vec((0usize..90, 32u8..127), 1..5)) {
        let mut text = random_position(seed, length).position_text().into_bytes();
        for (at, byte) in cuts {
            if let Some(place) = text.get_mut(at) {
                *place = byte;
            }
        }
        if let Ok(game) = Chess::parse_position(&String::from_utf8(text).unwrap()) {
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            for mv in moves {
                game.clone().play(mv);
            }
        }
    }
}
