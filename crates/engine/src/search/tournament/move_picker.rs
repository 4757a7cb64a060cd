//! [`MovePicker`]: the moves of a node, the most promising first, generated in stages.
//!
//! ```text
//! the table's move
//! captures and promotions, by what they take and by history, those that lose an exchange set aside
//! killers, the counter-move
//! quiet moves, by history
//! the captures that were set aside
//! ```
//!
//! Most nodes are refuted by one of the first moves, so that the rest is never generated
//! (<https://www.chessprogramming.org/Move_Generation#Staged_Move_Generation>). The moves of all plies lie on one stack.

use super::history::{Context, Histories};
use super::packed::PieceTo;
use super::see::{EXCHANGE_VALUES, victim, wins_at_least};
use super::threats::checking_squares;
use afterstate_games::chess::Move;
use afterstate_games::chess::cozy_chess::{BitBoard, Board, Piece, PieceMoves, Rank, Square, get_king_moves};

/// What a quiet check may lose by exchange and still come early: less than a pawn.
const CHECK_MAY_LOSE: i32 = -75;

/// A move that is waiting for its turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub mv: Move,
    /// The piece that moves.
    pub piece: Piece,
    score: i32,
}

/// What quiet moves a picker tries before it generates all.
pub(super) type Refutations = [Option<Move>; 3];

#[derive(Clone, Copy, PartialEq, Debug)]
enum Stage {
    Hint,
    GenerateNoisy,
    Noisy,
    Refutation(usize),
    GenerateQuiet,
    Quiet,
    Losing,
}

/// See the head of this file. Its moves lie on the stack from `base` on; the node cuts the stack off there when it is done.
pub(super) struct MovePicker {
    stage: Stage,
    hint: Option<Move>,
    refutations: Refutations,
    context: Context,
    /// Quiet moves are left out.
    skip_quiet: bool,
    /// Whether captures are asked what the exchange brings.
    exchange: bool,
    /// Captures that lose an exchange are left out.
    skip_losing: bool,
    base: usize,
    /// The next move to look at.
    next: usize,
    /// One past the last generated move.
    end: usize,
    /// Captures that lose an exchange are kept from `base` up to here.
    losing_end: usize,
}

/// What a picker needs of the search.
pub(super) struct Sources<'a> {
    pub board: &'a Board,
    pub stack: &'a mut Vec<Candidate>,
    pub histories: &'a Histories,
}

impl MovePicker {
    /// All legal moves. `hint` is the table's, if it is legal.
    pub(super) fn all(base: usize, hint: Option<Move>, refutations: Refutations, context: Context) -> MovePicker {
        MovePicker {
            stage: Stage::Hint,
            hint,
            refutations,
            context,
            skip_quiet: false,
            exchange: true,
            skip_losing: false,
            base,
            next: base,
            end: base,
            losing_end: base,
        }
    }

    /// Captures and promotions only; with `exchange` those that lose an exchange are left out, but for the hint.
    pub(super) fn noisy(base: usize, hint: Option<Move>, exchange: bool) -> MovePicker {
        let all = MovePicker::all(base, hint, [None; 3], Context::NONE);
        MovePicker { skip_quiet: true, exchange, skip_losing: true, ..all }
    }

    /// From now on only captures and promotions: the quiet moves that are left are not worth trying.
    #[inline]
    pub(super) fn skip_quiet(&mut self) {
        self.skip_quiet = true;
        self.refutations = [None; 3];
    }

    /// The next move, or `None` after the last.
    pub(super) fn next(&mut self, from: &mut Sources) -> Option<Candidate> {
        loop {
            match self.stage {
                Stage::Hint => {
                    self.stage = Stage::GenerateNoisy;
                    if let Some(mv) = self.hint
                        && let Some(piece) = from.board.piece_on(mv.from)
                    {
                        return Some(Candidate { mv, piece, score: 0 });
                    }
                }
                Stage::GenerateNoisy => {
                    self.generate_noisy(from);
                    self.stage = Stage::Noisy;
                }
                Stage::Noisy => match self.best(from.stack) {
                    Some(candidate) if Some(candidate.mv) == self.hint => {}
                    Some(candidate) => {
                        if !self.exchange || wins_at_least(from.board, candidate.mv, 0) {
                            return Some(candidate);
                        }
                        from.stack[self.losing_end] = candidate;
                        self.losing_end += 1;
                    }
                    None if self.skip_quiet => self.begin_losing(),
                    None => self.stage = Stage::Refutation(0),
                },
                Stage::Refutation(number) => {
                    self.stage = match number {
                        2 => Stage::GenerateQuiet,
                        _ => Stage::Refutation(number + 1),
                    };
                    if let Some(mv) = self.refutations[number]
                        && Some(mv) != self.hint
                        && !self.refutations[..number].contains(&Some(mv))
                        && !is_noisy(from.board, mv)
                        && from.board.is_legal(mv)
                        && let Some(piece) = from.board.piece_on(mv.from)
                    {
                        return Some(Candidate { mv, piece, score: 0 });
                    }
                }
                Stage::GenerateQuiet => {
                    if self.skip_quiet {
                        self.begin_losing();
                    } else {
                        self.generate_quiet(from);
                        self.stage = Stage::Quiet;
                    }
                }
                Stage::Quiet if self.skip_quiet => self.begin_losing(),
                Stage::Quiet => match self.best(from.stack) {
                    Some(Candidate { mv, .. }) if self.comes_early(mv) => {}
                    Some(candidate) => return Some(candidate),
                    None => self.begin_losing(),
                },
                Stage::Losing => {
                    if self.skip_losing || self.next == self.losing_end {
                        return None;
                    }
                    self.next += 1;
                    return Some(from.stack[self.next - 1]);
                }
            }
        }
    }

