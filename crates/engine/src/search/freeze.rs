//! [`Freeze`]: the value function that a simulation-based search has learnt, for a search that only reads it.

use super::dyna2::{Dyna2, LongTermShapes, NoShortTerm};
use super::shape_memory::ShapeMemory;
use super::short_term_memory::{FeatureMemory, ShortTermMemory};
use crate::Value;
use crate::value::{AfterstateValues, Features, FusedShapes, Linear, LocalShapes, TrackedGo, ValueFunction, Weights};
use afterstate_games::go::Go;
use afterstate_games::{Deterministic, Game, IndexedMoves};
use std::sync::Arc;

/// A memory whose values can be had as a function that does not change any more.
///
/// ```
/// use afterstate_engine::learning::TdSettings;
/// use afterstate_engine::search::{Freeze, PlayOut, ShapeMemory, TdSearch, TdSearchSettings};
/// use afterstate_engine::value::{AfterstateValues, WindowSizes};
/// use afterstate_engine::{Budget, Search};
/// use afterstate_games::{go::{FuegoPlayout, Go}, stream};
/// let memory = ShapeMemory::new(WindowSizes::new(&[1, 2]).unwrap(), TdSettings::default());
/// let mut search = TdSearch::new(memory, PlayOut(FuegoPlayout::default()), TdSearchSettings::default());
/// let budget = Budget { simulations: Some(200), ..Budget::default() };
/// let decision = search.search(&Go::new(5), &budget, &mut stream(1, 0));
/// // The frozen function values the move as the search does.
/// let frozen = search.memory().freeze();
/// let root = search.memory().read(&frozen, &Go::new(5));
/// let mut sums = Vec::new();
/// frozen.afterstates(&root, &[decision.best.unwrap()], &mut sums);
/// assert!((frozen.value_of_score(sums[0]).0 - decision.value.unwrap().0).abs() < 1e-5);
/// ```
pub trait Freeze<G: Game>: ShortTermMemory<G> {
    /// A position as the frozen function reads it.
    type Position: Deterministic + IndexedMoves<Move = G::Move>;

    /// V as it was when it was frozen. Its scores are the sums in front of the sigmoid.
    type Frozen: AfterstateValues<Self::Position> + 'static;

    /// The values of now, between two simulations.
    fn freeze(&self) -> Self::Frozen;

    /// `game` as `frozen` reads it. Its board is that of the last search.
    fn read(&self, frozen: &Self::Frozen, game: &G) -> Self::Position;
}

impl<G, F, T> Freeze<G> for FeatureMemory<G, F, T>
where
    G: Game,
    F: Features<T> + 'static,
    T: Deterministic + IndexedMoves<Move = G::Move>,
{
    type Position = T;
    type Frozen = Linear<F>;

    fn freeze(&self) -> Linear<F> {
        let weights = Arc::new(Weights::from_values(&self.weights()));
        Linear { features: self.shared_features().clone(), weights, squash: self.settings().squash }
    }

    fn read(&self, _frozen: &Linear<F>, game: &G) -> T {
        FeatureMemory::read(self, game)
    }
}

/// Local shapes of Go whose weights can be folded into a table.
pub trait FoldShapes: ShortTermMemory<Go> {
    /// Adds φ̄·θ̄ to `fused`, in which every window has a row of its own.
    fn fold_into(&self, fused: &mut FusedShapes);
}

/// There is nothing to add.
impl FoldShapes for NoShortTerm {
    fn fold_into(&self, _fused: &mut FusedShapes) {}
}

impl FoldShapes for ShapeMemory {
    fn fold_into(&self, fused: &mut FusedShapes) {
        fused.add_unshared(self.windows(), &self.weights());
    }
}

impl FoldShapes for FeatureMemory<Go, LocalShapes, TrackedGo> {
    fn fold_into(&self, fused: &mut FusedShapes) {
        let (shapes, weights) = (self.features(), Weights::from_values(&self.weights()));
        fused.add_unshared(shapes.windows(), &shapes.weights_by_window(&weights));
    }
}

impl Freeze<Go> for ShapeMemory {
    type Position = TrackedGo;
    type Frozen = FusedShapes;

    fn freeze(&self) -> FusedShapes {
        let mut fused = FusedShapes::zeros(self.windows().board_size(), self.settings().squash);
        self.fold_into(&mut fused);
        fused
    }

