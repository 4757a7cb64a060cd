//! [`TdSearchSettings`].

use serde::{Deserialize, Serialize};

/// Settings of TD search; those of its rule are [`TdSettings`](crate::learning::TdSettings). The defaults are the paper's.
///
/// ```
/// use afterstate_engine::search::TdSearchSettings;
/// let settings: TdSearchSettings = serde_json::from_str(r#"{ "simulations": 5000, "switch-after": null }"#).unwrap();
/// assert_eq!((settings.exploration, settings.switch_after), (0.1, None));
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TdSearchSettings {
    /// How many simulations a move gets when the budget sets no limit of its own. Default 3000.
    pub simulations: u64,
    /// ε, the probability of a random move in a simulation. Default 0.1.
    pub exploration: f32,
    /// The probability that the default policy chooses in place of chance, where a random move would be played. Default 0.
    pub explore_by_policy: f32,
    /// After how many moves of a simulation the memory chooses no more, so that every move explores; `None`: never. What
    /// these moves lead to still learns, until the switch. Default `None`.
    pub greedy_moves: Option<u32>,
    /// T, after how many moves a simulation goes on by the default policy; `None`: never. Default 6.
    pub switch_after: Option<u32>,
    /// How old the values are that the real move is chosen by, in moves of both sides, for the experiment that shows how
    /// fast they age (§4.5.4). While the game is younger, those of the first search are used. Default 0.
    pub move_gap: u32,
    /// Threads that simulate. With one, the same seed gives the same result. Default 1.
    pub threads: u32,
    /// Whether every search begins with weights of 0, for the experiment that shows what that costs (§4.5.4). Default false.
    pub reset: bool,
}

impl Default for TdSearchSettings {
    fn default() -> Self {
        TdSearchSettings {
            simulations: 3000,
            exploration: 0.1,
            explore_by_policy: 0.0,
            greedy_moves: None,
            switch_after: Some(6),
            move_gap: 0,
            threads: 1,
            reset: false,
        }
    }
}

impl TdSearchSettings {
    /// How the original program simulated in tournaments: 32 moves that learn, of which the first 6 are greedy (70 %), random
    /// (12 %) or the default policy's (18 %), and the others the default policy's (60 %) or random (40 %).
    pub fn tournament() -> Self {
        TdSearchSettings {
            exploration: 0.3,
            explore_by_policy: 0.6,
            greedy_moves: Some(6),
            switch_after: Some(32),
            ..TdSearchSettings::default()
        }
    }
}
