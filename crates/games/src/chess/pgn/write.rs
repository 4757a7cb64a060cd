//! From games to text.

use super::annotation::clock_text;
use super::{PgnGame, PgnLine, PgnMove};
use crate::chess::Chess;
use crate::{Game, Notation, Outcome, Side};
use std::fmt;

/// The tags that every game has, in this order, and what stands there when nothing is known.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// Lines of moves are no longer, unless a single word is.
const WIDTH: usize = 80;

impl fmt::Display for PgnGame {
    /// The game as the standard's export format has it, with an empty line at the end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = result_text(self.outcome);
        for (name, unknown) in ROSTER {
            let value = if name == "Result" { result } else { self.tag(name).unwrap_or(unknown) };
            tag(f, name, value)?;
        }
        if self.start != Chess::new() {
            if self.start.is_chess960() {
                tag(f, "Variant", "Chess960")?;
            }
            tag(f, "SetUp", "1")?;
            tag(f, "FEN", &self.start.position_text())?;
        }
        let own = |name: &str| matches!(name, "Variant" | "SetUp" | "FEN");
        for (name, value) in &self.tags {
            if !own(name) && ROSTER.iter().all(|(known, _)| known != name) {
                tag(f, name, value)?;
            }
        }
        writeln!(f)?;
        let mut words = Vec::new();
        line_words(&self.line, self.start.clone(), &mut words);
        words.push(result.to_string());
        let mut width = 0;
        for (i, word) in words.iter().enumerate() {
            let length = word.chars().count();
            if i > 0 && width + 1 + length > WIDTH {
                writeln!(f)?;
                width = 0;
            } else if i > 0 {
                write!(f, " ")?;
                width += 1;
            }
            write!(f, "{word}")?;
            width += length;
        }
        writeln!(f, "\n")
    }
}

fn result_text(outcome: Option<Outcome>) -> &'static str {
    match outcome.map(|outcome| outcome.winner) {
        Some(Some(Side::First)) => "1-0",
        Some(Some(Side::Second)) => "0-1",
        Some(None) => "1/2-1/2",
        None => "*",
    }
}

fn tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    writeln!(f, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A line as words between which the text may be broken.
fn line_words(line: &PgnLine, mut position: Chess, words: &mut Vec<String>) {
    comment_words(&line.comment, words);
    // Black's moves have a number where White's does not stand directly before them.
    let mut needs_number = true;
    for played in &line.moves {
        let (side, number) = (position.side_to_move(), position.board().fullmove_number());
        match side {
            Side::First => words.push(format!("{number}.")),
            Side::Second if needs_number => words.push(format!("{number}...")),
            Side::Second => {}
        }
        words.push(position.san(played.mv));
        words.extend(played.nags.iter().map(|nag| format!("${nag}")));
        let said = comment_of(played);
        comment_words(&said, words);
        for variation in &played.variations {
            let begin = words.len();
            line_words(variation, position.clone(), words);
            match words.get_mut(begin) {
                Some(first) => first.insert(0, '('),
                None => words.push("(".to_string()),
            }
            if let Some(last) = words.last_mut() {
                last.push(')');
            }
        }
        needs_number = !said.is_empty() || !played.variations.is_empty();
        position.play(played.mv);
    }
}

/// Everything that stands in the braces behind a move.
fn comment_of(played: &PgnMove) -> String {
    let mut parts = Vec::new();
    parts.extend(played.evaluation.map(|evaluation| format!("[%eval {evaluation}]")));
    parts.extend(played.clock.map(|clock| format!("[%clk {}]", clock_text(clock))));
    parts.extend((!played.comment.is_empty()).then(|| played.comment.clone()));
    parts.join(" ")
}

fn comment_words(comment: &str, words: &mut Vec<String>) {
    if comment.split_whitespace().next().is_none() {
        return;
    }
    words.push("{".to_string());
    let mut in_command = false;
    for word in comment.split_whitespace() {
        // Nothing can stand for a closing brace inside a comment.
        let word = word.replace('}', ")");
        let goes_on = match word.rfind("[%") {
            Some(begin) => !word[begin..].contains(']'),
            None => in_command && !word.contains(']'),
        };
        match words.last_mut() {
            // Some programs do not understand a command that is broken.
            Some(last) if in_command && last.len() + word.len() < WIDTH / 2 => {
                last.push(' ');
                last.push_str(&word);
            }
            _ => words.push(word),
        }
        in_command = goes_on;
    }
    words.push("}".to_string());
}
