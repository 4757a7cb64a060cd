//! SGF in and out: what is read, what is refused and in which words, and that no input does harm.

use afterstate_games::go::sgf::{GameRecordFile, LONGEST_MAIN_LINE, LONGEST_TEXT, counted_result};
use afterstate_games::go::{Color, Go, Komi, Move, Point, Scoring};
use afterstate_games::rng::{Rng, below, stream};
use afterstate_games::{Game, Notation, Record, Side};
use proptest::prelude::*;
use std::time::{Duration, Instant};

fn read(text: &str) -> GameRecordFile {
    GameRecordFile::read(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn refusal(text: &str) -> String {
    match GameRecordFile::read(text) {
        Ok(_) => panic!("read without an error: {text}"),
        Err(error) => error.to_string(),
    }
}

fn labels(file: &GameRecordFile) -> Vec<String> {
    file.moves.iter().map(|&mv| file.start.move_text(mv)).collect()
}

#[test]
fn reads_header_moves_and_comments() {
    let file = read(
        "(;FF[4]GM[1]SZ[9]KM[6.5]RU[Chinese]PB[Ada\\] L.]PW[Bob\nB.]RE[W+Resign]DT[2026-11-21]EV[Cup]C[Hello]\n\
         ;B[ee]C[one: \\\\ and \\\ntwo\\:]LB[aa:x]TR[cc];W[];B[tt]BL[12.5];C[later])",
    );
    assert_eq!((file.start.size(), file.start.komi().points(), file.start.scoring()), (9, 6.5, Scoring::Chinese));
    assert_eq!((&*file.black, &*file.white, &*file.result), ("Ada] L.", "Bob B.", "W+Resign"));
    assert_eq!((&*file.date, &*file.event, &*file.rules), ("2026-11-21", "Cup", "Chinese"));
    assert_eq!(labels(&file), ["E5", "pass", "pass"]);
    assert_eq!(file.comments, ["Hello", "one: \\ and two:", "", "later"]);
}

#[test]
fn follows_the_first_variation() {
    let file = read("(;SZ[9];B[aa](;W[bb];B[cc](;W[dd])(;W[ee]))(;W[ff])(;W[aa];B[aa]))(;SZ[5];B[aa])");
    assert_eq!(labels(&file), ["A9", "B8", "C7", "D6"]);
}

#[test]
fn reads_setup_stones_and_who_is_to_move() {
    let file = read("(;SZ[9]AB[aa:ba][ci]AW[dd];AE[ba]AW[ee]PL[W];W[cc])");
    let board = file.start.board();
    let stones: Vec<_> = Point::all(9).filter(|&p| !board.is_empty(p)).map(|p| (p.label(9), board.color(p))).collect();
    let expected = [("C1", Color::Black), ("E5", Color::White), ("D6", Color::White), ("A9", Color::Black)];
    assert_eq!(stones, expected.map(|(label, color)| (label.to_owned(), color)));
    assert_eq!((file.start.to_move(), labels(&file)), (Side::Second, vec!["C7".to_owned()]));
    // Without PL the first move decides, and a handicap where there is none.
    assert_eq!(read("(;SZ[9]AB[aa];W[cc])").start.to_move(), Side::Second);
    assert_eq!(read("(;SZ[9]HA[2]AB[cc][gg])").start.to_move(), Side::Second);
    assert_eq!(read("(;SZ[9]AB[cc][gg])").start.to_move(), Side::First);
}

#[test]
fn tolerates_what_programs_write() {
    assert_eq!(read("\u{feff} (;)").start.size(), 19);
    assert_eq!(read("(;GaMe[1]SiZe[9]White[aa])").moves, [Move::play(Point::at(0, 8, 9))]);
    assert_eq!(read("(;SZ[9:9]KM[]HA[0]RU[]PL[])").start.komi(), Komi::DEFAULT);
    assert_eq!(read("(;SZ[9] KM [5.5] ; B\n[aa] )").start.komi().points(), 5.5);
    // Decimal commas, colours in other spellings, a letter's head before the game.
    assert_eq!(read("(;SZ[9]KM[6,5])").start.komi().points(), 6.5);
    for (text, side) in [("b", Side::First), ("Black", Side::First), ("White", Side::Second), ("w", Side::Second)] {
        assert_eq!(read(&format!("(;SZ[9]PL[{text}])")).start.to_move(), side);
    }
    assert_eq!(labels(&read("From: somebody (of a club)\n\nHere it is:\n( ;SZ[9];B[aa])")), ["A9"]);
    // A position that comes again after two passes, where the game goes on.
    let again = read("(;SZ[5]AB[ba][ab][cb][bc]AW[ca][db][cc];W[bb];B[];W[];B[cb];W[ee])");
    assert_eq!(labels(&again), ["B4", "C4", "E1"]);
    // What is said of the whole game may stand behind moves, unless it was said before.
    let late = read("(;SZ[9];B[aa];W[bb]KM[0]RU[Chinese]PL[B])");
    assert_eq!((late.start.komi().points(), &*late.rules), (0.0, "Chinese"));
    assert_eq!(read("(;SZ[9]KM[5.5];B[aa];W[bb]KM[0])").start.komi().points(), 5.5);
    // A side that moves twice in a row: the other one passed.
    assert_eq!(labels(&read("(;SZ[9];B[aa];B[bb];W[cc])")), ["A9", "pass", "B8", "C7"]);
    // Servers write three passes.
    assert_eq!(labels(&read("(;SZ[9];B[aa];W[];B[];W[]C[bye])")), ["A9", "pass", "pass"]);
    assert_eq!(read("(;SZ[9];B[aa];W[];B[];W[]C[bye])").comments[3], "bye");
}

#[test]
fn reads_what_servers_mean() {
    // Handicap stones that Black places freely are moves for some.
    let free = read("(;SZ[9]HA[3]KM[0.5];B[cc]C[one];B[gg];B[cg];W[ee];B[ff]C[move])");
    assert_eq!((free.start.handicap(), free.start.board().stone_count(Side::First)), (3, 3));
    assert_eq!((labels(&free), free.handicap_moves), (vec!["E5".into(), "F4".to_string()], 3));
    assert_eq!(free.comments, ["one", "", "move"]);
    assert!(refusal("(;SZ[9]HA[2];B[cc];B[gg];W[cc])").contains("move 3, White C7"));
    assert!(refusal("(;SZ[9]HA[2];B[cc];B[cc];W[gg])").contains("the point is taken"));
    assert_eq!(labels(&read("(;SZ[9]HA[2]PL[B];B[cc];B[gg];W[ee])")), ["E5"]);
    for text in ["(;SZ[9]HA[2]AB[cc][gg];B[ee];B[dd];W[ff])", "(;SZ[9]HA[2];B[cc];W[gg];B[ee])", "(;SZ[9]HA[2];B[cc])"]
    {
        assert_eq!(read(text).handicap_moves, 0, "{text}");
    }

    // A pass before a move of the same side, and play that goes on after two.
    assert_eq!(labels(&read("(;SZ[9];B[dd];W[]C[a];W[ee]C[b])")), ["D6", "E5"]);
    assert_eq!(read("(;SZ[9];B[dd];W[]C[a];W[ee]C[b])").comments, ["", "a", "b"]);
    assert_eq!(labels(&read("(;SZ[9];B[dd];W[];B[];W[ee];B[ff])")), ["D6", "E5", "F4"]);
    let again = read("(;SZ[9];B[dd];W[];B[];B[ee];W[ff])");
    assert_eq!((labels(&again).join(" "), again.added_passes), ("D6 pass E5 F4".to_string(), vec![1]));
    assert_eq!(read("(;SZ[9];B[aa];B[bb];W[cc];W[])").added_passes, [1]);

    let komi = |text: &str| read(&format!("(;KM[{text}])")).start.komi().points();
    assert_eq!(["375", "650", "3.75", "2.75", "7.5", "0", "-3.5"].map(komi), [7.5, 6.5, 7.5, 5.5, 7.5, 0.0, -3.5]);
    // On so large a board that may be meant.
    assert_eq!(["250", "361"].map(komi), [250.0, 361.0]);
    // Fox writes these all the same. Only so few stones can be meant by a quarter.
    assert_eq!(["275", "325", "350"].map(komi), [5.5, 6.5, 7.0]);
    assert!(GameRecordFile::read("(;KM[6.75])").is_err());

    let score = |rules: &str| read(&format!("(;SZ[9]RU[{rules}]HA[4]KM[0.5]AB[cc][gg][cg][gc])")).start.score();
    assert_eq!(["AGA", "Chinese", "Japanese"].map(score), [81.0 - 3.5, 81.0 - 4.5, 81.0 - 0.5]);
    assert!(read("(;SZ[9]RU[AGA Rules])").write().contains("RU[AGA Rules]"));
}

#[test]
fn says_what_is_wrong() {
    for (text, expected) in [
        ("", "SGF, line 1: found the end of the text: expected '(' at the start of a game"),
        ("hello", "SGF, line 1: found 'h': expected '(' at the start of a game"),
        ("(", "SGF, line 1: found the end of the text: expected ';' after '('"),
        ("(;\n\nB[aa]", "SGF, line 3: found the end of the text: expected a property, ';', '(' or ')'"),
        ("(;B)", "SGF, line 1: found ')': expected '[' after a property's name"),
        ("(;C[\nnever)", "SGF, line 1: found a value that never ends: expected ']' after a value"),
        ("(;(;B[aa]);W[bb])", "SGF, line 1: found ';': expected '(' or ')' after ')'"),
        ("(;SZ[4])", "SGF, line 1, SZ[4]: expected one number from 5 to 19, for a square board"),
        ("(;SZ[9:13])", "SGF, line 1, SZ[9:13]: expected one number from 5 to 19, for a square board"),
        ("(;SZ[99999999999])", "SGF, line 1, SZ[99999999999]: expected one number from 5 to 19, for a square board"),
        ("(;\n;KM[3.3])", "SGF, line 2, KM[3.3]: expected a multiple of 0.5 between -1000 and 1000"),
        ("(;KM[nan])", "SGF, line 1, KM[nan]: expected a multiple of 0.5 between -1000 and 1000"),
        ("(;KM[six])", "SGF, line 1, KM[six]: expected one number, such as 7.5"),
        ("(;HA[-3])", "SGF, line 1, HA[-3]: expected one number from 0 to 255"),
        ("(;HA[300])", "SGF, line 1, HA[300]: expected one number from 0 to 255"),
        ("(;GM[2])", "SGF, line 1, GM[2]: expected 1, the number of Go"),
        ("(;GM[6])", "SGF, line 1, GM[6]: expected 1, the number of Go; games of backgammon are read from .mat files"),
        ("(;PL[x])", "SGF, line 1, PL[x]: expected B or W"),
        ("(;AB[a])", "SGF, line 1, AB[a]: expected points such as 'cd', or rectangles such as 'aa:cc'"),
        ("(;SZ[9]AB[jj])", "SGF, line 1, AB[jj]: expected points of a board of size 9"),
        ("(;SZ[9]AB[aa]AW[ba][ab])", "SGF, setup stones (AB, AW, AE): the chain at A9 has no liberty"),
        ("(;SZ[9];B[aa];W[jj])", "SGF, line 1, W[jj]: expected a point of the 9×9 board such as 'cd'"),
        ("(;SZ[9];B[a\u{7}])", "SGF, line 1, B[a ]: expected a point of the 9×9 board"),
        ("(;SZ[9];B[aa];W[aa])", "move 2, White A9: expected a legal move, but the point is taken"),
        ("(;SZ[9]AW[ba][ab];B[aa])", "move 1, Black A9: expected a legal move, but it would be suicide"),
        ("(;SZ[9];B[aa]W[bb])", "SGF, line 1, W[bb]: expected one move in a node; put ';' before the second"),
        ("(;SZ[9];B[aa];AB[bb])", "SGF, line 1, AB[bb]: expected this property only before the first move"),
        ("(;SZ[9];B[aa];KM[six])", "SGF, line 1, KM[six]: expected one number, such as 7.5"),
        ("(;PB[a]PB[b])", "SGF, line 1, PB[a][b]: expected a single value"),
        (
            "(;SZ[5]AB[ba][ab][cb][bc]AW[ca][db][cc];W[bb];B[cb])",
            "move 2, Black C4: expected a legal move, but ko forbids",
        ),
    ] {
        let told = refusal(text);
        assert!(told.contains(expected), "{text:?}\n told: {told}\n want: {expected}");
    }
}

#[test]
fn the_number_of_setup_rectangles_is_bounded() {
    let text = |count| format!("(;SZ[19]AE{})", "[aa:bb]".repeat(count));
    read(&text(400));
    assert!(refusal(&text(401)).contains("expected at most 400 rectangles"));
}

#[test]
fn nesting_length_and_size_are_bounded() {
    assert!(refusal(&"(;".repeat(LONGEST_TEXT / 2)).contains("expected at most 20000 nodes"));
    assert!(refusal(&"(".repeat(LONGEST_TEXT)).contains("expected ';' after '('"));
    // Deep nesting off the main line costs nothing.
    let deep = format!("(;SZ[9](;B[aa]){}{})", "(;".repeat(1_000_000), ")".repeat(1_000_000));
    assert_eq!(read(&deep).moves.len(), 1);
    let long = format!("(;{})", ";".repeat(LONGEST_MAIN_LINE));
    assert!(refusal(&long).contains("expected at most 20000 nodes"));
    assert!(refusal(&format!("(;C{})", "[]".repeat(LONGEST_MAIN_LINE + 1))).contains("expected at most 20000 nodes"));
    assert!(refusal(&format!("(;C[{}])", "x".repeat(LONGEST_TEXT))).contains("expected at most 8388608"));
    assert_eq!(read(&format!("(;C[{}])", "x".repeat(LONGEST_TEXT - 6))).comments[0].len(), LONGEST_TEXT - 6);
}

#[test]
fn other_encodings_are_read() {
    let utf8 = GameRecordFile::read_bytes("(;PB[李昌鎬])".as_bytes()).unwrap();
    assert_eq!(utf8.black, "李昌鎬");
    let latin = GameRecordFile::read_bytes(b"(;PB[M\xfcller])").unwrap();
    assert_eq!(latin.black, "Müller");
    // Second bytes of these may be a backslash or a bracket.
    let japanese =
        b"(;CA[Shift_JIS]SZ[9]PB[\x97\x5c]PW[\x83\x5d];B[ee];W[ec]C[\x94\x92\x82\xcc\x97\x5c];B[gc]C[ok];W[ge])";
    let file = GameRecordFile::read_bytes(japanese).unwrap();
    assert_eq!((&*file.black, &*file.white, file.moves.len()), ("予", "ゾ", 4));
    assert_eq!(file.comments[2..4], ["白の予", "ok"]);
    let big5 = GameRecordFile::read_bytes(b"(;CA[Big5]PB[\xb3\x5c]PW[x])").unwrap();
    assert_eq!((&*big5.black, &*big5.white), ("許", "x"));
    assert_eq!(GameRecordFile::read_bytes(b"(;CA[gb2312]PB[\xbf\xc2\xbd\xe0])").unwrap().black, "柯洁");
    // A file that is not what it says, or says nothing known, is taken byte by byte.
    for name in ["UTF-8", "Shift_JIS", "nonsense"] {
        let text = [format!("(;CA[{name}]PB[").as_bytes(), b"\xff\xfe])"].concat();
        assert_eq!(GameRecordFile::read_bytes(&text).unwrap().black, "ÿþ", "{name}");
    }
}

#[test]
fn counts_results() {
    assert_eq!(counted_result(&Go::new(9).with_komi(Komi::new(-3.5).unwrap())), "B+3.5");
    assert_eq!(counted_result(&Go::new(9).with_komi(Komi::new(7.0).unwrap())), "W+7");
    assert_eq!(counted_result(&Go::new(9).with_komi(Komi::new(0.0).unwrap())), "0");
}

/// A random game that the record allows, with random setup.
fn random_file(seed: u64, comments: &[String]) -> GameRecordFile {
    let rng = &mut stream(seed, 0);
    let size = 5 + below(rng, 15) as usize;
    let mut start = Go::new(size).with_komi(Komi::new(f64::from(below(rng, 41)) / 2.0 - 10.0).unwrap());
    if below(rng, 2) == 0 {
        start = start.with_scoring(Scoring::Chinese);
    }
    if below(rng, 3) == 0 {
        let stones = afterstate_games::go::handicap::free_handicap(size, 2 + below(rng, 4) as usize).unwrap();
        start = start.with_handicap(&stones).unwrap();
    }
    let mut file = GameRecordFile::new(start.clone());
    let mut record = Record::new(start);
    let mut moves = Vec::new();
    for _ in 0..below(rng, 150) {
        record.legal_moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        record.play(moves[below(rng, moves.len() as u32) as usize]);
    }
    file.moves = record.moves().to_vec();
    file.comments = (0..=file.moves.len())
        .map(|_| match comments.len() {
            0 => String::new(),
            n => comments[below(rng, n as u32) as usize].clone(),
        })
        .collect();
    file
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(
        seed: u64,
        names in prop::collection::vec("[^\r\n\u{0}-\u{1f}]{0,20}", 5),
        comments in prop::collection::vec("([^\r]|[]\\\\:\n]){0,30}", 0..4),
    ) {
        let mut file = random_file(seed, &comments);
        let names: Vec<String> = names.iter().map(|name| name.trim().to_owned()).collect();
        [file.black, file.white, file.result, file.date, file.event] = names.try_into().unwrap();
        let text = file.write();
        let again = GameRecordFile::read(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(again.start.position_text(), file.start.position_text());
        prop_assert_eq!(&again.moves, &file.moves);
        prop_assert_eq!(&again.comments, &file.comments);
        prop_assert_eq!(
            [&again.black, &again.white, &again.result, &again.date, &again.event, &again.rules],
            [&file.black, &file.white, &file.result, &file.date, &file.event, &file.rules]
        );
        prop_assert_eq!(again.write(), text);
    }

    #[test]
    fn garbage_is_refused_or_read(text in "[(;)\\[\\]\\\\BWACSZKM0-9a-t: \n]{0,200}") {
        if let Ok(file) = GameRecordFile::read(&text) {
            check_playable(&file);
        }
    }
}

/// Every move that was read is legal, whoever asks.
fn check_playable(file: &GameRecordFile) {
    let mut record = Record::new(file.start.clone());
    for &mv in &file.moves {
        assert!(record.is_legal(mv), "{} after {:?}", file.start.move_text(mv), labels(file));
        record.play(mv);
    }
    assert_eq!(file.comments.len(), file.moves.len() + 1);
}

const CORPUS: [&str; 5] = [
    "(;FF[4]GM[1]SZ[9]KM[6.5]RU[Chinese]PB[Ada]PW[Bob\\]]RE[W+R]C[Hi];B[ee];W[cc]C[x\\\\y];B[ec](;W[dd];B[])(;W[gg]))",
    "(;SZ[19]HA[4]AB[dd][pp][dp][pd]KM[0.5]PL[W];W[qf];B[nc];W[rd];B[qc];W[qi];B[];W[])",
    "(;SZ[5]AB[ba][ab][cb][bc]AW[ca][db][cc]AE[ee:ee];W[bb];B[aa];W[cd];B[cb])",
    "(;SiZe[13]White[cc]Comment[a\r\nb]\n;Black[dd]LB[aa:1][bb:2];White[tt])",
    "(;SZ[9](;B[aa](;W[bb](;B[cc])(;B[dd]))(;W[ee]))(;B[ff]))(;SZ[9];B[aa])",
];

/// Changes a few bytes: flips, copies, deletions, and pieces of syntax put in.
fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>) {
    const PIECES: [&str; 14] = [
        "(",
        ")",
        ";",
        "[",
        "]",
        "\\",
        "B[",
        "W[]",
        "AB[aa:zz]",
        "SZ[",
        "99999999999999999999",
        "KM[1e308]",
        "\u{feff}",
        "((((;",
    ];
    for _ in 0..1 + below(rng, 6) {
        let at = below(rng, bytes.len() as u32 + 1) as usize;
        let end = (at + below(rng, 40) as usize).min(bytes.len());
        match below(rng, 5) {
            0 if at < bytes.len() => bytes[at] = below(rng, 256) as u8,
            1 => drop(bytes.drain(at..end)),
            2 => {
                let copy = bytes[at..end].to_vec();
                let to = below(rng, bytes.len() as u32 + 1) as usize;
                bytes.splice(to..to, copy);
            }
            3 => bytes.truncate(at),
            _ => drop(bytes.splice(at..at, PIECES[below(rng, PIECES.len() as u32) as usize].bytes())),
        }
    }
}

/// 20,000 mutations; `AFTERSTATE_FUZZ_SECONDS` goes on for so many seconds instead, from the same seed.
#[test]
fn mutated_files_do_no_harm() {
    let seconds = std::env::var("AFTERSTATE_FUZZ_SECONDS").ok().map(|text| {
        Duration::from_secs(
            text.parse().unwrap_or_else(|_| panic!("AFTERSTATE_FUZZ_SECONDS='{text}': expected whole seconds")),
        )
    });
    let (begin, rng) = (Instant::now(), &mut stream(2, 0));
    let mut corpus: Vec<Vec<u8>> = CORPUS.iter().map(|text| text.as_bytes().to_vec()).collect();
    let (mut tried, mut accepted) = (0u64, 0u64);
    while seconds.map_or(tried < 20_000, |limit| begin.elapsed() < limit) {
        let mut bytes = corpus[below(rng, corpus.len() as u32) as usize].clone();
        mutate(rng, &mut bytes);
        tried += 1;
        if let Ok(file) = GameRecordFile::read_bytes(&bytes) {
            accepted += 1;
            check_playable(&file);
            // Some of what is still readable is mutated further.
            if bytes.len() < 4000 && below(rng, 4) == 0 {
                let slot = CORPUS.len() + below(rng, 200) as usize;
                if slot < corpus.len() { corpus[slot] = bytes } else { corpus.push(bytes) }
            }
        }
    }
    println!("{tried} mutated files, {accepted} of them readable");
    assert!(
        accepted > tried / 50,
        "too few of the mutated files get past the outline to test what follows: {accepted} of {tried}"
    );
}

#[test]
fn a_written_position_without_moves_keeps_its_stones() {
    let mut file = GameRecordFile::new(Go::parse_position("5/2X2/1XO2/2O2/5 w komi=0.5").unwrap());
    file.result = "Void".to_owned();
    let again = read(&file.write());
    assert_eq!(again.start.position_text(), "5/2X2/1XO2/2O2/5 w komi=0.5");
    assert_eq!(again.start.key(), file.start.key());
}
