//! The recursive search: principal-variation search with everything that a modern one has.
//!
//! ```text
//! search(s, d, α, β)                         scores as the side to move sees them
//!     if d ≤ 0: return quiescence(s, α, β)
//!     if s is drawn: return 0
//!     if a move repeats a position: α ← max(α, 0)                               cycles.rs
//!     α, β ← what mates allow at this distance from the root                    mate-distance pruning
//!     if α ≥ β: return α
//!     if the table settles it at depth ≥ d: return its score
//!     if s is good enough, or hopeless, by its evaluation: return that          pruning.rs: whole nodes
//!     if a capture is far more than enough by a shallow search: return that     probcut.rs
//!     if the table knows no move: d ← d − 1                                     internal iterative reduction
//!     for each move a of s, the most promising first                            move_picker.rs
//!         skip it if it is late, hopeless or loses an exchange                  pruning.rs: moves
//!         e ← 1 if it gives check or all others are much worse                  check and singular extension
//!         first move:   v ← −search(s∘a, d−1+e, −β, −α)
//!         other moves:  v ← −search(s∘a, d−1+e−r, −α−1, −α)                     r: late-move reduction
//!                       if v > α and r > 0:  e ← e ± 1 if v is far above, or hardly above, what came before
//!                                            v ← −search(s∘a, d−1+e, −α−1, −α)
//!                       if α < v < β:        v ← −search(s∘a, d−1+e, −β, −α)
//!         best ← max(best, v);  α ← max(α, v)
//!         if α ≥ β: histories and killers learn of a; break
//!     if s has no moves: return mate or 0
//!     the table learns best
//!     return best
//! ```
//!
//! Sources: T. Marsland, M. Campbell, *Parallel search of strongly ordered game trees*, 1982 (principal-variation search);
//! <https://www.chessprogramming.org/Mate_Distance_Pruning>, …/Internal_Iterative_Reductions, …/Check_Extensions.

use super::ChessEvaluation;
use super::history::Tried;
use super::move_picker::{MovePicker, is_noisy};
use super::packed::PieceTo;
use super::pruning::{Late, Singular};
use super::scores::{DRAW, INFINITE, MATE, MAX_PLY, from_table, is_lost, is_sure, mated, to_table};
use super::see::{victim, wins_at_least};
use super::table::{Entry, Proved};
use super::worker::Worker;
use afterstate_games::Chess;
use afterstate_games::chess::Move;

/// Where and how a node is searched.
#[derive(Clone, Copy)]
pub(super) struct Task {
    pub alpha: i32,
    pub beta: i32,
    /// Plies to look ahead.
    pub depth: i32,
    /// Plies since the root.
    pub ply: usize,
    /// Whether the node is expected to be refuted: the parent was not.
    pub cut: bool,
}

/// From this depth on, a node of which the table knows no move is searched less deep.
const REDUCE_WITHOUT_HINT_FROM: i32 = 4;

