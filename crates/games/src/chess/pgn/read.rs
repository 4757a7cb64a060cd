//! From tokens to games.

use super::annotation::take_apart;
use super::tokens::{self, Token, Tokens};
use super::{PgnError, PgnGame, PgnLine, PgnMove};
use crate::chess::Chess;
use crate::{Game, Notation, NotationError};
use cozy_chess::Piece;
use std::io::BufRead;

/// No game is longer, in bytes, comments and variations included.
pub const LONGEST_GAME: usize = 1 << 24;

/// Variations of variations go no deeper.
const DEEPEST: u32 = 64;

/// No game has more moves, those of variations included, and variations count as moves.
const MOST_MOVES: usize = 250_000;

/// Reads games one after the other. After a game that is wrong it goes on with the next.
///
/// ```
/// use afterstate_games::chess::pgn::PgnReader;
/// let text = "1. e4 e5 *\n\n[White \"Ada\"]\n\n1. e4 Ke7\n\n[White \"Bob\"]\n\n1. d4 1-0\n";
/// let mut games = PgnReader::new(text.as_bytes());
/// assert_eq!(games.next().unwrap().unwrap().moves().count(), 2);
/// let error = games.next().unwrap().unwrap_err();
/// assert!(error.to_string().starts_with("PGN, line 5, move 1 of Black: move 'Ke7': expected a legal move"), "{error}");
/// assert_eq!(games.next().unwrap().unwrap().tag("White"), Some("Bob"));
/// assert!(games.next().is_none());
/// ```
pub struct PgnReader<R> {
    tokens: Tokens<R>,
    /// Moves and variations of the game that is read.
    moves: usize,
    /// In how many variations it is read.
    depth: u32,
    failed: bool,
}

impl<R: BufRead> PgnReader<R> {
    /// Reads what `source` gives.
    pub fn new(source: R) -> Self {
        PgnReader { tokens: Tokens::new(source), moves: 0, depth: 0, failed: false }
    }

    /// `moves`: set as soon as the tags have been read.
    fn game(&mut self, moves: &mut bool) -> Result<Option<PgnGame>, PgnError> {
        let mut game = PgnGame::default();
        (self.tokens.length, self.moves, self.depth) = (0, 0, 0);
        let mut said = PgnLine::default();
        loop {
            match self.tokens.next()? {
                // Every game begins with this tag: one without moves or result has ended.
                Some(Token::Tag(name, value)) if name == "Event" && game.tag("Event").is_some() => {
                    self.tokens.give_back(Token::Tag(name, value));
                    break;
                }
                Some(Token::Tag(name, value)) => {
                    self.limit()?;
                    if game.tags.is_empty() {
                        // What was said before belongs to no game.
                        said = PgnLine::default();
                    }
                    game.tags.push((name, value));
                }
                Some(Token::Comment(comment)) => {
                    self.limit()?;
                    say(&mut said, &comment);
                }
                Some(other) => {
                    self.tokens.give_back(other);
                    break;
                }
                None if game.tags.is_empty() => return Ok(None),
                None => break,
            }
        }
        let line = self.tokens.line;
        game.start = first_position(&game).map_err(|error| PgnError::Start { line, error })?;
        *moves = true;
        let start = game.start.clone();
        game.line = self.line(start, 0)?.unwrap_or_default();
        if !said.comment.is_empty() {
            say(&mut said, &game.line.comment);
            game.line.comment = said.comment;
        }
        game.outcome = match self.tokens.next()? {
            Some(Token::End(outcome)) => outcome,
            Some(token @ Token::Tag(..)) => {
                self.tokens.give_back(token);
                None
            }
            Some(Token::Close) => return Err(self.tokens.error("')'", "a move, or the result")),
            _ => None,
        };
        // Some programs say it there alone.
        game.outcome = game.outcome.or_else(|| game.tag("Result").and_then(tokens::result).flatten());
        Ok(Some(game))
    }

    fn limit(&self) -> Result<(), PgnError> {
        if self.tokens.length > LONGEST_GAME {
            return Err(self.tokens.error("over 16 MiB in one game", "shorter games"));
        }
        if self.moves > MOST_MOVES {
            return Err(self.tokens.error("over 250,000 moves in one game", "shorter games"));
        }
        Ok(())
    }

    /// Moves, up to something that does not belong to them. A variation that shows what somebody threatens, by letting the other
    /// side pass, ends there; `None`: there is nothing before that.
    fn line(&mut self, mut position: Chess, depth: u32) -> Result<Option<PgnLine>, PgnError> {
        let mut line = PgnLine::default();
        let mut before = position.clone();
        loop {
            self.limit()?;
            match self.tokens.next()? {
                Some(Token::Word(word)) if depth > 0 && is_null_move(&word) => {
                    self.skip_variation()?;
                    return Ok((!line.moves.is_empty()).then_some(line));
                }
                Some(Token::Word(word)) => {
                    let took = line.moves.last().is_some_and(|last| is_en_passant(&before, last.mv));
                    if took && is_en_passant_mark(&word) {
                        continue;
                    }
                    let mv = self.legal_move(&position, without_en_passant_mark(&word))?;
                    self.moves += 1;
                    before.clone_from(&position);
                    position.play(mv);
                    line.moves.push(PgnMove::new(mv));
                }
                Some(Token::Nag(nag)) => {
                    if let Some(last) = line.moves.last_mut() {
                        last.nags.push(nag);
                    }
                }
                Some(Token::Comment(comment)) => say(&mut line, &comment),
                Some(Token::Open) => {
                    let Some(instead) = line.moves.last_mut() else {
                        return Err(self
                            .tokens
                            .error("'(' before any move", "a variation after the move that it replaces"));
                    };
                    if depth == DEEPEST {
                        return Err(self.tokens.error("variations in each other, too deep", "64 levels at most"));
                    }
                    self.moves += 1;
                    self.depth = depth + 1;
                    let variation = self.line(before.clone(), depth + 1)?;
                    // Some programs end a variation with its result.
                    let mut end = self.tokens.next()?;
                    if matches!(end, Some(Token::End(_))) {
                        end = self.tokens.next()?;
                    }
                    if end != Some(Token::Close) {
                        // It may belong to the next game.
                        end.into_iter().for_each(|token| self.tokens.give_back(token));
                        return Err(self.tokens.error("a variation without its end", "')'"));
                    }
                    self.depth = depth;
                    instead.variations.extend(variation);
                }
                Some(other) => {
                    self.tokens.give_back(other);
                    return Ok(Some(line));
                }
                None => return Ok(Some(line)),
            }
        }
    }

