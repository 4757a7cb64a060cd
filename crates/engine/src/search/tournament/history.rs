//! [`Histories`]: what earlier parts of the search showed about moves, whatever the position.
//!
//! * Butterfly history: a quiet move of either side by its two squares (J. Schaeffer, *The history heuristic and alpha-beta
//!   search enhancements in practice*, 1989), and by whether these are attacked.
//! * Continuation history: a quiet move by piece and square, given the move one ply, or two plies, before it
//!   (<https://www.chessprogramming.org/History_Heuristic#Continuation_History>). It learns also from what searches say that are less deep.
//! * Pawn history: a quiet move by piece and square, given where the pawns stand
//!   (<https://www.chessprogramming.org/History_Heuristic>).
//! * Capture history: a capture by piece, square and victim.
//! * Counter-moves: the quiet move that last refuted the move before it (J. Uiterwijk, *The countermove heuristic*, 1992).
//!
//! Counts move towards ±[`LIMIT`] and the more slowly the nearer they are ("gravity"), so that what is recent counts more.

use super::corrections::hash_of_pawns;
use super::packed::{PIECE_TOS, PieceTo};
use super::threats::{THREAT_KINDS, Threats};
use super::{TournamentSettings, Tunables};
use afterstate_games::chess::Move;
use afterstate_games::chess::cozy_chess::{BitBoard, Board, Color, Piece, Square};

/// No count goes beyond this, either way.
pub(super) const LIMIT: i32 = 16_384;

/// A count for each square that a move goes to.
type BySquare = [i16; Square::NUM];

/// A count for each piece of either colour and each square that it moves to.
type ByPieceTo = [BySquare; Color::NUM * Piece::NUM];

/// See the head of this file. Each thread has its own.
pub(super) struct Histories {
    /// By which squares of the move are attacked, colour and the square that it comes from.
    butterfly: Vec<[[BySquare; Square::NUM]; Color::NUM]>,
    /// By piece, square and victim.
    captures: Vec<[i16; Piece::NUM]>,
    /// Given the move one ply before, in the first, and two plies before, in the second.
    continuations: [Vec<ByPieceTo>; 2],
    /// Given the place of the pawns.
    pawns: Vec<ByPieceTo>,
    counter_moves: Vec<Option<Move>>,
    butterfly_on: bool,
    continuations_on: bool,
    pawns_on: bool,
    captures_on: bool,
    counter_moves_on: bool,
    /// How much more a move counts that takes a piece of this kind out of danger.
    escapes: [i32; Piece::NUM],
    /// How much more a quiet move counts that gives check.
    pub check: i32,
}

/// Nothing is known of any move.
const NONE: ByPieceTo = [[0; Square::NUM]; Color::NUM * Piece::NUM];

/// Placements of pawns share so many places.
const PAWN_PLACES: usize = 512;

/// Where a move is tried.
#[derive(Clone, Copy)]
pub(super) struct Context {
    /// The two moves before, the last one first.
    pub before: [PieceTo; 2],
    pub threats: Threats,
    /// Below [`PAWN_PLACES`], by where the pawns stand.
    pub pawns: usize,
}

impl Context {
    /// After these two moves, the last one first.
    #[inline(always)]
    pub(super) fn new(board: &Board, before: [PieceTo; 2], settings: &TournamentSettings) -> Context {
        let pawns = if settings.pawn_history { (hash_of_pawns(board) >> 20) as usize % PAWN_PLACES } else { 0 };
        Context { before, threats: Threats::of(board, settings), pawns }
    }

    /// Where nothing is known of it.
    pub(super) const NONE: Context = Context { before: [PieceTo::NONE; 2], threats: Threats::NONE, pawns: 0 };
}

/// A move that was tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tried {
    pub mv: Move,
    /// Who moves, and what.
    pub color: Color,
    pub piece: Piece,
    /// What it takes.
    pub victim: Option<Piece>,
}

impl Tried {
    /// Neither a capture nor a promotion.
    #[inline(always)]
    pub(super) fn is_quiet(self) -> bool {
        self.victim.is_none() && self.mv.promotion.is_none()
    }
}

