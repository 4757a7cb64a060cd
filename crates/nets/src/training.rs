//! [`Trainer`]: the gradients of a network's loss on a batch of positions.
//!
//! ```text
//! loss = (z − v)² − πᵀ log p        the mean over the batch (paper 004, §2; ‖θ‖² is the optimiser's)
//!        + (owner − o)²             where the network has an ownership head
//! ```
//!
//! p is the softmax over the legal moves alone.

use crate::architecture::{Architecture, ConvNorm, Layout, POLICY_FILTERS, VALUE_FILTERS};
use crate::batch_norm::Measured;
use crate::convolution::{Convolution, add_weight_gradients};
use crate::grid::Grid;
use crate::heads::{flatten, linear, linear_backward, pointwise, pointwise_backward, unflatten};
use crate::ownership;
use crate::tile::Finish;
use crate::winograd::Room;

/// What stands for a move that is not legal, where a policy has a probability.
pub const ILLEGAL: f32 = -1.0;

/// Positions with what the network should say of them, behind each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Planes, as [`Architecture::input_len`] counts them.
    pub inputs: Vec<f32>,
    /// π: for each move its probability, or [`ILLEGAL`]. Where all are 0 no policy is learnt.
    pub policies: Vec<f32>,
    /// z: how the game ended for the side to move, from −1 to 1.
    pub outcomes: Vec<f32>,
    /// Whose each cell is in the end, row by row: 1 the side to move's, −1 the other side's, 0 nobody's, or
    /// [`UNKNOWN`](crate::UNKNOWN); nothing for networks without such a head.
    pub owners: Vec<f32>,
}

/// The mean loss of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loss {
    /// −πᵀ log p
    pub policy: f32,
    /// (z − v)²
    pub value: f32,
    /// (owner − o)²
    pub ownership: f32,
}

/// A convolution and its norm at work: what the backward pass needs again.
#[derive(Clone, Debug, Default)]
struct Layer {
    /// What the convolution made.
    raw: Vec<f32>,
    measured: Measured,
    /// What came out behind norm and ReLU.
    output: Vec<f32>,
}

impl Layer {
    fn resize(&mut self, numbers: usize) {
        for board in [&mut self.raw, &mut self.output] {
            board.clear();
            board.resize(numbers, 0.0);
        }
    }

    /// The norm and the ReLU behind `raw`.
    fn normalise(&mut self, grid: Grid, weights: &mut [f32], at: &ConvNorm, skip: Option<&[f32]>) {
        self.measured = Measured::of(grid, &self.raw, at.outputs);
        let (scale, bias) = (&weights[at.scale.clone()], &weights[at.bias.clone()]);
        self.measured.apply(grid, &self.raw, scale, bias, skip, &mut self.output);
        // The running mean and variance stand behind each other.
        let (mean, variance) = weights[at.mean.start..at.variance.end].split_at_mut(at.outputs);
        self.measured.remember(mean, variance);
    }

    /// Carries `errors` of `output` back to `raw`, in place. Before the norm they pass by `tap`, as a skip connection does.
    fn backward(
        &self,
        grid: Grid,
        weights: &[f32],
        at: &ConvNorm,
        errors: &mut [f32],
        gradients: &mut [f32],
        tap: impl FnOnce(&[f32]),
    ) {
        for (error, output) in errors.iter_mut().zip(&self.output) {
            *error = if *output > 0.0 { *error } else { 0.0 };
        }
        tap(errors);
        let (of_scale, of_bias) = gradients[at.scale.start..at.bias.end].split_at_mut(at.outputs);
        self.measured.backward(grid, &self.raw, &weights[at.scale.clone()], errors, [of_scale, of_bias]);
    }
}

