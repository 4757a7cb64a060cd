//! Convolutions of a [`CardTrainer`](super::CardTrainer) and their norms, forwards and back: cuDNN's kernels, and those of `kernels.cu`.

use super::{CHANNELS, FORMAT, Fallible, Opened};
use crate::architecture::ConvNorm;
use crate::batch_norm::EPSILON;
use cudarc::cudnn::sys::{
    cudnnConvolutionBwdDataAlgo_t, cudnnConvolutionBwdFilterAlgo_t, cudnnConvolutionFwdAlgo_t, cudnnConvolutionMode_t,
    cudnnMathType_t,
};
use cudarc::cudnn::{
    ConvBackwardData, ConvBackwardFilter, ConvDescriptor, ConvForward, Cudnn, FilterDescriptor, TensorDescriptor,
};
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::{CompileOptions, compile_ptx, compile_ptx_with_opts};
use std::sync::Arc;

const KERNELS: &str = include_str!("kernels.cu");

/// Convolutions of the same shape.
pub(super) struct Kind {
    pub input: TensorDescriptor<f32>,
    pub output: TensorDescriptor<f32>,
    pub filters: FilterDescriptor<f32>,
    pub manner: ConvDescriptor<f32>,
    pub forward: cudnnConvolutionFwdAlgo_t,
    pub back: cudnnConvolutionBwdDataAlgo_t,
    pub of_filters: cudnnConvolutionBwdFilterAlgo_t,
    /// Bytes that one of the algorithms wants for itself, at most.
    pub work: usize,
    pub inputs: usize,
    pub outputs: usize,
    pub side: usize,
}

/// A convolution and its norm at work.
pub(super) struct Layer {
    /// The convolutions that are one here, and from which filter on each of them.
    pub parts: Vec<(ConvNorm, usize)>,
    pub filters: CudaSlice<f32>,
    /// Scale and bias of each channel.
    pub affine: CudaSlice<f32>,
    /// Σ x, Σ x² of each channel.
    pub sums: CudaSlice<f64>,
    /// Σ error, Σ error · x̂.
    pub errors: CudaSlice<f64>,
    /// Mean and slope.
    pub moments: CudaSlice<f32>,
    /// What the convolution made.
    pub raw: CudaSlice<f32>,
    /// What came out behind norm and ReLU.
    pub output: CudaSlice<f32>,
}

/// Compiles the kernels for a card. By itself NVRTC may compile for one that is too old for them: they add to numbers of 64 bits in one step,
/// which compute capability 6 brought.
pub(super) fn compile(context: &Arc<CudaContext>) -> Fallible<Arc<CudaModule>> {
    let (major, minor) = context.compute_capability()?;
    let options = vec![format!("--gpu-architecture=compute_{major}{minor}")];
    let compiled = compile_ptx_with_opts(KERNELS, CompileOptions { options, ..CompileOptions::default() });
    // A card that is newer than NVRTC takes what that compiles for others.
    Ok(context.load_module(compiled.or_else(|_| compile_ptx(KERNELS))?)?)
}

/// The kernels by their names, and where they run.
pub(super) struct Kernels {
    pub stream: Arc<CudaStream>,
    pub arrange: CudaFunction,
    pub arrange_back: CudaFunction,
    pub measure: CudaFunction,
    pub moments: CudaFunction,
    pub normalise: CudaFunction,
    pub gate: CudaFunction,
    pub carry_back: CudaFunction,
}

