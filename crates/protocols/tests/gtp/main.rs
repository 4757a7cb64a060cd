//! The GTP engine from outside: what controllers send and what they must get.

mod analysis;
mod conduct;
mod files;
#[path = "../mutation/mod.rs"]
mod mutation;
mod open_player;
mod players;
mod robustness;
mod search;
mod transcripts;
