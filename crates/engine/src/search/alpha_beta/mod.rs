//! [`AlphaBeta`]: full-width search to a fixed depth, with every line left out that cannot matter
//! (paper 000, §3.3.5 and Table 2; §6.1 for the enhancements).
//!
//! ```text
//! search(s, d, low, high)                    low, high: what the player to move and the opponent are sure of,
//!     if d = 1: return max over a of score(s∘a)                             as the player to move sees it
//!     for each move a, the most promising first
//!         v ← search(s∘a, d−1, low, high)    with the points of view changed
//!         best ← max(best, v);  low ← max(low, v)
//!         if best ≥ high: return best        the opponent will not let it come to this
//!     return best
//! ```
//!
//! The result is that of plain [`minimax`](super::minimax()): the enhancements only save work. All but
//! the first move of a node are first searched with an empty window, which asks "is it better?" and not
//! "how good is it?" (principal-variation search). The table's results are used only at exactly the
//! depth that is asked for. The last ply scores all its afterstates at once, without making the moves.
//! Each part can be switched off. One that guesses, null-move pruning, has to be switched on.

mod null_move;
mod ply;
mod settings;
mod threads;
mod under_way;

pub use settings::{AlphaBetaSettings, MAX_DEPTH};

use super::history::History;
use super::score::Score;
use super::shared_transposition::SharedTranspositionTable;
use super::transposition::Bound;
use super::window::Window;
use super::{Budget, Decision, Search};
use crate::Value;
use crate::policy;
use crate::value::AfterstateValues;
use afterstate_games::rng::shuffle;
use afterstate_games::{Deterministic, Game, IndexedMoves, Rng, Side, Turn};
use null_move::Numbers;
use ply::Ply;
use std::collections::VecDeque;
use std::mem::take;
use std::sync::Arc;
use under_way::UnderWay;

/// Alpha-beta search with a value function at its leaves.
///
/// It keeps its table from search to search, but only the order in which moves are tried carries over:
/// the value of a decision depends on the position, the settings and the value function alone. (With `null_move`, whether a pass is tried
/// depends on what other moves came to, and so on their order.)
///
/// ```
/// use afterstate_engine::search::{AlphaBeta, AlphaBetaSettings};
/// use afterstate_engine::{Budget, Search, value::Indifferent};
/// use afterstate_games::{Game, Side, go::{Go, Move}, stream};
/// let mut game = Go::new(5);
/// game.play(Move::PASS);
/// let mut search = AlphaBeta::new(std::sync::Arc::new(Indifferent), AlphaBetaSettings { depth: 2, ..Default::default() });
/// let decision = search.search(&game, &Budget::default(), &mut stream(1, 0));
/// assert_eq!(decision.principal_variation.len(), 2);
/// assert_eq!(decision.depth, Some(2));
/// ```
pub struct AlphaBeta<G: Deterministic, V: ?Sized> {
    values: Arc<V>,
    settings: AlphaBetaSettings,
    table: Option<Arc<SharedTranspositionTable<G::Move>>>,
    plies: Vec<Ply<G::Move>>,
    /// By ply, a place for the position after a move: lines may be long, and positions too large for the stack.
    after: Vec<Option<Box<G>>>,
    /// What the game says of its moves; without it the parts that need it do nothing.
    numbers: Option<Numbers<G>>,
    history: History,
    budget: Budget,
    /// What the other threads search with.
    helpers: Vec<AlphaBeta<G, V>>,
    /// What all threads are looking at, if there are several.
    under_way: Option<Arc<UnderWay>>,
    /// Of each root move, what was last proved of it as the player to move sees it, and who that is.
    root_scores: (Side, Vec<(G::Move, f32)>),
    evaluations: u64,
    nodes: u64,
}

