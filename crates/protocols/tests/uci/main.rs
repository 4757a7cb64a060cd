//! The UCI engine from outside: what GUIs send and what they must get.

mod conversation;
mod fuzz;
#[path = "../mutation/mod.rs"]
mod mutation;
mod robustness;
mod thinkers;
mod time;
mod transcripts;
