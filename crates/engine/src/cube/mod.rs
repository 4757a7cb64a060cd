//! The doubling cube of backgammon: what it makes of a position's chances, and when to double, take and pass.
//!
//! Reading order: [`Chances`] (how games end from a position) → [`janowski`] (money play) → [`match_play`] (the same at a match score)
//! → [`match_equity`] (what scores are worth) → [`decision`] → [`resignation`]. [`mod@look_ahead`] has the chances of a search.
//!
//! Everything here is arithmetic on five probabilities: whoever can name them, a network, a bear-off database or another
//! program, can be asked about the cube. Sides are seen by who would roll next, and equities are that side's.

pub mod chances;
pub mod decision;
pub mod efficiency;
pub mod janowski;
pub mod look_ahead;
pub mod match_equity;
pub mod match_play;
pub mod resignation;
pub mod window;

pub use chances::Chances;
pub use decision::{CubeAction, CubeAnswer, CubeDecision, decide};
pub use efficiency::efficiency;
pub use janowski::Access;
pub use look_ahead::{OutcomeEvaluation, look_ahead};
pub use match_equity::MatchEquityTable;
pub use resignation::{Resignation, judge_resignation};
pub use window::{CubePoints, cube_points};
