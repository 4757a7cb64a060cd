//! Playout policies: uniform, MoGo's, Fuego's, and one that is learnt.
//!
//! [`UniformGoPlayout`] is the yardstick of the board's speed. [`MogoPlayout`] and [`FuegoPlayout`] answer the last
//! move by a list of rules, the first of which that knows a move decides ([`Rule`]); every rule can be switched off.
//! [`SoftmaxPlayout`] draws moves in proportion to learnt weights.

pub mod fuego;
pub mod mogo;
pub mod move_features;
pub mod neighbourhood;
pub mod pattern;
mod ruled;
pub mod shapes;
pub mod softmax;
mod uniform;

pub use fuego::{FuegoPlayout, FuegoSettings};
pub use mogo::{MogoPlayout, MogoSettings};
pub use ruled::Rule;
pub use softmax::{SoftmaxPlayout, SoftmaxWeights};
pub use uniform::UniformGoPlayout;
pub(super) use uniform::sample;
