//! The ownership head: whose each cell is when the game is over. Only learning asks it; what the trunk has to know for that is what
//! counting needs (D. Wu, *Accelerating Self-Play Learning in Go*, 2019, §4.1).
//!
//! ```text
//! o = tanh(w · trunk + b)        of each cell, 1 for the side to move's
//! loss = (owner − o)²            the mean over all cells whose owner is known
//! ```

use crate::architecture::Linear;
use crate::grid::Grid;
use crate::heads::dot;

/// What stands for a cell whose owner is not known.
pub const UNKNOWN: f32 = 2.0;

/// The loss for `owners`, of the cells of the boards of `trunk`. Adds to the `gradients` of all weights, and to the trunk's `errors`.
pub(crate) fn learn(
    grid: Grid,
    (at, weights): (&Linear, &[f32]),
    trunk: &[f32],
    owners: &[f32],
    gradients: &mut [f32],
    errors: &mut [f32],
) -> f32 {
    let channels = at.inputs;
    let (of_trunk, bias) = (&weights[at.weight.clone()], weights[at.bias.start]);
    // Weight and bias stand behind each other.
    let (of_weight, of_bias) = gradients[at.weight.start..at.bias.end].split_at_mut(channels);
    // A game that was not played to its end says nothing of its cells, and takes nothing from those of others.
    let known = owners.iter().filter(|owner| **owner != UNKNOWN).count();
    let share = 1.0 / known.max(1) as f32;
    let mut total = 0f64;
    let board = grid.len() * channels;
    let boards = trunk.chunks_exact(board).zip(errors.chunks_exact_mut(board));
    for ((trunk, errors), owners) in boards.zip(owners.chunks_exact(grid.cells())) {
        for (place, &owner) in grid.places().zip(owners).filter(|(_, owner)| **owner != UNKNOWN) {
            let cell = place * channels..(place + 1) * channels;
            let input = &trunk[cell.clone()];
            let owned = (bias + dot(of_trunk, input)).tanh();
            let difference = owned - owner;
            total += f64::from(difference * difference);
            let error = 2.0 * share * difference * (1.0 - owned * owned);
            of_bias[0] += error;
            let terms = of_weight.iter_mut().zip(input).zip(&mut errors[cell]).zip(of_trunk);
            for (((gradient, input), back), weight) in terms {
                *gradient += error * input;
                *back += error * weight;
            }
        }
    }
    (total * f64::from(share)) as f32
}