impl<G: Deterministic, V: AfterstateValues<G> + ?Sized> AlphaBeta<G, V> {
    /// A search over `values`. Its table takes memory from the first search on that is deeper than one ply.
    pub fn new(values: Arc<V>, settings: AlphaBetaSettings) -> Self {
        AlphaBeta {
            values,
            settings,
            table: None,
            plies: Vec::new(),
            after: Vec::new(),
            numbers: None,
            history: History::default(),
            budget: Budget::default(),
            helpers: Vec::new(),
            under_way: None,
            root_scores: (Side::First, Vec::new()),
            evaluations: 0,
            nodes: 0,
        }
    }

    /// Forgets what earlier searches left: the next one runs as if it were the first.
    pub fn clear(&mut self) {
        if let Some(table) = &self.table {
            table.clear();
        }
        self.plies.iter_mut().for_each(Ply::forget_killers);
        self.history.clear();
        self.helpers.clear();
    }

    /// Other values from now on: those that were learnt meanwhile.
    pub fn set_values(&mut self, values: Arc<V>) {
        self.values = values;
    }

    /// Positions expanded in the last search, the root included.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The moves of the last search, each with what the deepest look at it showed: the score of the move that was chosen,
    /// and for others how good they are at most for the side that chose.
    pub fn root_scores(&self) -> impl Iterator<Item = (G::Move, Score)> + '_ {
        let (side, scores) = &self.root_scores;
        scores.iter().map(|&(mv, seen)| (mv, Score::of(*side, seen)))
    }

    /// Searches from `root` with a choice among `root_moves` alone, which must be legal: how a caller who
    /// knows the history of the game leaves out what superko forbids. Without any move it resigns.
    ///
    /// If the budget ends before the first depth is done, the decision is the greedy one. Equal moves are
    /// chosen among at random.
    pub fn search_among(
        &mut self,
        root: &G,
        root_moves: &[G::Move],
        budget: &Budget,
        rng: &mut Rng,
    ) -> Decision<G::Move> {
        let Turn::Player(side) = root.turn() else { return Decision::resign() };
        if root_moves.is_empty() {
            return Decision::resign();
        }
        if let Some(table) = &self.table {
            table.age();
        }
        let share = |limit: u64| limit.div_ceil(self.threads() as u64);
        self.begin(root, Budget { simulations: budget.simulations.map(share), ..budget.clone() });
        let limit = self.settings.depth.min(budget.depth.unwrap_or(MAX_DEPTH)).clamp(1, MAX_DEPTH);
        self.make_room(limit);

        let mut here = take(&mut self.plies[0]);
        here.moves.clear();
        here.moves.extend_from_slice(root_moves);
        self.evaluate(root, side, 0, &mut here);
        self.root_scores.0 = side;
        self.root_scores.1.clear();
        self.root_scores.1.extend(here.moves.iter().copied().zip(here.seen.iter().copied()));
        let first = policy::greedy(&here.seen, Side::First, rng);
        let mut found = Found { seen: here.seen[first], line: vec![here.moves[first]], depth: 1 };
        if limit > 1 {
            let mut moves: Vec<(G::Move, f32)> = here.moves.iter().copied().zip(here.seen.iter().copied()).collect();
            let chosen = moves.swap_remove(first);
            shuffle(&mut moves, rng);
            moves.sort_by(|a, b| b.1.total_cmp(&a.1));
            moves.insert(0, chosen);
            self.plies[0] = here;
            self.deepen_together(root, side, limit, moves, &mut found);
        } else {
            self.plies[0] = here;
        }
        let score = Score::of(side, found.seen);
        let value = match score.winner() {
            Some(Side::First) => Value(1.0),
            Some(Side::Second) => Value(0.0),
            None => self.values.value_of_score(score.first_player()).bounded(),
        };
        Decision {
            best: found.line.first().copied(),
            value: Some(value),
            principal_variation: found.line,
            effort: self.evaluations,
            depth: Some(found.depth),
            plies_to_end: score.plies_to_end(),
        }
    }

    fn begin(&mut self, root: &G, budget: Budget) {
        self.budget = budget;
        (self.evaluations, self.nodes) = (0, 1);
        self.plies.iter_mut().for_each(Ply::forget_killers);
        if let (Some(numbers), true) = (&self.numbers, self.settings.history) {
            self.history.begin((numbers.count)(root));
        }
    }

    fn make_room(&mut self, depth: u32) {
        while self.plies.len() < depth as usize {
            self.plies.push(Ply::default());
            self.after.push(None);
        }
        if depth > 1 && self.settings.transpositions && self.table.is_none() {
            self.table = Some(Arc::new(SharedTranspositionTable::new(self.settings.table_mib, self.threads())));
        }
    }

    /// Searches deeper and deeper, and leaves the best that was found in `found`.
    fn deepen(&mut self, root: &G, side: Side, limit: u32, mut moves: Vec<(G::Move, f32)>, found: &mut Found<G::Move>) {
        let from = if self.settings.deepening { 2 } else { limit };
        for depth in from..=limit {
            // A sure result cannot change: everything that matters for it was seen to the end.
            if Score::of(side, found.seen).winner().is_some() || self.exhausted() {
                return;
            }
            let Some(best) = self.root(root, side, depth, &moves, found) else { return };
            found.depth = depth;
            moves[..=best].rotate_right(1);
        }
    }

    /// One search of the root to `depth`. Returns the index of the best move, or `None` if the budget ended
    /// before that was certain; a move that was by then found better than the first one counts.
    fn root(
        &mut self,
        root: &G,
        side: Side,
        depth: u32,
        moves: &[(G::Move, f32)],
        found: &mut Found<G::Move>,
    ) -> Option<usize> {
        let (mut best, mut order) = ((f32::NEG_INFINITY, 0), (0..moves.len()).collect::<VecDeque<usize>>());
        for looked_at in 0.. {
            let Some(i) = order.pop_front() else { break };
            let (mv, fixed) = moves[i];
            let name = self.name(root, mv, depth).filter(|_| i > 0);
            if looked_at < moves.len() && self.is_under_way(name) {
                order.push_back(i);
                continue;
            }
            let seen = self.under_way(name, |search| {
                search.follow(root, side, mv, fixed, depth, 0, (best.0, f32::INFINITY), i > 0)
            })?;
            if let Some(known) = self.root_scores.1.iter_mut().find(|known| known.0 == mv) {
                known.1 = seen;
            }
            if seen > best.0 {
                best = (seen, i);
                found.seen = seen;
                found.line.clear();
                found.line.push(mv);
                if !self.is_last(root, side, mv, fixed) {
                    found.line.extend_from_slice(&self.plies[1].line);
                }
            }
        }
        Some(best.1)
    }

    /// What `side` sees if `mv` is played in `game`, exact if it lies between the bounds. `fixed` is what the
    /// value function says, or the sure result; a `scout` first asks whether the move is better than `low` at all.
    /// `None`: the budget is exhausted.
    #[allow(clippy::too_many_arguments)]
    #[inline]
    fn follow(
        &mut self,
        game: &G,
        side: Side,
        mv: G::Move,
        fixed: f32,
        depth: u32,
        ply: u32,
        (low, high): (f32, f32),
        scout: bool,
    ) -> Option<f32> {
        if self.is_last(game, side, mv, fixed) {
            return Some(fixed);
        }
        let child = self.after(game, mv, ply);
        let seen = self.ask(&child, side, depth - 1, ply + 1, (low, high), scout);
        self.after[ply as usize] = Some(child);
        seen
    }

    /// The position after `mv`, in the place that is kept for it.
    #[inline(never)]
    fn after(&mut self, game: &G, mv: G::Move, ply: u32) -> Box<G> {
        let mut child = match self.after[ply as usize].take() {
            Some(mut child) => {
                child.as_mut().clone_from(game);
                child
            }
            None => Box::new(game.clone()),
        };
        child.play(mv);
        child
    }

    /// What `side` sees in `child`, where the opponent is to move: at first perhaps only whether it is better than `low`.
    fn ask(
        &mut self,
        child: &G,
        side: Side,
        depth: u32,
        ply: u32,
        (low, high): (f32, f32),
        scout: bool,
    ) -> Option<f32> {
        if scout && self.settings.principal_variation {
            let barely = low.next_up();
            let seen = self.node(child, depth, ply, Window::of(side, low, barely))?.seen_by(side);
            if seen <= low || seen >= high || barely >= high {
                return Some(seen);
            }
        }
        Some(self.node(child, depth, ply, Window::of(side, low, high))?.seen_by(side))
    }

    /// The score of `game`, which is `ply` moves below the root and not over, looked at `depth` plies deep:
    /// exact inside the window, else a bound. `None`: the budget is exhausted.
    fn node(&mut self, game: &G, depth: u32, ply: u32, window: Window) -> Option<Score> {
        let Turn::Player(side) = game.turn() else { unreachable!("ended games are not searched") };
        let (low, high) = window.seen_by(side);
        self.nodes += 1;
        if self.exhausted() {
            return None;
        }
        let key = game.key();
        let known = self.table.as_ref().and_then(|table| table.get(key));
        // Nodes of the principal variation are always searched, so that the line is known to its end.
        let asks_if_better = low.next_up() >= high;
        if let Some(entry) = known
            && asks_if_better
            && entry.current
            && u32::from(entry.depth) == depth
        {
            let score = entry.score.farther(ply);
            let seen = score.seen_by(side);
            let settled = match (entry.bound, side) {
                (Bound::Exact, _) => true,
                (Bound::AtLeast, Side::First) | (Bound::AtMost, Side::Second) => seen >= high,
                (Bound::AtMost, Side::First) | (Bound::AtLeast, Side::Second) => seen <= low,
            };
            if settled {
                return Some(score);
            }
        }
        let mut here = take(&mut self.plies[ply as usize]);
        here.line.clear();
        game.candidate_moves(&mut here.moves);
        self.evaluate(game, side, ply, &mut here);
        if self.settings.null_move && asks_if_better && self.may_pass(game, side, depth, high, &mut here) {
            match self.pass(game, side, depth, ply, high) {
                Some(seen) if seen < high => {}
                refuted => {
                    self.plies[ply as usize] = here;
                    return refuted.map(|seen| Score::of(side, seen));
                }
            }
        }
        let result = match depth {
            1 => Some(here.last_ply()),
            _ => self.moves(game, side, depth, ply, (low, high), known.and_then(|entry| entry.best), &mut here),
        };
        self.plies[ply as usize] = here;
        let (seen, best) = result?;
        let score = Score::of(side, seen);
        if let Some(table) = &self.table {
            table.put(key, depth as u8, Bound::proved(side, seen, low, high), score.nearer(ply), Some(best));
        }
        Some(score)
    }

    /// Searches the moves of a node, the most promising first: the table's, killers, then as their afterstates look.
    #[allow(clippy::too_many_arguments)]
    fn moves(
        &mut self,
        game: &G,
        side: Side,
        depth: u32,
        ply: u32,
        (mut low, high): (f32, f32),
        hint: Option<G::Move>,
        here: &mut Ply<G::Move>,
    ) -> Option<(f32, G::Move)> {
        match &self.numbers {
            Some(numbers) if self.settings.history => {
                here.arrange(hint, |mv| self.history.share(side, (numbers.index)(game, mv)));
            }
            _ => here.arrange(hint, |_| 0.0),
        }
        let mut best = (f32::NEG_INFINITY, here.moves[0]);
        here.put_off.clear();
        for looked_at in 0.. {
            let Some(i) = here.next(looked_at) else { break };
            let (mv, fixed) = (here.moves[i], here.seen[i]);
            let name = self.name(game, mv, depth).filter(|_| i > 0);
            if looked_at < here.moves.len() && self.is_under_way(name) {
                here.put_off.push(i);
                continue;
            }
            let seen =
                self.under_way(name, |search| search.follow(game, side, mv, fixed, depth, ply, (low, high), i > 0))?;
            if seen > best.0 {
                best = (seen, mv);
                if seen > low {
                    low = seen;
                    here.line.clear();
                    here.line.push(mv);
                    if !self.is_last(game, side, mv, fixed) {
                        here.line.extend_from_slice(&self.plies[ply as usize + 1].line);
                    }
                }
            }
            if seen >= high {
                if self.settings.killers {
                    here.refuted_by(mv);
                }
                if let (Some(numbers), true) = (&self.numbers, self.settings.history) {
                    self.history.refuted(side, (numbers.index)(game, mv), depth);
                }
                break;
            }
        }
        Some(best)
    }

    /// Fills in what the afterstates of the moves `here` look like. What that needs of the stack is gone before the next
    /// ply.
    #[inline(never)]
    fn evaluate(&mut self, game: &G, side: Side, ply: u32, here: &mut Ply<G::Move>) {
        self.values.afterstates(game, &here.moves, &mut here.raw);
        self.evaluations += here.moves.len() as u64;
        let even = self.values.even_score();
        here.seen.clear();
        here.seen.extend(here.moves.iter().zip(&here.raw).map(|(&mv, &raw)| {
            let score = match game.outcome_after(mv) {
                None => Score::heuristic(raw),
                Some(outcome) => Score::ended(outcome, ply + 1, even),
            };
            score.seen_by(side)
        }));
    }

    /// Whether nothing is searched after `mv`, whose afterstate looks like `fixed` to `side`: that is sure already, or a draw that ends
    /// the game. The game itself is asked only where the afterstate looks even, as draws do.
    #[inline]
    fn is_last(&self, game: &G, side: Side, mv: G::Move, fixed: f32) -> bool {
        let is_even = || fixed == Score::heuristic(self.values.even_score()).seen_by(side);
        Score::of(side, fixed).winner().is_some() || is_even() && ends(game, mv)
    }

    /// Whether the budget is used up. The clock is read only now and then.
    #[inline]
    fn exhausted(&self) -> bool {
        self.budget.simulations.is_some_and(|limit| self.evaluations >= limit)
            || (self.nodes.is_multiple_of(64) && self.budget.expired())
    }
}

