//! Value, search and learning, for any game that `afterstate-games` describes.
//!
//! Reading order: [`value`] (what a position is worth, and from which features) → [`search`] (how to
//! choose a move with it) → [`learning`] (how the value is learnt) → [`zero`] (how a network is learnt from searches). Beside
//! them stands [`cube`]: backgammon for points.

pub mod cube;
mod large_pages;
pub mod learning;
pub mod policy;
pub mod search;
pub mod value;
pub mod zero;

pub use search::{Budget, Decision, Search};
pub use value::{Value, ValueFunction};
