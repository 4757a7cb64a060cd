//! [`TwoPhaseMcts`]: tree search whose new nodes start with what TD search has just learnt (paper 000, §6.2).
//!
//! ```text
//! search from s₀:
//!     TD search or Dyna-2 from s₀                                     Q̄ learns
//!     Monte-Carlo tree search from s₀; a new node gets  Q(s,a) ← V̄(s∘a), N(s,a) ← M
//! ```
//!
//! What is learnt meets the tree through [`ShortTermPrior`], which is a [`Prior`] like any other: M is its
//! [`Experience`], and others may have their say beside it. Nodes that are kept from earlier moves keep their priors.

use super::freeze::Freeze;
use super::leaf::{Leaf, PlayoutObserver};
use super::mcts::{Mcts, Situation, Watch};
use super::prior::{Experience, NewPosition, Prior, PriorValue, add_values};
use super::selection::Selection;
use super::td_search::TdSearch;
use super::{Budget, Decision, Search};
use crate::value::AfterstateValues;
use afterstate_games::{Deterministic, Game, IndexedMoves, Rng};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A place for values that one search leaves and another one finds. Copies are the same place.
#[derive(Debug)]
pub struct SharedValues<V>(Arc<Mutex<Option<Arc<V>>>>);

impl<V> Default for SharedValues<V> {
    fn default() -> Self {
        SharedValues(Arc::default())
    }
}

impl<V> Clone for SharedValues<V> {
    fn clone(&self) -> Self {
        SharedValues(self.0.clone())
    }
}

impl<V> SharedValues<V> {
    /// Leaves `values`, instead of those that were there.
    pub fn set(&self, values: Arc<V>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(values);
    }

