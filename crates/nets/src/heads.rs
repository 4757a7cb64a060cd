//! What stands behind the trunk: convolutions of single cells, and linear layers.

use crate::grid::Grid;

/// Adds `factor · from` to `to`.
#[inline]
fn add_scaled(to: &mut [f32], from: &[f32], factor: f32) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}

/// Σ aᵢ bᵢ, in sixteen sums, so that they can be had at once.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; 16];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}

/// Each cell's channels, of the cells of a board.
fn cells(grid: Grid, boards: &[f32], channels: usize) -> impl Iterator<Item = &[f32]> {
    grid.rows(boards, channels).flat_map(move |row| row.chunks_exact(channels))
}

/// A convolution of single cells, `weights` being `[outputs][inputs]`, from boards to boards.
pub(crate) fn pointwise(grid: Grid, boards: &[f32], inputs: usize, weights: &[f32], output: &mut [f32]) {
    let outputs = weights.len() / inputs;
    let mut read = cells(grid, boards, inputs);
    for board in output.chunks_exact_mut(grid.len() * outputs) {
        for (place, input) in grid.places().zip(&mut read) {
            for (output, weights) in board[place * outputs..].iter_mut().zip(weights.chunks_exact(inputs)) {
                *output = dot(weights, input);
            }
        }
    }
}

/// Carries `errors` back through [`pointwise`]: adds to the weights' `gradients` and to the inputs' errors, `back`.
pub(crate) fn pointwise_backward(
    grid: Grid,
    (boards, inputs): (&[f32], usize),
    weights: &[f32],
    errors: &[f32],
    gradients: &mut [f32],
    back: &mut [f32],
) {
    let outputs = weights.len() / inputs;
    let mut read = cells(grid, boards, inputs).zip(cells(grid, errors, outputs));
    for back in back.chunks_exact_mut(grid.len() * inputs) {
        for (place, (input, errors)) in grid.places().zip(&mut read) {
            let back = &mut back[place * inputs..][..inputs];
            for (output, &error) in errors.iter().enumerate() {
                let row = output * inputs..(output + 1) * inputs;
                add_scaled(&mut gradients[row.clone()], input, error);
                add_scaled(back, &weights[row], error);
            }
        }
    }
}

/// The cells of one board, channel by channel, as the linear layers read them.
pub(crate) fn flatten(grid: Grid, board: &[f32], channels: usize, flat: &mut [f32]) {
    for (channel, flat) in flat.chunks_exact_mut(grid.cells()).enumerate() {
        flat.iter_mut().zip(grid.places()).for_each(|(flat, place)| *flat = board[place * channels + channel]);
    }
}

/// The way back of [`flatten`].
pub(crate) fn unflatten(grid: Grid, flat: &[f32], channels: usize, board: &mut [f32]) {
    for (channel, flat) in flat.chunks_exact(grid.cells()).enumerate() {
        flat.iter().zip(grid.places()).for_each(|(flat, place)| board[place * channels + channel] = *flat);
    }
}

/// `output` ← weights · input + bias, `weights` being `[outputs][inputs]`.
pub(crate) fn linear(weights: &[f32], bias: &[f32], input: &[f32], output: &mut [f32]) {
    for ((output, weights), bias) in output.iter_mut().zip(weights.chunks_exact(input.len())).zip(bias) {
        *output = bias + dot(weights, input);
    }
}

/// Carries `errors` back through [`linear`]: adds to the gradients of weights and bias, and sets the input's errors, `back`.
pub(crate) fn linear_backward(
    weights: &[f32],
    input: &[f32],
    errors: &[f32],
    [of_weights, of_bias]: [&mut [f32]; 2],
    back: &mut [f32],
) {
    back.fill(0.0);
    for (output, &error) in errors.iter().enumerate() {
        let row = output * input.len()..(output + 1) * input.len();
        of_bias[output] += error;
        add_scaled(&mut of_weights[row.clone()], input, error);
        add_scaled(back, &weights[row], error);
    }
}
