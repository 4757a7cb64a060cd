//! Learning values from play. A *rule* says how one position moves towards its target; a *trainer*
//! says which positions are visited, in what order they are updated, and by how many threads.

pub mod dyna2_self_play;
pub mod eligibility;
pub mod online_td;
pub mod self_play;
pub mod td;
pub mod training;

pub use dyna2_self_play::{Dyna2Player, Dyna2Settings};
pub use eligibility::{EligibilityTrace, TraceKind};
pub use online_td::OnlineTd;
pub use self_play::{Chooser, Episode, Order, SelfPlay, SelfPlaySettings};
pub use td::{Plies, Td, TdSettings};
pub use training::{Training, TrainingTotals};