    /// What was left last.
    pub fn get(&self) -> Option<Arc<V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// H(s,a) = V̄(s∘a) of the values that were left last; no opinion before. `read` makes what they read of a position.
pub struct ShortTermPrior<V, F> {
    /// Equivalent experience, M.
    pub experience: Experience,
    values: SharedValues<V>,
    read: F,
    scores: Vec<f32>,
}

impl<V, F> ShortTermPrior<V, F> {
    /// The values found in `values`, with this equivalent experience.
    pub fn new(values: SharedValues<V>, read: F, experience: Experience) -> Self {
        ShortTermPrior { experience, values, read, scores: Vec::new() }
    }
}

impl<V, F: Clone> Clone for ShortTermPrior<V, F> {
    fn clone(&self) -> Self {
        ShortTermPrior::new(self.values.clone(), self.read.clone(), self.experience)
    }
}

impl<G, T, V, F> Prior<G> for ShortTermPrior<V, F>
where
    G: IndexedMoves,
    T: Game<Move = G::Move>,
    V: AfterstateValues<T>,
    F: Fn(&V, &G) -> T + Clone + Send,
{
    fn fill(&mut self, position: &NewPosition<'_, G>, out: &mut [PriorValue]) {
        let Some(values) = self.values.get() else { return };
        let read = (self.read)(&values, position.game);
        add_values(&*values, &read, position, &mut self.scores, self.experience, out);
    }
}

/// TD search with memory `M` and default policy `D`, then tree search with selection rule `S`, default policy `L`, priors
/// `P` and observer `O`.
///
/// ```
/// use afterstate_engine::learning::TdSettings;
/// use afterstate_engine::search::{
///     Experience, Mcts, MctsSettings, PlayOut, ShapeMemory, SharedValues, ShortTermPrior, TdSearch, TdSearchSettings,
///     TwoPhaseMcts, Uct,
/// };
/// use afterstate_engine::value::{FusedShapes, WindowSizes};
/// use afterstate_engine::{Budget, Search};
/// use afterstate_games::{go::{FuegoPlayout, Go}, stream};
/// let memory = ShapeMemory::new(WindowSizes::new(&[1, 2]).unwrap(), TdSettings::default());
/// let playout = PlayOut(FuegoPlayout::default());
/// let first = TdSearch::new(memory, playout.clone(), TdSearchSettings::default());
/// let values = SharedValues::default();
/// let read = |values: &FusedShapes, game: &Go| values.track(game.clone());
/// let prior = ShortTermPrior::new(values.clone(), read, Experience { monte_carlo: 10, amaf: 0 });
/// let settings = MctsSettings { memory_mib: 16, early_stop: false, ..MctsSettings::default() };
/// let second = Mcts::with(Uct::default(), playout, prior, (), settings);
/// let mut search = TwoPhaseMcts::new(first, values, second, 0.5);
/// let budget = Budget { simulations: Some(400), ..Budget::default() };
/// assert_eq!(search.search(&Go::new(5), &budget, &mut stream(1, 0)).effort, 400);
/// assert_eq!(search.second().report().simulations, 200);
/// ```
pub struct TwoPhaseMcts<G: Game, M: Freeze<G>, D, S, L, P, O = ()> {
    first: TdSearch<G, M, D>,
    values: SharedValues<M::Frozen>,
    second: Mcts<G, S, L, P, O>,
    share: f32,
}

impl<G, M, D, S, L, P, O> TwoPhaseMcts<G, M, D, S, L, P, O>
where
    G: IndexedMoves + Deterministic,
    M: Freeze<G>,
    D: Leaf<G>,
    S: Selection,
    L: Leaf<G>,
    P: Prior<G>,
    O: PlayoutObserver<G>,
{
    /// `first` leaves what it learns in `values`, where a prior of `second` should find it. `share` is the part of the
    /// simulations, or of the time, that `first` gets: 0 to 1.
    pub fn new(
        first: TdSearch<G, M, D>,
        values: SharedValues<M::Frozen>,
        second: Mcts<G, S, L, P, O>,
        share: f32,
    ) -> Self {
        TwoPhaseMcts { first, values, second, share: share.clamp(0.0, 1.0) }
    }

    /// The first phase.
    pub fn first(&self) -> &TdSearch<G, M, D> {
        &self.first
    }

    /// The tree search.
    pub fn second(&self) -> &Mcts<G, S, L, P, O> {
        &self.second
    }

    /// The same, to be changed between searches.
    pub fn second_mut(&mut self) -> &mut Mcts<G, S, L, P, O> {
        &mut self.second
    }

    /// Forgets what was learnt: a new game.
    pub fn clear(&mut self) {
        self.first.clear();
        self.second.clear();
    }

    /// Searches among the moves that `situation` allows; `watch` sees the tree grow. Where nothing but somebody's asking
    /// ends the search, the first phase gets its part of the simulations that the settings of the second allow.
    pub fn search_situation(
        &mut self,
        situation: &Situation<'_, G>,
        budget: &Budget,
        rng: &mut Rng,
        watch: Option<Watch<'_, G::Move>>,
    ) -> Decision<G::Move> {
        let all = budget.simulations.unwrap_or(self.second.settings().simulations);
        let is_timed = budget.simulations.is_none() && budget.deadline.is_some();
        let simulations = (!is_timed).then(|| self.part(all));
        let learning = Budget { simulations, ..budget.first_part(Instant::now(), self.share) };
        self.learn(situation, &learning, rng, budget, all, watch)
    }

    /// The first phase.
    pub fn first_mut(&mut self) -> &mut TdSearch<G, M, D> {
        &mut self.first
    }

    /// Searches on the opponent's time, of which nobody knows how long it lasts: the first phase gets its part of the
    /// simulations that the settings of the second allow.
    pub fn ponder(&mut self, situation: &Situation<'_, G>, budget: &Budget, rng: &mut Rng) {
        let all = self.second.settings().simulations;
        let learning = Budget { simulations: Some(self.part(all)), ..budget.clone() };
        self.learn(situation, &learning, rng, budget, all, None);
    }

    /// How many of `all` simulations the first phase gets.
    fn part(&self, all: u64) -> u64 {
        (all as f64 * f64::from(self.share)) as u64
    }

    /// The first phase within `learning`, the second with what it leaves of `budget`, which is for `all` simulations if it
    /// is not for time.
    fn learn(
        &mut self,
        situation: &Situation<'_, G>,
        learning: &Budget,
        rng: &mut Rng,
        budget: &Budget,
        all: u64,
        watch: Option<Watch<'_, G::Move>>,
    ) -> Decision<G::Move> {
        let learnt = self.first.search_situation(situation, learning, rng, None);
        if learnt.best.is_none() {
            return learnt;
        }
        self.values.set(Arc::new(self.first.memory().freeze()));
        let rest = (!budget.is_timed()).then(|| all.saturating_sub(learnt.effort));
        let searching = Budget { simulations: rest, ..budget.clone() };
        let mut decision = self.second.search_situation(situation, &searching, rng, watch);
        decision.effort += learnt.effort;
        decision
    }
}

impl<G, M, D, S, L, P, O> Search<G> for TwoPhaseMcts<G, M, D, S, L, P, O>
where
    G: IndexedMoves + Deterministic,
    M: Freeze<G>,
    D: Leaf<G>,
    S: Selection,
    L: Leaf<G>,
    P: Prior<G>,
    O: PlayoutObserver<G>,
{
    fn search(&mut self, root: &G, budget: &Budget, rng: &mut Rng) -> Decision<G::Move> {
        self.search_situation(&Situation::new(root), budget, rng, None)
    }
}
