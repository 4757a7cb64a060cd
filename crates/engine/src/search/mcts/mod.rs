//! [`Mcts`]: Monte-Carlo tree search (paper 003, §2.4), for every selection rule, default policy and prior.
//!
//! ```text
//! while there is time:  simulate(s₀)
//! play argmaxₐ N(s₀,a)
//! ```
//!
//! Reading order: `worker` (a simulation: select, expand, play out, back up), the selection rules ([`uct`](super::uct),
//! [`mc_rave`](super::mc_rave), …), [`tree`](super::tree) (where the statistics live), and this file: what goes
//! on around simulations.

mod history;
mod report;
mod run;
mod settings;
#[cfg(test)]
mod tests;
mod visited;
mod worker;

pub(super) use report::lower_bound;
pub use report::{MoveReport, SearchReport};
pub use settings::{FinalMove, MctsSettings, Parallelisation, Passes, Widening};
pub use visited::VisitedPosition;

use super::leaf::{Leaf, PlayoutObserver};
use super::mcts_solver::Proof;
use super::prior::Prior;
use super::selection::Selection;
use super::tree::{NodeIndex, ROOT, Tree};
use super::{Budget, Decision, Search};
use afterstate_games::{Deterministic, Game, IndexedMoves, Record, Rng, Side, Turn};
use history::History;
use std::time::Duration;
use thiserror::Error;
use worker::Worker;

/// A position to be searched, with what its past forbids.
#[derive(Clone, Debug)]
pub struct Situation<'a, G: Game> {
    /// The position, in which a player must be to move.
    pub position: &'a G,
    /// The moves to choose from; `None` for the candidate moves. All must be legal.
    pub moves: Option<&'a [G::Move]>,
    /// [`Game::repetition_key`] of every position so far, the present one included or not. Only games in which
    /// repetition matters need it.
    pub history: &'a [u64],
}

impl<'a, G: Game> Situation<'a, G> {
    /// A position without a past.
    pub fn new(position: &'a G) -> Self {
        Situation { position, moves: None, history: &[] }
    }

    /// Where a record stands now. `moves` are those to choose from, which the record must allow.
    pub fn of(record: &'a Record<G>, moves: &'a [G::Move]) -> Self {
        Situation { position: record.position(), moves: Some(moves), history: record.repetition_keys() }
    }
}

/// The machine cannot give the memory that [`MctsSettings::memory_mib`] asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("memory-mib={mib}: the machine cannot give so much memory; use a smaller number")]
pub struct NoMemory {
    /// What was asked for, in MiB.
    pub mib: usize,
}

/// Somebody who wants to see how a search goes on.
pub struct Watch<'a, M> {
    /// How long to wait between two reports.
    pub every: Duration,
    /// Gets each report. It is called by the searching thread, which goes on when it returns.
    pub report: &'a mut dyn FnMut(SearchReport<M>),
}

/// Monte-Carlo tree search with selection rule `S`, default policy `L`, priors `P` and an observer `O`.
///
/// ```
/// use afterstate_engine::search::{Mcts, MctsSettings, PlayOut, Uct};
/// use afterstate_engine::{Budget, Search};
/// use afterstate_games::{Game, Notation, TicTacToe, UniformPlayout, stream};
/// // X completes a line.
/// let game = TicTacToe::parse_position("XX./OO./...").unwrap();
/// let settings = MctsSettings { simulations: 200, memory_mib: 1, ..MctsSettings::default() };
/// let mut search = Mcts::new(Uct::default(), PlayOut(UniformPlayout::default()), settings);
/// let decision = search.search(&game, &Budget::default(), &mut stream(1, 0));
/// assert_eq!(decision.best.map(|mv| game.move_text(mv)), Some("3".to_string()));
/// ```
pub struct Mcts<G: Game, S, L, P = (), O = ()> {
    rule: S,
    leaf: L,
    prior: P,
    observer: O,
    settings: MctsSettings,
    /// One, or one for each thread with root parallelisation.
    trees: Vec<Tree>,
    workers: Vec<Worker<G, L, P, O>>,
    history: History,
    /// The position at the root of the trees, if they hold anything.
    root: Option<G>,
    simulations: u64,
    /// Whether the last search ended by itself.
    finished: bool,
    /// How long collecting garbage took last time, for each node.
    collecting: Duration,
}

