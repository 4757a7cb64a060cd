//! [`Architecture`]: how a network is built, and [`Layout`]: where each of its tensors stands among its weights.
//!
//! ```text
//! planes ─ conv 3×3 ─ norm ─ ReLU ─ blocks × (conv 3×3 ─ norm ─ ReLU ─ conv 3×3 ─ norm ─ + ─ ReLU) ─┬─ policy
//!                                                └──────────────────────────────────────┘           └─ value
//! policy: conv 1×1 to 2 filters ─ norm ─ ReLU ─ linear to a logit for each move
//! value:  conv 1×1 to 1 filter ─ norm ─ ReLU ─ linear to `hidden` ─ ReLU ─ linear to 1 ─ tanh
//! and, while it learns, if it has such a head, ownership: conv 1×1 to 1 filter ─ tanh
//! ```
//!
//! D. Silver et al., *Mastering the game of Go without human knowledge*, 2017, methods.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Filters of the policy head's convolution.
pub const POLICY_FILTERS: usize = 2;
/// Filters of the value head's convolution.
pub const VALUE_FILTERS: usize = 1;

/// The ownership head's convolution.
pub(crate) const OWNERSHIP: &str = "ownership.conv";

/// Filters come in multiples of so many, as wide as the kernels are.
pub const FILTER_STEP: usize = 16;

/// Checkpoints take as much at most, and somewhat more. The paper's network, 10 blocks of 256 filters, has 142 MiB with what Adam
/// remembers of it.
pub(crate) const MOST_BYTES: u64 = 512 << 20;

/// How a network is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Architecture {
    /// Planes of the input.
    pub planes: usize,
    /// Rows of a plane.
    pub height: usize,
    /// Columns of a plane.
    pub width: usize,
    /// Moves that the policy has a logit for.
    pub moves: usize,
    /// Residual blocks.
    pub blocks: usize,
    /// Filters of each convolution in them: a multiple of [`FILTER_STEP`].
    pub filters: usize,
    /// Hidden units of the value head.
    pub hidden: usize,
    /// Whether it learns whose each cell is in the end, besides.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ownership: bool,
}

/// What a number among the weights is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It is multiplied with inputs: learnt, and kept small.
    Weight,
    /// It scales or shifts: learnt.
    Bias,
    /// A running mean or variance of a norm: measured.
    Statistic,
}

/// One tensor among the weights.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tensor {
    /// Its name, in PyTorch's style: `blocks.0.conv1.weight`.
    pub name: String,
    /// Its shape; the last axis is contiguous.
    pub shape: Vec<usize>,
    /// Where it stands.
    pub range: Range<usize>,
    /// What it is for.
    pub role: Role,
}

/// A convolution without bias and the norm behind it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ConvNorm {
    /// Filters, inputs and taps, in this order: `[outputs][inputs][taps]`.
    pub weight: Range<usize>,
    pub scale: Range<usize>,
    pub bias: Range<usize>,
    pub mean: Range<usize>,
    pub variance: Range<usize>,
    pub inputs: usize,
    pub outputs: usize,
}

/// A linear layer, `[outputs][inputs]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Linear {
    pub weight: Range<usize>,
    pub bias: Range<usize>,
    pub inputs: usize,
    pub outputs: usize,
}

/// Where each tensor of an architecture stands among its weights.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    tensors: Vec<Tensor>,
    pub(crate) stem: ConvNorm,
    pub(crate) blocks: Vec<[ConvNorm; 2]>,
    pub(crate) policy: ConvNorm,
    pub(crate) policy_linear: Linear,
    pub(crate) value: ConvNorm,
    pub(crate) value_hidden: Linear,
    pub(crate) value_output: Linear,
    /// A convolution of single cells. It stands last, so that all else stands as it does without it.
    pub(crate) ownership: Option<Linear>,
}

