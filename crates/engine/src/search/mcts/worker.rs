//! [`Worker`]: one thread's simulations.
//!
//! ```text
//! simulate(s₀)
//!     s ← s₀
//!     while s is in the tree: a ← select(s), s ← s∘a        descend
//!     put s into the tree                                    expand
//!     z ← play out from s                                    finish
//!     for every s, a on the way: N, Q, Ñ, Q̃ of (s,a) ← z     back up
//! ```
//!
//! Passes have no Ñ and Q̃ (nor have they in Fuego and Pachi): playouts pass at their end, when nothing else is left, which says nothing
//! of passing now. Where only a pass keeps a seki, it would seem to lose, since it always comes too late.

use super::history::History;
use super::settings::{MctsSettings, Passes};
use crate::search::leaf::{Leaf, PlayoutObserver};
use crate::search::mcts_solver::{Proof, prove};
use crate::search::prior::{NewPosition, Prior, PriorValue};
use crate::search::selection::{Edge, Selection};
use crate::search::tree::{Block, Node, NodeIndex, ROOT, Statistic, Tree};
use afterstate_games::rng::{below, shuffle};
use afterstate_games::{Deterministic, Game, IndexedMoves, Repetition, Rng, Side, Turn};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// What all workers of a search have in common.
pub(super) struct Task<'a, G, S> {
    pub(super) rule: &'a S,
    pub(super) settings: &'a MctsSettings,
    pub(super) root: &'a G,
    pub(super) side: Side,
    pub(super) history: &'a History,
    /// Whether several threads share a tree.
    pub(super) shared: bool,
    /// Set when there was no room for a new position.
    pub(super) full: &'a AtomicBool,
}

/// A position of the tree that the simulation went through.
#[derive(Clone)]
struct Step {
    side: Side,
    children: Range<NodeIndex>,
    /// The move that was played there, if the tree holds it.
    chosen: Option<NodeIndex>,
    /// The side to move is sure of a draw at least.
    drawn: bool,
    /// The virtual loss that `chosen` bears meanwhile.
    loss: u64,
}

/// Where a simulation left the tree.
enum Exit {
    /// In a position that is not proved.
    Open,
    /// Where the outcome is certain.
    Certain(Proof),
    /// With a move that repeats a position, which is illegal.
    Repetition,
    /// With a move that repeats a position so often that the game is drawn.
    Drawn,
}

/// A thread's own part of a search, kept from search to search so that simulations allocate nothing; on cache lines of its own.
#[repr(align(128))]
pub(super) struct Worker<G: Game, L, P, O> {
    pub(super) leaf: L,
    pub(super) prior: P,
    pub(super) observer: O,
    position: G,
    trace: Vec<G::Move>,
    path: Vec<Step>,
    /// Repetition keys of the positions on the way, without the root's, which the history has.
    keys: Vec<u64>,
    moves: Vec<G::Move>,
    priors: Vec<PriorValue>,
    two_plies_up: Vec<(u16, f32)>,
    /// The numbers of the moves of each side, from some point of the simulation on, as bits.
    played: [Vec<u64>; 2],
}

