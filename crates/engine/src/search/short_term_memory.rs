//! [`ShortTermMemory`]: what a search learns while it simulates, and [`FeatureMemory`], which does it for any features.

use crate::Value;
use crate::learning::{OnlineTd, Td, TdSettings};
use crate::value::{ActiveSet, Features, LocalShapes, TrackedGo, Weights};
use afterstate_games::Game;
use afterstate_games::go::Go;
use std::sync::Arc;

/// M̄ = (φ̄, θ̄): values of afterstates that learn from the simulation under way.
///
/// A search is told by `set_root`, and each of its simulations in this order: `begin`; then for every move perhaps
/// `afterstate_sums`, `playing`, and `reached` unless the move ended the game; at last `ended`, or `abandoned`.
///
/// A clone, made between simulations, knows what the original knew then, whatever that learns later.
pub trait ShortTermMemory<G: Game>: Clone + Send {
    /// θ̄ ← 0.
    fn clear(&mut self);

    /// Simulations will begin in `root`.
    fn set_root(&mut self, root: &G);

    /// A simulation begins.
    fn begin(&mut self);

    /// Replaces the contents of `sums` by φ̄(s∘a)·θ̄ for each of `moves` of the present position, `game`.
    fn afterstate_sums(&mut self, game: &G, moves: &[G::Move], sums: &mut Vec<f32>);

    /// `mv` is about to be played in `game`, by a player or by chance.
    fn playing(&mut self, game: &G, mv: G::Move);

    /// A player's move has led to `game`, sₜ. Moves the position before the last move of the same side towards its value.
    ///
    /// `beside` is what other memories, which do not learn now, add to the sum; `sum` is all of it, φ̄(sₜ)·θ̄ + `beside`,
    /// if that is known.
    fn reached(&mut self, game: &G, sum: Option<f32>, beside: f32);

    /// The simulation was worth `z`: all positions that still wait move towards it. `rest` is what the default policy
    /// played.
    fn ended(&mut self, z: Value, rest: &[G::Move]);

    /// The simulation ends without a result, and nothing is learnt from its end.
    fn abandoned(&mut self);

    /// What makes the memory again what it is now, after simulations that were begun and abandoned and in which no position learnt: what is
    /// learnt later is what it would be without them, to the bit. Between simulations, and after `set_root`.
    fn back_to_now(&mut self) -> impl FnOnce(&mut Self) + use<Self, G> {
        |_: &mut Self| {}
    }

    /// The value that belongs to a sum.
    fn value(&self, sum: f32) -> Value;

    /// Makes so many memories for other threads, which learn the same θ̄ together with this one. Between simulations, and
    /// after `set_root`. The default is none: such a memory cannot be shared.
    fn share(&mut self, others: usize) -> Vec<Self> {
        let _ = others;
        Vec::new()
    }

    /// Tells the memories that it shares θ̄ with what it learnt, and takes in what they told. Between simulations; it waits
    /// for nobody. It may be put off until it is worth its time.
    fn meet(&mut self) {}

    /// The same, at the end of a search: it is not put off.
    fn meet_finally(&mut self) {
        self.meet();
    }

    /// Whether the memory can tell the moves of `game`, the present position, apart. A simulation that comes where it
    /// cannot goes on by the default policy.
    fn knows(&self, game: &G) -> bool {
        let _ = game;
        true
    }
}

/// A memory of sparse features with TD(λ) as its rule (paper 000, §4.2).
///
/// `T` is what the features read, such as a position with its windows; for most features it is the game itself.
///
/// ```
/// use afterstate_engine::learning::TdSettings;
/// use afterstate_engine::search::{FeatureMemory, ShortTermMemory};
/// use afterstate_engine::value::{GridShapes, Value, WindowSizes};
/// use afterstate_games::{Game, Notation, TicTacToe};
/// let features = GridShapes::new(&TicTacToe::new(), WindowSizes::new(&[1]).unwrap());
/// let mut memory = FeatureMemory::new(features.into(), TdSettings::default());
/// let mut game = TicTacToe::new();
/// let corner = game.parse_move("1")?;
/// // One game in which X takes the corner and wins.
/// memory.set_root(&game);
/// memory.begin();
/// memory.playing(&game, corner);
/// game.play(corner);
/// memory.reached(&game, None, 0.0);
/// memory.ended(Value(1.0), &[]);
/// let mut sums = Vec::new();
/// memory.begin();
/// memory.afterstate_sums(&TicTacToe::new(), &[corner], &mut sums);
/// memory.abandoned();
/// // The corner is the only active feature: α · (1 − ½).
/// assert!((sums[0] - 0.05).abs() < 1e-6);
/// # Ok::<(), afterstate_games::NotationError>(())
/// ```
pub struct FeatureMemory<G: Game, F, T: Game = G> {
    features: Arc<F>,
    read: fn(&mut Arc<F>, &G) -> T,
    rule: Rule,
    td: TdSettings,
    /// θ̄ of all threads, and how much of it this one knows; if there are several.
    shared: Option<(Arc<Weights>, Vec<f32>)>,
    /// The root and the present position, as the features read them.
    root: Option<T>,
    position: Option<T>,
    /// What is active at the root.
    root_set: ActiveSet,
    set: ActiveSet,
}

