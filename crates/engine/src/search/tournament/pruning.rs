//! What is not searched, or searched deeper: decisions about whole nodes and single moves.
//!
//! All of it guesses. Nothing is left out while the side to move is known to be mated.

use super::ChessEvaluation;
use super::history::Tried;
use super::move_picker::MovePicker;
use super::node::Task;
use super::scores::{from_table, is_lost, is_sure};
use super::see::wins_at_least;
use super::table::{Entry, Proved};
use super::worker::Worker;
use afterstate_games::Chess;
use afterstate_games::chess::Move;
use afterstate_games::chess::cozy_chess::{Board, Piece};

/// From this depth on a null move's refutation is not believed before the position is searched without one.
const VERIFY_NULL_MOVE_FROM: i32 = 12;
/// From this depth on the table's move is asked whether it is singular.
const SINGULAR_FROM: i32 = 7;

/// A move that is not its node's first.
pub(super) struct Late {
    pub alpha: i32,
    pub depth: i32,
    /// Which move of the node it is, the first being 1.
    pub number: i32,
    /// How much less deep it would be searched, in 1024ths of a ply.
    pub reduction: i32,
    /// The node's static evaluation, `None` in check.
    pub evaluation: Option<i32>,
    pub improving: bool,
    /// What the histories say of a quiet move.
    pub experience: i32,
    /// Nothing can take a quiet move's piece, so that no exchange need be looked at.
    pub is_safe: bool,
}

/// What came out of the search for a singular move.
pub(super) enum Singular {
    /// The move is searched so many plies deeper.
    Extend(i32),
    /// Several moves seem to refute the position: its score, at least.
    Refuted(i32),
}

impl<E: ChessEvaluation> Worker<E> {
    /// The score of a node that is not worth searching: it is far better than needed, or hopeless. The outer `None`: the
    /// search must stop.
    #[inline]
    pub(super) fn prune_node(
        &mut self,
        game: &Chess,
        task: Task,
        evaluation: i32,
        known: Option<Entry>,
        improving: bool,
    ) -> Option<Option<i32>> {
        let Task { alpha, beta, depth, ply, cut } = task;
        let tunables = self.settings.tunables;
        let estimate = self.estimate(known, evaluation, ply);
        // <https://www.chessprogramming.org/Reverse_Futility_Pruning>
        if self.settings.reverse_futility
            && depth <= 8
            && estimate - tunables.reverse_futility * (depth - i32::from(improving)) >= beta
            && !is_sure(estimate)
            && !is_lost(beta)
        {
            return Some(Some(estimate));
        }
        // <https://www.chessprogramming.org/Razoring>
        if self.settings.razoring
            && depth <= 3
            && estimate + tunables.razoring + tunables.razoring_ply * depth <= alpha
            && !is_sure(alpha)
        {
            let score = self.quiescence::<false>(game, alpha, alpha + 1, ply)?;
            if score <= alpha {
                return Some(Some(score));
            }
        }
        if self.settings.null_move
            && depth >= 3
            && cut
            && estimate >= beta
            && evaluation >= beta + tunables.null_move_margin - tunables.null_move_slope * depth
        {
            return self.null_move(game, task, estimate);
        }
        Some(None)
    }

    /// The table's score is a better evaluation where its bound allows.
    #[inline(always)]
    pub(super) fn estimate(&self, known: Option<Entry>, evaluation: i32, ply: usize) -> i32 {
        let Some(entry) = known.filter(|_| self.settings.transpositions) else { return evaluation };
        let score = from_table(entry.score, ply);
        let better = match entry.proved {
            Proved::Nothing => false,
            Proved::Exact => true,
            Proved::AtLeast => score > evaluation,
            Proved::AtMost => score < evaluation,
        };
        if better { score } else { evaluation }
    }