impl<G, L, P, O> Worker<G, L, P, O>
where
    G: IndexedMoves + Deterministic,
    L: Leaf<G>,
    P: Prior<G>,
    O: PlayoutObserver<G>,
{
    pub(super) fn new(position: G, leaf: L, prior: P, observer: O) -> Self {
        let (trace, path, keys, moves, priors) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (two_plies_up, played) = (Vec::new(), [Vec::new(), Vec::new()]);
        Worker { leaf, prior, observer, position, trace, path, keys, moves, priors, two_plies_up, played }
    }

    /// One simulation, from the root to the end of the game and back.
    #[inline]
    pub(super) fn simulate<S: Selection>(&mut self, task: &Task<'_, G, S>, tree: &Tree, rng: &mut Rng) {
        let exit = loop {
            match self.descend(task, tree, rng) {
                Exit::Repetition => self.retract(task, tree),
                exit => break exit,
            }
        };
        let z = match exit {
            Exit::Certain(proof) => {
                self.pass_on(tree, proof);
                proof.value().map_or(0.5, |value| value.0)
            }
            Exit::Drawn => 0.5,
            Exit::Open | Exit::Repetition => {
                let in_tree = self.trace.len();
                let value = self.leaf.finish(&mut self.position, &mut self.trace, rng);
                // A game that passes ended inside the tree was not played out: what is dead is still on the board.
                if self.leaf.plays_to_end() && self.trace.len() > in_tree {
                    self.observer.finished(&self.position, value);
                }
                self.name_first_move(task, tree, in_tree);
                value.0
            }
        };
        self.back_up(task, tree, z);
    }

    /// Follows the selection rule through the tree, and puts the first position outside it into it.
    #[inline]
    fn descend<S: Selection>(&mut self, task: &Task<'_, G, S>, tree: &Tree, rng: &mut Rng) -> Exit {
        self.position.clone_from(task.root);
        self.trace.clear();
        self.path.clear();
        self.keys.clear();
        let repetition = match G::REPETITION {
            Repetition::Forbidden if !task.settings.superko => Repetition::Allowed,
            repetition => repetition,
        };
        let mut key = if repetition == Repetition::Allowed { 0 } else { self.position.repetition_key() };
        let mut node = ROOT;
        loop {
            let side = match self.position.turn() {
                Turn::Player(side) => side,
                Turn::Over(outcome) if task.settings.solver => return Exit::Certain(outcome.into()),
                _ => return Exit::Open,
            };
            // Without the loss that this simulation itself has left here.
            let own = if task.shared && node != ROOT { task.settings.virtual_loss } else { 0 };
            let visits = tree.node(node).visits().saturating_sub(own);
            let Some(children) = tree.children(node) else {
                // The present visit counts: the threshold is the number of the visit that expands.
                if visits + 1 >= task.settings.expansion_threshold || node == ROOT {
                    self.expand(task, tree, node, side, rng);
                    if task.settings.solver && tree.node(node).proof() != Proof::Open {
                        return Exit::Certain(tree.node(node).proof());
                    }
                }
                return Exit::Open;
            };
            let often = task.settings.without_rapid;
            let rapid = !S::AMAF || often == 0 || below(rng, often) > 0;
            let (chosen, drawn) = choose(task, tree, (children.clone(), visits), side, rapid);
            let loss = if task.shared { Statistic::losses(task.settings.virtual_loss, side == Side::First) } else { 0 };
            self.path.push(Step { side, children, chosen, drawn, loss });
            let Some(next) = chosen else {
                // Every move repeats a position: the default policy finds a way on.
                return Exit::Open;
            };
            node = next;
            if task.shared {
                tree.node(node).outcomes().add(loss);
            }
            let mv = self.position.move_at(tree.node(node).index());
            self.position.play(mv);
            self.trace.push(mv);
            match tree.node(node).proof() {
                Proof::Open => {}
                // Another thread has found that out since this one chose the move.
                Proof::Forbidden => return Exit::Repetition,
                proof => return Exit::Certain(proof),
            }
            match repetition {
                Repetition::Allowed => {}
                Repetition::Forbidden => {
                    let before = key;
                    key = self.position.repetition_key();
                    // A pass leaves the stones as they are, which is no repetition.
                    if key != before && (task.history.contains(key) || self.keys.contains(&key)) {
                        tree.node(node).prove(Proof::Forbidden);
                        return Exit::Repetition;
                    }
                    self.keys.push(key);
                }
                Repetition::DrawAt(limit) => {
                    key = self.position.repetition_key();
                    self.keys.push(key);
                    let here = self.keys.iter().filter(|&&known| known == key).count();
                    let over = matches!(self.position.turn(), Turn::Over(_));
                    if !over && here + task.history.count(key) >= usize::from(limit) {
                        // A node is reached by one line of play alone, so what the line brought about is its own.
                        return if task.settings.solver { Exit::Certain(Proof::Draw) } else { Exit::Drawn };
                    }
                }
            }
        }
    }

    /// Puts the present position, that of `node`, into the tree.
    fn expand<S: Selection>(&mut self, task: &Task<'_, G, S>, tree: &Tree, node: NodeIndex, side: Side, rng: &mut Rng) {
        // What its moves are worth beforehand may cost a network's answer, and would be for nothing.
        if task.full.load(Ordering::Relaxed) || !tree.claim(node) {
            return;
        }
        candidates(&self.position, task.settings.passes, &mut self.moves);
        let moves = std::mem::take(&mut self.moves);
        let children = self.add_moves(task, tree, node, side, moves, rng);
        if let Some(children) = children {
            self.path.push(Step { side, children, chosen: None, drawn: false, loss: 0 });
        }
    }

    /// Gives the claimed `node`, where `side` is to move in the present position, these moves.
    pub(super) fn add_moves<S: Selection>(
        &mut self,
        task: &Task<'_, G, S>,
        tree: &Tree,
        node: NodeIndex,
        side: Side,
        mut moves: Vec<G::Move>,
        rng: &mut Rng,
    ) -> Option<Range<NodeIndex>> {
        // Of moves that look alike the first is followed, so their order must not mean anything.
        shuffle(&mut moves, rng);
        self.priors.clear();
        self.priors.resize(moves.len(), PriorValue::default());
        if self.prior.looks_two_plies_up() {
            self.look_two_plies_up(tree);
        }
        let line = &self.trace[..];
        let position = NewPosition { game: &self.position, moves: &moves, line, two_plies_up: &self.two_plies_up };
        self.prior.fill(&position, &mut self.priors);
        // A pass has no all-moves-as-first values, so that a prior among these would stay for ever.
        let pass = self.position.pass();
        if let Some(place) = moves.iter().position(|&mv| Some(mv) == pass) {
            self.priors[place] = self.priors[place].without_rapid();
        }
        if task.settings.widening.is_some() {
            sort_by_prior(&mut moves, &mut self.priors, side);
        }
        let game = &self.position;
        let seeds = moves.iter().zip(&self.priors).map(|(&mv, prior)| prior.seed(game.move_index(mv) as u16));
        let children = tree.expand(node, seeds);
        match &children {
            None => task.full.store(true, Ordering::Relaxed),
            Some(children) if task.settings.solver => {
                let block = tree.block(children.clone());
                for (&mv, child) in moves.iter().zip(block.iter()) {
                    if let Some(outcome) = game.outcome_after(mv) {
                        child.prove(outcome.into());
                    }
                }
                tree.node(node).prove(prove(block.iter().map(Node::proof), side));
            }
            Some(_) => {}
        }
        self.moves = moves;
        children
    }

    /// Sets the present position to the root, before its moves are added.
    pub(super) fn stand_at_root(&mut self, root: &G) {
        self.position.clone_from(root);
        self.trace.clear();
        self.path.clear();
    }

    /// What was known of the moves when the same side was last to move, from both kinds of simulations: Q alone, of one or two, would be
    /// 0 or 1 and count as much as M of them.
    fn look_two_plies_up(&mut self, tree: &Tree) {
        self.two_plies_up.clear();
        let Some(step) = self.path.len().checked_sub(2).map(|up| &self.path[up]) else { return };
        self.two_plies_up.extend(tree.block(step.children.clone()).iter().filter_map(|node| {
            let (visits, wins) = node.outcomes().count_and_sum();
            let (amaf_visits, amaf_wins) = node.amaf().count_and_sum();
            let known = visits + amaf_visits;
            (known > 0.0).then(|| (node.index() as u16, (wins + amaf_wins) / known))
        }));
    }

    /// The first move of the default policy counts as one of the new position (paper 003, Algorithm 2, SimTree).
    #[inline]
    fn name_first_move<S>(&mut self, task: &Task<'_, G, S>, tree: &Tree, in_tree: usize) {
        let Some(step) = self.path.last_mut().filter(|step| step.chosen.is_none()) else { return };
        let Some(&mv) = self.trace.get(in_tree) else { return };
        let index = task.root.move_index(mv);
        let place = tree.block(step.children.clone()).iter().position(|node| node.index() == index);
        step.chosen = place.map(|place| step.children.start + place as NodeIndex);
        step.loss = 0;
    }

    /// Takes the virtual losses of a simulation back that came to nothing.
    fn retract<S>(&mut self, task: &Task<'_, G, S>, tree: &Tree) {
        if !task.shared {
            return;
        }
        for step in &self.path {
            if let Some(chosen) = step.chosen {
                tree.node(chosen).outcomes().add(step.loss.wrapping_neg());
            }
        }
    }

    /// The last move of the simulation is proved: so are perhaps those before it.
    fn pass_on(&mut self, tree: &Tree, mut proof: Proof) {
        // If the last position has just been expanded, it has no move yet, and its own proof is known.
        for (i, step) in self.path.iter().enumerate().rev() {
            if let Some(chosen) = step.chosen {
                tree.node(chosen).prove(proof);
            }
            proof = prove(tree.block(step.children.clone()).iter().map(Node::proof), step.side);
            if proof == Proof::Open {
                return;
            }
            if i == 0 {
                tree.node(ROOT).prove(proof);
            }
        }
    }

    /// Records the outcome `z` in every position of the tree that the simulation went through.
    #[inline]
    fn back_up<S: Selection>(&mut self, task: &Task<'_, G, S>, tree: &Tree, z: f32) {
        let mut z = z;
        let mut amount = Statistic::outcome(z);
        let pass = task.root.pass();
        if S::AMAF {
            self.note_moves_outside(task);
        }
        for (t, step) in self.path.iter().enumerate().rev() {
            if S::AMAF {
                let played = &mut self.played[step.side.index()];
                if let Some(&mv) = self.trace.get(t).filter(|&&mv| Some(mv) != pass) {
                    note(played, task.root.move_index(mv));
                }
                tree.add_amaf(step.children.clone(), played, amount);
            }
            if let Some(chosen) = step.chosen {
                tree.add_outcome(chosen, amount.wrapping_sub(step.loss), task.shared);
            }
            // Whoever has a draw for sure would rather take it than lose.
            let draw_is_better = match step.side {
                Side::First => z < 0.5,
                Side::Second => z > 0.5,
            };
            if step.drawn && draw_is_better {
                z = 0.5;
                amount = Statistic::outcome(z);
            }
        }
        tree.add_outcome(ROOT, amount, task.shared);
    }

    /// Notes who played what after the simulation had left the tree, but for passes. The sides alternate.
    #[inline]
    fn note_moves_outside<S>(&mut self, task: &Task<'_, G, S>) {
        let words = task.root.index_count().div_ceil(64);
        for played in &mut self.played {
            played.clear();
            played.resize(words, 0);
        }
        let outside = self.path.len().min(self.trace.len());
        let side = if outside.is_multiple_of(2) { task.side } else { task.side.other() };
        let [first, second] = &mut self.played;
        let (now, next) = if side == Side::First { (first, second) } else { (second, first) };
        for pair in self.trace[outside..].chunks(2) {
            note(now, task.root.move_index(pair[0]));
            if let Some(&mv) = pair.get(1) {
                note(next, task.root.move_index(mv));
            }
        }
        if let Some(pass) = task.root.pass() {
            self.played.iter_mut().for_each(|played| forget(played, task.root.move_index(pass)));
        }
    }
}

