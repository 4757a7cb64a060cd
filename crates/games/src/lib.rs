//! Rules of board games, and nothing else: who is to move, what may be played, what follows, who won.
//!
//! Everything that learns or searches is generic over [`Game`]. The smallest complete game is
//! [`tic_tac_toe`]; copy it to add your own, then run it through the conformance suite.
//!
//! Reading order: [`game`] → [`tic_tac_toe`] → [`record`] → [`go`].

pub mod backgammon;
pub mod chess;
pub mod conformance;
pub mod connect_four;
pub mod game;
pub mod go;
pub mod grid;
pub mod notation;
pub mod perft;
pub mod playout;
pub mod record;
pub mod rng;
pub mod tactics;
pub mod tic_tac_toe;

pub use backgammon::Backgammon;
pub use chess::Chess;
pub use connect_four::ConnectFour;
pub use game::{Deterministic, Game, IndexedMoves, Outcome, Repetition, Side, Turn};
pub use grid::Grid;
pub use notation::{Notation, NotationError};
pub use playout::{LearnablePlayout, PlayoutPolicy, UniformPlayout};
pub use record::Record;
pub use rng::{Rng, stream};
pub use tactics::Tactics;
pub use tic_tac_toe::TicTacToe;
