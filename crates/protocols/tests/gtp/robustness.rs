//! No input ends the session, panics, or gets anything but one response a command.

use super::files::Temporary;
use super::mutation::{Dice, mutate};
use super::players::session;
use afterstate_games::go::Point;
use afterstate_protocols::gtp::{MAX_LINE, Session};
use proptest::prelude::*;
use std::io::{Cursor, Read};
use std::time::{Duration, Instant};

/// Whether a line holds a command: something other than blanks and control characters before any `#`.
fn has_command(line: &str) -> bool {
    line.chars().take_while(|&c| c != '#').any(|c| c != ' ' && !c.is_control())
}

/// Whether `text` is exactly one response.
fn is_one_response(text: &str) -> bool {
    let begins = text.starts_with('=') || text.starts_with('?');
    let body = text.strip_suffix("\n\n").unwrap_or_default();
    begins && !body.is_empty() && !body.contains("\n\n") && !body.chars().any(|c| c.is_control() && c != '\n')
}

fn check_line(session: &mut Session, line: &str) -> Result<(), String> {
    let response = session.respond(line);
    if has_command(line) != is_one_response(&response) || (!has_command(line) && !response.is_empty()) {
        return Err(format!("{line:?} got {response:?}"));
    }
    Ok(())
}

fn word() -> impl Strategy<Value = String> {
    let command = prop::sample::select(
        session().respond("list_commands")[2..].split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
    )
    // Not on purpose: files of random names.
    .prop_filter("no files", |name| name != "quit");
    prop_oneof![
        4 => command,
        2 => prop::sample::select(vec!["b", "w", "black", "White", "pass", "C3", "e5", "A1", "T19", "I3"]).prop_map(str::to_owned),
        1 => (-3i64..30).prop_map(|n| n.to_string()),
        1 => any::<f64>().prop_map(|x| x.to_string()),
        1 => prop::sample::select(vec!["alive", "chinese", "byoyomi", "game", "interval", "allow", "#", "nan", "inf", "1e9"])
            .prop_map(str::to_owned),
        1 => "\\PC{0,6}",
    ]
}

fn soup_line() -> impl Strategy<Value = String> {
    (proptest::option::of(0u32..100), proptest::collection::vec(word(), 0..6))
        .prop_map(|(id, words)| id.map(|id| id.to_string()).into_iter().chain(words).collect::<Vec<_>>().join(" "))
}

