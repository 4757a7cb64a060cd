//! Looking at a game again: what a search thinks of every position, and so of every move.
//!
//! `analyst` searches, `judgement` compares each move with what the search would have played, `graph` draws who was
//! winning when. `plays` does all that for games with dice, where what a play costs is told in points, and
//! `cube` what doubles, takes and passes cost.

mod analyst;
mod cube;
mod graph;
mod judgement;
mod plays;

pub use analyst::{Assessment, GameAnalysisSettings, GameAnalyst};
pub use cube::{CubeChoice, CubeSummary, JudgedCube, judge_cube, summarise_cube};
pub use graph::{GraphError, WinRateGraph, WinRatePoint};
pub use judgement::{JudgedMove, SideSummary, judge, summarise};
pub use plays::{JudgedPlay, PlayAnalyst, PlaySummary, summarise_plays};
