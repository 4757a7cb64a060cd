//! [`NetworkPrior`]: what a network says of a position's moves, as prior knowledge of simulations.
//!
//! ```text
//! (p, v) = f(s)        H(s,a) = v + τ ln( p(a) / maxₐ′ p(a′) )        as the side to move sees it, from −1 to 1
//! ```
//!
//! That is how [`ByAfterstates`](crate::zero::ByAfterstates) makes a policy of values, the other way round: moves are as likely as
//! exp(V/τ), and the best of them is worth as much as its position.

use super::prior::{Experience, NewPosition, Prior, PriorValue};
use crate::Value;
use crate::zero::{Network, Question};
use afterstate_games::{Game, Turn};

/// H(s,a) by a network's policy and value.
///
/// ```
/// use afterstate_engine::search::{Experience, Mcts, MctsSettings, NetworkPrior, PlayOut, Uct};
/// use afterstate_engine::{Budget, Search, zero::Uniform};
/// use afterstate_games::{Notation, TicTacToe, UniformPlayout, stream};
/// let game = TicTacToe::parse_position("XX./OO./...").unwrap();
/// let prior = NetworkPrior::new(Uniform, 0.14, Experience { monte_carlo: 5, amaf: 0 });
/// let settings = MctsSettings { simulations: 200, memory_mib: 1, ..MctsSettings::default() };
/// let mut search = Mcts::with(Uct::default(), PlayOut(UniformPlayout::default()), prior, (), settings);
/// let decision = search.search(&game, &Budget::default(), &mut stream(1, 0));
/// assert_eq!(game.move_text(decision.best.unwrap()), "3");
/// ```
#[derive(Clone, Debug)]
pub struct NetworkPrior<G: Game, N> {
    /// Equivalent experience.
    pub experience: Experience,
    network: N,
    /// τ
    temperature: f32,
    question: Option<Question<G>>,
}

impl<G: Game, N> NetworkPrior<G, N> {
    /// Asks `network`. With `temperature`, τ, a move that is e times less likely than the best is worth so much less than that,
    /// on a scale from −1 to 1.
    pub fn new(network: N, temperature: f32, experience: Experience) -> Self {
        NetworkPrior { experience, network, temperature, question: None }
    }
}

impl<G: Game, N: Network<G> + Clone> Prior<G> for NetworkPrior<G, N> {
    fn fill(&mut self, position: &NewPosition<'_, G>, out: &mut [PriorValue]) {
        let Turn::Player(side) = position.game.turn() else { return };
        let question = self.question.get_or_insert_with(|| Question::new(position.game.clone()));
        question.game.clone_from(position.game);
        question.moves.clear();
        question.moves.extend_from_slice(position.moves);
        self.network.evaluate(&mut [question]);
        let best = question.priors.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        let value = question.value.seen_by(side);
        for (prior, &likely) in out.iter_mut().zip(&question.priors) {
            let worth = value + 0.5 * self.temperature * (likely.max(f32::MIN_POSITIVE) / best).ln();
            // What the side to move sees becomes the first player's value; the conversion is its own inverse.
            prior.add(Value(worth.clamp(0.0, 1.0)).seen_by(side), self.experience);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterstate_games::{Notation, TicTacToe};

    /// Likes the move with the highest number e times as much as the one before it, and the first player not much.
    #[derive(Clone)]
    struct Last;

    impl Network<TicTacToe> for Last {
        fn evaluate(&mut self, questions: &mut [&mut Question<TicTacToe>]) {
            for question in questions {
                let game = question.game;
                question.answer(Value(0.25), |mv| game.move_text(mv).parse::<f32>().unwrap());
            }
        }
    }

    #[test]
    fn the_likeliest_move_is_worth_the_position_and_others_less() {
        // Moves 3, 6 and 8 of X, and 3, 6, 8 and 9 of O; nothing is worth less than a loss.
        let cases = [("XX./OO./X.O", &[0.0, 0.05, 0.25][..]), ("XX./OO./X..", &[0.85, 0.55, 0.35, 0.25])];
        for (position, expected) in cases {
            let game = TicTacToe::parse_position(position).unwrap();
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            let mut out = vec![PriorValue::default(); moves.len()];
            let new = NewPosition { game: &game, moves: &moves, line: &[], two_plies_up: &[] };
            NetworkPrior::new(Last, 0.2, Experience { monte_carlo: 2, amaf: 3 }).fill(&new, &mut out);
            assert_eq!(out.len(), expected.len());
            for (prior, expected) in out.iter().zip(expected) {
                assert!((prior.value().unwrap() - expected).abs() < 1e-6, "{position}: {out:?}");
            }
        }
    }
}
