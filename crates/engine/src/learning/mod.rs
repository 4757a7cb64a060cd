//! Learning values from play. A *rule* says how one position moves towards its target; a *trainer*
//! says which positions are visited, in what order they are updated, and by how many threads.

pub mod adam;
pub mod differences;
pub mod dyna2_self_play;
pub mod eligibility;
pub mod learner_settings;
pub mod network_td;
mod network_traces;
pub mod online_td;
pub mod root_strap;
pub mod search_learner;
pub mod self_play;
pub mod steps;
pub mod td;
pub mod td_directed;
pub mod td_gammon;
mod td_gammon_training;
pub mod td_leaf;
pub mod td_root;
pub mod training;
pub mod tree_strap;

pub use adam::{Adam, SharedAdam};
pub use differences::DifferenceSettings;
pub use dyna2_self_play::{Dyna2Player, Dyna2Settings};
pub use eligibility::{EligibilityTrace, TraceKind};
pub use learner_settings::LearnerSettings;
pub use network_td::{NetworkTd, NetworkTdSettings};
pub use online_td::OnlineTd;
pub use root_strap::RootStrap;
pub use search_learner::{SearchLearner, value_of};
pub use self_play::{Chooser, Episode, Order, SelfPlay, SelfPlaySettings};
pub use steps::{StepSettings, Stepper, Steps};
pub use td::{Plies, Td, TdSettings};
pub use td_directed::TdDirected;
pub use td_gammon::TdGammon;
pub use td_gammon_training::TdGammonTraining;
pub use td_leaf::TdLeaf;
pub use td_root::TdRoot;
pub use training::{Training, TrainingTotals};
pub use tree_strap::{Learns, TreeStrap, TreeStrapSettings};