impl Histories {
    pub(super) fn new(settings: &TournamentSettings) -> Histories {
        Histories {
            butterfly: vec![[[[0; Square::NUM]; Square::NUM]; Color::NUM]; THREAT_KINDS],
            captures: vec![[0; Piece::NUM]; PIECE_TOS],
            continuations: [NONE; 2].map(|none| vec![none; PIECE_TOS + 1]),
            pawns: vec![NONE; PAWN_PLACES],
            counter_moves: vec![None; PIECE_TOS + 1],
            butterfly_on: settings.history,
            continuations_on: settings.continuation_history,
            pawns_on: settings.pawn_history,
            captures_on: settings.capture_history,
            counter_moves_on: settings.counter_moves,
            escapes: {
                let Tunables { escape_minor, escape_rook, escape_queen, .. } = settings.tunables;
                [0, escape_minor, escape_minor, escape_rook, escape_queen, 0]
            },
            check: if settings.quiet_checks { settings.tunables.quiet_check } else { 0 },
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.butterfly.as_flattened_mut().as_flattened_mut().as_flattened_mut().fill(0);
        self.captures.as_flattened_mut().fill(0);
        self.continuations.iter_mut().for_each(|counts| counts.fill(NONE));
        self.pawns.fill(NONE);
        self.counter_moves.fill(None);
    }

    /// What is known of quiet moves of the piece on a square.
    #[inline(always)]
    pub(super) fn of_piece(&self, color: Color, piece: Piece, from: Square, context: &Context) -> OfPiece<'_> {
        let man = man(color, piece);
        let [one, two] = context.before;
        let butterfly =
            |is_attacked| &self.butterfly[context.threats.kind(from, is_attacked)][color as usize][from as usize];
        OfPiece {
            butterfly: [butterfly(false), butterfly(true)],
            continuations: [&self.continuations[0][one.index()][man], &self.continuations[1][two.index()][man]],
            pawns: &self.pawns[context.pawns][man],
            attacked: context.threats.told_apart(),
            from,
            danger: context.threats.danger(piece),
            escape: self.escapes[piece as usize],
        }
    }

    /// What is known of a capture, up to [`LIMIT`] either way.
    #[inline(always)]
    pub(super) fn capture(&self, moved: PieceTo, victim: Piece) -> i32 {
        i32::from(self.captures[moved.index()][victim as usize])
    }

    /// The quiet move that last refuted the move `before`.
    #[inline(always)]
    pub(super) fn counter_move(&self, before: PieceTo) -> Option<Move> {
        self.counter_moves[before.index()]
    }

    /// The move `by` refuted a position; those in `failed` were tried there before it, in vain.
    pub(super) fn refuted(&mut self, by: Tried, failed: &[Tried], context: &Context, bonus: i32) {
        self.learn(by, context, bonus);
        if by.is_quiet() && self.counter_moves_on {
            self.counter_moves[context.before[0].index()] = Some(by.mv);
        }
        for &other in failed {
            // A capture that refutes says nothing against the quiet moves: they were not even tried yet, but for the hint.
            if by.is_quiet() || !other.is_quiet() {
                self.learn(other, context, -bonus);
            }
        }
    }

    /// Continuation history alone learns of a quiet move.
    #[inline]
    pub(super) fn learn_continuation(&mut self, tried: Tried, context: &Context, bonus: i32) {
        if self.continuations_on {
            let man = man(tried.color, tried.piece);
            for (counts, before) in self.continuations.iter_mut().zip(context.before) {
                pull(&mut counts[before.index()][man][tried.mv.to as usize], bonus);
            }
        }
    }