/// TD(0) at the cost of what a move changes, or TD(λ) with traces.
enum Rule {
    Online(Box<OnlineTd>),
    Traces(Box<Td>, Arc<Weights>),
}

impl Clone for Rule {
    fn clone(&self) -> Rule {
        match self {
            Rule::Online(rule) => Rule::Online(rule.clone()),
            Rule::Traces(rule, weights) => Rule::Traces(rule.clone(), Arc::new(Weights::clone(weights))),
        }
    }
}

impl Rule {
    fn new(count: usize, td: TdSettings) -> Rule {
        let weights = Weights::zeros(count);
        if td.is_online() {
            Rule::Online(Box::new(OnlineTd::new(&weights, td)))
        } else {
            Rule::Traces(Box::new(Td::new(count, td)), Arc::new(weights))
        }
    }

    /// How many weights there are.
    fn count(&self) -> usize {
        match self {
            Rule::Online(rule) => rule.weights().len(),
            Rule::Traces(_, weights) => weights.len(),
        }
    }
}

impl<G: Game, F: Features<G>> FeatureMemory<G, F> {
    /// A memory of `features` that knows nothing yet.
    pub fn new(features: Arc<F>, td: TdSettings) -> Self {
        FeatureMemory::with_reader(features, |_, game| game.clone(), td)
    }
}

impl FeatureMemory<Go, LocalShapes, TrackedGo> {
    /// A memory of local shapes, in positions whose windows follow the moves. For a board of another size it begins anew
    /// with shapes of that size.
    pub fn of_shapes(shapes: Arc<LocalShapes>, td: TdSettings) -> Self {
        let read = |shapes: &mut Arc<LocalShapes>, game: &Go| {
            let windows = shapes.windows();
            if windows.board_size() != game.size() {
                *shapes = Arc::new(LocalShapes::new(game.size(), windows.sizes(), shapes.sharing()));
            }
            shapes.track(game.clone())
        };
        FeatureMemory::with_reader(shapes, read, td)
    }
}

impl<G: Game, F, T: Game> Clone for FeatureMemory<G, F, T> {
    fn clone(&self) -> Self {
        FeatureMemory {
            features: self.features.clone(),
            read: self.read,
            rule: self.rule.clone(),
            td: self.td.clone(),
            shared: self.shared.clone(),
            root: self.root.clone(),
            position: self.position.clone(),
            root_set: self.root_set.clone(),
            set: self.set.clone(),
        }
    }
}

impl<G: Game, F: Features<T>, T: Game<Move = G::Move>> FeatureMemory<G, F, T> {
    /// The same for features of what `read` makes of the root of a search; it may exchange the features for others that
    /// fit the root better.
    pub fn with_reader(features: Arc<F>, read: fn(&mut Arc<F>, &G) -> T, td: TdSettings) -> Self {
        let rule = Rule::new(features.count(), td.clone());
        FeatureMemory {
            features,
            read,
            rule,
            td,
            shared: None,
            root: None,
            position: None,
            root_set: ActiveSet::default(),
            set: ActiveSet::default(),
        }
    }

    /// The features.
    pub fn features(&self) -> &F {
        &self.features
    }

    /// The same, to be shared.
    pub(super) fn shared_features(&self) -> &Arc<F> {
        &self.features
    }

    /// How it learns.
    pub fn settings(&self) -> &TdSettings {
        &self.td
    }

