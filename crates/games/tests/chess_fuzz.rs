//! Positions, games, suites and books of chess with random damage: no panic, no endless loop, no more than 256 MB.
//!
//! Each test tries 10,000 damaged texts; with `AFTERSTATE_FUZZ_SECONDS` it goes on for so many seconds instead, from the same seed.

mod fuzzing;

use afterstate_games::chess::epd::{Epd, EpdReader};
use afterstate_games::chess::pgn::{PgnGame, PgnReader};
use afterstate_games::chess::polyglot::{Book, BookMove, entry, key};
use afterstate_games::rng::below;
use afterstate_games::{Chess, Game, Notation, stream};
use fuzzing::{fuzz, texts};
use std::io::Cursor;

/// Whoever takes more ends the program.
#[global_allocator]
static ALLOCATOR: cap::Cap<std::alloc::System> = cap::Cap::new(std::alloc::System, 256 << 20);

const POSITIONS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 99 65535",
    "8/2p5/3p4/KP5r/1R2Pp1k/8/6P1/8 b - e3 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1",
];

/// Whatever can be read can be played on, written and read again.
fn explore(game: &Chess, moves: &mut Vec<<Chess as Game>::Move>) {
    game.legal_moves(moves);
    let _ = (game.turn(), game.key(), game.repetition_key(), key(game), game.diagram());
    for &mv in &*moves {
        assert_eq!(game.parse_move(&game.move_text(mv)), Ok(mv), "{}", game.position_text());
        assert_eq!(game.parse_san(&game.san(mv)), Ok(mv), "{}", game.position_text());
        let mut next = game.clone();
        next.play(mv);
        let _ = (next.turn(), next.key());
    }
    let again = Chess::parse_position(&game.position_text()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.board(), game.board());
}

#[test]
fn damaged_positions_do_no_harm() {
    let pieces: [&[u8]; 9] = [b"/", b" ", b"8", b"KQkq", b"HAha", b"99999999999", b"e3", b"-", "é".as_bytes()];
    let mut moves = Vec::new();
    fuzz("FEN", &texts(&POSITIONS), &pieces, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let _ = Chess::new().parse_move(&text);
        let read = Chess::parse_position(&text);
        read.iter().for_each(|game| explore(game, &mut moves));
        read.is_ok()
    });
}

#[test]
fn damaged_games_do_no_harm() {
    let corpus = texts(&[
        "[Event \"A \\\"b\\\"\"]\n[White \"Ada\"]\n[Result \"1-0\"]\n\n1. e4 {a [%eval 0.3,20] [%clk 0:01:00]} e5 (1... c5 $1 2. Nf3 (2. c3)) 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n1. d4 *\n",
        "[FEN \"4k3/1P6/8/8/8/8/8/4K2R w K - 3 40\"]\n[Variant \"chess960\"]\n\n40. b8=Q+ Kf7 41. O-O+ ; end\n 1/2-1/2\n",
        "%escape\n{first} 1.Nf3 Nf6 2.Ng1?? Ng8!? 3. Nf3 Nf6 4. Ng1 Ng8 5. e2e4 e7e5 0-1 1. c4 c5\n",
    ]);
    let pieces: [&[u8]; 16] = [
        b"(",
        b")",
        b"{",
        b"}",
        b"[",
        b"]",
        b"\"",
        b"\\",
        b"$300",
        b";",
        b"\n%",
        b"1-0",
        b"[%eval #-999999999999]",
        b"[FEN \"",
        b"[%clk 9999999999:0:1e300]",
        &[0xEF, 0xBB, 0xBF],
    ];
    fuzz("PGN", &corpus, &pieces, |bytes| {
        let games: Vec<PgnGame> = PgnReader::new(bytes).take(bytes.len() + 1).flatten().collect();
        assert!(games.len() <= bytes.len());
        for game in &games {
            let text = game.to_string();
            let again: Vec<PgnGame> = PgnReader::new(text.as_bytes())
                .map(|again| {
                    again.unwrap_or_else(|error| panic!("{error}\n{text}\nfrom {:?}", String::from_utf8_lossy(bytes)))
                })
                .collect();
            assert_eq!(again.len(), 1, "{text}");
            // Texts of comments may become commands when others are taken out of them, so they are not compared.
            assert!(again[0].moves().eq(game.moves()) && again[0].start.board() == game.start.board(), "{text}");
        }
        !games.is_empty()
    });
}

#[test]
fn damaged_suites_do_no_harm() {
    let corpus = texts(&[
        "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; acd 9; ce -35; id \"WAC.001\"; c0 \"a;b\";\n",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 ;D1 48 ;D2 2039 ;D3 97862\n",
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - pv Rd8#; hmvc 7; fmvn 33; dm 1; x 1 +1 \"\\\"\\\\\" (c; noop\n",
    ]);
    let pieces: [&[u8]; 10] =
        [b";", b"\"", b"\\", b" bm e4;", b"hmvc 101;", b"fmvn 65536;", b"9223372036854775808", b"pv ", b"\n", &[0xE9]];
    fuzz("EPD", &corpus, &pieces, |bytes| {
        let mut any = false;
        for epd in EpdReader::new(bytes).flatten() {
            any = true;
            let text = epd.to_string();
            let again: Epd = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!((again.position.board(), again.to_string()), (epd.position.board(), text));
            let _ = epd.perft().count();
        }
        any
    });
}

#[test]
fn damaged_books_do_no_harm() {
    let (mut positions, mut entries, mut moves) = (vec![Chess::new()], Vec::new(), Vec::new());
    for number in 0..40 {
        let game: Chess = positions[number].clone();
        game.legal_moves(&mut moves);
        for (weight, &mv) in (1u16..).zip(moves.iter().step_by(5)) {
            entries.push(entry(key(&game), BookMove { mv, weight, learn: 0 }));
            let mut next = game.clone();
            next.play(mv);
            positions.push(next);
        }
    }
    entries.sort_unstable();
    let first = entries[0];
    let pieces: [&[u8]; 4] = [&first, &[0; 16], &[0xFF; 16], &[0]];
    let mut rng = stream(4, 0);
    fuzz("Polyglot", &[entries.concat(), first.to_vec()], &pieces, |bytes| {
        let Ok(mut book) = Book::new(Cursor::new(bytes)) else { return false };
        for _ in 0..5 {
            let game = &positions[below(&mut rng, positions.len() as u32) as usize];
            if let Ok(found) = book.moves(game) {
                assert!(found.iter().all(|found| game.is_legal(found.mv)));
            }
            let _ = (book.best(game), book.draw(game, &mut rng));
        }
        true
    });
}