impl<G: Deterministic + IndexedMoves, V: AfterstateValues<G> + ?Sized> AlphaBeta<G, V> {
    /// The same for a game whose moves have numbers: history and null move work.
    ///
    /// ```
    /// use afterstate_engine::search::{AlphaBeta, AlphaBetaSettings};
    /// use afterstate_engine::{Budget, Search, value::Indifferent};
    /// use afterstate_games::{ConnectFour, stream};
    /// let settings = AlphaBetaSettings { history: true, depth: 6, ..AlphaBetaSettings::default() };
    /// let mut search = AlphaBeta::indexed(std::sync::Arc::new(Indifferent), settings);
    /// assert_eq!(search.search(&ConnectFour::new(), &Budget::default(), &mut stream(1, 0)).depth, Some(6));
    /// ```
    pub fn indexed(values: Arc<V>, settings: AlphaBetaSettings) -> Self {
        AlphaBeta { numbers: Some(Numbers::of_game()), ..AlphaBeta::new(values, settings) }
    }
}

/// Whether `mv` ends the game; apart, because some games find that out on a copy.
#[inline(never)]
fn ends<G: Game>(game: &G, mv: G::Move) -> bool {
    game.outcome_after(mv).is_some()
}

/// The best that a search knows so far.
struct Found<M> {
    /// Its score as the player to move sees it.
    seen: f32,
    line: Vec<M>,
    depth: u32,
}

impl<G: Deterministic, V: AfterstateValues<G> + ?Sized> Search<G> for AlphaBeta<G, V> {
    fn search(&mut self, root: &G, budget: &Budget, rng: &mut Rng) -> Decision<G::Move> {
        let mut moves = Vec::new();
        root.candidate_moves(&mut moves);
        self.search_among(root, &moves, budget, rng)
    }
}
