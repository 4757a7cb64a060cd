//! The Go Text Protocol, version 2: any Go program or server can play our players.
//!
//! A [`Session`] holds a [`Player`](afterstate_arena::Player), the game so far, and the clocks. It
//! answers every command line with exactly one response, refuses what is malformed with `? …`, and
//! ends only at `quit` or at the end of its input.
//!
//! What a player can show beyond its moves comes in through two optional hooks: [`Insight`] (the value
//! of each afterstate, the strongest shapes on the board) and [`Analyst`] (a search that reports while
//! it thinks). The commands that need a hook exist only when the session has it.
//!
//! ```
//! use afterstate_arena::RandomPlayer;
//! use afterstate_protocols::gtp::Session;
//!
//! let mut session = Session::new("random", Box::new(RandomPlayer::default()));
//! assert_eq!(session.respond("1 boardsize 9"), "=1 \n\n");
//! assert_eq!(session.respond("play black E5"), "= \n\n");
//! assert_eq!(session.respond("play white E5"), "? illegal move\n\n");
//! assert_eq!(session.respond("  # a comment is no command"), "");
//! ```
//!
//! Reading order: `command` (a line of input) → [`Session`] → `table` (every command there is) →
//! `history` (the game, with moves out of turn) → the files of commands.
//!
//! Sources: Farnebäck, *Specification of the Go Text Protocol, version 2, draft 2*; the KGS extension of
//! kgsGtp; Leela Zero's and KataGo's `lz-analyze` and `kata-analyze`; CGOS's `cgos-genmove_analyze`;
//! GoGui's analyze commands.

mod analyst;
mod analyze;
mod command;
mod gogui;
mod history;
mod input;
mod insight;
mod kgs;
mod live;
mod moves;
mod open_player;
mod report;
mod score;
mod search_analyst;
mod search_maps;
mod session;
mod setup;
mod sgf;
mod table;
mod time;
mod vertex;

pub use crate::line::MAX_LINE;
pub use analyst::{Analysis, Analyst, Candidate, Inquiry};
pub use insight::{Insight, ShapeReport, ValueInsight};
pub use open_player::OpenPlayer;
pub use search_analyst::SearchAnalyst;
pub use session::Session;