/// For each of so many numbers a thread.
pub(super) fn of_numbers(numbers: usize) -> LaunchConfig {
    LaunchConfig { grid_dim: (numbers.div_ceil(256) as u32, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 }
}

/// Blocks of 32 channels × 8 rows.
fn of_channels(channels: usize) -> LaunchConfig {
    LaunchConfig { grid_dim: (channels.div_ceil(32) as u32, 64, 1), block_dim: (32, 8, 1), shared_mem_bytes: 0 }
}

impl Kernels {
    pub fn new(card: &Opened) -> Fallible<Kernels> {
        let named = |name| card.kernels.load_function(name);
        Ok(Kernels {
            stream: card.context.new_stream()?,
            arrange: named("arrange")?,
            arrange_back: named("arrange_back")?,
            measure: named("measure")?,
            moments: named("moments")?,
            normalise: named("normalise")?,
            gate: named("gate")?,
            carry_back: named("carry_back")?,
        })
    }

    /// The norm of what `layer`'s convolution made, what `skip` adds, and the ReLU.
    pub fn normalise(&self, layer: &mut Layer, channels: usize, skip: Option<&CudaSlice<f32>>) -> Fallible<()> {
        let Layer { affine, sums, moments, raw, output, .. } = layer;
        let (rows, skips) = ((raw.len() / channels) as i32, i32::from(skip.is_some()));
        let numbers = of_numbers(raw.len());
        let channels_there = channels as i32;
        self.stream.memset_zeros(sums)?;
        // SAFETY: the arguments are those of `kernels.cu`; raw, output and skip have rows × channels numbers, and all else two for
        // each channel.
        unsafe {
            let mut measure = self.stream.launch_builder(&self.measure);
            measure.arg(&*raw).arg(&rows).arg(&channels_there).arg(&mut *sums).launch(of_channels(channels))?;
            let mut finish = self.stream.launch_builder(&self.moments);
            finish.arg(&*sums).arg(&rows).arg(&channels_there).arg(&EPSILON).arg(&mut *moments);
            finish.launch(of_numbers(channels))?;
            let mut normalise = self.stream.launch_builder(&self.normalise);
            normalise.arg(&*raw).arg(&*moments).arg(&*affine).arg(skip.unwrap_or(raw)).arg(&skips);
            normalise.arg(&rows).arg(&channels_there).arg(output).launch(numbers)?;
        }
        Ok(())
    }

    /// Makes of `errors` of a layer's output, in place, those before the ReLU, and `back` of them, those of what the convolution made.
    pub fn carry_back(
        &self,
        layer: &mut Layer,
        channels: usize,
        errors: &mut CudaSlice<f32>,
        back: &mut CudaSlice<f32>,
    ) -> Fallible<()> {
        let Layer { affine, errors: sums, moments, raw, output, .. } = layer;
        let (rows, numbers, channels_there) = ((raw.len() / channels) as i32, of_numbers(raw.len()), channels as i32);
        self.stream.memset_zeros(sums)?;
        // SAFETY: as in `normalise`.
        unsafe {
            let mut gate = self.stream.launch_builder(&self.gate);
            gate.arg(&mut *errors).arg(&*output).arg(&*raw).arg(&*moments).arg(&rows).arg(&channels_there);
            gate.arg(&mut *sums).launch(of_channels(channels))?;
            let mut carry = self.stream.launch_builder(&self.carry_back);
            carry.arg(&*errors).arg(&*raw).arg(&*moments).arg(&*sums).arg(&*affine).arg(&rows).arg(&channels_there);
            carry.arg(back).launch(numbers)?;
        }
        Ok(())
    }
}

impl Kind {
    pub fn new(
        cudnn: &Arc<Cudnn>,
        math: cudnnMathType_t,
        (inputs, outputs, side): (usize, usize, usize),
        board: [usize; 3],
    ) -> Fallible<Kind> {
        let [inputs, outputs] = [inputs, outputs].map(|channels| channels.next_multiple_of(CHANNELS));
        let [positions, height, width] = board;
        let shape = |channels| {
            cudnn.create_4d_tensor::<f32>(FORMAT, [positions, channels, height, width].map(|size| size as i32))
        };
        let [k, c, s] = [outputs, inputs, side].map(|size| size as i32);
        let mode = cudnnConvolutionMode_t::CUDNN_CROSS_CORRELATION;
        let mut manner = cudnn.create_conv2d::<f32>([s / 2; 2], [1; 2], [1; 2], mode)?;
        manner.set_math_type(math)?;
        let (input, output, filters) = (shape(inputs)?, shape(outputs)?, cudnn.create_4d_filter(FORMAT, [k, c, s, s])?);
        let operation = ConvForward { conv: &manner, x: &input, w: &filters, y: &output };
        let forward = operation.pick_algorithm()?;
        let mut work = operation.get_workspace_size(forward)?;
        let operation = ConvBackwardData { conv: &manner, dx: &input, w: &filters, dy: &output };
        let back = operation.pick_algorithm()?;
        work = work.max(operation.get_workspace_size(back)?);
        let operation = ConvBackwardFilter { conv: &manner, x: &input, dw: &filters, dy: &output };
        let of_filters = operation.pick_algorithm()?;
        work = work.max(operation.get_workspace_size(of_filters)?);
        Ok(Kind { input, output, filters, manner, forward, back, of_filters, work, inputs, outputs, side })
    }

    /// What `layer`'s convolution makes of `input`.
    pub fn forward(&self, layer: &mut Layer, input: &CudaSlice<f32>, work: &mut CudaSlice<u8>) -> Fallible<()> {
        let operation = ConvForward { conv: &self.manner, x: &self.input, w: &self.filters, y: &self.output };
        let Layer { filters, raw, .. } = layer;
        // SAFETY: all slices are as large as the shapes say, and of this type.
        unsafe { operation.launch(self.forward, Some(work), (1.0, 0.0), input, filters, raw)? };
        Ok(())
    }

    /// The errors of the input, of those of what the convolution made; they are added to `share` of what `back` holds.
    pub fn back(
        &self,
        layer: &Layer,
        errors: &CudaSlice<f32>,
        (share, back): (f32, &mut CudaSlice<f32>),
        work: &mut CudaSlice<u8>,
    ) -> Fallible<()> {
        let operation = ConvBackwardData { conv: &self.manner, dx: &self.input, w: &self.filters, dy: &self.output };
        // SAFETY: all slices are as large as the shapes say, and of this type.
        unsafe { operation.launch(self.back, Some(work), (1.0, share), back, &layer.filters, errors)? };
        Ok(())
    }

    /// The gradients of the filters.
    pub fn of_filters(
        &self,
        input: &CudaSlice<f32>,
        errors: &CudaSlice<f32>,
        gradients: &mut CudaSlice<f32>,
        work: &mut CudaSlice<u8>,
    ) -> Fallible<()> {
        let operation = ConvBackwardFilter { conv: &self.manner, x: &self.input, dw: &self.filters, dy: &self.output };
        // SAFETY: all slices are as large as the shapes say, or larger, and of this type.
        unsafe { operation.launch(self.of_filters, Some(work), (1.0, 0.0), input, gradients, errors)? };
        Ok(())
    }
}

impl Layer {
    pub fn new(stream: &Arc<CudaStream>, kind: &Kind, cells: usize, parts: Vec<(ConvNorm, usize)>) -> Fallible<Layer> {
        let Kind { inputs, outputs, side, .. } = *kind;
        let numbers = |each: usize| stream.alloc_zeros::<f32>(outputs * each);
        Ok(Layer {
            parts,
            filters: numbers(side * side * inputs)?,
            affine: numbers(2)?,
            sums: stream.alloc_zeros(2 * outputs)?,
            errors: stream.alloc_zeros(2 * outputs)?,
            moments: numbers(2)?,
            raw: numbers(cells)?,
            output: numbers(cells)?,
        })
    }
}

/// Layers and their kinds: those of stem, trunk and heads.
pub(super) fn all_layers<'a>(
    [of_stem, of_trunk, of_heads]: [&'a Kind; 3],
    stem: &'a mut Layer,
    blocks: &'a mut [[Layer; 2]],
    heads: &'a mut Layer,
) -> impl Iterator<Item = (&'a Kind, &'a mut Layer)> {
    let trunk = blocks.iter_mut().flatten().map(move |layer| (of_trunk, layer));
    [(of_stem, stem), (of_heads, heads)].into_iter().chain(trunk)
}
