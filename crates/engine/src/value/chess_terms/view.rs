//! What the terms look at: a position with the attacks of all its men, worked out once.

use afterstate_games::Chess;
use afterstate_games::chess::cozy_chess::{
    BitBoard, Board, Color, File, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves, get_rook_moves,
};

/// A side has no more men than these.
const MOST_MEN: usize = 16;

/// A piece (not a pawn, not the king) and the squares that it attacks, men of either side included.
#[derive(Clone, Copy)]
pub(super) struct Man {
    pub(super) piece: Piece,
    pub(super) square: Square,
    pub(super) attacks: BitBoard,
}

/// One side of a position.
pub(super) struct Camp {
    pub(super) color: Color,
    pub(super) king: Square,
    /// By kind.
    pub(super) pieces: [BitBoard; 6],
    pub(super) all: BitBoard,
    pub(super) pawn_attacks: BitBoard,
    pub(super) king_attacks: BitBoard,
    /// What pieces of each kind attack.
    pub(super) attacks: [BitBoard; 6],
    /// What any man attacks.
    pub(super) attacked: BitBoard,
    /// Whether it may still castle.
    pub(super) may_castle: bool,
    /// The king's square, those around it and those in front of them.
    pub(super) king_zone: BitBoard,
    men: [Man; MOST_MEN],
    count: usize,
}

impl Camp {
    fn new(board: &Board, color: Color) -> Camp {
        let pieces = Piece::ALL.map(|piece| board.colored_pieces(color, piece));
        let king = board.king(color);
        let pawn_attacks = pawn_attacks(pieces[Piece::Pawn as usize], color);
        let king_attacks = get_king_moves(king);
        let zone = king_attacks | king.bitboard();
        let rights = board.castle_rights(color);
        let none = Man { piece: Piece::Knight, square: Square::A1, attacks: BitBoard::EMPTY };
        let mut camp = Camp {
            color,
            king,
            pieces,
            all: board.colors(color),
            pawn_attacks,
            king_attacks,
            attacks: [BitBoard::EMPTY; 6],
            attacked: pawn_attacks | king_attacks,
            may_castle: rights.short.is_some() || rights.long.is_some(),
            king_zone: zone | forward(zone, color),
            men: [none; MOST_MEN],
            count: 0,
        };
        let occupied = board.occupied();
        for piece in [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen] {
            for square in pieces[piece as usize] {
                let attacks = match piece {
                    Piece::Knight => get_knight_moves(square),
                    Piece::Bishop => get_bishop_moves(square, occupied),
                    Piece::Rook => get_rook_moves(square, occupied),
                    _ => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
                };
                if camp.count < MOST_MEN {
                    camp.men[camp.count] = Man { piece, square, attacks };
                    camp.count += 1;
                }
                camp.attacks[piece as usize] |= attacks;
            }
        }
        camp.attacks[Piece::Pawn as usize] = pawn_attacks;
        camp.attacks[Piece::King as usize] = king_attacks;
        for attacks in camp.attacks {
            camp.attacked |= attacks;
        }
        camp
    }

    /// Knights, bishops, rooks, queens.
    #[inline(always)]
    pub(super) fn men(&self) -> &[Man] {
        &self.men[..self.count]
    }

    #[inline(always)]
    pub(super) fn pawns(&self) -> BitBoard {
        self.pieces[Piece::Pawn as usize]
    }

    #[inline(always)]
    pub(super) fn of(&self, piece: Piece) -> BitBoard {
        self.pieces[piece as usize]
    }

    /// A square as this side sees the board: its own first rank is the first.
    #[inline(always)]
    pub(super) fn relative(&self, square: Square) -> usize {
        square as usize ^ (56 * self.color as usize)
    }
}

/// How many stages there are.
pub(super) const STAGES: usize = 3;

/// What the pieces on the board weigh: 1 (knight, bishop), 2 (rook), 4 (queen).
#[inline]
fn weight(board: &Board) -> usize {
    let count = |piece| board.pieces(piece).len() as usize;
    count(Piece::Knight) + count(Piece::Bishop) + 2 * count(Piece::Rook) + 4 * count(Piece::Queen)
}

/// What they weigh in the first position.
const WHOLE: usize = 24;

/// 0 with most pieces on the board, 1 with about half of them, 2 with few.
#[inline]
pub(super) fn stage(board: &Board) -> usize {
    match weight(board) {
        16.. => 0,
        8..16 => 1,
        _ => 2,
    }
}

/// How many quarters of the pieces are gone, to the nearest.
#[inline]
pub(super) fn quarters_gone(board: &Board) -> usize {
    (4 * WHOLE.saturating_sub(weight(board)) + WHOLE / 2) / WHOLE
}

/// A position as the terms see it.
pub(super) struct View {
    /// White, Black.
    pub(super) camps: [Camp; 2],
    pub(super) occupied: BitBoard,
    pub(super) to_move: Color,
    /// 0 with most pieces on the board, 1 with about half of them, 2 with few.
    pub(super) stage: usize,
}

impl View {
    pub(super) fn new(game: &Chess) -> View {
        let board = game.board();
        let camps = [Camp::new(board, Color::White), Camp::new(board, Color::Black)];
        let stage = stage(board);
        View { camps, occupied: board.occupied(), to_move: board.side_to_move(), stage }
    }
}

/// All squares one rank ahead.
#[inline(always)]
pub(super) fn forward(squares: BitBoard, color: Color) -> BitBoard {
    BitBoard(match color {
        Color::White => squares.0 << 8,
        Color::Black => squares.0 >> 8,
    })
}

/// All squares on the files of `squares` that lie ahead of them.
#[inline(always)]
pub(super) fn ahead(squares: BitBoard, color: Color) -> BitBoard {
    let mut filled = forward(squares, color).0;
    match color {
        Color::White => {
            filled |= filled << 8;
            filled |= filled << 16;
            filled |= filled << 32;
        }
        Color::Black => {
            filled |= filled >> 8;
            filled |= filled >> 16;
            filled |= filled >> 32;
        }
    }
    BitBoard(filled)
}

/// The same squares one file to either side.
#[inline(always)]
pub(super) fn beside(squares: BitBoard) -> BitBoard {
    let (a, h) = (File::A.bitboard(), File::H.bitboard());
    BitBoard((squares & !h).0 << 1 | (squares & !a).0 >> 1)
}

/// What pawns attack.
#[inline(always)]
pub(super) fn pawn_attacks(pawns: BitBoard, color: Color) -> BitBoard {
    beside(forward(pawns, color))
}

/// How many steps a king needs.
#[inline(always)]
pub(super) fn distance(one: Square, other: Square) -> usize {
    let files = (one as usize % 8).abs_diff(other as usize % 8);
    let ranks = (one as usize / 8).abs_diff(other as usize / 8);
    files.max(ranks)
}

/// How far a file is from the nearer edge: 0 to 3.
#[inline(always)]
pub(super) fn edge_distance(file: usize) -> usize {
    file.min(7 - file)
}
