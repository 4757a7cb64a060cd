//! Positions as FEN, moves as UCI writes them and as people do (SAN).

use super::{Chess, Move, castles_as_usual};
use crate::{Notation, NotationError};
use cozy_chess::util::{display_san_move, display_uci_move, parse_san_move, parse_uci_move};
use cozy_chess::{Board, Color, File, Piece, Rank, Square, get_king_moves};

impl Chess {
    /// A legal move in standard algebraic notation: `Nf3`, `exd8=Q+`, `O-O`. Illegal ones have none, and come out as
    /// [`Notation::move_text`] writes them.
    ///
    /// ```
    /// use afterstate_games::{Chess, Notation};
    /// let game = Chess::new();
    /// assert_eq!(game.san(game.parse_move("g1f3")?), "Nf3");
    /// # Ok::<(), afterstate_games::NotationError>(())
    /// ```
    pub fn san(&self, mv: Move) -> String {
        if self.board.is_legal(mv) { display_san_move(&self.board, mv).to_string() } else { self.move_text(mv) }
    }

    /// A legal move from standard algebraic notation. Signs for check and quality may be missing or wrong, and castling may be
    /// written with zeros.
    ///
    /// # Errors
    ///
    /// If no legal move, or more than one, is written like that.
    pub fn parse_san(&self, text: &str) -> Result<Move, NotationError> {
        let bare = text.trim_end_matches(['+', '#', '!', '?']);
        let castling = if bare.starts_with("0-0") { bare.replace('0', "O") } else { bare.to_string() };
        let known = castling.is_ascii().then(|| parse_san_move(&self.board, &castling).ok()).flatten();
        // To the library, castling is the king taking its own rook, in whatever way that is written.
        let is_castling = |mv: Move| self.board.color_on(mv.to) == Some(self.board.side_to_move());
        known
            .filter(|&mv| self.board.is_legal(mv) && is_castling(mv) == castling.starts_with('O'))
            .ok_or_else(|| NotationError::new("move", text, "a legal move such as e2e4, e7e8q, Nf3, exd5 or O-O"))
    }

    /// A legal move in either notation, as files have them.
    pub(super) fn parse_legal(&self, text: &str) -> Result<Move, NotationError> {
        let legal = |text: &str| self.parse_move(text).ok().filter(|&mv| self.board.is_legal(mv));
        self.parse_san(text).or_else(|error| {
            // Some programs write moves as UCI does, in the long form with a stroke, or new pieces with small letters.
            let short = text.replace('-', "");
            let large = |text: &str| text.split_once('=').map(|(mv, new)| format!("{mv}={}", new.to_ascii_uppercase()));
            legal(text)
                .or_else(|| self.parse_san(&short).ok().or_else(|| legal(&short)))
                .or_else(|| legal(&large(&short)?))
                .ok_or(error)
        })
    }

    /// The piece on a square as FEN writes it, or a point.
    fn symbol(&self, square: Square) -> char {
        let Some(piece) = self.board.piece_on(square) else { return '.' };
        let letter = char::from(piece);
        if self.board.color_on(square) == Some(Color::White) { letter.to_ascii_uppercase() } else { letter }
    }
}

impl Notation for Chess {
    const NAME: &'static str = "chess";

    /// As UCI writes moves: `e2e4`, `e7e8q`; castling is `e1g1`, and `e1h1` in Chess960.
    fn move_text(&self, mv: Move) -> String {
        // Only a move of a king that stands there can be castling.
        if self.chess960 || self.board.piece_on(mv.from) != Some(Piece::King) {
            return mv.to_string();
        }
        display_uci_move(&self.board, mv).to_string()
    }

