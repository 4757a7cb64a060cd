//! [`Cached`]: a network that remembers what it answered.

use super::network::{Network, Question};
use crate::Value;
use afterstate_games::IndexedMoves;
use std::ops::Range;

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    value: Value,
    /// How many priors are kept; 0 in an empty slot.
    moves: u16,
}

/// A network with a table of its last answers, by [what it sees](Network::sees). The searches of a game meet most positions again in
/// the next search, and openings in every game.
///
/// What is remembered are answers about all legal moves of a position; questions about fewer are passed on, and so are those that
/// ask about other moves, as superko may have it in Go, or about the same in another order. The order could be changed, but not
/// without a difference of rounding, and whoever begins with an empty table should go on as if he had not.
#[derive(Clone, Debug)]
pub struct Cached<N> {
    network: N,
    slots: Vec<Slot>,
    /// The indices of the moves that were asked about, and the priors of these.
    moves: Vec<u16>,
    priors: Vec<f32>,
    most_moves: usize,
    /// Questions, and those that the network was asked.
    counts: [u64; 2],
}

impl<N> Cached<N> {
    /// Remembers up to 2 to the power of `bits` positions with at most `most_moves` moves each.
    pub fn new(network: N, bits: u32, most_moves: usize) -> Self {
        let slots = vec![Slot { key: 0, value: Value::EVEN, moves: 0 }; 1 << bits];
        let (moves, priors) = (vec![0; most_moves << bits], vec![0.0; most_moves << bits]);
        Cached { network, slots, moves, priors, most_moves, counts: [0; 2] }
    }

    /// Where the moves of a slot lie, and their priors.
    fn room(&self, at: usize, moves: usize) -> Range<usize> {
        at * self.most_moves..at * self.most_moves + moves
    }

    /// Answers, if the answer is known.
    fn recall<G: IndexedMoves>(&self, question: &mut Question<G>, key: u64) -> bool {
        let at = key as usize & (self.slots.len() - 1);
        let (slot, asked) = (&self.slots[at], &question.moves);
        if slot.key != key || usize::from(slot.moves) != asked.len() || slot.moves == 0 {
            return false;
        }
        let room = self.room(at, asked.len());
        let indices = asked.iter().map(|&mv| question.game.move_index(mv) as u16);
        if !indices.eq(self.moves[room.clone()].iter().copied()) {
            return false;
        }
        question.value = slot.value;
        question.priors.clear();
        question.priors.extend_from_slice(&self.priors[room]);
        true
    }

    /// Remembers an answer.
    fn note<G: IndexedMoves>(&mut self, question: &Question<G>, key: u64) {
        let at = key as usize & (self.slots.len() - 1);
        let room = self.room(at, question.moves.len());
        self.slots[at] = Slot { key, value: question.value, moves: question.moves.len() as u16 };
        for (index, &mv) in self.moves[room.clone()].iter_mut().zip(&question.moves) {
            *index = question.game.move_index(mv) as u16;
        }
        self.priors[room].copy_from_slice(&question.priors);
    }

    /// How many questions there were, and how many of them the network was asked.
    pub fn counts(&self) -> [u64; 2] {
        self.counts
    }
}

impl<G: IndexedMoves, N: Network<G>> Network<G> for Cached<N> {
    fn evaluate(&mut self, questions: &mut [&mut Question<G>]) {
        let sees = self.network.sees();
        let mut unknown: Vec<&mut Question<G>> = Vec::with_capacity(questions.len());
        self.counts[0] += questions.len() as u64;
        for question in questions {
            let key = sees(&question.game);
            if !self.recall(question, key) {
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
            question.game.legal_moves(&mut legal);
            if question.moves.len() == legal.len() && legal.len() <= self.most_moves {
                self.note(question, sees(&question.game));
            }
        }
    }

    fn sees(&self) -> fn(&G) -> u64 {
        self.network.sees()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::go::{Go, Move, Point};
    use afterstate_games::{ConnectFour, Game};

    /// Answers with the number of questions so far.
    struct Counting(f32);

    impl<G: IndexedMoves> Network<G> for Counting {
        fn evaluate(&mut self, questions: &mut [&mut Question<G>]) {
            for question in questions {
                self.0 += 1.0;
                let game = question.game.clone();
                question.answer(Value(self.0), |mv| game.move_index(mv) as f32 / 10.0);
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

    #[test]
    fn priors_belong_to_moves_however_these_are_ordered() {
        let after = |corners: [(usize, usize); 3]| {
            let mut game = Go::new(5);
            corners.iter().for_each(|&(column, row)| game.play(Move::play(Point::at(column, row, 5))));
            game
        };
        let (one, other) = (after([(0, 0), (1, 0), (2, 0)]), after([(2, 0), (1, 0), (0, 0)]));
        assert_eq!(one.key(), other.key());
        let mut network = Cached::new(Counting(0.0), 4, 26);
        let [mut first, mut second] = [Question::new(one), Question::new(other)];
        assert_ne!(first.moves, second.moves, "there is nothing to confuse");
        network.evaluate(&mut [&mut first]);
        network.evaluate(&mut [&mut second]);
        for (place, mv) in second.moves.iter().enumerate() {
            let there = first.moves.iter().position(|other| other == mv).unwrap();
            assert!((second.priors[place] - first.priors[there]).abs() < 1e-6, "{mv:?}");
        }
    }
}
