//! PUCT: tree search led by a network's policy and value (paper 004, §2; D. Silver et al., *A general reinforcement
//! learning algorithm that masters chess, shogi, and Go through self-play*, 2018).
//!
//! ```text
//! repeat:  from the root go to argmaxₐ Q(s,a) + c_puct P(s,a) √N(s) / (1 + N(s,a)) until a new position is met
//!          (p, v) = f(it);  P(it,·) ← p
//!          N(s,a) ← N(s,a) + 1,  Q(s,a) ← Q(s,a) + (v − Q(s,a)) / N(s,a)   on the way back
//! ```
//!
//! Q is between −1 and 1, seen by the side to move; v is backed up as it is, without a playout. A simulation comes in
//! two halves, so that the questions of many searches can be answered together: [`Puct::gather`] goes to the new position and
//! [`Puct::apply`] takes the answer.

mod decision;
mod reuse;

use super::mcts::{FinalMove, Situation};
use super::mcts_solver::{Proof, prove};
use crate::Value;
use crate::zero::Question;
use afterstate_games::{Deterministic, Game, Repetition, Side, Turn};
use serde::{Deserialize, Serialize};

/// What a move that was never tried is thought to be worth.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FirstPlay {
    /// As much as a draw (the paper's program).
    #[default]
    Draw,
    /// As much as the position is worth so far, less so much for each √ of the policy that has been tried (KataGo).
    Reduced(f32),
}

/// Settings of PUCT; the defaults are the paper's.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct PuctSettings {
    /// c_puct.
    pub exploration: f32,
    /// Of moves that were not tried yet.
    pub first_play: FirstPlay,
    /// k of forced playouts: a move at the root that was tried gets at least √(k·P·(N−1)) visits. 0: none
    /// (D. Wu, *Accelerating self-play learning in Go*, 2019, §3.2).
    pub forced_playouts: f32,
    /// Whether what is proved is not simulated again, as by MCTS-Solver.
    pub solver: bool,
}

impl Default for PuctSettings {
    fn default() -> Self {
        PuctSettings { exploration: 1.0, first_play: FirstPlay::Draw, forced_playouts: 0.0, solver: false }
    }
}

/// What a search knows of a move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PuctMove<M> {
    /// The move.
    pub mv: M,
    /// P(s,a), with noise if there was some.
    pub prior: f32,
    /// N(s,a).
    pub visits: u32,
    /// Q(s,a) for the side to move, from −1 to 1; 0 without visits.
    pub value: f32,
    /// What is known for sure, with [`PuctSettings::solver`].
    pub proof: Proof,
}

#[derive(Clone, Copy, Debug)]
struct Edge<M> {
    mv: M,
    prior: f32,
    visits: u32,
    /// Σ v, as the side sees it that makes the move. In single precision it would cease to grow after some 16 million visits.
    total: f64,
    /// The node behind it, or [`NONE`].
    child: u32,
    proof: Proof,
}

impl<M> Edge<M> {
    /// Q(s,a), 0 without visits.
    #[inline(always)]
    fn mean(&self) -> f32 {
        self.total as f32 / self.visits.max(1) as f32
    }
}

/// No node.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    first: u32,
    edges: u32,
    /// N(s).
    visits: u32,
    /// v of the network, as the side to move sees it.
    value: f32,
    side: Side,
    /// Whether a move is proved to draw.
    drawn: bool,
}

/// A search of one position at a time.
///
/// ```
/// use afterstate_engine::search::{Puct, PuctSettings, Situation};
/// use afterstate_engine::zero::{Network, Question, Uniform};
/// use afterstate_games::{Notation, TicTacToe};
/// // X completes a line.
/// let game = TicTacToe::parse_position("XX./OO./...").unwrap();
/// let mut search = Puct::new(PuctSettings::default());
/// search.begin(&Situation::new(&game));
/// let mut question = Question::new(game.clone());
/// for _ in 0..200 {
///     if search.gather(&mut question) {
///         Uniform.evaluate(&mut [&mut question]);
///         search.apply(&question);
///     }
/// }
/// let best = search.best().unwrap();
/// assert_eq!((game.move_text(best.mv), best.value), ("3".to_string(), 1.0));
/// ```
#[derive(Clone, Debug)]
pub struct Puct<G: Game> {
    settings: PuctSettings,
    final_move: FinalMove,
    root: Option<G>,
    /// The moves to choose from at the root.
    allowed: Vec<G::Move>,
    /// Repetition keys of the game so far.
    history: Vec<u64>,
    nodes: Vec<Node>,
    edges: Vec<Edge<G::Move>>,
    /// Edges and nodes that the present simulation came by, from the root.
    path: Vec<(u32, u32)>,
    /// Repetition keys on the way.
    keys: Vec<u64>,
}

