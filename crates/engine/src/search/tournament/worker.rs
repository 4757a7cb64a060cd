//! [`Worker`]: one thread of the search: what it remembers between nodes, and how it plays moves.

use super::corrections::Corrections;
use super::cycles::Cycles;
use super::endings;
use super::history::{Context, Histories, Tried, bonus};
use super::keys::ManKeys;
use super::limits::{Clock, SearchLimits};
use super::move_picker::{Candidate, MovePicker, Refutations, Sources};
use super::packed::PieceTo;
use super::reductions::Reductions;
use super::root::RootMove;
use super::scores::{self, DRAW, MAX_PLY, mated};
use super::settings::TournamentSettings;
use super::table::Table;
use super::{ChessEvaluation, EVALUATION_LIMIT};
use afterstate_games::chess::Move;
use afterstate_games::chess::cozy_chess::{Color, Piece};
use afterstate_games::rng::mix;
use afterstate_games::{Chess, Game};
use std::sync::Arc;

/// What a ply remembers while the plies below it are searched.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// The static evaluation as its side to move sees it; `None` in check.
    pub evaluation: Option<i32>,
    /// The move that is being searched here.
    pub moved: PieceTo,
    /// The move that a search for a singular move leaves out.
    pub excluded: Option<Move>,
    /// Quiet moves that lately refuted a position of this ply.
    pub killers: [Option<Move>; 2],
}

impl Frame {
    const EMPTY: Frame = Frame { evaluation: None, moved: PieceTo::NONE, excluded: None, killers: [None; 2] };
}

/// A line of play in a fixed place.
#[derive(Clone)]
pub(super) struct Line {
    moves: [Move; MAX_PLY + 1],
    length: usize,
}

impl Line {
    fn empty() -> Line {
        let nowhere = afterstate_games::chess::cozy_chess::Square::A1;
        Line { moves: [Move { from: nowhere, to: nowhere, promotion: None }; MAX_PLY + 1], length: 0 }
    }

    pub(super) fn as_slice(&self) -> &[Move] {
        &self.moves[..self.length]
    }
}

/// From here on the table tells positions apart that differ in the clock of the fifty-move rule.
const CLOCK_MATTERS: u8 = 60;

/// Two plies before the root, for continuation histories, and one after the last, for its killers.
const FRAMES: usize = MAX_PLY + 4;

/// See the head of this file.
pub(super) struct Worker<E> {
    pub number: usize,
    pub settings: TournamentSettings,
    pub table: Arc<Table>,
    pub evaluation: E,
    pub histories: Histories,
    pub corrections: Corrections,
    pub reductions: Reductions,
    cycles: &'static Cycles,
    man_keys: &'static ManKeys,
    frames: Vec<Frame>,
    pub lines: Vec<Line>,
    /// Repetition keys of the game and of the line that is being searched, the present position last.
    keys: Vec<u64>,
    /// How many of them are of positions before the root.
    keys_before_root: usize,
    /// Moves of all plies that wait for their turn.
    pub stack: Vec<Candidate>,
    /// Of all plies, the moves that were tried.
    pub tried: Vec<Tried>,
    pub root_moves: Vec<RootMove>,
    pub nodes: u64,
    pub selective_depth: usize,
    pub clock: Arc<Clock>,
    /// The iteration.
    pub root_depth: i32,
    /// A null move is being verified: no other is tried before this ply.
    pub no_null_move_before: usize,
}

impl<E: ChessEvaluation> Worker<E> {
    pub(super) fn new(number: usize, settings: &TournamentSettings, table: Arc<Table>, evaluation: E) -> Worker<E> {
        Worker {
            number,
            settings: settings.clone(),
            table,
            evaluation,
            histories: Histories::new(settings),
            corrections: Corrections::new(settings),
            reductions: Reductions::new(&settings.tunables),
            cycles: Cycles::get(),
            man_keys: ManKeys::get(),
            frames: vec![Frame::EMPTY; FRAMES],
            lines: vec![Line::empty(); MAX_PLY + 2],
            keys: Vec::with_capacity(1_024),
            keys_before_root: 0,
            // Far more than positions have that come up in play; others make it grow.
            stack: Vec::with_capacity(64 * MAX_PLY),
            tried: Vec::with_capacity(64 * MAX_PLY),
            root_moves: Vec::new(),
            nodes: 0,
            selective_depth: 0,
            clock: Arc::new(Clock::new(&SearchLimits::default(), 1)),
            root_depth: 0,
            no_null_move_before: 0,
        }
    }

