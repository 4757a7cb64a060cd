//! [`CardNetwork`]: a network that answers for many positions at once.
//!
//! ```text
//! numbers of 16 bits:
//! planes ─ stem ─ blocks × (conv, then conv + what came in) ─ heads ─┬───────── logits
//!                                                                    └─ hidden ─ value
//! ```
//!
//! Norms are folded into convolutions, each of which adds its bias and what the skip connection brings, and ends in a ReLU, in one
//! kernel. The convolutions of both heads are one with 8 filters, and a linear layer is a convolution over a board of one cell. All
//! kernels together are captured as a graph for each number of positions, and started at once.

use super::{CHANNELS, Card, FORMAT, Fallible, by_cells};
use crate::architecture::{Architecture, ConvNorm, Layout, Linear, POLICY_FILTERS};
use crate::inference::factor_and_shift;
use cudarc::cudnn::sys::{
    cudnnActivationMode_t, cudnnConvolutionFwdAlgo_t, cudnnConvolutionMode_t, cudnnMathType_t, cudnnNanPropagation_t,
};
use cudarc::cudnn::{
    ActivationDescriptor, ConvBiasActivationForward, ConvDescriptor, ConvForward, Cudnn, FilterDescriptor,
    TensorDescriptor,
};
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaGraph, CudaSlice, CudaStream};
use std::sync::{Arc, Mutex};

/// What the card calculates with. Numbers below 65,504 have three bits more than as bfloat16, which is as wide.
type Number = half::f16;

/// Positions that are answered together come in multiples of so many, and of eight times as many if there are more than that.
const POSITIONS: usize = 16;

/// As many positions, or somewhat more: what a graph is captured for.
fn rounded(positions: usize) -> usize {
    let many = 8 * POSITIONS;
    positions.next_multiple_of(if positions > many { many } else { POSITIONS })
}

/// The algorithm that the card's matrix units have.
const ALGORITHM: cudnnConvolutionFwdAlgo_t =
    cudnnConvolutionFwdAlgo_t::CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;

/// Bytes of what cuDNN wants for itself, at most.
const WORK: usize = 1 << 28;

/// A layer as it goes to the card: filters as outputs × rows × columns × inputs.
struct Folded {
    inputs: usize,
    outputs: usize,
    side: usize,
    filters: Vec<Number>,
    bias: Vec<Number>,
}

impl Folded {
    /// No weights yet.
    fn zeros(inputs: usize, outputs: usize, side: usize) -> Folded {
        let [inputs, outputs] = [inputs, outputs].map(|channels| channels.next_multiple_of(CHANNELS));
        let zero = Number::from_f32(0.0);
        Folded { inputs, outputs, side, filters: vec![zero; outputs * side * side * inputs], bias: vec![zero; outputs] }
    }

    /// Adds a convolution and its norm, from this filter on.
    fn with(mut self, weights: &[f32], at: &ConvNorm, first: usize) -> Folded {
        let norm = factor_and_shift(weights, at);
        let taps = self.side * self.side;
        for (filter, row) in weights[at.weight.clone()].chunks_exact(at.inputs * taps).enumerate() {
            let (factor, shift) = norm(filter);
            self.bias[first + filter] = Number::from_f32(shift);
            for (number, weight) in row.iter().enumerate() {
                let (input, tap) = (number / taps, number % taps);
                let place = ((first + filter) * taps + tap) * self.inputs + input;
                self.filters[place] = Number::from_f32(weight * factor);
            }
        }
        self
    }

    /// Adds a linear layer that sees these filters of the heads, from this one on, cell by cell.
    fn with_linear(mut self, weights: &[f32], at: &Linear, cells: usize, first: usize) -> Folded {
        for (output, row) in weights[at.weight.clone()].chunks_exact(at.inputs).enumerate() {
            self.bias[output] = Number::from_f32(weights[at.bias.clone()][output]);
            for (number, weight) in row.iter().enumerate() {
                let (filter, cell) = (number / cells, number % cells);
                self.filters[output * self.inputs + cell * CHANNELS + first + filter] = Number::from_f32(*weight);
            }
        }
        self
    }
}

