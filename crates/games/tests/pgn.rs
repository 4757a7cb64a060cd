//! PGN: what files really hold, games that are written and read back, and anything else without panic.

use afterstate_games::chess::pgn::{Evaluation, PgnError, PgnGame, PgnLine, PgnMove, PgnReader};
use afterstate_games::rng::{Rng, below};
use afterstate_games::{Chess, Game, Notation, Outcome, Side, stream};
use proptest::prelude::*;
use std::io::{BufReader, Read};
use std::time::Duration;

fn games(text: &str) -> Vec<Result<PgnGame, PgnError>> {
    PgnReader::new(text.as_bytes()).collect()
}

fn game(text: &str) -> PgnGame {
    let mut games = games(text);
    assert_eq!(games.len(), 1);
    games.remove(0).unwrap()
}

/// The moves and variations of a line in UCI's notation, variations in brackets.
fn outline(line: &PgnLine, mut position: Chess) -> String {
    let mut words = Vec::new();
    for played in &line.moves {
        words.push(position.move_text(played.mv));
        words.extend(played.variations.iter().map(|other| format!("({})", outline(other, position.clone()))));
        position.play(played.mv);
    }
    words.join(" ")
}

#[test]
fn a_game_with_everything_in_it() {
    let text = "\u{feff}%for nobody\n[Event \"The \\\"Open\\\" \\\\ 3\"]\r\n[White \"Andr\u{e9}\"]\n[Black\"Bob\"]\n[Result \"1-0\"]\n\n\
        {Before the game} 1.e4! {a [%eval 0.31,20] b} ;to the end\n 1...e5 $2 $14\n\
        (1...c5 {Sicilian} 2.Nf3 (2. c3?! d5) 2...d6) (1... e6) 2. Nf3 {[%clk 0:09:58]} Nc6 3.Bb5 a6\n\
        4.Bxc6 dxc6 5. 0-0 Bg4 6.h3 h5 7.hxg4 hxg4 8.Nxe5?? {} Qh4 9. f4 g3 1-0\n";
    let game = game(text);
    assert_eq!(game.tag("Event"), Some("The \"Open\" \\ 3"));
    assert_eq!((game.tag("White"), game.tag("Black")), (Some("Andr\u{e9}"), Some("Bob")));
    assert_eq!(game.outcome, Some(Outcome::win(Side::First)));
    assert_eq!(game.line.comment, "Before the game");
    let moves = &game.line.moves;
    assert_eq!((&moves[0].nags[..], &moves[0].comment[..]), (&[1][..], "a b to the end"));
    assert_eq!(moves[0].evaluation, Some(Evaluation::Centipawns(31)));
    assert_eq!(moves[1].nags, [2, 14]);
    assert_eq!(moves[2].clock, Some(Duration::from_secs(598)));
    assert_eq!(
        outline(&game.line, game.start.clone()),
        "e2e4 e7e5 (c7c5 g1f3 (c2c3 d7d5) d7d6) (e7e6) g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1 c8g4 h2h3 h7h5 \
         h3g4 h5g4 f3e5 d8h4 f2f4 g4g3"
    );
    assert_eq!(moves[1].variations[0].moves[0].comment, "Sicilian");
    assert_eq!(moves[1].variations[0].moves[1].variations[0].moves[0].nags, [6]);
}

#[test]
fn what_programs_add_to_the_standard_is_no_mistake() {
    // Variations end where a side passes, with all that is inside of them.
    let text = "1. e4 $300 e5 $14 (1... -- 2. d4 (2. Nf3 1-0) 2... d5) (1... c5 2. Nf3 Z0 {a threat} 3. d4) 2. d4 (2. -- *) exd4 1-0";
    let game = game(text);
    assert_eq!(outline(&game.line, game.start.clone()), "e2e4 e7e5 (c7c5 g1f3) d2d4 e5d4");
    assert_eq!((&game.line.moves[0].nags[..], &game.line.moves[1].nags[..]), (&[][..], &[14][..]));
    assert_eq!(game.outcome, Some(Outcome::win(Side::First)));
    for mark in ["exd6 e.p.", "exd6 e.p.!", "exd6 e. p.", "exd6 ep", "exd6e.p.", "exd6ep", "exd6", "exd6 e.p.$1 {so}"] {
        let game = self::game(&format!("1. e4 a6 2. e5 d5 3. {mark} exd6 *"));
        assert_eq!(outline(&game.line, game.start.clone()), "e2e4 a7a6 e4e5 d7d5 e5d6 e7d6", "{mark}");
    }
}