    fn learn(&mut self, tried: Tried, context: &Context, bonus: i32) {
        let Tried { mv, color, piece, victim } = tried;
        if let Some(victim) = victim {
            if self.captures_on {
                pull(&mut self.captures[PieceTo::new(color, piece, mv.to).index()][victim as usize], bonus);
            }
        } else if mv.promotion.is_none() {
            if self.butterfly_on {
                let kind = context.threats.kind(mv.from, context.threats.told_apart().has(mv.to));
                pull(&mut self.butterfly[kind][color as usize][mv.from as usize][mv.to as usize], bonus);
            }
            self.learn_continuation(tried, context, bonus);
            if self.pawns_on {
                pull(&mut self.pawns[context.pawns][man(color, piece)][mv.to as usize], bonus);
            }
        }
    }
}

/// What is known of quiet moves of one piece, by where they go.
pub(super) struct OfPiece<'a> {
    /// To squares that are not attacked, and to those that are.
    butterfly: [&'a BySquare; 2],
    continuations: [&'a BySquare; 2],
    pawns: &'a BySquare,
    attacked: BitBoard,
    from: Square,
    /// Where the piece is attacked by cheaper men.
    danger: BitBoard,
    /// How much more a move counts that takes the piece out of danger.
    escape: i32,
}

impl OfPiece<'_> {
    /// What is known of a move, the higher the better; up to 4 × [`LIMIT`] either way.
    #[inline(always)]
    pub(super) fn experience(&self, to: Square) -> i32 {
        let [one, two] = self.continuations;
        i32::from(self.butterfly[usize::from(self.attacked.has(to))][to as usize])
            + i32::from(one[to as usize])
            + i32::from(two[to as usize])
            + i32::from(self.pawns[to as usize])
    }

    /// How early a move is tried, the higher the earlier: the more so if it takes the piece out of danger, the less if it brings it there.
    #[inline(always)]
    pub(super) fn order(&self, to: Square) -> i32 {
        let escapes = i32::from(self.danger.has(self.from)) - i32::from(self.danger.has(to));
        self.experience(to) + self.escape * escapes
    }
}

/// How much a refutation by a search of this depth moves the counts.
#[inline(always)]
pub(super) fn bonus(tunables: &Tunables, depth: i32) -> i32 {
    (tunables.history_ply * depth - tunables.history_less).clamp(0, tunables.history_most)
}

/// Moves a count towards ±[`LIMIT`].
#[inline(always)]
fn pull(count: &mut i16, bonus: i32) {
    let (now, bonus) = (i32::from(*count), bonus.clamp(-LIMIT, LIMIT));
    *count = (now + bonus - now * bonus.abs() / LIMIT) as i16;
}