/// All layers, and the biases of the last ones, which are added here, with 32 bits.
struct FoldedLayers {
    stem: Folded,
    blocks: Vec<[Folded; 2]>,
    heads: Folded,
    logits: Folded,
    hidden: Folded,
    value: Folded,
    of_logits: Vec<f32>,
    of_value: f32,
}

impl FoldedLayers {
    fn new(architecture: &Architecture, layout: &Layout, weights: &[f32]) -> FoldedLayers {
        let Architecture { planes, filters, hidden, moves, .. } = *architecture;
        let cells = architecture.cells();
        let of_block = |at: &ConvNorm| Folded::zeros(filters, filters, 3).with(weights, at, 0);
        let heads = Folded::zeros(filters, CHANNELS, 1);
        let heads = heads.with(weights, &layout.policy, 0).with(weights, &layout.value, POLICY_FILTERS);
        // The linear layer of the value sees the hidden units themselves.
        let value = Folded::zeros(hidden, 1, 1).with_linear(weights, &layout.value_output, 1, 0);
        FoldedLayers {
            stem: Folded::zeros(planes, filters, 3).with(weights, &layout.stem, 0),
            blocks: layout.blocks.iter().map(|pair| [of_block(&pair[0]), of_block(&pair[1])]).collect(),
            heads,
            logits: Folded::zeros(CHANNELS * cells, moves, 1).with_linear(weights, &layout.policy_linear, cells, 0),
            hidden: Folded::zeros(CHANNELS * cells, hidden, 1).with_linear(
                weights,
                &layout.value_hidden,
                cells,
                POLICY_FILTERS,
            ),
            value,
            of_logits: weights[layout.policy_linear.bias.clone()].to_vec(),
            of_value: weights[layout.value_output.bias.start],
        }
    }
}

/// A layer on the card.
struct Layer {
    filters: CudaSlice<Number>,
    bias: CudaSlice<Number>,
    of_filters: FilterDescriptor<Number>,
    of_bias: TensorDescriptor<Number>,
    /// Padding and all that.
    manner: ConvDescriptor<f32>,
}

impl Layer {
    fn new(folded: &Folded, cudnn: &Arc<Cudnn>, stream: &Arc<CudaStream>) -> Fallible<Layer> {
        let Folded { inputs, outputs, side, .. } = *folded;
        let [k, c, s] = [outputs, inputs, side].map(|size| size as i32);
        let mode = cudnnConvolutionMode_t::CUDNN_CROSS_CORRELATION;
        let mut manner = cudnn.create_conv2d::<f32>([s / 2; 2], [1; 2], [1; 2], mode)?;
        manner.set_math_type(cudnnMathType_t::CUDNN_TENSOR_OP_MATH)?;
        Ok(Layer {
            filters: stream.clone_htod(&folded.filters)?,
            bias: stream.clone_htod(&folded.bias)?,
            of_filters: cudnn.create_4d_filter(FORMAT, [k, c, s, s])?,
            of_bias: cudnn.create_4d_tensor(FORMAT, [1, k, 1, 1])?,
            manner,
        })
    }
}

/// How so many positions are answered.
struct Captured {
    graph: CudaGraph,
    /// What the graph's kernels were told of.
    _shapes: Shapes,
}

/// How so many positions are laid out on the card.
struct Shapes {
    planes: TensorDescriptor<Number>,
    trunk: TensorDescriptor<Number>,
    heads: TensorDescriptor<Number>,
    flat: TensorDescriptor<Number>,
    hidden: TensorDescriptor<Number>,
    logits: TensorDescriptor<Number>,
    value: TensorDescriptor<Number>,
}

/// Room for the answers to so many positions at most.
struct Room {
    positions: usize,
    planes: CudaSlice<Number>,
    /// By turns what a convolution sees and what it makes.
    trunk: [CudaSlice<Number>; 3],
    heads: [CudaSlice<Number>; 2],
    hidden: [CudaSlice<Number>; 2],
    logits: CudaSlice<Number>,
    value: CudaSlice<Number>,
    /// What cuDNN wants for itself.
    work: CudaSlice<u8>,
}

