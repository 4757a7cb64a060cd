//! Prior knowledge: what new moves of the tree start with (paper 003, §5).
//!
//! ```text
//! Q(s,a) ← H(s,a)    N(s,a) ← C    Q̃(s,a) ← H(s,a)    Ñ(s,a) ← C̃        C, C̃: equivalent experience, M
//! ```
//!
//! A [`Prior`] adds to what is there, so several can be combined: as a tuple, each has its say with the
//! weight of its own experience. [`Even`], [`Grandfather`] and [`ByValue`] are the heuristics that need no
//! knowledge of the game; the handcrafted ones of a game implement the trait.
//!
//! These three say nothing of a [pass](IndexedMoves::pass). It has no all-moves-as-first values, which would show in time that it
//! is worth less than they think, and where all else is known to lose it would be played again and again.

use super::tree::Seed;
use crate::value::AfterstateValues;
use afterstate_games::{Game, IndexedMoves};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// M: how many simulations a prior counts as, for Monte-Carlo and for all-moves-as-first values.
///
/// ```
/// use afterstate_engine::search::Experience;
/// assert_eq!(Experience::default(), Experience { monte_carlo: 0, amaf: 50 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Experience {
    /// C. Default 0: the paper varies C̃ alone (Fig. 6).
    pub monte_carlo: u16,
    /// C̃. Default 50, the best for learnt values.
    pub amaf: u16,
}

impl Default for Experience {
    fn default() -> Self {
        Experience { monte_carlo: 0, amaf: 50 }
    }
}

/// What the priors of one move add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PriorValue {
    experience: u16,
    sum: f32,
    amaf_experience: u16,
    amaf_sum: f32,
}

impl PriorValue {
    /// Adds an opinion: `value` is the first player's, H(s,a).
    ///
    /// ```
    /// use afterstate_engine::search::{Experience, prior::PriorValue};
    /// let mut prior = PriorValue::default();
    /// prior.add(1.0, Experience { monte_carlo: 0, amaf: 30 });
    /// prior.add(0.0, Experience { monte_carlo: 0, amaf: 10 });
    /// assert_eq!(prior.value(), Some(0.75));
    /// ```
    #[inline]
    pub fn add(&mut self, value: f32, experience: Experience) {
        // What there is no more room for to count must not be in the sums either.
        let counted = self.experience.saturating_add(experience.monte_carlo) - self.experience;
        let amaf_counted = self.amaf_experience.saturating_add(experience.amaf) - self.amaf_experience;
        self.experience += counted;
        self.sum += value * f32::from(counted);
        self.amaf_experience += amaf_counted;
        self.amaf_sum += value * f32::from(amaf_counted);
    }

    /// The mean of the opinions, by experience; `None` if there were none.
    pub fn value(self) -> Option<f32> {
        let experience = f32::from(self.experience) + f32::from(self.amaf_experience);
        (experience > 0.0).then(|| (self.sum + self.amaf_sum) / experience)
    }

    /// Without what counts for all-moves-as-first values.
    pub(super) fn without_rapid(self) -> PriorValue {
        PriorValue { amaf_experience: 0, amaf_sum: 0.0, ..self }
    }

    /// A new node that starts with these opinions of move number `index`.
    #[inline]
    pub(super) fn seed(self, index: u16) -> Seed {
        let PriorValue { experience, sum, amaf_experience, amaf_sum } = self;
        Seed { index, experience, sum, amaf_experience, amaf_sum }
    }
}

/// A position that enters the tree.
pub struct NewPosition<'a, G: Game> {
    /// The position.
    pub game: &'a G,
    /// The moves that the tree will hold.
    pub moves: &'a [G::Move],
    /// The moves that led here from where the search began, the last one last.
    pub line: &'a [G::Move],
    /// Two plies up, where the same side was to move: the number of every move of which something was known, and what it was worth
    /// by both kinds of simulations and priors, (N·Q + Ñ·Q̃) / (N + Ñ). Empty near the root.
    pub two_plies_up: &'a [(u16, f32)],
}

