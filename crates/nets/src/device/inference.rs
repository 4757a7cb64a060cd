//! [`DeviceNetwork`]: a network that answers for many positions at once, on a device.

use super::{LinearTensors, convolve, filters, rows, tensor};
use crate::architecture::{Architecture, ConvNorm};
use crate::inference::factor_and_shift;
use burn_tensor::activation::{relu, tanh};
use burn_tensor::backend::Backend;
use burn_tensor::{DType, FloatDType, Tensor};

/// A convolution that has its norm within.
#[derive(Clone)]
struct Folded<B: Backend> {
    weight: Tensor<B, 4>,
    bias: Tensor<B, 1>,
}

impl<B: Backend> Folded<B> {
    fn new(weights: &[f32], at: &ConvNorm, device: &B::Device, half: bool) -> Folded<B> {
        let norm = factor_and_shift(weights, at);
        let per_filter = at.weight.len() / at.outputs;
        let folded = weights[at.weight.clone()].chunks_exact(per_filter).enumerate();
        let folded: Vec<f32> = folded
            .flat_map(|(filter, row)| row.iter().map(move |weight| (filter, *weight)))
            .map(|(filter, weight)| weight * norm(filter).0)
            .collect();
        let shifts: Vec<f32> = (0..at.outputs).map(|filter| norm(filter).1).collect();
        let weight = tensor(&folded, filters(at), device);
        let bias = tensor(&shifts, [at.outputs], device);
        if half {
            Folded { weight: weight.cast(FloatDType::BF16), bias: bias.cast(FloatDType::BF16) }
        } else {
            Folded { weight, bias }
        }
    }

    fn apply(&self, input: Tensor<B, 4>) -> Tensor<B, 4> {
        convolve(input, self.weight.clone(), Some(self.bias.clone()))
    }
}

/// A network at rest on a device. It answers what [`FoldedNetwork`](crate::FoldedNetwork) does, but for rounding.
#[derive(Clone)]
pub struct DeviceNetwork<B: Backend> {
    architecture: Architecture,
    device: B::Device,
    half: bool,
    stem: Folded<B>,
    blocks: Vec<[Folded<B>; 2]>,
    policy: Folded<B>,
    value: Folded<B>,
    policy_linear: LinearTensors<B>,
    value_hidden: LinearTensors<B>,
    value_output: LinearTensors<B>,
}

impl<B: Backend> std::fmt::Debug for DeviceNetwork<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceNetwork").field("architecture", &self.architecture).finish_non_exhaustive()
    }
}

impl<B: Backend> DeviceNetwork<B> {
    /// A network of this architecture with these weights; if `half`, its convolutions calculate with 16 bits (bfloat16).
    ///
    /// # Panics
    ///
    /// If there are not as many weights as the [`Layout`](crate::Layout) says.
    pub fn new(architecture: Architecture, weights: &[f32], device: &B::Device, half: bool) -> DeviceNetwork<B> {
        let layout = architecture.layout();
        assert_eq!(weights.len(), layout.len(), "weights of another architecture");
        let folded = |at: &ConvNorm| Folded::new(weights, at, device, half);
        let linear = |at| LinearTensors::new(weights, at, device);
        DeviceNetwork {
            architecture,
            device: device.clone(),
            half,
            stem: folded(&layout.stem),
            blocks: layout.blocks.iter().map(|[first, second]| [folded(first), folded(second)]).collect(),
            policy: folded(&layout.policy),
            value: folded(&layout.value),
            policy_linear: linear(&layout.policy_linear),
            value_hidden: linear(&layout.value_hidden),
            value_output: linear(&layout.value_output),
        }
    }

    /// How it is built.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The values of the positions that `inputs` shows behind each other, from −1 to 1, and the logits of their moves.
    ///
    /// # Panics
    ///
    /// If `inputs` is not a whole number of positions.
    pub fn evaluate(&self, inputs: &[f32]) -> (Vec<f32>, Vec<f32>) {
        let Architecture { planes, height, width, .. } = self.architecture;
        let positions = inputs.len() / self.architecture.input_len();
        assert_eq!(inputs.len(), positions * self.architecture.input_len(), "planes of another size");
        if positions == 0 {
            return (Vec::new(), Vec::new());
        }
        let mut trunk: Tensor<B, 4> = tensor(inputs, [positions, planes, height, width], &self.device);
        if self.half {
            trunk = trunk.cast(FloatDType::BF16);
        }
        trunk = relu(self.stem.apply(trunk));
        for [first, second] in &self.blocks {
            let between = relu(first.apply(trunk.clone()));
            trunk = relu(second.apply(between) + trunk);
        }
        let head = |folded: &Folded<B>| rows(relu(folded.apply(trunk.clone()))).cast(FloatDType::F32);
        let logits = self.policy_linear.apply(head(&self.policy));
        let hidden = relu(self.value_hidden.apply(head(&self.value)));
        let values = tanh(self.value_output.apply(hidden));
        (numbers(values), numbers(logits))
    }
}

/// Back on the host.
fn numbers<B: Backend>(tensor: Tensor<B, 2>) -> Vec<f32> {
    debug_assert_eq!(tensor.dtype(), DType::F32);
    tensor.into_data().to_vec().expect("numbers of 32 bits")
}