/// Has the gradients of a network.
///
/// ```
/// use afterstate_nets::{Architecture, Batch, Optimizer, OptimizerSettings, Trainer};
/// use rand::SeedableRng;
/// let architecture =
///     Architecture { planes: 1, height: 3, width: 3, moves: 2, blocks: 1, filters: 16, hidden: 16, ownership: false };
/// let mut weights = architecture.random(&mut rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(1));
/// // Two positions, of which one is won by the first move and the other lost.
/// let inputs = [[1.0; 9], [0.0; 9]].concat();
/// let batch = Batch { inputs, policies: vec![1.0, 0.0, 0.5, 0.5], outcomes: vec![1.0, -1.0], owners: Vec::new() };
/// let mut trainer = Trainer::new(architecture);
/// let mut optimizer = OptimizerSettings::default().optimizer(weights.len(), &[]).unwrap();
/// let (mut gradients, mut losses) = (Vec::new(), Vec::new());
/// for _ in 0..20 {
///     losses.push(trainer.gradients(&mut weights, &batch, &mut gradients));
///     optimizer.step(trainer.layout(), &mut weights, &gradients);
/// }
/// assert!(losses[19].value < losses[0].value);
/// ```
#[derive(Clone, Debug)]
pub struct Trainer {
    architecture: Architecture,
    layout: Layout,
    grid: Grid,
    input: Vec<f32>,
    stem: Layer,
    blocks: Vec<[Layer; 2]>,
    policy: Layer,
    value: Layer,
    errors: [Vec<f32>; 2],
    room: Room,
}

/// The errors of the inputs of a convolution, of those of its outputs, into `back`.
fn carry_back(grid: Grid, weights: &[f32], at: &ConvNorm, errors: &[f32], room: &mut Room, back: &mut [f32]) {
    let convolution = Convolution::backward(grid, &weights[at.weight.clone()], at.inputs, at.outputs);
    let bias = vec![0.0; at.inputs];
    convolution.apply(errors, Finish { bias: &bias, onto: false, relu: false }, room, back);
}

/// The convolution of `input` by the weights at `at`, into `raw`.
fn convolve(grid: Grid, weights: &[f32], at: &ConvNorm, input: &[f32], room: &mut Room, raw: &mut [f32]) {
    let convolution = Convolution::forward(grid, &weights[at.weight.clone()], at.inputs, at.outputs, |_| 1.0);
    let bias = vec![0.0; at.outputs];
    convolution.apply(input, Finish { bias: &bias, onto: false, relu: false }, room, raw);
}

impl Trainer {
    /// A trainer of networks of this architecture.
    pub fn new(architecture: Architecture) -> Trainer {
        let layout = architecture.layout();
        let blocks = vec![Default::default(); architecture.blocks];
        let (input, stem, policy, value, errors, room) = Default::default();
        Trainer {
            grid: Grid::of(&architecture),
            architecture,
            layout,
            input,
            stem,
            blocks,
            policy,
            value,
            errors,
            room,
        }
    }

    /// Where the weights stand.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Replaces `gradients` by those of the loss on `batch`, and moves the running statistics among `weights`.
    ///
    /// # Panics
    ///
    /// If the parts of the batch are not of the same number of positions, or it is empty.
    pub fn gradients(&mut self, weights: &mut [f32], batch: &Batch, gradients: &mut Vec<f32>) -> Loss {
        let Architecture { planes, filters, moves, .. } = self.architecture;
        let (positions, grid) = (batch.outcomes.len(), self.grid);
        assert!(positions > 0, "an empty batch");
        assert_eq!(batch.inputs.len(), positions * self.architecture.input_len(), "another number of planes");
        assert_eq!(batch.policies.len(), positions * moves, "another number of moves");
        gradients.clear();
        gradients.resize(weights.len(), 0.0);

        self.forward(weights, batch);
        let trunk_len = positions * grid.len() * filters;
        let [errors, other] = &mut self.errors;
        let room = &mut self.room;
        for board in [&mut *errors, &mut *other] {
            board.clear();
            board.resize(trunk_len, 0.0);
        }
        let trunk = self.blocks.last().map_or(&self.stem.output, |block| &block[1].output);
        let layout = &self.layout;
        let mut heads = [&self.policy, &self.value].map(|layer| vec![0.0; layer.output.len()]);
        let mut loss = Heads { grid, layout, weights, policy: &self.policy.output, value: &self.value.output }
            .loss(batch, moves, &mut heads, gradients);
        for ((at, layer), mut of_head) in
            [(&layout.policy, &self.policy), (&layout.value, &self.value)].into_iter().zip(heads)
        {
            layer.backward(grid, weights, at, &mut of_head, gradients, |_| {});
            let rows = &weights[at.weight.clone()];
            pointwise_backward(grid, (trunk, filters), rows, &of_head, &mut gradients[at.weight.clone()], errors);
        }

        if let Some(at) = &layout.ownership {
            assert_eq!(batch.owners.len(), positions * grid.cells(), "another number of owners");
            loss.ownership = ownership::learn(grid, (at, weights), trunk, &batch.owners, gradients, errors);
        }

        for (block, at) in (0..self.blocks.len()).zip(&layout.blocks).rev() {
            let input = block.checked_sub(1).map_or(&self.stem.output, |before| &self.blocks[before][1].output);
            let [first, second] = &self.blocks[block];
            let mut skipped = Vec::new();
            second.backward(grid, weights, &at[1], errors, gradients, |errors| skipped = errors.to_vec());
            add_weight_gradients(grid, &first.output, &at[1], errors, room, gradients);
            carry_back(grid, weights, &at[1], errors, room, other);
            first.backward(grid, weights, &at[0], other, gradients, |_| {});
            add_weight_gradients(grid, input, &at[0], other, room, gradients);
            carry_back(grid, weights, &at[0], other, room, errors);
            errors.iter_mut().zip(&skipped).for_each(|(error, skipped)| *error += skipped);
        }
        self.stem.backward(grid, weights, &layout.stem, errors, gradients, |_| {});
        debug_assert_eq!(self.input.len(), positions * grid.len() * planes);
        add_weight_gradients(grid, &self.input, &layout.stem, errors, room, gradients);
        loss
    }

