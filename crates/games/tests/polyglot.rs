//! Polyglot's books: keys against the published ones, lookups against a plain list, damaged files.

use afterstate_games::chess::Move;
use afterstate_games::chess::polyglot::{Book, BookError, BookMove, entry, key};
use afterstate_games::rng::below;
use afterstate_games::{Chess, Game, Notation, stream};
use proptest::prelude::*;
use std::io::Cursor;

fn after(moves: &str) -> Chess {
    let mut game = Chess::new();
    for text in moves.split_whitespace() {
        let mv = game.parse_move(text).unwrap();
        assert!(game.is_legal(mv), "{text}");
        game.play(mv);
    }
    game
}

/// The test positions of the format's description (F. Letouzey, "Polyglot book format").
#[test]
fn keys_are_the_published_ones() {
    for (moves, published) in [
        ("", 0x463b_9618_1691_fc9c),
        ("e2e4", 0x823c_9b50_fd11_4196),
        ("e2e4 d7d5", 0x0756_b944_61c5_0fb0),
        ("e2e4 d7d5 e4e5", 0x662f_afb9_65db_29d4),
        ("e2e4 d7d5 e4e5 f7f5", 0x22a4_8b5a_8e47_ff78),
        ("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a_607c_a3f2_42c1),
        ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fd_d303_c946_bdd9),
        ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c81_23ea_7b06_7637),
        ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f_9b82_9b27_9560),
    ] {
        assert_eq!(key(&after(moves)), published, "{moves}");
    }
}

fn position(fen: &str) -> Chess {
    Chess::parse_position(fen).unwrap()
}

fn book_move(game: &Chess, text: &str, weight: u16) -> BookMove {
    BookMove { mv: game.parse_move(text).unwrap(), weight, learn: 7 }
}

/// A book of these positions and moves, sorted by key.
fn book(entries: &[(&Chess, BookMove)]) -> Vec<u8> {
    let mut entries: Vec<_> = entries.iter().map(|&(game, book)| (key(game), book)).collect();
    entries.sort_by_key(|&(key, _)| key);
    entries.into_iter().flat_map(|(key, book)| entry(key, book)).collect()
}

#[test]
fn entries_are_those_of_the_format() {
    // e7d8q: to d8 (3, 7), from e7 (4, 6), queen 4.
    let game = position("3r4/4P3/k7/8/8/8/8/4K2R w K - 0 1");
    let bytes = entry(0x0123_4567_89ab_cdef, book_move(&game, "e7d8q", 0x1234));
    let packed: u16 = 4 << 12 | (6 * 8 + 4) << 6 | (7 * 8 + 3);
    let expected =
        [&[0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef][..], &packed.to_be_bytes(), &[0x12, 0x34, 0, 0, 0, 7]];
    assert_eq!(bytes[..], expected.concat());
}

#[test]
fn castling_and_promotions_are_read() {
    let game = position("3r4/4P3/k7/8/8/8/8/4K2R w K - 0 1");
    let moves = ["e1g1", "e7e8n", "e7d8r", "e7d8b"].map(|text| book_move(&game, text, 1));
    let mut book = Book::new(Cursor::new(book(&moves.map(|mv| (&game, mv))))).unwrap();
    let read = book.moves(&game).unwrap();
    assert_eq!(read, moves);
    let texts: Vec<_> = read.iter().map(|book| game.move_text(book.mv)).collect();
    assert_eq!(texts, ["e1g1", "e7e8n", "e7d8r", "e7d8b"]);
    // In the file castling is the king taking its rook, in both kinds of chess.
    assert_eq!(read[0].mv, "e1h1".parse().unwrap());
    assert_eq!(book.moves(&game.as_chess960()).unwrap(), moves);
}

#[test]
fn moves_are_chosen_by_their_weights() {
    let start = Chess::new();
    let entries =
        [("e2e4", 60), ("a2a3", 0), ("d2d4", 30), ("c2c4", 10)].map(|(text, weight)| book_move(&start, text, weight));
    let mut book = Book::new(Cursor::new(book(&entries.map(|mv| (&start, mv))))).unwrap();
    assert_eq!(book.best(&start).unwrap(), Some(entries[0].mv));
    let mut rng = stream(5, 0);
    let mut counts = [0; 4];
    for _ in 0..10_000 {
        let drawn = book.draw(&start, &mut rng).unwrap().unwrap();
        counts[entries.iter().position(|book| book.mv == drawn).unwrap()] += 1;
    }
    assert_eq!(counts[1], 0, "a weight of 0 is never");
    // Three standard deviations are at most 147.
    for (count, expected) in counts.into_iter().zip([6000, 0, 3000, 1000]) {
        assert!((expected - 150..=expected + 150).contains(&count), "{counts:?}");
    }
    assert_eq!((book.best(&after("e2e4")).unwrap(), book.draw(&after("e2e4"), &mut rng).unwrap()), (None, None));
}