impl Architecture {
    /// What is wrong with it, if something is.
    pub fn problem(&self) -> Option<String> {
        let Architecture { planes, height, width, moves, blocks, filters, hidden, ownership: _ } = *self;
        let within = |name, number: usize, most| {
            (!(1..=most).contains(&number)).then(|| format!("{name} = {number}: expected 1 to {most}"))
        };
        within("planes", planes, 256)
            .or_else(|| within("height", height, 32))
            .or_else(|| within("width", width, 32))
            .or_else(|| within("moves", moves, 1 << 16))
            .or_else(|| (blocks > 100).then(|| format!("blocks = {blocks}: expected at most 100")))
            .or_else(|| within("filters", filters, 1024))
            .or_else(|| {
                let fits = filters.is_multiple_of(FILTER_STEP);
                (!fits).then(|| format!("filters = {filters}: expected a multiple of {FILTER_STEP}"))
            })
            .or_else(|| within("hidden", hidden, 4096))
            .or_else(|| {
                // Weights, and two moments of each that Adam remembers.
                let bytes = 3 * size_of::<f32>() as u64 * self.placed().len() as u64;
                let mib = bytes >> 20;
                (bytes > MOST_BYTES).then(|| {
                    format!(
                        "{blocks} blocks of {filters} filters: {mib} MiB with what Adam remembers, expected {} at most",
                        MOST_BYTES >> 20
                    )
                })
            })
    }

    /// Cells of a plane.
    pub const fn cells(&self) -> usize {
        self.height * self.width
    }

    /// Numbers of one input: planes, rows and columns, in this order.
    pub const fn input_len(&self) -> usize {
        self.planes * self.cells()
    }

    /// Where the tensors stand.
    ///
    /// # Panics
    ///
    /// If there is a [problem](Architecture::problem).
    pub fn layout(&self) -> Layout {
        assert_eq!(self.problem(), None);
        self.placed()
    }

    fn placed(&self) -> Layout {
        let mut place = Placing::default();
        let stem = place.conv_norm("stem.conv", "stem.norm", self.planes, self.filters, 3);
        let block = |block| {
            [1, 2].map(|part| {
                let name = |what| format!("blocks.{block}.{what}{part}");
                place.conv_norm(&name("conv"), &name("norm"), self.filters, self.filters, 3)
            })
        };
        let blocks = (0..self.blocks).map(block).collect();
        let policy = place.conv_norm("policy.conv", "policy.norm", self.filters, POLICY_FILTERS, 1);
        let policy_linear = place.linear("policy.linear", POLICY_FILTERS * self.cells(), self.moves);
        let value = place.conv_norm("value.conv", "value.norm", self.filters, VALUE_FILTERS, 1);
        let value_hidden = place.linear("value.hidden", VALUE_FILTERS * self.cells(), self.hidden);
        let value_output = place.linear("value.output", self.hidden, 1);
        let ownership = self.ownership.then(|| place.pointwise(OWNERSHIP, self.filters, 1));
        let tensors = place.0;
        Layout { tensors, stem, blocks, policy, policy_linear, value, value_hidden, value_output, ownership }
    }

    /// Weights to begin with: normal with variance 2 / inputs where ReLU follows (K. He et al., *Delving deep into
    /// rectifiers*, 2015), a tenth of that width in the last layers, so that all moves begin about equally good and
    /// positions about even; norms that change nothing.
    pub fn random(&self, rng: &mut impl Rng) -> Vec<f32> {
        let layout = self.layout();
        let mut weights = vec![0.0; layout.len()];
        for tensor in layout.tensors() {
            let part = &mut weights[tensor.range.clone()];
            match tensor.role {
                Role::Weight => {
                    let inputs: usize = tensor.shape[1..].iter().product();
                    let last = ["policy.linear.weight", "value.output.weight", "ownership.conv.weight"];
                    let is_last = last.contains(&tensor.name.as_str());
                    let deviation = (2.0 / inputs as f32).sqrt() * if is_last { 0.1 } else { 1.0 };
                    part.iter_mut().for_each(|weight| *weight = deviation * normal(rng));
                }
                Role::Bias if tensor.name.ends_with("norm.weight") || is_block_scale(&tensor.name) => part.fill(1.0),
                Role::Statistic if tensor.name.ends_with("running_var") => part.fill(1.0),
                Role::Bias | Role::Statistic => {}
            }
        }
        weights
    }
}

