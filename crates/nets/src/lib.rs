//! Residual policy-value networks, as AlphaZero's, on the processor or a graphics card.
//!
//! An [`Architecture`] says how a network is built; its weights are one flat vector whose parts [`Layout`] names. A
//! [`FoldedNetwork`] answers with them, and a [`Trainer`] has their gradients, which an [`Optimizer`] follows.
//!
//! ```
//! use afterstate_nets::{Architecture, FoldedNetwork};
//! use rand::SeedableRng;
//! // Connect Four with two blocks of 16 filters.
//! let architecture =
//!     Architecture { planes: 3, height: 6, width: 7, moves: 7, blocks: 2, filters: 16, hidden: 16, ownership: false };
//! let weights = architecture.random(&mut rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(1));
//! let mut network = FoldedNetwork::new(architecture, &weights);
//! let (mut logits, empty_board) = ([0.0; 7], [0.0; 3 * 6 * 7]);
//! let value = network.evaluate(&empty_board, &mut logits);
//! assert!((-1.0..=1.0).contains(&value));
//! ```

pub mod agent;
pub mod architecture;
pub mod backend;
mod batch_norm;
#[cfg(feature = "cuda")]
pub mod card;
mod convolution;
mod grid;
mod heads;
pub mod inference;
pub mod onnx;
pub mod optimizer;
mod ownership;
#[cfg(test)]
mod plain;
pub mod residual;
mod tile;
pub mod training;
mod winograd;

pub use agent::ResidualAgent;
pub use architecture::{Architecture, Layout, Role, Tensor};
pub use backend::{Backend, DeviceName};
pub use inference::FoldedNetwork;
pub use optimizer::{Adam, AdamSettings, Optimizer, OptimizerSettings, Sgd, SgdSettings};
pub use ownership::UNKNOWN;
pub use residual::{NetworkSize, ResidualLearner, ResidualPlayer, View};
pub use training::{Batch, Loss, Trainer};
