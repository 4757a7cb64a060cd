//! [`Leaf`]: what a simulation does once it has left the tree.

use super::ownership::Ownership;
use crate::value::{Value, ValueFunction};
use afterstate_games::rng::below;
use afterstate_games::{Game, PlayoutPolicy, Rng, Turn};
use std::sync::Arc;

/// Finishes a simulation: the default policy of the paper, and perhaps more.
pub trait Leaf<G: Game>: Clone + Send {
    /// Plays on from `game`, which may be over, appends every move to `trace`, and returns the outcome z or an estimate
    /// of it. `trace` begins with the moves inside the tree.
    fn finish(&mut self, game: &mut G, trace: &mut Vec<G::Move>, rng: &mut Rng) -> Value;

    /// Whether every simulation is played to the end of its game.
    fn plays_to_end(&self) -> bool {
        true
    }

    /// One move, as the default policy would go on from `game`; `None` where it likes all sensible moves alike.
    fn one_move(&mut self, game: &G, rng: &mut Rng) -> Option<G::Move> {
        let _ = (game, rng);
        None
    }
}

/// Plays to the end of the game: plain Monte-Carlo simulation (paper 003, §2.3).
///
/// ```
/// use afterstate_engine::search::{Leaf, PlayOut};
/// use afterstate_games::{stream, go::{Go, UniformGoPlayout}};
/// let mut trace = Vec::new();
/// let z = PlayOut(UniformGoPlayout).finish(&mut Go::new(9), &mut trace, &mut stream(1, 0));
/// assert!(z.0 == 0.0 || z.0 == 1.0);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PlayOut<P>(pub P);

impl<G: Game, P: PlayoutPolicy<G> + Clone> Leaf<G> for PlayOut<P> {
    #[inline]
    fn finish(&mut self, game: &mut G, trace: &mut Vec<G::Move>, rng: &mut Rng) -> Value {
        self.0.play_out(game, trace, rng).into()
    }

    fn one_move(&mut self, game: &G, rng: &mut Rng) -> Option<G::Move> {
        self.0.one_move(game, rng)
    }
}

/// Truncated Monte-Carlo simulation (paper 003, §2.3): some random moves, then an estimate from any value
/// function. It is faster and varies less, but inherits the function's bias.
///
/// ```
/// use afterstate_engine::search::{Leaf, Truncated};
/// use afterstate_engine::{Value, value::Indifferent};
/// use afterstate_games::{Game, go::Go, stream};
/// let mut trace = Vec::new();
/// let z = Truncated::new(10, std::sync::Arc::new(Indifferent)).finish(&mut Go::new(9), &mut trace, &mut stream(1, 0));
/// assert_eq!((trace.len(), z), (10, Value::EVEN));
/// ```
pub struct Truncated<G: Game, V: ?Sized> {
    moves: u32,
    values: Arc<V>,
    candidates: Vec<G::Move>,
}

impl<G: Game, V: ?Sized> Truncated<G, V> {
    /// Values positions `moves` random moves after the tree was left.
    pub fn new(moves: u32, values: Arc<V>) -> Self {
        Truncated { moves, values, candidates: Vec::new() }
    }
}

impl<G: Game, V: ?Sized> Clone for Truncated<G, V> {
    fn clone(&self) -> Self {
        Truncated::new(self.moves, self.values.clone())
    }
}

impl<G: Game, V: ValueFunction<G> + ?Sized> Leaf<G> for Truncated<G, V> {
    fn finish(&mut self, game: &mut G, trace: &mut Vec<G::Move>, rng: &mut Rng) -> Value {
        for _ in 0..self.moves {
            match game.turn() {
                Turn::Over(outcome) => return outcome.into(),
                Turn::Chance => break,
                Turn::Player(_) => game.candidate_moves(&mut self.candidates),
            }
            let mv = self.candidates[below(rng, self.candidates.len() as u32) as usize];
            game.play(mv);
            trace.push(mv);
        }
        match game.turn() {
            Turn::Over(outcome) => outcome.into(),
            _ => Value(self.values.value(game).0.clamp(0.0, 1.0)),
        }
    }

    fn plays_to_end(&self) -> bool {
        false
    }
}

/// Watches simulations end, for statistics that are no business of the search: who owned what, say.
pub trait PlayoutObserver<G: Game>: Send {
    /// A simulation ended in `end` with `value`. Nobody is told of simulations that need not play to the end
    /// ([`Leaf::plays_to_end`]), nor of those in which the game ended inside a tree: both would show boards that are not finished.
    fn finished(&mut self, end: &G, value: Value);

    /// Who owned what in the end, on average, if this is what was watched.
    fn ownership(&self) -> Option<Ownership> {
        None
    }

    /// An observer for another thread, which has seen nothing yet.
    fn fork(&self) -> Self;

    /// Takes in what an observer of another thread saw.
    fn join(&mut self, other: Self);
}

/// Nobody watches.
impl<G: Game> PlayoutObserver<G> for () {
    #[inline(always)]
    fn finished(&mut self, _end: &G, _value: Value) {}
    fn fork(&self) {}
    fn join(&mut self, (): ()) {}
}
