//! What positions are worth.

mod function;

pub use function::{Value, ValueFunction};