#[test]
fn games_begin_where_fen_says_in_both_kinds_of_chess() {
    let usual = game("[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 3 40\"]\n\n40... Kf7 41. O-O *");
    assert_eq!(outline(&usual.line, usual.start.clone()), "e8f7 e1g1");
    let other = game("[Variant \"Fischerandom\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 3 40\"]\n\n40... Kf7 41. O-O *");
    assert_eq!(outline(&other.line, other.start.clone()), "e8f7 e1h1");
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_the_next_game_is_read() {
    for (wrong, message) in [
        ("1. e4 e5 2. Ke3 Nc6 (2... d6) 1-0", "PGN, line 3, move 2 of White: move 'Ke3': expected a legal move"),
        ("1. e4 (1. d4 *\n", "line 6: found a variation without its end: expected ')'"),
        ("(1. e4) 1-0", "found '(' before any move"),
        ("1. e4 ) e5 1-0", "found ')': expected a move, or the result"),
        ("1. e4 $ 1-0", "found $: expected a glyph"),
        ("1. e4 < 1-0", "found '<': expected a move or a tag"),
        ("1. -- e5 1-0", "move '--': expected a legal move"),
        ("1. e4 e5 e.p. 1-0", "move 'e': expected a legal move"),
        ("1. e4 (1. -- e5 (1... d5", "line 5: found a variation without its end: expected ')'"),
        ("[FEN \"8/8 w - - 0 1\"]\n\n1. e4 e5 1-0", "PGN, line 5: position '8/8 w - - 0 1'"),
        ("[FEN 8/8]\n\n1. e4 e5 1-0", "found [FEN: expected a tag"),
    ] {
        let text = format!("[White \"Ada\"]\n\n{wrong}\n\n[White \"Bob\"]\n[Black \"Cleo\"]\n\n1. d4 1/2-1/2\n");
        let games = games(&text);
        assert_eq!(games.len(), 2, "{wrong}: {games:?}");
        let error = games[0].as_ref().unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        let next = games[1].as_ref().unwrap();
        assert_eq!((next.tag("White"), next.tag("Black"), next.moves().count()), (Some("Bob"), Some("Cleo"), 1));
    }
}

#[test]
fn a_wrong_variation_with_a_result_is_one_error() {
    let text =
        "1. e4 Ke7 (1... c5 *) 2. Nf3 Nc6 1-0\n\n1. e4 e5 (1... Kd7 *) 2. Nf3 1-0\n\n[White \"B\"]\n\n1. d4 1-0\n";
    let games = games(text);
    assert_eq!(games.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, false, true]);
}

#[test]
fn other_variants_are_no_games_of_chess() {
    for variant in ["Antichess", "Atomic", "Three-check", "Crazyhouse", "Horde"] {
        let games = games(&format!("[Variant \"{variant}\"]\n\n1. e4 e5 1-0\n\n[Variant \"Standard\"]\n\n1. d4 1-0\n"));
        let error = games[0].as_ref().unwrap_err().to_string();
        assert_eq!(error, format!("PGN, line 3: variant '{variant}': expected chess or Chess960"));
        assert!(games[1].is_ok() && games.len() == 2);
    }
}

#[test]
fn results_that_only_tags_have_count() {
    for moves in ["1. e4 e5", "1. e4 e5 *"] {
        assert_eq!(game(&format!("[Result \"1-0\"]\n\n{moves}\n")).outcome, Some(Outcome::win(Side::First)));
    }
    assert_eq!(game("[Result \"1-0\"]\n\n1. e4 e5 0-1\n").outcome, Some(Outcome::win(Side::Second)));
    assert_eq!(game("[Result \"?\"]\n\n1. e4 e5 *\n").outcome, None);
}