impl<E: ChessEvaluation> Worker<E> {
    /// The score of `game` as the side to move sees it, exact between alpha and beta, else a bound. `None`: the search must
    /// stop. `PRINCIPAL`: the node may be part of the principal variation; others have empty windows.
    pub(super) fn node<const PRINCIPAL: bool>(&mut self, game: &Chess, task: Task) -> Option<i32> {
        let Task { mut alpha, mut beta, mut depth, ply, cut } = task;
        if depth <= 0 || ply >= MAX_PLY {
            return self.quiescence::<PRINCIPAL>(game, alpha, beta, ply);
        }
        if PRINCIPAL {
            self.clear_line(ply);
            self.selective_depth = self.selective_depth.max(ply);
        }
        if let Some(score) = self.drawn(game, ply) {
            return Some(score);
        }
        // Who can repeat a position has a draw at least.
        if alpha < DRAW && self.can_repeat(game, ply) {
            alpha = DRAW;
        }
        if self.settings.mate_distance {
            alpha = alpha.max(mated(ply));
            beta = beta.min(MATE - ply as i32 - 1);
        }
        if alpha >= beta {
            return Some(alpha);
        }

        let key = self.table_key(game);
        let excluded = self.frame(ply).excluded;
        let known = if excluded.is_none() { self.table.get(key) } else { None };
        if let Some(entry) = known
            && !PRINCIPAL
            && self.settings.transpositions
            && entry.depth >= depth
        {
            let score = from_table(entry.score, ply);
            if entry.proved.settles(score, alpha, beta) {
                return Some(score);
            }
        }
        let principal = PRINCIPAL || known.is_some_and(|entry| entry.principal);

        let board = game.board();
        let in_check = !board.checkers().is_empty();
        // Of a position whose best move is left out, the evaluation has been found just before.
        let mut still = None;
        if excluded.is_none() {
            if !in_check {
                still = Some(known.and_then(|entry| entry.evaluation).unwrap_or_else(|| self.evaluate(game)));
            }
            self.frame(ply).evaluation = still.map(|still| self.corrected(game, still));
        }
        let evaluation = self.frame(ply).evaluation;
        let improving = evaluation.is_some_and(|now| self.is_improving(ply, now));
        if let Some(evaluation) = evaluation
            && !PRINCIPAL
            && excluded.is_none()
            && let Some(score) = self.prune_node(game, Task { alpha, beta, ..task }, evaluation, known, improving)?
        {
            return Some(score);
        }

        let hint = known.and_then(|entry| entry.best).filter(|&mv| board.is_legal(mv));
        if let Some(evaluation) = evaluation
            && !PRINCIPAL
            && excluded.is_none()
            && let Some(score) = self.probcut(game, Task { alpha, beta, ..task }, evaluation, known, hint)?
        {
            return Some(score);
        }
        if self.settings.internal_iterative_reduction
            && depth >= REDUCE_WITHOUT_HINT_FROM
            && hint.is_none()
            && excluded.is_none()
            && (PRINCIPAL || cut)
        {
            depth -= 1;
        }

        // Killers of the next ply are those of positions below this one.
        self.frame(ply + 1).killers = [None; 2];
        let context = self.context(game, ply);
        let (base, tried_base) = (self.stack.len(), self.tried.len());
        let mut picker = MovePicker::all(base, hint, self.refutations(ply), context);
        let us = board.side_to_move();
        let noisy_hint = self.settings.noisy_hint_reduction && hint.is_some_and(|mv| is_noisy(board, mv));
        let low = alpha;
        let (mut best, mut best_move) = (-INFINITE, None);
        let mut number = 0;
        while let Some(candidate) = self.next_move(game, &mut picker) {
            let (mv, piece) = (candidate.mv, candidate.piece);
            if Some(mv) == excluded {
                continue;
            }
            number += 1;
            let tried = Tried { mv, color: us, piece, victim: victim(board, mv) };
            let tunables = &self.settings.tunables;
            let (mut experience, mut promise) = (0, 0);
            if let Some(taken) = tried.victim {
                let history = self.histories.capture(PieceTo::new(us, piece, mv.to), taken);
                promise = history * tunables.reduction_capture_history;
            } else if tried.is_quiet() {
                let known = self.histories.of_piece(us, piece, mv.from, &context);
                experience = known.experience(mv.to);
                promise = known.order(mv.to) * tunables.reduction_history;
            }
            let mut reduction = self.reductions.plies(depth, number) - promise / 1024;
            if !improving {
                reduction += tunables.reduction_worsening;
            }
            if !is_lost(best) && number > 1 {
                let is_safe = !context.threats.attack(mv.from) && !context.threats.attack(mv.to);
                let late = Late { alpha, depth, number, reduction, evaluation, improving, experience, is_safe };
                if self.prune_move(board, tried, late, &mut picker) {
                    continue;
                }
            }
            let mut extension = 0;
            if Some(mv) == hint
                && let Some(entry) = known
                && let Some(singular) = self.singular(game, Task { depth, ..task }, mv, entry, PRINCIPAL)?
            {
                match singular {
                    Singular::Extend(plies) => extension = plies,
                    // Nothing lies on the stacks yet: the hint comes before any move is generated.
                    Singular::Refuted(score) => return Some(score),
                }
            }
            let mut child = game.clone();
            self.play(&mut child, mv, piece, ply)?;
            let checks = !child.board().checkers().is_empty();
            if self.settings.check_extension && checks && extension == 0 && wins_at_least(board, mv, 0) {
                extension = 1;
            }
            let full = depth - 1 + extension;
            let mut scout = full;
            if self.settings.late_move_reductions && depth >= 2 && number > 1 + i32::from(PRINCIPAL) {
                let tunables = &self.settings.tunables;
                reduction += tunables.reduction_cut * i32::from(cut)
                    + tunables.reduction_noisy_hint * i32::from(noisy_hint && tried.is_quiet())
                    - tunables.reduction_principal * i32::from(principal)
                    - tunables.reduction_check * i32::from(checks)
                    - tunables.reduction_capture * i32::from(picker.is_good_noisy());
                scout = (full - reduction / 1024).clamp(1.min(full), full);
            }
            let follow = Task { alpha, beta, depth: full, ply, cut };
            let score = self.follow::<PRINCIPAL>(&child, follow, scout, (number > 1).then_some(best))?;
            self.take_back();
            if scout < full && tried.is_quiet() {
                self.tried_less_deep(tried, score > alpha, (&context, depth));
            }

            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    if PRINCIPAL {
                        self.extend_line(ply, mv);
                    }
                    if score >= beta {
                        self.refuted(ply, tried, tried_base, (&context, depth));
                        break;
                    }
                    alpha = score;
                }
            }
            self.tried.push(tried);
        }
        self.stack.truncate(base);
        self.tried.truncate(tried_base);
        if number == 0 {
            return Some(match (excluded, in_check) {
                // The only move is as singular as can be.
                (Some(_), _) => alpha,
                (None, true) => mated(ply),
                (None, false) => DRAW,
            });
        }
        if excluded.is_none() {
            let proved = match best {
                _ if best >= beta => Proved::AtLeast,
                _ if best > low => Proved::Exact,
                _ => Proved::AtMost,
            };
            let score = to_table(best, ply);
            self.table.put(key, Entry { best: best_move, score, proved, depth, evaluation: still, principal });
            self.learn_correction(game, evaluation, (best, proved, depth), best_move);
        }
        Some(best)
    }

    /// What a move is worth to the side that made it, whose node's window and place `task` gives, with the depth that is left.
    /// The first move of a principal node is asked at once how good it is; others first, `scout` plies deep, whether they
    /// are better than alpha at all. `best`: what the moves before this one are worth, `None` for the first.
    #[inline]
    pub(super) fn follow<const PRINCIPAL: bool>(
        &mut self,
        child: &Chess,
        Task { alpha, beta, mut depth, ply, cut }: Task,
        scout: i32,
        best: Option<i32>,
    ) -> Option<i32> {
        let ask = |alpha: i32, beta: i32, depth, cut| Task { alpha: -beta, beta: -alpha, depth, ply: ply + 1, cut };
        let at_once = best.is_none() || (!self.settings.principal_variation && scout == depth);
        if !PRINCIPAL || !at_once {
            let mut score = -self.node::<false>(child, ask(alpha, alpha + 1, scout, scout < depth || !cut))?;
            if score > alpha && scout < depth {
                if self.settings.adaptive_research
                    && let Some(best) = best
                {
                    let tunables = &self.settings.tunables;
                    let deeper =
                        score > best + tunables.research_deeper + 2 * tunables.research_deeper * (depth - scout);
                    let shallower = score < best + tunables.research_shallower;
                    depth += i32::from(deeper) - i32::from(shallower);
                }
                if depth > scout {
                    score = -self.node::<false>(child, ask(alpha, alpha + 1, depth, !cut))?;
                }
            }
            if !PRINCIPAL || score <= alpha {
                return Some(score);
            }
        }
        Some(-self.node::<true>(child, ask(alpha, beta, depth, false))?)
    }

    /// The search of a node may show that its evaluation is off, as it was corrected: unless its best move takes something, for which no
    /// evaluation is meant to account, or its score is only known to lie on the side where the evaluation already is.
    #[inline]
    fn learn_correction(
        &mut self,
        game: &Chess,
        evaluation: Option<i32>,
        (score, proved, depth): (i32, Proved, i32),
        best: Option<Move>,
    ) {
        if let Some(evaluation) = evaluation
            && self.settings.correction_history
            && !is_sure(score)
            && !best.is_some_and(|mv| is_noisy(game.board(), mv))
            && !proved.allows(score, evaluation)
        {
            self.corrections.learn(game.board(), depth, score - evaluation);
        }
    }
}