/// Everything on the card that belongs to a network.
struct OnCard {
    stream: Arc<CudaStream>,
    cudnn: Arc<Cudnn>,
    relu: ActivationDescriptor<f32>,
    stem: Layer,
    blocks: Vec<[Layer; 2]>,
    heads: Layer,
    logits: Layer,
    hidden: Layer,
    value: Layer,
    /// By the number of positions, in [`POSITIONS`].
    graphs: Vec<Option<Captured>>,
    room: Room,
}

// SAFETY: cuDNN's handle and what was made with it may go from one thread to another, as long as no two use it at once
// ("cuDNN API reference", thread safety). Whoever uses an `OnCard` has it alone, and its copies to the card, which come first,
// bind the card's context to the thread.
unsafe impl Send for OnCard {}

/// A network at rest on a card. It answers what [`FoldedNetwork`](crate::FoldedNetwork) does, but for rounding.
pub struct CardNetwork {
    architecture: Architecture,
    card: Card,
    layers: Arc<FoldedLayers>,
    /// Made when it is first asked something. The lock is never waited for: it lets others hold the network while nobody asks it.
    there: Mutex<Option<Box<OnCard>>>,
    /// What goes there and comes back.
    planes: Vec<Number>,
    answers: [Vec<Number>; 2],
}

impl Clone for CardNetwork {
    fn clone(&self) -> CardNetwork {
        let (planes, answers) = Default::default();
        CardNetwork {
            card: self.card.clone(),
            layers: self.layers.clone(),
            there: Mutex::default(),
            planes,
            answers,
            ..*self
        }
    }
}

impl std::fmt::Debug for CardNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CardNetwork").field("architecture", &self.architecture).finish_non_exhaustive()
    }
}

impl CardNetwork {
    /// A network of this architecture with these weights.
    ///
    /// # Panics
    ///
    /// If there are not as many weights as the [`Layout`] says.
    pub fn new(architecture: Architecture, weights: &[f32], card: &Card) -> CardNetwork {
        let layout = architecture.layout();
        assert_eq!(weights.len(), layout.len(), "weights of another architecture");
        let layers = Arc::new(FoldedLayers::new(&architecture, &layout, weights));
        let (planes, answers) = Default::default();
        CardNetwork { architecture, card: card.clone(), layers, there: Mutex::default(), planes, answers }
    }

    /// How it is built.
    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// Replaces `values` by those of the positions that `inputs` shows behind each other, from −1 to 1, and `logits` by those of their
    /// moves.
    ///
    /// # Panics
    ///
    /// If `inputs` is not a whole number of positions, or the card fails.
    pub fn evaluate(&mut self, inputs: &[f32], values: &mut Vec<f32>, logits: &mut Vec<f32>) {
        let Architecture { planes, moves, .. } = self.architecture;
        let cells = self.architecture.cells();
        let positions = inputs.len() / self.architecture.input_len();
        assert_eq!(inputs.len(), positions * self.architecture.input_len(), "planes of another size");
        values.clear();
        logits.clear();
        if positions == 0 {
            return;
        }
        let channels = planes.next_multiple_of(CHANNELS);
        self.planes.clear();
        self.planes.resize(positions * cells * channels, Number::from_f32(0.0));
        by_cells(inputs, [planes, cells, channels], Number::from_f32, &mut self.planes);
        let [of_logits, of_value] = &mut self.answers;
        let mut answer = || -> Fallible<()> {
            let there = match self.there.get_mut().expect("it is never locked") {
                Some(there) => there,
                none => none.insert(Box::new(OnCard::new(&self.architecture, &self.layers, &self.card, positions)?)),
            };
            there.answer(&self.architecture, (&self.planes, positions), of_logits, of_value)
        };
        if let Err(error) = answer() {
            panic!("the graphics card failed: {error}");
        }
        let rows = of_logits.chunks_exact(moves.next_multiple_of(CHANNELS)).take(positions);
        for row in rows {
            logits.extend(row.iter().zip(&self.layers.of_logits).map(|(sum, bias)| sum.to_f32() + bias));
        }
        let sums = of_value.chunks_exact(CHANNELS).take(positions);
        values.extend(sums.map(|sum| (sum[0].to_f32() + self.layers.of_value).tanh()));
    }
}

