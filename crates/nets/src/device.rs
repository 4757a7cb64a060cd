//! Networks on a device: a graphics card, or what else the tensor library works on. The library stays inside.
//!
//! Weights remain what they are everywhere else, one flat vector on the host: a [`DeviceNetwork`] is made of them, and a
//! [`DeviceTrainer`] is lent them for each batch.

mod inference;
#[cfg(test)]
mod tests;
mod trainer;

pub use inference::DeviceNetwork;
pub use trainer::DeviceTrainer;

use crate::architecture::{ConvNorm, Linear};
use burn_tensor::backend::Backend;
use burn_tensor::ops::ConvOptions;
use burn_tensor::{Tensor, TensorData, module};

/// An NVIDIA graphics card, numbered from 0.
///
/// # Errors
///
/// Why there is none, on one line.
#[cfg(feature = "cuda")]
pub(crate) fn cuda(index: usize) -> Result<burn_cuda::CudaDevice, String> {
    let device = burn_cuda::CudaDevice::new(index);
    // The library panics where there is no driver, or no such card, and there is one line to say about that.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let probe = std::panic::catch_unwind(|| {
        tensor::<burn_cuda::Cuda, 1>(&[1.0], [1], &burn_cuda::CudaDevice::new(index)).add_scalar(1.0).into_data();
    });
    std::panic::set_hook(hook);
    let missing =
        |_| format!("device cuda:{index}: expected an NVIDIA graphics card, with its driver and the CUDA libraries");
    probe.map(|()| device).map_err(missing)
}

/// A tensor of these numbers.
fn tensor<B: Backend, const D: usize>(numbers: &[f32], shape: [usize; D], device: &B::Device) -> Tensor<B, D> {
    Tensor::from_data(TensorData::new(numbers.to_vec(), shape), device)
}

/// The shape of a convolution's weights.
fn filters(at: &ConvNorm) -> [usize; 4] {
    let side = (at.weight.len() / (at.inputs * at.outputs)).isqrt();
    [at.outputs, at.inputs, side, side]
}

/// A convolution that keeps the size of the board.
fn convolve<B: Backend>(input: Tensor<B, 4>, weight: Tensor<B, 4>, bias: Option<Tensor<B, 1>>) -> Tensor<B, 4> {
    let padding = weight.dims()[2] / 2;
    module::conv2d(input, weight, bias, ConvOptions::new([1, 1], [padding, padding], [1, 1], 1))
}

/// A linear layer's parameters: `[inputs][outputs]`, and a row of biases.
#[derive(Clone)]
struct LinearTensors<B: Backend> {
    weight: Tensor<B, 2>,
    bias: Tensor<B, 2>,
}

impl<B: Backend> LinearTensors<B> {
    fn new(weights: &[f32], at: &Linear, device: &B::Device) -> LinearTensors<B> {
        LinearTensors {
            weight: tensor(&weights[at.weight.clone()], [at.outputs, at.inputs], device),
            bias: tensor(&weights[at.bias.clone()], [1, at.outputs], device),
        }
    }

    fn apply(&self, input: Tensor<B, 2>) -> Tensor<B, 2> {
        input.matmul(self.weight.clone().swap_dims(0, 1)) + self.bias.clone()
    }
}

/// Each position's numbers in a row.
fn rows<B: Backend>(boards: Tensor<B, 4>) -> Tensor<B, 2> {
    let [positions, channels, height, width] = boards.dims();
    boards.reshape([positions, channels * height * width])
}