/// What a comment before any move says of the position, and hundredths of clocks, come back.
#[test]
fn what_programs_say_before_the_first_move_stays() {
    let text = "{[%eval 0.17] [%clk 0:05:00] Start} 1. e4 {[%clk 0:00:01.99]} (1. d4 {[%clk 0:00:02.5]}) *";
    let written = game(text).to_string().replace('\n', " ");
    for part in ["{ [%eval 0.17] [%clk 0:05:00] Start }", "[%clk 0:00:01.99]", "[%clk 0:00:02.5]"] {
        assert!(written.contains(part), "{written}");
    }
}

#[test]
fn moves_are_read_as_other_programs_write_them() {
    for text in [
        "1. e2-e4 +/= e7-e5 2. Ng1-f3 = Nb8-c6 +- 3. Bf1-b5 ½-½",
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 -/+ 1/2-1/2",
        "1. e2e4 e7e5 2. g1f3 b8c6 3. f1b5 \u{bd}-\u{bd}",
    ] {
        let game = game(text);
        assert_eq!(outline(&game.line, game.start.clone()), "e2e4 e7e5 g1f3 b8c6 f1b5", "{text}");
        assert_eq!(game.outcome, Some(Outcome::DRAW), "{text}");
    }
    let promotion = game("[FEN \"7k/P7/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. a8=q+ *");
    assert_eq!(outline(&promotion.line, promotion.start.clone()), "a7a8q");
}

/// Books and databases print who stands better as signs, in UTF-8 or in Latin-1.
#[test]
fn signs_of_books_are_glyphs() {
    let read = game("1. e4\u{a0}e5 ± 2. Nf3 ⩲ Nc6 □ 3. Bb5† ∓ a6 ∞ 4. Ba4 ∆ Nf6 +− *");
    let nags: Vec<_> = read.line.moves.iter().map(|played| played.nags.clone()).collect();
    let none: Vec<u8> = Vec::new();
    assert_eq!(nags[1..], [vec![16], vec![14], vec![7], vec![17], vec![13], vec![140], none]);
    let latin: Vec<_> = PgnReader::new(&b"1. e4\xA0e5 \xB1 *"[..]).collect();
    assert_eq!(latin[0].as_ref().unwrap().line.moves[1].nags, [16]);
    let error = games("1. e4 e5 王 *")[0].as_ref().unwrap_err().to_string();
    assert!(error.ends_with("found '\\u{738b}': expected a move or a tag"), "{error}");
}

/// The king is not written to where its own rook stands, even though castling is kept so.
#[test]
fn castling_is_not_written_as_a_move_of_the_king() {
    use afterstate_games::{Chess, Notation};
    let position = Chess::parse_position("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1").unwrap();
    for text in ["Kh1", "Ka1", "Kxh1", "Kxa1"] {
        assert!(position.parse_san(text).is_err(), "{text}");
    }
    for text in ["O-O", "0-0-0", "Kf1", "Kd2+"] {
        assert!(position.parse_san(text).is_ok(), "{text}");
    }
}

