//! Chess, on the move generator of the crate `cozy-chess`: [`Chess`].
//!
//! Checkmate, stalemate, the fifty-move rule and insufficient material end the game in the position itself; a position
//! that comes the third time is a draw, which only a [`Record`](crate::Record) can know. Chess960 is the same game from
//! other first positions: castling moves are written as the king taking its own rook, here and inside the generator.

pub mod epd;
mod notation;
pub mod pgn;
pub mod polyglot;

use crate::rng::mix;
use crate::{Deterministic, Game, IndexedMoves, Outcome, Repetition, Side, Turn};
use cozy_chess::{BitBoard, Board, Color, File, Piece, Rank, Square, get_pawn_attacks};

/// The move generator: squares, pieces and bitboards, for features and searches that look at them.
pub use cozy_chess;
pub use cozy_chess::Move;

/// The clock of the fifty-move rule counts moves of both sides.
const FIFTY_MOVES: u8 = 100;

/// From here on the fifty-move rule may matter to a search, and the clock to [`Game::key`].
const CLOCK_MATTERS: u8 = 60;

/// What a pawn may become, by the number that [`IndexedMoves`] gives it; 0 is no promotion.
const PROMOTIONS: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// Pairs of squares.
const SQUARE_PAIRS: usize = Square::NUM * Square::NUM;

const LIGHT_SQUARES: BitBoard = BitBoard(0x55AA_55AA_55AA_55AA);

/// A position of chess. White moves first.
///
/// ```
/// use afterstate_games::{Chess, Game, Notation, Outcome, Side, Turn};
/// let mut game = Chess::new();
/// // The fool's mate, in either notation.
/// for text in ["f2f3", "e7e5", "g4", "Qh4#"] {
///     game.play(game.parse_move(text)?);
/// }
/// assert_eq!(game.turn(), Turn::Over(Outcome::win(Side::Second)));
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chess {
    board: Board,
    /// Castling is written as in Chess960.
    chess960: bool,
}

impl Default for Chess {
    fn default() -> Self {
        Chess::new()
    }
}

impl Chess {
    /// The usual first position.
    pub fn new() -> Chess {
        Chess { board: Board::startpos(), chess960: false }
    }

    /// The first position of Chess960 with this number, 0 to 959, as R. Scharnagl counts them (518 is the usual
    /// one); `None` for other numbers.
    ///
    /// ```
    /// use afterstate_games::{Chess, Notation};
    /// assert!(Chess::chess960(518).unwrap().position_text().starts_with("rnbqkbnr/"));
    /// assert!(Chess::chess960(0).unwrap().position_text().starts_with("bbqnnrkr/"));
    /// assert!(Chess::chess960(960).is_none());
    /// ```
    pub fn chess960(number: u32) -> Option<Chess> {
        (number < 960).then(|| Chess { board: Board::chess960_startpos(number), chess960: true })
    }

    /// The pieces, rights and clocks.
    #[inline]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The same position, with castling written as in Chess960.
    pub fn as_chess960(mut self) -> Chess {
        self.chess960 = true;
        self
    }

    /// Whether castling is written as in Chess960.
    pub fn is_chess960(&self) -> bool {
        self.chess960
    }

    /// Whether neither side can ever checkmate: kings alone, with one knight or bishop, or with bishops on squares of one colour.
    ///
    /// ```
    /// use afterstate_games::{Chess, Notation};
    /// let drawn = |text: &str| Chess::parse_position(text).unwrap().has_insufficient_material();
    /// assert!(drawn("8/8/4k3/8/8/3NK3/8/8 w - - 0 1"));
    /// assert!(!drawn("8/8/4k3/8/8/3PK3/8/8 w - - 0 1"));
    /// ```
    pub fn has_insufficient_material(&self) -> bool {
        let board = &self.board;
        let (knights, bishops) = (board.pieces(Piece::Knight), board.pieces(Piece::Bishop));
        if board.occupied() != board.pieces(Piece::King) | knights | bishops {
            return false;
        }
        match knights.len() {
            0 => bishops & LIGHT_SQUARES == bishops || bishops & LIGHT_SQUARES == BitBoard::EMPTY,
            1 => bishops.is_empty(),
            _ => false,
        }
    }

    /// Whether the rules call it a draw although there may be legal moves.
    #[inline]
    fn is_drawn(&self) -> bool {
        self.board.halfmove_clock() >= FIFTY_MOVES || self.has_insufficient_material()
    }

    /// Who moves, or would if the game were not over.
    #[inline]
    pub fn side_to_move(&self) -> Side {
        match self.board.side_to_move() {
            Color::White => Side::First,
            Color::Black => Side::Second,
        }
    }

    /// Replaces the contents of `moves` by the legal captures, en passant among them; none if the game is over.
    ///
    /// ```
    /// use afterstate_games::{Chess, Notation};
    /// let game = Chess::parse_position("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")?;
    /// let mut captures = Vec::new();
    /// game.captures(&mut captures);
    /// assert_eq!(captures, [game.parse_move("exd6")?]);
    /// # Ok::<(), afterstate_games::NotationError>(())
    /// ```
    #[inline]
    pub fn captures(&self, moves: &mut Vec<Move>) {
        moves.clear();
        if self.is_drawn() {
            return;
        }
        let us = self.board.side_to_move();
        let theirs = self.board.colors(!us);
        let passant = self
            .board
            .en_passant()
            .map_or(BitBoard::EMPTY, |file| Square::new(file, Rank::Sixth.relative_to(us)).bitboard());
        self.board.generate_moves(|mut of_a_piece| {
            of_a_piece.to &= if of_a_piece.piece == Piece::Pawn { theirs | passant } else { theirs };
            moves.extend(of_a_piece);
            false
        });
    }

