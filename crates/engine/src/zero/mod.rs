//! AlphaZero and Go-Exploit (paper 004): a network that learns from searches that it leads.
//!
//! ```text
//! actors:   play trajectories by PUCT with f; some start where an archive says     → examples (s, π, z)
//! learner:  after so many new examples, some steps down the loss on what the replay buffer holds → f
//! ```
//!
//! Reading order: [`network`] (what is asked and answered) → [`Puct`](crate::search::Puct) (the search) → [`actor`] (a
//! trajectory) → [`start_positions`] (where it starts) → [`replay`] (what is kept) → [`training`] (the loop).

pub mod actor;
mod archive_file;
pub mod branching;
mod cached;
pub mod evaluation_server;
pub mod expert;
pub mod foretelling;
pub mod katago;
mod known_values;
pub mod network;
pub mod planes;
pub mod replay;
pub mod start_positions;
pub mod training;
pub mod unique_states;
pub mod value_loss;

pub use actor::{Actor, ActorSettings, Played, Trajectory, decided};
pub use branching::Branching;
pub use cached::Cached;
pub use evaluation_server::{Client, EvaluationServer, ServerSettings};
pub use expert::{Expert, MakeExpert};
pub use foretelling::{Foretelling, Foretold};
pub use katago::{KataGoSettings, PlayoutCap};
pub use known_values::KnownValues;
pub use network::{ByAfterstates, Example, Loss, Network, Question, Trainable, Uniform};
pub use planes::{PLANES, Planes};
pub use replay::{ReplayBuffer, ReplayLog};
pub use start_positions::{Archive, Keep, Way};
pub use training::{
    ArchiveSettings, Batching, Interest, REPLAY, ReplaySettings, StepReport, ZeroError, ZeroSettings, ZeroTraining,
};
pub use unique_states::unique_states;
pub use value_loss::{ValueLoss, value_loss};
