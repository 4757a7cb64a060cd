//! The Universal Chess Interface: any chess program with a board can play, and analyse with, our players.
//!
//! A [`Session`] reads commands while a [`Thinker`] thinks on a thread of its own. Every `go` is answered by exactly one
//! `bestmove`: in infinite and ponder mode not before `stop` or `ponderhit`. Nothing that stands on the input ends the
//! session but `quit` and the end; what is wrong with a command is said in an `info string` line.
//!
//! ```
//! use afterstate_arena::RandomPlayer;
//! use afterstate_protocols::uci::{PlayerThinker, Session};
//! use std::io::Cursor;
//!
//! let thinker = PlayerThinker::new(Box::new(RandomPlayer::default()));
//! let session = Session::new("random", Box::new(thinker));
//! let mut output = Vec::new();
//! session.run(Cursor::new("position startpos moves f2f3 e7e5 g2g4 d8h5\nposition fen rubbish\nisready\n"), &mut output)?;
//! let text = String::from_utf8(output).unwrap();
//! assert!(text.starts_with("info string position: move 4 'd8h5': expected a legal move"));
//! assert!(text.ends_with("readyok\n"));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Reading order: `command` (a line of input) → [`Session`] (what each command does) → `tasks` and `worker` (the thread that
//! thinks) → [`Thinker`], [`GoLimits`] and [`Info`] (what a search needs to know, and tells) → `report` (what of that is
//! printed).
//!
//! Sources: S. Meyer-Kahlen, *UCI protocol*, April 2006; for what it leaves open, what Stockfish does.

mod bench;
mod command;
mod go;
mod info;
mod limits;
mod option;
mod output;
mod perft;
mod player;
mod position;
mod report;
mod session;
mod strength;
mod tasks;
mod thinker;
mod time;
mod tournament;
mod wdl;
mod weigh;
mod worker;

pub use info::{Info, Line, Score, ScoreBound};
pub use limits::{GoLimits, Signals};
pub use option::{OptionKind, UciOption};
pub use player::{PlayerThinker, Resources};
pub use session::Session;
pub use strength::{MEASURED_STRENGTHS, Strength, Strengths};
pub use thinker::Thinker;
pub use time::GoClock;
pub use tournament::TournamentThinker;
pub use wdl::{MEASURED_WDL, WdlModel, win_draw_loss};
