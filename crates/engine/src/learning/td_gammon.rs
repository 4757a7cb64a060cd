//! [`TdGammon`]: a network teaches itself backgammon (G. Tesauro, *Temporal difference learning and TD-Gammon*, CACM 38(3), 1995).
//!
//! ```text
//! repeat from the opening roll
//!     play the roll so that the position after it is worth most to the side that plays
//!     the positions before learn what the position is worth, by TD(λ)
//! until the game ends; they learn how it ended
//! ```
//!
//! The dice explore enough; no move is random.

use super::network_td::{NetworkTd, NetworkTdSettings};
use crate::value::backgammon_network::{BackgammonNetwork, TURNED, outputs_of};
use crate::value::perceptron::SparseInputs;
use afterstate_games::backgammon::{Backgammon, Move, Phase};
use afterstate_games::rng::Rng;
use afterstate_games::{Game, Outcome, Side, Turn};

/// The best play for `side` of a roll: of all positions after it the one that is worth least to the other side.
///
/// # Panics
///
/// If `moves` is empty.
pub fn best_play(network: &mut BackgammonNetwork, game: &Backgammon, side: Side, moves: &[Move]) -> Move {
    let (mut best, mut most) = (moves[0], f32::NEG_INFINITY);
    if moves.len() == 1 {
        return best;
    }
    network.follow_board(game.board(), side.other());
    for &mv in moves {
        let mut after = *game;
        after.play(mv);
        let worth = match after.turn() {
            Turn::Over(outcome) => outcome.points(side),
            _ => -network.board_equity(after.board(), side.other()),
        };
        if worth > most {
            (best, most) = (mv, worth);
        }
    }
    best
}

/// What learns backgammon from games with itself.
pub trait SelfTaught: Send {
    /// What has been learnt so far.
    fn network(&mut self) -> &mut BackgammonNetwork;

    /// Steps have another size from now on.
    fn set_step_size(&mut self, step_size: f32);

    /// Positions that were valued to choose plays, so far; those that only learning asks for are not counted.
    fn evaluations(&self) -> u64;

    /// Plays one game and learns from it. Returns its outcome, and how many plays it took.
    fn play(&mut self, rng: &mut Rng) -> (Outcome, usize);
}

/// A network that learns from games with itself, without looking ahead.
#[derive(Clone, Debug)]
pub struct TdGammon {
    /// What has been learnt.
    pub network: BackgammonNetwork,
    rule: NetworkTd,
    inputs: SparseInputs,
    moves: Vec<Move>,
    evaluations: u64,
}

impl TdGammon {
    /// A learner that goes on with `network`.
    pub fn new(network: BackgammonNetwork, settings: NetworkTdSettings) -> TdGammon {
        let rule = NetworkTd::turning(network.perceptron().layers(), settings, TURNED.to_vec());
        TdGammon { network, rule, inputs: SparseInputs::default(), moves: Vec::new(), evaluations: 0 }
    }
}

impl SelfTaught for TdGammon {
    fn network(&mut self) -> &mut BackgammonNetwork {
        &mut self.network
    }

    fn set_step_size(&mut self, step_size: f32) {
        self.rule.set_step_size(step_size);
    }

    fn evaluations(&self) -> u64 {
        self.evaluations
    }

    fn play(&mut self, rng: &mut Rng) -> (Outcome, usize) {
        let mut game = Backgammon::new();
        let mut plays = 0;
        // Whose eyes saw the last position that was learnt from.
        let mut seen_by = Side::First;
        loop {
            match game.phase() {
                Phase::Opening => game.play(game.roll(rng)),
                Phase::ToRoll(side) => {
                    self.network.input_set().read(game.board(), side, &mut self.inputs);
                    self.rule.reached(self.network.perceptron_mut(), &self.inputs);
                    seen_by = side;
                    game.play(game.roll(rng));
                }
                Phase::ToPlay(side, _) => {
                    game.legal_moves(&mut self.moves);
                    game.play(best_play(&mut self.network, &game, side, &self.moves));
                    self.evaluations += self.moves.len() as u64;
                    plays += 1;
                }
                Phase::Over(outcome) => {
                    self.rule.ended(self.network.perceptron_mut(), &outputs_of(outcome, seen_by));
                    return (outcome, plays);
                }
            }
        }
    }
}