    /// Everything up to the heads' linear layers.
    fn forward(&mut self, weights: &mut [f32], batch: &Batch) {
        let Architecture { planes, filters, .. } = self.architecture;
        let (grid, boards) = (self.grid, batch.outcomes.len() * self.grid.len());
        let room = &mut self.room;
        self.input.clear();
        self.input.resize(boards * planes, 0.0);
        let inputs = batch.inputs.chunks_exact(self.architecture.input_len());
        for (board, input) in self.input.chunks_exact_mut(grid.len() * planes).zip(inputs) {
            grid.read(input, planes, board);
        }
        self.stem.resize(boards * filters);
        convolve(grid, weights, &self.layout.stem, &self.input, room, &mut self.stem.raw);
        self.stem.normalise(grid, weights, &self.layout.stem, None);
        let mut trunk = &self.stem.output;
        for ([first, second], at) in self.blocks.iter_mut().zip(&self.layout.blocks) {
            first.resize(boards * filters);
            convolve(grid, weights, &at[0], trunk, room, &mut first.raw);
            first.normalise(grid, weights, &at[0], None);
            second.resize(boards * filters);
            convolve(grid, weights, &at[1], &first.output, room, &mut second.raw);
            second.normalise(grid, weights, &at[1], Some(trunk));
            trunk = &second.output;
        }
        for (layer, at) in [(&mut self.policy, &self.layout.policy), (&mut self.value, &self.layout.value)] {
            layer.resize(boards * at.outputs);
            pointwise(grid, trunk, filters, &weights[at.weight.clone()], &mut layer.raw);
            layer.normalise(grid, weights, at, None);
        }
    }
}

/// The linear layers of both heads.
pub(crate) struct Heads<'a> {
    pub grid: Grid,
    pub layout: &'a Layout,
    pub weights: &'a [f32],
    /// What the heads' convolutions made.
    pub policy: &'a [f32],
    pub value: &'a [f32],
}