    /// Forgets what earlier searches showed.
    pub(super) fn clear(&mut self) {
        self.histories.clear();
        self.corrections.clear();
    }

    /// A search begins, after positions with these keys, the root's last.
    pub(super) fn begin(&mut self, keys: &[u64], root_moves: &[Move], clock: &Arc<Clock>) {
        self.clock = clock.clone();
        self.frames.fill(Frame::EMPTY);
        self.keys.clear();
        self.keys.extend_from_slice(keys);
        self.keys_before_root = keys.len().saturating_sub(1);
        self.root_moves.clear();
        self.root_moves.extend(root_moves.iter().map(|&mv| RootMove::new(mv)));
        (self.nodes, self.selective_depth, self.root_depth, self.no_null_move_before) = (0, 0, 0, 0);
        // A search that panicked has left something there.
        self.stack.clear();
        self.tried.clear();
    }

    /// After a search was given up in the middle of a line: back to the root.
    pub(super) fn return_to_root(&mut self) {
        self.keys.truncate(self.keys_before_root + 1);
        self.stack.clear();
        self.tried.clear();
    }

    #[inline(always)]
    pub(super) fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + 2]
    }

    /// What moves of this ply's position are ordered by.
    #[inline(always)]
    pub(super) fn context(&self, game: &Chess, ply: usize) -> Context {
        let before = [self.frames[ply + 1].moved, self.frames[ply].moved];
        Context::new(game.board(), before, &self.settings)
    }

    /// Whether the move that led here passed (or this is the root).
    #[inline(always)]
    pub(super) fn follows_pass(&self, ply: usize) -> bool {
        self.frames[ply + 1].moved == PieceTo::NONE
    }

    /// Whether the side to move stands better than when it last moved, or it cannot be said.
    #[inline]
    pub(super) fn is_improving(&self, ply: usize, evaluation: i32) -> bool {
        let earlier = |back: usize| (ply + 2).checked_sub(back).and_then(|at| self.frames[at].evaluation);
        !self.settings.improving || earlier(2).or_else(|| earlier(4)).is_none_or(|before| evaluation > before)
    }

    /// What may be tried before quiet moves are generated.
    #[inline]
    pub(super) fn refutations(&self, ply: usize) -> Refutations {
        let [first, second] = self.frames[ply + 2].killers;
        [first, second, self.histories.counter_move(self.frames[ply + 1].moved)]
    }

    /// The move `by` refuted the position of this ply; those that were tried there before it begin at `tried_base`.
    pub(super) fn refuted(&mut self, ply: usize, by: Tried, tried_base: usize, (context, depth): (&Context, i32)) {
        if self.settings.killers && by.is_quiet() {
            let killers = &mut self.frame(ply).killers;
            if killers[0] != Some(by.mv) {
                *killers = [Some(by.mv), killers[0]];
            }
        }
        let bonus = bonus(&self.settings.tunables, depth);
        self.histories.refuted(by, &self.tried[tried_base..], context, bonus);
    }

    /// A quiet move was searched less deep than others, and seemed better than alpha or did not.
    #[inline]
    pub(super) fn tried_less_deep(&mut self, tried: Tried, is_better: bool, (context, depth): (&Context, i32)) {
        if self.settings.reduced_history {
            let tunables = &self.settings.tunables;
            let part = if is_better { tunables.history_reduced_better } else { -tunables.history_reduced_worse };
            self.histories.learn_continuation(tried, context, bonus(tunables, depth) * part / 1024);
        }
    }

    /// The next move of `picker`.
    #[inline(always)]
    pub(super) fn next_move(&mut self, game: &Chess, picker: &mut MovePicker) -> Option<Candidate> {
        let mut from = Sources { board: game.board(), stack: &mut self.stack, histories: &self.histories };
        picker.next(&mut from)
    }

    /// Plays a move in the position of this ply; `None` if the search must stop. [`Worker::take_back`] follows when what comes of it has
    /// been searched.
    #[inline(always)]
    pub(super) fn play(&mut self, game: &mut Chess, mv: Move, piece: Piece, ply: usize) -> Option<()> {
        self.count()?;
        // Fetching from the table takes longer than what is done until it is asked: the key that the position will have is guessed.
        let before = self.keys.last().copied().unwrap_or_default();
        self.table.fetch(self.man_keys.guess(game.board(), before, piece, mv));
        self.frame(ply).moved = PieceTo::new(game.board().side_to_move(), piece, mv.to);
        game.play(mv);
        self.keys.push(game.repetition_key());
        self.table.fetch(self.table_key(game));
        Some(())
    }

    /// The position after a null move, `passed`; `None` if the search must stop. [`Worker::take_back`] follows.
    pub(super) fn pass(&mut self, passed: &Chess, ply: usize) -> Option<()> {
        self.count()?;
        self.frame(ply).moved = PieceTo::NONE;
        self.keys.push(passed.repetition_key());
        Some(())
    }

    #[inline(always)]
    pub(super) fn take_back(&mut self) {
        self.keys.pop();
    }

    /// The position's key in the table. Where the fifty-move rule is near, its clock counts, though not every move of it: else
    /// the table would know nothing any more.
    #[inline(always)]
    pub(super) fn table_key(&self, game: &Chess) -> u64 {
        let position = self.keys.last().copied().unwrap_or_default();
        let clock = game.board().halfmove_clock();
        if clock < CLOCK_MATTERS { position } else { position ^ mix(u64::from(clock / 8)) }
    }

    #[inline(always)]
    fn count(&mut self) -> Option<()> {
        if self.clock.expired(self.number, self.nodes) {
            return None;
        }
        self.nodes += 1;
        Some(())
    }

    /// The static evaluation as the side to move, who is not in check, sees it.
    #[inline(always)]
    pub(super) fn evaluate(&mut self, game: &Chess) -> i32 {
        let mut white = self.evaluation.evaluate(game).clamp(-EVALUATION_LIMIT, EVALUATION_LIMIT);
        if self.settings.endings {
            let strong = if white > 0 { Color::White } else { Color::Black };
            white = white * endings::winnable(game.board(), strong) / endings::ALL;
        }
        scores::of_white(white, game.side_to_move())
    }

    /// An evaluation, corrected by what searches showed.
    #[inline(always)]
    pub(super) fn corrected(&self, game: &Chess, evaluation: i32) -> i32 {
        if self.settings.correction_history { self.corrections.corrected(game.board(), evaluation) } else { evaluation }
    }

    /// The score of a position that ends the game whatever the moves are, if it does: fifty moves, too little material,
    /// repetition. A mate counts even if it comes with the hundredth ply.
    #[inline]
    pub(super) fn drawn(&self, game: &Chess, ply: usize) -> Option<i32> {
        let clock = game.board().halfmove_clock();
        if clock >= 100 {
            let mate = !game.board().checkers().is_empty() && !game.board().generate_moves(|_| true);
            return Some(if mate { mated(ply) } else { DRAW });
        }
        (game.has_insufficient_material() || (clock >= 4 && self.repeats(usize::from(clock), ply))).then_some(DRAW)
    }

    /// Whether the position has been there before: once since the root, that one included, or twice before it. Who repeats
    /// once can repeat again.
    fn repeats(&self, reversible: usize, ply: usize) -> bool {
        let Some((&now, earlier)) = self.keys.split_last() else { return false };
        let mut times = 0;
        for back in (4..=reversible.min(earlier.len())).step_by(2) {
            if earlier[earlier.len() - back] == now {
                times += 1;
                if back <= ply || times == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Whether the side to move can repeat a position of the line that is searched, the root included.
    #[inline]
    pub(super) fn can_repeat(&self, game: &Chess, ply: usize) -> bool {
        let board = game.board();
        let reversible = usize::from(board.halfmove_clock());
        let Some((&now, earlier)) = self.keys.split_last().filter(|_| self.settings.cycles) else { return false };
        let mut back = (3..=reversible.min(earlier.len()).min(ply)).step_by(2);
        back.any(|back| self.cycles.leads(board, now ^ earlier[earlier.len() - back]))
    }

    pub(super) fn clear_line(&mut self, ply: usize) {
        self.lines[ply].length = 0;
    }

    /// The best line from `ply` begins with `mv`.
    pub(super) fn extend_line(&mut self, ply: usize, mv: Move) {
        let (above, below) = self.lines.split_at_mut(ply + 1);
        let (line, rest) = (&mut above[ply], &below[0]);
        let length = rest.length.min(MAX_PLY);
        line.moves[0] = mv;
        line.moves[1..=length].copy_from_slice(&rest.moves[..length]);
        line.length = length + 1;
    }
}