    /// A move as UCI writes it, or a legal one in standard algebraic notation.
    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        let looks_like_uci = matches!(text.as_bytes(), [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8', ..]);
        match looks_like_uci
            .then(|| if self.chess960 { text.parse().ok() } else { parse_uci_move(&self.board, text).ok() })
        {
            Some(Some(mv)) => Ok(mv),
            _ => self.parse_san(text),
        }
    }

    /// FEN; with Shredder's castling rights in Chess960.
    fn position_text(&self) -> String {
        if self.chess960 { format!("{:#}", self.board) } else { self.board.to_string() }
    }

    /// FEN; in Chess960 castling rights may be the files of the rooks (Shredder's FEN) or `KQkq`, which then mean the
    /// outermost rooks (X-FEN). The two counts may be missing, or outside of what a game allows: some programs count moves from 0,
    /// and go on counting after fifty moves.
    fn parse_position(text: &str) -> Result<Chess, NotationError> {
        let error = |expected: &str| NotationError::new("position", text, expected);
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let counts = match fields.len() {
            4 => "0 1".to_string(),
            6 => counts_in_range(fields[4], fields[5]),
            _ => return Err(error("a FEN of six fields: pieces, w or b, castling, en passant and two counts")),
        };
        let rights_of_files = fields[2].contains(|c| matches!(c, 'a'..='h' | 'A'..='H'));
        let read = |rights: &str, of_files| {
            Board::from_fen(&format!("{} {} {rights} {} {counts}", fields[0], fields[1], fields[3]), of_files)
        };
        let board = read(fields[2], rights_of_files).or_else(|why| {
            let of_files = rights_of_outermost_rooks(fields[0], fields[2]).ok_or(why)?;
            read(&of_files, true).map_err(|_| why)
        });
        let board = board.map_err(|why| {
            let why = why.to_string();
            error(&format!("a FEN of a position that can be played ({})", why.trim_end_matches('.').to_lowercase()))
        })?;
        // The generator checks neither.
        if fields[0].split('/').count() != Rank::NUM {
            return Err(error("a FEN of eight ranks, with '/' between them"));
        }
        let [white, black] = [Color::White, Color::Black].map(|color| board.king(color));
        if get_king_moves(white).has(black) {
            return Err(error("a FEN of a position that can be played (the kings stand side by side)"));
        }
        let chess960 = rights_of_files || !castles_as_usual(&board);
        Ok(Chess { board, chess960 })
    }

    fn diagram(&self) -> String {
        let mut text = String::new();
        for &rank in Rank::ALL.iter().rev() {
            text += &format!("{} ", rank as usize + 1);
            for file in File::ALL {
                text.push(' ');
                text.push(self.symbol(Square::new(file, rank)));
            }
            text.push('\n');
        }
        text + "\n   a b c d e f g h\n"
    }
}

/// The counts of a FEN, brought to the nearest that a game allows.
fn counts_in_range(halfmoves: &str, moves: &str) -> String {
    let within = |text: &str, least: u64, most: u64| match text.bytes().all(|byte| byte.is_ascii_digit()) {
        // Only numbers beyond what fits cannot be read.
        true if !text.is_empty() => text.parse().unwrap_or(most).clamp(least, most).to_string(),
        _ => text.to_string(),
    };
    format!("{} {}", within(halfmoves, 0, 100), within(moves, 1, u16::MAX.into()))
}

/// Castling rights as the files of rooks: `KQkq` are the outermost ones on each side of the king.
fn rights_of_outermost_rooks(pieces: &str, rights: &str) -> Option<String> {
    let ranks: Vec<String> = pieces
        .split('/')
        .map(|rank| {
            let widths = rank.chars().map(|c| c.to_digit(10).map_or(c.to_string(), |empty| ".".repeat(empty as usize)));
            widths.collect()
        })
        .collect();
    let [black, .., white] = &ranks[..] else { return None };
    let file = |right: char| {
        let (rank, king, rook) = if right.is_ascii_uppercase() { (white, 'K', 'R') } else { (black, 'k', 'r') };
        let king = rank.find(king)?;
        let file = match right.to_ascii_lowercase() {
            'k' => rank.rfind(rook).filter(|&file| file > king)?,
            'q' => rank.find(rook).filter(|&file| file < king)?,
            // X-FEN names the file where another rook stands further out.
            'a'..='h' => return Some(right),
            _ => return None,
        };
        let letter = char::from(File::try_index(file)?);
        Some(if right.is_ascii_uppercase() { letter.to_ascii_uppercase() } else { letter })
    };
    rights.chars().map(file).collect()
}
