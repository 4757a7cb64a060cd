//! [`Cached`]: a network that remembers what it answered.

use super::network::{Network, Question};
use crate::Value;
use afterstate_games::Game;

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    value: Value,
    /// How many priors are kept; 0 in an empty slot.
    moves: u16,
}

/// A network with a table of its last answers, by [`Game::key`]. The searches of a game meet most positions again in the
/// next search, and openings in every game.
///
/// What was asked about must be the same for equal keys: all legal moves of the position. Questions about fewer moves
/// are passed on.
#[derive(Clone, Debug)]
pub struct Cached<N> {
    network: N,
    slots: Vec<Slot>,
    priors: Vec<f32>,
    most_moves: usize,
    /// Questions, and those that the network was asked.
    counts: [u64; 2],
}

impl<N> Cached<N> {
    /// Remembers up to 2 to the power of `bits` positions with at most `most_moves` moves each.
    pub fn new(network: N, bits: u32, most_moves: usize) -> Self {
        let slots = vec![Slot { key: 0, value: Value::EVEN, moves: 0 }; 1 << bits];
        let priors = vec![0.0; most_moves << bits];
        Cached { network, slots, priors, most_moves, counts: [0; 2] }
    }

    /// How many questions there were, and how many of them the network was asked.
    pub fn counts(&self) -> [u64; 2] {
        self.counts
    }
}

impl<G: Game, N: Network<G>> Network<G> for Cached<N> {
    fn evaluate(&mut self, questions: &mut [&mut Question<G>]) {
        let mask = self.slots.len() - 1;
        let mut unknown: Vec<&mut Question<G>> = Vec::with_capacity(questions.len());
        self.counts[0] += questions.len() as u64;
        for question in questions {
            let key = question.game.key();
            let at = key as usize & mask;
            let slot = &self.slots[at];
            if slot.key == key && usize::from(slot.moves) == question.moves.len() && slot.moves > 0 {
                question.value = slot.value;
                question.priors.clear();
                let priors = &self.priors[at * self.most_moves..][..question.moves.len()];
                question.priors.extend_from_slice(priors);
            } else {
                unknown.push(question);
            }
        }
        if unknown.is_empty() {
            return;
        }
        self.counts[1] += unknown.len() as u64;
        self.network.evaluate(&mut unknown);
        let mut legal = Vec::with_capacity(self.most_moves);
        for question in unknown {
            let (key, moves) = (question.game.key(), question.moves.len());
            let at = key as usize & mask;
            question.game.legal_moves(&mut legal);
            if moves == legal.len() && moves <= self.most_moves {
                self.slots[at] = Slot { key, value: question.value, moves: moves as u16 };
                self.priors[at * self.most_moves..][..moves].copy_from_slice(&question.priors);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::ConnectFour;

    /// Answers with the number of questions so far.
    struct Counting(f32);

    impl Network<ConnectFour> for Counting {
        fn evaluate(&mut self, questions: &mut [&mut Question<ConnectFour>]) {
            for question in questions {
                self.0 += 1.0;
                question.answer(Value(self.0), |mv| mv.index() as f32);
            }
        }
    }

    #[test]
    fn a_position_is_asked_about_once() {
        let mut network = Cached::new(Counting(0.0), 4, 7);
        let mut first = Question::new(ConnectFour::new());
        network.evaluate(&mut [&mut first]);
        let mut again = Question::new(ConnectFour::new());
        network.evaluate(&mut [&mut again]);
        assert_eq!((again.value, &again.priors), (first.value, &first.priors));
        assert_eq!(network.counts(), [2, 1]);
        // Fewer moves are another question.
        again.moves.truncate(3);
        network.evaluate(&mut [&mut again]);
        assert_eq!((again.priors.len(), network.counts()), (3, [3, 2]));
        // Three others of the seven are one more, and none of these takes the place of what is known of all.
        again.moves = first.moves[4..].to_vec();
        network.evaluate(&mut [&mut again]);
        network.evaluate(&mut [&mut first]);
        assert_eq!(network.counts(), [5, 3]);
    }
}
