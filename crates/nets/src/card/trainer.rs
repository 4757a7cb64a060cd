//! [`CardTrainer`]: what [`Trainer`](crate::Trainer) does, on a card.
//!
//! Convolutions and their gradients are cuDNN's; they multiply numbers of 19 bits (TF32) where the card can, and add with 32. What
//! stands between them is `kernels.cu`. The heads' linear layers and the loss are calculated here.

use super::layer::{Kernels, Kind, Layer, all_layers, of_numbers};
use super::{Card, Fallible, Opened, by_cells};
use crate::architecture::{Architecture, ConvNorm, Layout, POLICY_FILTERS, VALUE_FILTERS};
use crate::batch_norm::Measured;
use crate::grid::Grid;
use crate::training::{Batch, Heads, Loss};
use cudarc::cudnn::Cudnn;
use cudarc::cudnn::sys::cudnnMathType_t;
use cudarc::driver::{CudaSlice, PushKernelArg};
use std::sync::Mutex;

/// Has the gradients of a network. See [`Trainer`](crate::Trainer) for the loss.
pub struct CardTrainer {
    architecture: Architecture,
    layout: Layout,
    card: Card,
    math: cudnnMathType_t,
    /// Made for the first batch, and anew for one of another size. The lock is never waited for: it lets others hold the trainer while
    /// nobody asks it.
    there: Mutex<Option<Box<OnCard>>>,
}

/// Everything on the card that belongs to a trainer.
struct OnCard {
    kernels: Kernels,
    positions: usize,
    of_stem: Kind,
    of_trunk: Kind,
    of_heads: Kind,
    input: CudaSlice<f32>,
    stem: Layer,
    blocks: Vec<[Layer; 2]>,
    heads: Layer,
    /// All weights, and the gradients of one convolution's filters as cuDNN has them and as the weights stand.
    weights: CudaSlice<f32>,
    of_filters: CudaSlice<f32>,
    gradients: CudaSlice<f32>,
    /// Errors of the heads' outputs and of what their convolutions made; of the trunk, three times.
    of_outputs: [CudaSlice<f32>; 2],
    errors: [CudaSlice<f32>; 3],
    work: CudaSlice<u8>,
}

// SAFETY: cuDNN's handle and what was made with it may go from one thread to another, as long as no two use it at once
// ("cuDNN API reference", thread safety). Whoever uses an `OnCard` has it alone, and its copies to the card, which come first,
// bind the card's context to the thread.
unsafe impl Send for OnCard {}

impl CardTrainer {
    /// A trainer of networks of this architecture.
    ///
    /// # Panics
    ///
    /// If they have an ownership head, which is learnt on the processor alone.
    pub fn new(architecture: Architecture, card: &Card) -> CardTrainer {
        assert!(!architecture.ownership, "no ownership head is learnt on a card");
        let math = cudnnMathType_t::CUDNN_TENSOR_OP_MATH;
        CardTrainer { architecture, layout: architecture.layout(), card: card.clone(), math, there: Mutex::default() }
    }

    /// One that multiplies numbers of 32 bits, which is slow and shows whether all else is right.
    #[cfg(test)]
    pub(super) fn exact(self) -> CardTrainer {
        CardTrainer { math: cudnnMathType_t::CUDNN_FMA_MATH, ..self }
    }

    /// Where the weights stand.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Replaces `gradients` by those of the loss on `batch`, and moves the running statistics among `weights`.
    ///
    /// # Panics
    ///
    /// If the parts of the batch are not of the same number of positions, or it is empty, or the card fails.
    pub fn gradients(&mut self, weights: &mut [f32], batch: &Batch, gradients: &mut Vec<f32>) -> Loss {
        let positions = batch.outcomes.len();
        assert!(positions > 0, "an empty batch");
        assert_eq!(batch.inputs.len(), positions * self.architecture.input_len(), "another number of planes");
        assert_eq!(batch.policies.len(), positions * self.architecture.moves, "another number of moves");
        gradients.clear();
        gradients.resize(weights.len(), 0.0);
        let there = self.there.get_mut().expect("it is never locked");
        let learn = || -> Fallible<Loss> {
            let there = match there {
                Some(there) if there.positions == positions => there,
                other => {
                    *other = None;
                    other.insert(Box::new(OnCard::new(
                        &self.architecture,
                        &self.layout,
                        &self.card.0,
                        (positions, self.math),
                    )?))
                }
            };
            there.load(&self.architecture, weights, batch)?;
            there.forward()?;
            let loss = there.loss(&self.architecture, &self.layout, weights, batch, gradients)?;
            there.backward(gradients)?;
            there.read_statistics(weights, gradients, positions * self.architecture.cells())?;
            Ok(loss)
        };
        learn().unwrap_or_else(|error| panic!("the graphics card failed: {error}"))
    }
}

