//! [`BackgammonNetwork`]: what a position of backgammon is worth, by a perceptron with the outputs that GNU Backgammon has too.

use super::backgammon_inputs::{InputSet, changes_of, inputs_of};
use super::perceptron::{Activation, Layers, Perceptron, SparseInputs, Turned};
use crate::search::expectimax::Equity;
use afterstate_games::backgammon::{Backgammon, Board, Phase};
use afterstate_games::rng::Rng;
use afterstate_games::{Outcome, Side};

/// How many outputs there are: the probabilities that the side about to roll wins, wins a gammon or more, wins a backgammon,
/// loses a gammon or more, and loses a backgammon.
pub const OUTPUTS: usize = 5;

/// The same with the other side's eyes.
pub const TURNED: [Turned; OUTPUTS] = [
    Turned { from: 0, sign: -1.0, offset: 1.0 },
    Turned { from: 3, sign: 1.0, offset: 0.0 },
    Turned { from: 4, sign: 1.0, offset: 0.0 },
    Turned { from: 1, sign: 1.0, offset: 0.0 },
    Turned { from: 2, sign: 1.0, offset: 0.0 },
];

/// What one expects to win without a cube, −3 to 3 points.
///
/// ```
/// use afterstate_engine::value::backgammon_network::equity;
/// assert_eq!(equity(&[0.75, 0.25, 0.0, 0.0, 0.0]), 0.75);
/// assert_eq!(equity(&[0.0, 0.0, 0.0, 1.0, 1.0]), -3.0);
/// ```
#[inline]
pub fn equity(outputs: &[f32]) -> f32 {
    match outputs {
        &[win, gammon, backgammon, lost_gammon, lost_backgammon] => {
            2.0 * win - 1.0 + gammon + backgammon - lost_gammon - lost_backgammon
        }
        _ => 0.0,
    }
}

/// The outputs that a finished game should have had, seen by `side`.
///
/// ```
/// use afterstate_engine::value::backgammon_network::outputs_of;
/// use afterstate_games::{Outcome, Side};
/// let gammon = Outcome { winner: Some(Side::First), stake: 2 };
/// assert_eq!(outputs_of(gammon, Side::First), [1.0, 1.0, 0.0, 0.0, 0.0]);
/// assert_eq!(outputs_of(gammon, Side::Second), [0.0, 0.0, 0.0, 1.0, 0.0]);
/// ```
pub fn outputs_of(outcome: Outcome, side: Side) -> [f32; OUTPUTS] {
    let at_least = |stake: u8| if outcome.stake >= stake { 1.0 } else { 0.0 };
    match outcome.winner {
        Some(winner) if winner == side => [1.0, at_least(2), at_least(3), 0.0, 0.0],
        _ => [0.0, 0.0, 0.0, at_least(2), at_least(3)],
    }
}

/// A network with buffers of its own, so that it values positions without allocating.
///
/// ```
/// use afterstate_engine::value::backgammon_network::BackgammonNetwork;
/// use afterstate_games::{Side, backgammon::Board, stream};
/// let mut network = BackgammonNetwork::random(40, &mut stream(1, 0));
/// assert!(network.board_equity(&Board::start(), Side::First).abs() < 3.0);
/// ```
#[derive(Clone, Debug)]
pub struct BackgammonNetwork {
    network: Perceptron,
    set: InputSet,
    inputs: SparseInputs,
    activation: Activation,
    /// A position from which those that are asked for come about, and who sees it.
    base: Option<(Board, Side)>,
    /// What its hidden units sum up, once somebody wanted to know.
    base_sums: Vec<f32>,
}

impl BackgammonNetwork {
    /// A network with TD-Gammon's inputs, so many hidden units and small random weights.
    pub fn random(hidden: usize, rng: &mut Rng) -> BackgammonNetwork {
        BackgammonNetwork::random_over(InputSet::TdGammon, hidden, rng)
    }

    /// The same with other inputs.
    pub fn random_over(set: InputSet, hidden: usize, rng: &mut Rng) -> BackgammonNetwork {
        let layers = Layers { inputs: set.count(), hidden, outputs: OUTPUTS };
        BackgammonNetwork::new(Perceptron::random(layers, rng))
    }

    /// A network that exists.
    ///
    /// # Panics
    ///
    /// If it has not as many inputs as an [`InputSet`], or not [`OUTPUTS`] outputs.
    pub fn new(network: Perceptron) -> BackgammonNetwork {
        let Layers { inputs, outputs, .. } = network.layers();
        let set = InputSet::with_count(inputs).expect("a set of inputs has as many");
        assert_eq!(outputs, OUTPUTS, "a network of backgammon has {OUTPUTS} outputs");
        let (inputs, activation) = Default::default();
        BackgammonNetwork { network, set, inputs, activation, base: None, base_sums: Vec::new() }
    }

    /// Which inputs it has.
    #[inline]
    pub fn input_set(&self) -> InputSet {
        self.set
    }

    /// The network itself.
    #[inline]
    pub fn perceptron(&self) -> &Perceptron {
        &self.network
    }

    /// The same, to be changed.
    #[inline]
    pub fn perceptron_mut(&mut self) -> &mut Perceptron {
        self.base = None;
        &mut self.network
    }

    /// What is asked for next are boards a play away from this one, with `side` about to roll: they will be computed from it.
    #[inline]
    pub fn follow_board(&mut self, board: &Board, side: Side) {
        self.base = Some((*board, side));
        self.base_sums.clear();
    }

    /// The outputs for a board on which `side` is about to roll.
    #[inline]
    pub fn outputs(&mut self, board: &Board, side: Side) -> &[f32] {
        let BackgammonNetwork { network, set, inputs, activation, base, base_sums } = self;
        match base {
            Some((from, seen_by)) if *seen_by == side && set.first(from, side) == set.first(board, side) => {
                if base_sums.is_empty() {
                    inputs_of(from, side, inputs);
                    inputs.shift(set.first(from, side));
                    network.sums(inputs, base_sums);
                }
                changes_of(from, board, side, inputs);
                set.complete(board, side, inputs);
                network.evaluate_changed(base_sums, inputs, activation);
            }
            _ => {
                set.read(board, side, inputs);
                network.evaluate(inputs, activation);
            }
        }
        &activation.outputs
    }

    /// What `side`, which is about to roll, expects to win, in points.
    #[inline]
    pub fn board_equity(&mut self, board: &Board, side: Side) -> f32 {
        // A network may believe in more gammons than wins.
        equity(self.outputs(board, side)).clamp(-Self::BOUND, Self::BOUND)
    }
}

impl Equity<Backgammon> for BackgammonNetwork {
    const BOUND: f32 = 3.0;

    #[inline]
    fn follow(&mut self, game: &Backgammon) {
        if let Phase::ToPlay(side, _) = game.phase() {
            self.follow_board(game.board(), side.other());
        }
    }

    #[inline]
    fn equity(&mut self, game: &Backgammon) -> f32 {
        match game.phase() {
            Phase::ToRoll(side) | Phase::ToPlay(side, _) => self.board_equity(game.board(), side),
            // Both sides are as likely to begin.
            Phase::Opening => 0.0,
            Phase::Over(outcome) => outcome.points(Side::First),
        }
    }
}
