//! [`FeatureLearner`]: weights of a board's features learnt by TD(λ) from self-play, in which a search may choose the moves, or by a
//! rule that learns from searches.

use crate::lesson::{Described, Learner};
use crate::search_learning::SearchLearning;
use afterstate_engine::learning::{Chooser, Training, TrainingTotals};
use afterstate_engine::value::{Checkpoint, Features, Weights};
use afterstate_games::Tactics;
use anyhow::Result;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Makes whoever chooses the moves of self-play in place of the values themselves, one for each thread.
pub type Choosers<G> = Box<dyn Fn() -> Box<dyn Chooser<G>> + Send + Sync>;

/// How it learns.
pub enum Learning<G, F> {
    /// From self-play.
    SelfPlay(Training<G, F>, Option<Choosers<G>>),
    /// From searches.
    Search(SearchLearning<G, F>),
}

/// Plays and learns; `A` is what its checkpoints say of themselves.
pub struct FeatureLearner<G, F, A> {
    learning: Learning<G, F>,
    about: PhantomData<fn() -> A>,
}

impl<G, F, A> FeatureLearner<G, F, A> {
    /// A learner that goes on with what it is given.
    pub fn new(learning: Learning<G, F>) -> Self {
        FeatureLearner { learning, about: PhantomData }
    }
}

/// The weights of a checkpoint, or so many that know nothing.
pub fn weights_of<A>(last: Option<&Checkpoint<A>>, count: usize) -> Arc<Weights> {
    Arc::new(last.map_or_else(|| Weights::zeros(count), |last| Weights::from_values(&last.weights)))
}

impl<G: Tactics, F: Features<G>, A: Described> Learner for FeatureLearner<G, F, A> {
    type About = A;

    fn run(
        &self,
        games: Range<u64>,
        stop: &AtomicBool,
        progress: &(dyn Fn(TrainingTotals) + Sync),
    ) -> Result<TrainingTotals> {
        Ok(match &self.learning {
            Learning::Search(learning) => learning.run(games, stop, progress),
            Learning::SelfPlay(training, choosers) => {
                let choosers = choosers.as_ref().map(|make| make as &(dyn Fn() -> _ + Sync));
                training.run_by(choosers, games, stop, progress)
            }
        })
    }

    fn weights(&self) -> &Weights {
        match &self.learning {
            Learning::SelfPlay(training, _) => &training.weights,
            Learning::Search(learning) => &learning.weights,
        }
    }

    fn memory(&self) -> Vec<f32> {
        match &self.learning {
            Learning::SelfPlay(..) => Vec::new(),
            Learning::Search(learning) => learning.memory(),
        }
    }
}
