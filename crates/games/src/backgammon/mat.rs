//! Matches as `.mat` files, the text that Jellyfish introduced and every backgammon program reads.
//!
//! ```text
//!  5 point match                          0: money play
//!
//!  Game 1
//!  Ada : 0                      Bob : 0
//!   1)                             21: 13/11 24/23
//!   2) 52: 13/8 24/22              63: 8/5* 11/5
//!   3)  Doubles => 2                Takes
//!   4) 31:                         Doubles => 4          31 could not be played
//!   5)  Drops
//!                                   Wins 2 points
//! ```
//!
//! Each side counts its points from its own home; 25 is the bar and 0 is off. Every step of every man is written by itself. For money a
//! double may be answered with `Beavers => 4`, which takes it and turns the cube once more. Comments begin with a semicolon or a number sign;
//! some of them say by which rules was played: `; [CubeLimit "1"]` that there was no cube, `; [Jacoby "On"]`, `; [Beaver "On"]` and
//! `; [Crawford "Off"]`.

use super::cube::{MatchScore, Terms};
use super::{BAR, Backgammon, Board, Dice, Move, Phase, Play};
use crate::{Game, Notation, Side};
use std::fmt;
use thiserror::Error;

/// Where the right column's words begin, counted from 0; what stands before the middle of the left one belongs to that.
const RIGHT: usize = 34;
const MIDDLE: usize = 20;

/// What comments say where there was no cube, and of other rules than a match has by itself.
const NO_CUBE: &str = "[CubeLimit \"1\"]";
const JACOBY: &str = "[Jacoby \"On\"]";
const BEAVERS: &str = "[Beaver \"On\"]";
const NO_CRAWFORD: &str = "[Crawford \"Off\"]";

/// Longer texts are no matches of people or of programs in one sitting.
pub const LONGEST_TEXT: usize = 16 << 20;

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct MatError {
    /// Counted from 1.
    pub line: usize,
    /// What was found, and what was expected.
    pub problem: String,
}

/// What a player does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Plays a roll.
    Play(Dice, Play),
    /// Offers the cube at this value.
    Double(u32),
    /// Accepts it.
    Take,
    /// Accepts it, turns the cube once more to this value, and keeps it.
    Beaver(u32),
    /// Gives the game up rather than accept it.
    Drop,
}

/// A game of a match. [`Side::First`] is the left column's player.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct MatGame {
    /// Who plays.
    pub players: [String; 2],
    /// How many points each had before.
    pub score: [u32; 2],
    /// What they did, in turn.
    pub actions: Vec<(Side, Action)>,
    /// Who won how many points, if the file says so.
    pub won: Option<(Side, u32)>,
}

impl MatGame {
    /// Every roll that was played, with the position in which it was.
    ///
    /// ```
    /// use afterstate_games::backgammon::mat::MatMatch;
    /// let text = " 0 point match\n\n Game 1\n Ada : 0                      Bob : 0\n  1) 31: 8/5 6/5                 66: 24/18(2) 13/7(2)\n";
    /// let game = &MatMatch::read(text).unwrap().games[0];
    /// let plays: Vec<_> = game.plays().collect();
    /// assert_eq!(plays.len(), 2);
    /// ```
    pub fn plays(&self) -> impl Iterator<Item = (Backgammon, Play)> + '_ {
        let mut board = Board::start();
        self.actions.iter().filter_map(move |&(side, action)| {
            let Action::Play(dice, play) = action else { return None };
            let before = Backgammon::at(board, side, Some(dice));
            let mut after = before;
            after.play(Move::Play(play));
            board = *after.board();
            Some((before, play))
        })
    }
}

/// A match, or a session of money games.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct MatMatch {
    /// Points that win it; 0 for money play.
    pub length: u32,
    /// Whether there was no cube. Without a word about it there was one.
    pub cubeless: bool,
    /// Whether gammons count for money only where the cube was turned. Few files say so; without a word they count always.
    pub jacoby: bool,
    /// Whether beavers are allowed for money: the file says so, or there is one in it.
    pub beavers: bool,
    /// Whether there is no Crawford game. Without a word there is one.
    pub without_crawford: bool,
    /// Its games.
    pub games: Vec<MatGame>,
}