#[test]
fn moves_of_other_positions_are_left_out() {
    let start = Chess::new();
    let illegal = BookMove { mv: "e2e5".parse::<Move>().unwrap(), weight: 9, learn: 0 };
    let null = BookMove { mv: "a1a1".parse::<Move>().unwrap(), weight: 9, learn: 0 };
    let good = book_move(&start, "g1f3", 1);
    let mut book = Book::new(Cursor::new(book(&[(&start, illegal), (&start, null), (&start, good)]))).unwrap();
    assert_eq!((book.entries(), book.moves(&start).unwrap()), (3, vec![good]));
}

#[test]
fn damaged_books_are_refused() {
    let start = Chess::new();
    let open = |bytes: Vec<u8>| Book::new(Cursor::new(bytes));
    let whole = book(&[(&start, book_move(&start, "e2e4", 1))]);
    for cut in [0, 1, 15] {
        let error = open(whole[..cut].to_vec()).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "opening book: {cut} bytes: expected entries of 16 bytes each, and at least one; the file may be cut off"
            )
        );
    }
    let unsorted: Vec<u8> =
        [0u64, 0, 3, 9, 1].iter().flat_map(|&key| entry(key << 60, book_move(&start, "e2e4", 1))).collect();
    let error = open(unsorted).unwrap().moves(&start).unwrap_err();
    assert!(matches!(error, BookError::Order { .. }), "{error}");
    let crowded = whole.repeat(600);
    let error = open(crowded).unwrap().moves(&start).unwrap_err();
    assert_eq!(error.to_string(), "opening book, entry 512: expected at most 512 entries for one position");
    let missing = Book::open(std::path::Path::new("/no/such/book.bin")).unwrap_err();
    assert!(missing.to_string().starts_with("opening book: "), "{missing}");
}

/// Positions of random games with random moves of theirs.
fn random_entries(seed: u64, count: usize) -> Vec<(Chess, BookMove)> {
    let (mut rng, mut moves, mut entries) = (stream(seed, 0), Vec::new(), Vec::new());
    while entries.len() < count {
        let mut game = Chess::new();
        for _ in 0..below(&mut rng, 30) {
            game.legal_moves(&mut moves);
            let Some(_) = moves.first() else { break };
            let mv = moves[below(&mut rng, moves.len() as u32) as usize];
            for _ in 0..below(&mut rng, 3) {
                let mv = moves[below(&mut rng, moves.len() as u32) as usize];
                entries.push((
                    game.clone(),
                    BookMove { mv, weight: below(&mut rng, 9) as u16, learn: below(&mut rng, 9) },
                ));
            }
            game.play(mv);
        }
    }
    entries
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// The search in the file finds what walking through the list does.
    #[test]
    fn lookups_find_what_a_plain_list_holds(seed: u64, count in 1usize..200) {
        let entries = random_entries(seed, count);
        let bytes = book(&entries.iter().map(|(game, book)| (game, *book)).collect::<Vec<_>>());
        let mut book = Book::new(Cursor::new(bytes)).unwrap();
        for game in entries.iter().map(|(game, _)| game).chain(&random_entries(seed ^ 1, 5).into_iter().map(|(game, _)| game).collect::<Vec<_>>()) {
            let expected: Vec<BookMove> = entries.iter().filter(|(other, _)| key(other) == key(game)).map(|&(_, book)| book).collect();
            prop_assert_eq!(book.moves(game).unwrap(), expected);
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), seed: u64) {
        if let Ok(mut book) = Book::new(Cursor::new(bytes)) {
            for (game, _) in random_entries(seed, 3) {
                let _ = book.moves(&game);
                let _ = book.draw(&game, &mut stream(seed, 1));
            }
        }
    }
}
