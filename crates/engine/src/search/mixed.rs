//! Simulations in whose outcome both a network and playing out have a say (D. Silver et al., *Mastering the game of Go with deep
//! neural networks and tree search*, Nature 529, 2016, eq. 6).
//!
//! ```text
//! (1−λ) z + λ v(s)        s: where the simulation left the tree, z: what playing out from there came to
//! ```
//!
//! [`Mixed`] brings the network to searches that play out, [`MixedPlayouts`] playing out to those that a network leads.

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
        let value = self.network.value(question);
        let z = self.leaf.finish(game, trace, rng);
        mixed(z, value, self.weight)
    }

    fn plays_to_end(&self) -> bool {
        self.leaf.plays_to_end()
    }

    fn one_move(&mut self, game: &G, rng: &mut Rng) -> Option<G::Move> {
        self.leaf.one_move(game, rng)
    }
}

/// Plays out from positions that a network has answered about.
///
/// ```
/// use afterstate_engine::search::{MixedPlayouts, PlayOut};
/// use afterstate_engine::zero::{Network, Question, Uniform};
/// use afterstate_games::{TicTacToe, UniformPlayout, stream};
/// let mut question = Question::new(TicTacToe::new());
/// Uniform.evaluate(&mut [&mut question]);
/// MixedPlayouts::new(PlayOut(UniformPlayout::default()), 0.5).mix(&mut question, &mut stream(1, 0));
/// assert!([0.25, 0.5, 0.75].contains(&question.value.0));
/// ```
pub struct MixedPlayouts<G: Game> {
    leaf: Box<dyn AnyLeaf<G>>,
    /// λ
    weight: f32,
    game: Option<G>,
    trace: Vec<G::Move>,
}

impl<G: Game> MixedPlayouts<G> {
    /// With this `weight`, λ, of the network, from 0 (only `leaf` counts) to 1 (only the network does).
    pub fn new(leaf: impl Leaf<G> + 'static, weight: f32) -> Self {
        MixedPlayouts { leaf: Box::new(leaf), weight, game: None, trace: Vec::new() }
    }

    /// Has what playing out from an answered question's position comes to be a part of its value.
    pub fn mix(&mut self, question: &mut Question<G>, rng: &mut Rng) {
        let game = self.game.get_or_insert_with(|| question.game.clone());
        game.clone_from(&question.game);
        self.trace.clear();
        let z = self.leaf.play_out(game, &mut self.trace, rng);
        question.value = mixed(z, question.value, self.weight);
    }
}

/// A [`Leaf`] whatever its type: a call costs nothing beside a network's answer.
trait AnyLeaf<G: Game>: Send {
    fn play_out(&mut self, game: &mut G, trace: &mut Vec<G::Move>, rng: &mut Rng) -> Value;
}

impl<G: Game, L: Leaf<G>> AnyLeaf<G> for L {
    fn play_out(&mut self, game: &mut G, trace: &mut Vec<G::Move>, rng: &mut Rng) -> Value {
        self.finish(game, trace, rng)
    }
}

fn mixed(z: Value, value: Value, weight: f32) -> Value {
    Value(z.0 + weight * (value.0 - z.0))
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

    #[test]
    fn playing_out_has_a_say_in_an_answer() {
        // One move is left, which draws, or wins for X.
        let cases = [("XO./OXX/OXO", 0.875), ("XX./OOX/XOO", 1.0)];
        for (position, expected) in cases {
            let mut question = Question::new(TicTacToe::parse_position(position).unwrap());
            question.answer(Value(1.0), |_| 0.0);
            let mut playouts = MixedPlayouts::new(PlayOut(UniformPlayout::default()), 0.75);
            playouts.mix(&mut question, &mut stream(1, 0));
            assert_eq!((question.value.0, question.priors.as_slice()), (expected, &[1.0][..]), "{position}");
            assert_eq!(question.game.position_text(), position, "it is asked about as it was");
        }
    }
}
