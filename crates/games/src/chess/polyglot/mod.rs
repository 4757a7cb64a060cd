//! Opening books as Polyglot has them (`.bin`): [`Book`] looks positions up in the file, without loading it.
//!
//! A book is a list of entries of 16 bytes, big endian, sorted by key: the [`key`] of a position (8 bytes), a move (2), its
//! weight (2), and a number for programs that learn (4). A move's bits are, from the lowest, three each for the file and rank
//! it goes to, the file and rank it comes from, and the promotion (0 none, then knight, bishop, rook, queen). Castling is the
//! king taking its own rook.

mod random;

use super::{Chess, Move};
use crate::Game;
use crate::rng::{Rng, below};
use cozy_chess::{Color, File, Piece, Rank, Square, get_pawn_attacks};
use random::RANDOM;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use thiserror::Error;

/// Bytes of an entry.
const ENTRY: u64 = 16;

/// More entries of one position than moves of any.
const MOST_MOVES: usize = 512;

/// Where each group of numbers begins.
const CASTLING: usize = 768;
const EN_PASSANT: usize = 772;
const TURN: usize = 780;

/// The key by which books know a position.
///
/// A right to take en passant counts if a pawn stands beside the one that has just moved, even one that is pinned.
///
/// ```
/// use afterstate_games::chess::polyglot::key;
/// use afterstate_games::{Chess, Game, Notation};
/// let mut game = Chess::new();
/// assert_eq!(key(&game), 0x463b96181691fc9c);
/// game.play(game.parse_move("e2e4")?);
/// assert_eq!(key(&game), 0x823c9b50fd114196);
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
pub fn key(position: &Chess) -> u64 {
    let board = position.board();
    let mut key = 0;
    for (number, &piece) in Piece::ALL.iter().enumerate() {
        for color in [Color::Black, Color::White] {
            let kind = 2 * number + usize::from(color == Color::White);
            for square in board.colored_pieces(color, piece) {
                key ^= RANDOM[64 * kind + square as usize];
            }
        }
    }
    let [white, black] = [Color::White, Color::Black].map(|color| *board.castle_rights(color));
    for (number, right) in [white.short, white.long, black.short, black.long].into_iter().enumerate() {
        if right.is_some() {
            key ^= RANDOM[CASTLING + number];
        }
    }
    let us = board.side_to_move();
    if let Some(file) = board.en_passant() {
        let to = Square::new(file, Rank::Sixth.relative_to(us));
        if !(get_pawn_attacks(to, !us) & board.colored_pieces(us, Piece::Pawn)).is_empty() {
            key ^= RANDOM[EN_PASSANT + file as usize];
        }
    }
    if us == Color::White {
        key ^= RANDOM[TURN];
    }
    key
}

/// Why a book cannot be used.
#[derive(Debug, Error)]
pub enum BookError {
    /// The source could not be read.
    #[error("opening book: {0}")]
    Read(#[from] io::Error),
    /// It cannot be a book.
    #[error(
        "opening book: {size} bytes: expected entries of {ENTRY} bytes each, and at least one; the file may be cut off"
    )]
    Size {
        /// Bytes of the source.
        size: u64,
    },
    /// Entries stand in the wrong order.
    #[error("opening book, entry {entry}: its key {key:016x} is out of order: expected entries sorted by key")]
    Order {
        /// Its number, from 0.
        entry: u64,
        /// Its key.
        key: u64,
    },
    /// Too many entries for one position.
    #[error("opening book, entry {entry}: expected at most {MOST_MOVES} entries for one position")]
    Crowded {
        /// The number of the first one too many, from 0.
        entry: u64,
    },
}

/// A move of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move.
    pub mv: Move,
    /// How often the book wants it, in proportion to the others; 0 is never.
    pub weight: u16,
    /// What programs that learn wrote there.
    pub learn: u32,
}

/// A book in a file, or in memory.
///
/// ```
/// use afterstate_games::chess::polyglot::{Book, BookMove, entry, key};
/// use afterstate_games::{Chess, Notation};
/// use std::io::Cursor;
/// let start = Chess::new();
/// let book = |text, weight| -> Result<_, afterstate_games::NotationError> {
///     Ok(entry(key(&start), BookMove { mv: start.parse_move(text)?, weight, learn: 0 }))
/// };
/// let bytes = [book("e2e4", 3)?, book("d2d4", 1)?].concat();
/// let mut book = Book::new(Cursor::new(bytes))?;
/// assert_eq!(book.best(&start)?.unwrap().to_string(), "e2e4");
/// assert_eq!(book.moves(&start)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Book<R> {
    source: R,
    entries: u64,
}

impl Book<std::fs::File> {
    /// The book in a file.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, or is not made of whole entries.
    pub fn open(path: &Path) -> Result<Self, BookError> {
        Book::new(std::fs::File::open(path)?)
    }
}

