//! Playing a position out to its end, quickly and at random.

use crate::rng::{Rng, below};
use crate::{Game, Outcome, Turn};

/// A default policy in the sense of Monte-Carlo search: plays a game to its end.
pub trait PlayoutPolicy<G: Game>: Send {
    /// Plays `game` to its end, appends every move to `trace`, and returns the outcome. A policy may stop where it
    /// takes the game for decided; `game` is not over then.
    fn play_out(&mut self, game: &mut G, trace: &mut Vec<G::Move>, rng: &mut Rng) -> Outcome;

    /// One legal move, as a playout from `game` would begin; `None` from a policy that likes all sensible moves alike.
    fn one_move(&mut self, game: &G, rng: &mut Rng) -> Option<G::Move> {
        let _ = (game, rng);
        None
    }
}

/// A playout policy with weights, of which it is known how they change what it plays.
pub trait LearnablePlayout<G: Game>: PlayoutPolicy<G> + Clone {
    /// θ.
    fn theta(&self) -> Vec<f32>;

    /// Replaces θ. What it cannot be is made the nearest that it can be.
    ///
    /// # Panics
    ///
    /// If there are not as many weights as before.
    fn set_theta(&mut self, theta: &[f32]);

    /// Adds ∇ log π(a|s) of the move `mv` to `gradient` and returns log π(a|s); `None` for a move that it never plays.
    fn add_log_gradient(&mut self, game: &G, mv: G::Move, gradient: &mut [f32]) -> Option<f32>;

    /// Plays `game` out as [`PlayoutPolicy::play_out`] does and adds Σₜ ∇ log π(aₜ|sₜ) to `gradient`.
    fn play_out_with_gradient(&mut self, game: &mut G, gradient: &mut [f32], rng: &mut Rng) -> Outcome;
}

/// Every legal move with the same probability; works for any game that always ends.
#[derive(Clone)]
pub struct UniformPlayout<G: Game> {
    moves: Vec<G::Move>,
    chances: Vec<(G::Move, f32)>,
}

impl<G: Game> Default for UniformPlayout<G> {
    fn default() -> Self {
        UniformPlayout { moves: Vec::new(), chances: Vec::new() }
    }
}

impl<G: Game> PlayoutPolicy<G> for UniformPlayout<G> {
    fn play_out(&mut self, game: &mut G, trace: &mut Vec<G::Move>, rng: &mut Rng) -> Outcome {
        loop {
            let mv = match game.turn() {
                Turn::Over(outcome) => return outcome,
                Turn::Player(_) => {
                    game.legal_moves(&mut self.moves);
                    self.moves[below(rng, self.moves.len() as u32) as usize]
                }
                Turn::Chance => {
                    game.chance_outcomes(&mut self.chances);
                    draw_chance(&self.chances, rng)
                }
            };
            game.play(mv);
            trace.push(mv);
        }
    }
}

/// Draws one outcome with its probability.
///
/// # Panics
///
/// If `outcomes` is empty.
pub fn draw_chance<M: Copy>(outcomes: &[(M, f32)], rng: &mut Rng) -> M {
    let mut left = crate::rng::unit(rng);
    for &(mv, probability) in outcomes {
        left -= probability;
        if left < 0.0 {
            return mv;
        }
    }
    outcomes.last().expect("a chance node has outcomes").0
}