    /// If the position, of which that is expected, is good enough even when its side passes, it is left alone. Not in pawn endings,
    /// where passing may be better than any move, and at great depth only if a search without null moves agrees
    /// (C. Donninger, *Null move and deep search*, 1993; O. David-Tabibi, N. Netanyahu, *Verified null-move pruning*, 2002).
    #[inline(never)]
    fn null_move(&mut self, game: &Chess, task: Task, estimate: i32) -> Option<Option<i32>> {
        let Task { beta, depth, ply, .. } = task;
        let board = game.board();
        let pawns_and_king = board.pieces(Piece::Pawn) | board.pieces(Piece::King);
        let has_pieces = !(board.colors(board.side_to_move()) & !pawns_and_king).is_empty();
        if !has_pieces || is_lost(beta) || self.follows_pass(ply) || ply < self.no_null_move_before {
            return Some(None);
        }
        let Some(passed) = game.after_null_move() else { return Some(None) };
        let tunables = &self.settings.tunables;
        let reduction = (tunables.null_move + tunables.null_move_ply * depth) / 1024;
        let reduced = depth - reduction - ((estimate - beta) / tunables.null_move_excess.max(1)).min(3);
        self.pass(&passed, ply)?;
        let answer = Task { alpha: -beta, beta: 1 - beta, depth: reduced, ply: ply + 1, cut: false };
        let score = -self.node::<false>(&passed, answer)?;
        self.take_back();
        if score < beta {
            return Some(None);
        }
        // A mate that needs a null move is none.
        let score = if is_sure(score) { beta } else { score };
        if depth < VERIFY_NULL_MOVE_FROM || self.no_null_move_before > 0 {
            return Some(Some(score));
        }
        self.no_null_move_before = ply + (3 * reduced.max(0) / 4) as usize + 1;
        let verified = self.node::<false>(game, Task { alpha: beta - 1, beta, depth: reduced, ply, cut: false });
        self.no_null_move_before = 0;
        Some((verified? >= beta).then_some(score))
    }

    /// Whether a move is not worth searching near the leaves.
    #[inline]
    pub(super) fn prune_move(&mut self, board: &Board, tried: Tried, late: Late, picker: &mut MovePicker) -> bool {
        let Late { alpha, depth, number, reduction, evaluation, improving, experience, is_safe } = late;
        let tunables = &self.settings.tunables;
        if !tried.is_quiet() {
            // <https://www.chessprogramming.org/Static_Exchange_Evaluation#Pruning>
            return self.settings.exchange_pruning
                && depth <= 7
                && picker.is_losing()
                && !wins_at_least(board, tried.mv, -tunables.exchange_capture * depth);
        }
        // <https://www.chessprogramming.org/Futility_Pruning#MoveCountBasedPruning>
        let tries = (tunables.late_moves + tunables.late_moves_growth * depth * depth) / 1024;
        if self.settings.late_move_pruning && number > tries / (2 - i32::from(improving)) {
            picker.skip_quiet();
            return true;
        }
        let depth_left = (depth - reduction / 1024).max(0);
        // <https://www.chessprogramming.org/Futility_Pruning>
        if self.settings.futility
            && let Some(evaluation) = evaluation
            && depth_left <= 7
            && evaluation + tunables.futility + tunables.futility_ply * depth_left <= alpha
        {
            // Later moves may have done better, so that they would be searched deeper.
            return true;
        }
        // <https://www.chessprogramming.org/History_Leaf_Pruning>
        if self.settings.history_pruning
            && depth_left <= 5
            && experience < -tunables.history_pruning * depth_left.max(1)
        {
            return true;
        }
        self.settings.exchange_pruning
            && depth_left <= 8
            && !is_safe
            && !wins_at_least(board, tried.mv, -tunables.exchange_quiet * depth_left * depth_left)
    }

    /// Searches a node without the table's move `mv`, less deep, to see whether that is much better than all others, which
    /// is then extended (T. Anantharaman, M. Campbell, F. Hsu, *Singular extensions*, 1988). If even without it the position
    /// is good enough, it is refuted many times over (<https://www.chessprogramming.org/Multi-Cut>). The inner `None`: the
    /// question does not arise.
    #[inline]
    pub(super) fn singular(
        &mut self,
        game: &Chess,
        task: Task,
        mv: Move,
        known: Entry,
        principal: bool,
    ) -> Option<Option<Singular>> {
        let Task { beta, depth, ply, cut, .. } = task;
        let score = from_table(known.score, ply);
        if !self.settings.singular_extension
            || depth < SINGULAR_FROM
            || known.depth < depth - 3
            || !matches!(known.proved, Proved::AtLeast | Proved::Exact)
            || is_sure(score)
            || ply >= 2 * self.root_depth as usize
            || self.frame(ply).excluded.is_some()
        {
            return Some(None);
        }
        let bar = score - self.settings.tunables.singular * depth / 16;
        self.frame(ply).excluded = Some(mv);
        let others = self.node::<false>(game, Task { alpha: bar - 1, beta: bar, depth: (depth - 1) / 2, ply, cut });
        self.frame(ply).excluded = None;
        let others = others?;
        Some(Some(if others < bar {
            // Where lines are not twice as long as they should be already.
            let doubly =
                !principal && others < bar - self.settings.tunables.singular_doubly && ply < self.root_depth as usize;
            Singular::Extend(1 + i32::from(doubly))
        } else if bar >= beta && !principal {
            Singular::Refuted(bar)
        } else if score >= beta {
            Singular::Extend(-1)
        } else {
            Singular::Extend(0)
        }))
    }
}
