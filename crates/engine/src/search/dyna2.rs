//! [`Dyna2`]: long-term and short-term memory together (paper 000, §5.3, Algorithm 3).
//!
//! ```text
//! Q(s,a)  = φ(s,a)·θ                        what is true in general, learnt from real games
//! Q̄(s,a) = φ(s,a)·θ + φ̄(s,a)·θ̄           corrected for the game at hand
//!
//! θ̄ ← 0 when the real game begins
//! search from s₀:
//!     ε̄-greedy over Q̄;   δ̄ = Q̄(s′,a′) − Q̄(s,a);   θ̄ ← θ̄ + ᾱ δ̄ ē        (σ of the sums, if values are logistic)
//! play argmax Q̄(s₀,a)
//! ```
//!
//! The search is [`TdSearch`](super::TdSearch) itself: two memories are one whose sums are added and of which only the
//! short-term part learns. As in TD search the value of an action is that of its afterstate. With φ = ∅, for which `()`
//! stands, this is TD search; with φ̄ = ∅, [`NoShortTerm`], the search learns nothing, and what is played is greedy in Q.
//!
//! The long-term memory is frozen during a search. It comes from a checkpoint, learnt from real games beforehand, or goes on
//! learning from them: [`Dyna2Player`](crate::learning::Dyna2Player).
//!
//! The original program had one table in place of two, which began every game with the long-term weights:
//! [`ShapeMemory::starting_with`](super::ShapeMemory::starting_with).

use super::short_term_memory::ShortTermMemory;
use crate::Value;
use crate::value::{Features, FusedShapes, Linear, LocalShapes, Squash, TrackedGo};
use afterstate_games::Game;
use afterstate_games::go::{Go, Move};
use std::sync::Arc;

/// M = (φ, θ): sums of positions and afterstates, which do not learn from simulations.
pub trait LongTermMemory<G: Game>: Clone + Send {
    /// Simulations will begin in `root`.
    fn set_root(&mut self, root: &G);

    /// A simulation begins.
    fn begin(&mut self);

    /// Replaces the contents of `sums` by φ(s∘a)·θ for each of `moves` of the present position, `game`.
    fn afterstate_sums(&mut self, game: &G, moves: &[G::Move], sums: &mut Vec<f32>);

    /// `mv` is about to be played in `game`.
    fn playing(&mut self, game: &G, mv: G::Move);

    /// φ(s)·θ of the present position, `game`.
    fn sum(&mut self, game: &G) -> f32;
}

/// φ = ∅.
impl<G: Game> LongTermMemory<G> for () {
    fn set_root(&mut self, _root: &G) {}
    fn begin(&mut self) {}
    fn afterstate_sums(&mut self, _game: &G, moves: &[G::Move], sums: &mut Vec<f32>) {
        sums.clear();
        sums.resize(moves.len(), 0.0);
    }
    fn playing(&mut self, _game: &G, _mv: G::Move) {}
    fn sum(&mut self, _game: &G) -> f32 {
        0.0
    }
}

/// Any learnt linear function of a position's features, which does not follow its moves.
impl<G: Game, F: Features<G>> LongTermMemory<G> for Linear<F> {
    fn set_root(&mut self, _root: &G) {}
    fn begin(&mut self) {}
    fn afterstate_sums(&mut self, game: &G, moves: &[G::Move], sums: &mut Vec<f32>) {
        self.features.afterstate_sums(game, moves, &*self.weights, sums);
    }
    fn playing(&mut self, _game: &G, _mv: G::Move) {}
    fn sum(&mut self, game: &G) -> f32 {
        self.features.sum(game, &*self.weights)
    }
}

/// φ̄ = ∅: a short-term memory that holds nothing. Its values are logistic.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoShortTerm;

impl<G: Game> ShortTermMemory<G> for NoShortTerm {
    fn clear(&mut self) {}
    fn set_root(&mut self, _root: &G) {}
    fn begin(&mut self) {}
    fn afterstate_sums(&mut self, _game: &G, moves: &[G::Move], sums: &mut Vec<f32>) {
        sums.clear();
        sums.resize(moves.len(), 0.0);
    }
    fn playing(&mut self, _game: &G, _mv: G::Move) {}
    fn reached(&mut self, _game: &G, _sum: Option<f32>, _beside: f32) {}
    fn ended(&mut self, _z: Value, _rest: &[G::Move]) {}
    fn abandoned(&mut self) {}
    fn value(&self, sum: f32) -> Value {
        Squash::Logistic.value(sum)
    }
    fn share(&mut self, others: usize) -> Vec<Self> {
        vec![NoShortTerm; others]
    }
}