/// The place of a piece of either colour.
#[inline(always)]
fn man(color: Color, piece: Piece) -> usize {
    color as usize * Piece::NUM + piece as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::{Chess, Notation};

    #[test]
    fn counts_approach_the_limit_and_never_pass_it() {
        let mut count = 0;
        pull(&mut count, 1_000);
        assert_eq!(count, 1_000);
        pull(&mut count, 1_000);
        assert_eq!(count, 1_939, "1000 + 1000 − 1000·1000/16384");
        for _ in 0..1_000 {
            pull(&mut count, 1_800);
        }
        assert!(i32::from(count) > LIMIT - 20 && i32::from(count) <= LIMIT);
        pull(&mut count, -1_800);
        assert!(i32::from(count) < LIMIT - 3_500, "what is recent counts more");
        pull(&mut count, 1_000_000);
        assert_eq!(i32::from(count), LIMIT);
        pull(&mut count, -1_000_000);
        assert_eq!(i32::from(count), -LIMIT);
    }

    #[test]
    fn less_deep_searches_teach_continuations_alone() {
        let quiet = |continuation_history| {
            let settings = TournamentSettings { continuation_history, ..TournamentSettings::default() };
            let mut histories = Histories::new(&settings);
            let mv = Move { from: Square::E2, to: Square::E4, promotion: None };
            let tried = Tried { mv, color: Color::White, piece: Piece::Pawn, victim: None };
            histories.learn_continuation(tried, &Context::NONE, 400);
            histories.of_piece(Color::White, Piece::Pawn, mv.from, &Context::NONE).experience(mv.to)
        };
        assert_eq!((quiet(true), quiet(false)), (800, 0), "by the move one ply before and by that two plies before");
    }

    #[test]
    fn moves_out_of_danger_come_early() {
        // A pawn attacks the knight; a bishop could take the queen on e3.
        let game = Chess::parse_position("3r2k1/8/7b/4p3/3N4/8/3Q4/6K1 w - - 0 1").unwrap();
        let settings = TournamentSettings::default();
        let Tunables { escape_minor, escape_queen, .. } = settings.tunables;
        let context = Context::new(game.board(), [PieceTo::NONE; 2], &settings);
        let histories = Histories::new(&settings);
        let order = |piece, from, to| histories.of_piece(Color::White, piece, from, &context).order(to);
        assert_eq!(order(Piece::Knight, Square::D4, Square::E2), escape_minor);
        assert_eq!(order(Piece::Knight, Square::E2, Square::F4), -escape_minor);
        assert_eq!(order(Piece::Queen, Square::D2, Square::D1), escape_queen, "away from the bishop");
        assert_eq!(order(Piece::Queen, Square::D2, Square::E3), 0, "from the bishop to the bishop");
        assert_eq!(order(Piece::King, Square::G1, Square::D2), 0);
    }

    #[test]
    fn moves_are_told_apart_by_the_pawns() {
        let settings = TournamentSettings { history: false, continuation_history: false, ..Default::default() };
        let context =
            |fen: &str| Context::new(Chess::parse_position(fen).unwrap().board(), [PieceTo::NONE; 2], &settings);
        let start = context("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        let same_pawns = context("rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 2 2");
        let other_pawns = context("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
        let mv = Move { from: Square::E2, to: Square::E4, promotion: None };
        let mut histories = Histories::new(&settings);
        let tried = Tried { mv, color: Color::White, piece: Piece::Pawn, victim: None };
        histories.refuted(tried, &[], &start, 500);
        let quiet = |context| histories.of_piece(Color::White, Piece::Pawn, mv.from, context).experience(mv.to);
        assert_eq!((quiet(&start), quiet(&same_pawns), quiet(&other_pawns)), (500, 500, 0));
    }

    #[test]
    fn moves_are_told_apart_by_what_came_before() {
        let settings = TournamentSettings {
            history: false,
            pawn_history: false,
            counter_moves: true,
            capture_history: true,
            ..Default::default()
        };
        let mut histories = Histories::new(&settings);
        let mv = Move { from: Square::E2, to: Square::E4, promotion: None };
        let tried = Tried { mv, color: Color::White, piece: Piece::Pawn, victim: None };
        let other = Tried { mv: Move { to: Square::E3, ..mv }, ..tried };
        let capture = Tried { piece: Piece::Queen, victim: Some(Piece::Rook), ..tried };
        let knight = PieceTo::new(Color::Black, Piece::Knight, Square::F6);
        histories.refuted(tried, &[other, capture], &Context { before: [knight, PieceTo::NONE], ..Context::NONE }, 500);
        let quiet = |histories: &Histories, mv: Move, before| {
            let context = Context { before, ..Context::NONE };
            histories.of_piece(Color::White, Piece::Pawn, mv.from, &context).experience(mv.to)
        };
        assert_eq!(quiet(&histories, mv, [knight, PieceTo::NONE]), 1_000);
        assert_eq!(quiet(&histories, other.mv, [knight, PieceTo::NONE]), -1_000);
        assert_eq!(quiet(&histories, mv, [knight, knight]), 500, "only the move one ply before is the same");
        assert_eq!(quiet(&histories, mv, [PieceTo::NONE, knight]), 0);
        let queen = PieceTo::new(Color::White, Piece::Queen, Square::E4);
        assert_eq!((histories.capture(queen, Piece::Rook), histories.capture(queen, Piece::Pawn)), (-500, 0));
        assert_eq!(histories.counter_move(knight), Some(mv));
        histories.clear();
        assert_eq!((quiet(&histories, mv, [knight; 2]), histories.counter_move(knight)), (0, None));
    }
}