    /// `game` as the features read it, which must be such as the root of the last search was.
    pub(super) fn read(&self, game: &G) -> T {
        (self.read)(&mut self.features.clone(), game)
    }

    /// θ̄, between simulations.
    pub fn weights(&self) -> Vec<f32> {
        match &self.rule {
            Rule::Online(rule) => (0..rule.weights().len()).map(|index| rule.weights().weight(index)).collect(),
            Rule::Traces(_, weights) => weights.values(),
        }
    }

    fn read_active(&mut self) {
        if let Some(position) = &self.position {
            self.features.active(position, &mut self.set);
        }
    }
}

impl<G: Game, F: Features<T>, T: Game<Move = G::Move>> ShortTermMemory<G> for FeatureMemory<G, F, T> {
    fn clear(&mut self) {
        match &mut self.rule {
            Rule::Online(rule) => rule.weights_mut().clear(),
            Rule::Traces(rule, weights) => {
                rule.restart();
                (0..weights.len()).for_each(|index| weights.set(index, 0.0));
            }
        }
    }

    fn set_root(&mut self, root: &G) {
        let root = (self.read)(&mut self.features, root);
        if self.rule.count() != self.features.count() {
            self.rule = Rule::new(self.features.count(), self.td.clone());
            self.position = None;
        }
        self.features.active(&root, &mut self.root_set);
        self.root = Some(root);
    }

    fn begin(&mut self) {
        let Some(root) = &self.root else { return };
        match &mut self.position {
            Some(position) => position.clone_from(root),
            None => self.position = Some(root.clone()),
        }
        match &mut self.rule {
            Rule::Online(rule) => rule.begin(&self.root_set),
            Rule::Traces(rule, _) => rule.begin(),
        }
    }

    fn afterstate_sums(&mut self, _game: &G, moves: &[G::Move], sums: &mut Vec<f32>) {
        let Some(position) = &self.position else { return };
        match &self.rule {
            Rule::Online(rule) => self.features.afterstate_sums(position, moves, rule.weights(), sums),
            Rule::Traces(_, weights) => self.features.afterstate_sums(position, moves, &**weights, sums),
        }
    }

    fn playing(&mut self, _game: &G, mv: G::Move) {
        let Some(position) = &mut self.position else { return };
        if let Rule::Online(rule) = &mut self.rule {
            self.features.change(position, mv, rule.next_change());
        }
        position.play(mv);
    }

    fn reached(&mut self, _game: &G, sum: Option<f32>, beside: f32) {
        let (squash, Some(position)) = (self.td.squash, &self.position) else { return };
        match &mut self.rule {
            Rule::Online(rule) => {
                let sum = sum.unwrap_or_else(|| rule.sum_of_next() + beside);
                rule.reached_beside(squash.value(sum), beside);
            }
            Rule::Traces(rule, weights) => {
                self.features.active(position, &mut self.set);
                let sum = sum.unwrap_or_else(|| weights.sum(&self.set) + beside);
                rule.reached_beside(&mut self.set, squash.value(sum), beside, weights);
            }
        }
    }

    fn ended(&mut self, z: Value, _rest: &[G::Move]) {
        self.read_active();
        match &mut self.rule {
            Rule::Online(rule) => rule.ended(z, &self.set),
            Rule::Traces(rule, weights) => rule.ended(z, weights),
        }
    }

    fn abandoned(&mut self) {
        self.read_active();
        if let Rule::Online(rule) = &mut self.rule {
            rule.abandoned(&self.set);
        }
    }

    fn value(&self, sum: f32) -> Value {
        self.td.squash.value(sum)
    }

    fn share(&mut self, others: usize) -> Vec<Self> {
        let weights = self.weights();
        if let Rule::Online(_) = self.rule {
            self.shared = Some((Arc::new(Weights::from_values(&weights)), weights));
        }
        let other = |_| {
            let mut other = self.clone();
            // With traces all change the same weights at once.
            if let (Rule::Traces(_, theirs), Rule::Traces(_, weights)) = (&mut other.rule, &self.rule) {
                *theirs = weights.clone();
            }
            other
        };
        (0..others).map(other).collect()
    }

    fn meet(&mut self) {
        if let (Rule::Online(rule), Some((shared, before))) = (&mut self.rule, &mut self.shared) {
            rule.weights_mut().meet(before, shared);
        }
    }
}