#[test]
fn backslashes_in_tags_are_kept() {
    for (value, meant) in
        [(r"C:\foo", r"C:\foo"), (r"C:\dir\", r"C:\dir\"), (r"C:\\dir\\", r"C:\dir\"), (r#"a \"b\""#, r#"a "b""#)]
    {
        let game = game(&format!("[Event \"{value}\"]\n[White \"Ada\"]\n\n1. e4 *\n"));
        assert_eq!((game.tag("Event"), game.tag("White")), (Some(meant), Some("Ada")), "{value}");
    }
}

#[test]
fn games_without_results_end_where_the_next_begins() {
    let text = "[White \"A\"]\n\n1. e4\n\n[White \"B\"]\n\n[White \"C\"]\n1. d4 d5 *\n1. c4 0-1 1. Nf3";
    let games: Vec<_> = games(text).into_iter().map(Result::unwrap).collect();
    let seen: Vec<_> = games.iter().map(|game| (game.tag("White"), game.moves().count(), game.outcome)).collect();
    // Tags without moves between them belong to one game.
    assert_eq!(
        seen,
        [(Some("A"), 1, None), (Some("B"), 2, None), (None, 1, Some(Outcome::win(Side::Second))), (None, 1, None),]
    );
}

#[test]
fn a_game_of_tags_alone_ends_where_the_next_begins() {
    let text = "[Event \"a\"]\n[Result \"1-0\"]\n\n[Event \"b\"]\n[Annotator \"x\"]\n[Annotator \"y\"]\n\n1. d4 *\n";
    let games: Vec<_> = games(text).into_iter().map(Result::unwrap).collect();
    let seen: Vec<_> = games.iter().map(|game| (game.tag("Event"), game.moves().count(), game.outcome)).collect();
    assert_eq!(seen, [(Some("a"), 0, Some(Outcome::win(Side::First))), (Some("b"), 1, None)]);
}

#[test]
fn comments_outside_of_games_are_no_games() {
    let text = "{made by somebody}\n\n[White \"A\"]\n{about A}\n[Black \"B\"]\n\n{before} 1. e4 {after} *\n\n\
                ; between games\n\n[White \"C\"]\n\n1. d4 1-0\n{remark}\n";
    let read: Vec<PgnGame> = games(text).into_iter().map(Result::unwrap).collect();
    assert_eq!(read.len(), 2);
    assert_eq!(read[0].tags.len(), 2);
    assert_eq!((read[0].line.comment.as_str(), read[0].line.moves[0].comment.as_str()), ("about A before", "after"));
    assert_eq!((read[1].line.comment.as_str(), read[1].line.moves.len()), ("", 1));
    // A game needs no tags, and what stands before its first move is about it.
    assert_eq!(game("{a game} 1. e4 e5 *").line.comment, "a game");
}

#[test]
fn a_source_that_fails_ends_the_games() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("no disc"))
        }
    }
    let mut games = PgnReader::new(BufReader::new(Read::chain("1. e4 e5".as_bytes(), Failing)));
    assert_eq!(games.next().unwrap().unwrap_err().to_string(), "PGN, line 1: no disc");
    assert!(games.next().is_none());
}

/// A game that never ends is given up before it fills the memory, and so are endless brackets and comments.
#[test]
fn endless_games_are_refused() {
    for (part, message) in [
        ("1. Nf3 Nf6 2. Ng1 Ng8 ", "over 250,000 moves in one game"),
        // Two moves, and many that Black could have made instead.
        ("1. Nf3 Nf6 (d5) (d6) (e5) 2. Ng1 Ng8 (d5) (d6)", "over 250,000 moves in one game"),
        ("1. e4 (", "64 levels at most"),
        ("{ comment without end ", "over a million characters"),
        ("[A \"b\"] ", "over 16 MiB in one game"),
    ] {
        let source = part.as_bytes().iter().copied().cycle().take(20 << 20);
        let bytes: Vec<u8> = source.collect();
        let first = PgnReader::new(&bytes[..]).next().unwrap();
        assert!(first.as_ref().is_err_and(|error| error.to_string().contains(message)), "{part}");
    }
}

#[test]
fn commands_are_not_broken_between_lines() {
    let mut game = game("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 *");
    for (number, played) in game.line.moves.iter_mut().enumerate() {
        played.evaluation = Some(Evaluation::Centipawns(1234));
        played.clock = Some(Duration::from_secs(number as u64));
        played.comment = format!("{} [%csl Ga4, Ra5]", "x".repeat(number));
    }
    let text = game.to_string();
    for line in text.lines().filter(|line| line.contains("[%") || line.contains("] ")) {
        assert_eq!(line.matches("[%").count(), line.matches(']').count(), "{text}");
    }
    assert!(text.lines().all(|line| line.len() <= 80) && text.contains("[%csl Ga4, Ra5]"), "{text}");
}

