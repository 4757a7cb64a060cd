//! Quiescence: where the search ends, captures and promotions go on until the evaluation means something
//! (<https://www.chessprogramming.org/Quiescence_Search>).
//!
//! ```text
//! quiescence(s, α, β)
//!     if s is drawn: return 0
//!     if a move repeats a position: α ← max(α, 0)
//!     if the table settles it: return its score
//!     if not in check: best ← evaluation(s), or the table's score if its bound shows that to be nearer
//!                                                                      stand pat: one may leave captures alone
//!                      if best ≥ β: return best;  α ← max(α, best)
//!     for each capture and promotion of s, in check for each move
//!         skip it if it cannot bring the evaluation to α (delta pruning), or loses the exchange
//!         v ← −quiescence(s∘a, −β, −α)
//!         best ← max(best, v);  α ← max(α, v);  if α ≥ β: break
//!     return best, or the loss by mate if in check without a move
//! ```

use super::ChessEvaluation;
use super::move_picker::{MovePicker, is_noisy};
use super::scores::{DRAW, INFINITE, MAX_PLY, from_table, is_lost, is_sure, mated, to_table};
use super::see::{EXCHANGE_VALUES, victim};
use super::table::{Entry, Proved};
use super::worker::Worker;
use afterstate_games::Chess;

impl<E: ChessEvaluation> Worker<E> {
    /// The score of `game` as the side to move sees it, exact between `alpha` and `beta`, else a bound. `None`: the search
    /// must stop.
    pub(super) fn quiescence<const PRINCIPAL: bool>(
        &mut self,
        game: &Chess,
        mut alpha: i32,
        beta: i32,
        ply: usize,
    ) -> Option<i32> {
        if PRINCIPAL {
            self.clear_line(ply);
            self.selective_depth = self.selective_depth.max(ply);
        }
        if let Some(score) = self.drawn(game, ply) {
            return Some(score);
        }
        if alpha < DRAW && self.can_repeat(game, ply) {
            alpha = DRAW;
            if alpha >= beta {
                return Some(alpha);
            }
        }
        let board = game.board();
        let in_check = !board.checkers().is_empty();
        if ply >= MAX_PLY {
            return Some(if in_check { DRAW } else { self.evaluate(game) });
        }

        let key = self.table_key(game);
        let known = self.table.get(key);
        if let Some(entry) = known
            && !PRINCIPAL
            && self.settings.transpositions
        {
            let score = from_table(entry.score, ply);
            if entry.proved.settles(score, alpha, beta) {
                return Some(score);
            }
        }

        let principal = PRINCIPAL || known.is_some_and(|entry| entry.principal);
        let mut evaluation = None;
        let (mut best, mut stand_pat) = (-INFINITE, -INFINITE);
        if !in_check {
            let still = known.and_then(|entry| entry.evaluation).unwrap_or_else(|| self.evaluate(game));
            evaluation = Some(still);
            stand_pat = self.corrected(game, still);
            if self.settings.quiescence_table {
                // To stand still mates nobody.
                let estimate = self.estimate(known, stand_pat, ply);
                stand_pat = if is_sure(estimate) { stand_pat } else { estimate };
            }
            best = stand_pat;
            if best >= beta {
                if known.is_none() {
                    let entry = Entry {
                        best: None,
                        score: best,
                        proved: Proved::AtLeast,
                        depth: 0,
                        evaluation,
                        principal: false,
                    };
                    self.table.put(key, entry);
                }
                return Some(best);
            }
            alpha = alpha.max(best);
        }

        let hint = known.and_then(|entry| entry.best).filter(|&mv| board.is_legal(mv));
        let base = self.stack.len();
        let mut picker = if in_check {
            MovePicker::all(base, hint, [None; 3], self.context(game, ply))
        } else {
            MovePicker::noisy(base, hint.filter(|&mv| is_noisy(board, mv)), self.settings.quiescence_exchange)
        };
        let mut best_move = None;
        let growth = self.evaluation.growth(board);
        while let Some(candidate) = self.next_move(game, &mut picker) {
            let mv = candidate.mv;
            if self.settings.delta_pruning && !in_check && mv.promotion.is_none() {
                let gain = victim(board, mv).map_or(0, |taken| EXCHANGE_VALUES[taken as usize]);
                // In hundredths of the first position's pawns <https://www.chessprogramming.org/Delta_Pruning>
                let hoped_for = stand_pat + (gain + self.settings.tunables.delta) * growth / 64;
                if hoped_for <= alpha {
                    best = best.max(hoped_for);
                    continue;
                }
            }
            let mut child = game.clone();
            self.play(&mut child, mv, candidate.piece, ply)?;
            let score = -self.quiescence::<PRINCIPAL>(&child, -beta, -alpha, ply + 1)?;
            self.take_back();
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(mv);
                    if PRINCIPAL {
                        self.extend_line(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
            // One way out of check is enough to know that it is not mate; later quiet ones are hardly better.
            if in_check && !is_lost(best) && self.settings.quiescence_exchange {
                picker.skip_quiet();
            }
        }
        self.stack.truncate(base);
        if in_check && best == -INFINITE {
            return Some(mated(ply));
        }
        let proved = if best >= beta { Proved::AtLeast } else { Proved::AtMost };
        debug_assert!(!is_sure(best) || best.abs() <= super::scores::MATE);
        let score = to_table(best, ply);
        self.table.put(key, Entry { best: best_move, score, proved, depth: 0, evaluation, principal });
        Some(best)
    }
}