#[inline(always)]
fn note(played: &mut [u64], index: usize) {
    played[index / 64] |= 1 << (index % 64);
}

#[inline(always)]
fn forget(played: &mut [u64], index: usize) {
    played[index / 64] &= !(1 << (index % 64));
}

/// The move that the rule prefers, and whether the side to move is sure of a draw. `None` if no move may be played. `rapid`: whether
/// all-moves-as-first values count.
#[inline]
fn choose<G: IndexedMoves, S: Selection>(
    task: &Task<'_, G, S>,
    tree: &Tree,
    (children, visits): (Range<NodeIndex>, u32),
    side: Side,
    rapid: bool,
) -> (Option<NodeIndex>, bool) {
    let block = tree.block(children.clone());
    let common = task.rule.common(|| block.iter().map(|node| node.outcomes().count()).sum::<u32>() as f32);
    let considered = match task.settings.widening {
        None => block.len(),
        Some(widening) => widening.considered(visits, block.len()),
    };
    // A pass that nothing is known of is hardly ever the best of so many moves: it waits until all could have been visited.
    let waiting = task.root.pass().filter(|_| (visits as usize) < block.len());
    let waiting = waiting.map(|pass| task.root.move_index(pass));
    let best = |block| match rapid {
        true => best_of::<S, true>(task.rule, common, block, side, waiting),
        false => best_of::<S, false>(task.rule, common, block, side, waiting),
    };
    let mut found = best(block.first(considered));
    if considered < block.len() && !found.open {
        found = best(block);
    }
    (found.place.map(|place| children.start + place as NodeIndex), found.drawn)
}

