//! What positions are worth, and the features from which that is computed.
//!
//! [`Features`] list what is active in a position, [`Weights`] say what each is worth, [`Linear`] makes
//! a value of their sum. [`LocalShapes`] are the features of the first learner; [`TrackedGo`] keeps them
//! up to date move by move.

mod accruing;
mod afterstates;
pub mod backgammon_expert;
pub mod backgammon_inputs;
pub mod backgammon_network;
pub mod bear_off;
pub mod centipawns;
pub mod checkpoint;
pub mod chess_network;
pub mod chess_terms;
mod feature_conformance;
mod features;
mod function;
mod fused;
pub mod grid_agent;
mod grid_shapes;
mod learnt_evaluation;
mod linear;
mod local_shape;
mod network_agent;
pub mod perceptron;
mod playout_agent;
pub mod rlgo_file;
pub mod shape_agent;
pub mod term_agent;
mod tracked;
mod weights;

pub use accruing::AccruingWeights;
pub use afterstates::{AfterstateValues, Indifferent};
pub use checkpoint::{Checkpoint, CheckpointError};
pub use chess_network::{ChessNetwork, ChessNetworkAgent, QuantizedNetwork};
pub use chess_terms::{ChessTerms, FrozenTerms, TermSet};
pub use feature_conformance::{FeatureViolation, check_features};
pub use features::{ActiveChange, ActiveSet, Features, Memory, Share};
pub use function::{Value, ValueFunction};
pub use fused::FusedShapes;
pub use grid_agent::GridAgent;
pub use grid_shapes::GridShapes;
pub use learnt_evaluation::LearntEvaluation;
pub use linear::{Linear, Squash};
pub use local_shape::{LocalShapes, MAX_WINDOWS, Patterns, ShapeOnBoard, Sharing, WindowSizes, Windows};
pub use network_agent::NetworkAgent;
pub use playout_agent::PlayoutAgent;
pub use shape_agent::ShapeAgent;
pub use term_agent::TermAgent;
pub use tracked::{Track, Tracked, TrackedGo, WindowTrack};
pub use weights::Weights;
