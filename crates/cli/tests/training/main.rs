//! Training that is killed, stopped and resumed, weights that are imported, and everything that is refused on the way.

mod chess;
mod chess_networks;
mod grids;
mod importing;
#[cfg(unix)]
mod interruption;
mod playouts;
mod refusal;
mod resuming;
mod runs;
#[path = "../support/mod.rs"]
mod support;