impl OnCard {
    fn new(architecture: &Architecture, layers: &FoldedLayers, card: &Card, positions: usize) -> Fallible<OnCard> {
        let stream = card.0.context.new_stream()?;
        let cudnn = Cudnn::new(stream.clone())?;
        let layer = |folded: &Folded| Layer::new(folded, &cudnn, &stream);
        let block = |[first, second]: &[Folded; 2]| Ok([layer(first)?, layer(second)?]);
        let mode = cudnnActivationMode_t::CUDNN_ACTIVATION_RELU;
        Ok(OnCard {
            relu: cudnn.create_activation(mode, cudnnNanPropagation_t::CUDNN_NOT_PROPAGATE_NAN, 0.0)?,
            stem: layer(&layers.stem)?,
            blocks: layers.blocks.iter().map(block).collect::<Fallible<_>>()?,
            heads: layer(&layers.heads)?,
            logits: layer(&layers.logits)?,
            hidden: layer(&layers.hidden)?,
            value: layer(&layers.value)?,
            graphs: Vec::new(),
            room: Room::new(architecture, &stream, positions)?,
            stream,
            cudnn,
        })
    }

    /// Answers what these planes show; logits and values come in rows that are longer than there are moves.
    fn answer(
        &mut self,
        architecture: &Architecture,
        (planes, positions): (&[Number], usize),
        logits: &mut Vec<Number>,
        value: &mut Vec<Number>,
    ) -> Fallible<()> {
        if positions > self.room.positions {
            // Graphs know where the room is.
            self.graphs.clear();
            self.room = Room::new(architecture, &self.stream, positions)?;
        }
        let rounded = rounded(positions);
        let kind = rounded / POSITIONS;
        if self.graphs.len() <= kind {
            self.graphs.resize_with(kind + 1, || None);
        }
        self.stream.memcpy_htod(planes, &mut self.room.planes)?;
        if self.graphs[kind].is_none() {
            let shapes = Shapes::new(architecture, &self.cudnn, rounded)?;
            // Once without capturing: cuDNN loads what it needs.
            self.calculate(&shapes)?;
            self.stream.synchronize()?;
            self.stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
            let calculated = self.calculate(&shapes);
            let graph = self.stream.end_capture(CUgraphInstantiate_flags(0))?;
            calculated?;
            let graph = graph.ok_or("nothing was captured")?;
            self.graphs[kind] = Some(Captured { graph, _shapes: shapes });
        }
        if let Some(captured) = &self.graphs[kind] {
            captured.graph.launch()?;
        }
        let zero = Number::from_f32(0.0);
        let moves = architecture.moves.next_multiple_of(CHANNELS);
        logits.resize(positions * moves, zero);
        value.resize(positions * CHANNELS, zero);
        self.stream.memcpy_dtoh(&self.room.logits.slice(..logits.len()), logits)?;
        self.stream.memcpy_dtoh(&self.room.value.slice(..value.len()), value)?;
        self.stream.synchronize()?;
        Ok(())
    }

    /// Everything from the planes to logits and values.
    fn calculate(&mut self, shapes: &Shapes) -> Fallible<()> {
        let Room { planes, trunk, heads, hidden, logits, value, work, .. } = &mut self.room;
        let relu = &self.relu;
        let [here, between, next] = trunk;
        // Where nothing is added, `next` is multiplied by nothing.
        convolve(&self.stem, relu, (&shapes.planes, &*planes), (0.0, &*next), (&shapes.trunk, here), work)?;
        for [first, second] in &self.blocks {
            convolve(first, relu, (&shapes.trunk, &*here), (0.0, &*next), (&shapes.trunk, between), work)?;
            convolve(second, relu, (&shapes.trunk, &*between), (1.0, &*here), (&shapes.trunk, next), work)?;
            std::mem::swap(here, next);
        }
        let [heads, other] = heads;
        convolve(&self.heads, relu, (&shapes.trunk, &*here), (0.0, &*other), (&shapes.heads, heads), work)?;
        multiply(&self.logits, (&shapes.flat, &*heads), (&shapes.logits, logits), work)?;
        let [hidden, other] = hidden;
        convolve(&self.hidden, relu, (&shapes.flat, &*heads), (0.0, &*other), (&shapes.hidden, hidden), work)?;
        multiply(&self.value, (&shapes.hidden, &*hidden), (&shapes.value, value), work)
    }
}