/// `blocks.3.norm1.weight`
fn is_block_scale(name: &str) -> bool {
    name.ends_with("norm1.weight") || name.ends_with("norm2.weight")
}

/// A number of the standard normal distribution (G. Box and M. Muller, 1958).
fn normal(rng: &mut impl Rng) -> f32 {
    let (radius, angle): (f64, f64) = (1.0 - rng.random::<f64>(), rng.random());
    ((-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()) as f32
}

impl Layout {
    /// All tensors, in the order in which they stand.
    pub fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    /// Number of weights.
    pub fn len(&self) -> usize {
        self.tensors.last().map_or(0, |tensor| tensor.range.end)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tensors.is_empty()
    }
}

/// The tensors placed so far.
#[derive(Default)]
struct Placing(Vec<Tensor>);

impl Placing {
    fn tensor(&mut self, name: String, shape: &[usize], role: Role) -> Range<usize> {
        let begin = self.0.last().map_or(0, |tensor| tensor.range.end);
        let range = begin..begin + shape.iter().product::<usize>();
        self.0.push(Tensor { name, shape: shape.to_vec(), range: range.clone(), role });
        range
    }

    fn conv_norm(&mut self, conv: &str, norm: &str, inputs: usize, outputs: usize, side: usize) -> ConvNorm {
        let weight = self.tensor(format!("{conv}.weight"), &[outputs, inputs, side, side], Role::Weight);
        let mut of_norm = |what: &str, role| self.tensor(format!("{norm}.{what}"), &[outputs], role);
        ConvNorm {
            weight,
            scale: of_norm("weight", Role::Bias),
            bias: of_norm("bias", Role::Bias),
            mean: of_norm("running_mean", Role::Statistic),
            variance: of_norm("running_var", Role::Statistic),
            inputs,
            outputs,
        }
    }

    fn pointwise(&mut self, name: &str, inputs: usize, outputs: usize) -> Linear {
        let weight = self.tensor(format!("{name}.weight"), &[outputs, inputs, 1, 1], Role::Weight);
        let bias = self.tensor(format!("{name}.bias"), &[outputs], Role::Bias);
        Linear { weight, bias, inputs, outputs }
    }

    fn linear(&mut self, name: &str, inputs: usize, outputs: usize) -> Linear {
        let weight = self.tensor(format!("{name}.weight"), &[outputs, inputs], Role::Weight);
        let bias = self.tensor(format!("{name}.bias"), &[outputs], Role::Bias);
        Linear { weight, bias, inputs, outputs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_network_for_connect_four_has_twelve_million_weights() {
        let paper = Architecture {
            planes: 3,
            height: 6,
            width: 7,
            moves: 7,
            blocks: 10,
            filters: 256,
            hidden: 256,
            ownership: false,
        };
        let layout = paper.layout();
        let convolutions = 20 * 256 * 256 * 9 + 3 * 256 * 9 + 3 * 256;
        let norms = 4 * (21 * 256 + 3);
        let linear = 84 * 7 + 7 + 42 * 256 + 256 + 256 + 1;
        assert_eq!(layout.len(), convolutions + norms + linear);
        let gapless = layout.tensors().windows(2).all(|pair| pair[0].range.end == pair[1].range.start);
        assert!(gapless);
    }

    #[test]
    fn impossible_networks_are_named() {
        let fine = Architecture {
            planes: 3,
            height: 6,
            width: 7,
            moves: 7,
            blocks: 0,
            filters: 16,
            hidden: 1,
            ownership: false,
        };
        assert_eq!(fine.problem(), None);
        assert!(Architecture { filters: 24, ..fine }.problem().unwrap().contains("multiple of 16"));
        assert!(Architecture { width: 0, ..fine }.problem().unwrap().contains("width = 0"));
        let largest = Architecture { blocks: 37, filters: 256, ..fine };
        assert_eq!(largest.problem(), None);
        let message = Architecture { blocks: 40, ..largest }.problem().unwrap();
        assert!(message.contains("40 blocks of 256 filters: 541 MiB"), "{message}");
    }
}