struct Found {
    place: Option<usize>,
    /// The move is not proved.
    open: bool,
    drawn: bool,
}

/// `waiting`: the number of a move that is left for later if nothing is known of it, unless there is no other.
#[inline(always)]
fn best_of<S: Selection, const RAPID: bool>(
    rule: &S,
    common: S::Common,
    block: Block<'_>,
    side: Side,
    waiting: Option<usize>,
) -> Found {
    let (mut best, mut best_score) = (None, f32::NEG_INFINITY);
    let (mut drawn, mut draw, mut loss, mut later) = (false, None, None, None);
    for place in 0..block.len() {
        let node = block.node(place);
        let proof = node.proof();
        if proof != Proof::Open {
            match proof {
                Proof::Forbidden => {}
                Proof::Draw => {
                    drawn = true;
                    draw = Some(place);
                }
                proof if proof == Proof::win(side) => {
                    return Found { place: Some(place), open: false, drawn: false };
                }
                _ => loss = Some(place),
            }
            continue;
        }
        let (visits, sum) = node.outcomes().count_and_sum();
        let (amaf_visits, amaf_sum) = if S::AMAF && RAPID { node.amaf().count_and_sum() } else { (0.0, 0.0) };
        let (wins, amaf_wins) = match side {
            Side::First => (sum, amaf_sum),
            Side::Second => (visits - sum, amaf_visits - amaf_sum),
        };
        if visits + amaf_visits <= 0.0 && waiting == Some(node.index()) {
            later = Some(place);
            continue;
        }
        let score = rule.score(common, Edge { visits, wins, amaf_visits, amaf_wins });
        if score > best_score {
            (best, best_score) = (Some(place), score);
        }
    }
    match best.or(later) {
        best @ Some(_) => Found { place: best, open: true, drawn },
        None => Found { place: draw.or(loss), open: false, drawn },
    }
}

/// Replaces the contents of `moves` by those that the tree considers in `game`.
pub(super) fn candidates<G: IndexedMoves>(game: &G, passes: Passes, moves: &mut Vec<G::Move>) {
    game.candidate_moves(moves);
    let Some(pass) = game.pass().filter(|_| passes != Passes::Candidates) else { return };
    let wanted = passes == Passes::Always || game.outcome_after(pass).is_some();
    if wanted && !moves.contains(&pass) && game.is_legal(pass) {
        moves.push(pass);
    }
}

/// The best for `side` first; moves without a prior count as even.
fn sort_by_prior<M: Copy>(moves: &mut [M], priors: &mut [PriorValue], side: Side) {
    let seen = |prior: &PriorValue| crate::Value(prior.value().unwrap_or(0.5)).seen_by(side);
    // Insertion sort: nothing is allocated, and equal ones stay in their random order.
    for i in 1..moves.len() {
        for j in (1..=i).rev() {
            if seen(&priors[j]) <= seen(&priors[j - 1]) {
                break;
            }
            moves.swap(j, j - 1);
            priors.swap(j, j - 1);
        }
    }
}
