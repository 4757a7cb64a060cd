//! [`TrainingSearch`]: alpha-beta as learners use it (paper 002, §5: "a generic alpha-beta search implementation, that uses
//! only three well known alpha-beta search enhancements: transposition tables, killer move tables and the history heuristic.
//! In addition, to reduce the horizon effect, checking moves were extended by one ply").
//!
//! ```text
//! search(s, d, low, high)                low, high: what the player to move and the opponent are sure of
//!     if s is in check: d ← d + 1
//!     if d = 0: return quiescence(s, low, high)
//!     for each move a: v ← search(s∘a, d−1, low, high) with the points of view changed
//!         best ← max(best, v);  low ← max(low, v);  if best ≥ high: stop
//!     remember that the value of s is best, at most best, or at least best
//!
//! quiescence(s, low, high)
//!     if s is in check: as above, all moves        else: best ← H(s), and captures only
//! ```
//!
//! Nothing is cut because of what the weights say: they may say anything yet. What the table holds when a search is over are
//! bounds that it proved, and [`TrainingSearch::walk`] shows them to a learner. Without pruning the tree is that of minimax, of
//! which only the part below those positions that somebody learns from may be pruned all the same
//! ([`TrainingSearchSettings::exact_depth`]): each of them is searched with an open window.

mod quiescence;
mod settings;
mod table;
mod walk;

pub use settings::TrainingSearchSettings;
pub use table::Interval;

use super::history::History;
use super::score::Score;
use super::window::Window;
use super::{Budget, Decision};
use crate::value::{Features, Squash, Weights};
use afterstate_games::{Record, Repetition, Side, Tactics, Turn};
use settings::MAX_PLY;
use std::mem::take;
use std::sync::Arc;
use table::Table;

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<G: Tactics> {
    /// The best move.
    pub best: G::Move,
    /// The first player's score of the position.
    pub score: Score,
    /// The line that both sides are expected to play, to where it becomes quiet.
    pub line: Vec<G::Move>,
    /// The position at its end: the principal leaf. Its own score is [`Found::score`] unless the table cut the line short.
    pub leaf: G,
    /// Whether the line ends in a position that was there before, so that the score is that of a draw, and not the leaf's.
    pub repeats: bool,
    /// Plies that were searched.
    pub depth: u32,
    /// Positions that were looked at.
    pub nodes: u64,
}

/// What one ply needs, kept so that nothing is allocated while searching.
struct Ply<G: Tactics> {
    moves: Vec<G::Move>,
    order: Vec<u64>,
    killers: [Option<G::Move>; 2],
    line: Vec<G::Move>,
    after: Option<Box<G>>,
}

impl<G: Tactics> Default for Ply<G> {
    fn default() -> Self {
        Ply { moves: Vec::new(), order: Vec::new(), killers: [None; 2], line: Vec::new(), after: None }
    }
}

/// Alpha-beta whose values are φ(s)·θ of weights that may change between searches.
///
/// ```
/// use afterstate_engine::search::{TrainingSearch, TrainingSearchSettings};
/// use afterstate_engine::{Budget, value::{ChessTerms, Squash, TermSet}};
/// use afterstate_games::{Chess, Notation, Record};
/// use std::sync::Arc;
/// let terms = Arc::new(ChessTerms::new(TermSet::Meep));
/// let weights = Arc::new(terms.piece_values([0.01, 0.03, 0.03, 0.05, 0.09]));
/// let settings = TrainingSearchSettings { depth: 3, nodes: 0, ..Default::default() };
/// let mut search = TrainingSearch::new(terms, weights, Squash::Linear, settings);
/// let mate_in_two = Chess::parse_position("k7/8/2K5/8/8/8/8/3R4 w - - 0 1")?;
/// let found = search.search(&Record::new(mate_in_two), &Budget::default()).unwrap();
/// assert_eq!(found.score.plies_to_end(), Some(3));
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
pub struct TrainingSearch<G: Tactics, F> {
    features: Arc<F>,
    weights: Arc<Weights>,
    squash: Squash,
    settings: TrainingSearchSettings,
    table: Table<G::Move>,
    plies: Vec<Ply<G>>,
    history: History,
    /// Of every position before the one that is looked at: of the game, and of the line.
    keys: Vec<u64>,
    budget: Budget,
    nodes: u64,
    /// The first ply is always searched to its end.
    may_stop: bool,
}

