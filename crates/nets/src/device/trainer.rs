//! [`DeviceTrainer`]: what [`Trainer`](crate::Trainer) does, on a device.

use super::{LinearTensors, convolve, filters, rows, tensor};
use crate::architecture::{Architecture, ConvNorm, Layout, Linear};
use crate::batch_norm::{EPSILON, Measured};
use crate::training::{Batch, Loss};
use burn_tensor::Tensor;
use burn_tensor::activation::{log_softmax, relu, tanh};
use burn_tensor::backend::{AutodiffBackend, Backend};
use std::ops::Range;

/// Has the gradients of a network, by automatic differentiation. See [`Trainer`](crate::Trainer) for the loss.
pub struct DeviceTrainer<B: AutodiffBackend> {
    architecture: Architecture,
    layout: Layout,
    device: B::Device,
}

/// What is learnt of a convolution and its norm, and what it measured.
struct Learnt<B: AutodiffBackend> {
    weight: Tensor<B, 4>,
    scale: Tensor<B, 4>,
    bias: Tensor<B, 4>,
    statistics: Option<[Tensor<B, 4>; 2]>,
}

impl<B: AutodiffBackend> Learnt<B> {
    fn new(weights: &[f32], at: &ConvNorm, device: &B::Device) -> Learnt<B> {
        let row = |range: &Range<usize>| tensor(&weights[range.clone()], [1, at.outputs, 1, 1], device).require_grad();
        let weight = tensor(&weights[at.weight.clone()], filters(at), device).require_grad();
        Learnt { weight, scale: row(&at.scale), bias: row(&at.bias), statistics: None }
    }

    /// The convolution, its norm, what the skip connection adds, and the ReLU.
    fn apply(&mut self, input: Tensor<B, 4>, skip: Option<Tensor<B, 4>>) -> Tensor<B, 4> {
        let raw = convolve(input, self.weight.clone(), None);
        let over_boards = |boards: Tensor<B, 4>| boards.mean_dims(&[0, 2, 3]);
        let mean = over_boards(raw.clone());
        let centred = raw - mean.clone();
        let variance = over_boards(centred.clone().square());
        let normal = centred / (variance.clone() + EPSILON).sqrt();
        self.statistics = Some([mean, variance]);
        let output = normal * self.scale.clone() + self.bias.clone();
        relu(match skip {
            Some(skip) => output + skip,
            None => output,
        })
    }

    /// Copies the gradients, and moves the running statistics.
    fn finish(self, at: &ConvNorm, cells: usize, weights: &mut [f32], found: &mut B::Gradients, gradients: &mut [f32]) {
        take(&self.weight, found, &mut gradients[at.weight.clone()]);
        take(&self.scale, found, &mut gradients[at.scale.clone()]);
        take(&self.bias, found, &mut gradients[at.bias.clone()]);
        let Some([mean, variance]) = self.statistics.map(|both| both.map(|tensor| numbers(tensor.inner()))) else {
            return;
        };
        let measured = Measured { mean, variance, slope: Vec::new(), cells };
        let (mean, variance) = weights[at.mean.start..at.variance.end].split_at_mut(at.outputs);
        measured.remember(mean, variance);
    }
}

fn numbers<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Vec<f32> {
    tensor.into_data().to_vec().expect("numbers of 32 bits")
}

/// Copies the gradient of `parameter`.
fn take<B: AutodiffBackend, const D: usize>(parameter: &Tensor<B, D>, found: &mut B::Gradients, gradients: &mut [f32]) {
    if let Some(gradient) = parameter.grad_remove(found) {
        gradients.copy_from_slice(&numbers(gradient));
    }
}

impl<B: AutodiffBackend> LinearTensors<B> {
    fn learnt(weights: &[f32], at: &Linear, device: &B::Device) -> LinearTensors<B> {
        let LinearTensors { weight, bias } = LinearTensors::new(weights, at, device);
        LinearTensors { weight: weight.require_grad(), bias: bias.require_grad() }
    }