impl MatMatch {
    /// Reads a file. Plays have to be legal, both sides' in turn, and cubes turned by who may turn them, to twice what they showed; for
    /// money they may have been turned before the first roll (automatic doubles), of which such files say nothing.
    ///
    /// # Errors
    ///
    /// The first line that makes no sense.
    pub fn read(text: &str) -> Result<MatMatch, MatError> {
        let mut reader = Reader::default();
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            reader.line(line).map_err(|problem| MatError { line: index + 1, problem })?;
        }
        let error = |problem: &str| MatError { line: text.lines().count().max(1), problem: problem.to_string() };
        if !reader.has_length {
            return Err(error("no match: expected a line such as '5 point match' or '0 point match'"));
        }
        if reader.names_expected {
            return Err(error("the file ends where the names of the players were expected"));
        }
        Ok(reader.read)
    }

    /// What a game, counted from 0, was played for; `None` if there is none, or its score cannot be. Such files don't say which game is
    /// the Crawford game: it is the first in which a player needs one point, unless somebody doubled in it.
    ///
    /// ```
    /// use afterstate_games::backgammon::{cube::Terms, mat::MatMatch};
    /// let text = " 3 point match\n\n Game 1\n Ada : 0   Bob : 2\n\n Game 2\n Ada : 1   Bob : 2\n";
    /// let read = MatMatch::read(text).unwrap();
    /// let crawford = |game| matches!(read.terms(game), Some(Terms::Match(score)) if score.crawford);
    /// assert_eq!([crawford(0), crawford(1)], [true, false]);
    /// ```
    pub fn terms(&self, game: usize) -> Option<Terms> {
        let points = self.games.get(game)?.score;
        if self.length == 0 {
            return Some(Terms::Money { jacoby: self.jacoby, beavers: self.beavers });
        }
        if points.iter().any(|&points| points >= self.length) {
            return None;
        }
        let one_away = |game: &MatGame| game.score.contains(&(self.length - 1));
        let doubles = |game: &MatGame| game.actions.iter().any(|(_, action)| matches!(action, Action::Double(_)));
        let crawford = |game: &MatGame| !self.without_crawford && one_away(game) && !doubles(game);
        let crawford = crawford(&self.games[game]) && !self.games[..game].iter().any(one_away);
        Some(Terms::Match(MatchScore { length: self.length, points, crawford }))
    }
}

/// What is known of the cube in a game.
#[derive(Clone, Copy, Default)]
struct Cube {
    /// Nothing in a game for money before it is turned, because of automatic doubles.
    value: Option<u32>,
    owner: Option<Side>,
}

impl Cube {
    /// Why `side` cannot turn it to `value`.
    fn check(self, side: Side, value: u32) -> Result<(), String> {
        if self.owner.is_some_and(|owner| owner != side) {
            return Err("the cube is the other player's".to_string());
        }
        match self.value {
            Some(now) if now.checked_mul(2) == Some(value) => Ok(()),
            Some(now) => Err(format!("expected {}", 2 * u64::from(now))),
            None if value.is_power_of_two() && value > 1 => Ok(()),
            None => Err("expected a power of two".to_string()),
        }
    }

    /// Why nobody can have won so many points.
    fn check_won(self, points: u32) -> Result<(), String> {
        let most = self.value.map_or(u32::MAX, |value| value.saturating_mul(3));
        match points {
            1.. if points <= most => Ok(()),
            _ if most < u32::MAX => Err(format!("expected 1 to {most} points")),
            _ => Err("expected 1 point or more".to_string()),
        }
    }
}