impl OnCard {
    fn new(
        architecture: &Architecture,
        layout: &Layout,
        card: &Opened,
        (positions, math): (usize, cudnnMathType_t),
    ) -> Fallible<OnCard> {
        let Architecture { planes, height, width, filters, .. } = *architecture;
        let kernels = Kernels::new(card)?;
        let stream = &kernels.stream;
        let cudnn = Cudnn::new(stream.clone())?;
        let kind = |inputs, outputs, side| Kind::new(&cudnn, math, (inputs, outputs, side), [positions, height, width]);
        let of_stem = kind(planes, filters, 3)?;
        let of_trunk = kind(filters, filters, 3)?;
        let of_heads = kind(filters, POLICY_FILTERS + VALUE_FILTERS, 1)?;
        let cells = positions * architecture.cells();
        let layer = |kind: &Kind, parts| Layer::new(stream, kind, cells, parts);
        let of_block = |at: &ConvNorm| layer(&of_trunk, vec![(at.clone(), 0)]);
        let of_channels = |channels: usize| stream.alloc_zeros::<f32>(cells * channels);
        let errors = || of_channels(of_trunk.outputs);
        let most = [&of_stem, &of_trunk, &of_heads].map(|kind| kind.outputs * kind.inputs * kind.side * kind.side);
        let most = most.into_iter().max().unwrap_or(0);
        let work = of_stem.work.max(of_trunk.work).max(of_heads.work).max(1);
        Ok(OnCard {
            positions,
            input: of_channels(of_stem.inputs)?,
            stem: layer(&of_stem, vec![(layout.stem.clone(), 0)])?,
            blocks: layout
                .blocks
                .iter()
                .map(|[first, second]| Ok([of_block(first)?, of_block(second)?]))
                .collect::<Fallible<_>>()?,
            heads: layer(&of_heads, vec![(layout.policy.clone(), 0), (layout.value.clone(), POLICY_FILTERS)])?,
            weights: stream.alloc_zeros(layout.len())?,
            of_filters: stream.alloc_zeros(most)?,
            gradients: stream.alloc_zeros(most)?,
            of_outputs: [of_channels(of_heads.outputs)?, of_channels(of_heads.outputs)?],
            errors: [errors()?, errors()?, errors()?],
            work: stream.alloc_zeros(work)?,
            of_stem,
            of_trunk,
            of_heads,
            kernels,
        })
    }

    /// Brings weights and planes to the card.
    fn load(&mut self, architecture: &Architecture, weights: &[f32], batch: &Batch) -> Fallible<()> {
        let stream = self.kernels.stream.clone();
        let arrange = self.kernels.arrange.clone();
        stream.memcpy_htod(weights, &mut self.weights)?;
        let OnCard { of_stem, of_trunk, of_heads, stem, blocks, heads, weights: there, .. } = self;
        for (kind, layer) in all_layers([of_stem, of_trunk, of_heads], stem, blocks, heads) {
            let mut affine = vec![0.0; 2 * kind.outputs];
            for (at, first) in &layer.parts {
                for filter in 0..at.outputs {
                    affine[2 * (first + filter)] = weights[at.scale.start + filter];
                    affine[2 * (first + filter) + 1] = weights[at.bias.start + filter];
                }
                let taps = kind.side * kind.side;
                let sizes = [at.outputs, at.inputs, taps, kind.inputs, *first].map(|size| size as i32);
                let from = there.slice(at.weight.clone());
                let mut launch = stream.launch_builder(&arrange);
                launch.arg(&from).arg(&mut layer.filters);
                sizes.iter().for_each(|size| {
                    launch.arg(size);
                });
                // SAFETY: there are outputs × inputs × taps weights, and room for as many filters from the first one on.
                unsafe { launch.launch(of_numbers(at.weight.len()))? };
            }
            stream.memcpy_htod(&affine, &mut layer.affine)?;
        }
        let (planes, cells) = (architecture.planes, architecture.cells());
        let channels = self.of_stem.inputs;
        let mut input = vec![0.0; self.input.len()];
        by_cells(&batch.inputs, [planes, cells, channels], |number| number, &mut input);
        stream.memcpy_htod(&input, &mut self.input)?;
        Ok(())
    }

