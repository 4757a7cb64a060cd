//! Where networks calculate: on the processor, whose kernels are here, or on a device, if the program was built for one.

use crate::architecture::{Architecture, Layout};
use crate::inference::FoldedNetwork;
use crate::training::{Batch, Loss, Trainer};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

#[cfg(feature = "cuda")]
use crate::card::{Card, CardNetwork, CardTrainer};

/// A device by its name: `cpu`, `cuda` (the first NVIDIA graphics card) or `cuda:1` (the second).
///
/// ```
/// use afterstate_nets::DeviceName;
/// assert_eq!("cuda".parse(), Ok(DeviceName::Cuda(0)));
/// assert_eq!(DeviceName::Cuda(1).to_string(), "cuda:1");
/// assert!("gpu".parse::<DeviceName>().unwrap_err().contains("cpu, cuda or cuda:NUMBER"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum DeviceName {
    /// The processor.
    #[default]
    Cpu,
    /// An NVIDIA graphics card, numbered from 0.
    Cuda(usize),
}

impl FromStr for DeviceName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || format!("device '{text}': expected cpu, cuda or cuda:NUMBER");
        match text.strip_prefix("cuda") {
            _ if text == "cpu" => Ok(DeviceName::Cpu),
            Some("") => Ok(DeviceName::Cuda(0)),
            Some(index) => {
                let index = index.strip_prefix(':').and_then(|index| index.parse().ok());
                index.map(DeviceName::Cuda).ok_or_else(unknown)
            }
            None => Err(unknown()),
        }
    }
}

impl TryFrom<String> for DeviceName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<DeviceName> for String {
    fn from(device: DeviceName) -> String {
        device.to_string()
    }
}

impl fmt::Display for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceName::Cpu => f.write_str("cpu"),
            DeviceName::Cuda(0) => f.write_str("cuda"),
            DeviceName::Cuda(index) => write!(f, "cuda:{index}"),
        }
    }
}

impl DeviceName {
    /// The device itself.
    ///
    /// # Errors
    ///
    /// Why it cannot be had, and what to do, on one line.
    pub fn open(self) -> Result<Backend, String> {
        match self {
            DeviceName::Cpu => Ok(Backend::Processor),
            #[cfg(feature = "cuda")]
            DeviceName::Cuda(index) => match Card::open(index) {
                Ok(card) => Ok(Backend::Cuda(card)),
                Err(problem) => Err(format!("device {self}: {problem}")),
            },
            #[cfg(not(feature = "cuda"))]
            DeviceName::Cuda(_) => Err(format!(
                "device {self}: this program was built without it; build it with --features cuda, or use cpu"
            )),
        }
    }
}

/// Where networks are made.
#[derive(Clone, Debug, Default)]
pub enum Backend {
    /// Here.
    #[default]
    Processor,
    /// On an NVIDIA graphics card.
    #[cfg(feature = "cuda")]
    Cuda(Card),
}

impl Backend {
    /// A network that only answers.
    pub(crate) fn network(&self, architecture: Architecture, weights: &[f32]) -> Answering {
        match self {
            Backend::Processor => Answering::Processor(Box::new(FoldedNetwork::new(architecture, weights))),
            #[cfg(feature = "cuda")]
            Backend::Cuda(card) => Answering::Cuda(CardNetwork::new(architecture, weights, card)),
        }
    }

    /// Who has gradients.
    pub(crate) fn trainer(&self, architecture: Architecture) -> Training {
        match self {
            Backend::Processor => Training::Processor(Box::new(Trainer::new(architecture))),
            #[cfg(feature = "cuda")]
            Backend::Cuda(card) => Training::Cuda(Box::new(CardTrainer::new(architecture, card))),
        }
    }
}

/// A network that only answers, wherever it is.
#[derive(Clone, Debug)]
pub(crate) enum Answering {
    Processor(Box<FoldedNetwork>),
    #[cfg(feature = "cuda")]
    Cuda(CardNetwork),
}

impl Answering {
    pub fn architecture(&self) -> &Architecture {
        match self {
            Answering::Processor(network) => network.architecture(),
            #[cfg(feature = "cuda")]
            Answering::Cuda(network) => network.architecture(),
        }
    }

    /// The values of the positions that `inputs` shows behind each other, from −1 to 1, and the logits of their moves.
    pub fn evaluate(&mut self, inputs: &[f32], values: &mut Vec<f32>, logits: &mut Vec<f32>) {
        match self {
            Answering::Processor(network) => {
                let Architecture { moves, .. } = *network.architecture();
                let inputs = inputs.chunks_exact(network.architecture().input_len());
                logits.resize(inputs.len() * moves, 0.0);
                values.clear();
                let answers = inputs.zip(logits.chunks_exact_mut(moves));
                values.extend(answers.map(|(input, logits)| network.evaluate(input, logits)));
            }
            #[cfg(feature = "cuda")]
            Answering::Cuda(network) => network.evaluate(inputs, values, logits),
        }
    }
}

/// Who has gradients, wherever that is.
pub(crate) enum Training {
    Processor(Box<Trainer>),
    #[cfg(feature = "cuda")]
    Cuda(Box<CardTrainer>),
}

impl Training {
    pub fn layout(&self) -> &Layout {
        match self {
            Training::Processor(trainer) => trainer.layout(),
            #[cfg(feature = "cuda")]
            Training::Cuda(trainer) => trainer.layout(),
        }
    }

    pub fn gradients(&mut self, weights: &mut [f32], batch: &Batch, gradients: &mut Vec<f32>) -> Loss {
        match self {
            Training::Processor(trainer) => trainer.gradients(weights, batch, gradients),
            #[cfg(feature = "cuda")]
            Training::Cuda(trainer) => trainer.gradients(weights, batch, gradients),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for (text, name) in [("cpu", DeviceName::Cpu), ("cuda", DeviceName::Cuda(0)), ("cuda:7", DeviceName::Cuda(7))] {
            assert_eq!((text.parse(), name.to_string().as_str()), (Ok(name), text));
        }
        for text in ["", "CPU", "cuda:", "cuda1", "cuda:-1", "cuda:x"] {
            assert!(text.parse::<DeviceName>().is_err(), "{text}");
        }
    }

    #[cfg(feature = "cuda")]
    #[test]
    fn a_graphics_card_that_is_not_there_is_missed_on_one_line() {
        let problem = DeviceName::Cuda(1_000).open().unwrap_err();
        assert!(
            problem.contains("cuda:1000: expected an NVIDIA graphics card") && !problem.contains('\n'),
            "{problem}"
        );
    }

    #[cfg(not(feature = "cuda"))]
    #[test]
    fn what_was_not_built_says_how_to_build_it() {
        assert!(matches!(DeviceName::Cpu.open(), Ok(Backend::Processor)));
        assert!(DeviceName::Cuda(0).open().unwrap_err().contains("--features cuda"));
    }
}