/// A long-term and a short-term memory.
///
/// ```
/// use afterstate_engine::learning::TdSettings;
/// use afterstate_engine::search::{Dyna2, FeatureMemory, LongTermShapes, PlayOut, TdSearch, TdSearchSettings};
/// use afterstate_engine::value::{Features, FusedShapes, LocalShapes, Sharing, Squash, TrackedGo, Weights, WindowSizes};
/// use afterstate_engine::{Budget, Search};
/// use afterstate_games::{go::{FuegoPlayout, Go}, stream};
/// // A checkpoint would bring better weights.
/// let learnt = LocalShapes::new(5, WindowSizes::ALL, Sharing::Both);
/// let weights = Weights::zeros(Features::<TrackedGo>::count(&learnt));
/// let long = LongTermShapes::new(FusedShapes::new(&learnt, &weights, Squash::Logistic).into());
///
/// let shapes = LocalShapes::new(5, WindowSizes::new(&[1, 2]).unwrap(), Sharing::None);
/// let short = FeatureMemory::of_shapes(shapes.into(), TdSettings::default());
/// let memory = Dyna2::new(long, short);
/// let mut search = TdSearch::new(memory, PlayOut(FuegoPlayout::default()), TdSearchSettings::default());
/// let decision = search.search(&Go::new(5), &Budget { simulations: Some(200), ..Budget::default() }, &mut stream(1, 0));
/// assert!(decision.best.is_some());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Dyna2<L, S> {
    long: L,
    short: S,
    sums: Vec<f32>,
}

impl<L, S> Dyna2<L, S> {
    /// Both memories; what makes values of sums is the short-term memory's.
    pub fn new(long: L, short: S) -> Self {
        Dyna2 { long, short, sums: Vec::new() }
    }

    /// The long-term memory.
    pub fn long_term(&self) -> &L {
        &self.long
    }

    /// Another long-term memory, between searches: the old one has learnt.
    pub fn set_long_term(&mut self, long: L) {
        self.long = long;
    }

    /// The short-term memory.
    pub fn short_term(&self) -> &S {
        &self.short
    }
}

impl<G: Game, L: LongTermMemory<G>, S: ShortTermMemory<G>> ShortTermMemory<G> for Dyna2<L, S> {
    fn clear(&mut self) {
        self.short.clear();
    }

    fn set_root(&mut self, root: &G) {
        self.long.set_root(root);
        self.short.set_root(root);
    }

    fn begin(&mut self) {
        self.long.begin();
        self.short.begin();
    }

    fn afterstate_sums(&mut self, game: &G, moves: &[G::Move], sums: &mut Vec<f32>) {
        self.short.afterstate_sums(game, moves, sums);
        self.long.afterstate_sums(game, moves, &mut self.sums);
        for (sum, long) in sums.iter_mut().zip(&self.sums) {
            *sum += long;
        }
    }

    fn playing(&mut self, game: &G, mv: G::Move) {
        self.long.playing(game, mv);
        self.short.playing(game, mv);
    }

    fn reached(&mut self, game: &G, sum: Option<f32>, beside: f32) {
        let beside = beside + self.long.sum(game);
        self.short.reached(game, sum, beside);
    }

    fn ended(&mut self, z: Value, rest: &[G::Move]) {
        self.short.ended(z, rest);
    }

    fn abandoned(&mut self) {
        self.short.abandoned();
    }

    /// The long-term memory does not learn, and what it follows begins anew with each simulation.
    fn back_to_now(&mut self) -> impl FnOnce(&mut Self) + use<G, L, S> {
        let short_to_now = self.short.back_to_now();
        move |memory: &mut Self| short_to_now(&mut memory.short)
    }

    fn value(&self, sum: f32) -> Value {
        self.short.value(sum)
    }

    fn share(&mut self, others: usize) -> Vec<Self> {
        let short = self.short.share(others);
        short.into_iter().map(|short| Dyna2::new(self.long.clone(), short)).collect()
    }

    fn meet(&mut self) {
        self.short.meet();
    }

    fn meet_finally(&mut self) {
        self.short.meet_finally();
    }

    fn knows(&self, game: &G) -> bool {
        self.short.knows(game)
    }
}

/// Learnt local shapes of Go, folded for speed, as a long-term memory.
#[derive(Clone)]
pub struct LongTermShapes {
    shapes: Arc<FusedShapes>,
    root: Option<TrackedGo>,
    position: Option<TrackedGo>,
}

impl LongTermShapes {
    /// From folded weights.
    pub fn new(shapes: Arc<FusedShapes>) -> LongTermShapes {
        LongTermShapes { shapes, root: None, position: None }
    }

    /// The folded weights.
    pub fn shapes(&self) -> &FusedShapes {
        &self.shapes
    }

    /// From a learnt value function.
    pub fn of(learnt: &Linear<LocalShapes>) -> LongTermShapes {
        LongTermShapes::new(Arc::new(FusedShapes::of(learnt)))
    }
}

impl LongTermMemory<Go> for LongTermShapes {
    /// # Panics
    ///
    /// If the weights were learnt on a board of another size.
    fn set_root(&mut self, root: &Go) {
        self.root = Some(self.shapes.track(root.clone()));
    }

    fn begin(&mut self) {
        let Some(root) = &self.root else { return };
        match &mut self.position {
            Some(position) => position.clone_from(root),
            None => self.position = Some(root.clone()),
        }
    }

    fn afterstate_sums(&mut self, _game: &Go, moves: &[Move], sums: &mut Vec<f32>) {
        if let Some(position) = &self.position {
            self.shapes.afterstate_sums(position, moves, sums);
        }
    }

    fn playing(&mut self, _game: &Go, mv: Move) {
        if let Some(position) = &mut self.position {
            position.play(mv);
        }
    }

    fn sum(&mut self, _game: &Go) -> f32 {
        self.position.as_ref().map_or(0.0, |position| self.shapes.sum(position))
    }
}