impl<G: Tactics, F: Features<G>> TrainingSearch<G, F> {
    /// A search over weights, which may be changed whenever it does not run. Where several games learn the same ones, some change while it
    /// does, and its bounds are of slightly different weights.
    ///
    /// Their sums mean values by `squash`, which says to what they are cut ([`Squash::limit`]).
    pub fn new(features: Arc<F>, weights: Arc<Weights>, squash: Squash, settings: TrainingSearchSettings) -> Self {
        let table = Table::new(settings.table_mib);
        let plies = (0..=MAX_PLY).map(|_| Ply::default()).collect();
        let (history, keys, budget) = (History::default(), Vec::new(), Budget::default());
        TrainingSearch {
            features,
            weights,
            squash,
            settings,
            table,
            plies,
            history,
            keys,
            budget,
            nodes: 0,
            may_stop: false,
        }
    }

    /// φ.
    pub fn features(&self) -> &Arc<F> {
        &self.features
    }

    /// θ.
    pub fn weights(&self) -> &Arc<Weights> {
        &self.weights
    }

    /// What makes a value of φ·θ.
    pub fn squash(&self) -> Squash {
        self.squash
    }

    /// Searches the position that a game has come to, deeper and deeper; `None` if no move is legal there. The table is
    /// cleared before.
    pub fn search(&mut self, record: &Record<G>, budget: &Budget) -> Option<Found<G>> {
        let root = record.position();
        let mut moves = Vec::new();
        root.candidate_moves(&mut moves);
        moves.retain(|&mv| record.is_legal(mv));
        if moves.is_empty() {
            record.legal_moves(&mut moves);
        }
        moves.first()?;
        self.begin(record, budget);
        let limit = self.settings.depth.min(budget.depth.unwrap_or(64)).clamp(1, 64);
        let mut found = None;
        for depth in 1..=limit {
            if depth > 1 && self.is_exhausted() {
                break;
            }
            if !self.root(root, depth, &mut moves, &mut found) {
                break;
            }
            // A sure result does not change any more.
            if found.as_ref().is_some_and(|found: &Found<G>| found.score.winner().is_some()) {
                break;
            }
            self.may_stop = true;
        }
        let mut found = found?;
        found.nodes = self.nodes;
        self.follow_to_leaf(&mut found);
        Some(found)
    }

    /// Plays the line, and goes on where the table cut it short: by what the table says, then until it is quiet.
    fn follow_to_leaf(&mut self, found: &mut Found<G>) {
        let before = self.keys.len();
        for &mv in &found.line {
            self.keys.push(found.leaf.repetition_key());
            found.leaf.play(mv);
        }
        let draws = matches!(G::REPETITION, Repetition::DrawAt(_));
        found.repeats = draws && self.keys.contains(&found.leaf.repetition_key());
        self.keys.truncate(before);
        if found.repeats {
            return;
        }
        while found.line.len() < MAX_PLY / 2
            && let Turn::Player(_) = found.leaf.turn()
            && let Some(entry) = self.table.get(found.leaf.key())
            && let (Some(score), Some(best)) = (entry.interval.exact(), entry.best)
            // Not where an iteration that the budget ended has looked further.
            && score.farther(found.line.len() as u32) == found.score
            && found.leaf.is_legal(best)
        {
            found.leaf.play(best);
            found.line.push(best);
        }
        for &mv in self.quiet_line(&found.leaf) {
            found.leaf.play(mv);
            found.line.push(mv);
        }
    }

    fn begin(&mut self, record: &Record<G>, budget: &Budget) {
        self.table.clear();
        self.history.clear();
        self.history.begin(record.position().index_count());
        for ply in &mut self.plies {
            ply.killers = [None; 2];
        }
        self.keys.clear();
        let keys = record.repetition_keys();
        self.keys.extend_from_slice(&keys[..keys.len() - 1]);
        self.budget = budget.clone();
        self.nodes = 0;
        self.may_stop = false;
    }