    /// Everything up to the heads' linear layers.
    fn forward(&mut self) -> Fallible<()> {
        let OnCard { kernels, of_stem, of_trunk, of_heads, input, stem, blocks, heads, work, .. } = self;
        of_stem.forward(stem, input, work)?;
        kernels.normalise(stem, of_stem.outputs, None)?;
        let mut trunk = &stem.output;
        for [first, second] in blocks {
            of_trunk.forward(first, trunk, work)?;
            kernels.normalise(first, of_trunk.outputs, None)?;
            of_trunk.forward(second, &first.output, work)?;
            kernels.normalise(second, of_trunk.outputs, Some(trunk))?;
            trunk = &second.output;
        }
        of_heads.forward(heads, trunk, work)?;
        kernels.normalise(heads, of_heads.outputs, None)
    }

    /// The loss, the gradients of the heads' linear layers, and the errors of what they see, which go to the card.
    fn loss(
        &mut self,
        architecture: &Architecture,
        layout: &Layout,
        weights: &[f32],
        batch: &Batch,
        gradients: &mut [f32],
    ) -> Fallible<Loss> {
        let stream = &self.kernels.stream;
        let channels = self.of_heads.outputs;
        let mut outputs = stream.clone_dtoh(&self.heads.output)?;
        stream.synchronize()?;
        let grid = Grid::of(architecture);
        let filters = [(POLICY_FILTERS, 0), (VALUE_FILTERS, POLICY_FILTERS)];
        // A board has as many cells here and there, in the same order.
        let board = grid.cells() * channels;
        let [policy, value] = filters.map(|(filters, first)| {
            let mut boards = vec![0.0; self.positions * grid.len() * filters];
            let both = boards.chunks_exact_mut(grid.len() * filters).zip(outputs.chunks_exact(board));
            for (here, there) in both {
                for (place, cell) in grid.places().zip(there.chunks_exact(channels)) {
                    here[place * filters..][..filters].copy_from_slice(&cell[first..][..filters]);
                }
            }
            boards
        });
        let mut errors = [vec![0.0; policy.len()], vec![0.0; value.len()]];
        let heads = Heads { grid, layout, weights, policy: &policy, value: &value };
        let loss = heads.loss(batch, architecture.moves, &mut errors, gradients);
        outputs.fill(0.0);
        for (errors, (filters, first)) in errors.iter().zip(filters) {
            let both = errors.chunks_exact(grid.len() * filters).zip(outputs.chunks_exact_mut(board));
            for (here, there) in both {
                for (place, cell) in grid.places().zip(there.chunks_exact_mut(channels)) {
                    cell[first..][..filters].copy_from_slice(&here[place * filters..][..filters]);
                }
            }
        }
        stream.memcpy_htod(&outputs, &mut self.of_outputs[0])?;
        Ok(loss)
    }