impl<G: Deterministic> Puct<G> {
    /// A search that knows nothing yet.
    pub fn new(settings: PuctSettings) -> Self {
        let (allowed, history, nodes, edges) = Default::default();
        let (final_move, path, keys) = Default::default();
        Puct { settings, final_move, root: None, allowed, history, nodes, edges, path, keys }
    }

    /// Changes what decides which move is [best](Puct::best): at first that is the visits.
    pub fn decide_by(&mut self, rule: FinalMove) {
        self.final_move = rule;
    }

    /// How it searches.
    pub fn settings(&self) -> &PuctSettings {
        &self.settings
    }

    /// Changes k of [forced playouts](PuctSettings::forced_playouts), before a search.
    pub fn force(&mut self, forced_playouts: f32) {
        self.settings.forced_playouts = forced_playouts;
    }

    /// Forgets what it knows, and goes to a position in which a player is to move.
    pub fn begin(&mut self, situation: &Situation<'_, G>) {
        self.nodes.clear();
        self.edges.clear();
        self.allowed.clear();
        match situation.moves {
            Some(moves) => self.allowed.extend_from_slice(moves),
            None => situation.position.legal_moves(&mut self.allowed),
        }
        self.history.clear();
        self.history.extend_from_slice(situation.history);
        self.root = Some(situation.position.clone());
    }

    /// The first half of a simulation. Whether `question` was set to a new position that [`Puct::apply`] waits for the
    /// answer to; if not, the simulation met the end of the game, and nothing is left to do of it.
    pub fn gather(&mut self, question: &mut Question<G>) -> bool {
        self.start(question);
        if self.nodes.is_empty() {
            question.moves.clone_from(&self.allowed);
            return true;
        }
        let mut node = 0;
        loop {
            let edge = self.select(node);
            self.path.push((node, edge));
            let before = self.key(&question.game);
            question.game.play(self.edges[edge as usize].mv);
            if let Turn::Over(outcome) = question.game.turn() {
                self.edges[edge as usize].proof = outcome.into();
                self.back_up(outcome.into());
                return false;
            }
            if self.repeats(before, &question.game) {
                let proof = &mut self.edges[edge as usize].proof;
                if G::REPETITION == Repetition::Forbidden && *proof != Proof::Forbidden {
                    // The way to a node is always the same, so the move stays forbidden there, and another one is chosen.
                    *proof = Proof::Forbidden;
                    self.start(question);
                    node = 0;
                    continue;
                }
                self.back_up(Value::EVEN);
                return false;
            }
            match self.edges[edge as usize].child {
                NONE => {
                    question.game.legal_moves(&mut question.moves);
                    return true;
                }
                child => node = child,
            }
            // What is proved below need not be gone through.
            if let (true, Some(value)) = (self.settings.solver, self.edges[edge as usize].proof.value()) {
                self.back_up(value);
                return false;
            }
        }
    }

    /// Goes to the root.
    fn start(&mut self, question: &mut Question<G>) {
        question.game.clone_from(self.root.as_ref().expect("the search has begun"));
        self.path.clear();
        self.keys.clear();
    }

    /// The second half: the answer to the question that [`Puct::gather`] asked.
    pub fn apply(&mut self, answer: &Question<G>) {
        let Turn::Player(side) = answer.game.turn() else { unreachable!("questions are about positions to play in") };
        let (node, first) = (self.nodes.len() as u32, self.edges.len() as u32);
        self.edges.extend(answer.moves.iter().zip(&answer.priors).map(|(&mv, &prior)| Edge {
            mv,
            prior,
            visits: 0,
            total: 0.0,
            child: NONE,
            proof: Proof::Open,
        }));
        let value = signed(answer.value, side);
        self.nodes.push(Node { first, edges: answer.moves.len() as u32, visits: 1, value, side, drawn: false });
        if let Some(&(_, edge)) = self.path.last() {
            self.edges[edge as usize].child = node;
        }
        self.back_up(answer.value);
    }

