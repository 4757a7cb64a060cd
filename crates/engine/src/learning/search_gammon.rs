//! [`SearchGammon`]: a network teaches itself backgammon by games in which it looks ahead (paper 001, §6).
//!
//! ```text
//! repeat from the opening roll
//!     play the roll as a search of n plies prefers
//!     TD-directed(λ)   the positions before a roll learn from each other, by TD(λ)
//!     TDLeaf(λ)        the leaves behind them, n − 1 plies further on, learn from each other
//!     TreeStrap        every position of the search learns what the search says of it
//! until the game ends
//! ```

use super::network_td::{NetworkTd, NetworkTdSettings};
use super::network_td_leaf::NetworkTdLeaf;
use super::network_tree_strap::NetworkTreeStrap;
use super::principal_leaves::{GammonSearch, PrincipalLeaves, preferred};
use super::td_gammon::SelfTaught;
use crate::search::{Expectimax, ExpectimaxSettings};
use crate::value::backgammon_network::{BackgammonNetwork, TURNED, outputs_of};
use crate::value::perceptron::SparseInputs;
use afterstate_games::backgammon::{Backgammon, Move, Phase};
use afterstate_games::rng::Rng;
use afterstate_games::{Game, Outcome, Side};
use serde::{Deserialize, Serialize};

/// Which positions learn, and from what.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GammonLearner {
    /// TD-directed(λ); with a search of one ply, TD(λ).
    #[default]
    TdDirected,
    /// TDLeaf(λ).
    TdLeaf,
    /// TreeStrap. λ says nothing then.
    TreeStrap,
}

enum Rule {
    Directed(NetworkTd, SparseInputs),
    Leaf(Box<NetworkTdLeaf>, PrincipalLeaves),
    TreeStrap(Box<NetworkTreeStrap>),
}

/// A network that learns from games with itself in which it looks ahead.
///
/// ```
/// use afterstate_engine::learning::{GammonLearner, NetworkTdSettings, SearchGammon, SelfTaught};
/// use afterstate_engine::search::ExpectimaxSettings;
/// use afterstate_engine::value::backgammon_network::BackgammonNetwork;
/// use afterstate_games::stream;
/// let network = BackgammonNetwork::random(5, &mut stream(1, 0));
/// let search = ExpectimaxSettings { plies: 2, keep: 2, ..ExpectimaxSettings::default() };
/// let mut learner = SearchGammon::new(network.clone(), GammonLearner::TdLeaf, NetworkTdSettings::default(), search);
/// learner.play(&mut stream(1, 1));
/// assert_ne!(learner.network().perceptron(), network.perceptron());
/// ```
pub struct SearchGammon {
    search: GammonSearch,
    rule: Rule,
    moves: Vec<Move>,
    /// Positions valued to choose plays without looking ahead.
    evaluations: u64,
}

impl SearchGammon {
    /// A learner that goes on with `network`.
    pub fn new(
        network: BackgammonNetwork,
        learner: GammonLearner,
        td: NetworkTdSettings,
        search: ExpectimaxSettings,
    ) -> SearchGammon {
        let layers = network.perceptron().layers();
        let rule = match learner {
            GammonLearner::TdDirected => {
                Rule::Directed(NetworkTd::turning(layers, td, TURNED.to_vec()), SparseInputs::default())
            }
            GammonLearner::TdLeaf => Rule::Leaf(Box::new(NetworkTdLeaf::new(layers, td)), PrincipalLeaves::default()),
            GammonLearner::TreeStrap => Rule::TreeStrap(Box::new(NetworkTreeStrap::new(layers, td.step_size))),
        };
        SearchGammon { search: Expectimax::new(network, search), rule, moves: Vec::new(), evaluations: 0 }
    }

    /// `side` is about to roll.
    fn about_to_roll(&mut self, game: &Backgammon, side: Side) {
        match &mut self.rule {
            Rule::Directed(rule, inputs) => {
                self.search.evaluation().input_set().read(game.board(), side, inputs);
                rule.reached(self.search.evaluation().perceptron_mut(), inputs);
            }
            Rule::Leaf(rule, leaves) => {
                let plies = self.search.settings().plies - 1;
                leaves.find(&mut self.search, game, plies);
                rule.reached(self.search.evaluation().perceptron_mut(), leaves);
            }
            Rule::TreeStrap(_) => {}
        }
    }

    /// The play of `side`'s roll.
    fn choose(&mut self, game: &Backgammon, side: Side) -> Move {
        game.legal_moves(&mut self.moves);
        let plies = self.search.settings().plies;
        if plies == 1 {
            self.evaluations += self.moves.len() as u64;
        }
        let Rule::TreeStrap(rule) = &mut self.rule else {
            return preferred(&mut self.search, game, side, &self.moves, plies);
        };
        let ranked = self.search.rank(game);
        let after = |mv| {
            let mut after = *game;
            after.play(mv);
            after
        };
        // A play that nothing competed with was not looked at as far, but the replies to it are a search as any other.
        let looked_at = ranked.iter().enumerate().filter(|(rank, play)| *rank == 0 || play.plies == plies);
        rule.searched(&mut self.search, looked_at.map(|(_, play)| after(play.mv)));
        ranked[0].mv
    }
}

impl SelfTaught for SearchGammon {
    fn network(&mut self) -> &mut BackgammonNetwork {
        self.search.evaluation()
    }

    fn set_step_size(&mut self, step_size: f32) {
        match &mut self.rule {
            Rule::Directed(rule, _) => rule.set_step_size(step_size),
            Rule::Leaf(rule, _) => rule.set_step_size(step_size),
            Rule::TreeStrap(rule) => rule.set_step_size(step_size),
        }
    }

    fn evaluations(&self) -> u64 {
        self.search.evaluations() + self.evaluations
    }

    fn play(&mut self, rng: &mut Rng) -> (Outcome, usize) {
        // As a learner would begin that goes on with these weights.
        self.search.forget();
        self.search.evaluation().perceptron_mut();
        let mut game = Backgammon::new();
        let mut plays = 0;
        // Who was about to roll in the last position that was learnt from.
        let mut seen_by = Side::First;
        loop {
            match game.phase() {
                Phase::Opening => game.play(game.roll(rng)),
                Phase::ToRoll(side) => {
                    self.about_to_roll(&game, side);
                    seen_by = side;
                    game.play(game.roll(rng));
                }
                Phase::ToPlay(side, _) => {
                    game.play(self.choose(&game, side));
                    plays += 1;
                }
                Phase::Over(outcome) => {
                    let (outputs, network) = (outputs_of(outcome, seen_by), self.search.evaluation().perceptron_mut());
                    match &mut self.rule {
                        Rule::Directed(rule, _) => rule.ended(network, &outputs),
                        Rule::Leaf(rule, _) => rule.ended(network, outputs),
                        Rule::TreeStrap(_) => {}
                    }
                    return (outcome, plays);
                }
            }
        }
    }
}