    /// One search of the root; `false` if the budget ended it. A better move that was found until then counts.
    fn root(&mut self, root: &G, depth: u32, moves: &mut [G::Move], found: &mut Option<Found<G>>) -> bool {
        let side = root.to_move();
        let mut best = f32::NEG_INFINITY;
        for i in 0..moves.len() {
            let Some(score) = self.follow(root, moves[i], depth - 1, 0, Window::of(side, best, f32::INFINITY)) else {
                return false;
            };
            if score.seen_by(side) > best {
                best = score.seen_by(side);
                let mut line = vec![moves[i]];
                line.extend_from_slice(&self.plies[1].line);
                *found =
                    Some(Found { best: moves[i], score, line, leaf: root.clone(), repeats: false, depth, nodes: 0 });
                moves[..=i].rotate_right(1);
            }
        }
        let score = Score::of(side, best);
        let interval = Interval { at_least: Some(score), at_most: Some(score) };
        self.table.put(root.key(), depth, interval, moves.first().copied());
        true
    }

    /// The position after `mv`, in the place that is kept for it.
    #[inline]
    fn after(&mut self, game: &G, mv: G::Move, ply: usize) -> Box<G> {
        let mut after = match self.plies[ply].after.take() {
            Some(mut after) => {
                after.as_mut().clone_from(game);
                after
            }
            None => Box::new(game.clone()),
        };
        after.play(mv);
        after
    }

    /// The score after `mv` in `game`. `None`: the budget is exhausted.
    #[inline]
    fn follow(&mut self, game: &G, mv: G::Move, depth: u32, ply: usize, window: Window) -> Option<Score> {
        let after = self.after(game, mv, ply);
        if G::REPETITION != Repetition::Allowed {
            self.keys.push(game.repetition_key());
        }
        let score = self.node(&after, depth, ply + 1, window);
        if G::REPETITION != Repetition::Allowed {
            self.keys.pop();
        }
        self.plies[ply].after = Some(after);
        score
    }

    /// The score of a position `ply` moves below the root, exact inside the window, else a bound.
    fn node(&mut self, game: &G, depth: u32, ply: usize, window: Window) -> Option<Score> {
        self.nodes += 1;
        if self.may_stop && self.is_exhausted() {
            return None;
        }
        self.plies[ply].line.clear();
        if let Turn::Over(outcome) = game.turn() {
            return Some(Score::ended(outcome, ply as u32, 0.0));
        }
        if matches!(G::REPETITION, Repetition::DrawAt(_)) && self.keys.contains(&game.repetition_key()) {
            return Some(Score::heuristic(0.0));
        }
        let checked = self.settings.check_extension && game.is_check();
        let depth = depth + u32::from(checked);
        if ply + 1 >= MAX_PLY {
            return Some(self.evaluate(game));
        }
        let side = game.to_move();
        let is_exact = !self.settings.pruning && depth >= self.settings.exact_depth;
        let window = if is_exact { Window::of(side, f32::NEG_INFINITY, f32::INFINITY) } else { window };
        if depth == 0 {
            return self.quiescence(game, ply, window);
        }
        let (low, high) = window.seen_by(side);
        let key = game.key();
        let known = self.table.get(key).map(|entry| (u32::from(entry.depth), entry.interval, entry.best));
        if let Some((known_depth, interval, _)) = known
            && known_depth >= depth
            && (self.settings.pruning || known_depth == depth)
            && let Some(score) = settled(interval, window, ply as u32)
        {
            return Some(score);
        }
        let mut moves = take(&mut self.plies[ply].moves);
        game.candidate_moves(&mut moves);
        self.arrange(game, side, ply, &moves, known.and_then(|(.., best)| best));
        let result = self.moves(game, side, depth, ply, (low, high), &mut moves);
        self.plies[ply].moves = moves;
        let (seen, best) = result?;
        let score = Score::of(side, seen).nearer(ply as u32);
        let (or_more, or_less) = ((seen > low).then_some(score), (seen < high).then_some(score));
        let interval = match side {
            Side::First => Interval { at_least: or_more, at_most: or_less },
            Side::Second => Interval { at_least: or_less, at_most: or_more },
        };
        self.table.put(key, depth, interval, best);
        Some(Score::of(side, seen))
    }