#[derive(Default)]
struct Reader {
    read: MatMatch,
    has_length: bool,
    names_expected: bool,
    board: Option<Board>,
    /// Who acts next; the first to play may be either.
    next: Option<Side>,
    /// The value of a cube that was offered.
    offered: Option<u32>,
    cube: Cube,
    /// Whether the game ended before a side had all men off.
    over: bool,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let trimmed = line.trim();
        if let Some(comment) = trimmed.strip_prefix(';') {
            return self.comment(comment.trim());
        }
        if trimmed.is_empty() || trimmed.starts_with('#') {
            return Ok(());
        }
        if !self.has_length {
            let lower = trimmed.to_ascii_lowercase();
            let length = lower.strip_suffix("point match").and_then(|number| number.trim().parse().ok());
            self.read.length =
                length.ok_or_else(|| format!("'{}': expected '5 point match' or '0 point match'", short(trimmed)))?;
            self.has_length = true;
            return Ok(());
        }
        if self.names_expected {
            let game = players(trimmed).ok_or_else(|| {
                format!("'{}': expected both players with their points, such as 'Ada : 0   Bob : 2'", short(trimmed))
            })?;
            self.read.games.push(game);
            self.names_expected = false;
            return Ok(());
        }
        if let Some(number) = trimmed.strip_prefix("Game ") {
            number.trim().parse::<u32>().map_err(|_| format!("'{}': expected 'Game 1'", short(trimmed)))?;
            (self.names_expected, self.board) = (true, Some(Board::start()));
            self.cube = Cube { value: (self.read.length > 0).then_some(1), owner: None };
            (self.next, self.offered, self.over) = (None, None, false);
            return Ok(());
        }
        let (at, actions) = numbered(line)?;
        for (index, (column, text)) in columns(actions).enumerate() {
            // Whatever the columns' width, the second action of a line is the right player's.
            let left = index == 0 && at + column < MIDDLE;
            self.action(if left { Side::First } else { Side::Second }, text)?;
        }
        Ok(())
    }

    /// What is not played by the usual rules, or not from the usual position, would be judged wrongly.
    fn comment(&mut self, comment: &str) -> Result<(), String> {
        let is = |tag: &str| comment.eq_ignore_ascii_case(tag);
        self.read.cubeless |= self.read.games.is_empty() && is(NO_CUBE);
        self.read.jacoby |= is(JACOBY);
        self.read.beavers |= is(BEAVERS);
        self.read.without_crawford |= is(NO_CRAWFORD);
        if comment.starts_with("[Variation ") && !is("[Variation \"Backgammon\"]") {
            return Err(format!("'{}': expected [Variation \"Backgammon\"]", short(comment)));
        }
        if comment.starts_with("Set Pos=") {
            return Err(format!("'{}': expected games that begin with the usual first position", short(comment)));
        }
        Ok(())
    }

    fn action(&mut self, side: Side, text: &str) -> Result<(), String> {
        let Some(board) = &mut self.board else { return Err(format!("'{}': expected 'Game 1'", short(text))) };
        let Some(game) = self.read.games.last_mut() else { return Err("a move before any game".into()) };
        if let Some(won) = text.strip_prefix("Wins ") {
            let points = won.split_whitespace().next().and_then(|points| points.parse().ok());
            let points: u32 = points.ok_or_else(|| format!("'{}': expected 'Wins 2 points'", short(text)))?;
            self.cube.check_won(points).map_err(|problem| format!("'{}': {problem}", short(text)))?;
            (game.won, self.board) = (Some((side, points)), None);
            return Ok(());
        }
        if self.over {
            return Err(format!("'{}': the game is over", short(text)));
        }
        if self.next.is_some_and(|next| next != side) {
            return Err(format!("'{}': the other player is to move", short(text)));
        }
        let action = match (text, self.offered.take()) {
            ("Takes", Some(value)) => {
                self.cube = Cube { value: Some(value), owner: Some(side) };
                Action::Take
            }
            ("Drops", Some(_)) => Action::Drop,
            ("Takes" | "Drops", None) => return Err(format!("'{text}': nobody has doubled")),
            (_, Some(offered)) => match text.strip_prefix("Beavers") {
                Some(_) if self.read.length > 0 => return Err(format!("'{}': a beaver in a match", short(text))),
                Some(value) => {
                    let value = turned(value, text, "Beavers => 4")?;
                    let offered = Cube { value: Some(offered), owner: None };
                    offered.check(side, value).map_err(|problem| format!("'{}': {problem}", short(text)))?;
                    self.cube = Cube { value: Some(value), owner: Some(side) };
                    self.read.beavers = true;
                    Action::Beaver(value)
                }
                None => return Err(format!("'{}': expected Takes or Drops after a double", short(text))),
            },
            (_, None) => match text.strip_prefix("Doubles") {
                Some(value) => {
                    let value = turned(value, text, "Doubles => 2")?;
                    if game.actions.is_empty() {
                        return Err(format!("'{}': nobody doubles before the first roll", short(text)));
                    }
                    if self.read.cubeless {
                        return Err(format!("'{}': there is no cube, by '; {NO_CUBE}'", short(text)));
                    }
                    self.cube.check(side, value).map_err(|problem| format!("'{}': {problem}", short(text)))?;
                    self.offered = Some(value);
                    Action::Double(value)
                }
                None if text.starts_with("Beavers") => {
                    return Err(format!("'{}': raccoons, which answer a beaver, are not read", short(text)));
                }
                None => {
                    let Some((dice, play)) = played(board, side, text)? else {
                        // Who resigned, or broke off, after a roll.
                        self.over = true;
                        return Ok(());
                    };
                    let mut position = Backgammon::at(*board, side, Some(dice));
                    position.play(Move::Play(play));
                    *board = *position.board();
                    Action::Play(dice, play)
                }
            },
        };
        self.over = action == Action::Drop;
        // Who doubles and is taken goes on.
        self.next = Some(side.other());
        game.actions.push((side, action));
        Ok(())
    }
}

