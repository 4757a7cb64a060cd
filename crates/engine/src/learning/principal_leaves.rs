//! [`PrincipalLeaves`]: what a search of a game with dice rests on, the leaves to which best play leads for each roll.
//!
//! ```text
//! Y(s, 0) = y(s)                                                       seen by the side about to roll in s
//! Y(s, d) = Σᵣ p(r) turned(Y(s∘r∘a, d − 1)), or the outcome            a: the play of roll r that a search of d plies prefers
//! ```
//!
//! Without dice that is the principal leaf of TDLeaf (paper 001, §3); with them there is one for each sequence of rolls, and what
//! the search says of s is what they say, by their probabilities.

use super::network_traces::NetworkTraces;
use super::td_gammon::best_play;
use crate::search::Expectimax;
use crate::value::backgammon_network::{BackgammonNetwork, OUTPUTS, TURNED, outputs_of};
use crate::value::perceptron::{Activation, Perceptron, SparseInputs, Turned};
use afterstate_games::backgammon::{Backgammon, Move, Phase};
use afterstate_games::{Game, Side, Turn};

/// What plays backgammon by search.
pub type GammonSearch = Expectimax<Backgammon, BackgammonNetwork>;

/// How an output reads with the eyes of the side that asks.
const SAME: [Turned; OUTPUTS] = {
    let mut same = [Turned { from: 0, sign: 1.0, offset: 0.0 }; OUTPUTS];
    let mut output = 0;
    while output < OUTPUTS {
        same[output].from = output;
        output += 1;
    }
    same
};

/// A position at which the search asked the network.
#[derive(Clone, Debug, Default)]
struct Leaf {
    probability: f32,
    /// How its outputs are seen by the side about to roll at the root.
    seen: Option<&'static [Turned; OUTPUTS]>,
    inputs: SparseInputs,
    activation: Activation,
}

impl Leaf {
    fn seen(&self) -> &'static [Turned; OUTPUTS] {
        self.seen.unwrap_or(&SAME)
    }
}

/// The leaves of one position, with room that is used again for the next.
///
/// ```
/// use afterstate_engine::learning::principal_leaves::{GammonSearch, PrincipalLeaves};
/// use afterstate_engine::search::{Expectimax, ExpectimaxSettings};
/// use afterstate_engine::value::backgammon_network::BackgammonNetwork;
/// use afterstate_games::backgammon::{Backgammon, Board};
/// use afterstate_games::{Side, stream};
/// let network = BackgammonNetwork::random(10, &mut stream(1, 0));
/// let mut search: GammonSearch = Expectimax::new(network, ExpectimaxSettings::default());
/// let (mut leaves, position) = (PrincipalLeaves::default(), Backgammon::at(Board::start(), Side::First, None));
/// leaves.find(&mut search, &position, 1);
/// assert_eq!(leaves.len(), 21);
/// ```
#[derive(Clone, Debug, Default)]
pub struct PrincipalLeaves {
    leaves: Vec<Leaf>,
    used: usize,
    /// What the games that ended before a leaf add to each output.
    ended: [f32; OUTPUTS],
}

impl PrincipalLeaves {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.used
    }

    /// Whether there are none, every game being over before.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Replaces them by those of `position`, in which a side is about to roll, as `search` finds them so many plies behind it: 0
    /// for the position itself.
    ///
    /// # Panics
    ///
    /// If nobody is about to roll, or if the search looks less far.
    pub fn find(&mut self, search: &mut GammonSearch, position: &Backgammon, plies: u32) {
        let Phase::ToRoll(side) = position.phase() else {
            panic!("{:?}: a side has to be about to roll", position.phase())
        };
        (self.used, self.ended) = (0, [0.0; OUTPUTS]);
        self.descend(search, position, plies, 1.0, side);
    }

    fn descend(&mut self, search: &mut GammonSearch, position: &Backgammon, plies: u32, probability: f32, root: Side) {
        let side = match position.phase() {
            Phase::Over(outcome) => {
                for (sum, output) in self.ended.iter_mut().zip(outputs_of(outcome, root)) {
                    *sum += probability * output;
                }
                return;
            }
            Phase::ToRoll(side) => side,
            phase => panic!("{phase:?}: after a play the other side is about to roll"),
        };
        if plies == 0 {
            if self.leaves.len() == self.used {
                self.leaves.push(Leaf::default());
            }
            let leaf = &mut self.leaves[self.used];
            (leaf.probability, leaf.seen) = (probability, Some(if side == root { &SAME } else { &TURNED }));
            search.evaluation().input_set().read(position.board(), side, &mut leaf.inputs);
            self.used += 1;
            return;
        }
        let (mut rolls, mut moves) = (Vec::new(), Vec::new());
        position.chance_outcomes(&mut rolls);
        for (roll, chance) in rolls {
            let mut game = *position;
            game.play(roll);
            game.legal_moves(&mut moves);
            game.play(preferred(search, &game, side, &moves, plies));
            self.descend(search, &game, plies - 1, probability * chance, root);
        }
    }

    /// Asks `network` about all leaves. Returns Yₖ of the position for each output k.
    pub fn evaluate(&mut self, network: &Perceptron) -> [f32; OUTPUTS] {
        let mut outputs = self.ended;
        for leaf in &mut self.leaves[..self.used] {
            network.evaluate(&leaf.inputs, &mut leaf.activation);
            for (output, Turned { from, sign, offset }) in outputs.iter_mut().zip(leaf.seen()) {
                *output += leaf.probability * (offset + sign * leaf.activation.outputs[*from]);
            }
        }
        outputs
    }

    /// eₖ ← eₖ + ∇Yₖ, as they were evaluated last.
    pub(super) fn add_to(&self, traces: &mut NetworkTraces, network: &Perceptron) {
        for leaf in &self.leaves[..self.used] {
            let terms = leaf.seen().iter().map(|turned| (turned.from, leaf.probability * turned.sign));
            traces.add(network, &leaf.inputs, &leaf.activation, terms);
        }
    }
}

/// The play that a search of so many plies prefers.
pub(super) fn preferred(search: &mut GammonSearch, game: &Backgammon, side: Side, moves: &[Move], plies: u32) -> Move {
    debug_assert_eq!(game.turn(), Turn::Player(side));
    match plies {
        _ if moves.len() == 1 => moves[0],
        1 => best_play(search.evaluation(), game, side, moves),
        _ => search.rank_by(game, plies)[0].mv,
    }
}