/// A line of random moves with random remarks and variations.
fn random_line(position: &Chess, rng: &mut Rng, depth: u32) -> PgnLine {
    let (mut line, mut position, mut moves) = (PgnLine::default(), position.clone(), Vec::new());
    let remark =
        |rng: &mut Rng| ["", "", "", "so", "a (b) c 1. e4", "50 % [%csl Ga4]"][below(rng, 6) as usize].to_string();
    line.comment = remark(rng);
    for _ in 0..below(rng, if depth == 0 { 60 } else { 6 }) {
        position.legal_moves(&mut moves);
        let Some(_) = moves.first() else { break };
        let mut played = PgnMove::new(moves[below(rng, moves.len() as u32) as usize]);
        if below(rng, 4) == 0 {
            played.nags = (0..below(rng, 3)).map(|_| below(rng, 256) as u8).collect();
            played.comment = remark(rng);
            played.evaluation = match below(rng, 3) {
                0 => Some(Evaluation::Centipawns(below(rng, 3000) as i32 - 1500)),
                1 => Some(Evaluation::Mate(below(rng, 20) as i32 - 10)),
                _ => None,
            };
            played.clock = (below(rng, 2) == 0).then(|| Duration::from_millis(100 * u64::from(below(rng, 100_000))));
        }
        if depth < 3 && below(rng, 10) == 0 {
            played.variations = (0..=below(rng, 2)).map(|_| random_line(&position, rng, depth + 1)).collect();
        }
        position.play(played.mv);
        line.moves.push(played);
    }
    line
}

fn random_game(seed: u64) -> PgnGame {
    let mut rng = stream(seed, 0);
    let start = match below(&mut rng, 3) {
        0 => Chess::chess960(below(&mut rng, 960)).unwrap(),
        1 => Chess::parse_position("r3k2r/1P6/8/3pP3/8/8/6p1/R3K2R b KQkq - 7 33").unwrap(),
        _ => Chess::new(),
    };
    let line = random_line(&start, &mut rng, 0);
    let outcomes = [None, Some(Outcome::DRAW), Some(Outcome::win(Side::First)), Some(Outcome::win(Side::Second))];
    let tags = vec![("White".to_string(), "\"A\" \\ B".to_string()), ("Opening".to_string(), "odd".to_string())];
    PgnGame { tags, start, line, outcome: outcomes[below(&mut rng, 4) as usize] }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(seed: u64) {
        let games = [random_game(seed), random_game(seed ^ 1)];
        let text = games.iter().map(PgnGame::to_string).collect::<String>();
        prop_assert!(text.lines().all(|line| line.chars().count() <= 80 || line.starts_with('[')), "{}", text);
        let read: Vec<PgnGame> = PgnReader::new(text.as_bytes()).map(Result::unwrap).collect();
        prop_assert_eq!(read.len(), 2);
        for (read, game) in read.iter().zip(&games) {
            prop_assert_eq!((&read.start, &read.line, read.outcome), (&game.start, &game.line, game.outcome), "{}", text);
            prop_assert_eq!((read.tag("White"), read.tag("Opening")), (game.tag("White"), game.tag("Opening")));
        }
    }

    #[test]
    fn damaged_games_are_read_without_panic(seed: u64, cuts in prop::collection::vec((0usize..4000, any::<u8>()), 1..20)) {
        let mut bytes = random_game(seed).to_string().into_bytes();
        for (at, byte) in cuts {
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
        }
        prop_assert!(PgnReader::new(&bytes[..]).count() < bytes.len());
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(prop_oneof![
        Just(b'['), Just(b']'), Just(b'"'), Just(b'{'), Just(b'}'), Just(b'('), Just(b')'), Just(b'$'), Just(b'\n'), Just(b'\\'),
        Just(b'e'), Just(b'4'), Just(b'1'), Just(b'-'), Just(b'0'), any::<u8>()], 0..300)) {
        prop_assert!(PgnReader::new(&bytes[..]).count() <= bytes.len());
    }
}
