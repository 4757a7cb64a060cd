//! The root: iterative deepening, aspiration windows, and the moves to choose among.
//!
//! ```text
//! for d = 1, 2, …                                       iterative deepening
//!     for each line that is asked for                   the best move, then the best of the others, …
//!         window ← its last score ± δ                   aspiration
//!         while its score is outside: widen the window on that side, search again
//!     stop if time, or nodes, or what is to be found out say so
//! ```
//!
//! Sources: <https://www.chessprogramming.org/Iterative_Deepening>, …/Aspiration_Windows, …/Time_Management.

use super::ChessEvaluation;
use super::move_picker::is_noisy;
use super::node::Task;
use super::report::{RootProgress, SearchInfo, SearchNews};
use super::scores::{INFINITE, MATE, is_sure, leaving};
use super::settings::MAX_TOURNAMENT_DEPTH;
use super::worker::Worker;
use crate::search::Bound;
use afterstate_games::chess::Move;
use afterstate_games::{Chess, Side};

/// Aspiration begins with this iteration: before, scores jump.
const ASPIRE_FROM: i32 = 4;

/// A move of the root and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    /// As the side to move sees it; `None` if the last look only showed that it is not better than others.
    pub score: Option<i32>,
    /// The last that was known before this iteration, or before its window was widened.
    pub previous: Option<i32>,
    /// What the last known score is, as the side to move sees it: outside of a window it is a bound.
    bound: Bound,
    /// The line that it begins, itself included.
    pub line: Vec<Move>,
    pub selective_depth: usize,
    /// Nodes below it in this search.
    nodes: u64,
}

impl RootMove {
    pub(super) fn new(mv: Move) -> RootMove {
        RootMove { score: None, previous: None, bound: Bound::Exact, line: vec![mv], selective_depth: 0, nodes: 0 }
    }

    pub(super) fn mv(&self) -> Move {
        self.line[0]
    }

    /// What it is worth at least, by this iteration: a line that has failed high has shown that, too.
    fn shown(&self) -> Option<i32> {
        self.score.or(self.previous.filter(|_| self.bound == Bound::AtLeast))
    }

    /// The last score that is known.
    pub(super) fn known(&self) -> Option<i32> {
        self.score.or(self.previous)
    }
}

/// Puts the root's moves in order, the best first, when the search of line number `line` was stopped.
fn put_in_order(root_moves: &mut [RootMove], line: usize) {
    root_moves[line..].sort_by_key(|root_move| std::cmp::Reverse(root_move.score));
    // What has shown nothing yet is no better than the lines before it, whatever it was once.
    root_moves[..=line].sort_by_key(|root_move| std::cmp::Reverse(root_move.shown()));
}

/// How the best move fared from iteration to iteration, which says how much time to spend.
#[derive(Default)]
struct Stability {
    best: Option<Move>,
    /// Iterations that it has been the same.
    iterations: u32,
    score: Option<i32>,
}

impl Stability {
    /// By what the planned time should be multiplied after an iteration that spent the share `share` of all nodes on its best move.
    fn factor(&mut self, best: Move, score: i32, share: f64) -> f64 {
        self.iterations = if self.best == Some(best) { self.iterations + 1 } else { 0 };
        self.best = Some(best);
        let drop = self.score.map_or(0, |before| (before - score).clamp(0, 60));
        self.score = Some(score);
        let settled = [1.7, 1.3, 1.1, 0.95, 0.85][self.iterations.min(4) as usize];
        settled * (1.0 + f64::from(drop) / 60.0) * (1.6 - share)
    }
}

impl<E: ChessEvaluation> Worker<E> {
    /// Searches deeper and deeper, and leaves what it finds in the root moves, the best first. Returns the last depth that
    /// was completed.
    pub(super) fn deepen(&mut self, root: &Chess, watch: Option<&mut dyn FnMut(&SearchNews)>) -> u32 {
        let mut silent = |_: &SearchNews| {};
        let watch = watch.unwrap_or(&mut silent);
        let limits = &self.clock.limits;
        let depth = limits.budget.depth.unwrap_or(self.settings.depth).clamp(1, MAX_TOURNAMENT_DEPTH);
        let lines = limits.multi_pv.clamp(1, self.root_moves.len());
        let mut stability = Stability::default();
        let (mut completed, mut told) = (0, None);
        for depth in 1..=depth as i32 {
            // Helpers look at other depths than the first thread, so that they find something new.
            if self.number > 0 && depth > 1 && (depth + self.number as i32) % 4 == 0 {
                continue;
            }
            self.root_depth = depth;
            for root_move in &mut self.root_moves {
                root_move.previous = root_move.known();
                root_move.score = None;
            }
            for line in 0..lines {
                if self.aspire(root, depth, line, watch).is_none() {
                    self.return_to_root();
                    put_in_order(&mut self.root_moves, line);
                    // Whoever watches should have seen the line that is decided on.
                    if told != Some(self.root_moves[0].mv()) {
                        self.clock.report(self.number, self.nodes);
                        self.tell(root, 0, true, watch);
                    }
                    return completed;
                }
                self.root_moves[..=line].sort_by_key(|root_move| std::cmp::Reverse(root_move.score));
            }
            completed = depth as u32;
            self.clock.report(self.number, self.nodes);
            for line in 0..lines {
                self.tell(root, line, false, watch);
            }
            told = Some(self.root_moves[0].mv());
            if self.number == 0 && self.is_enough(depth, &mut stability) {
                break;
            }
        }
        completed
    }

