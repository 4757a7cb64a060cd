//! EPD: what files really hold, lines that are written and read back, and anything else without panic.

use afterstate_games::chess::epd::{Epd, EpdError, EpdReader, Operand};
use afterstate_games::rng::{Rng, below};
use afterstate_games::{Chess, Game, Notation, stream};
use proptest::prelude::*;

fn epd(line: &str) -> Epd {
    line.parse().unwrap_or_else(|error| panic!("{error}: {line}"))
}

fn refusal(line: &str) -> String {
    line.parse::<Epd>().unwrap_err().to_string()
}

#[test]
fn lines_of_well_known_suites() {
    // Win at Chess, Bratko-Kopec, the Strategic Test Suite (Corbit), Arasan's.
    let wac = epd("2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id \"WAC.001\";");
    assert_eq!((wac.text("id"), wac.moves("bm").count()), (Some("WAC.001"), 1));
    let bk =
        epd("3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - bm d5; id \"BK.02\"; acd 12; acn 5000000000; ce -35;");
    assert_eq!((bk.integer("acn"), bk.integer("ce")), (Some(5_000_000_000), Some(-35)));
    let sts = epd("1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - - bm f5; id \"Undermine.001\"; \
         c0 \"f5=10, Be5+=2, Bf2=3, Bg4=2\";");
    assert_eq!(sts.text("c0"), Some("f5=10, Be5+=2, Bf2=3, Bg4=2"));
    let line = epd("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - pv Rd8#; dm 1; id no marks at all ; noop; x 1 +1 \"a;b\" (c");
    assert_eq!((line.integer("dm"), line.text("id")), (Some(1), Some("no marks at all")));
    assert_eq!(line.operands("noop"), Some(&[][..]));
    let (symbol, text) = (|text: &str| Operand::Symbol(text.into()), Operand::Text("a;b".into()));
    assert_eq!(line.operands("x"), Some(&[Operand::Integer(1), symbol("+1"), text, symbol("(c")][..]));
}

#[test]
fn counts_belong_to_the_position() {
    let line = "4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 17; fmvn 60; acd 3;";
    let counted = epd(line);
    assert_eq!((counted.position.board().halfmove_clock(), counted.position.board().fullmove_number()), (17, 60));
    assert_eq!((counted.operations.len(), counted.to_string()), (1, line.to_string()));
    // The counts of a FEN, which the operations overrule.
    assert_eq!(epd("4k3/8/8/8/8/8/4P3/4K3 w - - 17 60 acd 3;"), counted);
    assert_eq!(epd("4k3/8/8/8/8/8/4P3/4K3 w - - 1 2;fmvn 60;hmvc 17;acd 3"), counted);
    // Who counts on after fifty moves of both sides, or moves from 0, means the last and the first that there is.
    let beyond = epd("4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 101; fmvn 0;");
    assert_eq!((beyond.position.board().halfmove_clock(), beyond.position.board().fullmove_number()), (100, 1));
}

/// Lines follow each other; good and bad moves do not.
#[test]
fn moves_are_moves_of_the_right_position() {
    let mated = epd("7k/8/5K2/8/8/8/8/6Q1 w - - bm Qg7, g1h1; pv Kf7 Kh7 Qg7+;");
    let texts = |opcode| mated.moves(opcode).map(|mv| mv.to_string()).collect::<Vec<_>>().join(" ");
    assert_eq!((texts("bm"), texts("pv")), ("g1g7 g1h1".into(), "f6f7 h8h7 g1g7".into()));
    assert_eq!(mated.to_string(), "7k/8/5K2/8/8/8/8/6Q1 w - - bm Qg7# Qh1+; pv Kf7 Kh7 Qg7#;");
}

#[test]
fn what_is_wrong_is_said() {
    const KINGS: &str = "4k3/8/8/8/8/8/4P3/4K3 w - -";
    for (operations, message) in [
        ("bm Nf3;", "operation 'bm Nf3': expected legal moves such as Nf3 behind bm"),
        ("bm;", "operation 'bm': expected legal moves such as Nf3 behind bm"),
        ("bm \"e4\";", "operation 'bm \"e4\"': expected legal moves"),
        ("pv e4 e5;", "operation 'pv e4 e5': expected legal moves one after the other behind pv"),
        ("acd deep;", "operation 'acd deep': expected one whole number behind acd"),
        ("acd 1 2;", "operation 'acd 1 2': expected one whole number behind acd"),
        ("hmvc x;", "operation 'hmvc x': expected one whole number behind hmvc"),
        ("fmvn -3;", "expected a FEN of a position that can be played"),
        ("id \"a\" \"b\";", "operation 'id \"a\" \"b\"': expected one text in quotation marks behind id"),
        ("id \"a;", "operand '\"a;': expected a second quotation mark"),
        ("id \"a\\\";", "expected a second quotation mark"),
        ("= a;", "operation '= a': expected an opcode such as bm, then its operands and ';'"),
        ("\"bm\" e4;", "expected an opcode such as bm"),
    ] {
        let told = refusal(&format!("{KINGS} {operations}"));
        assert!(told.contains(message), "{operations}\n told: {told}\n want: {message}");
    }
    for fields in ["", "4k3/8/8/8/8/8/4P3/4K3", "4k3/8/8/8/8/8/4P3/4K3 w", "; ; ;", "bm e4;"] {
        assert!(refusal(fields).contains("expected a FEN"), "{fields}: {}", refusal(fields));
    }
}