    fn finish(&self, at: &Linear, found: &mut B::Gradients, gradients: &mut [f32]) {
        take(&self.weight, found, &mut gradients[at.weight.clone()]);
        take(&self.bias, found, &mut gradients[at.bias.clone()]);
    }
}

impl<B: AutodiffBackend> DeviceTrainer<B> {
    /// A trainer of networks of this architecture.
    pub fn new(architecture: Architecture, device: B::Device) -> DeviceTrainer<B> {
        DeviceTrainer { architecture, layout: architecture.layout(), device }
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
    pub fn gradients(&self, weights: &mut [f32], batch: &Batch, gradients: &mut Vec<f32>) -> Loss {
        let Architecture { planes, height, width, moves, .. } = self.architecture;
        let (positions, device, layout) = (batch.outcomes.len(), &self.device, &self.layout);
        assert!(positions > 0, "an empty batch");
        assert_eq!(batch.inputs.len(), positions * self.architecture.input_len(), "another number of planes");
        assert_eq!(batch.policies.len(), positions * moves, "another number of moves");

        let learnt = |at: &ConvNorm| Learnt::<B>::new(weights, at, device);
        let linear = |at: &Linear| LinearTensors::<B>::learnt(weights, at, device);
        let mut stem = learnt(&layout.stem);
        let mut blocks: Vec<_> = layout.blocks.iter().map(|[first, second]| [learnt(first), learnt(second)]).collect();
        let [mut policy, mut value] = [learnt(&layout.policy), learnt(&layout.value)];
        let policy_linear = linear(&layout.policy_linear);
        let [value_hidden, value_output] = [linear(&layout.value_hidden), linear(&layout.value_output)];

        let mut trunk = stem.apply(tensor(&batch.inputs, [positions, planes, height, width], device), None);
        for [first, second] in &mut blocks {
            let between = first.apply(trunk.clone(), None);
            trunk = second.apply(between, Some(trunk));
        }
        let logits = policy_linear.apply(rows(policy.apply(trunk.clone(), None)));
        let policy_loss = cross_entropy(logits, &batch.policies, moves, device);
        let hidden = relu(value_hidden.apply(rows(value.apply(trunk, None))));
        let outcomes = tensor(&batch.outcomes, [positions, 1], device);
        let value_loss = (tanh(value_output.apply(hidden)) - outcomes).square().mean();
        let mut found = (policy_loss.clone() + value_loss.clone()).backward();

        gradients.clear();
        gradients.resize(weights.len(), 0.0);
        let cells = positions * self.architecture.cells();
        let heads = [(stem, &layout.stem), (policy, &layout.policy), (value, &layout.value)];
        let trunk = blocks.into_iter().flatten().zip(layout.blocks.iter().flatten());
        for (learnt, at) in heads.into_iter().chain(trunk) {
            learnt.finish(at, cells, weights, &mut found, gradients);
        }
        policy_linear.finish(&layout.policy_linear, &mut found, gradients);
        value_hidden.finish(&layout.value_hidden, &mut found, gradients);
        value_output.finish(&layout.value_output, &mut found, gradients);
        let [policy, value] = [policy_loss, value_loss].map(|loss| numbers(loss.inner())[0]);
        Loss { policy, value }
    }
}

/// −πᵀ log p over the legal moves, the mean over the positions.
fn cross_entropy<B: Backend>(logits: Tensor<B, 2>, policies: &[f32], moves: usize, device: &B::Device) -> Tensor<B, 1> {
    /// Far below every logit, and finite, so that nothing becomes 0 · ∞.
    const NEVER: f32 = -1e9;
    let positions = policies.len() / moves;
    let mask: Vec<f32> = policies.iter().map(|&probability| if probability < 0.0 { NEVER } else { 0.0 }).collect();
    let wanted: Vec<f32> = policies.iter().map(|&probability| probability.max(0.0)).collect();
    let shape = [positions, moves];
    let chances = log_softmax(logits + tensor(&mask, shape, device), 1);
    (chances * tensor(&wanted, shape, device)).sum() / -(positions as f32)
}