/// The number of ` => 2` behind the first word of `text`.
fn turned(value: &str, text: &str, expected: &str) -> Result<u32, String> {
    let value = value.trim_start_matches([' ', '=', '>']).trim().parse();
    value.map_err(|_| format!("'{}': expected '{expected}'", short(text)))
}

/// The start of an error's text, at most.
fn short(text: &str) -> String {
    let cut: String = text.chars().take(60).map(|c| if c.is_control() { '?' } else { c }).collect();
    if text.chars().count() > 60 { cut + "…" } else { cut }
}

/// `Ada : 0                      Bob : 2`
fn players(line: &str) -> Option<MatGame> {
    // A name may have colons of its own: the first number behind one ends the first player's part. The second name stands beside it
    // where the first was too long for its column, in files of GNU Backgammon.
    let part = |beside: bool| {
        line.match_indices(" : ").find_map(|(at, _)| {
            let rest = &line[at + 3..];
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let (points, behind) = rest.split_at(digits);
            let ends = digits > 0 && (beside || behind.starts_with(char::is_whitespace));
            (ends && behind.contains(" : ")).then_some((&line[..at], points, behind))
        })
    };
    let clean = |name: &str| name.trim().chars().map(|c| if c.is_control() { '?' } else { c }).collect::<String>();
    let (first, points, rest) = part(false).or_else(|| part(true))?;
    let (second, other) = rest.trim().rsplit_once(" : ")?;
    Some(MatGame {
        players: [clean(first), clean(second)],
        score: [points.parse().ok()?, other.trim().parse().ok()?],
        ..MatGame::default()
    })
}

/// A line behind its number, and where that begins. Lines that tell who won may have none.
fn numbered(line: &str) -> Result<(usize, &str), String> {
    match line.split_once(')') {
        Some((number, rest)) if number.trim().parse::<u32>().is_ok() => Ok((number.len() + 1, rest)),
        _ if line.trim_start().starts_with("Wins ") => Ok((0, line)),
        _ => Err(format!("'{}': expected a numbered line of moves, such as '1) 31: 8/5 6/5'", short(line.trim()))),
    }
}

/// The actions of a line, with where they begin.
fn columns(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut words = Vec::new();
    for word in text.split_whitespace() {
        // A part of the text, so that its place is the difference.
        words.push((word.as_ptr() as usize - text.as_ptr() as usize, word));
    }
    let begins = |word: &str| {
        let roll =
            word.strip_suffix(':').is_some_and(|dice| dice.len() == 2 && dice.bytes().all(|b| b.is_ascii_digit()));
        roll || ["Doubles", "Beavers", "Takes", "Drops", "Wins"].contains(&word)
    };
    let mut starts: Vec<usize> = words.iter().filter(|(_, word)| begins(word)).map(|&(at, _)| at).collect();
    // What comes before any action is one that makes no sense, and is told as such.
    if words.first().is_some_and(|&(at, _)| starts.first() != Some(&at)) {
        starts.insert(0, words[0].0);
    }
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([text.len()]).collect();
    starts.into_iter().zip(ends).map(|(start, end)| (start, text[start..end].trim_end()))
}