impl<R: Read + Seek> Book<R> {
    /// The book that `source` holds.
    ///
    /// # Errors
    ///
    /// If it is not made of whole entries.
    pub fn new(mut source: R) -> Result<Self, BookError> {
        let size = source.seek(SeekFrom::End(0))?;
        if size == 0 || size % ENTRY != 0 {
            return Err(BookError::Size { size });
        }
        Ok(Book { source, entries: size / ENTRY })
    }

    /// How many entries there are.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// The legal moves that the book has for a position, as they stand there. Entries whose moves are not legal belong to
    /// another position with the same key, or to nobody, and are left out.
    ///
    /// # Errors
    ///
    /// If the book cannot be read, or the entries on the way are not sorted.
    pub fn moves(&mut self, position: &Chess) -> Result<Vec<BookMove>, BookError> {
        let wanted = key(position);
        let mut moves = Vec::new();
        let first = self.first(wanted)?;
        for number in first..self.entries {
            let (key, packed, weight, learn) = self.entry(number)?;
            if key != wanted {
                if key < wanted {
                    return Err(BookError::Order { entry: number, key });
                }
                break;
            }
            if number - first >= MOST_MOVES as u64 {
                return Err(BookError::Crowded { entry: number });
            }
            let mv = unpack(packed);
            if position.is_legal(mv) {
                moves.push(BookMove { mv, weight, learn });
            }
        }
        Ok(moves)
    }

    /// The move with the greatest weight, the first of them if there are several; `None` if the book wants nothing here.
    ///
    /// # Errors
    ///
    /// As [`Book::moves`].
    pub fn best(&mut self, position: &Chess) -> Result<Option<Move>, BookError> {
        let moves = self.moves(position)?;
        let best = moves.iter().rev().max_by_key(|book| book.weight);
        Ok(best.filter(|book| book.weight > 0).map(|book| book.mv))
    }

    /// A random move, as often as its weight says; `None` if the book wants nothing here.
    ///
    /// # Errors
    ///
    /// As [`Book::moves`].
    pub fn draw(&mut self, position: &Chess, rng: &mut Rng) -> Result<Option<Move>, BookError> {
        let moves = self.moves(position)?;
        let total: u32 = moves.iter().map(|book| u32::from(book.weight)).sum();
        if total == 0 {
            return Ok(None);
        }
        let mut left = below(rng, total);
        let drawn = moves.iter().find(|book| {
            let here = left < u32::from(book.weight);
            left = left.saturating_sub(u32::from(book.weight));
            here
        });
        Ok(drawn.map(|book| book.mv))
    }

    /// The number of the first entry whose key is not smaller.
    fn first(&mut self, wanted: u64) -> Result<u64, BookError> {
        let (mut low, mut high) = (0, self.entries);
        // What was seen at both ends: in a sorted book everything between lies between.
        let (mut least, mut most) = (0, u64::MAX);
        while low < high {
            let middle = low + (high - low) / 2;
            let (key, ..) = self.entry(middle)?;
            if !(least..=most).contains(&key) {
                return Err(BookError::Order { entry: middle, key });
            }
            if key < wanted {
                (low, least) = (middle + 1, key);
            } else {
                (high, most) = (middle, key);
            }
        }
        Ok(low)
    }

    fn entry(&mut self, number: u64) -> Result<(u64, u16, u16, u32), BookError> {
        self.source.seek(SeekFrom::Start(number * ENTRY))?;
        let mut bytes = [0; ENTRY as usize];
        self.source.read_exact(&mut bytes)?;
        let whole = u128::from_be_bytes(bytes);
        Ok(((whole >> 64) as u64, (whole >> 48) as u16, (whole >> 32) as u16, whole as u32))
    }
}

/// An entry as it stands in a book; a book is such entries, sorted by key.
pub fn entry(key: u64, book: BookMove) -> [u8; ENTRY as usize] {
    let square = |square: Square| 8 * (square.rank() as u128) + square.file() as u128;
    let promotion = book.mv.promotion.map_or(0, |piece| piece as u128);
    let packed = promotion << 12 | square(book.mv.from) << 6 | square(book.mv.to);
    (u128::from(key) << 64 | packed << 48 | u128::from(book.weight) << 32 | u128::from(book.learn)).to_be_bytes()
}

fn unpack(packed: u16) -> Move {
    let square = |bits: u16| Square::new(File::index(usize::from(bits & 7)), Rank::index(usize::from(bits >> 3 & 7)));
    let promotion = match packed >> 12 & 7 {
        1 => Some(Piece::Knight),
        2 => Some(Piece::Bishop),
        3 => Some(Piece::Rook),
        4 => Some(Piece::Queen),
        _ => None,
    };
    Move { from: square(packed >> 6), to: square(packed), promotion }
}