    /// Whether what comes now are the captures that lose an exchange.
    #[inline(always)]
    pub(super) fn is_losing(&self) -> bool {
        self.stage == Stage::Losing
    }

    /// Whether the last move was a capture or a promotion that loses nothing.
    #[inline(always)]
    pub(super) fn is_good_noisy(&self) -> bool {
        self.stage == Stage::Noisy
    }

    /// Whether a quiet move is tried before all are generated.
    #[inline(always)]
    fn comes_early(&self, mv: Move) -> bool {
        let [first, second, third] = self.refutations;
        let mv = Some(mv);
        mv == self.hint || mv == first || mv == second || mv == third
    }

    fn begin_losing(&mut self) {
        self.stage = Stage::Losing;
        self.next = self.base;
    }

    /// Takes the best of the moves that are left.
    #[inline]
    fn best(&mut self, stack: &mut [Candidate]) -> Option<Candidate> {
        let left = &mut stack[self.next..self.end];
        let (first, rest) = left.split_first()?;
        let (mut best, mut most) = (0, first.score);
        for (i, candidate) in rest.iter().enumerate() {
            if candidate.score > most {
                (best, most) = (i + 1, candidate.score);
            }
        }
        left.swap(0, best);
        self.next += 1;
        Some(stack[self.next - 1])
    }

    fn generate_noisy(&mut self, from: &mut Sources) {
        let (board, stack, histories) = (from.board, &mut *from.stack, from.histories);
        let us = board.side_to_move();
        let enemies = board.colors(!us);
        let of_pawns = enemies | Rank::Eighth.relative_to(us).bitboard() | en_passant(board);
        let last = Rank::Eighth.relative_to(us);
        let mut add = |moves: PieceMoves| {
            let targets = moves.to & if moves.piece == Piece::Pawn { of_pawns } else { enemies };
            for to in targets {
                let promotes = moves.piece == Piece::Pawn && to.rank() == last;
                let mv = Move { from: moves.from, to, promotion: promotes.then_some(Piece::Queen) };
                let mut score = 0;
                if let Some(taken) = victim(board, mv) {
                    score = 16 * EXCHANGE_VALUES[taken as usize] - moves.piece as i32;
                    score += histories.capture(PieceTo::new(us, moves.piece, to), taken) / 4;
                }
                if promotes {
                    // A knight may do what no queen can.
                    stack.push(Candidate {
                        mv: Move { promotion: Some(Piece::Knight), ..mv },
                        piece: moves.piece,
                        score,
                    });
                    score += 16 * EXCHANGE_VALUES[Piece::Queen as usize];
                }
                stack.push(Candidate { mv, piece: moves.piece, score });
            }
            false
        };
        let king = board.colored_pieces(us, Piece::King);
        board.generate_moves_for(!king, &mut add);
        // Where a king may go takes long to find out, and it can seldom take anything.
        if !(get_king_moves(board.king(us)) & enemies).is_empty() {
            board.generate_moves_for(king, &mut add);
        }
        self.end = stack.len();
    }

