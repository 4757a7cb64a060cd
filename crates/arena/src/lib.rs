//! Where players meet: clocks, external engines, games, tournaments, ratings.

pub mod clock;
pub mod curve;
pub mod player;
pub mod rating;
pub mod sprt;

pub use clock::{Clock, FlagFall, TimeControl};
pub use player::{Player, PlayerError, RandomPlayer, SearchPlayer};