    /// Searches the moves of a node: the best as the side to move sees it, and the move if it is better than `low`.
    fn moves(
        &mut self,
        game: &G,
        side: Side,
        depth: u32,
        ply: usize,
        (mut low, high): (f32, f32),
        moves: &mut [G::Move],
    ) -> Option<(f32, Option<G::Move>)> {
        let mut best = (f32::NEG_INFINITY, None);
        for i in 0..moves.len() {
            self.bring_forward(ply, i, moves);
            let score = self.follow(game, moves[i], depth - 1, ply, Window::of(side, low, high))?;
            let seen = score.seen_by(side);
            if seen > best.0 {
                best.0 = seen;
                if seen > low {
                    low = seen;
                    best.1 = Some(moves[i]);
                    self.extend_line(ply, moves[i]);
                }
            }
            if seen >= high {
                self.refuted(game, side, ply, moves[i], depth);
                break;
            }
        }
        Some(best)
    }

    /// H(s), cut to the limit.
    #[inline]
    fn evaluate(&self, game: &G) -> Score {
        let sum = self.features.sum(game, &*self.weights);
        let limit = self.squash.limit();
        Score::heuristic(sum.clamp(-limit, limit))
    }

    /// Says in what order to search: the table's move, what the rules call urgent, killers, then by history.
    fn arrange(&mut self, game: &G, side: Side, ply: usize, moves: &[G::Move], hint: Option<G::Move>) {
        let (history, Ply { order, killers, .. }) = (&self.history, &mut self.plies[ply]);
        order.clear();
        order.extend(moves.iter().map(|&mv| match Some(mv) {
            some if some == hint => u64::MAX,
            some if some == killers[0] => (1 << 33) + 1,
            some if some == killers[1] => 1 << 33,
            _ => match game.urgency(mv) {
                0 => (f64::from(history.share(side, game.move_index(mv))) * f64::from(u32::MAX)) as u64,
                urgency => (1 << 34) + u64::from(urgency),
            },
        }));
    }

    /// Exchanges move number `i` and the most promising one from there on.
    #[inline]
    fn bring_forward(&mut self, ply: usize, i: usize, moves: &mut [G::Move]) {
        let order = &mut self.plies[ply].order;
        let mut best = i;
        for j in i + 1..moves.len() {
            if order[j] > order[best] {
                best = j;
            }
        }
        moves.swap(i, best);
        order.swap(i, best);
    }

    fn extend_line(&mut self, ply: usize, mv: G::Move) {
        let (here, below) = self.plies.split_at_mut(ply + 1);
        let line = &mut here[ply].line;
        line.clear();
        line.push(mv);
        line.extend_from_slice(&below[0].line);
    }

    fn refuted(&mut self, game: &G, side: Side, ply: usize, mv: G::Move, depth: u32) {
        if game.urgency(mv) > 0 {
            return;
        }
        let killers = &mut self.plies[ply].killers;
        if killers[0] != Some(mv) {
            *killers = [Some(mv), killers[0]];
        }
        self.history.refuted(side, game.move_index(mv), depth);
    }

    /// Whether the budget is used up. The clock is read only now and then.
    #[inline]
    fn is_exhausted(&self) -> bool {
        let limit =
            self.budget.simulations.unwrap_or(if self.settings.nodes == 0 { u64::MAX } else { self.settings.nodes });
        self.nodes >= limit || (self.nodes.is_multiple_of(64) && self.budget.expired())
    }
}

/// The score that what is known settles, `ply` moves below the root: exact, or outside the window.
fn settled(interval: Interval, window: Window, ply: u32) -> Option<Score> {
    if let Some(score) = interval.exact() {
        return Some(score.farther(ply));
    }
    let low = interval.at_least.map(|score| score.farther(ply)).filter(|&score| score >= window.at_most);
    let high = interval.at_most.map(|score| score.farther(ply)).filter(|&score| score <= window.at_least);
    low.or(high)
}

impl<G: Tactics> From<Found<G>> for Decision<G::Move> {
    fn from(found: Found<G>) -> Self {
        Decision {
            best: Some(found.best),
            value: None,
            principal_variation: found.line,
            effort: found.nodes,
            depth: Some(found.depth),
            plies_to_end: found.score.plies_to_end(),
        }
    }
}
