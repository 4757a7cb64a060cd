//! [`Mixed`]: simulations whose outcome a network has a say in (D. Silver et al., *Mastering the game of Go with deep neural
//! networks and tree search*, Nature 529, 2016, eq. 6).
//!
//! ```text
//! z ← (1−λ) z + λ v(s)        s: where the simulation left the tree, z: what playing out from there came to
//! ```

use super::leaf::Leaf;
use crate::Value;
use crate::zero::{Network, Question};
use afterstate_games::{Game, Rng, Turn};

/// Finishes simulations as another [`Leaf`] does, and asks a network what the position was worth where they left the tree.
///
/// It asks by itself. A [`NetworkPrior`](super::NetworkPrior) beside it asks about the same position once more, unless both have clones of one
/// [`KnownValues`](crate::zero::KnownValues).
///
/// ```
/// use afterstate_engine::search::{Leaf, Mixed, PlayOut};
/// use afterstate_engine::zero::Uniform;
/// use afterstate_games::{TicTacToe, UniformPlayout, stream};
/// // The network thinks everything even: what is a win in the playout counts as three quarters.
/// let mut leaf = Mixed::new(PlayOut(UniformPlayout::default()), Uniform, 0.5);
/// let z = leaf.finish(&mut TicTacToe::new(), &mut Vec::new(), &mut stream(1, 0));
/// assert!([0.25, 0.5, 0.75].contains(&z.0));
/// ```
#[derive(Clone, Debug)]
pub struct Mixed<G: Game, L, N> {
    leaf: L,
    network: N,
    /// λ
    weight: f32,
    question: Option<Question<G>>,
}

impl<G: Game, L, N> Mixed<G, L, N> {
    /// With this `weight`, λ, of `network`, from 0 (only `leaf` counts) to 1 (only the network does).
    pub fn new(leaf: L, network: N, weight: f32) -> Self {
        Mixed { leaf, network, weight, question: None }
    }
}

impl<G: Game, L: Leaf<G>, N: Network<G> + Clone> Leaf<G> for Mixed<G, L, N> {
    fn finish(&mut self, game: &mut G, trace: &mut Vec<G::Move>, rng: &mut Rng) -> Value {
        if !matches!(game.turn(), Turn::Player(_)) {
            return self.leaf.finish(game, trace, rng);
        }
        let question = self.question.get_or_insert_with(|| Question::new(game.clone()));
        question.game.clone_from(game);
        game.legal_moves(&mut question.moves);
        let value = self.network.value(question).0;
        let z = self.leaf.finish(game, trace, rng).0;
        Value(z + self.weight * (value - z))
    }

    fn plays_to_end(&self) -> bool {
        self.leaf.plays_to_end()
    }

    fn one_move(&mut self, game: &G, rng: &mut Rng) -> Option<G::Move> {
        self.leaf.one_move(game, rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::PlayOut;
    use afterstate_games::{Notation, TicTacToe, UniformPlayout, stream};

    /// Thinks that the first player wins where it has the middle.
    #[derive(Clone)]
    struct Middle;

    impl Network<TicTacToe> for Middle {
        fn evaluate(&mut self, questions: &mut [&mut Question<TicTacToe>]) {
            for question in questions {
                let middle = question.game.position_text().chars().nth(5) == Some('X');
                question.answer(Value(if middle { 1.0 } else { 0.0 }), |_| 0.0);
            }
        }
    }

    #[test]
    fn the_network_is_asked_where_the_tree_ends_and_not_where_the_game_does() {
        let mut leaf = Mixed::new(PlayOut(UniformPlayout::default()), Middle, 0.25);
        let mut finish = |position: &str| {
            let mut trace = Vec::new();
            let z = leaf.finish(&mut TicTacToe::parse_position(position).unwrap(), &mut trace, &mut stream(1, 0));
            (z.0, trace.len())
        };
        // One move is left, which draws or wins; a quarter of the way from there to what the network says.
        assert_eq!(finish("XO./OXX/OXO"), (0.625, 1));
        assert_eq!(finish("XX./OOX/XOO"), (0.75, 1));
        assert_eq!(finish("XXX/OO./..."), (1.0, 0));
    }
}