    fn generate_quiet(&mut self, from: &mut Sources) {
        let (board, stack, histories, context) = (from.board, &mut *from.stack, from.histories, &self.context);
        let us = board.side_to_move();
        let last = Rank::Eighth.relative_to(us).bitboard();
        let enemies = board.colors(!us);
        let not_pawns = !(enemies | last | en_passant(board));
        let checks = if histories.check == 0 { [BitBoard::EMPTY; Piece::NUM] } else { checking_squares(board) };
        self.next = stack.len();
        board.generate_moves(|PieceMoves { piece, from, to }| {
            let known = histories.of_piece(us, piece, from, context);
            let checks = checks[piece as usize];
            let score = |mv: Move| {
                let checks =
                    checks.has(mv.to) && (!context.threats.attack(mv.to) || wins_at_least(board, mv, CHECK_MAY_LOSE));
                known.order(mv.to) + if checks { histories.check } else { 0 }
            };
            if piece == Piece::Pawn {
                for to in to & not_pawns {
                    let mv = Move { from, to, promotion: None };
                    stack.push(Candidate { mv, piece, score: score(mv) });
                }
                for to in to & last {
                    for promotion in [Piece::Bishop, Piece::Rook] {
                        // After everything else: they are hardly ever better than a queen.
                        let mv = Move { from, to, promotion: Some(promotion) };
                        stack.push(Candidate { mv, piece, score: i32::MIN / 2 });
                    }
                }
            } else {
                for to in to & !enemies {
                    let mv = Move { from, to, promotion: None };
                    stack.push(Candidate { mv, piece, score: score(mv) });
                }
            }
            false
        });
        self.end = stack.len();
    }
}

/// The square on which a pawn may be taken en passant, as a set.
#[inline(always)]
fn en_passant(board: &Board) -> BitBoard {
    let rank = Rank::Sixth.relative_to(board.side_to_move());
    board.en_passant().map_or(BitBoard::EMPTY, |file| Square::new(file, rank).bitboard())
}

/// Whether a move takes something or promotes. Promotions to a rook or bishop count as quiet: they avoid stalemate, no more.
#[inline(always)]
pub(super) fn is_noisy(board: &Board, mv: Move) -> bool {
    match mv.promotion {
        Some(piece) => matches!(piece, Piece::Queen | Piece::Knight),
        None => victim(board, mv).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::tournament::TournamentSettings;
    use afterstate_games::{Chess, Game, Notation, Turn, stream};

    #[test]
    fn checks_come_early_where_nothing_is_lost() {
        let settings = TournamentSettings::default();
        // The rook checks on a8; the queen would on b8, before the knight.
        let game = Chess::parse_position("6k1/5ppp/2n5/8/8/8/1Q6/R5K1 w - - 0 1").unwrap();
        let context = Context::new(game.board(), [PieceTo::NONE; 2], &settings);
        let (mut stack, histories) = (Vec::new(), Histories::new(&settings));
        let mut picker = MovePicker::all(0, None, [None; 3], context);
        let mut from = Sources { board: game.board(), stack: &mut stack, histories: &histories };
        let mut quiet = Vec::new();
        while let Some(candidate) = picker.next(&mut from) {
            quiet.extend((!is_noisy(game.board(), candidate.mv)).then_some(candidate));
        }
        let score = |from, to| quiet.iter().find(|quiet| quiet.mv == Move { from, to, promotion: None }).unwrap().score;
        assert_eq!(quiet[0].mv.to, Square::A8);
        assert_eq!(score(Square::A1, Square::A8), settings.tunables.quiet_check);
        assert!(score(Square::B2, Square::B8) <= 0);
    }

    /// In every position of random games the stages together give every legal move once, the hint first.
    #[test]
    fn every_legal_move_comes_once() {
        let histories = Histories::new(&TournamentSettings::default());
        let starts = [
            Chess::new(),
            Chess::chess960(123).unwrap(),
            Chess::parse_position("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1").unwrap(),
            Chess::parse_position("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1").unwrap(),
        ];
        let mut legal = Vec::new();
        for (i, start) in starts.iter().cycle().take(40).enumerate() {
            let (mut game, mut rng) = (start.clone(), stream(7, i as u64));
            while !matches!(game.turn(), Turn::Over(_)) {
                game.legal_moves(&mut legal);
                let mut draw = || legal[afterstate_games::rng::below(&mut rng, legal.len() as u32) as usize];
                let (hint, refutations) = (draw(), [Some(draw()), Some(draw()), Some(draw())]);
                let mut stack = Vec::new();
                let mut picker = MovePicker::all(0, Some(hint), refutations, Context::NONE);
                let mut from = Sources { board: game.board(), stack: &mut stack, histories: &histories };
                let mut picked = Vec::new();
                while let Some(candidate) = picker.next(&mut from) {
                    assert_eq!(game.board().piece_on(candidate.mv.from), Some(candidate.piece));
                    picked.push(candidate.mv);
                }
                assert_eq!(picked[0], hint);
                assert_eq!(picked.len(), legal.len(), "{}", game.position_text());
                assert!(legal.iter().all(|mv| picked.contains(mv)));

                let mut picker = MovePicker::noisy(0, None, false);
                stack.clear();
                let mut from = Sources { board: game.board(), stack: &mut stack, histories: &histories };
                let mut count = 0;
                while let Some(candidate) = picker.next(&mut from) {
                    assert!(is_noisy(game.board(), candidate.mv));
                    count += 1;
                }
                assert_eq!(count, legal.iter().filter(|&&mv| is_noisy(game.board(), mv)).count());
                game.play(draw());
            }
        }
    }
}
