//! [`TdSearchSettings`].

use serde::{Deserialize, Serialize};

/// Settings of TD search; those of its rule are [`TdSettings`](crate::learning::TdSettings).
///
/// The defaults are those of the original program in tournaments: 32 moves of a simulation learn, of which the first 6 are
/// greedy (70 %), random (12 %) or the default policy's (18 %), and the others the default policy's (60 %) or random (40 %).
/// What the article tells of, [`TdSearchSettings::article`], is far weaker in Go.
///
/// ```
/// use afterstate_engine::search::TdSearchSettings;
/// let settings: TdSearchSettings = serde_json::from_str(r#"{ "simulations": 5000, "switch-after": null }"#).unwrap();
/// assert_eq!((settings.exploration, settings.switch_after), (0.3, None));
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct TdSearchSettings {
    /// How many simulations a move gets when the budget sets no limit of its own. Default 3000.
    pub simulations: u64,
    /// ε, the probability of a random move before the switch. Default 0.3.
    pub exploration: f32,
    /// The probability that the default policy chooses in place of chance, where a random move would be played before the
    /// switch. Default 0.6.
    pub explore_by_policy: f32,
    /// T, after how many moves of a simulation the default policy chooses in place of the memory; `None`: not before those of
    /// [`learn_moves`](Self::learn_moves) have been played. Default 6.
    pub switch_after: Option<u32>,
    /// The probability of a random move after the switch, in place of the default policy's, while the simulation learns.
    /// Default 0.4.
    pub random_after_switch: f32,
    /// After how many moves a simulation learns from its outcome alone, whoever chooses them; `None`: it learns
    /// to its end. The default policy alone plays what is left. Default 32.
    pub learn_moves: Option<u32>,
    /// How old the values are that the real move is chosen by, in moves of both sides, for the experiment that shows how
    /// fast they age (§4.5.4). While the game is younger, those of the first search are used. Default 0.
    pub move_gap: u32,
    /// Threads that simulate. With one, the same seed gives the same result. Default 1.
    pub threads: u32,
    /// Whether the search of every position begins with weights of 0, for the experiment that shows what that costs (§4.5.4). Default false.
    pub reset: bool,
}

impl Default for TdSearchSettings {
    fn default() -> Self {
        TdSearchSettings {
            simulations: 3000,
            exploration: 0.3,
            explore_by_policy: 0.6,
            switch_after: Some(6),
            random_after_switch: 0.4,
            learn_moves: Some(32),
            move_gap: 0,
            threads: 1,
            reset: false,
        }
    }
}

impl TdSearchSettings {
    /// The article's simulations (§4.5): ε-greedy with ε = 0.1, by the default policy after 6 moves, and learning to their end.
    pub fn article() -> Self {
        TdSearchSettings {
            exploration: 0.1,
            explore_by_policy: 0.0,
            switch_after: Some(6),
            random_after_switch: 0.0,
            learn_moves: None,
            ..TdSearchSettings::default()
        }
    }
}