/// Says what new moves are worth, once for every position that enters the tree.
pub trait Prior<G: Game>: Clone + Send {
    /// Adds an opinion about each of `position.moves` to `out`, which is as long.
    fn fill(&mut self, position: &NewPosition<'_, G>, out: &mut [PriorValue]);

    /// Whether [`NewPosition::two_plies_up`] is looked at; if not, it is left empty.
    fn looks_two_plies_up(&self) -> bool {
        false
    }
}

/// No prior knowledge.
impl<G: Game> Prior<G> for () {
    #[inline]
    fn fill(&mut self, _position: &NewPosition<'_, G>, _out: &mut [PriorValue]) {}
}

/// Both opinions.
impl<G: Game, A: Prior<G>, B: Prior<G>> Prior<G> for (A, B) {
    fn fill(&mut self, position: &NewPosition<'_, G>, out: &mut [PriorValue]) {
        self.0.fill(position, out);
        self.1.fill(position, out);
    }

    fn looks_two_plies_up(&self) -> bool {
        self.0.looks_two_plies_up() || self.1.looks_two_plies_up()
    }
}

/// Perhaps an opinion.
impl<G: Game, P: Prior<G>> Prior<G> for Option<P> {
    fn fill(&mut self, position: &NewPosition<'_, G>, out: &mut [PriorValue]) {
        if let Some(prior) = self {
            prior.fill(position, out);
        }
    }

    fn looks_two_plies_up(&self) -> bool {
        self.as_ref().is_some_and(|prior| prior.looks_two_plies_up())
    }
}

/// The even-game heuristic, H(s,a) = 0.5: most positions between strong players are close.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Even {
    /// Equivalent experience.
    pub experience: Experience,
}

impl<G: IndexedMoves> Prior<G> for Even {
    fn fill(&mut self, position: &NewPosition<'_, G>, out: &mut [PriorValue]) {
        let pass = position.game.pass();
        for (_, prior) in position.moves.iter().zip(out).filter(|(mv, _)| Some(**mv) != pass) {
            prior.add(0.5, self.experience);
        }
    }
}

/// The grandfather heuristic, H(sₜ,a) = Q(sₜ₋₂,a): a move is worth what it was worth when its side was last to
/// move (S. Gelly and Y. Wang, 2006). Moves that were not possible then get no prior.
///
/// Most moves two plies up have few visits, and their Q is 0 or 1; in the paper it began with C = M visits of a prior. Here it is the
/// mean of all their simulations, those that made the move later included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grandfather {
    /// Equivalent experience.
    pub experience: Experience,
    by_index: Vec<f32>,
}

impl Grandfather {
    /// With this equivalent experience.
    pub fn new(experience: Experience) -> Self {
        Grandfather { experience, by_index: Vec::new() }
    }
}

impl<G: IndexedMoves> Prior<G> for Grandfather {
    fn fill(&mut self, position: &NewPosition<'_, G>, out: &mut [PriorValue]) {
        self.by_index.clear();
        self.by_index.resize(position.game.index_count(), f32::NAN);
        for &(index, value) in position.two_plies_up {
            self.by_index[usize::from(index)] = value;
        }
        let pass = position.game.pass();
        for (&mv, prior) in position.moves.iter().zip(out) {
            let value = self.by_index[position.game.move_index(mv)];
            if !value.is_nan() && Some(mv) != pass {
                prior.add(value, self.experience);
            }
        }
    }

    fn looks_two_plies_up(&self) -> bool {
        true
    }
}

/// H(s,a) = V(s∘a) of any value function: with learnt local shapes this is the paper's best.
pub struct ByValue<V: ?Sized> {
    /// Equivalent experience.
    pub experience: Experience,
    values: Arc<V>,
    scores: Vec<f32>,
}

impl<V: ?Sized> ByValue<V> {
    /// With this equivalent experience.
    pub fn new(values: Arc<V>, experience: Experience) -> Self {
        ByValue { experience, values, scores: Vec::new() }
    }
}