    /// Whether the first thread should not begin another iteration.
    fn is_enough(&self, depth: i32, stability: &mut Stability) -> bool {
        let best = &self.root_moves[0];
        let Some(score) = best.score else { return false };
        let limits = &self.clock.limits;
        let plies_to_mate = is_sure(score).then_some(MATE - score.abs());
        if let (Some(moves), Some(plies)) = (limits.mate, plies_to_mate)
            && plies.unsigned_abs() <= moves.saturating_mul(2)
        {
            return true;
        }
        let share = best.nodes as f64 / self.nodes.max(1) as f64;
        let factor = stability.factor(best.mv(), score, share);
        let certain = self.root_moves.len() == 1 || plies_to_mate.is_some_and(|plies| depth > plies);
        self.clock.ends(self.clock.is_late(factor) || (certain && self.clock.saves_time()))
    }

    /// Searches line number `line`, 0 being the best, with a window around its last score. `None`: the search must stop.
    fn aspire(&mut self, root: &Chess, depth: i32, line: usize, watch: &mut dyn FnMut(&SearchNews)) -> Option<()> {
        let (mut alpha, mut beta, mut width) = (-INFINITE, INFINITE, self.settings.tunables.aspiration_window.max(2));
        if self.settings.aspiration
            && depth >= ASPIRE_FROM
            && let Some(score) = self.root_moves[line].previous
            && !is_sure(score)
        {
            (alpha, beta) = (score - width, score + width);
        }
        loop {
            let score = self.root(root, depth, line, [alpha, beta], watch)?;
            self.root_moves[line..].sort_by_key(|root_move| std::cmp::Reverse(root_move.score));
            width += width / 2;
            self.root_moves[line].bound = if score <= alpha {
                beta = (alpha + beta) / 2;
                alpha = if width > 500 { -INFINITE } else { (score - width).max(-INFINITE) };
                Bound::AtMost
            } else if score >= beta {
                beta = if width > 500 { INFINITE } else { (score + width).min(INFINITE) };
                Bound::AtLeast
            } else {
                return Some(());
            };
            // Early changes are too many to be of interest.
            if self.takes_long() {
                self.tell(root, line, false, watch);
            }
        }
    }