impl Heads<'_> {
    /// The loss; `errors` of the heads' convolutions and `gradients` of the linear layers are set and added to.
    pub fn loss(&self, batch: &Batch, moves: usize, errors: &mut [Vec<f32>; 2], gradients: &mut [f32]) -> Loss {
        let Heads { grid, layout, weights, .. } = *self;
        let positions = batch.outcomes.len();
        let share = 1.0 / positions as f32;
        let (mut total, mut policies) = ([0f64; 2], 0);
        let mut flat = vec![0.0; POLICY_FILTERS * grid.cells()];
        let mut back = flat.clone();
        let mut logits = vec![0.0; moves];
        let mut hidden = vec![0.0; layout.value_hidden.outputs];
        let mut of_hidden = hidden.clone();
        let [of_policy, of_value] = errors;
        let boards = |channels: usize| grid.len() * channels;
        for position in 0..positions {
            // The policy.
            let board = &self.policy[position * boards(POLICY_FILTERS)..][..boards(POLICY_FILTERS)];
            flatten(grid, board, POLICY_FILTERS, &mut flat);
            let at = &layout.policy_linear;
            linear(&weights[at.weight.clone()], &weights[at.bias.clone()], &flat, &mut logits);
            let target = &batch.policies[position * moves..][..moves];
            total[0] += f64::from(cross_entropy(target, &mut logits));
            policies += usize::from(target.iter().any(|probability| *probability > 0.0));
            logits.iter_mut().for_each(|error| *error *= share);
            // Weight and bias stand behind each other.
            let (of_weight, of_bias) = gradients[at.weight.start..at.bias.end].split_at_mut(at.weight.len());
            linear_backward(&weights[at.weight.clone()], &flat, &logits, [of_weight, of_bias], &mut back);
            let board = &mut of_policy[position * boards(POLICY_FILTERS)..][..boards(POLICY_FILTERS)];
            unflatten(grid, &back, POLICY_FILTERS, board);

            // The value.
            let flat = &mut flat[..VALUE_FILTERS * grid.cells()];
            let back = &mut back[..VALUE_FILTERS * grid.cells()];
            let board = &self.value[position * boards(VALUE_FILTERS)..][..boards(VALUE_FILTERS)];
            flatten(grid, board, VALUE_FILTERS, flat);
            let (first, last) = (&layout.value_hidden, &layout.value_output);
            linear(&weights[first.weight.clone()], &weights[first.bias.clone()], flat, &mut hidden);
            hidden.iter_mut().for_each(|unit| *unit = unit.max(0.0));
            let mut value = [0.0];
            linear(&weights[last.weight.clone()], &weights[last.bias.clone()], &hidden, &mut value);
            let value = value[0].tanh();
            let difference = value - batch.outcomes[position];
            total[1] += f64::from(difference * difference);
            let error = [2.0 * share * difference * (1.0 - value * value)];
            let (of_weight, of_bias) = gradients[last.weight.start..last.bias.end].split_at_mut(last.weight.len());
            linear_backward(&weights[last.weight.clone()], &hidden, &error, [of_weight, of_bias], &mut of_hidden);
            for (error, unit) in of_hidden.iter_mut().zip(&hidden) {
                *error = if *unit > 0.0 { *error } else { 0.0 };
            }
            let (of_weight, of_bias) = gradients[first.weight.start..first.bias.end].split_at_mut(first.weight.len());
            linear_backward(&weights[first.weight.clone()], flat, &of_hidden, [of_weight, of_bias], back);
            let board = &mut of_value[position * boards(VALUE_FILTERS)..][..boards(VALUE_FILTERS)];
            unflatten(grid, back, VALUE_FILTERS, board);
        }
        // What says nothing of policies makes their mean loss no smaller.
        let [policy, value] = [total[0] / policies.max(1) as f64, total[1] / positions as f64].map(|mean| mean as f32);
        Loss { policy, value, ownership: 0.0 }
    }
}

/// −πᵀ log p of logits over the legal moves; `logits` become its gradients, p Σπ − π.
fn cross_entropy(target: &[f32], logits: &mut [f32]) -> f32 {
    let legal = |probability: f32| probability >= 0.0;
    let pairs = || target.iter().copied().zip(logits.iter().copied()).filter(|(target, _)| legal(*target));
    let greatest = pairs().map(|(_, logit)| logit).fold(f32::MIN, f32::max);
    let sum: f32 = pairs().map(|(_, logit)| (logit - greatest).exp()).sum();
    let log_sum = greatest + sum.ln();
    let loss = pairs().map(|(target, logit)| target * (log_sum - logit)).sum();
    let known: f32 = pairs().map(|(target, _)| target).sum();
    for (logit, &target) in logits.iter_mut().zip(target) {
        *logit = if legal(target) { known * (*logit - log_sum).exp() - target } else { 0.0 };
    }
    loss
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cross_entropy_of_two_legal_moves_by_hand() {
        let mut logits = [1.0, 9.0, 1.0 - 3f32.ln()];
        // p = (3/4, 1/4)
        let loss = cross_entropy(&[0.5, ILLEGAL, 0.5], &mut logits);
        let expected = -0.5 * (0.75f32.ln() + 0.25f32.ln());
        assert!((loss - expected).abs() < 1e-6, "{loss} {expected}");
        for (gradient, expected) in logits.iter().zip([0.25, 0.0, -0.25]) {
            assert!((gradient - expected).abs() < 1e-6, "{logits:?}");
        }
    }

    #[test]
    fn nothing_is_learnt_where_no_policy_is_known() {
        let mut logits = [1.0, 9.0, 2.0];
        assert_eq!((cross_entropy(&[0.0, ILLEGAL, 0.0], &mut logits), logits), (0.0, [0.0; 3]));
    }
}