    /// Skips the rest of a variation, up to what ends it or belongs to the next game.
    fn skip_variation(&mut self) -> Result<(), PgnError> {
        let mut inside = 0;
        loop {
            self.limit()?;
            match self.tokens.next()? {
                Some(Token::Open) => inside += 1,
                Some(Token::Close) if inside > 0 => inside -= 1,
                Some(Token::End(_)) if inside > 0 => {}
                Some(token @ (Token::Close | Token::Tag(..) | Token::End(_))) => {
                    self.tokens.give_back(token);
                    return Ok(());
                }
                Some(_) => {}
                None => return Ok(()),
            }
        }
    }

    fn legal_move(&self, position: &Chess, word: &str) -> Result<super::Move, PgnError> {
        position.parse_legal(word).map_err(|error| PgnError::Move {
            line: self.tokens.line,
            number: position.board().fullmove_number(),
            side: position.side_to_move(),
            error,
        })
    }

    /// Skips the rest of a game that is wrong.
    fn skip_game(&mut self, mut moves: bool) {
        let mut inside = self.depth;
        loop {
            match self.tokens.next() {
                Ok(Some(token @ Token::Tag(..))) if moves => return self.tokens.give_back(token),
                Ok(Some(Token::Tag(..))) => {}
                // Variations may have a result of their own.
                Ok(Some(Token::End(_))) if inside > 0 => {}
                Ok(None | Some(Token::End(_))) => return,
                Ok(Some(Token::Open)) => inside += 1,
                Ok(Some(Token::Close)) => inside = inside.saturating_sub(1),
                Err(PgnError::Read { .. }) => {
                    self.failed = true;
                    return;
                }
                Ok(Some(_)) | Err(_) => moves = true,
            }
        }
    }
}

impl<R: BufRead> Iterator for PgnReader<R> {
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let mut moves = false;
        match self.game(&mut moves) {
            Ok(game) => game.map(Ok),
            Err(error) => {
                if matches!(error, PgnError::Read { .. }) {
                    self.failed = true;
                } else {
                    self.skip_game(moves);
                }
                Some(Err(error))
            }
        }
    }
}

/// As ChessBase and others write that a side does not move.
fn is_null_move(word: &str) -> bool {
    matches!(word, "--" | "Z0" | "z0")
}

/// Whether a pawn takes another in passing.
fn is_en_passant(position: &Chess, mv: super::Move) -> bool {
    let board = position.board();
    board.piece_on(mv.from) == Some(Piece::Pawn) && mv.from.file() != mv.to.file() && board.piece_on(mv.to).is_none()
}

/// What is left of `e.p.` behind a move when its points are left out, perhaps with the sign of a check.
fn is_en_passant_mark(word: &str) -> bool {
    matches!(word.trim_end_matches(['+', '#']), "e" | "p" | "ep" | "")
}

/// `exf6e.p.` without a space between them.
fn without_en_passant_mark(word: &str) -> &str {
    let bare = word.strip_suffix("ep").or_else(|| word.strip_suffix('e')).unwrap_or(word);
    if bare.ends_with(['3', '6']) { bare } else { word }
}

/// What FEN and Variant say, or else the usual first position.
fn first_position(game: &PgnGame) -> Result<Chess, NotationError> {
    let start = match game.tag("FEN") {
        Some(fen) => Chess::parse_position(fen)?,
        None => Chess::new(),
    };
    let name = game.tag("Variant").unwrap_or_default();
    match &name.to_ascii_lowercase().replace([' ', '-'], "")[..] {
        "chess960" | "fischerandom" | "fischerrandom" | "freestyle" => Ok(start.as_chess960()),
        "" | "?" | "chess" | "standard" | "normal" | "classical" | "fromposition" => Ok(start),
        _ => Err(NotationError::new("variant", name, "chess or Chess960")),
    }
}

/// A comment belongs to the move before it, or to the whole line.
fn say(line: &mut PgnLine, comment: &str) {
    let (text, evaluation, clock) = take_apart(comment);
    let whole = match line.moves.last_mut() {
        Some(last) => {
            last.evaluation = evaluation.or(last.evaluation);
            last.clock = clock.or(last.clock);
            &mut last.comment
        }
        None => {
            // There is no move to have an evaluation or a clock, so they stay in the text.
            return join(&mut line.comment, &comment.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    };
    join(whole, &text);
}

fn join(whole: &mut String, text: &str) {
    if !whole.is_empty() && !text.is_empty() {
        whole.push(' ');
    }
    whole.push_str(text);
}