impl<G, S, L> Mcts<G, S, L>
where
    G: IndexedMoves + Deterministic,
    S: Selection,
    L: Leaf<G>,
{
    /// A search without prior knowledge.
    pub fn new(rule: S, leaf: L, settings: MctsSettings) -> Self {
        Mcts::with(rule, leaf, (), (), settings)
    }
}

impl<G, S, L, P, O> Mcts<G, S, L, P, O>
where
    G: IndexedMoves + Deterministic,
    S: Selection,
    L: Leaf<G>,
    P: Prior<G>,
    O: PlayoutObserver<G>,
{
    /// A search with prior knowledge, and somebody who watches simulations end. It asks for memory when it first searches,
    /// or when [`Mcts::reserve`] is called.
    pub fn with(rule: S, leaf: L, prior: P, observer: O, settings: MctsSettings) -> Self {
        let (trees, workers, history) = (Vec::new(), Vec::new(), History::new());
        let collecting = run::FIRST_COLLECTING;
        Mcts {
            rule,
            leaf,
            prior,
            observer,
            settings,
            trees,
            workers,
            history,
            root: None,
            simulations: 0,
            finished: false,
            collecting,
        }
    }

    /// Its settings.
    pub fn settings(&self) -> &MctsSettings {
        &self.settings
    }

    /// Sets whether searches stop as soon as the rest of the budget cannot change the decision
    /// ([`MctsSettings::early_stop`]): whoever looks at a position wants to know about all moves, not only which is the best.
    /// Returns what was set before.
    pub fn set_early_stop(&mut self, early_stop: bool) -> bool {
        std::mem::replace(&mut self.settings.early_stop, early_stop)
    }

    /// Whether simulations are played to the end, so that whoever watches sees how games end.
    pub fn plays_to_end(&self) -> bool {
        self.leaf.plays_to_end()
    }

    /// What watched, with all that it saw.
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// The same, to be changed: to forget what it saw before the next search, say.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// The tree, or the first of several; `None` before the first search.
    pub fn tree(&self) -> Option<&Tree> {
        self.trees.first()
    }

    /// Asks the machine for all the memory that the trees may take. They use it up little by little, as they grow.
    ///
    /// # Errors
    ///
    /// If the machine cannot give so much.
    pub fn reserve(&mut self) -> Result<(), NoMemory> {
        self.set_up_trees(0)
    }

    /// Forgets what was learnt: the next search runs as if it were the first.
    pub fn clear(&mut self) {
        self.root = None;
    }

    /// Replaces the contents of `moves` by those that a search of `position` considers unless it is told which.
    pub fn candidates(&self, position: &G, moves: &mut Vec<G::Move>) {
        worker::candidates(position, self.settings.passes, moves);
    }

    /// Whether the last search ended by itself, because going on could change nothing: it is proved who wins, or settled which move is
    /// chosen whatever the simulations bring that are left, or no more can be counted. One that stopped because its deadline was too near
    /// for another choice did not: with more time it might choose another.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// The game went on by `mv` to `position`: keeps what lies below that move, as the settings say. Not to be told is no
    /// mistake, the next search then looks for the one or two moves itself.
    pub fn advance(&mut self, mv: G::Move, position: &G) {
        let Some(mut root) = self.root.take().filter(|root| self.settings.reuse_tree && root.is_legal(mv)) else {
            return;
        };
        let known = self.trees.iter_mut().all(|tree| match report::child(tree, ROOT, root.move_index(mv)) {
            Some(node) => {
                tree.keep_below(node);
                true
            }
            None => false,
        });
        root.play(mv);
        self.root = Some(root).filter(|root| known && root.key() == position.key());
    }

    /// Searches among the moves that `situation` allows.
    ///
    /// # Panics
    ///
    /// If the machine cannot give the memory that the settings ask for. Ask with [`Mcts::reserve`] to know before.
    pub fn search_situation(
        &mut self,
        situation: &Situation<'_, G>,
        budget: &Budget,
        rng: &mut Rng,
        watch: Option<Watch<'_, G::Move>>,
    ) -> Decision<G::Move> {
        let Turn::Player(side) = situation.position.turn() else { return Decision::resign() };
        let mut moves = Vec::new();
        match situation.moves {
            Some(allowed) => moves.extend_from_slice(allowed),
            None => worker::candidates(situation.position, self.settings.passes, &mut moves),
        }
        if moves.is_empty() {
            return Decision::resign();
        }
        self.prepare(situation, &moves, side, rng);
        self.run(situation.position, side, budget, rng, watch);
        self.decide(situation.position, side)
    }

    /// What is known of the position that was searched last.
    pub fn report(&self) -> SearchReport<G::Move> {
        match &self.root {
            Some(root) => SearchReport {
                ownership: self.observer.ownership(),
                ..run::report(&self.trees, root, self.settings.final_move, self.simulations)
            },
            None => SearchReport::default(),
        }
    }

    /// Makes trees whose root is the position of `situation`, with `moves` below it.
    fn prepare(&mut self, situation: &Situation<'_, G>, moves: &[G::Move], side: Side, rng: &mut Rng) {
        let position = situation.position;
        self.set_up_workers(position);
        // The root's own moves always fit.
        let least = Tree::room_for(1) + Tree::room_for(position.most_moves());
        self.set_up_trees(least).unwrap_or_else(|error| panic!("{error}"));
        let moves_since = match &self.root {
            Some(_) if !self.follows(situation.history) => None,
            Some(root) if self.settings.reuse_tree => path_to(root, position),
            // A search of the same position goes on: time may be given in parts.
            Some(root) => (root.key() == position.key()).then(Vec::new),
            None => None,
        };
        for tree in &mut self.trees {
            let node = moves_since.as_ref().and_then(|moves| follow(tree, position, moves));
            match node {
                Some(ROOT) => {}
                Some(node) => {
                    tree.keep_below(node);
                }
                None => tree.clear(),
            }
        }
        self.root = Some(position.clone());
        let now = position.repetition_key();
        let earlier = situation.history.strip_suffix(&[now]).unwrap_or(situation.history);
        self.history.set(earlier.iter().copied().chain([now]));
        let (full, worker) = (Default::default(), &mut self.workers[0]);
        let task = worker::Task {
            rule: &self.rule,
            settings: &self.settings,
            root: position,
            side,
            history: &self.history,
            shared: false,
            full: &full,
        };
        for tree in &mut self.trees {
            if !restrict(tree, position, moves) {
                tree.clear();
                worker.stand_at_root(position);
                if tree.claim(ROOT) {
                    worker.add_moves(&task, tree, ROOT, side, moves.to_vec(), rng);
                }
            }
        }
    }

    fn set_up_workers(&mut self, position: &G) {
        let threads = self.settings.threads.max(1) as usize;
        while self.workers.len() < threads {
            let (leaf, prior, observer) = (self.leaf.clone(), self.prior.clone(), self.observer.fork());
            self.workers.push(Worker::new(position.clone(), leaf, prior, observer));
        }
    }

    /// Whether the game may have gone on from where the last search stood.
    fn follows(&self, history: &[u64]) -> bool {
        let known = self.history.keys();
        // Without a history nothing speaks against it.
        history.is_empty() || known.len() <= 1 || known.iter().all(|key| history.contains(key))
    }

    /// Trees with room up to the limit, and for `least` nodes in any case; those that there are stay if they have that.
    fn set_up_trees(&mut self, least: usize) -> Result<(), NoMemory> {
        let trees = match self.settings.parallelisation {
            Parallelisation::Tree => 1,
            Parallelisation::Root => self.settings.threads.max(1) as usize,
        };
        let mib = self.settings.memory_mib;
        let capacity = (Tree::capacity_of(mib) / trees).max(least);
        if self.trees.len() < trees || self.trees.iter().any(|tree| tree.capacity() < capacity) {
            // The old memory goes before the new one comes.
            (self.root, self.trees) = (None, Vec::new());
            let new = (0..trees).map(|_| Tree::new(capacity).ok_or(NoMemory { mib }));
            self.trees = new.collect::<Result<_, _>>()?;
        }
        Ok(())
    }

    fn decide(&mut self, position: &G, side: Side) -> Decision<G::Move> {
        let report = run::report(&self.trees, position, self.settings.final_move, self.simulations);
        let Some(best) = report.moves.into_iter().next() else { return Decision::resign() };
        let seen = best.value.map_or(0.5, |value| value.seen_by(side));
        let resigns = seen < self.settings.resign_below;
        let depth = u32::try_from(best.principal_variation.len()).ok();
        Decision {
            best: (!resigns).then_some(best.mv),
            value: best.value,
            principal_variation: best.principal_variation,
            effort: self.simulations,
            depth,
            plies_to_end: None,
        }
    }
}

