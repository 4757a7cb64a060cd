//! Whole conversations with their answers, several in a file.
//!
//! `== …` begins one and says what it is about. `> …` is what the GUI sends, with `\t` and `\r` for what a file cannot show.
//! `< …` is the next line that it gets, where `*` stands for anything; `< ...` for any number of lines. `= quiet` says that
//! nothing more comes for now; `= end` ends the input, as the end of the transcript does. After that nothing may be left to
//! be said.

use super::conversation::Conversation;
use super::thinkers::Scripted;

/// Whether `text` is like `pattern`, in which `*` stands for anything.
fn is_like(text: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => text == pattern,
        Some((head, rest)) => text.strip_prefix(head).is_some_and(|text| {
            text.char_indices().map(|(at, _)| at).chain([text.len()]).any(|at| is_like(&text[at..], rest))
        }),
    }
}

/// Plays all conversations of a file and returns how many they are.
fn play(file: &str) -> usize {
    let mut count = 0;
    for text in file.split("\n== ").skip(1) {
        let (title, text) = text.split_once('\n').expect("lines");
        println!("{title}");
        let mut conversation = Conversation::new(Scripted::default());
        let mut skipping = false;
        for line in text.lines().filter(|line| !line.is_empty()) {
            match line.split_at(line.len().min(2)) {
                (">" | "> ", command) => conversation.send(&command.replace("\\t", "\t").replace("\\r", "\r")),
                ("< ", "...") => skipping = true,
                ("<" | "< ", pattern) => loop {
                    let said = conversation.line().unwrap_or_else(|| panic!("{title}: '{pattern}' is missing"));
                    if is_like(&said, pattern) {
                        skipping = false;
                        break;
                    }
                    assert!(skipping, "{title}: expected\n{pattern}\nbut got\n{said}");
                },
                ("= ", "quiet") => conversation.expect_quiet(),
                ("= ", "end") => conversation.close(),
                _ => panic!("{title}: '{line}' is no line of a transcript"),
            }
        }
        let (left, result) = conversation.end();
        assert!(skipping || left.is_empty(), "{title}: left to say: {left:#?}");
        assert!(result.is_ok(), "{title}");
        count += 1;
    }
    count
}

#[test]
fn guis_get_what_they_ask_at_the_start() {
    assert_eq!(play(include_str!("transcripts/startups.txt")), 8);
}

#[test]
fn every_kind_of_search_is_answered_once() {
    assert_eq!(play(include_str!("transcripts/searches.txt")), 22);
}

#[test]
fn positions_of_every_kind_are_understood() {
    assert_eq!(play(include_str!("transcripts/positions.txt")), 14);
}

#[test]
fn options_are_set_at_any_time() {
    assert_eq!(play(include_str!("transcripts/options.txt")), 9);
}

#[test]
fn rubbish_does_no_harm() {
    assert_eq!(play(include_str!("transcripts/rubbish.txt")), 9);
}

#[test]
fn patterns_are_what_they_seem() {
    assert!(is_like("info depth 3 pv e2e4", "info * pv *") && is_like("x", "x") && is_like("", "*"));
    assert!(!is_like("info depth", "info") && !is_like("bestmove e2e4", "*e2e5") && !is_like("ab", "b*"));
}
