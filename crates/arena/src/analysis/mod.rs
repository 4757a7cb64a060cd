//! Looking at a game again: what a search thinks of every position, and so of every move.
//!
//! `analyst` searches, `judgement` compares each move with what the search would have played, `graph` draws who was
//! winning when.

mod analyst;
mod graph;
mod judgement;

pub use analyst::{Assessment, GameAnalysisSettings, GameAnalyst};
pub use graph::{GraphError, WinRateGraph, WinRatePoint};
pub use judgement::{JudgedMove, SideSummary, judge, summarise};
