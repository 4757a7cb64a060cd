//! The GTP engine from outside: what controllers send and what they must get.

mod analysis;
mod conduct;
mod files;
mod open_player;
mod players;
mod robustness;
mod search;
mod transcripts;