    /// One search of the root's moves from number `first` on: as [`Worker::node`], but what is found of every move is kept,
    /// and nothing is left out.
    fn root(
        &mut self,
        root: &Chess,
        depth: i32,
        first: usize,
        [mut alpha, beta]: [i32; 2],
        watch: &mut dyn FnMut(&SearchNews),
    ) -> Option<i32> {
        let board = root.board();
        let in_check = !board.checkers().is_empty();
        let still = (!in_check).then(|| self.evaluate(root));
        let evaluation = still.map(|still| self.corrected(root, still));
        self.frame(0).evaluation = evaluation;
        self.frame(1).killers = [None; 2];
        for root_move in &mut self.root_moves[first..] {
            // A search that is stopped before the next score may decide on the move that this one speaks for.
            root_move.previous = root_move.known();
            root_move.score = None;
        }
        let mut best = -INFINITE;
        for index in first..self.root_moves.len() {
            let number = (index - first) as i32 + 1;
            let mv = self.root_moves[index].mv();
            let Some(piece) = board.piece_on(mv.from) else { continue };
            if self.takes_long() {
                self.tell_move(mv, index, watch);
            }
            let nodes = self.nodes;
            self.selective_depth = 0;
            let mut child = root.clone();
            self.play(&mut child, mv, piece, 0)?;
            let full = depth - 1;
            let mut scout = full;
            let quiet = !is_noisy(board, mv) && !in_check && child.board().checkers().is_empty();
            if self.settings.late_move_reductions && depth >= 3 && number > 3 && quiet {
                scout = (full - self.reductions.plies(depth, number) / 1024 + 1).clamp(1, full);
            }
            let task = Task { alpha, beta, depth: full, ply: 0, cut: false };
            let score = self.follow::<true>(&child, task, scout, (number > 1).then_some(best))?;
            self.take_back();

            let root_move = &mut self.root_moves[index];
            root_move.nodes += self.nodes - nodes;
            if number == 1 || score > alpha {
                root_move.score = Some(score);
                root_move.bound = match () {
                    () if score <= alpha => Bound::AtMost,
                    () if score >= beta => Bound::AtLeast,
                    () => Bound::Exact,
                };
                root_move.selective_depth = self.selective_depth;
                root_move.line.truncate(1);
                let line = self.lines[1].as_slice();
                self.root_moves[index].line.extend_from_slice(line);
            }
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        Some(best)
    }

    /// Whether somebody may have begun to wonder what it is doing.
    fn takes_long(&self) -> bool {
        self.clock.begin.elapsed().as_secs() >= 1
    }

    /// Reports the move that is searched from now on, of which `before` others came before.
    fn tell_move(&self, mv: Move, before: usize, watch: &mut dyn FnMut(&SearchNews)) {
        self.clock.report(self.number, self.nodes);
        watch(&SearchNews::Move(RootProgress {
            depth: self.root_depth as u32,
            mv,
            number: before as u32 + 1,
            nodes: self.clock.total_nodes(),
            hashfull: self.table.fullness(),
        }));
    }

    /// Reports a line, if there is something to report. `decided`: it is what the search ends with.
    pub(super) fn tell(&self, root: &Chess, line: usize, decided: bool, watch: &mut dyn FnMut(&SearchNews)) {
        let root_move = &self.root_moves[line];
        let Some(score) = root_move.known() else { return };
        // As the first player sees it.
        let bound = match (root.side_to_move(), root_move.bound) {
            (Side::Second, Bound::AtMost) => Bound::AtLeast,
            (Side::Second, Bound::AtLeast) => Bound::AtMost,
            (_, bound) => bound,
        };
        watch(&SearchNews::Line(SearchInfo {
            depth: self.root_depth as u32,
            selective_depth: (root_move.selective_depth as u32).max(self.root_depth as u32),
            multi_pv: line + 1,
            score: leaving(root.side_to_move(), score),
            bound,
            decided,
            nodes: self.clock.total_nodes(),
            elapsed: self.clock.begin.elapsed(),
            hashfull: self.table.fullness(),
            pv: &root_move.line,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::chess::cozy_chess::Square;

    const FIRST: Square = Square::A2;
    const SECOND: Square = Square::B2;
    const THIRD: Square = Square::C2;

    /// The move to this square, what this iteration and the one before said of it, and what the latter is.
    fn root_move(to: Square, score: Option<i32>, previous: i32, bound: Bound) -> RootMove {
        let mv = Move { from: Square::A1, to, promotion: None };
        RootMove { score, previous: Some(previous), bound, ..RootMove::new(mv) }
    }

    /// What comes first when the search of line number `line` is stopped.
    fn decided(mut root_moves: Vec<RootMove>, line: usize) -> Square {
        put_in_order(&mut root_moves, line);
        root_moves[0].mv().to
    }

    #[test]
    fn a_line_that_was_searched_comes_before_one_that_was_good_once() {
        // The second line was better before, but its search has shown nothing yet: the first may just have been refuted for it.
        for bound in [Bound::Exact, Bound::AtMost] {
            let lines = vec![
                root_move(FIRST, Some(30), 20, Bound::Exact),
                root_move(SECOND, None, 60, bound),
                root_move(THIRD, None, 90, Bound::Exact),
            ];
            assert_eq!(decided(lines, 1), FIRST, "{bound:?}");
        }
    }

    #[test]
    fn what_failed_high_or_was_found_better_is_decided_on() {
        let lines = vec![root_move(FIRST, Some(30), 20, Bound::Exact), root_move(SECOND, None, 60, Bound::AtLeast)];
        assert_eq!(decided(lines, 1), SECOND, "at least 60");
        let moves = vec![root_move(FIRST, Some(30), 20, Bound::Exact), root_move(SECOND, Some(31), 10, Bound::Exact)];
        assert_eq!(decided(moves, 0), SECOND);
        let moves = vec![root_move(FIRST, Some(30), 20, Bound::Exact), root_move(SECOND, None, 60, Bound::Exact)];
        assert_eq!(decided(moves, 0), FIRST, "the scout only showed that the second is no better");
    }
}
