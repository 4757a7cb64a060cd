//! Where players meet: clocks, external engines, games, tournaments, ratings.

pub mod player;

pub use player::{Player, PlayerError};
