//! Go, from 5×5 to 19×19.
//!
//! [`Board`] knows stones, chains, liberties and ko; [`Go`] adds whose turn it is, passes, komi and
//! scoring, and is the [`crate::Game`]; positional superko belongs to [`crate::Record`].

pub mod board;
pub mod diagram;
pub mod handicap;
pub mod notation;
pub mod playout;
pub mod point;
pub mod rules;
pub mod score;
pub mod setup;
pub mod sgf;

pub use board::{Board, Color};
pub use diagram::Diagram;
pub use handicap::HandicapError;
pub use playout::{
    FuegoPlayout, FuegoSettings, MogoPlayout, MogoSettings, Rule, SoftmaxPlayout, SoftmaxWeights, UniformGoPlayout,
};
pub use point::{MAX_SIZE, MIN_SIZE, Move, Point, PointSet};
pub use rules::{Go, Komi, Scoring};
pub use setup::SetupError;