#[test]
fn errors_name_the_line_and_reading_goes_on() {
    let long = "x".repeat(100_000);
    let text = format!(
        "\u{feff}# suite\r\n\r\n4k3/8/8/8/8/8/4P3/4K3 w - - id \"Andr\u{e9}\";\r\n{long}\n4k3/8 w - -\n8/8 w\n"
    );
    let mut latin: Vec<u8> = text.into_bytes();
    latin.extend(b"4k3/8/8/8/8/8/4P3/4K3 w - - id \"Andr\xe9\";");
    let read: Vec<Result<Epd, EpdError>> = EpdReader::new(&latin[..]).collect();
    let told: Vec<String> =
        read.iter().map(|read| read.as_ref().map_or_else(ToString::to_string, Epd::to_string)).collect();
    assert_eq!(told.len(), 5, "{told:?}");
    assert!(told[0].ends_with("id \"Andr\u{e9}\";") && told[4].ends_with("id \"Andr\u{e9}\";"), "{told:?}");
    assert!(
        told[1].starts_with("EPD, line 4: position 'xxx")
            && told[1].ends_with("expected at most 65536 bytes in a line")
    );
    assert!(told[2].starts_with("EPD, line 5: ") && told[3].starts_with("EPD, line 6: "), "{told:?}");
}

#[test]
fn a_source_that_fails_ends_the_lines() {
    struct Failing;
    impl std::io::Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("no disc"))
        }
    }
    let source = std::io::Read::chain("4k3/8/8/8/8/8/4P3/4K3 w - -\n4k3".as_bytes(), Failing);
    let mut lines = EpdReader::new(std::io::BufReader::new(source));
    assert!(lines.next().unwrap().is_ok());
    assert_eq!(lines.next().unwrap().unwrap_err().to_string(), "EPD, line 2: no disc");
    assert!(lines.next().is_none());
}

/// A position after random moves, with random operations.
fn random_epd(seed: u64, texts: &[String]) -> Epd {
    let rng = &mut stream(seed, 0);
    let mut position = if below(rng, 2) == 0 { Chess::new() } else { Chess::chess960(below(rng, 960)).unwrap() };
    let mut moves = Vec::new();
    let random = |position: &Chess, moves: &mut Vec<_>, rng: &mut Rng| {
        position.legal_moves(moves);
        (!moves.is_empty()).then(|| moves[below(rng, moves.len() as u32) as usize])
    };
    for _ in 0..below(rng, 120) {
        let Some(mv) = random(&position, &mut moves, rng) else { break };
        position.play(mv);
    }
    let mut epd = Epd::new(position.clone());
    for text in texts {
        let opcode = ["id", "c0", "c9", "eco", "zz", "Elo"][below(rng, 6) as usize];
        epd = epd.with(opcode, [Operand::Text(text.clone())]);
    }
    epd = epd.with("x_y", [Operand::Symbol("+7".into()), Operand::Integer(-7), Operand::Text(String::new())]);
    epd = epd.with(
        ["acd", "ce", "dm", "D12"][below(rng, 4) as usize],
        [Operand::Integer(i64::from(below(rng, 9000)) - 4500)],
    );
    if let Some(mv) = random(&position, &mut moves, rng) {
        let other = random(&position, &mut moves, rng).unwrap();
        epd = epd.with("bm", [Operand::Move(mv), Operand::Move(other)]);
        let mut line = vec![Operand::Move(mv)];
        position.play(mv);
        if let Some(reply) = random(&position, &mut moves, rng) {
            line.push(Operand::Move(reply));
        }
        epd = epd.with("pv", line);
    }
    epd
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(seed: u64, texts in prop::collection::vec("(\\PC|[\\\\\";]){0,20}", 0..4)) {
        let written = random_epd(seed, &texts);
        let text = written.to_string();
        let read: Epd = text.parse().map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(read.position.board(), written.position.board(), "{}", text);
        prop_assert_eq!(&read.operations, &written.operations, "{}", text);
        prop_assert_eq!(read.to_string(), text);
    }

    /// Whatever can be read at all is the same once it has been written.
    #[test]
    fn damaged_lines_are_read_without_panic(seed: u64, cuts in prop::collection::vec((0usize..200, any::<u8>()), 1..6)) {
        let mut bytes = random_epd(seed, &["a \"b\" \\".to_string()]).to_string().into_bytes();
        for (at, byte) in cuts {
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
        }
        for epd in EpdReader::new(&bytes[..]).flatten() {
            let text = epd.to_string();
            prop_assert_eq!(text.parse::<Epd>().map(|again| again.to_string()), Ok(text));
        }
    }

    #[test]
    fn any_text_is_read_without_panic(text in "[a-hKQkqRNBPrnbp0-9/ w\\-\"\\\\;.+=bm\n\u{e9}]{0,200}") {
        let _ = EpdReader::new(text.as_bytes()).count();
        let _ = format!("{} {text}", Chess::new().position_text()).parse::<Epd>();
    }
}
