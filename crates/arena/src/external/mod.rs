//! Engines that are programs of their own: started, watched, and never left behind.

pub mod command;
pub mod gnugo_referee;
pub mod gtp;
pub mod process;

pub use command::EngineCommand;
pub use gnugo_referee::GtpReferee;
pub use gtp::{GtpEngine, Limits};
pub use process::EngineProcess;
