//! [`KnownValues`]: a network whose copies tell each other what positions are worth.

use super::network::{Network, Question};
use crate::Value;
use afterstate_games::Game;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A network that notes the value of each position that it answers about, in a table that it shares with its clones. Whoever
/// wants the value alone of a position that another one has asked about does not ask again: a prior and a
/// [`Mixed`](crate::search::Mixed) leaf that have clones of one network ask once about each position between them.
///
/// ```
/// use afterstate_engine::zero::{KnownValues, Network, Question, Uniform};
/// use afterstate_games::ConnectFour;
/// let mut network = KnownValues::new(Uniform, 10);
/// let mut other = network.clone();
/// let mut question = Question::new(ConnectFour::new());
/// network.evaluate(&mut [&mut question]);
/// assert_eq!(other.value(&mut question), question.value);
/// ```
#[derive(Clone, Debug)]
pub struct KnownValues<N> {
    network: N,
    /// The upper half of a hash of what the network [sees](Network::sees) of a position, and the bits of its value.
    slots: Arc<[AtomicU64]>,
}

const UPPER: u64 = !0 << 32;
/// No value has these bits, whatever the key.
const EMPTY: u64 = f32::NAN.to_bits() as u64;

impl<N> KnownValues<N> {
    /// Remembers up to 2 to the power of `bits` values, each until another position takes its place.
    pub fn new(network: N, bits: u32) -> Self {
        KnownValues { network, slots: (0..1u64 << bits).map(|_| AtomicU64::new(EMPTY)).collect() }
    }

    // A value is one word, written and read at once: threads need no order among them.
    fn slot(&self, key: u64) -> &AtomicU64 {
        &self.slots[key as usize & (self.slots.len() - 1)]
    }

    fn known(&self, key: u64) -> Option<Value> {
        let word = self.slot(key).load(Ordering::Relaxed);
        let value = f32::from_bits(word as u32);
        (word & UPPER == key & UPPER && !value.is_nan()).then_some(Value(value))
    }

    fn note(&self, key: u64, value: Value) {
        self.slot(key).store(key & UPPER | u64::from(value.0.to_bits()), Ordering::Relaxed);
    }
}

impl<G: Game, N: Network<G>> Network<G> for KnownValues<N> {
    fn evaluate(&mut self, questions: &mut [&mut Question<G>]) {
        let sees = self.network.sees();
        self.network.evaluate(questions);
        for question in questions {
            self.note(sees(&question.game), question.value);
        }
    }

    fn value(&mut self, question: &mut Question<G>) -> Value {
        let key = self.network.sees()(&question.game);
        if let Some(value) = self.known(key) {
            return value;
        }
        let value = self.network.value(question);
        self.note(key, value);
        value
    }

    fn sees(&self) -> fn(&G) -> u64 {
        self.network.sees()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::ConnectFour;
    use std::sync::atomic::AtomicU32;

    /// Answers with the number of questions so far, by whatever clone.
    #[derive(Clone, Default)]
    struct Counting(Arc<AtomicU32>);

    impl Network<ConnectFour> for Counting {
        fn evaluate(&mut self, questions: &mut [&mut Question<ConnectFour>]) {
            for question in questions {
                let number = self.0.fetch_add(1, Ordering::Relaxed);
                question.answer(Value(number as f32), |_| 0.0);
            }
        }
    }

    fn after(columns: &[usize]) -> Question<ConnectFour> {
        let mut game = ConnectFour::new();
        for &column in columns {
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            game.play(moves[column]);
        }
        Question::new(game)
    }

    #[test]
    fn clones_know_the_values_of_what_was_asked() {
        let mut first = KnownValues::new(Counting::default(), 8);
        let mut second = first.clone();
        let [mut a, mut b] = [after(&[3]), after(&[4])];
        first.evaluate(&mut [&mut a]);
        assert_eq!((second.value(&mut after(&[3])), a.value), (Value(0.0), Value(0.0)));
        assert_eq!([second.value(&mut b), first.value(&mut b)], [Value(1.0); 2]);
        // Who wants to know about moves asks again, and what came of it last is known.
        second.evaluate(&mut [&mut a]);
        assert_eq!((a.value, first.value(&mut a)), (Value(2.0), Value(2.0)));
    }

    #[test]
    fn what_was_not_asked_is_not_known() {
        // In a table of one value every position comes to the same place.
        let mut network = KnownValues::new(Counting::default(), 0);
        let asked: Vec<f32> =
            [&[3][..], &[4], &[3], &[3], &[]].iter().map(|line| network.value(&mut after(line)).0).collect();
        assert_eq!(asked, [0.0, 1.0, 2.0, 2.0, 3.0]);
    }
}