impl Shapes {
    fn new(architecture: &Architecture, cudnn: &Arc<Cudnn>, positions: usize) -> Fallible<Shapes> {
        let Architecture { planes, height, width, moves, filters, hidden, .. } = *architecture;
        let shape = |channels: usize, height: usize, width: usize| {
            let channels = channels.next_multiple_of(CHANNELS);
            cudnn.create_4d_tensor(FORMAT, [positions, channels, height, width].map(|size| size as i32))
        };
        Ok(Shapes {
            planes: shape(planes, height, width)?,
            trunk: shape(filters, height, width)?,
            heads: shape(CHANNELS, height, width)?,
            flat: shape(CHANNELS * height * width, 1, 1)?,
            hidden: shape(hidden, 1, 1)?,
            logits: shape(moves, 1, 1)?,
            value: shape(1, 1, 1)?,
        })
    }
}

impl Room {
    fn new(architecture: &Architecture, stream: &Arc<CudaStream>, positions: usize) -> Fallible<Room> {
        let Architecture { planes, moves, filters, hidden, .. } = *architecture;
        let positions = rounded(positions);
        let cells = architecture.cells();
        let room = |channels: usize, cells: usize| {
            stream.alloc_zeros::<Number>(positions * cells * channels.next_multiple_of(CHANNELS))
        };
        let trunk = || room(filters, cells);
        Ok(Room {
            positions,
            planes: room(planes, cells)?,
            trunk: [trunk()?, trunk()?, trunk()?],
            heads: [room(CHANNELS, cells)?, room(CHANNELS, cells)?],
            hidden: [room(hidden, 1)?, room(hidden, 1)?],
            logits: room(moves, 1)?,
            value: room(1, 1)?,
            work: stream.alloc_zeros(WORK)?,
        })
    }
}

type Seen<'a> = (&'a TensorDescriptor<Number>, &'a CudaSlice<Number>);
type Made<'a> = (&'a TensorDescriptor<Number>, &'a mut CudaSlice<Number>);

/// `made` ← ReLU(filters ∗ seen + bias + share · added), where what is added has the shape of what is made.
fn convolve(
    layer: &Layer,
    relu: &ActivationDescriptor<f32>,
    (of_seen, seen): Seen,
    (share, added): (f32, &CudaSlice<Number>),
    (of_made, made): Made,
    work: &mut CudaSlice<u8>,
) -> Fallible<()> {
    let operation = ConvBiasActivationForward {
        conv: &layer.manner,
        act: relu,
        x: of_seen,
        w: &layer.of_filters,
        z: of_made,
        bias: &layer.of_bias,
        y: of_made,
    };
    let factors = (Number::from_f32(1.0), Number::from_f32(share));
    // SAFETY: all slices are as large as the shapes say, or larger, and of this type.
    unsafe { operation.launch(ALGORITHM, Some(work), factors, seen, &layer.filters, added, &layer.bias, made)? };
    Ok(())
}

/// `made` ← filters ∗ seen.
fn multiply(layer: &Layer, (of_seen, seen): Seen, (of_made, made): Made, work: &mut CudaSlice<u8>) -> Fallible<()> {
    let operation = ConvForward { conv: &layer.manner, x: of_seen, w: &layer.of_filters, y: of_made };
    let factors = (Number::from_f32(1.0), Number::from_f32(0.0));
    // SAFETY: all slices are as large as the shapes say, or larger, and of this type.
    unsafe { operation.launch(ALGORITHM, Some(work), factors, seen, &layer.filters, made)? };
    Ok(())
}
