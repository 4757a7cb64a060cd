//! Engines that are programs of their own: started, watched, and never left behind.

pub mod command;
mod engine;
pub mod gnubg;
pub mod gnugo_referee;
pub mod gtp;
pub mod process;
pub mod uci;
mod uci_option;
pub mod xboard;

pub use command::EngineCommand;
pub use engine::Limits;
pub use gnubg::{Gnubg, GnubgPlayer};
pub use gnugo_referee::GtpReferee;
pub use gtp::GtpEngine;
pub use process::EngineProcess;
pub use uci::UciEngine;
pub use xboard::XboardEngine;
