//! Batch normalisation in training, with the ReLU and the skip connection around it (S. Ioffe and C. Szegedy, 2015).
//!
//! ```text
//! x̂ = (x − mean) / √(variance + ε)          over all cells of all boards, for each channel
//! y = ReLU(scale · x̂ + bias [+ skip])
//! ```

use crate::grid::Grid;

/// ε, as in PyTorch.
pub(crate) const EPSILON: f32 = 1e-5;
/// How far running statistics move towards those of a batch, as in PyTorch.
pub(crate) const MOMENTUM: f32 = 0.1;

/// What the backward pass needs of the forward one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    pub mean: Vec<f32>,
    pub variance: Vec<f32>,
    /// 1 / √(variance + ε)
    pub slope: Vec<f32>,
    /// Cells that were measured.
    pub cells: usize,
}

/// Sums of `term(x)` for each channel.
fn sums(grid: Grid, boards: &[f32], channels: usize, mut term: impl FnMut(usize, f32) -> f32) -> Vec<f64> {
    let mut totals = vec![0f64; channels];
    let mut partial = vec![0f32; channels];
    for row in grid.rows(boards, channels) {
        partial.fill(0.0);
        for cell in row.chunks_exact(channels) {
            for ((channel, sum), &x) in partial.iter_mut().enumerate().zip(cell) {
                *sum += term(channel, x);
            }
        }
        totals.iter_mut().zip(&partial).for_each(|(total, &sum)| *total += f64::from(sum));
    }
    totals
}

impl Measured {
    /// Measures `boards`.
    pub fn of(grid: Grid, boards: &[f32], channels: usize) -> Measured {
        let cells = boards.len() / (grid.len() * channels) * grid.cells();
        let per_cell = |sums: Vec<f64>| -> Vec<f32> { sums.iter().map(|sum| (sum / cells as f64) as f32).collect() };
        let mean = per_cell(sums(grid, boards, channels, |_, x| x));
        let variance = per_cell(sums(grid, boards, channels, |channel, x| (x - mean[channel]).powi(2)));
        let slope = variance.iter().map(|variance| 1.0 / (variance + EPSILON).sqrt()).collect();
        Measured { mean, variance, slope, cells }
    }

    /// Moves running statistics towards these. The running variance is the unbiased one.
    pub fn remember(&self, mean: &mut [f32], variance: &mut [f32]) {
        let unbiased = self.cells as f32 / (self.cells as f32 - 1.0).max(1.0);
        mean.iter_mut().zip(&self.mean).for_each(|(running, now)| *running += MOMENTUM * (now - *running));
        let variances = variance.iter_mut().zip(&self.variance);
        variances.for_each(|(running, now)| *running += MOMENTUM * (unbiased * now - *running));
    }

    /// `output` ← ReLU(scale · x̂ + bias + skip) of the `boards` that were measured; without `skip` nothing is added.
    pub fn apply(
        &self,
        grid: Grid,
        boards: &[f32],
        scale: &[f32],
        bias: &[f32],
        skip: Option<&[f32]>,
        output: &mut [f32],
    ) {
        let channels = scale.len();
        let factor: Vec<f32> = scale.iter().zip(&self.slope).map(|(scale, slope)| scale * slope).collect();
        let shift: Vec<f32> =
            bias.iter().zip(&self.mean).zip(&factor).map(|((bias, mean), factor)| bias - mean * factor).collect();
        grid.for_rows(output, boards, channels, |outputs, inputs| {
            for (output, input) in outputs.chunks_exact_mut(channels).zip(inputs.chunks_exact(channels)) {
                for (((y, &x), factor), shift) in output.iter_mut().zip(input).zip(&factor).zip(&shift) {
                    *y = x * factor + shift;
                }
            }
        });
        if let Some(skip) = skip {
            grid.for_rows(output, skip, channels, |outputs, skips| {
                outputs.iter_mut().zip(skips).for_each(|(y, skip)| *y += skip);
            });
        }
        // Zeros around the board stay zeros.
        output.iter_mut().for_each(|y| *y = y.max(0.0));
    }

    /// Carries `errors`, the gradients of scale · x̂ + bias, back to the `boards` that were measured, in place. Adds those of
    /// `scale` and `bias` to theirs.
    pub fn backward(
        &self,
        grid: Grid,
        boards: &[f32],
        scale: &[f32],
        errors: &mut [f32],
        [of_scale, of_bias]: [&mut [f32]; 2],
    ) {
        let channels = scale.len();
        let (mut by_bias, mut by_scale) = (vec![0f64; channels], vec![0f64; channels]);
        let mut partial = vec![[0f32; 2]; channels];
        for (errors, inputs) in grid.rows(errors, channels).zip(grid.rows(boards, channels)) {
            partial.fill([0.0; 2]);
            for (errors, inputs) in errors.chunks_exact(channels).zip(inputs.chunks_exact(channels)) {
                for (((sums, &error), &x), mean) in partial.iter_mut().zip(errors).zip(inputs).zip(&self.mean) {
                    sums[0] += error;
                    sums[1] += error * (x - mean);
                }
            }
            for (channel, [error, product]) in partial.iter().enumerate() {
                by_bias[channel] += f64::from(*error);
                by_scale[channel] += f64::from(product * self.slope[channel]);
            }
        }
        let cells = self.cells as f64;
        let add = |to: &mut [f32], sums: &[f64]| to.iter_mut().zip(sums).for_each(|(to, sum)| *to += *sum as f32);
        add(of_bias, &by_bias);
        add(of_scale, &by_scale);
        // dx = scale · slope · (dy − mean(dy) − x̂ · mean(dy · x̂))
        let per_channel: Vec<[f32; 3]> = (0..channels)
            .map(|channel| {
                let slope = self.slope[channel];
                let against = (by_scale[channel] / cells) as f32 * slope;
                let constant = (by_bias[channel] / cells) as f32 - against * self.mean[channel];
                [scale[channel] * slope, constant, against]
            })
            .collect();
        grid.for_rows(errors, boards, channels, |errors, inputs| {
            for (errors, inputs) in errors.chunks_exact_mut(channels).zip(inputs.chunks_exact(channels)) {
                for ((error, &x), [factor, constant, against]) in errors.iter_mut().zip(inputs).zip(&per_channel) {
                    *error = factor * (*error - constant - against * x);
                }
            }
        });
    }
}
