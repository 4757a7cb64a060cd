//! Where players meet: clocks, external engines, games, tournaments, ratings.

pub mod clock;
pub mod player;

pub use clock::{Clock, FlagFall, TimeControl};
pub use player::{Player, PlayerError, RandomPlayer, SearchPlayer};