    /// Mixes noise into the policy at the root, of which `noise` is `share`: P ← (1 − ε) P + ε d.
    ///
    /// # Panics
    ///
    /// If the root has no policy yet: after its first [`Puct::apply`] it has.
    pub fn add_noise(&mut self, share: f32, noise: impl IntoIterator<Item = f32>) {
        let root = self.nodes[0];
        let edges = &mut self.edges[root.first as usize..][..root.edges as usize];
        for (edge, noise) in edges.iter_mut().zip(noise) {
            edge.prior += share * (noise - edge.prior);
        }
    }

    /// N(s) of the root: how many simulations there were.
    pub fn visits(&self) -> u32 {
        self.nodes.first().map_or(0, |root| root.visits)
    }

    /// What the root is worth: the mean of all simulations.
    pub fn value(&self) -> Value {
        let Some(root) = self.nodes.first() else { return Value::EVEN };
        let total = root.value + self.moves().map(|mv| mv.value * mv.visits as f32).sum::<f32>();
        unsigned(total / root.visits as f32, root.side)
    }

    /// All that is known of the moves at the root.
    pub fn moves(&self) -> impl Iterator<Item = PuctMove<G::Move>> + Clone {
        let edges = self.nodes.first().map_or(0..0, |root| root.first as usize..(root.first + root.edges) as usize);
        self.edges[edges].iter().map(|edge| PuctMove {
            mv: edge.mv,
            prior: edge.prior,
            visits: edge.visits,
            value: edge.mean(),
            proof: edge.proof,
        })
    }

    /// The moves that the question was reached by, from the root.
    pub fn way(&self) -> impl Iterator<Item = G::Move> {
        self.path.iter().map(|&(_, edge)| self.edges[edge as usize].mv)
    }

    /// The visits of the moves at the root that a policy should learn: without what [forced
    /// playouts](PuctSettings::forced_playouts) brought and the search itself would not have (policy target pruning).
    ///
    /// Of each move but the most visited as many visits as could have been forced are taken back while what PUCT thinks of it
    /// stays below what it thinks of the most visited one; what is left of a single visit is none.
    pub fn learnable_visits(&self) -> Vec<u32> {
        let mut visits: Vec<u32> = self.moves().map(|mv| mv.visits).collect();
        // A proved draw has no more visits once it is known, and may be the best all the same.
        if self.settings.solver && self.best().is_some_and(|best| best.proof == Proof::Draw) {
            let drawn = |(mv, visits): (PuctMove<G::Move>, u32)| if mv.proof == Proof::Draw { visits } else { 0 };
            return self.moves().zip(visits).map(drawn).collect();
        }
        let k = self.settings.forced_playouts;
        let (Some(root), Some(most)) = (self.nodes.first(), visits.iter().copied().max()) else { return visits };
        if k == 0.0 {
            return visits;
        }
        let best = visits.iter().position(|visits| *visits == most).expect("one of them is the most");
        let all = root.visits as f32;
        let bound = |mv: &PuctMove<G::Move>, visits: u32| {
            mv.value + self.settings.exploration * mv.prior * all.sqrt() / (1 + visits) as f32
        };
        let limit = self.moves().nth(best).map_or(f32::MAX, |mv| bound(&mv, mv.visits));
        for (i, mv) in self.moves().enumerate().filter(|(i, mv)| *i != best && mv.visits > 0) {
            let forced = forced_visits(k, mv.prior, root.visits) as u32;
            let least = mv.visits.saturating_sub(forced);
            while visits[i] > least && bound(&mv, visits[i] - 1) < limit {
                visits[i] -= 1;
            }
            if visits[i] == 1 {
                visits[i] = 0;
            }
        }
        visits
    }

    fn edges_of(&self, node: u32) -> std::ops::Range<usize> {
        let Node { first, edges, .. } = self.nodes[node as usize];
        first as usize..(first + edges) as usize
    }

