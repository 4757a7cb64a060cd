//! [`annotate`]: adds comments, win rates and variations to an SGF text, and leaves everything else as it is.
//!
//! The text is not written anew but added to, so that properties and variations that nobody here knows are kept to the
//! letter.

use super::SgfError;
use super::charset::Charset;
use super::main_line::{LONGEST_TEXT, MainLine, Node, main_line};
use super::read::{WANTED, read_game};
use super::write::{in_brackets, move_property};
use crate::Side;
use crate::go::point::Move;

/// The property of a win rate: Sabaki draws its graph from it.
const WIN_RATE: &str = "SBKV";

/// What is added at a position of a game's main line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotation {
    /// Added to what was said about the position, on lines of its own; empty for nothing. Plain ASCII fits every file.
    pub comment: String,
    /// Black's chance to win, from 0 to 1: the property SBKV, in percent. It replaces what the file has.
    pub black_wins: Option<f32>,
    /// What could have been played instead of the move that led to the position, by the same side first; empty for
    /// nothing. It becomes the last of the variations there. A move in the very first node cannot have any.
    pub variation: Vec<Move>,
    /// Said of the first move of the variation.
    pub variation_comment: String,
}

/// Adds `annotations` to the first game of an SGF file. The first one is about the start, the next about the position
/// after the first move of the main line, and so on, as [`GameRecordFile::comments`](super::GameRecordFile::comments)
/// are; there may be fewer than positions.
///
/// # Errors
///
/// As [`GameRecordFile::read_bytes`](super::GameRecordFile::read_bytes).
///
/// ```
/// use afterstate_games::go::{Move, Point, sgf::{Annotation, annotate}};
/// let better = Annotation {
///     comment: "Too near.".into(),
///     black_wins: Some(0.25),
///     variation: vec![Move::play(Point::at(2, 2, 9))],
///     ..Annotation::default()
/// };
/// let text = annotate(b"(;SZ[9]XX[kept];B[ba];W[gc])", &[Annotation::default(), better])?;
/// assert_eq!(
///     String::from_utf8(text).unwrap(),
///     "(;SZ[9]XX[kept](;B[ba]C[Too near.]SBKV[25];W[gc])\n(;B[cg]))"
/// );
/// # Ok::<(), afterstate_games::go::sgf::SgfError>(())
/// ```
pub fn annotate(bytes: &[u8], annotations: &[Annotation]) -> Result<Vec<u8>, SgfError> {
    if bytes.len() > LONGEST_TEXT {
        return Err(SgfError::TooLong(bytes.len()));
    }
    let charset = Charset::of(bytes);
    let text = charset.decode(bytes);
    if text.len() > LONGEST_TEXT {
        return Err(SgfError::TooLong(text.len()));
    }
    Ok(charset.encode(&annotate_text(&text, annotations)?))
}

/// What goes where. Where several things go to the same place, contents of a node come before the end of what it is
/// inside of, and that before the beginning of something new.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Content,
    End,
    Begin,
}

struct Edit {
    /// What is replaced: empty to insert.
    from: usize,
    to: usize,
    kind: Kind,
    text: String,
}

impl Edit {
    fn insert(at: usize, kind: Kind, text: String) -> Edit {
        Edit { from: at, to: at, kind, text }
    }
}

fn annotate_text(text: &str, annotations: &[Annotation]) -> Result<String, SgfError> {
    let wanted = [&WANTED[..], &[WIN_RATE]].concat();
    let MainLine { nodes, ends } = main_line(text, &wanted)?;
    // The nodes are needed twice: to find out how many moves each has behind it, and where it stands.
    let (game, moves) = read_game(main_line(text, &WANTED)?.nodes)?;
    let size = game.start.size();
    let mut edits = Vec::new();
    // From the last to the first: a variation that begins later ends earlier.
    for (i, node) in nodes.iter().enumerate().rev() {
        let is_first_with_its_moves = i == 0 || moves[i - 1] < moves[i];
        let Some(annotation) = annotations.get(moves[i]).filter(|_| is_first_with_its_moves) else { continue };
        add_contents(&mut edits, node, annotation);
        add_variation(&mut edits, node, &ends, annotation, size);
    }
    // Stable: what was added first at a place stays first.
    edits.sort_by_key(|edit| (edit.from, edit.kind));
    let mut result = String::with_capacity(text.len() + edits.iter().map(|edit| edit.text.len()).sum::<usize>());
    let mut at = 0;
    for edit in edits {
        result.push_str(&text[at..edit.from]);
        result.push_str(&edit.text);
        at = edit.to;
    }
    result.push_str(&text[at..]);
    Ok(result)
}

fn add_contents(edits: &mut Vec<Edit>, node: &Node, annotation: &Annotation) {
    let property = |name: &str| node.properties.iter().find(|property| property.name == name);
    let mut new = String::new();
    if !annotation.comment.is_empty() {
        let value = in_brackets(&annotation.comment);
        match property("C") {
            Some(comment) => {
                let said_before = comment.values.iter().any(|value| !value.is_empty());
                let line_break = if said_before { "\n" } else { "" };
                let text = format!("{line_break}{}", &value[1..value.len() - 1]);
                edits.push(Edit::insert(comment.last_value.end - 1, Kind::Content, text));
            }
            None => new = format!("C{value}"),
        }
    }
    if let Some(share) = annotation.black_wins {
        let percent = (f64::from(share) * 10_000.0).round() / 100.0;
        match property(WIN_RATE) {
            Some(old) => {
                let (from, to) = (old.last_value.start, old.last_value.end);
                edits.push(Edit { from, to, kind: Kind::Content, text: format!("[{percent}]") });
            }
            None => new += &format!("{WIN_RATE}[{percent}]"),
        }
    }
    if !new.is_empty() {
        edits.push(Edit::insert(node.place.end, Kind::Content, new));
    }
}

fn add_variation(edits: &mut Vec<Edit>, node: &Node, ends: &[usize], annotation: &Annotation, size: usize) {
    let is = |name: &str| node.properties.iter().any(|property| property.name == name);
    let mut side = match (is("B"), is("W")) {
        (true, _) => Side::First,
        (_, true) => Side::Second,
        _ => return,
    };
    // Beside the first node of all there can only be other games.
    let (Some(&end), false) =
        (ends.get(node.depth - 1), annotation.variation.is_empty() || node.depth == 1 && node.begins)
    else {
        return;
    };
    let mut line = String::from("\n(");
    for (i, &mv) in annotation.variation.iter().enumerate() {
        line.push(';');
        line += &move_property(side, mv, size);
        if i == 0 && !annotation.variation_comment.is_empty() {
            line += "C";
            line += &in_brackets(&annotation.variation_comment);
        }
        side = side.other();
    }
    line.push(')');
    if node.begins {
        edits.push(Edit::insert(end + 1, Kind::End, line));
    } else {
        // What follows becomes the first variation.
        edits.push(Edit::insert(node.place.start, Kind::Begin, "(".into()));
        edits.push(Edit::insert(end, Kind::End, format!("){line}")));
    }
}
