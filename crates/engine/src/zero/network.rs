//! [`Network`]: what a search asks about positions, and simple things that can answer.

use crate::Value;
use crate::value::AfterstateValues;
use afterstate_games::{Game, Rng, Side, Turn};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A position that a search wants to know about, and the answer. Its vectors keep their memory from one position to the
/// next.
#[derive(Clone, Debug)]
pub struct Question<G: Game> {
    /// The position; a player is to move.
    pub game: G,
    /// The moves that are considered in it.
    pub moves: Vec<G::Move>,
    /// p: the probability of each of `moves`. Together they are 1.
    pub priors: Vec<f32>,
    /// v: what the position is worth.
    pub value: Value,
}

impl<G: Game> Question<G> {
    /// Asks about the legal moves of a position.
    pub fn new(game: G) -> Self {
        let mut question = Question { game, moves: Vec::new(), priors: Vec::new(), value: Value::EVEN };
        question.game.legal_moves(&mut question.moves);
        question
    }

    /// Answers with the softmax of `logit`, of each move.
    pub fn answer(&mut self, value: Value, mut logit: impl FnMut(G::Move) -> f32) {
        self.value = value;
        self.priors.clear();
        self.priors.extend(self.moves.iter().map(|&mv| logit(mv)));
        softmax(&mut self.priors);
    }
}

/// eˣ/Σeˣ in place.
fn softmax(numbers: &mut [f32]) {
    let greatest = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    numbers.iter_mut().for_each(|number| *number = (*number - greatest).exp());
    let sum: f32 = numbers.iter().sum();
    numbers.iter_mut().for_each(|number| *number /= sum);
}

/// (p, v) = f(s), for many positions at once: whoever answers on a device wants them together.
pub trait Network<G: Game>: Send {
    /// Answers all questions. What is answered does not depend on what else is asked.
    fn evaluate(&mut self, questions: &mut [&mut Question<G>]);

    /// v alone. The question is answered only where that had to be found out.
    fn value(&mut self, question: &mut Question<G>) -> Value {
        self.evaluate(&mut [question]);
        question.value
    }

    /// A hash of what it sees of a position: about two for which this is the same it says the same. By default
    /// [the position's own](Game::key).
    fn sees(&self) -> fn(&G) -> u64 {
        G::key
    }
}

impl<G: Game> Network<G> for Box<dyn Network<G>> {
    fn evaluate(&mut self, questions: &mut [&mut Question<G>]) {
        (**self).evaluate(questions);
    }

    fn value(&mut self, question: &mut Question<G>) -> Value {
        (**self).value(question)
    }

    fn sees(&self) -> fn(&G) -> u64 {
        (**self).sees()
    }
}

/// Knows nothing: all moves are equally likely, and all positions even.
///
/// ```
/// use afterstate_engine::zero::{Network, Question, Uniform};
/// use afterstate_games::ConnectFour;
/// let mut question = Question::new(ConnectFour::new());
/// Uniform.evaluate(&mut [&mut question]);
/// assert_eq!((question.priors[3], question.value.0), (1.0 / 7.0, 0.5));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl<G: Game> Network<G> for Uniform {
    fn evaluate(&mut self, questions: &mut [&mut Question<G>]) {
        questions.iter_mut().for_each(|question| question.answer(Value::EVEN, |_| 0.0));
    }
}

/// A value function as a network: moves are the likelier, the more the positions after them are worth.
#[derive(Clone, Debug)]
pub struct ByAfterstates<V: ?Sized> {
    values: Arc<V>,
    temperature: f32,
    scores: Vec<f32>,
}

impl<V: ?Sized> ByAfterstates<V> {
    /// The softmax of the values of afterstates, from −1 to 1, divided by `temperature`.
    pub fn new(values: Arc<V>, temperature: f32) -> Self {
        ByAfterstates { values, temperature, scores: Vec::new() }
    }
}

impl<G: Game, V: AfterstateValues<G> + ?Sized> Network<G> for ByAfterstates<V> {
    fn evaluate(&mut self, questions: &mut [&mut Question<G>]) {
        for question in questions {
            let Turn::Player(side) = question.game.turn() else { continue };
            self.values.afterstates(&question.game, &question.moves, &mut self.scores);
            let sign = if side == Side::First { 2.0 } else { -2.0 };
            let scores = self.scores.iter().map(|&score| self.values.value_of_score(score).0);
            let mut logits = scores.map(|value| sign * value / self.temperature);
            let value = self.values.value(&question.game);
            question.answer(value, |_| logits.next().expect("a score for each move"));
        }
    }
}

/// A position to learn from.
#[derive(Clone, Debug)]
pub struct Example<'a, G: Game> {
    /// s.
    pub game: G,
    /// π: the legal moves by their [index](afterstate_games::IndexedMoves::move_index), and their probabilities.
    pub policy: &'a [(u16, f32)],
    /// z.
    pub outcome: Value,
    /// Whose each cell was when the game was over, row by row, if that is known: see [`Planes::owners`](super::Planes::owners).
    pub owners: Option<&'a [Option<Side>]>,
}

/// What a batch cost.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Loss {
    /// −πᵀ log p, the mean over those of the batch whose policy is learnt.
    pub policy: f32,
    /// (z − v)², with both from −1 to 1, the mean over the batch.
    pub value: f32,
    /// (owner − o)² of each cell, from −1 to 1 as well, the mean over the batch; 0 if that is not learnt.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ownership: f32,
}

fn is_zero(loss: &f32) -> bool {
    *loss == 0.0
}

/// A network that learns.
pub trait Trainable<G: Game>: Send + Sync + Sized {
    /// A network that only answers, as it is now.
    type Player: Network<G> + 'static;

    /// One that answers with the present weights.
    fn player(&self) -> Self::Player;

    /// Another one with the present weights, and all else that learning goes on from.
    fn twin(&self) -> Self;

    /// Whether it learns [whose the cells are](Example::owners), which takes playing every game to its end.
    fn learns_owners(&self) -> bool {
        false
    }

    /// One step down the loss on `examples`.
    fn learn(&mut self, examples: &[Example<'_, G>], rng: &mut Rng) -> Loss;
}