    fn read(&self, frozen: &FusedShapes, game: &Go) -> TrackedGo {
        frozen.track(game.clone())
    }
}

/// Both memories in one table. The values are the long-term memory's kind, linear or logistic.
impl<S: FoldShapes> Freeze<Go> for Dyna2<LongTermShapes, S> {
    type Position = TrackedGo;
    type Frozen = FusedShapes;

    fn freeze(&self) -> FusedShapes {
        let mut fused = self.long_term().shapes().unshared();
        self.short_term().fold_into(&mut fused);
        fused
    }

    fn read(&self, frozen: &FusedShapes, game: &Go) -> TrackedGo {
        frozen.track(game.clone())
    }
}

/// The long-term values of a position, corrected by what was learnt for the game at hand: φ·θ + φ̄·θ̄, as Dyna-2 adds them.
#[derive(Clone)]
pub struct Corrected<L, S> {
    long: Linear<L>,
    /// Its squash makes the values of both.
    short: Linear<S>,
}

impl<G: Game, L: Features<G>, S: Features<G>> ValueFunction<G> for Corrected<L, S> {
    fn value(&self, game: &G) -> Value {
        let (long, short) = (&self.long, &self.short);
        short.squash.value(long.features.sum(game, &*long.weights) + short.features.sum(game, &*short.weights))
    }
}

/// The score is the sum.
impl<G: Game, L: Features<G>, S: Features<G>> AfterstateValues<G> for Corrected<L, S> {
    fn afterstates(&self, game: &G, moves: &[G::Move], scores: &mut Vec<f32>) {
        let mut general = Vec::with_capacity(moves.len());
        self.long.afterstates(game, moves, &mut general);
        self.short.afterstates(game, moves, scores);
        scores.iter_mut().zip(general).for_each(|(score, general)| *score += general);
    }

    fn value_of_score(&self, score: f32) -> Value {
        self.short.squash.value(score)
    }

    fn even_score(&self) -> f32 {
        0.0
    }
}

impl<G, L, S> Freeze<G> for Dyna2<Linear<L>, FeatureMemory<G, S>>
where
    G: Deterministic + IndexedMoves,
    L: Features<G> + 'static,
    S: Features<G> + 'static,
{
    type Position = G;
    type Frozen = Corrected<L, S>;

    fn freeze(&self) -> Corrected<L, S> {
        Corrected { long: self.long_term().clone(), short: self.short_term().freeze() }
    }

    fn read(&self, _frozen: &Corrected<L, S>, game: &G) -> G {
        game.clone()
    }
}

/// A value function whose scores are cut off at ±16: as logits they are as good as certain there, and no leaf of a
/// search should look more certain than it can be. RLGO does the same.
///
/// ```
/// use afterstate_engine::search::BoundedLogits;
/// use afterstate_engine::value::{AfterstateValues, Value, ValueFunction};
/// use afterstate_games::{Game, TicTacToe};
/// struct Sure;
/// impl<G: Game> ValueFunction<G> for Sure {
///     fn value(&self, _game: &G) -> Value {
///         Value(1000.0)
///     }
/// }
/// impl<G: Game> AfterstateValues<G> for Sure {}
/// let (game, mut moves, mut scores) = (TicTacToe::new(), Vec::new(), Vec::new());
/// game.legal_moves(&mut moves);
/// BoundedLogits(Sure).afterstates(&game, &moves, &mut scores);
/// assert_eq!(scores, [16.0; 9]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BoundedLogits<V>(pub V);

const LIMIT: f32 = 16.0;

impl<G: Game, V: ValueFunction<G>> ValueFunction<G> for BoundedLogits<V> {
    fn value(&self, game: &G) -> Value {
        self.0.value(game)
    }
}

impl<G: Game, V: AfterstateValues<G>> AfterstateValues<G> for BoundedLogits<V> {
    #[inline]
    fn afterstates(&self, game: &G, moves: &[G::Move], scores: &mut Vec<f32>) {
        self.0.afterstates(game, moves, scores);
        for score in scores {
            *score = score.clamp(-LIMIT, LIMIT);
        }
    }

    fn value_of_score(&self, score: f32) -> Value {
        self.0.value_of_score(score)
    }

    fn even_score(&self) -> f32 {
        self.0.even_score()
    }
}
