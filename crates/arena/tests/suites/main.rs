//! The tactical suite of the repository: it loads, and what it says is proven, position by position.

mod fight;
mod files;
mod proof;
mod proven;
mod settled;