/// `31: 8/5 6/5`; nothing if the roll could have been played in more than one way and was not, or nobody knows how (`31: ????`). The only
/// play need not be written.
fn played(board: &Board, side: Side, text: &str) -> Result<Option<(Dice, Play)>, String> {
    let expected = || format!("'{}': expected a roll and its play, such as '31: 8/5 6/5'", short(text));
    let (dice, steps) = text.split_once(':').ok_or_else(expected)?;
    let dice = match dice.as_bytes() {
        [one @ b'1'..=b'6', other @ b'1'..=b'6'] => Dice::new(one - b'0', other - b'0'),
        _ => None,
    };
    let dice = dice.ok_or_else(expected)?.sorted();
    let position = Backgammon::at(*board, side, Some(dice));
    if !matches!(position.phase(), Phase::ToPlay(..)) {
        return Err(format!("'{}': the game is over", short(text)));
    }
    let steps = steps.trim();
    if !steps.is_empty() && steps.bytes().all(|byte| byte == b'?') {
        return Ok(None);
    }
    if steps.is_empty() {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        if let [Move::Play(play)] = moves[..] {
            return Ok(Some((dice, play)));
        }
    }
    let nothing = steps.is_empty() || steps.eq_ignore_ascii_case("cannot move");
    let words = steps.split_whitespace().map(|word| {
        let word = word.strip_prefix("25/").map_or_else(|| word.to_string(), |rest| format!("bar/{rest}"));
        let (way, men) = word.split_at(word.find('(').unwrap_or(word.len()));
        way.strip_suffix("/0").map_or_else(|| word.clone(), |rest| format!("{rest}/off{men}"))
    });
    let written = if nothing { "pass".to_string() } else { words.collect::<Vec<_>>().join(" ") };
    let mv = position.parse_move(&written).map_err(|error| error.to_string())?;
    match mv {
        Move::Play(play) if position.is_legal(mv) => Ok(Some((dice, play))),
        _ if steps.is_empty() => Ok(None),
        _ => Err(format!("'{}': no legal play of this roll", short(text))),
    }
}

/// A name without what would make a line of names another: semicolons, breaks, and colons, at the first of which GNU Backgammon ends a name.
fn name_text(name: &str) -> String {
    let name = name.replace(|c: char| c.is_control() || c == ';' || c == ':', " ");
    let words: Vec<&str> = name.split_whitespace().collect();
    if words.is_empty() { "?".to_string() } else { words.join(" ") }
}

/// One action as its column has it.
fn action_text(board: &mut Board, side: Side, action: Action) -> String {
    let (dice, play) = match action {
        Action::Play(dice, play) => (dice, play),
        Action::Double(value) => return format!(" Doubles => {value}"),
        Action::Beaver(value) => return format!(" Beavers => {value}"),
        Action::Take => return " Takes".to_string(),
        Action::Drop => return " Drops".to_string(),
    };
    let (high, low) = dice.numbers();
    let mut text = format!("{high}{low}:");
    for step in play.steps() {
        let from = if step.from() == BAR { 25 } else { step.from() + 1 };
        let to = step.to().map_or(0, |to| to + 1);
        let hits = step.to().is_some_and(|to| board.men(side.other(), super::POINTS - 1 - to) == 1);
        text += &format!(" {from}/{to}{}", if hits { "*" } else { "" });
        board.step(side, step);
    }
    text
}

impl fmt::Display for MatMatch {
    /// As GNU Backgammon writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cubeless, no_crawford) = (self.cubeless, self.without_crawford);
        for (is_so, tag) in
            [(cubeless, NO_CUBE), (self.jacoby, JACOBY), (self.beavers, BEAVERS), (no_crawford, NO_CRAWFORD)]
        {
            if is_so {
                writeln!(f, "; {tag}\n")?;
            }
        }
        writeln!(f, " {} point match", self.length)?;
        for (number, game) in self.games.iter().enumerate() {
            writeln!(f, "\n Game {}", number + 1)?;
            let [left, right] = [0, 1].map(|side| format!("{} : {}", name_text(&game.players[side]), game.score[side]));
            writeln!(f, " {left:<30} {right}")?;
            let (mut board, mut line) = (Board::start(), 0);
            let mut in_left = false;
            for &(side, action) in &game.actions {
                let text = action_text(&mut board, side, action);
                if side == Side::First || !in_left {
                    line += 1;
                    write!(f, "{}{line:3}) ", if in_left { "\n" } else { "" })?;
                }
                match side {
                    Side::First => write!(f, "{text:<27} ")?,
                    Side::Second if in_left => writeln!(f, "{text}")?,
                    Side::Second => writeln!(f, "{:28}{text}", "")?,
                }
                in_left = side == Side::First;
            }
            if in_left {
                writeln!(f)?;
            }
            if let Some((side, points)) = game.won {
                let indent = if side == Side::First { 6 } else { RIGHT };
                writeln!(f, "{:indent$}Wins {points} point{}", "", if points == 1 { "" } else { "s" })?;
            }
        }
        Ok(())
    }
}