    /// From the errors of the heads' outputs to the gradients of all filters.
    fn backward(&mut self, gradients: &mut [f32]) -> Fallible<()> {
        let OnCard { kernels, of_stem, of_trunk, of_heads, input, stem, blocks, heads, work, .. } = self;
        let mut room =
            Gradients { kernels, there: &mut self.of_filters, arranged: &mut self.gradients, here: gradients };
        let [of_outputs, before] = &mut self.of_outputs;
        let [errors, other, another] = &mut self.errors;
        let trunk = blocks.last().map_or(&stem.output, |block| &block[1].output);
        kernels.carry_back(heads, of_heads.outputs, of_outputs, before)?;
        room.read(of_heads, heads, trunk, before, work)?;
        of_heads.back(heads, before, (0.0, errors), work)?;
        let channels = of_trunk.outputs;
        for block in (0..blocks.len()).rev() {
            let (earlier, these) = blocks.split_at_mut(block);
            let input = earlier.last().map_or(&stem.output, |before| &before[1].output);
            let [first, second] = &mut these[0];
            // Behind the ReLU, `errors` are also those of the skip connection.
            kernels.carry_back(second, channels, errors, other)?;
            room.read(of_trunk, second, &first.output, other, work)?;
            of_trunk.back(second, other, (0.0, another), work)?;
            kernels.carry_back(first, channels, another, other)?;
            room.read(of_trunk, first, input, other, work)?;
            of_trunk.back(first, other, (1.0, errors), work)?;
        }
        kernels.carry_back(stem, channels, errors, other)?;
        room.read(of_stem, stem, input, other, work)?;
        kernels.stream.synchronize()?;
        Ok(())
    }

    /// Reads the gradients of scales and biases, and moves running statistics.
    fn read_statistics(&mut self, weights: &mut [f32], gradients: &mut [f32], cells: usize) -> Fallible<()> {
        let stream = self.kernels.stream.clone();
        let OnCard { stem, blocks, heads, .. } = self;
        for layer in [stem, heads].into_iter().chain(blocks.iter_mut().flatten()) {
            let (sums, errors) = (stream.clone_dtoh(&layer.sums)?, stream.clone_dtoh(&layer.errors)?);
            stream.synchronize()?;
            for (at, first) in &layer.parts {
                let (mut mean, mut variance) = (Vec::new(), Vec::new());
                for filter in 0..at.outputs {
                    let channel = 2 * (first + filter);
                    gradients[at.bias.start + filter] = errors[channel] as f32;
                    gradients[at.scale.start + filter] = errors[channel + 1] as f32;
                    let [middle, square] = [sums[channel], sums[channel + 1]].map(|sum| sum / cells as f64);
                    mean.push(middle as f32);
                    variance.push((square - middle * middle).max(0.0) as f32);
                }
                let measured = Measured { mean, variance, slope: Vec::new(), cells };
                let (mean, variance) = weights[at.mean.start..at.variance.end].split_at_mut(at.outputs);
                measured.remember(mean, variance);
            }
        }
        Ok(())
    }
}

/// Where gradients of filters go.
struct Gradients<'a> {
    kernels: &'a Kernels,
    there: &'a mut CudaSlice<f32>,
    arranged: &'a mut CudaSlice<f32>,
    here: &'a mut [f32],
}

impl Gradients<'_> {
    /// The gradients of a layer's filters, of what it saw and the errors of what its convolution made.
    fn read(
        &mut self,
        kind: &Kind,
        layer: &Layer,
        input: &CudaSlice<f32>,
        errors: &CudaSlice<f32>,
        work: &mut CudaSlice<u8>,
    ) -> Fallible<()> {
        let stream = &self.kernels.stream;
        kind.of_filters(input, errors, self.there, work)?;
        for (at, first) in &layer.parts {
            let sizes = [at.outputs, at.inputs, kind.side * kind.side, kind.inputs, *first].map(|size| size as i32);
            let mut launch = stream.launch_builder(&self.kernels.arrange_back);
            launch.arg(&*self.there).arg(&mut *self.arranged);
            sizes.iter().for_each(|size| {
                launch.arg(size);
            });
            // SAFETY: there are as many filters from the first one on, and room for the largest layer's.
            unsafe { launch.launch(of_numbers(at.weight.len()))? };
            stream.memcpy_dtoh(&self.arranged.slice(..at.weight.len()), &mut self.here[at.weight.clone()])?;
        }
        Ok(())
    }
}