/// The at most two moves that lead from `from` to `to`.
fn path_to<G: IndexedMoves>(from: &G, to: &G) -> Option<Vec<G::Move>> {
    let key = to.key();
    if from.key() == key {
        return Some(Vec::new());
    }
    let (mut first, mut second) = (Vec::new(), Vec::new());
    from.legal_moves(&mut first);
    for &a in &first {
        let mut after = from.clone();
        after.play(a);
        if after.key() == key {
            return Some(vec![a]);
        }
        after.legal_moves(&mut second);
        for &b in &second {
            let mut after = after.clone();
            after.play(b);
            if after.key() == key {
                return Some(vec![a, b]);
            }
        }
    }
    None
}

/// The node that `moves` lead to.
fn follow<G: IndexedMoves>(tree: &Tree, game: &G, moves: &[G::Move]) -> Option<NodeIndex> {
    moves.iter().try_fold(ROOT, |node, &mv| report::child(tree, node, game.move_index(mv)))
}

/// Forbids the moves at the root that are not among `moves`; false if the tree lacks one of these.
fn restrict<G: IndexedMoves>(tree: &Tree, game: &G, moves: &[G::Move]) -> bool {
    let Some(children) = tree.children(ROOT) else { return false };
    let block = tree.block(children);
    if !moves.iter().all(|&mv| block.iter().any(|node| node.index() == game.move_index(mv))) {
        return false;
    }
    let mut changed = false;
    for node in block.iter() {
        let allowed = moves.iter().any(|&mv| game.move_index(mv) == node.index());
        if allowed == (node.proof() == Proof::Forbidden) {
            node.prove(if allowed { Proof::Open } else { Proof::Forbidden });
            changed = true;
        }
    }
    if changed {
        // What was proved of all moves together need not hold for fewer, or more.
        tree.node(ROOT).prove(Proof::Open);
    }
    true
}

impl<G, S, L, P, O> Search<G> for Mcts<G, S, L, P, O>
where
    G: IndexedMoves + Deterministic,
    S: Selection,
    L: Leaf<G>,
    P: Prior<G>,
    O: PlayoutObserver<G>,
{
    fn search(&mut self, root: &G, budget: &Budget, rng: &mut Rng) -> Decision<G::Move> {
        self.search_situation(&Situation::new(root), budget, rng, None)
    }
}