    /// Which man takes which, if a legal move is a capture.
    #[inline]
    pub fn exchange(&self, mv: Move) -> Option<(Piece, Piece)> {
        let attacker = self.board.piece_on(mv.from)?;
        match self.board.piece_on(mv.to) {
            // Castling is written as the king taking its own rook.
            Some(victim) => (self.board.color_on(mv.to) != self.board.color_on(mv.from)).then_some((attacker, victim)),
            None => (attacker == Piece::Pawn && mv.from.file() != mv.to.file()).then_some((attacker, Piece::Pawn)),
        }
    }

    /// The position after a null move: the side to move passes, as searches try it; `None` in check. No rule allows it, so
    /// the clock of the fifty-move rule begins anew: nothing before it can be repeated.
    ///
    /// ```
    /// use afterstate_games::{Chess, Notation, Side};
    /// let passed = Chess::new().after_null_move().unwrap();
    /// assert_eq!(passed.side_to_move(), Side::Second);
    /// assert!(Chess::parse_position("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1").unwrap().after_null_move().is_none());
    /// ```
    pub fn after_null_move(&self) -> Option<Chess> {
        let mut board = self.board.null_move()?;
        board.set_halfmove_clock(0);
        Some(Chess { board, chess960: self.chess960 })
    }

    /// Whether some pawn may really take en passant: only then does the right to make a difference.
    fn can_take_en_passant(&self) -> bool {
        let Some(file) = self.board.en_passant() else { return false };
        let us = self.board.side_to_move();
        let to = Square::new(file, Rank::Sixth.relative_to(us));
        let pawns = get_pawn_attacks(to, !us) & self.board.colored_pieces(us, Piece::Pawn);
        pawns.into_iter().any(|from| self.board.is_legal(Move { from, to, promotion: None }))
    }
}

impl Game for Chess {
    type Move = Move;

    const REPETITION: Repetition = Repetition::DrawAt(3);

    #[inline]
    fn turn(&self) -> Turn {
        let side = self.side_to_move();
        let can_move = self.board.generate_moves(|_| true);
        if !can_move && !self.board.checkers().is_empty() {
            Turn::Over(Outcome::win(side.other()))
        } else if !can_move || self.is_drawn() {
            Turn::Over(Outcome::DRAW)
        } else {
            Turn::Player(side)
        }
    }

    #[inline]
    fn legal_moves(&self, moves: &mut Vec<Move>) {
        moves.clear();
        if !self.is_drawn() {
            self.board.generate_moves(|of_a_piece| {
                moves.extend(of_a_piece);
                false
            });
        }
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        !self.is_drawn() && self.board.is_legal(mv)
    }

    #[inline]
    fn play(&mut self, mv: Move) {
        self.board.play_unchecked(mv);
    }

    /// The clock of the fifty-move rule counts only when that is near: before, positions that differ in it are the same to a search.
    #[inline]
    fn key(&self) -> u64 {
        let clock = self.board.halfmove_clock();
        let near = if clock < CLOCK_MATTERS { 0 } else { mix(u64::from(clock)) };
        self.repetition_key() ^ near
    }

    /// Pieces, side to move, castling rights, and whether en passant is possible (FIDE Laws of Chess, 9.2).
    #[inline]
    fn repetition_key(&self) -> u64 {
        if self.can_take_en_passant() { self.board.hash() } else { self.board.hash_without_ep() }
    }
}

impl Deterministic for Chess {}

/// Moves are numbered by their squares and promotions; castling as the king taking its own rook.
impl IndexedMoves for Chess {
    #[inline]
    fn move_index(&self, mv: Move) -> usize {
        let promotion = mv.promotion.map_or(0, |piece| piece as usize);
        promotion * SQUARE_PAIRS + mv.from as usize * Square::NUM + mv.to as usize
    }

    #[inline]
    fn move_at(&self, index: usize) -> Move {
        let (promotion, pair) = (index / SQUARE_PAIRS, index % SQUARE_PAIRS);
        Move {
            from: Square::index(pair / Square::NUM),
            to: Square::index(pair % Square::NUM),
            promotion: promotion.checked_sub(1).map(|promotion| PROMOTIONS[promotion]),
        }
    }

    fn index_count(&self) -> usize {
        (1 + PROMOTIONS.len()) * SQUARE_PAIRS
    }

    /// Sixteen men of one colour, were all but the king queens in the middle of an empty board. Positions that can be
    /// reached have 218 at most, but others can be set up.
    fn most_moves(&self) -> usize {
        const KING: usize = 8 + 2;
        const QUEEN: usize = 27;
        KING + 15 * QUEEN
    }
}

/// Whether king and rooks castle from where they stand in the usual first position.
fn castles_as_usual(board: &Board) -> bool {
    [Color::White, Color::Black].into_iter().all(|color| {
        let rights = board.castle_rights(color);
        let usual = |right: Option<File>, rook| right.is_none_or(|file| file == rook);
        let king = rights.short.or(rights.long).is_none_or(|_| board.king(color).file() == File::E);
        king && usual(rights.short, File::H) && usual(rights.long, File::A)
    })
}