impl<V: ?Sized> Clone for ByValue<V> {
    fn clone(&self) -> Self {
        ByValue { experience: self.experience, values: self.values.clone(), scores: Vec::new() }
    }
}

impl<G: IndexedMoves, V: AfterstateValues<G> + ?Sized> Prior<G> for ByValue<V> {
    fn fill(&mut self, position: &NewPosition<'_, G>, out: &mut [PriorValue]) {
        add_values(&*self.values, position.game, position, &mut self.scores, self.experience, out);
    }
}

/// Adds V(s∘a) for every move of `position`, which `values` read as `read`; `scores` is scratch. Where a move ends the
/// game, its outcome is known.
pub(super) fn add_values<G, T, V>(
    values: &V,
    read: &T,
    position: &NewPosition<'_, G>,
    scores: &mut Vec<f32>,
    experience: Experience,
    out: &mut [PriorValue],
) where
    G: IndexedMoves,
    T: Game<Move = G::Move>,
    V: AfterstateValues<T> + ?Sized,
{
    values.afterstates(read, position.moves, scores);
    let pass = position.game.pass();
    for ((&mv, &score), prior) in position.moves.iter().zip(&*scores).zip(out) {
        let value = match position.game.outcome_after(mv) {
            Some(outcome) => outcome.first_player_score(),
            None if Some(mv) == pass => continue,
            None => values.value_of_score(score).0.clamp(0.0, 1.0),
        };
        prior.add(value, experience);
    }
}

/// [`ByValue`] for values of positions that carry more than the game's own, such as features that follow its moves:
/// `read` makes them, once for every position that enters the tree.
///
/// ```
/// use afterstate_engine::search::{Experience, prior::ByReadValue};
/// use afterstate_engine::value::{FusedShapes, LocalShapes, Sharing, Squash, TrackedGo, Weights, WindowSizes};
/// use afterstate_games::go::Go;
/// use std::sync::Arc;
/// let shapes = LocalShapes::new(5, WindowSizes::ALL, Sharing::Both);
/// let weights = Weights::zeros(afterstate_engine::value::Features::<TrackedGo>::count(&shapes));
/// let values = Arc::new(FusedShapes::new(&shapes, &weights, Squash::Logistic));
/// let read = { let values = values.clone(); move |game: &Go| values.track(game.clone()) };
/// let prior = ByReadValue::new(values, read, Experience::default());
/// # let _ = prior;
/// ```
pub struct ByReadValue<V: ?Sized, F> {
    /// Equivalent experience.
    pub experience: Experience,
    values: Arc<V>,
    read: F,
    scores: Vec<f32>,
}

impl<V: ?Sized, F> ByReadValue<V, F> {
    /// With this equivalent experience.
    pub fn new(values: Arc<V>, read: F, experience: Experience) -> Self {
        ByReadValue { experience, values, read, scores: Vec::new() }
    }
}

impl<V: ?Sized, F: Clone> Clone for ByReadValue<V, F> {
    fn clone(&self) -> Self {
        ByReadValue::new(self.values.clone(), self.read.clone(), self.experience)
    }
}

impl<G, T, V, F> Prior<G> for ByReadValue<V, F>
where
    G: IndexedMoves,
    T: Game<Move = G::Move>,
    V: AfterstateValues<T> + ?Sized,
    F: Fn(&G) -> T + Clone + Send,
{
    fn fill(&mut self, position: &NewPosition<'_, G>, out: &mut [PriorValue]) {
        let read = (self.read)(position.game);
        add_values(&*self.values, &read, position, &mut self.scores, self.experience, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_opinions_than_can_be_counted_stay_opinions() {
        let mut prior = PriorValue::default();
        (0..8).for_each(|_| prior.add(0.5, Experience { monte_carlo: 10_000, amaf: 60_000 }));
        assert_eq!(prior.value(), Some(0.5));
    }
}