    /// argmaxₐ Q(s,a) + c_puct P(s,a) √N(s) / (1 + N(s,a))
    fn select(&self, node: u32) -> u32 {
        let Node { first, visits, value, side, .. } = self.nodes[node as usize];
        let edges = &self.edges[self.edges_of(node)];
        let PuctSettings { exploration, first_play, forced_playouts, solver } = self.settings;
        let factor = exploration * (visits as f32).sqrt();
        let unvisited = match first_play {
            FirstPlay::Draw => 0.0,
            FirstPlay::Reduced(reduction) => {
                let tried = || edges.iter().filter(|edge| edge.visits > 0);
                let mean = (value + tried().map(|edge| edge.total as f32).sum::<f32>()) / visits as f32;
                mean - reduction * tried().map(|edge| edge.prior).sum::<f32>().sqrt()
            }
        };
        let (mut best, mut chosen) = (f32::NEG_INFINITY, 0);
        for (i, edge) in edges.iter().enumerate() {
            let mut score = if edge.visits > 0 { edge.mean() } else { unvisited };
            score += factor * edge.prior / (1 + edge.visits) as f32;
            if edge.proof == Proof::Forbidden {
                continue;
            }
            if solver && edge.proof == Proof::win(side) {
                return first + i as u32;
            }
            let is_forced = || {
                node == 0
                    && edge.visits > 0
                    && (edge.visits as f32) < forced_visits(forced_playouts, edge.prior, visits)
            };
            if solver && edge.proof != Proof::Open {
                // Proved losses and draws are chosen when nothing is open any more.
                score -= 1e6;
            } else if is_forced() {
                score = f32::INFINITY;
            }
            if score > best {
                (best, chosen) = (score, i);
            }
        }
        first + chosen as u32
    }

    fn back_up(&mut self, mut value: Value) {
        let mut open = self.settings.solver;
        for &(node, edge) in self.path.iter().rev() {
            let here = &mut self.nodes[node as usize];
            here.visits += 1;
            let edge = &mut self.edges[edge as usize];
            edge.visits += 1;
            edge.total += f64::from(signed(value, here.side));
            here.drawn |= edge.proof == Proof::Draw;
            let Node { side, drawn, .. } = *here;
            // Whoever has a draw for sure would rather take it than lose.
            if self.settings.solver && drawn && value.seen_by(side) < 0.5 {
                value = Value::EVEN;
            }
            // A proof goes on upwards as long as it proves something.
            if open && edge.proof != Proof::Open {
                let proved = prove(self.edges[self.edges_of(node)].iter().map(|edge| edge.proof), side);
                open = proved != Proof::Open;
                let above = self.path.iter().find(|(_, above)| self.edges[*above as usize].child == node);
                if let (true, Some(&(_, above))) = (open, above) {
                    self.edges[above as usize].proof = proved;
                }
            } else {
                open = false;
            }
        }
    }

    fn key(&self, game: &G) -> u64 {
        if G::REPETITION == Repetition::Allowed { 0 } else { game.repetition_key() }
    }

    /// Whether `game` has been there before, in the game or on the way. Where that is not forbidden it counts as a draw: in a search
    /// it is nobody's gain. A move that leaves the position as it was, such as a pass, repeats nothing.
    fn repeats(&mut self, before: u64, game: &G) -> bool {
        if G::REPETITION == Repetition::Allowed {
            return false;
        }
        let now = game.repetition_key();
        self.keys.push(before);
        now != before && (self.keys.contains(&now) || self.history.contains(&now))
    }
}

/// √(k·P·(N−1))
fn forced_visits(k: f32, prior: f32, visits: u32) -> f32 {
    (k * prior * (visits - 1) as f32).sqrt()
}

/// A value from −1 to 1, as `side` sees it.
fn signed(value: Value, side: Side) -> f32 {
    2.0 * value.seen_by(side) - 1.0
}

/// The way back.
fn unsigned(value: f32, side: Side) -> Value {
    let seen = 0.5 + 0.5 * value;
    Value(if side == Side::First { seen } else { 1.0 - seen })
}

#[cfg(test)]
mod tests;
