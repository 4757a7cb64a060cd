//! Whole conversations with their exact answers. In the files, lines that begin with `> ` are what the
//! controller sends, and everything up to the next such line is what it gets.

use super::players::session;
use std::io::Cursor;

fn check(name: &str, transcript: &str) {
    let mut commands = Vec::new();
    let mut answers: Vec<String> = Vec::new();
    for line in transcript.lines() {
        if let Some(command) = line.strip_prefix('>') {
            // A file cannot show everything that a controller sends.
            let command = command.strip_prefix(' ').unwrap_or(command);
            commands.push(command.replace("\\t", "\t").replace("\\r", "\r").replace("\\x07", "\x07"));
            answers.push(String::new());
        } else if let Some(answer) = answers.last_mut() {
            answer.push_str(&line.replace('·', " "));
            answer.push('\n');
        }
    }
    assert!(commands.len() > 3, "{name}: no commands");
    let mut single = session();
    for (command, answer) in commands.iter().zip(&answers) {
        assert_eq!(&single.respond(command), answer, "{name}: {command}");
    }
    let mut output = Vec::new();
    session().run(Cursor::new(commands.join("\n")), &mut output).unwrap();
    assert_eq!(String::from_utf8(output).unwrap(), answers.concat(), "{name}, in one go");
}

#[test]
fn syntax_is_that_of_the_specification() {
    check("syntax", include_str!("transcripts/syntax.txt"));
}

#[test]
fn malformed_lines_are_refused() {
    check("malformed", include_str!("transcripts/malformed.txt"));
}

#[test]
fn sabaki_gets_what_it_asks_at_the_start() {
    check("sabaki", include_str!("transcripts/sabaki.txt"));
}

#[test]
fn gogui_gets_what_it_asks_at_the_start() {
    check("gogui", include_str!("transcripts/gogui.txt"));
}

#[test]
fn a_game_is_played_and_counted() {
    check("game", include_str!("transcripts/game.txt"));
}

#[test]
fn kgs_gets_what_it_asks() {
    check("kgs", include_str!("transcripts/kgs.txt"));
}

#[test]
fn handicap_stones_begin_a_game() {
    check("handicap", include_str!("transcripts/handicap.txt"));
}
