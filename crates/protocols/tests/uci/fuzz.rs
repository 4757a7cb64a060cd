//! Random bytes and mutated conversations: no panic, no hang, and one answer for every search.

use super::mutation::{Dice, mutate};
use super::thinkers::Scripted;
use afterstate_protocols::uci::Session;
use proptest::prelude::*;
use std::io::Cursor;
use std::time::{Duration, Instant};

/// What a whole conversation is answered with. A perft of a great depth would take its time, were it not stopped.
fn answers(bytes: &[u8]) -> String {
    let mut input = bytes.to_vec();
    input.extend_from_slice(b"\nstop\nstop\n");
    let mut output = Vec::new();
    let session = Session::new("test", Box::new(Scripted { hasty: true, ..Scripted::default() }));
    session.run(Cursor::new(input), &mut output).expect("memory can be written");
    String::from_utf8(output).expect("text")
}

/// How many lines ask for a search, by the protocol's rule that unknown words are skipped.
fn searches(bytes: &[u8]) -> usize {
    const COMMANDS: [&str; 11] = [
        "uci",
        "debug",
        "isready",
        "setoption",
        "register",
        "ucinewgame",
        "position",
        "go",
        "stop",
        "ponderhit",
        "quit",
    ];
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut count = 0;
    for line in text.split('\n') {
        let words: Vec<&str> = line.trim_start_matches('\u{feff}').split_whitespace().collect();
        let Some(first) = words.first() else { continue };
        if *first == "quit" {
            break;
        }
        if ["d", "eval", "bench", "perft", "help"].contains(first) {
            continue;
        }
        let command = words.iter().position(|word| COMMANDS.contains(word) && *word != "quit");
        count += usize::from(command.is_some_and(|at| words[at] == "go" && !words[at..].contains(&"perft")));
    }
    count
}

fn check(bytes: &[u8]) -> Result<(), String> {
    let (said, expected) = (answers(bytes), searches(bytes));
    let best = said.lines().filter(|line| line.starts_with("bestmove ")).count();
    // A `go` whose word `perft` lacks its number is a search after all.
    let most = expected + String::from_utf8_lossy(bytes).matches("perft").count();
    if !(expected..=most).contains(&best) || said.contains("the search failed") {
        return Err(format!("{expected} searches in {:?}: {said}", String::from_utf8_lossy(bytes)));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_do_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert_eq!(check(&bytes), Ok(()));
    }

    #[test]
    fn random_words_do_no_harm(lines in proptest::collection::vec(proptest::collection::vec(word(), 0..8), 0..40)) {
        let text: Vec<String> = lines.iter().map(|words| words.join(" ")).collect();
        prop_assert_eq!(check(text.join("\n").as_bytes()), Ok(()));
    }
}

fn word() -> impl Strategy<Value = String> {
    let words: Vec<&str> = CORPUS.iter().flat_map(|line| line.split(' ')).filter(|word| *word != "quit").collect();
    prop_oneof![
        8 => prop::sample::select(words).prop_map(str::to_owned),
        1 => any::<i64>().prop_map(|number| number.to_string()),
        1 => "[a-h][1-8][a-h][1-8]q?",
        1 => "\\PC{0,6}",
    ]
}

/// Lines from which the mutations begin.
const CORPUS: &[&str] = &[
    "uci",
    "isready",
    "ucinewgame",
    "debug on",
    "register later",
    "setoption name Hash value 64",
    "setoption name MultiPV value 3",
    "setoption name UCI_Chess960 value true",
    "setoption name UCI_ShowWDL value true",
    "setoption name UCI_LimitStrength value true",
    "setoption name UCI_Elo value 1000",
    "setoption name Clear Hash",
    "setoption name Move Overhead value 100",
    "position startpos",
    "position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
    "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 moves e1g1 e8c8",
    "position fen bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1",
    "position fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 moves e2e4 f4e3",
    "position fen 8/P6k/8/8/8/8/8/K7 w - - moves a7a8q",
    "go",
    "go depth 3",
    "go infinite",
    "go ponder wtime 1000 btime 1000 winc 10 binc 10 movestogo 5",
    "go movetime 1 searchmoves e2e4 d2d4",
    "go nodes 10 mate 2",
    "ponderhit",
    "stop",
    "d",
    "eval",
    "perft 1",
    "go perft 1",
    "help",
    "\t go   depth\t2 \r",
    "joho debug on",
];

/// 400 conversations of mutated lines, or as many as `AFTERSTATE_FUZZ_SECONDS` allow.
#[test]
fn mutated_conversations_are_survived() {
    let seconds = std::env::var("AFTERSTATE_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let (mut dice, mut conversations, mut lines) = (Dice(1), 0u64, 0u64);
    while end.map_or(conversations < 400, |end| Instant::now() < end) {
        let count = 1 + dice.below(50);
        let text: Vec<Vec<u8>> = (0..count).map(|_| mutate(&mut dice, CORPUS)).collect();
        check(&text.join(&b'\n')).unwrap_or_else(|complaint| panic!("conversation {conversations}: {complaint}"));
        conversations += 1;
        lines += count as u64;
    }
    if seconds.is_some() {
        println!("{conversations} conversations, {lines} mutated lines");
    }
}