/// A move or an undo, mostly legal on a 5×5 board.
fn small_move() -> impl Strategy<Value = String> {
    let color = prop::sample::select(vec!["b", "w"]);
    let vertex = ("[A-E]", 1..=5u8).prop_map(|(column, row)| format!("{column}{row}"));
    prop_oneof![
        12 => (color.clone(), vertex).prop_map(|(color, vertex)| format!("play {color} {vertex}")),
        1 => color.clone().prop_map(|color| format!("play {color} pass")),
        2 => color.prop_map(|color| format!("genmove {color}")),
        4 => Just("undo".to_owned()),
        1 => Just("komi 3.5".to_owned()),
        1 => Just("reg_genmove w".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_do_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let mut output = Vec::new();
        session().run(Cursor::new(bytes.clone()), &mut output).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let commands = text.split('\n').filter(|line| has_command(line)).count();
        // No random line is `quit`, and no response holds an empty line.
        prop_assert_eq!(String::from_utf8(output).unwrap().matches("\n\n").count(), commands);
    }

    #[test]
    fn command_soup_gets_one_response_a_line(lines in proptest::collection::vec(soup_line(), 1..60)) {
        let mut session = session();
        for line in &lines {
            prop_assert_eq!(check_line(&mut session, line), Ok(()));
        }
        prop_assert_eq!(session.respond("protocol_version"), "= 2\n\n");
    }

    #[test]
    fn undo_brings_back_every_earlier_board(lines in proptest::collection::vec(small_move(), 1..120)) {
        let mut session = session();
        session.respond("boardsize 5");
        let stones = |session: &Session| {
            let go = session.record().position();
            (Point::all(5).map(|point| go.board().color(point)).collect::<Vec<_>>(), go.to_move())
        };
        let mut boards = vec![stones(&session)];
        for line in &lines {
            let accepted = session.respond(line).starts_with('=');
            let now = stones(&session);
            if line == "undo" {
                prop_assert_eq!(accepted, boards.len() > 1);
                if accepted { boards.pop(); }
            } else if accepted && (line.starts_with("play") || line.starts_with("genmove")) {
                if line.starts_with("play") && !line.ends_with("pass") {
                    prop_assert!(boards.iter().all(|board| board.0 != now.0), "superko: {} repeats a position", line);
                }
                boards.push(now.clone());
            }
            prop_assert_eq!(&now, boards.last().unwrap());
        }
        // Whatever the order of moves was, the game can be written down and read back.
        let printed = session.respond("printsgf");
        let file = Temporary::new("any-order.sgf", printed.trim_start_matches("= "));
        prop_assert_eq!(session.respond(&format!("loadsgf {}", file.0.display())), "= \n\n", "{}", printed);
        prop_assert_eq!(&stones(&session).0, &boards.last().unwrap().0, "{}", printed);
    }
}

#[test]
fn overlong_lines_are_refused_and_forgotten() {
    let refusal = format!("line too long: expected at most {MAX_LINE} bytes\n\n");
    let mut input = b"name\n17 play b ".to_vec();
    input.extend(vec![b'x'; 10 * MAX_LINE]);
    input.extend_from_slice(b"\n# ");
    input.extend(vec![b'y'; 2 * MAX_LINE]);
    input.extend_from_slice(b"\n");
    input.extend(vec![b' '; 2 * MAX_LINE]);
    input.extend_from_slice(b"name\nname\n");
    input.extend(vec![b'9'; 2 * MAX_LINE]);
    let mut output = Vec::new();
    session().run(Cursor::new(input), &mut output).unwrap();
    assert_eq!(
        String::from_utf8(output).unwrap(),
        format!(
            "= first\n\n?17 {refusal}? {refusal}= first\n\n? syntax error: command id: expected 0 to 2147483647\n\n"
        )
    );
}

#[test]
fn a_flood_without_line_ends_takes_bounded_memory() {
    let mut output = Vec::new();
    let flood = std::io::BufReader::new(std::io::repeat(b'z').take(200_000_000));
    session().run(flood, &mut output).unwrap();
    assert_eq!(output, format!("? line too long: expected at most {MAX_LINE} bytes\n\n").as_bytes());
}

#[test]
fn bytes_that_are_no_text_are_tolerated() {
    let mut output = Vec::new();
    session().run(Cursor::new(b"\xff\xfe name\nname \xc3(\n3 na\x00me\r\n".to_vec()), &mut output).unwrap();
    assert_eq!(
        String::from_utf8(output).unwrap(),
        "? unknown command\n\n? syntax error: expected name\n\n=3 first\n\n"
    );
}

#[test]
fn a_game_without_end_is_refused_at_last() {
    let mut session = session();
    session.respond("boardsize 5");
    for i in 0..10_000 {
        assert_eq!(session.respond("play b pass"), "= \n\n", "move {i}");
    }
    assert_eq!(session.respond("play w pass"), "? illegal move: the game has 10000 moves already\n\n");
    assert_eq!(session.respond("genmove w"), "? illegal move: the game has 10000 moves already\n\n");
    assert_eq!(session.respond("undo"), "= \n\n");
}

/// Lines from which the mutations begin.
const CORPUS: &[&str] = &[
    "1 boardsize 9",
    "boardsize 5",
    "clear_board",
    "komi 6.5",
    "play black D4",
    "play w E5",
    "play b pass",
    "22 genmove w",
    "reg_genmove b",
    "undo",
    "showboard",
    "printsgf",
    "loadsgf /dev/null 3",
    "fixed_handicap 4",
    "place_free_handicap 3",
    "set_free_handicap C3 G7 C7",
    "final_score",
    "final_status_list alive",
    "final_status_list black_territory",
    "time_settings 600 30 5",
    "time_left black 31.5 3",
    "kgs-time_settings canadian 300 60 10",
    "kgs-rules chinese",
    "kgs-chat private somebody hello there",
    "kgs-genmove_cleanup b",
    "kgs-game_over",
    "known_command genmove",
    "list_commands",
    "gogui-analyze_commands",
    "afterstate-values",
    "afterstate-labels",
    "lz-analyze b 100 avoid w A1,B2,pass 5 maxmoves 3",
    "kata-genmove_analyze w 50 ownership true",
    "cgos-genmove_analyze b",
    "name # comment",
    "\t3   version \r",
];

/// 20,000 mutated lines, or as many as `AFTERSTATE_FUZZ_SECONDS` allow.
#[test]
fn mutated_commands_get_one_response_a_line() {
    let seconds = std::env::var("AFTERSTATE_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut dice = Dice(1);
    let mut lines = 0u64;
    while end.map_or(lines < 20_000, |end| Instant::now() < end) {
        let mut session = session();
        session.respond("boardsize 9");
        for _ in 0..500 {
            let mut line = mutate(&mut dice, CORPUS);
            line.retain(|&byte| byte != b'\n');
            let line = String::from_utf8_lossy(&line).into_owned();
            check_line(&mut session, &line).unwrap_or_else(|complaint| panic!("line {lines}: {complaint}"));
            lines += 1;
        }
    }
    if seconds.is_some() {
        println!("{lines} mutated lines");
    }
}
